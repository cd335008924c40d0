//! Diagrams: how far it is to true.
//!
//! The *distance* of a guard is the least number of literals on a path from it to true: of `a ? (b ? TRUE : FALSE) :
//! TRUE` it is one, by `!a`.
//!
//! Invariant: distances stay known until the memo is used for something else.

use crate::diagram::{Diagrams, Guard};

/// Walks recurse along paths, so this bounds the stack. Whether a guard with a longer path can hold is unknown, which
/// costs a miss, never a false alarm.
const MAX_PATH: u32 = 1000;

/// The distance of false; no diagram is this deep.
const NO_PATH: u32 = u32::MAX - 1;

impl Diagrams {
    /// Measures the distances of a guard and of all nodes below it; fails if some path is too long to walk.
    pub(crate) fn measure_distances(&mut self, g: Guard) -> Option<u32> {
        self.memo.clear();
        self.distance(g, 0)
    }

    pub(crate) fn known_distance(&self, g: Guard) -> u32 {
        match g {
            Guard::TRUE => 0,
            Guard::FALSE => NO_PATH,
            _ => self.memo.get(g.key()).expect("children are measured with their parent"),
        }
    }

    fn distance(&mut self, g: Guard, depth: u32) -> Option<u32> {
        if g.is_constant() {
            return Some(self.known_distance(g));
        }
        if let Some(distance) = self.memo.get(g.key()) {
            return Some(distance);
        }
        if depth > MAX_PATH {
            return None;
        }
        let (high, low) = self.cofactors(g, self.top(g));
        // Of two different children at most one is false.
        let distance = 1 + self.distance(high, depth + 1)?.min(self.distance(low, depth + 1)?);
        self.memo.set(g.key(), distance);
        Some(distance)
    }
}
