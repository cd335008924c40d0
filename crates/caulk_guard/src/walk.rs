//! The walk through a guard's diagram, looking for a path to true whose literals can hold together.
//!
//! Depth first, the nearer of the two branches before the other, so that the first path tried is a shortest one. What
//! ends in a contradiction comes back with a *reason*: literals of the path that are to blame. For
//! `n == 1 ? (c ? (m < n ? m == 5 : FALSE) : ..) : ..`, after taking `n == 1`, `c`, `m < n` and `m == 5`:
//!
//! ```text
//! theory              {n == 1, m < n, m == 5} fails
//! the node of m == 5  is dead for reason {n == 1, m < n}: the other branch is false anyway
//! the node of m < n   is dead for reason {n == 1}, and is not entered again while n == 1, whatever c is
//! ```
//!
//! A reason that fails by itself (a *core*), and not only at its node, also ends every branch above that is not part of
//! it. Where both branches of a node end in cores, what they share without the node's own atom is a core again.
//!
//! Invariant: a dead node has no path to true that is consistent with its reason, except through components that the
//! theory could not decide; `is_certain` says whether there were any.

use smallvec::SmallVec;

use crate::atoms::Atoms;
use crate::components::{Components, Finding, Literal};
use crate::diagram::{Diagrams, Guard};
use crate::predicates::Atom;
use crate::table::Memo;
use crate::terms::Terms;

/// Longer reasons are not kept: they seldom come up again.
const MAX_KEPT_REASON: usize = 16;

/// Literals of the path, in atom order.
type Literals = SmallVec<[Literal; 8]>;

/// Why a node has no path to true.
#[derive(Default)]
struct Reason {
    literals: Literals,
    /// The literals cannot hold together anywhere.
    is_core: bool,
}

impl Reason {
    fn core(literals: &[Literal]) -> Reason {
        Reason { literals: SmallVec::from_slice(literals), is_core: true }
    }

    fn mentions(&self, atom: Atom) -> bool {
        self.literals.binary_search_by_key(&atom, |&(atom, _)| atom).is_ok()
    }

    /// Adds the literals of another reason, except those about an atom.
    fn merge(&mut self, other: &Reason, without: Atom) {
        for &(atom, value) in other.literals.iter().filter(|&&(atom, _)| atom != without) {
            if let Err(at) = self.literals.binary_search_by_key(&atom, |&(atom, _)| atom) {
                self.literals.insert(at, (atom, value));
            }
        }
    }
}

/// Why the walk ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The path leads to true, and its literals can hold.
    Found,
    OutOfBudget,
}

/// A reason kept for a node.
struct Kept {
    start: u32,
    len: u32,
    /// The one before, of the same node.
    previous: Option<u32>,
}

/// What a walk needs besides the guard; reused from one to the next.
pub(crate) struct Trail {
    pub(crate) path: Vec<Literal>,
    /// For each literal of the path: the one before about the same term.
    previous_about: Vec<u32>,
    /// The last literal of the path about a term, and the value of each atom on the path.
    last_about: Memo,
    value_of: Memo,
    kept: Vec<Kept>,
    kept_of: Memo,
    arena: Vec<Literal>,
    pub(crate) is_certain: bool,
    budget: u32,
}

const NONE: u32 = u32::MAX - 1;

impl Trail {
    pub(crate) fn new() -> Trail {
        Trail {
            path: Vec::new(),
            previous_about: Vec::new(),
            last_about: Memo::new(),
            value_of: Memo::new(),
            kept: Vec::new(),
            kept_of: Memo::new(),
            arena: Vec::new(),
            is_certain: true,
            budget: 0,
        }
    }

    pub(crate) fn restart(&mut self, budget: u32) {
        self.path.clear();
        self.previous_about.clear();
        self.last_about.clear();
        self.value_of.clear();
        self.kept.clear();
        self.kept_of.clear();
        self.arena.clear();
        self.is_certain = true;
        self.budget = budget;
    }

    fn has(&self, literals: &[Literal]) -> bool {
        literals.iter().all(|&(atom, value)| self.value_of.get(atom.0) == Some(value as u32))
    }
}

/// One walk.
pub(crate) struct Walk<'a> {
    pub(crate) diagrams: &'a Diagrams,
    pub(crate) terms: &'a Terms,
    pub(crate) atoms: &'a Atoms,
    pub(crate) components: &'a mut Components,
    pub(crate) trail: &'a mut Trail,
}

