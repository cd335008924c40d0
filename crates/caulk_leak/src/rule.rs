//! The leak rule: what a return leaves behind.
//!
//! An object is lost at a return if some path gets there on which the object was allocated, was not released, was
//! not handed to anything out of sight, and cannot be reached from anything that is left after the return: the
//! result, globals, memory that the caller sees. Reaching spreads outwards from what is left, under guards, until
//! nothing changes; so two lost objects that point at each other are both lost (Saturn's exclusion sets).

use caulk_flow::Evaluator;
use caulk_flow::evaluate::State;
use caulk_flow::object::{CellId, HeapId, ObjectKind, Origin};
use caulk_flow::value::{Val, ValData};
use caulk_guard::{Cube, Feasible, Guard, Object, Predicate, Term, TermKind};
use caulk_ir::ir::{self, InstKind};
use caulk_program::Resolved;
use caulk_sema::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::callers::{Trust, as_called, param_term};
use crate::doubt::without_doubt;

/// Nodes a search for a path may visit. Past it the answer is unknown, which is not reported.
pub(crate) const SEARCH_BUDGET: u32 = 4000;
/// Operations on guards, times the patience, and twice where there is any.
const MAX_WORK: u64 = 16_000;
/// Looking for leaks may take so many times what weighing them may.
const LOOKING: u64 = 2;
/// So many leaks may take all that one may take.
const SHARES: u64 = 2;
/// The patience that counts twice.
const MORE_PATIENCE: u64 = 6;
/// More than a process can have.
const MAX_DESCRIPTORS: i128 = 1 << 24;

/// An allocation that is lost at a return.
pub(crate) struct Lost {
    pub(crate) heap: HeapId,
    pub(crate) exit: usize,
    pub(crate) cube: Cube,
    /// Lost whatever the numbers are that were forgotten together with how the object was made.
    pub(crate) is_certain: bool,
}

/// When an allocation is lost at a return.
pub(crate) struct Leak {
    pub(crate) heap: HeapId,
    pub(crate) exit: usize,
    pub(crate) guard: Guard,
}

/// What was found out about a function.
#[derive(Default)]
pub(crate) struct Found {
    /// Everything that is lost, by return.
    pub(crate) lost: Vec<Lost>,
    /// Calls of which it was too much to find out whether what they yield is lost.
    pub(crate) undecided: Vec<ir::Value>,
}

impl Found {
    fn leave_open(&mut self, site: ir::Value) {
        if !self.undecided.contains(&site) {
            self.undecided.push(site);
        }
    }
}

/// Everything that is lost. One leak may take only a part of the work, so that the others are decided, too.
pub(crate) fn find(evaluator: &mut Evaluator<'_>) -> Found {
    let mut found = Found::default();
    if evaluator.objects.heap.is_empty() || evaluator.body.calls_returns_twice {
        return found;
    }
    let patience = evaluator.cx.patience;
    let work = MAX_WORK * patience * patience.min(2) * patience.min(MORE_PATIENCE);
    evaluator.space.limit_work(work * LOOKING);
    let mut leaks: Vec<Leak> = Vec::new();
    let owed = owed(evaluator);
    for exit in 0..evaluator.exits.len() {
        if !evaluator.exits[exit].is_inner {
            at_exit(evaluator, exit, &owed, &mut leaks);
        }
    }
    let returned = leaks.len();
    if returned == 0 && !evaluator.space.is_exhausted() {
        return found;
    }
    for exit in 0..evaluator.exits.len() {
        if evaluator.exits[exit].is_inner {
            at_exit(evaluator, exit, &owed, &mut leaks);
        }
    }
    let mut ends = evaluator.dropped;
    for exit in &evaluator.exits {
        ends = evaluator.space.or(ends, exit.state.guard);
    }
    let is_named = named_values(evaluator);
    let is_passed = as_called(evaluator, Trust::Sure);
    let is_passed = evaluator.space.and(is_named, is_passed);
    let is_first = evaluator.unchanged_statics();
    let is_passed = evaluator.space.and(is_passed, is_first);
    let is_likely = as_called(evaluator, Trust::Likely);
    if evaluator.space.is_exhausted() {
        owed.iter().for_each(|&(heap, _)| found.leave_open(evaluator.objects.heap[heap].site));
        return found;
    }
    let budget = Budget { end: evaluator.space.work().saturating_add(work), share: work / SHARES };
    for leak in &mut leaks[..returned] {
        budget.next(evaluator);
        let guard = besides_null_pointers(evaluator, leak.guard);
        let guard = evaluator.space.and(guard, is_passed);
        let guard = evaluator.with_given(guard);
        if evaluator.space.is_exhausted() {
            found.leave_open(evaluator.objects.heap[leak.heap].site);
        } else {
            leak.guard = guard;
        }
    }
    for &Leak { heap, exit, guard } in &leaks[..returned] {
        let site = evaluator.objects.heap[heap].site;
        if found.undecided.contains(&site) {
            continue;
        }
        budget.next(evaluator);
        let Feasible::Yes(cube) = evaluator.space.feasible(guard, SEARCH_BUDGET) else { continue };
        let sure = without_doubt(evaluator, heap, guard, &leaks, ends, is_likely);
        if evaluator.space.is_exhausted() {
            found.leave_open(site);
            continue;
        }
        found.lost.push(match sure {
            Some(cube) => Lost { heap, exit, cube, is_certain: true },
            None => Lost { heap, exit, cube, is_certain: false },
        });
    }
    let Found { lost, undecided } = &mut found;
    lost.retain(|lost| !undecided.contains(&evaluator.objects.heap[lost.heap].site));
    // What was the caller's and is told here is not told again there.
    for lost in lost {
        let heap = &evaluator.objects.heap[lost.heap];
        let (object, allocated) = (heap.object, heap.allocated);
        if old_place(evaluator, object).is_some() {
            let escaped = evaluator.objects.get(object).escaped;
            evaluator.objects.infos[object].escaped = evaluator.space.or(escaped, allocated);
        }
    }
    found
}

