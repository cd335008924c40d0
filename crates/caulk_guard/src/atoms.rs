//! The atoms of a space.
//!
//! Comparisons are interned: `n < 3` asked twice is one atom. A choice is not: each is a question of its own.
//!
//! Invariant: an atom's number is its age, and so its place in the order of the diagrams.

use std::hash::{Hash, Hasher};

use caulk_base::IdVec;
use rustc_hash::FxHasher;

use crate::predicates::{Atom, Predicate};
use crate::table::IndexTable;

pub(crate) struct Atoms {
    predicates: IdVec<Atom, Predicate>,
    table: IndexTable,
}

impl Atoms {
    pub(crate) fn new() -> Atoms {
        Atoms { predicates: IdVec::new(), table: IndexTable::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.predicates.clear();
        self.table.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.predicates.len()
    }

    pub(crate) fn predicate(&self, atom: Atom) -> Predicate {
        self.predicates[atom]
    }

    /// A new atom, even if another one asks the same.
    pub(crate) fn push(&mut self, predicate: Predicate) -> Atom {
        self.predicates.push(predicate)
    }

    pub(crate) fn intern(&mut self, predicate: Predicate) -> Atom {
        let predicates = &self.predicates;
        match self.table.find(hash(predicate), |id| predicates[Atom(id)] == predicate) {
            Ok(id) => Atom(id),
            Err(vacant) => {
                let atom = self.predicates.push(predicate);
                let predicates = &self.predicates;
                self.table.insert(vacant, atom.0, |id| hash(predicates[Atom(id)]));
                atom
            }
        }
    }
}

fn hash(predicate: Predicate) -> u64 {
    let mut hasher = FxHasher::default();
    predicate.hash(&mut hasher);
    hasher.finish()
}
