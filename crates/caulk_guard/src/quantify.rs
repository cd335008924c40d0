//! Diagrams: implication, cofactors, quantification, simplification, and questions about their shape.
//!
//! *Restricting* `f` to a care set `c` gives some function that agrees with `f` wherever `c` holds, free to be anything
//! elsewhere, and so usually smaller: `a && b` restricted to `a` is `b`. It follows Coudert and Madre (1990): where one
//! branch of the care set is empty, the other branch of `f` stands for the whole node.
//!
//! Invariant: `restrict(f, c) && c == f && c`, and no atom appears in the result that is not in `f`.

use rustc_hash::FxHashSet;

use crate::diagram::{Diagrams, Guard, operation};
use crate::predicates::Atom;

/// Operations that restricting may take for each node of the two diagrams. A care set that is made to forget what `f`
/// does not ask for can grow without end; past this `f` stays as it is, which costs room, never an answer.
const EFFORT_PER_NODE: u64 = 32;
/// So many it may take without counting the nodes.
const LEAST_EFFORT: u64 = 4096;

impl Diagrams {
    /// Whether no assignment makes both true. Builds no nodes.
    pub(crate) fn are_disjoint(&mut self, a: Guard, b: Guard, depth: u32) -> bool {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a.is_constant() {
            return a.is_false() || b.is_false();
        }
        if a == b {
            return false;
        }
        if a == b.not() {
            return true;
        }
        if let Some(result) = self.recall(a.key(), b.key(), operation::DISJOINT) {
            return result.is_true();
        }
        if let Some(result) = self.recall(a.key(), b.key(), operation::AND) {
            return result.is_false();
        }
        if self.is_too_deep(depth) {
            return false;
        }
        let atom = self.top(a).min(self.top(b));
        let (a_high, a_low) = self.cofactors(a, atom);
        let (b_high, b_low) = self.cofactors(b, atom);
        let disjoint = self.are_disjoint(a_high, b_high, depth + 1) && self.are_disjoint(a_low, b_low, depth + 1);
        self.remember(a.key(), b.key(), operation::DISJOINT, if disjoint { Guard::TRUE } else { Guard::FALSE });
        disjoint
    }

    /// Whether no assignment makes all three true. Builds no nodes, and asks one triple once.
    pub(crate) fn are_apart(&mut self, mut guards: [Guard; 3], seen: &mut FxHashSet<[Guard; 3]>, depth: u32) -> bool {
        guards.sort_unstable();
        let [a, b, c] = guards;
        if a.is_true() || a == b {
            return self.are_disjoint(b, c, depth);
        }
        if b == c {
            return self.are_disjoint(a, b, depth);
        }
        if a.is_false() || a == b.not() || b == c.not() {
            return true;
        }
        if seen.contains(&guards) {
            return true;
        }
        self.count_work();
        if self.is_too_deep(depth) {
            return false;
        }
        let atom = self.top(a).min(self.top(b)).min(self.top(c));
        let ways = guards.map(|guard| self.cofactors(guard, atom));
        let are_apart = self.are_apart(ways.map(|way| way.0), seen, depth + 1)
            && self.are_apart(ways.map(|way| way.1), seen, depth + 1);
        if are_apart {
            seen.insert(guards);
        }
        are_apart
    }

