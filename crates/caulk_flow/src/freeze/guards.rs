//! The guards of all effects, told by their conditions; past the caps, by the outcomes they make.

use super::rebuilt::{Choosing, Rebuilt, split};
use super::*;

/// What outcomes are told by, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// An argument that may be null, or the result.
    Pointer,
    /// A number among the arguments.
    Number,
    /// A number in memory that may be zero.
    Flag,
    /// A pointer in memory that may be null.
    Memory,
}

impl Freezer<'_, '_> {
    /// A release that depends on fields of the object or of its holder (a count, a capacity, a flag), or on bits of its
    /// address, is the release of the caller's share; one that depends on a global flag (no need to free on the way
    /// out) is what the caller means by the call. So is one by a function that a pointer leads to, if there is one; and
    /// one of an argument by a function without a result, whatever it finds in memory: its caller has no way to know.
    pub(super) fn share(&mut self, guard: Guard, released: Symbol) -> Guard {
        let pointee = self.evaluator.pointee(released);
        let holder = match self.evaluator.objects.symbols[released.0 as usize].origin {
            Origin::Contents(cell) => Some(self.evaluator.objects.root(self.evaluator.objects.cells[cell].object)),
            _ => None,
        };
        let support = self.evaluator.space.support(&[guard]);
        let own: Vec<Atom> =
            support.into_iter().filter(|&atom| self.is_own_field(atom, pointee, holder, released)).collect();
        if own.is_empty() {
            return guard;
        }
        self.evaluator.space.exists(guard, &|atom| own.contains(&atom))
    }

    pub(super) fn is_own_field(&self, atom: Atom, pointee: Object, holder: Option<Object>, released: Symbol) -> bool {
        let (a, b) = match self.evaluator.space.predicate(atom) {
            Predicate::Equal(a, b) | Predicate::Less(a, b) => (a, b),
            Predicate::Choice => return false,
        };
        let symbols = self.evaluator.symbols_of(atom);
        let origin = self.evaluator.objects.symbols[released.0 as usize].origin;
        let is_relied_on = matches!(origin, Origin::Param(_)) && self.evaluator.is_void();
        let is_about_bits = [a, b].iter().any(|&term| {
            let kind = self.evaluator.space.term(term);
            matches!(kind, TermKind::Binary { op: Op::And, .. })
        });
        !symbols.is_empty()
            && symbols.iter().all(|&symbol| {
                if symbol == released {
                    return is_about_bits;
                }
                let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
                let Origin::Contents(cell) = info.origin else { return false };
                let cell = self.evaluator.objects.cells[cell];
                let object = self.evaluator.objects.root(cell.object);
                is_relied_on
                    || self.evaluator.called.contains(&symbol)
                    || object == pointee
                    || (!cell.is_pointer && (Some(object) == holder || self.is_global(object)))
            })
    }

    /// Whether the symbol is still where it was read from, and that is a global, or kept as well.
    pub(super) fn is_kept_with_holder(&mut self, symbol: Symbol, kept: Guard, state: &State) -> bool {
        let Origin::Contents(cell) = self.evaluator.objects.symbols[symbol.0 as usize].origin else { return false };
        let now = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
        if now != Val::UNTOUCHED && self.evaluator.objects.initial[cell] != Some(now) {
            return false;
        }
        let holder = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
        let escaped = self.evaluator.objects.get(holder).escaped;
        self.distance_from_global(symbol).is_some() || self.evaluator.space.implies(kept, escaped)
    }

    pub(super) fn is_global(&self, object: Object) -> bool {
        matches!(self.evaluator.objects.get(object).kind, ObjectKind::Variable(_))
    }

