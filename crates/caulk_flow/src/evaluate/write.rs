//! Stores, certain and blurred.

use caulk_guard::{Guard, Kind, Object, Term, TermKind};
use caulk_sema::types::Ty;
use smallvec::SmallVec;

use super::merge::Ways;
use super::{Evaluator, Later, State};
use crate::object::{ANYWHERE, CellClass, CellId, ObjectKind, may_be_element};
use crate::value::{Val, ValData};

impl Evaluator<'_> {
    pub(super) fn store(
        &mut self,
        state: &mut State,
        address: Val,
        val: Val,
        kind: Kind,
        ty: Option<Ty>,
    ) -> SmallVec<[CellId; 1]> {
        let mut null = Guard::FALSE;
        let mut written = SmallVec::new();
        for place in 0..self.values.alternatives(address).len() {
            let (guard, term) = self.values.alternatives(address)[place];
            if matches!(self.space.term(term), TermKind::Int(_)) {
                null = self.space.or(null, guard);
                continue;
            }
            if self.space.implies(state.guard, guard.not()) {
                continue;
            }
            match self.place(term) {
                Some((object, Some(offset))) => {
                    if let ObjectKind::Pointee(symbol) = self.objects.get(object).kind {
                        self.follow(state, guard, symbol);
                    }
                    let cell = self.cell_at(object, offset, kind, ty);
                    self.write_cell(state, cell, guard, val);
                    written.push(cell);
                }
                Some((object, None)) => self.store_anywhere(state, object, guard, val),
                None => self.escape_val(state.guard, val),
            }
        }
        self.must_not(state, null);
        written
    }

    pub(super) fn write_cell(&mut self, state: &mut State, cell: CellId, guard: Guard, val: Val) {
        let info = self.objects.cells[cell];
        let val = if self.is_private_elsewhere(info.object) || self.is_beyond_part(info.object) {
            self.given_away(state, guard, val)
        } else {
            val
        };
        let new = if guard.is_true() {
            val
        } else {
            let old = self.read_cell(&mut state.cells, cell);
            self.choose(guard, val, old)
        };
        set(&mut state.cells, cell, new);
        let bytes = info.bytes();
        for place in 0..self.objects.get(info.object).cells.len() {
            let other = self.objects.get(info.object).cells[place];
            if other != cell && self.objects.cells[other].overlaps(info.offset, bytes) {
                let unknown = self.opaque_symbol(self.objects.cells[other].kind);
                let unknown = self.values.single(unknown);
                set(&mut state.cells, other, unknown);
            }
        }
        match self.objects.get(info.object).kind {
            ObjectKind::Element { base, offset, stride, index } => {
                for resource in self.resources_in(index) {
                    let when = self.space.and(state.guard, guard);
                    self.escape_object(when, resource);
                }
                self.write_place(state, base, index, offset + info.offset, stride, val);
                self.blur(state, info.object, base, offset, stride, info.offset, guard, val);
            }
            // What is stored through a symbol that may be several things may be in any of them.
            ObjectKind::Pointee(symbol) if !self.objects.symbols[symbol.0 as usize].aliases.is_empty() => {
                self.escape_val(state.guard, val);
            }
            _ => {
                let elements = self.objects.get(info.object).elements.len();
                for place in 0..elements {
                    let element = self.objects.get(info.object).elements[place];
                    let ObjectKind::Element { offset, stride, .. } = self.objects.get(element).kind else { continue };
                    for at in 0..self.objects.get(element).cells.len() {
                        let other = self.objects.get(element).cells[at];
                        let inner = self.objects.cells[other].offset;
                        if may_be_element(info.offset, offset, inner, stride) {
                            self.put_in_bag(state, info.object, offset + inner, other);
                        }
                    }
                }
            }
        }
    }

    /// Whether only functions of another file can name the variable that the object belongs to. What they keep there is
    /// their own business: here it is enough to know whether there is any.
    ///
    /// ```c
    /// static char *last;                       // in another file
    /// char *quoted(const char *s) { free(last); return last = quote(s); }
    /// ```
    pub(super) fn is_private_elsewhere(&self, object: Object) -> bool {
        let ObjectKind::Variable(variable) = self.objects.get(self.objects.root(object)).kind else { return false };
        let program = self.cx.program;
        let info = program.variable(variable);
        info.is_internal && info.site.0 != self.module_number && program.variable_targets(variable).is_none()
    }

    /// What becomes of a value in the hands of others: blocks of the function's own are some pointer or other.
    fn given_away(&mut self, state: &mut State, when: Guard, val: Val) -> Val {
        if !self.holds_heap(val) {
            return val;
        }
        let (mut others, mut given) = (Ways::new(), Guard::FALSE);
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            if self.points_to(term).is_some_and(|object| self.objects.heap_of(self.objects.root(object)).is_some()) {
                let here = self.space.and(when, guard);
                let here = self.space.and(state.guard, here);
                self.escape_term(here, term);
                given = self.space.or(given, guard);
            } else {
                others.push((guard, term));
            }
        }
        let since = self.since();
        let pointer = self.opaque_symbol(self.pointer_kind());
        let null = self.space.int(0, self.pointer_kind());
        let is_null = self.space.equal(pointer, null);
        self.must(state, is_null.not(), since);
        others.push((given, pointer));
        self.scalar(others)
    }

    /// `base[index]` was written: so was a place of its own, where the index was asked for it.
    ///
    /// ```c
    /// rows[0] = make(count);
    /// for (i = 1; i < count; i++) …
    /// rows[count] = NULL;                     // the first, if there are none
    /// ```
    fn write_place(&mut self, state: &mut State, base: Object, index: Term, start: i64, stride: i64, val: Val) {
        for place in 0..self.objects.get(base).cells.len() {
            let cell = self.objects.get(base).cells[place];
            let info = self.objects.cells[cell];
            let old = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            if info.class != CellClass::Value || !old.is_real() || !may_be_element(info.offset, start, 0, stride) {
                continue;
            }
            let number = self.space.int(i128::from((info.offset - start) / stride), self.space.kind(index));
            let asked = self.space.atom_count();
            let is_this = self.space.equal(index, number);
            if !is_this.is_constant() && self.space.atom_count() == asked {
                let new = self.choose(is_this, val, old);
                set(&mut state.cells, cell, new);
            }
        }
    }

    /// `base[index]` was written: the other elements may have changed.
    #[expect(clippy::too_many_arguments, reason = "an element is named by all of these")]
    fn blur(
        &mut self,
        state: &mut State,
        element: Object,
        base: Object,
        start: i64,
        stride: i64,
        inner: i64,
        when: Guard,
        val: Val,
    ) {
        let bag = self.objects.bag(base, start + inner);
        let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        let both = self.bag_of(old, when, val);
        set(&mut state.cells, bag, both);
        for place in 0..self.objects.get(base).elements.len() {
            let other = self.objects.get(base).elements[place];
            if other == element {
                continue;
            }
            for at in 0..self.objects.get(other).cells.len() {
                let cell = self.objects.get(other).cells[at];
                if self.objects.cells[cell].offset == inner && self.objects.cells[cell].class == CellClass::Value {
                    self.put_in_bag(state, base, start + inner, cell);
                }
            }
        }
        for place in 0..self.objects.get(base).cells.len() {
            let cell = self.objects.get(base).cells[place];
            let info = self.objects.cells[cell];
            if info.class == CellClass::Value && may_be_element(info.offset, start, inner, stride) {
                self.put_in_bag(state, base, start + inner, cell);
            }
        }
    }

    fn put_in_bag(&mut self, state: &mut State, base: Object, offset: i64, cell: CellId) {
        let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        if val.is_real() {
            let bag = self.objects.bag(base, offset);
            let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            let both = self.bag_of(old, Guard::TRUE, val);
            set(&mut state.cells, bag, both);
        }
        set(&mut state.cells, cell, Val::BLURRED);
    }

    fn bag_of(&mut self, old: Val, when: Guard, new: Val) -> Val {
        let mut ways = Ways::new();
        if old.is_real() {
            ways.extend_from_slice(self.values.alternatives(old));
        }
        if new.is_real() {
            for place in 0..self.values.alternatives(new).len() {
                let (guard, term) = self.values.alternatives(new)[place];
                ways.push((self.space.and(when, guard), term));
            }
        }
        if ways.is_empty() {
            return old;
        }
        self.scalar(ways)
    }

    pub(super) fn store_anywhere(&mut self, state: &mut State, object: Object, guard: Guard, val: Val) {
        let root = self.objects.root(object);
        if self.objects.outlives(root) {
            let guard = self.space.and(state.guard, guard);
            self.escape_val(guard, val);
            return;
        }
        let bag = self.objects.bag(root, ANYWHERE);
        let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        let both = self.bag_of(old, guard, val);
        set(&mut state.cells, bag, both);
    }

    pub(super) fn store_record(&mut self, state: &mut State, address: Val, val: Val) -> SmallVec<[CellId; 1]> {
        let ValData::Record(parts) = self.values.get(val) else { return SmallVec::new() };
        let parts = parts.to_vec();
        let mut written = SmallVec::new();
        for part in parts {
            let at = self.shift(address, part.offset);
            written.extend(self.store(state, at, part.val, part.kind, None));
        }
        written
    }

    /// Sets bytes to zero, or to something unknown.
    pub(super) fn fill(&mut self, state: &mut State, address: Val, bytes: Option<i64>, to_zero: bool) {
        for place in 0..self.values.alternatives(address).len() {
            let (guard, term) = self.values.alternatives(address)[place];
            let Some((object, offset)) = self.place(term) else { continue };
            let Some(offset) = offset else { continue };
            let exists = match self.objects.heap_of(object) {
                Some(heap) => self.space.and(state.guard, self.objects.heap[heap].allocated),
                None => state.guard,
            };
            let guard = if self.space.implies(exists, guard) { Guard::TRUE } else { guard };
            for at in 0..self.objects.get(object).cells.len() {
                let cell = self.objects.get(object).cells[at];
                let info = self.objects.cells[cell];
                let is_inside =
                    info.offset >= offset && bytes.is_none_or(|bytes| info.offset + info.bytes() <= offset + bytes);
                if info.class != CellClass::Value || !is_inside {
                    continue;
                }
                let val = if to_zero {
                    self.int_val(0, info.kind)
                } else {
                    let unknown = self.opaque_symbol(info.kind);
                    self.values.single(unknown)
                };
                let old = self.read_cell(&mut state.cells, cell);
                // Nobody knows how far it goes.
                if bytes.is_none() {
                    self.escape_val(state.guard, old);
                }
                let new = self.choose(guard, val, old);
                set(&mut state.cells, cell, new);
            }
            for at in 0..self.objects.get(object).elements.len() {
                let element = self.objects.get(object).elements[at];
                for number in 0..self.objects.get(element).cells.len() {
                    let cell = self.objects.get(element).cells[number];
                    set(&mut state.cells, cell, Val::UNTOUCHED);
                }
            }
            // All of a block behind its header, if it has one, is all of it that anybody asks for.
            let is_all = offset == 0 || bytes.is_none() && self.objects.heap_of(object).is_some();
            if is_all && guard.is_true() {
                let default = self.objects.get(object).default;
                let new = if to_zero { self.int_val(0, self.pointer_kind()) } else { self.new_epoch(state.guard) };
                set(&mut state.cells, default, new);
                for at in 0..self.objects.get(object).cells.len() {
                    let cell = self.objects.get(object).cells[at];
                    if self.objects.cells[cell].class == CellClass::Bag {
                        set(&mut state.cells, cell, Val::UNTOUCHED);
                    }
                }
            } else if to_zero && let Some(bytes) = bytes {
                // Words that nobody asked for yet.
                let kind = self.pointer_kind();
                let zero = self.int_val(0, kind);
                let width = i64::from(kind.bits) / 8;
                for number in 0..(bytes / width).min(64) {
                    let cell = self.objects.cell(object, offset + number * width, kind);
                    let old = self.read_cell(&mut state.cells, cell);
                    let new = self.choose(guard, zero, old);
                    set(&mut state.cells, cell, new);
                }
            }
        }
    }

    pub(super) fn new_epoch(&mut self, when: Guard) -> Val {
        let epoch = self.next_epoch(when);
        self.values.unknown(epoch)
    }

    pub(super) fn next_epoch(&mut self, when: Guard) -> u32 {
        self.epochs.push(when);
        self.epochs.len() as u32 - 1
    }

    /// What the object holds may be elsewhere from now on.
    pub(super) fn escape_contents(&mut self, state: &State, object: Object, when: Guard) {
        let root = self.objects.root(object);
        let mut held = Vec::new();
        self.contents(state, root, |val| held.push(val));
        let guard = self.space.and(state.guard, when);
        self.escape_all(guard, held);
    }

    pub(super) fn note_later(&mut self, unknown: Term, cell: CellId, when: Guard) {
        if let Some(symbol) = self.symbol_of(unknown) {
            self.later.push(Later { symbol, cell, when });
        }
    }

    /// Something unknown wrote to the whole object, where the guard holds.
    pub(super) fn clobber(&mut self, state: &mut State, object: Object, when: Guard) {
        let root = self.objects.root(object);
        let is_certain = self.space.implies(state.guard, when);
        let when = self.space.and(state.guard, when);
        if when.is_false() {
            return;
        }
        let mut waiting = vec![root];
        while let Some(object) = waiting.pop() {
            for place in 0..self.objects.get(object).cells.len() {
                let cell = self.objects.get(object).cells[place];
                let old = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
                let new = if is_certain || !old.is_real() {
                    Val::UNTOUCHED
                } else if self.objects.cells[cell].class == CellClass::Bag {
                    old
                } else {
                    let unknown = self.opaque_symbol(self.objects.cells[cell].kind);
                    self.note_later(unknown, cell, when);
                    let unknown = self.values.single(unknown);
                    self.choose(when, unknown, old)
                };
                set(&mut state.cells, cell, new);
            }
            let default = self.objects.get(object).default;
            let epoch = self.new_epoch(when);
            set(&mut state.cells, default, epoch);
            waiting.extend(self.objects.get(object).elements.iter().copied());
        }
    }
}

pub(super) fn set(cells: &mut Vec<Val>, cell: CellId, val: Val) {
    let place = cell.0 as usize;
    if place >= cells.len() {
        if val == Val::UNTOUCHED {
            return;
        }
        cells.resize(place + 1, Val::UNTOUCHED);
    }
    cells[place] = val;
}
