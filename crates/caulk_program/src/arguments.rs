//! What every caller passes.
//!
//! A function reads as if its arguments could be anything; its callers know better:
//!
//! ```c
//! static int parse(const char *text, int (*found)(char *)) { … if (found) … }    // found is never null
//! int names(const char *text) { return parse(text, print_name); }
//! int keys(const char *text) { return parse(text, print_key); }
//! ```
//!
//! - *passed*: what holds of an argument.
//! - *way*: what a call passes, argument by argument. Ways that say the same are one; if there are too many, one way says
//!   what holds at all calls.
//! - *found*: read from memory or come from a call, so that nobody can say here what it is.
//!
//! Invariant: there is no way if the function is an entry, or if no call leads to it. If its address is taken, calls
//! through pointers count as well, but others may call it, too.

use caulk_base::IdVec;
use caulk_ir::ir::{Function, InstKind, Module, Value};

use crate::call_graph::direct_callee;
use crate::link::Linked;
use crate::pointers::Pointers;
use crate::program::{FunctionId, Resolved, Target};

/// Constants that an argument is said to be one of.
const MAX_CONSTANTS: usize = 4;
/// Of a call through a pointer that may lead to more functions nobody knows what it passes.
const MAX_TARGETS: usize = 32;
/// Ways to call a function that are told apart.
const MAX_WAYS: usize = 12;

/// What is passed for one argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Passed {
    /// The address of something.
    Address,
    /// In increasing order.
    Constants(Vec<i64>),
    /// An address or what was found somewhere, which may be null, but no caller says so.
    Found,
    Anything,
}

impl Passed {
    /// What holds of both.
    fn join(&self, other: &Passed) -> Passed {
        match (self, other) {
            (Passed::Address, Passed::Address) => Passed::Address,
            (Passed::Address | Passed::Found, Passed::Address | Passed::Found) => Passed::Found,
            (Passed::Constants(all), Passed::Constants(more)) => {
                let mut all: Vec<i64> = all.iter().chain(more).copied().collect();
                all.sort_unstable();
                all.dedup();
                if all.len() > MAX_CONSTANTS { Passed::Anything } else { Passed::Constants(all) }
            }
            _ => Passed::Anything,
        }
    }
}

/// Adds what one more call passes; whether that is news.
fn add(passed: &mut Option<Passed>, more: &Passed) -> bool {
    let joined = passed.as_ref().map_or_else(|| more.clone(), |passed| passed.join(more));
    let is_news = passed.as_ref() != Some(&joined);
    *passed = Some(joined);
    is_news
}

/// An argument of a call.
enum Argument {
    Known(Passed),
    /// The caller's own parameter.
    Param(usize),
}

/// The ways in which each function is called.
pub(crate) type Arguments = IdVec<FunctionId, Vec<Vec<Passed>>>;

/// A call and one of its targets.
struct Call {
    caller: FunctionId,
    target: FunctionId,
    arguments: Vec<Argument>,
}

pub(crate) fn find(modules: &[Module], linked: &Linked, pointers: &Pointers) -> Arguments {
    let body = |function: FunctionId| {
        let info = &linked.functions[function];
        &modules[info.module].functions[info.index]
    };
    let mut calls: Vec<Call> = Vec::new();
    for (caller, info) in linked.functions.iter_enumerated() {
        let function = body(caller);
        for (call, inst) in function.insts.iter_enumerated() {
            let InstKind::Call { callee, args } = inst.kind else { continue };
            let args = function.operands(args);
            let targets: Vec<Target> = match direct_callee(function, callee) {
                Some(global) => match linked.resolved[info.module][global] {
                    Resolved::Function(target) => vec![Target::Function(target)],
                    _ => Vec::new(),
                },
                None => pointers.call_targets(caller, call).unwrap_or_default().to_vec(),
            };
            let is_told = targets.len() <= MAX_TARGETS;
            for target in targets {
                let Target::Function(target) = target else { continue };
                let given = |number: usize| match args.get(number) {
                    Some(&arg) if is_told => argument(function, arg),
                    _ => Argument::Known(Passed::Anything),
                };
                let arguments = (0..body(target).params.len()).map(given).collect();
                calls.push(Call { caller, target, arguments });
            }
        }
    }
    let joined = join_calls(&calls, linked, &|id| body(id).params.len());
    let mut ways: Arguments = linked.functions.iter().map(|_| Vec::new()).collect();
    for call in &calls {
        if linked.functions[call.target].is_entry {
            continue;
        }
        let passed = |argument: &Argument| match argument {
            Argument::Known(passed) => passed.clone(),
            Argument::Param(place) => joined[call.caller][*place].clone().unwrap_or(Passed::Anything),
        };
        ways[call.target].push(call.arguments.iter().map(passed).collect());
    }
    for (id, _) in linked.functions.iter_enumerated() {
        let ways = &mut ways[id];
        ways.sort_unstable();
        ways.dedup();
        if ways.len() > MAX_WAYS {
            let all = joined[id].iter().map(|passed| passed.clone().unwrap_or(Passed::Anything)).collect();
            *ways = vec![all];
        }
    }
    ways
}

/// What holds at all calls of a function; `None` as long as no call is known.
fn join_calls(
    calls: &[Call],
    linked: &Linked,
    params: &dyn Fn(FunctionId) -> usize,
) -> IdVec<FunctionId, Vec<Option<Passed>>> {
    let mut passed: IdVec<FunctionId, Vec<Option<Passed>>> =
        linked.functions.iter_enumerated().map(|(id, _)| vec![None; params(id)]).collect();
    let mut is_called: IdVec<FunctionId, bool> = linked.functions.iter().map(|_| false).collect();
    calls.iter().for_each(|call| is_called[call.target] = true);
    for (id, info) in linked.functions.iter_enumerated() {
        if info.is_address_taken || info.is_entry || !is_called[id] {
            passed[id].fill(Some(Passed::Anything));
        }
    }
    let mut handed_on: Vec<(&Call, usize, usize)> = Vec::new();
    for call in calls {
        for (number, argument) in call.arguments.iter().enumerate() {
            match argument {
                Argument::Known(known) => {
                    add(&mut passed[call.target][number], known);
                }
                Argument::Param(place) => handed_on.push((call, number, *place)),
            }
        }
    }
    // What a caller passes on is known as soon as what it gets is.
    loop {
        let mut has_changed = false;
        for &(call, number, place) in &handed_on {
            if let Some(given) = passed[call.caller][place].clone() {
                has_changed |= add(&mut passed[call.target][number], &given);
            }
        }
        if !has_changed {
            return passed;
        }
    }
}

fn argument(function: &Function, mut arg: Value) -> Argument {
    loop {
        return Argument::Known(match function.insts[arg].kind {
            InstKind::Cast(inner) | InstKind::BitCast(inner) => {
                arg = inner;
                continue;
            }
            InstKind::Int(value) => Passed::Constants(vec![value]),
            InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::Slot { .. }
            | InstKind::Alloca { .. }
            | InstKind::Field { .. } => Passed::Address,
            InstKind::Param(number) => return Argument::Param(number as usize),
            InstKind::Load { .. } | InstKind::Call { .. } => Passed::Found,
            _ => Passed::Anything,
        });
    }
}