/// The work that may be spent on the leaks of a function.
struct Budget {
    /// Of the space, when all is spent.
    end: u64,
    /// On one leak.
    share: u64,
}

impl Budget {
    /// Goes on to another leak.
    fn next(&self, evaluator: &mut Evaluator<'_>) {
        let left = self.end.saturating_sub(evaluator.space.work());
        evaluator.space.limit_work(left.min(self.share));
    }
}

/// The place of the caller's that a block lay in which could not be reallocated.
pub(crate) fn old_place(evaluator: &Evaluator<'_>, object: Object) -> Option<CellId> {
    let ObjectKind::Pointee(symbol) = evaluator.objects.get(object).kind else { return None };
    match evaluator.objects.symbols[symbol.0 as usize].origin {
        Origin::Contents(cell) => Some(cell),
        _ => None,
    }
}

/// When each allocation was made, and is neither released nor out of sight, whatever the exit.
fn owed(evaluator: &mut Evaluator<'_>) -> Vec<(HeapId, Guard)> {
    let mut candidates = Vec::new();
    for heap in evaluator.objects.heap.ids() {
        let info = &evaluator.objects.heap[heap];
        let (object, mut owed) = (info.object, info.allocated);
        if !evaluator.is_followed(info.site) {
            continue;
        }
        let (released, escaped) = (evaluator.objects.get(object).released, evaluator.objects.get(object).escaped);
        for gone in [released, escaped] {
            let gone = evaluator.whoever_is_called(gone);
            owed = evaluator.space.and(owed, gone.not());
        }
        if !owed.is_false() {
            candidates.push((heap, owed));
        }
    }
    candidates
}

fn at_exit(evaluator: &mut Evaluator<'_>, exit: usize, owed: &[(HeapId, Guard)], leaks: &mut Vec<Leak>) {
    let (guard, made) = (evaluator.exits[exit].state.guard, evaluator.exits[exit].made);
    let mut candidates: Vec<(HeapId, Guard)> = Vec::new();
    for &(heap, owed) in owed.iter().filter(|entry| (entry.0.0 as usize) < made) {
        if !evaluator.space.implies(guard, owed.not()) {
            candidates.push((heap, owed));
        }
    }
    if candidates.is_empty() {
        return;
    }
    let reached = Reached::from_exit(evaluator, exit, &candidates);
    for (heap, owed) in candidates {
        let object = evaluator.objects.heap[heap].object;
        let left = reached.guards.get(&object).copied().unwrap_or(Guard::FALSE);
        // Most are held by something.
        if evaluator.space.are_apart([guard, owed, left.not()]) {
            continue;
        }
        let owed = evaluator.space.and(guard, owed);
        let left = evaluator.space.and(guard, left);
        let mut left = evaluator.whoever_is_called(left);
        if let Some(cell) = old_place(evaluator, object) {
            let is_null = nulled(evaluator, exit, cell);
            left = evaluator.space.or(left, is_null.not());
        }
        let leak = evaluator.space.and(owed, left.not());
        let leak = as_a_descriptor(evaluator, heap, leak);
        if !leak.is_false() {
            leaks.push(Leak { heap, exit, guard: leak });
        }
    }
}

