//! Numbers of a width.
//!
//! A *kind* is a width in bits and a signedness. A *number* is the mathematical value, held in an `i128` and always
//! within the kind's range; a *pattern* is its low bits as a `u64`. All arithmetic is done on numbers and then wrapped:
//! `200 + 100` at eight unsigned bits is `44`, at eight signed bits the operands would have been `-56` and `100`.
//!
//! Invariant: every number handed from one function of this crate to another lies in its kind's range.

/// Width in bits (1..=64) and signedness. Pointers are 64 or 32 bits unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kind {
    pub bits: u8,
    pub signed: bool,
}

impl Kind {
    pub const fn signed(bits: u8) -> Kind {
        Kind { bits, signed: true }
    }

    pub const fn unsigned(bits: u8) -> Kind {
        Kind { bits, signed: false }
    }

    /// The least that it takes in memory.
    pub fn bytes(self) -> i64 {
        i64::from(self.bits / 8).max(1)
    }

    /// All bits of the width set.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The highest bit of the width.
    pub const fn top_bit(self) -> u64 {
        1 << (self.bits - 1)
    }

    pub const fn min(self) -> i128 {
        if self.signed { -(self.top_bit() as i128) } else { 0 }
    }

    pub const fn max(self) -> i128 {
        if self.signed { self.top_bit() as i128 - 1 } else { self.mask() as i128 }
    }

    pub const fn contains(self, number: i128) -> bool {
        self.min() <= number && number <= self.max()
    }

    /// The low bits of a number.
    pub const fn pattern(self, number: i128) -> u64 {
        number as u64 & self.mask()
    }

    /// The number that a pattern stands for.
    pub const fn number(self, pattern: u64) -> i128 {
        let pattern = pattern & self.mask();
        if self.signed && pattern & self.top_bit() != 0 {
            pattern as i128 - (self.mask() as i128 + 1)
        } else {
            pattern as i128
        }
    }

    /// Reduces any integer to the kind's range by dropping high bits.
    pub const fn wrap(self, value: i128) -> i128 {
        self.number(value as u64)
    }
}

/// An operation at a kind, with wrap-around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl Op {
    pub const fn is_commutative(self) -> bool {
        matches!(self, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor)
    }

    pub const fn is_shift(self) -> bool {
        matches!(self, Op::Shl | Op::Shr)
    }

    /// The result at `kind`; `None` where C leaves it undefined: division by zero, a shift count outside the width.
    pub const fn apply(self, kind: Kind, a: i128, b: i128) -> Option<i128> {
        let exact = match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            // Two 64-bit unsigned factors overflow even 128 signed bits; the low 64 survive the wrapping.
            Op::Mul => a.wrapping_mul(b),
            Op::Div | Op::Rem if b == 0 => return None,
            Op::Div => a / b,
            Op::Rem => a % b,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Shl | Op::Shr if b < 0 || b >= kind.bits as i128 => return None,
            Op::Shl => a << b,
            Op::Shr => a >> b,
        };
        Some(kind.wrap(exact))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Op};

    #[test]
    fn numbers_wrap_at_their_kind() {
        assert_eq!(Kind::unsigned(8).wrap(300), 44);
        assert_eq!(Kind::signed(8).wrap(200), -56);
        assert_eq!(Kind::unsigned(64).wrap(-1), u64::MAX as i128);
        assert_eq!(Kind::signed(64).wrap(u64::MAX as i128), -1);
        assert_eq!(Kind::signed(1).min(), -1);
    }

    #[test]
    fn undefined_operations_have_no_result() {
        let int = Kind::signed(32);
        assert_eq!(Op::Div.apply(int, 1, 0), None);
        assert_eq!(Op::Shl.apply(int, 1, 32), None);
        assert_eq!(Op::Shr.apply(int, -8, 1), Some(-4));
        assert_eq!(Op::Div.apply(int, int.min(), -1), Some(int.min()));
        assert_eq!(Op::Mul.apply(Kind::unsigned(64), u64::MAX as i128, u64::MAX as i128), Some(1));
    }
}
