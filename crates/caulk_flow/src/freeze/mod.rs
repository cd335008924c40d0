//! From a finished evaluation to the summary its callers see.
//!
//! First the *values*: the result, every cell of the caller's world that changed, the contents of what is handed
//! out. Their terms say which symbols and objects the caller gets to see. Then the *guards* of all effects,
//! restricted to the paths that return. An atom over visible terms stays; every other is *internal*. Internal
//! atoms matter only as far as they tell effects apart:
//!
//! ```c
//! if (step1() < 0) return -1;        // result = { a: -1, not a and b: -1, not a and not b: 0 }
//! if (step2() < 0) return -1;        // *out   = { not a and not b: fresh, else unchanged }
//! *out = malloc(1); …                // one choice c tells it all: result = { c: 0, not c: -1 }, *out = { c: fresh … }
//! ```
//!
//! So the diagrams are rebuilt with visible atoms on top; below them hang functions of internal atoms alone. The
//! combinations of truth values that these can take are few, and choices are made to tell just these apart. Past
//! the cap only the *outcomes* are told, which results and which objects go together, and what else happens happens
//! always: releases and keeps as soon as possible, ownership only if certain.

mod effects;
mod guards;
mod prune;
mod rebuilt;
mod terms;
mod values;

use caulk_guard::{Atom, Feasible, Guard, Kind, Object, Op, Predicate, Space, Symbol, Term, TermKind};
use rustc_hash::FxHashMap;

use crate::evaluate::{Callback, Copy, Evaluator, State};
use crate::object::{CellClass, CellId, HeapId, ObjectKind, Origin, Release};
use crate::summary::{
    FrozenAtom, FrozenCall, FrozenCopy, FrozenObject, FrozenRelease, FrozenTerm, FrozenValue, Summary, TermNumber,
    When, Write,
};
use crate::value::{Val, ValData};
use effects::Told;

/// Combinations of internal conditions that a summary keeps apart.
const MAX_COMBINATIONS: usize = 10;
/// Ways through the visible conditions.
const MAX_CONTEXTS: usize = 96;
/// Cells of the caller's world whose new contents a summary tells, numbers that hang on a condition among them; and of
/// which it says that they change.
const MAX_WRITES: usize = 24;
const MAX_NUMBER_WRITES: usize = 8;
const MAX_UNTOLD_WRITES: usize = 64;
/// Constants that a number is told to be one of.
const MAX_CONSTANTS: usize = 5;
/// Constants that a result is told apart by; of more, only whether it is zero.
const MAX_CODES: usize = 6;
/// Atoms over one term whose relations are looked at.
const MAX_RELATED: usize = 8;
/// Releases, keeps and clobbers, each, and how far from an argument they are told.
const MAX_EFFECTS: usize = 20;
const MAX_EFFECT_DEPTH: u32 = 3;
const MAX_COPIES: usize = 8;
/// Calls of what a caller handed in. More are not told; what they get counts as kept.
const MAX_CALLS: usize = 16;
const MAX_CALLS_WITH_NUMBERS: usize = 4;
/// More atoms hardly ever fit into a summary.
const MAX_ATOMS: usize = 40;
/// A larger summary is told by its outcomes.
const MAX_NODES: usize = 28;
/// If these are more, only the first of them are told.
const MAX_OUTCOME_NODES: usize = 56;
const SCRATCH_NODES: usize = 4_000;
/// Operations on guards for each of the two ways to tell them, times the patience; and on those that are rebuilt.
const MAX_WORK: u64 = 16_000;
const SCRATCH_WORK: u64 = 3_000;
/// Comparisons with constants that outcomes are told by.
const MAX_OUTCOME_TESTS: usize = 5;
/// Pointers that are told to be followed.
const MAX_FOLLOWED: usize = 8;
/// Comparisons of the caller's numbers that are told of an object besides its outcome.
const MAX_NEEDED: usize = 3;
/// Numbers of the caller's that choices are told to hide.
const MAX_HIDDEN: usize = 16;
/// Nodes looked at to see that an outcome cannot be.
const OUTCOME_BUDGET: u32 = 500;

