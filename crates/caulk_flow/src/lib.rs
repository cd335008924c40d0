//! Guarded memory, value flow, summaries, library models.
//!
//! Reading order: [`value`], [`object`] (what memory is made of), [`evaluate`] (one function),
//! [`summary`] (what callers see of it), [`freeze`] (how a summary is made), [`model`] (functions
//! without a body).

pub mod evaluate;
pub mod freeze;
pub mod model;
pub mod object;
pub mod print;
pub mod summary;
pub mod value;

pub use evaluate::{Evaluator, Plan, Summaries, Surroundings};
pub use model::Models;
pub use summary::{Known, Summary};
