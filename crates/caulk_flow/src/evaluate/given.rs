//! What is always so of atoms that came up with a call or a loop.
//!
//! A call has one of a few outcomes, a descriptor is not negative, a counter that a loop forgot is no less than it was.
//! Such *facts* are about atoms that nobody could ask for before. In the guard of the path they would be carried along
//! to the end, and multiply with every condition they came up under:
//!
//! ```c
//! if (verbose) r = send(a);           // one of three outcomes, told by two choices: not both
//! if (quiet) s = send(b);             // guard: (verbose -> not both) and (quiet -> not both), and so on
//! ```
//!
//! So they are kept aside. Where such an atom is asked for, the question is simplified by its facts; where a guard is
//! looked at for good, the facts of its atoms are added.
//!
//! Invariant: whatever the older atoms are, some truth of the new ones makes a fact true. So a fact rules out no path
//! on which its atoms do not matter. What a fact says of older atoms alone stays in the guard of the path.

use caulk_guard::{Atom, Guard, Predicate, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::loops::Forgotten;
use super::{Evaluator, State};
use crate::value::Val;

#[derive(Default)]
pub struct Givens {
    facts: Vec<Guard>,
    by_choice: FxHashMap<Atom, SmallVec<[u32; 2]>>,
    by_symbol: FxHashMap<Symbol, SmallVec<[u32; 2]>>,
    /// Numbers that loops forgot, until somebody asks for them: few are ever asked for.
    forgotten: FxHashMap<Symbol, Forgotten>,
}

impl Givens {
    pub(super) fn clear(&mut self) {
        self.facts.clear();
        self.by_choice.clear();
        self.by_symbol.clear();
        self.forgotten.clear();
    }

    /// What a number was when a loop forgot it, as long as nobody has asked for it.
    pub(super) fn begin_of(&self, symbol: Symbol) -> Option<Val> {
        self.forgotten.get(&symbol).map(|forgotten| forgotten.new)
    }

    fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.forgotten.is_empty()
    }
}

/// What there was before a call or a loop: atoms and symbols from here on are new.
#[derive(Clone, Copy)]
pub(super) struct Since {
    atoms: usize,
    symbols: usize,
}

