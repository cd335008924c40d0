//! Which allocation is lost, where, under which conditions.
//!
//! Reading order: [`finding`] (what comes out), [`rule`] (what is a leak), `doubt` (what is certain), `callers` (what they say about arguments), [`witness`] (how it is told), [`engine`]
//! (over the whole program); [`graph`] (what all this works on, drawn).

mod callers;
mod describe;
mod doubt;
pub mod engine;
pub mod finding;
pub mod graph;
mod rule;
mod witness;

pub use engine::{Outcome, analyze};
pub use finding::{Confidence, Finding, Loss, Place, Rule, Step};
