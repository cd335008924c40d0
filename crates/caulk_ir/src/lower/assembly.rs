//! Inline assembly.
//!
//! Operands of the [`InstKind::Asm`] are, in order, what it reads: the addresses of memory outputs and
//! the old values of `+r` outputs, then the inputs. Each other output is an
//! [`InstKind::AsmOutput`] stored to its target.

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::{Asm, AsmId};
use caulk_sema::types::{Ty, Type};

use super::Lowerer;
use super::places::Place;
use crate::ir::{InstKind, Terminator};

impl Lowerer<'_> {
    pub(super) fn asm(&mut self, id: AsmId, loc: Loc) {
        let data: &Asm = &self.body.asms[id];
        let base = self.tables.values.len();
        let mut results = Vec::new();
        for output in &data.outputs {
            let place = self.place(output.target);
            // What no register holds is in memory, whatever the constraint allows.
            let ty = place.ty(self);
            let is_value =
                !matches!(self.unit.types.get(ty), Type::Array(..) | Type::Vla(..) | Type::Function(_) | Type::Void);
            match place {
                Place::Memory { address, .. } if !is_value || is_memory_only(&output.constraint) => {
                    self.tables.values.push(address);
                }
                Place::Variable(_)
                | Place::Memory { .. }
                | Place::Bits { .. }
                | Place::Element { .. }
                | Place::Part { .. } => {
                    if output.is_read {
                        let old = self.read_place(place, loc);
                        self.tables.values.push(old);
                    }
                    results.push(place);
                }
            }
        }
        for input in &data.inputs {
            let value = self.value(input.value);
            self.tables.values.push(value);
        }
        let operands = self.builder.operands(&self.tables.values[base..]);
        self.tables.values.truncate(base);
        let template = Symbol::intern(&data.template);
        let clobbers_memory = data.clobbers_memory;
        let asm = self.emit(InstKind::Asm { template, operands, clobbers_memory }, Ty::VOID, loc);
        if !data.labels.is_empty() {
            // The outputs count where control falls through; at the labels the old values stay.
            let fall_through = self.builder.new_block();
            let targets = self.asm_targets(&data.labels, fall_through);
            self.builder.terminate(Terminator::AsmGoto { targets }, loc);
            self.count_asm_jumps(&data.labels);
            self.builder.begin_sealed(fall_through);
        }
        for (index, place) in results.into_iter().enumerate() {
            let ty = place.ty(self);
            let value = self.emit(InstKind::AsmOutput { asm, index: index as u32 }, ty, loc);
            self.write_place(place, value, loc);
        }
    }
}

/// Whether a constraint allows memory and nothing else.
fn is_memory_only(constraint: &str) -> bool {
    let mut letters = constraint.bytes().filter(|letter| !b"=+&%,*?! ".contains(letter)).peekable();
    letters.peek().is_some() && letters.all(|letter| b"moVQ<>".contains(&letter))
}
