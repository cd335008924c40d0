//! When control gets to a block and along an edge, from the branches that were recorded.
//!
//! Events know the guard of each way of a branch, not the block. A way is recognised by the place and the condition of
//! its terminator; in loops by its first visit. Where nothing was recorded the block before it tells.

use caulk_base::IdVec;
use caulk_flow::Evaluator;
use caulk_flow::evaluate::{Event, EventKind, Outcome};
use caulk_guard::Guard;
use caulk_ir::cfg::Cfg;
use caulk_ir::ir::{BlockId, ENTRY, Terminator, Value};

pub(super) struct Reached {
    blocks: IdVec<BlockId, Guard>,
}

impl Reached {
    pub(super) fn new(evaluator: &mut Evaluator<'_>, events: &[Event]) -> Reached {
        let body = evaluator.body;
        let cfg = Cfg::new(body);
        let mut reached = Reached { blocks: IdVec::filled(Guard::FALSE, body.blocks.len()) };
        reached.blocks[ENTRY] = Guard::TRUE;
        for (number, &block) in cfg.reverse_postorder().iter().enumerate().skip(1) {
            let mut guard = Guard::FALSE;
            for &before in cfg.predecessors(block) {
                // Not round a loop.
                if cfg.number(before).is_some_and(|before| (before as usize) < number) {
                    let way = reached.edge(evaluator, events, before, block);
                    guard = evaluator.space.or(guard, way);
                }
            }
            reached.blocks[block] = guard;
        }
        reached
    }

    pub(super) fn block(&self, block: BlockId) -> Guard {
        self.blocks[block]
    }

    pub(super) fn edge(&self, evaluator: &mut Evaluator<'_>, events: &[Event], from: BlockId, to: BlockId) -> Guard {
        let block = &evaluator.body.blocks[from];
        let tested = block.terminator.operand();
        let mut outcomes: Vec<Outcome> = Vec::new();
        match &block.terminator {
            Terminator::Branch { then, otherwise, .. } => {
                outcomes.extend((*then == to).then_some(Outcome::True));
                outcomes.extend((*otherwise == to).then_some(Outcome::False));
            }
            Terminator::Switch(switch) => {
                let cases = switch.cases.iter().filter(|case| case.target == to);
                outcomes.extend(cases.map(|case| Outcome::Case(case.low, case.high)));
                outcomes.extend((switch.default == to).then_some(Outcome::Default));
            }
            Terminator::None
            | Terminator::Jump(_)
            | Terminator::Indirect { .. }
            | Terminator::AsmGoto { .. }
            | Terminator::Return(_)
            | Terminator::Unreachable => return self.blocks[from],
        }
        let mut guard = Guard::FALSE;
        for outcome in outcomes {
            let is_it = |event: &&Event| event.loc == block.terminator_loc && is_branch(event, tested, outcome);
            if let Some(event) = events.iter().find(is_it) {
                guard = evaluator.space.or(guard, event.guard);
            }
        }
        guard
    }
}

fn is_branch(event: &Event, tested: Option<Value>, wanted: Outcome) -> bool {
    matches!(event.kind, EventKind::Branch { condition, outcome } if Some(condition) == tested && outcome == wanted)
}
