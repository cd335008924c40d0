//! The question the program is for: a project in, leaks out.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use caulk_base::Loc;
use caulk_flow::Models;
use caulk_ir::ir::Module;
use caulk_leak::graph::{Drawing, draw, functions_named};
use caulk_leak::{Confidence, Finding, Outcome};
use caulk_program::{Input, Program, discard_unused};
use caulk_sema::unit::Unit;

use crate::frontend::{BUG, PLEASE_REPORT, UnitResult};
use crate::messages::Message;
use crate::project::Project;
use crate::run::analyze;
use crate::statistics::{Statistics, UnitStatistics};

#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Threads; all cores unless given.
    pub jobs: Option<NonZeroUsize>,
    /// Files in the model language, read after the built-in models: what they say about a function wins.
    pub models: Vec<PathBuf>,
    /// Findings below this are not reported.
    pub min_confidence: Confidence,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { jobs: None, models: Vec::new(), min_confidence: Confidence::High }
    }
}

/// What an analysis of a project yields.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// By file, line, column and rule of the loss.
    pub findings: Vec<Finding>,
    pub functions_analyzed: usize,
    /// Not understood, given up or lost to a bug of ours.
    pub functions_skipped: usize,
    pub allocation_sites: usize,
    /// Sites whose answer a budget made coarser, so that a leak may have been missed.
    pub sites_coarsened: usize,
    /// All functions, the most steps first.
    pub slowest: Vec<SlowFunction>,
    /// Functions that were too much for the budget.
    pub given_up: Vec<SlowFunction>,
    /// Where allocation sites were coarsened, with the number of these, the most first.
    pub coarsened: Vec<(SlowFunction, usize)>,
    /// Of the front end.
    pub statistics: Statistics,
    /// Panics caught: sentences that say which function was lost and what to send.
    pub bugs: Vec<String>,
    /// About the program, in the project's order.
    pub messages: Vec<Message>,
    /// Units that could not be read.
    pub errors: Vec<String>,
    /// Files that are there and could not be used.
    pub problems: Vec<String>,
}

/// A function and what it cost, in steps of the engine, which are the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowFunction {
    pub name: String,
    pub file: String,
    pub steps: u64,
}

/// What [`graph`] draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    /// The control-flow graph as lowered.
    Cfg,
    /// What of it can matter to the ownership of memory.
    Projection,
    /// How heap objects travel.
    Flow,
}

/// Looks for leaks; `Err` if an option is no good. Bad C is a report with messages.
pub fn check(project: &Project, options: &CheckOptions) -> Result<Report, String> {
    let models = read_models(options)?;
    let run = analyze(&project.sorted(), options.jobs, |mut unit| {
        let messages = std::mem::take(&mut unit.messages);
        let statistics = UnitStatistics::of(&unit);
        (messages, statistics, input(unit))
    });
    let mut report = Report { problems: run.problems, ..Report::default() };
    let mut units = Vec::with_capacity(run.results.len());
    let mut inputs = Vec::with_capacity(run.results.len());
    for result in run.results {
        match result {
            Ok((messages, unit, input)) => {
                report.messages.extend(messages);
                units.push(unit);
                inputs.push(input);
            }
            Err(error) => report.errors.push(error),
        }
    }
    report.statistics = Statistics::collect(units);
    report.functions_skipped = report.statistics.functions.skipped;
    let program = Program::link(inputs);
    let jobs = options.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    for outcome in caulk_leak::analyze(&program, &models, jobs) {
        report.add(&program, outcome, options.min_confidence);
    }
    report
        .findings
        .sort_by(|a, b| (&a.leak, a.rule, &a.alloc, &a.variable).cmp(&(&b.leak, b.rule, &b.alloc, &b.variable)));
    report.findings.dedup();
    for functions in [&mut report.slowest, &mut report.given_up] {
        functions.sort_by(|a, b| b.steps.cmp(&a.steps).then_with(|| (&a.file, &a.name).cmp(&(&b.file, &b.name))));
    }
    report
        .coarsened
        .sort_by(|(a, sites), (b, more)| more.cmp(sites).then_with(|| (&a.file, &a.name).cmp(&(&b.file, &b.name))));
    Ok(report)
}

