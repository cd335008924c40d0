//! Literals about one term and constants, and which pairs of them exclude each other.
//!
//! `n == 3`, `n < 7` and `(n & 4) == 0` are all about `n`. Such literals are most of what paths consist of, and most
//! contradictions between them need only two: `n == 3` excludes `n == 4`, `n < 2`, and `(n & 1) == 0`. Finding those on
//! the way down keeps a `switch` over many values from being tried in all combinations.
//!
//! Invariant: a pair said to exclude each other does; what takes three literals is left to the theory.

use crate::kind::{Kind, Op};
use crate::predicates::Predicate;
use crate::terms::{Term, TermKind, Terms};

/// A predicate about one term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unary {
    pub(crate) base: Term,
    kind: Kind,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Equal(i128),
    Less(i128),
    /// These bits of the term are so.
    Bits {
        mask: u64,
        pattern: u64,
    },
}

impl Unary {
    pub(crate) fn of(terms: &Terms, predicate: Predicate) -> Option<Unary> {
        match predicate {
            Predicate::Equal(a, b) => {
                let (kind, constant) = (terms.kind(a), terms.as_int(b)?);
                if let TermKind::Binary { op: Op::And, a: base, b: mask } = terms.made(a)
                    && let Some(mask) = terms.as_int(mask)
                {
                    let shape = Shape::Bits { mask: kind.pattern(mask), pattern: kind.pattern(constant) };
                    return Some(Unary { base, kind, shape });
                }
                Some(Unary { base: a, kind, shape: Shape::Equal(constant) })
            }
            Predicate::Less(a, b) => Some(Unary { base: a, kind: terms.kind(a), shape: Shape::Less(terms.as_int(b)?) }),
            Predicate::Choice => None,
        }
    }

    /// Whether the literal leaves the term one value.
    pub(crate) fn fixes_value(&self, value: bool) -> bool {
        value && matches!(self.shape, Shape::Equal(_))
    }

    fn holds_at(&self, number: i128) -> bool {
        match self.shape {
            Shape::Equal(constant) => number == constant,
            Shape::Less(constant) => number < constant,
            Shape::Bits { mask, pattern } => self.kind.pattern(number) & mask == pattern,
        }
    }

    /// Whether this and another predicate about the same term cannot have these truths together.
    pub(crate) fn excludes(&self, truth: bool, other: &Unary, other_truth: bool) -> bool {
        match (self.shape, truth, other.shape, other_truth) {
            (Shape::Equal(constant), true, _, _) => other.holds_at(constant) != other_truth,
            (_, _, Shape::Equal(constant), true) => self.holds_at(constant) != truth,
            (Shape::Less(below), true, Shape::Less(from), false) => below <= from,
            (Shape::Less(from), false, Shape::Less(below), true) => below <= from,
            (Shape::Bits { mask, pattern }, true, Shape::Bits { mask: other_mask, pattern: other }, true) => {
                (pattern ^ other) & mask & other_mask != 0
            }
            // All of the other's bits are among these, and are as it denies.
            (Shape::Bits { mask, pattern }, true, Shape::Bits { mask: denied, pattern: other }, false)
            | (Shape::Bits { mask: denied, pattern: other }, false, Shape::Bits { mask, pattern }, true) => {
                denied & !mask == 0 && pattern & denied == other
            }
            _ => false,
        }
    }
}
