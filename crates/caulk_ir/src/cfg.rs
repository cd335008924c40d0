//! Edges of a function's control-flow graph, in both directions, and its reverse postorder.
//!
//! The graph is kept in compressed rows: one array of neighbours and one of row starts, so that a
//! function costs four allocations whatever its size. Neighbours are unique: a switch that goes to
//! one block by five cases has one edge to it.
//!
//! ```c
//! int f(int a) { while (a) a--; return a; }
//! ```
//! ```text
//! bb0 → bb1 → bb2 → bb1        reverse postorder: bb0 bb1 bb2 bb3  (or bb0 bb1 bb3 bb2)
//!       bb1 → bb3              predecessors of bb1: bb0 bb2
//! ```
//!
//! Invariant: in reverse postorder a block comes after all its predecessors, except those that reach
//! it by an edge that goes back in the depth-first walk. Blocks that cannot be reached from the entry
//! are not in it.

use caulk_base::IdVec;

use crate::ir::{BlockId, ENTRY, Function};

/// Edges and order of the blocks of one function. All targets must be blocks of it.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Rows,
    predecessors: Rows,
    reverse_postorder: Vec<BlockId>,
    /// Place in the reverse postorder, or [`UNREACHED`].
    numbers: IdVec<BlockId, u32>,
}

const UNREACHED: u32 = u32::MAX;

/// Neighbours of every block: those of block `n` are `items[starts[n]..starts[n + 1]]`.
#[derive(Clone, Debug)]
struct Rows {
    starts: Vec<u32>,
    items: Vec<BlockId>,
}

impl Rows {
    fn row(&self, block: BlockId) -> &[BlockId] {
        let block = block.0 as usize;
        &self.items[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

impl Cfg {
    pub fn new(function: &Function) -> Cfg {
        let rows = function.blocks.iter().map(|block| block.terminator.successors());
        Cfg::from_rows(function.blocks.len(), rows)
    }

    /// Any graph: the successors of each of its nodes, of which the first is the entry.
    pub fn from_rows<I: IntoIterator<Item = BlockId>>(count: usize, rows: impl IntoIterator<Item = I>) -> Cfg {
        let successors = successor_rows(count, rows);
        let predecessors = reverse(&successors, count);
        let reverse_postorder = reverse_postorder(&successors, count);
        let mut numbers = IdVec::filled(UNREACHED, count);
        for (number, &block) in reverse_postorder.iter().enumerate() {
            numbers[block] = number as u32;
        }
        Cfg { successors, predecessors, reverse_postorder, numbers }
    }

    pub fn block_count(&self) -> usize {
        self.numbers.len()
    }

    /// Each successor once, in the order of the terminator.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.successors.row(block)
    }

    /// Each predecessor once, in increasing order; unreachable ones too.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.row(block)
    }

    /// The blocks that can be reached from the entry.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.reverse_postorder
    }

    /// Place of a block in the reverse postorder; `None` if it cannot be reached.
    pub fn number(&self, block: BlockId) -> Option<u32> {
        Some(self.numbers[block]).filter(|&number| number != UNREACHED)
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.numbers[block] != UNREACHED
    }
}

fn successor_rows<I: IntoIterator<Item = BlockId>>(count: usize, given: impl IntoIterator<Item = I>) -> Rows {
    let mut rows = Rows { starts: Vec::with_capacity(count + 1), items: Vec::with_capacity(count * 2) };
    // The block whose row last took this successor.
    let mut taken_by: IdVec<BlockId, u32> = IdVec::filled(u32::MAX, count);
    rows.starts.push(0);
    for (number, successors) in given.into_iter().enumerate() {
        for successor in successors {
            if taken_by[successor] != number as u32 {
                taken_by[successor] = number as u32;
                rows.items.push(successor);
            }
        }
        rows.starts.push(rows.items.len() as u32);
    }
    rows
}

fn reverse(rows: &Rows, count: usize) -> Rows {
    let mut starts = vec![0; count + 1];
    for &target in &rows.items {
        starts[target.0 as usize + 1] += 1;
    }
    for block in 0..count {
        starts[block + 1] += starts[block];
    }
    let mut next = starts.clone();
    let mut items = vec![ENTRY; rows.items.len()];
    for source in (0..count as u32).map(BlockId) {
        for &target in rows.row(source) {
            let at = &mut next[target.0 as usize];
            items[*at as usize] = source;
            *at += 1;
        }
    }
    Rows { starts, items }
}

