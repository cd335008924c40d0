//! Comparisons: folded, or reduced to one canonical atom.
//!
//! An *atom* is a question about terms that nothing simpler decides; its number is its place in the variable order of
//! the diagrams. Tests that ask the same thing must come out as one atom, or the diagrams would count impossible
//! combinations as possible and leave them to the theory:
//!
//! ```text
//! n + 1 == 5            n == 4
//! n >= 4, n > 3         !(n < 4)
//! unsigned n > 0        !(n == 0)
//! (n & 4) == 4          !((n & 4) == 0)
//! unsigned n - 97 < 26  !(n < 97) && n < 123       two atoms, but each shared with other tests of n
//! (long)c == 300        false, for an eight-bit c
//! ```
//!
//! Invariant: the guard returned equals the comparison for all values of the symbols, at wrap-around arithmetic.

use caulk_base::define_id;

use crate::diagram::Guard;
use crate::kind::{Kind, Op};
use crate::linear::Sum;
use crate::space::Space;
use crate::terms::{Term, TermKind};

define_id!(
    /// A question; atoms are ordered as they were created, and so are the diagrams.
    Atom, "a");

/// What an atom asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// Canonical: a constant or an address stands on the right, else the term with the lower id on the left; only the
    /// right side has an offset.
    Equal(Term, Term),
    /// By the signedness of the operands; a constant stands on the right.
    Less(Term, Term),
    /// Nothing is known about it.
    Choice,
}

impl Space {
    /// `a == b`.
    pub fn equal(&mut self, a: Term, b: Term) -> Guard {
        let (a, b) = self.at_one_kind(a, b);
        if a == b && !self.terms.is_vague(a) {
            return Guard::TRUE;
        }
        match (self.terms.as_int(a), self.terms.as_int(b)) {
            (Some(x), Some(y)) => constant(x == y),
            (None, Some(c)) => self.equal_to_constant(a, c),
            (Some(c), None) => self.equal_to_constant(b, c),
            (None, None) => self.equal_terms(a, b),
        }
    }

    /// `a < b`, by the signedness of the operands' kind.
    pub fn less(&mut self, a: Term, b: Term) -> Guard {
        let (a, b) = self.at_one_kind(a, b);
        match (self.terms.as_int(a), self.terms.as_int(b)) {
            (Some(x), Some(y)) => constant(x < y),
            (None, Some(c)) => self.less_than_constant(a, c),
            // c < b is !(b < c + 1), and c + 1 may lie just outside the kind.
            (Some(c), None) => self.less_than_constant(b, c + 1).not(),
            (None, None) => self.less_terms(a, b),
        }
    }

    /// A fresh opaque atom.
    pub fn choice(&mut self) -> Guard {
        let atom = self.atoms.push(Predicate::Choice);
        self.literal(atom, true)
    }

    /// The guard that the atom has this value.
    pub fn literal(&mut self, atom: Atom, value: bool) -> Guard {
        self.diagrams.make(atom.0, Guard::TRUE, Guard::FALSE).complement_if(!value)
    }

    /// Converts both to the wider kind; of one width, to the unsigned one, as C does.
    fn at_one_kind(&mut self, a: Term, b: Term) -> (Term, Term) {
        let (left, right) = (self.kind(a), self.kind(b));
        if left == right {
            return (a, b);
        }
        let kind = if (left.bits, !left.signed) > (right.bits, !right.signed) { left } else { right };
        (self.terms.extend(a, kind), self.terms.extend(b, kind))
    }

    fn atom(&mut self, predicate: Predicate) -> Guard {
        let atom = self.atoms.intern(predicate);
        self.literal(atom, true)
    }

    /// `x` lies in `low..=high`, which may wrap around the kind's ends.
    fn in_circle(&mut self, x: Term, low: i128, high: i128) -> Guard {
        let kind = self.kind(x);
        let (low, high) = (kind.wrap(low), kind.wrap(high));
        let from_low = self.less_than_constant(x, low).not();
        let to_high = self.less_than_constant(x, high + 1);
        if low <= high { self.diagrams.and(from_low, to_high) } else { self.diagrams.or(from_low, to_high) }
    }

