//! Which allocation is lost, where, under which conditions.
//!
//! Reading order: [`finding`] (what comes out), [`rule`] (what is a leak), [`witness`] (how it is told), [`engine`]
//! (over the whole program).

mod describe;
pub mod engine;
pub mod finding;
mod rule;
mod witness;

pub use engine::{Outcome, analyze};
pub use finding::{Confidence, Finding, Loss, Place, Rule, Step};
