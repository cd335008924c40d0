//! What happened to the caller's memory: releases and keeps, the nearest first.
//!
//! A destructor of a large structure releases more than a summary can list. What is left out must not look alive: it
//! counts as kept, with all that hangs on the field it belongs to.

use super::*;

/// A pointer, the place of its guard in the list, and whatever there is to say.
pub(super) struct Effects {
    pub(super) releases: Vec<Told<Release>>,
    pub(super) keeps: Vec<Told<()>>,
}

pub(super) struct Told<T> {
    pub(super) pointer: TermNumber,
    pub(super) guard: usize,
    /// The guard is that of the evaluation, not one widened on the way here.
    pub(super) is_exact: bool,
    pub(super) what: T,
}

impl Freezer<'_, '_> {
    /// What one function of several that a pointer may lead to puts into a container is in it: which one it is goes with
    /// the container.
    pub(super) fn keep_whoever_is_called(&mut self, state: &State, val: Val) {
        for place in 0..self.evaluator.values.alternatives(val).len() {
            let (when, term) = self.evaluator.values.alternatives(val)[place];
            let object = self.evaluator.points_to(term);
            if object.is_none_or(|object| self.evaluator.objects.heap_of(object).is_none()) {
                continue;
            }
            let kept = self.evaluator.whoever_is_called(when);
            if kept != when {
                let kept = self.evaluator.space.and(state.guard, kept);
                self.evaluator.escape_term(kept, term);
            }
        }
    }

    pub(super) fn effects(
        &mut self,
        result: &Option<Draft>,
        state: &State,
        written: &[CellId],
        guards: &mut Vec<Guarded>,
    ) -> Effects {
        let mut results = Vec::new();
        if let Some(draft) = result {
            add_guards(draft, guards, &mut results);
        }
        let results = self.evaluator.space.support(&results);
        let mut touched: Vec<(u32, Symbol)> = Vec::new();
        for object in self.evaluator.objects.infos.ids() {
            let info = self.evaluator.objects.get(object);
            if let ObjectKind::Pointee(symbol) = info.kind
                && !(info.released.is_false() && info.escaped.is_false())
                && self.is_visible(symbol)
            {
                touched.push((self.evaluator.objects.symbols[symbol.0 as usize].depth, symbol));
            }
        }
        touched.sort_unstable();
        let mut effects = Effects { releases: Vec::new(), keeps: Vec::new() };
        let mut left_out: Vec<Symbol> = Vec::new();
        for (depth, symbol) in touched {
            let object = self.evaluator.pointee(symbol);
            let info = self.evaluator.objects.get(object).clone();
            let term = self.evaluator.objects.symbols[symbol.0 as usize].term;
            let Some(pointer) = self.term(term) else { continue };
            if !info.released.is_false()
                && let Some(release) = info.release
            {
                if effects.releases.len() < MAX_EFFECTS && depth <= MAX_EFFECT_DEPTH {
                    let returns = guards[0].guard;
                    let released = self.whenever_there(returns, symbol, info.released);
                    let gone = self.whenever_there(returns, symbol, info.gone);
                    let guard = self.share(released, symbol);
                    let guard = self.evaluator.whoever_is_called(guard);
                    // What takes its place says when.
                    let origin = self.evaluator.objects.symbols[symbol.0 as usize].origin;
                    let is_replaced = matches!(origin, Origin::Contents(cell) if written.contains(&cell));
                    let guard = if is_replaced { guard } else { self.whatever_is_inside(guard, &results) };
                    let rank = if is_replaced { Rank::Key } else { Rank::Other };
                    guards.push(Guarded { guard, rank });
                    let is_exact = guard == gone;
                    effects.releases.push(Told { pointer, guard: guards.len() - 1, is_exact, what: release });
                } else {
                    left_out.push(symbol);
                }
            }
            if !info.escaped.is_false() && !self.is_kept_with_holder(symbol, info.escaped, state) {
                if effects.keeps.len() < MAX_EFFECTS && depth <= MAX_EFFECT_DEPTH {
                    let guard = self.evaluator.whoever_is_called(info.escaped);
                    let guard = self.whatever_is_inside(guard, &results);
                    self.keep(pointer, guard, guards, &mut effects);
                } else {
                    left_out.push(symbol);
                }
            }
        }
        self.release_any_element(guards, &mut effects);
        let mut holders: Vec<Symbol> = left_out.into_iter().map(|symbol| self.near_holder(symbol)).collect();
        holders.sort_unstable();
        holders.dedup();
        for holder in holders {
            let term = self.evaluator.objects.symbols[holder.0 as usize].term;
            if let Some(pointer) = self.term(term) {
                self.keep(pointer, Guard::TRUE, guards, &mut effects);
            }
        }
        effects
    }

