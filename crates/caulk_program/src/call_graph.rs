//! Who calls whom.
//!
//! - *edge*: a function calls another, directly or through a pointer whose targets are known.
//! - *fan-out* of an edge: 0 for a direct call; else how many functions the pointer may reach, at the call that knows
//!   best.
//! - *cut*: an edge that the order of work does not heed.
//!
//! ```c
//! int open_any(struct file *f) { note(f); return f->ops->open(f); }   // note: 0; disk_open, net_open: 2 each
//! ```
//!
//! Invariant: a function has at most one edge to another, and they are in the order of the callees.

use caulk_base::id::Id;
use caulk_ir::ir::{Function, GlobalId, InstKind, Module, Value};

use crate::link::Linked;
use crate::pointers::Pointers;
use crate::program::{FunctionId, Resolved, Target};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) callee: FunctionId,
    pub(crate) fan_out: u32,
    pub(crate) is_cut: bool,
}

/// The edges of each function, one function after the other.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    /// By function: where its edges end.
    ends: Vec<u32>,
    edges: Vec<Edge>,
}

impl CallGraph {
    pub(crate) fn new(modules: &[Module], linked: &Linked, pointers: &Pointers) -> CallGraph {
        let mut graph = CallGraph::default();
        let mut edges: Vec<(FunctionId, u32)> = Vec::new();
        for (id, info) in linked.functions.iter_enumerated() {
            let function = &modules[info.module].functions[info.index];
            for (call, inst) in function.insts.iter_enumerated() {
                let InstKind::Call { callee, args } = inst.kind else { continue };
                // A function that is passed on may be called on the way: its summary must be there.
                for &arg in function.operands(args) {
                    if let Some(global) = direct_callee(function, arg)
                        && let Resolved::Function(target) = linked.resolved[info.module][global]
                    {
                        edges.push((target, 1));
                    }
                }
                match direct_callee(function, callee).map(|global| linked.resolved[info.module][global]) {
                    Some(Resolved::Function(target)) => edges.push((target, 0)),
                    Some(Resolved::External(_)) => {}
                    Some(Resolved::Variable(_)) | None => {
                        let targets = pointers.call_targets(id, call).unwrap_or(&[]);
                        let fan_out = targets.len() as u32;
                        edges.extend(targets.iter().filter_map(|target| match *target {
                            Target::Function(target) => Some((target, fan_out)),
                            Target::External(_) => None,
                        }));
                    }
                }
            }
            // The least fan-out of those to one callee comes first, and stays.
            edges.sort_unstable();
            edges.dedup_by_key(|edge| edge.0);
            graph.edges.extend(edges.drain(..).map(|(callee, fan_out)| Edge { callee, fan_out, is_cut: false }));
            graph.ends.push(graph.edges.len() as u32);
        }
        graph
    }

    /// How many functions there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn edges(&self, function: FunctionId) -> &[Edge] {
        &self.edges[self.range(function)]
    }

    pub(crate) fn edges_mut(&mut self, function: FunctionId) -> &mut [Edge] {
        let range = self.range(function);
        &mut self.edges[range]
    }

    fn range(&self, function: FunctionId) -> std::ops::Range<usize> {
        let number = function.index();
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[number] as usize
    }
}

/// The global that a callee names, seen through conversions of its type.
pub(crate) fn direct_callee(function: &Function, mut callee: Value) -> Option<GlobalId> {
    loop {
        match function.insts[callee].kind {
            InstKind::Global(global) => return Some(global),
            InstKind::Cast(inner) | InstKind::BitCast(inner) => callee = inner,
            _ => return None,
        }
    }
}
