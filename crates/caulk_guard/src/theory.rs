//! The theory of one component: whether some literals over shared symbols can hold together.
//!
//! A *component* is a set of literals connected by symbols. Its terms are gathered into *cells*: a cell is one number,
//! and terms known to be equal share it. Equality is a union-find with offsets modulo the width, so that for
//! `x == y + 1 && y == z + 1 && x != z + 2`
//!
//! ```text
//! root z:   z at +0   y, z+1 at +1   x, y+1, z+2 at +2       x and z+2 are one cell, yet must differ: fails
//! ```
//!
//! Integers are offsets from a root *zero*, addresses from the root of their object, and two such roots never join:
//! that is all there is to "different objects never equal, and none of them null".
//!
//! What equality does not settle goes to [`propagate`](crate::propagate) (domains, orders) and
//! [`search`](crate::search) (a model, or a proof by cases).
//!
//! Invariants: `Fails` follows from the literals alone; `Holds` means that values for all symbols were found under
//! which every literal, evaluated term by term, has its truth.

use crate::classes::{Anchor, Classes};
use crate::domain::Domain;
use crate::kind::{Kind, Op};
use crate::predicates::Predicate;
use crate::table::Memo;
use crate::terms::{Object, Term, TermKind, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Holds,
    Fails,
    Unknown,
}

/// No values satisfy the literals, or none of the branch under search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict;

/// Larger components are left undecided, which costs a miss, never a false alarm.
const MAX_TERMS: usize = 400;

/// An equation between cells, by the term that gave rise to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Relation {
    Binary {
        op: Op,
        result: usize,
        a: usize,
        b: usize,
    },
    Extend {
        result: usize,
        a: usize,
    },
    /// `result == base + offset`, two cells under one root.
    Shift {
        result: usize,
        base: usize,
        offset: u64,
    },
}

/// A comparison that must hold between two different cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Differ(usize, usize),
    Less(usize, usize),
    LessOrEqual(usize, usize),
}

/// Scratch memory for deciding components, one after the other.
pub(crate) struct Theory {
    /// The component's terms; operands come before what is made of them.
    pub(crate) terms: Vec<Term>,
    pub(crate) literals: Vec<(Predicate, bool)>,
    index: Memo,
    classes: Classes,
    /// The nodes of terms that are operations.
    operations: Vec<usize>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) domains: Vec<Domain>,
    /// For a cell at an offset in an object: which.
    pub(crate) places: Vec<Option<(Object, u64)>>,
    /// The objects whose addresses occur, in the order in which a model places them.
    pub(crate) objects: Vec<Object>,
    pub(crate) relations: Vec<Relation>,
    /// For each relation that is a sum: what wrapping adds to it in the case under search.
    pub(crate) carries: Vec<Option<i128>>,
    pub(crate) comparisons: Vec<Comparison>,
    /// `(x, y, w)` for `x - y <= w`.
    pub(crate) edges: Vec<(usize, usize, i128)>,
    pub(crate) bounds: Vec<(i128, i128)>,
    /// The cells whose values are chosen: symbols, and parts of symbols. With these, all others are known.
    pub(crate) free_cells: Vec<usize>,
    /// Domains to come back to, one whole set after the other.
    pub(crate) saved: Vec<Domain>,
    pub(crate) values: Vec<i128>,
    /// Propagations spent, and how many may be.
    pub(crate) steps: u32,
    pub(crate) limit: u32,
}

impl Theory {
    pub(crate) fn new() -> Theory {
        Theory {
            terms: Vec::new(),
            literals: Vec::new(),
            index: Memo::new(),
            classes: Classes::new(),
            operations: Vec::new(),
            kinds: Vec::new(),
            domains: Vec::new(),
            places: Vec::new(),
            objects: Vec::new(),
            relations: Vec::new(),
            carries: Vec::new(),
            comparisons: Vec::new(),
            edges: Vec::new(),
            bounds: Vec::new(),
            free_cells: Vec::new(),
            saved: Vec::new(),
            values: Vec::new(),
            steps: 0,
            limit: 0,
        }
    }

    /// Whether the literals can hold together. The search spends no more than `limit` propagations.
    pub(crate) fn decide(
        &mut self,
        terms: &Terms,
        literals: impl Iterator<Item = (Predicate, bool)>,
        limit: u32,
    ) -> Verdict {
        self.literals.clear();
        self.literals.extend(literals.filter(|(predicate, _)| *predicate != Predicate::Choice));
        if self.literals.is_empty() {
            return Verdict::Holds;
        }
        self.collect_terms(terms);
        if self.terms.len() > MAX_TERMS {
            return Verdict::Unknown;
        }
        match self.build_cells(terms).and_then(|()| self.propagate()) {
            Err(Conflict) => Verdict::Fails,
            Ok(()) => self.search(terms, limit),
        }
    }

