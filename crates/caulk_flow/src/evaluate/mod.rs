//! One function, once from entry to exit, with every path at the same time.
//!
//! Blocks are visited in topological order. The state of a block is its *guard* (when control is
//! there) and the contents of memory; at a join the states are merged, each cell keeping its values
//! apart by the guards of the edges. Loops are visited a few times in a row; the last visit forgets
//! the integers that the loop changes and keeps only what their direction tells, so that `i < 10000`
//! can end, too. What goes round once more is dropped: it may cost a miss, never a false alarm.
//!
//! Guards are absolute: a set of paths. So *released* and *escaped* need no place in the state; they
//! are sums over the whole function, and a return asks for those of its own guard.
//!
//! ```c
//! char *p = malloc(n);        // p = { m: heap, not m: null }
//! if (!p) return -1;          // guard: not m
//! if (bad(p)) return -1;      // guard: m and b. Owned, not released, not escaped: lost here
//! free(p); return 0;          // released: m and not b
//! ```
//!
//! Follows Saturn (Xie and Aiken), with decision diagrams in place of a SAT solver and with callees
//! as guarded summaries.

mod address;
mod attempts;
mod call;
mod exit;
mod given;
mod instruction;
mod lifetime;
mod loops;
mod merge;
mod model_call;
mod plan;
mod read;
mod slice;
mod summary_call;
mod text;
mod write;

pub use attempts::patience;
pub use given::Givens;
pub use model_call::is_held_by_whole;
pub use plan::Plan;
pub use slice::{SLICING, Slice};
pub use text::View;

use std::ops::Range;

use caulk_base::{IdVec, Loc, Symbol as Name};
use caulk_guard::{Atom, Guard, Kind, Object, Predicate, Space, Symbol, Term, TermKind};
use caulk_ir::ir::{self, BlockId, InstKind, Module, Terminator};
use caulk_ir::loops::LoopId;
use caulk_program::{FunctionId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::model::{Effect, KindId, Models};
use crate::object::{Aliases, CellId, HeapId, ObjectKind, Objects, Origin, SymbolInfo};
use crate::summary::Known;
use crate::value::{Val, Values};
use text::Texts;

/// Ways to the end of a function with so many nodes in their guards are not joined, if there are no more instructions
/// than this left.
const LARGE_WAYS: usize = 2_000;
const SHORT_END: usize = 64;
/// What may be meant for a character.
const CONTROL: i64 = 8;
const DELETE: i64 = 127;
/// Steps in which something is counted.
const MAX_STEP: i64 = 4096;
/// How far a field may be from the beginning of its record.
const MAX_FIELD: i64 = 1 << 28;
/// Operations on guards that count as one step.
const WORK_PER_STEP: u64 = 16;
const MAX_NODES: usize = 4_000_000;

/// Summaries of finished callees, and of those in the same component as far as they are known.
pub trait Summaries {
    fn of(&self, function: FunctionId) -> Known<'_>;
}

/// What an evaluation may ask of its surroundings.
pub struct Surroundings<'a> {
    pub program: &'a Program,
    pub models: &'a Models,
    pub summaries: &'a dyn Summaries,
    /// Times the steps of an attempt; see [`patience`].
    pub patience: u64,
}

impl Surroundings<'_> {
    /// Whether resources of this kind live inside objects of the program.
    fn is_held(&self, kind: KindId) -> bool {
        let holds = |effect: &Effect| matches!(effect, Effect::Hold { kind: held, .. } if *held == kind);
        self.models.functions().iter().any(|model| model.cases.iter().any(|case| case.effects.iter().any(holds)))
    }
}

/// Contents of memory and when control is there.
#[derive(Clone)]
pub struct State {
    pub guard: Guard,
    pub cells: Vec<Val>,
}

/// One way into a block.
#[derive(Clone)]
struct Incoming {
    guard: Guard,
    state: State,
    /// Values of the target's phis along this edge.
    phis: SmallVec<[Val; 4]>,
}

/// A place where the function returns.
pub struct Exit {
    pub state: State,
    pub result: Option<Val>,
    pub loc: Loc,
    /// Not a return but one more turn of a loop: the values that variables still hold.
    pub held: Option<Vec<Val>>,
    /// A turn of a loop inside of another: what is lost there is told where that one ends.
    pub is_inner: bool,
    /// How many heap objects there were.
    pub made: usize,
}

