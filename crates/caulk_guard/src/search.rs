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

use smallvec::{SmallVec, smallvec};

use crate::domain::Domain;
use crate::kind::{Kind, Op};
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
    /// Wrapping adds one amount to this sum, or another.
    Carry(usize, i128, i128),
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
        if self.objects.is_empty() {
            let mark = self.save();
            let outcome = self.assign_symbols(terms, limit);
            self.restore(mark);
            return outcome;
        }
        // Objects may lie elsewhere than where they are placed here, so a failure proves nothing.
        let orders = if self.objects.len() > 1 { 2 } else { 1 };
        for reverse_ties in [false, true].into_iter().take(orders) {
            let mark = self.save();
            if orders > 1 {
                self.order_objects(reverse_ties);
            }
            let placed = self.place_objects().and_then(|()| self.propagate());
            let is_found = placed.is_ok() && self.assign_symbols(terms, limit) == Outcome::Found;
            self.restore(mark);
            if is_found {
                return Outcome::Found;
            }
        }
        Outcome::GaveUp
    }

    /// Sorts the objects as comparisons between addresses want them: by how many cells must lie below.
    fn order_objects(&mut self, reverse_ties: bool) {
        let mut ranks: SmallVec<[u32; 32]> = smallvec![0; self.domains.len()];
        // As long as orders do not run in a circle, this many rounds settle them.
        for _ in 0..self.domains.len() {
            let before = ranks.clone();
            for &comparison in &self.comparisons {
                match comparison {
                    Comparison::Less(a, b) => ranks[b] = ranks[b].max(ranks[a] + 1),
                    Comparison::LessOrEqual(a, b) => ranks[b] = ranks[b].max(ranks[a]),
                    Comparison::Differ(..) => {}
                }
            }
            for &relation in &self.relations {
                // Offsets are small beside the distances between objects.
                if let Relation::Shift { result, base, .. } = relation {
                    ranks[result] = ranks[result].max(ranks[base]);
                    ranks[base] = ranks[result];
                }
            }
            if ranks == before {
                break;
            }
        }
        let rank_of = |object: Object| {
            let places = self.places.iter().zip(&ranks);
            places.filter(|(place, _)| place.is_some_and(|(other, _)| other == object)).map(|(_, &rank)| rank).max()
        };
        let tie = |object: Object| if reverse_ties { u32::MAX - object.0 } else { object.0 };
        self.objects.sort_unstable_by_key(|&object| (rank_of(object), tie(object)));
    }

    /// Gives every cell that is a place in an object its number.
    fn place_objects(&mut self) -> Result<(), Conflict> {
        for cell in 0..self.domains.len() {
            if let Some((object, offset)) = self.places[cell] {
                let kind = self.kinds[cell];
                let address = kind.wrap(self.base_address(object, kind) + offset as i128);
                self.narrow(cell, &Domain::constant(kind, address))?;
            }
        }
        Ok(())
    }

    /// Where an object lies in the model being tried: in order, and far from all others.
    fn base_address(&self, object: Object, kind: Kind) -> i128 {
        let rank = self.objects.iter().position(|&other| other == object).unwrap_or(0) as i128;
        if kind.bits >= 48 { (1 << 46) + (rank << 32) } else { (1 << 28) + (rank << 20) }
    }

    fn assign_symbols(&mut self, terms: &Terms, limit: u32) -> Outcome {
        // The fewest values first: that is where a wrong guess shows soonest.
        let open = self.free_cells.iter().copied().filter(|&cell| self.domains[cell].as_constant().is_none());
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
            TermKind::Address { object, offset } => Some(kind.wrap(self.base_address(object, kind) + offset as i128)),
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
                Split::Carry(relation, one, other) => {
                    self.carries[relation] = Some(if first { one } else { other });
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
            if let Split::Carry(relation, ..) = split {
                self.carries[relation] = None;
            }
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
        let seam = (0..self.relations.len()).find_map(|relation| self.split_at_seam(relation));
        seam.or_else(|| self.comparisons.iter().find_map(|&comparison| self.split_by_order(comparison)))
            .or_else(|| self.split_in_half())
    }

    fn split_in_half(&self) -> Option<Split> {
        let open = self.free_cells.iter().copied().filter(|&cell| self.domains[cell].width() > 0);
        let cell = open.min_by_key(|&cell| self.domains[cell].width())?;
        let domain = &self.domains[cell];
        Some(Split::At(cell, domain.low + domain.width() / 2))
    }

    /// Parts the values that wrap around from those that do not.
    fn split_at_seam(&self, relation: usize) -> Option<Split> {
        match self.relations[relation] {
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
            Relation::Binary { op: op @ (Op::Add | Op::Sub), result, a, b } if self.carries[relation].is_none() => {
                let mut possible = self.possible_carries(op, result, a, b);
                let (one, other, third) = (possible.next()?, possible.next()?, possible.next());
                match third {
                    None => Some(Split::Carry(relation, one, other)),
                    // Signs decide which way it can wrap.
                    Some(_) => Some(Split::At(if self.domains[a].low < 0 { a } else { b }, -1)),
                }
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
        let is_ordered =
            self.comparisons.iter().any(|&other| other == Comparison::Less(a, b) || other == Comparison::Less(b, a));
        (overlap && !is_ordered).then_some(Split::Order(a, b))
    }
}
