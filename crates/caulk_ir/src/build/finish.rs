//! The built function, copied out compactly.
//!
//! 1. Blocks that the entry does not reach are dropped, and with them their ways into phis.
//! 2. Phis that stand for one value are forwarded ([`phis`](super::phis)).
//! 3. A block whose only way out is the only way into another is joined with it.
//! 4. What is left is numbered: blocks in the order in which they were begun, which is that of the
//!    source; values with parameters first, then instructions as they stand, then constants.
//!
//! Every operand is rewritten once, when what is left is copied ([`copy`](super::copy)).

use super::copy::Copy;
use super::phis::PhiState;
use super::*;
use crate::ir::{Function, GlobalId};

/// Marks blocks that continue another.
const CONTINUES: u32 = NONE - 1;

/// Side tables of [`Builder::finish`].
#[derive(Debug, Default)]
pub(super) struct FinishBuffers {
    pub(super) is_reached: Vec<bool>,
    pub(super) stack: Vec<BlockId>,
    /// By old block: its new number, that of the block it was joined to.
    pub(super) block_numbers: Vec<u32>,
    /// By old block: the block that continues it.
    pub(super) joined: Vec<Option<BlockId>>,
    /// By old value: its new number.
    pub(super) value_numbers: Vec<u32>,
    /// Old values of the constants in use, in the order of their new numbers.
    pub(super) used_constants: Vec<Value>,
    pub(super) phis: Vec<PhiState>,
    /// How many searches and components there have been.
    pub(super) searches: u32,
}

impl Builder {
    /// The function as it is to be kept.
    pub fn finish(&mut self, global: GlobalId, loc: Loc) -> Function {
        debug_assert!(self.unfilled.is_empty());
        let mut buffers = std::mem::take(&mut self.buffers);
        self.find_reached(&mut buffers);
        self.forward_redundant(&mut buffers);
        self.join_blocks(&mut buffers);
        let block_count = self.number_blocks(&mut buffers);
        let inst_count = self.number_values(&mut buffers);

        let function = Function::new(global, loc);
        let function = Copy::new(self, &mut buffers, function, inst_count).run(block_count);
        self.buffers = buffers;
        function
    }

    /// After [`Builder::finish`]: what became of a block; `None` if it was dropped.
    pub fn finished_block(&self, old: BlockId) -> Option<BlockId> {
        let is_reached = self.buffers.is_reached.get(old.0 as usize) == Some(&true);
        is_reached.then(|| BlockId(self.buffers.block_numbers[old.0 as usize]))
    }

    fn find_reached(&self, buffers: &mut FinishBuffers) {
        buffers.is_reached.clear();
        buffers.is_reached.resize(self.blocks.len(), false);
        buffers.is_reached[0] = true;
        buffers.stack.push(ENTRY);
        while let Some(block) = buffers.stack.pop() {
            for successor in self.blocks[block].terminator.successors() {
                if !std::mem::replace(&mut buffers.is_reached[successor.0 as usize], true) {
                    buffers.stack.push(successor);
                }
            }
        }
    }

    /// Predecessors of a block that count, each with its place among the phi operands.
    pub(super) fn reached_predecessors<'a>(
        &'a self,
        buffers: &'a FinishBuffers,
        block: BlockId,
    ) -> impl Iterator<Item = (u32, BlockId)> + 'a {
        let mut at = self.blocks[block].first_edge;
        let edges = std::iter::from_fn(move || {
            let edge = *self.edges.get(at as usize)?;
            at = edge.next;
            Some(edge.from)
        });
        let numbered = edges.zip(0..).filter_map(|(from, place)| Some((place, from?)));
        numbered.filter(|&(_, from)| buffers.is_reached[from.0 as usize])
    }

    fn join_blocks(&self, buffers: &mut FinishBuffers) {
        buffers.joined.clear();
        buffers.joined.resize(self.blocks.len(), None);
        for &block in &self.order {
            if !buffers.is_reached[block.0 as usize] {
                continue;
            }
            let Terminator::Jump(target) = self.blocks[block].terminator else { continue };
            if target == ENTRY || target == block || self.blocks[target].is_address_taken {
                continue;
            }
            if self.reached_predecessors(buffers, target).nth(1).is_none() {
                buffers.joined[block.0 as usize] = Some(target);
            }
        }
    }

    /// Numbers the blocks that stay; how many they are.
    fn number_blocks(&self, buffers: &mut FinishBuffers) -> u32 {
        buffers.block_numbers.clear();
        buffers.block_numbers.resize(self.blocks.len(), NONE);
        // A block that another continues into is no start; mark those first.
        for target in buffers.joined.iter().flatten() {
            buffers.block_numbers[target.0 as usize] = CONTINUES;
        }
        let mut count = 0;
        let never_begun = self.blocks.ids().filter(|&block| !self.blocks[block].is_begun);
        for block in self.order.iter().copied().chain(never_begun) {
            if !buffers.is_reached[block.0 as usize] || buffers.block_numbers[block.0 as usize] != NONE {
                continue;
            }
            let mut part = Some(block);
            while let Some(at) = part {
                buffers.block_numbers[at.0 as usize] = count;
                part = buffers.joined[at.0 as usize];
            }
            buffers.stack.push(block);
            count += 1;
        }
        count
    }

    /// Numbers parameters and instructions; the constants in use get the numbers after these.
    fn number_values(&mut self, buffers: &mut FinishBuffers) -> u32 {
        buffers.value_numbers.clear();
        buffers.value_numbers.resize(self.insts.len(), NONE);
        buffers.used_constants.clear();
        let mut count = 0;
        let mut number = |buffers: &mut FinishBuffers, value: Value| {
            buffers.value_numbers[value.0 as usize] = count;
            count += 1;
        };
        for &param in &self.params {
            number(buffers, param);
        }
        for place in 0..buffers.stack.len() {
            let block = buffers.stack[place];
            if block == ENTRY {
                for &slot in &self.slots {
                    number(buffers, slot);
                }
            }
            let mut part = Some(block);
            while let Some(at) = part {
                let mut phi = self.blocks[at].first_phi;
                while phi != NONE {
                    if self.phis[phi as usize].forward.is_none() {
                        number(buffers, self.phis[phi as usize].value);
                    }
                    phi = self.phis[phi as usize].next;
                }
                let mut inst = self.blocks[at].first_inst;
                while inst != NONE {
                    let value = Value(inst);
                    if !self.ends_nothing(value) {
                        number(buffers, value);
                    }
                    inst = self.next[value];
                }
                part = buffers.joined[at.0 as usize];
            }
        }
        count
    }

    /// An end of a variable-length array that some way here jumped past: there is no one object.
    fn ends_nothing(&mut self, value: Value) -> bool {
        let InstKind::End { object } = self.insts[value].kind else { return false };
        let object = self.resolve(object);
        !matches!(self.insts[object].kind, InstKind::Slot { .. } | InstKind::Alloca { .. })
    }
}
