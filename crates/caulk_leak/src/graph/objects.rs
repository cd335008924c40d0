//! How the heap objects of one function travel, with the conditions.
//!
//! - *source*: a call that yields memory, and which of the objects that it yields. The objects of its several visits
//!   in a loop are one.
//! - *carried*: a node that an object of the source may have got to.
//!
//! ```c
//! char *p = malloc(n);            // malloc → p
//! if (n > 9) s->name = p;         // p –n > 9→ s->name
//! else free(p);                   // p –n <= 9→ argument of free → free
//! ```
//!
//! Values are followed from use to use; memory by the cells that the evaluation resolved each store and load to.
//! Conditions come from the recorded events, given that the allocation succeeded; in loops, those of the first visit
//! that has one.
//!
//! Invariant: every node but a source has an edge into it.

use std::collections::{BTreeMap, BTreeSet};

use caulk_base::{IdVec, Loc};
use caulk_flow::evaluate::Event;
use caulk_flow::object::{CellId, HeapId, ObjectKind};
use caulk_flow::value::{Val, ValData};
use caulk_flow::{Evaluator, Plan, Surroundings};
use caulk_guard::{Guard, Object, TermKind};
use caulk_ir::ir::{Function, InstKind, Terminator, Value};
use caulk_program::FunctionId;

use super::conditions::Words;
use super::dot::{Digraph, Shape};
use super::reached::Reached;
use super::trace::Trace;
use super::{line, title};
use crate::describe;

pub(super) fn draw(cx: &Surroundings<'_>, function: FunctionId, graph: &mut Digraph) {
    let plan = Plan::new(cx.program, function);
    let mut evaluator = Evaluator::new(cx, function, &plan);
    let mut label = title(cx.program, function);
    if evaluator.run().and_then(|()| evaluator.replay()).is_err() {
        label.push_str("\ntoo large to be evaluated");
        return graph.cluster(Some(label));
    }
    let events = evaluator.events.take().unwrap_or_default();
    let words = Words::new(&mut evaluator, &events);
    let reached = Reached::new(&mut evaluator, &events);
    let mut flow = Flow::new(&mut evaluator, &events, &words, &reached);
    flow.trace();
    graph.cluster(Some(label));
    flow.print(function, graph);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Source(Source),
    Value(Value),
    Cell(Home, i64),
    Argument(Value, usize),
    Release(Value),
    Escape(Value),
    /// By the block whose terminator it is.
    Return(u32),
}

/// A call and the number of one of the objects that it yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    pub(super) site: Value,
    number: usize,
}

/// What a cell lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Home {
    /// Memory of a source, whichever visit.
    Source(Source),
    Object(u32),
}

pub(super) struct Flow<'f, 'a> {
    pub(super) evaluator: &'f mut Evaluator<'a>,
    pub(super) events: &'f [Event],
    words: &'f Words,
    pub(super) reached: &'f Reached,
    /// Where each object came from.
    pub(super) sources: IdVec<HeapId, Source>,
    /// By value: the instructions that use it.
    pub(super) uses: IdVec<Value, Vec<Value>>,
    /// By value: the blocks that return it.
    pub(super) returned: IdVec<Value, Vec<u32>>,
    /// By cell: the loads that read it.
    pub(super) loads: BTreeMap<(Home, i64), Vec<Value>>,
    pub(super) names: BTreeMap<(Home, i64), String>,
    edges: BTreeMap<(Node, Node), String>,
}

impl<'f, 'a> Flow<'f, 'a> {
    fn new(
        evaluator: &'f mut Evaluator<'a>,
        events: &'f [Event],
        words: &'f Words,
        reached: &'f Reached,
    ) -> Flow<'f, 'a> {
        let body = evaluator.body;
        let mut flow = Flow {
            sources: sources(evaluator),
            uses: IdVec::filled(Vec::new(), body.insts.len()),
            returned: IdVec::filled(Vec::new(), body.insts.len()),
            loads: BTreeMap::new(),
            names: BTreeMap::new(),
            edges: BTreeMap::new(),
            evaluator,
            events,
            words,
            reached,
        };
        for (id, block) in body.blocks.iter_enumerated() {
            for &inst in &block.insts {
                body.insts[inst].kind.for_each_operand(body, |operand| flow.uses[operand].push(inst));
                if let InstKind::Load { address, .. } = body.insts[inst].kind
                    && flow.is_wide(inst)
                {
                    for cell in flow.cells_at(address) {
                        flow.loads.entry(cell).or_default().push(inst);
                        flow.names.entry(cell).or_insert_with(|| describe::lvalue(flow.evaluator, address, 0));
                    }
                }
            }
            if let Terminator::Return(Some(value)) = block.terminator {
                flow.returned[value].push(id.0);
            }
        }
        flow
    }

