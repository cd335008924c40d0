//! What a call may reach, and whether that can matter to the ownership of memory.
//!
//! Asked by those who look at a function without evaluating it: the projection and the value-flow graph.

use caulk_ir::ir::{Function, GlobalId, InstKind, Value};
use caulk_program::{FunctionId, Program, Resolved, Target};
use caulk_sema::attributes::find;

use crate::evaluate::Surroundings;
use crate::model::{Effect, Model, ValueSpec};
use crate::summary::{Known, Summary, When};

/// The functions a call may reach; `None` where nothing is known. Through a pointer these are the known ones.
pub fn targets(program: &Program, function: FunctionId, call: Value) -> Option<Vec<Target>> {
    let (_, body) = program.body(function);
    let InstKind::Call { callee, .. } = body.insts[call].kind else { return None };
    let module = program.function(function).module;
    match direct(body, callee).map(|global| program.resolve(module, global)) {
        Some(Resolved::Function(target)) => Some(vec![Target::Function(target)]),
        Some(Resolved::External(name)) => Some(vec![Target::External(name)]),
        Some(Resolved::Variable(_)) | None => program.indirect_targets(function, call).map(<[Target]>::to_vec),
    }
}

/// The global that a callee names, seen through conversions of its type.
pub fn direct(body: &Function, mut callee: Value) -> Option<GlobalId> {
    loop {
        match body.insts[callee].kind {
            InstKind::Global(global) => return Some(global),
            InstKind::Cast(inner) | InstKind::BitCast(inner) => callee = inner,
            _ => return None,
        }
    }
}

/// Whether the call does anything besides making a value out of its arguments. What is unknown does.
pub fn has_effects(cx: &Surroundings<'_>, function: FunctionId, call: Value) -> bool {
    let Some(targets) = targets(cx.program, function, call) else { return true };
    targets.is_empty()
        || targets.iter().any(|target| match *target {
            Target::Function(callee) => match cx.summaries.of(callee) {
                Known::Summary(summary) => summary_has_effects(summary),
                Known::Pending | Known::Unknown => true,
            },
            Target::External(name) => cx.models.get(name).is_none_or(model_has_effects),
        })
}

/// Whether the call can yield something that must be released.
pub fn is_allocation(cx: &Surroundings<'_>, function: FunctionId, call: Value) -> bool {
    targets(cx.program, function, call).unwrap_or_default().iter().any(|target| match *target {
        Target::Function(callee) => match cx.summaries.of(callee) {
            Known::Summary(summary) => !summary.objects.is_empty(),
            Known::Pending | Known::Unknown => false,
        },
        Target::External(name) => match cx.models.get(name) {
            Some(model) => is_allocator(model),
            None => is_declared_allocator(cx.program, function, call),
        },
    })
}

fn summary_has_effects(summary: &Summary) -> bool {
    summary.is_opaque
        || summary.returns != Some(When::ALWAYS)
        || !summary.objects.is_empty()
        || !summary.writes.is_empty()
        || !summary.releases.is_empty()
        || !summary.keeps.is_empty()
        || !summary.clobbers.is_empty()
        || !summary.copies.is_empty()
        || !summary.calls.is_empty()
}

fn model_has_effects(model: &Model) -> bool {
    model.returns_twice
        || is_allocator(model)
        || model.cases.iter().any(|case| {
            let is_felt = |effect: &Effect| !matches!(effect, Effect::Follow { .. });
            case.never_returns || case.effects.iter().any(is_felt)
        })
}

/// Whether a model yields something fresh: as its result, through a pointer, or inside an object of the caller's.
pub fn is_allocator(model: &Model) -> bool {
    let is_fresh = |value: &ValueSpec| matches!(value, ValueSpec::Fresh { .. });
    model.cases.iter().any(|case| {
        case.result.iter().any(is_fresh)
            || case.effects.iter().any(|effect| match effect {
                Effect::Assign { values, .. } => values.iter().any(is_fresh),
                Effect::Hold { .. } | Effect::Acquire { .. } => true,
                Effect::Release { .. }
                | Effect::Keep { .. }
                | Effect::Follow { .. }
                | Effect::Write { .. }
                | Effect::Copy { .. }
                | Effect::Fill { .. }
                | Effect::Call { .. }
                | Effect::Unknown => false,
            })
    })
}

/// A function without body or model whose declaration says that it allocates.
pub fn is_declared_allocator(program: &Program, function: FunctionId, call: Value) -> bool {
    let (module, body) = program.body(function);
    let InstKind::Call { callee, .. } = body.insts[call].kind else { return false };
    let Some(global) = direct(body, callee) else { return false };
    let attributes = &module.unit.globals[global].attributes;
    find(attributes, "malloc").is_some() || find(attributes, "ownership_returns").is_some()
}
