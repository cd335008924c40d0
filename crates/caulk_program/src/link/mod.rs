//! Linking: from globals of modules to functions and variables of the program.
//!
//! 1. [`scan`]: what each module's used definitions refer to (in parallel).
//! 2. [`definitions`]: all of them numbered, those that may have copies with a [`fingerprint`].
//! 3. [`names`]: which definition each referenced global means.
//! 4. [`merge`]: copies become one.
//! 5. Here: what is still reached gets its id; flags of all copies and declarations are put together.
//!
//! ```c
//! // util.h                                              // a.c and b.c both
//! static inline int half(int n) { return n / 2; }        #include "util.h"
//! inline int rest(int n) { return n % 2; }               int use_a(int n) { return half(n) + rest(n); }
//! ```
//! Steps 1 and 2 find two `half`, two `rest` and one `use_…` in each module. Step 4 makes one of each
//! pair. Should a third file define an `int rest(int)` of its own, that is the real one and what both modules mean;
//! the inline copies are reached no more and get no id.
//!
//! Invariant: ids follow the order of definitions; [`Linked::resolved`] answers for every global of every module.

mod definitions;
mod fingerprint;
mod merge;
mod names;
mod scan;

use caulk_base::symbol::word;
use caulk_base::{IdVec, Symbol};
use caulk_ir::ir::{Function, GlobalId, InstKind, Module, Ty};
use caulk_sema::types::TypeTable;
use caulk_sema::unit::{Datum, Definition, Global, Linkage};
use rustc_hash::FxHashMap;

use crate::parallel;
use crate::program::{FunctionId, FunctionInfo, Resolved, Source, Variable, VariableId};
use definitions::{Definitions, NONE};
use merge::Classes;
use names::Names;
use scan::{ADDRESS_TAKEN, COPIED, ModuleScan, REFERENCED, ROOT, USED, WRITTEN};

/// Drops what nothing of a module refers to: unused statics, mostly of headers, which are nine tenths of what a kernel's
/// units hold, and declarations. Linking would pass over them; dropping them as soon as the module is made saves memory.
pub fn discard_unused(module: &mut Module) {
    let scan = ModuleScan::new(module);
    module.functions.retain(|function| scan.has(function.global, USED));
    module.functions.shrink_to_fit();
    let mut numbers: IdVec<GlobalId, GlobalId> = IdVec::new();
    let mut kept: IdVec<GlobalId, Global> = IdVec::new();
    let globals = std::mem::take(&mut module.unit.globals);
    for (id, global) in globals.ids().zip(globals) {
        numbers.push(kept.next_id());
        if scan.has(id, USED | REFERENCED) || scan.exports.binary_search(&id).is_ok() {
            kept.push(global);
        }
    }
    kept.shrink_to_fit();
    for global in kept.iter_mut() {
        if let Definition::Data(data) = &mut global.definition {
            for item in &mut data.items {
                if let Datum::Global(to, _) = &mut item.value {
                    *to = numbers[*to];
                }
            }
        }
    }
    module.unit.globals = kept;
    for function in &mut module.functions {
        function.global = numbers[function.global];
        for inst in function.insts.iter_mut() {
            if let InstKind::Global(global) = &mut inst.kind {
                *global = numbers[*global];
            }
        }
    }
}

/// What linking found.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    pub(crate) functions: IdVec<FunctionId, FunctionInfo>,
    pub(crate) variables: IdVec<VariableId, Variable>,
    /// By module and global.
    pub(crate) resolved: Vec<IdVec<GlobalId, Resolved>>,
}