    /// The component's own index of a term.
    pub(crate) fn node_of(&self, term: Term) -> usize {
        self.index.get(term.0).expect("every operand of a collected term was collected") as usize
    }

    pub(crate) fn cell_of(&self, term: Term) -> usize {
        self.classes.cell(self.node_of(term))
    }

    fn collect_terms(&mut self, terms: &Terms) {
        self.index.clear();
        self.terms.clear();
        for at in 0..self.literals.len() {
            if let Predicate::Equal(a, b) | Predicate::Less(a, b) = self.literals[at].0 {
                self.collect(a);
                self.collect(b);
            }
        }
        let mut next = 0;
        while next < self.terms.len() && self.terms.len() <= MAX_TERMS {
            match terms.made(self.terms[next]) {
                TermKind::Binary { a, b, .. } => {
                    self.collect(a);
                    self.collect(b);
                }
                TermKind::Extend { a } => self.collect(a),
                TermKind::Int(_) | TermKind::Symbol(_) | TermKind::Address { .. } | TermKind::Inside { .. } => {}
            }
            next += 1;
        }
        self.terms.sort_unstable();
        for (at, term) in self.terms.iter().enumerate() {
            self.index.set(term.0, at as u32);
        }
    }

    fn collect(&mut self, term: Term) {
        if self.index.get(term.0).is_none() {
            self.index.set(term.0, 0);
            self.terms.push(term);
        }
    }

    /// Joins what is equal and turns the rest into relations and comparisons between cells.
    fn build_cells(&mut self, terms: &Terms) -> Result<(), Conflict> {
        self.classes.clear();
        self.objects.clear();
        for &term in &self.terms {
            // An address whose offset is not known still never joins another object.
            let anchor = terms.address_object(term).map(Anchor::Object);
            self.classes.push(terms.kind(term), anchor);
        }
        for at in 0..self.terms.len() {
            let kind = terms.kind(self.terms[at]);
            match terms.made(self.terms[at]) {
                TermKind::Int(value) => {
                    self.classes.join_anchor(at, Anchor::Zero, kind.mask() & value as u64)?;
                }
                TermKind::Address { object, offset } => {
                    if !self.objects.contains(&object) {
                        self.objects.push(object);
                    }
                    self.classes.join_anchor(at, Anchor::Object(object), kind.mask() & offset as u64)?;
                }
                TermKind::Binary { op: Op::Add, a, b } => {
                    if let Some(offset) = terms.as_int(b) {
                        self.classes.join(at, self.node_of(a), kind.pattern(offset))?;
                    }
                }
                _ => {}
            }
        }
        for at in 0..self.literals.len() {
            if let (Predicate::Equal(a, b), true) = self.literals[at] {
                self.classes.join(self.node_of(a), self.node_of(b), 0)?;
            }
        }
        self.close_congruence(terms)?;
        self.number_cells(terms)?;
        self.build_relations(terms);
        self.build_comparisons()
    }

