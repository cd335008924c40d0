//! What of a function can matter to the ownership of memory.
//!
//! - *seed*: an instruction that matters by itself: a call with effects, a store of a pointer, a return.
//! - *kept*: a seed, or something that a kept instruction needs: the values it is made of, the stores it may read, and
//!   the branches that decide whether it is reached, with the data they test.
//! - *way*: one of the successors that a terminator lists, by its number.
//!
//! ```c
//! char *f(int n, int log) {
//!     int i = 0;
//!     if (log) puts("f");               // dropped: puts has no effects on memory
//!     while (i < n) i++;                // dropped, unless i is tested below
//!     char *p = malloc(n);              // kept: allocation
//!     if (n > 9) { free(p); p = 0; }    // kept, and with it the test of n
//!     return p;                         // kept
//! }
//! ```
//!
//! Blocks with nothing kept are contracted: a way that led into one leads to the next kept block. This is backward
//! slicing (Weiser) on SSA form. Because the kept blocks hold every branch that they are control dependent on, a way
//! leads to at most one next kept block: nothing is decided in between, so all correlations between kept branches
//! survive, which PML_Checker's projection does not promise. That one keeps every branch, and closes those without
//! interest upon themselves (its rule 3); here they are gone.
//!
//! Invariant: there is a path from one kept block to another through none in between exactly if there is an edge.

use caulk_base::IdVec;
use caulk_ir::cfg::Cfg;
use caulk_ir::control::ControlDependence;
use caulk_ir::ir::{BlockId, Builtin, ENTRY, Function, InstKind, Module, Terminator, Ty, Value};
use caulk_program::FunctionId;
use caulk_sema::types::TypeTable;
use rustc_hash::FxHashSet;

use crate::callee;
use crate::evaluate::Surroundings;
use crate::memory::{MemoryClasses, Place};

/// The kept part of one function's graph.
pub struct Projection {
    /// Blocks that are nodes of the projection.
    pub blocks: IdVec<BlockId, bool>,
    pub insts: IdVec<Value, bool>,
    /// Blocks whose terminator decides something that is kept.
    pub branches: IdVec<BlockId, bool>,
    /// In the order of their sources.
    pub edges: Vec<Edge>,
    /// Blocks and edges of the graph that was projected, without what cannot be reached.
    pub original: (usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: BlockId,
    /// `None` if all ways lead there, or there is only one.
    pub way: Option<usize>,
    pub to: BlockId,
}

impl Projection {
    pub fn of(cx: &Surroundings<'_>, function: FunctionId) -> Projection {
        let (module, body) = cx.program.body(function);
        let cfg = Cfg::new(body);
        let mut slice = Slice::new(module, body, &cfg);
        slice.seed(cx, function);
        slice.close();
        slice.add_names();
        let Slice { blocks, insts, branches, .. } = slice;
        let edges = contract(body, &cfg, &blocks, &branches);
        let original_edges = cfg.reverse_postorder().iter().map(|&block| cfg.successors(block).len()).sum();
        Projection { blocks, insts, branches, edges, original: (cfg.reverse_postorder().len(), original_edges) }
    }

    /// How many blocks and edges are not in the projection.
    pub fn dropped(&self) -> (usize, usize) {
        let blocks = self.blocks.iter().filter(|&&is_kept| is_kept).count();
        let mut pairs: Vec<(BlockId, BlockId)> = self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        pairs.dedup();
        (self.original.0 - blocks, self.original.1.saturating_sub(pairs.len()))
    }
}

/// What is kept so far, and what of it has not been looked at.
struct Slice<'a> {
    module: &'a Module,
    body: &'a Function,
    cfg: &'a Cfg,
    control: ControlDependence,
    memory: MemoryClasses,
    /// By instruction: the block it stands in.
    homes: IdVec<Value, Option<BlockId>>,
    blocks: IdVec<BlockId, bool>,
    insts: IdVec<Value, bool>,
    branches: IdVec<BlockId, bool>,
    waiting: Vec<Value>,
    /// Places whose stores are kept.
    read: FxHashSet<Place>,
}

