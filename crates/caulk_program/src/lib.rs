//! Linking, call graph, function pointers, bottom-up schedule.
//!
//! Reading order: [`program`] (what the engine asks), `link` (which name means what), `pointers` (which function a
//! pointer may hold), `call_graph` (who calls whom), `owners` (variables that one function keeps to itself), `arguments`
//! (what all callers pass), [`components`] (in bottom-up order), `turns` (what a recursion hands on),
//! [`mod@schedule`] (running over them).

pub mod components;
pub mod program;
pub mod schedule;

mod arguments;
mod call_graph;
mod link;
mod owners;
mod parallel;
mod pointers;
mod turns;

pub use arguments::Passed;
pub use components::Component;
pub use link::discard_unused;
pub use program::{FunctionId, FunctionInfo, Input, Program, Resolved, Source, Target, Variable, VariableId};
pub use schedule::{Done, schedule};
pub use turns::unchanged_arguments;
