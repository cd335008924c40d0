//! Operators: conversions of their operands, pointers, vectors, assignment.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast::{self, UnaryOp};

use super::Cx;
use crate::hir::{BinaryOp, CompareOp, ExprId, ExprKind};
use crate::types::{Ty, Type, quals};

/// What a binary operator of the tree is here.
enum Operator {
    Arithmetic(BinaryOp),
    Comparison(CompareOp),
    And,
    Or,
}

fn operator(op: ast::BinaryOp) -> Operator {
    match op {
        ast::BinaryOp::Mul => Operator::Arithmetic(BinaryOp::Mul),
        ast::BinaryOp::Div => Operator::Arithmetic(BinaryOp::Div),
        ast::BinaryOp::Rem => Operator::Arithmetic(BinaryOp::Rem),
        ast::BinaryOp::Add => Operator::Arithmetic(BinaryOp::Add),
        ast::BinaryOp::Sub => Operator::Arithmetic(BinaryOp::Sub),
        ast::BinaryOp::Shl => Operator::Arithmetic(BinaryOp::Shl),
        ast::BinaryOp::Shr => Operator::Arithmetic(BinaryOp::Shr),
        ast::BinaryOp::BitAnd => Operator::Arithmetic(BinaryOp::And),
        ast::BinaryOp::BitXor => Operator::Arithmetic(BinaryOp::Xor),
        ast::BinaryOp::BitOr => Operator::Arithmetic(BinaryOp::Or),
        ast::BinaryOp::Less => Operator::Comparison(CompareOp::Lt),
        ast::BinaryOp::Greater => Operator::Comparison(CompareOp::Gt),
        ast::BinaryOp::LessEqual => Operator::Comparison(CompareOp::Le),
        ast::BinaryOp::GreaterEqual => Operator::Comparison(CompareOp::Ge),
        ast::BinaryOp::Equal => Operator::Comparison(CompareOp::Eq),
        ast::BinaryOp::NotEqual => Operator::Comparison(CompareOp::Ne),
        ast::BinaryOp::LogicalAnd => Operator::And,
        ast::BinaryOp::LogicalOr => Operator::Or,
    }
}

/// Whether C has the operator for integers alone.
fn takes_integers(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Xor | BinaryOp::Or => true,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub => false,
    }
}

