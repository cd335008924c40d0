//! `__atomic_*`, `__sync_*` and Clang's `__c11_atomic_*`.

use caulk_base::Loc;
use caulk_syntax::ast;

use super::Cx;
use crate::hir::{AtomicOp, Builtin, ExprId};
use crate::types::Ty;

impl Cx<'_> {
    pub(super) fn atomic_call(&mut self, name: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let is_sync = name.starts_with("__sync_");
        let is_c11 = name.starts_with("__c11_");
        let op = name
            .strip_prefix("__sync_")
            .or_else(|| name.strip_prefix("__atomic_"))
            .or_else(|| name.strip_prefix("__c11_atomic_"))?;
        match op {
            "thread_fence" | "signal_fence" | "synchronize" => {
                return Some(self.builtin_node(Builtin::Fence, &[], Ty::VOID, loc));
            }
            "always_lock_free" | "is_lock_free" => return Some(self.int(1, Ty::BOOL, loc)),
            _ => {}
        }
        let values = self.values_of(args);
        let &address = values.first()?;
        let pointee = self.unit.types.pointee(self.ty_of(address))?.unqualified();
        let value = |number: usize| values.get(number).copied();
        let converted = |cx: &mut Self, number: usize| {
            let value = value(number)?;
            Some(cx.convert(value, pointee, loc))
        };
        let result = match op {
            "load_n" => self.builtin_node(Builtin::AtomicLoad, &[address], pointee, loc),
            "load" if is_c11 => self.builtin_node(Builtin::AtomicLoad, &[address], pointee, loc),
            "load" => {
                let loaded = self.builtin_node(Builtin::AtomicLoad, &[address], pointee, loc);
                let target = self.deref(value(1)?, loc);
                let stored = self.assign_to(target, loaded, loc);
                self.cast(stored, Ty::VOID)
            }
            "store_n" => {
                let stored = converted(self, 1)?;
                self.builtin_node(Builtin::AtomicStore, &[address, stored], Ty::VOID, loc)
            }
            "store" | "init" if is_c11 => {
                let stored = converted(self, 1)?;
                self.builtin_node(Builtin::AtomicStore, &[address, stored], Ty::VOID, loc)
            }
            "store" => {
                let stored = self.behind(value(1)?, pointee, loc);
                self.builtin_node(Builtin::AtomicStore, &[address, stored], Ty::VOID, loc)
            }
            "exchange_n" | "lock_test_and_set" => {
                let stored = converted(self, 1)?;
                self.builtin_node(Builtin::AtomicExchange, &[address, stored], pointee, loc)
            }
            "exchange" if is_c11 => {
                let stored = converted(self, 1)?;
                self.builtin_node(Builtin::AtomicExchange, &[address, stored], pointee, loc)
            }
            "exchange" => {
                let stored = self.behind(value(1)?, pointee, loc);
                let old = self.builtin_node(Builtin::AtomicExchange, &[address, stored], pointee, loc);
                let target = self.deref(value(2)?, loc);
                let kept = self.assign_to(target, old, loc);
                self.cast(kept, Ty::VOID)
            }
            "compare_exchange_n" | "compare_exchange_strong" | "compare_exchange_weak" => {
                let desired = converted(self, 2)?;
                let expected = self.expected_address(value(1)?, pointee);
                self.builtin_node(Builtin::AtomicCompareExchange, &[address, expected, desired], Ty::BOOL, loc)
            }
            "compare_exchange" => {
                let desired = self.behind(value(2)?, pointee, loc);
                let expected = self.expected_address(value(1)?, pointee);
                self.builtin_node(Builtin::AtomicCompareExchange, &[address, expected, desired], Ty::BOOL, loc)
            }
            "val_compare_and_swap" | "bool_compare_and_swap" => {
                let (expected, desired) = (converted(self, 1)?, converted(self, 2)?);
                let (op, ty) = if op.starts_with("val") {
                    (Builtin::SyncValCompareExchange, pointee)
                } else {
                    (Builtin::SyncBoolCompareExchange, Ty::BOOL)
                };
                self.builtin_node(op, &[address, expected, desired], ty, loc)
            }
            "lock_release" | "clear" => {
                let zero = self.int(0, Ty::INT, loc);
                let target = if op == "clear" { Ty::BOOL } else { pointee };
                let (address, zero) = (self.address_as(address, target), self.convert(zero, target, loc));
                self.builtin_node(Builtin::AtomicStore, &[address, zero], Ty::VOID, loc)
            }
            "test_and_set" => {
                let address = self.address_as(address, Ty::BOOL);
                let one = self.int(1, Ty::BOOL, loc);
                self.builtin_node(Builtin::AtomicExchange, &[address, one], Ty::BOOL, loc)
            }
            _ => return self.read_modify_write(op, is_sync, is_c11, address, value(1)?, pointee, loc),
        };
        Some(result)
    }

    /// `fetch_add`, `add_fetch`, `fetch_and_add`, `add_and_fetch` …
    #[expect(clippy::too_many_arguments, reason = "the parts of one call, taken apart by its only caller")]
    fn read_modify_write(
        &mut self,
        name: &str,
        is_sync: bool,
        is_c11: bool,
        address: ExprId,
        value: ExprId,
        pointee: Ty,
        loc: Loc,
    ) -> Option<ExprId> {
        let joint = if is_sync { "_and_fetch" } else { "_fetch" };
        let (word, fetch_first) = match name.strip_suffix(joint) {
            Some(word) => (word, false),
            None => (name.strip_prefix(if is_sync { "fetch_and_" } else { "fetch_" })?, true),
        };
        let op = match word {
            "add" => AtomicOp::Add,
            "sub" => AtomicOp::Sub,
            "and" => AtomicOp::And,
            "or" => AtomicOp::Or,
            "xor" => AtomicOp::Xor,
            "nand" => AtomicOp::Nand,
            _ => return None,
        };
        let op = Builtin::AtomicRmw { op, fetch_first };
        let Some(target) = self.unit.types.pointee(pointee) else {
            let value = self.convert(value, pointee, loc);
            return Some(self.builtin_node(op, &[address, value], pointee, loc));
        };
        // On a pointer: as a number; Clang's C11 forms count elements, gcc's bytes.
        let number = self.size_type();
        let mut value = self.cast(value, number);
        if is_c11 {
            let size = self.unit.types.size_of(target).unwrap_or(1);
            let size = self.int(size.into(), number, loc);
            value = self.binary(crate::hir::BinaryOp::Mul, value, size, loc);
        }
        let address = self.address_as(address, number);
        let result = self.builtin_node(op, &[address, value], number, loc);
        Some(self.cast(result, pointee))
    }

    /// The value behind a pointer argument, as one of the atomic object's type.
    fn behind(&mut self, pointer: ExprId, ty: Ty, loc: Loc) -> ExprId {
        let pointer = self.address_as(pointer, ty);
        let place = self.deref(pointer, loc);
        self.rvalue(place)
    }

    fn expected_address(&mut self, pointer: ExprId, pointee: Ty) -> ExprId {
        self.address_as(pointer, pointee)
    }

    fn address_as(&mut self, pointer: ExprId, pointee: Ty) -> ExprId {
        let ty = self.unit.types.pointer_to(pointee);
        self.cast(pointer, ty)
    }
}
