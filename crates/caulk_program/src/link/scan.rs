//! What a module's bodies and initialisers refer to, and how.
//!
//! - *definition*: a global with a body in IR, or an object that this module defines.
//! - *used*: a definition that others can name (external linkage, `used`, a constructor), or that a used one
//!   refers to. Only used definitions are looked at further: a header brings in hundreds that are not.
//! - *origin* of a value: the global that the address was computed from by fields, elements and conversions.
//!
//! ```c
//! static int table[4], *cursor;                       // table: loaded from, address taken; cursor: written
//! static int next(void) { return *cursor++; }         // used, because `first` calls it
//! static int unused(void) { return 1; }               // not used: costs nothing from here on
//! int first(void) { cursor = table; return table[0] + next(); }
//! ```
//!
//! Invariant: a global that a used definition refers to is marked [`REFERENCED`]; every way to change or share an
//! object sets [`WRITTEN`] or [`ADDRESS_TAKEN`].

use caulk_base::id::Id;
use caulk_base::{IdVec, Symbol};
use caulk_ir::ir::{Builtin, Function, GlobalId, InstKind, Module, Value};
use caulk_sema::attributes::{self, AttributeValue};
use caulk_sema::unit::{Datum, Definition, Linkage};

/// A used definition refers to it.
pub(super) const REFERENCED: u8 = 1;
/// Its address goes somewhere else than into a load, a store or a call's callee.
pub(super) const ADDRESS_TAKEN: u8 = 2;
/// An instruction stores to it, or to a part of it.
pub(super) const WRITTEN: u8 = 4;
/// A whole record is loaded from it or stored to it.
pub(super) const COPIED: u8 = 32;
/// It is a used definition.
pub(super) const USED: u8 = 8;
/// It is used even if nothing refers to it.
pub(super) const ROOT: u8 = 16;

const NONE: u32 = u32::MAX;

/// What one module refers to.
#[derive(Debug)]
pub(super) struct ModuleScan {
    pub(super) flags: IdVec<GlobalId, u8>,
    /// By global: its number in the module's functions.
    bodies: IdVec<GlobalId, u32>,
    /// Of used definitions: what they refer to, each once, in order.
    references: IdVec<GlobalId, Box<[GlobalId]>>,
    /// What other modules may mean by a name: definitions with external linkage, lost ones and aliases too.
    pub(super) exports: Vec<GlobalId>,
}

impl ModuleScan {
    pub(super) fn new(module: &Module) -> ModuleScan {
        let count = module.unit.globals.len();
        let mut scan = ModuleScan {
            flags: IdVec::filled(0, count),
            bodies: IdVec::filled(NONE, count),
            references: IdVec::filled(Box::default(), count),
            exports: Vec::new(),
        };
        for (index, function) in module.functions.iter().enumerate() {
            scan.bodies[function.global] = index as u32;
        }
        let mut walk = Walk { module, scan, todo: Vec::new(), seen: IdVec::filled(NONE, count), origins: Vec::new() };
        walk.find_roots();
        while let Some(global) = walk.todo.pop() {
            walk.visit(global);
        }
        walk.scan
    }

    /// The global's number in the module's functions.
    pub(super) fn body(&self, global: GlobalId) -> Option<usize> {
        (self.bodies[global] != NONE).then_some(self.bodies[global] as usize)
    }

    pub(super) fn has(&self, global: GlobalId, flag: u8) -> bool {
        self.flags[global] & flag != 0
    }

    pub(super) fn references(&self, global: GlobalId) -> &[GlobalId] {
        &self.references[global]
    }
}

/// Whether the module holds the object itself.
pub(super) fn defines_object(module: &Module, global: GlobalId) -> bool {
    matches!(module.unit.globals[global].definition, Definition::Zero | Definition::Data(_))
}