/// When a cell of the caller's holds null at an exit, which it did not at entry.
fn nulled(evaluator: &mut Evaluator<'_>, exit: usize, cell: CellId) -> Guard {
    let val = evaluator.exits[exit].state.cells.get(cell.0 as usize).copied().filter(|val| val.is_real());
    let Some(val) = val else { return Guard::FALSE };
    let Evaluator { values, space, .. } = evaluator;
    let mut is_null = Guard::FALSE;
    for &(guard, term) in values.alternatives(val) {
        if matches!(space.term(term), TermKind::Int(0)) {
            is_null = space.or(is_null, guard);
        }
    }
    is_null
}

/// What was followed on the way was not null, nor is an argument of which only the callee thinks it may be.
fn besides_null_pointers(evaluator: &mut Evaluator<'_>, mut leak: Guard) -> Guard {
    for atom in evaluator.space.support(&[leak]) {
        let Predicate::Equal(a, b) = evaluator.space.predicate(atom) else { continue };
        if evaluator.unasked.contains(&atom) {
            let is_null = evaluator.space.equal(a, b);
            leak = evaluator.space.and(leak, is_null.not());
            continue;
        }
        let pointer = [(a, b), (b, a)].into_iter().find_map(|(pointer, null)| {
            let is_null = matches!(evaluator.space.term(null), TermKind::Int(0));
            is_null.then(|| evaluator.symbol_of(pointer)).flatten()
        });
        let Some(pointer) = pointer else { continue };
        let is_null = evaluator.space.equal(a, b);
        leak = evaluator.besides_null(leak, pointer, is_null);
    }
    leak
}

/// An argument of an enumeration that names all values from one to another has one of them.
fn named_values(evaluator: &mut Evaluator<'_>) -> Guard {
    let types = &evaluator.module.unit.types;
    let params = evaluator.body.params.iter().enumerate();
    let ranges: Vec<(u32, i128, i128)> = params
        .filter_map(|(number, &param)| {
            let Type::Enum(id) = types.get(evaluator.body.ty(param)) else { return None };
            let mut values: Vec<i128> = types.enums[id].enumerators.iter().map(|&(_, value)| value).collect();
            values.sort_unstable();
            values.dedup();
            let (&least, &most) = (values.first()?, values.last()?);
            (most - least + 1 == values.len() as i128).then_some((number as u32, least, most))
        })
        .collect();
    let mut named = Guard::TRUE;
    for (number, least, most) in ranges {
        let Some(term) = param_term(evaluator, number) else { continue };
        let kind = evaluator.space.kind(term);
        let (least, most) = (evaluator.space.int(least, kind), evaluator.space.int(most, kind));
        let (below, above) = (evaluator.space.less(term, least), evaluator.space.less(most, term));
        named = evaluator.space.and(named, below.not());
        named = evaluator.space.and(named, above.not());
    }
    named
}

/// The standard streams are open anyway: a descriptor that took the place of one is meant to stay, and so is one whose
/// number nobody wants to know. Nor is any as large as a number can be.
fn as_a_descriptor(evaluator: &mut Evaluator<'_>, heap: HeapId, leak: Guard) -> Guard {
    let (object, site) = (evaluator.objects.heap[heap].object, evaluator.objects.heap[heap].site);
    let Some(handle) = evaluator.objects.symbols.iter().find(|info| info.handle == Some(object)) else { return leak };
    let term = handle.term;
    let is_result = evaluator.known_value(site).is_some_and(|val| evaluator.values.terms(val).any(|way| way == term));
    let is_wrapped = !evaluator.objects.heap[heap].inner.is_empty();
    let is_dropped = is_result && !is_wrapped && !evaluator.plan.is_used[site.0 as usize];
    if is_dropped || closes_standard_stream(evaluator) {
        return Guard::FALSE;
    }
    let space = &mut evaluator.space;
    let kind = space.kind(term);
    let (last, end) = (space.int(2, kind), space.int(MAX_DESCRIPTORS, kind));
    let (is_above, is_below) = (space.less(last, term), space.less(term, end));
    let leak = space.and(leak, is_above);
    space.and(leak, is_below)
}

