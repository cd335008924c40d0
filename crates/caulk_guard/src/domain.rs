//! What is known of a number: an interval and some of its bits.
//!
//! For `x & 6` at eight unsigned bits nothing need be known of `x` to know that the result lies in `0..=6` and that its
//! bits 0, 3, 4, .. are zero; with `x & 6 > 3` too, the interval `4..=6` in turn fixes bit 2 as one.
//!
//! Invariant: a domain contains every value the number can have; it may contain more. Empty means *no value at all*,
//! and is said only when that is certain. [`Domain::reduce`] lets interval and bits sharpen each other until nothing
//! moves.

use crate::kind::{Kind, Op};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub(crate) low: i128,
    pub(crate) high: i128,
    /// Bits known to be zero and bits known to be one; within the kind's mask.
    pub(crate) zeros: u64,
    pub(crate) ones: u64,
}

impl Domain {
    pub(crate) fn full(kind: Kind) -> Domain {
        Domain { low: kind.min(), high: kind.max(), zeros: 0, ones: 0 }
    }

    pub(crate) fn constant(kind: Kind, number: i128) -> Domain {
        let pattern = kind.pattern(number);
        Domain { low: number, high: number, zeros: !pattern & kind.mask(), ones: pattern }
    }

    pub(crate) fn interval(kind: Kind, low: i128, high: i128) -> Domain {
        let mut domain = Domain { low, high, zeros: 0, ones: 0 };
        domain.reduce(kind);
        domain
    }

    pub(crate) fn bits(kind: Kind, zeros: u64, ones: u64) -> Domain {
        let mut domain =
            Domain { low: kind.min(), high: kind.max(), zeros: zeros & kind.mask(), ones: ones & kind.mask() };
        domain.reduce(kind);
        domain
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.low > self.high || self.zeros & self.ones != 0
    }

    pub(crate) fn as_constant(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(crate) fn contains(&self, kind: Kind, number: i128) -> bool {
        let pattern = kind.pattern(number);
        self.low <= number && number <= self.high && pattern & self.zeros == 0 && !pattern & self.ones == 0
    }

    /// Keeps what both allow; tells whether anything was lost. The result may be empty.
    pub(crate) fn meet(&mut self, kind: Kind, other: &Domain) -> bool {
        let before = *self;
        self.low = self.low.max(other.low);
        self.high = self.high.min(other.high);
        self.zeros |= other.zeros;
        self.ones |= other.ones;
        if *self == before {
            return false;
        }
        self.reduce(kind);
        true
    }

    /// Sharpens the interval by the bits and the bits by the interval.
    pub(crate) fn reduce(&mut self, kind: Kind) {
        if self.is_empty() {
            return;
        }
        if self.zeros | self.ones != 0 {
            let Some(low) = next_match(kind, self.low, self.zeros, self.ones) else {
                self.high = self.low - 1;
                return;
            };
            // The last match below `high` mirrors the first match above it: complementing reverses the order.
            let Some(mirrored) = next_match(kind, -1 - self.high + flip_offset(kind), self.ones, self.zeros) else {
                self.high = self.low - 1;
                return;
            };
            self.low = low;
            self.high = -1 - mirrored + flip_offset(kind);
            if self.low > self.high {
                return;
            }
        }
        // Both ends on one side of zero: patterns are ordered as numbers are, and a common prefix is known.
        if self.low >= 0 || self.high < 0 {
            let (low, high) = (kind.pattern(self.low), kind.pattern(self.high));
            let differing = low ^ high;
            let free = if differing == 0 { 0 } else { u64::MAX >> differing.leading_zeros() };
            self.zeros |= !low & !free & kind.mask();
            self.ones |= low & !free & kind.mask();
        }
    }

    /// The number of values in the interval, minus one; bits may forbid some of them.
    pub(crate) fn width(&self) -> i128 {
        self.high - self.low
    }

    /// The result of an operation on operands in these domains.
    pub(crate) fn of_binary(op: Op, kind: Kind, a: &Domain, b: &Domain) -> Domain {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
            return match op.apply(kind, a, b) {
                Some(number) => Domain::constant(kind, number),
                None => Domain::full(kind),
            };
        }
        let corners = |f: fn(i128, i128) -> i128| {
            let all = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
            (all.into_iter().fold(all[0], i128::min), all.into_iter().fold(all[0], i128::max))
        };
        match op {
            Op::Add => {
                let mut sum = Domain::unwrapped(kind, a.low + b.low, a.high + b.high);
                sum.meet(kind, &low_bits_of_sum(kind, a, b));
                sum
            }
            Op::Sub => {
                let mut difference = Domain::unwrapped(kind, a.low - b.high, a.high - b.low);
                difference.meet(kind, &low_bits_of_difference(kind, a, b));
                difference
            }
            Op::Mul => {
                let fits = |d: &Domain| d.low.unsigned_abs() >> 63 == 0 && d.high.unsigned_abs() >> 63 == 0;
                let mut product = if fits(a) && fits(b) {
                    let (low, high) = corners(|a, b| a * b);
                    Domain::unwrapped(kind, low, high)
                } else {
                    Domain::full(kind)
                };
                // Trailing zeros add up.
                let zeros = (a.zeros.trailing_ones() + b.zeros.trailing_ones()).min(63);
                product.meet(kind, &Domain::bits(kind, (1 << zeros) - 1, 0));
                product
            }
            Op::Div if b.low > 0 || b.high < 0 => {
                let (low, high) = corners(|a, b| a / b);
                Domain::unwrapped(kind, low, high)
            }
            Op::Rem if b.low > 0 || b.high < 0 => {
                let most = b.low.abs().max(b.high.abs()) - 1;
                let low = if a.low < 0 { (-most).max(a.low) } else { 0 };
                let high = if a.high > 0 { most.min(a.high) } else { 0 };
                Domain::interval(kind, low, high)
            }
            Op::Div | Op::Rem => Domain::full(kind),
            Op::And => Domain::bits(kind, a.zeros | b.zeros, a.ones & b.ones),
            Op::Or => Domain::bits(kind, a.zeros & b.zeros, a.ones | b.ones),
            Op::Xor => {
                let known = (a.zeros | a.ones) & (b.zeros | b.ones);
                let value = a.ones ^ b.ones;
                Domain::bits(kind, known & !value, known & value)
            }
            Op::Shl if 0 <= b.low && b.high < kind.bits as i128 => match b.as_constant() {
                Some(count) => {
                    let factor = Domain::constant(kind, kind.wrap(1 << count));
                    Domain::of_binary(Op::Mul, kind, a, &factor)
                }
                None => Domain::bits(kind, (1u64 << b.low) - 1, 0),
            },
            Op::Shr if 0 <= b.low && b.high < kind.bits as i128 => {
                let (low, high) = corners(|a, b| a >> b);
                let mut shifted = Domain::interval(kind, low, high);
                if let Some(count) = b.as_constant() {
                    // The bits shifted in are left to the interval, which knows the sign.
                    let kept = kind.mask() >> count;
                    shifted.meet(kind, &Domain::bits(kind, (a.zeros >> count) & kept, (a.ones >> count) & kept));
                }
                shifted
            }
            Op::Shl | Op::Shr => Domain::full(kind),
        }
    }

