//! Which blocks every way to a block must pass.
//!
//! Block `a` *dominates* `b` if every path from the entry to `b` passes `a` (a block dominates
//! itself). The *immediate* dominator is the nearest other one; these edges form a tree. The
//! *frontier* of `a` are the blocks where its dominance ends: those it does not strictly dominate
//! but which have a predecessor that it dominates.
//!
//! ```c
//! int f(int a) { if (a) a = 1; else a = 2; return a; }
//! ```
//! ```text
//! bb0 → bb1, bb2 → bb3      tree: bb0 over bb1, bb2 and bb3; frontier of bb1 and of bb2: bb3
//! ```
//!
//! Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": the tree is found by meeting
//! predecessors in reverse postorder until nothing changes, two rounds for reducible graphs. The
//! tree is then numbered on the way down, so that "dominates" is two comparisons: `b` lies in the
//! stretch of preorder numbers that `a` covers.

use caulk_base::IdVec;

use crate::cfg::Cfg;
use crate::ir::{BlockId, ENTRY};

/// The dominator tree of one graph. A block that cannot be reached dominates, and is dominated by,
/// itself only.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The block itself for the entry and for what cannot be reached.
    immediate: IdVec<BlockId, BlockId>,
    /// Preorder numbers of the block and of the last block below it.
    stretch: IdVec<BlockId, (u32, u32)>,
}

impl Dominators {
    pub fn new(cfg: &Cfg) -> Dominators {
        let immediate = immediate_dominators(cfg);
        let stretch = number_tree(cfg, &immediate);
        Dominators { immediate, stretch }
    }

    /// The nearest strict dominator; `None` for the entry and for what cannot be reached.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        Some(self.immediate[block]).filter(|&dominator| dominator != block)
    }

    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (first, last) = self.stretch[a];
        let (number, _) = self.stretch[b];
        first <= number && number <= last
    }

    pub fn strictly_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The nearest block that dominates both; both must be reachable.
    pub fn common(&self, a: BlockId, b: BlockId) -> BlockId {
        let mut at = a;
        while !self.dominates(at, b) && at != ENTRY {
            at = self.immediate[at];
        }
        at
    }

    /// The dominance frontier of every block, each in increasing order.
    pub fn frontiers(&self, cfg: &Cfg) -> IdVec<BlockId, Vec<BlockId>> {
        let mut frontiers: IdVec<BlockId, Vec<BlockId>> = IdVec::filled(Vec::new(), cfg.block_count());
        for join in (0..cfg.block_count() as u32).map(BlockId).filter(|&block| cfg.is_reachable(block)) {
            for &predecessor in cfg.predecessors(join) {
                if !cfg.is_reachable(predecessor) {
                    continue;
                }
                let mut runner = predecessor;
                while !self.strictly_dominates(runner, join) {
                    // Joins come in increasing order, so a repetition can only be the last entry.
                    if frontiers[runner].last() != Some(&join) {
                        frontiers[runner].push(join);
                    }
                    match self.immediate(runner) {
                        Some(above) => runner = above,
                        None => break,
                    }
                }
            }
        }
        frontiers
    }
}

fn immediate_dominators(cfg: &Cfg) -> IdVec<BlockId, BlockId> {
    const UNKNOWN: u32 = u32::MAX;
    let order = cfg.reverse_postorder();
    // Everything in numbers of the reverse postorder: a dominator has a smaller one.
    let mut above: Vec<u32> = vec![UNKNOWN; order.len()];
    if let Some(entry) = above.first_mut() {
        *entry = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (number, &block) in order.iter().enumerate().skip(1) {
            let mut meet = UNKNOWN;
            for predecessor in cfg.predecessors(block).iter().filter_map(|&block| cfg.number(block)) {
                if above[predecessor as usize] == UNKNOWN {
                    continue;
                }
                meet = if meet == UNKNOWN { predecessor } else { intersect(&above, meet, predecessor) };
            }
            if above[number] != meet {
                above[number] = meet;
                changed = true;
            }
        }
    }
    let mut immediate: IdVec<BlockId, BlockId> = (0..cfg.block_count() as u32).map(BlockId).collect();
    for (number, &block) in order.iter().enumerate() {
        immediate[block] = order[above[number] as usize];
    }
    immediate
}

