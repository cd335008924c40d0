//! Library models: what functions without a body do to memory, written in a small language.
//!
//! ```text
//! getline(line, n, stream) {
//!     case { releases *line heap; *line = fresh heap; returns int >= 0; }
//!     case { returns -1; }
//! }
//! ```
//!
//! A *model* has *cases*, of which a call takes one. A case has *conditions* on the arguments (empty:
//! always possible), *effects* in order, and a *result*. What a model does not mention it does not do:
//! an argument that no effect names is only read, and only during the call.
//!
//! The language grew from the function modelling language of Xu and Zhang (2008, section
//! 5.2): theirs pairs an effect with one return value, ours groups effects that happen together,
//! names memory by access path, and has kinds of resources besides the heap.
//!
//! Reading order: [`ast`] (what a model says), `text` (tokens), [`parser`], `block`, `values`, `cursor` (the grammar),
//! [`printer`] (back to text), [`models`] (the table of all), [`builtin`] (the files we ship).

pub mod ast;
mod block;
pub mod builtin;
mod cursor;
pub mod models;
pub mod parser;
pub mod printer;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub use ast::{
    Case, Condition, Constant, Effect, KindId, Length, Model, ModelLoc, Order, Path, Relation, ResourceKind, Root,
    Step, ValueSpec,
};
pub use models::Models;
pub use parser::ModelError;
