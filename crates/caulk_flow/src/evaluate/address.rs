//! Memory: reading, writing, releasing, escaping.

use caulk_guard::{Guard, Kind, Object, Op, Symbol, Term, TermKind};
use caulk_ir::ir;
use caulk_program::{Resolved, Target, VariableId};
use caulk_sema::types::Ty;
use caulk_sema::unit::{Datum, Definition};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::merge::Ways;
use super::{Evaluator, EventKind, State};
use crate::object::{CellClass, CellId, ObjectKind, Origin, Release};
use crate::value::{Part, Val, ValData};

/// What lies further than this many dereferences from a parameter has no name in a summary.
const MAX_DEPTH: u32 = 6;

/// Aliases of a blurred symbol that are followed.
const MAX_ALIASES: usize = 64;

impl Evaluator<'_> {
    // ---- what terms point to

    /// The object and offset a pointer leads to; `None` for numbers and what is no address.
    pub fn place(&mut self, term: Term) -> Option<(Object, Option<i64>)> {
        match self.space.term(term) {
            TermKind::Address { object, offset } => Some((object, Some(offset))),
            TermKind::Inside { object } => Some((object, None)),
            TermKind::Symbol(symbol) => self.can_lead(symbol).then(|| (self.pointee(symbol), Some(0))),
            TermKind::Binary { op: Op::Add, a, b } => {
                let TermKind::Int(offset) = self.space.term(b) else { return None };
                let (object, at) = self.place(a)?;
                Some((object, at.map(|at| at.wrapping_add(offset))))
            }
            TermKind::Extend { a } => self.place(a),
            TermKind::Int(_) | TermKind::Binary { .. } => None,
        }
    }

    /// Whether a symbol can be a pointer or the number of a resource, by its width.
    fn can_lead(&self, symbol: Symbol) -> bool {
        self.objects.symbols.get(symbol.0 as usize).is_some_and(|info| {
            if let Origin::Param(number) = info.origin
                && self.plan.is_size[number as usize]
                && info.aliases.is_empty()
            {
                return false;
            }
            let kind = self.space.kind(info.term);
            kind.bits == self.plan.pointer_bits || kind == Kind::signed(32) || !info.aliases.is_empty()
        })
    }

    pub fn pointee(&mut self, symbol: Symbol) -> Object {
        self.objects.intern(ObjectKind::Pointee(symbol))
    }

    /// The object a term certainly refers to, without making one.
    pub fn points_to(&self, term: Term) -> Option<Object> {
        match self.space.term(term) {
            TermKind::Address { object, .. } | TermKind::Inside { object } => Some(object),
            TermKind::Symbol(symbol)
                if self.objects.symbols.get(symbol.0 as usize).is_some_and(|info| !info.aliases.is_empty()) =>
            {
                self.objects.known(&ObjectKind::Pointee(symbol))
            }
            TermKind::Extend { a } => self.points_to(a),
            _ => None,
        }
    }

    pub(super) fn code(&mut self, target: Target) -> Val {
        let object = self.objects.intern(ObjectKind::Code(target));
        let term = self.space.address(object, 0, self.pointer_kind());
        self.values.single(term)
    }

    pub(super) fn global_address(&mut self, global: ir::GlobalId) -> Val {
        match self.cx.program.resolve(self.module_number, global) {
            Resolved::Function(function) => self.code(Target::Function(function)),
            Resolved::External(name) => self.code(Target::External(name)),
            Resolved::Variable(variable) => self.variable_address(variable, 0),
        }
    }

    pub(super) fn variable_address(&mut self, variable: VariableId, offset: i64) -> Val {
        let object = self.objects.intern(ObjectKind::Variable(variable));
        let term = self.space.address(object, offset, self.pointer_kind());
        self.values.single(term)
    }

    /// `base[index]`, or a member at `offset` from it.
    pub(super) fn element(&mut self, base: Term, index: Term, stride: i64) -> Term {
        let kind = self.pointer_kind();
        // Wherever it is, it is no memory.
        if let TermKind::Int(_) = self.space.term(base) {
            return base;
        }
        if let TermKind::Int(index) = self.space.term(index) {
            let Some((object, offset)) = self.place(base) else {
                let bytes = self.space.int(i128::from(index) * i128::from(stride), kind);
                return self.space.binary(Op::Add, base, bytes, kind);
            };
            if let (ObjectKind::Element { base: array, offset: start, stride: of, index: old }, Some(0)) =
                (self.objects.get(object).kind.clone(), offset)
                && of == stride
                && index != 0
            {
                let index_kind = self.space.kind(old);
                let step = self.space.int(i128::from(index), index_kind);
                let index = self.space.binary(Op::Add, old, step, index_kind);
                return self.element_of(array, start, stride, index);
            }
            let bytes = self.space.int(i128::from(index) * i128::from(stride), kind);
            return self.space.binary(Op::Add, base, bytes, kind);
        }
        let Some((object, offset)) = self.place(base) else {
            return self.opaque_symbol(kind);
        };
        let Some(offset) = offset else { return base };
        match self.objects.get(object).kind.clone() {
            ObjectKind::Element { base: array, offset: start, stride: of, index: old }
                if of == stride && offset == 0 =>
            {
                let index_kind = self.space.kind(old);
                let index = self.space.extend(index, index_kind);
                let index = self.space.binary(Op::Add, old, index, index_kind);
                self.element_of(array, start, stride, index)
            }
            _ => self.element_of(object, offset, stride, index),
        }
    }

    fn element_of(&mut self, base: Object, offset: i64, stride: i64, index: Term) -> Term {
        let kind = self.pointer_kind();
        if let TermKind::Int(index) = self.space.term(index) {
            let bytes = offset + index * stride;
            return match self.objects.get(base).kind {
                // One form for one address: that of the pointer.
                ObjectKind::Pointee(symbol) => {
                    let pointer = self.objects.symbols[symbol.0 as usize].term;
                    let bytes = self.space.int(i128::from(bytes), kind);
                    self.space.binary(Op::Add, pointer, bytes, kind)
                }
                _ => self.space.address(base, bytes, kind),
            };
        }
        let object = self.objects.intern(ObjectKind::Element { base, offset, stride, index });
        self.space.address(object, 0, kind)
    }

    // ---- reading

    pub fn cell_at(&mut self, object: Object, offset: i64, kind: Kind, ty: Option<Ty>) -> CellId {
        let cell = self.objects.cell(object, offset, kind);
        if ty.is_some_and(|ty| self.module.unit.types.is_pointer(ty)) {
            self.objects.cells[cell].is_pointer = true;
        }
        cell
    }

    /// What the cell holds.
    pub(super) fn read_cell(&mut self, cells: &mut Vec<Val>, cell: CellId) -> Val {
        let val = cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        if val.is_real() {
            return val;
        }
        let settled = self.settle(cells, cell, val);
        if val == Val::BLURRED {
            set(cells, cell, settled);
        }
        settled
    }

    /// What a cell holds that was not written, or blurred.
    pub(super) fn settle(&mut self, cells: &[Val], cell: CellId, val: Val) -> Val {
        let info = self.objects.cells[cell];
        match info.class {
            CellClass::Default | CellClass::Bag => return val,
            CellClass::Value => {}
        }
        if let Some(one_of) = self.one_of(cells, cell) {
            return one_of;
        }
        if val == Val::BLURRED {
            let unknown = self.opaque_symbol(info.kind);
            return self.values.single(unknown);
        }
        let mut object = info.object;
        loop {
            let default = cells.get(self.objects.get(object).default.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            if default.is_real() {
                return match *self.values.get(default) {
                    ValData::CopyOf(source, shift) => {
                        let cell = self.objects.cell(source, info.offset + shift, info.kind);
                        self.initial(cell)
                    }
                    ValData::Unknown(epoch) => self.keyed_symbol(cell.0, epoch, info.kind),
                    _ => self.int_val(0, info.kind),
                };
            }
            match self.objects.get(object).kind {
                ObjectKind::Element { base, .. } => object = base,
                _ => break,
            }
        }
        self.initial(cell)
    }

    fn keyed_symbol(&mut self, a: u32, b: u32, kind: Kind) -> Val {
        let key = (a, b, u32::from(kind.bits));
        let term = match self.opaque_terms.get(&key) {
            Some(&term) => term,
            None => {
                let term = self.opaque_symbol(kind);
                self.opaque_terms.insert(key, term);
                term
            }
        };
        self.values.single(term)
    }

    /// An element, or a cell blurred by a write to an element, may hold anything its array was given.
    fn one_of(&mut self, cells: &[Val], cell: CellId) -> Option<Val> {
        let info = self.objects.cells[cell];
        let mut candidates: Vec<(Guard, Term)> = Vec::new();
        let mut is_touched = false;
        let mut add = |this: &Self, val: Val| {
            if val.is_real() {
                is_touched = true;
                candidates.extend_from_slice(this.values.alternatives(val));
            }
        };
        let at = |cell: CellId| cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        if let ObjectKind::Element { base, offset, stride, .. } = self.objects.get(info.object).kind {
            let place = offset + info.offset;
            let bag = self.objects.bag(base, place);
            add(self, at(bag));
            for &sibling in &self.objects.get(base).elements {
                if let ObjectKind::Element { offset: start, stride: of, .. } = self.objects.get(sibling).kind
                    && (start, of) == (offset, stride)
                {
                    for &other in &self.objects.get(sibling).cells {
                        if other != cell && self.objects.cells[other].offset == info.offset {
                            add(self, at(other));
                        }
                    }
                }
            }
            for &other in &self.objects.get(base).cells {
                let other_info = self.objects.cells[other];
                if other_info.class == CellClass::Value
                    && other_info.kind.bits == info.kind.bits
                    && stride != 0
                    && (other_info.offset - place) % stride == 0
                {
                    add(self, at(other));
                }
            }
        } else if at(cell) == Val::BLURRED {
            for &other in &self.objects.get(info.object).cells.clone() {
                if self.objects.cells[other].class == CellClass::Bag {
                    add(self, at(other));
                }
            }
        } else {
            return None;
        }
        if !is_touched {
            return None;
        }
        Some(self.alias_symbol(candidates, info.kind))
    }

    /// A symbol that may be any of these.
    pub(super) fn alias_symbol(&mut self, mut candidates: Vec<(Guard, Term)>, kind: Kind) -> Val {
        // What may be one of several things may be each of them: aliases are never blurred themselves.
        let mut known = Vec::new();
        candidates.retain(|&(guard, term)| match self.space.term(term) {
            TermKind::Int(_) => false,
            TermKind::Symbol(symbol) => match self.objects.symbols.get(symbol.0 as usize) {
                Some(info) if !info.aliases.is_empty() && info.handle.is_none() => {
                    known.extend(info.aliases.iter().map(|&(_, alias)| (guard, alias)));
                    false
                }
                _ => true,
            },
            _ => true,
        });
        candidates.append(&mut known);
        candidates.sort_unstable_by_key(|way| way.1);
        candidates.dedup_by_key(|way| way.1);
        candidates.truncate(MAX_ALIASES);
        let term = self.opaque_symbol(kind);
        if let Some(symbol) = self.symbol_of(term) {
            self.objects.symbols[symbol.0 as usize].aliases = candidates;
        }
        self.values.single(term)
    }

    /// What the cell held when the function, or the object, began.
    fn initial(&mut self, cell: CellId) -> Val {
        if let Some(val) = self.objects.initial[cell] {
            return val;
        }
        let info = self.objects.cells[cell];
        let root = self.objects.root(info.object);
        let term = match self.objects.get(root).kind.clone() {
            ObjectKind::Slot(_) | ObjectKind::Alloca(..) | ObjectKind::Literal(_) | ObjectKind::Code(_) => {
                self.opaque_symbol(info.kind)
            }
            ObjectKind::Heap(heap) if self.objects.heap[heap].is_zeroed => self.space.int(0, info.kind),
            ObjectKind::Heap(_) => self.new_symbol(info.kind, Origin::Garbage, 0),
            ObjectKind::Variable(variable) => {
                match self.constant(variable, info.object == root, info.offset, info.kind) {
                    Some(val) => {
                        self.objects.initial[cell] = Some(val);
                        return val;
                    }
                    None => self.new_symbol(info.kind, Origin::Contents(cell), 1),
                }
            }
            ObjectKind::Pointee(symbol) => {
                let of = &self.objects.symbols[symbol.0 as usize];
                let (origin, depth, aliases) = (of.origin, of.depth, of.aliases.len());
                if matches!(origin, Origin::Opaque | Origin::Garbage) || aliases > 0 || depth >= MAX_DEPTH {
                    self.opaque_symbol(info.kind)
                } else {
                    self.new_symbol(info.kind, Origin::Contents(cell), depth + 1)
                }
            }
            ObjectKind::Element { .. } => unreachable!("a root is no element"),
        };
        let val = self.values.single(term);
        self.objects.initial[cell] = Some(val);
        val
    }

    /// The static initialiser of a variable that nothing writes.
    fn constant(&mut self, variable: VariableId, is_direct: bool, offset: i64, kind: Kind) -> Option<Val> {
        let program = self.cx.program;
        let variable = program.variable(variable);
        if !variable.is_constant || !is_direct {
            return None;
        }
        let (module, global) = variable.definition?;
        let unit = &program.modules[module].unit;
        match &unit.globals[global].definition {
            Definition::Zero => Some(self.int_val(0, kind)),
            Definition::Data(data) => {
                let items = &data.items;
                let place = items.partition_point(|item| (item.offset as i64) < offset);
                let item = items[place..].iter().take_while(|item| item.offset as i64 == offset).last();
                let covers = |item: &caulk_sema::unit::DataItem| matches!(item.value, Datum::Bytes(_) | Datum::Unknown);
                match item {
                    // What is not listed is zero, unless it is inside something that is.
                    None if place > 0 && covers(&items[place - 1]) => None,
                    None => Some(self.int_val(0, kind)),
                    Some(item) if item.bits.is_some() => None,
                    Some(item) => match item.value {
                        Datum::Int(value) => Some(self.int_val(value, kind)),
                        Datum::Global(target, 0) => match program.resolve(module, target) {
                            Resolved::Function(function) => Some(self.code(Target::Function(function))),
                            Resolved::External(name) => Some(self.code(Target::External(name))),
                            Resolved::Variable(variable) => Some(self.variable_address(variable, 0)),
                        },
                        _ => None,
                    },
                }
            }
            Definition::None | Definition::Function => None,
        }
    }

    pub(super) fn load(&mut self, state: &mut State, address: Val, kind: Kind, ty: Option<Ty>) -> Val {
        let mut ways = Ways::new();
        let mut null = Guard::FALSE;
        for place in 0..self.values.alternatives(address).len() {
            let (guard, term) = self.values.alternatives(address)[place];
            if matches!(self.space.term(term), TermKind::Int(_)) {
                null = self.space.or(null, guard);
                continue;
            }
            let val = self.load_through(state, term, kind, ty, 0);
            for at in 0..self.values.alternatives(val).len() {
                let (inner, term) = self.values.alternatives(val)[at];
                ways.push((self.space.and(guard, inner), term));
            }
        }
        self.must_not(state, null);
        if ways.is_empty() {
            let unknown = self.opaque_symbol(kind);
            return self.values.single(unknown);
        }
        self.scalar(ways)
    }

    fn load_through(&mut self, state: &mut State, term: Term, kind: Kind, ty: Option<Ty>, depth: u32) -> Val {
        let Some((object, offset)) = self.place(term) else {
            let unknown = self.opaque_symbol(kind);
            return self.values.single(unknown);
        };
        let Some(offset) = offset else {
            return self.load_anywhere(state, object, kind);
        };
        let cell = self.cell_at(object, offset, kind, ty);
        let ObjectKind::Pointee(symbol) = self.objects.get(self.objects.root(object)).kind else {
            return self.read_cell(&mut state.cells, cell);
        };
        let aliases = self.objects.symbols[symbol.0 as usize].aliases.clone();
        let is_written = state.cells.get(cell.0 as usize).is_some_and(|val| val.is_real());
        if aliases.is_empty() || is_written || depth > 2 {
            return self.read_cell(&mut state.cells, cell);
        }
        if let Some(val) = self.objects.initial[cell] {
            return val;
        }
        let mut candidates = Vec::new();
        let offset_term = self.space.int(i128::from(offset), self.pointer_kind());
        for (guard, alias) in aliases {
            let pointer_kind = self.pointer_kind();
            let at = self.space.binary(Op::Add, alias, offset_term, pointer_kind);
            let val = self.load_through(state, at, kind, ty, depth + 1);
            let alternatives = self.values.alternatives(val);
            candidates.extend(alternatives.iter().map(|&(_, term)| (guard, term)));
        }
        let val = self.alias_symbol(candidates, kind);
        self.objects.initial[cell] = Some(val);
        val
    }

    /// From an unknown place in the object.
    fn load_anywhere(&mut self, state: &mut State, object: Object, kind: Kind) -> Val {
        let root = self.objects.root(object);
        let mut candidates = Vec::new();
        for &cell in &self.objects.get(root).cells {
            let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            if val.is_real() {
                candidates.extend_from_slice(self.values.alternatives(val));
            }
        }
        self.alias_symbol(candidates, kind)
    }

    pub(super) fn load_record(&mut self, state: &mut State, address: Val, ty: Ty) -> Val {
        let leaves = self.leaves(ty);
        let mut parts = Vec::with_capacity(leaves.len());
        for (offset, kind) in leaves {
            let at = self.shift(address, offset);
            parts.push(Part { offset, kind, val: self.load(state, at, kind, None) });
        }
        self.values.record(parts)
    }

    /// The address some bytes further on.
    pub(super) fn shift(&mut self, address: Val, offset: i64) -> Val {
        if offset == 0 {
            return address;
        }
        let kind = self.pointer_kind();
        let bytes = self.space.int(i128::from(offset), kind);
        self.map(address, |this, term| this.space.binary(Op::Add, term, bytes, kind))
    }

    /// Control does not go on where this holds: a null pointer was followed.
    pub(super) fn must_not(&mut self, state: &mut State, guard: Guard) {
        if !guard.is_false() {
            state.guard = self.space.and(state.guard, guard.not());
        }
    }

    // ---- writing

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
            ObjectKind::Element { base, offset, stride, .. } => {
                self.blur(state, info.object, base, offset, stride, info.offset, val);
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
                        if stride != 0 && (info.offset - offset - inner) % stride == 0 {
                            self.to_bag(state, info.object, offset + inner, other);
                        }
                    }
                }
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
        val: Val,
    ) {
        let bag = self.objects.bag(base, start + inner);
        let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        let both = self.bag_of(old, val);
        set(&mut state.cells, bag, both);
        for place in 0..self.objects.get(base).elements.len() {
            let other = self.objects.get(base).elements[place];
            if other == element {
                continue;
            }
            for at in 0..self.objects.get(other).cells.len() {
                let cell = self.objects.get(other).cells[at];
                if self.objects.cells[cell].offset == inner && self.objects.cells[cell].class == CellClass::Value {
                    self.to_bag(state, base, start + inner, cell);
                }
            }
        }
        for place in 0..self.objects.get(base).cells.len() {
            let cell = self.objects.get(base).cells[place];
            let info = self.objects.cells[cell];
            if info.class == CellClass::Value && stride != 0 && (info.offset - start - inner) % stride == 0 {
                self.to_bag(state, base, start + inner, cell);
            }
        }
    }

    fn to_bag(&mut self, state: &mut State, base: Object, offset: i64, cell: CellId) {
        let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        if val.is_real() {
            let bag = self.objects.bag(base, offset);
            let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            let both = self.bag_of(old, val);
            set(&mut state.cells, bag, both);
        }
        set(&mut state.cells, cell, Val::BLURRED);
    }

    fn bag_of(&mut self, old: Val, new: Val) -> Val {
        let mut ways = Ways::new();
        for val in [old, new] {
            if val.is_real() {
                ways.extend_from_slice(self.values.alternatives(val));
            }
        }
        if ways.is_empty() {
            return old;
        }
        self.scalar(ways)
    }

    fn store_anywhere(&mut self, state: &mut State, object: Object, guard: Guard, val: Val) {
        let root = self.objects.root(object);
        if self.objects.outlives(root) {
            let guard = self.space.and(state.guard, guard);
            self.escape_val(guard, val);
            return;
        }
        let bag = self.objects.bag(root, i64::MIN);
        let old = state.cells.get(bag.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        let both = self.bag_of(old, val);
        set(&mut state.cells, bag, both);
    }

    pub(super) fn store_record(&mut self, state: &mut State, address: Val, val: Val) -> SmallVec<[CellId; 1]> {
        let ValData::Record(parts) = self.values.get(val) else { return SmallVec::new() };
        let parts = parts.clone();
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
            if offset == 0 && guard.is_true() {
                let default = self.objects.get(object).default;
                let new = if to_zero { self.int_val(0, self.pointer_kind()) } else { self.new_epoch() };
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

    pub(super) fn new_epoch(&mut self) -> Val {
        self.epochs += 1;
        self.values.unknown(self.epochs)
    }

    /// What the object holds may be elsewhere from now on.
    pub(super) fn escape_contents(&mut self, state: &State, object: Object) {
        let root = self.objects.root(object);
        let mut held = Vec::new();
        self.contents(state, root, |val| held.push(val));
        for val in held {
            self.escape_val(state.guard, val);
        }
    }

    /// Something unknown wrote to the whole object.
    pub(super) fn clobber(&mut self, state: &mut State, object: Object) {
        let root = self.objects.root(object);
        let mut waiting = vec![root];
        while let Some(object) = waiting.pop() {
            for place in 0..self.objects.get(object).cells.len() {
                let cell = self.objects.get(object).cells[place];
                set(&mut state.cells, cell, Val::UNTOUCHED);
            }
            let default = self.objects.get(object).default;
            let epoch = self.new_epoch();
            set(&mut state.cells, default, epoch);
            waiting.extend(self.objects.get(object).elements.iter().copied());
        }
    }

    // ---- the end of things

    /// Gives back what the value names.
    pub(super) fn release(&mut self, state: &State, val: Val, release: Release, when: Guard, is_certain: bool) {
        let reached = self.space.and(state.guard, when);
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            let guard = self.space.and(reached, guard);
            self.release_term(guard, term, release, is_certain, 0);
        }
        self.event(reached, release.loc, EventKind::Release { val });
    }

    fn release_term(&mut self, guard: Guard, term: Term, release: Release, is_certain: bool, depth: u32) {
        if guard.is_false() || depth > 3 {
            return;
        }
        let Some((object, _)) = self.place(term) else { return };
        let root = self.objects.root(object);
        let released = self.space.or(self.objects.infos[root].released, guard);
        let gone = if is_certain { self.space.or(self.objects.infos[root].gone, guard) } else { Guard::FALSE };
        let info = &mut self.objects.infos[root];
        info.released = released;
        info.release = Some(release);
        if is_certain {
            info.gone = gone;
        }
        if let ObjectKind::Pointee(symbol) = info.kind {
            for (_, alias) in self.objects.symbols[symbol.0 as usize].aliases.clone() {
                self.release_term(guard, alias, release, false, depth + 1);
            }
        }
    }

    /// Something that is not seen keeps the value.
    pub fn escape_val(&mut self, guard: Guard, val: Val) {
        if let ValData::Record(parts) = self.values.get(val) {
            for part in parts.clone() {
                self.escape_val(guard, part.val);
            }
            return;
        }
        for place in 0..self.values.alternatives(val).len() {
            let (inner, term) = self.values.alternatives(val)[place];
            let guard = self.space.and(guard, inner);
            self.escape_term(guard, term);
        }
    }

    pub(super) fn escape_term(&mut self, guard: Guard, term: Term) {
        if guard.is_false() {
            return;
        }
        match self.space.term(term) {
            TermKind::Int(_) => {}
            TermKind::Binary { a, b, .. } if self.place(term).is_none() => {
                self.escape_term(guard, a);
                self.escape_term(guard, b);
            }
            _ => {
                let Some((object, _)) = self.place(term) else { return };
                let root = self.objects.root(object);
                let escaped = self.space.or(self.objects.infos[root].escaped, guard);
                self.objects.infos[root].escaped = escaped;
                if let ObjectKind::Pointee(symbol) = self.objects.get(root).kind {
                    for (_, alias) in self.objects.symbols[symbol.0 as usize].aliases.clone() {
                        if self.points_to(alias).is_some_and(|object| self.objects.root(object) != root) {
                            self.escape_term(guard, alias);
                        }
                    }
                }
            }
        }
    }

    /// The value was handed to something unknown: all that can be reached from it may be kept and,
    /// if `writes`, changed.
    pub(super) fn hand_over(&mut self, state: &mut State, val: Val, when: Guard, writes: bool) {
        let mut seen: FxHashSet<Object> = FxHashSet::default();
        let mut waiting: Vec<(Guard, Val)> = vec![(self.space.and(state.guard, when), val)];
        let mut touched = Vec::new();
        while let Some((guard, val)) = waiting.pop() {
            if let ValData::Record(parts) = self.values.get(val) {
                waiting.extend(parts.iter().map(|part| (guard, part.val)));
                continue;
            }
            for place in 0..self.values.alternatives(val).len() {
                let (inner, term) = self.values.alternatives(val)[place];
                let guard = self.space.and(guard, inner);
                if guard.is_false() {
                    continue;
                }
                self.escape_term(guard, term);
                let Some((object, _)) = self.place(term) else { continue };
                let root = self.objects.root(object);
                if seen.insert(root) && seen.len() < 256 {
                    touched.push(root);
                    self.contents(state, root, |val| waiting.push((guard, val)));
                }
            }
        }
        if writes {
            for object in touched {
                if !matches!(self.objects.get(object).kind, ObjectKind::Code(_) | ObjectKind::Literal(_)) {
                    self.clobber(state, object);
                }
            }
        }
    }

    /// Every value stored in the object or its elements.
    pub fn contents(&self, state: &State, root: Object, mut visit: impl FnMut(Val)) {
        let mut waiting = vec![root];
        while let Some(object) = waiting.pop() {
            let info = self.objects.get(object);
            for &cell in &info.cells {
                if let Some(&val) = state.cells.get(cell.0 as usize)
                    && val.is_real()
                {
                    visit(val);
                }
            }
            waiting.extend(info.elements.iter().copied());
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
