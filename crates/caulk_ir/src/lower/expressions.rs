//! Expressions: for their value ([`Lowerer::value`]) or only for what they do
//! ([`Lowerer::discard`]).
//!
//! Where C leaves the order of evaluation open, arguments go from left to right and the value of an
//! assignment comes before its target.

use caulk_base::Loc;
use caulk_sema::hir::{Expr, ExprId, ExprKind, LabelId, List, StmtId};
use caulk_sema::types::Ty;

use super::{Lowerer, MAX_DEPTH};
use crate::ir::{InstKind, Terminator, Value};

impl Lowerer<'_> {
    pub(super) fn is_too_deep(&self) -> bool {
        self.depth > MAX_DEPTH
    }

    /// The value of an expression; of an lvalue, what it holds. Of `void`: nothing to be used.
    pub(super) fn value(&mut self, id: ExprId) -> Value {
        self.depth += 1;
        let value = if self.is_too_deep() {
            let expr = self.expr(id);
            self.unknown("nested too deeply", &[], expr.ty, expr.loc)
        } else {
            self.value_inner(id)
        };
        self.depth -= 1;
        value
    }

    fn value_inner(&mut self, id: ExprId) -> Value {
        let expr = self.expr(id);
        let Expr { kind, ty, loc } = expr;
        match kind {
            ExprKind::Int(number) => self.int(number, ty),
            ExprKind::Float(number) => self.builder.float(number, ty),
            ExprKind::Load(object) => self.object_value(object, loc),
            ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::VectorElement { .. } => self.object_value(id, loc),
            ExprKind::ComplexPart { value, is_imag } => {
                if self.denotes_object(value) {
                    return self.object_value(id, loc);
                }
                let value = self.value(value);
                if !self.unit.types.is_complex(self.ty(value)) {
                    return if is_imag { self.zero(ty, loc) } else { value };
                }
                self.emit(InstKind::ComplexPart { value, is_imag }, ty, loc)
            }
            ExprKind::AddressOf(object) => self.address_of(object, ty, loc),
            ExprKind::Negate(operand) => self.negate(operand, expr),
            ExprKind::BitNot(operand) => {
                let value = self.value(operand);
                self.emit(InstKind::BitNot(value), ty, loc)
            }
            ExprKind::LogicalNot(operand) => self.logical_not(operand, id),
            ExprKind::Binary(..) => self.binary(id),
            ExprKind::Compare(op, a, b) => {
                let a = self.value(a);
                let b = self.value(b);
                self.emit(InstKind::Compare { op, a, b }, ty, loc)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.truth_value(id),
            ExprKind::PointerAdd { pointer, index, is_sub } => self.pointer_add_expr(pointer, index, is_sub, expr),
            ExprKind::PointerDiff(a, b) => self.pointer_diff(a, b, expr),
            ExprKind::Conditional { .. } => match self.conditional(id, true) {
                Some(value) => value,
                None => self.builder.undef(ty),
            },
            ExprKind::Comma(..) => {
                let last = self.comma(id);
                self.value(last)
            }
            ExprKind::Assign { target, value } => {
                let (place, value) = self.assign(target, value, loc);
                self.written_value(place, value, loc)
            }
            ExprKind::CompoundAssign { op, target, value, compute } => {
                let (place, value) = self.compound_assign(op, target, value, compute, loc);
                self.written_value(place, value, loc)
            }
            ExprKind::Increment { target, is_decrement, is_postfix } => {
                let (place, old, new) = self.increment(target, is_decrement, loc);
                if is_postfix { old } else { self.written_value(place, new, loc) }
            }
            ExprKind::Cast(operand) => self.cast(operand, expr),
            ExprKind::Call { callee, args } => self.call(callee, args, ty, loc),
            ExprKind::Builtin { op, args } => self.builtin(op, args, ty, loc),
            ExprKind::StmtExpr { block, value } => match self.statement_expression(block, value, true) {
                Some(value) => value,
                None => self.builder.undef(ty),
            },
            ExprKind::VaArg(list) => {
                let address = self.value(list);
                self.emit(InstKind::VaArg { address }, ty, loc)
            }
            ExprKind::LabelAddress(label) => self.label_address(label, ty),
            ExprKind::SizeofVla(sized) => {
                let size = self.size_value(sized, loc);
                self.convert(size, ty, loc)
            }
            ExprKind::MakeComplex(real, imag) => {
                let real = self.value(real);
                let imag = self.value(imag);
                self.emit(InstKind::MakeComplex { real, imag }, ty, loc)
            }
            ExprKind::Unknown { args } => {
                self.with_values(args, |cx, values| cx.unknown("expression", values, ty, loc))
            }
        }
    }

    /// What an object holds.
    fn object_value(&mut self, object: ExprId, loc: Loc) -> Value {
        // Nearly half of all loads are of variables.
        if let ExprKind::Local(local) = self.expr(object).kind
            && let super::Storage::Variable(variable) = self.tables.storage[local]
        {
            return self.builder.read(variable);
        }
        let place = self.place(object);
        self.read_place(place, loc)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn discard(&mut self, id: ExprId) {
        self.depth += 1;
        if self.is_too_deep() {
            self.value(id);
        } else {
            self.discard_inner(id);
        }
        self.depth -= 1;
    }

    fn discard_inner(&mut self, id: ExprId) {
        let Expr { kind, ty, loc } = self.expr(id);
        match kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::SizeofVla(_) => {}
            ExprKind::Load(object) => {
                if self.expr(object).ty.is_volatile() {
                    self.object_value(object, loc);
                } else {
                    self.discard(object);
                }
            }
            ExprKind::Deref(operand)
            | ExprKind::Member { base: operand, .. }
            | ExprKind::ComplexPart { value: operand, .. }
            | ExprKind::AddressOf(operand)
            | ExprKind::Negate(operand)
            | ExprKind::BitNot(operand)
            | ExprKind::LogicalNot(operand)
            | ExprKind::Cast(operand) => self.discard(operand),
            ExprKind::VectorElement { base: a, index: b }
            | ExprKind::Compare(_, a, b)
            | ExprKind::PointerAdd { pointer: a, index: b, .. }
            | ExprKind::PointerDiff(a, b)
            | ExprKind::MakeComplex(a, b) => {
                self.discard(a);
                self.discard(b);
            }
            ExprKind::Binary(..) => {
                self.binary(id);
            }
            ExprKind::CompoundLiteral { .. } => {
                self.place(id);
            }
            ExprKind::LogicalAnd(a, b) => self.discard_if(a, b, true),
            ExprKind::LogicalOr(a, b) => self.discard_if(a, b, false),
            ExprKind::Conditional { .. } => {
                self.conditional(id, false);
            }
            ExprKind::Comma(..) => {
                let last = self.comma(id);
                self.discard(last);
            }
            ExprKind::Assign { target, value } => {
                self.assign(target, value, loc);
            }
            ExprKind::CompoundAssign { op, target, value, compute } => {
                self.compound_assign(op, target, value, compute, loc);
            }
            ExprKind::Increment { target, is_decrement, .. } => {
                self.increment(target, is_decrement, loc);
            }
            ExprKind::Call { callee, args } => {
                self.call(callee, args, ty, loc);
            }
            ExprKind::Builtin { op, args } => {
                self.builtin(op, args, ty, loc);
            }
            ExprKind::StmtExpr { block, value } => {
                self.statement_expression(block, value, false);
            }
            ExprKind::VaArg(_) | ExprKind::Unknown { .. } => {
                self.value(id);
            }
        }
    }

    /// `a && b;` or `a || b;`: `b` only if `a` is as `wanted`.
    fn discard_if(&mut self, a: ExprId, b: ExprId, wanted: bool) {
        let run = self.builder.new_block();
        let end = self.builder.new_block();
        let (then, otherwise) = if wanted { (run, end) } else { (end, run) };
        self.condition(a, then, otherwise);
        self.builder.begin_sealed(run);
        self.discard(b);
        let loc = self.expr(b).loc;
        self.builder.jump(end, loc);
        self.builder.begin_sealed(end);
    }

    /// Evaluates all but the last operand of a chain of commas, which nests to the left.
    fn comma(&mut self, id: ExprId) -> ExprId {
        let base = self.tables.exprs.len();
        let mut at = id;
        while let ExprKind::Comma(first, second) = self.expr(at).kind {
            self.tables.exprs.push(second);
            at = first;
        }
        while self.tables.exprs.len() > base {
            self.discard(at);
            let Some(next) = self.tables.exprs.pop() else { break };
            at = next;
        }
        at
    }

    /// Evaluates a list from left to right and hands its values to `then`.
    pub(super) fn with_values<T>(&mut self, list: List, then: impl FnOnce(&mut Self, &[Value]) -> T) -> T {
        let base = self.tables.values.len();
        for place in list.range() {
            let value = self.value(self.body.expr_lists[place]);
            self.tables.values.push(value);
        }
        // `then` may evaluate nothing further, so the buffer can be lent to it.
        let values = std::mem::take(&mut self.tables.values);
        let result = then(self, &values[base..]);
        self.tables.values = values;
        self.tables.values.truncate(base);
        result
    }

    fn call(&mut self, callee: ExprId, args: List, ty: Ty, loc: Loc) -> Value {
        let callee = self.value(callee);
        let args = self.with_values(args, |cx, values| cx.builder.operands(values));
        let result = self.emit(InstKind::Call { callee, args }, ty, loc);
        let never_returns = match self.builder.kind(callee) {
            InstKind::Global(global) => self.unit.globals[global].is_noreturn,
            _ => false,
        };
        if never_returns || self.unit.types.callee(self.ty(callee)).is_some_and(|callee| callee.is_noreturn) {
            self.end_here(loc);
        }
        result
    }

    /// Nothing after this is reached.
    pub(super) fn end_here(&mut self, loc: Loc) {
        self.builder.terminate(Terminator::Unreachable, loc);
        self.builder.begin_dead();
    }

    /// `({ … })`
    fn statement_expression(&mut self, block: StmtId, value: Option<ExprId>, is_wanted: bool) -> Option<Value> {
        let floor = self.tables.switches.hide();
        let result = self.block_with_value(block, value, is_wanted);
        self.tables.switches.show(floor);
        result
    }

    fn label_address(&mut self, label: LabelId, ty: Ty) -> Value {
        match self.label_block(label) {
            Some(block) => {
                self.builder.set_address_taken(block);
                self.builder.block_address(block, ty)
            }
            None => self.builder.undef(ty),
        }
    }
}