    /// Atoms become opaque in a summary; what they say about each other (`n >= 0` and `n == -1` exclude each other)
    /// must be said before.
    pub(super) fn consistent(&mut self, guards: &[Guarded], returns: Guard) -> Guard {
        let space = &mut self.evaluator.space;
        let mut atoms: Vec<(Term, Atom)> = Vec::new();
        let all: Vec<Guard> = guards.iter().map(|guarded| guarded.guard).collect();
        for atom in space.support(&all) {
            if let Predicate::Equal(a, b) | Predicate::Less(a, b) = space.predicate(atom) {
                let is_constant = |term: Term| matches!(space.term(term), TermKind::Int(_) | TermKind::Address { .. });
                let key = [a, b].into_iter().filter(|&term| !is_constant(term));
                atoms.extend(key.map(|term| (term, atom)));
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        let mut consistent = returns;
        for group in atoms.chunk_by(|a, b| a.0 == b.0) {
            let group = &group[..group.len().min(MAX_RELATED)];
            for (place, &(_, first)) in group.iter().enumerate() {
                for &(_, second) in &group[place + 1..] {
                    for (a, b) in [(true, true), (true, false), (false, true), (false, false)] {
                        if space.exclude((first, a), (second, b)) {
                            let (a, b) = (space.literal(first, a), space.literal(second, b));
                            let both = space.and(a, b);
                            consistent = space.and(consistent, both.not());
                        }
                    }
                }
            }
        }
        consistent
    }

    /// All guards in the summary's own space; `None` for one that could not be told exactly.
    pub(super) fn guards(&mut self, guards: &[Guarded], returns: Guard) -> Vec<Option<When>> {
        if let Some(told) = self.by_conditions(guards, returns) {
            return told;
        }
        self.summary.is_coarse = true;
        self.evaluator.space.limit_work(MAX_WORK * self.evaluator.cx.patience);
        if let Some(mut told) = self.by_outcome(guards, returns) {
            self.is_blind = true;
            let outcomes = self.summary.atoms.len();
            for (told, guarded) in told.iter_mut().zip(guards).filter(|(_, guarded)| guarded.rank == Rank::Owned) {
                *told = told.map(|when| self.as_far_as_asked(when, guarded.guard, outcomes));
            }
            return told;
        }
        // Nothing is told of any guard.
        let mut told = vec![None; guards.len()];
        told[0] = Some(When::ALWAYS);
        told
    }

    /// What is made only if the caller's numbers are such is not made if they are not, however much else it hangs on.
    /// The first atoms are those that tell the outcomes.
    fn as_far_as_asked(&mut self, mut when: When, owned: Guard, outcomes: usize) -> When {
        let mut needed = 0;
        for atom in self.evaluator.space.support(&[owned]) {
            let is_number = matches!(self.weight(atom), Some(Weight::Number | Weight::Flag)) || self.is_sign(atom);
            if needed == MAX_NEEDED || !is_number {
                continue;
            }
            let is_needed = |this: &mut Self, value: bool| this.evaluator.space.assume(owned, atom, !value).is_false();
            let Some(value) = [true, false].into_iter().find(|&value| is_needed(self, value)) else { continue };
            let Some(frozen) = self.visible(atom) else { continue };
            let known = self.summary.atoms.iter().position(|&known| known == frozen);
            if known.is_some_and(|known| known < outcomes) {
                continue;
            }
            needed += 1;
            let atom = known.unwrap_or(self.summary.atoms.len());
            if known.is_none() {
                self.summary.atoms.push(frozen);
            }
            let ways = if value { (when, When::NEVER) } else { (When::NEVER, when) };
            self.summary.nodes.push((atom as u32, ways.0, ways.1));
            when = When(self.summary.nodes.len() as u32 * 2);
        }
        when
    }

    /// Flags that decide whether something is made, and are told as choices here, or were in a callee.
    pub(super) fn hidden(&mut self, guards: &[Guarded]) {
        if !self.is_blind && self.evaluator.blind_calls.is_empty() {
            return;
        }
        let owned = guards.iter().filter(|guarded| guarded.rank == Rank::Owned);
        let owned: Vec<Guard> = owned.map(|guarded| guarded.guard).collect();
        let mut symbols: Vec<Symbol> = Vec::new();
        for atom in self.evaluator.space.support(&owned) {
            match self.evaluator.space.predicate(atom) {
                Predicate::Choice => {
                    let call = self.evaluator.blind_calls.iter().find(|call| call.chooses(atom));
                    symbols.extend(call.into_iter().flat_map(|call| &call.hidden));
                }
                Predicate::Equal(..) if self.is_flag(atom) => {
                    let is_told = self.visible(atom).is_none_or(|frozen| self.summary.atoms.contains(&frozen));
                    if !is_told {
                        symbols.extend(self.evaluator.symbols_of(atom));
                    }
                }
                Predicate::Equal(..) | Predicate::Less(..) => {}
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        for symbol in symbols {
            let info = &self.evaluator.objects.symbols[symbol.0 as usize];
            let (term, origin) = (info.term, info.origin);
            let is_number = self.evaluator.space.kind(term) != self.evaluator.pointer_kind();
            // A pointer that everybody can ask for says as much as a flag.
            let is_public =
                matches!(origin, Origin::Contents(cell) if self.is_global(self.evaluator.objects.cells[cell].object));
            if (is_number || is_public) && self.summary.hidden.len() < MAX_HIDDEN {
                let hidden = self.term(term);
                self.summary.hidden.extend(hidden);
            }
        }
    }

    /// As the caller sees the conditions, as far as it does.
    fn by_conditions(&mut self, guards: &[Guarded], returns: Guard) -> Option<Vec<Option<When>>> {
        let all: Vec<Guard> = guards.iter().map(|guarded| guarded.guard).collect();
        if self.evaluator.space.support(&all).len() > MAX_ATOMS {
            return None;
        }
        let returns = self.consistent(guards, returns);
        let mut restricted: Vec<Guard> = Vec::with_capacity(guards.len());
        restricted.push(returns);
        // The coarser form of the result is of no use here.
        let coarse = 1..=self.coarse_result_guards;
        for (number, guarded) in guards.iter().enumerate().skip(1) {
            let guard = if coarse.contains(&number) { Guard::FALSE } else { guarded.guard };
            restricted.push(self.evaluator.space.restrict(guard, returns));
        }
        let mut visible: Vec<(Atom, FrozenAtom)> = Vec::new();
        let mut internal: Vec<Atom> = Vec::new();
        let support = self.evaluator.space.support(&restricted);
        if self.evaluator.space.is_exhausted() {
            return None;
        }
        for atom in support {
            match self.visible(atom) {
                Some(frozen) => visible.push((atom, frozen)),
                None => internal.push(atom),
            }
        }
        if let Some(told) = self.told(guards, &restricted, &visible, &internal, Choosing::Everywhere) {
            return Some(told);
        }
        // What hangs on numbers far away is a choice to most callers, unless it is a flag.
        let (far, near): (Vec<_>, Vec<_>) = visible.iter().copied().partition(|&(atom, _)| self.is_far(atom));
        if far.iter().all(|&(atom, _)| self.is_flag(atom))
            && let Some(told) = self.told(guards, &restricted, &visible, &internal, Choosing::Apart)
        {
            return Some(told);
        }
        if far.is_empty() {
            return None;
        }
        let mut hidden: Vec<Atom> = far.iter().map(|entry| entry.0).chain(internal.iter().copied()).collect();
        hidden.sort_unstable();
        self.is_blind = true;
        [Choosing::Everywhere, Choosing::Apart]
            .into_iter()
            .find_map(|choosing| self.told(guards, &restricted, &near, &hidden, choosing))
    }

    /// Which results and what is handed out go together, and what the arguments have to be for it; else whatever it
    /// hangs on: choices lead to one of the outcomes that can be.
    fn by_outcome(&mut self, guards: &[Guarded], returns: Guard) -> Option<Vec<Option<When>>> {
        let space = &mut self.evaluator.space;
        let mut outcomes = vec![(returns, Vec::new())];
        let mut told: Vec<Guard> = Vec::new();
        // The result, if need be by its sign alone, which objects are the caller's, where they are.
        let (results, others) = guards[1..].split_at(self.result_guards);
        let results = match self.coarse_result_guards {
            0 => results,
            coarse => &results[..coarse],
        };
        let (owned, others): (Vec<&Guarded>, Vec<&Guarded>) = others
            .iter()
            .filter(|guarded| guarded.rank != Rank::Other)
            .partition(|guarded| guarded.rank == Rank::Owned);
        let owned_guards: Vec<Guard> = owned.iter().map(|guarded| guarded.guard).collect();
        for guarded in results.iter().chain(owned).chain(others).filter(|guarded| !guarded.guard.is_constant()) {
            let guard = guarded.guard.min(guarded.guard.not());
            if told.contains(&guard) {
                continue;
            }
            if let Some(split) = split(space, &outcomes, guard) {
                outcomes = split;
                told.push(guard);
            }
        }
        outcomes.retain(|(region, _)| !matches!(space.feasible(*region, OUTCOME_BUDGET), Feasible::No));
        let regions: Vec<Guard> = outcomes.iter().map(|outcome| outcome.0).collect();
        let tests = space.support(&regions);
        let decisive = space.support(&owned_guards);
        let is_decisive = |atom: Atom| decisive.binary_search(&atom).is_ok();
        let mut tests: Vec<(Weight, Atom)> =
            tests.into_iter().filter_map(|atom| Some((self.weight(atom)?, atom))).collect();
        // What is in memory matters where it decides about objects.
        tests.retain(|&(weight, atom)| weight < Weight::Flag || is_decisive(atom));
        tests.sort_unstable();
        tests.truncate(MAX_OUTCOME_TESTS);
        let mut visible: Vec<(Atom, FrozenAtom)> = Vec::new();
        let mut pointers = 0;
        for (weight, atom) in tests {
            visible.extend(self.visible(atom).map(|frozen| (atom, frozen)));
            if weight == Weight::Pointer {
                pointers = visible.len();
            }
        }
        if self.evaluator.space.is_exhausted() {
            return None;
        }
        let first = |count: usize| {
            let mut tests = visible[..count].to_vec();
            tests.sort_unstable_by_key(|test| test.0);
            tests
        };
        for count in (pointers + 1..=visible.len()).rev() {
            if let Some(frozen) = self.freeze_outcomes(guards, &told, &outcomes, &first(count)) {
                return Some(frozen);
            }
        }
        let pointers = first(pointers);
        // What comes later may be too much.
        loop {
            if let Some(frozen) = self.freeze_outcomes(guards, &told, &outcomes, &pointers) {
                return Some(frozen);
            }
            told.pop()?;
            outcomes.iter_mut().for_each(|outcome| outcome.1.truncate(told.len()));
            outcomes.sort_by(|a, b| a.1.cmp(&b.1));
            let space = &mut self.evaluator.space;
            outcomes.dedup_by(|later, kept| {
                let is_same = later.1 == kept.1;
                if is_same {
                    kept.0 = space.or(kept.0, later.0);
                }
                is_same
            });
        }
    }

    /// The outcomes with what the visible atoms say of each.
    fn seen_through(
        &mut self,
        outcomes: &[(Guard, Vec<bool>)],
        visible: &[(Atom, FrozenAtom)],
    ) -> Vec<(Guard, Vec<bool>)> {
        let is_hidden = |atom: Atom| visible.binary_search_by_key(&atom, |entry| entry.0).is_err();
        let space = &mut self.evaluator.space;
        outcomes.iter().map(|(region, truths)| (space.exists(*region, &is_hidden), truths.clone())).collect()
    }

    fn freeze_outcomes(
        &mut self,
        guards: &[Guarded],
        told: &[Guard],
        outcomes: &[(Guard, Vec<bool>)],
        visible: &[(Atom, FrozenAtom)],
    ) -> Option<Vec<Option<When>>> {
        let parts = self.codes_of_outcomes(guards, outcomes);
        let seen = self.seen_through(outcomes, visible);
        let rebuilt = Rebuilt::of_outcomes(&self.evaluator.space, guards, told, &seen, visible, &parts)?;
        let untold = rebuilt.untold.clone();
        let frozen = rebuilt.freeze(&mut self.summary, visible, MAX_OUTCOME_NODES)?;
        Some(untold.into_iter().zip(frozen).map(|(untold, when)| (!untold).then_some(when)).collect())
    }

    /// By guard of the result, for its two forms: the outcomes that have just this code, and those of a sign that have
    /// several.
    fn codes_of_outcomes(&mut self, guards: &[Guarded], outcomes: &[(Guard, Vec<bool>)]) -> Vec<(usize, Vec<bool>)> {
        let mut parts: Vec<(usize, Vec<bool>)> = Vec::new();
        if self.coarse_result_guards == 0 {
            return parts;
        }
        let space = &mut self.evaluator.space;
        let mut has_code = vec![false; outcomes.len()];
        let implied = |space: &mut Space, guard: Guard| -> Vec<bool> {
            outcomes.iter().map(|outcome| space.implies(outcome.0, guard)).collect()
        };
        let results = guards.iter().enumerate().take(self.result_guards + 1);
        for (number, guarded) in results.clone().skip(self.coarse_result_guards + 1) {
            let truths = implied(space, guarded.guard);
            has_code.iter_mut().zip(&truths).for_each(|(has_code, truth)| *has_code |= truth);
            parts.push((number, truths));
        }
        for (number, guarded) in results.take(self.coarse_result_guards + 1).skip(1) {
            let mut truths = implied(space, guarded.guard);
            truths.iter_mut().zip(&has_code).for_each(|(truth, has_code)| *truth &= !has_code);
            parts.push((number, truths));
        }
        parts
    }

    /// What a comparison with a constant is worth.
    fn weight(&self, atom: Atom) -> Option<Weight> {
        let Predicate::Equal(a, b) = self.evaluator.space.predicate(atom) else { return None };
        let space = &self.evaluator.space;
        let constant = |term: Term| if let TermKind::Int(value) = space.term(term) { Some(value) } else { None };
        let (term, value) = constant(b).map(|value| (a, value)).or(constant(a).map(|value| (b, value)))?;
        if self.result_terms.contains(&term) {
            return Some(Weight::Pointer);
        }
        let masked = match space.term(term) {
            TermKind::Binary { op: Op::And, a, b } if constant(b).is_some() => a,
            TermKind::Binary { op: Op::And, a, b } if constant(a).is_some() => b,
            _ => term,
        };
        let symbol = self.evaluator.symbol_of(masked)?;
        let info = self.evaluator.objects.symbols.get(symbol.0 as usize)?;
        let is_pointer = value == 0 && space.kind(term) == self.evaluator.pointer_kind();
        match info.origin {
            Origin::Param(_) if is_pointer => Some(Weight::Pointer),
            Origin::Param(_) => Some(Weight::Number),
            Origin::Contents(cell) if info.depth == 1 && value == 0 => {
                Some(if self.evaluator.objects.cells[cell].is_pointer { Weight::Memory } else { Weight::Flag })
            }
            _ => None,
        }
    }

    /// Whether the atom asks an argument, or a number that it points to, for its sign.
    fn is_sign(&self, atom: Atom) -> bool {
        let space = &self.evaluator.space;
        let Predicate::Less(a, b) = space.predicate(atom) else { return false };
        let is_near_zero = |term: Term| matches!(space.term(term), TermKind::Int(-1..=1));
        let number = if is_near_zero(a) { b } else { a };
        let symbol = self.evaluator.symbol_of(number).filter(|_| is_near_zero(a) || is_near_zero(b));
        let info = symbol.and_then(|symbol| self.evaluator.objects.symbols.get(symbol.0 as usize));
        info.is_some_and(|info| match info.origin {
            Origin::Param(_) => true,
            Origin::Contents(_) => info.depth == 1,
            _ => false,
        })
    }

    /// The atom as the caller sees it, if it does.
    pub(super) fn visible(&mut self, atom: Atom) -> Option<FrozenAtom> {
        match self.evaluator.space.predicate(atom) {
            Predicate::Choice => None,
            Predicate::Equal(a, b) if let Some(asked) = self.asked(a, b) => Some(asked),
            Predicate::Equal(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Equal(a, b)),
            Predicate::Less(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Less(a, b)),
        }
    }

    /// Whether the atom asks how strings compare, for numbers in globals, or for what is more than two steps from the
    /// arguments.
    pub(super) fn is_far(&self, atom: Atom) -> bool {
        self.evaluator.symbols_of(atom).iter().any(|symbol| {
            let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
            let Origin::Contents(cell) = info.origin else {
                return self.evaluator.texts.compared(*symbol).is_some();
            };
            let cell = self.evaluator.objects.cells[cell];
            info.depth > 2 || (!cell.is_pointer && self.is_global(self.evaluator.objects.root(cell.object)))
        })
    }

    /// Whether the atom compares a number with a constant.
    fn is_flag(&self, atom: Atom) -> bool {
        let space = &self.evaluator.space;
        let (Predicate::Equal(a, b) | Predicate::Less(a, b)) = space.predicate(atom) else { return false };
        let is_constant = |term: Term| matches!(space.term(term), TermKind::Int(_));
        is_constant(a) || is_constant(b)
    }

    pub(super) fn told(
        &mut self,
        guards: &[Guarded],
        restricted: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
        choosing: Choosing,
    ) -> Option<Vec<Option<When>>> {
        // Each takes a node at least.
        if visible.len() > MAX_NODES {
            return None;
        }
        let rebuilt = Rebuilt::new(&self.evaluator.space, restricted, visible, internal, choosing)?;
        let untold = rebuilt.untold.clone();
        if guards.iter().zip(&untold).any(|(guarded, &untold)| untold && guarded.rank != Rank::Other) {
            return None;
        }
        let frozen = rebuilt.freeze(&mut self.summary, visible, MAX_NODES)?;
        self.summary.is_coarse |= untold.iter().any(|&untold| untold);
        Some(untold.into_iter().zip(frozen).map(|(untold, frozen)| (!untold).then_some(frozen)).collect())
    }
}
