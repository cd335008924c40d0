//! The guards of all effects, told within the caps; past them, widened towards silence.

use super::rebuilt::Rebuilt;
use super::*;

impl Freezer<'_, '_> {
    /// A release that depends on fields of the object or of its holder (a count, a capacity, a flag) is the
    /// release of the caller's share; one that depends on a global flag (no need to free on the way out) is what
    /// the caller means by the call.
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
        let mut symbols = Vec::new();
        self.symbols_in(a, &mut symbols);
        self.symbols_in(b, &mut symbols);
        !symbols.is_empty()
            && symbols.iter().all(|&symbol| {
                if symbol == released {
                    return false;
                }
                let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
                let Origin::Contents(cell) = info.origin else { return false };
                let cell = self.evaluator.objects.cells[cell];
                let object = self.evaluator.objects.root(cell.object);
                object == pointee || (!cell.is_pointer && (Some(object) == holder || self.is_global(object)))
            })
    }

    /// Whether whoever keeps the symbol keeps what it was read from, and so all that is in it.
    pub(super) fn is_kept_with_holder(&mut self, symbol: Symbol, kept: Guard) -> bool {
        let Origin::Contents(cell) = self.evaluator.objects.symbols[symbol.0 as usize].origin else { return false };
        let holder = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
        let escaped = self.evaluator.objects.get(holder).escaped;
        self.evaluator.space.implies(kept, escaped)
    }

    pub(super) fn is_global(&self, object: Object) -> bool {
        matches!(self.evaluator.objects.get(object).kind, ObjectKind::Variable(_))
    }

    pub(super) fn symbols_in(&self, term: Term, found: &mut Vec<Symbol>) {
        match self.evaluator.space.term(term) {
            TermKind::Symbol(symbol) => found.push(symbol),
            TermKind::Binary { a, b, .. } => {
                self.symbols_in(a, found);
                self.symbols_in(b, found);
            }
            TermKind::Extend { a } => self.symbols_in(a, found),
            TermKind::Int(_) | TermKind::Address { .. } | TermKind::Inside { .. } => {}
        }
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
        let returns = self.consistent(guards, returns);
        let mut restricted: Vec<Guard> = Vec::with_capacity(guards.len());
        restricted.push(returns);
        for guarded in &guards[1..] {
            restricted.push(self.evaluator.space.restrict(guarded.guard, returns));
        }
        // Outside of the paths that return nothing is made and everything is released.
        let implied: Vec<Guard> = guards
            .iter()
            .map(|guarded| match guarded.role {
                Role::Some => self.evaluator.space.or(guarded.guard, returns.not()),
                Role::Exact | Role::All => self.evaluator.space.and(guarded.guard, returns),
            })
            .collect();
        let mut visible: Vec<(Atom, FrozenAtom)> = Vec::new();
        let mut internal: Vec<Atom> = Vec::new();
        let support = self.evaluator.space.support(&[&restricted[..], &implied[..]].concat());
        if self.evaluator.space.is_exhausted() {
            return self.untold(guards);
        }
        for atom in support {
            match self.visible(atom) {
                Some(frozen) => visible.push((atom, frozen)),
                None => internal.push(atom),
            }
        }
        if let Some(told) = self.told(guards, &restricted, &visible, &internal) {
            return told;
        }
        // What hangs on numbers far away is a choice to most callers.
        let (far, near): (Vec<_>, Vec<_>) = visible.iter().copied().partition(|&(atom, _)| self.is_far(atom));
        if !far.is_empty() {
            let mut hidden: Vec<Atom> = far.iter().map(|entry| entry.0).chain(internal.iter().copied()).collect();
            hidden.sort_unstable();
            if let Some(told) = self.told(guards, &restricted, &near, &hidden) {
                self.is_blind = true;
                return told;
            }
        }
        // The conditions of coming back may be what is too much: then they are only what the caller sees of them,
        // and elsewhere nothing is made and everything is released.
        if let Some(told) = self.told_implied(guards, &implied, &visible, &internal) {
            return told;
        }
        // Less: the result and what is handed out; then that without regard to the arguments.
        self.summary.is_coarse = true;
        let key: Vec<Guard> = guards
            .iter()
            .zip(&implied)
            .map(|(guarded, &guard)| if guarded.is_key { guard } else { Guard::FALSE })
            .collect();
        if let Some(told) = self.told_implied(guards, &key, &visible, &internal) {
            return without(guards, told);
        }
        let mut all: Vec<Atom> = visible.iter().map(|entry| entry.0).chain(internal.iter().copied()).collect();
        all.sort_unstable();
        if let Some(told) = self.told_implied(guards, &key, &[], &all) {
            self.is_blind = true;
            return without(guards, told);
        }
        match self.widened(guards, &restricted, &visible) {
            Some(told) => told,
            None => self.untold(guards),
        }
    }

    /// The atom as the caller sees it, if it does.
    pub(super) fn visible(&mut self, atom: Atom) -> Option<FrozenAtom> {
        match self.evaluator.space.predicate(atom) {
            Predicate::Choice => None,
            Predicate::Equal(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Equal(a, b)),
            Predicate::Less(a, b) => self.term(a).zip(self.term(b)).map(|(a, b)| FrozenAtom::Less(a, b)),
        }
    }

    /// Nothing is told of any guard.
    fn untold(&mut self, guards: &[Guarded]) -> Vec<Option<When>> {
        self.summary.is_coarse = true;
        let mut told = vec![None; guards.len()];
        told[0] = Some(When::ALWAYS);
        told
    }

    /// Whether the atom asks for numbers in globals, or for what is more than two steps from the arguments.
    pub(super) fn is_far(&self, atom: Atom) -> bool {
        let (Predicate::Equal(a, b) | Predicate::Less(a, b)) = self.evaluator.space.predicate(atom) else {
            return false;
        };
        let mut symbols = Vec::new();
        self.symbols_in(a, &mut symbols);
        self.symbols_in(b, &mut symbols);
        symbols.iter().any(|symbol| {
            let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
            let Origin::Contents(cell) = info.origin else { return false };
            let cell = self.evaluator.objects.cells[cell];
            info.depth > 2 || (!cell.is_pointer && self.is_global(self.evaluator.objects.root(cell.object)))
        })
    }

    pub(super) fn told_implied(
        &mut self,
        guards: &[Guarded],
        implied: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
    ) -> Option<Vec<Option<When>>> {
        let is_visible = |atom: Atom| visible.binary_search_by_key(&atom, |entry| entry.0).is_ok();
        let possible = self.evaluator.space.exists(implied[0], &is_visible);
        let mut list = implied.to_vec();
        list[0] = self.evaluator.space.exists(implied[0], &|atom| !is_visible(atom));
        list.push(possible);
        if self.evaluator.space.is_exhausted() {
            return None;
        }
        let mut told = self.told(guards, &list, visible, internal)?;
        told.truncate(guards.len());
        Some(told)
    }

    pub(super) fn told(
        &mut self,
        guards: &[Guarded],
        restricted: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
    ) -> Option<Vec<Option<When>>> {
        let rebuilt =
            Rebuilt::new(&self.evaluator.space, restricted, visible, internal, restricted.len() > guards.len())?;
        let untold = rebuilt.untold.clone();
        if guards.iter().zip(&untold).any(|(guarded, &untold)| untold && guarded.is_key) {
            return None;
        }
        let frozen = rebuilt.freeze(&mut self.summary, visible)?;
        self.summary.is_coarse |= untold.iter().any(|&untold| untold);
        Some(
            untold
                .into_iter()
                .zip(frozen)
                .map(|(untold, frozen)| (!untold).then_some(frozen))
                .take(guards.len())
                .collect(),
        )
    }

    /// Past the caps: without internal atoms at all, towards silence.
    pub(super) fn widened(
        &mut self,
        guards: &[Guarded],
        restricted: &[Guard],
        visible: &[(Atom, FrozenAtom)],
    ) -> Option<Vec<Option<When>>> {
        let space = &mut self.evaluator.space;
        let is_visible = |atom: Atom| visible.binary_search_by_key(&atom, |entry| entry.0).is_ok();
        let mut told: Vec<Option<Guard>> = Vec::with_capacity(restricted.len());
        for (number, &guard) in restricted.iter().enumerate() {
            let hides = space.support(&[guard]).into_iter().any(|atom| !is_visible(atom));
            told.push(match guards[number].role {
                _ if !hides => Some(guard),
                // Coming back is possible as soon as it may be.
                _ if number == 0 => Some(space.exists(guard, &|atom| !is_visible(atom))),
                Role::Exact => None,
                Role::Some => {
                    self.widened.push(number);
                    Some(space.exists(guard, &|atom| !is_visible(atom)))
                }
                Role::All => Some(space.forall(guard, &|atom| !is_visible(atom))),
            });
        }
        let list: Vec<Guard> = told.iter().map(|guard| guard.unwrap_or(Guard::FALSE)).collect();
        if space.is_exhausted() {
            return None;
        }
        let frozen = Rebuilt::new(space, &list, visible, &[], false)?.freeze(&mut self.summary, visible)?;
        Some(told.iter().zip(frozen).map(|(told, frozen)| told.map(|_| frozen)).collect())
    }
}

/// Only the key guards were told.
pub(super) fn without(guards: &[Guarded], told: Vec<Option<When>>) -> Vec<Option<When>> {
    guards.iter().zip(told).map(|(guarded, told)| told.filter(|_| guarded.is_key)).collect()
}
