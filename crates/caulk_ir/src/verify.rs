//! The rules of the IR.
//!
//! *References*
//! - every id (value, block, global, string, record and field, wide constant, stretch of a pool)
//!   names something that exists.
//!
//! *Graph*
//! - every block has a terminator; the entry has no predecessors; every block can be reached;
//! - a block that ends in `AsmGoto` has an `Asm` as its last instruction.
//!
//! *Placement*
//! - an instruction stands in at most one block, once; constants and parameters stand in none. An
//!   entry of the arena that could stand in a block and does not is dead: nothing may use it;
//! - `params` lists the parameters in order and completely;
//! - slots stand in the entry; phis come first in their block, with exactly one argument for each
//!   predecessor;
//! - a definition dominates its uses; the argument of a phi is used at the end of its predecessor.
//!
//! *Types* ([`types`]; qualifiers of values never count, nor does anything of the type `error`)
//! - `Binary`, `Negate`, `BitNot`: operands have the type of the result, which is arithmetic or a
//!   vector; a shift count is any integer (or vector);
//! - `Compare`: operands have one type; two pointers (or `nullptr`) are one type whatever they point
//!   to. The result is an int, or a vector if they are;
//! - `Load`, `Store`: the address is a pointer to the type loaded or stored, ignoring qualifiers, or
//!   a `void` pointer: then it is just bytes. Never an array, a function or `void`;
//! - `LoadBits`, `StoreBits`: integers through any pointer; shift below 8, width 1 to 128;
//! - `Field`: the base points to the record, the result to the field's type (for a bit-field, to
//!   anything);
//! - `Element`: pointer and integer; the size of what the result points to is known;
//! - `PointerDiff`: two pointers, an integer;
//! - `Cast`: between scalars, complex numbers and vectors; `BitCast`: between types of one size;
//! - `Phi`: arguments have its type;
//! - `Call`: the callee points to a function; the result is its result; the arguments have the types
//!   of its parameters, as many, or at least as many if it is variadic. Where the type has no
//!   prototype, arguments are free; so is the one for a `transparent_union` parameter;
//! - `Branch` tests an int; `Switch` an integer, with disjoint cases in increasing order;
//!   `Indirect` goes through a pointer;
//! - `Return` has a value of the function's result type exactly if that is not `void`;
//! - an instruction without a result has the type `void`, and no other has, except calls, asm, builtins
//!   and `Unknown`.
//!
//! The verifier runs in one pass over a function and one over its graph, without hashing, so that it
//! can run on every function in release builds too.

mod types;

use caulk_base::IdVec;

use crate::cfg::Cfg;
use crate::dominators::Dominators;
use crate::ir::{BlockId, ENTRY, Function, Inst, InstKind, Operands, PhiArgs, Terminator, Unit, Value};

/// After so many errors the rest of a function is not looked at: they only repeat.
const MAX_ERRORS: usize = 40;

/// Checks every rule above; the errors read `bb2: v7: …`.
pub fn verify(unit: &Unit, function: &Function) -> Result<(), Vec<String>> {
    let mut checker = Checker { unit, function, errors: Vec::new(), at: None };
    checker.check_references();
    // Nothing below can follow an id that leads nowhere.
    checker.finish_early()?;
    let cfg = Cfg::new(function);
    checker.check_graph(&cfg);
    let places = checker.check_placement();
    checker.finish_early()?;
    checker.check_uses(&cfg, &places);
    checker.check_types();
    checker.finish_early()
}

struct Checker<'a> {
    unit: &'a Unit,
    function: &'a Function,
    errors: Vec<String>,
    /// Where we are looking: a block, and the instruction unless it is the terminator.
    at: Option<(BlockId, Option<Value>)>,
}

/// Where an instruction stands.
#[derive(Clone, Copy)]
struct Position {
    block: BlockId,
    index: u32,
}

/// In no block, and need not be: constants and parameters.
const EVERYWHERE: Position = Position { block: BlockId(u32::MAX), index: 0 };
/// In no block, though it should.
const NOWHERE: Position = Position { block: BlockId(u32::MAX), index: 1 };

impl Position {
    fn is_placed(self) -> bool {
        self.block != EVERYWHERE.block
    }
}

