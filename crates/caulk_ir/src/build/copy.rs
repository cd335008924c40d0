//! New instructions with rewritten operands: the last step of [`finish`](super::finish).

use super::finish::FinishBuffers;
use super::*;
use crate::ir::{Block, Function, Switch, SwitchCase};

/// Room for constants; only sizes the first allocation.
const LIKELY_CONSTANTS: usize = 8;

/// The last step: new instructions with rewritten operands.
pub(super) struct Copy<'a> {
    builder: &'a mut Builder,
    buffers: &'a mut FinishBuffers,
    constants_start: u32,
    insts: Vec<Inst>,
    function: Function,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        builder: &'a mut Builder,
        buffers: &'a mut FinishBuffers,
        function: Function,
        inst_count: u32,
    ) -> Copy<'a> {
        let insts = Vec::with_capacity(inst_count as usize + LIKELY_CONSTANTS);
        Copy { builder, buffers, constants_start: inst_count, insts, function }
    }

    pub(super) fn run(mut self, block_count: u32) -> Function {
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
        self.function.insts = IdVec::from_vec(self.insts);
        self.function
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
            InstKind::Bind { variable, value } => InstKind::Bind { variable, value: self.value(value) },
            InstKind::Load { address, is_volatile } => InstKind::Load { address: self.value(address), is_volatile },
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
            InstKind::Element { base, index } => InstKind::Element { base: self.value(base), index: self.value(index) },
            InstKind::PointerDiff { a, b } => InstKind::PointerDiff { a: self.value(a), b: self.value(b) },
            InstKind::Binary { op, a, b } => InstKind::Binary { op, a: self.value(a), b: self.value(b) },
            InstKind::Negate(value) => InstKind::Negate(self.value(value)),
            InstKind::BitNot(value) => InstKind::BitNot(self.value(value)),
            InstKind::Compare { op, a, b } => InstKind::Compare { op, a: self.value(a), b: self.value(b) },
            InstKind::Cast(value) => InstKind::Cast(self.value(value)),
            InstKind::BitCast(value) => InstKind::BitCast(self.value(value)),
            InstKind::ComplexPart { value, is_imag } => InstKind::ComplexPart { value: self.value(value), is_imag },
            InstKind::MakeComplex { real, imag } => {
                InstKind::MakeComplex { real: self.value(real), imag: self.value(imag) }
            }
            InstKind::VectorElement { vector, index } => {
                InstKind::VectorElement { vector: self.value(vector), index: self.value(index) }
            }
            InstKind::Call { callee, args } => InstKind::Call { callee: self.value(callee), args: self.operands(args) },
            InstKind::Builtin { op, args } => InstKind::Builtin { op, args: self.operands(args) },
            InstKind::VaArg { address } => InstKind::VaArg { address: self.value(address) },
            InstKind::Asm { template, operands, clobbers_memory } => {
                InstKind::Asm { template, operands: self.operands(operands), clobbers_memory }
            }
            InstKind::AsmOutput { asm, index } => InstKind::AsmOutput { asm: self.value(asm), index },
            InstKind::Unknown { reason, operands } => InstKind::Unknown { reason, operands: self.operands(operands) },
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
