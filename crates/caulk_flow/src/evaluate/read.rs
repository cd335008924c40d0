//! What memory holds: cells, what they held at entry, loads.

use caulk_guard::{Guard, Kind, Object, Op, Term, TermKind};
use caulk_program::{Resolved, Target, VariableId};
use caulk_sema::types::Ty;
use caulk_sema::unit::{Datum, Definition};

use super::merge::Ways;
use super::write::set;
use super::{Evaluator, State};
use crate::object::{ANYWHERE, CellClass, CellId, ObjectKind, Origin, may_be_element};
use crate::value::{Part, Val, ValData};

/// What lies further than this many dereferences from a parameter has no name in a summary.
const MAX_DEPTH: u32 = 6;

/// Aliases of a blurred symbol that are followed.
const MAX_ALIASES: usize = 64;

impl Evaluator<'_> {
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
        let info = self.objects.cells[cell];
        let is_anywhere = self.objects.known_bag(self.objects.root(info.object), ANYWHERE).is_some();
        if val == Val::BLURRED || (is_anywhere && info.class == CellClass::Value) {
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
                return match self.values.get(default) {
                    ValData::CopyOf(source, shift) => {
                        let cell = self.objects.cell(source, info.offset + shift, info.kind);
                        self.initial(cell)
                    }
                    ValData::Unknown(epoch) => self.later_symbol(cell, epoch, info.kind),
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

    fn later_symbol(&mut self, cell: CellId, epoch: u32, kind: Kind) -> Val {
        let key = (cell.0, epoch, u32::from(kind.bits));
        let term = match self.opaque_terms.get(&key) {
            Some(&term) => term,
            None => {
                let term = self.opaque_symbol(kind);
                self.note_later(term, cell, self.epochs[epoch as usize]);
                self.opaque_terms.insert(key, term);
                term
            }
        };
        self.values.single(term)
    }

    /// An element, or a cell blurred by a write to an element, may hold anything its array was given.
    fn one_of(&mut self, cells: &[Val], cell: CellId) -> Option<Val> {
        let info = self.objects.cells[cell];
        let mut candidates: Vec<Term> = Vec::new();
        let mut is_touched = false;
        let mut add = |this: &Self, val: Val| {
            if val.is_real() {
                is_touched = true;
                candidates.extend(this.values.terms(val));
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
                    && may_be_element(other_info.offset, offset, info.offset, stride)
                {
                    add(self, at(other));
                }
            }
            if let Some(anywhere) = self.objects.known_bag(self.objects.root(base), ANYWHERE) {
                add(self, at(anywhere));
            }
        } else if at(cell) == Val::BLURRED {
            for &other in &self.objects.get(info.object).cells.clone() {
                if self.objects.cells[other].class == CellClass::Bag {
                    add(self, at(other));
                }
            }
        } else {
            let anywhere = self.objects.known_bag(self.objects.root(info.object), ANYWHERE)?;
            add(self, at(anywhere));
        }
        if !is_touched {
            return None;
        }
        Some(self.alias_symbol(candidates, info.kind))
    }

    /// A symbol that may be any of these.
    pub(super) fn alias_symbol(&mut self, mut candidates: Vec<Term>, kind: Kind) -> Val {
        // What may be one of several things may be each of them: aliases are never blurred themselves.
        let mut known = Vec::new();
        candidates.retain(|&term| match self.space.term(term) {
            TermKind::Int(_) => false,
            TermKind::Symbol(symbol) => match self.objects.symbols.get(symbol.0 as usize) {
                Some(info) if !info.aliases.is_empty() && info.handle.is_none() => {
                    known.extend_from_slice(&info.aliases);
                    false
                }
                _ => true,
            },
            _ => true,
        });
        candidates.append(&mut known);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(MAX_ALIASES);
        let term = self.opaque_symbol(kind);
        if let Some(symbol) = self.symbol_of(term) {
            self.objects.symbols[symbol.0 as usize].aliases = self.objects.aliases(&candidates);
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
            ObjectKind::Literal(_)
                if info.offset == 0
                    && let Some(letter) = self.first_letter(info.object, info.kind) =>
            {
                self.space.int(letter, info.kind)
            }
            ObjectKind::Slot(_) | ObjectKind::Alloca(..) => self.new_symbol(info.kind, self.unseen_origin(), 0),
            ObjectKind::Literal(_) | ObjectKind::Code(_) => self.opaque_symbol(info.kind),
            ObjectKind::Heap(heap) if self.objects.heap[heap].is_zeroed => self.space.int(0, info.kind),
            ObjectKind::Heap(_) => self.new_symbol(info.kind, Origin::Garbage, 0),
            ObjectKind::Variable(variable) => {
                match self.constant(variable, info.object == root, info.offset, info.kind) {
                    Some(val) => {
                        self.objects.initial[cell] = Some(val);
                        return val;
                    }
                    None if info.kind == self.pointer_kind() && self.is_private_elsewhere(root) => {
                        self.opaque_symbol(info.kind)
                    }
                    None => self.new_symbol(info.kind, Origin::Contents(cell), 1),
                }
            }
            ObjectKind::Pointee(symbol) => {
                let of = &self.objects.symbols[symbol.0 as usize];
                let (origin, depth, aliases) = (of.origin, of.depth, of.aliases.len());
                if origin.is_unknown() || aliases > 0 || depth >= MAX_DEPTH {
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
        let is_constant = self.cx.program.variable(variable).is_constant;
        if is_constant && is_direct { self.initialiser(variable, offset, kind) } else { None }
    }

    /// What a variable holds before anything is written to it.
    pub(super) fn initialiser(&mut self, variable: VariableId, offset: i64, kind: Kind) -> Option<Val> {
        let program = self.cx.program;
        let (module, global) = program.variable(variable).definition?;
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
            if let Some((object, Some(_))) = self.place(term)
                && let ObjectKind::Pointee(symbol) = self.objects.get(self.objects.root(object)).kind
            {
                self.follow(state, guard, symbol);
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
        for &alias in &aliases[..] {
            let pointer_kind = self.pointer_kind();
            let at = self.space.binary(Op::Add, alias, offset_term, pointer_kind);
            let val = self.load_through(state, at, kind, ty, depth + 1);
            candidates.extend(self.values.terms(val));
        }
        let val = self.alias_symbol(candidates, kind);
        self.objects.initial[cell] = Some(val);
        val
    }

    /// A pointer from outside was followed: it is not null. Of a call nobody knows when it does so.
    pub(super) fn follow(&mut self, state: &State, when: Guard, pointer: caulk_guard::Symbol) {
        if self.calling.is_some() {
            return;
        }
        let guard = self.space.and(state.guard, when);
        if self.followed.last() != Some(&(pointer, guard)) {
            self.followed.push((pointer, guard));
        }
    }

    /// A callee follows the pointer, whichever it is.
    pub(super) fn follow_all(&mut self, state: &State, val: Val) {
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            if let Some(symbol) = self.symbol_of(term) {
                let reached = self.space.and(state.guard, guard);
                self.followed.push((symbol, reached));
            }
        }
    }

    /// From an unknown place in the object.
    fn load_anywhere(&mut self, state: &mut State, object: Object, kind: Kind) -> Val {
        let root = self.objects.root(object);
        let mut candidates = Vec::new();
        for &cell in &self.objects.get(root).cells {
            let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            if val.is_real() {
                candidates.extend(self.values.terms(val));
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
        self.values.record(&parts)
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

    /// Control does not go on where this holds, unless it would nowhere: then something is not understood.
    pub(super) fn should_not(&mut self, state: &mut State, guard: Guard) {
        let rest = self.space.and(state.guard, guard.not());
        if !rest.is_false() {
            state.guard = rest;
        }
    }

    /// Control does not go on where this holds: a null pointer was followed.
    pub(super) fn must_not(&mut self, state: &mut State, guard: Guard) {
        if !guard.is_false() {
            state.guard = self.space.and(state.guard, guard.not());
        }
    }
}
