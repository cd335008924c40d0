//! What a summary says twice is said once, and terms that nothing mentions are dropped.

use rustc_hash::FxHashSet;

use super::*;

/// Drops the terms that nothing mentions any more, and numbers the others anew.
pub(super) fn prune(summary: &mut Summary) {
    say_once(&mut summary.keeps);
    let mut used = vec![false; summary.terms.len()];
    visit_terms(summary, &mut |term| used[*term as usize] = true);
    for number in (0..summary.terms.len()).rev() {
        if used[number] {
            visit_operands(&mut summary.terms[number].0, &mut |term| used[*term as usize] = true);
        }
    }
    let mut numbers = vec![0; used.len()];
    let mut terms = Vec::new();
    for (number, mut entry) in std::mem::take(&mut summary.terms).into_iter().enumerate() {
        if used[number] {
            numbers[number] = terms.len() as TermNumber;
            visit_operands(&mut entry.0, &mut |term| *term = numbers[*term as usize]);
            terms.push(entry);
        }
    }
    summary.terms = terms;
    visit_terms(summary, &mut |term| *term = numbers[*term as usize]);
}

/// What is always kept need not be told to be kept sometimes.
fn say_once(keeps: &mut Vec<(TermNumber, When)>) {
    let always: FxHashSet<TermNumber> = keeps.iter().filter(|keep| keep.1 == When::ALWAYS).map(|keep| keep.0).collect();
    let mut said = FxHashSet::default();
    keeps.retain(|&(pointer, when)| {
        (when == When::ALWAYS || !always.contains(&pointer)) && said.insert((pointer, when))
    });
}

/// Every mention of a term outside of other terms.
pub(super) fn visit_terms(summary: &mut Summary, visit: &mut dyn FnMut(&mut TermNumber)) {
    for atom in &mut summary.atoms {
        if let FrozenAtom::Equal(a, b) | FrozenAtom::Less(a, b) = atom {
            visit(a);
            visit(b);
        }
    }
    if let Some(result) = &mut summary.result {
        visit_value(result, visit);
    }
    for write in &mut summary.writes {
        visit(&mut write.address);
        write.value.iter_mut().for_each(|way| visit(&mut way.1));
    }
    summary.releases.iter_mut().for_each(|release| visit(&mut release.pointer));
    summary.keeps.iter_mut().for_each(|keep| visit(&mut keep.0));
    summary.clobbers.iter_mut().for_each(&mut *visit);
    summary.follows.iter_mut().for_each(&mut *visit);
    summary.hidden.iter_mut().for_each(&mut *visit);
    for copy in &mut summary.copies {
        visit(&mut copy.from);
        visit(&mut copy.to);
    }
    for FrozenCall { callee, args, .. } in &mut summary.calls {
        visit(callee);
        args.iter_mut().for_each(|arg| visit_value(arg, visit));
    }
}

pub(super) fn visit_value(value: &mut FrozenValue, visit: &mut dyn FnMut(&mut TermNumber)) {
    match value {
        FrozenValue::Scalar(ways) => ways.iter_mut().for_each(|way| visit(&mut way.1)),
        FrozenValue::Record(parts) => parts.iter_mut().for_each(|part| visit_value(&mut part.2, visit)),
    }
}

pub(super) fn visit_operands(term: &mut FrozenTerm, visit: &mut dyn FnMut(&mut TermNumber)) {
    match term {
        FrozenTerm::Contents(a) | FrozenTerm::Inside(a) | FrozenTerm::Extend(a) | FrozenTerm::Text(a, ..) => visit(a),
        FrozenTerm::Element { base: a, index: b, .. } | FrozenTerm::Binary(_, a, b) | FrozenTerm::Order(a, b, _) => {
            visit(a);
            visit(b);
        }
        FrozenTerm::Int(_)
        | FrozenTerm::Param(_)
        | FrozenTerm::ParamPart(..)
        | FrozenTerm::Unknown(_)
        | FrozenTerm::Forgotten(_)
        | FrozenTerm::Handle(_)
        | FrozenTerm::Variable(..)
        | FrozenTerm::Code(_)
        | FrozenTerm::Literal
        | FrozenTerm::Fresh(..) => {}
    }
}
