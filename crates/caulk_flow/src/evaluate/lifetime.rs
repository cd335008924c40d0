//! The ends of things: releases, escapes, memory out of our hands.

use caulk_guard::{Guard, Object, Predicate, Term, TermKind};
use caulk_ir::ir::{self, InstKind};
use rustc_hash::FxHashMap;

use super::{Evaluator, EventKind, State};
use crate::object::{ObjectKind, Release};
use crate::value::{Val, ValData};

/// Objects that are looked at for what hangs on something handed over.
const MAX_VISITS: u32 = 512;

impl Evaluator<'_> {
    /// Gives back what the value names, which the call at work got as, or through, the given argument.
    pub(super) fn release(
        &mut self,
        state: &State,
        val: Val,
        release: Release,
        when: Guard,
        is_certain: bool,
        argument: Option<u32>,
    ) {
        let here = self.space.and(state.guard, when);
        let is_certain = is_certain && !self.is_in_doubt;
        let entered = self.of_all_elements(argument);
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            let reached = self.space.and(here, guard);
            self.release_term(reached, term, release, is_certain, 0);
            if let Some(entered) = entered {
                let guard = self.space.and(when, guard);
                let reached = self.space.and(entered, guard);
                self.release_term(reached, term, release, false, 0);
            }
        }
        self.event(here, release.loc, EventKind::Release { val });
    }

    /// A loop that releases the elements of an array releases all there are, though it be none: when the loop is
    /// reached, if the argument is an element.
    fn of_all_elements(&self, argument: Option<u32>) -> Option<Guard> {
        let entered = self.entered.last()?.guard;
        let InstKind::Call { args, .. } = self.body.insts[self.calling?].kind else { return None };
        let argument = *self.body.operands(args).get(argument? as usize)?;
        self.is_element(argument).then_some(entered)
    }

    /// Whether a value was read from a place that is chosen by a variable, or through what was.
    fn is_element(&self, mut value: ir::Value) -> bool {
        let body = self.body;
        let mut is_read = false;
        loop {
            match body.insts[value].kind {
                InstKind::Cast(inner) | InstKind::BitCast(inner) => value = inner,
                InstKind::Load { address, .. } => {
                    is_read = true;
                    value = address;
                }
                InstKind::Field { base, .. } => value = base,
                InstKind::Element { base, index } => {
                    if is_read && !matches!(body.insts[index].kind, InstKind::Int(_)) {
                        return true;
                    }
                    value = base;
                }
                _ => return false,
            }
        }
    }

    fn release_term(&mut self, guard: Guard, term: Term, release: Release, is_certain: bool, depth: u32) {
        if guard.is_false() || depth > 3 {
            return;
        }
        let Some((object, _)) = self.place(term) else { return };
        let root = self.objects.root(object);
        let released = self.space.or(self.objects.infos[root].released, guard);
        let gone = if is_certain { self.space.or(self.objects.infos[root].gone, guard) } else { Guard::FALSE };
        let info = &mut self.objects.infos[root];
        info.released = released;
        info.release = Some(release);
        if is_certain {
            info.gone = gone;
        }
        if let ObjectKind::Pointee(symbol) = info.kind {
            let aliases = self.objects.symbols[symbol.0 as usize].aliases.clone();
            // A walk along an array ends at a null, of which nobody knows where it is: all are released.
            let guard = if aliases.is_empty() { guard } else { self.whichever_is_null(guard) };
            for (_, alias) in aliases {
                self.release_term(guard, alias, release, false, depth + 1);
            }
        }
    }

    /// When something happens, whichever of the pointers are null of which nobody knows what they are.
    fn whichever_is_null(&mut self, guard: Guard) -> Guard {
        let Evaluator { space, objects, .. } = self;
        let mut chosen = space.support(&[guard]);
        let is_blurred = |term: Term| match space.term(term) {
            TermKind::Symbol(symbol) => {
                objects.symbols.get(symbol.0 as usize).is_some_and(|info| !info.aliases.is_empty())
            }
            _ => false,
        };
        chosen
            .retain(|&atom| matches!(space.predicate(atom), Predicate::Equal(a, b) if is_blurred(a) || is_blurred(b)));
        if chosen.is_empty() { guard } else { space.exists(guard, &|atom| chosen.binary_search(&atom).is_ok()) }
    }

    /// Something that is not seen keeps the value.
    pub fn escape_val(&mut self, guard: Guard, val: Val) {
        if let ValData::Record(parts) = self.values.get(val) {
            for part in parts.clone() {
                self.escape_val(guard, part.val);
            }
            return;
        }
        for place in 0..self.values.alternatives(val).len() {
            let (inner, term) = self.values.alternatives(val)[place];
            let guard = self.space.and(guard, inner);
            self.escape_term(guard, term);
        }
    }

    pub(crate) fn escape_term(&mut self, guard: Guard, term: Term) {
        if guard.is_false() {
            return;
        }
        match self.space.term(term) {
            TermKind::Int(_) => {}
            TermKind::Binary { a, b, .. } if self.place(term).is_none() => {
                self.escape_term(guard, a);
                self.escape_term(guard, b);
            }
            _ => {
                let Some((object, _)) = self.place(term) else { return };
                let root = self.objects.root(object);
                let escaped = self.space.or(self.objects.infos[root].escaped, guard);
                self.objects.infos[root].escaped = escaped;
                if let ObjectKind::Pointee(symbol) = self.objects.get(root).kind {
                    for (_, alias) in self.objects.symbols[symbol.0 as usize].aliases.clone() {
                        if self.points_to(alias).is_some_and(|object| self.objects.root(object) != root) {
                            self.escape_term(guard, alias);
                        }
                    }
                }
            }
        }
    }

    /// The value was handed to something unknown: all that can be reached from it may be kept and,
    /// if `writes`, changed.
    pub(super) fn hand_over(&mut self, state: &mut State, val: Val, when: Guard, writes: bool) {
        let mut touched: FxHashMap<Object, Guard> = FxHashMap::default();
        let mut order: Vec<Object> = Vec::new();
        let mut waiting: Vec<(Guard, Val)> = vec![(self.space.and(state.guard, when), val)];
        let mut visits = 0;
        while let Some((guard, val)) = waiting.pop() {
            if let ValData::Record(parts) = self.values.get(val) {
                waiting.extend(parts.iter().map(|part| (guard, part.val)));
                continue;
            }
            for place in 0..self.values.alternatives(val).len() {
                let (inner, term) = self.values.alternatives(val)[place];
                let guard = self.space.and(guard, inner);
                if guard.is_false() {
                    continue;
                }
                self.escape_term(guard, term);
                let Some((object, _)) = self.place(term) else { continue };
                let root = self.objects.root(object);
                let known = touched.get(&root).copied().unwrap_or(Guard::FALSE);
                if visits < MAX_VISITS && !self.space.implies(guard, known) {
                    visits += 1;
                    if touched.insert(root, self.space.or(known, guard)).is_none() {
                        order.push(root);
                    }
                    self.contents(state, root, |val| waiting.push((guard, val)));
                }
            }
        }
        if writes {
            for object in order {
                if !matches!(self.objects.get(object).kind, ObjectKind::Code(_) | ObjectKind::Literal(_)) {
                    self.clobber(state, object, touched[&object]);
                }
            }
        }
    }

    /// Every value stored in the object or its elements.
    pub fn contents(&self, state: &State, root: Object, mut visit: impl FnMut(Val)) {
        let mut waiting = vec![root];
        while let Some(object) = waiting.pop() {
            let info = self.objects.get(object);
            for &cell in &info.cells {
                if let Some(&val) = state.cells.get(cell.0 as usize)
                    && val.is_real()
                {
                    visit(val);
                }
            }
            waiting.extend(info.elements.iter().copied());
        }
    }
}
