//! Natural loops and how they nest.
//!
//! A *back edge* goes to a block that dominates its source, the loop's *header*. The loop of a header
//! is every block from which a source of its back edges can be reached without passing the header.
//!
//! ```c
//! for (i = 0; i < n; i++)          // loop 0, header: the outer test
//!     while (a[i]) a[i]--;         // loop 1, header: the inner test; its parent is loop 0
//! ```
//!
//! A cycle that is entered at two places (a `goto` into a loop, Duff's device) has no header that
//! dominates it. Such an *irreducible* region is no loop here, but every block of it is marked, so
//! that an analysis which treats loops by their headers knows where it must not.
//!
//! Invariant: two loops are nested or have no block in common. Outer loops have smaller ids.

use caulk_base::{IdVec, define_id};

use crate::cfg::Cfg;
use crate::dominators::Dominators;
use crate::ir::BlockId;

define_id!(LoopId, "loop");

#[derive(Clone, Debug)]
pub struct Loop {
    pub header: BlockId,
    /// The innermost loop around this one.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Sources of the back edges, in increasing order.
    pub latches: Vec<BlockId>,
    /// With those of inner loops; the header first, then in reverse postorder.
    pub blocks: Vec<BlockId>,
}

/// The loops of one graph.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: IdVec<LoopId, Loop>,
    innermost: IdVec<BlockId, Option<LoopId>>,
    is_irreducible: IdVec<BlockId, bool>,
}

impl Loops {
    pub fn new(cfg: &Cfg, dominators: &Dominators) -> Loops {
        let mut loops = Loops {
            loops: IdVec::new(),
            innermost: IdVec::filled(None, cfg.block_count()),
            is_irreducible: IdVec::filled(false, cfg.block_count()),
        };
        // Headers of outer loops come first in reverse postorder, so a later loop that takes a block
        // over is the inner one.
        for &header in cfg.reverse_postorder() {
            let is_latch = |&&block: &&BlockId| cfg.is_reachable(block) && dominators.dominates(header, block);
            let latches: Vec<BlockId> = cfg.predecessors(header).iter().filter(is_latch).copied().collect();
            if !latches.is_empty() {
                loops.add(cfg, header, latches);
            }
        }
        loops.mark_irreducible(cfg, dominators);
        loops
    }

    fn add(&mut self, cfg: &Cfg, header: BlockId, latches: Vec<BlockId>) {
        let id = self.loops.next_id();
        let parent = self.innermost[header];
        let depth = parent.map_or(1, |parent| self.loops[parent].depth + 1);
        let mut blocks = vec![header];
        self.innermost[header] = Some(id);
        let mut waiting = latches.clone();
        while let Some(block) = waiting.pop() {
            // Everything that reaches a latch without the header is dominated by the header, so the
            // walk stays inside the graph that the entry reaches, except for unreachable blocks.
            if self.innermost[block] == Some(id) || !cfg.is_reachable(block) {
                continue;
            }
            self.innermost[block] = Some(id);
            blocks.push(block);
            waiting.extend_from_slice(cfg.predecessors(block));
        }
        blocks.sort_by_key(|&block| cfg.number(block));
        self.loops.push(Loop { header, parent, depth, latches, blocks });
    }

    /// Marks the blocks of each cycle that is left when the back edges are cut.
    fn mark_irreducible(&mut self, cfg: &Cfg, dominators: &Dominators) {
        let goes_back = |from: BlockId, to: BlockId| cfg.number(to) <= cfg.number(from);
        let retreats = cfg
            .reverse_postorder()
            .iter()
            .any(|&from| cfg.successors(from).iter().any(|&to| goes_back(from, to) && !dominators.dominates(to, from)));
        // In a reducible graph all edges against the order are back edges, and cutting them leaves no cycle.
        if !retreats {
            return;
        }
        for component in components(cfg, |from, to| !dominators.dominates(to, from)) {
            if component.len() > 1 {
                for block in component {
                    self.is_irreducible[block] = true;
                }
            }
        }
    }

    pub fn loops(&self) -> &IdVec<LoopId, Loop> {
        &self.loops
    }

    /// The innermost loop that a block belongs to.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block]
    }

    /// How many loops a block is in.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost[block].map_or(0, |id| self.loops[id].depth)
    }

    /// Whether a block belongs to a loop, directly or through an inner one.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let mut at = self.innermost[block];
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.loops[inner].parent;
        }
        false
    }

    pub fn is_header(&self, block: BlockId) -> bool {
        self.innermost[block].is_some_and(|id| self.loops[id].header == block)
    }

    /// Whether a block lies on a cycle that no single block dominates.
    pub fn is_irreducible(&self, block: BlockId) -> bool {
        self.is_irreducible[block]
    }
}

