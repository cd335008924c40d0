//! Where all returns meet: memory, the result, and what is known by then.

use caulk_guard::{Guard, Symbol};
use smallvec::SmallVec;

use super::{Evaluator, Exit, Incoming, State};
use crate::object::{CellId, ObjectKind};
use crate::value::Val;

/// Operations, times the patience, that facts may take to be put together at the end. Without some of them a summary
/// tells more combinations apart than there are.
const MAX_GIVEN: u64 = 1_000;

impl Evaluator<'_> {
    /// Memory where all returns meet, and the result; `None` if the function never returns.
    pub fn exit(&mut self) -> Option<(State, Option<Val>)> {
        let mut ways = Vec::new();
        let mut results: SmallVec<[(Guard, Val); 4]> = SmallVec::new();
        for exit in self.exits.iter().filter(|exit| exit.held.is_none()) {
            let guard = exit.state.guard;
            results.extend(exit.result.map(|result| (guard, result)));
            ways.push(Incoming { guard, state: exit.state.clone(), phis: SmallVec::new() });
        }
        if ways.is_empty() {
            return None;
        }
        let result = if results.is_empty() { None } else { Some(self.merge_values(&results)) };
        let mut state = self.join_states(ways);
        state.guard = self.given_at_exit(&state, result);
        let unchanged = self.unchanged_statics();
        state.guard = self.space.and(state.guard, unchanged);
        Some((state, result))
    }

    /// A variable that only this function uses, and that is as it was at every return, is always as it was at first:
    ///
    /// ```c
    /// static int dying;
    /// if (dying) return;          // never: who sets it does not return
    /// dying = 1; … exit(1);
    /// ```
    pub fn unchanged_statics(&mut self) -> Guard {
        let program = self.cx.program;
        let mut all = Guard::TRUE;
        for place in 0..self.objects.cells.len() {
            let cell = CellId(place as u32);
            let info = self.objects.cells[cell];
            let ObjectKind::Variable(variable) = self.objects.get(info.object).kind else { continue };
            let Some(entry) = self.objects.initial[cell].filter(|_| program.sole_user(variable) == Some(self.function))
            else {
                continue;
            };
            let at_exit = |exit: &Exit| exit.state.cells.get(place).copied().unwrap_or(Val::UNTOUCHED);
            let is_same = |exit: &Exit| at_exit(exit) == entry || at_exit(exit) == Val::UNTOUCHED;
            if !self.exits.iter().filter(|exit| exit.held.is_none()).all(is_same) {
                continue;
            }
            let Some(first) = self.initialiser(variable, info.offset, info.kind) else { continue };
            let is_first = self.relate(entry, first, |this, a, b| this.equal(a, b));
            all = self.space.and(all, is_first);
        }
        all
    }

    /// When control gets to the end, with all that is known of what a caller may see there.
    fn given_at_exit(&mut self, state: &State, result: Option<Val>) -> Guard {
        let (mut guards, mut symbols) = (vec![state.guard], Vec::new());
        let cells = state.cells.iter().zip(self.objects.cells.iter()).filter(|(_, cell)| {
            let root = self.objects.root(cell.object);
            self.objects.outlives(root) || self.objects.heap_of(root).is_some()
        });
        for &val in cells.map(|(val, _)| val).chain(&result).filter(|val| val.is_real()) {
            for &(guard, term) in self.values.alternatives(val) {
                guards.push(guard);
                self.symbols_in(term, &mut symbols);
            }
        }
        guards.extend(self.objects.infos.iter().flat_map(|info| [info.released, info.gone, info.escaped]));
        guards.extend(self.objects.heap.iter().map(|heap| heap.allocated));
        guards.sort_unstable();
        guards.dedup();
        let given = self.all_given(&guards, &symbols, MAX_GIVEN * self.cx.patience);
        let reached = self.space.and(state.guard, given);
        let followed = result.map_or(Guard::TRUE, |result| self.is_not_null_if_followed(result));
        self.space.and(reached, followed)
    }

    /// A pointer that was followed on the way is not null.
    fn is_not_null_if_followed(&mut self, val: Val) -> Guard {
        let mut holds = Guard::TRUE;
        let symbols: SmallVec<[Symbol; 4]> = self.values.terms(val).filter_map(|term| self.symbol_of(term)).collect();
        for symbol in symbols {
            if self.followed.iter().all(|followed| followed.0 != symbol) {
                continue;
            }
            let term = self.objects.symbols[symbol.0 as usize].term;
            let null = self.space.int(0, self.space.kind(term));
            let is_null = self.space.equal(term, null);
            holds = self.besides_null(holds, symbol, is_null);
        }
        holds
    }

    /// A guard without the ways on which a pointer is null though it was followed, or is called.
    pub fn besides_null(&mut self, mut guard: Guard, pointer: Symbol, is_null: Guard) -> Guard {
        let Evaluator { space, followed, called, .. } = self;
        if called.contains(&pointer) {
            return space.and(guard, is_null.not());
        }
        for &(_, when) in followed.iter().filter(|followed| followed.0 == pointer) {
            let bad = space.and(is_null, when);
            guard = space.and(guard, bad.not());
        }
        guard
    }
}
