//! Loops: a few visits, then one that forgets the integers that the loop changes.

use std::rc::Rc;

use caulk_guard::{Guard, Kind, Object, Term, TermKind};
use caulk_ir::ir::{self, BinaryOp, BlockId, CompareOp, InstKind};
use caulk_ir::loops::LoopId;
use rustc_hash::FxHashMap;

use super::given::Since;
use super::{Entered, Evaluator, EventKind, Exhausted, Exit, Incoming, State};
use crate::object::{CellClass, CellId, Origin};
use crate::value::Val;

/// Visits of a loop whose number of turns is a constant.
const MAX_CERTAIN_VISITS: u32 = 12;
/// Pointers beside a number that are looked at.
const MAX_BESIDE: usize = 6;
/// Operations on guards to find out what is known of a number or pointer that a loop changes. Past it less is kept of
/// what goes together, and what rests on that is in doubt.
const MAX_KNOWN: u64 = 1_000;

/// A number that a loop changed, at the top of the loop.
pub(super) struct Forgotten {
    /// When control is there.
    guard: Guard,
    pub(super) new: Val,
    /// Whether it goes up, or down, if only one of both.
    is_up: Option<bool>,
    kind: Kind,
    /// Pointers beside it.
    pointers: Rc<[Val]>,
    pub(super) since: Since,
}

