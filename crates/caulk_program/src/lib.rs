//! Linking, call graph, function pointers, bottom-up schedule.
//!
//! Reading order: [`program`] (what the engine asks), `link` (which name means what), `pointers` (which function a
//! pointer may hold), [`components`] (who calls whom, in bottom-up order), [`schedule`] (running over them).

pub mod components;
pub mod program;
pub mod schedule;

mod link;
mod parallel;
mod pointers;

pub use components::Component;
pub use program::{FunctionId, FunctionInfo, Input, Program, Resolved, Source, Target, Variable, VariableId};
pub use schedule::{Done, schedule};