impl<'a> Slice<'a> {
    fn new(module: &'a Module, body: &'a Function, cfg: &'a Cfg) -> Slice<'a> {
        let mut homes = IdVec::filled(None, body.insts.len());
        for &block in cfg.reverse_postorder() {
            body.blocks[block].insts.iter().for_each(|&inst| homes[inst] = Some(block));
        }
        Slice {
            module,
            body,
            cfg,
            control: ControlDependence::new(cfg),
            memory: MemoryClasses::of(module, body),
            homes,
            blocks: IdVec::filled(false, body.blocks.len()),
            insts: IdVec::filled(false, body.insts.len()),
            branches: IdVec::filled(false, body.blocks.len()),
            waiting: Vec::new(),
            read: FxHashSet::default(),
        }
    }

    fn seed(&mut self, cx: &Surroundings<'_>, function: FunctionId) {
        self.keep_block(ENTRY);
        for &block in self.cfg.reverse_postorder() {
            for &inst in &self.body.blocks[block].insts {
                if self.is_seed(cx, function, inst) {
                    self.keep(inst);
                }
            }
            match self.body.blocks[block].terminator {
                Terminator::Return(value) => {
                    self.keep_block(block);
                    value.into_iter().for_each(|value| self.keep(value));
                }
                // Whether the function comes back matters, too.
                Terminator::None | Terminator::Unreachable => self.keep_block(block),
                Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch(_)
                | Terminator::Indirect { .. }
                | Terminator::AsmGoto { .. } => {}
            }
        }
    }

    fn is_seed(&self, cx: &Surroundings<'_>, function: FunctionId, inst: Value) -> bool {
        let types = &self.module.unit.types;
        match self.body.insts[inst].kind {
            InstKind::Call { .. } => callee::has_effects(cx, function, inst),
            InstKind::Store { value, .. } => self.carries(cx, function, value),
            InstKind::Zero { address, .. } => {
                types.pointee(self.body.ty(address)).is_none_or(|ty| holds_pointers(types, ty, 0))
            }
            InstKind::Builtin { op, args } => match op {
                Builtin::Unreachable | Builtin::Trap | Builtin::Longjmp | Builtin::Setjmp => true,
                Builtin::AtomicLoad => false,
                _ => self.body.operands(args).iter().any(|&arg| types.is_pointer(self.body.ty(arg))),
            },
            InstKind::Asm { .. } | InstKind::Unknown { .. } => true,
            _ => false,
        }
    }

    /// Whether a stored value may be, or have in it, a pointer or a number that names a resource.
    fn carries(&self, cx: &Surroundings<'_>, function: FunctionId, value: Value) -> bool {
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            if !seen.insert(value) {
                continue;
            }
            let inst = self.body.insts[value];
            if holds_pointers(&self.module.unit.types, inst.ty, 0) {
                return true;
            }
            match inst.kind {
                InstKind::Cast(inner) | InstKind::BitCast(inner) => waiting.push(inner),
                InstKind::Phi(args) => waiting.extend(self.body.phi_args(args).map(|entry| entry.1)),
                InstKind::Binary { a, b, .. } => waiting.extend([a, b]),
                InstKind::Call { .. } if callee::is_allocation(cx, function, value) => return true,
                _ => {}
            }
        }
        false
    }

    fn keep(&mut self, value: Value) {
        let Some(home) = self.homes[value] else { return };
        if !std::mem::replace(&mut self.insts[value], true) {
            self.waiting.push(value);
            self.keep_block(home);
        }
    }

    fn keep_block(&mut self, block: BlockId) {
        let mut waiting = vec![block];
        while let Some(block) = waiting.pop() {
            if std::mem::replace(&mut self.blocks[block], true) {
                continue;
            }
            for &decider in self.control.deciders(block) {
                waiting.push(decider);
                if !std::mem::replace(&mut self.branches[decider], true)
                    && let Some(tested) = self.body.blocks[decider].terminator.operand()
                    && let Some(home) = self.homes[tested]
                    && !std::mem::replace(&mut self.insts[tested], true)
                {
                    self.waiting.push(tested);
                    waiting.push(home);
                }
            }
        }
    }

    /// Keeps what the kept needs, until nothing is missing.
    fn close(&mut self) {
        while let Some(value) = self.waiting.pop() {
            let body = self.body;
            let kind = &body.insts[value].kind;
            kind.for_each_operand(body, |operand| self.keep(operand));
            if let InstKind::Phi(args) = *kind {
                // The way into the block tells which value it is.
                body.phi_args(args).filter(|&(block, _)| self.cfg.is_reachable(block)).for_each(|(block, _)| {
                    self.keep_block(block);
                });
            }
            if let Some(place) = self.memory.read_by(body, value)
                && self.read.insert(place)
            {
                for writer in self.memory.writers_of(place) {
                    self.keep(writer);
                }
            }
        }
    }

    /// Names and ends of what is kept; they tell, and decide nothing.
    fn add_names(&mut self) {
        let body = self.body;
        for &block in self.cfg.reverse_postorder().iter().filter(|&&block| self.blocks[block]) {
            for &inst in &body.blocks[block].insts {
                if let InstKind::Bind { value, .. } | InstKind::End { object: value } = body.insts[inst].kind {
                    self.insts[inst] = self.insts[value] || matches!(body.insts[value].kind, InstKind::Param(_));
                }
            }
        }
    }
}

/// Whether a value of this type can have pointers in it.
fn holds_pointers(types: &TypeTable, ty: Ty, depth: u32) -> bool {
    if types.is_pointer(ty) || depth > 16 {
        return true;
    }
    if let Some(element) = types.element(ty) {
        return holds_pointers(types, element, depth + 1);
    }
    let Some(record) = types.record_of(ty) else { return false };
    types
        .layout(record)
        .is_none_or(|layout| layout.fields.iter().any(|field| holds_pointers(types, field.ty, depth + 1)))
}

