//! What the callers of a function say about its arguments, as a guard.

use caulk_flow::Evaluator;
use caulk_flow::object::{Origin, SymbolInfo};
use caulk_guard::{Guard, Term};
use caulk_program::Passed;

/// How far callers are believed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// As far as nobody else can call otherwise.
    Sure,
    /// Nobody calls in another way than the calls that are seen, nor with a null that no call names.
    Likely,
}

/// When the arguments are what one of the callers passes.
pub(crate) fn as_called(evaluator: &mut Evaluator<'_>, trust: Trust) -> Guard {
    let program = evaluator.cx.program;
    let ways = program.ways(evaluator.function);
    let info = program.function(evaluator.function);
    if ways.is_empty() || (info.is_address_taken && trust == Trust::Sure) {
        return Guard::TRUE;
    }
    let is_internal = info.is_internal;
    let mut possible = Guard::FALSE;
    for way in ways {
        let mut here = Guard::TRUE;
        for (number, passed) in way.iter().enumerate() {
            let Some(term) = param_term(evaluator, number as u32) else { continue };
            let param = evaluator.body.params[number];
            let is_pointer = evaluator.module.unit.types.is_pointer(evaluator.body.ty(param));
            let is_passed = match passed {
                Passed::Address => is_one_of(evaluator, term, &[0]).not(),
                Passed::Constants(values) if is_internal || trust == Trust::Likely => {
                    is_one_of(evaluator, term, values)
                }
                Passed::Found if is_pointer && trust == Trust::Likely => is_one_of(evaluator, term, &[0]).not(),
                Passed::Constants(_) | Passed::Found | Passed::Anything => continue,
            };
            here = evaluator.space.and(here, is_passed);
        }
        possible = evaluator.space.or(possible, here);
    }
    possible
}

fn is_one_of(evaluator: &mut Evaluator<'_>, term: Term, values: &[i64]) -> Guard {
    let space = &mut evaluator.space;
    let kind = space.kind(term);
    let mut is_any = Guard::FALSE;
    for &value in values {
        let value = space.int(i128::from(value), kind);
        let is_this = space.equal(term, value);
        is_any = space.or(is_any, is_this);
    }
    is_any
}

pub(crate) fn param_term(evaluator: &Evaluator<'_>, number: u32) -> Option<Term> {
    let is_param = |info: &&SymbolInfo| info.origin == Origin::Param(number);
    evaluator.objects.symbols.iter().find(is_param).map(|info| info.term)
}
