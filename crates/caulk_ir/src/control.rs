//! Which branches decide whether a block is reached.
//!
//! Block `b` *post-dominates* `a` if every path from `a` to an end of the function passes `b`. A block is *control
//! dependent* on a branch if it post-dominates one of the branch's successors but not the branch itself: one way
//! leads to it for certain, another may miss it.
//!
//! ```c
//! if (a) x();         // x() depends on the test of a
//! y();                // y() on nothing: it comes whatever a is
//! ```
//!
//! Post-dominance is dominance in the graph turned around, from one *end* behind all blocks that have no successor;
//! and control dependence is its frontier (Cytron and others, 1991). A cycle that cannot be left has no end: one of
//! its blocks is given an edge to it, as if the cycle could be left there.
//!
//! Invariant: every block that can be reached from the entry reaches the end.

use caulk_base::IdVec;

use crate::cfg::Cfg;
use crate::dominators::Dominators;
use crate::ir::BlockId;

/// By block: the blocks whose terminator decides whether it is reached, in increasing order.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    deciders: IdVec<BlockId, Vec<BlockId>>,
}

impl ControlDependence {
    pub fn new(cfg: &Cfg) -> ControlDependence {
        let reversed = reversed(cfg);
        let post_dominators = Dominators::new(&reversed);
        let frontiers = post_dominators.frontiers(&reversed);
        let original = |block: &BlockId| block.0.checked_sub(1).map(BlockId);
        let deciders =
            frontiers.iter().skip(1).map(|frontier| frontier.iter().filter_map(original).collect()).collect();
        ControlDependence { deciders }
    }

    pub fn deciders(&self, block: BlockId) -> &[BlockId] {
        &self.deciders[block]
    }
}

/// The graph turned around: node 0 is the end, node `n + 1` is block `n`. Only what can be reached from the entry has
/// edges.
fn reversed(cfg: &Cfg) -> Cfg {
    let shifted = |block: BlockId| BlockId(block.0 + 1);
    let count = cfg.block_count() + 1;
    let mut ends: Vec<BlockId> = Vec::new();
    let mut reaches_end = vec![false; cfg.block_count()];
    let mut mark = |from: BlockId, reaches_end: &mut Vec<bool>| {
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            if !std::mem::replace(&mut reaches_end[block.0 as usize], true) {
                waiting.extend(cfg.predecessors(block).iter().filter(|&&block| cfg.is_reachable(block)));
            }
        }
        ends.push(from);
    };
    for &block in cfg.reverse_postorder().iter().filter(|&&block| cfg.successors(block).is_empty()) {
        mark(block, &mut reaches_end);
    }
    // From the back, so that the block chosen lies in the cycle and not before it.
    for &block in cfg.reverse_postorder().iter().rev() {
        if !reaches_end[block.0 as usize] {
            mark(block, &mut reaches_end);
        }
    }
    let mut rows: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    rows[0] = ends.into_iter().map(shifted).collect();
    for &block in cfg.reverse_postorder() {
        let predecessors = cfg.predecessors(block).iter().copied().filter(|&block| cfg.is_reachable(block));
        rows[block.0 as usize + 1] = predecessors.map(shifted).collect();
    }
    Cfg::from_rows(count, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::testing::{graph, random_rows};

    fn deciders(rows: &[Vec<u32>], block: u32) -> Vec<u32> {
        let cfg = Cfg::new(&graph(rows));
        ControlDependence::new(&cfg).deciders(BlockId(block)).iter().map(|block| block.0).collect()
    }

    #[test]
    fn the_arms_depend_on_the_fork_and_the_join_does_not() {
        let rows = [vec![1, 2], vec![3], vec![3], vec![]];
        assert_eq!(deciders(&rows, 1), [0]);
        assert_eq!(deciders(&rows, 2), [0]);
        assert_eq!(deciders(&rows, 3), [0; 0]);
    }

    #[test]
    fn a_loop_depends_on_its_own_test() {
        let rows = [vec![1], vec![2, 3], vec![1], vec![]];
        assert_eq!(deciders(&rows, 1), [1]);
        assert_eq!(deciders(&rows, 2), [1]);
        assert_eq!(deciders(&rows, 3), [0; 0]);
    }

    #[test]
    fn what_follows_a_way_into_an_endless_loop_depends_on_the_fork() {
        let rows = [vec![1, 2], vec![1], vec![]];
        assert_eq!(deciders(&rows, 2), [0]);
    }

    /// The property that makes leaving out blocks exact: if a set of blocks holds all deciders of its members, then
    /// from any block there is at most one member that comes next.
    #[test]
    fn between_members_of_a_closed_set_nothing_is_decided() {
        for seed in 0..3000 {
            let cfg = Cfg::new(&graph(&random_rows(seed)));
            let control = ControlDependence::new(&cfg);
            let mut members = vec![false; cfg.block_count()];
            let mut waiting: Vec<BlockId> =
                (0..cfg.block_count() as u32).filter(|block| (seed >> (block % 5)) & 1 == 1).map(BlockId).collect();
            while let Some(block) = waiting.pop() {
                if cfg.is_reachable(block) && !std::mem::replace(&mut members[block.0 as usize], true) {
                    waiting.extend_from_slice(control.deciders(block));
                }
            }
            for &from in cfg.reverse_postorder().iter().filter(|block| !members[block.0 as usize]) {
                let mut next: Vec<BlockId> = Vec::new();
                let mut seen = vec![false; cfg.block_count()];
                let mut waiting = vec![from];
                while let Some(block) = waiting.pop() {
                    if std::mem::replace(&mut seen[block.0 as usize], true) {
                        continue;
                    }
                    if members[block.0 as usize] {
                        next.push(block);
                    } else {
                        waiting.extend_from_slice(cfg.successors(block));
                    }
                }
                assert!(next.len() <= 1, "seed {seed}: from {from} to {next:?}");
            }
        }
    }
}
