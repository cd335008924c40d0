//! Labels and the jumps to them.
//!
//! A label's block is sealed as soon as its last `goto` has been met; a label whose address is
//! taken, at the end of the function. All computed gotos share one block that ends in the only
//! [`Terminator::Indirect`]: with 200 opcodes that each end in `goto *next`, 400 edges do the work of
//! 40,000.

use caulk_base::{IdVec, Loc, Symbol};
use caulk_sema::hir::{Body, ExprId, ExprKind, LabelId, StmtId, StmtKind};
use caulk_sema::types::Ty;

use super::{LowerScratch, Lowerer};
use crate::build::Variable;
use crate::ir::{BlockId, Builtin, InstKind, Terminator};

/// The labels of a function.
#[derive(Debug, Default)]
pub(super) struct Labels {
    labels: IdVec<LabelId, LabelState>,
    /// By statement: the block around a block, for blocks around labels.
    outer_blocks: IdVec<StmtId, Option<StmtId>>,
    stack: Vec<(StmtId, Option<StmtId>)>,
    /// Where computed gotos meet, and the address they go to.
    dispatch: Option<(BlockId, Variable)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LabelState {
    block: Option<BlockId>,
    /// How many jumps to it are still to come.
    pending: u32,
    /// The innermost block around it.
    scope: Option<StmtId>,
    /// Stands in a statement expression, where nothing may jump from outside.
    is_inside_expression: bool,
    /// Once it was met: how many objects had been declared.
    born_before: Option<u32>,
}

impl LowerScratch {
    /// Once the function is built: where the labels went whose address is taken.
    pub(super) fn label_blocks(&self, body: &Body) -> Vec<(u32, BlockId)> {
        let taken = body.labels.iter_enumerated().filter(|(_, label)| label.is_address_taken);
        let block_of =
            |id: LabelId| self.tables.labels.labels[id].block.and_then(|block| self.builder.finished_block(block));
        taken.filter_map(|(id, _)| Some((id.0, block_of(id)?))).collect()
    }
}

impl Lowerer<'_> {
    /// Finds out where labels stand and how often they are gone to.
    pub(super) fn start_labels(&mut self) {
        let body = self.body;
        let labels = &mut self.tables.labels;
        labels.dispatch = None;
        labels.labels.clear();
        if body.labels.is_empty() {
            return;
        }
        for _ in &body.labels {
            labels.labels.push(LabelState::default());
        }
        labels.outer_blocks.clear();
        for stmt in &body.stmts {
            labels.outer_blocks.push(None);
            match stmt.kind {
                StmtKind::Goto(label) => labels.labels[label].pending += 1,
                StmtKind::Asm(asm) => {
                    for &label in &body.asms[asm].labels {
                        labels.labels[label].pending += 1;
                    }
                }
                _ => {}
            }
        }
        for expr in &body.exprs {
            if let ExprKind::StmtExpr { block, .. } = expr.kind {
                self.find_labels(block, true);
            }
        }
        if let Some(root) = body.root {
            self.find_labels(root, false);
        }
    }

