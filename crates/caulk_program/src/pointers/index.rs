//! Where pointers are stored and functions called: one pass over the program, so that the solver can ask backwards.
//!
//! - *seed*: a function or object whose address a static initialiser puts into a cell.
//!
//! ```c
//! static const struct ops file_ops = { .open = file_open };   // seed of field `open`: file_open
//! void set(struct ops *o, int (*f)(void)) { o->open = f; }    // store to field `open`: f
//! ```
//!
//! Invariant: every store of a pointer to a field or variable is listed with it, null and strings aside; frame objects
//! are listed when they are asked for.

use caulk_base::IdVec;
use caulk_base::id::Id;
use caulk_ir::ir::{Builtin, Function, GlobalId, InstKind, Module, Value};
use caulk_sema::unit::{Datum, Definition};
use rustc_hash::FxHashMap;

use super::places::{Cell, Cx, Place, initialised_field, is_function_pointer};
use super::records::{FieldKey, Records};
use crate::call_graph::direct_callee;
use crate::program::{FunctionId, Resolved, VariableId};

/// A value of a function.
pub(super) type Site = (FunctionId, Value);

/// An address in a static initialiser: module and global.
pub(super) type Seed = (usize, GlobalId);

#[derive(Default)]
pub(super) struct Index {
    /// By field: the values stored there. Grows with the keys.
    field_stores: Vec<Vec<Site>>,
    field_seeds: Vec<Vec<Seed>>,
    variable_stores: IdVec<VariableId, Vec<Site>>,
    /// By variable: what is stored in its own fields, field and offset first.
    inside_stores: IdVec<VariableId, Vec<(FieldKey, Option<u64>, Site)>>,
    /// By variable: field and offset of what its initialiser sets.
    variable_seeds: IdVec<VariableId, Vec<(Option<FieldKey>, u64, Seed)>>,
    /// Function pointers stored through other pointers: function, address, value.
    pub(super) stores_behind: Vec<(FunctionId, Value, Value)>,
    /// By function: its direct calls.
    callers: Vec<Vec<Site>>,
    /// Calls through pointers: the call and its callee.
    pub(super) indirect_calls: Vec<(Site, Value)>,
    /// By function asked for: the values stored in its frame objects.
    frames: FxHashMap<FunctionId, Vec<(Value, Value)>>,
    /// Cells that are function pointers by their type and that something is put into.
    pub(super) function_cells: Vec<Cell>,
}

impl Index {
    pub(super) fn new(cx: Cx<'_>, records: &mut Records) -> Index {
        let mut index = Index {
            variable_stores: IdVec::filled(Vec::new(), cx.linked.variables.len()),
            inside_stores: IdVec::filled(Vec::new(), cx.linked.variables.len()),
            variable_seeds: IdVec::filled(Vec::new(), cx.linked.variables.len()),
            callers: vec![Vec::new(); cx.linked.functions.len()],
            ..Index::default()
        };
        for variable in cx.linked.variables.ids() {
            index.add_seeds(cx, records, variable);
        }
        for id in cx.linked.functions.ids() {
            index.add_body(cx, records, id);
        }
        index
    }

    pub(super) fn field_stores(&self, key: FieldKey) -> &[Site] {
        self.field_stores.get(key.index()).map_or(&[], Vec::as_slice)
    }

    pub(super) fn field_seeds(&self, key: FieldKey) -> &[Seed] {
        self.field_seeds.get(key.index()).map_or(&[], Vec::as_slice)
    }

    pub(super) fn variable_stores(&self, variable: VariableId) -> &[Site] {
        &self.variable_stores[variable]
    }

    /// What the initialiser puts into a variable outside its fields.
    pub(super) fn variable_seeds(&self, variable: VariableId) -> impl Iterator<Item = Seed> {
        self.variable_seeds[variable].iter().filter(|(key, ..)| key.is_none()).map(|&(.., seed)| seed)
    }

    /// What the initialiser puts into a field of a variable, at this offset if there is one.
    pub(super) fn inside_seeds(&self, variable: VariableId, key: FieldKey, at: Option<u64>) -> Vec<Seed> {
        let seeds = self.variable_seeds[variable].iter();
        let is_meant = |is_key: Option<FieldKey>, offset: u64| is_key == Some(key) && at.is_none_or(|at| at == offset);
        seeds.filter(|&&(is_key, offset, _)| is_meant(is_key, offset)).map(|&(.., seed)| seed).collect()
    }

    /// What is stored in a field of a variable, at this offset if there is one.
    pub(super) fn inside_stores(&self, variable: VariableId, key: FieldKey, at: Option<u64>) -> Vec<Site> {
        let stores = self.inside_stores[variable].iter();
        let may_meet = |to: Option<u64>| at.is_none() || to.is_none() || at == to;
        stores.filter(|&&(is_key, to, _)| is_key == key && may_meet(to)).map(|&(.., site)| site).collect()
    }

    pub(super) fn callers(&self, function: FunctionId) -> &[Site] {
        &self.callers[function.index()]
    }

