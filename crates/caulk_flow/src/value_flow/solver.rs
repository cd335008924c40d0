//! The fixpoint: what every node may hold.
//!
//! - *point*: an object and an offset in it, as a pointer has them.
//! - *use*: what to do with each point that a node comes to hold: load from it, store to it, go on to a member.
//! - a function *knows* an object once one of its nodes holds a point of it.
//!
//! A cell that a callee sees is linked to the cell of each caller that knows the object, so that what the callee reads
//! and writes there flows through the call (SABER's implicit parameters and results).
//!
//! Invariant: everything found is appended in the order of finding, so that the result is the same on every run.

use std::collections::VecDeque;

use caulk_base::IdVec;
use caulk_ir::ir::Value;
use caulk_program::{FunctionId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Edge, Label, Node, NodeId, Object};

/// Points handed on before the graph is drawn as it is. May cost edges; the graph says so.
const MAX_STEPS: usize = 3_000_000;
/// Members beyond this offset are the object as a whole: a loop over `&p->next` would have no end.
const MAX_OFFSET: i64 = 4096;

pub(super) type Point = (Object, i64);

/// A set that remembers the order of insertion.
#[derive(Default)]
pub(super) struct Points {
    pub(super) list: Vec<Point>,
    set: FxHashSet<Point>,
}

#[derive(Clone, Copy)]
pub(super) enum Use {
    /// The target points so many bytes further.
    Shift {
        to: NodeId,
        by: i64,
    },
    /// What is so many bytes from there flows to the target; in this function.
    Load {
        to: NodeId,
        at: i64,
        function: FunctionId,
    },
    Store {
        from: NodeId,
        at: i64,
        function: FunctionId,
    },
}

pub(super) struct Solver<'a> {
    pub(super) program: &'a Program,
    pub(super) nodes: IdVec<NodeId, Node>,
    pub(super) points: IdVec<NodeId, Points>,
    pub(super) edges: Vec<Edge>,
    pub(super) is_cut: bool,
    ids: FxHashMap<Node, NodeId>,
    known_edges: FxHashSet<Edge>,
    successors: IdVec<NodeId, Vec<NodeId>>,
    uses: IdVec<NodeId, Vec<Use>>,
    waiting: VecDeque<(NodeId, Point)>,
    /// By function: who calls it, and whom it calls, with the call.
    callers: IdVec<FunctionId, Vec<(FunctionId, Value)>>,
    callees: IdVec<FunctionId, Vec<(FunctionId, Value)>>,
    known: FxHashSet<(FunctionId, Object)>,
    shared: FxHashSet<Object>,
    cells: FxHashMap<(FunctionId, Object), Vec<i64>>,
    /// By object: the functions that have a cell of it.
    seen_by: FxHashMap<Object, Vec<(FunctionId, i64)>>,
    /// Cells that were made and are not linked yet.
    created: Vec<(FunctionId, Object, i64)>,
    steps: usize,
}