/// Whether the function closes a standard stream by its number: what it opens next takes its place.
fn closes_standard_stream(evaluator: &Evaluator<'_>) -> bool {
    let body = evaluator.body;
    body.insts.iter().any(|inst| {
        let InstKind::Call { callee, args } = inst.kind else { return false };
        let InstKind::Global(global) = body.insts[callee].kind else { return false };
        let is_close = matches!(evaluator.cx.program.resolve(evaluator.module_number, global),
            Resolved::External(name) if name.as_str() == "close");
        let &[number] = body.operands(args) else { return false };
        is_close && matches!(body.insts[number].kind, InstKind::Int(0..=2))
    })
}

/// Whether a variable outlives the function only in name: nothing else uses it, and the function itself does not ask
/// what it left there the last time.
fn is_own(evaluator: &Evaluator<'_>, object: Object) -> bool {
    let info = evaluator.objects.get(object);
    let ObjectKind::Variable(variable) = info.kind else { return false };
    evaluator.cx.program.owner(variable) == Some(evaluator.function)
        && info.cells.iter().all(|&cell| evaluator.objects.initial[cell].is_none())
}

/// When each object can be reached from what is left, seen from the exit.
struct Reached {
    /// Only what leads to these matters.
    wanted: FxHashSet<Object>,
    guards: FxHashMap<Object, Guard>,
    waiting: Vec<Object>,
}

impl Reached {
    fn from_exit(evaluator: &mut Evaluator<'_>, exit: usize, wanted: &[(HeapId, Guard)]) -> Reached {
        let state = evaluator.exits[exit].state.clone();
        let wanted = holders(evaluator, &state, wanted);
        let mut reached = Reached { wanted, guards: FxHashMap::default(), waiting: Vec::new() };
        let is_entry = evaluator.cx.program.function(evaluator.function).is_entry;
        if let Some(result) = evaluator.exits[exit].result
            && !is_entry
        {
            reached.value(evaluator, Guard::TRUE, result, 0);
        }
        let held = evaluator.exits[exit].held.clone();
        for &val in held.iter().flatten() {
            reached.value(evaluator, Guard::TRUE, val, 0);
        }
        for object in evaluator.objects.infos.ids() {
            let info = evaluator.objects.get(object);
            if info.root != object || !reached.wanted.contains(&object) {
                continue;
            }
            let is_alive = held.is_some() && matches!(info.kind, ObjectKind::Slot(_) | ObjectKind::Alloca(..));
            let left = if is_alive || (evaluator.objects.outlives(object) && !is_own(evaluator, object)) {
                info.gone.not()
            } else {
                let (escaped, gone) = (info.escaped, info.gone);
                evaluator.space.and(escaped, gone.not())
            };
            if !left.is_false() {
                reached.contents(evaluator, &state, object, left);
            }
        }
        while let Some(object) = reached.waiting.pop() {
            let guard = reached.guards[&object];
            let gone = evaluator.objects.get(object).gone;
            let guard = evaluator.space.and(guard, gone.not());
            if matches!(evaluator.objects.get(object).kind, ObjectKind::Heap(_)) {
                reached.contents(evaluator, &state, object, guard);
            }
        }
        reached
    }

    fn contents(&mut self, evaluator: &mut Evaluator<'_>, state: &State, object: Object, guard: Guard) {
        let mut held: Vec<Val> = Vec::new();
        evaluator.contents(state, object, |val| held.push(val));
        for val in held {
            self.value(evaluator, guard, val, 0);
        }
    }

    fn value(&mut self, evaluator: &mut Evaluator<'_>, guard: Guard, val: Val, depth: u32) {
        if guard.is_false() || depth > 3 {
            return;
        }
        if let ValData::Record(parts) = evaluator.values.get(val) {
            let parts = parts.to_vec();
            for part in parts {
                self.value(evaluator, guard, part.val, depth);
            }
            return;
        }
        for place in 0..evaluator.values.alternatives(val).len() {
            let (inner, term) = evaluator.values.alternatives(val)[place];
            let mut named = SmallVec::new();
            named_by(evaluator, term, 0, &mut named);
            if named.iter().any(|object| self.wanted.contains(object)) {
                let guard = evaluator.space.and(guard, inner);
                self.term(evaluator, guard, term, depth);
            }
        }
    }

