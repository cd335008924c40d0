//! The search for values that satisfy a component, or for a proof by cases that there are none.
//!
//! First a *model*: symbols get likely values one by one, each followed by propagation, and at the end every literal is
//! evaluated from the symbols' values alone, so that a mistake anywhere else cannot make a wrong yes. If likely values
//! do not do, *cases*: for `unsigned x + 1 < y && y < x`
//!
//! ```text
//! x <= MAX - 1:   x + 1 does not wrap: x + 1 < y < x, a circle: conflict
//! x == MAX:       y < MAX, x + 1 is 0 and less than y: model x = MAX, y = 1
//! ```
//!
//! Invariant: `Fails` is said only when every case ended in a conflict; cases always cover all values.

use smallvec::SmallVec;

use crate::domain::Domain;
use crate::kind::Kind;
use crate::predicates::Predicate;
use crate::propagate::added_by_wrap;
use crate::terms::{Object, Term, TermKind, Terms};
use crate::theory::{Comparison, Conflict, Relation, Theory, Verdict};

/// Propagations spent on the first search for a model, on one in each case, and on everything together. Past them the
/// component is undecided, which costs a miss, never a false alarm.
const MODEL_STEPS: u32 = 48;
const CASE_MODEL_STEPS: u32 = 8;
const ALL_STEPS: u32 = 400;

/// An interval of up to this many values is tried value by value.
const FEW_VALUES: i128 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Found,
    /// There is none: every value was tried.
    Nothing,
    GaveUp,
}

/// Two cases that cover everything.
enum Split {
    /// The cell is at most the number, or above it.
    At(usize, i128),
    /// The cells differ: one is less, or the other.
    Order(usize, usize),
}

impl Theory {
    /// Decides what propagation alone did not refute.
    pub(crate) fn search(&mut self, terms: &Terms, limit: u32) -> Verdict {
        self.steps = 0;
        self.limit = limit.min(ALL_STEPS);
        self.saved.clear();
        match self.try_model(terms, MODEL_STEPS) {
            Outcome::Found => return Verdict::Holds,
            Outcome::Nothing => return Verdict::Fails,
            Outcome::GaveUp => {}
        }
        self.split_cases(terms)
    }

    fn save(&mut self) -> usize {
        let mark = self.saved.len();
        self.saved.extend_from_slice(&self.domains);
        mark
    }

    fn restore(&mut self, mark: usize) {
        let end = mark + self.domains.len();
        self.domains.copy_from_slice(&self.saved[mark..end]);
        self.saved.truncate(mark);
    }

    /// Looks for a model within the current domains and leaves them as they were.
    fn try_model(&mut self, terms: &Terms, steps: u32) -> Outcome {
        let limit = (self.steps + steps).min(self.limit);
        let mark = self.save();
        let outcome = match self.pin_addresses() {
            // Objects may lie elsewhere than where they were pinned, so a failure proves nothing.
            Ok(true) => match self.propagate().map(|()| self.assign_symbols(terms, limit)) {
                Ok(Outcome::Found) => Outcome::Found,
                _ => Outcome::GaveUp,
            },
            Ok(false) => self.assign_symbols(terms, limit),
            Err(Conflict) => Outcome::GaveUp,
        };
        self.restore(mark);
        outcome
    }

    /// Puts every object somewhere; tells whether there were any.
    fn pin_addresses(&mut self) -> Result<bool, Conflict> {
        let mut pinned = false;
        for cell in 0..self.domains.len() {
            if let Some((object, offset)) = self.places[cell] {
                let kind = self.kinds[cell];
                let address = kind.wrap(base_address(object, kind) + offset as i128);
                self.narrow(cell, &Domain::constant(kind, address))?;
                pinned = true;
            }
        }
        // Computed addresses contain one as an operand, and so are pinned with it or have no known place.
        Ok(pinned)
    }