impl Report {
    fn add(&mut self, program: &Program, outcome: Outcome, min_confidence: Confidence) {
        let info = program.function(outcome.function);
        let file = program.sources[info.module].file.display().to_string();
        if let Some(panic) = &outcome.bug {
            self.bugs.push(format!("{file}: {BUG}{panic}; function {} is lost; {PLEASE_REPORT}", info.name));
        }
        let cost = SlowFunction { name: info.name.as_str().to_owned(), file, steps: outcome.steps };
        if outcome.is_exhausted {
            self.given_up.extend(outcome.bug.is_none().then(|| cost.clone()));
        }
        // What was too much as a whole was still analysed if each of its allocations was.
        if outcome.is_exhausted && (outcome.sites == 0 || outcome.coarsened > 0) {
            self.functions_skipped += 1;
        } else {
            self.functions_analyzed += 1;
        }
        self.allocation_sites += outcome.sites;
        self.sites_coarsened += outcome.coarsened;
        if outcome.coarsened > 0 {
            self.coarsened.push((cost.clone(), outcome.coarsened));
        }
        self.slowest.push(cost);
        self.findings.extend(outcome.findings.into_iter().filter(|finding| finding.confidence >= min_confidence));
    }
}

/// What the engine needs of a unit, without the rest.
fn input(mut unit: UnitResult) -> Input {
    discard_unused(&mut unit.module);
    let Unit { types, globals, .. } = &mut unit.module.unit;
    types.seal();
    for global in globals.iter_mut() {
        if global.parameters.iter().all(|parameter| parameter.attributes.is_empty()) {
            global.parameters = Vec::new();
        }
        global.attributes.shrink_to_fit();
    }
    unit.map.keep_only(locations(&unit.module));
    Input { module: unit.module, map: unit.map, file: unit.file, link_dir: None }
}

/// What the engine may ask the place of.
fn locations(module: &Module) -> Vec<Loc> {
    let Module { unit, functions, .. } = module;
    let mut found: Vec<Loc> = unit.globals.iter().map(|global| global.loc).collect();
    found.extend(unit.types.records.iter().map(|record| record.loc));
    for function in functions {
        found.push(function.loc);
        found.extend(function.insts.iter().map(|inst| inst.loc));
        found.extend(function.blocks.iter().map(|block| block.terminator_loc));
    }
    found
}

/// The built-in models and then the user's.
fn read_models(options: &CheckOptions) -> Result<Models, String> {
    let mut models = Models::builtin().clone();
    for path in &options.models {
        let text = read_model(path)?;
        let added = models.add(&text, &path.display().to_string());
        added.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(models)
}

/// What is believed about functions, in the model language; of one function or of all.
pub fn summaries(project: &Project, options: &CheckOptions, function: Option<&str>) -> Result<String, String> {
    let models = read_models(options)?;
    let (program, jobs) = link(project, options);
    let mut texts = Vec::new();
    for outcome in caulk_leak::analyze(&program, &models, jobs) {
        let (module, body) = program.body(outcome.function);
        let name = module.unit.globals[body.global].source_name;
        if function.is_none_or(|wanted| wanted == name.as_str()) {
            let text = caulk_flow::print::print(&program, &models, outcome.function, &outcome.summary);
            texts.push((name.as_str().to_owned(), text));
        }
    }
    if let (Some(wanted), true) = (function, texts.is_empty()) {
        return Err(format!("no function called {wanted}"));
    }
    texts.sort();
    Ok(texts.into_iter().map(|entry| entry.1).collect::<Vec<_>>().join("\n"))
}

/// One graph in the language of Graphviz: of the functions of this name, or of all.
pub fn graph(
    project: &Project,
    options: &CheckOptions,
    function: Option<&str>,
    what: GraphKind,
) -> Result<String, String> {
    let models = read_models(options)?;
    let (program, jobs) = link(project, options);
    let functions = match function {
        None => None,
        Some(wanted) => match functions_named(&program, wanted) {
            found if found.is_empty() => return Err(format!("no function called {wanted}")),
            found => Some(found),
        },
    };
    let drawing = match what {
        GraphKind::Cfg => Drawing::ControlFlow,
        GraphKind::Projection => Drawing::Projection,
        GraphKind::Flow => Drawing::Flow,
    };
    Ok(draw(&program, &models, jobs, functions.as_deref(), drawing))
}

/// The whole project as one program, and with how many threads to work on it.
fn link(project: &Project, options: &CheckOptions) -> (Program, usize) {
    let run = analyze(&project.sorted(), options.jobs, input);
    let program = Program::link(run.results.into_iter().flatten().collect());
    let jobs = options.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    (program, jobs)
}

fn read_model(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
