//! A call of a function with a model: its cases, their effects, their results.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use caulk_guard::{Guard, Kind, Object, Op, Predicate, Term, TermKind};
use caulk_ir::ir::InstKind;
use caulk_sema::types::{IntKind, Ty, Type};
use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::call::Call;
use super::merge::Ways;
use super::text::View;
use super::{Evaluator, EventKind, State};
use crate::model::{Case, Condition, Effect, KindId, Length, Model, Order, Path, Relation, Root, Step, ValueSpec};
use crate::object::{CellClass, Heap, ObjectKind, Origin, Release};
use crate::value::Val;

/// Where an object keeps a resource that the library put into it, by kind.
fn held_offset(kind: KindId) -> i64 {
    HELD - i64::from(kind.0) * 16
}

const HELD: i64 = -(1 << 50);

/// Whether something at an offset is a resource of the whole object.
pub fn is_held_by_whole(offset: i64) -> bool {
    offset < HELD / 2
}

fn is_release(model: &Model) -> bool {
    model.cases.iter().flat_map(|case| &case.effects).any(|effect| matches!(effect, Effect::Release { .. }))
}

/// What is copied to an offset: its kind, whether it is a pointer, the value.
type Moved = (i64, Kind, bool, Val);

/// Words of a record that is copied as bytes.
const MAX_WORDS: i64 = 64;
/// Pairs of objects that bytes may be copied between.
const MAX_COPIES: usize = 4;
/// What fits into memory several times.
const MAX_LENGTH: i128 = 0x0fff_ffff;

/// A model at a call, and what the call yields once that is known.
struct Applied<'c> {
    call: &'c Call<'c>,
    model: &'c Model,
    result: Option<Val>,
}

