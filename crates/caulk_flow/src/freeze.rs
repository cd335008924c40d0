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
//! the cap, guards are quantified towards silence: releases and keeps as soon as possible, ownership only if certain.

use caulk_guard::{Atom, Feasible, Guard, Kind, Object, Op, Predicate, Space, Symbol, Term, TermKind};
use rustc_hash::FxHashMap;

use crate::evaluate::{Evaluator, State};
use crate::object::{CellClass, CellId, HeapId, ObjectKind, Origin};
use crate::summary::{FrozenAtom, FrozenObject, FrozenRelease, FrozenTerm, FrozenValue, Summary, TermNumber, When, Write};
use crate::value::{Val, ValData};

/// Combinations of internal conditions that a summary keeps apart.
const MAX_COMBINATIONS: usize = 8;
/// Cells of the caller's world that a summary mentions; beyond this numbers are left out first.
const MAX_WRITES: usize = 64;
const MAX_NUMBER_WRITES: usize = 24;
/// Constants that a number is told to be one of.
const MAX_CONSTANTS: usize = 5;
/// Atoms over one term whose relations are looked at.
const MAX_RELATED: usize = 8;
/// Releases, keeps and clobbers, each.
const MAX_EFFECTS: usize = 48;
/// A larger summary is widened.
const MAX_NODES: usize = 200;
const SCRATCH_NODES: usize = 20_000;

struct Freezer<'e, 'a> {
    evaluator: &'e mut Evaluator<'a>,
    summary: Summary,
    terms: FxHashMap<Term, TermNumber>,
    interned: FxHashMap<(FrozenTerm, Kind), TermNumber>,
    objects: FxHashMap<HeapId, u32>,
    order: Vec<HeapId>,
    /// Opaque symbols become visible only through values.
    is_exporting: bool,
    /// The values drafted now are told first.
    is_key: bool,
    /// No object becomes visible any more.
    is_closed: bool,
    /// Objects that are told as another one: whichever is made, the caller gets one.
    merged: FxHashMap<HeapId, HeapId>,
}

/// A guard of the evaluation and how it may be widened.
struct Guarded {
    guard: Guard,
    role: Role,
    /// Told before the others if not all can be.
    is_key: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Must be exact, or the value becomes unknown.
    Exact,
    /// May be widened: a release, a keep.
    Some,
    /// May be narrowed: ownership.
    All,
}

pub fn summarize(evaluator: &mut Evaluator<'_>) -> Summary {
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
        is_key: true,
        is_closed: false,
        merged: FxHashMap::default(),
    };
    freezer.run(state, result)
}

/// Values whose guards are still those of the evaluation; numbers into the list of guards.
enum Draft {
    Scalar(Vec<(usize, TermNumber)>),
    Record(Vec<(i64, Kind, Draft)>),
}

