//! Feasibility: a path through a guard's diagram whose literals can all hold.
//!
//! The shortest path to true is taken first, being the shortest explanation. Its literals fall into *components* that
//! share no symbol; each is decided on its own by the [theory](crate::theory), once per space. For
//! `(a || b) && p == 0 && p != q && q == 0`, with `a`, `b` having nothing to do with `p`:
//!
//! ```text
//! path                a, p == 0, !(p == q), q == 0
//! components          {a} holds    {p == 0, !(p == q), q == 0} fails
//! lemma               !(p == 0 && !(p == q) && q == 0)
//! guard && lemma      false: no path is left, through `b` neither, so the answer is no
//! ```
//!
//! A failing component is cut down to a few literals that fail already. Their negation, a *lemma*, is true whatever the
//! guard, so it is kept for later questions, and excludes at once all paths that fail for the same reason.
//!
//! Invariants: `No` means the guard and lemmas together are false; `Yes` comes with literals along one path of the guard
//! itself, for which values were found.

use crate::components::{Components, Finding, Literal};
use crate::diagram::{Diagrams, Guard};
use crate::predicates::Atom;
use crate::space::Space;

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

/// Lemmas may make a guard's diagram grow; past this the answer is unknown.
const SCRATCH_NODES: usize = 1 << 15;

/// What feasibility keeps between questions.
pub(crate) struct Feasibility {
    components: Components,
    /// The guard in question with its lemmas, apart from the caller's diagrams, whose node limit it must not touch.
    scratch: Diagrams,
    path: Vec<Literal>,
    findings: Vec<Finding>,
}

impl Feasibility {
    pub(crate) fn new() -> Feasibility {
        Feasibility {
            components: Components::new(),
            scratch: Diagrams::new(SCRATCH_NODES),
            path: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.components.clear();
        self.scratch.clear();
    }
}

impl Space {
    /// Whether a guard can hold, looking at no more than about `budget` diagram nodes.
    pub fn feasible(&mut self, g: Guard, budget: u32) -> Feasible {
        if self.is_exhausted() || budget == 0 {
            return Feasible::Unknown;
        }
        if g.is_false() {
            return Feasible::No;
        }
        let mut path = std::mem::take(&mut self.feasibility.path);
        let answer = self.search_paths(g, budget, &mut path);
        self.feasibility.path = path;
        answer
    }

    fn search_paths(&mut self, g: Guard, budget: u32, path: &mut Vec<Literal>) -> Feasible {
        let mut spent = self.diagrams.shortest_path(g, path);
        self.judge(path);
        if self.feasibility.findings.is_empty() {
            return Feasible::Yes(Cube { literals: path.clone() });
        }
        let mut rest = self.with_lemmas(g);
        let mut is_certain = true;
        loop {
            for at in 0..self.feasibility.findings.len() {
                let Feasibility { components, scratch, findings, .. } = &mut self.feasibility;
                let excluded = match findings[at] {
                    Finding::Holds => continue,
                    Finding::Fails(literals) => literals,
                    Finding::Unknown(literals) => {
                        is_certain = false;
                        literals
                    }
                };
                let cube = scratch.cube(components.literals(excluded).iter().copied());
                rest = scratch.and(rest, cube.not());
            }
            if spent > budget || self.feasibility.scratch.is_exhausted() {
                return Feasible::Unknown;
            }
            if rest.is_false() {
                return if is_certain { Feasible::No } else { Feasible::Unknown };
            }
            spent += self.feasibility.scratch.shortest_path(rest, path);
            self.judge(path);
            if self.feasibility.findings.is_empty() {
                return match self.follow(g, path) {
                    Some(cube) => Feasible::Yes(cube),
                    None => Feasible::Unknown,
                };
            }
        }
    }

    /// Leaves in `findings` whatever components of the path do not hold.
    fn judge(&mut self, path: &[Literal]) {
        let Feasibility { components, findings, .. } = &mut self.feasibility;
        findings.clear();
        components.judge(&self.terms, &self.atoms, path, |finding| findings.push(finding));
    }

    /// Copies the guard to the scratch diagrams, with all that earlier questions taught about its atoms.
    fn with_lemmas(&mut self, g: Guard) -> Guard {
        let support = self.diagrams.support(g);
        let Feasibility { components, scratch, .. } = &mut self.feasibility;
        scratch.clear();
        let mut rest = scratch.copy_from(&self.diagrams, g);
        for &last in &support {
            for lemma in components.lemmas_ending_at(last) {
                let literals = components.literals(lemma);
                if literals.iter().all(|(atom, _)| support.binary_search(atom).is_ok()) {
                    let cube = scratch.cube(literals.iter().copied());
                    rest = scratch.and(rest, cube.not());
                }
            }
        }
        rest
    }

    /// The path through the guard itself under literals that imply it. Where they leave an atom open either answer leads
    /// to true, but only one of them may go with the rest.
    fn follow(&mut self, g: Guard, known: &mut Vec<Literal>) -> Option<Cube> {
        let mut cube = Cube::default();
        let mut at = g;
        while let Some((atom, high, low)) = self.node(at) {
            let value = match known.binary_search_by_key(&atom, |&(atom, _)| atom) {
                Ok(found) => known[found].1,
                Err(vacant) => {
                    known.insert(vacant, (atom, true));
                    self.judge(known);
                    if !self.feasibility.findings.is_empty() {
                        known[vacant].1 = false;
                        self.judge(known);
                    }
                    if !self.feasibility.findings.is_empty() {
                        return None;
                    }
                    known[vacant].1
                }
            };
            cube.literals.push((atom, value));
            at = if value { high } else { low };
        }
        Some(cube)
    }
}
