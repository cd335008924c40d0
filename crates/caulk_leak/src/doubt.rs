//! Whether a leak is certain: it does not hang on what the analysis has forgotten, nor on a change that nobody has seen.

use caulk_flow::Evaluator;
use caulk_flow::object::{CellId, HeapId, Origin};
use caulk_guard::{Atom, Cube, Feasible, Guard, Predicate, Symbol, Term, TermKind};

use crate::callers::{Trust, as_called};
use crate::rule::{Leak, SEARCH_BUDGET};

/// A way of the leak that does not depend on what the numbers are that were forgotten where the object was made: a
/// length that is not zero once there is a buffer, a code that tells whether there is one. Where the object was made
/// and evaluation ends, it is lost for any of them.
pub(crate) fn without_doubt(
    evaluator: &mut Evaluator<'_>,
    heap: HeapId,
    leak: Guard,
    leaks: &[Leak],
    ends: Guard,
) -> Option<Cube> {
    if evaluator.blind_calls.iter().any(|call| call.perhaps.contains(&heap)) {
        return None;
    }
    let Evaluator { space, objects, .. } = &mut *evaluator;
    let mut safe = space.and(ends, objects.heap[heap].allocated);
    for other in leaks.iter().filter(|other| other.heap == heap) {
        safe = space.and(safe, other.guard.not());
    }
    let mut doubtful = space.support(&[safe]);
    doubtful.retain(|&atom| is_beside(evaluator, atom, heap));
    let space = &mut evaluator.space;
    let safe = space.exists(safe, &|atom| doubtful.binary_search(&atom).is_ok());
    let sure = space.and(leak, safe.not());
    let is_called = as_called(evaluator, Trust::Likely);
    let sure = evaluator.space.and(sure, is_called);
    let sure = without_unseen_changes(evaluator, sure);
    match evaluator.space.feasible(sure, SEARCH_BUDGET) {
        Feasible::Yes(cube) => Some(cube),
        Feasible::No | Feasible::Unknown => None,
    }
}

/// Whether the atom is about a number that was forgotten together with how the object was made, and asks for what
/// could tell so: a code, a sign, whether there is any. A limit that is passed does not. Or it is about something that
/// the call which made the object asked for, and does not tell.
fn is_beside(evaluator: &Evaluator<'_>, atom: Atom, heap: HeapId) -> bool {
    let space = &evaluator.space;
    let maker = evaluator.blind_calls.iter().find(|call| call.makes(heap));
    if maker.is_some_and(|maker| maker.deciding.contains(&atom)) {
        return true;
    }
    let (Predicate::Equal(a, b) | Predicate::Less(a, b)) = space.predicate(atom) else { return false };
    let mut symbols = Vec::new();
    evaluator.symbols_in(a, &mut symbols);
    evaluator.symbols_in(b, &mut symbols);
    if maker.is_some_and(|maker| symbols.iter().any(|symbol| maker.hidden.contains(symbol))) {
        return true;
    }
    let is_limit = |term: Term| matches!(space.term(term), TermKind::Int(limit) if !(-16..=16).contains(&limit));
    if matches!(space.predicate(atom), Predicate::Less(..)) && (is_limit(a) || is_limit(b)) {
        return false;
    }
    symbols
        .iter()
        .filter_map(|symbol| evaluator.objects.symbols.get(symbol.0 as usize))
        .any(|info| matches!(info.origin, Origin::Forgotten(first, end) if (first..end).contains(&heap.0)))
}