    /// The variable that a source's result was put in, and its type.
    pub(super) fn holder(&self, object: Object) -> Option<describe::Named> {
        let heap = self.evaluator.objects.heap_of(object)?;
        let Source { site, number: 0 } = self.sources[heap] else { return None };
        let body = self.evaluator.body;
        let (value, name) = body.variable_names.iter().find(|entry| is_same(body, entry.0, site))?;
        Some((name.as_str().to_owned(), body.ty(*value)))
    }

    /// Whether a value has room for a pointer.
    fn is_wide(&self, value: Value) -> bool {
        let types = &self.evaluator.module.unit.types;
        types.size_of(self.evaluator.body.ty(value)).is_none_or(|size| size >= types.target.pointer_size)
    }

    pub(super) fn key(&self, cell: CellId) -> (Home, i64) {
        let objects = &self.evaluator.objects;
        let cell = objects.cells[cell];
        let home = match objects.get(cell.object).kind {
            ObjectKind::Heap(heap) => Home::Source(self.sources[heap]),
            _ => Home::Object(cell.object.0),
        };
        (home, cell.offset)
    }

    /// Cells that an address names, as far as the last visit of it knew.
    fn cells_at(&self, address: Value) -> Vec<(Home, i64)> {
        let evaluator = &*self.evaluator;
        let Some(val) = evaluator.known_value(address) else { return Vec::new() };
        let mut found = Vec::new();
        for &(_, term) in evaluator.values.alternatives(val) {
            let (object, wanted) = match evaluator.space.term(term) {
                TermKind::Address { object, offset } => (object, Some(offset)),
                TermKind::Inside { object } => (object, None),
                _ => match evaluator.points_to(term) {
                    Some(object) => (object, Some(0)),
                    None => continue,
                },
            };
            let cells = evaluator.objects.get(object).cells.iter().copied();
            let is_there = |cell: &CellId| wanted.is_none_or(|wanted| evaluator.objects.cells[*cell].offset == wanted);
            found.extend(cells.filter(is_there).map(|cell| self.key(cell)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// When a value is an object of the source, and when that was allocated; for the first such object.
    pub(super) fn holds(&mut self, source: Source, val: Val, when: Guard) -> Option<(Guard, Guard)> {
        if let ValData::Record(parts) = self.evaluator.values.get(val) {
            return parts.to_vec().iter().find_map(|part| self.holds(source, part.val, when));
        }
        let mut ways: Vec<(HeapId, Guard)> = Vec::new();
        for &(guard, term) in self.evaluator.values.alternatives(val) {
            let Some(object) = describe::object_of(self.evaluator, term) else { continue };
            let Some(heap) = self.evaluator.objects.heap_of(object) else { continue };
            if self.sources[heap] == source {
                ways.push((heap, guard));
            }
        }
        ways.sort_unstable_by_key(|way| way.0);
        ways.into_iter().find_map(|(heap, guard)| {
            let guard = self.evaluator.space.and(guard, when);
            let allocated = self.evaluator.objects.heap[heap].allocated;
            let both = self.evaluator.space.and(guard, allocated);
            (!both.is_false()).then_some((guard, allocated))
        })
    }

    pub(super) fn edge(&mut self, from: Node, to: Node, condition: Option<(Guard, Guard)>) {
        if from == to || self.edges.contains_key(&(from, to)) {
            return;
        }
        let text = condition.map_or_else(String::new, |(guard, given)| self.words.tell(self.evaluator, guard, given));
        self.edges.insert((from, to), text);
    }

    fn trace(&mut self) {
        let mut sources: Vec<Source> = self.sources.iter().copied().collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            Trace::new(self, source).run();
        }
        self.prune();
    }

    /// Addresses inside an object that are only used to get at its contents lead nowhere.
    fn prune(&mut self) {
        loop {
            let busy: BTreeSet<Node> = self.edges.keys().map(|edge| edge.0).collect();
            let is_idle = |node: Node| {
                let Node::Value(value) = node else { return false };
                let kind = self.evaluator.body.insts[value].kind;
                let is_address =
                    matches!(kind, InstKind::Field { .. } | InstKind::Element { .. } | InstKind::Binary { .. });
                is_address && !busy.contains(&node)
            };
            let idle: Vec<(Node, Node)> = self.edges.keys().copied().filter(|edge| is_idle(edge.1)).collect();
            if idle.is_empty() {
                return;
            }
            idle.iter().for_each(|edge| {
                self.edges.remove(edge);
            });
        }
    }
}

/// One object for each call and object it yields, by the places in callees that made it.
fn sources(evaluator: &Evaluator<'_>) -> IdVec<HeapId, Source> {
    let heaps = &evaluator.objects.heap;
    let mut origins: Vec<(Value, &[(usize, Loc)])> = Vec::new();
    let number = |heap: &caulk_flow::object::Heap, origins: &[(Value, &[(usize, Loc)])]| {
        origins.iter().filter(|origin| origin.0 == heap.site).position(|origin| origin.1 == heap.inner)
    };
    for heap in heaps {
        if number(heap, &origins).is_none() {
            origins.push((heap.site, &heap.inner));
        }
    }
    heaps.iter().map(|heap| Source { site: heap.site, number: number(heap, &origins).unwrap_or_default() }).collect()
}

impl Flow<'_, '_> {
    fn print(&self, function: FunctionId, graph: &mut Digraph) {
        let mut nodes: Vec<Node> = self.sources.iter().map(|&source| Node::Source(source)).collect();
        nodes.extend(self.edges.keys().flat_map(|edge| [edge.0, edge.1]));
        nodes.sort_unstable();
        nodes.dedup();
        let id = |node: Node| format!("{function}.{}", nodes.binary_search(&node).unwrap_or_default());
        for &node in &nodes {
            let (text, shape) = self.describe(function, node);
            graph.node(&id(node), &[text], shape);
        }
        for (&(from, to), condition) in &self.edges {
            graph.edge(&id(from), &id(to), condition);
        }
    }

    /// Where in its callees a call's object was made.
    fn origin(&self, source: Source) -> String {
        let evaluator = &*self.evaluator;
        let first = self.sources.iter_enumerated().find(|entry| *entry.1 == source).map(|entry| entry.0);
        let inner = first.and_then(|heap| evaluator.objects.heap[heap].inner.first());
        match inner.and_then(|&(module, loc)| evaluator.cx.program.sources[module].map.place(loc)) {
            Some(place) => format!(" made line {}", place.line),
            None => String::new(),
        }
    }

    fn describe(&self, function: FunctionId, node: Node) -> (String, Shape) {
        let evaluator = &*self.evaluator;
        let (program, body) = (evaluator.cx.program, evaluator.body);
        let at_loc = |loc: Loc| match line(program, function, loc) {
            0 => String::new(),
            line => format!(" line {line}"),
        };
        let at = |value: Value| at_loc(body.insts[value].loc);
        let callee = |call: Value| match body.insts[call].kind {
            InstKind::Call { callee, .. } => describe::expression(evaluator, callee),
            _ => "…".to_owned(),
        };
        let variable = |value: Value| {
            let entry = body.variable_names.iter().find(|entry| is_same(body, entry.0, value));
            entry.map(|entry| entry.1.as_str())
        };
        match node {
            Node::Source(source @ Source { site, number }) => {
                // Only one of the objects is the result itself.
                let holder = variable(site).filter(|_| number == 0).map(|name| format!("{name} = "));
                let text = format!("{}{}(){}", holder.unwrap_or_default(), callee(site), at(site));
                (format!("{text}{}", self.origin(source)), Shape::Start)
            }
            Node::Value(value) => {
                let text = variable(value).map_or_else(|| describe::expression(evaluator, value), str::to_owned);
                (format!("{text}{}", at(value)), Shape::Plain)
            }
            Node::Cell(home, offset) => {
                let name = self.names.get(&(home, offset)).map_or("memory", String::as_str);
                let is_shared = match home {
                    Home::Source(_) => false,
                    Home::Object(object) => evaluator.objects.outlives(Object(object)),
                };
                (name.to_owned(), if is_shared { Shape::Shared } else { Shape::Cell })
            }
            Node::Argument(call, number) => {
                (format!("argument {} of {}(){}", number + 1, callee(call), at(call)), Shape::Plain)
            }
            Node::Release(call) => (format!("released by {}(){}", callee(call), at(call)), Shape::End),
            Node::Escape(call) => (format!("kept by {}(){}", callee(call), at(call)), Shape::End),
            Node::Return(block) => {
                let loc = body.blocks.as_slice()[block as usize].terminator_loc;
                (format!("returned{}", at_loc(loc)), Shape::End)
            }
        }
    }
}

/// Whether one value is the other, or a conversion of it.
fn is_same(body: &Function, mut one: Value, other: Value) -> bool {
    loop {
        match body.insts[one].kind {
            _ if one == other => return true,
            InstKind::Cast(inner) | InstKind::BitCast(inner) => one = inner,
            _ => return false,
        }
    }
}