impl Walk<'_> {
    /// Looks for a path; `Ok` means there is none. The diagrams' distances must have been measured.
    pub(crate) fn run(&mut self, g: Guard) -> Result<(), Stop> {
        self.explore(g).map(|_| ())
    }

    fn explore(&mut self, g: Guard) -> Result<Reason, Stop> {
        let Some((atom, high, low)) = self.diagrams.node(g) else {
            return if g.is_true() { self.judge() } else { Ok(Reason::default()) };
        };
        self.trail.budget = self.trail.budget.checked_sub(1).ok_or(Stop::OutOfBudget)?;
        if let Some(reason) = self.kept_reason(g) {
            return Ok(reason);
        }
        let prefer_high = self.diagrams.known_distance(high) <= self.diagrams.known_distance(low);
        let mut combined = Reason { literals: Literals::new(), is_core: !high.is_false() && !low.is_false() };
        for value in [prefer_high, !prefer_high] {
            let child = if value { high } else { low };
            if child.is_false() {
                continue;
            }
            let reason = match self.take(atom, value) {
                Err(reason) => reason,
                Ok(()) => {
                    let reason = self.explore(child)?;
                    self.untake(atom);
                    reason
                }
            };
            if reason.is_core && !reason.mentions(atom) {
                return Ok(reason);
            }
            combined.is_core &= reason.is_core;
            combined.merge(&reason, atom);
        }
        self.keep(g, &combined);
        Ok(combined)
    }

    /// Goes down one branch, unless that contradicts the path at once.
    fn take(&mut self, atom: Atom, value: bool) -> Result<(), Reason> {
        let unary = self.components.unary(self.terms, self.atoms, atom);
        let mut last = NONE;
        if let Some(unary) = unary {
            last = self.trail.last_about.get(unary.base.0).unwrap_or(NONE);
            let mut at = last;
            while at != NONE {
                let (earlier, earlier_value) = self.trail.path[at as usize];
                if let Some(other) = self.components.unary(self.terms, self.atoms, earlier)
                    && unary.excludes(value, &other, earlier_value)
                {
                    return Err(Reason::core(&[(earlier, earlier_value), (atom, value)]));
                }
                at = self.trail.previous_about[at as usize];
            }
        }
        for lemma in self.components.lemmas_ending_at(atom) {
            let literals = self.components.literals(lemma);
            let (&(_, last_value), others) = literals.split_last().expect("a lemma has literals");
            if last_value == value && self.trail.has(others) {
                return Err(Reason::core(literals));
            }
        }
        if let Some(unary) = unary {
            self.trail.last_about.set(unary.base.0, self.trail.path.len() as u32);
        }
        self.trail.value_of.set(atom.0, value as u32);
        self.trail.previous_about.push(last);
        self.trail.path.push((atom, value));
        Ok(())
    }

    fn untake(&mut self, atom: Atom) {
        self.trail.path.pop();
        let previous = self.trail.previous_about.pop().expect("pushed with the literal");
        self.trail.value_of.set(atom.0, NONE);
        if let Some(unary) = self.components.unary(self.terms, self.atoms, atom) {
            self.trail.last_about.set(unary.base.0, previous);
        }
    }

    /// At true: whether the path's literals can hold together.
    fn judge(&mut self) -> Result<Reason, Stop> {
        let mut reason: Option<Reason> = None;
        let Walk { components, terms, atoms, trail, .. } = self;
        components.judge(terms, atoms, &trail.path, |literals, finding| {
            if let Finding::Unknown = finding {
                trail.is_certain = false;
            }
            // The one that ends first cuts off the most.
            let last = |literals: &[Literal]| literals.last().map(|&(atom, _)| atom);
            if reason.as_ref().is_none_or(|reason| last(literals) < last(&reason.literals)) {
                reason = Some(Reason::core(literals));
            }
        });
        reason.ok_or(Stop::Found)
    }

    fn kept_reason(&self, g: Guard) -> Option<Reason> {
        let mut next = self.trail.kept_of.get(g.key());
        while let Some(kept) = next {
            let Kept { start, len, previous } = self.trail.kept[kept as usize];
            let literals = &self.trail.arena[start as usize..(start + len) as usize];
            if self.trail.has(literals) {
                return Some(Reason { literals: SmallVec::from_slice(literals), is_core: false });
            }
            next = previous;
        }
        None
    }

    fn keep(&mut self, g: Guard, reason: &Reason) {
        if reason.literals.len() > MAX_KEPT_REASON {
            return;
        }
        let trail = &mut *self.trail;
        let start = trail.arena.len() as u32;
        trail.arena.extend_from_slice(&reason.literals);
        let previous = trail.kept_of.get(g.key());
        trail.kept_of.set(g.key(), trail.kept.len() as u32);
        trail.kept.push(Kept { start, len: reason.literals.len() as u32, previous });
    }
}