    fn equal_to_constant(&mut self, a: Term, c: i128) -> Guard {
        let kind = self.kind(a);
        if !self.terms.domain(a).contains(kind, c) || self.terms.address_object(a).is_some() {
            return Guard::FALSE;
        }
        match self.terms.made(a) {
            TermKind::Binary { op, a: x, b: y } => match (self.terms.as_int(x), self.terms.as_int(y)) {
                (None, Some(d)) => self.operation_equals(a, op, x, d, c, kind),
                (Some(d), None) if op == Op::Sub => self.equal_to_constant(y, kind.wrap(d - c)),
                // x - y == c is x == y + c.
                (None, None) if op == Op::Sub => {
                    let offset = self.terms.int(c, kind);
                    let right = self.terms.binary(Op::Add, y, offset, kind);
                    self.equal(x, right)
                }
                (None, None) if op == Op::Xor && c == 0 => self.equal(x, y),
                _ => self.equal_atom(a, c, kind),
            },
            TermKind::Extend { a: x } => {
                let inner = self.kind(x);
                if inner.bits > kind.bits {
                    // Truncation asks for the low bits.
                    let mask = self.terms.int(kind.mask() as i128, inner);
                    let low_bits = self.terms.binary(Op::And, x, mask, inner);
                    return self.equal_to_constant_or_int(low_bits, inner.wrap(kind.pattern(c) as i128));
                }
                let narrow = inner.wrap(c);
                if kind.wrap(narrow) == c { self.equal_to_constant(x, narrow) } else { Guard::FALSE }
            }
            _ => self.equal_atom(a, c, kind),
        }
    }

    /// As `equal_to_constant`, for a term that may have folded to a constant itself.
    fn equal_to_constant_or_int(&mut self, a: Term, c: i128) -> Guard {
        match self.terms.as_int(a) {
            Some(value) => constant(value == c),
            None => self.equal_to_constant(a, c),
        }
    }

    fn equal_atom(&mut self, a: Term, c: i128, kind: Kind) -> Guard {
        let right = self.terms.int(c, kind);
        self.atom(Predicate::Equal(a, right))
    }

    /// `(x op d) == c`, where `whole` is `x op d`.
    fn operation_equals(&mut self, whole: Term, op: Op, x: Term, d: i128, c: i128, kind: Kind) -> Guard {
        match op {
            Op::Add => self.equal_to_constant(x, kind.wrap(c - d)),
            Op::Xor => self.equal_to_constant(x, kind.wrap(c ^ d)),
            Op::And => self.masked_equals(whole, x, kind.pattern(d), kind.pattern(c), kind),
            Op::Or => {
                let rest = kind.mask() & !kind.pattern(d);
                self.mask_equals(x, rest, kind.pattern(c) & rest, kind)
            }
            Op::Mul => {
                // An odd factor can be undone; a power of two only hides the high bits.
                let shift = d.trailing_zeros();
                let odd = kind.pattern(d >> shift);
                let kept = kind.mask() >> shift;
                let quotient = (kind.pattern(c) >> shift).wrapping_mul(inverse(odd)) & kept;
                self.mask_equals(x, kept, quotient, kind)
            }
            Op::Shr => {
                let kept = kind.mask() & !((1u64 << d) - 1);
                self.mask_equals(x, kept, kind.pattern(c << d), kind)
            }
            Op::Div if d > 0 => {
                // Division rounds towards zero, so the quotient zero has values on both sides.
                let low = if c > 0 { c * d } else { (c - 1) * d + 1 };
                let high = if c < 0 { c * d } else { (c + 1) * d - 1 };
                let from_low = self.less_than_constant(x, low).not();
                let to_high = self.less_than_constant(x, high + 1);
                self.diagrams.and(from_low, to_high)
            }
            _ => self.equal_atom(whole, c, kind),
        }
    }

    /// `(x & mask) == pattern`, made from its parts.
    fn mask_equals(&mut self, x: Term, mask: u64, pattern: u64, kind: Kind) -> Guard {
        let mask = self.terms.int(kind.number(mask), kind);
        let masked = self.terms.binary(Op::And, x, mask, kind);
        self.equal_to_constant_or_int(masked, kind.number(pattern))
    }

