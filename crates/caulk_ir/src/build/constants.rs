//! Constants: one value for each number and type, whatever uses it.

use caulk_base::Loc;
use caulk_sema::types::{Ty, Type, TypeTable};

use super::{Builder, Variable};
use crate::ir::{BlockId, GlobalId, InstKind, StringId, Value};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ConstantKey {
    Int(i64, Ty),
    Float(u64, Ty),
    Undef(Ty),
    /// What a variable holds before it is assigned: the same wherever it is read.
    Unassigned(Variable, Ty),
    Global(GlobalId, Ty),
    String(StringId, Ty),
    Block(BlockId, Ty),
}

impl Builder {
    /// Of integer, enum, `_Bool` or pointer type; wrapped to it.
    pub fn int(&mut self, types: &TypeTable, value: i128, ty: Ty) -> Value {
        let ty = ty.unqualified();
        let (width, is_signed) = match types.get(ty) {
            Type::Pointer(_) | Type::Nullptr => (types.target.pointer_size as u32 * 8, false),
            _ => types.int_info(ty).unwrap_or((64, true)),
        };
        let value = if ty == Ty::BOOL { i128::from(value != 0) } else { wrap(value, width, is_signed) };
        if width <= 64 {
            return self.constant(ConstantKey::Int(value as i64, ty));
        }
        match i64::try_from(value) {
            Ok(value) => self.constant(ConstantKey::Int(value, ty)),
            Err(_) => {
                let number = self.wide_constants.len() as u32;
                self.wide_constants.push(value);
                self.push_inst(InstKind::WideInt(number), ty, Loc::NONE)
            }
        }
    }

    /// The number of an integer or pointer constant, as its type has it.
    pub fn int_value(&self, types: &TypeTable, value: Value) -> Option<i128> {
        let inst = &self.insts[value];
        match inst.kind {
            InstKind::Int(number) => {
                let is_unsigned = types.int_info(inst.ty).is_none_or(|(width, is_signed)| width == 64 && !is_signed);
                Some(if is_unsigned { i128::from(number as u64) } else { i128::from(number) })
            }
            InstKind::WideInt(number) => Some(self.wide_constants[number as usize]),
            _ => None,
        }
    }

    pub fn float(&mut self, value: f64, ty: Ty) -> Value {
        self.constant(ConstantKey::Float(value.to_bits(), ty.unqualified()))
    }

    pub fn undef(&mut self, ty: Ty) -> Value {
        self.constant(ConstantKey::Undef(ty.unqualified()))
    }

    pub fn unassigned(&mut self, variable: Variable) -> Value {
        let ty = self.variables[variable].ty.unqualified();
        self.constant(ConstantKey::Unassigned(variable, ty))
    }

    pub fn global(&mut self, global: GlobalId, pointer: Ty) -> Value {
        self.constant(ConstantKey::Global(global, pointer.unqualified()))
    }

    pub fn string(&mut self, string: StringId, pointer: Ty) -> Value {
        self.constant(ConstantKey::String(string, pointer.unqualified()))
    }

    pub fn block_address(&mut self, block: BlockId, ty: Ty) -> Value {
        self.constant(ConstantKey::Block(block, ty.unqualified()))
    }

    fn constant(&mut self, key: ConstantKey) -> Value {
        if let Some(&value) = self.constants.get(&key) {
            return value;
        }
        let (kind, ty) = match key {
            ConstantKey::Int(value, ty) => (InstKind::Int(value), ty),
            ConstantKey::Float(bits, ty) => (InstKind::Float(f64::from_bits(bits)), ty),
            ConstantKey::Undef(ty) | ConstantKey::Unassigned(_, ty) => (InstKind::Undef, ty),
            ConstantKey::Global(global, ty) => (InstKind::Global(global), ty),
            ConstantKey::String(string, ty) => (InstKind::String(string), ty),
            ConstantKey::Block(block, ty) => (InstKind::BlockAddress(block), ty),
        };
        let value = self.push_inst(kind, ty, Loc::NONE);
        self.constants.insert(key, value);
        value
    }
}

/// The value as an integer type of this width has it.
pub fn wrap(value: i128, width: u32, is_signed: bool) -> i128 {
    if width == 0 || width >= 128 {
        return value;
    }
    let shift = 128 - width;
    if is_signed { value << shift >> shift } else { ((value as u128) << shift >> shift) as i128 }
}
