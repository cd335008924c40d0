//! Whether a leak is certain: it does not hang on what the analysis has forgotten, nor on a change that nobody has seen.

use caulk_flow::Evaluator;
use caulk_flow::object::{CellId, HeapId, Origin};
use caulk_guard::{Atom, Cube, Feasible, Guard, Object, Predicate, Symbol, Term, TermKind};
use rustc_hash::FxHashMap;

use crate::rule::{Leak, SEARCH_BUDGET};

/// A way of the leak that does not depend on what the numbers are that were forgotten where the object was made: a
/// length that is not zero once there is a buffer, a code that tells whether there is one. Where the object was made
/// and evaluation ends, it is lost for any of them. Nor does it need arguments that nobody passes, half a list, or a
/// change that nobody has seen.
pub(crate) fn without_doubt(
    evaluator: &mut Evaluator<'_>,
    heap: HeapId,
    leak: Guard,
    leaks: &[Leak],
    ends: Guard,
    is_called: Guard,
) -> Option<Cube> {
    if evaluator.blind_calls.iter().any(|call| call.perhaps.contains(&heap)) {
        return None;
    }
    let Evaluator { space, objects, .. } = &mut *evaluator;
    let mut safe = space.and(ends, objects.heap[heap].allocated);
    for other in leaks.iter().filter(|other| other.heap == heap) {
        safe = space.and(safe, other.guard.not());
    }
    // What is known of the numbers that the leak hangs on.
    let given = evaluator.given(&[leak]);
    let safe = evaluator.space.and(safe, given);
    let mut doubtful = evaluator.space.support(&[safe]);
    let lengths = lengths_beside(evaluator, heap);
    doubtful.retain(|&atom| {
        let is_length = || evaluator.symbols_of(atom).iter().any(|symbol| lengths.contains(symbol));
        is_beside(evaluator, atom, heap) || is_length()
    });
    let space = &mut evaluator.space;
    let safe = space.exists(safe, &|atom| doubtful.binary_search(&atom).is_ok());
    let sure = space.and(leak, safe.not());
    let sure = space.and(sure, is_called);
    let sure = with_whole_lists(evaluator, heap, sure);
    let sure = without_negative_counts(evaluator, sure);
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
    let symbols = evaluator.symbols_of(atom);
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

/// Numbers that nobody knows any more, in what outlives the function and holds, at its end, an object that was made
/// where this one was: it may be a list that got another member, and its length may say that the one is linked to the
/// other.
///
/// ```c
/// if (list->length++ == 0) list->head = list->tail = node;
/// else list->tail = list->tail->next = node;
/// ```
fn lengths_beside(evaluator: &Evaluator<'_>, heap: HeapId) -> Vec<Symbol> {
    let objects = &evaluator.objects;
    let Some(made) = objects.heap[heap].inner.first() else { return Vec::new() };
    let is_kin = |term: Term| {
        let TermKind::Address { object, .. } = evaluator.space.term(term) else { return false };
        objects.heap_of(object).is_some_and(|other| objects.heap[other].inner.first() == Some(made))
    };
    let mut lengths: Vec<Symbol> = Vec::new();
    for exit in &evaluator.exits {
        let held = || {
            let cells = exit.state.cells.iter().enumerate().filter(|(_, val)| val.is_real());
            cells.map(|(place, &val)| (objects.cells[CellId(place as u32)], evaluator.values.alternatives(val)))
        };
        let lists = held().filter(|(cell, ways)| objects.outlives(cell.object) && ways.iter().any(|way| is_kin(way.1)));
        let lists: Vec<Object> = lists.map(|(cell, _)| objects.root(cell.object)).collect();
        let numbers = held().filter(|(cell, _)| !cell.is_pointer && lists.contains(&objects.root(cell.object)));
        for (_, ways) in numbers {
            ways.iter().for_each(|way| evaluator.symbols_in(way.1, &mut lengths));
        }
    }
    lengths.retain(|&symbol| {
        let info = objects.symbols.get(symbol.0 as usize);
        info.is_some_and(|info| matches!(info.origin, Origin::Opaque | Origin::Forgotten(..)))
    });
    lengths
}

/// Two fields of the caller's that get what one call makes, as the head and the tail of a list do, were both null before
/// or neither was.
fn with_whole_lists(evaluator: &mut Evaluator<'_>, heap: HeapId, mut leak: Guard) -> Guard {
    let site = evaluator.objects.heap[heap].site;
    let mut fields: Vec<CellId> = Vec::new();
    for exit in &evaluator.exits {
        for (place, &val) in exit.state.cells.iter().enumerate() {
            let cell = CellId(place as u32);
            let is_made = |term: Term| {
                let TermKind::Address { object, .. } = evaluator.space.term(term) else { return false };
                evaluator.objects.heap_of(object).is_some_and(|heap| evaluator.objects.heap[heap].site == site)
            };
            if val.is_real()
                && evaluator.objects.outlives(evaluator.objects.cells[cell].object)
                && evaluator.values.alternatives(val).iter().any(|way| is_made(way.1))
            {
                fields.push(cell);
            }
        }
    }
    fields.sort_unstable();
    fields.dedup();
    for (place, &head) in fields.iter().enumerate() {
        for &tail in &fields[place + 1..] {
            if evaluator.objects.cells[head].object == evaluator.objects.cells[tail].object
                && let (Some(head), Some(tail)) = (was_null(evaluator, head), was_null(evaluator, tail))
            {
                let space = &mut evaluator.space;
                let both = space.ite(head, tail, tail.not());
                leak = space.and(leak, both);
            }
        }
    }
    leak
}

/// What is compared with zero both ways, and never asked whether it is less, is a count.
///
/// ```c
/// for (i = 0; i < list->count; i++) …
/// if (i == list->count) …                 // always, if there was nothing
/// ```
fn without_negative_counts(evaluator: &mut Evaluator<'_>, mut leak: Guard) -> Guard {
    let atoms = evaluator.space.support(&[leak]);
    let mut symbols: Vec<Symbol> = atoms.iter().flat_map(|&atom| evaluator.symbols_of(atom)).collect();
    symbols.sort_unstable();
    symbols.dedup();
    for symbol in symbols {
        let Some(info) = evaluator.objects.symbols.get(symbol.0 as usize) else { continue };
        let number = info.term;
        // What a call yields may well be negative.
        let is_stored = matches!(info.origin, Origin::Contents(_) | Origin::Param(_))
            || evaluator.later.iter().any(|later| later.symbol == symbol);
        let space = &mut evaluator.space;
        if !space.kind(number).signed || !is_stored {
            continue;
        }
        let zero = space.int(0, space.kind(number));
        let is_less = space.less(number, zero);
        let Some(less) = space.only_atom(is_less) else { continue };
        let (is_zero, is_more) = (space.equal(number, zero), space.less(zero, number));
        let is_in_leak = |guard: Guard| space.only_atom(guard).is_some_and(|atom| atoms.contains(&atom));
        let is_compared = atoms.contains(&less) || is_in_leak(is_zero) && is_in_leak(is_more);
        if is_compared && !evaluator.asked_signs.contains(&less) {
            leak = space.and(leak, is_less.not());
        }
    }
    leak
}

/// When the cell held null at entry, if anybody asked.
fn was_null(evaluator: &mut Evaluator<'_>, cell: CellId) -> Option<Guard> {
    let held = evaluator.objects.initial[cell].and_then(|val| evaluator.values.only(val))?;
    let space = &mut evaluator.space;
    let null = space.int(0, space.kind(held));
    Some(space.equal(held, null))
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
    if evaluator.later.is_empty() {
        return leak;
    }
    let asked = questions(evaluator, leak);
    let elsewhere = evaluator.space.exists(leak, &|atom| asked.iter().any(|question| question.atom == atom));
    for first in &asked {
        for second in asked.iter().filter(|second| second.cell == first.cell && second.changes > first.changes) {
            if !is_same_question(evaluator, first.atom, second.atom) {
                continue;
            }
            let when = evaluator.later[second.changes - 1].when;
            let space = &mut evaluator.space;
            let (before, after) = (space.literal(first.atom, true), space.literal(second.atom, true));
            let when = space.and(when, elsewhere);
            for (before, after) in [(before, after), (before.not(), after.not())] {
                if !space.and(when, before.not()).is_false() {
                    let is_changed = space.and(before, after.not());
                    leak = space.and(leak, is_changed.not());
                }
            }
        }
    }
    leak
}

/// A comparison of something in memory with a constant.
struct Question {
    atom: Atom,
    cell: CellId,
    /// How many changes there were up to then.
    changes: usize,
}

/// What the leak asks of memory: for a flag, a state. What grows or shrinks is compared with something else.
fn questions(evaluator: &mut Evaluator<'_>, leak: Guard) -> Vec<Question> {
    let mut changes: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (place, later) in evaluator.later.iter().enumerate() {
        changes.entry(later.symbol).or_insert(place + 1);
    }
    let mut found = Vec::new();
    for atom in evaluator.space.support(&[leak]) {
        let [symbol] = evaluator.symbols_of(atom)[..] else { continue };
        if let Some(&changes) = changes.get(&symbol) {
            found.push(Question { atom, cell: evaluator.later[changes - 1].cell, changes });
        } else if let Some(info) = evaluator.objects.symbols.get(symbol.0 as usize)
            && let Origin::Contents(cell) = info.origin
        {
            found.push(Question { atom, cell, changes: 0 });
        }
    }
    found
}

/// Whether both ask the same, though of other symbols.
fn is_same_question(evaluator: &Evaluator<'_>, first: Atom, second: Atom) -> bool {
    match (evaluator.space.predicate(first), evaluator.space.predicate(second)) {
        (Predicate::Equal(a, b), Predicate::Equal(c, d)) | (Predicate::Less(a, b), Predicate::Less(c, d)) => {
            is_same_term(evaluator, a, c) && is_same_term(evaluator, b, d)
        }
        _ => false,
    }
}

fn is_same_term(evaluator: &Evaluator<'_>, first: Term, second: Term) -> bool {
    match (evaluator.space.term(first), evaluator.space.term(second)) {
        (TermKind::Symbol(_), TermKind::Symbol(_)) => true,
        (TermKind::Binary { op, a, b }, TermKind::Binary { op: same, a: c, b: d }) => {
            op == same && is_same_term(evaluator, a, c) && is_same_term(evaluator, b, d)
        }
        (TermKind::Extend { a }, TermKind::Extend { a: b }) => {
            evaluator.space.kind(first) == evaluator.space.kind(second) && is_same_term(evaluator, a, b)
        }
        _ => first == second,
    }
}
