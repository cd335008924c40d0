//! `switch`: its cases may stand anywhere in its body, in loops and blocks too.
//!
//! Each case adds a way from the block that ends in the switch to its own block when it is met; the
//! terminator itself is made at the end of the body.
//!
//! ```c
//! switch (n % 2) { case 0: do { f(); case 1: f(); } while (--n > 0); }
//! ```

use std::collections::BTreeMap;

use caulk_base::Loc;
use caulk_sema::hir::{ExprId, StmtId};
use rustc_hash::FxHashSet;

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
        let head = self.builder.current();
        let is_dead = self.builder.is_dead();
        let end = self.builder.new_block();
        let first_case = self.tables.switches.cases.len();
        self.tables.switches.open.push(OpenSwitch { head, default: None });
        // What stands before the first case is never reached.
        self.builder.begin_dead();
        self.switch_body(body, end);
        self.builder.jump(end, loc);
        let default = self.tables.switches.open.pop().and_then(|switch| switch.default);
        let cases = self.tables.switches.cases.split_off(first_case);
        if !is_dead {
            if default.is_none() {
                self.builder.add_edge(head, end);
            }
            let cases = self.disjoint_cases(cases, head, default);
            let switch = Switch { value, cases, default: default.unwrap_or(end) };
            self.builder.set_terminator(head, Terminator::Switch(Box::new(switch)), loc);
        }
        self.builder.begin_sealed(end);
    }

    /// The cases in order. Where some overlap, which is an error in C, the first in the source wins.
    fn disjoint_cases(
        &mut self,
        mut cases: Vec<SwitchCase>,
        head: BlockId,
        default: Option<BlockId>,
    ) -> Vec<SwitchCase> {
        let in_source_order = cases.clone();
        cases.sort_by_key(|case| case.low);
        let is_disjoint =
            cases.iter().all(|case| case.low <= case.high) && cases.windows(2).all(|pair| pair[0].high < pair[1].low);
        if is_disjoint {
            return cases;
        }
        let cases = clip(&in_source_order);
        let targets: FxHashSet<BlockId> = cases.iter().map(|case| case.target).chain(default).collect();
        for case in in_source_order {
            if !targets.contains(&case.target) {
                self.builder.remove_edge(head, case.target);
            }
        }
        cases
    }

    pub(super) fn case(&mut self, low: i128, high: i128, loc: Loc) {
        if let Some(block) = self.enter_case(loc) {
            self.tables.switches.cases.push(SwitchCase { low, high, target: block });
        }
    }

    pub(super) fn default(&mut self, loc: Loc) {
        // A second one, which is an error in C, is no label.
        if self.tables.switches.innermost().is_some_and(|switch| switch.default.is_none())
            && let Some(block) = self.enter_case(loc)
            && let Some(switch) = self.tables.switches.innermost()
        {
            switch.default = Some(block);
        }
    }

    /// Begins a block that the innermost switch leads to, or stays in the one of the label before.
    fn enter_case(&mut self, loc: Loc) -> Option<BlockId> {
        let head = self.tables.switches.innermost()?.head;
        if self.tables.switches.fresh.is_some() {
            return self.tables.switches.fresh;
        }
        let block = self.builder.new_block();
        self.builder.add_edge(head, block);
        self.builder.jump(block, loc);
        self.builder.begin_sealed(block);
        self.tables.switches.fresh = Some(block);
        Some(block)
    }
}

/// What each case has left after those before it.
fn clip(cases: &[SwitchCase]) -> Vec<SwitchCase> {
    let mut taken: BTreeMap<i128, SwitchCase> = BTreeMap::new();
    for case in cases {
        let mut low = case.low;
        // The earlier case that reaches into this one from below.
        if let Some((_, before)) = taken.range(..=low).next_back() {
            low = low.max(before.high.saturating_add(1));
        }
        let inside: Vec<SwitchCase> = match low <= case.high {
            true => taken.range(low..=case.high).map(|(_, earlier)| *earlier).collect(),
            false => continue,
        };
        for earlier in inside {
            if low < earlier.low {
                taken.insert(low, SwitchCase { low, high: earlier.low - 1, target: case.target });
            }
            low = earlier.high.saturating_add(1);
        }
        if low <= case.high {
            taken.insert(low, SwitchCase { low, high: case.high, target: case.target });
        }
    }
    taken.into_values().collect()
}
