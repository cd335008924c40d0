//! Path conditions: decision diagrams over interned atoms, and whether they can hold.
//!
//! One [`Space`] holds the guards of one function's analysis. The caller builds [`Term`]s out of fresh symbols,
//! integers and object addresses, compares them (which folds, or gives a diagram over one canonical [`Atom`]), combines
//! the [`Guard`]s, and asks whether a guard can hold. Nothing here knows C: widths and signedness are all that is left.
//!
//! Reading order: [`kind`] (numbers of a width), `domain` (what is known of a number), [`terms`] and `fold`, [`predicates`]
//! (canonical comparisons), [`diagram`] and `quantify` (the algebra of guards), [`space`] (the front door), [`feasible`]
//! (the search for a cube that can hold), `theory` (one component of a cube), `propagate` and `model` (its two halves).

mod atoms;
mod classes;
mod components;
pub mod diagram;
mod domain;
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

pub use diagram::Guard;
pub use feasible::{Cube, Feasible};
pub use kind::{Kind, Op};
pub use predicates::{Atom, Predicate};
pub use space::Space;
pub use terms::{Object, Symbol, Term, TermKind};