/// A call that asks for something known here, but only says that it makes choices.
pub struct BlindCall {
    pub hidden: Vec<Symbol>,
    /// What decides which number it is that is asked for.
    pub deciding: Vec<Atom>,
    /// What it makes for some constants among its arguments, though nobody knows whether these are among them: not even
    /// the result says so.
    pub perhaps: Vec<HeapId>,
    /// What it chooses is among these atoms.
    atoms: Range<usize>,
    /// The objects that it makes.
    heap: Range<usize>,
}

impl BlindCall {
    pub fn chooses(&self, choice: Atom) -> bool {
        self.atoms.contains(&(choice.0 as usize))
    }

    pub fn makes(&self, heap: HeapId) -> bool {
        self.heap.contains(&(heap.0 as usize))
    }
}

/// What a cell holds after something wrote to it of which nobody knows what, or whether, it writes.
pub struct Later {
    pub symbol: Symbol,
    pub cell: CellId,
    /// When control came to the write.
    pub when: Guard,
}

/// What happened, in the order of evaluation; recorded only when a path is to be told.
#[derive(Clone, Debug)]
pub struct Event {
    pub guard: Guard,
    pub loc: Loc,
    pub kind: EventKind,
}

#[derive(Clone, Debug)]
pub enum EventKind {
    /// A branch was taken: the condition, and whether it held; for a switch the case.
    Branch {
        condition: ir::Value,
        outcome: Outcome,
    },
    Allocate(HeapId),
    Release {
        val: Val,
    },
    Bind {
        variable: Name,
        ty: ir::Ty,
        val: Val,
    },
    /// Pointers were stored to the cells.
    Store {
        cells: SmallVec<[CellId; 1]>,
        val: Val,
        instruction: ir::Value,
    },
    /// An object on the stack ended.
    End {
        object: Object,
    },
    Call {
        instruction: ir::Value,
    },
    Return(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    True,
    False,
    Case(i128, i128),
    Default,
}

/// Why an evaluation ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

pub struct Evaluator<'a> {
    pub cx: &'a Surroundings<'a>,
    pub function: FunctionId,
    pub module_number: usize,
    pub module: &'a Module,
    pub body: &'a ir::Function,
    pub plan: &'a Plan,
    /// All of the function, unless given.
    slice: Option<Slice>,
    pub space: Space,
    pub values: Values,
    pub objects: Objects,
    env: IdVec<ir::Value, Val>,
    incoming: IdVec<BlockId, Vec<Incoming>>,
    live_outs: IdVec<LoopId, Vec<Vec<(Guard, Val)>>>,
    /// How often control left a loop.
    left: IdVec<LoopId, u32>,
    /// Memory at the last visit of a loop's header.
    header_cells: IdVec<LoopId, Vec<Val>>,
    /// By the header of a loop: a variable that is counted up or down and what it is counted to, as of the last visit.
    limits: FxHashMap<BlockId, (Val, Val)>,
    /// Atoms of comparisons with zero that the program itself asks for, or a callee.
    pub asked_signs: FxHashSet<Atom>,
    pub exits: Vec<Exit>,
    pub events: Option<Vec<Event>>,
    /// Comparisons of floats and other things without arithmetic here, by operation and operands.
    opaque: FxHashMap<(u32, Term, Term), Guard>,
    opaque_terms: FxHashMap<(u32, u32, u32), Term>,
    /// By term: the number of operations in it, where known.
    term_sizes: Vec<u32>,
    /// When something unknown wrote to whole objects, by time.
    epochs: Vec<Guard>,
    /// What cells hold that something unknown wrote to.
    pub later: Vec<Later>,
    pub steps: u64,
    /// Blocks of the function that this attempt got past.
    reached: usize,
    /// Steps of the first attempt before each block, by number.
    pace: Vec<u64>,
    /// Of this attempt.
    max_steps: u64,
    visits: u32,
    /// Results of pure functions, by name and arguments.
    pure_results: FxHashMap<(Name, u64), Val>,
    /// When evaluation ended early: a loop turns more often than it was visited, or nothing that a part asks for is owed.
    pub dropped: Guard,
    /// Whether a pointer is null, where only a callee asks for it.
    pub unasked: Vec<Atom>,
    /// Calls of which the choices hide what is known here.
    pub blind_calls: Vec<BlindCall>,
    /// Pointers from outside, and when they were followed.
    pub followed: Vec<(Symbol, Guard)>,
    /// Pointers in memory that a call leads through. Whoever asks whether such a one is null means those who leave it
    /// out, not that which is looked at.
    pub called: Vec<Symbol>,
    /// Copies of memory that only a caller knows.
    pub copies: Vec<Copy>,
    /// The loops being visited, outermost first.
    entered: Vec<Entered>,
    /// Inside of a call that may happen at any time.
    is_in_doubt: bool,
    /// The call being evaluated, for telling what it does.
    calling: Option<ir::Value>,
    /// Pointers among the variable arguments are used in a way that is not followed.
    pub takes_variable_arguments: bool,
    /// Calls of pointers that only a caller knows.
    pub callbacks: Vec<Callback>,
    /// The atoms that choose among the targets of calls through pointers.
    target_choices: Vec<Atom>,
    givens: Givens,
    /// Where a path parts: when control is on the one way and on the other, before, and which way it is.
    parted: FxHashMap<(Guard, Guard), (Guard, Guard)>,
    pub(crate) texts: Texts,
}

