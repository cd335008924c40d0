//! Guarded memory, value flow, summaries, library models.
//!
//! Reading order: [`value`], [`object`] (what memory is made of), [`evaluate`] (one function),
//! [`summary`] (what callers see of it), [`freeze`] (how a summary is made), [`model`] (functions
//! without a body). Beside these, from the instructions alone: [`callee`] (what a call may do), [`borrow`] (what a
//! function that is too much may do), `memory`, [`project`] (what can matter), [`value_flow`] (how memory travels through the program).

pub mod borrow;
pub mod callee;
pub mod evaluate;
pub mod freeze;
mod memory;
pub mod model;
pub mod object;
pub mod print;
pub mod project;
pub mod summary;
pub mod value;
pub mod value_flow;

pub use evaluate::{Evaluator, Plan, SLICING, Slice, Summaries, Surroundings, patience};
pub use model::Models;
pub use project::Projection;
pub use summary::{Known, Summary};
pub use value_flow::ValueFlow;
