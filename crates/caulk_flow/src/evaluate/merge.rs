//! Joining states, and arithmetic on guarded values.

use caulk_guard::{Guard, Kind, Object, Op, Term, TermKind};
use caulk_ir::ir::{self, BlockId, InstKind};
use caulk_sema::types::{Ty, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Evaluator, Incoming, State};
use crate::object::{CellClass, CellId};
use crate::value::{Part, Val, ValData};

/// An integer with more possible values than this is unknown. Pointers may have more, so that no
/// object is forgotten.
const MAX_ALTERNATIVES: usize = 12;
const MAX_POINTERS: usize = 48;

/// Members of a record that are followed when it is copied as a whole.
const MAX_LEAVES: usize = 96;
/// Elements of an array inside a record that are followed.
const MAX_ELEMENTS: u64 = 8;

pub(super) type Ways = SmallVec<[(Guard, Term); 8]>;

impl Evaluator<'_> {
    /// The state where the ways into a block meet.
    pub(super) fn join(&mut self, block: BlockId, mut incoming: Vec<Incoming>) -> State {
        let body = self.body;
        let phis =
            body.blocks[block].insts.iter().take_while(|&&inst| matches!(body.insts[inst].kind, InstKind::Phi(_)));
        if let [_] = incoming[..] {
            let Incoming { state, phis: vals, .. } = incoming.swap_remove(0);
            for (&phi, val) in phis.zip(vals) {
                self.env[phi] = val;
            }
            return state;
        }
        let (guard, choices) = self.choices(&incoming);
        for (number, &phi) in phis.enumerate() {
            let ways: SmallVec<[(Guard, Val); 4]> =
                choices.iter().zip(&incoming).map(|(&choice, way)| (choice, way.phis[number])).collect();
            self.env[phi] = self.merge_chosen(&ways);
        }
        self.join_memory(incoming, guard, &choices)
    }

    /// The same without phis.
    pub(super) fn join_states(&mut self, mut incoming: Vec<Incoming>) -> State {
        if let [_] = incoming[..] {
            return incoming.swap_remove(0).state;
        }
        let (guard, choices) = self.choices(&incoming);
        self.join_memory(incoming, guard, &choices)
    }

    /// When control is here, and which way was taken, seen from here.
    fn choices(&mut self, incoming: &[Incoming]) -> (Guard, Vec<Guard>) {
        if let [first, second] = incoming {
            // The ways that parted at a branch, and nothing was left out of.
            if let Some(&(guard, holds)) = self.parted.get(&(first.guard, second.guard)) {
                return (guard, vec![holds, holds.not()]);
            }
            if let Some(&(guard, holds)) = self.parted.get(&(second.guard, first.guard)) {
                return (guard, vec![holds.not(), holds]);
            }
        }
        let mut guard = Guard::FALSE;
        for way in incoming {
            guard = self.space.or(guard, way.guard);
        }
        let mut choices: Vec<Guard> = Vec::with_capacity(incoming.len());
        for way in incoming {
            // Of two ways it is the one or the other.
            let choice = match choices[..] {
                [first] if incoming.len() == 2 => first.not(),
                _ => self.space.restrict(way.guard, guard),
            };
            choices.push(choice);
        }
        (guard, choices)
    }

    fn join_memory(&mut self, incoming: Vec<Incoming>, guard: Guard, choices: &[Guard]) -> State {
        let len = incoming.iter().map(|way| way.state.cells.len()).max().unwrap_or(0);
        let mut cells = incoming[0].state.cells.clone();
        cells.resize(len, Val::UNTOUCHED);
        self.steps += (len * incoming.len()) as u64 / 64;
        let mut sums = FxHashMap::default();
        for (place, joined) in cells.iter_mut().enumerate() {
            let first = *joined;
            let at = |way: &Incoming| way.state.cells.get(place).copied().unwrap_or(Val::UNTOUCHED);
            if incoming[1..].iter().all(|way| at(way) == first) {
                continue;
            }
            let mut ways: SmallVec<[(Guard, Val); 4]> = SmallVec::new();
            let cell = CellId(place as u32);
            for (way, &choice) in incoming.iter().zip(choices) {
                let val = at(way);
                let val = if val.is_real() { val } else { self.settle(&way.state.cells, cell, val) };
                ways.push((choice, val));
            }
            if self.objects.cells[cell].class == CellClass::Default {
                *joined = if self.is_zero_where_it_exists(&incoming, cell) {
                    self.int_val(0, self.pointer_kind())
                } else {
                    self.new_epoch(guard)
                };
                continue;
            }
            self.put_together(&mut ways, &mut sums);
            *joined = self.merge_chosen(&ways);
        }
        State { guard, cells }
    }

    /// Whether allocated memory was filled with zeros on all ways on which there is any.
    fn is_zero_where_it_exists(&mut self, incoming: &[Incoming], default: CellId) -> bool {
        let Some(heap) = self.objects.heap_of(self.objects.cells[default].object) else { return false };
        let allocated = self.objects.heap[heap].allocated;
        incoming.iter().all(|way| {
            let val = way.state.cells.get(default.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            val.is_real() && self.values.only(val).is_some() || self.space.implies(way.guard, allocated.not())
        })
    }

    /// Makes one way of those with the same value. Many cells tell the same ways apart.
    fn put_together(&mut self, ways: &mut SmallVec<[(Guard, Val); 4]>, sums: &mut FxHashMap<u128, Guard>) {
        if !(3..=128).contains(&ways.len()) {
            return;
        }
        let mut groups: SmallVec<[(Val, u128); 4]> = SmallVec::new();
        for (place, &(_, val)) in ways.iter().enumerate() {
            match groups.iter_mut().find(|group| group.0 == val) {
                Some(group) => group.1 |= 1 << place,
                None => groups.push((val, 1 << place)),
            }
        }
        if groups.len() == ways.len() {
            return;
        }
        let mut sum = |this: &mut Self, set: u128| {
            *sums.entry(set).or_insert_with(|| {
                let members = ways.iter().enumerate().filter(|(place, _)| set >> place & 1 == 1);
                members.fold(Guard::FALSE, |sum, (_, way)| this.space.or(sum, way.0))
            })
        };
        let mut together: SmallVec<[(Guard, Val); 4]> = SmallVec::new();
        for &(val, set) in &groups {
            together.push((sum(self, set), val));
        }
        *ways = together;
    }

    /// Joins values that came along edges with these guards.
    pub(super) fn merge_values(&mut self, ways: &[(Guard, Val)]) -> Val {
        let first = ways[0].1;
        if ways.iter().all(|&(_, val)| val == first) {
            return first;
        }
        let mut together: SmallVec<[(Guard, Val); 4]> = SmallVec::new();
        for &(guard, val) in ways {
            match together.iter_mut().find(|way| way.1 == val) {
                Some(way) => way.0 = self.space.or(way.0, guard),
                None => together.push((guard, val)),
            }
        }
        let all = together.iter().fold(Guard::FALSE, |all, way| self.space.or(all, way.0));
        let chosen: SmallVec<[(Guard, Val); 4]> =
            together.iter().map(|&(guard, val)| (self.space.restrict(guard, all), val)).collect();
        self.merge_chosen(&chosen)
    }

    /// Joins values whose guards exclude each other and are complete.
    pub(super) fn merge_chosen(&mut self, ways: &[(Guard, Val)]) -> Val {
        let Some(first) = ways.iter().map(|way| way.1).find(|val| val.is_real()) else { return Val::UNTOUCHED };
        if ways.iter().all(|&(_, val)| val == first) {
            return first;
        }
        match self.values.get(first) {
            ValData::Record(_) => return self.merge_records(ways),
            ValData::Unknown(_) | ValData::CopyOf(..) => return self.new_epoch(Guard::TRUE),
            ValData::Scalar(_) => {}
        }
        let mut all = Ways::new();
        for &(choice, val) in ways {
            if !val.is_real() || choice.is_false() {
                continue;
            }
            for place in 0..self.values.alternatives(val).len() {
                let (guard, term) = self.values.alternatives(val)[place];
                all.push((self.space.and(choice, guard), term));
            }
        }
        self.scalar(all)
    }

    fn merge_records(&mut self, ways: &[(Guard, Val)]) -> Val {
        let mut places: Vec<(i64, Kind)> = Vec::new();
        for &(_, val) in ways {
            if val.is_real()
                && let ValData::Record(parts) = self.values.get(val)
            {
                places.extend(parts.iter().map(|part| (part.offset, part.kind)));
            }
        }
        places.sort_by_key(|&(offset, kind)| (offset, kind.bits, kind.signed));
        places.dedup();
        let mut merged = Vec::new();
        for (offset, kind) in places {
            let chosen: SmallVec<[(Guard, Val); 4]> =
                ways.iter().map(|&(guard, val)| (guard, self.part(val, offset, kind))).collect();
            merged.push(Part { offset, kind, val: self.merge_chosen(&chosen) });
        }
        self.values.record(&merged)
    }

    /// A member of a record value.
    pub(super) fn part(&mut self, record: Val, offset: i64, kind: Kind) -> Val {
        if record.is_real()
            && let ValData::Record(parts) = self.values.get(record)
            && let Some(part) = parts.iter().find(|part| part.offset == offset && part.kind.bits == kind.bits)
        {
            return part.val;
        }
        let unknown = self.opaque_symbol(kind);
        self.values.single(unknown)
    }

    /// A value from alternatives in any order; those with one term are joined.
    pub(super) fn scalar(&mut self, mut all: Ways) -> Val {
        all.retain(|way| !way.0.is_false());
        all.sort_unstable_by_key(|&(guard, term)| (term, guard));
        let mut joined = Ways::new();
        for (guard, term) in all {
            match joined.last_mut() {
                Some(last) if last.1 == term => last.0 = self.space.or(last.0, guard),
                _ => joined.push((guard, term)),
            }
        }
        let Some(&(_, first)) = joined.first() else {
            let unknown = self.opaque_symbol(Kind { bits: 64, signed: false });
            return self.values.single(unknown);
        };
        if joined.len() > MAX_ALTERNATIVES {
            joined = self.by_object(joined);
        }
        if joined.len() > MAX_ALTERNATIVES {
            let has_address = joined.iter().any(|&(_, term)| self.points_to(term).is_some());
            if !has_address {
                let kind = self.space.kind(first);
                return self.coarse_number(&joined, kind);
            }
            if joined.len() > MAX_POINTERS {
                for &(guard, term) in &joined {
                    self.escape_term(guard, term);
                }
                let unknown = self.opaque_symbol(self.space.kind(first));
                return self.values.single(unknown);
            }
        }
        self.values.scalar(&joined)
    }

    /// Many places in one object are somewhere in it.
    fn by_object(&mut self, ways: Ways) -> Ways {
        let mut places: Vec<(Object, Guard, Term)> = Vec::new();
        let mut rest = Ways::new();
        for (guard, term) in ways {
            let Some(object) = self.followed_object(term).map(|object| self.objects.root(object)) else {
                rest.push((guard, term));
                continue;
            };
            match places.iter_mut().find(|place| place.0 == object) {
                Some(place) => {
                    place.1 = self.space.or(place.1, guard);
                    place.2 = self.space.inside(object, self.space.kind(term));
                }
                None => places.push((object, guard, term)),
            }
        }
        rest.extend(places.into_iter().map(|(_, guard, term)| (guard, term)));
        rest.sort_unstable_by_key(|&(guard, term)| (term, guard));
        rest
    }

    /// Too many numbers: only the signs of constants are kept apart.
    fn coarse_number(&mut self, ways: &[(Guard, Term)], kind: Kind) -> Val {
        // A number that names a resource is one of them.
        for &(guard, term) in ways {
            self.escape_term(guard, term);
        }
        let (mut zero, mut below, mut above) = (Guard::FALSE, Guard::FALSE, Guard::FALSE);
        for &(guard, term) in ways {
            let sum = match self.space.term(term) {
                TermKind::Int(0) => &mut zero,
                TermKind::Int(number) if number < 0 => &mut below,
                TermKind::Int(_) => &mut above,
                _ => continue,
            };
            *sum = self.space.or(*sum, guard);
        }
        let unknown = self.forgotten_symbol(kind, 0);
        let one = self.space.int(1, kind);
        let most = self.space.int(kind.max(), kind);
        let least = self.space.int(kind.min(), kind);
        let positive = self.space.binary(Op::And, unknown, most, kind);
        let positive = self.space.binary(Op::Or, positive, one, kind);
        let negative = self.space.binary(Op::Or, unknown, least, kind);
        let mut rest = self.space.or(zero, below);
        rest = self.space.or(rest, above).not();
        let mut all = Ways::new();
        let zero_term = self.space.int(0, kind);
        for (guard, term) in [(zero, zero_term), (below, negative), (above, positive), (rest, unknown)] {
            if !guard.is_false() {
                all.push((guard, term));
            }
        }
        all.sort_unstable_by_key(|way| way.1);
        self.values.scalar(&all)
    }

    /// `ite(guard, new, old)`.
    pub(super) fn choose(&mut self, guard: Guard, new: Val, old: Val) -> Val {
        if guard.is_true() || new == old {
            return new;
        }
        if guard.is_false() {
            return old;
        }
        self.merge_chosen(&[(guard, new), (guard.not(), old)])
    }

    pub(super) fn map(&mut self, a: Val, mut f: impl FnMut(&mut Self, Term) -> Term) -> Val {
        let mut ways = Ways::new();
        for place in 0..self.values.alternatives(a).len() {
            let (guard, term) = self.values.alternatives(a)[place];
            ways.push((guard, f(self, term)));
        }
        self.scalar(ways)
    }

    pub(super) fn map2(&mut self, a: Val, b: Val, mut f: impl FnMut(&mut Self, Term, Term) -> Term) -> Val {
        let mut ways = Ways::new();
        for i in 0..self.values.alternatives(a).len() {
            let (guard_a, term_a) = self.values.alternatives(a)[i];
            for j in 0..self.values.alternatives(b).len() {
                let (guard_b, term_b) = self.values.alternatives(b)[j];
                let guard = self.space.and(guard_a, guard_b);
                if !guard.is_false() {
                    ways.push((guard, f(self, term_a, term_b)));
                }
            }
        }
        self.scalar(ways)
    }

    /// When a relation of terms holds between two values.
    pub(super) fn relate(&mut self, a: Val, b: Val, mut f: impl FnMut(&mut Self, Term, Term) -> Guard) -> Guard {
        let mut holds = Guard::FALSE;
        for i in 0..self.values.alternatives(a).len() {
            let (guard_a, term_a) = self.values.alternatives(a)[i];
            for j in 0..self.values.alternatives(b).len() {
                let (guard_b, term_b) = self.values.alternatives(b)[j];
                let both = self.space.and(guard_a, guard_b);
                if both.is_false() {
                    continue;
                }
                let related = f(self, term_a, term_b);
                let here = self.space.and(both, related);
                holds = self.space.or(holds, here);
            }
        }
        holds
    }

    /// When the value is not zero.
    pub fn truth(&mut self, val: Val) -> Guard {
        let mut holds = Guard::FALSE;
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            let zero = self.space.int(0, self.space.kind(term));
            let is_zero = self.space.equal(term, zero);
            let here = self.space.and(guard, is_zero.not());
            holds = self.space.or(holds, here);
        }
        holds
    }

    /// When the value lies between two constants.
    pub(super) fn within(&mut self, val: Val, kind: Option<Kind>, low: i128, high: i128) -> Guard {
        let Some(kind) = kind else { return self.space.choice() };
        let low_val = self.int_val(low, kind);
        if low == high {
            return self.relate(val, low_val, |this, a, b| this.equal(a, b));
        }
        let high_val = self.int_val(high, kind);
        let below = self.relate(val, low_val, |this, a, b| this.space.less(a, b));
        let above = self.relate(high_val, val, |this, a, b| this.space.less(a, b));
        self.space.and(below.not(), above.not())
    }

    pub(super) fn int_val(&mut self, value: i128, kind: Kind) -> Val {
        let term = self.space.int(value, kind);
        self.values.single(term)
    }

    /// 1 where the guard holds, else 0.
    pub(super) fn truth_value(&mut self, guard: Guard, kind: Kind) -> Val {
        let (one, zero) = (self.space.int(1, kind), self.space.int(0, kind));
        let mut ways = Ways::new();
        ways.push((guard, one));
        ways.push((guard.not(), zero));
        self.scalar(ways)
    }

    // ---- types

    pub fn pointer_kind(&self) -> Kind {
        Kind { bits: self.plan.pointer_bits, signed: false }
    }

    /// Width and signedness of a scalar type; floats are opaque words.
    pub(super) fn kind_of(&self, ty: Ty) -> Option<Kind> {
        let types = &self.module.unit.types;
        if let Some((bits, signed)) = types.int_info(ty) {
            return Some(Kind { bits: bits.clamp(1, 64) as u8, signed });
        }
        match types.get(ty) {
            Type::Pointer(_) | Type::Nullptr | Type::Float(_) => {
                let bytes = types.size_of(ty).unwrap_or(8).min(8) as u8;
                Some(Kind { bits: bytes * 8, signed: false })
            }
            _ => None,
        }
    }

    pub(super) fn kind_of_value(&self, value: ir::Value) -> Option<Kind> {
        self.kind_of(self.body.ty(value))
    }

    /// The scalars a type is made of, with their offsets.
    pub(super) fn leaves(&self, ty: Ty) -> Vec<(i64, Kind)> {
        let mut found = Vec::new();
        self.add_leaves(ty, 0, &mut found);
        found
    }

    fn add_leaves(&self, ty: Ty, offset: i64, found: &mut Vec<(i64, Kind)>) {
        let types = &self.module.unit.types;
        if found.len() >= MAX_LEAVES {
            return;
        }
        if let Some(kind) = self.kind_of(ty) {
            add_leaf(found, offset, kind);
            return;
        }
        if let Some(record) = types.record_of(ty) {
            let Some(layout) = types.layout(record) else { return };
            for field in &layout.fields {
                if field.bits.is_none() {
                    self.add_leaves(field.ty, offset + field.offset as i64, found);
                }
            }
        } else if let Type::Array(element, Some(len)) = types.get(ty) {
            let size = types.size_of(element).unwrap_or(0) as i64;
            if size > 1 {
                for number in 0..len.min(MAX_ELEMENTS) {
                    self.add_leaves(element, offset + number as i64 * size, found);
                }
            }
        }
    }
}

/// Members of a union lie over each other: the widest tells, which is the pointer if there is one.
fn add_leaf(found: &mut Vec<(i64, Kind)>, offset: i64, kind: Kind) {
    let end = |offset: i64, kind: Kind| offset + i64::from(kind.bits).div_euclid(8).max(1);
    let overlaps = |&(at, other): &(i64, Kind)| at < end(offset, kind) && offset < end(at, other);
    if found.iter().any(|leaf| overlaps(leaf) && leaf.1.bits >= kind.bits) {
        return;
    }
    found.retain(|leaf| !overlaps(leaf));
    found.push((offset, kind));
}