struct Walk<'a> {
    module: &'a Module,
    scan: ModuleScan,
    /// Used definitions not yet looked at.
    todo: Vec<GlobalId>,
    /// By global: the definition that referred to it last, so that each has it once.
    seen: IdVec<GlobalId, u32>,
    /// By value: the global it was computed from.
    origins: Vec<u32>,
}

impl Walk<'_> {
    fn find_roots(&mut self) {
        let module = self.module;
        for (id, global) in module.unit.globals.iter_enumerated() {
            let is_defined = self.scan.body(id).is_some() || defines_object(module, id);
            let is_visible = global.linkage == Linkage::External && !global.is_inline_only;
            let is_kept = || {
                let keeps = ["used", "retain", "constructor", "destructor"];
                keeps.iter().any(|name| attributes::find(&global.attributes, name).is_some())
            };
            if is_defined && (is_visible || is_kept()) {
                self.mark_root(id);
            }
            let resolver = attributes::find(&global.attributes, "ifunc").and_then(|ifunc| match ifunc.args.first() {
                Some(AttributeValue::String(name)) => Some(Symbol::intern(name)),
                _ => None,
            });
            if let Some(name) = global.alias.or(resolver) {
                self.mark_named(name);
            }
            let is_export = global.alias.is_some() || !matches!(global.definition, Definition::None);
            if is_export && global.linkage == Linkage::External {
                self.scan.exports.push(id);
            }
        }
    }

    fn mark_root(&mut self, global: GlobalId) {
        self.scan.flags[global] |= ROOT;
        self.mark_used(global);
    }

    /// What an alias stands for; a search, because aliases are few.
    fn mark_named(&mut self, name: Symbol) {
        let named = self.module.unit.globals.iter_enumerated().find(|(_, global)| global.name == name);
        let Some((id, _)) = named else { return };
        self.scan.flags[id] |= REFERENCED | ADDRESS_TAKEN;
        if self.scan.body(id).is_some() || defines_object(self.module, id) {
            self.mark_root(id);
        }
    }

    fn mark_used(&mut self, global: GlobalId) {
        if !self.scan.has(global, USED) {
            self.scan.flags[global] |= USED;
            self.todo.push(global);
        }
    }

    fn visit(&mut self, global: GlobalId) {
        let mut references = Vec::new();
        match self.scan.body(global) {
            Some(index) => self.visit_body(global, &self.module.functions[index], &mut references),
            None => self.visit_data(global, &mut references),
        }
        for &reference in &references {
            self.scan.flags[reference] |= REFERENCED;
            if self.scan.body(reference).is_some() || defines_object(self.module, reference) {
                self.mark_used(reference);
            }
        }
        self.scan.references[global] = references.into_boxed_slice();
    }

    fn refer(&mut self, from: GlobalId, to: GlobalId, references: &mut Vec<GlobalId>) {
        if std::mem::replace(&mut self.seen[to], from.0) != from.0 {
            references.push(to);
        }
    }

    fn visit_data(&mut self, global: GlobalId, references: &mut Vec<GlobalId>) {
        let Definition::Data(data) = &self.module.unit.globals[global].definition else { return };
        for item in &data.items {
            if let Datum::Global(to, _) = item.value {
                self.refer(global, to, references);
                self.scan.flags[to] |= ADDRESS_TAKEN;
            }
        }
    }

    fn visit_body(&mut self, global: GlobalId, function: &Function, references: &mut Vec<GlobalId>) {
        self.origins.clear();
        self.origins.resize(function.insts.len(), NONE);
        for (value, inst) in function.insts.iter_enumerated() {
            if let InstKind::Global(to) = inst.kind {
                self.refer(global, to, references);
                self.origins[value.index()] = to.0;
            }
        }
        if references.is_empty() {
            return;
        }
        self.find_origins(function);
        self.classify(function);
    }

    fn find_origins(&mut self, function: &Function) {
        loop {
            let (mut is_changed, mut has_forward) = (false, false);
            for (value, inst) in function.insts.iter_enumerated() {
                let Some(base) = derived_from(&inst.kind) else { continue };
                has_forward |= base > value && derived_from(&function.insts[base].kind).is_some();
                let origin = self.origins[base.index()];
                if origin != NONE && self.origins[value.index()] == NONE {
                    self.origins[value.index()] = origin;
                    is_changed = true;
                }
            }
            // Operands come earlier, unless blocks do not stand in the order of their dominators.
            if !(has_forward && is_changed) {
                break;
            }
        }
    }

    fn mark(&mut self, value: Value, flag: u8) {
        let origin = self.origins[value.index()];
        if origin != NONE {
            self.scan.flags[GlobalId(origin)] |= flag;
        }
    }

    fn classify(&mut self, function: &Function) {
        for inst in &function.insts {
            match inst.kind {
                InstKind::Param(_)
                | InstKind::Int(_)
                | InstKind::WideInt(_)
                | InstKind::Float(_)
                | InstKind::Undef
                | InstKind::Global(_)
                | InstKind::String(_)
                | InstKind::BlockAddress(_)
                | InstKind::Slot { .. }
                | InstKind::Alloca { .. }
                | InstKind::End { .. }
                | InstKind::Bind { .. }
                | InstKind::LoadBits { .. }
                | InstKind::Field { .. }
                | InstKind::Element { .. }
                | InstKind::Cast(_)
                | InstKind::BitCast(_)
                | InstKind::Compare { .. }
                | InstKind::PointerDiff { .. }
                | InstKind::Builtin { op: Builtin::AtomicLoad, .. } => {}
                InstKind::Load { address, .. } => {
                    if self.module.unit.types.is_record(inst.ty) {
                        self.mark(address, COPIED);
                    }
                }
                InstKind::Store { address, value, .. } | InstKind::StoreBits { address, value, .. } => {
                    let is_copy = self.module.unit.types.is_record(function.ty(value));
                    self.mark(address, if is_copy { WRITTEN | COPIED } else { WRITTEN });
                    self.mark(value, ADDRESS_TAKEN);
                }
                InstKind::Zero { address, .. } | InstKind::CopyString { address, .. } => self.mark(address, WRITTEN),
                InstKind::Call { callee, args } => {
                    let origin = self.origins[callee.index()];
                    let is_called = origin != NONE && {
                        let ty = self.module.unit.globals[GlobalId(origin)].ty;
                        self.module.unit.types.is_function(ty)
                    };
                    if !is_called {
                        self.mark(callee, ADDRESS_TAKEN);
                    }
                    for &arg in function.operands(args) {
                        self.mark(arg, ADDRESS_TAKEN);
                    }
                }
                // Atomics write, phis and arithmetic lose track, asm and the unknown do anything.
                kind @ (InstKind::Binary { .. }
                | InstKind::Negate(_)
                | InstKind::BitNot(_)
                | InstKind::ComplexPart { .. }
                | InstKind::MakeComplex { .. }
                | InstKind::VectorElement { .. }
                | InstKind::Phi(_)
                | InstKind::Builtin { .. }
                | InstKind::VaArg { .. }
                | InstKind::Asm { .. }
                | InstKind::AsmOutput { .. }
                | InstKind::Unknown { .. }) => {
                    kind.for_each_operand(function, |operand| self.mark(operand, ADDRESS_TAKEN | WRITTEN));
                }
            }
        }
        for block in &function.blocks {
            if let Some(value) = block.terminator.operand() {
                self.mark(value, ADDRESS_TAKEN);
            }
        }
    }
}

/// The address or pointer that another is computed from, staying within the object.
fn derived_from(kind: &InstKind) -> Option<Value> {
    match *kind {
        InstKind::Field { base, .. }
        | InstKind::Element { base, .. }
        | InstKind::Cast(base)
        | InstKind::BitCast(base) => Some(base),
        _ => None,
    }
}