impl<'a> Solver<'a> {
    pub(super) fn new(program: &'a Program) -> Solver<'a> {
        let count = program.functions().len();
        Solver {
            program,
            nodes: IdVec::new(),
            points: IdVec::new(),
            edges: Vec::new(),
            is_cut: false,
            ids: FxHashMap::default(),
            known_edges: FxHashSet::default(),
            successors: IdVec::new(),
            uses: IdVec::new(),
            waiting: VecDeque::new(),
            callers: IdVec::filled(Vec::new(), count),
            callees: IdVec::filled(Vec::new(), count),
            known: FxHashSet::default(),
            shared: FxHashSet::default(),
            cells: FxHashMap::default(),
            seen_by: FxHashMap::default(),
            created: Vec::new(),
            steps: 0,
        }
    }

    pub(super) fn node(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.push(node);
        self.ids.insert(node, id);
        self.points.push(Points::default());
        self.successors.push(Vec::new());
        self.uses.push(Vec::new());
        id
    }

    pub(super) fn add_call(&mut self, caller: FunctionId, call: Value, callee: FunctionId) {
        self.callers[callee].push((caller, call));
        self.callees[caller].push((callee, call));
    }

    pub(super) fn add_point(&mut self, node: NodeId, point: Point) {
        if self.points[node].set.insert(point) {
            self.points[node].list.push(point);
            self.waiting.push_back((node, point));
        }
    }

    pub(super) fn add_edge(&mut self, from: NodeId, to: NodeId, label: Label) {
        let edge = Edge { from, to, label };
        if from == to || !self.known_edges.insert(edge) {
            return;
        }
        self.edges.push(edge);
        self.successors[from].push(to);
        for place in 0..self.points[from].list.len() {
            let point = self.points[from].list[place];
            self.add_point(to, point);
        }
    }

    pub(super) fn add_use(&mut self, node: NodeId, wanted: Use) {
        self.uses[node].push(wanted);
        if let Use::Shift { to, .. } = wanted {
            // Drawn like a copy; what flows along it is told by the use.
            let edge = Edge { from: node, to, label: Label::Copy };
            if self.known_edges.insert(edge) {
                self.edges.push(edge);
            }
        }
        for place in 0..self.points[node].list.len() {
            let point = self.points[node].list[place];
            self.apply(wanted, point);
        }
    }

    pub(super) fn solve(&mut self) {
        while let Some((node, point)) = self.waiting.pop_front() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.is_cut = true;
                return;
            }
            for place in 0..self.successors[node].len() {
                let to = self.successors[node][place];
                self.add_point(to, point);
            }
            for place in 0..self.uses[node].len() {
                let wanted = self.uses[node][place];
                self.apply(wanted, point);
            }
            match self.nodes[node].function() {
                Some(function) => self.learn(function, point.0),
                None => self.share(point.0),
            }
            while let Some((function, object, offset)) = self.created.pop() {
                self.link(function, object, offset);
            }
        }
    }

    fn apply(&mut self, wanted: Use, (object, offset): Point) {
        match wanted {
            Use::Shift { to, by } => self.add_point(to, (object, bounded(offset + by))),
            Use::Load { to, at, function } => {
                let cell = self.cell(function, object, bounded(offset + at));
                self.add_edge(cell, to, Label::Copy);
            }
            Use::Store { from, at, function } => {
                let cell = self.cell(function, object, bounded(offset + at));
                self.add_edge(from, cell, Label::Copy);
            }
        }
    }

    fn cell(&mut self, function: FunctionId, object: Object, offset: i64) -> NodeId {
        if let Object::Variable(_) = object {
            return self.node(Node::Cell(None, object, offset));
        }
        let node = Node::Cell(Some(function), object, offset);
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        self.cells.entry((function, object)).or_default().push(offset);
        self.seen_by.entry(object).or_default().push((function, offset));
        self.created.push((function, object, offset));
        self.node(node)
    }

    /// A new cell, with those of the callers and with the one that all see.
    fn link(&mut self, function: FunctionId, object: Object, offset: i64) {
        for place in 0..self.callers[function].len() {
            let (caller, call) = self.callers[function][place];
            if self.known.contains(&(caller, object)) {
                self.link_call(caller, call, function, object, offset);
            }
        }
        if self.shared.contains(&object) {
            self.link_shared(function, object, offset);
        }
    }

    fn link_call(&mut self, caller: FunctionId, call: Value, callee: FunctionId, object: Object, offset: i64) {
        let (outer, inner) = (self.cell(caller, object, offset), self.cell(callee, object, offset));
        self.add_edge(outer, inner, Label::Open(caller, call, callee));
        self.add_edge(inner, outer, Label::Close(caller, call, callee));
    }

    fn link_shared(&mut self, function: FunctionId, object: Object, offset: i64) {
        let (own, common) = (self.cell(function, object, offset), self.node(Node::Cell(None, object, offset)));
        self.add_edge(own, common, Label::Copy);
        self.add_edge(common, own, Label::Copy);
    }

    fn learn(&mut self, function: FunctionId, object: Object) {
        if matches!(object, Object::Variable(_)) || !self.known.insert((function, object)) {
            return;
        }
        for place in 0..self.callees[function].len() {
            let (callee, call) = self.callees[function][place];
            for offset in self.cells.get(&(callee, object)).cloned().unwrap_or_default() {
                self.link_call(function, call, callee, object, offset);
            }
        }
    }

    fn share(&mut self, object: Object) {
        if matches!(object, Object::Variable(_)) || !self.shared.insert(object) {
            return;
        }
        for (function, offset) in self.seen_by.get(&object).cloned().unwrap_or_default() {
            self.link_shared(function, object, offset);
        }
    }
}

fn bounded(offset: i64) -> i64 {
    if (0..=MAX_OFFSET).contains(&offset) { offset } else { 0 }
}
