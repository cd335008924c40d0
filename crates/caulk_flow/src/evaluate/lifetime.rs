//! The ends of things: releases, escapes, memory out of our hands.

use caulk_guard::{Guard, Object, Predicate, Symbol, Term, TermKind};
use caulk_ir::ir::{self, InstKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Evaluator, EventKind, State};
use crate::model::KindId;
use crate::object::{ObjectKind, Origin, Release};
use crate::value::{Val, ValData};

/// Objects that are looked at for what hangs on something handed over.
const MAX_VISITS: u32 = 512;

/// Objects that somebody can get at, and when, seen from where control is.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) guards: FxHashMap<Object, Guard>,
    order: Vec<Object>,
}

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
            if self.is_nothing_to_us(term) && !self.holds_ours(state, term) {
                continue;
            }
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

    /// Of several things that a pointer may be, some of which a library function gives back, it is one of these: `closedir`
    /// does not get what some other `opendir` of the program's own made.
    pub(super) fn must_be_of_kind(&mut self, state: &mut State, val: Val, kind: KindId, when: Guard) {
        let (mut is_met, mut other) = (false, Guard::FALSE);
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            let Some(heap) = self.points_to(term).and_then(|object| self.objects.heap_of(object)) else { continue };
            if self.objects.heap[heap].kind == kind {
                is_met = true;
            } else {
                other = self.space.or(other, guard);
            }
        }
        if is_met {
            let other = self.space.and(when, other);
            self.should_not(state, other);
        }
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
        let released =
            if self.is_nobodys(root) { Guard::TRUE } else { self.space.or(self.objects.infos[root].released, guard) };
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
            for &alias in &aliases[..] {
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
            let parts = parts.to_vec();
            for part in parts {
                self.escape_val(guard, part.val);
            }
            return;
        }
        for place in 0..self.values.alternatives(val).len() {
            let (inner, term) = self.values.alternatives(val)[place];
            if !self.is_nothing_to_us(term) {
                let guard = self.space.and(guard, inner);
                self.escape_term(guard, term);
            }
        }
    }

    /// Something that is not seen keeps all of these. Many cells hold the same, and the guard of a path is the large one.
    pub(super) fn escape_all(&mut self, guard: Guard, mut held: Vec<Val>) {
        held.sort_unstable();
        held.dedup();
        let mut ways: Vec<(Term, Guard)> = Vec::new();
        for val in held {
            match self.values.get(val) {
                ValData::Record(_) => self.escape_val(guard, val),
                _ => ways.extend(self.values.alternatives(val).iter().map(|&(inner, term)| (term, inner))),
            }
        }
        ways.sort_unstable();
        for same in ways.chunk_by(|a, b| a.0 == b.0) {
            let term = same[0].0;
            if self.is_nothing_to_us(term) {
                continue;
            }
            let inner = same.iter().fold(Guard::FALSE, |sum, way| self.space.or(sum, way.1));
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
                self.escape_object(guard, self.objects.root(object));
            }
        }
    }

    /// The resources that a number is made of. Who knows a place that one of them chose can find it again.
    ///
    /// ```c
    /// is_open[fd] = 1;                         // for (i = 0; i < MOST; i++) if (is_open[i]) close(i);
    /// ```
    pub fn resources_in(&self, number: Term) -> SmallVec<[Object; 1]> {
        let mut symbols = Vec::new();
        self.symbols_in(number, &mut symbols);
        symbols.iter().filter_map(|symbol| self.objects.symbols.get(symbol.0 as usize)?.handle).collect()
    }

    pub(super) fn escape_object(&mut self, guard: Guard, root: Object) {
        if self.is_nobodys(root) {
            self.escape_nobodys(guard, root);
            return;
        }
        let escaped = self.space.or(self.objects.infos[root].escaped, guard);
        if escaped == self.objects.infos[root].escaped {
            // So is what it may be.
            return;
        }
        self.objects.infos[root].escaped = escaped;
        if let ObjectKind::Pointee(symbol) = self.objects.get(root).kind {
            let aliases = self.objects.symbols[symbol.0 as usize].aliases.clone();
            for &alias in &aliases[..] {
                if self.points_to(alias).is_some_and(|object| self.objects.root(object) != root) {
                    self.escape_term(guard, alias);
                }
            }
        }
    }

    /// The value was handed to something unknown: all that can be reached from it may be kept and,
    /// if `writes`, changed.
    pub(super) fn hand_over(&mut self, state: &mut State, val: Val, when: Guard, writes: bool) {
        let mut reached = Reached::default();
        self.reach(state, &mut reached, when, val);
        self.escape_reached(state, &reached);
        if writes {
            for object in reached.order {
                if !matches!(self.objects.get(object).kind, ObjectKind::Code(_) | ObjectKind::Literal(_)) {
                    self.clobber(state, object, reached.guards[&object]);
                }
            }
        }
    }

    /// Follows a value that somebody has, and all that can be reached from it, besides what was reached before.
    pub(super) fn reach(&mut self, state: &State, reached: &mut Reached, when: Guard, val: Val) {
        let mut waiting: Vec<(Guard, Val)> = vec![(when, val)];
        let mut visits = 0;
        while let Some((guard, val)) = waiting.pop() {
            if let ValData::Record(parts) = self.values.get(val) {
                waiting.extend(parts.iter().map(|part| (guard, part.val)));
                continue;
            }
            for place in 0..self.values.alternatives(val).len() {
                let (inner, term) = self.values.alternatives(val)[place];
                if self.is_nothing_to_us(term) && self.known_inside(term).is_none() {
                    continue;
                }
                let guard = self.space.and(guard, inner);
                if guard.is_false() {
                    continue;
                }
                let Some((object, _)) = self.place(term) else {
                    let guard = self.space.and(state.guard, guard);
                    self.escape_term(guard, term);
                    continue;
                };
                let root = self.objects.root(object);
                let known = reached.guards.get(&root).copied().unwrap_or(Guard::FALSE);
                if !self.space.implies(guard, known) {
                    if reached.guards.insert(root, self.space.or(known, guard)).is_none() {
                        reached.order.push(root);
                    }
                    visits += 1;
                    if visits <= MAX_VISITS {
                        self.contents(state, root, |val| waiting.push((guard, val)));
                    }
                }
            }
        }
    }

    /// When something is kept that is nobody's matters little: at the first time, or whenever.
    fn escape_nobodys(&mut self, guard: Guard, root: Object) {
        let escaped = &mut self.objects.infos[root].escaped;
        *escaped = if escaped.is_false() || *escaped == guard { guard } else { Guard::TRUE };
    }

    /// Whether the object came from out of sight and is neither ours nor the caller's: when it is kept does not matter.
    pub(crate) fn is_nobodys(&self, root: Object) -> bool {
        matches!(self.objects.get(root).kind, ObjectKind::Pointee(symbol) if self.is_unknown_pointer(symbol))
    }

    /// Whether it does not matter what becomes of what a pointer leads to: it is nobody's, or somebody else's as soon as
    /// it is there.
    fn is_nothing_to_us(&self, term: Term) -> bool {
        match self.space.term(term) {
            TermKind::Int(_) => true,
            TermKind::Symbol(symbol) => self.is_unknown_pointer(symbol),
            TermKind::Address { object, .. } | TermKind::Inside { object } => {
                let root = self.objects.root(object);
                let info = self.objects.get(root);
                match info.kind {
                    ObjectKind::Heap(heap) => self.objects.heap[heap].allocated == info.escaped,
                    _ => self.is_nobodys(root),
                }
            }
            TermKind::Binary { .. } | TermKind::Extend { .. } => false,
        }
    }

    /// What a pointer leads to, if anything is known to be in it.
    fn known_inside(&self, term: Term) -> Option<Object> {
        let object = match self.space.term(term) {
            TermKind::Address { object, .. } | TermKind::Inside { object } => self.objects.root(object),
            TermKind::Symbol(symbol) => self.objects.known(&ObjectKind::Pointee(symbol))?,
            TermKind::Int(_) | TermKind::Binary { .. } | TermKind::Extend { .. } => return None,
        };
        let info = self.objects.get(object);
        (!info.cells.is_empty() || !info.elements.is_empty()).then_some(object)
    }

    /// Whether something that is ours lies in what the pointer leads to.
    fn holds_ours(&self, state: &State, term: Term) -> bool {
        let Some(object) = self.known_inside(term) else { return false };
        let mut is_ours = false;
        self.contents(state, object, |val| {
            is_ours |= self.values.alternatives(val).iter().any(|&(_, term)| !self.is_nothing_to_us(term));
        });
        is_ours
    }

    fn is_unknown_pointer(&self, symbol: Symbol) -> bool {
        // Arithmetic makes symbols by itself, of which nobody knows more.
        self.objects.symbols.get(symbol.0 as usize).is_none_or(|info| {
            matches!(info.origin, Origin::Opaque | Origin::Forgotten(..))
                && info.aliases.is_empty()
                && info.handle.is_none()
        })
    }

    /// All that was reached is kept.
    pub(super) fn escape_reached(&mut self, state: &State, reached: &Reached) {
        for &object in &reached.order {
            if self.is_nobodys(object) {
                self.escape_nobodys(state.guard, object);
                continue;
            }
            let guard = self.space.and(state.guard, reached.guards[&object]);
            self.escape_object(guard, object);
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
