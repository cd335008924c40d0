//! What is known of a function's graph before it is evaluated.

use caulk_base::{IdVec, Loc, SourceMap};
use caulk_ir::cfg::Cfg;
use caulk_ir::dominators::Dominators;
use caulk_ir::ir::{BlockId, Function, InstKind, Module, Terminator, Ty, Value};
use caulk_ir::loops::{LoopId, Loops};
use caulk_program::{FunctionId, Program};

/// Steps that two places are compared by.
const MAX_PLACE: u32 = 6;

pub struct Plan {
    /// Reachable blocks, in reverse postorder.
    pub order: Vec<BlockId>,
    pub loops: Loops,
    /// By block: its instructions.
    lengths: IdVec<BlockId, u64>,
    /// By block: its number in `order`.
    numbers: IdVec<BlockId, u32>,
    /// Values defined in a loop and used after it.
    pub live_outs: IdVec<LoopId, Vec<Value>>,
    /// Some pointer type that the function uses.
    pub pointer: Ty,
    pub pointer_bits: u8,
    /// By value: whether anything but its name depends on it.
    pub is_used: Vec<bool>,
    /// Calls of which the result goes back to where an argument came from: `tree = insert(tree, key, value)`. Nobody asks
    /// whether it is another.
    pub puts_back: Vec<Value>,
    /// By parameter: a number as wide as a pointer that is never made one, such as a size.
    pub is_size: Vec<bool>,
    /// Blocks in which a failed assertion returns. What it found to be wrong is a bug of its own: it never happens.
    pub failed: Vec<BlockId>,
}

impl Plan {
    pub fn new(program: &Program, function: FunctionId) -> Plan {
        let map = &program.sources[program.functions()[function].module].map;
        let (module, function) = program.body(function);
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dominators);
        let order = cfg.reverse_postorder().to_vec();
        let mut numbers = IdVec::filled(u32::MAX, function.blocks.len());
        for (number, &block) in order.iter().enumerate() {
            numbers[block] = number as u32;
        }
        let types = &module.unit.types;
        let pointer = function.insts.iter().map(|inst| inst.ty).find(|&ty| types.is_pointer(ty));
        let pointer = pointer.unwrap_or(module.unit.globals[function.global].ty);
        let pointer_bits = types.target.pointer_size as u8 * 8;
        let uses = uses(function);
        let mut plan = Plan {
            live_outs: loops.loops().ids().map(|_| Vec::new()).collect(),
            lengths: function.blocks.iter().map(|block| block.insts.len() as u64).collect(),
            order,
            loops,
            numbers,
            pointer,
            pointer_bits,
            is_used: uses.iter().map(|&uses| uses > 0).collect(),
            puts_back: puts_back(function, &uses),
            is_size: sizes(module, function),
            failed: failed(map, function),
        };
        if !plan.live_outs.is_empty() {
            plan.find_live_outs(function);
        }
        plan
    }

    fn find_live_outs(&mut self, function: &Function) {
        // By value: the innermost loop around its definition of which it is not known yet to be used outside.
        let mut inside: IdVec<Value, Option<LoopId>> = IdVec::filled(None, function.insts.len());
        for &block in &self.order {
            let innermost = self.loops.innermost(block);
            for &inst in &function.blocks[block].insts {
                inside[inst] = innermost;
            }
        }
        let mut read = |value: Value, block: BlockId| {
            while let Some(id) = inside[value]
                && !self.loops.contains(id, block)
            {
                self.live_outs[id].push(value);
                inside[value] = self.loops.loops()[id].parent;
            }
        };
        for &block in &self.order {
            for &inst in &function.blocks[block].insts {
                match &function.insts[inst].kind {
                    // On the edges into it; what is defined in a loop further in is not at hand there any more.
                    &InstKind::Phi(args) => function.phi_args(args).for_each(|(from, value)| read(value, from)),
                    kind => kind.for_each_operand(function, |value| read(value, block)),
                }
            }
            function.blocks[block].terminator.operand().into_iter().for_each(|value| read(value, block));
        }
    }

    /// The place of a block in the order.
    pub fn number(&self, block: BlockId) -> usize {
        self.numbers[block] as usize
    }

    /// An edge backwards that belongs to no loop.
    pub fn is_cut(&self, from: BlockId, to: BlockId) -> bool {
        if self.numbers[to] > self.numbers[from] {
            return false;
        }
        !self.loops.innermost(to).is_some_and(|id| self.loops.loops()[id].header == to && self.loops.contains(id, from))
    }

    /// Instructions that are visited, with so many visits of a loop before the last one.
    pub fn least_steps(&self, visits: u32) -> u64 {
        let times = |block: BlockId| {
            let mut times = 1;
            let mut around = self.loops.innermost(block);
            while let Some(id) = around {
                times *= u64::from(self.visits(id).min(visits)) + 1;
                around = self.loops.loops()[id].parent;
            }
            times
        };
        self.order.iter().map(|&block| times(block) * self.lengths[block]).sum()
    }

    /// Visits of a loop before the last one: fewer the deeper and the larger it is.
    pub fn visits(&self, id: LoopId) -> u32 {
        let looped = &self.loops.loops()[id];
        let by_depth = match looped.depth {
            1 => 3,
            2 => 2,
            _ => 1,
        };
        let by_size = match looped.blocks.len() {
            0..=120 => 3,
            121..=500 => 2,
            _ => 1,
        };
        by_depth.min(by_size)
    }
}

