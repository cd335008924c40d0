//! Graphs to look at: what a check works on, drawn for Graphviz.
//!
//! Reading order: `dot` (the language), `control` (control flow and its projection), `objects` (how the objects of one
//! function travel) with `trace`, `reached` and `conditions` (guards, and in words), `program` (how memory travels through all functions).

mod conditions;
mod control;
mod dot;
mod objects;
mod program;
mod reached;
mod trace;

use caulk_base::{IdVec, Loc};
use caulk_flow::{Known, Models, Summaries, Surroundings, patience};
use caulk_program::{FunctionId, Program};

use crate::engine::{Outcome, analyze};
use dot::Digraph;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// The control-flow graph as lowered.
    ControlFlow,
    /// What of it can matter to the ownership of memory.
    Projection,
    /// How heap objects travel: through one function with conditions, through the program with calls.
    Flow,
}

/// The functions of a name, as the source or the linker has it.
pub fn functions_named(program: &Program, name: &str) -> Vec<FunctionId> {
    let is_named = |&function: &FunctionId| {
        let (module, body) = program.body(function);
        let global = &module.unit.globals[body.global];
        global.source_name.as_str() == name || global.name.as_str() == name
    };
    program.functions().ids().filter(is_named).collect()
}

/// One graph in the language of Graphviz: of these functions, each in a box of its own, or of all.
pub fn draw(
    program: &Program,
    models: &Models,
    jobs: usize,
    functions: Option<&[FunctionId]>,
    drawing: Drawing,
) -> String {
    if drawing == Drawing::Flow && functions.is_none() {
        return program::draw(program, models);
    }
    let all: Vec<FunctionId>;
    let functions = match functions {
        Some(functions) => functions,
        None => {
            all = program.functions().ids().collect();
            &all
        }
    };
    // Control flow alone rests on no answer of the engine.
    let outcomes = if drawing == Drawing::ControlFlow { Vec::new() } else { analyze(program, models, jobs) };
    let summaries = Finished::new(program, &outcomes);
    let cx = Surroundings { program, models, summaries: &summaries, patience: patience(program) };
    let mut graph = Digraph::new(match drawing {
        Drawing::ControlFlow => "cfg",
        Drawing::Projection => "projection",
        Drawing::Flow => "flow",
    });
    for &function in functions {
        match drawing {
            Drawing::ControlFlow => control::control_flow(&cx, function, &mut graph),
            Drawing::Projection => control::projection(&cx, function, &mut graph),
            Drawing::Flow => objects::draw(&cx, function, &mut graph),
        }
    }
    graph.print()
}

/// The summaries of a finished run.
struct Finished<'a> {
    outcomes: IdVec<FunctionId, Option<&'a Outcome>>,
}

impl<'a> Finished<'a> {
    fn new(program: &Program, outcomes: &'a [Outcome]) -> Finished<'a> {
        let mut by_function = IdVec::filled(None, program.functions().len());
        outcomes.iter().for_each(|outcome| by_function[outcome.function] = Some(outcome));
        Finished { outcomes: by_function }
    }
}

impl Summaries for Finished<'_> {
    fn of(&self, function: FunctionId) -> Known<'_> {
        self.outcomes[function].map_or(Known::Unknown, |outcome| Known::Summary(&outcome.summary))
    }
}

/// `name (file)`
fn title(program: &Program, function: FunctionId) -> String {
    let file = &program.sources[program.function(function).module].file;
    let file = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{} ({file})", name(program, function))
}

/// As the source has it.
fn name(program: &Program, function: FunctionId) -> &'static str {
    let (module, body) = program.body(function);
    module.unit.globals[body.global].source_name.as_str()
}

fn line(program: &Program, function: FunctionId, loc: Loc) -> u32 {
    let module = program.function(function).module;
    program.sources[module].map.place(loc).map_or(0, |place| place.line)
}
