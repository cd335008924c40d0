//! Sums in normal form.
//!
//! A *sum* is a constant plus terms with factors, all modulo the width: `(i + 1) - (j - i)` is `2 i - j + 1`. Two sums
//! that are equal for all values come out as one term, and what cancels is gone:
//!
//! ```text
//! (end - start) + start        end
//! (buf + n + 4) - (buf + n)    4
//! n - (n & 7)                  n & ~7
//! ```
//!
//! The term built for a sum adds its positive parts by id, subtracts the others, and has the constant last, as
//! `(x + y - z) + c`; or first, as `c - x`, when nothing is positive.
//!
//! Invariant: building the term of a sum and taking it apart again gives the same sum.

use smallvec::SmallVec;

use crate::kind::{Kind, Op};
use crate::terms::{Term, TermKind, Terms};

/// Longer sums stay as they were written: equal ones may look different, nothing worse.
const MAX_PARTS: usize = 8;

pub(crate) struct Sum {
    kind: Kind,
    /// Terms by id, each with its factor as a signed number other than zero.
    pub(crate) parts: SmallVec<[(Term, i128); MAX_PARTS]>,
    pub(crate) constant: i128,
}

impl Sum {
    pub(crate) fn new(kind: Kind) -> Sum {
        Sum { kind, parts: SmallVec::new(), constant: 0 }
    }

    /// Adds a term so many times. Fails when the sum gets too long.
    pub(crate) fn add(&mut self, terms: &mut Terms, term: Term, factor: i128) -> Option<()> {
        match terms.made(term) {
            TermKind::Int(value) => self.constant += factor.wrapping_mul(value as i128),
            TermKind::Address { object, offset } if offset != 0 => {
                self.constant += factor.wrapping_mul(offset as i128);
                let base = terms.address(object, 0, self.kind);
                self.add_part(base, factor);
            }
            TermKind::Binary { op: Op::Add, a, b } => {
                self.add(terms, a, factor)?;
                self.add(terms, b, factor)?;
            }
            TermKind::Binary { op: Op::Sub, a, b } => {
                self.add(terms, a, factor)?;
                self.add(terms, b, -factor)?;
            }
            TermKind::Binary { op: Op::Mul, a, b } if terms.as_int(b).is_some() => {
                // Not into the product of a sum: what is known of that sum would be lost.
                let times = terms.as_int(b).expect("just looked");
                self.add_part(a, factor.wrapping_mul(times));
            }
            _ => self.add_part(term, factor),
        }
        self.constant = self.kind.wrap(self.constant);
        (self.parts.len() <= MAX_PARTS).then_some(())
    }

    pub(crate) fn add_part(&mut self, term: Term, factor: i128) {
        let signed = Kind::signed(self.kind.bits);
        match self.parts.binary_search_by_key(&term, |&(term, _)| term) {
            Ok(at) => {
                self.parts[at].1 = signed.wrap(self.parts[at].1 + signed.wrap(factor));
                if self.parts[at].1 == 0 {
                    self.parts.remove(at);
                }
            }
            Err(at) if signed.wrap(factor) != 0 => self.parts.insert(at, (term, signed.wrap(factor))),
            Err(_) => {}
        }
    }

    /// Turns `x - (x & m)` into `x & !m`.
    fn merge_masks(&mut self, terms: &mut Terms) {
        let found = self.parts.iter().find_map(|&(masked, factor)| {
            let TermKind::Binary { op: Op::And, a: x, b: mask } = terms.made(masked) else { return None };
            let mask = terms.as_int(mask)?;
            let at = self.parts.binary_search_by_key(&x, |&(term, _)| term).ok()?;
            (self.parts[at].1 == -factor).then_some((masked, x, mask, factor))
        });
        if let Some((masked, x, mask, factor)) = found {
            let rest = terms.int(-1 - mask, self.kind);
            let rest = terms.binary(Op::And, x, rest, self.kind);
            self.add_part(masked, -factor);
            self.add_part(x, factor);
            self.add_part(rest, -factor);
        }
    }

    /// The one term for this sum.
    pub(crate) fn build(&self, terms: &mut Terms) -> Term {
        if let [(base, 1)] = *self.parts.as_slice()
            && let TermKind::Address { object, .. } = terms.made(base)
        {
            return terms.address(object, self.constant as i64, self.kind);
        }
        let constant = terms.int(self.constant, self.kind);
        // The most negative factor is its own negative, and counts as positive.
        let least = Kind::signed(self.kind.bits).min();
        let is_positive = |factor: i128| factor > 0 || factor == least;
        let mut sum: Option<Term> = None;
        for &(term, factor) in self.parts.iter().filter(|&&(_, factor)| is_positive(factor)) {
            let part = scaled(terms, term, factor, self.kind);
            sum = Some(sum.map_or(part, |sum| terms.plain_binary(Op::Add, sum, part, self.kind)));
        }
        let has_positive = sum.is_some();
        let mut sum = sum.unwrap_or(constant);
        for &(term, factor) in self.parts.iter().filter(|&&(_, factor)| !is_positive(factor)) {
            let part = scaled(terms, term, -factor, self.kind);
            sum = terms.plain_binary(Op::Sub, sum, part, self.kind);
        }
        if has_positive && self.constant != 0 { terms.plain_binary(Op::Add, sum, constant, self.kind) } else { sum }
    }
}

fn scaled(terms: &mut Terms, term: Term, factor: i128, kind: Kind) -> Term {
    if factor == 1 {
        return term;
    }
    let factor = terms.int(factor, kind);
    terms.plain_binary(Op::Mul, term, factor, kind)
}

impl Terms {
    /// `a + b` or `a - b` in normal form, if it is short enough to have one.
    pub(crate) fn fold_sum(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Option<Term> {
        let mut sum = Sum::new(kind);
        sum.add(self, a, 1)?;
        sum.add(self, b, if op == Op::Sub { -1 } else { 1 })?;
        sum.merge_masks(self);
        Some(sum.build(self))
    }
}
