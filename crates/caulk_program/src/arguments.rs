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
//! - *passed*: what holds of one argument at all calls of a function.
//! - *found*: read from memory or come from a call, so that nobody can say here what it is.
//!
//! Invariant: nothing is said of an argument of a function whose address is taken, which no call names, or of a number
//! if code outside the program may call it too.

use caulk_base::IdVec;
use caulk_ir::ir::{Function, InstKind, Module, Value};

use crate::call_graph::direct_callee;
use crate::link::Linked;
use crate::program::{FunctionId, Resolved};

/// Constants that an argument is said to be one of.
const MAX_CONSTANTS: usize = 4;

/// What all callers pass for one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
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

pub(crate) type Arguments = IdVec<FunctionId, Vec<Passed>>;

pub(crate) fn find(modules: &[Module], linked: &Linked) -> Arguments {
    let body = |function: FunctionId| {
        let info = &linked.functions[function];
        &modules[info.module].functions[info.index]
    };
    // None as long as no call is known.
    let mut passed: IdVec<FunctionId, Vec<Option<Passed>>> =
        linked.functions.iter_enumerated().map(|(id, _)| vec![None; body(id).params.len()]).collect();
    let mut handed_on: Vec<(FunctionId, usize, (FunctionId, usize))> = Vec::new();
    let mut is_called: IdVec<FunctionId, bool> = linked.functions.iter().map(|_| false).collect();
    for (caller, info) in linked.functions.iter_enumerated() {
        let function = body(caller);
        for inst in function.insts.iter() {
            let InstKind::Call { callee, args } = inst.kind else { continue };
            let Some(global) = direct_callee(function, callee) else { continue };
            let Resolved::Function(target) = linked.resolved[info.module][global] else { continue };
            is_called[target] = true;
            for number in 0..passed[target].len() {
                let arg = function.operands(args).get(number);
                let argument = arg.map_or(Argument::Known(Passed::Anything), |&arg| argument(function, arg));
                match argument {
                    Argument::Known(known) => {
                        add(&mut passed[target][number], &known);
                    }
                    Argument::Param(place) => handed_on.push((target, number, (caller, place))),
                }
            }
        }
    }
    for (id, info) in linked.functions.iter_enumerated() {
        if info.is_address_taken || info.is_entry || !is_called[id] {
            passed[id].fill(Some(Passed::Anything));
        }
    }
    // What a caller passes on is known as soon as what it gets is.
    loop {
        let mut has_changed = false;
        for &(target, number, (caller, place)) in &handed_on {
            if let Some(given) = passed[caller][place].clone() {
                has_changed |= add(&mut passed[target][number], &given);
            }
        }
        if !has_changed {
            break;
        }
    }
    let told = |(id, passed): (FunctionId, &Vec<Option<Passed>>)| -> Vec<Passed> {
        let is_internal = linked.functions[id].is_internal;
        let is_told = |passed: &Passed| is_internal || !matches!(passed, Passed::Constants(_));
        passed.iter().map(|passed| passed.clone().filter(is_told).unwrap_or(Passed::Anything)).collect()
    };
    passed.iter_enumerated().map(told).collect()
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
