//! SSA construction on the fly.
//!
//! *Variable*: something that is assigned several times and wanted as values: a local, the result of
//! `a && b`, the length of a variable-length array. *Definition*: the value a variable has at the end
//! of a block. *Sealed*: no further predecessor of the block will come. A read that meets an unsealed
//! block puts an operandless phi there, filled in when the block is sealed.
//!
//! ```c
//! while (n > 0)     // header, unsealed: reading n makes a phi
//!     n = n - 1;    // body: n is now the difference
//! return n;         // header sealed: phi [entry: parameter] [body: difference]
//! ```
//!
//! Follows Braun et al., *Simple and Efficient Construction of SSA Form* (CC 2013), and departs
//! from it in four ways: nothing recurses, so a function of 100,000 blocks needs no deep stack;
//! a read skips blocks that cannot have changed the variable ([`ancestors`]); a phi found trivial is
//! forwarded to what it stands for and its uses are rewritten once, at the end; and the whole function
//! is built in buffers reused from function to function and then copied out compactly
//! ([`Builder::finish`]), without unreachable blocks and in source order.
//!
//! Invariants: edges are added only to unsealed blocks; an edge out of a block known to be
//! unreachable is never added, so code after a `return` is unreachable by having no predecessors;
//! a block is predecessor of another at most once, however many edges a `switch` has.

mod ancestors;
mod constants;
mod copy;
mod finish;
mod phis;
#[cfg(test)]
mod tests;
mod variables;

use caulk_base::{IdVec, Loc, Symbol, define_id};
use caulk_sema::types::Ty;
use rustc_hash::FxHashMap;

use crate::ir::{BlockId, ENTRY, Inst, InstKind, Operands, PhiArgs, Terminator, Value};
use ancestors::{Ancestors, Write};
use constants::ConstantKey;
pub use constants::wrap;
use finish::FinishBuffers;

define_id!(
    /// Something that is assigned several times.
    Variable, "var");

/// The end of a linked list.
const NONE: u32 = u32::MAX;

/// A function under construction; reused from function to function.
#[derive(Debug, Default)]
pub struct Builder {
    insts: IdVec<Value, Inst>,
    /// The instruction after each one in its block.
    next: IdVec<Value, u32>,
    blocks: IdVec<BlockId, BlockState>,
    edges: Vec<Edge>,
    phis: Vec<Phi>,
    /// Of filled phis: one value for each predecessor of the block, in order.
    phi_operands: Vec<Value>,
    operand_pool: Vec<Value>,
    wide_constants: Vec<i128>,
    variable_names: Vec<(Value, Symbol)>,
    params: Vec<Value>,
    slots: Vec<Value>,
    constants: FxHashMap<ConstantKey, Value>,
    /// Blocks in the order in which they were begun.
    order: Vec<BlockId>,
    variables: IdVec<Variable, VariableState>,
    /// Of each variable, a list of the blocks that write it.
    writes: Vec<Write>,
    /// Definitions other than each variable's latest.
    definitions: FxHashMap<(Variable, BlockId), Value>,
    current: BlockId,
    is_dead: bool,
    /// Blocks passed by the read under way.
    path: Vec<BlockId>,
    unfilled: Vec<u32>,
    filled: Vec<u32>,
    buffers: FinishBuffers,
}

#[derive(Debug)]
struct BlockState {
    first_inst: u32,
    last_inst: u32,
    first_phi: u32,
    first_edge: u32,
    last_edge: u32,
    predecessor_count: u32,
    is_sealed: bool,
    is_begun: bool,
    is_address_taken: bool,
    ancestors: Ancestors,
    terminator: Terminator,
    terminator_loc: Loc,
}

/// A way into a block.
#[derive(Clone, Copy, Debug)]
struct Edge {
    /// `None` once the edge was taken back.
    from: Option<BlockId>,
    next: u32,
}

