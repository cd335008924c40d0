//! Diagrams: shortest paths, cubes, and copies from one set of diagrams into another.
//!
//! The *distance* of a guard is the least number of literals on a path from it to true: of `a ? (b ? TRUE : FALSE) :
//! TRUE` it is one, by `!a`.
//!
//! Invariant: a path's literals come in atom order, and their conjunction implies the guard.

use crate::diagram::{Diagrams, Guard};
use crate::predicates::Atom;

/// The distance of false; no diagram is this deep.
const NO_PATH: u32 = u32::MAX - 1;

impl Diagrams {
    /// Writes a shortest path from a guard to true; returns how many nodes it looked at. The guard must not be false.
    pub(crate) fn shortest_path(&mut self, g: Guard, path: &mut Vec<(Atom, bool)>) -> u32 {
        path.clear();
        self.memo.clear();
        let mut visited = 0;
        self.distance(g, &mut visited);
        let mut at = g;
        while let Some((atom, high, low)) = self.node(at) {
            let value = self.known_distance(high) <= self.known_distance(low);
            path.push((atom, value));
            at = if value { high } else { low };
        }
        debug_assert!(at.is_true());
        self.memo.clear();
        visited
    }

    fn known_distance(&self, g: Guard) -> u32 {
        match g {
            Guard::TRUE => 0,
            Guard::FALSE => NO_PATH,
            _ => self.memo.get(g.key()).expect("children are measured before their parent"),
        }
    }

    fn distance(&mut self, g: Guard, visited: &mut u32) -> u32 {
        if g.is_constant() {
            return self.known_distance(g);
        }
        if let Some(distance) = self.memo.get(g.key()) {
            return distance;
        }
        *visited += 1;
        let (high, low) = self.cofactors(g, self.top(g));
        let distance = 1 + self.distance(high, visited).min(self.distance(low, visited));
        self.memo.set(g.key(), distance);
        distance
    }

    /// The conjunction of literals in atom order.
    pub(crate) fn cube(&mut self, literals: impl DoubleEndedIterator<Item = (Atom, bool)>) -> Guard {
        literals.rev().fold(Guard::TRUE, |rest, (atom, value)| {
            if value { self.make(atom.0, rest, Guard::FALSE) } else { self.make(atom.0, Guard::FALSE, rest) }
        })
    }

    /// The same guard, from other diagrams over the same atoms.
    pub(crate) fn copy_from(&mut self, other: &Diagrams, g: Guard) -> Guard {
        self.memo.clear();
        let copy = self.copy_at(other, g);
        self.memo.clear();
        copy
    }

    fn copy_at(&mut self, other: &Diagrams, g: Guard) -> Guard {
        let flip = g.is_complemented();
        let Some((atom, high, low)) = other.node(g.regular()) else { return g };
        if let Some(copy) = self.memo.get(g.regular().key()) {
            return Guard::from_key(copy).complement_if(flip);
        }
        let high = self.copy_at(other, high);
        let low = self.copy_at(other, low);
        let copy = self.make(atom.0, high, low);
        self.memo.set(g.regular().key(), copy.key());
        copy.complement_if(flip)
    }
}
