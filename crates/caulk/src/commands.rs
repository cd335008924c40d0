//! What each command does: find the project, run the driver, render.

use std::num::NonZeroUsize;
use std::path::Path;

use caulk_driver::{
    Message, Project, Request, Statistics, TextResult, UnitPlan, UnitResult, UnitStatistics, analyze, preprocess,
    syntax_tree,
};
use caulk_ir::print::{Locations, print_function, print_module};

use crate::arguments::{Command, Format, Input};
use crate::diagnostics::Reporter;
use crate::{check, stats};

/// What a command yields.
pub(crate) struct Outcome {
    /// For standard output.
    pub(crate) text: Vec<u8>,
    /// For standard error, after the text.
    pub(crate) closing: String,
    pub(crate) verdict: Verdict,
}

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything that was asked for was done.
    Complete,
    /// And there is something to be seen to.
    Findings,
    Incomplete,
}

impl Outcome {
    pub(crate) fn new(text: Vec<u8>, verdict: Verdict) -> Outcome {
        Outcome { text, closing: String::new(), verdict }
    }

    pub(crate) fn complete_if(is_complete: bool, text: Vec<u8>) -> Outcome {
        Outcome::new(text, if is_complete { Verdict::Complete } else { Verdict::Incomplete })
    }
}

pub(crate) fn run(command: Command) -> Result<Outcome, String> {
    match command {
        Command::Check { input, format, report, stats, work } => {
            check::check(&input, format, &report, stats, work.jobs)
        }
        Command::Summary { input, function, models, work } => {
            check::summary(&input, function.as_deref(), &models, work.jobs)
        }
        Command::Graph { input, function, what, models, work } => {
            check::graph(&input, function.as_deref(), what, &models, work.jobs)
        }
        Command::Ir { input, function, work } => print_ir(&input, function.as_deref(), work.jobs),
        Command::Ast { input } => print_text(&input, syntax_tree),
        Command::Preprocess { input } => print_text(&input, preprocess),
        Command::Stats { input, format, functions, work } => print_stats(&input, format, functions, work.jobs),
    }
}

pub(crate) fn find_project(input: &Input, reporter: &mut Reporter) -> Result<Project, String> {
    let request = Request { paths: input.paths.clone(), database: input.database.clone(), flags: input.flags.clone() };
    let project = Project::find(&request)?;
    project.warnings.iter().for_each(|warning| reporter.warning(warning));
    project.errors.iter().for_each(|error| reporter.error(error));
    // A few files that are not C are worth a word when they were named; a build's assembler is not.
    if input.database.is_none() {
        for skipped in &project.skipped {
            reporter.warning(&format!("{}: skipped: {}", skipped.file.display(), skipped.reason));
        }
    }
    if project.units.is_empty() {
        let hint = if project.skipped.is_empty() { "" } else { ": none of the inputs is C" };
        return Err(format!("nothing to analyse{hint}"));
    }
    Ok(project)
}

/// Runs the driver and reports; the results of units that could be read, in order.
fn run_units<T: Send>(
    project: &Project,
    jobs: Option<NonZeroUsize>,
    reporter: &mut Reporter,
    visit: impl Fn(UnitResult) -> T + Sync,
) -> (Vec<T>, bool) {
    let run = analyze(project, jobs, |mut unit| {
        let messages = std::mem::take(&mut unit.messages);
        (messages, visit(unit))
    });
    let mut values = Vec::with_capacity(run.results.len());
    let mut is_complete = project.errors.is_empty();
    for result in run.results {
        match result {
            Ok((messages, value)) => {
                messages.iter().for_each(|message| reporter.message(message));
                values.push(value);
            }
            Err(error) => {
                reporter.error(&error);
                is_complete = false;
            }
        }
    }
    run.problems.iter().for_each(|problem| reporter.warning(problem));
    is_complete &= !values.is_empty();
    (values, is_complete)
}

fn print_ir(input: &Input, function: Option<&str>, jobs: Option<NonZeroUsize>) -> Result<Outcome, String> {
    let mut reporter = Reporter::new();
    let project = find_project(input, &mut reporter)?;
    let is_single = project.units.len() == 1;
    let (texts, mut is_complete) = run_units(&project, jobs, &mut reporter, |unit| {
        let mut text = String::new();
        if !is_single {
            text.push_str(&format!("; {}\n", unit.file.display()));
        }
        let heading = text.len();
        match function {
            None => print_module(&unit.module, Locations::Lines(&unit.map), &mut text),
            Some(name) => {
                let globals = &unit.module.unit.globals;
                let wanted = unit.module.functions.iter().filter(|function| {
                    let global = &globals[function.global];
                    global.name.as_str() == name || global.source_name.as_str() == name
                });
                wanted.for_each(|function| {
                    print_function(&unit.module.unit, function, Locations::Lines(&unit.map), &mut text);
                });
                if text.len() == heading {
                    text.clear();
                }
            }
        }
        text
    });
    if let Some(name) = function
        && texts.iter().all(String::is_empty)
    {
        reporter.error(&format!("no function called {name}"));
        is_complete = false;
    }
    reporter.finish();
    Ok(Outcome::complete_if(is_complete, texts.concat().into_bytes()))
}

fn print_text(input: &Input, step: impl Fn(&UnitPlan) -> Result<TextResult, String>) -> Result<Outcome, String> {
    let mut reporter = Reporter::new();
    let project = find_project(input, &mut reporter)?;
    let mut text = Vec::new();
    let mut is_complete = project.errors.is_empty();
    for plan in &project.units {
        match step(plan) {
            Ok(result) => {
                result.messages.iter().for_each(|message: &Message| reporter.message(message));
                text.extend(result.text);
            }
            Err(error) => {
                reporter.error(&error);
                is_complete = false;
            }
        }
    }
    reporter.finish();
    Ok(Outcome::complete_if(is_complete, text))
}

fn print_stats(
    input: &Input,
    format: Format,
    with_functions: bool,
    jobs: Option<NonZeroUsize>,
) -> Result<Outcome, String> {
    let mut reporter = Reporter::new();
    let project = find_project(input, &mut reporter)?;
    let (units, is_complete) = run_units(&project, jobs, &mut reporter, |unit| UnitStatistics::of(&unit));
    let statistics = Statistics::collect(units);
    let text = match format {
        Format::Json => stats::json(&statistics, with_functions)?,
        Format::Text => stats::text(&statistics, &project.skipped, with_functions),
    };
    reporter.finish();
    Ok(Outcome::complete_if(is_complete, text.into_bytes()))
}

/// A path as the user would write it from here.
pub(crate) fn shown(path: &Path, here: &Path) -> String {
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