    /// The values stored in a frame object of a function.
    pub(super) fn frame_stores(
        &mut self,
        cx: Cx<'_>,
        records: &mut Records,
        id: FunctionId,
        object: Value,
    ) -> Vec<Value> {
        let stores = self.frames.entry(id).or_insert_with(|| {
            let (module, function) = cx.body(id);
            let stored = function.insts.iter().filter_map(|inst| stored_pointer(module, function, &inst.kind));
            let in_frame = stored.filter_map(|(address, value)| match cx.place(records, id, address, false) {
                Place::Cell(Cell::Frame(_, object)) => Some((object, value)),
                _ => None,
            });
            in_frame.collect()
        });
        stores.iter().filter(|&&(to, _)| to == object).map(|&(_, value)| value).collect()
    }

    fn add_seeds(&mut self, cx: Cx<'_>, records: &mut Records, variable: VariableId) {
        let Some((module, global)) = cx.linked.variables[variable].definition else { return };
        let unit = &cx.modules[module].unit;
        let ty = unit.globals[global].ty;
        let Definition::Data(data) = &unit.globals[global].definition else { return };
        for item in &data.items {
            let Datum::Global(target, _) = item.value else { continue };
            let Some(field) = initialised_field(&unit.types, ty, item) else { continue };
            let key = field.and_then(|(record, field)| records.key(cx.modules, cx.sources, module, record, field));
            self.variable_seeds[variable].push((key, item.offset, (module, target)));
            let is_isolated = cx.is_isolated(variable);
            if let Some(key) = key.filter(|_| !is_isolated) {
                grown(&mut self.field_seeds, key).push((module, target));
            }
            if unit.types.is_function(unit.globals[target].ty) {
                self.function_cells.push(match key {
                    Some(key) if is_isolated => Cell::Inside(variable, key, None),
                    Some(key) => Cell::Field(key),
                    None => Cell::Variable(variable),
                });
            }
        }
    }

    fn add_body(&mut self, cx: Cx<'_>, records: &mut Records, id: FunctionId) {
        let (module, function) = cx.body(id);
        let number = cx.linked.functions[id].module;
        for (value, inst) in function.insts.iter_enumerated() {
            if let InstKind::Call { callee, .. } = inst.kind {
                match direct_callee(function, callee).map(|global| cx.linked.resolved[number][global]) {
                    Some(Resolved::Function(target)) => self.callers[target.index()].push((id, value)),
                    Some(Resolved::External(_)) => {}
                    Some(Resolved::Variable(_)) | None => self.indirect_calls.push(((id, value), callee)),
                }
            } else if let Some((address, stored)) = stored_pointer(module, function, &inst.kind) {
                self.add_store(cx, records, id, address, stored);
            }
        }
    }

    fn add_store(&mut self, cx: Cx<'_>, records: &mut Records, id: FunctionId, address: Value, stored: Value) {
        let (module, function) = cx.body(id);
        let is_function = || is_function(module, function, stored);
        match cx.place(records, id, address, false) {
            Place::Cell(Cell::Field(key)) => {
                grown(&mut self.field_stores, key).push((id, stored));
                if is_function() {
                    self.function_cells.push(Cell::Field(key));
                }
            }
            Place::Cell(Cell::Inside(variable, key, at)) => {
                self.inside_stores[variable].push((key, at, (id, stored)));
                if is_function() {
                    self.function_cells.push(Cell::Inside(variable, key, None));
                }
            }
            Place::Cell(Cell::Variable(variable)) => {
                self.variable_stores[variable].push((id, stored));
                if is_function() {
                    self.function_cells.push(Cell::Variable(variable));
                }
            }
            Place::Behind(pointer) if is_function() => self.stores_behind.push((id, pointer, stored)),
            Place::Cell(Cell::Frame(..) | Cell::Returned(..)) | Place::Behind(_) | Place::Nowhere => {}
        }
    }
}

fn grown<T>(lists: &mut Vec<Vec<T>>, key: FieldKey) -> &mut Vec<T> {
    if lists.len() <= key.index() {
        lists.resize_with(key.index() + 1, Vec::new);
    }
    &mut lists[key.index()]
}

/// Address and value of a store of a pointer that is not plainly null or a string.
fn stored_pointer(module: &Module, function: &Function, kind: &InstKind) -> Option<(Value, Value)> {
    let (address, value) = match *kind {
        InstKind::Store { address, value, .. } => (address, value),
        InstKind::Builtin { op: Builtin::AtomicStore | Builtin::AtomicExchange, args } => {
            let args = function.operands(args);
            (*args.first()?, *args.get(1)?)
        }
        InstKind::Builtin {
            op: Builtin::AtomicCompareExchange | Builtin::SyncValCompareExchange | Builtin::SyncBoolCompareExchange,
            args,
        } => {
            let args = function.operands(args);
            (*args.first()?, *args.get(2)?)
        }
        _ => return None,
    };
    let inst = &function.insts[value];
    let is_dull = matches!(inst.kind, InstKind::Int(_) | InstKind::String(_) | InstKind::Undef);
    (!is_dull && module.unit.types.is_pointer(inst.ty)).then_some((address, value))
}

/// Whether a value is a function pointer by its type, or a function whatever its type.
fn is_function(module: &Module, function: &Function, value: Value) -> bool {
    let types = &module.unit.types;
    is_function_pointer(types, function.ty(value))
        || direct_callee(function, value).is_some_and(|global| types.is_function(module.unit.globals[global].ty))
}