impl Checker<'_> {
    fn error(&mut self, message: String) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        self.errors.push(match self.at {
            None => message,
            Some((block, None)) => format!("{block}: terminator: {message}"),
            Some((block, Some(value))) => format!("{block}: {value}: {message}"),
        });
    }

    fn finish_early(&mut self) -> Result<(), Vec<String>> {
        if self.errors.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.errors)) }
    }

    // ---- references ------------------------------------------------------------------------

    fn check_references(&mut self) {
        let function = self.function;
        if self.unit.globals.get(function.global).is_none() {
            self.error(format!("function of {} which does not exist", function.global));
        }
        if function.blocks.is_empty() {
            self.error("no blocks".to_owned());
        }
        for &param in &function.params {
            self.check_value(param);
        }
        for (value, _) in &function.variable_names {
            self.check_value(*value);
        }
        for (_, block) in &function.label_blocks {
            self.check_block(*block);
        }
        for inst in function.insts.iter().filter(|inst| !inst.kind.is_placed()) {
            self.check_inst_references(inst);
        }
        for (id, block) in function.blocks.iter_enumerated() {
            for &value in &block.insts {
                self.at = Some((id, Some(value)));
                match function.insts.get(value) {
                    Some(inst) => self.check_inst_references(inst),
                    None => self.error("does not exist".to_owned()),
                }
            }
            self.at = Some((id, None));
            if let Some(value) = block.terminator.operand() {
                self.check_value(value);
            }
            for target in block.terminator.successors() {
                self.check_block(target);
            }
        }
        self.at = None;
    }

    fn check_inst_references(&mut self, inst: &Inst) {
        let function = self.function;
        match inst.kind {
            InstKind::WideInt(number) if number as usize >= function.wide_constants.len() => {
                self.error(format!("wide constant {number} does not exist"));
            }
            InstKind::Global(global) if self.unit.globals.get(global).is_none() => {
                self.error(format!("{global} does not exist"));
            }
            InstKind::String(string) | InstKind::CopyString { string, .. }
                if self.unit.strings.get(string).is_none() =>
            {
                self.error(format!("{string} does not exist"));
            }
            InstKind::BlockAddress(block) => self.check_block(block),
            InstKind::Field { record, field, .. } => {
                let fields = self.unit.types.records.get(record).and_then(|record| record.layout.as_ref());
                if fields.is_none_or(|layout| layout.fields.len() <= field as usize) {
                    self.error(format!("{record} has no field {field}"));
                }
            }
            InstKind::Phi(args) => {
                if !self.check_phi_range(args) {
                    return;
                }
                for (block, _) in function.phi_args(args) {
                    self.check_block(block);
                }
            }
            InstKind::Call { args: operands, .. }
            | InstKind::Builtin { args: operands, .. }
            | InstKind::Asm { operands, .. }
            | InstKind::Unknown { operands, .. }
                if !self.check_range(operands) =>
            {
                return;
            }
            _ => {}
        }
        inst.kind.for_each_operand(function, |value| self.check_value(value));
    }

    fn check_value(&mut self, value: Value) {
        if value.0 as usize >= self.function.insts.len() {
            self.error(format!("{value} does not exist"));
        }
    }

    fn check_block(&mut self, block: BlockId) {
        if block.0 as usize >= self.function.blocks.len() {
            self.error(format!("{block} does not exist"));
        }
    }

    fn check_range(&mut self, operands: Operands) -> bool {
        let end = u64::from(operands.start) + u64::from(operands.len);
        let fits = end <= self.function.operand_pool.len() as u64;
        if !fits {
            self.error("operands outside the pool".to_owned());
        }
        fits
    }

    fn check_phi_range(&mut self, args: PhiArgs) -> bool {
        let blocks_end = u64::from(args.blocks) + u64::from(args.len);
        let fits = blocks_end <= self.function.phi_blocks.len() as u64;
        if !fits {
            self.error("phi blocks outside the pool".to_owned());
        }
        self.check_range(Operands { start: args.values, len: args.len }) && fits
    }

    // ---- graph -----------------------------------------------------------------------------

    fn check_graph(&mut self, cfg: &Cfg) {
        let function = self.function;
        for (id, block) in function.blocks.iter_enumerated() {
            self.at = Some((id, None));
            match block.terminator {
                Terminator::None => self.error("missing".to_owned()),
                Terminator::AsmGoto { .. } => {
                    let last = block.insts.last().map(|&value| function.insts[value].kind);
                    if !matches!(last, Some(InstKind::Asm { .. })) {
                        self.error("asm goto without an asm before it".to_owned());
                    }
                }
                Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch(_)
                | Terminator::Indirect { .. }
                | Terminator::Return(_)
                | Terminator::Unreachable => {}
            }
            if !cfg.is_reachable(id) {
                self.error("the block cannot be reached".to_owned());
            }
        }
        self.at = None;
        if let Some(predecessor) = cfg.predecessors(ENTRY).first() {
            self.error(format!("the entry has a predecessor, {predecessor}"));
        }
    }

    // ---- placement -------------------------------------------------------------------------

    fn check_placement(&mut self) -> IdVec<Value, Position> {
        let function = self.function;
        let mut places: IdVec<Value, Position> =
            function.insts.iter().map(|inst| if inst.kind.is_placed() { NOWHERE } else { EVERYWHERE }).collect();
        self.check_params();
        for (block, data) in function.blocks.iter_enumerated() {
            let mut phis_are_over = false;
            for (index, &value) in data.insts.iter().enumerate() {
                self.at = Some((block, Some(value)));
                let kind = &function.insts[value].kind;
                let place = &mut places[value];
                if !kind.is_placed() {
                    self.error("a constant or parameter stands in a block".to_owned());
                    continue;
                }
                if place.is_placed() {
                    let first = place.block;
                    self.error(format!("stands in {first} already"));
                }
                *place = Position { block, index: index as u32 };
                match kind {
                    InstKind::Phi(_) if phis_are_over => self.error("phi after another instruction".to_owned()),
                    InstKind::Phi(_) => {}
                    InstKind::Slot { .. } if block != ENTRY => self.error("slot outside the entry".to_owned()),
                    _ => phis_are_over = true,
                }
            }
        }
        self.at = None;
        places
    }

    fn check_params(&mut self) {
        let function = self.function;
        for (number, &param) in function.params.iter().enumerate() {
            if function.insts[param].kind != InstKind::Param(number as u32) {
                self.error(format!("{param} is not parameter {number}"));
            }
        }
        for (value, inst) in function.insts.iter_enumerated() {
            if let InstKind::Param(number) = inst.kind
                && function.params.get(number as usize) != Some(&value)
            {
                self.error(format!("{value} is parameter {number} but not listed as such"));
            }
        }
    }

    fn check_uses(&mut self, cfg: &Cfg, places: &IdVec<Value, Position>) {
        let function = self.function;
        let dominators = Dominators::new(cfg);
        // The phi that last had an argument from this block.
        let mut argument_of: IdVec<BlockId, u32> = IdVec::filled(u32::MAX, cfg.block_count());
        for (block, data) in function.blocks.iter_enumerated() {
            for (index, &value) in data.insts.iter().enumerate() {
                self.at = Some((block, Some(value)));
                let kind = &function.insts[value].kind;
                if let InstKind::Phi(args) = *kind {
                    self.check_phi(cfg, places, &dominators, &mut argument_of, args);
                    continue;
                }
                let here = Position { block, index: index as u32 };
                kind.for_each_operand(function, |used| self.check_use(&dominators, places[used], here, used));
            }
            self.at = Some((block, None));
            if let Some(used) = data.terminator.operand() {
                let here = Position { block, index: data.insts.len() as u32 };
                self.check_use(&dominators, places[used], here, used);
            }
        }
        self.at = None;
    }

    fn check_phi(
        &mut self,
        cfg: &Cfg,
        places: &IdVec<Value, Position>,
        dominators: &Dominators,
        argument_of: &mut IdVec<BlockId, u32>,
        args: PhiArgs,
    ) {
        let Some((block, Some(phi))) = self.at else { return };
        let predecessors = cfg.predecessors(block);
        for (from, used) in self.function.phi_args(args) {
            if argument_of[from] == phi.0 {
                self.error(format!("two arguments from {from}"));
            }
            argument_of[from] = phi.0;
            if predecessors.binary_search(&from).is_err() {
                self.error(format!("an argument from {from}, which is no predecessor"));
            }
            let end = Position { block: from, index: u32::MAX };
            self.check_use(dominators, places[used], end, used);
        }
        for &predecessor in predecessors {
            if argument_of[predecessor] != phi.0 {
                self.error(format!("no argument from {predecessor}"));
            }
        }
    }

    fn check_use(&mut self, dominators: &Dominators, defined: Position, here: Position, used: Value) {
        let is_seen = match defined.is_placed() {
            false => defined.index == EVERYWHERE.index,
            true if defined.block == here.block => defined.index < here.index,
            true => dominators.dominates(defined.block, here.block),
        };
        if !is_seen {
            self.error(match defined.is_placed() {
                true => format!("{used}, defined in {}, does not dominate this use", defined.block),
                false => format!("{used} stands in no block"),
            });
        }
    }

    /// Whether a value is the address of a frame object itself.
    fn is_frame_object(&self, value: Value) -> bool {
        matches!(self.function.insts[value].kind, InstKind::Slot { .. } | InstKind::Alloca { .. })
    }
}

#[cfg(test)]
mod tests;