impl Cx<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: ast::ExprId, loc: Loc) -> ExprId {
        let operand = self.expr(operand);
        match op {
            UnaryOp::Extension => operand,
            UnaryOp::Plus => self.promote(operand),
            UnaryOp::Minus => {
                let value = self.promote(operand);
                self.negate(value, loc)
            }
            UnaryOp::BitNot => {
                let value = self.promote(operand);
                let ty = self.ty_of(value);
                if let Some(number) = self.int_value(value) {
                    return self.int(!number, ty, loc);
                }
                let is_valid =
                    self.unit.types.is_integer(ty) || self.unit.types.is_vector(ty) || self.unit.types.is_complex(ty);
                if !is_valid {
                    return self.unknown(&[value], ty, loc);
                }
                self.push_expr(ExprKind::BitNot(value), ty, loc)
            }
            UnaryOp::Not => {
                if self.unit.types.is_vector(self.ty_of(operand)) {
                    let value = self.rvalue(operand);
                    let zero = self.int(0, Ty::INT, loc);
                    let zero = self.splat(zero, self.ty_of(value), loc);
                    return self.compare(CompareOp::Eq, value, zero, loc);
                }
                let value = self.condition(operand);
                match self.constant_truth(value) {
                    Some(truth) => self.int((!truth).into(), Ty::INT, loc),
                    None => self.push_expr(ExprKind::LogicalNot(value), Ty::INT, loc),
                }
            }
            UnaryOp::Deref => {
                let pointer = self.rvalue(operand);
                self.deref(pointer, loc)
            }
            UnaryOp::AddressOf => self.take_address(operand, loc),
            UnaryOp::PreIncrement => self.increment(operand, false, false, loc),
            UnaryOp::PreDecrement => self.increment(operand, true, false, loc),
            UnaryOp::PostIncrement => self.increment(operand, false, true, loc),
            UnaryOp::PostDecrement => self.increment(operand, true, true, loc),
            UnaryOp::Real => self.complex_part(operand, false, loc),
            UnaryOp::Imag => self.complex_part(operand, true, loc),
        }
    }

    fn take_address(&mut self, operand: ExprId, loc: Loc) -> ExprId {
        if self.kind_of(operand).is_lvalue() {
            return self.address_of(operand, loc);
        }
        if self.is_error(operand) || self.unit.types.is_void(self.ty_of(operand)) {
            return self.unknown(&[operand], Ty::ERROR, loc);
        }
        if let ExprKind::ComplexPart { value, is_imag } = self.kind_of(operand)
            && self.kind_of(value).is_lvalue()
        {
            let whole = self.address_of(value, loc);
            let element = self.ty_of(operand);
            let pointer = self.unit.types.pointer_to(element);
            let part = self.cast(whole, pointer);
            let index = self.int(is_imag.into(), Ty::INT, loc);
            return self.pointer_add(part, index, false, loc);
        }
        // GNU allows the address of rvalues in some places; a temporary holds it.
        let object = self.temporary(operand, loc);
        self.address_of(object, loc)
    }

    pub(super) fn negate(&mut self, value: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(value);
        match self.kind_of(value) {
            ExprKind::Int(number) => self.int(number.wrapping_neg(), ty, loc),
            ExprKind::Float(number) => self.push_expr(ExprKind::Float(-number), ty, loc),
            _ if self.unit.types.is_arithmetic(ty) || self.unit.types.is_vector(ty) => {
                self.push_expr(ExprKind::Negate(value), ty, loc)
            }
            _ => self.unknown(&[value], ty, loc),
        }
    }

    fn increment(&mut self, target: ExprId, is_decrement: bool, is_postfix: bool, loc: Loc) -> ExprId {
        let ty = self.ty_of(target).unqualified();
        let is_valid = self.is_assignable(target) && (self.unit.types.is_scalar(ty) || self.unit.types.is_vector(ty));
        if !is_valid {
            return self.unknown(&[target], Ty::ERROR, loc);
        }
        if self.unit.types.is_vector(ty) {
            return self.vector_increment(target, is_decrement, is_postfix, loc);
        }
        self.push_expr(ExprKind::Increment { target, is_decrement, is_postfix }, ty, loc)
    }

    /// `v++` as `(old = v, v += 1, old)`.
    fn vector_increment(&mut self, target: ExprId, is_decrement: bool, is_postfix: bool, loc: Loc) -> ExprId {
        let ty = self.ty_of(target).unqualified();
        let old = self.rvalue(target);
        let saved = self.temporary(old, loc);
        let one = self.int(1, Ty::INT, loc);
        let value = self.splat(one, ty, loc);
        let op = if is_decrement { BinaryOp::Sub } else { BinaryOp::Add };
        let added = self.push_expr(ExprKind::CompoundAssign { op, target, value, compute: ty }, ty, loc);
        let ExprKind::CompoundLiteral { local, .. } = self.kind_of(saved) else { return added };
        if !is_postfix {
            return added;
        }
        let saved = self.address_of(saved, loc);
        let again = self.push_expr(ExprKind::Local(local), ty, loc);
        let again = self.rvalue(again);
        let rest = self.push_expr(ExprKind::Comma(added, again), ty, loc);
        self.push_expr(ExprKind::Comma(saved, rest), ty, loc)
    }

    fn is_assignable(&self, target: ExprId) -> bool {
        let kind = self.kind_of(target);
        kind.is_lvalue() || matches!(kind, ExprKind::ComplexPart { value, .. } if self.kind_of(value).is_lvalue())
    }

    fn complex_part(&mut self, operand: ExprId, is_imag: bool, loc: Loc) -> ExprId {
        let ty = self.ty_of(operand);
        match self.unit.types.get(ty) {
            Type::Complex(element) => self.push_expr(ExprKind::ComplexPart { value: operand, is_imag }, element, loc),
            _ if is_imag => {
                let zero = self.int(0, Ty::INT, loc);
                self.cast(zero, ty)
            }
            _ => operand,
        }
    }

    // ---- binary ----------------------------------------------------------------------------

    pub(super) fn binary_expr(&mut self, op: ast::BinaryOp, a: ast::ExprId, b: ast::ExprId, loc: Loc) -> ExprId {
        match operator(op) {
            Operator::And => self.logical(a, b, true, loc),
            Operator::Or => self.logical(a, b, false, loc),
            Operator::Arithmetic(op) => {
                let (a, b) = (self.value(a), self.value(b));
                self.arithmetic(op, a, b, loc)
            }
            Operator::Comparison(op) => {
                let (a, b) = (self.value(a), self.value(b));
                self.comparison(op, a, b, loc)
            }
        }
    }

    fn logical(&mut self, a: ast::ExprId, b: ast::ExprId, is_and: bool, loc: Loc) -> ExprId {
        let a = self.expr(a);
        let a = self.condition(a);
        let b = self.expr(b);
        let b = self.condition(b);
        match self.constant_truth(a) {
            // The right side is never evaluated.
            Some(truth) if truth != is_and => return self.int(truth.into(), Ty::INT, loc),
            Some(_) => {
                if let Some(truth) = self.constant_truth(b) {
                    return self.int(truth.into(), Ty::INT, loc);
                }
            }
            None => {}
        }
        let kind = if is_and { ExprKind::LogicalAnd(a, b) } else { ExprKind::LogicalOr(a, b) };
        self.push_expr(kind, Ty::INT, loc)
    }

    /// An arithmetic or bit operation on rvalues, pointers included.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let (a, b) = self.settle(a, b);
        let types = &self.unit.types;
        let (a_ty, b_ty) = (self.ty_of(a), self.ty_of(b));
        match (types.is_pointer(a_ty), types.is_pointer(b_ty), op) {
            (true, true, BinaryOp::Sub) => return self.pointer_difference(a, b, loc),
            (true, false, BinaryOp::Add | BinaryOp::Sub) if types.is_integer(b_ty) => {
                return self.pointer_add(a, b, op == BinaryOp::Sub, loc);
            }
            (false, true, BinaryOp::Add) if types.is_integer(a_ty) => return self.pointer_add(b, a, false, loc),
            _ => {}
        }
        if types.is_vector(a_ty) || types.is_vector(b_ty) {
            return self.vector_arithmetic(op, a, b, loc);
        }
        if !types.is_arithmetic(a_ty) || !types.is_arithmetic(b_ty) {
            return self.unknown(&[a, b], Ty::ERROR, loc);
        }
        if takes_integers(op) && !(types.is_integer(a_ty) && types.is_integer(b_ty)) {
            return self.unknown(&[a, b], Ty::ERROR, loc);
        }
        let (a, b) = (self.promote(a), self.promote(b));
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            return self.binary(op, a, b, loc);
        }
        let common = self.common_type(self.ty_of(a), self.ty_of(b));
        let (a, b) = (self.cast_expr(a, common, loc), self.cast_expr(b, common, loc));
        self.binary(op, a, b, loc)
    }

    /// An operand without a known type takes the other's, or int.
    fn settle(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        match (self.is_error(a), self.is_error(b)) {
            (false, false) => (a, b),
            (true, false) => (self.cast(a, self.ty_of(b)), b),
            (false, true) => (a, self.cast(b, self.ty_of(a))),
            (true, true) => (self.cast(a, Ty::INT), self.cast(b, Ty::INT)),
        }
    }

    fn pointer_difference(&mut self, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let ty = self.ptrdiff_type();
        if let (Some(x), Some(y)) = (self.int_value(a), self.int_value(b))
            && let Some(size) = self.unit.types.pointee(self.ty_of(a)).and_then(|p| self.unit.types.size_of(p))
            && size > 0
        {
            return self.int((x - y) / i128::from(size), ty, loc);
        }
        let b = self.cast(b, self.ty_of(a));
        self.push_expr(ExprKind::PointerDiff(a, b), ty, loc)
    }

    fn vector_arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let a_is_vector = self.unit.types.is_vector(self.ty_of(a));
        let ty = if a_is_vector { self.ty_of(a) } else { self.ty_of(b) };
        let lane = if let Type::Vector(lane, _) = self.unit.types.get(ty) { lane } else { ty };
        if takes_integers(op) && !self.unit.types.is_integer(lane) {
            return self.unknown(&[a, b], ty, loc);
        }
        let (a, b) = (self.splat(a, ty, loc), self.splat(b, ty, loc));
        self.push_expr(ExprKind::Binary(op, a, b), ty, loc)
    }

    /// A vector operand as it is (same size, other element types reinterpreted), a scalar in every lane.
    pub(super) fn splat(&mut self, value: ExprId, vector: Ty, loc: Loc) -> ExprId {
        let ty = self.ty_of(value);
        if self.unit.types.is_vector(ty) {
            return self.cast(value, vector);
        }
        let Type::Vector(element, len) = self.unit.types.get(vector) else { return value };
        let size = self.unit.types.size_of(element).unwrap_or(1);
        let lane = self.cast(value, element);
        let items = (0..u64::from(len))
            .map(|number| crate::hir::InitItem { offset: number * size, bits: None, ty: element, value: lane })
            .collect();
        let literal = self.literal_local(vector.unqualified(), crate::hir::Init { zero_first: true, items }, loc);
        self.rvalue(literal)
    }

    pub(super) fn comparison(&mut self, op: CompareOp, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let (a, b) = self.settle(a, b);
        let (a_ty, b_ty) = (self.ty_of(a), self.ty_of(b));
        let types = &self.unit.types;
        if types.is_vector(a_ty) || types.is_vector(b_ty) {
            let ty = if types.is_vector(a_ty) { a_ty } else { b_ty };
            let (a, b) = (self.splat(a, ty, loc), self.splat(b, ty, loc));
            return self.compare(op, a, b, loc);
        }
        if !types.is_scalar(a_ty) || !types.is_scalar(b_ty) {
            return self.unknown(&[a, b], Ty::INT, loc);
        }
        let (a_is_pointer, b_is_pointer) = (!types.is_arithmetic(a_ty), !types.is_arithmetic(b_ty));
        if a_is_pointer || b_is_pointer {
            let ty = if a_is_pointer { a_ty } else { b_ty };
            let ty = if ty == Ty::NULLPTR && b_is_pointer { b_ty } else { ty };
            let (a, b) = (self.cast(a, ty), self.cast(b, ty));
            return self.compare(op, a, b, loc);
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let common = self.common_type(self.ty_of(a), self.ty_of(b));
        let (a, b) = (self.cast_expr(a, common, loc), self.cast_expr(b, common, loc));
        self.compare(op, a, b, loc)
    }

    // ---- assignment ------------------------------------------------------------------------

    pub(super) fn assign(&mut self, target: ast::ExprId, value: ast::ExprId, loc: Loc) -> ExprId {
        let target = self.expr(target);
        let value = self.value(value);
        self.assign_to(target, value, loc)
    }

    pub(super) fn assign_to(&mut self, target: ExprId, value: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(target).unqualified();
        let types = &self.unit.types;
        if !self.is_assignable(target) || types.is_array(ty) || types.is_function(ty) || types.is_void(ty) {
            return self.unknown(&[target, value], Ty::ERROR, loc);
        }
        let value = self.convert(value, ty, loc);
        self.push_expr(ExprKind::Assign { target, value }, ty, loc)
    }

    /// Conversion as by assignment; also into transparent unions and complex numbers.
    pub(super) fn convert(&mut self, value: ExprId, ty: Ty, loc: Loc) -> ExprId {
        if let Some(record) = self.unit.types.record_of(ty)
            && self.ty_of(value).unqualified() != ty.unqualified()
            && !self.is_error(value)
        {
            let from = self.ty_of(value);
            // The same struct of another declaration: copied through its address.
            if self.unit.types.is_record(from) && self.unit.types.size_of(from) == self.unit.types.size_of(ty) {
                let object =
                    if let ExprKind::Load(lvalue) = self.kind_of(value) { lvalue } else { self.temporary(value, loc) };
                let address = self.address_of(object, loc);
                let pointer = self.unit.types.pointer_to(ty.unqualified());
                let address = self.cast(address, pointer);
                let other = self.deref(address, loc);
                return self.rvalue(other);
            }
            let is_transparent =
                crate::attributes::find(&self.unit.types.records[record].attributes, "transparent_union").is_some();
            let field = self.transparent_field(record, value);
            return match field {
                Some(field) if is_transparent => self.union_of(ty, field, value, loc),
                _ => self.unknown(&[value], ty, loc),
            };
        }
        self.cast_expr(value, ty, loc)
    }

    fn transparent_field(&self, record: crate::types::RecordId, value: ExprId) -> Option<usize> {
        let layout = self.unit.types.layout(record)?;
        let from = self.ty_of(value);
        let types = &self.unit.types;
        let exact = layout.fields.iter().position(|field| {
            types.compatible_unqualified(field.ty, from)
                || match (types.pointee(field.ty), types.pointee(from)) {
                    (Some(a), Some(b)) => types.compatible_unqualified(a, b),
                    _ => false,
                }
        });
        exact.or_else(|| {
            let is_pointer = types.is_pointer(from) || self.is_null_constant(value);
            layout.fields.iter().position(|field| types.is_scalar(field.ty) && types.is_pointer(field.ty) == is_pointer)
        })
    }

    pub(super) fn compound_assign(
        &mut self,
        op: ast::BinaryOp,
        target: ast::ExprId,
        value: ast::ExprId,
        loc: Loc,
    ) -> ExprId {
        let target = self.expr(target);
        let value = self.value(value);
        let Operator::Arithmetic(op) = operator(op) else {
            return self.unknown(&[target, value], Ty::ERROR, loc);
        };
        let ty = self.ty_of(target).unqualified();
        if !self.is_assignable(target) || self.is_error(value) {
            return self.unknown(&[target, value], Ty::ERROR, loc);
        }
        let types = &self.unit.types;
        if types.is_pointer(ty) {
            if !matches!(op, BinaryOp::Add | BinaryOp::Sub) || !types.is_integer(self.ty_of(value)) {
                return self.unknown(&[target, value], ty, loc);
            }
            let value = self.promote(value);
            let is_unsigned = self.unit.types.is_unsigned(self.ty_of(value));
            let index_ty = if is_unsigned { self.size_type() } else { self.ptrdiff_type() };
            let value = self.cast(value, index_ty);
            return self.push_expr(ExprKind::CompoundAssign { op, target, value, compute: ty }, ty, loc);
        }
        let lane = |ty| if let Type::Vector(lane, _) = types.get(ty) { lane } else { ty };
        let has_integers = types.is_integer(lane(ty)) && types.is_integer(lane(self.ty_of(value)));
        if takes_integers(op) && !has_integers {
            return self.unknown(&[target, value], ty, loc);
        }
        if types.is_vector(ty) {
            let value = self.splat(value, ty, loc);
            return self.push_expr(ExprKind::CompoundAssign { op, target, value, compute: ty }, ty, loc);
        }
        if !types.is_arithmetic(ty) || !types.is_arithmetic(self.ty_of(value)) {
            return self.unknown(&[target, value], ty, loc);
        }
        let value = self.promote(value);
        let promoted = {
            let loaded = self.rvalue(target);
            let loaded = self.promote(loaded);
            self.ty_of(loaded)
        };
        let (compute, value) = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            (promoted, value)
        } else {
            let common = self.common_type(promoted, self.ty_of(value));
            (common, self.cast_expr(value, common, loc))
        };
        self.push_expr(ExprKind::CompoundAssign { op, target, value, compute }, ty, loc)
    }

    // ---- conditional -----------------------------------------------------------------------

    pub(super) fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        loc: Loc,
    ) -> ExprId {
        let condition = self.expr(condition);
        if self.unit.types.is_vector(self.ty_of(condition)) {
            return self.vector_select(condition, then, otherwise, loc);
        }
        let condition = self.condition(condition);
        let then_value = match then {
            Some(then) => {
                let then = self.expr(then);
                self.rvalue(then)
            }
            None => condition,
        };
        let otherwise = self.expr(otherwise);
        let otherwise = self.rvalue(otherwise);
        let ty = self.conditional_type(then_value, otherwise);
        if let Some(truth) = self.constant_truth(condition) {
            let chosen = if truth { then_value } else { otherwise };
            return if self.unit.types.is_void(ty) { self.effect(chosen) } else { self.convert(chosen, ty, loc) };
        }
        let is_void = self.unit.types.is_void(ty);
        let otherwise = if is_void { self.void(otherwise) } else { self.convert(otherwise, ty, loc) };
        let then = match then {
            None => None,
            Some(_) if is_void => Some(self.void(then_value)),
            Some(_) => Some(self.convert(then_value, ty, loc)),
        };
        self.push_expr(ExprKind::Conditional { condition, then, otherwise }, ty, loc)
    }

    /// `mask ? a : b` lane by lane; both sides are evaluated.
    fn vector_select(&mut self, mask: ExprId, then: Option<ast::ExprId>, otherwise: ast::ExprId, loc: Loc) -> ExprId {
        let mask = self.rvalue(mask);
        let then = then.map_or(mask, |then| self.value(then));
        let otherwise = self.value(otherwise);
        let then_is_vector = self.unit.types.is_vector(self.ty_of(then));
        let ty = self.ty_of(if then_is_vector { then } else { otherwise });
        self.opaque_builtin(Symbol::intern("__builtin_select"), &[mask, then, otherwise], ty, loc)
    }

    fn void(&mut self, value: ExprId) -> ExprId {
        let value = self.effect(value);
        self.cast(value, Ty::VOID)
    }

    /// The type of `c ? a : b`.
    fn conditional_type(&mut self, a: ExprId, b: ExprId) -> Ty {
        let (a_ty, b_ty) = (self.ty_of(a).unqualified(), self.ty_of(b).unqualified());
        let types = &self.unit.types;
        if a_ty == b_ty && !types.is_integer(a_ty) {
            return if types.is_error(a_ty) { Ty::INT } else { a_ty };
        }
        if types.is_error(a_ty) {
            return b_ty;
        }
        if types.is_error(b_ty) {
            return a_ty;
        }
        if types.is_void(a_ty) || types.is_void(b_ty) {
            return Ty::VOID;
        }
        if types.is_arithmetic(a_ty) && types.is_arithmetic(b_ty) {
            let (a, b) = (self.promoted(a), self.promoted(b));
            return self.common_type(a, b);
        }
        let (a_is_pointer, b_is_pointer) = (types.is_pointer(a_ty), types.is_pointer(b_ty));
        match (a_is_pointer, b_is_pointer) {
            (true, true) => self.common_pointer(a, b),
            (true, false) => a_ty,
            (false, true) => b_ty,
            (false, false) => {
                if types.is_vector(b_ty) {
                    b_ty
                } else {
                    a_ty
                }
            }
        }
    }

    fn common_pointer(&mut self, a: ExprId, b: ExprId) -> Ty {
        let (a_ty, b_ty) = (self.ty_of(a).unqualified(), self.ty_of(b).unqualified());
        if self.is_null_constant(a) {
            return b_ty;
        }
        if self.is_null_constant(b) {
            return a_ty;
        }
        let (Some(x), Some(y)) = (self.unit.types.pointee(a_ty), self.unit.types.pointee(b_ty)) else { return a_ty };
        let qualifiers = (x.qualifiers() | y.qualifiers()) & (quals::CONST | quals::VOLATILE);
        let pointee = if self.unit.types.is_void(x) || self.unit.types.is_void(y) {
            Ty::VOID
        } else if self.unit.types.compatible_unqualified(x, y) {
            self.unit.types.composite(x.unqualified(), y.unqualified())
        } else {
            Ty::VOID
        };
        let pointee = self.qualify(pointee, qualifiers);
        self.unit.types.pointer_to(pointee)
    }
}
