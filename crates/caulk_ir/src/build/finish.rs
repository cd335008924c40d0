//! The built function, copied out compactly.
//!
//! 1. Blocks that the entry does not reach are dropped, and with them their ways into phis.
//! 2. Phis that are trivial now are forwarded, until none is left.
//! 3. A block whose only way out is the only way into another is joined with it.
//! 4. What is left is numbered: blocks in the order in which they were begun, which is that of the
//!    source; values with parameters first, then instructions as they stand, then constants.
//!
//! Every operand is rewritten once, in step 4.

use super::*;
use crate::ir::{Block, Function, GlobalId, Switch, SwitchCase};

/// Side tables of [`Builder::finish`].
#[derive(Debug, Default)]
pub(super) struct FinishBuffers {
    is_reached: Vec<bool>,
    stack: Vec<BlockId>,
    /// By old block: its new number, that of the block it was joined to.
    block_numbers: Vec<u32>,
    /// By old block: the block that continues it.
    joined: Vec<Option<BlockId>>,
    /// By old value: its new number.
    value_numbers: Vec<u32>,
    /// Old values of the constants in use, in the order of their new numbers.
    used_constants: Vec<Value>,
    /// By phi: its first entry in `phi_uses`.
    first_use: Vec<u32>,
    /// The phi that uses, and the next use.
    phi_uses: Vec<(u32, u32)>,
    work: Vec<u32>,
}

