//! Where an address points, as far as its own function tells.
//!
//! - *cell*: memory that can hold a pointer: a field (of all objects of its record at once), a variable, a frame
//!   object, what a call to something external returned. The elements of an array are one cell with it.
//! - *place* of an address: a cell, or whatever another value points to.
//!
//! ```c
//! struct ops { int (*open)(void); } *o;   static struct ops own[3];   int (*table[4])(void), (**pp)(void);
//! o->open          // cell: field `open` of `struct ops`, whatever `o` is
//! own[1].open      // cell: that field of the variable `own` alone, if nobody else can have its address
//! table[i]         // cell: variable `table`
//! *pp              // what `pp` points to
//! ```
//!
//! Invariant: two addresses that may be equal have the same cell, or one has no cell and its value holds that cell
//! as an item. Casts between records that only look alike break this; there, targets are missed.

use caulk_ir::ir::{Function, InstKind, Module, RecordId, Ty, TypeTable, Value};
use caulk_sema::types::Type;
use caulk_sema::unit::DataItem;

use super::records::{FieldKey, Records};
use crate::link::Linked;
use crate::program::{FunctionId, Resolved, Source, VariableId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    Field(FieldKey),
    /// The field of this one variable; of the part at this offset, where it is known.
    Inside(VariableId, FieldKey, Option<u64>),
    Variable(VariableId),
    /// A slot or `alloca` of a function.
    Frame(FunctionId, Value),
    /// What this call of something external returned.
    Returned(FunctionId, Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Cell(Cell),
    /// What this value points to.
    Behind(Value),
    /// No memory of interest.
    Nowhere,
}

/// The program under analysis.
#[derive(Clone, Copy)]
pub(super) struct Cx<'a> {
    pub(super) modules: &'a [Module],
    pub(super) sources: &'a [Source],
    pub(super) linked: &'a Linked,
}

impl<'a> Cx<'a> {
    pub(super) fn body(&self, function: FunctionId) -> (&'a Module, &'a Function) {
        self.linked.body(self.modules, function)
    }

    pub(super) fn types(&self, function: FunctionId) -> &'a TypeTable {
        &self.modules[self.linked.functions[function].module].unit.types
    }

    /// Where an address points. For a load, `is_read` lets a constant variable answer for itself.
    pub(super) fn place(self, records: &mut Records, id: FunctionId, address: Value, is_read: bool) -> Place {
        let module = self.linked.functions[id].module;
        let (_, function) = self.body(id);
        let mut value = address;
        loop {
            match function.insts[value].kind {
                InstKind::Field { record, field, .. } => {
                    let Some(key) = records.key(self.modules, self.sources, module, record, field) else {
                        return Place::Nowhere;
                    };
                    let part = self.part(module, function, value).filter(|&(variable, _)| {
                        self.is_isolated(variable) || (is_read && self.linked.variables[variable].is_constant)
                    });
                    let field = Cell::Field(key);
                    return Place::Cell(part.map_or(field, |(variable, at)| Cell::Inside(variable, key, at)));
                }
                InstKind::Slot { .. } | InstKind::Alloca { .. } => return Place::Cell(Cell::Frame(id, value)),
                InstKind::Global(global) => {
                    return match self.linked.resolved[module][global] {
                        Resolved::Variable(variable) => Place::Cell(Cell::Variable(variable)),
                        Resolved::Function(_) | Resolved::External(_) => Place::Nowhere,
                    };
                }
                InstKind::Cast(inner) | InstKind::BitCast(inner) if self.is_pointer(id, function.ty(inner)) => {
                    value = inner;
                }
                InstKind::Element { base, .. } => value = base,
                InstKind::Int(_) | InstKind::Undef | InstKind::String(_) => return Place::Nowhere,
                _ => return Place::Behind(value),
            }
        }
    }

    /// Whether all loads and stores of a variable's fields name the variable: nobody else has its address, and no
    /// record is copied in or out.
    pub(super) fn is_isolated(self, variable: VariableId) -> bool {
        let data = &self.linked.variables[variable];
        data.definition.is_some() && data.is_closed && !data.is_address_taken && !data.is_copied
    }

    fn is_pointer(self, id: FunctionId, ty: Ty) -> bool {
        self.types(id).is_pointer(ty)
    }

    /// The variable that an address lies in, and how far from its start.
    fn part(self, module: usize, function: &Function, mut value: Value) -> Option<(VariableId, Option<u64>)> {
        let types = &self.modules[module].unit.types;
        let mut offset = Some(0u64);
        loop {
            match function.insts[value].kind {
                InstKind::Field { base, record, field } => {
                    let within = types.layout(record)?.fields.get(field as usize)?.offset;
                    offset = offset.and_then(|offset| offset.checked_add(within));
                    value = base;
                }
                InstKind::Element { base, index } => {
                    let size = types.pointee(function.ty(value)).and_then(|pointee| types.size_of(pointee));
                    let index = function.constant(index).and_then(|index| u64::try_from(index).ok());
                    let step = size.zip(index).and_then(|(size, index)| size.checked_mul(index));
                    offset = offset.zip(step).and_then(|(offset, step)| offset.checked_add(step));
                    value = base;
                }
                InstKind::Cast(base) | InstKind::BitCast(base) => value = base,
                InstKind::Global(global) => {
                    let Resolved::Variable(variable) = self.linked.resolved[module][global] else { return None };
                    return Some((variable, offset));
                }
                _ => return None,
            }
        }
    }
}

/// Whether a pointer of this type points to functions.
pub(super) fn is_function_pointer(types: &TypeTable, ty: Ty) -> bool {
    types.pointee(ty).is_some_and(|pointee| types.is_function(pointee))
}

/// The innermost field that an item of an initialiser sets; `Some(None)` if no record is on the way, `None` if no way
/// leads there.
pub(super) fn initialised_field(types: &TypeTable, ty: Ty, item: &DataItem) -> Option<Option<(RecordId, u32)>> {
    let exact = find_leaf(types, ty, item.offset, Some(item.ty), None);
    exact.or_else(|| find_leaf(types, ty, item.offset, None, None))
}

fn find_leaf(
    types: &TypeTable,
    ty: Ty,
    offset: u64,
    wanted: Option<Ty>,
    field: Option<(RecordId, u32)>,
) -> Option<Option<(RecordId, u32)>> {
    match types.get(ty) {
        Type::Array(element, _) => {
            let size = types.size_of(element).filter(|&size| size > 0)?;
            find_leaf(types, element, offset % size, wanted, field)
        }
        Type::Record(record) => {
            let fields = &types.layout(record)?.fields;
            let is_union = types.records[record].is_union;
            // Members of a struct lie in order, so that of two that start before the offset the later is meant.
            let last = fields.partition_point(|field| field.offset <= offset);
            let first = if is_union { 0 } else { last.saturating_sub(1) };
            (first..last).find_map(|number| {
                let data = &fields[number];
                find_leaf(types, data.ty, offset - data.offset, wanted, Some((record, number as u32)))
            })
        }
        _ if offset != 0 => None,
        _ => match wanted {
            Some(wanted) if wanted.unqualified() != ty.unqualified() => None,
            _ => Some(field),
        },
    }
}
