//! The public face of Caulk: a project in, plain data out.
//!
//! ```no_run
//! use caulk_driver::{Project, Request, Statistics, UnitStatistics, analyze};
//!
//! let request = Request { paths: vec!["src".into()], flags: vec!["-Iinclude".into()], ..Request::default() };
//! let project = Project::find(&request)?;
//! let run = analyze(&project, None, |unit| UnitStatistics::of(&unit));
//! let statistics = Statistics::collect(run.results.into_iter().flatten());
//! println!("{} of {} functions lowered", statistics.functions.lowered, statistics.functions.seen);
//! # Ok::<(), String>(())
//! ```
//!
//! [`Project::find`] decides what to analyse: files, directories, the entries of a compile database,
//! each with the settings its command line asks for. [`analyze`] takes every unit from text to verified
//! IR, on all cores; results keep the project's order. [`preprocess`] and [`syntax_tree`] show what
//! lies between. [`check()`] asks the question all this is for, and [`summaries`] and [`graph`] show what its
//! answer rests on. Bad C is never an `Err`: it is a result with messages.
//!
//! Reading order: [`command_line`], [`predefined`], [`names`], `headers`, `include_dirs` (what a
//! compiler knows); `database`, `discover`, `project` (what to analyse); `file_cache`, `session`,
//! `crash`, `frontend`, `run`, `check` (doing it); `messages`, `phases`, `statistics` (what comes out).

pub mod command_line;
pub mod names;
pub mod predefined;

mod check;
mod crash;
mod database;
mod discover;
mod file_cache;
mod frontend;
mod headers;
mod include_dirs;
mod messages;
mod paths;
mod phases;
mod project;
mod run;
mod session;
mod shell;
mod statistics;

pub use caulk_leak::{Confidence, Finding, Loss, Place, Rule, Step};
pub use check::{CheckOptions, GraphKind, Report, SlowFunction, check, graph, summaries};
pub use frontend::{Fate, FunctionReport, MissingHeader, TextResult, UnitResult};
pub use messages::Message;
pub use phases::Phases;
pub use project::{Project, Request, SkippedInput, UnitPlan};
pub use run::{Run, analyze, preprocess, syntax_tree};
pub use statistics::{FunctionCounts, SkippedFunction, Statistics, UnitFunctions, UnitStatistics, peak_memory_bytes};
