//! What two literals say about each other at a glance: no search, no theory.
//!
//! ```text
//! n < 0, n == 3         exclude each other
//! p == 0, p == &x       exclude each other
//! a < b, a == b         exclude each other
//! n < 5, m < 5          say nothing about each other
//! ```

use crate::predicates::{Atom, Predicate};
use crate::space::Space;
use crate::terms::{Term, TermKind};

impl Space {
    /// Whether two literals cannot both hold. Never wrongly true; the theory may know more.
    pub fn exclude(&self, first: (Atom, bool), second: (Atom, bool)) -> bool {
        if let (Some(a), Some(b)) = (self.range(first), self.range(second)) {
            return a.term == b.term && (a.high < b.low || b.high < a.low);
        }
        let ((one, true), (other, true)) = (first, second) else { return false };
        match (self.predicate(one), self.predicate(other)) {
            (Predicate::Less(a, b), Predicate::Less(c, d)) => (a, b) == (d, c),
            (Predicate::Less(a, b), Predicate::Equal(c, d)) | (Predicate::Equal(c, d), Predicate::Less(a, b)) => {
                (a, b) == (c, d) || (a, b) == (d, c)
            }
            (Predicate::Equal(a, b), Predicate::Equal(c, d)) => {
                let is_fixed = |term: Term| matches!(self.term(term), TermKind::Int(_) | TermKind::Address { .. });
                a == c && b != d && is_fixed(b) && is_fixed(d)
            }
            _ => false,
        }
    }

    /// The numbers that a literal leaves to a term, if they are in one piece.
    fn range(&self, (atom, value): (Atom, bool)) -> Option<Range> {
        let (term, constant, is_equal) = match self.predicate(atom) {
            Predicate::Equal(term, constant) => (term, constant, true),
            Predicate::Less(term, constant) => (term, constant, false),
            Predicate::Choice => return None,
        };
        let (number, kind) = (self.terms.as_int(constant)?, self.kind(term));
        match (is_equal, value) {
            (true, true) => Some(Range { term, low: number, high: number }),
            (true, false) => None,
            (false, true) => Some(Range { term, low: kind.min(), high: number - 1 }),
            (false, false) => Some(Range { term, low: number, high: kind.max() }),
        }
    }
}

struct Range {
    term: Term,
    low: i128,
    high: i128,
}
