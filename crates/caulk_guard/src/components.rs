//! Components: the literals of a path that share symbols, decided once per space.
//!
//! For the path `n < 3, p == 0, n == m, c` with symbols `n`, `m`, `p` and a choice `c`, the components are
//! `{n < 3, n == m}`, `{p == 0}` and `{c}`. Many paths of many guards have the same ones.
//!
//! Invariants: a decided component stays decided, since nothing outside of it can matter; a lemma's literals are in
//! atom order and cannot hold together.

use rustc_hash::FxHasher;
use std::hash::Hasher;

use caulk_base::List;

use crate::atoms::Atoms;
use crate::predicates::{Atom, Predicate};
use crate::table::{IndexTable, Memo};
use crate::terms::{Term, TermKind, Terms};
use crate::theory::{Theory, Verdict};
use crate::unary::Unary;

/// Effort per literal when a failing component is cut down: enough for what propagation sees and simple cases.
const CORE_STEPS: u32 = 6;

/// Components with more literals are excluded as they are.
const MAX_CORE: usize = 64;

pub(crate) type Literal = (Atom, bool);

/// What is known of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finding {
    Holds,
    /// The literals of a lemma, all of them in the component, cannot hold together.
    Fails(List),
    Unknown,
}

/// What is known of an atom.
#[derive(Clone, Copy)]
struct Facts {
    symbols: List,
    /// The objects whose addresses occur in it; they follow the symbols.
    objects: List,
    unary: Option<Unary>,
    /// It puts two unknowns in order, and so perhaps objects.
    is_order: bool,
}

struct Component {
    literals: List,
    finding: Finding,
}

struct Lemma {
    literals: List,
    /// The lemma before with the same last atom.
    previous: Option<u32>,
}

pub(crate) struct Components {
    theory: Theory,
    decided: Vec<Component>,
    table: IndexTable,
    lemmas: Vec<Lemma>,
    lemma_of_last: Memo,
    /// Literals of components and lemmas, one after the other.
    arena: Vec<Literal>,
    /// Facts of each atom asked about so far, and their symbols.
    facts_of: Memo,
    facts: Vec<Facts>,
    symbols: Vec<u32>,
    objects: Vec<u32>,
    /// Scratch memory.
    seen_in: Memo,
    leaders: Vec<usize>,
    relevant: Vec<Literal>,
    fixed: Memo,
    group: Vec<Literal>,
    core: Vec<Literal>,
    dropped: Vec<Literal>,
    waiting: Vec<Term>,
}

impl Components {
    pub(crate) fn new() -> Components {
        Components {
            theory: Theory::new(),
            decided: Vec::new(),
            table: IndexTable::new(),
            lemmas: Vec::new(),
            lemma_of_last: Memo::new(),
            arena: Vec::new(),
            facts_of: Memo::new(),
            facts: Vec::new(),
            symbols: Vec::new(),
            objects: Vec::new(),
            seen_in: Memo::new(),
            leaders: Vec::new(),
            relevant: Vec::new(),
            fixed: Memo::new(),
            group: Vec::new(),
            core: Vec::new(),
            dropped: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.decided.clear();
        self.table.clear();
        self.lemmas.clear();
        self.lemma_of_last.clear();
        self.arena.clear();
        self.facts_of.clear();
        self.facts.clear();
        self.symbols.clear();
    }

    pub(crate) fn literals(&self, list: List) -> &[Literal] {
        &self.arena[list.range()]
    }

    /// The lemmas whose last atom this is.
    pub(crate) fn lemmas_ending_at(&self, atom: Atom) -> impl Iterator<Item = List> + '_ {
        let mut next = self.lemma_of_last.get(atom.0);
        std::iter::from_fn(move || {
            let lemma = &self.lemmas[next? as usize];
            next = lemma.previous;
            Some(lemma.literals)
        })
    }

    /// What the atom says about one term, if it is of that sort.
    pub(crate) fn unary(&mut self, terms: &Terms, atoms: &Atoms, atom: Atom) -> Option<Unary> {
        self.facts(terms, atoms, atom).unary
    }

