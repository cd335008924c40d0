//! Variables to values: the reads and writes of SSA construction, and phis.
//!
//! A read looks in its own block, then up the only way in, block by block, until it meets a
//! definition or a place where ways join; blocks that cannot have changed the variable are skipped
//! ([`ancestors`](super::ancestors)). There it puts a phi at once, before anything is known of
//! its operands, and the phi is the answer; so loops end the search by themselves. Phis of sealed
//! blocks are filled from a work list afterwards, by reads that may put further phis on the list.
//!
//! Every block passed on the way up remembers the answer. Without that, 10,000 times
//! `if (a) return x;` would walk up the whole function from every `return`.

use super::*;

impl Builder {
    pub fn new_variable(&mut self, ty: Ty, name: Symbol) -> Variable {
        self.variables.push(VariableState { ty: ty.unqualified(), name, latest: None, last_write: NONE })
    }

    pub fn variable_name(&self, variable: Variable) -> Symbol {
        self.variables[variable].name
    }

    pub fn variable_ty(&self, variable: Variable) -> Ty {
        self.variables[variable].ty
    }

    /// The variable has this value from here on.
    pub fn write(&mut self, variable: Variable, value: Value) {
        let current = self.current;
        let name = self.variables[variable].name;
        self.name_value(value, name);
        self.note_write(variable);
        self.set_latest(variable, current, value);
    }

    /// The value the variable has here; undefined if it was not set on any way here.
    pub fn read(&mut self, variable: Variable) -> Value {
        let current = self.current;
        if let Some((block, value)) = self.variables[variable].latest
            && block == current
        {
            return self.resolve(value);
        }
        let value = self.look_up(variable, current);
        self.fill_phis();
        self.resolve(value)
    }

    /// No further way into the block will come.
    pub fn seal(&mut self, block: BlockId) {
        let state = &mut self.blocks[block];
        debug_assert!(!state.is_sealed, "{block} sealed twice");
        state.is_sealed = true;
        self.set_dominator(block);
        let mut at = self.blocks[block].first_phi;
        while at != NONE {
            self.unfilled.push(at);
            at = self.phis[at as usize].next;
        }
        self.fill_phis();
    }

    /// What a value stands for, trivial phis looked through.
    pub(super) fn resolve(&mut self, value: Value) -> Value {
        let Some(mut target) = self.forward(value) else { return value };
        while let Some(further) = self.forward(target) {
            target = further;
        }
        let mut at = value;
        while let (Some(step), Some(number)) = (self.forward(at), self.phi_number(at)) {
            self.phis[number as usize].forward = Some(target);
            at = step;
        }
        target
    }

    fn forward(&self, value: Value) -> Option<Value> {
        self.phi_number(value).and_then(|number| self.phis[number as usize].forward)
    }

    pub(super) fn phi_number(&self, value: Value) -> Option<u32> {
        match self.insts[value].kind {
            InstKind::Phi(args) => Some(args.blocks),
            _ => None,
        }
    }

    fn definition(&self, variable: Variable, block: BlockId) -> Option<Value> {
        match self.variables[variable].latest {
            Some((latest, value)) if latest == block => Some(value),
            _ => self.definitions.get(&(variable, block)).copied(),
        }
    }

    fn set_latest(&mut self, variable: Variable, block: BlockId, value: Value) {
        if let Some((previous, displaced)) = self.variables[variable].latest.replace((block, value))
            && previous != block
        {
            self.definitions.insert((variable, previous), displaced);
        }
    }

    /// The definition that holds at the end of a block; may put a phi that is still to be filled.
    fn look_up(&mut self, variable: Variable, block: BlockId) -> Value {
        debug_assert!(self.path.is_empty());
        let mut at = block;
        let value = loop {
            if let Some(value) = self.definition(variable, at) {
                break value;
            }
            self.path.push(at);
            let above = self.highest_with_same(variable, at);
            if above != at {
                at = above;
                continue;
            }
            let state = &self.blocks[at];
            if !state.is_sealed || state.predecessor_count > 1 {
                let is_sealed = state.is_sealed;
                let phi = self.new_phi(variable, at);
                if is_sealed {
                    self.unfilled.push(phi);
                }
                break self.phis[phi as usize].value;
            }
            let only_way = match state.first_edge {
                NONE => None,
                edge => self.edges[edge as usize].from,
            };
            match only_way {
                // An unreachable loop can be its own only way in.
                Some(predecessor) if self.path.len() <= self.blocks.len() => at = predecessor,
                _ => break self.unassigned(variable),
            }
        };
        while let Some(passed) = self.path.pop() {
            if passed == self.current {
                self.set_latest(variable, passed, value);
            } else {
                self.definitions.insert((variable, passed), value);
            }
        }
        value
    }

    fn new_phi(&mut self, variable: Variable, block: BlockId) -> u32 {
        let number = self.phis.len() as u32;
        let args = PhiArgs { values: NONE, blocks: number, len: 0 };
        let value = self.push_inst(InstKind::Phi(args), self.variables[variable].ty, Loc::NONE);
        let next = std::mem::replace(&mut self.blocks[block].first_phi, number);
        self.phis.push(Phi { value, variable, block, operands: NONE, next, forward: None });
        number
    }

    fn fill_phis(&mut self) {
        while let Some(number) = self.unfilled.pop() {
            let Phi { variable, block, .. } = self.phis[number as usize];
            let start = self.phi_operands.len() as u32;
            let mut at = self.blocks[block].first_edge;
            while at != NONE {
                let edge = self.edges[at as usize];
                let value = match edge.from {
                    Some(predecessor) => self.look_up(variable, predecessor),
                    None => self.unassigned(variable),
                };
                self.phi_operands.push(value);
                at = edge.next;
            }
            self.phis[number as usize].operands = start;
            self.filled.push(number);
        }
        // The last to be filled lie deepest: what they turn out to be decides about the others.
        while let Some(number) = self.filled.pop() {
            self.forward_if_trivial(number);
        }
    }

    /// A phi of one value, itself aside, stands for that value; of none, for anything.
    fn forward_if_trivial(&mut self, number: u32) {
        let Phi { value: phi, block, operands, .. } = self.phis[number as usize];
        let mut only = None;
        for operand in operands..operands + self.blocks[block].predecessor_count {
            let value = self.resolve(self.phi_operands[operand as usize]);
            if value == phi || only == Some(value) {
                continue;
            }
            if only.is_some() {
                return;
            }
            only = Some(value);
        }
        let only = match only {
            Some(value) => value,
            None => self.undef(self.insts[phi].ty),
        };
        self.phis[number as usize].forward = Some(only);
    }
}
