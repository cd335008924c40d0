//! How memory travels through the whole program.
//!
//! - *source*: a call of something without a body that yields fresh memory.
//! - *node*: a value of a function, a cell of memory as one function sees it, a function's result; or where memory
//!   goes: a release, an escape.
//! - *edge*: what one node holds, the other may hold. An edge into a callee opens a parenthesis, labelled with the
//!   call; one back to the caller closes it.
//!
//! ```c
//! char **make(void) { char **b = malloc(8); *b = malloc(1); return b; }
//! void drop(char **b) { free(*b); free(b); }
//! void use(void) { char **m = make(); drop(m); }
//! ```
//! ```text
//! malloc#1 → b → result of make  –)make:3→  m  –(drop:3→  b → free
//! malloc#2 → *b in make          –)make:3→  *m –(drop:3→  *b → free
//! ```
//!
//! This is SABER's sparse value-flow graph, from the instructions alone: addresses are resolved by an inclusion-based
//! points-to analysis (Andersen) that tells members apart by their offset and the elements of an array not at all. It
//! heeds neither the order of stores nor conditions; those are told by the graph of one function.
//! A cell is seen by a function if the function can name the object; objects that a global leads to are seen by all, in
//! one node.
//!
//! Invariant: what a node holds, its successors hold. Only nodes that may hold allocated memory are there.

mod constraints;
mod solver;

use caulk_base::{IdVec, define_id};
use caulk_ir::ir::{InstKind, Value};
use caulk_program::{FunctionId, Program, VariableId};
use rustc_hash::FxHashSet;

use crate::model::Models;
use solver::Solver;

define_id!(NodeId, "n");

/// Calls that are remembered on a walk. Deeper, the outermost is forgotten: the walk may then return to other callers.
const MAX_CALLS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// What a call yields.
    Heap(FunctionId, Value),
    Slot(FunctionId, Value),
    Variable(VariableId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A value; conversions of it are the same.
    Value(FunctionId, Value),
    /// What a call puts somewhere else than into its result.
    Fresh(FunctionId, Value),
    /// A cell as a function sees it; `None` for those that all see.
    Cell(Option<FunctionId>, Object, i64),
    Result(FunctionId),
    /// A call that releases.
    Release(FunctionId, Value),
    /// A call that keeps, or an instruction of which nothing is known.
    Escape(FunctionId, Value),
}

impl Node {
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Node::Cell(function, ..) => function,
            Node::Value(function, _)
            | Node::Fresh(function, _)
            | Node::Result(function)
            | Node::Release(function, _)
            | Node::Escape(function, _) => Some(function),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    Copy,
    /// Into the function, by the call of a caller.
    Open(FunctionId, Value, FunctionId),
    /// Out of the function, back to the call of a caller.
    Close(FunctionId, Value, FunctionId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub label: Label,
}

/// The graph, frozen.
pub struct ValueFlow {
    pub nodes: IdVec<NodeId, Node>,
    /// Sorted.
    pub edges: Vec<Edge>,
    /// Nodes where memory begins.
    pub sources: Vec<NodeId>,
    /// The program was too large to follow to the end: edges are missing.
    pub is_cut: bool,
}

impl ValueFlow {
    pub fn of(program: &Program, models: &Models) -> ValueFlow {
        let mut solver = Solver::new(program);
        constraints::generate(&mut solver, models);
        solver.solve();
        let Solver { nodes: all, points, edges: all_edges, is_cut, .. } = solver;
        let is_heap = |point: &(Object, i64)| matches!(point.0, Object::Heap(..));
        let mut is_drawn: IdVec<NodeId, bool> = points.iter().map(|points| points.list.iter().any(is_heap)).collect();
        leave_out_idle(program, &all, &all_edges, &mut is_drawn);
        let mut numbers: IdVec<NodeId, Option<NodeId>> = IdVec::filled(None, all.len());
        let mut flow = ValueFlow { nodes: IdVec::new(), edges: Vec::new(), sources: Vec::new(), is_cut };
        for (id, &node) in all.iter_enumerated().filter(|entry| is_drawn[entry.0]) {
            let number = flow.nodes.push(node);
            numbers[id] = Some(number);
            let (Node::Value(function, value) | Node::Fresh(function, value)) = node else { continue };
            if points[id].list.contains(&(Object::Heap(function, value), 0)) {
                flow.sources.push(number);
            }
        }
        for edge in all_edges {
            if let (Some(from), Some(to)) = (numbers[edge.from], numbers[edge.to]) {
                flow.edges.push(Edge { from, to, ..edge });
            }
        }
        flow.edges.sort_unstable();
        flow
    }

    /// What can be reached along paths whose parentheses match: after a call was entered, it is left the same way.
    pub fn reached(&self, from: NodeId) -> Vec<NodeId> {
        let mut found: IdVec<NodeId, bool> = IdVec::filled(false, self.nodes.len());
        let mut seen: FxHashSet<(NodeId, Vec<(FunctionId, Value)>)> = FxHashSet::default();
        let mut waiting = vec![(from, Vec::new())];
        while let Some((node, calls)) = waiting.pop() {
            if !seen.insert((node, calls.clone())) {
                continue;
            }
            found[node] = true;
            let start = self.edges.partition_point(|edge| edge.from < node);
            for edge in self.edges[start..].iter().take_while(|edge| edge.from == node) {
                let mut calls = calls.clone();
                match edge.label {
                    Label::Copy => {}
                    Label::Open(caller, call, _) => {
                        if calls.len() == MAX_CALLS {
                            calls.remove(0);
                        }
                        calls.push((caller, call));
                    }
                    // With no call entered on the way, any caller may be the one.
                    Label::Close(caller, call, _) => match calls.pop() {
                        Some(entered) if entered != (caller, call) => continue,
                        _ => {}
                    },
                }
                // What all functions see is left by whoever comes.
                if self.nodes[edge.to].function().is_none() {
                    calls.clear();
                }
                waiting.push((edge.to, calls));
            }
        }
        found.iter_enumerated().filter(|entry| *entry.1).map(|entry| entry.0).collect()
    }
}

/// Addresses inside an object that are only used to get at its contents lead nowhere.
fn leave_out_idle(program: &Program, nodes: &IdVec<NodeId, Node>, edges: &[Edge], is_drawn: &mut IdVec<NodeId, bool>) {
    let is_address = |node: Node| match node {
        Node::Value(function, value) => matches!(
            program.body(function).1.insts[value].kind,
            InstKind::Field { .. } | InstKind::Element { .. } | InstKind::Binary { .. }
        ),
        _ => false,
    };
    // How many drawn nodes each node leads to, and who leads to it.
    let mut counts: IdVec<NodeId, u32> = IdVec::filled(0, nodes.len());
    let mut before: IdVec<NodeId, Vec<NodeId>> = IdVec::filled(Vec::new(), nodes.len());
    for edge in edges.iter().filter(|edge| is_drawn[edge.from] && is_drawn[edge.to]) {
        counts[edge.from] += 1;
        before[edge.to].push(edge.from);
    }
    let mut waiting: Vec<NodeId> = nodes.ids().filter(|&id| counts[id] == 0).collect();
    while let Some(node) = waiting.pop() {
        if !is_address(nodes[node]) || !std::mem::replace(&mut is_drawn[node], false) {
            continue;
        }
        for &from in &before[node] {
            counts[from] -= 1;
            if counts[from] == 0 {
                waiting.push(from);
            }
        }
    }
}
