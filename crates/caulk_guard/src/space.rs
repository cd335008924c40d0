//! The guard space of one function's analysis: terms, atoms, diagrams, and what the theory has learnt.
//!
//! ```
//! use caulk_guard::{Feasible, Kind, Space};
//!
//! let mut space = Space::new(1 << 16);
//! let int = Kind::signed(32);
//! let n = space.symbol(int);
//! let (three, five) = (space.int(3, int), space.int(5, int));
//! let small = space.less(n, three); //             n < 3
//! let large = space.less(n, five).not(); //        n >= 5
//! let both = space.and(small, large);
//! assert!(!both.is_false()); //                    the diagram sees two unrelated atoms
//! assert_eq!(space.feasible(both, 1000), Feasible::No);
//! ```
//!
//! Invariant: ids of one space mean nothing in another, nor after [`Space::clear`].

use rustc_hash::FxHashSet;

use crate::atoms::Atoms;
use crate::diagram::{Diagrams, Guard};
use crate::feasible::Feasibility;
use crate::kind::{Kind, Op};
use crate::predicates::{Atom, Predicate};
use crate::terms::{Object, Term, TermKind, Terms};

pub struct Space {
    pub(crate) terms: Terms,
    pub(crate) atoms: Atoms,
    pub(crate) diagrams: Diagrams,
    pub(crate) feasibility: Feasibility,
}

impl Space {
    /// An empty space; past `node_limit` diagram nodes it is exhausted.
    pub fn new(node_limit: usize) -> Space {
        Space {
            terms: Terms::new(),
            atoms: Atoms::new(),
            diagrams: Diagrams::new(node_limit),
            feasibility: Feasibility::new(),
        }
    }

    /// Forgets everything but the allocations, in time proportional to what was used.
    pub fn clear(&mut self) {
        self.terms.clear();
        self.atoms.clear();
        self.diagrams.clear();
        self.feasibility.clear();
    }

    /// A fresh symbol; their numbers count up from 0.
    pub fn symbol(&mut self, kind: Kind) -> Term {
        self.terms.symbol(kind)
    }

    pub fn symbol_count(&self) -> u32 {
        self.terms.symbol_count()
    }

    pub fn int(&mut self, value: i128, kind: Kind) -> Term {
        self.terms.int(value, kind)
    }

    pub fn address(&mut self, object: Object, offset: i64, kind: Kind) -> Term {
        self.terms.address(object, offset, kind)
    }

    /// Some place inside the object. Two such places may differ: comparing them gives a fresh choice.
    pub fn inside(&mut self, object: Object, kind: Kind) -> Term {
        self.terms.inside(object, kind)
    }

    /// `a op b` at `kind`, folded. Operands of another kind are converted first, except the count of a shift.
    pub fn binary(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Term {
        self.terms.binary(op, a, b, kind)
    }

    /// The conversion of `a` to `kind`.
    pub fn extend(&mut self, a: Term, kind: Kind) -> Term {
        self.terms.extend(a, kind)
    }

    pub fn kind(&self, t: Term) -> Kind {
        self.terms.kind(t)
    }

    pub fn term(&self, t: Term) -> TermKind {
        self.terms.term(t)
    }

    /// How many terms there are; their ids count up from 0.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    pub fn predicate(&self, atom: Atom) -> Predicate {
        self.atoms.predicate(atom)
    }

    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    pub fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.diagrams.and(a, b)
    }

    pub fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.diagrams.or(a, b)
    }

    pub fn xor(&mut self, a: Guard, b: Guard) -> Guard {
        self.diagrams.xor(a, b, 0)
    }

    /// If `c` then `t` else `e`.
    pub fn ite(&mut self, c: Guard, t: Guard, e: Guard) -> Guard {
        self.diagrams.ite(c, t, e, 0)
    }

    /// Whether `b` holds wherever `a` does, for any truth of the atoms. False when exhausted.
    pub fn implies(&mut self, a: Guard, b: Guard) -> bool {
        self.diagrams.are_disjoint(a, b.not(), 0)
    }

    /// Whether not all three hold, for any truth of the atoms. False when exhausted.
    pub fn are_apart(&mut self, guards: [Guard; 3]) -> bool {
        self.diagrams.are_apart(guards, &mut FxHashSet::default(), 0)
    }

    /// Some guard that agrees with `f` wherever `care` holds, and is no larger than `f`. False where nothing matters.
    pub fn restrict(&mut self, f: Guard, care: Guard) -> Guard {
        self.diagrams.restrict(f, care)
    }

    /// Whether some truth of the chosen atoms makes `f` hold.
    pub fn exists(&mut self, f: Guard, atoms: &dyn Fn(Atom) -> bool) -> Guard {
        self.diagrams.exists(f, atoms)
    }

    /// Whether every truth of the chosen atoms makes `f` hold.
    pub fn forall(&mut self, f: Guard, atoms: &dyn Fn(Atom) -> bool) -> Guard {
        self.diagrams.exists(f.not(), atoms).not()
    }

    /// `f` where the atom has the given value.
    pub fn assume(&mut self, f: Guard, atom: Atom, value: bool) -> Guard {
        self.diagrams.assume(f, atom, value, 0)
    }

    /// The atom that a guard just asks for, or asks for the opposite.
    pub fn only_atom(&self, g: Guard) -> Option<Atom> {
        let (atom, high, low) = self.node(g)?;
        (high.is_constant() && low.is_constant()).then_some(atom)
    }

    /// The topmost atom, with what is left where it is true and where it is false; `None` for constants.
    pub fn node(&self, g: Guard) -> Option<(Atom, Guard, Guard)> {
        self.diagrams.node(g)
    }

    /// How many nodes a guard has, constants not counted.
    pub fn size(&mut self, g: Guard) -> usize {
        self.diagrams.size(g)
    }

    /// The atoms that guards depend on, in order.
    pub fn support(&mut self, guards: &[Guard]) -> Vec<Atom> {
        self.diagrams.support(guards)
    }

    pub fn evaluate(&self, g: Guard, truth: impl Fn(Atom) -> bool) -> bool {
        self.diagrams.evaluate(g, truth)
    }

    /// How many nodes all guards have together.
    pub fn node_count(&self) -> usize {
        self.diagrams.node_count()
    }

    /// How much work the diagrams have been, in operations; the same on every machine.
    pub fn work(&self) -> u64 {
        self.diagrams.work()
    }

    /// From now on no more than this much work; past it the space is exhausted. Guards from before an exhaustion by
    /// work are good again.
    pub fn limit_work(&mut self, more: u64) {
        self.diagrams.limit_work(more);
    }

    /// Whether a limit was passed. From then on guards mean nothing.
    pub fn is_exhausted(&self) -> bool {
        self.diagrams.is_exhausted()
    }
}