/// Edges between kept blocks: where each way leads once everything else is left out.
fn contract(body: &Function, cfg: &Cfg, kept: &IdVec<BlockId, bool>, branches: &IdVec<BlockId, bool>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for from in kept.ids().filter(|&block| kept[block] && cfg.is_reachable(block)) {
        let start = edges.len();
        for (way, to) in body.blocks[from].terminator.successors().enumerate() {
            let way = branches[from].then_some(way);
            next_kept(cfg, kept, to).into_iter().for_each(|to| edges.push(Edge { from, way, to }));
        }
        edges[start..].sort_unstable();
        let unique = {
            let mut unique = edges.split_off(start);
            unique.dedup();
            unique
        };
        edges.extend(unique);
    }
    edges
}

/// The kept blocks that come next; there are none where control cannot get to one, and never two if the kept blocks
/// hold those that decide them.
fn next_kept(cfg: &Cfg, kept: &IdVec<BlockId, bool>, from: BlockId) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if !seen.insert(block) {
            continue;
        }
        if kept[block] { found.push(block) } else { waiting.extend_from_slice(cfg.successors(block)) }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use caulk_base::Loc;
    use caulk_ir::ir::{Block, GlobalId};

    /// A function with no instructions and random edges, and some of its blocks.
    fn random(seed: u64) -> (Function, Vec<BlockId>) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 33) % u64::from(limit)) as u32
        };
        let count = 2 + below(10);
        let mut function = Function::new(GlobalId(0), Loc::NONE);
        for _ in 0..count {
            let targets = (0..below(4)).map(|_| BlockId(1 + below(count - 1))).collect();
            function.blocks.push(Block { terminator: Terminator::AsmGoto { targets }, ..Block::default() });
        }
        let chosen = (0..count).map(BlockId).filter(|_| below(3) == 0).collect();
        (function, chosen)
    }

    /// By pairs of blocks: whether there is a path of at least one edge.
    fn reach(count: usize, edges: impl Iterator<Item = (BlockId, BlockId)>) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; count]; count];
        edges.for_each(|(from, to)| reach[from.0 as usize][to.0 as usize] = true);
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        reach
    }

    #[test]
    fn kept_blocks_reach_each_other_as_before_and_nothing_new_is_decided() {
        for seed in 0..4000 {
            let (function, chosen) = random(seed);
            let cfg = Cfg::new(&function);
            let control = ControlDependence::new(&cfg);
            let mut kept = IdVec::filled(false, function.blocks.len());
            let mut branches = IdVec::filled(false, function.blocks.len());
            let mut waiting: Vec<BlockId> = chosen.into_iter().chain([ENTRY]).collect();
            while let Some(block) = waiting.pop() {
                if cfg.is_reachable(block) && !std::mem::replace(&mut kept[block], true) {
                    control.deciders(block).iter().for_each(|&decider| branches[decider] = true);
                    waiting.extend_from_slice(control.deciders(block));
                }
            }
            let edges = contract(&function, &cfg, &kept, &branches);
            let count = function.blocks.len();
            let reachable = || cfg.reverse_postorder().iter().copied();
            let before =
                reach(count, reachable().flat_map(|from| cfg.successors(from).iter().map(move |&to| (from, to))));
            let after = reach(count, edges.iter().map(|edge| (edge.from, edge.to)));
            // Paths that pass no kept block on the way: leave the kept ones out in the middle.
            let steps = reachable().flat_map(|from| cfg.successors(from).iter().map(move |&to| (from, to)));
            let inner = reach(count, steps.filter(|&(from, to)| !kept[from] && !kept[to]));
            for from in kept.ids().filter(|&block| kept[block]) {
                for to in kept.ids().filter(|&block| kept[block]) {
                    let (a, b) = (from.0 as usize, to.0 as usize);
                    assert_eq!(before[a][b], after[a][b], "seed {seed}: {from} to {to}");
                    let is_direct = cfg.successors(from).iter().any(|&first| {
                        first == to
                            || !kept[first]
                                && cfg.predecessors(to).iter().any(|&last| {
                                    !kept[last] && (first == last || inner[first.0 as usize][last.0 as usize])
                                })
                    });
                    let is_edge = edges.iter().any(|edge| (edge.from, edge.to) == (from, to));
                    assert_eq!(is_direct, is_edge, "seed {seed}: an edge from {from} to {to}");
                }
                // One way, one block; without a branch one block.
                let own: Vec<&Edge> = edges.iter().filter(|edge| edge.from == from).collect();
                for (place, edge) in own.iter().enumerate() {
                    assert!(!own[..place].iter().any(|other| other.way == edge.way), "seed {seed}: {own:?}");
                }
            }
        }
    }
}