impl Evaluator<'_> {
    pub(super) fn apply_model(&mut self, state: &mut State, call: &Call<'_>, model: &Model) -> Option<Val> {
        let inst = self.body.insts[call.instruction];
        let result_kind = self.kind_of(inst.ty);
        let mut rest = Guard::TRUE;
        let mut results = Ways::new();
        let mut never = Guard::FALSE;
        let known = if is_release(model) { usize::MAX } else { self.space.atom_count() };
        let possible: SmallVec<[Guard; 4]> =
            model.cases.iter().map(|case| self.possible(state, call, case, known)).collect();
        // Who does not ask whether something was taken relies on it.
        let is_asked = result_kind.is_none() || self.plan.is_used[call.instruction.0 as usize];
        if !is_asked {
            for (case, &when) in model.cases.iter().zip(&possible) {
                for effect in case.effects.iter().filter(|effect| matches!(effect, Effect::Keep { .. })) {
                    self.effect(state, call, model, effect, when, None);
                }
            }
        }
        for (number, case) in model.cases.iter().enumerate() {
            let mut taken = self.space.and(rest, possible[number]);
            let mut later = Guard::FALSE;
            for &other in &possible[number + 1..] {
                later = self.space.or(later, other);
            }
            let contested = self.space.and(taken, later);
            if !contested.is_false() {
                let choice = self.space.choice();
                let kept = self.space.ite(later, choice, Guard::TRUE);
                taken = self.space.and(taken, kept);
            }
            rest = self.space.and(rest, taken.not());
            let here = self.space.and(state.guard, taken);
            if here.is_false() {
                continue;
            }
            if case.never_returns {
                never = self.space.or(never, taken);
                continue;
            }
            if case.effects.is_empty() {
                self.old_block(state, call, model, taken);
            }
            let result = self.case_result(state, call, model, case, taken, result_kind);
            for effect in &case.effects {
                self.effect(state, call, model, effect, taken, result);
            }
            if let Some(result) = result {
                for place in 0..self.values.alternatives(result).len() {
                    let (guard, term) = self.values.alternatives(result)[place];
                    results.push((self.space.and(taken, guard), term));
                }
            }
        }
        self.must_not(state, never);
        if results.is_empty() {
            return None;
        }
        let covered = self.space.and(rest, never.not());
        if !covered.is_false()
            && let Some(kind) = result_kind
        {
            let unknown = self.opaque_symbol(kind);
            results.push((covered, unknown));
        }
        let val = self.scalar(results);
        if model.is_pure {
            return Some(self.pure_result(state, call, model, val));
        }
        Some(val)
    }

    /// A reallocation that fails leaves the block where it was. If that is a place of the caller's, who passes on what
    /// was allocated, the place must go on holding it.
    fn old_block(&mut self, state: &mut State, call: &Call<'_>, model: &Model, fails: Guard) {
        let moved = model.cases.iter().flat_map(|case| &case.effects).find_map(|effect| match effect {
            Effect::Copy { from: Path { root: Root::Parameter(number), steps }, to, .. }
                if steps.is_empty() && to.root == Root::Result =>
            {
                Some(*number)
            }
            _ => None,
        });
        let Some(&block) = moved.and_then(|number| call.args.get(number as usize)) else { return };
        let kind = self.heap_kind();
        for place in 0..self.values.alternatives(block).len() {
            let (guard, term) = self.values.alternatives(block)[place];
            let Some(symbol) = self.symbol_of(term) else { continue };
            let info = &self.objects.symbols[symbol.0 as usize];
            if !matches!(info.origin, Origin::Contents(_)) || !info.aliases.is_empty() {
                continue;
            }
            let null = self.space.int(0, self.space.kind(term));
            let is_null = self.space.equal(term, null);
            let mut left = self.space.and(state.guard, fails);
            left = self.space.and(left, guard);
            left = self.space.and(left, is_null.not());
            let object = self.pointee(symbol);
            let (site, allocator) = (call.instruction, model.name);
            self.add_heap(Heap { object, kind, site, allocator, allocated: left, is_zeroed: false, inner: Vec::new() });
        }
    }

    /// Equal calls give equal results, as long as what the arguments lead to is the same.
    fn pure_result(&mut self, state: &State, call: &Call<'_>, model: &Model, val: Val) -> Val {
        let mut key = FxHasher::default();
        call.args.iter().for_each(|&arg| self.hash_contents(state, arg, &mut key));
        let key = (model.name, key.finish());
        *self.pure_results.entry(key).or_insert(val)
    }

    /// A value and what it leads to.
    pub(super) fn hash_contents(&self, state: &State, val: Val, key: &mut FxHasher) {
        val.hash(key);
        for &(_, term) in self.values.alternatives(val) {
            let Some(object) = self.points_to(term) else { continue };
            let mut objects = vec![self.objects.root(object)];
            while let Some(object) = objects.pop() {
                let info = self.objects.get(object);
                for cell in info.cells.iter().chain([&info.default]) {
                    let held = state.cells.get(cell.0 as usize).filter(|&&held| held != Val::UNTOUCHED);
                    held.map(|held| (cell, held)).hash(key);
                }
                objects.extend(info.elements.iter().copied());
            }
        }
    }

    /// When a case is possible; the first `known` atoms were asked for before the call.
    fn possible(&mut self, state: &mut State, call: &Call<'_>, case: &Case, known: usize) -> Guard {
        let mut all = Guard::TRUE;
        for Condition { path, relation, constant } in &case.when {
            let Some(val) = self.path_value(state, call, path, None) else { continue };
            let mut holds = Guard::FALSE;
            for place in 0..self.values.alternatives(val).len() {
                let (guard, term) = self.values.alternatives(val)[place];
                let mut related = self.related(term, *relation, constant.number());
                // Who never asked whether an argument, or what it leads to, is null or some command means that it is
                // not.
                let atom = self.space.node(related).map(|node| node.0);
                let is_asked = match atom {
                    Some(atom) => (atom.0 as usize) < known && !self.unasked.contains(&atom),
                    None => known == usize::MAX || !self.is_failure(state, guard, term),
                };
                if !is_asked {
                    self.unasked.extend(atom);
                    related = match relation {
                        Relation::Equal => Guard::FALSE,
                        Relation::NotEqual => Guard::TRUE,
                        _ => related,
                    };
                }
                let here = self.space.and(guard, related);
                holds = self.space.or(holds, here);
            }
            all = self.space.and(all, holds);
        }
        all
    }

    /// Whether a value is the null of something that could fail, and nobody asked whether it did.
    fn is_failure(&mut self, state: &State, when: Guard, term: Term) -> bool {
        if when.is_constant() || !matches!(self.space.term(term), TermKind::Int(0)) {
            return false;
        }
        let asked = self.space.support(&[state.guard]);
        self.space
            .support(&[when])
            .iter()
            .all(|atom| matches!(self.space.predicate(*atom), Predicate::Choice) && asked.binary_search(atom).is_err())
    }

    fn related(&mut self, term: Term, relation: Relation, number: i64) -> Guard {
        let other = self.space.int(i128::from(number), self.space.kind(term));
        match relation {
            Relation::Equal => self.space.equal(term, other),
            Relation::NotEqual => self.space.equal(term, other).not(),
            Relation::Less => self.space.less(term, other),
            Relation::GreaterEqual => self.space.less(term, other).not(),
            Relation::Greater => self.space.less(other, term),
            Relation::LessEqual => self.space.less(other, term).not(),
        }
    }

    fn case_result(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        model: &Model,
        case: &Case,
        taken: Guard,
        kind: Option<Kind>,
    ) -> Option<Val> {
        if case.result.is_empty() {
            return None;
        }
        Some(self.one_of_specs(state, &Applied { call, model, result: None }, &case.result, taken, kind?))
    }

    /// One of the values, which one nobody knows.
    fn one_of_specs(
        &mut self,
        state: &mut State,
        applied: &Applied<'_>,
        specs: &[ValueSpec],
        taken: Guard,
        kind: Kind,
    ) -> Val {
        let mut ways = Ways::new();
        let mut rest = Guard::TRUE;
        for (number, spec) in specs.iter().enumerate() {
            let chosen = if number + 1 == specs.len() {
                rest
            } else {
                let choice = self.space.choice();
                let chosen = self.space.and(rest, choice);
                rest = self.space.and(rest, choice.not());
                chosen
            };
            let when = self.space.and(taken, chosen);
            let val = self.spec(state, applied, spec, when, kind);
            for place in 0..self.values.alternatives(val).len() {
                let (guard, term) = self.values.alternatives(val)[place];
                ways.push((self.space.and(chosen, guard), term));
            }
        }
        self.scalar(ways)
    }

    pub(super) fn some_length(&mut self, kind: Kind) -> Term {
        let (any, most) = (self.opaque_symbol(kind), self.space.int(MAX_LENGTH, kind));
        self.space.binary(Op::And, any, most, kind)
    }

    /// Whether the term is a length, or a number that could be one.
    pub(crate) fn is_length(&self, term: Term) -> bool {
        match self.space.term(term) {
            TermKind::Int(number) => (0..=MAX_LENGTH).contains(&number.into()),
            TermKind::Binary { op: Op::And, a, b } => [a, b].into_iter().any(
                |mask| matches!(self.space.term(mask), TermKind::Int(mask) if (0..=MAX_LENGTH).contains(&mask.into())),
            ),
            TermKind::Extend { a } => self.is_length(a),
            TermKind::Binary { .. } | TermKind::Symbol(_) | TermKind::Address { .. } | TermKind::Inside { .. } => false,
        }
    }

    /// A number after some length was added to it.
    pub(crate) fn longer(&mut self, number: Term, kind: Kind) -> Term {
        let length = self.some_length(kind);
        self.space.binary(Op::Add, number, length, kind)
    }

    fn spec(&mut self, state: &mut State, applied: &Applied<'_>, spec: &ValueSpec, when: Guard, kind: Kind) -> Val {
        let &Applied { call, model, result } = applied;
        let term = match spec {
            ValueSpec::Fresh { kind: resource, zeroed } => {
                let allocated = self.space.and(state.guard, when);
                let object = self.new_heap(call.instruction, *resource, *zeroed, allocated, model.name, Vec::new());
                if self.cx.models.kinds[*resource].integers.is_some() {
                    self.handle(state, object, kind, when)
                } else {
                    self.space.address(object, 0, kind)
                }
            }
            ValueSpec::Null => self.space.int(0, kind),
            ValueSpec::Int(number) => self.space.int(i128::from(*number), kind),
            ValueSpec::AnyInt | ValueSpec::AnyNumber => self.opaque_symbol(kind),
            ValueSpec::Length(None) => self.some_length(kind),
            ValueSpec::Length(Some(path)) => match self.path_value(state, call, path, None) {
                Some(string) => return self.length_of(state, string, kind),
                None => self.some_length(kind),
            },
            ValueSpec::Order(order) => match self.order_of(state, call, order, kind) {
                Some(order) => return order,
                None => self.opaque_symbol(kind),
            },
            ValueSpec::Unknown => {
                let candidates: Vec<_> = call.args.iter().flat_map(|&arg| self.values.terms(arg)).collect();
                return self.alias_symbol(candidates, kind);
            }
            ValueSpec::IntWhere(relation, number) => {
                // `(size_t)-1`: models mean the number as it is, whatever the type makes of it.
                let since = self.since();
                let term = self.opaque_symbol(Kind { signed: kind.signed || *number < 0, ..kind });
                let holds = self.related(term, *relation, *number);
                let bad = self.space.and(when, holds.not());
                self.must(state, bad.not(), since);
                self.space.extend(term, kind)
            }
            ValueSpec::Borrowed => {
                let since = self.since();
                let term = self.opaque_symbol(kind);
                let zero = self.space.int(0, kind);
                let is_null = self.space.equal(term, zero);
                let bad = self.space.and(when, is_null);
                self.must(state, bad.not(), since);
                term
            }
            ValueSpec::Value(path) => match self.path_value(state, call, path, result) {
                Some(val) => return self.map(val, |this, term| this.space.extend(term, kind)),
                None => self.opaque_symbol(kind),
            },
            ValueSpec::Inside(path) => match self.path_value(state, call, path, result) {
                Some(val) => return self.map(val, |this, term| this.inside(term, kind)),
                None => self.opaque_symbol(kind),
            },
        };
        self.values.single(term)
    }

    fn effect(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        model: &Model,
        effect: &Effect,
        when: Guard,
        result: Option<Val>,
    ) {
        let loc = self.body.insts[call.instruction].loc;
        match effect {
            Effect::Release { path, kind } => {
                let argument = match path.root {
                    Root::Parameter(number) => Some(number),
                    _ => None,
                };
                if let Some(held) = self.held(state, call, path, *kind, result) {
                    self.release(state, held, Release { kind: *kind, loc }, when, true, argument);
                } else {
                    for val in self.path_values(state, call, path, result) {
                        self.must_be_of_kind(state, val, *kind, when);
                        self.release(state, val, Release { kind: *kind, loc }, when, true, argument);
                    }
                }
            }
            Effect::Acquire { path, .. } | Effect::Keep { path } => {
                for val in self.path_values(state, call, path, result) {
                    self.hand_over(state, val, when, false);
                }
            }
            Effect::Follow { path } => {
                let Some(val) = self.path_value(state, call, path, result) else { return };
                let is_null = self.is_null(val);
                let bad = self.space.and(when, is_null);
                self.should_not(state, bad);
                self.follow_all(state, val);
            }
            Effect::Assign { path, values } => {
                let Some(address) = self.path_address(state, call, path, result) else { return };
                let kind = self.assigned_kind(call, path);
                // What would be stored through null is not made.
                let is_null = self.is_null(address);
                let when = self.space.and(when, is_null.not());
                if when.is_false() {
                    return;
                }
                let val = self.one_of_specs(state, &Applied { call, model, result }, values, when, kind);
                self.store_when(state, call, address, val, kind, when);
            }
            Effect::Hold { path, kind } => {
                let Some(address) = self.path_address(state, call, path, result) else { return };
                // Nothing can be put into null.
                let is_null = self.is_null(address);
                let is_null = self.space.and(when, is_null);
                self.must_not(state, is_null);
                let allocated = self.space.and(state.guard, when);
                let object = self.new_heap(call.instruction, *kind, false, allocated, model.name, Vec::new());
                let pointer = self.pointer_kind();
                let term = self.space.address(object, 0, pointer);
                let val = self.values.single(term);
                let address = self.shift(address, held_offset(*kind));
                self.store_when(state, call, address, val, pointer, when);
            }
            Effect::Write { path } => {
                let addresses: SmallVec<[Val; 2]> = match path.root {
                    Root::Rest => call.args.iter().skip(model.parameters.len()).copied().collect(),
                    _ => self.path_address(state, call, path, result).into_iter().collect(),
                };
                for address in addresses {
                    for place in 0..self.values.alternatives(address).len() {
                        let (_, term) = self.values.alternatives(address)[place];
                        if let Some((object, _)) = self.place(term) {
                            self.escape_contents(state, object, when);
                        }
                    }
                    self.fill_when(state, address, None, false, when);
                }
            }
            Effect::Copy { from, to, length } => {
                let is_text = self.is_text(call, from);
                let (from, to) = (self.path_value(state, call, from, result), self.path_value(state, call, to, result));
                let bytes = length.as_ref().and_then(|length| self.length(state, call, length));
                if let (Some(from), Some(to)) = (from, to) {
                    self.copy(state, from, to, bytes, when, is_text);
                }
            }
            Effect::Fill { to, byte, length } => {
                let bytes = length.as_ref().and_then(|length| self.length(state, call, length));
                let is_zero = self.length(state, call, byte) == Some(0);
                if let Some(to) = self.path_value(state, call, to, result) {
                    self.fill_when(state, to, bytes, is_zero, when);
                }
            }
            Effect::Call { callee, arguments } => {
                let Some(callee) = self.path_value(state, call, callee, result) else { return };
                let kind = self.pointer_kind();
                let applied = Applied { call, model, result };
                let args: SmallVec<[Val; 4]> =
                    arguments.iter().map(|spec| self.spec(state, &applied, spec, when, kind)).collect();
                let choice = self.space.choice();
                let when = self.space.and(when, choice);
                self.call_back(state, call, callee, &args, when);
            }
            Effect::Unknown => {
                for &arg in call.args {
                    self.hand_over(state, arg, when, true);
                }
            }
        }
    }

    /// When an address is a number.
    pub(super) fn is_null(&mut self, address: Val) -> Guard {
        let Evaluator { values, space, .. } = self;
        let mut is_null = Guard::FALSE;
        for &(guard, term) in values.alternatives(address) {
            if matches!(space.term(term), TermKind::Int(_)) {
                is_null = space.or(is_null, guard);
            }
        }
        is_null
    }

    /// The resource that an object holds, if the path leads to such an object.
    fn held(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        path: &Path,
        kind: KindId,
        result: Option<Val>,
    ) -> Option<Val> {
        if path.steps.last() != Some(&Step::Deref) {
            return None;
        }
        let address = self.path_address(state, call, path, result)?;
        let term = self.values.only(address)?;
        let (object, offset) = self.place(term)?;
        let offset = offset? + held_offset(kind);
        let pointer = self.pointer_kind();
        let is_held = self.objects.get(object).cells.iter().any(|&cell| self.objects.cells[cell].offset == offset);
        let outlives = self.objects.outlives(object);
        let may_be_held = is_held || outlives && self.cx.is_held(kind);
        if !may_be_held {
            return None;
        }
        let cell = self.objects.cell(object, offset, pointer);
        Some(self.read_cell(&mut state.cells, cell))
    }

    fn store_when(&mut self, state: &mut State, call: &Call<'_>, address: Val, val: Val, kind: Kind, when: Guard) {
        let loc = self.body.insts[call.instruction].loc;
        let guard = state.guard;
        let new = if when.is_true() {
            val
        } else {
            let old = self.load(state, address, kind, None);
            self.choose(when, val, old)
        };
        let cells = self.store(state, address, new, kind, Some(self.plan.pointer));
        // Effects through a null pointer do not happen; control goes on.
        state.guard = guard;
        self.event(state.guard, loc, EventKind::Store { cells, val: new, instruction: call.instruction });
    }

    fn fill_when(&mut self, state: &mut State, address: Val, bytes: Option<i64>, to_zero: bool, when: Guard) {
        if when.is_true() || !to_zero {
            self.fill(state, address, bytes, to_zero);
            for place in 0..self.values.alternatives(address).len() {
                let (_, term) = self.values.alternatives(address)[place];
                let Some((object, _)) = self.place(term) else { continue };
                for at in 0..self.objects.get(object).cells.len() {
                    let cell = self.objects.get(object).cells[at];
                    if self.objects.cells[cell].is_pointer {
                        self.stored(state, cell);
                    }
                }
            }
        }
    }

    fn order_of(&mut self, state: &mut State, call: &Call<'_>, order: &Order, kind: Kind) -> Option<Val> {
        let most = match &order.most {
            Some(most) => Some(self.length(state, call, most)?),
            None => None,
        };
        let view = View { most, ignores_case: order.ignores_case };
        let [a, b] = &order.strings;
        let strings = [self.path_value(state, call, a, None)?, self.path_value(state, call, b, None)?];
        Some(self.order(state, strings, view, kind))
    }

    fn length(&mut self, state: &mut State, call: &Call<'_>, length: &Length) -> Option<i64> {
        match length {
            Length::Int(number) => Some(*number),
            Length::Value(path) => {
                let val = self.path_value(state, call, path, None)?;
                match self.space.term(self.values.only(val)?) {
                    TermKind::Int(number) => Some(number),
                    _ => None,
                }
            }
        }
    }

    /// The addresses that a value can be, now that control is here.
    fn addresses_here(&mut self, state: &State, val: Val) -> Ways {
        let mut ways = Ways::new();
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            let is_null = matches!(self.space.term(term), TermKind::Int(_));
            if !is_null && !self.space.implies(state.guard, guard.not()) {
                ways.push((guard, term));
            }
        }
        if let [(guard, _)] = &mut ways[..] {
            *guard = Guard::TRUE;
        }
        ways
    }

    /// Copies the cells of objects to others.
    pub(super) fn copy(
        &mut self,
        state: &mut State,
        from: Val,
        to: Val,
        bytes: Option<i64>,
        when: Guard,
        is_text: bool,
    ) {
        let (sources, targets) = (self.addresses_here(state, from), self.addresses_here(state, to));
        let is_known = |this: &mut Self, ways: &Ways| {
            !ways.is_empty() && ways.iter().all(|way| matches!(this.place(way.1), Some((_, Some(_)))))
        };
        let pairs = sources.len() * targets.len();
        let is_few = pairs <= if is_text { 1 } else { MAX_COPIES };
        if !is_few || !is_known(self, &sources) || !is_known(self, &targets) {
            // What is in the source may now be anywhere.
            self.copy_blurred(state, from, when);
            if !is_text {
                self.copy_out_of_sight(state, from, bytes, when);
            }
            return;
        }
        for &(is_from, from) in &sources {
            for &(is_to, to) in &targets {
                let when = self.space.and(when, is_from);
                let when = self.space.and(when, is_to);
                if !when.is_false() {
                    self.copy_one(state, from, to, bytes, when, is_text, pairs == 1);
                }
            }
        }
    }

    /// Copies the cells of one object to another, at known places.
    #[expect(clippy::too_many_arguments, reason = "a copy is named by all of these")]
    fn copy_one(
        &mut self,
        state: &mut State,
        from_term: Term,
        to_term: Term,
        bytes: Option<i64>,
        when: Guard,
        is_text: bool,
        is_only: bool,
    ) {
        let (source, target) = (self.place(from_term), self.place(to_term));
        let (Some((source, Some(start))), Some((target, Some(at)))) = (source, target) else { return };
        let (from, to) = (self.values.single(from_term), self.values.single(to_term));
        let cells = self.objects.get(source).cells.clone();
        let (mut moved, mut somewhere): (Vec<Moved>, Vec<Val>) = (Vec::new(), Vec::new());
        for cell in cells {
            let info = self.objects.cells[cell];
            if info.class == CellClass::Bag {
                somewhere.extend(state.cells.get(cell.0 as usize).copied().filter(|val| val.is_real()));
            }
            let is_inside = info.offset >= start && bytes.is_none_or(|bytes| info.offset < start + bytes);
            if info.class == CellClass::Value && is_inside {
                let val = self.read_cell(&mut state.cells, cell);
                moved.push((at + info.offset - start, info.kind, info.is_pointer, val));
            }
        }
        if !self.objects.get(source).elements.is_empty() {
            self.copy_blurred(state, from, when);
        }
        let is_told = bytes.is_some_and(|bytes| self.tell_zeros(state, source, start..start + bytes, at, &mut moved));
        if is_only && !is_told {
            self.fill_when(state, to, bytes, false, when);
        } else {
            self.blur_range(state, target, at, bytes, when);
        }
        // What nobody asked for yet comes along, too; the first letter of a text does not matter so much.
        let is_literal = matches!(self.objects.get(self.objects.root(source)).kind, ObjectKind::Literal(_));
        if self.objects.outlives(source) && !is_literal && bytes != Some(1) {
            if at == 0 && is_only {
                let default = self.objects.get(target).default;
                let copied = self.values.copy_of(source, start - at);
                super::write::set(&mut state.cells, default, copied);
            }
            let guard = self.space.and(state.guard, when);
            self.copies.push(super::Copy { from: from_term, to: to_term, bytes, guard, is_text });
        }
        for (offset, kind, is_pointer, val) in moved {
            let cell = self.cell_at(target, offset, kind, is_pointer.then_some(self.plan.pointer));
            self.write_cell(state, cell, when, val);
            self.stored(state, cell);
        }
        for val in somewhere {
            self.store_anywhere(state, target, when, val);
        }
    }

    /// Adds the zeros in a range of an object to what is copied from there; whether that is all of it then.
    fn tell_zeros(
        &mut self,
        state: &State,
        source: Object,
        range: Range<i64>,
        at: i64,
        moved: &mut Vec<Moved>,
    ) -> bool {
        let kind = self.pointer_kind();
        let width = kind.bytes();
        let words = (range.end - range.start) / width;
        if !(1..=MAX_WORDS).contains(&words) {
            return false;
        }
        let default = self.objects.get(source).default;
        let default = state.cells.get(default.0 as usize).copied().filter(|val| val.is_real());
        let is_zeroed = default
            .and_then(|val| self.values.only(val))
            .is_some_and(|term| matches!(self.space.term(term), TermKind::Int(0)));
        let zero = self.int_val(0, kind);
        (0..words).all(|number| {
            let offset = at + number * width;
            // The rest of the word may be padding, unless these are single letters.
            let is_inside = |part: &Moved| part.0 < offset + width && offset < part.0 + part.1.bytes();
            let is_there = moved.iter().any(|part| part.1.bits >= 32 && is_inside(part));
            if is_zeroed && !is_there {
                moved.push((offset, kind, false, zero));
            }
            is_zeroed || is_there
        })
    }

    /// Bytes that may have been written to hold something unknown then.
    fn blur_range(&mut self, state: &mut State, object: Object, start: i64, bytes: Option<i64>, when: Guard) {
        let Some(bytes) = bytes else {
            // All of a block behind its header is all of it that anybody asks for.
            if start == 0 || self.objects.heap_of(object).is_some() {
                self.clobber(state, object, when);
            }
            return;
        };
        for cell in self.objects.get(object).cells.clone() {
            let info = self.objects.cells[cell];
            if info.overlaps(start, bytes) {
                let old = self.read_cell(&mut state.cells, cell);
                let unknown = self.opaque_symbol(info.kind);
                let unknown = self.values.single(unknown);
                let new = self.choose(when, unknown, old);
                super::write::set(&mut state.cells, cell, new);
            }
        }
    }

    /// Tells that a library function wrote a cell.
    fn stored(&mut self, state: &mut State, cell: crate::object::CellId) {
        if let (true, Some(instruction)) = (self.events.is_some(), self.calling) {
            let val = self.read_cell(&mut state.cells, cell);
            let loc = self.body.insts[instruction].loc;
            let cells = SmallVec::from_slice(&[cell]);
            self.event(state.guard, loc, EventKind::Store { cells, val, instruction });
        }
    }

    /// Whether the argument is a pointer to characters, whatever it is passed as.
    fn is_text(&self, call: &Call<'_>, argument: &Path) -> bool {
        let InstKind::Call { args, .. } = self.body.insts[call.instruction].kind else { return false };
        let Root::Parameter(number) = argument.root else { return false };
        let Some(&arg) = self.body.operands(args).get(number as usize) else { return false };
        let types = &self.module.unit.types;
        let mut arg = arg;
        loop {
            let pointee = types.pointee(self.body.ty(arg));
            if pointee
                .is_some_and(|ty| matches!(types.get(ty), Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)))
            {
                return true;
            }
            match self.body.insts[arg].kind {
                InstKind::Cast(inner) | InstKind::BitCast(inner) => arg = inner,
                _ => return false,
            }
        }
    }

    /// Only a caller knows what is in the source.
    fn copy_out_of_sight(&mut self, state: &State, from: Val, bytes: Option<i64>, when: Guard) {
        let nowhere = self.space.int(0, self.pointer_kind());
        for place in 0..self.values.alternatives(from).len() {
            let (guard, from) = self.values.alternatives(from)[place];
            if self.place(from).is_some_and(|(object, _)| self.objects.outlives(object)) {
                let guard = self.space.and(guard, when);
                let guard = self.space.and(state.guard, guard);
                self.copies.push(super::Copy { from, to: nowhere, bytes, guard, is_text: false });
            }
        }
    }

    fn copy_blurred(&mut self, state: &mut State, from: Val, when: Guard) {
        let guard = self.space.and(state.guard, when);
        let mut held = Vec::new();
        for place in 0..self.values.alternatives(from).len() {
            let (_, term) = self.values.alternatives(from)[place];
            if let Some((object, _)) = self.place(term) {
                let root = self.objects.root(object);
                self.contents(state, root, |val| held.push(val));
            }
        }
        self.escape_all(guard, held);
    }

    // ---- paths

    fn root_value(&self, call: &Call<'_>, root: Root, result: Option<Val>) -> Option<Val> {
        match root {
            Root::Parameter(number) => call.args.get(number as usize).copied(),
            Root::Result => result,
            Root::Rest => None,
        }
        .filter(|&val| !self.values.alternatives(val).is_empty())
    }

    /// All values a path stands for.
    fn path_values(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        path: &Path,
        result: Option<Val>,
    ) -> SmallVec<[Val; 2]> {
        if path.root == Root::Rest {
            return call.args.iter().copied().collect();
        }
        self.path_value(state, call, path, result).into_iter().collect()
    }

    fn path_value(&mut self, state: &mut State, call: &Call<'_>, path: &Path, result: Option<Val>) -> Option<Val> {
        if path.steps.is_empty() {
            return self.root_value(call, path.root, result);
        }
        let address = self.path_address(state, call, path, result)?;
        let kind = self.assigned_kind(call, path);
        let guard = state.guard;
        let val = self.load(state, address, kind, Some(self.plan.pointer));
        state.guard = guard;
        Some(val)
    }

    /// The address of the place a path names; for `*p` this is `p`.
    fn path_address(&mut self, state: &mut State, call: &Call<'_>, path: &Path, result: Option<Val>) -> Option<Val> {
        let mut address: Option<Val> = None;
        let mut val = self.root_value(call, path.root, result)?;
        let kind = self.pointer_kind();
        let mut ty = self.parameter_type(call, path.root);
        for step in &path.steps {
            match *step {
                Step::Deref | Step::Index(_) | Step::Elements => {
                    if let Some(at) = address {
                        let guard = state.guard;
                        val = self.load(state, at, kind, Some(self.plan.pointer));
                        state.guard = guard;
                    }
                    ty = ty.and_then(|ty| {
                        self.module.unit.types.pointee(ty).or_else(|| self.module.unit.types.element(ty))
                    });
                    address = Some(match *step {
                        Step::Index(number) => {
                            let size = ty.and_then(|ty| self.module.unit.types.size_of(ty)).unwrap_or(8);
                            self.shift(val, i64::from(number) * size as i64)
                        }
                        Step::Elements => self.map(val, |this, term| this.inside(term, kind)),
                        _ => val,
                    });
                }
                Step::Field(name) => {
                    let types = &self.module.unit.types;
                    let record = ty.and_then(|ty| types.record_of(ty))?;
                    let field = types.layout(record)?.fields.iter().find(|field| field.name == name)?;
                    ty = Some(field.ty);
                    let offset = field.offset as i64;
                    address = Some(self.shift(address?, offset));
                }
            }
        }
        address
    }

    fn parameter_type(&self, call: &Call<'_>, root: Root) -> Option<Ty> {
        let types = &self.module.unit.types;
        match root {
            Root::Result => Some(self.body.insts[call.instruction].ty),
            Root::Rest => None,
            Root::Parameter(number) => {
                let function = types.function_of(self.module.unit.globals[call.global?].ty)?;
                function.parameters.get(number as usize).copied()
            }
        }
    }

    /// How wide the place at the end of a path is; a pointer where nothing tells.
    fn assigned_kind(&self, call: &Call<'_>, path: &Path) -> Kind {
        let types = &self.module.unit.types;
        let mut ty = self.parameter_type(call, path.root);
        for step in &path.steps {
            ty = match *step {
                Step::Field(name) => ty
                    .and_then(|ty| types.record_of(ty))
                    .and_then(|record| types.layout(record))
                    .and_then(|layout| layout.fields.iter().find(|field| field.name == name).map(|field| field.ty)),
                _ => ty.and_then(|ty| types.pointee(ty).or_else(|| types.element(ty))),
            };
        }
        ty.filter(|&ty| !types.is_void(ty)).and_then(|ty| self.kind_of(ty)).unwrap_or_else(|| self.pointer_kind())
    }
}