fn sizes(module: &Module, function: &Function) -> Vec<bool> {
    let types = &module.unit.types;
    let mut is_size: Vec<bool> = function
        .params
        .iter()
        .map(|&param| types.int_info(function.ty(param)).is_some_and(|(bits, _)| bits > 32))
        .collect();
    if is_size.contains(&true) {
        for inst in function.insts.iter().filter(|inst| types.is_pointer(inst.ty)) {
            if let InstKind::Cast(from) | InstKind::BitCast(from) = inst.kind
                && let Some(number) = function.params.iter().position(|&param| param == from)
            {
                is_size[number] = false;
            }
        }
    }
    is_size
}

fn puts_back(function: &Function, uses: &[u32]) -> Vec<Value> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    let stores = insts.filter_map(|&inst| match function.insts[inst].kind {
        InstKind::Store { address, value, .. } => Some((address, value)),
        _ => None,
    });
    let stores: Vec<(Value, Value)> = stores.collect();
    let is_back = |&&(address, value): &&(Value, Value)| {
        let InstKind::Call { args, .. } = function.insts[value].kind else { return false };
        let is_there = |other: Value| is_same_place(function, address, other, MAX_PLACE);
        let is_from_there = |&arg: &Value| match function.insts[arg].kind {
            InstKind::Load { address: from, .. } => is_there(from),
            _ => stores.iter().any(|&(at, stored)| stored == arg && is_there(at)),
        };
        uses[value.0 as usize] == 1 && function.operands(args).iter().any(is_from_there)
    };
    stores.iter().filter(is_back).map(|store| store.1).collect()
}

/// Whether two addresses are written in the same way.
fn is_same_place(function: &Function, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let is_same = |a: Value, b: Value| depth > 0 && is_same_place(function, a, b, depth - 1);
    match (function.insts[a].kind, function.insts[b].kind) {
        (InstKind::Global(a), InstKind::Global(b)) => a == b,
        (InstKind::Field { base: a, field: f, .. }, InstKind::Field { base: b, field: g, .. }) => {
            f == g && is_same(a, b)
        }
        (InstKind::Load { address: a, .. }, InstKind::Load { address: b, .. }) => is_same(a, b),
        _ => false,
    }
}

/// By value: how much depends on it, beside its name.
fn uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.insts.len()];
    for block in &function.blocks {
        for &inst in &block.insts {
            let kind = &function.insts[inst].kind;
            if !matches!(kind, InstKind::Bind { .. }) {
                kind.for_each_operand(function, |operand| uses[operand.0 as usize] += 1);
            }
        }
        if let Some(operand) = block.terminator.operand() {
            uses[operand.0 as usize] += 1;
        }
    }
    uses
}

/// The returns that a macro makes which is called an assertion, unless these are all.
///
/// ```c
/// #define ASSERT_ARG(x) do { if (!(x)) { set_error("invalid argument: " #x); return -1; } } while (0)
/// ```
fn failed(map: &SourceMap, function: &Function) -> Vec<BlockId> {
    let is_return = |block: &BlockId| matches!(function.blocks[*block].terminator, Terminator::Return(_));
    let returns: Vec<BlockId> = function.blocks.ids().filter(is_return).collect();
    let is_failed = |block: &BlockId| is_in_assertion(map, function.blocks[*block].terminator_loc);
    let failed: Vec<BlockId> = returns.iter().copied().filter(is_failed).collect();
    if failed.len() < returns.len() { failed } else { Vec::new() }
}

fn is_in_assertion(map: &SourceMap, mut loc: Loc) -> bool {
    while let Some(expansion) = map.expansion(loc) {
        let name = expansion.name.as_str().to_ascii_lowercase();
        if name.contains("assert") || name.ends_with("return_if_fail") || name.ends_with("return_val_if_fail") {
            return true;
        }
        loc = expansion.call;
    }
    false
}