/// What is asked for twice is the same both times, if something in between may have changed it but nobody knows whether
/// it does:
///
/// ```c
/// if (options.swap) copy = make();
/// load();                                 // may write anything
/// if (options.swap) discard(copy);
/// ```
///
/// Unless the second question would be pointless then, because control only gets to the change after one answer to the
/// first.
fn without_unseen_changes(evaluator: &mut Evaluator<'_>, mut leak: Guard) -> Guard {
    let support = evaluator.space.support(&[leak]);
    // A flag, a state; what grows or shrinks is compared with something else.
    let is_changing = |&atom: &Atom| {
        let (Predicate::Equal(a, b) | Predicate::Less(a, b)) = evaluator.space.predicate(atom) else { return false };
        let mut symbols = Vec::new();
        evaluator.symbols_in(a, &mut symbols);
        evaluator.symbols_in(b, &mut symbols);
        matches!(symbols[..], [symbol] if memory(evaluator, symbol).is_some())
    };
    let asked: Vec<Atom> = support.into_iter().filter(is_changing).collect();
    let elsewhere = evaluator.space.exists(leak, &|atom| asked.binary_search(&atom).is_ok());
    for &first in &asked {
        for &second in &asked {
            let Some(when) = same_later(evaluator, first, second) else { continue };
            let (first, second) = (holds(evaluator, first), holds(evaluator, second));
            let space = &mut evaluator.space;
            let when = space.and(when, elsewhere);
            for (first, second) in [(first, second), (first.not(), second.not())] {
                if !space.and(when, first.not()).is_false() {
                    let is_changed = space.and(first, second.not());
                    leak = space.and(leak, is_changed.not());
                }
            }
        }
    }
    leak
}

fn holds(evaluator: &mut Evaluator<'_>, atom: Atom) -> Guard {
    match evaluator.space.predicate(atom) {
        Predicate::Equal(a, b) => evaluator.space.equal(a, b),
        Predicate::Less(a, b) => evaluator.space.less(a, b),
        Predicate::Choice => Guard::TRUE,
    }
}

/// If the second atom asks of memory after an unseen change what the first asks of it before: when control came to the
/// change.
fn same_later(evaluator: &Evaluator<'_>, first: Atom, second: Atom) -> Option<Guard> {
    let sides = match (evaluator.space.predicate(first), evaluator.space.predicate(second)) {
        (Predicate::Equal(a, b), Predicate::Equal(c, d)) | (Predicate::Less(a, b), Predicate::Less(c, d)) => {
            [(a, c), (b, d)]
        }
        _ => return None,
    };
    let mut changes = Vec::new();
    let is_same = sides.iter().all(|&(before, after)| find_changes(evaluator, before, after, &mut changes));
    if is_same { changes.first().copied() } else { None }
}

/// Whether the terms are the same but for changes.
fn find_changes(evaluator: &Evaluator<'_>, before: Term, after: Term, changes: &mut Vec<Guard>) -> bool {
    if before == after {
        return true;
    }
    match (evaluator.space.term(before), evaluator.space.term(after)) {
        (TermKind::Symbol(before), TermKind::Symbol(after)) => {
            let (Some((cell, time)), Some((same, later))) = (memory(evaluator, before), memory(evaluator, after))
            else {
                return false;
            };
            if cell != same || time >= later {
                return false;
            }
            changes.extend(evaluator.later.get(later - 1).map(|later| later.when));
            true
        }
        (TermKind::Binary { op, a, b }, TermKind::Binary { op: same, a: c, b: d }) => {
            op == same && find_changes(evaluator, a, c, changes) && find_changes(evaluator, b, d, changes)
        }
        (TermKind::Extend { a }, TermKind::Extend { a: b }) => find_changes(evaluator, a, b, changes),
        _ => false,
    }
}

/// The cell that the symbol was found in, and the number of changes up to then.
fn memory(evaluator: &Evaluator<'_>, symbol: Symbol) -> Option<(CellId, usize)> {
    if let Some(place) = evaluator.later.iter().position(|later| later.symbol == symbol) {
        return Some((evaluator.later[place].cell, place + 1));
    }
    match evaluator.objects.symbols.get(symbol.0 as usize)?.origin {
        Origin::Contents(cell) => Some((cell, 0)),
        _ => None,
    }
}