impl Freezer<'_, '_> {
    fn run(mut self, state: State, result: Option<Val>) -> Summary {
        let returns = state.guard;
        self.merge_objects(&state, result);
        let mut guards: Vec<Guarded> = vec![Guarded { guard: returns, role: Role::Exact, is_key: true }];
        let result = result.map(|val| self.draft(val, &mut guards));
        self.is_key = false;
        let mut writes: Vec<(TermNumber, Kind, bool, Draft)> = Vec::new();
        let mut clobbers = Vec::new();
        let cells: Vec<CellId> = (0..state.cells.len() as u32).map(CellId).collect();
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
                }
                continue;
            }
            match info.class {
                CellClass::Default => {
                    if clobbers.len() < MAX_EFFECTS
                        && let Some(pointer) = self.address(info.object, 0)
                    {
                        clobbers.push(pointer);
                    }
                    continue;
                }
                CellClass::Bag => {
                    // Seen through the elements; what no element shows is kept.
                    let guard = state.guard;
                    self.evaluator.escape_val(guard, val);
                    continue;
                }
                CellClass::Value => {}
            }
            if !val.is_real() || self.evaluator.objects.initial[cell] == Some(val) {
                continue;
            }
            let is_pointer = info.is_pointer || self.holds_pointer(val);
            let is_global = self.is_global(self.evaluator.objects.root(info.object));
            if !is_pointer {
                // Numbers in globals are the program's, not the caller's: no path of a caller hangs on them.
                if is_global {
                    continue;
                }
                numbers += 1;
            }
            if writes.len() >= MAX_WRITES || (!is_pointer && numbers > MAX_NUMBER_WRITES) {
                if is_pointer {
                    self.evaluator.escape_val(state.guard, val);
                    self.summary.is_coarse = true;
                }
                continue;
            }
            let Some(address) = self.address(info.object, info.offset) else {
                self.evaluator.escape_val(state.guard, val);
                continue;
            };
            // What a global may hold now is told only as far as the caller knows it anyway.
            self.is_exporting = !is_global;
            self.is_key = self.holds_heap(val);
            let draft = if is_pointer { self.draft(val, &mut guards) } else { self.draft_number(val, &mut guards) };
            self.is_exporting = true;
            self.is_key = false;
            writes.push((address, info.kind, is_pointer, draft));
        }
        let mut calls = Vec::new();
        for callback in std::mem::take(&mut self.evaluator.callbacks) {
            let Some(callee) = self.evaluator.values.only(callback.callee).and_then(|term| self.term(term)) else { continue };
            let args: Vec<Draft> = callback.args.iter().map(|&arg| self.draft(arg, &mut guards)).collect();
            guards.push(Guarded { guard: callback.guard, role: Role::Some, is_key: false });
            calls.push((callee, args, guards.len() - 1));
        }
        self.contents(&state, &mut writes, &mut guards);
        // From here on nothing new becomes visible.
        self.is_exporting = false;
        self.is_closed = true;
        self.spread_escapes(&state);
        let objects = self.object_guards(&mut guards);
        let mut releases = Vec::new();
        let mut keeps = Vec::new();
        for object in self.evaluator.objects.infos.ids() {
            let info = self.evaluator.objects.get(object).clone();
            let ObjectKind::Pointee(symbol) = info.kind else { continue };
            if (info.released.is_false() && info.escaped.is_false()) || !self.is_visible(symbol) {
                continue;
            }
            let term = self.evaluator.objects.symbols[symbol.0 as usize].term;
            let Some(pointer) = self.term(term) else { continue };
            if !info.released.is_false()
                && releases.len() < MAX_EFFECTS
                && let Some(release) = info.release
            {
                let guard = self.share(info.released, symbol);
                guards.push(Guarded { guard, role: Role::Some, is_key: false });
                releases.push((pointer, guards.len() - 1, release));
            }
            // What a global leads to is kept already.
            if !info.escaped.is_false() && self.distance_from_global(symbol).is_none() && keeps.len() < MAX_EFFECTS {
                guards.push(Guarded { guard: info.escaped, role: Role::Some, is_key: false });
                keeps.push((pointer, guards.len() - 1));
            }
        }
        let mut copies = Vec::new();
        for copy in std::mem::take(&mut self.evaluator.copies) {
            let Some(from) = self.term(copy.from) else { continue };
            let Some(to) = self.term(copy.to) else { continue };
            guards.push(Guarded { guard: copy.guard, role: Role::Some, is_key: false });
            copies.push((from, to, copy.bytes, guards.len() - 1));
        }
        let frozen = self.guards(&guards, returns);
        let summary = &mut self.summary;
        summary.returns = Some(frozen[0].unwrap_or(When::ALWAYS));
        for (number, place) in objects.into_iter().enumerate() {
            let heap = &self.evaluator.objects.heap[self.order[number]];
            summary.objects.push(FrozenObject {
                kind: heap.kind,
                allocated: frozen[place].unwrap_or(When::NEVER),
                escaped: frozen[place + 1].unwrap_or(When::ALWAYS),
                is_zeroed: heap.is_zeroed,
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
        for (address, kind, is_pointer, draft) in writes {
            if is_untold(&draft, &frozen) {
                // Whether it was written cannot be told: what was there may be there still.
                let old = self.intern(FrozenTerm::Contents(address), kind);
                self.summary.keeps.push((old, When::ALWAYS));
            }
            let value = match self.finish(draft, &frozen) {
                FrozenValue::Scalar(value) => value,
                FrozenValue::Record(_) => continue,
            };
            self.summary.writes.push(Write { address, kind, is_pointer, value });
        }
        self.summary.clobbers = clobbers;
        for (pointer, place, release) in releases {
            let when = frozen[place].unwrap_or(When::ALWAYS);
            self.summary.releases.push(FrozenRelease { pointer, when, kind: release.kind, loc: release.loc });
        }
        for (pointer, place) in keeps {
            self.summary.keeps.push((pointer, frozen[place].unwrap_or(When::ALWAYS)));
        }
        for (from, to, bytes, place) in copies {
            self.summary.copies.push((from, to, bytes, frozen[place].unwrap_or(When::ALWAYS)));
        }
        for (callee, args, place) in calls {
            let args = args.into_iter().map(|draft| self.finish(draft, &frozen)).collect();
            self.summary.calls.push((callee, args, frozen[place].unwrap_or(When::ALWAYS)));
        }
        prune(&mut self.summary);
        self.summary
    }

    // ---- values

    /// A loop makes one object a visit, a chain of tests one a branch; if all that differs is which of them a value
    /// holds, the caller gets one object, whichever it is.
    fn merge_objects(&mut self, state: &State, result: Option<Val>) {
        let mut values: Vec<Val> = state.cells.iter().copied().filter(|val| val.is_real()).collect();
        values.extend(result);
        let mut mentions: FxHashMap<HeapId, u32> = FxHashMap::default();
        for &val in &values {
            for &(_, term) in self.evaluator.values.alternatives(val) {
                if let Some(heap) = self.evaluator.points_to(term).and_then(|object| self.evaluator.objects.heap_of(object)) {
                    *mentions.entry(heap).or_default() += 1;
                }
            }
        }
        for val in values {
            let alternatives = self.evaluator.values.alternatives(val).to_vec();
            let mut first: Vec<HeapId> = Vec::new();
            for (_, term) in alternatives {
                let TermKind::Address { object, offset: 0 } = self.evaluator.space.term(term) else { continue };
                let ObjectKind::Heap(heap) = self.evaluator.objects.get(object).kind else { continue };
                if mentions[&heap] != 1 || self.has_contents(state, object) {
                    continue;
                }
                let info = &self.evaluator.objects.heap[heap];
                let same = first.iter().copied().find(|&other| {
                    let other = &self.evaluator.objects.heap[other];
                    (other.kind, other.is_zeroed) == (info.kind, info.is_zeroed)
                });
                match same {
                    Some(other) => {
                        self.merged.insert(heap, other);
                    }
                    None => first.push(heap),
                }
            }
        }
    }

    fn has_contents(&self, state: &State, object: Object) -> bool {
        let mut found = false;
        self.evaluator.contents(state, object, |val| found |= self.holds_pointer(val));
        found
    }

    fn holds_heap(&self, val: Val) -> bool {
        let objects = &self.evaluator.objects;
        let is_heap = |object| objects.heap_of(object).is_some();
        self.evaluator.values.alternatives(val).iter().any(|&(_, term)| self.evaluator.points_to(term).is_some_and(is_heap))
    }

    /// A number is told if it is one of a few constants or a single thing; else it is any.
    fn draft_number(&mut self, val: Val, guards: &mut Vec<Guarded>) -> Draft {
        let ways = self.evaluator.values.alternatives(val);
        let is_plain = |term: Term| matches!(self.evaluator.space.term(term), TermKind::Int(_) | TermKind::Symbol(_));
        let is_simple = ways.len() == 1 || (ways.len() <= MAX_CONSTANTS && ways.iter().all(|way| is_plain(way.1)));
        if is_simple || ways.is_empty() {
            return self.draft(val, guards);
        }
        let kind = self.evaluator.space.kind(ways[0].1);
        let unknown = self.unknown(kind);
        guards.push(Guarded { guard: Guard::TRUE, role: Role::Exact, is_key: false });
        Draft::Scalar(vec![(guards.len() - 1, unknown)])
    }

    fn holds_pointer(&self, val: Val) -> bool {
        self.evaluator.values.alternatives(val).iter().any(|&(_, term)| self.evaluator.points_to(term).is_some())
    }

    fn draft(&mut self, val: Val, guards: &mut Vec<Guarded>) -> Draft {
        match self.evaluator.values.get(val).clone() {
            ValData::Record(parts) => {
                let parts = parts.iter().map(|part| (part.offset, part.kind, self.draft(part.val, guards)));
                Draft::Record(parts.collect())
            }
            ValData::Unknown(_) | ValData::CopyOf(..) => Draft::Scalar(Vec::new()),
            ValData::Scalar(alternatives) => {
                let mut ways: Vec<(usize, TermNumber)> = Vec::with_capacity(alternatives.len());
                let mut untold: Option<TermNumber> = None;
                for &(guard, term) in &alternatives {
                    let number = match self.term(term) {
                        Some(number) => number,
                        None if self.evaluator.points_to(term).is_some() => {
                            // Out of the caller's sight from here on.
                            let val = self.evaluator.values.single(term);
                            self.evaluator.escape_val(guard, val);
                            self.unknown(self.evaluator.space.kind(term))
                        }
                        None => match untold {
                            Some(number) => number,
                            None => {
                                let number = self.unknown(self.evaluator.space.kind(term));
                                untold = Some(number);
                                number
                            }
                        },
                    };
                    self.escape_aliases(guard, term);
                    match ways.iter().find(|way| way.1 == number) {
                        Some(&(place, _)) => {
                            let both = self.evaluator.space.or(guards[place].guard, guard);
                            guards[place].guard = both;
                        }
                        None => {
                            guards.push(Guarded { guard, role: Role::Exact, is_key: self.is_key });
                            ways.push((guards.len() - 1, number));
                        }
                    }
                }
                Draft::Scalar(ways)
            }
        }
    }

    /// What a blurred symbol may be goes out of sight with it.
    fn escape_aliases(&mut self, guard: Guard, term: Term) {
        let TermKind::Symbol(symbol) = self.evaluator.space.term(term) else { return };
        let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return };
        if info.handle.is_some() || info.aliases.is_empty() {
            return;
        }
        for (_, alias) in info.aliases.clone() {
            let val = self.evaluator.values.single(alias);
            self.evaluator.escape_val(guard, val);
        }
    }

    fn finish(&mut self, draft: Draft, frozen: &[Option<When>]) -> FrozenValue {
        match draft {
            Draft::Record(parts) => FrozenValue::Record(
                parts.into_iter().map(|(offset, kind, draft)| (offset, kind, self.finish(draft, frozen))).collect(),
            ),
            Draft::Scalar(ways) => {
                let known: Option<Vec<(When, TermNumber)>> =
                    ways.iter().map(|&(place, term)| frozen[place].map(|when| (when, term))).collect();
                match known {
                    Some(known) => FrozenValue::Scalar(known.into_iter().filter(|way| way.0 != When::NEVER).collect()),
                    None => {
                        // Its guards could not be told: any value, and whatever it held is out of sight.
                        let kind = ways.first().map_or(Kind { bits: 64, signed: false }, |way| self.summary.terms[way.1 as usize].1);
                        for &(_, term) in &ways {
                            if let FrozenTerm::Fresh(object, _) | FrozenTerm::Handle(object) = self.summary.terms[term as usize].0 {
                                self.summary.objects[object as usize].escaped = When::ALWAYS;
                            }
                        }
                        let unknown = self.unknown(kind);
                        FrozenValue::Scalar(vec![(When::ALWAYS, unknown)])
                    }
                }
            }
        }
    }

    /// The cells of what is handed out, and of what hangs on it.
    fn contents(&mut self, state: &State, writes: &mut Vec<(TermNumber, Kind, bool, Draft)>, guards: &mut Vec<Guarded>) {
        let mut done = 0;
        while done < self.order.len() {
            let heap = self.order[done];
            done += 1;
            let object = self.evaluator.objects.heap[heap].object;
            let mut waiting = vec![object];
            while let Some(object) = waiting.pop() {
                let info = self.evaluator.objects.get(object).clone();
                waiting.extend(info.elements.iter().copied());
                for cell in info.cells {
                    let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
                    if !val.is_real() {
                        continue;
                    }
                    let info = self.evaluator.objects.cells[cell];
                    let is_pointer = info.is_pointer || self.holds_pointer(val);
                    let is_blurred = matches!(self.evaluator.objects.get(info.object).kind, ObjectKind::Element { .. });
                    // Bytes are text.
                    if !is_pointer && info.kind.bits < 16 {
                        continue;
                    }
                    if info.class != CellClass::Value || is_blurred || writes.len() >= MAX_WRITES {
                        self.evaluator.escape_val(state.guard, val);
                        continue;
                    }
                    let Some(address) = self.address(info.object, info.offset) else { continue };
                    self.is_key = self.holds_heap(val);
                    let draft = if is_pointer { self.draft(val, guards) } else { self.draft_number(val, guards) };
                    self.is_key = false;
                    writes.push((address, info.kind, is_pointer, draft));
                }
            }
        }
    }

    /// What hangs on something out of sight is out of sight.
    fn spread_escapes(&mut self, state: &State) {
        let ids = self.evaluator.objects.infos.ids();
        let mut waiting: Vec<Object> = ids.filter(|&object| !self.evaluator.objects.get(object).escaped.is_false()).collect();
        while let Some(object) = waiting.pop() {
            let escaped = self.evaluator.objects.get(object).escaped;
            let mut held = Vec::new();
            self.evaluator.contents(state, object, |val| held.push(val));
            for val in held {
                for (guard, term) in self.evaluator.values.alternatives(val).to_vec() {
                    let Some(target) = self.evaluator.points_to(term) else { continue };
                    let target = self.evaluator.objects.root(target);
                    let guard = self.evaluator.space.and(escaped, guard);
                    let old = self.evaluator.objects.get(target).escaped;
                    let new = self.evaluator.space.or(old, guard);
                    if new != old {
                        self.evaluator.objects.infos[target].escaped = new;
                        waiting.push(target);
                    }
                }
            }
        }
    }

    /// When each object is handed out as the caller's own, and when it is kept elsewhere, too.
    fn object_guards(&mut self, guards: &mut Vec<Guarded>) -> Vec<usize> {
        let mut places = Vec::new();
        for place in 0..self.order.len() {
            let heap = self.order[place];
            let object = self.evaluator.objects.heap[heap].object;
            let allocated = self.evaluator.objects.heap[heap].allocated;
            let info = self.evaluator.objects.get(object);
            let (released, escaped) = (info.released, info.escaped);
            let mut owned = self.evaluator.space.and(allocated, released.not());
            let mut escaped = escaped;
            let others: Vec<HeapId> = self.evaluator.objects.heap.ids().filter(|id| self.merged.get(id) == Some(&heap)).collect();
            for other in others {
                let other = self.evaluator.objects.heap[other].clone();
                let info = self.evaluator.objects.get(other.object).clone();
                let also = self.evaluator.space.and(other.allocated, info.released.not());
                owned = self.evaluator.space.or(owned, also);
                escaped = self.evaluator.space.or(escaped, info.escaped);
            }
            places.push(guards.len());
            guards.push(Guarded { guard: owned, role: Role::All, is_key: true });
            guards.push(Guarded { guard: escaped, role: Role::Some, is_key: true });
        }
        places
    }

    // ---- terms

    fn intern(&mut self, term: FrozenTerm, kind: Kind) -> TermNumber {
        if let Some(&number) = self.interned.get(&(term.clone(), kind)) {
            return number;
        }
        let number = self.summary.terms.len() as TermNumber;
        self.summary.terms.push((term.clone(), kind));
        self.interned.insert((term, kind), number);
        number
    }

    fn unknown(&mut self, kind: Kind) -> TermNumber {
        let number = self.summary.terms.len() as TermNumber;
        self.summary.terms.push((FrozenTerm::Unknown(u32::MAX - number), kind));
        number
    }

    /// The term as the caller sees it; `None` if it cannot.
    fn term(&mut self, term: Term) -> Option<TermNumber> {
        if let Some(&number) = self.terms.get(&term) {
            return Some(number);
        }
        let number = self.new_term(term)?;
        self.terms.insert(term, number);
        Some(number)
    }

    fn new_term(&mut self, term: Term) -> Option<TermNumber> {
        let kind = self.evaluator.space.kind(term);
        let frozen = match self.evaluator.space.term(term) {
            TermKind::Int(value) => FrozenTerm::Int(value),
            TermKind::Symbol(symbol) => return self.symbol(symbol, kind),
            TermKind::Address { object, offset } => return self.address_of(object, offset, kind),
            TermKind::Inside { object } => {
                let base = self.address_of(object, 0, kind)?;
                FrozenTerm::Inside(base)
            }
            TermKind::Binary { op, a, b } => FrozenTerm::Binary(op, self.term(a)?, self.term(b)?),
            TermKind::Extend { a } => FrozenTerm::Extend(self.term(a)?),
        };
        Some(self.intern(frozen, kind))
    }

    fn symbol(&mut self, symbol: Symbol, kind: Kind) -> Option<TermNumber> {
        let info = self.evaluator.objects.symbols.get(symbol.0 as usize)?;
        let frozen = match (info.origin, info.handle) {
            (_, Some(object)) => {
                let heap = self.evaluator.objects.heap_of(object)?;
                FrozenTerm::Handle(self.handed_out(heap)?)
            }
            (Origin::Param(number), _) => FrozenTerm::Param(number),
            (Origin::ParamPart(number, offset), _) => FrozenTerm::ParamPart(number, offset),
            (Origin::Contents(cell), _) => {
                let cell = self.evaluator.objects.cells[cell];
                FrozenTerm::Contents(self.address(cell.object, cell.offset)?)
            }
            (Origin::Opaque, _) if self.is_exporting => FrozenTerm::Unknown(symbol.0),
            (Origin::Opaque, _) => return None,
        };
        Some(self.intern(frozen, kind))
    }

    fn handed_out(&mut self, heap: HeapId) -> Option<u32> {
        let heap = self.merged.get(&heap).copied().unwrap_or(heap);
        if let Some(&number) = self.objects.get(&heap) {
            return Some(number);
        }
        // What a callee puts into a global belongs to the global, not to the caller.
        if self.is_closed || !self.is_exporting {
            return None;
        }
        let number = self.order.len() as u32;
        self.objects.insert(heap, number);
        self.order.push(heap);
        Some(number)
    }

    fn address(&mut self, object: Object, offset: i64) -> Option<TermNumber> {
        let kind = self.evaluator.pointer_kind();
        self.address_of(object, offset, kind)
    }

    fn address_of(&mut self, object: Object, offset: i64, kind: Kind) -> Option<TermNumber> {
        let frozen = match self.evaluator.objects.get(object).kind.clone() {
            ObjectKind::Variable(variable) => FrozenTerm::Variable(variable, offset),
            ObjectKind::Code(target) => FrozenTerm::Code(target),
            ObjectKind::Literal(_) => FrozenTerm::Literal,
            ObjectKind::Heap(heap) => FrozenTerm::Fresh(self.handed_out(heap)?, offset),
            ObjectKind::Pointee(symbol) => {
                let pointer = self.evaluator.objects.symbols[symbol.0 as usize].term;
                let pointer = self.term(pointer)?;
                return Some(self.shifted(pointer, offset, kind));
            }
            ObjectKind::Element { base, offset: start, stride, index } => {
                let base = self.address_of(base, start, kind)?;
                let index = self.term(index)?;
                let element = self.intern(FrozenTerm::Element { base, stride, index }, kind);
                return Some(self.shifted(element, offset, kind));
            }
            ObjectKind::Slot(_) | ObjectKind::Alloca(..) => return None,
        };
        Some(self.intern(frozen, kind))
    }

    fn shifted(&mut self, pointer: TermNumber, offset: i64, kind: Kind) -> TermNumber {
        if offset == 0 {
            return pointer;
        }
        let bytes = self.intern(FrozenTerm::Int(offset), kind);
        self.intern(FrozenTerm::Binary(Op::Add, pointer, bytes), kind)
    }

    /// Whether a symbol is something the caller can see.
    fn is_visible(&self, symbol: Symbol) -> bool {
        let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
        match info.origin {
            Origin::Param(_) | Origin::ParamPart(..) => true,
            Origin::Contents(cell) => self.is_visible_memory(self.evaluator.objects.cells[cell].object),
            Origin::Opaque => false,
        }
    }

    /// Whether the caller sees what happens in an object. What hangs on globals further than a step away is the
    /// callee's own business: callers do not own it.
    fn is_visible_memory(&self, object: Object) -> bool {
        match self.evaluator.objects.get(object).kind {
            ObjectKind::Variable(_) => true,
            ObjectKind::Pointee(symbol) => {
                self.is_visible(symbol) && self.distance_from_global(symbol).is_none_or(|steps| steps < 2)
            }
            ObjectKind::Element { base, index, .. } => {
                let mut symbols = Vec::new();
                self.symbols_in(index, &mut symbols);
                symbols.iter().all(|&symbol| self.is_visible(symbol))
                    && self.is_visible_memory(base)
                    && !self.is_global(self.evaluator.objects.root(base))
            }
            _ => false,
        }
    }

    /// How many dereferences lead from a global to the symbol; `None` if it comes from a parameter.
    fn distance_from_global(&self, symbol: Symbol) -> Option<u32> {
        let Origin::Contents(cell) = self.evaluator.objects.symbols[symbol.0 as usize].origin else { return None };
        let root = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
        match self.evaluator.objects.get(root).kind {
            ObjectKind::Variable(_) => Some(0),
            ObjectKind::Pointee(inner) => self.distance_from_global(inner).map(|steps| steps + 1),
            _ => None,
        }
    }

    // ---- guards

    /// A release that depends on fields of the object or of its holder (a count, a capacity, a flag) is the
    /// release of the caller's share.
    fn share(&mut self, guard: Guard, released: Symbol) -> Guard {
        let pointee = self.evaluator.pointee(released);
        let holder = match self.evaluator.objects.symbols[released.0 as usize].origin {
            Origin::Contents(cell) => Some(self.evaluator.objects.root(self.evaluator.objects.cells[cell].object)),
            _ => None,
        };
        let support = self.evaluator.space.support(guard);
        let own: Vec<Atom> = support.into_iter().filter(|&atom| self.is_own_field(atom, pointee, holder, released)).collect();
        if own.is_empty() {
            return guard;
        }
        self.evaluator.space.exists(guard, &|atom| own.contains(&atom))
    }

    fn is_own_field(&self, atom: Atom, pointee: Object, holder: Option<Object>, released: Symbol) -> bool {
        let (a, b) = match self.evaluator.space.predicate(atom) {
            Predicate::Equal(a, b) | Predicate::Less(a, b) => (a, b),
            Predicate::Choice => return false,
        };
        let mut symbols = Vec::new();
        self.symbols_in(a, &mut symbols);
        self.symbols_in(b, &mut symbols);
        !symbols.is_empty()
            && symbols.iter().all(|&symbol| {
                if symbol == released {
                    return false;
                }
                let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
                let Origin::Contents(cell) = info.origin else { return false };
                let cell = self.evaluator.objects.cells[cell];
                let object = self.evaluator.objects.root(cell.object);
                !cell.is_pointer && (object == pointee || (Some(object) == holder && !self.is_global(object)))
            })
    }

    fn is_global(&self, object: Object) -> bool {
        matches!(self.evaluator.objects.get(object).kind, ObjectKind::Variable(_))
    }

    fn symbols_in(&self, term: Term, found: &mut Vec<Symbol>) {
        match self.evaluator.space.term(term) {
            TermKind::Symbol(symbol) => found.push(symbol),
            TermKind::Binary { a, b, .. } => {
                self.symbols_in(a, found);
                self.symbols_in(b, found);
            }
            TermKind::Extend { a } => self.symbols_in(a, found),
            TermKind::Int(_) | TermKind::Address { .. } | TermKind::Inside { .. } => {}
        }
    }

    /// Atoms become opaque in a summary; what they say about each other (`n >= 0` and `n == -1` exclude each other)
    /// must be said before.
    fn consistent(&mut self, guards: &[Guarded], returns: Guard) -> Guard {
        let space = &mut self.evaluator.space;
        let mut atoms: Vec<(Term, Atom)> = Vec::new();
        for guarded in guards {
            for atom in space.support(guarded.guard) {
                if let Predicate::Equal(a, b) | Predicate::Less(a, b) = space.predicate(atom) {
                    let is_constant = |term: Term| matches!(space.term(term), TermKind::Int(_) | TermKind::Address { .. });
                    let key = [a, b].into_iter().filter(|&term| !is_constant(term));
                    atoms.extend(key.map(|term| (term, atom)));
                }
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        let mut consistent = returns;
        for group in atoms.chunk_by(|a, b| a.0 == b.0) {
            let group = &group[..group.len().min(MAX_RELATED)];
            for (place, &(_, first)) in group.iter().enumerate() {
                for &(_, second) in &group[place + 1..] {
                    for (a, b) in [(true, true), (true, false), (false, true), (false, false)] {
                        let (a, b) = (space.literal(first, a), space.literal(second, b));
                        let both = space.and(a, b);
                        if !both.is_false() && matches!(space.feasible(both, 50), Feasible::No) {
                            consistent = space.and(consistent, both.not());
                        }
                    }
                }
            }
        }
        consistent
    }

    /// All guards in the summary's own space; `None` for one that could not be told exactly.
    fn guards(&mut self, guards: &[Guarded], returns: Guard) -> Vec<Option<When>> {
        let returns = self.consistent(guards, returns);
        let mut restricted: Vec<Guard> = Vec::with_capacity(guards.len());
        restricted.push(returns);
        for guarded in &guards[1..] {
            restricted.push(self.evaluator.space.restrict(guarded.guard, returns));
        }
        // Outside of the paths that return nothing is made and everything is released.
        let implied: Vec<Guard> = guards
            .iter()
            .map(|guarded| match guarded.role {
                Role::Some => self.evaluator.space.or(guarded.guard, returns.not()),
                Role::Exact | Role::All => self.evaluator.space.and(guarded.guard, returns),
            })
            .collect();
        let mut visible: Vec<(Atom, FrozenAtom)> = Vec::new();
        let mut internal: Vec<Atom> = Vec::new();
        let mut support: Vec<Atom> = Vec::new();
        for &guard in restricted.iter().chain(&implied) {
            support.extend(self.evaluator.space.support(guard));
        }
        support.sort_unstable();
        support.dedup();
        for atom in support {
            let frozen = match self.evaluator.space.predicate(atom) {
                Predicate::Choice => None,
                Predicate::Equal(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Equal(a, b)),
                Predicate::Less(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Less(a, b)),
            };
            match frozen {
                Some(frozen) => visible.push((atom, frozen)),
                None => internal.push(atom),
            }
        }
        if let Some(told) = self.told(guards, &restricted, &visible, &internal) {
            return told;
        }
        // The conditions of coming back may be what is too much: then they are only what the caller sees of them,
        // and elsewhere nothing is made and everything is released.
        if let Some(told) = self.told_implied(guards, &implied, &visible, &internal) {
            return told;
        }
        // Less: the result and what is handed out; then that without regard to the arguments.
        self.summary.is_coarse = true;
        let key: Vec<Guard> =
            guards.iter().zip(&implied).map(|(guarded, &guard)| if guarded.is_key { guard } else { Guard::FALSE }).collect();
        if let Some(told) = self.told_implied(guards, &key, &visible, &internal) {
            return without(guards, told);
        }
        let mut all: Vec<Atom> = visible.iter().map(|entry| entry.0).chain(internal.iter().copied()).collect();
        all.sort_unstable();
        if let Some(told) = self.told_implied(guards, &key, &[], &all) {
            return without(guards, told);
        }
        self.widened(guards, &restricted, &visible)
    }

    fn told_implied(
        &mut self,
        guards: &[Guarded],
        implied: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
    ) -> Option<Vec<Option<When>>> {
        let is_visible = |atom: Atom| visible.binary_search_by_key(&atom, |entry| entry.0).is_ok();
        let possible = self.evaluator.space.exists(implied[0], &is_visible);
        let mut list = implied.to_vec();
        list[0] = self.evaluator.space.exists(implied[0], &|atom| !is_visible(atom));
        list.push(possible);
        let mut told = self.told(guards, &list, visible, internal)?;
        told.truncate(guards.len());
        Some(told)
    }

    fn told(
        &mut self,
        guards: &[Guarded],
        restricted: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
    ) -> Option<Vec<Option<When>>> {
        let rebuilt = Rebuilt::new(&self.evaluator.space, restricted, visible, internal, restricted.len() > guards.len())?;
        let untold = rebuilt.untold.clone();
        if guards.iter().zip(&untold).any(|(guarded, &untold)| untold && guarded.is_key) {
            return None;
        }
        let frozen = rebuilt.freeze(&mut self.summary, visible)?;
        self.summary.is_coarse |= untold.iter().any(|&untold| untold);
        // Towards silence: a release happens, ownership does not come about.
        let roles = guards.iter().zip(untold).zip(frozen);
        let told = roles.map(|((guarded, untold), frozen)| match guarded.role {
            _ if !untold => Some(frozen),
            Role::Exact => None,
            Role::Some => Some(When::ALWAYS),
            Role::All => Some(When::NEVER),
        });
        Some(told.collect())
    }

    /// Past the caps: without internal atoms at all, towards silence.
    fn widened(&mut self, guards: &[Guarded], restricted: &[Guard], visible: &[(Atom, FrozenAtom)]) -> Vec<Option<When>> {
        let space = &mut self.evaluator.space;
        let is_visible = |atom: Atom| visible.binary_search_by_key(&atom, |entry| entry.0).is_ok();
        let mut told: Vec<Option<Guard>> = Vec::with_capacity(restricted.len());
        for (number, &guard) in restricted.iter().enumerate() {
            let hides = space.support(guard).into_iter().any(|atom| !is_visible(atom));
            told.push(match guards[number].role {
                _ if !hides => Some(guard),
                // Coming back is possible as soon as it may be.
                _ if number == 0 => Some(space.exists(guard, &|atom| !is_visible(atom))),
                Role::Exact => None,
                Role::Some => Some(space.exists(guard, &|atom| !is_visible(atom))),
                Role::All => Some(space.forall(guard, &|atom| !is_visible(atom))),
            });
        }
        let list: Vec<Guard> = told.iter().map(|guard| guard.unwrap_or(Guard::FALSE)).collect();
        match Rebuilt::new(space, &list, visible, &[], false) {
            Some(rebuilt) => match rebuilt.freeze(&mut self.summary, visible) {
                Some(frozen) => told.iter().zip(frozen).map(|(told, frozen)| told.map(|_| frozen)).collect(),
                None => vec![None; guards.len()],
            },
            None => vec![None; guards.len()],
        }
    }
}

/// The guards over visible atoms and choices.
struct Rebuilt {
    space: Space,
    guards: Vec<Guard>,
    /// By guard: it hangs on conditions that could not be told apart within the cap.
    untold: Vec<bool>,
}

impl Rebuilt {
    fn new(
        from: &Space,
        guards: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
        has_possible: bool,
    ) -> Option<Rebuilt> {
        let mut space = Space::new(SCRATCH_NODES);
        let mut atoms: FxHashMap<Atom, Guard> = FxHashMap::default();
        for &(atom, _) in visible {
            atoms.insert(atom, space.choice());
        }
        let mut tests: Vec<Guard> = visible.iter().map(|(atom, _)| atoms[atom]).collect();
        let choices: Vec<Guard> = if internal.is_empty() {
            Vec::new()
        } else {
            (1..MAX_COMBINATIONS).map(|_| space.choice()).collect()
        };
        tests.extend_from_slice(&choices);
        for &atom in internal {
            atoms.insert(atom, space.choice());
        }
        let mut memo = FxHashMap::default();
        let moved: Vec<Guard> = guards.iter().map(|&guard| transfer(from, &mut space, &atoms, guard, &mut memo)).collect();
        if space.is_exhausted() {
            return None;
        }
        if internal.is_empty() {
            let untold = vec![false; moved.len()];
            return Some(Rebuilt { space, guards: moved, untold });
        }
        let first_internal = Atom((visible.len() + choices.len()) as u32);
        // Whoever sees the summary is past the return: what happened inside happened so that it returned. The last
        // guard says how, if the first does not.
        let last = moved[moved.len() - 1];
        let first = space.exists(moved[0], &|atom| atom < first_internal);
        let last = if has_possible { space.exists(last, &|atom| atom < first_internal) } else { Guard::TRUE };
        let possible = space.and(first, last);
        let mut below: Vec<Guard> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let told_guards = if has_possible { &moved[..moved.len() - 1] } else { &moved[..] };
        for &guard in told_guards {
            find_below(&space, guard, first_internal, &mut below, &mut seen);
        }
        // In the order of the guards: the result first, then what is written.
        let mut met = rustc_hash::FxHashSet::default();
        below.retain(|function| met.insert(*function));
        let mut told_functions: Vec<Guard> = Vec::new();
        let mut combinations = vec![(possible, Vec::<bool>::new())];
        for &function in &below {
            let mut next = Vec::new();
            for (region, truths) in &combinations {
                for (truth, part) in [(true, function), (false, function.not())] {
                    let region = space.and(*region, part);
                    if !region.is_false() {
                        let mut truths = truths.clone();
                        truths.push(truth);
                        next.push((region, truths));
                    }
                }
            }
            if next.len() > MAX_COMBINATIONS {
                continue;
            }
            combinations = next;
            told_functions.push(function);
        }
        let mut told: FxHashMap<Guard, Guard> = FxHashMap::default();
        let mut rest = Guard::TRUE;
        let mut selectors = Vec::new();
        for number in 0..combinations.len() {
            if number + 1 == combinations.len() {
                selectors.push(rest);
            } else {
                selectors.push(space.and(rest, choices[number]));
                rest = space.and(rest, choices[number].not());
            }
        }
        for (place, &function) in told_functions.iter().enumerate() {
            let mut sum = Guard::FALSE;
            for (selector, (_, truths)) in selectors.iter().zip(&combinations) {
                if truths[place] {
                    sum = space.or(sum, *selector);
                }
            }
            told.insert(function, sum);
        }
        let untold: Vec<bool> = moved
            .iter()
            .map(|&guard| {
                let (mut found, mut seen) = (Vec::new(), rustc_hash::FxHashSet::default());
                find_below(&space, guard, first_internal, &mut found, &mut seen);
                found.iter().any(|function| !told.contains_key(function))
            })
            .collect();
        let mut memo = FxHashMap::default();
        let guards = moved.iter().map(|&guard| replace(&mut space, guard, first_internal, &told, &tests, &mut memo)).collect();
        (!space.is_exhausted()).then_some(Rebuilt { space, guards, untold })
    }

    /// Numbers the nodes and puts them into the summary, unless there are too many.
    fn freeze(self, summary: &mut Summary, visible: &[(Atom, FrozenAtom)]) -> Option<Vec<When>> {
        let mut used: Vec<Atom> = Vec::new();
        for &guard in &self.guards {
            used.extend(self.space.support(guard));
        }
        used.sort_unstable();
        used.dedup();
        let atoms =
            used.iter().map(|atom| visible.get(atom.0 as usize).map_or(FrozenAtom::Choice, |entry| entry.1)).collect();
        let mut numbers: FxHashMap<Guard, When> = FxHashMap::default();
        let mut nodes = Vec::new();
        let guards: Vec<When> =
            self.guards.iter().map(|&guard| number(&self.space, guard, &used, &mut nodes, &mut numbers)).collect();
        if nodes.len() > MAX_NODES {
            return None;
        }
        (summary.atoms, summary.nodes) = (atoms, nodes);
        Some(guards)
    }
}

/// Only the key guards were told: the others are widened.
fn without(guards: &[Guarded], told: Vec<Option<When>>) -> Vec<Option<When>> {
    let widened = guards.iter().zip(told).map(|(guarded, told)| match guarded.role {
        _ if guarded.is_key => told,
        Role::Exact => None,
        Role::Some => Some(When::ALWAYS),
        Role::All => Some(When::NEVER),
    });
    widened.collect()
}

fn transfer(
    from: &Space,
    to: &mut Space,
    atoms: &FxHashMap<Atom, Guard>,
    guard: Guard,
    memo: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((atom, yes, no)) = from.node(guard) else { return guard };
    if let Some(&known) = memo.get(&guard) {
        return known;
    }
    let yes = transfer(from, to, atoms, yes, memo);
    let no = transfer(from, to, atoms, no, memo);
    let moved = to.ite(atoms[&atom], yes, no);
    memo.insert(guard, moved);
    moved
}

/// The functions of internal atoms alone that hang below the visible ones, each in one polarity.
fn find_below(
    space: &Space,
    guard: Guard,
    first_internal: Atom,
    found: &mut Vec<Guard>,
    seen: &mut rustc_hash::FxHashSet<Guard>,
) {
    let Some((atom, yes, no)) = space.node(guard) else { return };
    if !seen.insert(guard) {
        return;
    }
    if atom >= first_internal {
        found.push(guard.min(guard.not()));
        return;
    }
    find_below(space, yes, first_internal, found, seen);
    find_below(space, no, first_internal, found, seen);
}

fn replace(
    space: &mut Space,
    guard: Guard,
    first_internal: Atom,
    told: &FxHashMap<Guard, Guard>,
    tests: &[Guard],
    memo: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((atom, yes, no)) = space.node(guard) else { return guard };
    if atom >= first_internal {
        let regular = guard.min(guard.not());
        let Some(&told) = told.get(&regular) else { return Guard::FALSE };
        return if regular == guard { told } else { told.not() };
    }
    if let Some(&known) = memo.get(&guard) {
        return known;
    }
    let yes = replace(space, yes, first_internal, told, tests, memo);
    let no = replace(space, no, first_internal, told, tests, memo);
    let replaced = space.ite(tests[atom.0 as usize], yes, no);
    memo.insert(guard, replaced);
    replaced
}

fn number(
    space: &Space,
    guard: Guard,
    used: &[Atom],
    nodes: &mut Vec<(u32, When, When)>,
    numbers: &mut FxHashMap<Guard, When>,
) -> When {
    if guard.is_false() {
        return When::NEVER;
    }
    if guard.is_true() {
        return When::ALWAYS;
    }
    if let Some(&known) = numbers.get(&guard) {
        return known;
    }
    let Some((atom, yes, no)) = space.node(guard) else { return When::NEVER };
    let yes = number(space, yes, used, nodes, numbers);
    let no = number(space, no, used, nodes, numbers);
    let atom = used.binary_search(&atom).map_or(0, |place| place as u32);
    nodes.push((atom, yes, no));
    let when = When((nodes.len() as u32) << 1);
    numbers.insert(guard, when);
    numbers.insert(guard.not(), When(when.0 | 1));
    when
}

/// Drops the terms that nothing mentions any more, and numbers the others anew.
fn prune(summary: &mut Summary) {
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

/// Every mention of a term outside of other terms.
fn visit_terms(summary: &mut Summary, visit: &mut dyn FnMut(&mut TermNumber)) {
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
    for copy in &mut summary.copies {
        visit(&mut copy.0);
        visit(&mut copy.1);
    }
    for (callee, args, _) in &mut summary.calls {
        visit(callee);
        args.iter_mut().for_each(|arg| visit_value(arg, visit));
    }
}

fn visit_value(value: &mut FrozenValue, visit: &mut dyn FnMut(&mut TermNumber)) {
    match value {
        FrozenValue::Scalar(ways) => ways.iter_mut().for_each(|way| visit(&mut way.1)),
        FrozenValue::Record(parts) => parts.iter_mut().for_each(|part| visit_value(&mut part.2, visit)),
    }
}

fn visit_operands(term: &mut FrozenTerm, visit: &mut dyn FnMut(&mut TermNumber)) {
    match term {
        FrozenTerm::Contents(a) | FrozenTerm::Inside(a) | FrozenTerm::Extend(a) => visit(a),
        FrozenTerm::Element { base: a, index: b, .. } | FrozenTerm::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        FrozenTerm::Int(_)
        | FrozenTerm::Param(_)
        | FrozenTerm::ParamPart(..)
        | FrozenTerm::Unknown(_)
        | FrozenTerm::Handle(_)
        | FrozenTerm::Variable(..)
        | FrozenTerm::Code(_)
        | FrozenTerm::Literal
        | FrozenTerm::Fresh(..) => {}
    }
}

/// Whether the guards of a value could not all be told.
fn is_untold(draft: &Draft, frozen: &[Option<When>]) -> bool {
    match draft {
        Draft::Scalar(ways) => ways.iter().any(|&(place, _)| frozen[place].is_none()),
        Draft::Record(parts) => parts.iter().any(|part| is_untold(&part.2, frozen)),
    }
}
