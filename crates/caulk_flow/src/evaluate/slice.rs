//! A part of a function: the ways through some of its calls, from a little before them.
//!
//! What a call yields is lost on a way through that call or not at all. So a function that is too large to be evaluated
//! as a whole is evaluated once for each block with allocations, without the ways that cannot come there or do not
//! come from there, and only as long as something of the block is still owed. Evaluation begins at a block that every
//! way there passes, near enough that it costs little to come from there, and as far before as that allows, so that
//! most of the tests that decide about the allocation are seen.
//!
//! ```c
//! for (;;)                                      // a parser of a thousand lines
//!     switch (state) {
//!     case 17:                                  // evaluation begins here, or some tests earlier
//!         if (is_word) { char *p = make(); … }  // and ends where p is released or stored
//!     }
//! ```
//!
//! What variables hold where a part begins is forgotten ([`Origin::Forgotten`](crate::object::Origin)): a leak that
//! hangs on it is not certain.

use caulk_base::IdVec;
use caulk_guard::{Guard, Object};
use caulk_ir::cfg::Cfg;
use caulk_ir::dominators::Dominators;
use caulk_ir::ir::{BlockId, ENTRY, Function, InstKind, Value};
use caulk_program::FunctionId;

use super::{Evaluator, Surroundings};
use crate::callee;
use crate::object::Origin;

/// How parts are tried: most from far enough before that the tests are seen, what is too much from nearer, and then with
/// more steps.
pub const SLICING: [Round; 3] =
    [Round { near: 400, patience: 1 }, Round { near: 40, patience: 1 }, Round { near: 10, patience: 8 }];

#[derive(Clone, Copy)]
pub struct Round {
    /// Instructions that may lie between the beginning of a part and the call it is about.
    near: usize,
    /// The least patience.
    pub(super) patience: u64,
}

#[derive(Clone)]
pub struct Slice {
    pub(super) round: Round,
    /// The calls, in order.
    pub sites: Vec<Value>,
    /// Where evaluation begins.
    start: BlockId,
    /// Blocks that lead from there to the calls.
    leads: IdVec<BlockId, bool>,
    /// Blocks on a way through one of them.
    blocks: IdVec<BlockId, bool>,
}

impl Slice {
    /// One for each block with such allocations, the smallest first.
    pub fn all(
        cx: &Surroundings<'_>,
        function: FunctionId,
        round: Round,
        is_asked: &dyn Fn(Value) -> bool,
    ) -> Vec<Slice> {
        let (_, body) = cx.program.body(function);
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        let mut slices = Vec::new();
        for &block in cfg.reverse_postorder() {
            let is_site = |&&inst: &&Value| {
                matches!(body.insts[inst].kind, InstKind::Call { .. })
                    && is_asked(inst)
                    && callee::is_allocation(cx, function, inst)
            };
            let sites: Vec<Value> = body.blocks[block].insts.iter().filter(is_site).copied().collect();
            if !sites.is_empty() {
                slices.push(Slice { sites, ..Slice::through(body, &cfg, &dominators, round, block) });
            }
        }
        slices.sort_by_key(Slice::size);
        slices
    }

    fn through(body: &Function, cfg: &Cfg, dominators: &Dominators, round: Round, block: BlockId) -> Slice {
        let (start, leads) = before(body, cfg, dominators, round.near, block);
        let mut blocks = spread(body, block, |block| cfg.successors(block));
        blocks.iter_mut().zip(leads.iter()).for_each(|(is_in, leads)| *is_in |= leads);
        Slice { round, sites: Vec::new(), start, leads, blocks }
    }

    fn size(&self) -> usize {
        self.blocks.iter().filter(|&&is_in| is_in).count()
    }
}

/// The furthest block before which every way to a block passes, if it is near, and what lies between them.
fn before(
    body: &Function,
    cfg: &Cfg,
    dominators: &Dominators,
    near: usize,
    block: BlockId,
) -> (BlockId, IdVec<BlockId, bool>) {
    let between = |start: BlockId| spread(body, block, |at| if at == start { &[] } else { cfg.predecessors(at) });
    let (mut start, mut leads) = (block, between(block));
    while let Some(above) = dominators.immediate(start) {
        let longer = between(above);
        let blocks = body.blocks.ids().filter(|&at| longer[at]);
        if blocks.map(|at| body.blocks[at].insts.len()).sum::<usize>() > near {
            break;
        }
        (start, leads) = (above, longer);
    }
    (start, leads)
}

fn spread<'a>(body: &Function, from: BlockId, next: impl Fn(BlockId) -> &'a [BlockId]) -> IdVec<BlockId, bool> {
    let mut found = IdVec::filled(false, body.blocks.len());
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if !std::mem::replace(&mut found[block], true) {
            waiting.extend_from_slice(next(block));
        }
    }
    found
}

impl Evaluator<'_> {
    /// Whether what the call yields is asked for.
    pub fn is_followed(&self, site: Value) -> bool {
        self.slice.as_ref().is_none_or(|slice| slice.sites.contains(&site))
    }

    /// Where evaluation begins, if that is not the entry.
    pub(super) fn inner_start(&self) -> Option<BlockId> {
        self.slice.as_ref().map(|slice| slice.start).filter(|&start| start != ENTRY)
    }

    /// Where values come from that were there before evaluation began.
    pub(super) fn unseen_origin(&self) -> Origin {
        if self.inner_start().is_some() { Origin::Forgotten(0, u32::MAX) } else { Origin::Opaque }
    }

    /// Whether what is stored in an object is not followed any further: a part of a function does not ask for the fate of
    /// what others can see as well.
    pub(super) fn is_beyond_part(&self, object: Object) -> bool {
        self.inner_start().is_some() && self.objects.outlives(object)
    }

    /// Whether there are ways into a block that belong to the slice.
    pub(super) fn leads_into_slice(&self, to: BlockId) -> bool {
        self.slice.as_ref().is_none_or(|slice| slice.blocks[to])
    }

    /// Whether a way into a block belongs to the slice. Where it does not although something was made, evaluation ends.
    pub(super) fn is_in_slice(&mut self, to: BlockId, guard: Guard) -> bool {
        if !self.leads_into_slice(to) {
            return false;
        }
        let Evaluator { slice: Some(slice), objects, space, .. } = self else { return true };
        let mut made = Guard::FALSE;
        let mut is_made = false;
        for heap in objects.heap.iter().filter(|heap| slice.sites.contains(&heap.site)) {
            is_made = true;
            let info = &objects.infos[heap.object];
            let here = space.and(guard, heap.allocated);
            let owed = space.and(here, info.released.not());
            if !space.and(owed, info.escaped.not()).is_false() {
                return true;
            }
            made = space.or(made, here);
        }
        let is_on_the_way = slice.leads[to] && !is_made;
        self.dropped = self.space.or(self.dropped, made);
        is_on_the_way
    }
}