    fn term(&mut self, evaluator: &mut Evaluator<'_>, guard: Guard, term: Term, depth: u32) {
        if guard.is_false() || depth > 3 {
            return;
        }
        match evaluator.space.term(term) {
            TermKind::Int(_) => {}
            TermKind::Address { object, .. } | TermKind::Inside { object } => {
                if let ObjectKind::Element { index, .. } = evaluator.objects.get(object).kind {
                    for resource in evaluator.resources_in(index) {
                        let old = self.guards.get(&resource).copied().unwrap_or(Guard::FALSE);
                        self.guards.insert(resource, evaluator.space.or(old, guard));
                    }
                }
                let root = evaluator.objects.root(object);
                let old = self.guards.get(&root).copied().unwrap_or(Guard::FALSE);
                let new = evaluator.space.or(old, guard);
                if new != old {
                    self.guards.insert(root, new);
                    self.waiting.push(root);
                }
            }
            TermKind::Symbol(symbol) => {
                let Some(info) = evaluator.objects.symbols.get(symbol.0 as usize) else { return };
                let aliases = info.aliases.clone();
                if let Some(object) = evaluator.objects.known(&ObjectKind::Pointee(symbol)) {
                    let old = self.guards.get(&object).copied().unwrap_or(Guard::FALSE);
                    self.guards.insert(object, evaluator.space.or(old, guard));
                }
                for &alias in &aliases[..] {
                    self.term(evaluator, guard, alias, depth + 1);
                }
            }
            TermKind::Binary { a, b, .. } => {
                self.term(evaluator, guard, a, depth);
                self.term(evaluator, guard, b, depth);
            }
            TermKind::Extend { a } => self.term(evaluator, guard, a, depth),
        }
    }
}

/// The objects that a pointer may lead to, or name.
fn named_by(evaluator: &Evaluator<'_>, term: Term, depth: u32, found: &mut SmallVec<[Object; 4]>) {
    let objects = &evaluator.objects;
    match evaluator.space.term(term) {
        TermKind::Int(_) => {}
        TermKind::Address { object, .. } | TermKind::Inside { object } => {
            if let ObjectKind::Element { index, .. } = objects.get(object).kind {
                found.extend(evaluator.resources_in(index));
            }
            found.push(objects.root(object));
        }
        TermKind::Symbol(symbol) => {
            found.extend(objects.known(&ObjectKind::Pointee(symbol)));
            let info = objects.symbols.get(symbol.0 as usize);
            for &alias in info.into_iter().flat_map(|info| &info.aliases[..]).filter(|_| depth <= 3) {
                named_by(evaluator, alias, depth + 1, found);
            }
        }
        TermKind::Binary { a, b, .. } => {
            named_by(evaluator, a, depth, found);
            named_by(evaluator, b, depth, found);
        }
        TermKind::Extend { a } => named_by(evaluator, a, depth, found),
    }
}

/// The objects on the way to some of them: those, what holds them at an exit, what holds that, and so on.
fn holders(evaluator: &Evaluator<'_>, state: &State, wanted: &[(HeapId, Guard)]) -> FxHashSet<Object> {
    let mut holds: Vec<(Object, SmallVec<[Object; 4]>)> = Vec::new();
    for object in evaluator.objects.infos.ids().filter(|&object| evaluator.objects.root(object) == object) {
        let mut held = SmallVec::new();
        let mut name = |val: Val| {
            evaluator.values.terms(val).for_each(|term| named_by(evaluator, term, 0, &mut held));
        };
        evaluator.contents(state, object, |val| match evaluator.values.get(val) {
            ValData::Record(parts) => parts.iter().for_each(|part| name(part.val)),
            _ => name(val),
        });
        if !held.is_empty() {
            holds.push((object, held));
        }
    }
    let mut found: FxHashSet<Object> = wanted.iter().map(|wanted| evaluator.objects.heap[wanted.0].object).collect();
    loop {
        let before = found.len();
        for (holder, held) in &holds {
            if held.iter().any(|object| found.contains(object)) {
                found.insert(*holder);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