    fn assign_symbols(&mut self, terms: &Terms, limit: u32) -> Outcome {
        // The fewest values first: that is where a wrong guess shows soonest.
        let open = self.symbol_cells.iter().copied().filter(|&cell| self.domains[cell].as_constant().is_none());
        let Some(cell) = open.min_by_key(|&cell| self.domains[cell].width()) else {
            return if self.is_model(terms) { Outcome::Found } else { Outcome::GaveUp };
        };
        let (candidates, are_all) = self.candidates(cell);
        let mut outcome = if are_all { Outcome::Nothing } else { Outcome::GaveUp };
        let kind = self.kinds[cell];
        for value in candidates {
            if self.steps >= limit {
                return Outcome::GaveUp;
            }
            self.steps += 1;
            let mark = self.save();
            let result = match self.narrow(cell, &Domain::constant(kind, value)).and_then(|_| self.propagate()) {
                Ok(()) => self.assign_symbols(terms, limit),
                Err(Conflict) => Outcome::Nothing,
            };
            self.restore(mark);
            match result {
                Outcome::Found => return Outcome::Found,
                Outcome::GaveUp => outcome = Outcome::GaveUp,
                Outcome::Nothing => {}
            }
        }
        outcome
    }

    /// Values worth trying for a cell, and whether they are all it can have.
    fn candidates(&self, cell: usize) -> (SmallVec<[i128; 16]>, bool) {
        let (kind, domain) = (self.kinds[cell], self.domains[cell]);
        let mut candidates: SmallVec<[i128; 16]> = SmallVec::new();
        if domain.width() < FEW_VALUES {
            candidates.extend((domain.low..=domain.high).filter(|&value| domain.contains(kind, value)));
            return (candidates, true);
        }
        let mut add = |value: i128| {
            if domain.contains(kind, value) && !candidates.contains(&value) && candidates.len() < 16 {
                candidates.push(value);
            }
        };
        // Small numbers keep sums from wrapping; the ends satisfy orders; the rest dodges what must differ.
        for value in [0, 1, domain.low, domain.high, domain.low + 1, domain.high - 1] {
            add(value);
        }
        let middle = domain.low + domain.width() / 2;
        for value in [2, middle, kind.number(domain.ones), -1, domain.low + 2, domain.low + 3, middle + 1, 3, 4] {
            add(value);
        }
        (candidates, false)
    }

    /// Whether the symbols' values make every literal come out as it must, by plain evaluation.
    fn is_model(&mut self, terms: &Terms) -> bool {
        self.values.clear();
        for at in 0..self.terms.len() {
            let Some(value) = self.evaluate(terms, self.terms[at]) else { return false };
            self.values.push(value);
        }
        let value_of = |term: Term| self.values[self.node_of(term)];
        self.literals.iter().all(|&(predicate, truth)| match predicate {
            Predicate::Equal(a, b) => (value_of(a) == value_of(b)) == truth,
            Predicate::Less(a, b) => (value_of(a) < value_of(b)) == truth,
            Predicate::Choice => true,
        })
    }

    /// The value of a term whose operands have theirs; nothing if it is undefined or left open.
    fn evaluate(&self, terms: &Terms, term: Term) -> Option<i128> {
        let kind = terms.kind(term);
        let value_of = |term: Term| self.values[self.node_of(term)];
        match terms.made(term) {
            TermKind::Int(_) => terms.as_int(term),
            TermKind::Symbol(_) => self.domains[self.cell_of(term)].as_constant(),
            TermKind::Address { object, offset } => Some(kind.wrap(base_address(object, kind) + offset as i128)),
            TermKind::Inside { .. } => None,
            TermKind::Binary { op, a, b } => op.apply(kind, value_of(a), value_of(b)),
            TermKind::Extend { a } => Some(kind.wrap(value_of(a))),
        }
    }