impl Linked {
    pub(crate) fn new(modules: &[Module], sources: &[Source]) -> Linked {
        let definitions = Definitions::new(modules, sources);
        let names = Names::new(modules, sources, &definitions);
        let bindings = parallel::map(modules.len(), |module| bind_all(&names, &definitions, module));
        let bind = |number: u32, reference: GlobalId| {
            let bound = bindings[definitions.list[number as usize].module as usize][reference];
            (bound != NONE).then_some(bound)
        };
        let classes = Classes::new(&definitions, bind);
        let is_reached = find_reached(&definitions, &classes, bind);
        let mut linker = Linker { modules, definitions: &definitions, linked: Linked::default() };
        let meanings = linker.number(&classes, &is_reached);
        linker.resolve(&bindings, &classes, &meanings);
        linker.find_constants();
        linker.linked
    }

    pub(crate) fn body<'a>(&self, modules: &'a [Module], function: FunctionId) -> (&'a Module, &'a Function) {
        let info = &self.functions[function];
        let module = &modules[info.module];
        (module, &module.functions[info.index])
    }
}

/// By global of a module: the definition it means, or [`NONE`]. Only for what is referred to or defined.
fn bind_all(names: &Names<'_>, definitions: &Definitions, module: usize) -> IdVec<GlobalId, u32> {
    let scan = &definitions.scans[module];
    let bind = |(global, &flags): (GlobalId, &u8)| {
        let is_wanted = flags & REFERENCED != 0 || definitions.number(module, global).is_some();
        if is_wanted { names.bind(module, global).unwrap_or(NONE) } else { NONE }
    };
    scan.flags.iter_enumerated().map(bind).collect()
}

/// By definition: whether it stands for its class and something still refers to that, now that names are bound.
fn find_reached(
    definitions: &Definitions,
    classes: &Classes,
    bind: impl Fn(u32, GlobalId) -> Option<u32>,
) -> Vec<bool> {
    let mut is_reached = vec![false; definitions.list.len()];
    let mut todo = Vec::new();
    let mut reach = |number: u32, todo: &mut Vec<u32>| {
        let first = classes.first[number as usize];
        if !std::mem::replace(&mut is_reached[first as usize], true) {
            todo.push(first);
        }
    };
    for (number, definition) in (0u32..).zip(&definitions.list) {
        if definitions.scans[definition.module as usize].has(definition.global, ROOT) {
            reach(number, &mut todo);
        }
    }
    while let Some(number) = todo.pop() {
        for &reference in definitions.references(number) {
            if let Some(to) = bind(number, reference) {
                reach(to, &mut todo);
            }
        }
    }
    is_reached
}

struct Linker<'a> {
    modules: &'a [Module],
    definitions: &'a Definitions,
    linked: Linked,
}

