//! Dominators while blocks are still being made: a read need not visit blocks that cannot matter.
//!
//! ```c
//! int v0 = 0, v1 = 1, …, v9999 = 9999;
//! if (n > 0) v0++;                    // each `if` ends in a block where two ways join
//! …
//! if (n > 9999) v9999++;              // v9999 was last set at the start: 10,000 joins do not matter
//! ```
//! Without this, every read of `vi` puts a phi into each join above it, to find it trivial; time and memory
//! grow with the square of the function.
//!
//! *Rank*: how many blocks were begun before a block. *Dominator*: here, the block through which all ways
//! to a sealed block lead, if it is known and of lower rank; where `goto` goes back it often is not known.
//! All blocks on the ways from the dominator to the block then have higher ranks than the dominator, and
//! were begun before the block was sealed. A variable that no block of such a rank writes has one value
//! on all of them.
//!
//! A block also knows a far ancestor, as in Myers, *An Applicative Random-Access Stack* (1983), so
//! that going up takes logarithmic time. Going too few steps is never wrong: the read goes on as if
//! nothing was known.

use super::*;

/// So many writes after the place of a read are looked through; with more, nothing is skipped.
const MAX_LATER_WRITES: usize = 32;

/// A block's place in the tree of dominators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ancestors {
    /// The number of blocks begun before this one; [`NONE`] if it was not begun.
    pub(super) rank: u32,
    dominator: Option<BlockId>,
    /// Blocks on the ways from the dominator have lower ranks than this.
    end: u32,
    /// The dominator or one far above it; the block itself if none is known.
    far: BlockId,
    /// As `end`, for the ways from `far`.
    far_end: u32,
    /// As known when the block was sealed. It only decides how far `far` is.
    depth: u32,
}

impl Ancestors {
    pub(super) fn of_new(block: BlockId) -> Ancestors {
        Ancestors { rank: NONE, dominator: None, end: 0, far: block, far_end: 0, depth: 0 }
    }
}

/// A block that writes a variable, and the one before it that does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    rank: u32,
    previous: u32,
}

impl Builder {
    /// The current block writes the variable.
    pub(super) fn note_write(&mut self, variable: Variable) {
        let rank = self.blocks[self.current].ancestors.rank;
        let previous = self.variables[variable].last_write;
        if self.writes.get(previous as usize).is_none_or(|write| write.rank != rank) {
            self.variables[variable].last_write = self.writes.len() as u32;
            self.writes.push(Write { rank, previous });
        }
    }

    /// The highest rank below `end` of a block that writes the variable. May be too high.
    fn last_write_before(&self, variable: Variable, end: u32) -> u32 {
        let mut at = self.variables[variable].last_write;
        for _ in 0..MAX_LATER_WRITES {
            let Some(write) = self.writes.get(at as usize) else { return 0 };
            if write.rank < end {
                return write.rank;
            }
            at = write.previous;
        }
        NONE
    }

    /// The highest block known to have the same value of a variable at its end as `block`, which does not
    /// write it; `block` itself if there is none.
    pub(super) fn highest_with_same(&self, variable: Variable, block: BlockId) -> BlockId {
        let mut at = block;
        loop {
            let Ancestors { dominator, end, far, far_end, .. } = self.blocks[at].ancestors;
            let Some(dominator) = dominator else { return at };
            let rank = |block: BlockId| self.blocks[block].ancestors.rank;
            let mut written = self.last_write_before(variable, far_end);
            at = if written <= rank(far) {
                far
            } else {
                written = self.last_write_before(variable, end);
                if written > rank(dominator) {
                    return at;
                }
                dominator
            };
            // Its own write comes after what it has from above.
            if written == rank(at) {
                return at;
            }
        }
    }

    /// Finds the dominator of a block that is being sealed.
    pub(super) fn set_dominator(&mut self, block: BlockId) {
        let Some(dominator) = self.common_dominator(block) else { return };
        let end = self.order.len() as u32;
        let above = self.blocks[dominator].ancestors;
        let far = self.blocks[above.far].ancestors;
        let farther = self.blocks[far.far].ancestors;
        // Two equal steps make one of twice the length.
        let is_double = above.depth.wrapping_sub(far.depth) == far.depth.wrapping_sub(farther.depth);
        let (far, far_end) = match is_double {
            true => (far.far, end.max(above.far_end).max(far.far_end)),
            false => (dominator, end),
        };
        let rank = self.blocks[block].ancestors.rank;
        let depth = above.depth.wrapping_add(1);
        self.blocks[block].ancestors = Ancestors { rank, dominator: Some(dominator), end, far, far_end, depth };
    }

    /// One step up, to no lower rank if there is one.
    fn step_up(&self, block: BlockId, rank: u32) -> Option<BlockId> {
        let Ancestors { dominator, far, .. } = self.blocks[block].ancestors;
        if far != block && self.blocks[far].ancestors.rank >= rank { Some(far) } else { dominator }
    }

    fn common_dominator(&self, block: BlockId) -> Option<BlockId> {
        let own_rank = self.blocks[block].ancestors.rank;
        let rank = |block: BlockId| self.blocks[block].ancestors.rank;
        let mut common: Option<BlockId> = None;
        for predecessor in self.predecessors(block) {
            let predecessor = predecessor?;
            if common.is_none_or(|known| rank(predecessor) < rank(known)) {
                common = Some(predecessor);
            }
        }
        // What leads to a block that has begun may come from below it; that of least rank does not.
        let mut common = common.filter(|&known| rank(known) < own_rank)?;
        for predecessor in self.predecessors(block) {
            let mut other = predecessor?;
            while common != other {
                if rank(common) > rank(other) {
                    common = self.step_up(common, rank(other))?;
                } else if other == block {
                    // The way back of a loop.
                    break;
                } else {
                    other = self.step_up(other, rank(common))?;
                }
            }
        }
        Some(common)
    }

    /// Where the ways into a block come from; `None` for one that was taken back.
    fn predecessors(&self, block: BlockId) -> impl Iterator<Item = Option<BlockId>> + '_ {
        let mut at = self.blocks[block].first_edge;
        std::iter::from_fn(move || {
            let edge = self.edges.get(at as usize)?;
            at = edge.next;
            Some(edge.from)
        })
    }
}