/// While building, [`PhiArgs::blocks`] is the number of the phi.
#[derive(Clone, Copy, Debug)]
struct Phi {
    value: Value,
    variable: Variable,
    block: BlockId,
    /// Where its operands start; [`NONE`] while not filled.
    operands: u32,
    /// Next phi of the block.
    next: u32,
    /// It was trivial and stands for this.
    forward: Option<Value>,
}

/// A variable and its latest definition, which is nearly always the one that is asked for.
#[derive(Clone, Copy, Debug)]
struct VariableState {
    ty: Ty,
    name: Symbol,
    latest: Option<(BlockId, Value)>,
    /// The last of its writes; [`NONE`] if there is none.
    last_write: u32,
}

impl Default for BlockId {
    fn default() -> Self {
        ENTRY
    }
}

impl Builder {
    /// Starts a function: its entry block is begun and sealed.
    pub fn start(&mut self) {
        self.insts.clear();
        self.next.clear();
        self.blocks.clear();
        self.edges.clear();
        self.phis.clear();
        self.phi_operands.clear();
        self.operand_pool.clear();
        self.wide_constants.clear();
        self.variable_names.clear();
        self.params.clear();
        self.slots.clear();
        clear_map(&mut self.constants);
        self.order.clear();
        self.variables.clear();
        self.writes.clear();
        clear_map(&mut self.definitions);
        let entry = self.new_block();
        debug_assert_eq!(entry, ENTRY);
        self.seal(entry);
        self.begin(entry);
    }

    // ---- blocks ----------------------------------------------------------------------------

    pub fn new_block(&mut self) -> BlockId {
        let ancestors = Ancestors::of_new(self.blocks.next_id());
        self.blocks.push(BlockState {
            first_inst: NONE,
            last_inst: NONE,
            first_phi: NONE,
            first_edge: NONE,
            last_edge: NONE,
            predecessor_count: 0,
            is_sealed: false,
            is_begun: false,
            is_address_taken: false,
            ancestors,
            terminator: Terminator::None,
            terminator_loc: Loc::NONE,
        })
    }

    /// What follows goes into this block.
    pub fn begin(&mut self, block: BlockId) {
        let state = &mut self.blocks[block];
        debug_assert!(!state.is_begun, "{block} begun twice");
        state.is_begun = true;
        state.ancestors.rank = self.order.len() as u32;
        self.order.push(block);
        self.current = block;
        self.is_dead = self.has_no_way_in(block);
    }

    /// What follows cannot be reached, until a block is begun.
    pub fn begin_dead(&mut self) {
        if !self.is_dead {
            let block = self.new_block();
            self.blocks[block].is_sealed = true;
            self.begin(block);
        }
    }

    /// Seals a block and begins it.
    pub fn begin_sealed(&mut self, block: BlockId) {
        self.seal(block);
        self.begin(block);
    }

    pub fn current(&self) -> BlockId {
        self.current
    }