struct Freezer<'e, 'a> {
    evaluator: &'e mut Evaluator<'a>,
    summary: Summary,
    terms: FxHashMap<Term, TermNumber>,
    interned: FxHashMap<(FrozenTerm, Kind), TermNumber>,
    objects: FxHashMap<HeapId, u32>,
    order: Vec<HeapId>,
    /// Opaque symbols become visible only through values.
    is_exporting: bool,
    /// What the result may be.
    result_terms: Vec<Term>,
    /// How many guards after the first belong to the result, and how many of these to its coarser form, which come
    /// first.
    result_guards: usize,
    coarse_result_guards: usize,
    /// Of the values drafted now.
    rank: Rank,
    /// No object becomes visible any more.
    is_closed: bool,
    /// Objects that are told as another one: whichever is made, the caller gets one.
    merged: FxHashMap<HeapId, HeapId>,
    /// Conditions on what the caller holds were told as choices.
    is_blind: bool,
}

/// A guard of the evaluation, and whether it is told if not all can be.
struct Guarded {
    guard: Guard,
    rank: Rank,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// That an object is handed out as the caller's own.
    Owned,
    /// Told before the others.
    Key,
    Other,
}

pub fn summarize(evaluator: &mut Evaluator<'_>) -> Summary {
    evaluator.space.limit_work(MAX_WORK * evaluator.cx.patience);
    let Some((state, result)) = evaluator.exit() else {
        return Summary { returns: Some(When::NEVER), ..Summary::default() };
    };
    let summary = Summary {
        parameters: evaluator.body.params.len(),
        takes_variable_arguments: evaluator.takes_variable_arguments,
        ..Summary::default()
    };
    let freezer = Freezer {
        evaluator,
        summary,
        terms: FxHashMap::default(),
        interned: FxHashMap::default(),
        objects: FxHashMap::default(),
        order: Vec::new(),
        is_exporting: true,
        result_terms: Vec::new(),
        result_guards: 0,
        coarse_result_guards: 0,
        rank: Rank::Key,
        is_closed: false,
        merged: FxHashMap::default(),
        is_blind: false,
    };
    freezer.run(state, result)
}

/// A cell that the caller sees, and what it holds now.
struct DraftWrite {
    address: TermNumber,
    kind: Kind,
    is_pointer: bool,
    /// What was there may be gone without having been released.
    loses: bool,
    /// The draft says when it is written.
    is_told: bool,
    draft: Draft,
}

/// Values whose guards are still those of the evaluation; numbers into the list of guards.
enum Draft {
    Scalar(Vec<(usize, TermNumber)>),
    Record(Vec<(i64, Kind, Draft)>),
    /// Where the first is not told, the second is.
    Parts(Box<Draft>, Box<Draft>),
}

impl Freezer<'_, '_> {
    /// Whether all of an object that nobody wrote to is zero.
    fn is_zeroed(&self, state: &State, heap: HeapId) -> bool {
        let Evaluator { objects, values, space, .. } = &*self.evaluator;
        let default = objects.get(objects.heap[heap].object).default;
        let val = state.cells.get(default.0 as usize).copied().filter(|val| val.is_real());
        let only = val.and_then(|val| values.only(val));
        objects.heap[heap].is_zeroed || only.is_some_and(|term| matches!(space.term(term), TermKind::Int(0)))
    }

    /// Whether a number is a constant now, or what it was.
    fn is_set_to_constant(&self, cell: CellId, val: Val) -> bool {
        let Evaluator { objects, values, space, .. } = &*self.evaluator;
        let entry = objects.initial[cell].and_then(|val| values.only(val));
        let mut constants = values.terms(val).filter(|&term| Some(term) != entry);
        constants.next().is_some_and(|term| matches!(space.term(term), TermKind::Int(_))) && constants.next().is_none()
    }

