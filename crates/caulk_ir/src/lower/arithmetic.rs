//! Conversions, operators, and the assignments that compute.

use caulk_base::Loc;
use caulk_sema::hir::{Expr, ExprId, ExprKind};
use caulk_sema::types::{Ty, Type};

use super::Lowerer;
use super::places::Place;
use crate::ir::{BinaryOp, InstKind, Value};

impl Lowerer<'_> {
    /// The value converted as C does it; constants at once.
    pub(super) fn convert(&mut self, value: Value, to: Ty, loc: Loc) -> Value {
        let from = self.ty(value).unqualified();
        let to = to.unqualified();
        if from == to {
            return value;
        }
        if let Some(constant) = self.convert_constant(value, from, to) {
            return constant;
        }
        if self.reinterprets(from, to) {
            return self.emit(InstKind::BitCast(value), to, loc);
        }
        self.emit(InstKind::Cast(value), to, loc)
    }

    fn convert_constant(&mut self, value: Value, from: Ty, to: Ty) -> Option<Value> {
        let is_address = |ty| matches!(self.unit.types.get(ty), Type::Pointer(_) | Type::Nullptr);
        let kind = self.builder.kind(value);
        match kind {
            InstKind::Int(_) | InstKind::WideInt(_) if self.unit.types.is_integer(to) || is_address(to) => {
                self.int_value(value).map(|number| self.int(number, to))
            }
            InstKind::Global(global) if self.unit.types.is_pointer(to) => Some(self.builder.global(global, to)),
            InstKind::String(string) if self.unit.types.is_pointer(to) => Some(self.builder.string(string, to)),
            InstKind::Undef if is_address(from) && is_address(to) => Some(self.builder.undef(to)),
            _ => None,
        }
    }

    /// Whether a conversion keeps the bytes: between vectors of one size, and wherever a record or
    /// array stands on one side.
    fn reinterprets(&self, from: Ty, to: Ty) -> bool {
        let types = &self.unit.types;
        if types.is_aggregate(from) || types.is_aggregate(to) {
            return true;
        }
        (types.is_vector(from) || types.is_vector(to)) && types.size_of(from) == types.size_of(to)
    }

    pub(super) fn cast(&mut self, operand: ExprId, expr: Expr) -> Value {
        let types = &self.unit.types;
        if types.is_void(expr.ty) {
            self.discard(operand);
            return self.builder.undef(Ty::VOID);
        }
        if types.is_void(self.expr(operand).ty) {
            self.discard(operand);
            return self.builder.undef(expr.ty);
        }
        let value = self.value(operand);
        self.convert(value, expr.ty, expr.loc)
    }

    /// Binary operators nest to the left in long chains, so the chain is walked instead.
    pub(super) fn binary(&mut self, id: ExprId) -> Value {
        let base = self.tables.exprs.len();
        let mut leftmost = id;
        while let ExprKind::Binary(_, a, _) = self.expr(leftmost).kind {
            self.tables.exprs.push(leftmost);
            leftmost = a;
        }
        let mut value = self.value(leftmost);
        while self.tables.exprs.len() > base {
            let Some(link) = self.tables.exprs.pop() else { break };
            let Expr { kind, ty, loc } = self.expr(link);
            let ExprKind::Binary(op, _, b) = kind else { break };
            let b = self.value(b);
            value = self.emit(InstKind::Binary { op, a: value, b }, ty, loc);
        }
        value
    }

    pub(super) fn negate(&mut self, operand: ExprId, expr: Expr) -> Value {
        let value = self.value(operand);
        if self.unit.types.is_integer(expr.ty)
            && let Some(number) = self.int_value(value)
        {
            return self.int(number.wrapping_neg(), expr.ty);
        }
        self.emit(InstKind::Negate(value), expr.ty, expr.loc)
    }

    // ---- pointers --------------------------------------------------------------------------

    pub(super) fn pointer_add_expr(&mut self, pointer: ExprId, index: ExprId, is_sub: bool, expr: Expr) -> Value {
        // An array as a pointer to its first element: the array's own address does as a base.
        let base = match self.expr(pointer).kind {
            ExprKind::AddressOf(object) if self.unit.types.is_array(self.expr(object).ty) => self.address(object),
            _ => self.value(pointer),
        };
        let index = self.value(index);
        self.pointer_add(base, index, is_sub, expr.ty, expr.loc)
    }

    /// `base ± index`, in units of what `ty` points to.
    pub(super) fn pointer_add(&mut self, base: Value, index: Value, is_sub: bool, ty: Ty, loc: Loc) -> Value {
        let index = if is_sub { self.negated_index(index, loc) } else { index };
        let pointee = self.unit.types.pointee(ty).unwrap_or(Ty::CHAR);
        if self.unit.types.is_variably_sized(pointee) {
            let size = self.size_value(pointee, loc);
            let size_ty = self.ty(size);
            let index = self.convert(index, size_ty, loc);
            let offset = self.emit(InstKind::Binary { op: BinaryOp::Mul, a: index, b: size }, size_ty, loc);
            return self.byte_offset(base, offset, ty, loc);
        }
        if self.unit.types.size_of(pointee).is_none() {
            return self.unknown("arithmetic on a pointer to an incomplete type", &[base, index], ty, loc);
        }
        // `p[0]` is `*p`.
        if self.ty(base) == ty.unqualified() && self.int_value(index) == Some(0) {
            return base;
        }
        self.emit(InstKind::Element { base, index }, ty, loc)
    }

    /// `base + offset` bytes, as a pointer of type `ty`.
    pub(super) fn byte_offset(&mut self, base: Value, offset: Value, ty: Ty, loc: Loc) -> Value {
        let bytes = self.convert(base, Ty::CHAR_PTR, loc);
        let address = self.emit(InstKind::Element { base: bytes, index: offset }, Ty::CHAR_PTR, loc);
        self.convert(address, ty, loc)
    }

    fn negated_index(&mut self, index: Value, loc: Loc) -> Value {
        let ty = self.ptrdiff_type();
        let index = self.convert(index, ty, loc);
        match self.int_value(index) {
            Some(number) => self.int(-number, ty),
            None => self.emit(InstKind::Negate(index), ty, loc),
        }
    }

    pub(super) fn pointer_diff(&mut self, a: ExprId, b: ExprId, expr: Expr) -> Value {
        let pointee = self.unit.types.pointee(self.expr(a).ty).unwrap_or(Ty::CHAR);
        let mut a = self.value(a);
        let mut b = self.value(b);
        if !self.unit.types.is_variably_sized(pointee) {
            if self.unit.types.size_of(pointee).is_none() {
                return self.unknown("difference of pointers to an incomplete type", &[a, b], expr.ty, expr.loc);
            }
            return self.emit(InstKind::PointerDiff { a, b }, expr.ty, expr.loc);
        }
        a = self.convert(a, Ty::CHAR_PTR, expr.loc);
        b = self.convert(b, Ty::CHAR_PTR, expr.loc);
        let bytes = self.emit(InstKind::PointerDiff { a, b }, expr.ty, expr.loc);
        let size = self.size_value(pointee, expr.loc);
        let size = self.convert(size, expr.ty, expr.loc);
        self.emit(InstKind::Binary { op: BinaryOp::Div, a: bytes, b: size }, expr.ty, expr.loc)
    }

    // ---- assignments -----------------------------------------------------------------------

    /// Sets the target; returns its place and what was written.
    pub(super) fn assign(&mut self, target: ExprId, value: ExprId, loc: Loc) -> (Place, Value) {
        let ty = self.expr(target).ty;
        if self.unit.types.is_array(ty) {
            return self.assign_array(target, value, loc);
        }
        let value = self.value(value);
        let place = self.place(target);
        let value = self.convert(value, ty, loc);
        self.write_place(place, value, loc);
        (place, value)
    }

    fn assign_array(&mut self, target: ExprId, value: ExprId, loc: Loc) -> (Place, Value) {
        let ty = self.expr(target).ty;
        let address = self.address(target);
        match self.expr(value).kind {
            ExprKind::String(string) => self.copy_string(address, string, ty, loc),
            _ => {
                self.discard(value);
                self.unknown("assignment of an array", &[address], Ty::VOID, loc);
            }
        }
        (Place::Memory { address, ty }, address)
    }

    /// `target op= value`; returns the place and the new value.
    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        compute: Ty,
        loc: Loc,
    ) -> (Place, Value) {
        let value = self.value(value);
        let place = self.place(target);
        let ty = place.ty(self);
        let old = self.read_place(place, loc);
        let new = if self.unit.types.is_pointer(compute) {
            self.pointer_add(old, value, op == BinaryOp::Sub, compute, loc)
        } else {
            let old = self.convert(old, compute, loc);
            let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            let value = if is_shift { value } else { self.convert(value, compute, loc) };
            self.emit(InstKind::Binary { op, a: old, b: value }, compute, loc)
        };
        let new = self.convert(new, ty, loc);
        self.write_place(place, new, loc);
        (place, new)
    }

    /// `++` or `--`; returns the place, the old and the new value.
    pub(super) fn increment(&mut self, target: ExprId, is_decrement: bool, loc: Loc) -> (Place, Value, Value) {
        let place = self.place(target);
        let ty = place.ty(self).unqualified();
        let old = self.read_place(place, loc);
        let new = self.stepped(old, ty, is_decrement, loc);
        self.write_place(place, new, loc);
        (place, old, new)
    }

    fn stepped(&mut self, old: Value, ty: Ty, is_decrement: bool, loc: Loc) -> Value {
        let op = if is_decrement { BinaryOp::Sub } else { BinaryOp::Add };
        match self.unit.types.get(ty) {
            Type::Pointer(_) => {
                let index_ty = self.ptrdiff_type();
                let one = self.int(1, index_ty);
                self.pointer_add(old, one, is_decrement, ty, loc)
            }
            Type::Bool => {
                let number = self.convert(old, Ty::INT, loc);
                let one = self.int(1, Ty::INT);
                let sum = self.emit(InstKind::Binary { op, a: number, b: one }, Ty::INT, loc);
                self.convert(sum, Ty::BOOL, loc)
            }
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) | Type::Error => {
                let one = self.int(1, ty);
                self.emit(InstKind::Binary { op, a: old, b: one }, ty, loc)
            }
            Type::Float(_) => {
                let one = self.builder.float(1.0, ty);
                self.emit(InstKind::Binary { op, a: old, b: one }, ty, loc)
            }
            Type::Complex(element) => {
                let real = self.emit(InstKind::ComplexPart { value: old, is_imag: false }, element, loc);
                let imag = self.emit(InstKind::ComplexPart { value: old, is_imag: true }, element, loc);
                let real = self.stepped(real, element.unqualified(), is_decrement, loc);
                self.emit(InstKind::MakeComplex { real, imag }, ty, loc)
            }
            Type::Void
            | Type::Array(..)
            | Type::Vla(..)
            | Type::Vector(..)
            | Type::Function(_)
            | Type::Record(_)
            | Type::Nullptr => self.unknown("increment", &[old], ty, loc),
        }
    }
}
