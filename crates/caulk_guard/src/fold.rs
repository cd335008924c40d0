//! Folding of binary terms: the algebra that keeps equal things equal.
//!
//! Sums have a normal form of their own, in [`linear`](crate::linear). Elsewhere constants that follow each other are
//! merged, and operations by a power of two become multiplications and masks, of which
//! [`predicates`](crate::predicates) and the theory know more: `x << 3` is `x * 8`, an unsigned `x % 8` is `x & 7`.
//!
//! Invariant: for all values of the symbols, the folded term has the value of the operation (checked by evaluating
//! random terms against plain arithmetic).

use crate::kind::{Kind, Op};
use crate::terms::{Term, TermKind, Terms};

impl Terms {
    /// The simpler term that `a op b` is, if it is one. Operands are of the kind, not both constants, and a constant
    /// operand of a commutative operation is `b`.
    pub(crate) fn fold(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Option<Term> {
        if self.is_vague(a) || self.is_vague(b) {
            // Two occurrences may differ, so nothing cancels; only what does nothing at all is dropped.
            return match (op, self.as_int(b)) {
                (Op::Add | Op::Sub | Op::Or | Op::Xor, Some(0)) => Some(a),
                (Op::And, Some(mask)) if mask == kind.wrap(-1) => Some(a),
                _ => None,
            };
        }
        match (self.as_int(a), self.as_int(b)) {
            _ if matches!(op, Op::Add | Op::Sub) => self.fold_sum(op, a, b, kind),
            (_, Some(constant)) => self.fold_right_constant(op, a, constant, kind),
            (Some(constant), None) => self.fold_left_constant(op, constant, kind),
            (None, None) => self.fold_terms(op, a, b, kind),
        }
    }

    fn fold_right_constant(&mut self, op: Op, a: Term, c: i128, kind: Kind) -> Option<Term> {
        let all_ones = kind.wrap(-1);
        let is_power_of_two = c > 0 && c & (c - 1) == 0;
        match op {
            Op::Or | Op::Xor | Op::Shl | Op::Shr if c == 0 => return Some(a),
            Op::Mul | Op::Div if c == 1 => return Some(a),
            Op::And if c == all_ones => return Some(a),
            Op::Mul | Op::And if c == 0 => return Some(self.int(0, kind)),
            Op::And if self.pointer(a).is_none() => {
                // Bits that are zero anyway need no mask, and a mask over all others does nothing.
                let possible = kind.mask() & !self.domain(a).zeros;
                let mask = kind.pattern(c);
                if possible & !mask == 0 {
                    return Some(a);
                }
                if mask & !possible != 0 {
                    let mask = self.int(kind.number(mask & possible), kind);
                    return Some(self.binary(Op::And, a, mask, kind));
                }
            }
            Op::Or if c == all_ones => return Some(self.int(c, kind)),
            Op::Rem if c == 1 || c == -1 => return Some(self.int(0, kind)),
            Op::Div if c == -1 => {
                let zero = self.int(0, kind);
                return Some(self.binary(Op::Sub, zero, a, kind));
            }
            // Undefined: any value.
            Op::Div | Op::Rem if c == 0 => return Some(self.symbol(kind)),
            Op::Shl | Op::Shr if c < 0 || c >= kind.bits as i128 => return Some(self.symbol(kind)),
            Op::Shl => {
                let factor = self.int(1 << c, kind);
                return Some(self.binary(Op::Mul, a, factor, kind));
            }
            // Complementing all bits is `-1 - x`.
            Op::Xor if c == all_ones && self.pointer(a).is_none() => {
                let ones = self.int(-1, kind);
                return Some(self.binary(Op::Sub, ones, a, kind));
            }
            Op::Div if is_power_of_two && !kind.signed => {
                let count = self.int(c.trailing_zeros() as i128, kind);
                return Some(self.binary(Op::Shr, a, count, kind));
            }
            Op::Rem if is_power_of_two && !kind.signed => {
                let mask = self.int(c - 1, kind);
                return Some(self.binary(Op::And, a, mask, kind));
            }
            _ => {}
        }
        match self.made(a) {
            TermKind::Binary { op: inner, a: x, b: y } => {
                let d = self.as_int(y)?;
                self.fold_constant_chain(op, inner, x, d, c, kind)
            }
            _ => None,
        }
    }

    /// `(x inner d) op c`.
    fn fold_constant_chain(&mut self, op: Op, inner: Op, x: Term, d: i128, c: i128, kind: Kind) -> Option<Term> {
        match (op, inner) {
            (Op::Mul, Op::Mul) => {
                let product = self.int(c.wrapping_mul(d), kind);
                Some(self.binary(Op::Mul, x, product, kind))
            }
            (Op::Mul, Op::Add) => {
                let factor = self.int(c, kind);
                let product = self.int(c.wrapping_mul(d), kind);
                let scaled = self.binary(Op::Mul, x, factor, kind);
                Some(self.binary(Op::Add, scaled, product, kind))
            }
            (Op::And, Op::And) | (Op::Or, Op::Or) | (Op::Xor, Op::Xor) => {
                let combined = op.apply(kind, c, d).expect("bitwise operations are total");
                let combined = self.int(combined, kind);
                Some(self.binary(op, x, combined, kind))
            }
            // The mask takes out exactly what was put in.
            (Op::And, Op::Or | Op::Xor) if c & d == 0 => {
                let mask = self.int(c, kind);
                Some(self.binary(Op::And, x, mask, kind))
            }
            (Op::Shr, Op::Shr) => {
                let total = c + d;
                if total < kind.bits as i128 {
                    let count = self.int(total, kind);
                    return Some(self.binary(Op::Shr, x, count, kind));
                }
                (!kind.signed).then(|| self.int(0, kind))
            }
            _ => None,
        }
    }

    fn fold_left_constant(&mut self, op: Op, c: i128, kind: Kind) -> Option<Term> {
        match op {
            Op::Div | Op::Rem | Op::Shl if c == 0 => Some(self.int(0, kind)),
            Op::Shr if c == 0 || c == -1 => Some(self.int(c, kind)),
            _ => None,
        }
    }

    fn fold_terms(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Option<Term> {
        match op {
            Op::Xor if a == b => Some(self.int(0, kind)),
            Op::And | Op::Or if a == b => Some(a),
            _ => None,
        }
    }
}
