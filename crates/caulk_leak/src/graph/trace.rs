//! One source's objects on their way through a function.
//!
//! Two rounds. In the first, a call passes on what it was given as an argument; in the second also, if no argument is
//! the object, what the memory that holds the object may have led it to (`drop(l)` releases `l->name`).

use caulk_flow::Known;
use caulk_flow::callee;
use caulk_flow::evaluate::EventKind;
use caulk_flow::model::Effect;
use caulk_flow::object::CellId;
use caulk_guard::Guard;
use caulk_ir::ir::{BlockId, InstKind, PhiArgs, Value};
use caulk_program::Target;

use super::objects::{Flow, Node, Source};
use crate::describe;

pub(super) struct Trace<'t, 'f, 'a> {
    flow: &'t mut Flow<'f, 'a>,
    source: Source,
    carried: Vec<Node>,
    waiting: Vec<Node>,
    /// The second round.
    is_late: bool,
}

impl<'t, 'f, 'a> Trace<'t, 'f, 'a> {
    pub(super) fn new(flow: &'t mut Flow<'f, 'a>, source: Source) -> Trace<'t, 'f, 'a> {
        Trace { flow, source, carried: Vec::new(), waiting: Vec::new(), is_late: false }
    }

    pub(super) fn run(mut self) {
        let start = Node::Source(self.source);
        self.carried.push(start);
        if self.is_held_by(self.source.site) {
            self.uses_of(start, self.source.site);
        }
        for is_late in [false, true] {
            self.is_late = is_late;
            self.events();
            while let Some(node) = self.waiting.pop() {
                self.leave(node);
                if self.waiting.is_empty() {
                    self.events();
                }
            }
        }
    }

    fn leave(&mut self, node: Node) {
        match node {
            Node::Value(value) => self.uses_of(node, value),
            Node::Cell(home, offset) => {
                for load in self.flow.loads.get(&(home, offset)).cloned().unwrap_or_default() {
                    if self.is_held_by(load) {
                        self.carry(node, Node::Value(load), None);
                    }
                }
            }
            // Events tell what becomes of an argument.
            Node::Source(_) | Node::Argument(..) | Node::Release(_) | Node::Escape(_) | Node::Return(_) => {}
        }
    }

    fn is_held_by(&mut self, value: Value) -> bool {
        let known = self.flow.evaluator.known_value(value);
        known.is_some_and(|val| self.flow.holds(self.source, val, Guard::TRUE).is_some())
    }

    fn carry(&mut self, from: Node, to: Node, condition: Option<(Guard, Guard)>) {
        if from != to {
            self.flow.edge(from, to, condition);
            if !self.carried.contains(&to) {
                self.carried.push(to);
                self.waiting.push(to);
            }
        }
    }

    fn uses_of(&mut self, from: Node, value: Value) {
        let body = self.flow.evaluator.body;
        for number in 0..self.flow.returned[value].len() {
            let block = self.flow.returned[value][number];
            let guard = self.flow.reached.block(BlockId(block));
            let condition = self.condition(value, guard);
            self.carry(from, Node::Return(block), condition);
        }
        for user in self.flow.uses[value].clone() {
            match body.insts[user].kind {
                // The same, under another type.
                InstKind::Cast(_) | InstKind::BitCast(_) => self.uses_of(from, user),
                InstKind::Phi(args) => {
                    let guard = self.enter_phi(user, args, value);
                    if !guard.is_false() {
                        let condition = self.condition(value, guard);
                        self.carry(from, Node::Value(user), condition);
                    }
                }
                InstKind::Field { base, .. } | InstKind::Element { base, .. } if base == value => {
                    self.carry(from, Node::Value(user), None);
                }
                InstKind::Binary { .. } => self.carry(from, Node::Value(user), None),
                InstKind::Store { value: stored, .. } if stored == value => self.stored(from, user),
                InstKind::Call { args, .. } => {
                    for (number, _) in body.operands(args).iter().enumerate().filter(|arg| *arg.1 == value) {
                        let condition = self.flow.events.iter().find_map(|event| match event.kind {
                            EventKind::Call { instruction } if instruction == user => Some(event.guard),
                            _ => None,
                        });
                        // A call that is never reached takes nothing.
                        if let Some(guard) = condition {
                            let condition = self.condition(value, guard);
                            self.carry(from, Node::Argument(user, number), condition);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// When the ways by which a phi gets a value are taken.
    fn enter_phi(&mut self, phi: Value, args: PhiArgs, value: Value) -> Guard {
        let body = self.flow.evaluator.body;
        let Some(home) = body.blocks.ids().find(|&block| body.blocks[block].insts.contains(&phi)) else {
            return Guard::FALSE;
        };
        let mut guard = Guard::FALSE;
        for (from, _) in body.phi_args(args).filter(|way| way.1 == value) {
            let way = self.flow.reached.edge(self.flow.evaluator, self.flow.events, from, home);
            guard = self.flow.evaluator.space.or(guard, way);
        }
        guard
    }

    /// When a value is the object here, and when that was allocated; if the value is not known any more, of the first.
    fn condition(&mut self, value: Value, guard: Guard) -> Option<(Guard, Guard)> {
        let known = self.flow.evaluator.known_value(value);
        let held = known.and_then(|val| self.flow.holds(self.source, val, guard));
        held.or_else(|| Some((guard, self.allocated())))
    }

    /// When the first object of the source was allocated.
    fn allocated(&self) -> Guard {
        let first = self.flow.sources.iter_enumerated().find(|entry| *entry.1 == self.source);
        first.map_or(Guard::TRUE, |(heap, _)| self.flow.evaluator.objects.heap[heap].allocated)
    }

    fn stored(&mut self, from: Node, store: Value) {
        let events = self.flow.events;
        for event in events {
            let EventKind::Store { cells, val, instruction } = &event.kind else { continue };
            if *instruction != store {
                continue;
            }
            let Some(condition) = self.flow.holds(self.source, *val, event.guard) else { continue };
            for &cell in cells {
                self.enter_cell(from, cell, Some(store), condition);
            }
        }
    }

    fn enter_cell(&mut self, from: Node, cell: CellId, store: Option<Value>, condition: (Guard, Guard)) {
        let key = self.flow.key(cell);
        let evaluator = &*self.flow.evaluator;
        let address = store.and_then(|store| match evaluator.body.insts[store].kind {
            InstKind::Store { address, .. } => Some(address),
            _ => None,
        });
        let name = match address {
            Some(address) => describe::lvalue(evaluator, address, 0),
            None => {
                let named = describe::cell(evaluator, cell, &|object| self.flow.holder(object));
                named.map_or_else(|| "memory".to_owned(), |named| named.0)
            }
        };
        self.flow.names.entry(key).or_insert(name);
        self.carry(from, Node::Cell(key.0, key.1), Some(condition));
    }

    /// What calls do with the objects: release, keep, store, hand back.
    fn events(&mut self) {
        let events = self.flow.events;
        let mut call = None;
        for event in events {
            match &event.kind {
                EventKind::Call { instruction } => {
                    call = Some(*instruction);
                    self.called(*instruction, event.guard);
                }
                EventKind::Release { val } => {
                    let Some(condition) = self.flow.holds(self.source, *val, event.guard) else { continue };
                    let Some(call) = call else { continue };
                    for from in self.givers(call) {
                        self.carry(from, Node::Release(call), Some(condition));
                    }
                }
                EventKind::Store { cells, val, instruction } => {
                    if !matches!(self.flow.evaluator.body.insts[*instruction].kind, InstKind::Call { .. }) {
                        continue;
                    }
                    let Some(condition) = self.flow.holds(self.source, *val, event.guard) else { continue };
                    for from in self.givers(*instruction) {
                        cells.iter().for_each(|&cell| self.enter_cell(from, cell, None, condition));
                    }
                }
                EventKind::Branch { .. }
                | EventKind::Allocate(_)
                | EventKind::Bind { .. }
                | EventKind::End { .. }
                | EventKind::Return(_) => {}
            }
        }
    }

    /// What handed the object to a call: the source itself, its arguments, or else the memory they lead to.
    fn givers(&self, call: Value) -> Vec<Node> {
        if call == self.source.site {
            return vec![Node::Source(self.source)];
        }
        let is_argument = |node: &&Node| matches!(node, Node::Argument(other, _) if *other == call);
        let arguments: Vec<Node> = self.carried.iter().filter(is_argument).copied().collect();
        if !arguments.is_empty() || !self.is_late {
            return arguments;
        }
        self.carried.iter().filter(|node| matches!(node, Node::Cell(..))).copied().collect()
    }

    fn called(&mut self, call: Value, guard: Guard) {
        let is_argument = |node: &&Node| matches!(node, Node::Argument(other, _) if *other == call);
        let arguments: Vec<Node> = self.carried.iter().filter(is_argument).copied().collect();
        for argument in arguments {
            let known = self.flow.evaluator.known_value(call);
            if call != self.source.site
                && let Some(condition) = known.and_then(|val| self.flow.holds(self.source, val, guard))
            {
                self.carry(argument, Node::Value(call), Some(condition));
            }
            if !self.may_keep(call) {
                continue;
            }
            let evaluator = &mut *self.flow.evaluator;
            let sources = &self.flow.sources;
            let own = sources.iter_enumerated().filter(|entry| *entry.1 == self.source);
            let escapes = own.map(|entry| entry.0).find_map(|heap| {
                let heap = &evaluator.objects.heap[heap];
                let (allocated, escaped) = (heap.allocated, evaluator.objects.get(heap.object).escaped);
                let when = evaluator.space.and(escaped, guard);
                let both = evaluator.space.and(when, allocated);
                (!both.is_false()).then_some((when, allocated))
            });
            if let Some(condition) = escapes {
                self.carry(argument, Node::Escape(call), Some(condition));
            }
        }
    }

    fn may_keep(&self, call: Value) -> bool {
        let evaluator = &*self.flow.evaluator;
        let cx = evaluator.cx;
        let Some(targets) = callee::targets(cx.program, evaluator.function, call) else { return true };
        targets.iter().any(|target| match *target {
            Target::Function(callee) => match cx.summaries.of(callee) {
                Known::Summary(summary) => summary.is_opaque || !summary.keeps.is_empty(),
                Known::Pending | Known::Unknown => true,
            },
            Target::External(name) => cx.models.get(name).is_none_or(|model| {
                let keeps = |effect: &Effect| matches!(effect, Effect::Keep { .. } | Effect::Unknown);
                model.cases.iter().any(|case| case.effects.iter().any(keeps))
            }),
        })
    }
}