    /// The pointers of the caller's that cannot be null where the function comes back.
    fn find_followed(&mut self, returns: Guard) {
        let Evaluator { space, objects, followed, .. } = &mut *self.evaluator;
        let mut pointers: Vec<(u32, Symbol)> = Vec::new();
        let mut in_memory = 0;
        for &(symbol, when) in followed.iter() {
            let info = &objects.symbols[symbol.0 as usize];
            let is_near = match info.origin {
                Origin::Param(_) => true,
                Origin::Contents(_) if info.depth == 1 && in_memory < MAX_FOLLOWED => {
                    in_memory += 1;
                    true
                }
                _ => false,
            };
            if is_near && !pointers.contains(&(info.depth, symbol)) && space.implies(returns, when) {
                pointers.push((info.depth, symbol));
            }
        }
        pointers.sort_unstable();
        pointers.truncate(MAX_FOLLOWED);
        for (_, symbol) in pointers {
            let term = self.evaluator.objects.symbols[symbol.0 as usize].term;
            let pointer = self.term(term);
            self.summary.follows.extend(pointer);
        }
    }

    fn run(mut self, state: State, result: Option<Val>) -> Summary {
        let returns = state.guard;
        self.find_followed(returns);
        self.merge_objects(&state, result);
        let mut guards: Vec<Guarded> = vec![Guarded { guard: returns, rank: Rank::Key }];
        let result_val = result;
        if let Some(val) = result {
            self.result_terms = self.evaluator.values.alternatives(val).iter().map(|way| way.1).collect();
        }
        let result = result.map(|val| self.draft_result(val, returns, &mut guards));
        self.result_guards = guards.len() - 1;
        self.rank = Rank::Other;
        let mut writes: Vec<DraftWrite> = Vec::new();
        let mut written: Vec<CellId> = Vec::new();
        let mut cells: Vec<CellId> = (0..state.cells.len() as u32).map(CellId).collect();
        // A flag beside a pointer, or handed out with one, says whose that is.
        let hands_out = result_val.is_some_and(|val| self.evaluator.holds_heap(val));
        let has_heap = |this: &Self, cell: CellId| {
            let val = state.cells[cell.0 as usize];
            val.is_real() && this.evaluator.holds_heap(val)
        };
        // What hangs on the arguments comes first, should it be too much.
        cells.sort_by_cached_key(|&cell| (self.hangs_on_global(cell), !has_heap(&self, cell)));
        let mut owners: Vec<Object> = Vec::new();
        for &cell in cells.iter().filter(|&&cell| has_heap(&self, cell)) {
            owners.push(self.evaluator.objects.root(self.evaluator.objects.cells[cell].object));
        }
        let mut numbers = 0;
        for &cell in &cells {
            let val = state.cells[cell.0 as usize];
            if val == Val::UNTOUCHED {
                continue;
            }
            let info = self.evaluator.objects.cells[cell];
            if !self.is_visible_memory(info.object) {
                // It outlives the function where no caller looks: what it holds is kept.
                if val.is_real() && self.evaluator.objects.outlives(info.object) {
                    self.evaluator.escape_val(state.guard, val);
                    if !info.is_pointer && info.kind.bits >= 16 {
                        self.keep_what_it_names(val);
                    }
                }
                continue;
            }
            match info.class {
                CellClass::Default => {
                    if self.summary.clobbers.len() < MAX_EFFECTS
                        && let Some(pointer) = self.address(info.object, 0)
                    {
                        self.summary.clobbers.push(pointer);
                    }
                    continue;
                }
                CellClass::Bag => {
                    // Seen through the elements; what no element shows is kept.
                    if val.is_real() {
                        self.evaluator.escape_val(state.guard, val);
                    }
                    continue;
                }
                CellClass::Value => {}
            }
            if !val.is_real() || self.evaluator.objects.initial[cell] == Some(val) {
                continue;
            }
            let is_pointer = info.is_pointer || self.evaluator.holds_pointer(val);
            let is_element = matches!(self.evaluator.objects.get(info.object).kind, ObjectKind::Element { .. });
            // Bytes somewhere are text.
            if !is_pointer && (is_element && info.kind.bits < 16 || self.is_also_pointer(&state, cell)) {
                continue;
            }
            let root = self.evaluator.objects.root(info.object);
            let is_global = self.is_global(root);
            if !is_pointer {
                // Numbers in globals are the program's, not the caller's: no path of a caller hangs on them.
                if is_global && !self.is_set_to_constant(cell, val) {
                    self.evaluator.escape_val(state.guard, val);
                    continue;
                }
                numbers += usize::from(self.evaluator.values.only(val).is_none());
            }
            let Some(address) = self.address(info.object, info.offset) else {
                self.evaluator.escape_val(state.guard, val);
                continue;
            };
            if writes.len() >= MAX_WRITES || (!is_pointer && numbers > MAX_NUMBER_WRITES) {
                // What it held is not there any more, and what it holds is not told.
                self.evaluator.escape_val(state.guard, val);
                self.summary.is_coarse |= is_pointer;
                let old = self.intern(FrozenTerm::Contents(address), info.kind);
                self.summary.keeps.extend(is_pointer.then_some((old, When::ALWAYS)));
                if writes.len() < MAX_UNTOLD_WRITES {
                    let draft = self.draft_any(info.kind, &mut guards);
                    let (kind, loses, is_told) = (info.kind, false, false);
                    writes.push(DraftWrite { address, kind, is_pointer, loses, is_told, draft });
                }
                continue;
            }
            if is_pointer && (is_global || self.is_behind_a_pointer(address)) {
                self.keep_whoever_is_called(&state, val);
            }
            // What a global may hold now is told only as far as the caller knows it anyway.
            self.is_exporting = !is_global;
            let is_beside = owners.contains(&root) || (hands_out && !self.is_behind_a_pointer(address));
            let is_constant = |this: &Self| {
                let terms = this.evaluator.values.alternatives(val);
                terms.len() <= 3 && terms.iter().all(|way| matches!(this.evaluator.space.term(way.1), TermKind::Int(_)))
            };
            let is_flag = owners.contains(&root) && !is_pointer || is_beside && is_constant(&self);
            let is_key = !is_global && (self.evaluator.holds_heap(val) || is_flag);
            self.rank = Rank::Key;
            let code =
                if is_beside && !is_pointer && !is_key { self.draft_code(val, returns, &mut guards) } else { None };
            self.rank = if is_key { Rank::Key } else { Rank::Other };
            let draft = match code {
                Some(code) => code,
                None if is_pointer => self.draft(val, &mut guards),
                None => self.draft_number(val, &mut guards),
            };
            self.is_exporting = true;
            self.rank = Rank::Other;
            let loses = self.loses(cell, val, returns);
            let is_told = !info.is_untold;
            writes.push(DraftWrite { address, kind: info.kind, is_pointer, loses, is_told, draft });
            written.extend((!is_global).then_some(cell));
        }
        let mut calls = Vec::new();
        for callback in self.callbacks() {
            let callee = self.evaluator.values.only(callback.callee).and_then(|term| self.term(term));
            let Some(callee) = callee.filter(|_| calls.len() < MAX_CALLS) else {
                callback.args.iter().for_each(|&arg| self.evaluator.escape_val(callback.guard, arg));
                continue;
            };
            let args: Vec<Draft> = callback.args.iter().map(|&arg| self.draft(arg, &mut guards)).collect();
            guards.push(Guarded { guard: callback.guard, rank: Rank::Other });
            calls.push((callee, args, guards.len() - 1));
        }
        self.contents(&state, &mut writes, &mut guards);
        // From here on nothing new becomes visible.
        self.is_exporting = false;
        self.is_closed = true;
        self.spread_escapes(&state);
        let handed = self.handed(&result, &writes, &calls, &guards);
        let objects = self.object_guards(&handed, &mut guards);
        let mut effects = self.effects(&result, &state, &written, &mut guards);
        let mut copies: Vec<(FrozenCopy, usize)> = Vec::new();
        for copy in std::mem::take(&mut self.evaluator.copies) {
            let Some(from) = self.term(copy.from) else { continue };
            // What went out of sight is held there.
            let to = match self.term(copy.to) {
                Some(to) => to,
                None if !copy.is_text && self.is_out_of_sight(copy.to) => {
                    self.intern(FrozenTerm::Int(0), self.evaluator.pointer_kind())
                }
                None => continue,
            };
            let (bytes, is_text) = (copy.bytes, copy.is_text);
            let frozen = FrozenCopy { from, to, bytes, when: When::ALWAYS, is_text };
            if let Some(&(_, place)) = copies.iter().find(|copy| copy.0 == frozen) {
                let guarded: &mut Guarded = &mut guards[place];
                guarded.guard = self.evaluator.space.or(guarded.guard, copy.guard);
                continue;
            }
            if copies.len() < MAX_COPIES {
                guards.push(Guarded { guard: copy.guard, rank: Rank::Other });
                copies.push((frozen, guards.len() - 1));
            } else if effects.keeps.iter().all(|keep| keep.pointer != from) {
                // Wherever it went, it is held there.
                self.keep(from, Guard::TRUE, &mut guards, &mut effects);
            }
        }
        if self.evaluator.space.is_exhausted() {
            return Summary::opaque();
        }
        let frozen = self.guards(&guards, returns);
        self.hidden(&guards);
        let zeroed: Vec<bool> = self.order.iter().map(|&heap| self.is_zeroed(&state, heap)).collect();
        let summary = &mut self.summary;
        summary.returns = Some(frozen[0].unwrap_or(When::ALWAYS));
        for (number, place) in objects.into_iter().enumerate() {
            let heap = &self.evaluator.objects.heap[self.order[number]];
            summary.objects.push(FrozenObject {
                kind: heap.kind,
                allocated: frozen[place].unwrap_or(When::NEVER),
                escaped: frozen[place + 1].unwrap_or(When::ALWAYS),
                is_zeroed: zeroed[number],
                allocator: heap.allocator,
                inner: heap.inner.clone(),
            });
            if heap.inner.is_empty() {
                let loc = self.evaluator.body.insts[heap.site].loc;
                let module = self.evaluator.module_number;
                summary.objects[number].inner.push((module, loc));
            }
        }
        self.summary.result = result.map(|draft| self.finish(draft, &frozen));
        for DraftWrite { address, kind, is_pointer, loses, is_told, draft } in writes {
            let draft = self.without_own_address(address, draft, &frozen);
            let is_untold = values::is_untold(&draft, &frozen);
            let is_told = is_told && !is_untold;
            if is_untold || (is_pointer && self.is_blind && loses) {
                // Whether it was written cannot be told: what was there may be there still.
                let old = self.intern(FrozenTerm::Contents(address), kind);
                self.summary.keeps.push((old, When::ALWAYS));
            }
            let value = match self.finish(draft, &frozen) {
                FrozenValue::Scalar(value) => value,
                FrozenValue::Record(_) => continue,
            };
            let is_doubtful = self.is_blind && self.is_behind_a_pointer(address);
            self.summary.writes.push(Write { address, kind, is_pointer, is_doubtful, is_told, value });
        }
        for Told { pointer, guard, is_exact, what: release } in effects.releases {
            let is_certain = is_exact && frozen[guard].is_some();
            let when = frozen[guard].unwrap_or(When::ALWAYS);
            let Release { kind, loc } = release;
            self.summary.releases.push(FrozenRelease { pointer, when, is_certain, kind, loc });
        }
        for keep in effects.keeps {
            self.summary.keeps.push((keep.pointer, frozen[keep.guard].unwrap_or(When::ALWAYS)));
        }
        for (copy, place) in copies {
            let when = frozen[place].unwrap_or(When::ALWAYS);
            self.summary.copies.push(FrozenCopy { when, ..copy });
        }
        for (callee, args, place) in calls {
            let args = args.into_iter().map(|draft| self.finish(draft, &frozen)).collect();
            self.summary.calls.push(FrozenCall { callee, args, when: frozen[place] });
        }
        prune::prune(&mut self.summary);
        self.summary
    }
}