    /// The conversion of a number of kind `from` to kind `to`.
    pub(crate) fn of_extend(from: Kind, to: Kind, a: &Domain) -> Domain {
        let mut converted = Domain::unwrapped(to, a.low, a.high);
        let shared = from.mask() & to.mask();
        let (mut zeros, mut ones) = (a.zeros & shared, a.ones & shared);
        if to.bits > from.bits {
            let above = to.mask() & !from.mask();
            if !from.signed || a.zeros & from.top_bit() != 0 {
                zeros |= above;
            } else if a.ones & from.top_bit() != 0 {
                ones |= above;
            }
        }
        converted.meet(to, &Domain::bits(to, zeros, ones));
        converted
    }

    /// The kind's image of an interval of unwrapped results: an interval again where it does not straddle a seam.
    pub(crate) fn unwrapped(kind: Kind, low: i128, high: i128) -> Domain {
        let span = kind.mask() as i128;
        let (wrapped_low, wrapped_high) = (kind.wrap(low), kind.wrap(high));
        if high - low <= span && wrapped_low <= wrapped_high {
            Domain::interval(kind, wrapped_low, wrapped_high)
        } else {
            Domain::full(kind)
        }
    }
}

/// Complementing all bits maps the number `n` to `-1 - n`, plus the whole range where numbers are unsigned.
fn flip_offset(kind: Kind) -> i128 {
    if kind.signed { 0 } else { kind.mask() as i128 + 1 }
}