/// Strongly connected components of the reachable blocks over the edges that `keep` accepts
/// (Tarjan's algorithm, without recursion).
fn components(cfg: &Cfg, keep: impl Fn(BlockId, BlockId) -> bool) -> Vec<Vec<BlockId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index: IdVec<BlockId, u32> = IdVec::filled(UNSEEN, cfg.block_count());
    let mut low: IdVec<BlockId, u32> = IdVec::filled(0, cfg.block_count());
    let mut is_open: IdVec<BlockId, bool> = IdVec::filled(false, cfg.block_count());
    let (mut open, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for &root in cfg.reverse_postorder() {
        if index[root] != UNSEEN {
            continue;
        }
        let mut way: Vec<(BlockId, usize)> = vec![(root, 0)];
        while let Some(&mut (block, ref mut edge)) = way.last_mut() {
            if *edge == 0 {
                index[block] = next;
                low[block] = next;
                next += 1;
                open.push(block);
                is_open[block] = true;
            }
            let successor = cfg.successors(block).get(*edge).copied();
            *edge += 1;
            match successor {
                Some(to) if !keep(block, to) => {}
                Some(to) if index[to] == UNSEEN => way.push((to, 0)),
                Some(to) if is_open[to] => low[block] = low[block].min(index[to]),
                Some(_) => {}
                None => {
                    way.pop();
                    if let Some(&(above, _)) = way.last() {
                        low[above] = low[above].min(low[block]);
                    }
                    if low[block] == index[block] {
                        let start = open.iter().rposition(|&other| other == block).unwrap_or(0);
                        let component: Vec<BlockId> = open.drain(start..).collect();
                        component.iter().for_each(|&block| is_open[block] = false);
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{graph, random_rows};

    fn loops_of(rows: &[Vec<u32>]) -> (Cfg, Dominators, Loops) {
        let cfg = Cfg::new(&graph(rows));
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dominators);
        (cfg, dominators, loops)
    }

    #[test]
    fn inner_loops_have_outer_parents() {
        let (_, _, loops) = loops_of(&[vec![1], vec![2, 4], vec![3, 1], vec![2], vec![]]);
        assert_eq!(loops.loops().len(), 2);
        assert_eq!(loops.loops()[LoopId(1)].parent, Some(LoopId(0)));
        assert_eq!(loops.loops()[LoopId(0)].blocks, [1, 2, 3].map(BlockId));
        assert_eq!(loops.loops()[LoopId(1)].latches, [BlockId(3)]);
        assert_eq!((loops.depth(BlockId(3)), loops.depth(BlockId(1)), loops.depth(BlockId(4))), (2, 1, 0));
        assert!(loops.contains(LoopId(0), BlockId(3)) && !loops.contains(LoopId(1), BlockId(1)));
        assert!(loops.is_header(BlockId(2)) && !loops.is_header(BlockId(3)));
    }

    #[test]
    fn a_cycle_with_two_entries_is_irreducible() {
        let (_, _, loops) = loops_of(&[vec![1, 2], vec![2], vec![1, 3], vec![]]);
        assert!(loops.loops().is_empty());
        assert!(loops.is_irreducible(BlockId(1)) && loops.is_irreducible(BlockId(2)));
        assert!(!loops.is_irreducible(BlockId(0)) && !loops.is_irreducible(BlockId(3)));
    }

    /// Whether `to` can be reached from `from` by at least one edge, over edges that `keep` accepts.
    fn reaches(cfg: &Cfg, from: BlockId, to: BlockId, keep: impl Fn(BlockId, BlockId) -> bool) -> bool {
        let mut seen = vec![false; cfg.block_count()];
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            for &next in cfg.successors(block).iter().filter(|&&next| keep(block, next)) {
                if next == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next.0 as usize], true) {
                    waiting.push(next);
                }
            }
        }
        false
    }

    /// Naive twin: membership by reachability, block by block.
    #[test]
    fn agrees_with_the_definitions() {
        for seed in 0..3000 {
            let (cfg, dominators, loops) = loops_of(&random_rows(seed));
            let order = cfg.reverse_postorder();
            for &header in order {
                let latches: Vec<BlockId> = order
                    .iter()
                    .copied()
                    .filter(|&b| cfg.successors(b).contains(&header) && dominators.dominates(header, b))
                    .collect();
                let id = loops.loops().ids().find(|&id| loops.loops()[id].header == header);
                assert_eq!(id.is_some(), !latches.is_empty(), "seed {seed}: {header}");
                let Some(id) = id else { continue };
                for &block in order {
                    let without_header = |from: BlockId, to: BlockId| from != header && to != header;
                    let expected = block == header
                        || latches.iter().any(|&l| l == block || reaches(&cfg, block, l, without_header));
                    assert_eq!(loops.contains(id, block), expected, "seed {seed}: {block} in {header}");
                    assert_eq!(loops.loops()[id].blocks.contains(&block), expected, "seed {seed}");
                }
            }
            for &block in order {
                let expected = reaches(&cfg, block, block, |from, to| !dominators.dominates(to, from));
                assert_eq!(loops.is_irreducible(block), expected, "seed {seed}: {block}");
            }
        }
    }
}