    /// The cofactor: `f` where the atom has the given value.
    pub(crate) fn assume(&mut self, f: Guard, atom: Atom, value: bool, depth: u32) -> Guard {
        let top = self.top(f);
        if top > atom.0 {
            return f;
        }
        if top == atom.0 {
            let (high, low) = self.cofactors(f, top);
            return if value { high } else { low };
        }
        let flip = f.is_complemented();
        let f = f.regular();
        let literal = atom.0 << 1 | value as u32;
        if let Some(result) = self.recall(f.key(), literal, operation::ASSUME) {
            return result.complement_if(flip);
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let (high, low) = self.cofactors(f, top);
        let high = self.assume(high, atom, value, depth + 1);
        let low = self.assume(low, atom, value, depth + 1);
        let result = self.make(top, high, low);
        self.remember(f.key(), literal, operation::ASSUME, result);
        result.complement_if(flip)
    }

    pub(crate) fn restrict(&mut self, f: Guard, care: Guard) -> Guard {
        if care.is_false() {
            return Guard::FALSE;
        }
        let mut restricted = self.within_effort(LEAST_EFFORT, |this| this.restrict_at(f, care, 0));
        if restricted.is_none() {
            let effort = EFFORT_PER_NODE * (self.size(f) + self.size(care)) as u64;
            restricted = self.within_effort(effort, |this| this.restrict_at(f, care, 0));
        }
        let Some(restricted) = restricted else { return f };
        // The heuristic can also make diagrams larger, which serves nobody.
        if restricted == f || self.is_at_most_as_large(restricted, f) { restricted } else { f }
    }

    fn restrict_at(&mut self, f: Guard, care: Guard, depth: u32) -> Guard {
        if care.is_true() || f.is_constant() {
            return f;
        }
        if f.regular() == care.regular() {
            return if f == care { Guard::TRUE } else { Guard::FALSE };
        }
        let flip = f.is_complemented();
        let f = f.regular();
        if let Some(result) = self.recall(f.key(), care.key(), operation::RESTRICT) {
            return result.complement_if(flip);
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let (f_top, care_top) = (self.top(f), self.top(care));
        let result = if care_top < f_top {
            // `f` does not depend on this atom: care about either of its values.
            let (care_high, care_low) = self.cofactors(care, care_top);
            let care = self.and_at(care_high.not(), care_low.not(), depth + 1).not();
            self.restrict_at(f, care, depth + 1)
        } else {
            let (f_high, f_low) = self.cofactors(f, f_top);
            let (care_high, care_low) = self.cofactors(care, f_top);
            if care_high.is_false() {
                self.restrict_at(f_low, care_low, depth + 1)
            } else if care_low.is_false() {
                self.restrict_at(f_high, care_high, depth + 1)
            } else {
                let high = self.restrict_at(f_high, care_high, depth + 1);
                let low = self.restrict_at(f_low, care_low, depth + 1);
                self.make(f_top, high, low)
            }
        };
        self.remember(f.key(), care.key(), operation::RESTRICT, result);
        result.complement_if(flip)
    }

    /// Whether some values of the chosen atoms make `f` true.
    pub(crate) fn exists(&mut self, f: Guard, chosen: &dyn Fn(Atom) -> bool) -> Guard {
        self.memo.clear();
        let result = self.exists_at(f, chosen, 0);
        self.memo.clear();
        result
    }

    fn exists_at(&mut self, f: Guard, chosen: &dyn Fn(Atom) -> bool, depth: u32) -> Guard {
        if f.is_constant() {
            return f;
        }
        if let Some(result) = self.memo.get(f.key()) {
            return Guard::from_key(result);
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let top = self.top(f);
        let (high, low) = self.cofactors(f, top);
        let result = if chosen(Atom(top)) {
            let high = self.exists_at(high, chosen, depth + 1);
            if high.is_true() {
                high
            } else {
                let low = self.exists_at(low, chosen, depth + 1);
                self.or(high, low)
            }
        } else {
            let high = self.exists_at(high, chosen, depth + 1);
            let low = self.exists_at(low, chosen, depth + 1);
            self.make(top, high, low)
        };
        self.count_work();
        self.memo.set(f.key(), result.key());
        result
    }

    /// Visits every node of the guards once, in a fixed order.
    fn for_each_node(&mut self, guards: &[Guard], mut visit: impl FnMut(Atom)) {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut waiting: Vec<Guard> = guards.iter().map(|g| g.regular()).collect();
        while let Some(g) = waiting.pop()
            && !self.exhausted
        {
            if let Some((atom, high, low)) = self.node(g)
                && seen.insert(g.key())
            {
                visit(atom);
                self.count_work();
                waiting.push(low.regular());
                waiting.push(high.regular());
            }
        }
    }

    /// How many nodes a guard has, constants not counted.
    pub(crate) fn size(&mut self, g: Guard) -> usize {
        let mut size = 0;
        self.for_each_node(&[g], |_| size += 1);
        size
    }

    fn is_at_most_as_large(&mut self, a: Guard, b: Guard) -> bool {
        self.size(a) <= self.size(b)
    }

    /// The atoms that guards depend on, in order.
    pub(crate) fn support(&mut self, guards: &[Guard]) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.for_each_node(guards, |atom| atoms.push(atom));
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    pub(crate) fn evaluate(&self, mut g: Guard, truth: impl Fn(Atom) -> bool) -> bool {
        while let Some((atom, high, low)) = self.node(g) {
            g = if truth(atom) { high } else { low };
        }
        g.is_true()
    }
}