impl Builder {
    /// The function as it is to be kept.
    pub fn finish(&mut self, global: GlobalId, loc: Loc) -> Function {
        debug_assert!(self.unfilled.is_empty());
        let mut buffers = std::mem::take(&mut self.buffers);
        self.find_reached(&mut buffers);
        self.forward_all_trivial(&mut buffers);
        self.join_blocks(&mut buffers);
        let block_count = self.number_blocks(&mut buffers);
        let inst_count = self.number_values(&mut buffers);

        let mut function = Function::new(global, loc);
        let mut copy = Copy {
            builder: self,
            buffers: &mut buffers,
            constants_start: inst_count,
            insts: Vec::with_capacity(inst_count as usize + 8),
            function: &mut function,
        };
        copy.run(block_count);
        let insts = copy.insts;
        function.insts = IdVec::from_vec(insts);
        self.buffers = buffers;
        function
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
    fn reached_predecessors<'a>(
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

    /// Forwards trivial phis. A phi that is forwarded hands its uses on to what it stands for and
    /// has them looked at again.
    fn forward_all_trivial(&mut self, buffers: &mut FinishBuffers) {
        if self.phis.is_empty() {
            return;
        }
        buffers.first_use.clear();
        buffers.first_use.resize(self.phis.len(), NONE);
        buffers.phi_uses.clear();
        for number in 0..self.phis.len() as u32 {
            let phi = self.phis[number as usize];
            if phi.forward.is_some() || !buffers.is_reached[phi.block.0 as usize] {
                continue;
            }
            buffers.work.push(number);
            for place in 0..self.blocks[phi.block].predecessor_count {
                let operand = self.resolve(self.phi_operands[(phi.operands + place) as usize]);
                self.phi_operands[(phi.operands + place) as usize] = operand;
                if let Some(used) = self.phi_number(operand) {
                    let use_number = buffers.phi_uses.len() as u32;
                    let next = std::mem::replace(&mut buffers.first_use[used as usize], use_number);
                    buffers.phi_uses.push((number, next));
                }
            }
        }
        while let Some(number) = buffers.work.pop() {
            let phi = self.phis[number as usize];
            if phi.forward.is_some() {
                continue;
            }
            let Some(stands_for) = self.only_operand(buffers, phi) else { continue };
            self.phis[number as usize].forward = Some(stands_for);
            let heir = self.phi_number(stands_for);
            let mut at = std::mem::replace(&mut buffers.first_use[number as usize], NONE);
            while at != NONE {
                let (user, next) = buffers.phi_uses[at as usize];
                buffers.work.push(user);
                if let Some(heir) = heir {
                    buffers.phi_uses[at as usize].1 =
                        std::mem::replace(&mut buffers.first_use[heir as usize], at);
                }
                at = next;
            }
        }
    }

    /// The one value of a trivial phi.
    fn only_operand(&mut self, buffers: &FinishBuffers, phi: Phi) -> Option<Value> {
        let mut only = None;
        let mut at = self.blocks[phi.block].first_edge;
        let mut place = phi.operands as usize;
        while at != NONE {
            let edge = self.edges[at as usize];
            if edge.from.is_some_and(|from| buffers.is_reached[from.0 as usize]) {
                let value = self.resolve(self.phi_operands[place]);
                if value != phi.value && only != Some(value) {
                    if only.is_some() {
                        return None;
                    }
                    only = Some(value);
                }
            }
            at = edge.next;
            place += 1;
        }
        Some(only.unwrap_or_else(|| self.undef(self.insts[phi.value].ty)))
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

/// Marks blocks that continue another.
const CONTINUES: u32 = NONE - 1;

/// The last step: new instructions with rewritten operands.
struct Copy<'a> {
    builder: &'a mut Builder,
    buffers: &'a mut FinishBuffers,
    constants_start: u32,
    insts: Vec<Inst>,
    function: &'a mut Function,
}

impl Copy<'_> {
    fn run(&mut self, block_count: u32) {
        self.function.params = (0..self.builder.params.len() as u32).map(Value).collect();
        for place in 0..self.builder.params.len() {
            let param = self.builder.params[place];
            self.insts.push(self.builder.insts[param]);
        }
        let mut blocks = Vec::with_capacity(block_count as usize);
        for place in 0..self.buffers.stack.len() {
            blocks.push(self.block(self.buffers.stack[place]));
        }
        self.buffers.stack.clear();
        self.function.blocks = IdVec::from_vec(blocks);
        self.names();
        for place in 0..self.buffers.used_constants.len() {
            let mut inst = self.builder.insts[self.buffers.used_constants[place]];
            match &mut inst.kind {
                InstKind::WideInt(number) => {
                    let value = self.builder.wide_constants[*number as usize];
                    *number = self.function.wide_constants.len() as u32;
                    self.function.wide_constants.push(value);
                }
                InstKind::BlockAddress(block) => match self.buffers.block_numbers[block.0 as usize] {
                    // Nothing can go there: its address is just some number.
                    NONE => inst.kind = InstKind::Undef,
                    number => *block = BlockId(number),
                },
                _ => {}
            }
            self.insts.push(inst);
        }
    }

    fn block(&mut self, start: BlockId) -> Block {
        let first = self.insts.len() as u32;
        if start == ENTRY {
            for place in 0..self.builder.slots.len() {
                let slot = self.builder.slots[place];
                self.insts.push(self.builder.insts[slot]);
            }
        }
        let mut at = start;
        loop {
            self.phis(at);
            let mut inst = self.builder.blocks[at].first_inst;
            while inst != NONE {
                let value = Value(inst);
                if self.buffers.value_numbers[inst as usize] != NONE {
                    let mut copied = self.builder.insts[value];
                    copied.kind = self.kind(copied.kind);
                    self.insts.push(copied);
                }
                inst = self.builder.next[value];
            }
            match self.buffers.joined[at.0 as usize] {
                Some(part) => at = part,
                None => break,
            }
        }
        let state = &mut self.builder.blocks[at];
        let terminator = std::mem::take(&mut state.terminator);
        let terminator_loc = state.terminator_loc;
        let terminator = self.terminator(terminator);
        let insts = (first..self.insts.len() as u32).map(Value).collect();
        Block { insts, terminator, terminator_loc }
    }

    fn phis(&mut self, block: BlockId) {
        // The phis of a block share their list of predecessors.
        let mut blocks = None;
        let mut at = self.builder.blocks[block].first_phi;
        while at != NONE {
            let phi = self.builder.phis[at as usize];
            at = phi.next;
            if phi.forward.is_some() {
                continue;
            }
            let blocks = *blocks.get_or_insert_with(|| {
                let start = self.function.phi_blocks.len() as u32;
                for (_, from) in self.builder.reached_predecessors(self.buffers, block) {
                    self.function.phi_blocks.push(BlockId(self.buffers.block_numbers[from.0 as usize]));
                }
                start
            });
            let values = self.function.operand_pool.len() as u32;
            let mut edge_number = self.builder.blocks[block].first_edge;
            let mut operand = phi.operands as usize;
            while edge_number != NONE {
                let edge = self.builder.edges[edge_number as usize];
                if edge.from.is_some_and(|from| self.buffers.is_reached[from.0 as usize]) {
                    let value = self.value(self.builder.phi_operands[operand]);
                    self.function.operand_pool.push(value);
                }
                edge_number = edge.next;
                operand += 1;
            }
            let len = self.function.operand_pool.len() as u32 - values;
            let kind = InstKind::Phi(PhiArgs { values, blocks, len });
            self.insts.push(Inst { kind, ..self.builder.insts[phi.value] });
        }
    }

    fn value(&mut self, old: Value) -> Value {
        let old = self.builder.resolve(old);
        let number = &mut self.buffers.value_numbers[old.0 as usize];
        if *number == NONE {
            debug_assert!(!self.builder.insts[old].kind.is_placed(), "{old} is used but stands in no reached block");
            *number = self.constants_start + self.buffers.used_constants.len() as u32;
            self.buffers.used_constants.push(old);
        }
        Value(*number)
    }

    fn block_number(&self, old: BlockId) -> BlockId {
        BlockId(self.buffers.block_numbers[old.0 as usize])
    }

    fn operands(&mut self, old: Operands) -> Operands {
        let start = self.function.operand_pool.len() as u32;
        for place in old.start..old.start + old.len {
            let value = self.value(self.builder.operand_pool[place as usize]);
            self.function.operand_pool.push(value);
        }
        Operands { start, len: old.len }
    }

    fn kind(&mut self, kind: InstKind) -> InstKind {
        match kind {
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_)
            | InstKind::Slot { .. }
            | InstKind::Phi(_) => kind,
            InstKind::Alloca { size, name } => InstKind::Alloca { size: self.value(size), name },
            InstKind::End { object } => InstKind::End { object: self.value(object) },
            InstKind::Load { address, is_volatile } => {
                InstKind::Load { address: self.value(address), is_volatile }
            }
            InstKind::Store { address, value, is_volatile } => {
                InstKind::Store { address: self.value(address), value: self.value(value), is_volatile }
            }
            InstKind::LoadBits { address, bits, is_volatile } => {
                InstKind::LoadBits { address: self.value(address), bits, is_volatile }
            }
            InstKind::StoreBits { address, value, bits, is_volatile } => {
                InstKind::StoreBits { address: self.value(address), value: self.value(value), bits, is_volatile }
            }
            InstKind::Zero { address, size } => InstKind::Zero { address: self.value(address), size },
            InstKind::CopyString { address, string, size } => {
                InstKind::CopyString { address: self.value(address), string, size }
            }
            InstKind::Field { base, record, field } => InstKind::Field { base: self.value(base), record, field },
            InstKind::Element { base, index } => {
                InstKind::Element { base: self.value(base), index: self.value(index) }
            }
            InstKind::PointerDiff { a, b } => InstKind::PointerDiff { a: self.value(a), b: self.value(b) },
            InstKind::Binary { op, a, b } => InstKind::Binary { op, a: self.value(a), b: self.value(b) },
            InstKind::Negate(value) => InstKind::Negate(self.value(value)),
            InstKind::BitNot(value) => InstKind::BitNot(self.value(value)),
            InstKind::Compare { op, a, b } => InstKind::Compare { op, a: self.value(a), b: self.value(b) },
            InstKind::Cast(value) => InstKind::Cast(self.value(value)),
            InstKind::BitCast(value) => InstKind::BitCast(self.value(value)),
            InstKind::ComplexPart { value, is_imag } => {
                InstKind::ComplexPart { value: self.value(value), is_imag }
            }
            InstKind::MakeComplex { real, imag } => {
                InstKind::MakeComplex { real: self.value(real), imag: self.value(imag) }
            }
            InstKind::VectorElement { vector, index } => {
                InstKind::VectorElement { vector: self.value(vector), index: self.value(index) }
            }
            InstKind::Call { callee, args } => {
                InstKind::Call { callee: self.value(callee), args: self.operands(args) }
            }
            InstKind::Builtin { op, args } => InstKind::Builtin { op, args: self.operands(args) },
            InstKind::VaArg { address } => InstKind::VaArg { address: self.value(address) },
            InstKind::Asm { template, operands, clobbers_memory } => {
                InstKind::Asm { template, operands: self.operands(operands), clobbers_memory }
            }
            InstKind::AsmOutput { asm, index } => InstKind::AsmOutput { asm: self.value(asm), index },
            InstKind::Unknown { reason, operands } => {
                InstKind::Unknown { reason, operands: self.operands(operands) }
            }
        }
    }

