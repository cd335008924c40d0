//! Which loads may read what which stores wrote, told from the instructions alone.
//!
//! A *place* is what an address names at first sight: a local object, a global, a member of some record behind a
//! pointer, or anything else behind a pointer.
//!
//! ```c
//! a.x = 1;  g.y = 2;  p->next = q;  *r = 3;     // a, g, list.next, elsewhere
//! ```
//!
//! Two members behind pointers are the same only if they are the same member; whatever else is behind a pointer may be
//! any member, any global, and any local object whose address goes somewhere. Unions and accesses of whole records are
//! elsewhere. Errs towards too many stores for a load.

use caulk_base::IdVec;
use caulk_ir::ir::{Function, GlobalId, InstKind, Module, RecordId, Value};
use caulk_sema::types::{Ty, TypeTable};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A slot or alloca.
    Local(Value),
    Global(GlobalId),
    Member(RecordId, u32),
    Elsewhere,
}

pub(crate) struct MemoryClasses {
    /// Local objects whose address goes somewhere else than into a load or store.
    is_exposed: IdVec<Value, bool>,
    writers: Vec<(Value, Place)>,
    reads: IdVec<Value, Option<Place>>,
}

impl MemoryClasses {
    pub(crate) fn of(module: &Module, body: &Function) -> MemoryClasses {
        let types = &module.unit.types;
        let mut classes = MemoryClasses {
            is_exposed: IdVec::filled(false, body.insts.len()),
            writers: Vec::new(),
            reads: IdVec::filled(None, body.insts.len()),
        };
        for &inst in body.blocks.iter().flat_map(|block| &block.insts) {
            let kind = &body.insts[inst].kind;
            let address = match *kind {
                InstKind::Store { address, value, .. } => {
                    classes.writers.push((inst, place(types, body, address, Some(body.ty(value)))));
                    Some(address)
                }
                InstKind::StoreBits { address, value, .. } => {
                    classes.writers.push((inst, place(types, body, address, Some(body.ty(value)))));
                    Some(address)
                }
                InstKind::Zero { address, .. } | InstKind::CopyString { address, .. } => {
                    classes.writers.push((inst, place(types, body, address, None)));
                    Some(address)
                }
                InstKind::Load { address, .. } | InstKind::LoadBits { address, .. } => {
                    classes.reads[inst] = Some(place(types, body, address, Some(body.insts[inst].ty)));
                    Some(address)
                }
                InstKind::VaArg { address } => {
                    classes.reads[inst] = Some(place(types, body, address, None));
                    Some(address)
                }
                InstKind::End { object } => Some(object),
                InstKind::Field { base, .. } | InstKind::Element { base, .. } => Some(base),
                InstKind::Cast(inner) | InstKind::BitCast(inner) => Some(inner),
                _ => None,
            };
            kind.for_each_operand(body, |operand| {
                if Some(operand) != address || matches!(*kind, InstKind::Store { value, .. } if value == operand) {
                    classes.expose(body, operand);
                }
            });
        }
        for block in &body.blocks {
            block.terminator.operand().into_iter().for_each(|value| classes.expose(body, value));
        }
        classes
    }

    fn expose(&mut self, body: &Function, value: Value) {
        if let Some(object) = local_root(body, value) {
            self.is_exposed[object] = true;
        }
    }

    /// What an instruction reads from memory.
    pub(crate) fn read_by(&self, body: &Function, inst: Value) -> Option<Place> {
        match body.insts[inst].kind {
            // What an object holds when its address is handed on is read there.
            InstKind::Slot { .. } | InstKind::Alloca { .. } if self.is_exposed[inst] => Some(Place::Local(inst)),
            _ => self.reads[inst],
        }
    }

    /// Instructions that may have written what is there.
    pub(crate) fn writers_of(&self, place: Place) -> Vec<Value> {
        self.writers.iter().filter(|writer| self.may_meet(writer.1, place)).map(|writer| writer.0).collect()
    }

    fn may_meet(&self, a: Place, b: Place) -> bool {
        match (a, b) {
            (Place::Local(a), Place::Local(b)) => a == b,
            (Place::Global(a), Place::Global(b)) => a == b,
            (Place::Local(_), Place::Global(_)) | (Place::Global(_), Place::Local(_)) => false,
            (Place::Local(local), _) | (_, Place::Local(local)) => self.is_exposed[local],
            (Place::Member(a, field), Place::Member(b, other)) => (a, field) == (b, other),
            (Place::Global(_) | Place::Member(..) | Place::Elsewhere, _) => true,
        }
    }
}

/// What an address names; `ty` is the type of what is accessed there, if it is one scalar.
fn place(types: &TypeTable, body: &Function, mut address: Value, ty: Option<Ty>) -> Place {
    let is_scalar = ty.is_some_and(|ty| !types.is_aggregate(ty));
    let mut member = None;
    loop {
        match body.insts[address].kind {
            InstKind::Slot { .. } | InstKind::Alloca { .. } => return Place::Local(address),
            InstKind::Global(global) => return Place::Global(global),
            InstKind::Field { base, record, field } => {
                let is_union = types.records[record].is_union;
                if member.is_none() && !is_union {
                    member = Some(Place::Member(record, field));
                } else if is_union {
                    member = Some(Place::Elsewhere);
                }
                address = base;
            }
            InstKind::Element { base, .. } => address = base,
            InstKind::Cast(inner) | InstKind::BitCast(inner) => {
                // The member may be of a type that is not there.
                if member.is_none() {
                    member = Some(Place::Elsewhere);
                }
                address = inner;
            }
            _ => return member.filter(|_| is_scalar).unwrap_or(Place::Elsewhere),
        }
    }
}

/// The local object that an address leads into, at first sight.
fn local_root(body: &Function, mut address: Value) -> Option<Value> {
    loop {
        match body.insts[address].kind {
            InstKind::Slot { .. } | InstKind::Alloca { .. } => return Some(address),
            InstKind::Field { base, .. } | InstKind::Element { base, .. } => address = base,
            InstKind::Cast(inner) | InstKind::BitCast(inner) => address = inner,
            _ => return None,
        }
    }
}