    /// Decides all components of a conjunction, given in atom order and without two literals that exclude each other.
    /// Hands those that do not hold to `report`, or the part of them that fails already.
    pub(crate) fn judge(
        &mut self,
        terms: &Terms,
        atoms: &Atoms,
        path: &[Literal],
        mut report: impl FnMut(&[Literal], Finding),
    ) {
        let mut relevant = std::mem::take(&mut self.relevant);
        self.drop_implied(terms, atoms, path, &mut relevant);
        let path = relevant.as_slice();
        self.find_groups(terms, atoms, path);
        let mut group = std::mem::take(&mut self.group);
        for first in 0..path.len() {
            if self.leaders[first] != first {
                continue;
            }
            group.clear();
            group.extend((first..path.len()).filter(|&at| self.leaders[at] == first).map(|at| path[at]));
            match self.decide(terms, atoms, &group) {
                Finding::Holds => {}
                Finding::Fails(core) => report(self.literals(core), Finding::Fails(core)),
                Finding::Unknown => report(&group, Finding::Unknown),
            }
        }
        self.group = group;
        self.relevant = relevant;
    }

    /// Where a term has a fixed value, whatever else is said about it follows, as no two literals exclude each other.
    fn drop_implied(&mut self, terms: &Terms, atoms: &Atoms, path: &[Literal], relevant: &mut Vec<Literal>) {
        self.fixed.clear();
        for &(atom, value) in path {
            if let Some(unary) = self.unary(terms, atoms, atom)
                && unary.fixes_value(value)
            {
                self.fixed.set(unary.base.0, atom.0);
            }
        }
        relevant.clear();
        relevant.extend(path.iter().copied().filter(|&(atom, _)| match self.unary(terms, atoms, atom) {
            Some(unary) => self.fixed.get(unary.base.0).is_none_or(|fixing| fixing == atom.0),
            None => atoms.predicate(atom) != Predicate::Choice,
        }));
    }

    /// Fills `leaders`: for each literal, the first one of its component.
    fn find_groups(&mut self, terms: &Terms, atoms: &Atoms, path: &[Literal]) {
        self.seen_in.clear();
        self.leaders.clear();
        // Only where something is put in order does it matter where objects lie, for all that mention them.
        let is_ordered = path.iter().any(|&(atom, _)| self.facts(terms, atoms, atom).is_order);
        for (at, &(atom, _)) in path.iter().enumerate() {
            self.leaders.push(at);
            let facts = self.facts(terms, atoms, atom);
            let objects = if is_ordered { facts.objects.range() } else { 0..0 };
            for symbol in facts.symbols.range().chain(objects) {
                let symbol = self.symbols[symbol];
                if let Some(other) = self.seen_in.get(symbol) {
                    let (one, other) = (self.leader(at), self.leader(other as usize));
                    self.leaders[one.max(other)] = one.min(other);
                }
                self.seen_in.set(symbol, at as u32);
            }
        }
        for at in 0..path.len() {
            // Leaders come first, so theirs are final already.
            self.leaders[at] = self.leaders[self.leaders[at]];
        }
    }

    fn leader(&self, mut at: usize) -> usize {
        while self.leaders[at] != at {
            at = self.leaders[at];
        }
        at
    }

