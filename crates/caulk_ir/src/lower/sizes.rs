//! Sizes known only when the program runs.

use caulk_base::Loc;
use caulk_sema::hir::{ExprId, LocalId};
use caulk_sema::types::{Ty, Type, VlaId};

use super::{Lowerer, Storage};
use crate::ir::{BinaryOp, InstKind, Value};

impl Lowerer<'_> {
    /// Fixes the length of a variable-length array.
    pub(super) fn set_vla(&mut self, vla: VlaId, len: ExprId) {
        let loc = self.expr(len).loc;
        let len = self.value(len);
        let size_ty = self.size_type();
        let len = self.convert(len, size_ty, loc);
        if let Some(&variable) = self.tables.vla_lengths.get(vla.0 as usize) {
            self.builder.write(variable, len);
        }
    }

    /// Size in bytes of any type, as a `size_t`; undefined for incomplete ones.
    pub(super) fn size_value(&mut self, ty: Ty, loc: Loc) -> Value {
        let size_ty = self.size_type();
        if let Some(size) = self.unit.types.size_of(ty) {
            return self.int(i128::from(size), size_ty);
        }
        let (element, len) = match self.unit.types.get(ty) {
            Type::Vla(element, vla) => match self.tables.vla_lengths.get(vla.0 as usize) {
                Some(&variable) => (element, self.builder.read(variable)),
                // Its length was fixed in an enclosing function.
                None => (element, self.builder.undef(size_ty)),
            },
            Type::Array(element, Some(len)) => (element, self.int(i128::from(len), size_ty)),
            _ => return self.builder.undef(size_ty),
        };
        let size = self.size_value(element, loc);
        if self.int_value(size) == Some(1) {
            return len;
        }
        self.emit(InstKind::Binary { op: BinaryOp::Mul, a: len, b: size }, size_ty, loc)
    }

    /// Makes the array of a variable-length local.
    pub(super) fn allocate_vla(&mut self, local: LocalId) {
        let Storage::Vla(variable) = self.tables.storage[local] else { return };
        let data = &self.body.locals[local];
        let size = self.size_value(data.ty, data.loc);
        let pointer = self.pointer_to(data.ty);
        let array = self.emit(InstKind::Alloca { size, name: data.name }, pointer, data.loc);
        self.builder.write(variable, array);
    }
}