    /// `whole == pattern`, where `whole` is `x & mask` and the pattern lies within the mask.
    fn masked_equals(&mut self, whole: Term, x: Term, mask: u64, pattern: u64, kind: Kind) -> Guard {
        if let TermKind::Extend { a: inner } = self.terms.made(x) {
            let narrow = self.kind(inner);
            if mask & !narrow.mask() == 0 && narrow.bits < kind.bits || narrow.bits == kind.bits {
                return self.mask_equals(inner, mask, pattern, narrow);
            }
        }
        if mask.is_power_of_two() && pattern == mask {
            return self.equal_atom(whole, 0, kind).not();
        }
        self.equal_atom(whole, kind.number(pattern), kind)
    }

    fn equal_terms(&mut self, a: Term, b: Term) -> Guard {
        let (left, right) = (self.terms.address_object(a), self.terms.address_object(b));
        if left.is_some() && right.is_some() && left != right {
            return Guard::FALSE;
        }
        if self.terms.is_vague(a) || self.terms.is_vague(b) {
            return self.choice();
        }
        if let (TermKind::Extend { a: x }, TermKind::Extend { a: y }) = (self.terms.made(a), self.terms.made(b))
            && self.kind(x) == self.kind(y)
            && self.kind(x).bits <= self.kind(a).bits
        {
            return self.equal(x, y);
        }
        let kind = self.kind(a);
        // The difference cancels what both sides share.
        let mut difference = Sum::new(kind);
        let is_short =
            difference.add(&mut self.terms, a, 1).and_then(|()| difference.add(&mut self.terms, b, -1)).is_some();
        if is_short { self.sum_is_zero(difference, kind) } else { self.atom(Predicate::Equal(a, b)) }
    }

    /// `sum == 0`, put in order: `x == y + c` for two parts of opposite sign, else `parts == c`; but an address, with
    /// all that is added to it, stays whole on the right.
    fn sum_is_zero(&mut self, sum: Sum, kind: Kind) -> Guard {
        let right = kind.wrap(-sum.constant);
        let (x, y) = match *sum.parts.as_slice() {
            [] => return constant(right == 0),
            [(x, 1), (y, -1)] => (x, y),
            [(x, -1), (y, 1)] => (y, x),
            _ => return self.long_sum_equals(sum, right, kind),
        };
        let (x, y, offset) =
            if (self.is_address(x), x) > (self.is_address(y), y) { (y, x, -right) } else { (x, y, right) };
        let offset = self.terms.int(offset, kind);
        let right = self.terms.binary(Op::Add, y, offset, kind);
        self.equal_sides(x, right)
    }

    fn is_address(&self, t: Term) -> bool {
        matches!(self.terms.made(t), TermKind::Address { .. })
    }

    fn long_sum_equals(&mut self, sum: Sum, right: i128, kind: Kind) -> Guard {
        let address = sum.parts.iter().find(|&&(term, factor)| factor.abs() == 1 && self.is_address(term));
        // Of the sum and its negative: the one in which the address is subtracted, else the one that begins positive.
        let is_turned = address.map_or(sum.parts[0].1 < 0, |&(_, factor)| factor > 0);
        let sign = if is_turned { -1 } else { 1 };
        let (mut left_side, mut right_side) = (Sum::new(kind), Sum::new(kind));
        for &(term, factor) in &sum.parts {
            let factor = sign * factor;
            if address.is_some() && factor < 0 {
                right_side.add_part(term, -factor);
            } else {
                left_side.add_part(term, factor);
            }
        }
        right_side.constant = kind.wrap(sign * right);
        let left = left_side.build(&mut self.terms);
        let right = right_side.build(&mut self.terms);
        match (self.terms.as_int(right), left_side.parts.len()) {
            (Some(right), 1) => self.equal_to_constant(left, right),
            (Some(right), _) if self.terms.domain(left).contains(kind, right) => self.equal_atom(left, right, kind),
            (Some(_), _) => Guard::FALSE,
            (None, 0) => Guard::FALSE, // an address is no number
            (None, _) => self.equal_sides(left, right),
        }
    }

    fn equal_sides(&mut self, left: Term, right: Term) -> Guard {
        let (one, other) = (self.terms.address_object(left), self.terms.address_object(right));
        if one.is_some() && other.is_some() && one != other {
            return Guard::FALSE;
        }
        self.atom(Predicate::Equal(left, right))
    }