    fn facts(&mut self, terms: &Terms, atoms: &Atoms, atom: Atom) -> Facts {
        if let Some(at) = self.facts_of.get(atom.0) {
            return self.facts[at as usize];
        }
        let predicate = atoms.predicate(atom);
        let start = self.symbols.len();
        self.objects.clear();
        if let Predicate::Equal(a, b) | Predicate::Less(a, b) = predicate {
            self.waiting.clear();
            self.waiting.extend([a, b]);
            while let Some(term) = self.waiting.pop() {
                match terms.made(term) {
                    TermKind::Symbol(symbol) => {
                        // Symbols have the even numbers, objects the odd ones.
                        if !self.symbols[start..].contains(&(2 * symbol.0)) {
                            self.symbols.push(2 * symbol.0);
                        }
                    }
                    TermKind::Binary { a, b, .. } => self.waiting.extend([a, b]),
                    TermKind::Extend { a } => self.waiting.push(a),
                    TermKind::Address { object, .. } => self.objects.push(2 * object.0 + 1),
                    TermKind::Int(_) | TermKind::Inside { .. } => {}
                }
            }
        }
        let symbols = List { start: start as u32, len: (self.symbols.len() - start) as u32 };
        let objects = List { start: self.symbols.len() as u32, len: self.objects.len() as u32 };
        self.symbols.append(&mut self.objects);
        let unary = Unary::of(terms, predicate);
        let is_order = matches!(predicate, Predicate::Less(..)) && unary.is_none();
        let facts = Facts { symbols, objects, unary, is_order };
        self.facts_of.set(atom.0, self.facts.len() as u32);
        self.facts.push(facts);
        facts
    }

    fn decide(&mut self, terms: &Terms, atoms: &Atoms, group: &[Literal]) -> Finding {
        let (arena, decided) = (&self.arena, &self.decided);
        let literals_of = |id: u32| &arena[decided[id as usize].literals.range()];
        let vacant = match self.table.find(hash(group), |id| literals_of(id) == group) {
            Ok(id) => return self.decided[id as usize].finding,
            Err(vacant) => vacant,
        };
        let literals = store(&mut self.arena, group);
        let finding = match self.theory.decide(terms, with_predicates(atoms, group), u32::MAX) {
            Verdict::Holds => Finding::Holds,
            Verdict::Unknown => Finding::Unknown,
            Verdict::Fails => Finding::Fails(self.learn(terms, atoms, group)),
        };
        self.decided.push(Component { literals, finding });
        let (arena, decided) = (&self.arena, &self.decided);
        let hash_of = |id: u32| hash(&arena[decided[id as usize].literals.range()]);
        self.table.insert(vacant, self.decided.len() as u32 - 1, hash_of);
        finding
    }

    /// Cuts literals that cannot hold together down to a few that cannot, and keeps those as a lemma.
    fn learn(&mut self, terms: &Terms, atoms: &Atoms, group: &[Literal]) -> List {
        self.core.clear();
        self.core.extend_from_slice(group);
        // Most cores are two or three literals: drop large pieces first, then smaller ones.
        let mut piece = self.core.len() / 2;
        while piece > 0 && group.len() <= MAX_CORE {
            let mut end = self.core.len();
            while end > 0 && self.core.len() > piece {
                let start = end.saturating_sub(piece);
                self.dropped.clear();
                self.dropped.extend(self.core.drain(start..end));
                if self.theory.decide(terms, with_predicates(atoms, &self.core), CORE_STEPS) != Verdict::Fails {
                    self.core.splice(start..start, self.dropped.iter().copied());
                }
                end = start;
            }
            piece /= 2;
        }
        let literals = store(&mut self.arena, &self.core);
        let (last, _) = *self.core.last().expect("no literals at all can hold");
        let previous = self.lemma_of_last.get(last.0);
        self.lemma_of_last.set(last.0, self.lemmas.len() as u32);
        self.lemmas.push(Lemma { literals, previous });
        literals
    }
}

fn with_predicates(atoms: &Atoms, literals: &[Literal]) -> impl Iterator<Item = (Predicate, bool)> {
    literals.iter().map(|&(atom, value)| (atoms.predicate(atom), value))
}

fn store(arena: &mut Vec<Literal>, literals: &[Literal]) -> List {
    let start = arena.len() as u32;
    arena.extend_from_slice(literals);
    List { start, len: literals.len() as u32 }
}

fn hash(literals: &[Literal]) -> u64 {
    let mut hasher = FxHasher::default();
    for &(atom, value) in literals {
        hasher.write_u32(atom.0 << 1 | value as u32);
    }
    hasher.finish()
}
