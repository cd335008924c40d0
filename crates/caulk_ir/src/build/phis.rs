//! Phis that stand for one value.
//!
//! Construction forwards a phi whose operands are itself and one value. Two things are left for the
//! end: operands from blocks that turned out to be unreachable, and phis that only use each other and
//! one value from outside, as in a loop with two ways in.
//!
//! ```c
//! if (c) goto inside;
//! for (;;) { f(n); inside: g(n); }      // n is never set: phi [entry: n, inside], phi [for, entry: n]
//! ```
//!
//! Braun et al., algorithm 5: components of phis that use each other are looked at with those they use
//! first. If all operands from outside are one value, the whole component stands for it. Otherwise
//! the phis without operands from outside may still be such components among themselves.

use super::finish::FinishBuffers;
use super::*;

/// Beyond this nesting redundant phis stay. They are correct, only one name too many for a value.
const MAX_NESTING: u32 = 50;

/// What the search for components knows of each phi.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PhiState {
    /// The search it takes part in; 0 for none.
    search: u32,
    /// Its number in the order of discovery, from 1; 0 if not discovered.
    index: u32,
    /// The least index on the stack known to be reached from it.
    low: u32,
    is_on_stack: bool,
    /// The component looked at last that had it.
    component: u32,
}

/// Phis of one search.
#[derive(Default)]
struct Search {
    number: u32,
    discovered: u32,
    stack: Vec<u32>,
    /// Phi and how many of its operands have been followed.
    frames: Vec<(u32, u32)>,
}

impl Builder {
    /// Forwards all phis in reached blocks that stand for one value.
    pub(super) fn forward_redundant(&mut self, buffers: &mut FinishBuffers) {
        let mut members = Vec::new();
        for number in 0..self.phis.len() as u32 {
            let phi = self.phis[number as usize];
            if phi.forward.is_none() && buffers.is_reached[phi.block.0 as usize] {
                self.drop_unreached_operands(buffers, phi);
                members.push(number);
            }
        }
        if members.is_empty() {
            return;
        }
        buffers.phis.clear();
        buffers.phis.resize(self.phis.len(), PhiState::default());
        buffers.searches = 0;
        self.forward_components(buffers, &members, 0);
    }

    /// A way that is never taken leaves the phi as it is.
    fn drop_unreached_operands(&mut self, buffers: &FinishBuffers, phi: Phi) {
        let mut at = self.blocks[phi.block].first_edge;
        let mut place = phi.operands as usize;
        while at != NONE {
            let edge = self.edges[at as usize];
            if edge.from.is_none_or(|from| !buffers.is_reached[from.0 as usize]) {
                self.phi_operands[place] = phi.value;
            }
            at = edge.next;
            place += 1;
        }
    }

    fn operand_count(&self, phi: u32) -> u32 {
        self.blocks[self.phis[phi as usize].block].predecessor_count
    }

    /// What an operand stands for by now.
    fn operand(&mut self, phi: u32, place: u32) -> Value {
        let at = (self.phis[phi as usize].operands + place) as usize;
        self.resolve(self.phi_operands[at])
    }

    fn forward_components(&mut self, buffers: &mut FinishBuffers, members: &[u32], nesting: u32) {
        buffers.searches += 1;
        let mut search = Search { number: buffers.searches, ..Search::default() };
        for &member in members {
            buffers.phis[member as usize] = PhiState { search: search.number, ..PhiState::default() };
        }
        for &member in members {
            if buffers.phis[member as usize].index == 0 {
                self.find_components(buffers, &mut search, member, nesting);
            }
        }
    }

    /// Tarjan's algorithm from one phi, without recursion.
    fn find_components(&mut self, buffers: &mut FinishBuffers, search: &mut Search, root: u32, nesting: u32) {
        search.discover(buffers, root);
        while let Some(&(phi, place)) = search.frames.last() {
            if place < self.operand_count(phi) {
                if let Some(frame) = search.frames.last_mut() {
                    frame.1 += 1;
                }
                let operand = self.operand(phi, place);
                let Some(used) = self.phi_number(operand) else { continue };
                let state = buffers.phis[used as usize];
                if state.search != search.number {
                    continue;
                }
                if state.index == 0 {
                    search.discover(buffers, used);
                } else if state.is_on_stack {
                    let low = &mut buffers.phis[phi as usize].low;
                    *low = (*low).min(state.index);
                }
                continue;
            }
            search.frames.pop();
            let PhiState { index, low, .. } = buffers.phis[phi as usize];
            if let Some(&(user, _)) = search.frames.last() {
                let user = &mut buffers.phis[user as usize];
                user.low = user.low.min(low);
            }
            if low == index {
                let start = search.stack.iter().rposition(|&on_stack| on_stack == phi).unwrap_or(0);
                for &member in &search.stack[start..] {
                    buffers.phis[member as usize].is_on_stack = false;
                }
                let component = search.stack.split_off(start);
                self.forward_component(buffers, &component, nesting);
            }
        }
    }

    fn forward_component(&mut self, buffers: &mut FinishBuffers, members: &[u32], nesting: u32) {
        buffers.searches += 1;
        let component = buffers.searches;
        for &member in members {
            buffers.phis[member as usize].component = component;
        }
        let mut only = None;
        let mut has_several = false;
        let mut inner = Vec::new();
        for &member in members {
            let mut is_inner = true;
            for place in 0..self.operand_count(member) {
                let operand = self.operand(member, place);
                let used = self.phi_number(operand);
                if used.is_some_and(|used| buffers.phis[used as usize].component == component) {
                    continue;
                }
                is_inner = false;
                has_several |= only.is_some_and(|only| only != operand);
                only = Some(operand);
                if has_several && members.len() == 1 {
                    return;
                }
            }
            if is_inner {
                inner.push(member);
            }
        }
        if !has_several {
            for &member in members {
                let value = match only {
                    Some(value) => value,
                    None => self.undef(self.insts[self.phis[member as usize].value].ty),
                };
                self.phis[member as usize].forward = Some(value);
            }
        } else if !inner.is_empty() && nesting < MAX_NESTING {
            self.forward_components(buffers, &inner, nesting + 1);
        }
    }
}

impl Search {
    fn discover(&mut self, buffers: &mut FinishBuffers, phi: u32) {
        self.discovered += 1;
        let state = &mut buffers.phis[phi as usize];
        state.index = self.discovered;
        state.low = self.discovered;
        state.is_on_stack = true;
        self.stack.push(phi);
        self.frames.push((phi, 0));
    }
}
