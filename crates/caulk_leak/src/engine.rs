//! The whole program, bottom-up: evaluate each function, report what it loses, summarise it for its callers.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use caulk_base::{IdVec, Symbol as Name};
use caulk_flow::freeze::summarize;
use caulk_flow::{Evaluator, Known, Models, Plan, SLICING, Slice, Summaries, Summary, Surroundings, borrow, patience};
use caulk_ir::ir;
use caulk_program::{Done, FunctionId, Program, schedule, unchanged_arguments};

use crate::finding::Finding;
use crate::rule::Found;
use crate::{rule, witness};

/// Times a recursive component is evaluated, each time with the newest summaries, unless they have settled.
const ROUNDS: usize = 3;
/// Functions in a circle whose summaries, after all rounds, are as good as settled.
const FEW: usize = 4;

/// What the parts of a function may cost each time they are tried: as much as was spent on the whole, and however little
/// that was, so many steps for a part.
const STEPS_PER_SLICE: u64 = 4_000;

/// What came out for one function.
pub struct Outcome {
    pub function: FunctionId,
    pub summary: Summary,
    pub findings: Vec<Finding>,
    pub steps: u64,
    /// Calls that yielded something to release.
    pub sites: usize,
    /// Those of them in a function that was given up, or where it could not be told what is lost: all or none.
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
    let engine = Engine { program, models, patience: patience(program), places };
    let outcomes = schedule(program, jobs, |number, done: &Done<'_, Vec<Outcome>>| engine.component(number, done));
    outcomes.into_iter().flatten().collect()
}

struct Engine<'a> {
    program: &'a Program,
    models: &'a Models,
    patience: u64,
    /// By function: its place in its component.
    places: IdVec<FunctionId, u32>,
}

impl Engine<'_> {
    fn component(&self, number: usize, done: &Done<'_, Vec<Outcome>>) -> Vec<Outcome> {
        let component = &self.program.components()[number];
        let rounds = if component.is_recursive { ROUNDS } else { 1 };
        let is_small = component.functions.len() <= FEW;
        let unchanged =
            if is_small && component.is_recursive { unchanged_arguments(self.program, component) } else { Vec::new() };
        let mut members: Vec<Member> = component.functions.iter().map(|_| Member::default()).collect();
        for _ in 0..rounds {
            let mut is_settled = true;
            for (place, &function) in component.functions.iter().enumerate() {
                if members[place].is_up_to_date(&members) {
                    continue;
                }
                let near = Near { engine: self, number, done, members: &members, asked: RefCell::default() };
                let outcome = self.one(&near, function);
                let asked = near.asked.into_inner();
                let member = &mut members[place];
                if member.outcome.as_ref().is_none_or(|before| before.summary != outcome.summary) {
                    member.version += 1;
                    is_settled = false;
                }
                member.any_turn = unchanged.get(place).map(|unchanged| outcome.summary.for_any_turn(unchanged));
                member.outcome = Some(outcome);
                member.asked = asked;
            }
            if is_settled {
                break;
            }
        }
        // What rests on a summary that has changed since may be a mistake, where many have a say in it.
        let is_stale: Vec<bool> = members.iter().map(|member| !is_small && !member.is_up_to_date(&members)).collect();
        let outcomes = members.into_iter().zip(is_stale).filter_map(|(member, is_stale)| {
            let mut outcome = member.outcome?;
            if is_stale {
                outcome.findings.clear();
            }
            Some(outcome)
        });
        outcomes.collect()
    }

    fn one(&self, summaries: &dyn Summaries, function: FunctionId) -> Outcome {
        match catch_unwind(AssertUnwindSafe(|| self.evaluate(summaries, function))) {
            Ok(outcome) => outcome,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                Outcome { bug: Some(text.unwrap_or_else(|| "no reason given".to_owned())), ..Outcome::lost(function) }
            }
        }
    }

    fn evaluate(&self, summaries: &dyn Summaries, function: FunctionId) -> Outcome {
        let Engine { program, models, patience, .. } = *self;
        let cx = Surroundings { program, models, summaries, patience };
        let plan = Plan::new(program, function);
        let evaluator = &mut Evaluator::new(&cx, function, &plan);
        if evaluator.run().is_err() {
            let summary = borrow::summarize(&cx, function);
            let mut outcome = Outcome { summary, steps: evaluator.steps, ..Outcome::lost(function) };
            outcome.add_slices(evaluator, &|_| true);
            return outcome;
        }
        let Found { lost, undecided } = rule::find(evaluator);
        let mut frozen = summarize(evaluator);
        if frozen.is_opaque {
            frozen = borrow::summarize(&cx, function);
        }
        let mut outcome = Outcome { summary: frozen, is_exhausted: false, ..Outcome::lost(function) };
        (outcome.steps, outcome.sites) = (evaluator.steps, evaluator.sites());
        if !lost.is_empty() {
            outcome.findings = witness::tell(evaluator, &lost);
        }
        outcome.add_slices(evaluator, &|site| undecided.contains(&site));
        outcome
    }
}

