//! Builtins. Atomic operations become loads, computations and stores: threads are not told apart, so
//! what matters is what is read and written.

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::List;
use caulk_sema::types::{Ty, Type};

use super::Lowerer;
use crate::build::Variable;
use crate::ir::{AtomicOp, BinaryOp, BlockId, Builtin, CompareOp, InstKind, Terminator, Value};

impl Lowerer<'_> {
    pub(super) fn builtin(&mut self, op: Builtin, args: List, ty: Ty, loc: Loc) -> Value {
        self.with_values(args, |cx, values| cx.builtin_of(op, values, ty, loc))
    }

    fn builtin_of(&mut self, op: Builtin, args: &[Value], ty: Ty, loc: Loc) -> Value {
        match (op, args) {
            (Builtin::Unreachable | Builtin::Trap, _) => {
                self.plain_builtin(op, args, ty, loc);
                self.end_here(loc);
                self.builder.undef(ty)
            }
            (Builtin::Longjmp, _) => {
                self.plain_builtin(op, args, ty, loc);
                self.end_here(loc);
                self.builder.undef(ty)
            }
            (Builtin::Alloca, &[size, ..]) => self.emit(InstKind::Alloca { size, name: Symbol::EMPTY }, ty, loc),
            (Builtin::AtomicLoad, &[address, ..]) => self.atomic_load(address, ty, loc),
            (Builtin::AtomicStore, &[address, value, ..]) => {
                match self.atomic_type(address) {
                    Some(target) => self.atomic_store(address, value, target, loc),
                    None => {
                        self.plain_builtin(op, args, ty, loc);
                    }
                }
                self.builder.undef(ty)
            }
            (Builtin::AtomicExchange, &[address, value, ..]) => match self.atomic_type(address) {
                Some(target) => {
                    let old = self.load(address, target, loc);
                    self.atomic_store(address, value, target, loc);
                    self.result(old, ty, loc)
                }
                None => self.plain_builtin(op, args, ty, loc),
            },
            (
                Builtin::AtomicCompareExchange | Builtin::SyncValCompareExchange | Builtin::SyncBoolCompareExchange,
                &[address, expected, desired, ..],
            ) => match self.atomic_type(address).filter(|&target| self.unit.types.is_scalar(target)) {
                Some(target) => self.compare_exchange(op, target, [address, expected, desired], ty, loc),
                None => self.plain_builtin(op, args, ty, loc),
            },
            (Builtin::AtomicRmw { op: rmw, fetch_first }, &[address, value, ..]) => {
                let target = self.atomic_type(address).filter(|&target| self.can_compute(rmw, target));
                let Some(target) = target else { return self.plain_builtin(op, args, ty, loc) };
                let old = self.load(address, target, loc);
                let new = self.atomic_compute(rmw, old, value, target, loc);
                self.atomic_store(address, new, target, loc);
                self.result(if fetch_first { old } else { new }, ty, loc)
            }
            _ => self.plain_builtin(op, args, ty, loc),
        }
    }

    fn plain_builtin(&mut self, op: Builtin, args: &[Value], ty: Ty, loc: Loc) -> Value {
        let args = self.builder.operands(args);
        self.emit(InstKind::Builtin { op, args }, ty, loc)
    }

    /// The value as the expression's type; nothing if that is `void`.
    fn result(&mut self, value: Value, ty: Ty, loc: Loc) -> Value {
        if self.unit.types.is_void(ty) { value } else { self.convert(value, ty, loc) }
    }

    /// What an atomic operation works on, if it can be loaded and stored.
    fn atomic_type(&self, address: Value) -> Option<Ty> {
        let types = &self.unit.types;
        let target = types.pointee(self.ty(address))?;
        match types.get(target) {
            Type::Void | Type::Array(..) | Type::Vla(..) | Type::Function(_) | Type::Error => None,
            _ => Some(target),
        }
    }

    fn atomic_load(&mut self, address: Value, ty: Ty, loc: Loc) -> Value {
        match self.atomic_type(address) {
            Some(target) => {
                let value = self.load(address, target.unqualified(), loc);
                self.result(value, ty, loc)
            }
            None => self.plain_builtin(Builtin::AtomicLoad, &[address], ty, loc),
        }
    }

    fn atomic_store(&mut self, address: Value, value: Value, target: Ty, loc: Loc) {
        let value = self.convert(value, target, loc);
        self.store(address, value, target.unqualified(), loc);
    }

    fn can_compute(&self, op: AtomicOp, target: Ty) -> bool {
        let types = &self.unit.types;
        match types.get(target) {
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) | Type::Bool => true,
            Type::Float(_) => matches!(op, AtomicOp::Add | AtomicOp::Sub),
            Type::Pointer(_) => matches!(op, AtomicOp::Add | AtomicOp::Sub),
            Type::Error
            | Type::Void
            | Type::Complex(_)
            | Type::Array(..)
            | Type::Vla(..)
            | Type::Vector(..)
            | Type::Function(_)
            | Type::Record(_)
            | Type::Nullptr => false,
        }
    }

    fn atomic_compute(&mut self, op: AtomicOp, old: Value, value: Value, target: Ty, loc: Loc) -> Value {
        if self.unit.types.is_pointer(target) {
            // These count bytes, whatever the pointer points to.
            let index_ty = self.ptrdiff_type();
            let offset = self.convert(value, index_ty, loc);
            let offset = match op {
                AtomicOp::Sub => self.emit(InstKind::Negate(offset), index_ty, loc),
                AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Nand => offset,
            };
            return self.byte_offset(old, offset, target, loc);
        }
        let value = self.convert(value, target, loc);
        let binary = match op {
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And | AtomicOp::Nand => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
        };
        let new = self.emit(InstKind::Binary { op: binary, a: old, b: value }, target, loc);
        if op == AtomicOp::Nand { self.emit(InstKind::BitNot(new), target, loc) } else { new }
    }

    /// Stores `desired` if the object is as expected. The C11 form has the address of what is
    /// expected and puts there what it found.
    fn compare_exchange(&mut self, op: Builtin, target: Ty, args: [Value; 3], ty: Ty, loc: Loc) -> Value {
        let [address, expected_arg, desired] = args;
        let writes_back = op == Builtin::AtomicCompareExchange;
        let target = target.unqualified();
        let old = self.load(address, target, loc);
        let expected = match writes_back {
            true => self.load(expected_arg, target, loc),
            false => self.convert(expected_arg, target, loc),
        };
        let is_equal = self.emit(InstKind::Compare { op: CompareOp::Eq, a: old, b: expected }, Ty::INT, loc);
        let [equal, different, end] = [(); 3].map(|()| self.builder.new_block());
        let found = self.builder.new_variable(Ty::INT, Symbol::EMPTY);
        let branch = Terminator::Branch { condition: is_equal, then: equal, otherwise: different };
        self.builder.terminate(branch, loc);

        self.builder.begin_sealed(equal);
        self.atomic_store(address, desired, target, loc);
        self.end_way(found, 1, end, loc);
        self.builder.begin_sealed(different);
        if writes_back {
            self.atomic_store(expected_arg, old, target, loc);
        }
        self.end_way(found, 0, end, loc);

        self.builder.begin_sealed(end);
        if op == Builtin::SyncValCompareExchange {
            return self.result(old, ty, loc);
        }
        let found = self.builder.read(found);
        self.result(found, ty, loc)
    }

    fn end_way(&mut self, found: Variable, number: i128, end: BlockId, loc: Loc) {
        let number = self.int(number, Ty::INT);
        self.builder.write(found, number);
        self.builder.jump(end, loc);
    }
}
