//! Conditions: scalars that decide where to go.
//!
//! [`Lowerer::condition`] branches to one of two blocks. `&&`, `||`, `!` and `?:` go there directly;
//! only everything else is computed and tested. Where the truth of such an expression is wanted as a
//! number, the two ways write 1 and 0 to a variable of no name, and SSA construction makes the phi.
//!
//! ```c
//! if (a && !b) f();     // bb0: branch a, bb1, bb3   bb1: branch b, bb3, bb2   bb2: call f
//! ```

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::{Expr, ExprId, ExprKind};
use caulk_sema::types::{Ty, Type};

use super::Lowerer;
use crate::ir::{BlockId, CompareOp, InstKind, Terminator, Value};

impl Lowerer<'_> {
    /// Ends the current block by going to `then` if the expression is not zero, else to `otherwise`.
    pub(super) fn condition(&mut self, id: ExprId, then: BlockId, otherwise: BlockId) {
        self.depth += 1;
        self.condition_inner(id, then, otherwise);
        self.depth -= 1;
    }

    fn condition_inner(&mut self, id: ExprId, then: BlockId, otherwise: BlockId) {
        let expr = self.expr(id);
        if self.is_too_deep() {
            let value = self.unknown("nested too deeply", &[], Ty::INT, expr.loc);
            return self.branch_on(value, then, otherwise, expr.loc);
        }
        match expr.kind {
            ExprKind::Int(number) => {
                let target = if number != 0 { then } else { otherwise };
                self.builder.jump(target, expr.loc);
            }
            ExprKind::LogicalNot(operand) => self.condition(operand, otherwise, then),
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.condition_chain(id, then, otherwise),
            ExprKind::Cast(operand) if self.keeps_truth(operand, expr.ty) => {
                self.condition(operand, then, otherwise);
            }
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.condition(second, then, otherwise);
            }
            ExprKind::Conditional { condition, then: Some(first), otherwise: second } => {
                let first_block = self.builder.new_block();
                let second_block = self.builder.new_block();
                self.condition(condition, first_block, second_block);
                self.builder.begin_sealed(first_block);
                self.condition(first, then, otherwise);
                self.builder.begin_sealed(second_block);
                self.condition(second, then, otherwise);
            }
            ExprKind::Conditional { condition, then: None, otherwise: second } => {
                let second_block = self.builder.new_block();
                self.condition(condition, then, second_block);
                self.builder.begin_sealed(second_block);
                self.condition(second, then, otherwise);
            }
            _ => {
                let value = self.value(id);
                self.branch_on(value, then, otherwise, expr.loc);
            }
        }
    }

    /// A chain of `&&` or of `||`, which nests to the left.
    fn condition_chain(&mut self, id: ExprId, then: BlockId, otherwise: BlockId) {
        let is_and = matches!(self.expr(id).kind, ExprKind::LogicalAnd(..));
        let base = self.tables.exprs.len();
        let mut leftmost = id;
        loop {
            match self.expr(leftmost).kind {
                ExprKind::LogicalAnd(a, b) if is_and => {
                    self.tables.exprs.push(b);
                    leftmost = a;
                }
                ExprKind::LogicalOr(a, b) if !is_and => {
                    self.tables.exprs.push(b);
                    leftmost = a;
                }
                _ => break,
            }
        }
        let mut operand = leftmost;
        while self.tables.exprs.len() > base {
            let next = self.builder.new_block();
            if is_and {
                self.condition(operand, next, otherwise);
            } else {
                self.condition(operand, then, next);
            }
            self.builder.begin_sealed(next);
            let Some(following) = self.tables.exprs.pop() else { break };
            operand = following;
        }
        self.condition(operand, then, otherwise);
    }

    /// Whether a conversion to this type is zero exactly if the operand is.
    fn keeps_truth(&self, operand: ExprId, to: Ty) -> bool {
        let types = &self.unit.types;
        let operand = self.expr(operand);
        let is_address = |ty| matches!(types.get(ty), Type::Pointer(_) | Type::Nullptr);
        let width = |ty| match types.int_info(ty) {
            Some((width, _)) => Some(width),
            None => is_address(ty).then_some(types.target.pointer_size as u32 * 8),
        };
        if !types.is_scalar(operand.ty) {
            return false;
        }
        if to.unqualified() == Ty::BOOL {
            return true;
        }
        let is_truth = matches!(
            operand.kind,
            ExprKind::LogicalNot(_) | ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::Compare(..)
        );
        match (width(operand.ty), width(to)) {
            (Some(from), Some(to)) => is_truth || to >= from,
            _ => false,
        }
    }

    pub(super) fn branch_on(&mut self, value: Value, then: BlockId, otherwise: BlockId, loc: Loc) {
        if let Some(number) = self.int_value(value) {
            let target = if number != 0 { then } else { otherwise };
            return self.builder.jump(target, loc);
        }
        let condition = self.truth(value, CompareOp::Ne, loc);
        self.builder.terminate(Terminator::Branch { condition, then, otherwise }, loc);
    }

    /// The value compared with zero, as an int; an int tested for being nonzero is left as it is.
    pub(super) fn truth(&mut self, value: Value, op: CompareOp, loc: Loc) -> Value {
        let ty = self.ty(value);
        if op == CompareOp::Ne && ty == Ty::INT {
            return value;
        }
        if !self.unit.types.is_scalar(ty) && !self.unit.types.is_error(ty) {
            return self.unknown("condition that is no scalar", &[value], Ty::INT, loc);
        }
        let zero = self.zero(ty, loc);
        self.emit(InstKind::Compare { op, a: value, b: zero }, Ty::INT, loc)
    }

    /// `!e` as a number.
    pub(super) fn logical_not(&mut self, operand: ExprId, id: ExprId) -> Value {
        let loc = self.expr(id).loc;
        match self.expr(operand).kind {
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.truth_value(id),
            _ => {
                let value = self.value(operand);
                match self.int_value(value) {
                    Some(number) => self.int(i128::from(number == 0), Ty::INT),
                    None => self.truth(value, CompareOp::Eq, loc),
                }
            }
        }
    }

    /// The truth of a condition as a number of the expression's type.
    pub(super) fn truth_value(&mut self, id: ExprId) -> Value {
        let Expr { ty, loc, .. } = self.expr(id);
        let result = self.builder.new_variable(ty, Symbol::EMPTY);
        let blocks = [self.builder.new_block(), self.builder.new_block()];
        let end = self.builder.new_block();
        self.condition(id, blocks[0], blocks[1]);
        for (block, number) in blocks.into_iter().zip([1, 0]) {
            self.builder.begin_sealed(block);
            let number = self.int(number, ty);
            self.builder.write(result, number);
            self.builder.jump(end, loc);
        }
        self.builder.begin_sealed(end);
        self.builder.read(result)
    }

    /// `c ? a : b`, as a value unless it is void. A chain of them in the last operand shares its end.
    pub(super) fn conditional(&mut self, id: ExprId, is_wanted: bool) -> Option<Value> {
        let Expr { ty, .. } = self.expr(id);
        let is_wanted = is_wanted && !self.unit.types.is_void(ty);
        let result = is_wanted.then(|| self.builder.new_variable(ty, Symbol::EMPTY));
        let end = self.builder.new_block();
        let mut at = id;
        while let Expr { kind: ExprKind::Conditional { condition, then, otherwise }, loc, .. } = self.expr(at) {
            let else_block = self.builder.new_block();
            let then_block = self.builder.new_block();
            match then {
                Some(then) => {
                    self.condition(condition, then_block, else_block);
                    self.builder.begin_sealed(then_block);
                    self.arm(then, result);
                }
                None => {
                    let value = self.value(condition);
                    self.branch_on(value, then_block, else_block, loc);
                    self.builder.begin_sealed(then_block);
                    if let Some(result) = result {
                        let value = self.convert(value, ty, loc);
                        self.builder.write(result, value);
                    }
                }
            }
            self.builder.jump(end, loc);
            self.builder.begin_sealed(else_block);
            at = otherwise;
            if self.expr(at).ty.unqualified() != ty.unqualified() {
                break;
            }
        }
        self.arm(at, result);
        let loc = self.expr(at).loc;
        self.builder.jump(end, loc);
        self.builder.begin_sealed(end);
        result.map(|result| self.builder.read(result))
    }

    fn arm(&mut self, id: ExprId, result: Option<crate::build::Variable>) {
        match result {
            Some(result) if !self.unit.types.is_void(self.expr(id).ty) => {
                let value = self.value(id);
                let ty = self.builder.variable_ty(result);
                let value = self.convert(value, ty, self.expr(id).loc);
                self.builder.write(result, value);
            }
            _ => self.discard(id),
        }
    }
}