    /// Nothing leads to the current block.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    pub fn is_begun(&self, block: BlockId) -> bool {
        self.blocks[block].is_begun
    }

    pub fn is_sealed(&self, block: BlockId) -> bool {
        self.blocks[block].is_sealed
    }

    pub fn set_address_taken(&mut self, block: BlockId) {
        self.blocks[block].is_address_taken = true;
    }

    fn has_no_way_in(&self, block: BlockId) -> bool {
        let state = &self.blocks[block];
        state.is_sealed && state.predecessor_count == 0 && block != ENTRY
    }

    /// Adds a way from a block whose terminator is set later.
    pub fn add_edge(&mut self, from: BlockId, to: BlockId) {
        if self.has_no_way_in(from) {
            return;
        }
        debug_assert!(!self.blocks[to].is_sealed, "new way into sealed {to}");
        let state = &mut self.blocks[to];
        let number = self.edges.len() as u32;
        match state.last_edge {
            NONE => state.first_edge = number,
            // A terminator adds all its edges at once: if one of them is there, it is the last.
            last if self.edges[last as usize].from == Some(from) => return,
            last => self.edges[last as usize].next = number,
        }
        state.last_edge = number;
        state.predecessor_count += 1;
        self.edges.push(Edge { from: Some(from), next: NONE });
    }

    /// Takes back an edge that [`Builder::add_edge`] added in vain.
    pub fn remove_edge(&mut self, from: BlockId, to: BlockId) {
        let mut at = self.blocks[to].first_edge;
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            if edge.from == Some(from) {
                edge.from = None;
            }
            at = edge.next;
        }
    }

    // ---- terminators -----------------------------------------------------------------------

    /// Ends the current block. The next thing must be to begin another one.
    pub fn terminate(&mut self, terminator: Terminator, loc: Loc) {
        let block = self.current;
        self.terminate_block(block, terminator, loc);
    }

    /// Ends a block that waited for its terminator.
    pub fn terminate_block(&mut self, block: BlockId, terminator: Terminator, loc: Loc) {
        if self.has_no_way_in(block) {
            return;
        }
        for successor in terminator.successors() {
            self.add_edge(block, successor);
        }
        self.set_terminator(block, terminator, loc);
    }

    /// As [`Builder::terminate_block`], where all edges have been added already.
    pub fn set_terminator(&mut self, block: BlockId, terminator: Terminator, loc: Loc) {
        let state = &mut self.blocks[block];
        debug_assert_eq!(state.terminator, Terminator::None, "{block} ended twice");
        state.terminator = terminator;
        state.terminator_loc = loc;
    }

    pub fn jump(&mut self, target: BlockId, loc: Loc) {
        self.terminate(Terminator::Jump(target), loc);
    }

    // ---- instructions ----------------------------------------------------------------------

    pub fn emit(&mut self, kind: InstKind, ty: Ty, loc: Loc) -> Value {
        let value = self.push_inst(kind, ty, loc);
        let state = &mut self.blocks[self.current];
        match state.last_inst {
            NONE => state.first_inst = value.0,
            last => self.next[Value(last)] = value.0,
        }
        state.last_inst = value.0;
        value
    }

    /// An object of the frame; it stands at the start of the entry block.
    pub fn slot(&mut self, name: Symbol, pointer: Ty, loc: Loc) -> Value {
        let slot = self.push_inst(InstKind::Slot { name }, pointer, loc);
        self.slots.push(slot);
        slot
    }

    pub fn param(&mut self, ty: Ty, loc: Loc) -> Value {
        let param = self.push_inst(InstKind::Param(self.params.len() as u32), ty, loc);
        self.params.push(param);
        param
    }

    pub fn operands(&mut self, values: &[Value]) -> Operands {
        let start = self.operand_pool.len() as u32;
        self.operand_pool.extend_from_slice(values);
        Operands { start, len: values.len() as u32 }
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.insts[value].ty
    }

    pub fn kind(&self, value: Value) -> InstKind {
        self.insts[value].kind
    }

    /// A variable of this name was set to the value. Constants are shared by all their uses, so
    /// they have no names.
    pub fn name_value(&mut self, value: Value, name: Symbol) {
        let kind = &self.insts[value].kind;
        if name != Symbol::EMPTY && (kind.is_placed() || matches!(kind, InstKind::Param(_))) {
            self.variable_names.push((value, name));
        }
    }

    fn push_inst(&mut self, kind: InstKind, ty: Ty, loc: Loc) -> Value {
        self.next.push(NONE);
        self.insts.push(Inst { kind, ty, loc })
    }
}

/// Clearing a map costs its capacity, so one huge function must not make all later ones pay.
fn clear_map<K, V>(map: &mut FxHashMap<K, V>) {
    const MAX_KEPT: usize = 1 << 12;
    if map.capacity() > MAX_KEPT {
        *map = FxHashMap::default();
    } else {
        map.clear();
    }
}