/// A loop being visited.
struct Entered {
    /// When control came to it.
    guard: Guard,
    /// How many heap objects there were.
    heaps: usize,
    /// The numbers it changes, as of the last visit.
    forgotten: Vec<Symbol>,
}

/// Bytes copied from memory that came from outside.
pub struct Copy {
    pub from: Term,
    pub to: Term,
    pub bytes: Option<i64>,
    pub guard: Guard,
    /// No pointers are among them.
    pub is_text: bool,
}

/// A call through a pointer that came from outside.
pub struct Callback {
    pub callee: Val,
    pub args: Vec<Val>,
    pub guard: Guard,
}

impl<'a> Evaluator<'a> {
    pub fn new(cx: &'a Surroundings<'a>, function: FunctionId, plan: &'a Plan) -> Evaluator<'a> {
        let module_number = cx.program.functions()[function].module;
        let (module, body) = cx.program.body(function);
        Evaluator {
            cx,
            function,
            module_number,
            module,
            body,
            plan,
            slice: None,
            space: Space::new(MAX_NODES),
            values: Values::default(),
            objects: Objects::default(),
            env: IdVec::new(),
            incoming: IdVec::new(),
            live_outs: IdVec::new(),
            left: IdVec::new(),
            header_cells: IdVec::new(),
            limits: FxHashMap::default(),
            asked_signs: FxHashSet::default(),
            exits: Vec::new(),
            events: None,
            opaque: FxHashMap::default(),
            opaque_terms: FxHashMap::default(),
            term_sizes: Vec::new(),
            epochs: Vec::new(),
            later: Vec::new(),
            steps: 0,
            reached: 0,
            pace: Vec::new(),
            max_steps: 0,
            visits: 0,
            pure_results: FxHashMap::default(),
            texts: Texts::default(),
            dropped: Guard::FALSE,
            unasked: Vec::new(),
            blind_calls: Vec::new(),
            followed: Vec::new(),
            called: Vec::new(),
            copies: Vec::new(),
            entered: Vec::new(),
            is_in_doubt: false,
            calling: None,
            takes_variable_arguments: false,
            callbacks: Vec::new(),
            target_choices: Vec::new(),
            givens: Givens::default(),
            parted: FxHashMap::default(),
        }
    }

    fn reset(&mut self, visits: u32, max_steps: u64, record: bool) {
        self.space.clear();
        self.space.limit_work(max_steps * WORK_PER_STEP);
        self.max_steps = max_steps;
        self.values.clear();
        self.objects.clear();
        self.env = IdVec::filled(Val::UNTOUCHED, self.body.insts.len());
        self.incoming = IdVec::from_vec((0..self.body.blocks.len()).map(|_| Vec::new()).collect());
        self.live_outs = self.plan.live_outs.iter().map(|values| vec![Vec::new(); values.len()]).collect();
        self.left = self.plan.live_outs.iter().map(|_| 0).collect();
        self.header_cells = self.plan.live_outs.iter().map(|_| Vec::new()).collect();
        self.limits.clear();
        self.asked_signs.clear();
        self.exits.clear();
        self.events = record.then(Vec::new);
        self.opaque.clear();
        self.opaque_terms.clear();
        self.term_sizes.clear();
        self.epochs.clear();
        self.later.clear();
        self.steps = 0;
        self.visits = visits;
        self.reached = 0;
        self.pure_results.clear();
        self.texts = Texts::default();
        self.dropped = Guard::FALSE;
        self.unasked.clear();
        self.blind_calls.clear();
        self.followed.clear();
        self.called.clear();
        self.copies.clear();
        self.callbacks.clear();
        self.target_choices.clear();
        self.givens.clear();
        self.parted.clear();
        self.takes_variable_arguments = false;
        self.entered.clear();
    }

    fn pass(&mut self) -> Result<(), Exhausted> {
        self.parameters();
        let state = State { guard: Guard::TRUE, cells: Vec::new() };
        let start = self.inner_start().unwrap_or(ir::ENTRY);
        self.incoming[start].push(Incoming { guard: Guard::TRUE, state, phis: SmallVec::new() });
        self.rest(start)?;
        if self.space.is_exhausted() { Err(Exhausted) } else { Ok(()) }
    }

    /// Visits what comes after the beginning of a block: the rest of the turn of each loop around it, from the innermost
    /// to the outermost, then further turns of that loop.
    fn rest(&mut self, start: BlockId) -> Result<(), Exhausted> {
        let plan = self.plan;
        let mut first = plan.number(start);
        let mut around = plan.loops.innermost(start);
        while let Some(id) = around {
            let looped = &plan.loops.loops()[id];
            if looped.header != start {
                let place = looped.blocks.partition_point(|&block| plan.number(block) < first);
                self.region(&looped.blocks[place..], Some(id))?;
            }
            self.loop_(id)?;
            first = plan.number(looped.header) + 1;
            around = looped.parent;
        }
        self.region(&plan.order[first..], None)
    }

    /// Visits blocks in order; an inner loop as a whole, at its header.
    fn region(&mut self, order: &[BlockId], inside: Option<LoopId>) -> Result<(), Exhausted> {
        for &block in order {
            let innermost = self.plan.loops.innermost(block);
            if innermost == inside {
                self.block(block, false)?;
            } else if let Some(inner) = innermost
                && self.plan.loops.loops()[inner].header == block
                && self.plan.loops.loops()[inner].parent == inside
            {
                self.loop_(inner)?;
            }
        }
        Ok(())
    }

    fn block(&mut self, block: BlockId, forget: bool) -> Result<(), Exhausted> {
        let incoming = std::mem::take(&mut self.incoming[block]);
        if incoming.is_empty() {
            return Ok(());
        }
        if self.is_late(block) {
            return Err(Exhausted);
        }
        if self.is_short_end(block) && self.are_large(&incoming) {
            for way in incoming {
                let state = self.join(block, vec![way]);
                self.instructions(block, state)?;
            }
            return Ok(());
        }
        let before = if forget { self.before(block) } else { Vec::new() };
        let mut state = self.join(block, incoming);
        if forget {
            self.forget(block, &before, &mut state);
        } else if let Some(id) = self.plan.loops.innermost(block)
            && self.plan.loops.loops()[id].header == block
        {
            self.header_cells[id].clone_from(&state.cells);
        }
        self.instructions(block, state)
    }

    /// Whether the function ends with this block, soon.
    fn is_short_end(&self, block: BlockId) -> bool {
        let block = &self.body.blocks[block];
        matches!(block.terminator, Terminator::Return(_)) && block.insts.len() <= SHORT_END
    }

    /// Whether joining the ways costs more than going on with each.
    fn are_large(&mut self, ways: &[Incoming]) -> bool {
        ways.len() > 2 && ways.iter().map(|way| self.space.size(way.guard)).sum::<usize>() > LARGE_WAYS
    }

    fn instructions(&mut self, block: BlockId, mut state: State) -> Result<(), Exhausted> {
        if state.guard.is_false() {
            return Ok(());
        }
        let body = self.body;
        for &inst in &body.blocks[block].insts {
            self.instruction(&mut state, inst);
            self.steps += 1;
            if self.space.is_exhausted() || self.steps + self.space.work() / WORK_PER_STEP > self.max_steps {
                return Err(Exhausted);
            }
            if state.guard.is_false() {
                return Ok(());
            }
        }
        self.steps += 1 + state.cells.len() as u64 / 16;
        self.terminator(block, state);
        Ok(())
    }

    fn terminator(&mut self, block: BlockId, state: State) {
        let body = self.body;
        let loc = body.blocks[block].terminator_loc;
        match &body.blocks[block].terminator {
            Terminator::None | Terminator::Unreachable => {}
            Terminator::Return(_) if self.plan.failed.contains(&block) => {}
            Terminator::Jump(target) => {
                let guard = state.guard;
                self.edge(block, *target, guard, state);
            }
            Terminator::Branch { condition, then, otherwise } => {
                if self.plan.loops.innermost(block).is_some_and(|id| self.plan.loops.loops()[id].header == block) {
                    self.keep_limit(block, *condition);
                }
                let val = self.value(*condition);
                let holds = self.truth(val);
                let holds = self.simplified(holds);
                let guard = state.guard;
                let (yes, no) = (self.space.and(guard, holds), self.space.and(guard, holds.not()));
                self.branch_event(loc, yes, *condition, Outcome::True);
                self.branch_event(loc, no, *condition, Outcome::False);
                if no.is_false() {
                    self.edge(block, *then, yes, state);
                } else {
                    if !yes.is_false() {
                        self.parted.insert((yes, no), (guard, holds));
                        self.edge(block, *then, yes, state.clone());
                    }
                    self.edge(block, *otherwise, no, state);
                }
            }
            Terminator::Switch(switch) => {
                let val = self.value(switch.value);
                let guard = state.guard;
                let mut rest = guard;
                let kind = self.kind_of_value(switch.value);
                let asks_for_default = self.leads_into_slice(switch.default);
                for case in &switch.cases {
                    if !asks_for_default && !self.leads_into_slice(case.target) {
                        continue;
                    }
                    let holds = self.within(val, kind, case.low, case.high);
                    let holds = self.simplified(holds);
                    let taken = self.space.and(rest, holds);
                    rest = self.space.and(rest, holds.not());
                    if !taken.is_false() {
                        self.branch_event(loc, taken, switch.value, Outcome::Case(case.low, case.high));
                        self.edge(block, case.target, taken, state.clone());
                    }
                }
                if asks_for_default && !rest.is_false() {
                    self.branch_event(loc, rest, switch.value, Outcome::Default);
                    self.edge(block, switch.default, rest, state);
                }
            }
            Terminator::Indirect { targets, .. } | Terminator::AsmGoto { targets } => {
                let mut rest = state.guard;
                for (number, &target) in targets.iter().enumerate() {
                    let taken = if number + 1 == targets.len() {
                        rest
                    } else {
                        let choice = self.space.choice();
                        let taken = self.space.and(rest, choice);
                        rest = self.space.and(rest, choice.not());
                        taken
                    };
                    self.edge(block, target, taken, state.clone());
                }
            }
            Terminator::Return(value) => {
                let result = value.map(|value| self.value(value));
                let number = self.exits.len();
                self.event(state.guard, loc, EventKind::Return(number));
                let made = self.objects.heap.len();
                self.exits.push(Exit { state, result, loc, held: None, is_inner: false, made });
            }
        }
    }

    fn edge(&mut self, from: BlockId, to: BlockId, guard: Guard, mut state: State) {
        state.guard = guard;
        // A way back into an irreducible region is not taken a second time.
        if self.plan.is_cut(from, to) {
            return;
        }
        if !self.is_in_slice(to, guard) {
            return;
        }
        let body = self.body;
        let mut phis = SmallVec::new();
        for &inst in &body.blocks[to].insts {
            let InstKind::Phi(args) = body.insts[inst].kind else { break };
            let value = body.phi_args(args).find(|&(block, _)| block == from).map(|(_, value)| value);
            phis.push(value.map_or(Val::UNTOUCHED, |value| self.value(value)));
        }
        let mut left = self.plan.loops.innermost(from);
        while let Some(id) = left {
            if self.plan.loops.contains(id, to) {
                break;
            }
            self.left[id] += 1;
            for (place, &value) in self.plan.live_outs[id].iter().enumerate() {
                let val = self.env[value];
                if val.is_real() {
                    self.live_outs[id][place].push((guard, val));
                }
            }
            left = self.plan.loops.loops()[id].parent;
        }
        self.incoming[to].push(Incoming { guard, state, phis });
    }

    /// Whether the function tells its caller nothing.
    pub fn is_void(&self) -> bool {
        self.exits.iter().all(|exit| exit.result.is_none())
    }

    /// A release or an escape, whichever function a pointer leads to: a table of functions is used as a whole, and
    /// the one that frees goes with the one that allocates.
    pub fn whoever_is_called(&mut self, guard: Guard) -> Guard {
        let Evaluator { space, target_choices, .. } = self;
        if guard.is_constant() || target_choices.is_empty() {
            return guard;
        }
        space.exists(guard, &|atom| target_choices.binary_search(&atom).is_ok())
    }

    /// How many calls yielded something to release.
    pub fn sites(&self) -> usize {
        let mut sites: Vec<ir::Value> = self.objects.heap.iter().map(|heap| heap.site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.len()
    }

    /// When two terms are equal. What the function made itself is nothing it was given.
    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Guard {
        let (here, there) = (self.may_meet(a, b), self.may_meet(b, a));
        let may_meet = self.space.and(here, there);
        if may_meet.is_false() {
            return Guard::FALSE;
        }
        if let Some((a, b)) = self.in_one_array(a, b) {
            return self.equal(a, b);
        }
        if let Some(guard) = self.in_one_object(a, b, 4) {
            return guard;
        }
        // What was counted up does not wrap: `n + 1` is not 0.
        for (sum, number) in [(a, b), (b, a)] {
            if let TermKind::Int(number) = self.space.term(number)
                && !self.space.kind(sum).signed
                && (0..self.counted(sum).1).contains(&number.into())
            {
                return Guard::FALSE;
            }
        }
        // `p == '\n'` of a pointer is some mistake: whoever wrote it means a choice.
        for (pointer, number) in [(a, b), (b, a)] {
            if let (TermKind::Address { object, .. }, TermKind::Int(CONTROL..=DELETE)) =
                (self.space.term(pointer), self.space.term(number))
                && self.objects.heap_of(object).is_some()
            {
                return self.opaque_relation(3, pointer, number);
            }
        }
        let is_equal = self.space.equal(a, b);
        self.space.and(is_equal, may_meet)
    }

    /// The indices of two elements of one array: their addresses compare as these do.
    pub(crate) fn in_one_array(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let place = |this: &Self, term: Term| match this.space.term(term) {
            TermKind::Address { object, offset } => Some((object, offset)),
            _ => None,
        };
        let (a, b) = (place(self, a)?, place(self, b)?);
        let element = |this: &Self, place: (Object, i64)| match this.objects.get(place.0).kind {
            ObjectKind::Element { base, offset, stride, index } => Some((base, offset + place.1, stride, index)),
            _ => None,
        };
        let number = |this: &mut Self, place: (Object, i64), (base, start, stride, like): (Object, i64, i64, Term)| {
            let bytes = place.1 - start;
            let is_element = place.0 == base && stride > 0 && bytes % stride == 0;
            is_element.then(|| this.space.int(i128::from(bytes / stride), this.space.kind(like)))
        };
        match (element(self, a), element(self, b)) {
            (Some(first), Some(second)) => {
                let is_same = (first.0, first.1, first.2) == (second.0, second.1, second.2);
                let is_alike = first.2 > 0 && self.space.kind(first.3) == self.space.kind(second.3);
                (a.0 != b.0 && is_same && is_alike).then_some((first.3, second.3))
            }
            (Some(first), None) => Some((first.3, number(self, b, first)?)),
            (None, Some(second)) => Some((number(self, a, second)?, second.3)),
            (None, None) => None,
        }
    }

    /// Of two addresses in one object, one of them at an unknown index, either may be the lower one.
    pub(crate) fn in_one_object(&mut self, a: Term, b: Term, question: u32) -> Option<Guard> {
        let object = |term: Term| match self.space.term(term) {
            TermKind::Address { object, .. } => Some(object),
            _ => None,
        };
        let (first, second) = (object(a)?, object(b)?);
        let is_unclear = first != second && self.objects.root(first) == self.objects.root(second);
        is_unclear.then(|| self.opaque_relation(question, a.min(b), a.max(b)))
    }

    /// When an address of the function's own may be what it was given: if it is known elsewhere.
    fn may_meet(&mut self, own: Term, given: Term) -> Guard {
        let (TermKind::Address { object, .. } | TermKind::Inside { object }) = self.space.term(own) else {
            return Guard::TRUE;
        };
        let root = self.objects.root(object);
        let is_own =
            matches!(self.objects.get(root).kind, ObjectKind::Heap(_) | ObjectKind::Slot(_) | ObjectKind::Alloca(..));
        let base = match self.space.term(given) {
            TermKind::Binary { op: caulk_guard::Op::Add, a, .. } => a,
            _ => given,
        };
        let TermKind::Symbol(symbol) = self.space.term(base) else { return Guard::TRUE };
        let Some(info) = self.objects.symbols.get(symbol.0 as usize) else { return Guard::TRUE };
        if !is_own
            || info
                .aliases
                .iter()
                .any(|&alias| self.points_to(alias).is_some_and(|other| self.objects.root(other) == root))
        {
            return Guard::TRUE;
        }
        if info.origin.is_unknown() { self.objects.get(root).escaped } else { Guard::FALSE }
    }

    // ---- small things that everything uses

    pub fn event(&mut self, guard: Guard, loc: Loc, kind: EventKind) {
        if let Some(events) = &mut self.events {
            events.push(Event { guard, loc, kind });
        }
    }

    fn branch_event(&mut self, loc: Loc, guard: Guard, condition: ir::Value, outcome: Outcome) {
        if !guard.is_false() {
            self.event(guard, loc, EventKind::Branch { condition, outcome });
        }
    }

    pub fn new_symbol(&mut self, kind: Kind, origin: Origin, depth: u32) -> Term {
        let term = self.space.symbol(kind);
        self.add_symbol(term, origin, depth);
        term
    }

    fn add_symbol(&mut self, term: Term, origin: Origin, depth: u32) {
        // Arithmetic without a result, such as a division by zero, makes symbols by itself.
        while self.objects.symbols.len() + 1 < self.space.symbol_count() as usize {
            self.objects.symbols.push(SymbolInfo {
                term,
                origin: Origin::Opaque,
                aliases: Aliases::default(),
                handle: None,
                depth: 0,
            });
        }
        self.objects.symbols.push(SymbolInfo { term, origin, aliases: Aliases::default(), handle: None, depth });
    }

    pub fn opaque_symbol(&mut self, kind: Kind) -> Term {
        self.new_symbol(kind, Origin::Opaque, 0)
    }

    /// A number that was known, until the heap objects from `first` on were made.
    fn forgotten_symbol(&mut self, kind: Kind, first: usize) -> Term {
        let origin = Origin::Forgotten(first as u32, self.objects.heap.len() as u32);
        self.new_symbol(kind, origin, 0)
    }

    pub fn symbol_of(&self, term: Term) -> Option<Symbol> {
        match self.space.term(term) {
            caulk_guard::TermKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The symbols that a term is made of.
    pub fn symbols_in(&self, term: Term, found: &mut Vec<Symbol>) {
        match self.space.term(term) {
            TermKind::Symbol(symbol) => found.push(symbol),
            TermKind::Binary { a, b, .. } => {
                self.symbols_in(a, found);
                self.symbols_in(b, found);
            }
            TermKind::Extend { a } => self.symbols_in(a, found),
            TermKind::Int(_) | TermKind::Address { .. } | TermKind::Inside { .. } => {}
        }
    }

    /// The symbols that an atom asks for.
    pub fn symbols_of(&self, atom: Atom) -> Vec<Symbol> {
        let mut found = Vec::new();
        if let Predicate::Equal(a, b) | Predicate::Less(a, b) = self.space.predicate(atom) {
            self.symbols_in(a, &mut found);
            self.symbols_in(b, &mut found);
        }
        found
    }

    fn parameters(&mut self) {
        let body = self.body;
        for (number, &param) in body.params.iter().enumerate() {
            let ty = body.ty(param);
            let val = match self.kind_of(ty) {
                Some(kind) => {
                    let term = self.new_symbol(kind, Origin::Param(number as u32), 0);
                    self.values.single(term)
                }
                None => {
                    let parts = self.leaves(ty);
                    let parts = parts.into_iter().map(|(offset, kind)| {
                        let term = self.new_symbol(kind, Origin::ParamPart(number as u32, offset), 0);
                        crate::value::Part { offset, kind, val: self.values.single(term) }
                    });
                    let parts: Vec<_> = parts.collect();
                    self.values.record(&parts)
                }
            };
            self.env[param] = val;
        }
    }
}
