//! Statements.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast;

use super::Cx;
use crate::hir::{Asm, AsmInput, AsmOutput, ExprId, Label, LabelId, List, Stmt, StmtId, StmtKind};
use crate::types::Ty;

impl Cx<'_> {
    pub(super) fn push_stmt(&mut self, kind: StmtKind, loc: Loc) -> StmtId {
        self.body.stmts.push(Stmt { kind, loc })
    }

    pub(super) fn stmt_list(&mut self, stmts: &[StmtId]) -> List {
        let start = self.body.stmt_lists.len() as u32;
        self.body.stmt_lists.extend_from_slice(stmts);
        List { start, len: stmts.len() as u32 }
    }

    /// The body of a function: parameters and outermost block share a scope.
    pub(super) fn function_block(&mut self, body: ast::StmtId, prologue: Vec<StmtId>) -> StmtId {
        let ast::Stmt { kind, loc } = self.ast.stmts[body];
        let mut stmts = prologue;
        let mut end = loc;
        if let ast::StmtKind::Block { stmts: list, end: brace } = kind {
            let ast = self.ast;
            for &stmt in ast.stmt_list(list) {
                self.stmt(stmt, &mut stmts);
            }
            end = brace;
        }
        self.place_missing_labels(&mut stmts, end);
        let stmts = self.stmt_list(&stmts);
        self.push_stmt(StmtKind::Block { stmts, end }, loc)
    }

    /// A label that is used but never set stands at the end, so that every jump has a target.
    fn place_missing_labels(&mut self, stmts: &mut Vec<StmtId>, end: Loc) {
        let mut is_placed = vec![false; self.body.labels.len()];
        for stmt in &self.body.stmts {
            if let StmtKind::Label { label, .. } = stmt.kind {
                is_placed[label.0 as usize] = true;
            }
        }
        for label in self.body.labels.ids() {
            let Label { name, is_nonlocal, loc, .. } = self.body.labels[label];
            if !is_placed[label.0 as usize] && !is_nonlocal {
                self.error(loc, format!("label `{name}` is used but not defined"));
                let body = self.push_stmt(StmtKind::Empty, end);
                stmts.push(self.push_stmt(StmtKind::Label { label, body }, end));
            }
        }
    }

    /// One statement as one, whatever it amounts to.
    fn single(&mut self, stmt: ast::StmtId) -> StmtId {
        let loc = self.ast.stmts[stmt].loc;
        let mut stmts = Vec::new();
        self.stmt(stmt, &mut stmts);
        match stmts.as_slice() {
            [only] => *only,
            _ => {
                let stmts = self.stmt_list(&stmts);
                self.push_stmt(StmtKind::Block { stmts, end: loc }, loc)
            }
        }
    }

    /// One statement in a scope of its own, as the parts of `if` and loops are.
    fn scoped(&mut self, stmt: ast::StmtId) -> StmtId {
        self.push_scope();
        let stmt = self.single(stmt);
        self.pop_scope();
        stmt
    }

    /// Checks a block; if its last statement is an expression, that is the block's value.
    pub(super) fn block_with_value(&mut self, list: ast::List, end: Loc, loc: Loc) -> (StmtId, Option<ExprId>) {
        let ast = self.ast;
        self.push_scope();
        let labels = self.local_label_count();
        let items = ast.stmt_list(list);
        let mut stmts = Vec::new();
        let mut value = None;
        for (number, &stmt) in items.iter().enumerate() {
            let mut stmt = stmt;
            if number + 1 == items.len() {
                // `({ …; end: result; })` has the value after the label.
                while let ast::StmtKind::Label { name, body } = ast.stmts[stmt].kind {
                    self.place_label(name, ast.stmts[stmt].loc, &mut stmts);
                    stmt = body;
                }
                if let ast::StmtKind::Expr(expr) = ast.stmts[stmt].kind {
                    value = Some(self.value(expr));
                    continue;
                }
            }
            self.stmt(stmt, &mut stmts);
        }
        if let Some(expr) = value
            && self.unit.types.is_void(self.ty_of(expr))
        {
            stmts.push(self.push_stmt(StmtKind::Expr(expr), loc));
            value = None;
        }
        self.drop_local_labels(labels);
        self.pop_scope();
        let stmts = self.stmt_list(&stmts);
        (self.push_stmt(StmtKind::Block { stmts, end }, loc), value)
    }

    fn local_label_count(&self) -> usize {
        self.function.as_ref().map_or(0, |function| function.local_labels.len())
    }

    fn drop_local_labels(&mut self, count: usize) {
        let Some(function) = &mut self.checker.function else { return };
        while function.local_labels.len() > count {
            let Some((name, hidden)) = function.local_labels.pop() else { break };
            match hidden {
                Some(label) => function.labels.insert(name, label),
                None => function.labels.remove(&name),
            };
        }
    }

    fn declare_local_label(&mut self, name: Symbol, loc: Loc) {
        let label = self.body.labels.push(Label { name, is_address_taken: false, is_nonlocal: false, loc });
        if let Some(function) = &mut self.checker.function {
            let hidden = function.labels.insert(name, label);
            function.local_labels.push((name, hidden));
        }
    }

    /// Checks a statement; what it amounts to is appended.
    pub(super) fn stmt(&mut self, id: ast::StmtId, into: &mut Vec<StmtId>) {
        let ast::Stmt { kind, loc } = self.ast.stmts[id];
        let kind = match kind {
            ast::StmtKind::Empty | ast::StmtKind::Error => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => {
                let expr = self.expr(expr);
                StmtKind::Expr(self.effect(expr))
            }
            ast::StmtKind::Declaration(declaration) => {
                self.local_declaration(declaration, into);
                return;
            }
            ast::StmtKind::StaticAssert(condition, _) => {
                self.static_assert(condition);
                return;
            }
            ast::StmtKind::Block { stmts, end } => {
                let ast = self.ast;
                self.push_scope();
                let labels = self.local_label_count();
                let mut inner = Vec::new();
                for &stmt in ast.stmt_list(stmts) {
                    self.stmt(stmt, &mut inner);
                }
                self.drop_local_labels(labels);
                self.pop_scope();
                StmtKind::Block { stmts: self.stmt_list(&inner), end }
            }
            ast::StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition_of(condition);
                let then = self.scoped(then);
                let otherwise = otherwise.map(|otherwise| self.scoped(otherwise));
                StmtKind::If { condition, then, otherwise }
            }
            ast::StmtKind::While { condition, body } => {
                let condition = self.condition_of(condition);
                StmtKind::While { condition, body: self.scoped(body) }
            }
            ast::StmtKind::DoWhile { body, condition } => {
                let body = self.scoped(body);
                StmtKind::DoWhile { body, condition: self.condition_of(condition) }
            }
            ast::StmtKind::For { init, condition, step, body } => self.for_loop(init, condition, step, body, loc),
            ast::StmtKind::Switch { value, body } => self.switch(value, body, loc),
            ast::StmtKind::Case { low, high, body } => {
                self.case(low, high, loc, into);
                self.stmt(body, into);
                return;
            }
            ast::StmtKind::Default { body } => {
                let empty = self.push_stmt(StmtKind::Empty, loc);
                into.push(self.push_stmt(StmtKind::Default { body: empty }, loc));
                self.stmt(body, into);
                return;
            }
            ast::StmtKind::Label { name, body } => {
                self.place_label(name, loc, into);
                self.stmt(body, into);
                return;
            }
            ast::StmtKind::LocalLabel(name) => {
                self.declare_local_label(name, loc);
                return;
            }
            ast::StmtKind::Goto(name) => StmtKind::Goto(self.label(name, loc)),
            ast::StmtKind::GotoComputed(expr) => {
                let target = self.value(expr);
                StmtKind::GotoComputed(self.cast(target, Ty::VOID_PTR))
            }
            ast::StmtKind::Break => StmtKind::Break,
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Return(value) => {
                let value = value.and_then(|value| self.return_value(value, loc, into));
                StmtKind::Return(value)
            }
            ast::StmtKind::Asm(asm) => self.asm(asm),
            ast::StmtKind::NestedFunction { specifiers, declarator, body } => {
                self.nested_function(specifiers, declarator, body, loc);
                return;
            }
        };
        into.push(self.push_stmt(kind, loc));
    }

    /// A label; what follows it goes into the same list, so that a declaration there belongs to this block.
    fn place_label(&mut self, name: Symbol, loc: Loc, into: &mut Vec<StmtId>) {
        let label = self.label(name, loc);
        self.body.labels[label].loc = loc;
        let body = self.push_stmt(StmtKind::Empty, loc);
        into.push(self.push_stmt(StmtKind::Label { label, body }, loc));
    }

    fn condition_of(&mut self, expr: ast::ExprId) -> ExprId {
        let expr = self.expr(expr);
        self.condition(expr)
    }

    fn for_loop(
        &mut self,
        init: Option<ast::StmtId>,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        loc: Loc,
    ) -> StmtKind {
        self.push_scope();
        let mut stmts = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut stmts);
        }
        let condition = condition.map(|condition| self.condition_of(condition));
        let step = step.map(|step| {
            let step = self.expr(step);
            self.effect(step)
        });
        let body = self.scoped(body);
        self.pop_scope();
        let kind = StmtKind::For { condition, step, body };
        if stmts.is_empty() {
            return kind;
        }
        stmts.push(self.push_stmt(kind, loc));
        StmtKind::Block { stmts: self.stmt_list(&stmts), end: loc }
    }

    fn switch(&mut self, value: ast::ExprId, body: ast::StmtId, loc: Loc) -> StmtKind {
        let value = self.expr(value);
        let mut value = self.promote(value);
        if !self.unit.types.is_integer(self.ty_of(value)) {
            value = self.unknown(&[value], Ty::INT, loc);
        }
        let ty = self.ty_of(value);
        if let Some(function) = &mut self.checker.function {
            function.switch_types.push(ty);
        }
        let body = self.scoped(body);
        if let Some(function) = &mut self.checker.function {
            function.switch_types.pop();
        }
        StmtKind::Switch { value, body }
    }

    /// A case label; the statements after it follow in the same list, as after any label.
    fn case(&mut self, low: ast::ExprId, high: Option<ast::ExprId>, loc: Loc, into: &mut Vec<StmtId>) {
        let switch = self.function.as_ref().and_then(|function| function.switch_types.last().copied());
        let ty = switch.unwrap_or(Ty::INT);
        let low = self.constant(low);
        let high = high.map_or(low, |high| self.constant(high));
        let (Some(low), Some(high)) = (low, high) else {
            self.error(loc, "case label is not a constant");
            return;
        };
        let (low, high) = (self.unit.types.wrap(low, ty), self.unit.types.wrap(high, ty));
        let body = self.push_stmt(StmtKind::Empty, loc);
        into.push(self.push_stmt(StmtKind::Case { low, high, body }, loc));
    }

    fn return_value(&mut self, value: ast::ExprId, loc: Loc, into: &mut Vec<StmtId>) -> Option<ExprId> {
        let result = self.function.as_ref().map_or(Ty::VOID, |function| function.result);
        let value = self.expr(value);
        if self.unit.types.is_void(result) {
            let value = self.effect(value);
            into.push(self.push_stmt(StmtKind::Expr(value), loc));
            return None;
        }
        let value = self.rvalue(value);
        let value_loc = self.loc_of(value);
        let value = self.convert(value, result, value_loc);
        (!self.is_error(value)).then_some(value)
    }

    fn asm(&mut self, id: ast::AsmId) -> StmtKind {
        let ast = self.ast;
        let asm = &ast.asms[id];
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        for operand in &asm.outputs {
            let constraint = self.string_text(operand.constraint);
            let target = self.expr(operand.expr);
            if !self.kind_of(target).is_lvalue() {
                // `"=r"((type)x)` and the like: the operand is at least evaluated.
                let value = self.rvalue(target);
                let value = if self.is_error(value) { self.cast(value, Ty::INT) } else { value };
                inputs.push(AsmInput { constraint, value, is_memory: false });
                continue;
            }
            let is_read = constraint.starts_with('+');
            outputs.push(AsmOutput { constraint, target, is_read });
        }
        for operand in &asm.inputs {
            let constraint = self.string_text(operand.constraint);
            let expr = self.expr(operand.expr);
            let wants_memory = constraint.contains('m') && !constraint.contains(['r', 'g', 'i', 'n']);
            let is_memory = wants_memory && self.kind_of(expr).is_lvalue() && self.bit_field(expr).is_none();
            let loc = self.loc_of(expr);
            let value = if is_memory { self.address_of(expr, loc) } else { self.rvalue(expr) };
            let value = if self.is_error(value) { self.cast(value, Ty::INT) } else { value };
            if !self.unit.types.is_void(self.ty_of(value)) {
                inputs.push(AsmInput { constraint, value, is_memory });
            }
        }
        let clobbers_memory = asm.clobbers.iter().any(|&clobber| &*self.string_text(clobber) == "memory");
        let labels: Vec<LabelId> = asm.labels.iter().map(|&label| self.label(label, asm.loc)).collect();
        let asm = Asm {
            template: self.string_text(asm.template),
            is_volatile: asm.is_volatile,
            clobbers_memory,
            outputs,
            inputs,
            labels,
        };
        StmtKind::Asm(self.body.asms.push(asm))
    }
}