impl Linker<'_> {
    /// Gives ids to what is reached; by definition, what it is.
    fn number(&mut self, classes: &Classes, is_reached: &[bool]) -> Vec<Option<Resolved>> {
        let mut meanings: Vec<Option<Resolved>> = Vec::with_capacity(is_reached.len());
        for (number, definition) in self.definitions.list.iter().enumerate() {
            let first = classes.first[number] as usize;
            if !is_reached[first] {
                meanings.push(None);
                continue;
            }
            if first != number {
                // The first of a class comes before the others.
                let meaning = meanings[first];
                if let Some(Resolved::Function(function)) = meaning {
                    self.linked.functions[function].copies += 1;
                }
                meanings.push(meaning);
                continue;
            }
            let module = definition.module as usize;
            let data = &self.modules[module].unit.globals[definition.global];
            let is_internal = data.linkage == Linkage::Internal;
            meanings.push(Some(match definition.body {
                Some(index) => Resolved::Function(self.linked.functions.push(FunctionInfo {
                    module,
                    index: index as usize,
                    name: data.name,
                    is_entry: data.name == word::MAIN && !is_internal,
                    is_address_taken: false,
                    is_internal,
                    copies: 1,
                })),
                None => Resolved::Variable(self.add_variable(module, definition.global, true)),
            }));
        }
        meanings
    }

    fn add_variable(&mut self, module: usize, global: GlobalId, is_defined: bool) -> VariableId {
        let data = &self.modules[module].unit.globals[global];
        self.linked.variables.push(Variable {
            name: data.name,
            source_name: data.source_name,
            definition: is_defined.then_some((module, global)),
            site: (module, global),
            is_internal: data.linkage == Linkage::Internal,
            is_thread_local: data.is_thread_local,
            is_closed: false,
            is_written: false,
            is_address_taken: false,
            is_copied: false,
            is_constant: false,
        })
    }

    /// Fills in what every global of every module means, and collects what is done with it.
    fn resolve(&mut self, bindings: &[IdVec<GlobalId, u32>], classes: &Classes, meanings: &[Option<Resolved>]) {
        let mut undefined: FxHashMap<Symbol, VariableId> = FxHashMap::default();
        let mut done_by_name: FxHashMap<Symbol, u8> = FxHashMap::default();
        for (number, module) in self.modules.iter().enumerate() {
            let scan = &self.definitions.scans[number];
            let mut table = IdVec::from_vec(Vec::with_capacity(module.unit.globals.len()));
            for (id, global) in module.unit.globals.iter_enumerated() {
                let bound = bindings[number][id];
                let mut meaning = Resolved::External(global.name);
                if bound != NONE {
                    let first = classes.first[bound as usize];
                    meaning = meanings[first as usize].unwrap_or(meaning);
                } else if scan.has(id, REFERENCED) && !module.unit.types.is_function(global.ty) {
                    let new = || self.add_variable(number, id, false);
                    meaning = Resolved::Variable(*undefined.entry(global.name).or_insert_with(new));
                }
                // Another definition may take the place of a weak one.
                let flags = scan.flags[id] | if global.is_weak { WRITTEN } else { 0 };
                self.collect(meaning, flags);
                if matches!(meaning, Resolved::Variable(_)) && global.linkage == Linkage::External {
                    *done_by_name.entry(global.name).or_insert(0) |= flags;
                }
                table.push(meaning);
            }
            self.linked.resolved.push(table);
        }
        // What a library does to `verbose` it does in every program that has one, whichever it was bound to.
        for id in self.linked.variables.ids() {
            let variable = &self.linked.variables[id];
            let flags = done_by_name.get(&variable.name).copied().unwrap_or(0);
            if !variable.is_internal {
                self.collect(Resolved::Variable(id), flags);
            }
        }
    }

    fn collect(&mut self, meaning: Resolved, flags: u8) {
        match meaning {
            Resolved::Function(function) => {
                self.linked.functions[function].is_address_taken |= flags & ADDRESS_TAKEN != 0;
            }
            Resolved::Variable(variable) => {
                let variable = &mut self.linked.variables[variable];
                variable.is_written |= flags & WRITTEN != 0;
                variable.is_address_taken |= flags & ADDRESS_TAKEN != 0;
                variable.is_copied |= flags & COPIED != 0;
            }
            Resolved::External(_) => {}
        }
    }

    fn find_constants(&mut self) {
        let mut has_main = vec![false; self.modules.len()];
        for function in self.linked.functions.iter().filter(|function| function.is_entry) {
            has_main[function.module] = true;
        }
        for variable in self.linked.variables.iter_mut() {
            variable.is_closed = variable.is_internal || has_main[variable.site.0];
            let Some((module, global)) = variable.definition else { continue };
            let unit = &self.modules[module].unit;
            let ty = innermost(&unit.types, unit.globals[global].ty);
            // What was given a value and never another has that one, unless it is exported for others to set; but then
            // the default is what most leave it at. Without a value it waits for one, if others can see it.
            let is_given = matches!(unit.globals[global].definition, Definition::Data(_)) || variable.is_internal;
            let is_untouched = !variable.is_written && !variable.is_address_taken && is_given;
            variable.is_constant =
                !ty.is_volatile() && (ty.is_const() && !unit.globals[global].is_weak || is_untouched);
        }
    }
}

/// Qualifiers of an array stand on its element.
fn innermost(types: &TypeTable, mut ty: Ty) -> Ty {
    while let Some(element) = types.element(ty) {
        ty = element;
    }
    ty
}
