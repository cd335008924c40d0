//! The values that an instruction or terminator uses.

use crate::ir::{Function, InstKind, Terminator, Value};

impl InstKind {
    /// Calls `visit` with every operand in order, those of a phi included. The stretches of the
    /// operand pool must lie inside it.
    pub fn for_each_operand(&self, function: &Function, mut visit: impl FnMut(Value)) {
        match *self {
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_)
            | InstKind::Slot { .. } => {}
            InstKind::Alloca { size: value, .. }
            | InstKind::End { object: value }
            | InstKind::Bind { value, .. }
            | InstKind::Load { address: value, .. }
            | InstKind::LoadBits { address: value, .. }
            | InstKind::Zero { address: value, .. }
            | InstKind::CopyString { address: value, .. }
            | InstKind::Field { base: value, .. }
            | InstKind::Negate(value)
            | InstKind::BitNot(value)
            | InstKind::Cast(value)
            | InstKind::BitCast(value)
            | InstKind::ComplexPart { value, .. }
            | InstKind::VaArg { address: value }
            | InstKind::AsmOutput { asm: value, .. } => visit(value),
            InstKind::Store { address: a, value: b, .. }
            | InstKind::StoreBits { address: a, value: b, .. }
            | InstKind::Element { base: a, index: b }
            | InstKind::PointerDiff { a, b }
            | InstKind::Binary { a, b, .. }
            | InstKind::Compare { a, b, .. }
            | InstKind::MakeComplex { real: a, imag: b }
            | InstKind::VectorElement { vector: a, index: b } => {
                visit(a);
                visit(b);
            }
            InstKind::Phi(args) => function.phi_args(args).for_each(|(_, value)| visit(value)),
            InstKind::Call { callee, args } => {
                visit(callee);
                function.operands(args).iter().copied().for_each(visit);
            }
            InstKind::Builtin { args, .. } => function.operands(args).iter().copied().for_each(visit),
            InstKind::Asm { operands, .. } | InstKind::Unknown { operands, .. } => {
                function.operands(operands).iter().copied().for_each(visit);
            }
        }
    }
}

impl Terminator {
    /// The one value a terminator uses.
    pub fn operand(&self) -> Option<Value> {
        match self {
            Terminator::None | Terminator::Jump(_) | Terminator::AsmGoto { .. } | Terminator::Unreachable => None,
            Terminator::Branch { condition, .. } => Some(*condition),
            Terminator::Switch(switch) => Some(switch.value),
            Terminator::Indirect { address, .. } => Some(*address),
            Terminator::Return(value) => *value,
        }
    }
}
