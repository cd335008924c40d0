//! Initialisers: flat lists of (offset, value) to stores through fields and elements.
//!
//! ```c
//! struct { int n; char *name[2]; } s = { 1, { 0, "x" } };   // items at 0, 8 and 16
//! ```
//! The item at 16 is `field s.name`, `element 1`: the way down is found from the types. A part that no
//! such way leads to is reached by its byte offset.

use caulk_base::Loc;
use caulk_sema::hir::{ExprKind, InitId, InitItem, LocalId};
use caulk_sema::types::{Bits, Field, RecordId, Ty, Type, quals};

use super::Lowerer;
use super::places::Place;
use crate::build::Variable;
use crate::ir::{InstKind, StringId, Value};

/// One step from an object to the part that is set.
enum Step {
    Field { record: RecordId, field: u32 },
    Element(u64),
}

impl Lowerer<'_> {
    pub(super) fn initialise(&mut self, local: LocalId, init: InitId, loc: Loc) {
        let ty = self.body.locals[local].ty;
        match self.local_place(local, ty) {
            Place::Variable(variable) => self.initialise_variable(variable, init, loc),
            Place::Memory { address, .. } => self.initialise_memory(address, ty, init, loc),
            // Locals are never parts of something.
            Place::Bits { .. } | Place::Element { .. } | Place::Part { .. } => {}
        }
    }

    fn initialise_variable(&mut self, variable: Variable, init: InitId, loc: Loc) {
        let ty = self.builder.variable_ty(variable);
        let value = match self.body.inits[init].items.as_slice() {
            [item] if item.offset == 0 && item.bits.is_none() && item.ty.unqualified() == ty => {
                let value = self.value(item.value);
                self.convert(value, ty, loc)
            }
            [] if self.unit.types.is_scalar(ty) => self.zero(ty, loc),
            // A vector or complex number, part by part.
            _ => {
                let slot = self.temporary(ty, loc);
                self.initialise_memory(slot, ty, init, loc);
                self.load(slot, ty, loc)
            }
        };
        self.set_variable(variable, value, loc);
    }

    fn initialise_memory(&mut self, address: Value, ty: Ty, init: InitId, loc: Loc) {
        let init = &self.body.inits[init];
        if init.zero_first {
            match self.unit.types.size_of(ty) {
                Some(size) => {
                    self.emit(InstKind::Zero { address, size }, Ty::VOID, loc);
                }
                None => {
                    self.unknown("initialiser of an object of unknown size", &[address], Ty::VOID, loc);
                }
            }
        }
        for item in &init.items {
            self.initialise_item(address, ty, item, loc);
        }
    }

    fn initialise_item(&mut self, object: Value, object_ty: Ty, item: &InitItem, loc: Loc) {
        let value = self.expr(item.value);
        if let ExprKind::String(string) = value.kind
            && self.unit.types.is_array(item.ty)
        {
            let address = self.part(object, object_ty, item, loc);
            return self.copy_string(address, string, item.ty, value.loc);
        }
        let result = self.value(item.value);
        let result = self.convert(result, item.ty, value.loc);
        let address = self.part(object, object_ty, item, loc);
        let ty = item.ty.with(object_ty.qualifiers() & quals::VOLATILE);
        let place = match item.bits {
            Some(bits) => Place::Bits { address, ty, bits },
            None => Place::Memory { address, ty },
        };
        self.write_place(place, result, value.loc);
    }

    pub(super) fn copy_string(&mut self, address: Value, string: StringId, ty: Ty, loc: Loc) {
        let size = match self.unit.types.size_of(ty) {
            Some(size) => size,
            // A flexible array: as much as the literal has.
            None => self.unit.strings.get(string).map_or(0, |data| data.bytes.len() as u64),
        };
        self.emit(InstKind::CopyString { address, string, size }, Ty::VOID, loc);
    }

    /// The address of the part of an object that an item sets.
    fn part(&mut self, object: Value, object_ty: Ty, item: &InitItem, loc: Loc) -> Value {
        let mut address = object;
        let mut ty = object_ty;
        let mut offset = item.offset;
        while !(offset == 0 && item.bits.is_none() && self.is_same_part(ty, item.ty)) {
            let Some(step) = self.step(ty, offset, item.ty, item.bits) else {
                return self.part_by_offset(address, offset, item.ty, loc);
            };
            match step {
                Step::Field { record, field } => {
                    let Some(data) = self.unit.types.layout(record).and_then(|it| it.fields.get(field as usize)) else {
                        break;
                    };
                    let is_found = data.bits.is_some();
                    offset -= data.offset;
                    ty = data.ty;
                    let pointer = self.pointer_to(ty);
                    address = self.emit(InstKind::Field { base: address, record, field }, pointer, loc);
                    if is_found {
                        break;
                    }
                }
                Step::Element(index) => {
                    let Some(element) = self.element_of(ty) else { break };
                    offset -= index * self.unit.types.size_of(element).unwrap_or(0);
                    ty = element;
                    let pointer = self.pointer_to(element);
                    let index_ty = self.ptrdiff_type();
                    let index = self.int(i128::from(index), index_ty);
                    address = self.emit(InstKind::Element { base: address, index }, pointer, loc);
                }
            }
        }
        address
    }

    fn part_by_offset(&mut self, base: Value, offset: u64, ty: Ty, loc: Loc) -> Value {
        let pointer = self.pointer_to(ty);
        if offset == 0 {
            return self.convert(base, pointer, loc);
        }
        let index_ty = self.ptrdiff_type();
        let offset = self.int(i128::from(offset), index_ty);
        self.byte_offset(base, offset, pointer, loc)
    }

    /// Whether an object of this type is what is to be set.
    fn is_same_part(&self, object: Ty, part: Ty) -> bool {
        if object.unqualified() == part.unqualified() {
            return true;
        }
        let types = &self.unit.types;
        // An array's qualifiers stand on its element, and its length may have been left open.
        match (types.get(object), types.get(part)) {
            (Type::Array(a, _), Type::Array(b, _)) => self.is_same_part(a, b),
            _ => false,
        }
    }

    /// The member or element that holds the part of type `part` at this offset.
    fn step(&self, ty: Ty, offset: u64, part: Ty, bits: Option<Bits>) -> Option<Step> {
        let types = &self.unit.types;
        match types.get(ty) {
            Type::Array(element, _) | Type::Vector(element, _) | Type::Complex(element) => {
                let size = types.size_of(element).filter(|&size| size > 0)?;
                Some(Step::Element(offset / size))
            }
            Type::Record(record) => {
                let fields = &types.layout(record)?.fields;
                // Members of a struct lie in order; those of a union all at the start.
                let first = match types.records[record].is_union {
                    true => 0,
                    false => fields.partition_point(|field| self.end_of_field(field) <= offset),
                };
                let near = fields[first..].iter().take_while(|field| field.offset <= offset);
                let found = near.zip(first as u32..).find(|(field, _)| match (bits, field.bits) {
                    (Some(wanted), Some(has)) => field.offset == offset && wanted == has,
                    (None, Some(_)) => false,
                    (_, None) => self.holds(field.ty, offset - field.offset, part, bits),
                });
                found.map(|(_, field)| Step::Field { record, field })
            }
            _ => None,
        }
    }

    fn element_of(&self, ty: Ty) -> Option<Ty> {
        match self.unit.types.get(ty) {
            Type::Array(element, _) | Type::Vector(element, _) | Type::Complex(element) => Some(element),
            _ => None,
        }
    }

    fn end_of_field(&self, field: &Field) -> u64 {
        let size = match field.bits {
            Some(bits) => Some((u64::from(bits.shift) + u64::from(bits.width)).div_ceil(8)),
            None => self.unit.types.size_of(field.ty),
        };
        // A flexible array has no end.
        size.map_or(u64::MAX, |size| field.offset.saturating_add(size))
    }

    fn holds(&self, ty: Ty, offset: u64, part: Ty, bits: Option<Bits>) -> bool {
        if offset == 0 && bits.is_none() && self.is_same_part(ty, part) {
            return true;
        }
        match self.step(ty, offset, part, bits) {
            // A member is stepped to only if the part is in it.
            Some(Step::Field { .. }) => true,
            Some(Step::Element(index)) => {
                let Some(element) = self.element_of(ty) else { return false };
                let start = index * self.unit.types.size_of(element).unwrap_or(0);
                self.holds(element, offset - start, part, bits)
            }
            None => false,
        }
    }
}