    fn split_cases(&mut self, terms: &Terms) -> Verdict {
        if self.steps >= self.limit {
            return Verdict::Unknown;
        }
        let Some(split) = self.choose_split() else { return Verdict::Unknown };
        let mut verdict = Verdict::Fails;
        for first in [true, false] {
            self.steps += 1;
            let mark = self.save();
            let compared = self.comparisons.len();
            let consequence = match split {
                Split::At(cell, value) => {
                    let domain = self.domains[cell];
                    let kept = if first {
                        Domain { high: value, zeros: 0, ones: 0, ..domain }
                    } else {
                        Domain { low: value + 1, zeros: 0, ones: 0, ..domain }
                    };
                    self.narrow(cell, &kept).map(|_| ())
                }
                Split::Order(a, b) => {
                    self.comparisons.push(if first { Comparison::Less(a, b) } else { Comparison::Less(b, a) });
                    Ok(())
                }
            };
            let case = match consequence.and_then(|()| self.propagate()) {
                Err(Conflict) => Verdict::Fails,
                Ok(()) => match self.try_model(terms, CASE_MODEL_STEPS) {
                    Outcome::Found => Verdict::Holds,
                    Outcome::Nothing => Verdict::Fails,
                    Outcome::GaveUp => self.split_cases(terms),
                },
            };
            self.comparisons.truncate(compared);
            self.restore(mark);
            match case {
                Verdict::Holds => return Verdict::Holds,
                Verdict::Unknown => verdict = Verdict::Unknown,
                Verdict::Fails => {}
            }
            if verdict == Verdict::Unknown && self.steps >= self.limit {
                return Verdict::Unknown;
            }
        }
        verdict
    }

    fn choose_split(&self) -> Option<Split> {
        self.relations.iter().find_map(|&relation| self.split_at_seam(relation)).or_else(|| {
            self.comparisons.iter().find_map(|&comparison| self.split_by_order(comparison)).or_else(|| {
                let open = self.symbol_cells.iter().copied().filter(|&cell| self.domains[cell].width() > 0);
                let cell = open.min_by_key(|&cell| self.domains[cell].width())?;
                let domain = &self.domains[cell];
                Some(Split::At(cell, domain.low + domain.width() / 2))
            })
        })
    }

    /// Parts the values that wrap around from those that do not.
    fn split_at_seam(&self, relation: Relation) -> Option<Split> {
        match relation {
            Relation::Shift { base, offset, .. } => {
                let (kind, domain) = (self.kinds[base], &self.domains[base]);
                let offset = kind.number(offset);
                added_by_wrap(kind, domain.low + offset, domain.high + offset).is_none().then(|| {
                    let last = if offset >= 0 { kind.max() - offset } else { kind.min() - offset - 1 };
                    Split::At(base, last)
                })
            }
            Relation::Extend { result, a } => {
                let (from, to, domain) = (self.kinds[a], self.kinds[result], &self.domains[a]);
                let crosses = added_by_wrap(to, domain.low, domain.high).is_none() && from.bits <= to.bits;
                let seam = if from.signed { -1 } else { to.max() };
                (crosses && domain.low <= seam && seam < domain.high).then_some(Split::At(a, seam))
            }
            Relation::Binary { .. } => None,
        }
    }

    fn split_by_order(&self, comparison: Comparison) -> Option<Split> {
        let Comparison::Differ(a, b) = comparison else { return None };
        let (left, right) = (&self.domains[a], &self.domains[b]);
        if left.as_constant().is_some() || right.as_constant().is_some() {
            return None;
        }
        let overlap = left.low <= right.high && right.low <= left.high;
        let is_ordered = self.comparisons.iter().any(|&other| {
            other == Comparison::Less(a, b) || other == Comparison::Less(b, a)
        });
        (overlap && !is_ordered).then_some(Split::Order(a, b))
    }
}

/// Where objects lie in models: far apart, and the same in every component.
fn base_address(object: Object, kind: Kind) -> i128 {
    if kind.bits >= 48 {
        (1 << 46) + ((object.0 as i128 % (1 << 14)) << 32)
    } else {
        (1 << 28) + ((object.0 as i128 % (1 << 11)) << 20)
    }
}
