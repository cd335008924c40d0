//! Whether two definitions say the same, as a number.
//!
//! ```c
//! static inline int twice(int x) { return 2 * x; }      // in a header that a.c and b.c include
//! ```
//! Both units have a copy with ids of its own: values happen to be numbered alike, types, strings, records and
//! globals are not. A fingerprint names those by what they are: a record by tag, size and the names of the fields
//! used, a string by its bytes, a global by its name. Two `twice` then have one fingerprint, unless a macro or a
//! configuration made them different.
//!
//! Invariant: locations and ids of the unit do not enter. Names enter by their symbol, so that fingerprints hold
//! within one process only.
//!
//! What the globals *mean* is not in it: see [`merge`](super::merge).

use std::hash::{Hash, Hasher};

use caulk_base::Symbol;
use caulk_ir::ir::{Function, GlobalId, InstKind, Module, RecordId, StringId, Terminator, Ty, Value};
use caulk_sema::types::Type;
use caulk_sema::unit::{Datum, Definition, Linkage};
use rustc_hash::{FxHashMap, FxHasher};

/// Fingerprints definitions of one module.
pub(super) struct Fingerprinter<'a> {
    module: &'a Module,
    types: FxHashMap<Ty, u64>,
}

impl<'a> Fingerprinter<'a> {
    pub(super) fn new(module: &'a Module) -> Fingerprinter<'a> {
        Fingerprinter { module, types: FxHashMap::default() }
    }

    /// A body and its signature.
    pub(super) fn function(&mut self, function: &Function) -> u64 {
        let mut hasher = FxHasher::default();
        self.ty(self.module.unit.globals[function.global].ty).hash(&mut hasher);
        for inst in &function.insts {
            self.ty(inst.ty).hash(&mut hasher);
            self.inst(function, &inst.kind, &mut hasher);
        }
        for block in &function.blocks {
            block.insts.hash(&mut hasher);
            terminator(&block.terminator, &mut hasher);
        }
        hasher.finish()
    }

    /// An object's type and initialiser.
    pub(super) fn object(&mut self, global: GlobalId) -> u64 {
        let mut hasher = FxHasher::default();
        let global = &self.module.unit.globals[global];
        self.ty(global.ty).hash(&mut hasher);
        global.is_thread_local.hash(&mut hasher);
        let Definition::Data(data) = &global.definition else { return hasher.finish() };
        for item in &data.items {
            item.offset.hash(&mut hasher);
            item.bits.hash(&mut hasher);
            self.ty(item.ty).hash(&mut hasher);
            std::mem::discriminant(&item.value).hash(&mut hasher);
            match item.value {
                Datum::Int(value) => value.hash(&mut hasher),
                Datum::Float(value) => value.to_bits().hash(&mut hasher),
                Datum::Complex(a, b) => (a.to_bits(), b.to_bits()).hash(&mut hasher),
                Datum::Global(global, offset) => {
                    self.global(global, &mut hasher);
                    offset.hash(&mut hasher);
                }
                Datum::String(string, offset) => {
                    self.string(string, &mut hasher);
                    offset.hash(&mut hasher);
                }
                Datum::Bytes(string) => self.string(string, &mut hasher),
                Datum::Label(number) => number.hash(&mut hasher),
                Datum::Unknown => {}
            }
        }
        hasher.finish()
    }

    fn inst(&self, function: &Function, kind: &InstKind, hasher: &mut FxHasher) {
        std::mem::discriminant(kind).hash(hasher);
        kind.for_each_operand(function, |operand: Value| operand.hash(hasher));
        match *kind {
            InstKind::Param(number) => number.hash(hasher),
            InstKind::Int(value) => value.hash(hasher),
            InstKind::WideInt(number) => function.wide_constants[number as usize].hash(hasher),
            InstKind::Float(value) => value.to_bits().hash(hasher),
            InstKind::Global(global) => self.global(global, hasher),
            InstKind::String(string) => self.string(string, hasher),
            InstKind::BlockAddress(block) => block.hash(hasher),
            InstKind::Slot { name } | InstKind::Alloca { name, .. } | InstKind::Bind { variable: name, .. } => {
                name.hash(hasher);
            }
            InstKind::Load { is_volatile, .. } | InstKind::Store { is_volatile, .. } => is_volatile.hash(hasher),
            InstKind::LoadBits { bits, is_volatile, .. } | InstKind::StoreBits { bits, is_volatile, .. } => {
                (bits, is_volatile).hash(hasher);
            }
            InstKind::Zero { size, .. } => size.hash(hasher),
            InstKind::CopyString { string, size, .. } => {
                self.string(string, hasher);
                size.hash(hasher);
            }
            InstKind::Field { record, field, .. } => self.field(record, field, hasher),
            InstKind::Binary { op, .. } => op.hash(hasher),
            InstKind::Compare { op, .. } => op.hash(hasher),
            InstKind::ComplexPart { is_imag, .. } => is_imag.hash(hasher),
            InstKind::Phi(args) => function.phi_args(args).for_each(|(block, _)| block.hash(hasher)),
            InstKind::Builtin { op, .. } => op.hash(hasher),
            InstKind::Asm { template, clobbers_memory, .. } => (template, clobbers_memory).hash(hasher),
            InstKind::AsmOutput { index, .. } => index.hash(hasher),
            InstKind::Unknown { reason, .. } => reason.hash(hasher),
            // A record pointed to is known by its tag; here its size is what counts.
            InstKind::Element { base, .. } => {
                let types = &self.module.unit.types;
                types.pointee(function.ty(base)).and_then(|pointee| types.size_of(pointee)).hash(hasher);
            }
            InstKind::Undef
            | InstKind::End { .. }
            | InstKind::PointerDiff { .. }
            | InstKind::Negate(_)
            | InstKind::BitNot(_)
            | InstKind::Cast(_)
            | InstKind::BitCast(_)
            | InstKind::MakeComplex { .. }
            | InstKind::VectorElement { .. }
            | InstKind::Call { .. }
            | InstKind::VaArg { .. } => {}
        }
    }

    fn global(&self, global: GlobalId, hasher: &mut FxHasher) {
        let global = &self.module.unit.globals[global];
        (global.name, global.linkage == Linkage::Internal).hash(hasher);
    }

    fn string(&self, string: StringId, hasher: &mut FxHasher) {
        self.module.unit.strings[string].bytes.hash(hasher);
    }

    fn field(&self, record: RecordId, field: u32, hasher: &mut FxHasher) {
        let record = &self.module.unit.types.records[record];
        record.tag.hash(hasher);
        let field = record.layout.as_ref().and_then(|layout| layout.fields.get(field as usize));
        field.map(|field| (field.name, field.offset, field.bits)).hash(hasher);
    }

    fn tag(&self, ty: Ty) -> Option<Symbol> {
        let types = &self.module.unit.types;
        let tag = types.records[types.record_of(ty)?].tag;
        (tag != Symbol::EMPTY).then_some(tag)
    }

    /// Records end the way down: what of their insides matters is in the instructions that use it.
    fn ty(&mut self, ty: Ty) -> u64 {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let mut hasher = FxHasher::default();
        ty.qualifiers().hash(&mut hasher);
        let types = &self.module.unit.types;
        let shape = types.get(ty);
        std::mem::discriminant(&shape).hash(&mut hasher);
        match shape {
            Type::Error | Type::Void | Type::Bool | Type::Nullptr => {}
            Type::Int(kind) => kind.hash(&mut hasher),
            Type::BitInt { bits, is_signed } => (bits, is_signed).hash(&mut hasher),
            Type::Float(kind) => kind.hash(&mut hasher),
            // Complete in one unit, incomplete in the next: no difference to a pointer.
            Type::Pointer(pointee) if self.tag(pointee).is_some() => {
                (pointee.qualifiers(), self.tag(pointee)).hash(&mut hasher);
            }
            Type::Complex(element) | Type::Pointer(element) | Type::Vla(element, _) => {
                self.ty(element).hash(&mut hasher);
            }
            Type::Array(element, len) => (self.ty(element), len).hash(&mut hasher),
            Type::Vector(element, len) => (self.ty(element), len).hash(&mut hasher),
            Type::Function(id) => {
                let function = types.function(id);
                self.ty(function.result).hash(&mut hasher);
                for &parameter in &function.parameters {
                    self.ty(parameter).hash(&mut hasher);
                }
                (function.is_variadic, function.is_unprototyped).hash(&mut hasher);
            }
            Type::Record(id) => {
                let record = &types.records[id];
                let size = record.layout.as_ref().map(|layout| (layout.size, layout.fields.len()));
                (record.tag, record.is_union, size).hash(&mut hasher);
            }
            Type::Enum(id) => types.enums[id].tag.hash(&mut hasher),
        }
        let hash = hasher.finish();
        self.types.insert(ty, hash);
        hash
    }
}

fn terminator(terminator: &Terminator, hasher: &mut FxHasher) {
    std::mem::discriminant(terminator).hash(hasher);
    terminator.operand().hash(hasher);
    terminator.successors().for_each(|successor| successor.hash(hasher));
    if let Terminator::Switch(switch) = terminator {
        switch.cases.iter().for_each(|case| (case.low, case.high).hash(hasher));
    }
}