    /// What a loop released behind an index that it has forgotten may be any element.
    fn release_any_element(&mut self, guards: &mut Vec<Guarded>, effects: &mut Effects) {
        let mut told: Vec<(Object, i64, i64)> = Vec::new();
        for object in self.evaluator.objects.infos.ids() {
            let info = self.evaluator.objects.get(object);
            let (ObjectKind::Pointee(symbol), Some(release)) = (info.kind.clone(), info.release) else { continue };
            let Origin::Contents(cell) = self.evaluator.objects.symbols[symbol.0 as usize].origin else { continue };
            let cell = self.evaluator.objects.cells[cell];
            let ObjectKind::Element { base, offset, stride, index } = self.evaluator.objects.get(cell.object).kind
            else {
                continue;
            };
            let key = (base, stride, offset + cell.offset);
            let root = self.evaluator.objects.root(base);
            if self.is_visible(symbol) || !self.is_visible_memory(base) || self.is_global(root) || told.contains(&key) {
                continue;
            }
            let kind = self.evaluator.pointer_kind();
            let Some(start) = self.address(base, offset).filter(|_| effects.releases.len() < MAX_EFFECTS) else {
                continue;
            };
            told.push(key);
            let index = self.unknown(self.evaluator.space.kind(index));
            let element = self.intern(FrozenTerm::Element { base: start, stride, index }, kind);
            let place = self.shifted(element, cell.offset, kind);
            let pointer = self.intern(FrozenTerm::Contents(place), kind);
            guards.push(Guarded { guard: Guard::TRUE, rank: Rank::Other });
            effects.releases.push(Told { pointer, guard: guards.len() - 1, is_exact: false, what: release });
        }
    }

    /// To release null is to do nothing, and behind null there is nothing to release: what is always released if it is
    /// there is always released.
    fn whenever_there(&mut self, returns: Guard, pointer: Symbol, released: Guard) -> Guard {
        let mut is_there = returns;
        let mut next = Some(pointer);
        while let Some(symbol) = next {
            let Evaluator { space, objects, .. } = &mut *self.evaluator;
            let info = &objects.symbols[symbol.0 as usize];
            let null = space.int(0, space.kind(info.term));
            let is_some = space.equal(info.term, null).not();
            is_there = space.and(is_there, is_some);
            next = self.holder(symbol);
        }
        if self.evaluator.space.implies(is_there, released) { Guard::TRUE } else { released }
    }

    /// A release or a keep that hangs on conditions of which the caller sees nothing near, not even by the result, is
    /// what it relies on.
    fn whatever_is_inside(&mut self, guard: Guard, results: &[Atom]) -> Guard {
        let mut hidden = self.evaluator.space.support(&[guard]);
        hidden.retain(|atom| {
            results.binary_search(atom).is_err() && (self.is_far(*atom) || self.visible(*atom).is_none())
        });
        self.evaluator.space.exists(guard, &|atom| hidden.binary_search(&atom).is_ok())
    }

    pub(super) fn keep(&mut self, pointer: TermNumber, guard: Guard, guards: &mut Vec<Guarded>, effects: &mut Effects) {
        guards.push(Guarded { guard, rank: Rank::Other });
        effects.keeps.push(Told { pointer, guard: guards.len() - 1, is_exact: true, what: () });
    }

    /// The argument, or the pointer in what an argument leads to, that the symbol was found through.
    fn near_holder(&self, mut symbol: Symbol) -> Symbol {
        loop {
            let depth = self.evaluator.objects.symbols[symbol.0 as usize].depth;
            match self.holder(symbol) {
                Some(holder) if depth > 1 => symbol = holder,
                _ => return symbol,
            }
        }
    }

    /// The pointer that leads to where a symbol was read from.
    fn holder(&self, symbol: Symbol) -> Option<Symbol> {
        let objects = &self.evaluator.objects;
        let Origin::Contents(cell) = objects.symbols[symbol.0 as usize].origin else { return None };
        match objects.get(objects.root(objects.cells[cell].object)).kind {
            ObjectKind::Pointee(holder) => Some(holder),
            _ => None,
        }
    }
}

/// The guards of a draft's alternatives.
fn add_guards(draft: &Draft, guards: &[Guarded], found: &mut Vec<Guard>) {
    match draft {
        Draft::Scalar(ways) => found.extend(ways.iter().map(|way| guards[way.0].guard)),
        Draft::Record(parts) => parts.iter().for_each(|part| add_guards(&part.2, guards, found)),
        Draft::Parts(first, _) => add_guards(first, guards, found),
    }
}