    fn find_labels(&mut self, root: StmtId, is_inside_expression: bool) {
        let body = self.body;
        let labels = &mut self.tables.labels;
        labels.stack.push((root, None));
        while let Some((id, around)) = labels.stack.pop() {
            match body.stmts[id].kind {
                StmtKind::Block { stmts, .. } => {
                    labels.outer_blocks[id] = around;
                    labels.stack.extend(body.stmt_list(stmts).iter().map(|&stmt| (stmt, Some(id))));
                }
                StmtKind::Label { label, body } => {
                    labels.labels[label].scope = around;
                    labels.labels[label].is_inside_expression = is_inside_expression;
                    labels.stack.push((body, around));
                }
                StmtKind::If { then, otherwise, .. } => {
                    labels.stack.push((then, around));
                    labels.stack.extend(otherwise.map(|stmt| (stmt, around)));
                }
                StmtKind::While { body, .. }
                | StmtKind::DoWhile { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::Switch { body, .. }
                | StmtKind::Case { body, .. }
                | StmtKind::Default { body } => labels.stack.push((body, around)),
                StmtKind::Empty
                | StmtKind::Expr(_)
                | StmtKind::Declare { .. }
                | StmtKind::SetVla { .. }
                | StmtKind::Goto(_)
                | StmtKind::GotoComputed(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(_)
                | StmtKind::Asm(_) => {}
            }
        }
    }

    /// The block of a label; `None` if it stands in an enclosing function.
    pub(super) fn label_block(&mut self, label: LabelId) -> Option<BlockId> {
        if self.body.labels[label].is_nonlocal {
            return None;
        }
        let builder = &mut self.builder;
        Some(*self.tables.labels.labels[label].block.get_or_insert_with(|| builder.new_block()))
    }

    pub(super) fn label(&mut self, label: LabelId, loc: Loc) {
        let Some(block) = self.label_block(label) else { return };
        if self.builder.is_begun(block) {
            // Defined twice; sema has said so.
            return;
        }
        self.builder.jump(block, loc);
        self.tables.labels.labels[label].born_before = Some(self.tables.scopes.born());
        self.seal_label(label, block);
        self.builder.begin(block);
    }

    /// Seals the block of a label that no further jump goes to.
    fn seal_label(&mut self, label: LabelId, block: BlockId) {
        let is_done = self.tables.labels.labels[label].pending == 0 && !self.body.labels[label].is_address_taken;
        if is_done && !self.builder.is_sealed(block) {
            self.builder.seal(block);
        }
    }

    /// A jump to the label was met.
    fn count_jump(&mut self, label: LabelId, block: BlockId) {
        let state = &mut self.tables.labels.labels[label];
        state.pending = state.pending.saturating_sub(1);
        if state.born_before.is_some() {
            self.seal_label(label, block);
        }
    }

    pub(super) fn goto(&mut self, label: LabelId, loc: Loc) {
        let Some(block) = self.label_block(label) else {
            // Out of a nested function, into one further up the stack.
            let buffer = self.builder.undef(Ty::VOID_PTR);
            let args = self.builder.operands(&[buffer]);
            self.emit(InstKind::Builtin { op: Builtin::Longjmp, args }, Ty::VOID, loc);
            return self.end_here(loc);
        };
        match self.depth_at(label) {
            Some(depth) => {
                let born_before = self.tables.labels.labels[label].born_before;
                self.leave_scopes(depth, born_before, loc);
                self.builder.jump(block, loc);
            }
            // Into a statement expression, half of whose operands were not evaluated.
            None => self.builder.terminate(Terminator::Unreachable, loc),
        }
        self.count_jump(label, block);
        self.builder.begin_dead();
    }

    /// How many of the open scopes hold the label; `None` if a jump there makes no sense.
    fn depth_at(&self, label: LabelId) -> Option<usize> {
        let state = self.tables.labels.labels[label];
        let mut scope = state.scope;
        while let Some(block) = scope {
            if let Some(depth) = self.tables.scopes.depth_of(block) {
                return Some(depth);
            }
            scope = self.tables.labels.outer_blocks[block];
        }
        (!state.is_inside_expression).then_some(1)
    }

    pub(super) fn goto_computed(&mut self, address: ExprId, loc: Loc) {
        let address = self.value(address);
        let address = self.convert(address, Ty::VOID_PTR, loc);
        let (block, variable) = match self.tables.labels.dispatch {
            Some(dispatch) => dispatch,
            None => {
                let variable = self.builder.new_variable(Ty::VOID_PTR, Symbol::EMPTY);
                *self.tables.labels.dispatch.insert((self.builder.new_block(), variable))
            }
        };
        self.builder.write(variable, address);
        self.builder.jump(block, loc);
        self.builder.begin_dead();
    }

    /// Ways of an `asm goto` to its labels.
    pub(super) fn asm_targets(&mut self, labels: &[LabelId], fall_through: BlockId) -> Box<[BlockId]> {
        let mut targets = vec![fall_through];
        for &label in labels {
            if self.tables.labels.labels[label].is_inside_expression && self.depth_at(label).is_none() {
                continue;
            }
            targets.extend(self.label_block(label));
        }
        targets.into_boxed_slice()
    }

    pub(super) fn count_asm_jumps(&mut self, labels: &[LabelId]) {
        for &label in labels {
            if let Some(block) = self.label_block(label) {
                self.count_jump(label, block);
            }
        }
    }

    /// At the end of the function: the computed gotos, and what they keep open.
    pub(super) fn finish_labels(&mut self) {
        if let Some((block, variable)) = self.tables.labels.dispatch {
            self.builder.begin_sealed(block);
            let address = self.builder.read(variable);
            let mut targets = Vec::new();
            for label in self.body.labels.ids() {
                let state = self.tables.labels.labels[label];
                if self.body.labels[label].is_address_taken && !state.is_inside_expression {
                    targets.extend(self.label_block(label));
                }
            }
            let terminator = match targets.is_empty() {
                true => Terminator::Unreachable,
                false => Terminator::Indirect { address, targets: targets.into_boxed_slice() },
            };
            self.builder.terminate(terminator, Loc::NONE);
        }
        for label in self.body.labels.ids() {
            if let Some(block) = self.tables.labels.labels[label].block
                && !self.builder.is_sealed(block)
            {
                self.builder.seal(block);
            }
        }
    }
}
