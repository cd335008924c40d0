//! `switch`: its cases may stand anywhere in its body, in loops and blocks too.
//!
//! Each case adds a way from the block that ends in the switch to its own block when it is met; the
//! terminator itself is made at the end of the body.
//!
//! ```c
//! switch (n % 2) { case 0: do { f(); case 1: f(); } while (--n > 0); }
//! ```

use caulk_base::Loc;
use caulk_sema::hir::{ExprId, StmtId};

use super::Lowerer;
use crate::ir::{BlockId, Switch, SwitchCase, Terminator};

/// The switches around the current statement.
#[derive(Debug, Default)]
pub(super) struct Switches {
    open: Vec<OpenSwitch>,
    cases: Vec<SwitchCase>,
    /// The block of a case after which nothing has come yet: the next case shares it.
    fresh: Option<BlockId>,
    /// Switches below this lie outside the current statement expression: their cases may not
    /// stand in it.
    floor: usize,
}

#[derive(Debug)]
struct OpenSwitch {
    /// The block that ends in the switch.
    head: BlockId,
    default: Option<BlockId>,
}

impl Switches {
    pub(super) fn start(&mut self) {
        self.open.clear();
        self.cases.clear();
        self.fresh = None;
        self.floor = 0;
    }

    /// Something stands after the last case.
    pub(super) fn end_labels(&mut self) {
        self.fresh = None;
    }

    pub(super) fn is_inside(&self) -> bool {
        self.open.len() > self.floor
    }

    /// Hides the open switches; returns what [`Switches::show`] needs.
    pub(super) fn hide(&mut self) -> usize {
        std::mem::replace(&mut self.floor, self.open.len())
    }

    pub(super) fn show(&mut self, floor: usize) {
        self.floor = floor;
    }

    fn innermost(&mut self) -> Option<&mut OpenSwitch> {
        let is_inside = self.is_inside();
        self.open.last_mut().filter(|_| is_inside)
    }
}

impl Lowerer<'_> {
    pub(super) fn switch(&mut self, value: ExprId, body: StmtId, loc: Loc) {
        let value = self.value(value);
        let head = self.s.builder.current();
        let is_dead = self.s.builder.is_dead();
        let end = self.s.builder.new_block();
        let first_case = self.s.switches.cases.len();
        self.s.switches.open.push(OpenSwitch { head, default: None });
        // What stands before the first case is never reached.
        self.s.builder.begin_dead();
        self.switch_body(body, end);
        self.s.builder.jump(end, loc);
        let default = self.s.switches.open.pop().and_then(|switch| switch.default);
        let cases = self.s.switches.cases.split_off(first_case);
        if !is_dead {
            if default.is_none() {
                self.s.builder.add_edge(head, end);
            }
            let cases = self.disjoint_cases(cases, head, default);
            let switch = Switch { value, cases, default: default.unwrap_or(end) };
            self.s.builder.set_terminator(head, Terminator::Switch(Box::new(switch)), loc);
        }
        self.s.builder.begin_sealed(end);
    }

    /// Sorts the cases and clips those that overlap: the one that starts lower wins, of several
    /// that start together the first.
    fn disjoint_cases(
        &mut self,
        mut cases: Vec<SwitchCase>,
        head: BlockId,
        default: Option<BlockId>,
    ) -> Vec<SwitchCase> {
        cases.sort_by_key(|case| case.low);
        let mut dropped = Vec::new();
        let mut free_from = None;
        cases.retain_mut(|case| {
            if let Some(free_from) = free_from {
                case.low = case.low.max(free_from);
            }
            let is_kept = case.low <= case.high;
            if is_kept {
                free_from = Some(case.high.saturating_add(1));
            } else {
                dropped.push(case.target);
            }
            is_kept
        });
        for target in dropped {
            if default != Some(target) && cases.iter().all(|case| case.target != target) {
                self.s.builder.remove_edge(head, target);
            }
        }
        cases
    }

    pub(super) fn case(&mut self, low: i128, high: i128, loc: Loc) {
        if let Some(block) = self.enter_case(loc) {
            self.s.switches.cases.push(SwitchCase { low, high, target: block });
        }
    }

    pub(super) fn default(&mut self, loc: Loc) {
        if let Some(block) = self.enter_case(loc)
            && let Some(switch) = self.s.switches.innermost()
        {
            switch.default.get_or_insert(block);
        }
    }

    /// Begins a block that the innermost switch leads to, or stays in the one of the label before.
    fn enter_case(&mut self, loc: Loc) -> Option<BlockId> {
        let head = self.s.switches.innermost()?.head;
        if self.s.switches.fresh.is_some() {
            return self.s.switches.fresh;
        }
        let block = self.s.builder.new_block();
        self.s.builder.add_edge(head, block);
        self.s.builder.jump(block, loc);
        self.s.builder.begin_sealed(block);
        self.s.switches.fresh = Some(block);
        Some(block)
    }
}
