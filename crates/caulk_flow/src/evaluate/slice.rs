//! A part of a function: the ways through some of its calls.
//!
//! What a call yields is lost on a way through that call or not at all. So a function that is too large to be evaluated
//! as a whole is evaluated once for each group of its allocations, without the ways that cannot come there or do not
//! come from there, and only as long as something of the group is still owed.
//!
//! ```c
//! if (is_word(a, "list")) { char *p = make(); … }            // a slice: the first test and what follows
//! else if (is_word(a, "add")) { char *q = make(); … }        // another: both tests and what follows
//! ```

use caulk_base::IdVec;
use caulk_guard::Guard;
use caulk_ir::cfg::Cfg;
use caulk_ir::ir::{BlockId, Function, InstKind, Value};
use caulk_program::FunctionId;

use super::{Evaluator, Surroundings};
use crate::callee;

#[derive(Clone)]
pub struct Slice {
    /// The calls, in order.
    pub sites: Vec<Value>,
    /// Blocks that lead to one of the calls, or have one.
    leads: IdVec<BlockId, bool>,
    /// Blocks on a way through one of them.
    blocks: IdVec<BlockId, bool>,
}

impl Slice {
    /// One for each block with such allocations, the smallest first.
    pub fn all(cx: &Surroundings<'_>, function: FunctionId, is_asked: &dyn Fn(Value) -> bool) -> Vec<Slice> {
        let (_, body) = cx.program.body(function);
        let cfg = Cfg::new(body);
        let mut slices = Vec::new();
        for &block in cfg.reverse_postorder() {
            let is_site = |&&inst: &&Value| {
                matches!(body.insts[inst].kind, InstKind::Call { .. })
                    && is_asked(inst)
                    && callee::is_allocation(cx, function, inst)
            };
            let sites: Vec<Value> = body.blocks[block].insts.iter().filter(is_site).copied().collect();
            if !sites.is_empty() {
                slices.push(Slice::through(body, &cfg, block, sites));
            }
        }
        slices.sort_by_key(Slice::size);
        slices
    }

    fn through(body: &Function, cfg: &Cfg, block: BlockId, sites: Vec<Value>) -> Slice {
        let leads = spread(body, block, |block| cfg.predecessors(block));
        let mut blocks = spread(body, block, |block| cfg.successors(block));
        blocks.iter_mut().zip(leads.iter()).for_each(|(is_in, leads)| *is_in |= leads);
        Slice { sites, leads, blocks }
    }

    fn size(&self) -> usize {
        self.blocks.iter().filter(|&&is_in| is_in).count()
    }
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

    pub(super) fn has_block(&self, block: BlockId) -> bool {
        self.slice.as_ref().is_none_or(|slice| slice.blocks[block])
    }

    /// Whether a way into a block belongs to the slice.
    pub(super) fn is_in_slice(&mut self, to: BlockId, guard: Guard) -> bool {
        let Evaluator { slice, objects, space, .. } = self;
        let Some(slice) = slice else { return true };
        if !slice.blocks[to] || slice.leads[to] {
            return slice.blocks[to];
        }
        objects.heap.iter().filter(|heap| slice.sites.contains(&heap.site)).any(|heap| {
            let info = &objects.infos[heap.object];
            let owed = space.and(guard, heap.allocated);
            let owed = space.and(owed, info.released.not());
            !space.and(owed, info.escaped.not()).is_false()
        })
    }
}
