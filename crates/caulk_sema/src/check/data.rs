//! Static initialisers: which bytes and addresses an object starts with.

use super::Cx;
use crate::hir::{BinaryOp, ExprId, ExprKind, Init};
use crate::types::Ty;
use crate::unit::{DataItem, Datum, Definition, GlobalId, Initializer};

impl Cx<'_> {
    /// Makes a global defined with the values of a flat initialiser.
    pub(super) fn define_data(&mut self, global: GlobalId, init: &Init) {
        let mut items: Vec<DataItem> = Vec::with_capacity(init.items.len());
        // What is not listed is zero, so a zero is only kept where it may override something, and in
        // a flexible array, where the items tell how long it is.
        let mut free_from = 0;
        let end = self.unit.types.size_of(self.unit.globals[global].ty).unwrap_or(0);
        for item in &init.items {
            let is_zero = self.int_value(item.value) == Some(0);
            if is_zero && item.offset >= free_from && item.offset < end && item.bits.is_none() {
                continue;
            }
            self.data_items(item.offset, item.bits, item.ty, item.value, &mut items);
            let size = self.unit.types.size_of(item.ty).unwrap_or(1);
            free_from = free_from.max(item.offset.saturating_add(size));
        }
        items.sort_by_key(|item| item.offset);
        self.unit.globals[global].definition = Definition::Data(Initializer { items });
    }

    fn data_items(
        &mut self,
        offset: u64,
        bits: Option<crate::types::Bits>,
        ty: Ty,
        value: ExprId,
        into: &mut Vec<DataItem>,
    ) {
        if let ExprKind::String(string) = self.kind_of(value)
            && self.unit.types.is_array(ty)
        {
            into.push(DataItem { offset, bits: None, ty, value: Datum::Bytes(string) });
            return;
        }
        // A whole record or array from a compound literal: what that one holds.
        if self.unit.types.is_aggregate(ty) || self.unit.types.is_vector(ty) {
            let source = match self.kind_of(value) {
                ExprKind::Load(place) => match self.kind_of(place) {
                    ExprKind::Global(global) => Some(global),
                    _ => None,
                },
                _ => None,
            };
            match source.map(|global| &self.unit.globals[global].definition) {
                Some(Definition::Data(data)) => {
                    into.extend(
                        data.items.iter().map(|item| DataItem { offset: offset + item.offset, ..item.clone() }),
                    );
                }
                Some(Definition::Zero) => {}
                _ => into.push(DataItem { offset, bits, ty, value: Datum::Unknown }),
            }
            return;
        }
        let value = self.datum(value);
        into.push(DataItem { offset, bits, ty, value });
    }

    /// The constant a checked expression stands for.
    fn datum(&mut self, value: ExprId) -> Datum {
        if self.unit.types.is_complex(self.ty_of(value)) {
            return self.complex_constant(value).map_or(Datum::Unknown, |(real, imag)| Datum::Complex(real, imag));
        }
        match self.kind_of(value) {
            ExprKind::Int(value) => Datum::Int(value),
            ExprKind::Float(value) => Datum::Float(value),
            ExprKind::AddressOf(place) => self.address_datum(place),
            ExprKind::LabelAddress(label) => Datum::Label(label.0),
            ExprKind::Cast(inner) => {
                let (from, to) = (self.ty_of(inner), self.ty_of(value));
                let is_address = |ty| self.unit.types.is_pointer(ty) || self.unit.types.is_integer(ty);
                if !is_address(from) || !is_address(to) {
                    return Datum::Unknown;
                }
                match self.datum(inner) {
                    Datum::Int(number) => Datum::Int(self.unit.types.wrap(number, to)),
                    // An address cut to fewer bytes is nothing we can name.
                    address if self.unit.types.size_of(to) >= self.unit.types.size_of(from) => address,
                    _ => Datum::Unknown,
                }
            }
            ExprKind::PointerAdd { pointer, index, is_sub } => {
                let size = self.unit.types.pointee(self.ty_of(value)).and_then(|ty| self.unit.types.size_of(ty));
                match (self.datum(pointer), self.datum(index), size) {
                    (base, Datum::Int(index), Some(size)) => {
                        let bytes = index.wrapping_mul(size.into());
                        moved(base, if is_sub { bytes.wrapping_neg() } else { bytes })
                    }
                    _ => Datum::Unknown,
                }
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => match (op, self.datum(a), self.datum(b)) {
                (BinaryOp::Add, base, Datum::Int(bytes)) | (BinaryOp::Add, Datum::Int(bytes), base) => {
                    moved(base, bytes)
                }
                (BinaryOp::Sub, base, Datum::Int(bytes)) => moved(base, bytes.wrapping_neg()),
                _ => Datum::Unknown,
            },
            ExprKind::Load(_) => self.constant_object(value).map_or(Datum::Unknown, Datum::Int),
            _ => Datum::Unknown,
        }
    }

    /// The parts of a complex constant.
    fn complex_constant(&self, value: ExprId) -> Option<(f64, f64)> {
        match self.kind_of(value) {
            ExprKind::Int(number) => Some((number as f64, 0.0)),
            ExprKind::Float(number) => Some((number, 0.0)),
            ExprKind::MakeComplex(real, imag) => Some((self.complex_constant(real)?.0, self.complex_constant(imag)?.0)),
            ExprKind::Cast(inner) => self.complex_constant(inner),
            ExprKind::Negate(inner) => self.complex_constant(inner).map(|(real, imag)| (-real, -imag)),
            ExprKind::BitNot(inner) => self.complex_constant(inner).map(|(real, imag)| (real, -imag)),
            ExprKind::Binary(op, a, b) => {
                let ((a, b), (c, d)) = (self.complex_constant(a)?, self.complex_constant(b)?);
                match op {
                    BinaryOp::Add => Some((a + c, b + d)),
                    BinaryOp::Sub => Some((a - c, b - d)),
                    BinaryOp::Mul => Some((a * c - b * d, a * d + b * c)),
                    BinaryOp::Div => {
                        let size = c * c + d * d;
                        Some(((a * c + b * d) / size, (b * c - a * d) / size))
                    }
                    BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                        None
                    }
                }
            }
            _ => None,
        }
    }

    fn address_datum(&mut self, place: ExprId) -> Datum {
        match self.kind_of(place) {
            ExprKind::Global(global) => Datum::Global(global, 0),
            ExprKind::String(string) => Datum::String(string, 0),
            ExprKind::Deref(pointer) => self.datum(pointer),
            ExprKind::Member { base, field } => {
                let offset = self
                    .unit
                    .types
                    .record_of(self.ty_of(base))
                    .and_then(|record| self.unit.types.layout(record))
                    .and_then(|layout| layout.fields.get(field as usize))
                    .map_or(0, |field| field.offset);
                let base = self.address_datum(base);
                moved(base, offset.into())
            }
            _ => Datum::Unknown,
        }
    }

    /// The value of a load from a constant object whose initialiser is known (`static const int n = 3;`).
    pub(super) fn constant_object(&self, value: ExprId) -> Option<i128> {
        let ExprKind::Load(place) = self.kind_of(value) else { return None };
        let ExprKind::Global(global) = self.kind_of(place) else { return None };
        let global = &self.unit.globals[global];
        if !global.ty.is_const() || global.ty.is_volatile() || !self.unit.types.is_integer(global.ty) {
            return None;
        }
        match &global.definition {
            Definition::Data(data) => match data.items.as_slice() {
                [] => Some(0),
                [DataItem { value: Datum::Int(value), .. }] => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }
}

fn moved(base: Datum, bytes: i128) -> Datum {
    let add = |offset: i64| i64::try_from(i128::from(offset) + bytes).unwrap_or(offset);
    match base {
        Datum::Int(value) => Datum::Int(value.wrapping_add(bytes)),
        Datum::Global(global, offset) => Datum::Global(global, add(offset)),
        Datum::String(string, offset) => Datum::String(string, add(offset)),
        Datum::Float(_) | Datum::Complex(..) | Datum::Bytes(_) | Datum::Label(_) | Datum::Unknown => Datum::Unknown,
    }
}
