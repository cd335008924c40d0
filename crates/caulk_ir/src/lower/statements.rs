//! Statements.

use caulk_base::Loc;
use caulk_sema::hir::{ExprId, InitId, LocalId, StmtId, StmtKind};
use caulk_sema::types::Ty;

use super::{Lowerer, Storage};
use crate::ir::{BlockId, Terminator};

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub(super) struct JumpTarget {
    break_to: BlockId,
    /// `None` for a `switch`.
    continue_to: Option<BlockId>,
    /// How many scopes are open there.
    depth: usize,
}

impl Lowerer<'_> {
    pub(super) fn statement(&mut self, id: StmtId) {
        if self.builder.is_dead() && !self.can_be_entered() {
            return;
        }
        self.depth += 1;
        if self.is_too_deep() {
            let loc = self.body.stmts[id].loc;
            self.unknown("nested too deeply", &[], Ty::VOID, loc);
        } else {
            self.statement_inner(id);
        }
        self.depth -= 1;
    }

    /// Whether unreachable code may hold a label or case that is reached.
    fn can_be_entered(&self) -> bool {
        !self.body.labels.is_empty() || self.tables.switches.is_inside()
    }

    fn statement_inner(&mut self, id: StmtId) {
        // Labels stand before a statement, many of them before one: `case 1: case 2: … x = 1;`
        let mut id = id;
        loop {
            let stmt = self.body.stmts[id];
            id = match stmt.kind {
                StmtKind::Case { low, high, body } => {
                    self.case(low, high, stmt.loc);
                    body
                }
                StmtKind::Default { body } => {
                    self.default(stmt.loc);
                    body
                }
                StmtKind::Label { label, body } => {
                    self.tables.switches.end_labels();
                    self.label(label, stmt.loc);
                    body
                }
                _ => break,
            };
        }
        let stmt = self.body.stmts[id];
        if matches!(stmt.kind, StmtKind::Empty) {
            return;
        }
        self.tables.switches.end_labels();
        match stmt.kind {
            // Taken off above.
            StmtKind::Case { .. } | StmtKind::Default { .. } | StmtKind::Label { .. } | StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.discard(expr),
            StmtKind::Declare { local, init } => self.declare(local, init, stmt.loc),
            StmtKind::SetVla { vla, len } => self.set_vla(vla, len),
            StmtKind::Block { .. } => {
                self.block_with_value(id, None, false);
            }
            StmtKind::If { .. } => self.if_chain(id),
            StmtKind::While { condition, body } => self.while_loop(condition, body, stmt.loc),
            StmtKind::DoWhile { body, condition } => self.do_loop(body, condition, stmt.loc),
            StmtKind::For { condition, step, body } => self.for_loop(condition, step, body, stmt.loc),
            StmtKind::Switch { value, body } => self.switch(value, body, stmt.loc),
            StmtKind::Goto(label) => self.goto(label, stmt.loc),
            StmtKind::GotoComputed(address) => self.goto_computed(address, stmt.loc),
            StmtKind::Break => self.leave_to(stmt.loc, |target| Some(target.break_to)),
            StmtKind::Continue => self.leave_to(stmt.loc, |target| target.continue_to),
            StmtKind::Return(value) => self.return_statement(value, stmt.loc),
            StmtKind::Asm(asm) => self.asm(asm, stmt.loc),
        }
        // The last label inside is not the last one here.
        self.tables.switches.end_labels();
    }

    fn declare(&mut self, local: LocalId, init: Option<InitId>, loc: Loc) {
        self.begin_life(local);
        self.allocate_vla(local);
        match (init, self.tables.storage[local]) {
            (Some(init), _) => self.initialise(local, init, loc),
            // Each time around a loop, the variable is a new one.
            (None, Storage::Variable(variable)) => {
                let undef = self.builder.unassigned(variable);
                self.builder.write(variable, undef);
            }
            (None, Storage::Slot(_) | Storage::Vla(_) | Storage::Global(_)) => {}
        }
    }

    /// `if … else if … else …`: all branches of a chain meet at one end.
    fn if_chain(&mut self, id: StmtId) {
        let end = self.builder.new_block();
        let mut id = id;
        loop {
            let stmt = self.body.stmts[id];
            let StmtKind::If { condition, then, otherwise } = stmt.kind else {
                self.statement(id);
                break;
            };
            let then_block = self.builder.new_block();
            let else_block = if otherwise.is_some() { self.builder.new_block() } else { end };
            self.condition(condition, then_block, else_block);
            self.builder.begin_sealed(then_block);
            self.statement(then);
            self.builder.jump(end, stmt.loc);
            let Some(otherwise) = otherwise else {
                self.builder.begin_sealed(end);
                return;
            };
            self.builder.begin_sealed(else_block);
            id = otherwise;
        }
        let loc = self.body.stmts[id].loc;
        self.builder.jump(end, loc);
        self.builder.begin_sealed(end);
    }

    fn loop_body(&mut self, body: StmtId, break_to: BlockId, continue_to: BlockId) {
        let depth = self.tables.scopes.depth();
        self.tables.targets.push(JumpTarget { break_to, continue_to: Some(continue_to), depth });
        self.statement(body);
        self.tables.targets.pop();
    }

    fn while_loop(&mut self, condition: ExprId, body: StmtId, loc: Loc) {
        let header = self.builder.new_block();
        let body_block = self.builder.new_block();
        let end = self.builder.new_block();
        self.builder.jump(header, loc);
        self.builder.begin(header);
        self.condition(condition, body_block, end);
        self.builder.begin_sealed(body_block);
        self.loop_body(body, end, header);
        self.builder.jump(header, loc);
        self.builder.seal(header);
        self.builder.begin_sealed(end);
    }

    fn do_loop(&mut self, body: StmtId, condition: ExprId, loc: Loc) {
        let header = self.builder.new_block();
        let test = self.builder.new_block();
        let end = self.builder.new_block();
        self.builder.jump(header, loc);
        self.builder.begin(header);
        self.loop_body(body, end, test);
        self.builder.jump(test, loc);
        self.builder.begin_sealed(test);
        self.condition(condition, header, end);
        self.builder.seal(header);
        self.builder.begin_sealed(end);
    }

    fn for_loop(&mut self, condition: Option<ExprId>, step: Option<ExprId>, body: StmtId, loc: Loc) {
        let header = self.builder.new_block();
        let body_block = self.builder.new_block();
        let step_block = self.builder.new_block();
        let end = self.builder.new_block();
        self.builder.jump(header, loc);
        self.builder.begin(header);
        match condition {
            Some(condition) => self.condition(condition, body_block, end),
            None => self.builder.jump(body_block, loc),
        }
        self.builder.begin_sealed(body_block);
        self.loop_body(body, end, step_block);
        self.builder.jump(step_block, loc);
        self.builder.begin_sealed(step_block);
        if let Some(step) = step {
            self.discard(step);
        }
        self.builder.jump(header, loc);
        self.builder.seal(header);
        self.builder.begin_sealed(end);
    }

    /// The statement that `break` in a `switch` leaves.
    pub(super) fn switch_body(&mut self, body: StmtId, break_to: BlockId) {
        let depth = self.tables.scopes.depth();
        self.tables.targets.push(JumpTarget { break_to, continue_to: None, depth });
        self.statement(body);
        self.tables.targets.pop();
    }

    /// `break` or `continue`: to the innermost target that has one.
    fn leave_to(&mut self, loc: Loc, target: impl Fn(&JumpTarget) -> Option<BlockId>) {
        let found = self.tables.targets.iter().rev().find_map(|entry| Some((target(entry)?, entry.depth)));
        // Outside of any loop there is nowhere to go; sema has said so.
        let Some((block, depth)) = found else { return };
        self.leave_scopes(depth, None, loc);
        self.builder.jump(block, loc);
        self.builder.begin_dead();
    }

    fn return_statement(&mut self, value: Option<ExprId>, loc: Loc) {
        let result = self.result;
        let value = match value {
            Some(value) if self.unit.types.is_void(result) || self.unit.types.is_void(self.expr(value).ty) => {
                self.discard(value);
                None
            }
            Some(value) => {
                let value = self.value(value);
                Some(self.convert(value, result, loc))
            }
            None => None,
        };
        let value = match value {
            None if !self.unit.types.is_void(result) => Some(self.builder.undef(result)),
            value => value,
        };
        self.leave_scopes(0, None, loc);
        self.builder.terminate(Terminator::Return(value), loc);
        self.builder.begin_dead();
    }
}
