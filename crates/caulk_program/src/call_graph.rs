//! Who calls whom.
//!
//! - *edge*: a function calls another, directly or through a pointer whose targets are known.
//! - *fan-out* of an edge: 0 for a direct call; else how many functions the pointer may reach, at the call that knows
//!   best.
//! - an edge *yields a pointer* if one of its calls does: such a callee may be an allocator.
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
    pub(crate) yields_pointer: bool,
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
        let mut edges: Vec<Edge> = Vec::new();
        for (id, info) in linked.functions.iter_enumerated() {
            let module = &modules[info.module];
            let function = &module.functions[info.index];
            for (call, inst) in function.insts.iter_enumerated() {
                let InstKind::Call { callee, args } = inst.kind else { continue };
                let yields_pointer = module.unit.types.is_pointer(inst.ty);
                let mut add = |callee, fan_out, yields_pointer| {
                    edges.push(Edge { callee, fan_out, yields_pointer, is_cut: false });
                };
                // A function that is passed on may be called on the way: its summary must be there.
                for &arg in function.operands(args) {
                    if let Some(global) = direct_callee(function, arg)
                        && let Resolved::Function(target) = linked.resolved[info.module][global]
                    {
                        add(target, 1, false);
                    }
                }
                match direct_callee(function, callee).map(|global| linked.resolved[info.module][global]) {
                    Some(Resolved::Function(target)) => add(target, 0, yields_pointer),
                    Some(Resolved::External(_)) => {}
                    Some(Resolved::Variable(_)) | None => {
                        let targets = pointers.call_targets(id, call).unwrap_or(&[]);
                        for target in targets {
                            if let Target::Function(target) = *target {
                                add(target, targets.len() as u32, yields_pointer);
                            }
                        }
                    }
                }
            }
            // The least fan-out of those to one callee comes first, and stays.
            edges.sort_unstable_by_key(|edge| (edge.callee, edge.fan_out, !edge.yields_pointer));
            edges.dedup_by_key(|edge| edge.callee);
            graph.edges.append(&mut edges);
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