    /// `a < c`, where `c` may lie outside the kind.
    pub(crate) fn less_than_constant(&mut self, a: Term, c: i128) -> Guard {
        let kind = self.kind(a);
        let domain = *self.terms.domain(a);
        if domain.high < c {
            return Guard::TRUE;
        }
        if domain.low >= c {
            return Guard::FALSE;
        }
        if self.terms.is_vague(a) {
            return self.choice();
        }
        if domain.low + 1 == c {
            return self.equal_to_constant(a, domain.low);
        }
        if domain.high == c {
            return self.equal_to_constant(a, domain.high).not();
        }
        match self.terms.made(a) {
            TermKind::Binary { op, a: x, b: y } => match (op, self.terms.as_int(x), self.terms.as_int(y)) {
                (Op::Add, _, Some(d)) => self.in_circle(x, kind.min() - d, c - 1 - d),
                (Op::Sub, Some(d), _) => self.in_circle(y, d - c + 1, d - kind.min()),
                (Op::Shr, _, Some(d)) => self.less_than_constant(x, c << d),
                (Op::Div, _, Some(d)) if d > 0 => {
                    self.less_than_constant(x, if c > 0 { c * d } else { (c - 1) * d + 1 })
                }
                // Below a power of two: no bit at or above it.
                (Op::And, _, Some(mask)) if mask >= 0 && c & (c - 1) == 0 => {
                    self.mask_equals(x, kind.pattern(mask & !(c - 1)), 0, kind)
                }
                _ => self.less_atom(a, c, kind),
            },
            TermKind::Extend { a: x } => {
                let inner = self.kind(x);
                if inner.bits > kind.bits {
                    if kind.signed {
                        return self.less_atom(a, c, kind);
                    }
                    let mask = self.terms.int(kind.mask() as i128, inner);
                    let low_bits = self.terms.binary(Op::And, x, mask, inner);
                    return self.less_than_constant(low_bits, c);
                }
                self.extended_less(x, inner, c, kind)
            }
            _ => self.less_atom(a, c, kind),
        }
    }

    /// The conversion of `x` from `inner` to the no narrower `kind` is below `c`.
    fn extended_less(&mut self, x: Term, inner: Kind, c: i128, kind: Kind) -> Guard {
        // The conversion adds one amount below the seam and another above it.
        let seam = if inner.signed { 0 } else { inner.top_bit() as i128 };
        let pieces = [(inner.min(), seam - 1), (seam, inner.max())];
        let mut result = Guard::FALSE;
        for (low, high) in pieces {
            let added = kind.wrap(low) - low;
            let end = high.min(c - added - 1);
            if low <= end {
                let from_low = self.less_than_constant(x, low).not();
                let to_end = self.less_than_constant(x, end + 1);
                let piece = self.diagrams.and(from_low, to_end);
                result = self.diagrams.or(result, piece);
            }
        }
        result
    }

    fn less_atom(&mut self, a: Term, c: i128, kind: Kind) -> Guard {
        let right = self.terms.int(c, kind);
        self.atom(Predicate::Less(a, right))
    }

    fn less_terms(&mut self, a: Term, b: Term) -> Guard {
        if let (TermKind::Address { object: left, offset: c }, TermKind::Address { object: right, offset: d }) =
            (self.terms.made(a), self.terms.made(b))
            && left == right
        {
            return constant(c < d);
        }
        if self.terms.is_vague(a) || self.terms.is_vague(b) {
            return self.choice();
        }
        if a == b || self.terms.domain(a).low >= self.terms.domain(b).high {
            return Guard::FALSE;
        }
        if self.terms.domain(a).high < self.terms.domain(b).low {
            return Guard::TRUE;
        }
        let kind = self.kind(a);
        if let (TermKind::Extend { a: x }, TermKind::Extend { a: y }) = (self.terms.made(a), self.terms.made(b))
            && self.kind(x) == self.kind(y)
            && self.kind(x).bits < kind.bits
            && (kind.signed || !self.kind(x).signed)
        {
            return self.less(x, y);
        }
        let ((x, c), (y, d)) = (self.terms.split_offset(a), self.terms.split_offset(b));
        if x == y {
            // z < z + e holds where z + e does not wrap around.
            let step = kind.pattern(d - c) as i128;
            return self.less_than_constant(a, kind.max() - step + 1);
        }
        self.atom(Predicate::Less(a, b))
    }
}

fn constant(truth: bool) -> Guard {
    if truth { Guard::TRUE } else { Guard::FALSE }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that are right.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