impl Evaluator<'_> {
    pub(super) fn since(&self) -> Since {
        Since { atoms: self.space.atom_count(), symbols: self.space.symbol_count() as usize }
    }

    /// Control only goes on where this holds.
    pub(super) fn must(&mut self, state: &mut State, fact: Guard, since: Since) {
        let (before, rest) = self.apart(fact, since);
        state.guard = self.space.and(state.guard, before);
        self.give(rest, since);
    }

    /// The same, unless control would go on nowhere: then something is not understood.
    pub(super) fn should(&mut self, state: &mut State, fact: Guard, since: Since) {
        let (before, rest) = self.apart(fact, since);
        let guard = self.space.and(state.guard, before);
        if !guard.is_false() {
            state.guard = guard;
            self.give(rest, since);
        }
    }

    /// What a fact says of what was there before, and what it says beyond that.
    fn apart(&mut self, fact: Guard, since: Since) -> (Guard, Guard) {
        if fact.is_constant() {
            return (fact, Guard::TRUE);
        }
        let mut new = self.space.support(&[fact]);
        new.retain(|&atom| self.is_new(atom, since));
        if new.is_empty() {
            return (fact, Guard::TRUE);
        }
        let before = self.space.exists(fact, &|atom| new.binary_search(&atom).is_ok());
        (before, self.space.or(fact, before.not()))
    }

    fn is_new(&self, atom: Atom, since: Since) -> bool {
        match self.space.predicate(atom) {
            Predicate::Choice => atom.0 as usize >= since.atoms,
            _ => self.symbols_of(atom).iter().any(|symbol| symbol.0 as usize >= since.symbols),
        }
    }

    fn give(&mut self, fact: Guard, since: Since) {
        if fact.is_constant() {
            return;
        }
        let number = self.givens.facts.len() as u32;
        self.givens.facts.push(fact);
        for atom in self.space.support(&[fact]) {
            if matches!(self.space.predicate(atom), Predicate::Choice) {
                if atom.0 as usize >= since.atoms {
                    self.givens.by_choice.entry(atom).or_default().push(number);
                }
                continue;
            }
            for symbol in self.symbols_of(atom).into_iter().filter(|symbol| symbol.0 as usize >= since.symbols) {
                let facts = self.givens.by_symbol.entry(symbol).or_default();
                if facts.last() != Some(&number) {
                    facts.push(number);
                }
            }
        }
    }

    /// A fact about a symbol and older ones.
    pub(super) fn know(&mut self, fact: Guard, symbol: Symbol) {
        let since = Since { atoms: self.space.atom_count(), symbols: symbol.0 as usize };
        let (_, fact) = self.apart(fact, since);
        self.give(fact, since);
    }

    /// What is known of a number is found when it is asked for.
    pub(super) fn ask_later(&mut self, unknown: Term, forgotten: Forgotten) {
        if let Some(symbol) = self.symbol_of(unknown) {
            self.givens.forgotten.insert(symbol, forgotten);
        }
    }

    /// The facts about an atom.
    fn facts_of(&mut self, atom: Atom, found: &mut SmallVec<[u32; 8]>) {
        if matches!(self.space.predicate(atom), Predicate::Choice) {
            found.extend(self.givens.by_choice.get(&atom).into_iter().flatten().copied());
            return;
        }
        for symbol in self.symbols_of(atom) {
            self.facts_of_symbol(symbol, found);
        }
    }

    fn facts_of_symbol(&mut self, symbol: Symbol, found: &mut SmallVec<[u32; 8]>) {
        if let Some(forgotten) = self.givens.forgotten.remove(&symbol) {
            let unknown = self.objects.symbols[symbol.0 as usize].term;
            let kept = self.kept_of(unknown, &forgotten);
            // What it says of older atoms alone is so anyway where it was forgotten.
            let (_, fact) = self.apart(kept, forgotten.since);
            self.give(fact, forgotten.since);
        }
        found.extend(self.givens.by_symbol.get(&symbol).into_iter().flatten().copied());
    }

    /// A question, made simpler by what is known of its atoms.
    pub(super) fn simplified(&mut self, question: Guard) -> Guard {
        if question.is_constant() || self.givens.is_empty() {
            return question;
        }
        let mut known = SmallVec::new();
        for atom in self.space.support(&[question]) {
            self.facts_of(atom, &mut known);
        }
        known.sort_unstable();
        known.dedup();
        let mut simplified = question;
        for number in known {
            simplified = self.space.restrict(simplified, self.givens.facts[number as usize]);
        }
        simplified
    }

    /// All that is known of the atoms of some guards and of some symbols, and of the atoms that this is told by; or as
    /// much of it as can be put together by so much work.
    pub(super) fn all_given(&mut self, guards: &[Guard], symbols: &[Symbol], work: u64) -> Guard {
        let mut all = Guard::TRUE;
        let most = self.space.work().saturating_add(work);
        if self.givens.is_empty() {
            return all;
        }
        let mut known: SmallVec<[u32; 8]> = SmallVec::new();
        for &symbol in symbols {
            self.facts_of_symbol(symbol, &mut known);
        }
        let mut seen: FxHashSet<Atom> = FxHashSet::default();
        let mut is_added: FxHashSet<u32> = FxHashSet::default();
        let mut waiting = self.space.support(guards);
        loop {
            for number in std::mem::take(&mut known) {
                if self.space.work() > most {
                    return all;
                }
                if is_added.insert(number) {
                    let fact = self.givens.facts[number as usize];
                    all = self.space.and(all, fact);
                    waiting.extend(self.space.support(&[fact]));
                }
            }
            let Some(atom) = waiting.pop() else { return all };
            if seen.insert(atom) {
                self.facts_of(atom, &mut known);
            }
        }
    }

    pub fn given(&mut self, guards: &[Guard]) -> Guard {
        self.all_given(guards, &[], u64::MAX)
    }

    /// A guard with all that is known of its atoms.
    pub fn with_given(&mut self, guard: Guard) -> Guard {
        let given = self.given(&[guard]);
        self.space.and(guard, given)
    }
}
