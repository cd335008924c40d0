//! Typed nodes with their conversions; constants fold as they are built.
//!
//! `a + b` with `char a; long b;` becomes `Binary(Add, Cast(long, Load a), Load b)`. An expression
//! whose type is `Ty::ERROR` is always an `Unknown`; it takes whatever type is asked of it.

use caulk_base::{Loc, Symbol};

use super::Cx;
use crate::fold::{compare_floats, fold_float};
use crate::hir::{BinaryOp, CompareOp, ExprId, ExprKind, Init, InitItem, List, Local};
use crate::types::{FloatKind, IntKind, Ty, Type, quals};

/// Operands taken over from an unknown operand; one with more stays an operand. A long chain of unknowns, as
/// `f(1)(1)(1)`, would else cost the square of its length.
const MAX_MERGED: u32 = 16;

impl Cx<'_> {
    pub(super) fn int(&mut self, value: i128, ty: Ty, loc: Loc) -> ExprId {
        let value = self.unit.types.wrap(value, ty);
        self.push_expr(ExprKind::Int(value), ty, loc)
    }

    pub(super) fn int_value(&self, expr: ExprId) -> Option<i128> {
        match self.kind_of(expr) {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn expr_list(&mut self, exprs: &[ExprId]) -> List {
        let start = self.body.expr_lists.len() as u32;
        self.body.expr_lists.extend_from_slice(exprs);
        List { start, len: exprs.len() as u32 }
    }

    /// Something without a meaning here; its operands are still evaluated.
    pub(super) fn unknown(&mut self, operands: &[ExprId], ty: Ty, loc: Loc) -> ExprId {
        let mut values = Vec::with_capacity(operands.len());
        let mut effects = Vec::new();
        for &operand in operands {
            let is_lvalue = self.kind_of(operand).is_lvalue();
            let value = match is_lvalue {
                true if self.bit_field(operand).is_none() => self.address_of(operand, loc),
                true => self.rvalue(operand),
                false => operand,
            };
            match self.unit.types.get(self.ty_of(value)) {
                Type::Void => effects.push(value),
                Type::Error => {
                    if let ExprKind::Unknown { args } = self.kind_of(value)
                        && args.len <= MAX_MERGED
                    {
                        values.extend_from_slice(&self.body.expr_lists[args.range()]);
                    } else {
                        values.push(self.cast(value, Ty::INT));
                    }
                }
                _ => values.push(value),
            }
        }
        let args = self.expr_list(&values);
        let ty = self.value_type(ty);
        let unknown = self.push_expr(ExprKind::Unknown { args }, ty, loc);
        effects.into_iter().rev().fold(unknown, |value, effect| self.push_expr(ExprKind::Comma(effect, value), ty, loc))
    }

    /// The type of a value: none is an array or a function, so nothing is known of one that should be.
    pub(super) fn value_type(&self, ty: Ty) -> Ty {
        match self.unit.types.get(ty) {
            Type::Array(..) | Type::Vla(..) | Type::Function(_) => Ty::ERROR,
            _ => ty.unqualified(),
        }
    }

    /// An rvalue as an operand; an int if it has no type, or is `void`.
    pub(super) fn usable_value(&mut self, value: ExprId) -> ExprId {
        match self.unit.types.get(self.ty_of(value)) {
            Type::Error => self.cast(value, Ty::INT),
            Type::Void => {
                let loc = self.loc_of(value);
                self.unknown(&[value], Ty::INT, loc)
            }
            _ => value,
        }
    }

    pub(super) fn is_error(&self, expr: ExprId) -> bool {
        self.unit.types.is_error(self.ty_of(expr))
    }

    /// Width of the bit-field this is, or whose value this is: it decides how the value promotes.
    pub(super) fn bit_field(&self, expr: ExprId) -> Option<u8> {
        match self.kind_of(expr) {
            ExprKind::Load(lvalue) => self.bit_field(lvalue),
            ExprKind::Assign { target, .. }
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Increment { target, .. } => self.bit_field(target),
            ExprKind::Comma(_, value) | ExprKind::StmtExpr { value: Some(value), .. } => self.bit_field(value),
            ExprKind::Member { base, field } => {
                let record = self.unit.types.record_of(self.ty_of(base))?;
                let layout = self.unit.types.layout(record)?;
                layout.fields.get(field as usize)?.bits.map(|bits| bits.width)
            }
            _ => None,
        }
    }

    // ---- lvalues ---------------------------------------------------------------------------

    /// The value of an expression: loads, and arrays and functions as addresses.
    pub(super) fn rvalue(&mut self, expr: ExprId) -> ExprId {
        let kind = self.kind_of(expr);
        let ty = self.ty_of(expr);
        if !kind.is_lvalue() {
            if let ExprKind::ComplexPart { value, .. } = kind
                && self.kind_of(value).is_lvalue()
            {
                let loc = self.loc_of(expr);
                return self.push_expr(ExprKind::Load(expr), ty.unqualified(), loc);
            }
            return expr;
        }
        let loc = self.loc_of(expr);
        match self.unit.types.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => {
                let pointer = self.unit.types.pointer_to(element.with(ty.qualifiers()));
                let address = self.address_of(expr, loc);
                self.retype_address(address, pointer)
            }
            Type::Function(_) => self.address_of(expr, loc),
            Type::Error => self.unknown(&[], Ty::ERROR, loc),
            _ => self.push_expr(ExprKind::Load(expr), ty.unqualified(), loc),
        }
    }

    fn retype_address(&mut self, address: ExprId, pointer: Ty) -> ExprId {
        match self.kind_of(address) {
            ExprKind::AddressOf(_) | ExprKind::Int(_) => {
                self.body.exprs[address].ty = pointer;
                address
            }
            _ => self.cast(address, pointer),
        }
    }

    /// `&lvalue`, with the address's constant value if it has one (`&((T *)0)->f`).
    pub(super) fn address_of(&mut self, lvalue: ExprId, loc: Loc) -> ExprId {
        let pointer = {
            let ty = self.ty_of(lvalue);
            self.unit.types.pointer_to(ty)
        };
        self.mark_in_memory(lvalue);
        if let ExprKind::Deref(pointer_value) = self.kind_of(lvalue) {
            return self.cast(pointer_value, pointer);
        }
        if let Some(address) = self.constant_address(lvalue) {
            return self.int(address, pointer, loc);
        }
        self.push_expr(ExprKind::AddressOf(lvalue), pointer, loc)
    }

    fn constant_address(&self, lvalue: ExprId) -> Option<i128> {
        match self.kind_of(lvalue) {
            ExprKind::Deref(pointer) => self.int_value(pointer),
            ExprKind::Member { base, field } => {
                let record = self.unit.types.record_of(self.ty_of(base))?;
                let offset = self.unit.types.layout(record)?.fields.get(field as usize)?.offset;
                Some(self.constant_address(base)? + i128::from(offset))
            }
            _ => None,
        }
    }

    /// The local at the bottom of an lvalue must live in memory.
    pub(super) fn mark_in_memory(&mut self, mut lvalue: ExprId) {
        loop {
            match self.kind_of(lvalue) {
                ExprKind::Local(local) | ExprKind::CompoundLiteral { local, .. } => {
                    self.body.locals[local].in_memory = true;
                    return;
                }
                ExprKind::Member { base, .. } | ExprKind::VectorElement { base, .. } => lvalue = base,
                ExprKind::ComplexPart { value, .. } => lvalue = value,
                _ => return,
            }
        }
    }

    pub(super) fn deref(&mut self, pointer: ExprId, loc: Loc) -> ExprId {
        let Some(pointee) = self.unit.types.pointee(self.ty_of(pointer)) else {
            return self.unknown(&[pointer], Ty::ERROR, loc);
        };
        // `*&x` is `x`: keeps scalars out of memory.
        if let ExprKind::AddressOf(lvalue) = self.kind_of(pointer)
            && self.ty_of(lvalue) == pointee
        {
            return lvalue;
        }
        self.push_expr(ExprKind::Deref(pointer), pointee, loc)
    }

    /// An lvalue that holds an rvalue: records whose members are accessed, values whose address is needed.
    pub(super) fn temporary(&mut self, value: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(value);
        let init = Init { zero_first: false, items: vec![InitItem { offset: 0, bits: None, ty, value }] };
        self.literal_local(ty, init, loc)
    }

    /// An unnamed local set by `init` each time it is evaluated.
    pub(super) fn literal_local(&mut self, ty: Ty, init: Init, loc: Loc) -> ExprId {
        let local = self.body.locals.push(Local {
            name: Symbol::EMPTY,
            ty,
            in_memory: true,
            captured_as: None,
            cleanup: None,
            attributes: Vec::new(),
            loc,
        });
        let init = self.body.inits.push(init);
        self.push_expr(ExprKind::CompoundLiteral { local, init }, ty, loc)
    }

    // ---- conversions -----------------------------------------------------------------------

    /// Converts an rvalue to a type, as by assignment or cast.
    pub(super) fn cast(&mut self, expr: ExprId, to: Ty) -> ExprId {
        let to = self.value_type(to);
        let from = self.ty_of(expr);
        if from == to {
            return expr;
        }
        if self.unit.types.is_error(from) {
            if let ExprKind::Comma(_, value) = self.kind_of(expr) {
                self.cast(value, to);
            }
            self.body.exprs[expr].ty = to;
            return expr;
        }
        let loc = self.loc_of(expr);
        if self.unit.types.is_error(to) {
            return self.unknown(&[expr], Ty::ERROR, loc);
        }
        match self.kind_of(expr) {
            ExprKind::Int(value) => {
                if self.unit.types.is_integer(to) || self.unit.types.is_pointer(to) || to == Ty::NULLPTR {
                    return self.int(value, to, loc);
                }
                if self.unit.types.is_float(to) {
                    let value = self.unit.types.int_to_float(value, from, to);
                    return self.push_expr(ExprKind::Float(value), to, loc);
                }
            }
            ExprKind::Float(value) => {
                if self.unit.types.is_float(to) {
                    let value = self.unit.types.round_float(value, to);
                    return self.push_expr(ExprKind::Float(value), to, loc);
                }
                if self.unit.types.is_integer(to) {
                    let value = self.unit.types.float_to_int(value, to);
                    return self.int(value, to, loc);
                }
            }
            // The address of an object or function is never null.
            ExprKind::AddressOf(lvalue) if to == Ty::BOOL && self.is_certain_object(lvalue) => {
                return self.int(1, to, loc);
            }
            _ => {}
        }
        let types = &self.unit.types;
        let convertible = types.is_void(to)
            || (types.is_scalar(from) && types.is_scalar(to))
            || types.is_vector(from)
            || types.is_vector(to)
            || (types.is_record(from) && types.is_record(to) && from.unqualified() == to);
        if convertible { self.push_expr(ExprKind::Cast(expr), to, loc) } else { self.unknown(&[expr], to, loc) }
    }

    /// Whether an lvalue is an object or function that surely exists (not weak).
    fn is_certain_object(&self, lvalue: ExprId) -> bool {
        match self.kind_of(lvalue) {
            ExprKind::Local(_) | ExprKind::String(_) | ExprKind::CompoundLiteral { .. } => true,
            ExprKind::Global(global) => !self.unit.globals[global].is_weak,
            ExprKind::Member { base, .. } => self.is_certain_object(base),
            _ => false,
        }
    }

    /// Integer promotion (and arrays and functions to pointers).
    pub(super) fn promote(&mut self, expr: ExprId) -> ExprId {
        let expr = self.rvalue(expr);
        let ty = self.promoted(expr);
        self.cast(expr, ty)
    }

    pub(super) fn promoted(&self, expr: ExprId) -> Ty {
        let ty = self.ty_of(expr).unqualified();
        if let Some(width) = self.bit_field(expr)
            && let Some((bits, is_signed)) = self.unit.types.int_info(ty)
            && bits <= 64
        {
            return match width {
                0..=31 => Ty::INT,
                32 if bits <= 32 || is_signed => {
                    if is_signed {
                        Ty::INT
                    } else {
                        Ty::UINT
                    }
                }
                _ => self.promoted_type(ty),
            };
        }
        self.promoted_type(ty)
    }

    pub(super) fn promoted_type(&self, ty: Ty) -> Ty {
        match self.unit.types.get(ty) {
            Type::Bool => Ty::INT,
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort) => Ty::INT,
            Type::Enum(id) => match self.unit.types.enums[id].underlying {
                Some(underlying) => self.promoted_type(underlying),
                None => Ty::UINT,
            },
            _ => ty.unqualified(),
        }
    }

    /// Default argument promotions: also `float` to `double`.
    pub(super) fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        let expr = self.promote(expr);
        match self.unit.types.get(self.ty_of(expr)) {
            Type::Float(FloatKind::Float) => self.cast(expr, Ty::DOUBLE),
            _ => expr,
        }
    }

    /// The common type of two arithmetic operands, already promoted.
    pub(super) fn common_type(&mut self, a: Ty, b: Ty) -> Ty {
        let (a, b) = (a.unqualified(), b.unqualified());
        if a == b {
            return a;
        }
        let types = &self.unit.types;
        match (types.get(a), types.get(b)) {
            (Type::Vector(..), _) => a,
            (_, Type::Vector(..)) => b,
            (Type::Complex(x), Type::Complex(y)) => self.common_complex(x, y),
            (Type::Complex(x), _) => self.common_complex(x, b),
            (_, Type::Complex(y)) => self.common_complex(a, y),
            (Type::Float(x), Type::Float(y)) => {
                if float_rank(x) >= float_rank(y) {
                    a
                } else {
                    b
                }
            }
            (Type::Float(_), _) => a,
            (_, Type::Float(_)) => b,
            _ => self.common_integer(a, b),
        }
    }

    fn common_complex(&mut self, a: Ty, b: Ty) -> Ty {
        let (a, b) = (self.promoted_type(a), self.promoted_type(b));
        let element = self.common_type(a, b);
        self.unit.types.intern(Type::Complex(element))
    }

    fn common_integer(&self, a: Ty, b: Ty) -> Ty {
        let types = &self.unit.types;
        let (Some((a_bits, a_signed)), Some((b_bits, b_signed))) = (types.int_info(a), types.int_info(b)) else {
            return a;
        };
        let (a_rank, b_rank) = (self.int_rank(a), self.int_rank(b));
        if a_signed == b_signed {
            return if a_rank >= b_rank { a } else { b };
        }
        let (signed, signed_bits, signed_rank, unsigned, unsigned_bits, unsigned_rank) =
            if a_signed { (a, a_bits, a_rank, b, b_bits, b_rank) } else { (b, b_bits, b_rank, a, a_bits, a_rank) };
        if unsigned_rank >= signed_rank {
            unsigned
        } else if signed_bits > unsigned_bits {
            signed
        } else {
            self.unsigned_of(signed)
        }
    }

    fn int_rank(&self, ty: Ty) -> u32 {
        match self.unit.types.get(ty) {
            Type::Bool => 0,
            Type::Int(kind) => match kind {
                IntKind::Char | IntKind::SChar | IntKind::UChar => 100,
                IntKind::Short | IntKind::UShort => 200,
                IntKind::Int | IntKind::UInt => 400,
                IntKind::Long | IntKind::ULong => 600,
                IntKind::LongLong | IntKind::ULongLong => 700,
                IntKind::Int128 | IntKind::UInt128 => 2000,
            },
            Type::BitInt { bits, .. } => match bits {
                0..=8 => 99,
                9..=16 => 199,
                17..=32 => 399,
                33..=64 => 599,
                _ => 1000 + bits,
            },
            _ => 400,
        }
    }

    /// The unsigned type that corresponds to an integer type.
    pub(super) fn unsigned_of(&self, ty: Ty) -> Ty {
        match self.unit.types.get(ty) {
            Type::Int(kind) => match kind {
                IntKind::Char | IntKind::SChar | IntKind::UChar => Ty::UCHAR,
                IntKind::Short | IntKind::UShort => Ty::USHORT,
                IntKind::Int | IntKind::UInt => Ty::UINT,
                IntKind::Long | IntKind::ULong => Ty::ULONG,
                IntKind::LongLong | IntKind::ULongLong => Ty::ULONG_LONG,
                IntKind::Int128 | IntKind::UInt128 => Ty::UINT128,
            },
            _ => ty.unqualified(),
        }
    }

    /// A value to branch on: scalar, or unknown.
    pub(super) fn condition(&mut self, expr: ExprId) -> ExprId {
        let expr = self.rvalue(expr);
        let ty = self.ty_of(expr);
        if self.unit.types.is_error(ty) {
            return self.cast(expr, Ty::INT);
        }
        if let ExprKind::AddressOf(lvalue) = self.kind_of(expr)
            && self.is_certain_object(lvalue)
        {
            let loc = self.loc_of(expr);
            return self.int(1, Ty::INT, loc);
        }
        if self.unit.types.is_scalar(ty) {
            expr
        } else {
            let loc = self.loc_of(expr);
            self.unknown(&[expr], Ty::INT, loc)
        }
    }

    /// The truth of a condition, if it is a constant.
    pub(super) fn constant_truth(&self, expr: ExprId) -> Option<bool> {
        match self.kind_of(expr) {
            ExprKind::Int(value) => Some(value != 0),
            ExprKind::Float(value) => Some(value != 0.0),
            _ => None,
        }
    }

    // ---- operators on converted operands ---------------------------------------------------

    /// `a op b` where both already have the common type (or `b` is a shift count).
    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(a);
        match (self.kind_of(a), self.kind_of(b)) {
            (ExprKind::Int(x), ExprKind::Int(y)) => {
                if let Some(value) = self.unit.types.fold_binary(op, x, y, ty) {
                    return self.int(value, ty, loc);
                }
            }
            (ExprKind::Float(x), ExprKind::Float(y)) => {
                if let Some(value) = fold_float(op, x, y) {
                    let value = self.unit.types.round_float(value, ty);
                    return self.push_expr(ExprKind::Float(value), ty, loc);
                }
            }
            _ => {}
        }
        self.push_expr(ExprKind::Binary(op, a, b), ty, loc)
    }

    /// A comparison of operands of one type.
    pub(super) fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(a);
        let result = self.comparison_type(ty);
        let folded = match (self.kind_of(a), self.kind_of(b)) {
            (ExprKind::Int(x), ExprKind::Int(y)) => Some(self.unit.types.fold_compare(op, x, y, ty)),
            (ExprKind::Float(x), ExprKind::Float(y)) => Some(compare_floats(op, x, y)),
            (ExprKind::AddressOf(object), ExprKind::Int(0)) | (ExprKind::Int(0), ExprKind::AddressOf(object))
                if self.is_certain_object(object) =>
            {
                match op {
                    CompareOp::Eq => Some(false),
                    CompareOp::Ne => Some(true),
                    CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => None,
                }
            }
            _ => None,
        };
        match folded {
            Some(truth) => self.int(i128::from(truth), Ty::INT, loc),
            None => self.push_expr(ExprKind::Compare(op, a, b), result, loc),
        }
    }

    /// `int`, or for vectors the vector of signed integers of the same shape.
    fn comparison_type(&mut self, operand: Ty) -> Ty {
        let Type::Vector(element, len) = self.unit.types.get(operand) else { return Ty::INT };
        let lane = match self.unit.types.size_of(element) {
            Some(1) => Ty::SCHAR,
            Some(2) => Ty::SHORT,
            Some(4) => Ty::INT,
            Some(16) => Ty::INT128,
            _ => Ty::LONG_LONG,
        };
        self.unit.types.intern(Type::Vector(lane, len))
    }

    /// `pointer ± index`, the index converted to the pointer difference's width.
    pub(super) fn pointer_add(&mut self, pointer: ExprId, index: ExprId, is_sub: bool, loc: Loc) -> ExprId {
        let index = {
            let index = self.promote(index);
            let is_unsigned = self.unit.types.is_unsigned(self.ty_of(index));
            let ty = if is_unsigned { self.size_type() } else { self.ptrdiff_type() };
            self.cast(index, ty)
        };
        let ty = self.ty_of(pointer);
        if let (Some(at), Some(count)) = (self.int_value(pointer), self.int_value(index))
            && let Some(pointee) = self.unit.types.pointee(ty)
            && let Some(size) = self.unit.types.size_of(pointee)
        {
            let offset = count.wrapping_mul(i128::from(size));
            let address = if is_sub { at.wrapping_sub(offset) } else { at.wrapping_add(offset) };
            return self.int(address, ty, loc);
        }
        self.push_expr(ExprKind::PointerAdd { pointer, index, is_sub }, ty, loc)
    }

    /// Whether an expression is a null pointer constant.
    pub(super) fn is_null_constant(&self, expr: ExprId) -> bool {
        let ty = self.ty_of(expr).unqualified();
        self.int_value(expr) == Some(0) && (self.unit.types.is_integer(ty) || ty == Ty::VOID_PTR || ty == Ty::NULLPTR)
    }

    /// The pointee with the qualifiers of a base lvalue added, as member access does.
    pub(super) fn qualified_member(&self, member: Ty, base: Ty) -> Ty {
        member.with(base.qualifiers() & !(quals::RESTRICT | quals::ATOMIC))
    }
}

fn float_rank(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::BFloat16 => 0,
        FloatKind::Float16 => 1,
        FloatKind::Float => 2,
        FloatKind::Float32 => 3,
        FloatKind::Double => 4,
        FloatKind::Float32x => 5,
        FloatKind::Float64 => 6,
        FloatKind::LongDouble => 7,
        FloatKind::Float64x => 8,
        FloatKind::Float128 => 9,
        FloatKind::Decimal32 => 10,
        FloatKind::Decimal64 => 11,
        FloatKind::Decimal128 => 12,
    }
}
