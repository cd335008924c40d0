//! Path conditions: decision diagrams over interned atoms, and whether they can hold.
//!
//! One [`Space`] holds the guards of one function's analysis. The caller builds [`Term`]s out of fresh symbols,
//! integers and object addresses, compares them (which folds, or gives a diagram over one canonical [`Atom`]), combines
//! the [`Guard`]s, and asks whether a guard can hold. Nothing here knows C: widths and signedness are all that is left.
//!
//! Reading order: [`kind`] (numbers of a width), `domain` (what is known of a number), [`terms`], `fold` and `linear`
//! (their normal form), [`predicates`] and `atoms` (canonical comparisons), [`diagram`], `quantify` and `paths` (the
//! algebra of guards), [`space`] (the front door). Then whether a guard can hold: [`feasible`] (the question), `walk`
//! (the way through the diagram), `unary` and `components` (what a path's literals fall into), `theory` and `classes`
//! (one component), `propagate` and `search` (its two halves). `table` holds the maps they all use.

mod atoms;
mod classes;
mod components;
pub mod diagram;
mod domain;
mod exclusion;
pub mod feasible;
mod fold;
pub mod kind;
mod linear;
mod paths;
pub mod predicates;
mod propagate;
mod quantify;
mod search;
pub mod space;
mod table;
pub mod terms;
mod theory;
mod unary;
mod walk;

pub use diagram::Guard;
pub use feasible::{Cube, Feasible};
pub use kind::{Kind, Op};
pub use predicates::{Atom, Predicate};
pub use space::Space;
pub use terms::{Object, Symbol, Term, TermKind};