fn intersect(above: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = above[a as usize];
        }
        while b > a {
            b = above[b as usize];
        }
    }
    a
}

/// Preorder stretches without building the tree: sizes are summed upwards in postorder, places are
/// handed out downwards in reverse postorder.
fn number_tree(cfg: &Cfg, immediate: &IdVec<BlockId, BlockId>) -> IdVec<BlockId, (u32, u32)> {
    let order = cfg.reverse_postorder();
    let mut sizes: IdVec<BlockId, u32> = IdVec::filled(1, cfg.block_count());
    for &block in order.iter().skip(1).rev() {
        let size = sizes[block];
        sizes[immediate[block]] += size;
    }
    let mut stretch = IdVec::filled((0, 0), cfg.block_count());
    // The number that the next child of a block gets.
    let mut next: IdVec<BlockId, u32> = IdVec::filled(0, cfg.block_count());
    let mut end = order.len() as u32;
    for (place, &block) in order.iter().enumerate() {
        let first = if place == 0 { 0 } else { next[immediate[block]] };
        if place != 0 {
            next[immediate[block]] += sizes[block];
        }
        next[block] = first + 1;
        stretch[block] = (first, first + sizes[block] - 1);
    }
    for block in (0..cfg.block_count() as u32).map(BlockId).filter(|&block| !cfg.is_reachable(block)) {
        stretch[block] = (end, end);
        end += 1;
    }
    stretch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{graph, random_rows, reachable_without};

    #[test]
    fn a_join_is_dominated_by_the_fork() {
        let cfg = Cfg::new(&graph(&[vec![1, 2], vec![3], vec![3], vec![]]));
        let dominators = Dominators::new(&cfg);
        assert_eq!(dominators.immediate(BlockId(3)), Some(ENTRY));
        assert_eq!(dominators.immediate(ENTRY), None);
        assert_eq!(dominators.frontiers(&cfg)[BlockId(1)], [BlockId(3)]);
        assert_eq!(dominators.common(BlockId(1), BlockId(2)), ENTRY);
    }

    /// Naive twin: `a` dominates `b` if `b` cannot be reached once `a` is taken away.
    #[test]
    fn agrees_with_removing_blocks_one_by_one() {
        for seed in 0..3000 {
            let cfg = Cfg::new(&graph(&random_rows(seed)));
            let dominators = Dominators::new(&cfg);
            let reached = reachable_without(&cfg, None);
            for a in (0..cfg.block_count() as u32).map(BlockId) {
                let without = reachable_without(&cfg, Some(a));
                for b in (0..cfg.block_count() as u32).map(BlockId) {
                    let (at_a, at_b) = (a.0 as usize, b.0 as usize);
                    let expected = a == b || (reached[at_a] && reached[at_b] && !without[at_b]);
                    assert_eq!(dominators.dominates(a, b), expected, "seed {seed}: {a} over {b}");
                }
            }
        }
    }

    #[test]
    fn frontiers_agree_with_their_definition() {
        for seed in 0..2000 {
            let cfg = Cfg::new(&graph(&random_rows(seed)));
            let dominators = Dominators::new(&cfg);
            let frontiers = dominators.frontiers(&cfg);
            for a in cfg.reverse_postorder().iter().copied() {
                let expected: Vec<BlockId> = (0..cfg.block_count() as u32)
                    .map(BlockId)
                    .filter(|&b| cfg.is_reachable(b) && !dominators.strictly_dominates(a, b))
                    .filter(|&b| cfg.predecessors(b).iter().any(|&p| cfg.is_reachable(p) && dominators.dominates(a, p)))
                    .collect();
                assert_eq!(frontiers[a], expected, "seed {seed}: frontier of {a}");
            }
        }
    }
}