impl Evaluator<'_> {
    pub(super) fn loop_(&mut self, id: LoopId) -> Result<(), Exhausted> {
        let plan = self.plan;
        let looped = &plan.loops.loops()[id];
        let header = looped.header;
        let mut visits = plan.visits(id).min(self.visits);
        let mut visit = 0;
        let allocations = self.objects.heap.len();
        let guard = self.entering(header);
        self.entered.push(Entered { guard, heaps: allocations, forgotten: Vec::new() });
        while visit <= visits && !self.incoming[header].is_empty() {
            let before = self.exit_count(id);
            let guard = self.entering(header);
            self.block(header, visit == visits)?;
            self.region(&looped.blocks[1..], Some(id))?;
            visit += 1;
            // As long as nothing can leave, one more visit costs little: the number of turns is a constant.
            let is_certain = self.exit_count(id) == before && self.entering(header) == guard;
            if is_certain && visit == visits && visits < MAX_CERTAIN_VISITS && self.visits > 0 {
                visits += 1;
            }
        }
        // A turn may lose what it made, though it never comes to a return.
        let makes = self.objects.heap.len() > allocations;
        let is_outermost = looped.parent.is_none();
        if makes || (is_outermost && self.left[id] == 0) {
            let ways = self.incoming[header].clone();
            self.one_more_turn(header, ways, !is_outermost);
        }
        if visits == 0 {
            self.leave(id)?;
        }
        let dropped = self.entering(header);
        self.dropped = self.space.or(self.dropped, dropped);
        self.incoming[header].clear();
        let entered = self.entered.pop();
        for symbol in entered.into_iter().flat_map(|entered| entered.forgotten) {
            self.objects.symbols[symbol.0 as usize].origin =
                Origin::Forgotten(allocations as u32, self.objects.heap.len() as u32);
        }
        for place in 0..plan.live_outs[id].len() {
            let ways = std::mem::take(&mut self.live_outs[id][place]);
            if !ways.is_empty() {
                self.env[plan.live_outs[id][place]] = self.merge_values(&ways);
            }
        }
        Ok(())
    }

    /// After the only visit: the tests at the top once more, to come out with what it has done.
    fn leave(&mut self, id: LoopId) -> Result<(), Exhausted> {
        let plan = self.plan;
        let body = self.body;
        let looped = &plan.loops.loops()[id];
        for &block in &looped.blocks {
            let is_test = plan.loops.innermost(block) == Some(id)
                && body.blocks[block].terminator.successors().any(|next| !plan.loops.contains(id, next));
            if is_test {
                self.block(block, block == looped.header)?;
            }
            self.incoming[block].clear();
        }
        Ok(())
    }

    /// Where the evaluation of a loop ends and the loop goes on: what a turn has lost is lost, whether or not the
    /// function ever returns.
    fn one_more_turn(&mut self, header: BlockId, ways: Vec<Incoming>, is_inner: bool) {
        if ways.is_empty() {
            return;
        }
        let mut held: Vec<Val> = self.env.iter().copied().filter(|val| val.is_real()).collect();
        held.extend(ways.iter().flat_map(|way| way.phis.iter().copied()).filter(|val| val.is_real()));
        held.sort_unstable();
        held.dedup();
        let state = self.join_states(ways);
        let loc = self.body.blocks[header].terminator_loc;
        let number = self.exits.len();
        self.event(state.guard, loc, EventKind::Return(number));
        let made = self.objects.heap.len();
        self.exits.push(Exit { state, result: None, loc, held: Some(held), is_inner, made });
    }

    /// How often control has left the loop so far.
    fn exit_count(&self, id: LoopId) -> u32 {
        self.left[id]
    }

    /// When control is about to enter a block.
    pub(super) fn entering(&mut self, block: BlockId) -> Guard {
        let mut guard = Guard::FALSE;
        for place in 0..self.incoming[block].len() {
            guard = self.space.or(guard, self.incoming[block][place].guard);
        }
        guard
    }

    /// The values a loop's header has before a visit, to see what the visit before changed.
    pub(super) fn before(&self, header: BlockId) -> Vec<Val> {
        let body = self.body;
        let phis =
            body.blocks[header].insts.iter().take_while(|&&inst| matches!(body.insts[inst].kind, InstKind::Phi(_)));
        phis.map(|&phi| self.env[phi]).collect()
    }

    /// The last visit of a loop: integers that change may have any value in their direction.
    pub(super) fn forget(&mut self, header: BlockId, before: &[Val], state: &mut State) {
        let body = self.body;
        let types = &self.module.unit.types;
        let phis = body.blocks[header].insts.iter().take(before.len());
        let pointers = phis.filter(|&&phi| types.is_pointer(body.ty(phi))).map(|&phi| self.env[phi]);
        let mut pointers: Vec<Val> = pointers.filter(|val| val.is_real()).take(MAX_BESIDE).collect();
        pointers.extend(self.pointers_that_changed(header, state));
        let pointers: Rc<[Val]> = pointers.into();
        // A state is one of a few: those that were seen are not given up.
        let goes_on = self.space.choice();
        for (&phi, &old) in body.blocks[header].insts.iter().zip(before) {
            let new = self.env[phi];
            let Some(kind) = self.kind_of_value(phi) else { continue };
            if self.module.unit.types.is_pointer(body.ty(phi)) || new == old || self.names_resource(new) {
                continue;
            }
            let unknown = self.forget_number(state, old, new, kind, &pointers);
            self.env[phi] = if self.is_state(phi) { self.choose(goes_on, unknown, new) } else { unknown };
        }
        let Some(id) = self.plan.loops.innermost(header) else { return };
        let old = std::mem::take(&mut self.header_cells[id]);
        let mut beside: FxHashMap<Object, Rc<[Val]>> = FxHashMap::default();
        for place in 0..state.cells.len() {
            let (new, cell) = (state.cells[place], self.objects.cells[CellId(place as u32)]);
            let old = old.get(place).copied().unwrap_or(Val::UNTOUCHED);
            if new == old || !new.is_real() || cell.is_pointer || cell.class != CellClass::Value {
                continue;
            }
            if self.names_resource(new) || self.holds_pointer(new) {
                continue;
            }
            let pointers =
                beside.entry(cell.object).or_insert_with(|| self.pointers_beside(state, cell.object).into()).clone();
            state.cells[place] = self.forget_number(state, old, new, cell.kind, &pointers);
        }
    }

    /// Any number in the direction from one to another, with what is known of it once somebody asks.
    fn forget_number(&mut self, state: &mut State, old: Val, new: Val, kind: Kind, pointers: &Rc<[Val]>) -> Val {
        let since = self.since();
        let unknown = self.forgotten_in_loop(kind);
        let is_up = if old.is_real() { self.direction(old, new, kind) } else { None };
        if let Some(is_up) = is_up {
            // It does not wrap on the way.
            let is_back = if is_up { self.less_val(new, old) } else { self.less_val(old, new) };
            let goes_on = self.space.and(state.guard, is_back.not());
            if !goes_on.is_false() {
                state.guard = goes_on;
            }
        }
        let pointers = pointers.clone();
        self.ask_later(unknown, Forgotten { guard: state.guard, new, is_up, kind, pointers, since });
        self.values.single(unknown)
    }

    fn less_val(&mut self, a: Val, b: Val) -> Guard {
        self.relate(a, b, |this, a, b| this.space.less(a, b))
    }

    /// Whether a number may stand for a resource.
    fn names_resource(&self, val: Val) -> bool {
        self.values
            .alternatives(val)
            .iter()
            .filter_map(|&(_, term)| self.symbol_of(term))
            .any(|symbol| self.objects.symbols.get(symbol.0 as usize).is_some_and(|info| info.handle.is_some()))
    }

    /// Pointers to memory of the function's own that the last visit put somewhere.
    fn pointers_that_changed(&self, header: BlockId, state: &State) -> Vec<Val> {
        let Some(id) = self.plan.loops.innermost(header) else { return Vec::new() };
        let old = &self.header_cells[id];
        let cells = state.cells.iter().enumerate();
        let changed = cells.filter(|&(place, val)| val.is_real() && old.get(place) != Some(val));
        changed.map(|(_, &val)| val).filter(|&val| self.holds_heap(val)).take(MAX_BESIDE).collect()
    }

    /// Whether a variable of the loop is only ever set to constants.
    fn is_state(&self, phi: ir::Value) -> bool {
        let body = self.body;
        let mut seen = vec![phi];
        let mut next = 0;
        while let Some(&value) = seen.get(next) {
            next += 1;
            match body.insts[value].kind {
                InstKind::Int(_) => {}
                InstKind::Cast(inner) => seen.push(inner),
                InstKind::Phi(args) => {
                    for (_, value) in body.phi_args(args) {
                        if !seen.contains(&value) {
                            seen.push(value);
                        }
                    }
                }
                _ => return false,
            }
        }
        true
    }

    fn forgotten_in_loop(&mut self, kind: Kind) -> Term {
        let unknown = self.forgotten_symbol(kind, self.entered.last().map_or(0, |entered| entered.heaps));
        let symbol = self.symbol_of(unknown);
        if let Some(entered) = self.entered.last_mut() {
            entered.forgotten.extend(symbol);
        }
        unknown
    }

    /// Pointers in the object that a number is in.
    fn pointers_beside(&self, state: &State, object: Object) -> Vec<Val> {
        let cells = self.objects.get(object).cells.iter().filter_map(|cell| state.cells.get(cell.0 as usize).copied());
        cells.filter(|&val| val.is_real() && self.holds_pointer(val)).take(MAX_BESIDE).collect()
    }

    /// What is known of a number that a loop forgot.
    pub(super) fn kept_of(&mut self, unknown: Term, forgotten: &Forgotten) -> Guard {
        let direction = self.kept_direction(unknown, forgotten);
        let zero = self.kept_zero(unknown, forgotten);
        self.space.and(direction, zero)
    }

    /// `i` went from 1 to 2: it is 2 or more.
    fn kept_direction(&mut self, unknown: Term, forgotten: &Forgotten) -> Guard {
        let unknown = self.values.single(unknown);
        let is_behind = match forgotten.is_up {
            Some(true) => self.less_val(unknown, forgotten.new),
            Some(false) => self.less_val(forgotten.new, unknown),
            None => Guard::FALSE,
        };
        is_behind.not()
    }

    /// Who goes round only if a number is zero, or only if it is not, finds it so. A length that is zero just while
    /// there is nothing stays so: what is true of a number and the pointers beside it is kept, too.
    ///
    /// The guard of the path is the large one: it is asked, and nothing is built of it.
    fn kept_zero(&mut self, unknown: Term, forgotten: &Forgotten) -> Guard {
        let Forgotten { guard, new, kind, .. } = *forgotten;
        let zero = self.int_val(0, kind);
        let is_zero = self.relate(new, zero, |this, a, b| this.equal(a, b));
        let unknown = self.values.single(unknown);
        let stays_zero = self.relate(unknown, zero, |this, a, b| this.equal(a, b));
        let known = self.all_given(&[is_zero], &[], MAX_KNOWN);
        if self.space.are_apart([guard, is_zero.not(), known]) {
            return stays_zero;
        }
        if self.space.are_apart([guard, is_zero, known]) {
            return stays_zero.not();
        }
        let mut kept = Guard::TRUE;
        let null = self.int_val(0, self.pointer_kind());
        for &pointer in &forgotten.pointers[..] {
            let is_null = self.relate(pointer, null, |this, a, b| this.equal(a, b));
            let of_pointer = self.all_given(&[is_null], &[], MAX_KNOWN);
            for is_null in [is_null, is_null.not()] {
                let other = self.space.and(is_null.not(), of_pointer);
                if self.space.implies(guard, other.not()) {
                    // Whatever the number is.
                    continue;
                }
                for (number, stays) in [(is_zero, stays_zero), (is_zero.not(), stays_zero.not())] {
                    let number = self.space.and(number, known);
                    if self.space.are_apart([guard, number, other]) {
                        let together = self.space.or(stays.not(), is_null);
                        kept = self.space.and(kept, together);
                    }
                }
            }
        }
        kept
    }

    /// `while (i < n) i++` gets to `n` and not beyond it: at the top of a loop, a number that is counted up one by one is
    /// not past its limit, if it was not a turn before. Asked of the test at the top, at each visit.
    pub(super) fn keep_limit(&mut self, header: BlockId, condition: ir::Value) {
        let InstKind::Compare { op, a, b } = self.body.insts[condition].kind else { return };
        let (low, high) = match op {
            CompareOp::Lt => (a, b),
            CompareOp::Gt => (b, a),
            CompareOp::Eq | CompareOp::Ne | CompareOp::Le | CompareOp::Ge => return,
        };
        let (is_up, is_down) = (self.is_counted(header, low, 1), self.is_counted(header, high, -1));
        if is_up == is_down {
            return;
        }
        let (low, high) = (self.value(low), self.value(high));
        let (counter, limit) = if is_up { (low, high) } else { (high, low) };
        let visit_before = self.limits.insert(header, (counter, limit));
        let mut symbols = Vec::new();
        if let Some(term) = self.values.only(counter) {
            self.symbols_in(term, &mut symbols);
        }
        let [symbol] = symbols[..] else { return };
        let origin = self.objects.symbols.get(symbol.0 as usize).map(|info| info.origin);
        if !matches!(origin, Some(Origin::Forgotten(..))) {
            return;
        }
        let is_past = |this: &mut Self, number: Val| {
            if is_up { this.less_val(limit, number) } else { this.less_val(number, limit) }
        };
        let was_within = match visit_before {
            Some((before, same)) if same == limit && is_up => self.less_val(before, limit),
            Some((before, same)) if same == limit => self.less_val(limit, before),
            Some(_) => return,
            // The first visit is the one that forgets.
            None => {
                let Some(begin) = self.givens.begin_of(symbol) else { return };
                is_past(self, begin).not()
            }
        };
        let is_past = is_past(self, counter);
        let goes_past = self.space.and(was_within, is_past);
        self.know(goes_past.not(), symbol);
    }

    /// Whether a value is a variable of the loop, or that as another type, to which every turn adds the same.
    fn is_counted(&self, header: BlockId, value: ir::Value, step: i64) -> bool {
        let body = self.body;
        let phi = match body.insts[value].kind {
            InstKind::Cast(inner) => inner,
            _ => value,
        };
        let InstKind::Phi(args) = body.insts[phi].kind else { return false };
        let Some(id) = self.plan.loops.innermost(header) else { return false };
        let is_int = |value: ir::Value, number: i64| body.insts[value].kind == InstKind::Int(number);
        let is_next = |value: ir::Value| match body.insts[value].kind {
            InstKind::Binary { op: BinaryOp::Add, a, b } => a == phi && is_int(b, step),
            InstKind::Binary { op: BinaryOp::Sub, a, b } => a == phi && is_int(b, -step),
            _ => false,
        };
        body.blocks[header].insts.contains(&phi)
            && body.phi_args(args).all(|(from, value)| !self.plan.loops.contains(id, from) || is_next(value))
    }

    /// Whether a number only goes up, or only down, by constants.
    fn direction(&mut self, old: Val, new: Val, kind: Kind) -> Option<bool> {
        let (mut up, mut down) = (false, false);
        for i in 0..self.values.alternatives(new).len() {
            let (when_new, new) = self.values.alternatives(new)[i];
            for j in 0..self.values.alternatives(old).len() {
                let (when_old, old) = self.values.alternatives(old)[j];
                if self.space.implies(when_new, when_old.not()) {
                    continue;
                }
                let change = self.space.binary(caulk_guard::Op::Sub, new, old, kind);
                match self.space.term(change) {
                    TermKind::Int(0) => {}
                    TermKind::Int(change) if (1..i64::from(i32::MAX)).contains(&change) => up = true,
                    TermKind::Int(_) => down = true,
                    _ => return None,
                }
            }
        }
        (up != down).then_some(up)
    }
}
