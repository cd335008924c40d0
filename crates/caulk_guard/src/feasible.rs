//! Feasibility: whether a guard can hold, and how.
//!
//! A *walk* goes through the diagram, a shortest path to true first, that being the shortest explanation.
//! The literals of a path fall into *components* that share no symbol; each is decided on its own by the
//! theory, once per space. For `(a || b) && p == 0 && p != q && q == 0`, with `a`, `b` having nothing to
//! do with `p`:
//!
//! ```text
//! path                a, p == 0, !(p == q), q == 0
//! components          {a} holds    {p == 0, !(p == q), q == 0} fails
//! lemma               p == 0, !(p == q), q == 0 never hold together: through `b` neither, so the answer is no
//! ```
//!
//! A failing component is cut down to a few literals that fail already. They are true of the symbols whatever the
//! guard, so they are kept as a *lemma* for later questions, and end at once all paths that would fail for the same
//! reason.
//!
//! Invariants: `No` means every path was excluded by literals that cannot hold together; `Yes` comes with literals
//! along one path of the guard, for which values were found.

use crate::components::Components;
use crate::diagram::Guard;
use crate::predicates::Atom;
use crate::space::Space;
use crate::table::Memo;
use crate::walk::{Stop, Trail, Walk};

/// A conjunction of literals, in atom order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    pub literals: Vec<(Atom, bool)>,
}

impl Cube {
    pub fn value(&self, atom: Atom) -> Option<bool> {
        let at = self.literals.binary_search_by_key(&atom, |&(atom, _)| atom).ok()?;
        Some(self.literals[at].1)
    }
}

/// Whether a guard can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasible {
    /// It can: under these literals, which lie along one path of the diagram.
    Yes(Cube),
    No,
    Unknown,
}

/// What feasibility keeps between questions.
pub(crate) struct Feasibility {
    components: Components,
    trail: Trail,
    /// By guard: which of the certain answers was given.
    answered: Memo,
    answers: Vec<Feasible>,
}

impl Feasibility {
    pub(crate) fn new() -> Feasibility {
        Feasibility { components: Components::new(), trail: Trail::new(), answered: Memo::new(), answers: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.components.clear();
        self.answered.clear();
        self.answers.clear();
    }
}

impl Space {
    /// Whether a guard can hold, looking at no more than `budget` diagram nodes.
    pub fn feasible(&mut self, g: Guard, budget: u32) -> Feasible {
        if self.is_exhausted() {
            return Feasible::Unknown;
        }
        if let Some(at) = self.feasibility.answered.get(g.key()) {
            return self.feasibility.answers[at as usize].clone();
        }
        if self.diagrams.measure_distances(g).is_none() {
            return Feasible::Unknown;
        }
        let Feasibility { components, trail, .. } = &mut self.feasibility;
        trail.restart(budget);
        let mut walk = Walk { diagrams: &self.diagrams, terms: &self.terms, atoms: &self.atoms, components, trail };
        let answer = match walk.run(g) {
            Err(Stop::Found) => Feasible::Yes(Cube { literals: self.feasibility.trail.path.clone() }),
            Ok(()) if self.feasibility.trail.is_certain => Feasible::No,
            Ok(()) | Err(Stop::OutOfBudget) => Feasible::Unknown,
        };
        // With a larger budget the unknown may become known.
        if answer != Feasible::Unknown {
            let Feasibility { answered, answers, .. } = &mut self.feasibility;
            answered.set(g.key(), answers.len() as u32);
            answers.push(answer.clone());
        }
        answer
    }
}