/// The smallest number from `from` upwards whose known bits are as given.
fn next_match(kind: Kind, from: i128, zeros: u64, ones: u64) -> Option<i128> {
    // Adding half the range turns the order of signed numbers into that of patterns: the top bit swaps its meaning.
    let swap = if kind.signed { kind.top_bit() } else { 0 };
    let (zeros, ones) = ((zeros & !swap) | (ones & swap), (ones & !swap) | (zeros & swap));
    let start = kind.pattern(from) ^ swap;
    let wrong = (start & zeros) | (!start & ones);
    if wrong == 0 {
        return Some(from);
    }
    let highest = 63 - wrong.leading_zeros();
    // The lowest bit that may be raised: the wrong one if it must be one, else a zero above it that is free.
    let raised = if ones >> highest & 1 == 1 {
        highest
    } else {
        let above = u64::MAX.checked_shl(highest + 1).unwrap_or(0) & kind.mask();
        let candidates = !start & !zeros & above;
        if candidates == 0 {
            return None;
        }
        candidates.trailing_zeros()
    };
    let below = (1u64 << raised) - 1;
    let found = (start & !below) | 1 << raised | (ones & below);
    Some(kind.number(found ^ swap))
}

/// The low bits of a sum are known as far as both operands' low bits are.
fn low_bits_of_sum(kind: Kind, a: &Domain, b: &Domain) -> Domain {
    let known = (a.zeros | a.ones) & (b.zeros | b.ones);
    let low = low_mask(known);
    let sum = a.ones.wrapping_add(b.ones);
    Domain::bits(kind, low & !sum, low & sum)
}

fn low_bits_of_difference(kind: Kind, a: &Domain, b: &Domain) -> Domain {
    let known = (a.zeros | a.ones) & (b.zeros | b.ones);
    let low = low_mask(known);
    let difference = a.ones.wrapping_sub(b.ones);
    Domain::bits(kind, low & !difference, low & difference)
}

/// The unbroken run of ones at the low end.
fn low_mask(known: u64) -> u64 {
    match known.trailing_ones() {
        64 => u64::MAX,
        run => (1 << run) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::Domain;
    use crate::kind::{Kind, Op};

    const OPERATIONS: [Op; 10] =
        [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr];

    /// Some domains of a kind: intervals, and intervals with known bits.
    fn domains(kind: Kind) -> Vec<Domain> {
        let mut domains = Vec::new();
        for low in kind.min()..=kind.max() {
            for high in low..=kind.max() {
                domains.push(Domain::interval(kind, low, high));
                let mut odd = Domain::interval(kind, low, high);
                odd.meet(kind, &Domain::bits(kind, 0b100, 0b001));
                domains.push(odd);
            }
        }
        domains.retain(|domain| !domain.is_empty());
        domains
    }

    fn values(kind: Kind, domain: &Domain) -> Vec<i128> {
        (kind.min()..=kind.max()).filter(|&value| !domain.is_empty() && domain.contains(kind, value)).collect()
    }

    #[test]
    fn reducing_keeps_values_and_makes_the_ends_attained() {
        for kind in [Kind::signed(4), Kind::unsigned(4)] {
            for zeros in 0..16u64 {
                for ones in (0..16u64).filter(|ones| ones & zeros == 0) {
                    for low in kind.min()..=kind.max() {
                        for high in low..=kind.max() {
                            let raw = Domain { low, high, zeros, ones };
                            let mut reduced = raw;
                            reduced.reduce(kind);
                            let kept = values(kind, &raw);
                            assert_eq!(values(kind, &reduced), kept, "{raw:?} {reduced:?}");
                            match (kept.first(), kept.last()) {
                                (Some(&first), Some(&last)) => assert_eq!((reduced.low, reduced.high), (first, last)),
                                _ => assert!(reduced.is_empty(), "{raw:?} {reduced:?}"),
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn results_lie_in_the_domain_of_the_result() {
        for kind in [Kind::signed(3), Kind::unsigned(3)] {
            let domains = domains(kind);
            for op in OPERATIONS {
                for a in &domains {
                    for b in &domains {
                        let result = Domain::of_binary(op, kind, a, b);
                        for x in values(kind, a) {
                            for y in values(kind, b) {
                                if let Some(value) = op.apply(kind, x, y) {
                                    assert!(
                                        !result.is_empty() && result.contains(kind, value),
                                        "{x} {op:?} {y} is {value}, but {a:?} {b:?} gave {result:?}"
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_lie_in_the_domain_of_the_result() {
        let kinds = [Kind::signed(3), Kind::unsigned(3), Kind::signed(5), Kind::unsigned(5), Kind::signed(2)];
        for from in kinds {
            for to in kinds {
                for domain in domains(from) {
                    let result = Domain::of_extend(from, to, &domain);
                    for value in values(from, &domain) {
                        assert!(result.contains(to, to.wrap(value)), "{value} from {from:?} to {to:?}: {result:?}");
                    }
                }
            }
        }
    }
}
