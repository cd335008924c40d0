//! The whole program, bottom-up: evaluate each function, report what it loses, summarise it for its callers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use caulk_base::{IdVec, Symbol as Name};
use caulk_flow::freeze::summarize;
use caulk_flow::{Evaluator, Known, Models, Plan, Summaries, Summary, Surroundings};
use caulk_program::{Done, FunctionId, Program, schedule};

use crate::finding::Finding;
use crate::{rule, witness};

/// Times a recursive component is evaluated, each time with the summaries of the time before.
const ROUNDS: usize = 3;

/// What came out for one function.
pub struct Outcome {
    pub function: FunctionId,
    pub summary: Summary,
    pub findings: Vec<Finding>,
    pub steps: u64,
    /// Calls that yielded something to release.
    pub sites: usize,
    /// Those of them whose answer a budget made coarser.
    pub coarsened: usize,
    pub is_exhausted: bool,
    /// What a caught panic said.
    pub bug: Option<String>,
}

/// The outcome of every function, in the order of components.
pub fn analyze(program: &Program, models: &Models, jobs: usize) -> Vec<Outcome> {
    let mut places: IdVec<FunctionId, u32> = IdVec::filled(0, program.functions().len());
    for component in program.components() {
        for (place, &function) in component.functions.iter().enumerate() {
            places[function] = place as u32;
        }
    }
    let outcomes = schedule(program, jobs, |number, done: &Done<'_, Vec<Outcome>>| {
        component(program, models, &places, number, done)
    });
    outcomes.into_iter().flatten().collect()
}

fn component(
    program: &Program,
    models: &Models,
    places: &IdVec<FunctionId, u32>,
    number: usize,
    done: &Done<'_, Vec<Outcome>>,
) -> Vec<Outcome> {
    let component = &program.components()[number];
    let rounds = if component.is_recursive { ROUNDS } else { 1 };
    let mut known: Vec<Outcome> = Vec::new();
    let mut is_settled = false;
    for round in 0..rounds {
        let is_last = round + 1 == rounds || is_settled;
        let mut next: Vec<Outcome> = Vec::with_capacity(component.functions.len());
        for &function in &component.functions {
            // What was too much before the others were known is no less now.
            if let Some(before) = known.get(next.len())
                && before.is_exhausted
            {
                next.push(Outcome {
                    steps: before.steps,
                    sites: before.sites,
                    coarsened: before.coarsened,
                    ..Outcome::lost(function)
                });
                continue;
            }
            let summaries = Near { program, places, number, done, next: &next, known: &known };
            let outcome = one(program, models, &summaries, function, is_last);
            next.push(outcome);
        }
        is_settled =
            known.len() == next.len() && known.iter().zip(&next).all(|(before, after)| before.summary == after.summary);
        known = next;
        if is_last {
            break;
        }
    }
    known
}

/// The summaries that a component may ask for.
struct Near<'a> {
    program: &'a Program,
    places: &'a IdVec<FunctionId, u32>,
    number: usize,
    done: &'a Done<'a, Vec<Outcome>>,
    next: &'a [Outcome],
    known: &'a [Outcome],
}

impl Summaries for Near<'_> {
    fn of(&self, callee: FunctionId) -> Known<'_> {
        let place = self.places[callee] as usize;
        if self.program.component_of(callee) == self.number {
            // The newest there is.
            return match self.next.get(place).or_else(|| self.known.get(place)) {
                Some(outcome) => Known::Summary(&outcome.summary),
                None => Known::Pending,
            };
        }
        match self.done.function(callee) {
            Some(outcomes) => Known::Summary(&outcomes[place].summary),
            None => Known::Unknown,
        }
    }
}

fn one(program: &Program, models: &Models, summaries: &dyn Summaries, function: FunctionId, report: bool) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| evaluate(program, models, summaries, function, report))) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Outcome { bug: Some(text.unwrap_or_else(|| "no reason given".to_owned())), ..Outcome::lost(function) }
        }
    }
}

fn evaluate(
    program: &Program,
    models: &Models,
    summaries: &dyn Summaries,
    function: FunctionId,
    report: bool,
) -> Outcome {
    let cx = Surroundings { program, models, summaries };
    let (module, body) = program.body(function);
    let plan = Plan::new(module, body);
    let mut evaluator = Evaluator::new(&cx, function, &plan);
    if evaluator.run(false).is_err() {
        return Outcome {
            steps: evaluator.steps,
            sites: evaluator.sites(),
            coarsened: evaluator.sites(),
            ..Outcome::lost(function)
        };
    }
    let lost = if report { rule::find(&mut evaluator) } else { Vec::new() };
    let is_silent = lost.is_empty();
    let frozen = summarize(&mut evaluator);
    let (steps, sites, coarsened) = (evaluator.steps, evaluator.sites(), evaluator.coarsened_sites());
    let findings = if is_silent { Vec::new() } else { witness::tell(&mut evaluator, &lost) };
    Outcome { function, summary: frozen, findings, steps, sites, coarsened, is_exhausted: false, bug: None }
}

impl Outcome {
    fn lost(function: FunctionId) -> Outcome {
        Outcome {
            function,
            summary: Summary::opaque(),
            findings: Vec::new(),
            steps: 0,
            sites: 0,
            coarsened: 0,
            is_exhausted: true,
            bug: None,
        }
    }

    pub fn name(&self, program: &Program) -> Name {
        program.function(self.function).name
    }
}
