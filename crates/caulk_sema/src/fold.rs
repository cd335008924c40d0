//! Arithmetic on constants, as the target would do it.
//!
//! An integer constant is an `i128` already wrapped to its type: the mathematical value for every
//! type up to 127 bits, the bit pattern for unsigned 128-bit types.

use crate::hir::{BinaryOp, CompareOp};
use crate::types::{FloatKind, Ty, Type, TypeTable};

/// Reduces a value to a width, then extends it by the signedness.
pub fn wrap(value: i128, bits: u32, is_signed: bool) -> i128 {
    if bits == 0 || bits >= 128 {
        return value;
    }
    let unused = 128 - bits;
    if is_signed { value << unused >> unused } else { ((value as u128) << unused >> unused) as i128 }
}

impl TypeTable {
    /// A value as one of this integer or pointer type.
    pub fn wrap(&self, value: i128, ty: Ty) -> i128 {
        match self.get(ty) {
            Type::Bool => i128::from(value != 0),
            Type::Pointer(_) | Type::Nullptr => wrap(value, self.target.pointer_size as u32 * 8, false),
            _ => match self.int_info(ty) {
                Some((bits, is_signed)) => wrap(value, bits, is_signed),
                None => value,
            },
        }
    }

    /// Whether values of the type compare and divide as unsigned.
    pub fn is_unsigned(&self, ty: Ty) -> bool {
        match self.int_info(ty) {
            Some((_, is_signed)) => !is_signed,
            None => matches!(self.get(ty), Type::Pointer(_) | Type::Nullptr),
        }
    }

    /// The result of an integer operation; `None` where C leaves it undefined.
    pub fn fold_binary(&self, op: BinaryOp, a: i128, b: i128, ty: Ty) -> Option<i128> {
        let (bits, is_signed) = self.int_info(ty)?;
        let value = match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div if is_signed => a.wrapping_div(b),
            BinaryOp::Div => (a as u128 / b as u128) as i128,
            BinaryOp::Rem if is_signed => a.wrapping_rem(b),
            BinaryOp::Rem => (a as u128 % b as u128) as i128,
            BinaryOp::Shl | BinaryOp::Shr if b < 0 || b >= i128::from(bits) => return None,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr if is_signed => a >> b,
            BinaryOp::Shr => (a as u128 >> b) as i128,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
        };
        Some(wrap(value, bits, is_signed))
    }

    /// Compares two values of one integer or pointer type.
    pub fn fold_compare(&self, op: CompareOp, a: i128, b: i128, ty: Ty) -> bool {
        let order = if self.is_unsigned(ty) { (a as u128).cmp(&(b as u128)) } else { a.cmp(&b) };
        match op {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }
    }

    /// An integer as a float of this type (rounded to it).
    pub fn int_to_float(&self, value: i128, from: Ty, to: Ty) -> f64 {
        let exact = if self.is_unsigned(from) { value as u128 as f64 } else { value as f64 };
        self.round_float(exact, to)
    }

    /// Rounds to single precision where the type has only that. Wider types are held as doubles.
    pub fn round_float(&self, value: f64, ty: Ty) -> f64 {
        match self.get(ty) {
            Type::Float(FloatKind::Float | FloatKind::Float32) => f64::from(value as f32),
            _ => value,
        }
    }

    /// A float truncated to an integer type; one that does not fit is cut off at its ends, as gcc folds it.
    pub fn float_to_int(&self, value: f64, to: Ty) -> i128 {
        if self.get(to) == Type::Bool {
            return i128::from(value != 0.0);
        }
        let Some((bits, is_signed)) = self.int_info(to) else { return value as i128 };
        match (bits, is_signed) {
            (1..=127, true) => (value as i128).clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (1..=126, false) => (value as i128).clamp(0, (1 << bits) - 1),
            (_, true) => value as i128,
            (_, false) => value as u128 as i128,
        }
    }
}

pub(crate) fn fold_float(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Mul => Some(a * b),
        BinaryOp::Div => Some(a / b),
        BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => None,
    }
}

pub(crate) fn compare_floats(op: CompareOp, a: f64, b: f64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::X86_64_LINUX;

    #[test]
    fn integers_wrap_to_their_type() {
        let types = TypeTable::new(X86_64_LINUX.clone());
        assert_eq!(types.wrap(300, Ty::UCHAR), 44);
        assert_eq!(types.wrap(200, Ty::SCHAR), -56);
        assert_eq!(types.wrap(7, Ty::BOOL), 1);
        assert_eq!(types.fold_binary(BinaryOp::Add, i128::from(u32::MAX), 1, Ty::UINT), Some(0));
        assert_eq!(types.fold_binary(BinaryOp::Div, -7, 2, Ty::INT), Some(-3));
        assert_eq!(types.fold_binary(BinaryOp::Div, 1, 0, Ty::INT), None);
        assert_eq!(types.fold_binary(BinaryOp::Shr, -8, 1, Ty::INT), Some(-4));
        assert_eq!(types.float_to_int(1e10, Ty::INT), i128::from(i32::MAX));
        assert_eq!(types.float_to_int(-1.5, Ty::CHAR), -1);
        assert!(types.fold_compare(CompareOp::Gt, -1, 1, Ty::UINT128));
    }
}