/// A function of the component at work.
#[derive(Default)]
struct Member {
    /// Of the last evaluation.
    outcome: Option<Outcome>,
    /// In a small circle, where most calls go deeper: the summary that members see of each other.
    any_turn: Option<Summary>,
    /// How often its summary has changed.
    version: u32,
    /// The members whose summaries it asked for, with the versions it saw.
    asked: Vec<(usize, u32)>,
}

impl Member {
    /// Whether another evaluation would say the same. What was too much before the others were known is no less now.
    fn is_up_to_date(&self, members: &[Member]) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| {
            outcome.is_exhausted || self.asked.iter().all(|&(place, version)| members[place].version == version)
        })
    }
}

/// The summaries that a component may ask for.
struct Near<'a> {
    engine: &'a Engine<'a>,
    number: usize,
    done: &'a Done<'a, Vec<Outcome>>,
    members: &'a [Member],
    asked: RefCell<Vec<(usize, u32)>>,
}

impl Summaries for Near<'_> {
    fn of(&self, callee: FunctionId) -> Known<'_> {
        let place = self.engine.places[callee] as usize;
        if self.engine.program.component_of(callee) == self.number {
            let member = &self.members[place];
            let entry = (place, member.version);
            let mut asked = self.asked.borrow_mut();
            if !asked.contains(&entry) {
                asked.push(entry);
            }
            return match (&member.any_turn, &member.outcome) {
                (Some(summary), _) => Known::Summary(summary),
                (None, Some(outcome)) => Known::Summary(&outcome.summary),
                (None, None) => Known::Pending,
            };
        }
        match self.done.function(callee) {
            Some(outcomes) => Known::Summary(&outcomes[place].summary),
            None => Known::Unknown,
        }
    }
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

    /// What is lost of what some calls of the function yield, found part by part after the whole was too much; what is
    /// still too much, from nearer before the call, and then with more steps.
    fn add_slices(&mut self, evaluator: &mut Evaluator<'_>, is_open: &dyn Fn(ir::Value) -> bool) {
        let spent = evaluator.steps;
        let mut left = 0;
        let mut open: Option<Vec<ir::Value>> = None;
        for round in SLICING {
            let is_open = |site: ir::Value| open.as_ref().map_or_else(|| is_open(site), |open| open.contains(&site));
            let slices = Slice::all(evaluator.cx, self.function, round, &is_open);
            if self.is_exhausted && open.is_none() {
                self.sites += slices.iter().map(|slice| slice.sites.len()).sum::<usize>();
            }
            left += spent.max(slices.len() as u64 * STEPS_PER_SLICE);
            let mut undecided: Vec<ir::Value> = Vec::new();
            for slice in slices {
                let sites = slice.sites.clone();
                if left == 0 {
                    undecided.extend(sites);
                    continue;
                }
                if evaluator.run_slice(slice).is_err() {
                    undecided.extend(sites);
                } else {
                    let found = rule::find(evaluator);
                    undecided.extend(found.undecided);
                    if !found.lost.is_empty() {
                        self.findings.extend(witness::tell(evaluator, &found.lost));
                    }
                }
                left = left.saturating_sub(evaluator.steps);
                self.steps += evaluator.steps;
            }
            open = Some(undecided);
        }
        self.coarsened += open.map_or(0, |open| open.len());
    }

    pub fn name(&self, program: &Program) -> Name {
        program.function(self.function).name
    }
}
