//! Components: the literals of a path that share symbols, decided once per space.
//!
//! For the path `n < 3, p == 0, n == m, c` with symbols `n`, `m`, `p` and a choice `c`, the components are
//! `{n < 3, n == m}`, `{p == 0}` and `{c}`. Many paths of many guards have the same ones.
//!
//! Invariants: a decided component stays decided, since nothing outside of it can matter; a lemma's literals are in atom
//! order and cannot hold together.

use rustc_hash::FxHasher;
use std::hash::Hasher;

use caulk_base::List;

use crate::atoms::Atoms;
use crate::predicates::{Atom, Predicate};
use crate::table::{IndexTable, Memo};
use crate::terms::{Term, TermKind, Terms};
use crate::theory::{Theory, Verdict};

/// Effort per literal when a failing component is cut down: enough for what propagation sees and simple cases.
const CORE_STEPS: u32 = 6;

/// Components with more literals are excluded as they are.
const MAX_CORE: usize = 48;

pub(crate) type Literal = (Atom, bool);

/// What is known of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finding {
    Holds,
    /// The literals of a lemma, all of them in the component, cannot hold together.
    Fails(List),
    Unknown(List),
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
    /// The symbols of each atom asked about so far.
    symbols_of: Memo,
    symbol_lists: Vec<List>,
    symbols: Vec<u32>,
    /// Scratch memory: the literal that a symbol was last seen in, the literals by group, the literals of one group.
    seen_in: Memo,
    leaders: Vec<usize>,
    group: Vec<Literal>,
    core: Vec<Literal>,
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
            symbols_of: Memo::new(),
            symbol_lists: Vec::new(),
            symbols: Vec::new(),
            seen_in: Memo::new(),
            leaders: Vec::new(),
            group: Vec::new(),
            core: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.decided.clear();
        self.table.clear();
        self.lemmas.clear();
        self.lemma_of_last.clear();
        self.arena.clear();
        self.symbols_of.clear();
        self.symbol_lists.clear();
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

    /// Decides all components of a conjunction, given in atom order. Hands what does not hold to `report`.
    pub(crate) fn judge(&mut self, terms: &Terms, atoms: &Atoms, path: &[Literal], mut report: impl FnMut(Finding)) {
        self.find_groups(terms, atoms, path);
        let mut group = std::mem::take(&mut self.group);
        for first in 0..path.len() {
            if self.leaders[first] != first || atoms.predicate(path[first].0) == Predicate::Choice {
                continue;
            }
            group.clear();
            group.extend((first..path.len()).filter(|&at| self.leaders[at] == first).map(|at| path[at]));
            match self.decide(terms, atoms, &group) {
                Finding::Holds => {}
                other => report(other),
            }
        }
        self.group = group;
    }

    /// Fills `leaders`: for each literal, the first one of its component.
    fn find_groups(&mut self, terms: &Terms, atoms: &Atoms, path: &[Literal]) {
        self.seen_in.clear();
        self.leaders.clear();
        for (at, &(atom, _)) in path.iter().enumerate() {
            self.leaders.push(at);
            for symbol in self.symbols_of(terms, atoms, atom).range() {
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

    fn symbols_of(&mut self, terms: &Terms, atoms: &Atoms, atom: Atom) -> List {
        if let Some(list) = self.symbols_of.get(atom.0) {
            return self.symbol_lists[list as usize];
        }
        let start = self.symbols.len();
        if let Predicate::Equal(a, b) | Predicate::Less(a, b) = atoms.predicate(atom) {
            self.waiting.clear();
            self.waiting.extend([a, b]);
            while let Some(term) = self.waiting.pop() {
                match terms.made(term) {
                    TermKind::Symbol(symbol) => {
                        if !self.symbols[start..].contains(&symbol.0) {
                            self.symbols.push(symbol.0);
                        }
                    }
                    TermKind::Binary { a, b, .. } => self.waiting.extend([a, b]),
                    TermKind::Extend { a } => self.waiting.push(a),
                    TermKind::Int(_) | TermKind::Address { .. } | TermKind::Inside { .. } => {}
                }
            }
        }
        let list = List { start: start as u32, len: (self.symbols.len() - start) as u32 };
        self.symbols_of.set(atom.0, self.symbol_lists.len() as u32);
        self.symbol_lists.push(list);
        list
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
            Verdict::Unknown => Finding::Unknown(literals),
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
        let mut at = if group.len() <= MAX_CORE { self.core.len() } else { 0 };
        while at > 0 && self.core.len() > 1 {
            at -= 1;
            let dropped = self.core.remove(at);
            if self.theory.decide(terms, with_predicates(atoms, &self.core), CORE_STEPS) != Verdict::Fails {
                self.core.insert(at, dropped);
            }
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