fn reverse_postorder(rows: &Rows, count: usize) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(count);
    if count == 0 {
        return order;
    }
    let mut seen = vec![false; count];
    seen[0] = true;
    // Blocks on the way from the entry, each with the number of its next successor to visit.
    let mut way: Vec<(BlockId, u32)> = vec![(ENTRY, 0)];
    while let Some((block, next)) = way.last_mut() {
        match rows.row(*block).get(*next as usize) {
            None => {
                order.push(*block);
                way.pop();
            }
            Some(&successor) => {
                *next += 1;
                let seen = &mut seen[successor.0 as usize];
                if !*seen {
                    *seen = true;
                    way.push((successor, 0));
                }
            }
        }
    }
    order.reverse();
    order
}

/// Graphs for the tests of everything that works on graphs.
#[cfg(test)]
pub(crate) mod testing {
    use caulk_base::Loc;

    use super::Cfg;
    use crate::ir::{Block, BlockId, Function, GlobalId, Terminator};

    /// A function with no instructions and these successors.
    pub(crate) fn graph(rows: &[Vec<u32>]) -> Function {
        let mut function = Function::new(GlobalId(0), Loc::NONE);
        for row in rows {
            let targets = row.iter().copied().map(BlockId).collect();
            function.blocks.push(Block { terminator: Terminator::AsmGoto { targets }, ..Block::default() });
        }
        function
    }

    /// A small generator of numbers: the same on every machine (xorshift).
    pub(crate) struct Random(u64);

    impl Random {
        pub(crate) fn new(seed: u64) -> Random {
            Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
        }

        pub(crate) fn below(&mut self, limit: u32) -> u32 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            ((self.0 >> 33) % u64::from(limit.max(1))) as u32
        }
    }

    /// Random rows; some blocks may be unreachable, some edges double.
    pub(crate) fn random_rows(seed: u64) -> Vec<Vec<u32>> {
        let mut random = Random::new(seed);
        let count = 1 + random.below(14);
        (0..count).map(|_| (0..random.below(4)).map(|_| random.below(count)).collect()).collect()
    }

    /// What can be reached from the entry without passing through `without`.
    pub(crate) fn reachable_without(cfg: &Cfg, without: Option<BlockId>) -> Vec<bool> {
        let mut reached = vec![false; cfg.block_count()];
        let mut waiting = vec![BlockId(0)];
        while let Some(block) = waiting.pop() {
            if Some(block) == without || std::mem::replace(&mut reached[block.0 as usize], true) {
                continue;
            }
            waiting.extend_from_slice(cfg.successors(block));
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{graph, random_rows, reachable_without};
    use super::*;

    #[test]
    fn neighbours_are_unique_in_both_directions() {
        let cfg = Cfg::new(&graph(&[vec![1, 2, 1], vec![2], vec![1], vec![2]]));
        assert_eq!(cfg.successors(ENTRY), [BlockId(1), BlockId(2)]);
        assert_eq!(cfg.predecessors(BlockId(2)), [BlockId(0), BlockId(1), BlockId(3)]);
        assert_eq!(cfg.predecessors(ENTRY), []);
        assert!(!cfg.is_reachable(BlockId(3)));
        assert_eq!(cfg.reverse_postorder()[0], ENTRY);
    }

    #[test]
    fn order_holds_what_is_reachable_and_edges_go_back_only_to_ancestors() {
        for seed in 0..2000 {
            let cfg = Cfg::new(&graph(&random_rows(seed)));
            let reached = reachable_without(&cfg, None);
            for (block, reached) in reached.iter().enumerate() {
                assert_eq!(cfg.is_reachable(BlockId(block as u32)), *reached, "seed {seed}");
            }
            // Cutting the edges that go against the order leaves a graph whose sources reach all.
            for &block in &cfg.reverse_postorder()[1..] {
                let number = cfg.number(block);
                let forward = cfg.predecessors(block).iter().any(|&p| cfg.is_reachable(p) && cfg.number(p) < number);
                assert!(forward, "seed {seed}: {block} has no predecessor before it");
            }
        }
    }
}