    fn terminator(&mut self, terminator: Terminator) -> Terminator {
        match terminator {
            // A label that is gone to but stands nowhere.
            Terminator::None => Terminator::Unreachable,
            Terminator::Jump(target) => Terminator::Jump(self.block_number(target)),
            Terminator::Branch { condition, then, otherwise } => Terminator::Branch {
                condition: self.value(condition),
                then: self.block_number(then),
                otherwise: self.block_number(otherwise),
            },
            Terminator::Switch(switch) => {
                let Switch { value, mut cases, default } = *switch;
                for SwitchCase { target, .. } in &mut cases {
                    *target = self.block_number(*target);
                }
                let default = self.block_number(default);
                Terminator::Switch(Box::new(Switch { value: self.value(value), cases, default }))
            }
            Terminator::Indirect { address, mut targets } => {
                for target in &mut targets {
                    *target = self.block_number(*target);
                }
                Terminator::Indirect { address: self.value(address), targets }
            }
            Terminator::AsmGoto { mut targets } => {
                for target in &mut targets {
                    *target = self.block_number(*target);
                }
                Terminator::AsmGoto { targets }
            }
            Terminator::Return(value) => Terminator::Return(value.map(|value| self.value(value))),
            Terminator::Unreachable => Terminator::Unreachable,
        }
    }

    /// Names of values by assignment, then of the phis that join assignments.
    fn names(&mut self) {
        for place in 0..self.builder.variable_names.len() {
            let (value, name) = self.builder.variable_names[place];
            self.name(value, name);
        }
        for place in 0..self.builder.phis.len() {
            let phi = self.builder.phis[place];
            let name = self.builder.variables[phi.variable].name;
            if phi.forward.is_none() && name != Symbol::EMPTY {
                self.name(phi.value, name);
            }
        }
    }

    fn name(&mut self, value: Value, name: Symbol) {
        let value = self.builder.resolve(value);
        match self.buffers.value_numbers[value.0 as usize] {
            // In an unreachable block, or a constant.
            NONE => {}
            number if number >= self.constants_start => {}
            number => self.function.variable_names.push((Value(number), name)),
        }
    }
}