    /// Equal operations on equal operands are equal, and sums with a known part are offsets.
    fn close_congruence(&mut self, terms: &Terms) -> Result<(), Conflict> {
        self.operations.clear();
        self.operations.extend(
            (0..self.terms.len())
                .filter(|&at| matches!(terms.made(self.terms[at]), TermKind::Binary { .. } | TermKind::Extend { .. })),
        );
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for position in 0..self.operations.len() {
                let at = self.operations[position];
                changed |= self.join_sum(terms, at)?;
                for earlier in 0..position {
                    let earlier = self.operations[earlier];
                    if self.are_congruent(terms, at, earlier) && !self.classes.are_equal(at, earlier) {
                        self.classes.join(at, earlier, 0)?;
                        changed = true;
                    }
                }
            }
        }
        Ok(())
    }

    fn are_congruent(&self, terms: &Terms, at: usize, earlier: usize) -> bool {
        let (term, other) = (self.terms[at], self.terms[earlier]);
        if terms.kind(term) != terms.kind(other) {
            return false;
        }
        let same = |a: Term, b: Term| {
            terms.kind(a) == terms.kind(b) && self.classes.are_equal(self.node_of(a), self.node_of(b))
        };
        match (terms.made(term), terms.made(other)) {
            (TermKind::Binary { op, a, b }, TermKind::Binary { op: other, a: c, b: d }) => {
                op == other && (same(a, c) && same(b, d) || op.is_commutative() && same(a, d) && same(b, c))
            }
            (TermKind::Extend { a }, TermKind::Extend { a: b }) => same(a, b),
            _ => false,
        }
    }

    /// Of the three numbers in a sum or difference, two that are a known distance apart give the third.
    fn join_sum(&mut self, terms: &Terms, at: usize) -> Result<bool, Conflict> {
        // whole == left + right
        let (whole, left, right) = match terms.made(self.terms[at]) {
            TermKind::Binary { op: Op::Add, a, b } => (at, self.node_of(a), self.node_of(b)),
            TermKind::Binary { op: Op::Sub, a, b } => (self.node_of(a), at, self.node_of(b)),
            _ => return Ok(false),
        };
        let mut changed = false;
        for (one, other) in [(left, right), (right, left)] {
            if let Some(distance) = self.classes.distance(whole, one) {
                changed |= self.classes.join_anchor(other, Anchor::Zero, distance)?;
            }
            if let Some((Anchor::Zero, number)) = self.classes.anchored(other) {
                changed |= self.classes.join(whole, one, number)?;
            }
        }
        Ok(changed)
    }

    fn number_cells(&mut self, terms: &Terms) -> Result<(), Conflict> {
        let cells = self.classes.number_cells();
        self.kinds.clear();
        self.domains.clear();
        self.places.clear();
        self.free_cells.clear();
        for _ in 0..cells {
            self.kinds.push(Kind::unsigned(1));
            self.domains.push(Domain::full(Kind::unsigned(1)));
            self.places.push(None);
        }
        for (at, &term) in self.terms.iter().enumerate() {
            let (cell, kind) = (self.classes.cell(at), terms.kind(term));
            if self.classes.is_first_of_cell(at) {
                self.kinds[cell] = kind;
                self.domains[cell] = *terms.domain(term);
                match self.classes.anchored(at) {
                    Some((Anchor::Zero, offset)) => {
                        self.domains[cell].meet(kind, &Domain::constant(kind, kind.number(offset)));
                    }
                    Some((Anchor::Object(object), offset)) => self.places[cell] = Some((object, offset)),
                    None => {}
                }
            } else {
                self.domains[cell].meet(kind, terms.domain(term));
            }
            if self.domains[cell].is_empty() {
                return Err(Conflict);
            }
            let is_free = match terms.made(term) {
                TermKind::Symbol(_) => true,
                // Parts of a number: to choose them before the whole leaves the rest of it open.
                TermKind::Extend { a } => terms.kind(a).bits > kind.bits,
                TermKind::Binary { op, b, .. } => op == Op::And && terms.as_int(b).is_some(),
                _ => false,
            };
            if is_free && !self.free_cells.contains(&cell) {
                self.free_cells.push(cell);
            }
        }
        Ok(())
    }

    fn build_relations(&mut self, terms: &Terms) {
        self.relations.clear();
        for (at, &term) in self.terms.iter().enumerate() {
            let result = self.classes.cell(at);
            match terms.made(term) {
                TermKind::Binary { op, a, b } if op != Op::Add || terms.as_int(b).is_none() => {
                    self.relations.push(Relation::Binary { op, result, a: self.cell_of(a), b: self.cell_of(b) });
                }
                TermKind::Extend { a } => self.relations.push(Relation::Extend { result, a: self.cell_of(a) }),
                _ => {}
            }
            // Each cell is tied to the first one under its root.
            if self.classes.is_first_of_cell(at)
                && let Some((base, offset)) = self.classes.sibling(at)
                && self.domains[result].as_constant().is_none()
            {
                self.relations.push(Relation::Shift { result, base, offset });
            }
        }
        self.carries.clear();
        self.carries.resize(self.relations.len(), None);
    }

    fn build_comparisons(&mut self) -> Result<(), Conflict> {
        self.comparisons.clear();
        for at in 0..self.literals.len() {
            let (predicate, truth) = self.literals[at];
            let (a, b) = match predicate {
                Predicate::Equal(a, b) | Predicate::Less(a, b) => (self.node_of(a), self.node_of(b)),
                Predicate::Choice => continue,
            };
            let (left, right) = (self.classes.cell(a), self.classes.cell(b));
            match (predicate, truth) {
                (Predicate::Equal(..), true) | (Predicate::Choice, _) => {}
                (Predicate::Equal(..), false) | (Predicate::Less(..), true) if left == right => return Err(Conflict),
                (Predicate::Equal(..), false) => {
                    // Two places in one object, or two integers: different already.
                    if !self.classes.have_one_root(a, b) {
                        self.comparisons.push(Comparison::Differ(left, right));
                    }
                }
                (Predicate::Less(..), true) => self.comparisons.push(Comparison::Less(left, right)),
                (Predicate::Less(..), false) if left == right => {}
                (Predicate::Less(..), false) => {
                    // Places in different objects are never equal.
                    let object_of = |cell: usize| self.places[cell].map(|(object, _)| object);
                    let is_strict = matches!((object_of(left), object_of(right)), (Some(a), Some(b)) if a != b);
                    self.comparisons.push(match is_strict {
                        true => Comparison::Less(right, left),
                        false => Comparison::LessOrEqual(right, left),
                    });
                }
            }
        }
        Ok(())
    }
}
