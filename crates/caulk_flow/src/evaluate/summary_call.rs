//! A call of a function with a summary: its guard space is mapped into the caller's, then its
//! effects happen.

use caulk_base::Symbol as Name;
use caulk_guard::{Guard, Kind, Object, Op, Term, TermKind};
use smallvec::SmallVec;

use super::call::Call;
use super::given::Since;
use super::lifetime::Reached;
use super::merge::Ways;
use super::{BlindCall, Evaluator, EventKind, State};
use crate::object::{CellId, ObjectKind, Origin, Release};
use crate::summary::{FrozenAtom, FrozenCall, FrozenTerm, FrozenValue, Summary, TermNumber, When, Write};
use crate::value::{Part, Val, ValData};

/// The caller's side of a summary's space.
struct Mapping<'s> {
    summary: &'s Summary,
    terms: Vec<Option<Val>>,
    nodes: Vec<Guard>,
    objects: Vec<Object>,
    /// The objects that the call makes come after.
    first_heap: usize,
    unknowns: Vec<(u32, Val)>,
}

impl Evaluator<'_> {
    pub(super) fn apply_summary(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        summary: &Summary,
        name: Name,
    ) -> Option<Val> {
        let inst = self.body.insts[call.instruction];
        self.steps += (summary.nodes.len() / 4 + summary.terms.len() / 4 + summary.copies.len() * 4) as u64;
        if summary.takes_variable_arguments {
            self.takes_variable_arguments = true;
            for place in summary.parameters..call.args.len() {
                self.hand_over(state, call.args[place], Guard::TRUE, true);
            }
        }
        self.hand_over_encoded(state, call);
        let mut map = Mapping {
            summary,
            terms: vec![None; summary.terms.len()],
            nodes: Vec::with_capacity(summary.nodes.len()),
            objects: Vec::with_capacity(summary.objects.len()),
            first_heap: self.objects.heap.len(),
            unknowns: Vec::new(),
        };
        let since = self.since();
        let first_atom = self.space.atom_count();
        for object in &summary.objects {
            let mut inner = object.inner.clone();
            inner.push((self.cx.program.functions()[self.function].module, inst.loc));
            let made = self.new_heap(call.instruction, object.kind, object.is_zeroed, Guard::FALSE, name, inner);
            map.objects.push(made);
        }
        // Entry contents must be read before anything is written.
        let mut atoms: Vec<Guard> = Vec::with_capacity(summary.atoms.len());
        for atom in &summary.atoms {
            let guard = match *atom {
                FrozenAtom::Choice => self.space.choice(),
                FrozenAtom::Equal(a, b) => {
                    let is_null_test = is_null_test(summary, a, b) || is_null_test(summary, b, a);
                    let (a, b) = (self.mapped(state, call, &mut map, a), self.mapped(state, call, &mut map, b));
                    let known = self.space.atom_count();
                    let guard = self.relate(a, b, |this, a, b| this.equal(a, b));
                    if is_null_test
                        && let Some(atom) = self.space.only_atom(guard)
                        && atom.0 as usize >= known
                    {
                        self.unasked.push(atom);
                    }
                    guard
                }
                FrozenAtom::Less(a, b) => {
                    let (a, b) = (self.mapped(state, call, &mut map, a), self.mapped(state, call, &mut map, b));
                    let guard = self.relate(a, b, |this, a, b| this.less(a, b));
                    self.asked_signs.extend(self.space.support(&[guard]));
                    guard
                }
            };
            atoms.push(guard);
        }
        for &(atom, yes, no) in &summary.nodes {
            let (yes, no) = (map.guard(yes), map.guard(no));
            let guard = self.space.ite(atoms[atom as usize], yes, no);
            map.nodes.push(guard);
        }
        let returns = summary.returns.map_or(Guard::TRUE, |when| map.guard(when));
        self.must(state, returns, since);
        if state.guard.is_false() {
            return None;
        }
        for &pointer in &summary.follows {
            let val = self.mapped(state, call, &mut map, pointer);
            // In the guard of the path, what is in memory would cost more than it tells.
            if matches!(summary.terms[pointer as usize].0, FrozenTerm::Param(_)) {
                let is_null = self.is_null(val);
                self.must_not(state, is_null);
            }
            self.follow_all(state, val);
        }
        if state.guard.is_false() {
            return None;
        }
        for number in 0..summary.terms.len() {
            self.mapped(state, call, &mut map, number as TermNumber);
        }
        self.with_a_result(state, &map, since);
        if !summary.hidden.is_empty() {
            self.note_hidden(&map, first_atom);
        }
        for (number, object) in summary.objects.iter().enumerate() {
            let allocated = map.guard(object.allocated);
            let allocated = self.space.and(state.guard, allocated);
            let escaped = map.guard(object.escaped);
            let escaped = self.space.and(state.guard, escaped);
            let made = map.objects[number];
            if let Some(heap) = self.objects.heap_of(made) {
                self.objects.heap[heap].allocated = allocated;
                self.allocate_event(heap);
            }
            self.objects.infos[made].escaped = escaped;
        }
        let result = summary.result.as_ref().map(|value| self.frozen_value(&map, value));
        let writes: Vec<(Val, Val)> = summary
            .writes
            .iter()
            .map(|write| {
                let address = map.terms[write.address as usize].unwrap_or(Val::UNTOUCHED);
                (address, self.frozen_scalar(&map, &write.value))
            })
            .collect();
        for &pointer in &summary.clobbers {
            let val = map.terms[pointer as usize].unwrap_or(Val::UNTOUCHED);
            self.clobber_through(state, val);
        }
        for copy in &summary.copies {
            let when = map.guard(copy.when);
            if let (Some(from), Some(to)) = (map.terms[copy.from as usize], map.terms[copy.to as usize]) {
                self.copy(state, from, to, copy.bytes, when, copy.is_text);
            }
        }
        for release in &summary.releases {
            let when = map.guard(release.when);
            if let Some(val) = map.terms[release.pointer as usize] {
                let here = Release { kind: release.kind, loc: inst.loc };
                let argument = summary.argument(release.pointer);
                self.release(state, val, here, when, release.is_certain, argument);
            }
        }
        // Who does not, or cannot, ask whether it was taken relies on it.
        let is_put_back = self.plan.puts_back.contains(&call.instruction);
        let is_asked = summary.result.is_some() && self.plan.is_used[call.instruction.0 as usize] && !is_put_back;
        // What was there before the call is kept, too.
        let mut kept = Reached::default();
        for &(pointer, when) in &summary.keeps {
            if let Some(val) = map.terms[pointer as usize] {
                let when = if is_asked { map.guard(when) } else { Guard::TRUE };
                self.reach(state, &mut kept, when, val);
            }
        }
        self.rely_on_silence(state, &map);
        let mut written: SmallVec<[(CellId, Val); 8]> = SmallVec::new();
        for (write, (address, val)) in summary.writes.iter().zip(writes) {
            if address.is_real() {
                self.not_through_null(state, &map, write, address);
                if write.is_doubtful {
                    self.escape_val(state.guard, val);
                }
                if summary.result.is_none() || summary.is_coarse || is_put_back {
                    self.rely_on_store(state, &map, write, is_put_back);
                }
                let cells =
                    self.write_through(state, address, val, write.kind, write.is_pointer, inst.loc, call.instruction);
                if let &[cell] = &cells[..] {
                    self.note_unknown(state, val, cell);
                }
                // Two names of one place: nobody knows which was written last.
                for cell in cells {
                    self.objects.cells[cell].is_untold |= !write.is_told;
                    match written.iter().find(|&&(other, _)| other == cell) {
                        Some(&(_, before)) => self.escape_val(state.guard, before),
                        None => written.push((cell, val)),
                    }
                }
            }
        }
        // So is what was put there now.
        for (cell, _) in written {
            let holder = self.objects.root(self.objects.cells[cell].object);
            if let (Some(&guard), Some(&val)) = (kept.guards.get(&holder), state.cells.get(cell.0 as usize))
                && val.is_real()
            {
                self.reach(state, &mut kept, guard, val);
            }
        }
        self.escape_reached(state, &kept);
        for FrozenCall { callee, args, when } in &summary.calls {
            let args: SmallVec<[Val; 4]> = args.iter().map(|arg| self.frozen_value(&map, arg)).collect();
            let callee = map.terms[*callee as usize].unwrap_or(Val::UNTOUCHED);
            match when {
                Some(when) => self.call_back(state, call, callee, &args, map.guard(*when)),
                None => {
                    // It may happen, at any time: nothing is certain after it.
                    let was_in_doubt = std::mem::replace(&mut self.is_in_doubt, true);
                    let choice = self.space.choice();
                    self.call_back(state, call, callee, &args, choice);
                    self.is_in_doubt = was_in_doubt;
                }
            }
        }
        result
    }

    /// Who gets a number made of one that names a resource may take it apart again.
    fn hand_over_encoded(&mut self, state: &State, call: &Call<'_>) {
        for &arg in call.args {
            for place in 0..self.values.alternatives(arg).len() {
                let (guard, term) = self.values.alternatives(arg)[place];
                if !self.is_encoded(term) {
                    continue;
                }
                let mut symbols = Vec::new();
                self.symbols_in(term, &mut symbols);
                for symbol in symbols {
                    let Some(info) = self.objects.symbols.get(symbol.0 as usize) else { continue };
                    let object = match (info.handle, info.origin) {
                        (Some(object), _) => object,
                        (None, Origin::Param(_)) => self.pointee(symbol),
                        _ => continue,
                    };
                    let guard = self.space.and(state.guard, guard);
                    let escaped = self.space.or(self.objects.get(object).escaped, guard);
                    self.objects.infos[object].escaped = escaped;
                }
            }
        }
    }

    /// Whether the term makes room for something beside a number.
    fn is_encoded(&self, term: Term) -> bool {
        match self.space.term(term) {
            TermKind::Binary { op: Op::Shl | Op::Mul, .. } => true,
            TermKind::Binary { op: Op::Add | Op::Or, a, b } => self.is_encoded(a) || self.is_encoded(b),
            TermKind::Extend { a } => self.is_encoded(a),
            _ => false,
        }
    }

    /// Of what the call put into the cell nobody knows what it is.
    fn note_unknown(&mut self, state: &State, val: Val, cell: CellId) {
        for place in 0..self.values.alternatives(val).len() {
            let (_, term) = self.values.alternatives(val)[place];
            let info = self.symbol_of(term).and_then(|symbol| self.objects.symbols.get(symbol.0 as usize));
            if info.is_some_and(|info| matches!(info.origin, Origin::Opaque | Origin::Forgotten(..))) {
                self.note_later(term, cell, state.guard);
            }
        }
    }

    fn note_hidden(&mut self, map: &Mapping<'_>, first_atom: usize) {
        let (mut hidden, mut guards, mut has_constants) = (Vec::new(), Vec::new(), false);
        for &number in &map.summary.hidden {
            let Some(val) = map.terms[number as usize] else { continue };
            let is_argument = matches!(map.summary.terms[number as usize].0, FrozenTerm::Param(_));
            for &(guard, term) in self.values.alternatives(val) {
                guards.push(guard);
                self.symbols_in(term, &mut hidden);
                has_constants |= is_argument && matches!(self.space.term(term), TermKind::Int(_));
            }
        }
        let mut perhaps = Vec::new();
        if has_constants {
            for (number, object) in map.summary.objects.iter().enumerate() {
                if !self.is_told_by_result(map, object.allocated) {
                    perhaps.extend(self.objects.heap_of(map.objects[number]));
                }
            }
        }
        let deciding = self.space.support(&guards);
        let atoms = first_atom..self.space.atom_count();
        self.blind_calls.push(BlindCall {
            hidden,
            deciding,
            perhaps,
            atoms,
            heap: map.first_heap..self.objects.heap.len(),
        });
    }

    /// Whether each result means that something is so, or that it is not; of a code, some value must mean that it is not.
    fn is_told_by_result(&mut self, map: &Mapping<'_>, when: When) -> bool {
        let Some(FrozenValue::Scalar(ways)) = &map.summary.result else { return false };
        let when = map.guard(when);
        let is_code = ways.iter().all(|way| map.summary.terms[way.1 as usize].1 != self.pointer_kind());
        let mut meaning = |when: Guard| ways.iter().filter(|way| self.space.implies(map.guard(way.0), when)).count();
        let (without, with) = (meaning(when.not()), meaning(when));
        without + with == ways.len() || (is_code && without > 0)
    }

    /// A call that came back has some result: choices that stand for none, where coming back was told too widely, are
    /// out.
    fn with_a_result(&mut self, state: &mut State, map: &Mapping<'_>, since: Since) {
        let Some(FrozenValue::Scalar(ways)) = &map.summary.result else { return };
        let mut some = Guard::FALSE;
        for &(when, _) in ways {
            some = self.space.or(some, map.guard(when));
        }
        self.should(state, some, since);
        if map.summary.is_coarse {
            self.besides_other_outcomes(state, map, ways, since);
        }
    }

    /// A function that hands out null or a certain code in one case, and something of which too little is known in
    /// another, does not mean the same there:
    ///
    /// ```c
    /// if (insert(&tree, node) != NULL)        // what is there already, else null, and the node is kept
    ///     free(node);
    /// ```
    fn besides_other_outcomes(
        &mut self,
        state: &mut State,
        map: &Mapping<'_>,
        ways: &[(When, TermNumber)],
        since: Since,
    ) {
        let summary = map.summary;
        let is_certain = |way: &&(When, TermNumber)| matches!(summary.terms[way.1 as usize].0, FrozenTerm::Int(_));
        let certain = ways.iter().filter(is_certain).filter_map(|way| map.terms[way.1 as usize]);
        let certain: SmallVec<[Val; 4]> = certain.collect();
        for way in ways.iter().filter(|way| is_unknown(summary, way.1)) {
            let Some(val) = map.terms[way.1 as usize] else { continue };
            for &other in &certain {
                let is_same = self.relate(val, other, |this, a, b| this.equal(a, b));
                let is_same = self.space.and(map.guard(way.0), is_same);
                self.should(state, is_same.not(), since);
            }
        }
    }

    /// An argument that may be stored, or a pointer found through one, is stored; where it may be that there is nothing to
    /// store it in, always.
    fn rely_on_store(&mut self, state: &State, map: &Mapping<'_>, write: &Write, always: bool) {
        for &(when, term) in &write.value {
            let is_old = matches!(map.summary.terms[term as usize].0, FrozenTerm::Contents(of) if of == write.address);
            let is_argument = !is_old && map.summary.argument(term).is_some();
            if let (true, true, Some(val)) = (is_argument, always || when != When::ALWAYS, map.terms[term as usize]) {
                self.escape_val(state.guard, val);
            }
        }
    }

    /// Where a result is the same whether an argument was stored or not, nobody can ask: who passes it relies on it.
    ///
    /// ```c
    /// if (!list->first) list->first = item;
    /// else if (list->last) list->last->next = item;       // there is a last one if there is a first
    /// return 1;
    /// ```
    fn rely_on_silence(&mut self, state: &State, map: &Mapping<'_>) {
        let Some(FrozenValue::Scalar(ways)) = &map.summary.result else { return };
        let mut stored: SmallVec<[(TermNumber, Guard); 4]> = SmallVec::new();
        let values = map.summary.writes.iter().filter(|write| write.is_pointer).flat_map(|write| &write.value);
        let keeps = map.summary.keeps.iter().map(|&(pointer, when)| (when, pointer));
        for (when, term) in values.copied().chain(keeps) {
            if !matches!(map.summary.terms[term as usize].0, FrozenTerm::Param(_)) {
                continue;
            }
            let when = map.guard(when);
            match stored.iter_mut().find(|entry| entry.0 == term) {
                Some(entry) => entry.1 = self.space.or(entry.1, when),
                None => stored.push((term, when)),
            }
        }
        for (term, stored) in stored.into_iter().filter(|entry| !entry.1.is_constant()) {
            let Some(val) = map.terms[term as usize] else { continue };
            let asked = self.space.support(&[stored]);
            for &(when, result) in ways {
                // What a result that is not known says about it, it says by its value.
                let is_told = map.terms[result as usize].is_some_and(|result| {
                    let mut symbols = Vec::new();
                    self.values.terms(result).for_each(|term| self.symbols_in(term, &mut symbols));
                    asked.iter().any(|&atom| self.symbols_of(atom).iter().any(|symbol| symbols.contains(symbol)))
                });
                let here = self.space.and(state.guard, map.guard(when));
                if !is_told && !self.space.implies(here, stored) && !self.space.implies(here, stored.not()) {
                    self.escape_val(here, val);
                }
            }
        }
    }

    /// Control does not come back from a call that wrote through a null pointer.
    fn not_through_null(&mut self, state: &mut State, map: &Mapping<'_>, write: &Write, address: Val) {
        let null = self.is_null(address);
        if null.is_false() || !write.is_told {
            return;
        }
        let mut is_written = Guard::FALSE;
        for &(when, term) in &write.value {
            let is_old = matches!(map.summary.terms[term as usize].0, FrozenTerm::Contents(of) if of == write.address);
            if !is_old {
                is_written = self.space.or(is_written, map.guard(when));
            }
        }
        let bad = self.space.and(null, is_written);
        self.should_not(state, bad);
    }

    /// Calls a function pointer that was handed on.
    pub(super) fn call_back(&mut self, state: &mut State, call: &Call<'_>, callee: Val, args: &[Val], when: Guard) {
        if !callee.is_real() || when.is_false() {
            return;
        }
        let mut unknown = Guard::FALSE;
        for place in 0..self.values.alternatives(callee).len() {
            let (guard, term) = self.values.alternatives(callee)[place];
            let guard = self.space.and(guard, when);
            let target = match self.space.term(term) {
                TermKind::Int(_) => continue,
                TermKind::Address { object, .. } => match self.objects.get(object).kind {
                    ObjectKind::Code(target) => Some(target),
                    _ => None,
                },
                _ => None,
            };
            let Some(target) = target else {
                unknown = self.space.or(unknown, guard);
                continue;
            };
            let inner = Call { instruction: call.instruction, args, global: None };
            let mut own = state.clone();
            own.guard = self.space.and(state.guard, guard);
            if own.guard.is_false() {
                continue;
            }
            let rest = self.space.and(state.guard, guard.not());
            // Where the result goes only the one who calls knows.
            if let Some(result) = self.call_target(&mut own, &inner, target) {
                self.escape_val(own.guard, result);
            }
            let mut other = state.clone();
            other.guard = rest;
            let ways = [own, other].into_iter().filter(|state| !state.guard.is_false());
            let ways: Vec<super::Incoming> =
                ways.map(|state| super::Incoming { guard: state.guard, state, phis: SmallVec::new() }).collect();
            if ways.is_empty() {
                state.guard = Guard::FALSE;
                return;
            }
            *state = self.join_states(ways);
        }
        if !unknown.is_false() {
            let is_param = self
                .values
                .only(callee)
                .and_then(|term| self.symbol_of(term))
                .is_some_and(|symbol| matches!(self.objects.symbols[symbol.0 as usize].origin, Origin::Param(_)));
            if is_param {
                self.leave_to_caller(state, callee, args, unknown);
            } else {
                for &arg in args {
                    self.hand_over(state, arg, unknown, true);
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a store and where it stands")]
    fn write_through(
        &mut self,
        state: &mut State,
        address: Val,
        val: Val,
        kind: Kind,
        is_pointer: bool,
        loc: caulk_base::Loc,
        instruction: caulk_ir::ir::Value,
    ) -> SmallVec<[CellId; 1]> {
        let guard = state.guard;
        let cells = self.store(state, address, val, kind, is_pointer.then_some(self.plan.pointer));
        // The callee has tested the pointer it wrote through, as far as it matters.
        state.guard = guard;
        self.event(state.guard, loc, EventKind::Store { cells: cells.clone(), val, instruction });
        cells
    }

    fn clobber_through(&mut self, state: &mut State, val: Val) {
        if !val.is_real() {
            return;
        }
        for place in 0..self.values.alternatives(val).len() {
            let (_, term) = self.values.alternatives(val)[place];
            if let Some((object, _)) = self.place(term) {
                self.escape_contents(state, object, Guard::TRUE);
                self.clobber(state, object, Guard::TRUE);
            }
        }
    }

    fn frozen_value(&mut self, map: &Mapping<'_>, value: &FrozenValue) -> Val {
        match value {
            FrozenValue::Scalar(ways) => self.frozen_scalar(map, ways),
            FrozenValue::Record(parts) => {
                let parts = parts.iter().map(|(offset, kind, value)| {
                    let val = self.frozen_value(map, value);
                    Part { offset: *offset, kind: *kind, val }
                });
                let parts: Vec<Part> = parts.collect();
                self.values.record(&parts)
            }
        }
    }

    fn frozen_scalar(&mut self, map: &Mapping<'_>, ways: &[(When, TermNumber)]) -> Val {
        let mut all = Ways::new();
        for &(when, term) in ways {
            let guard = map.guard(when);
            let Some(val) = map.terms[term as usize] else { continue };
            for place in 0..self.values.alternatives(val).len() {
                let (inner, term) = self.values.alternatives(val)[place];
                all.push((self.space.and(guard, inner), term));
            }
        }
        self.scalar(all)
    }

    /// A term of the summary as a value of the caller.
    fn mapped(&mut self, state: &mut State, call: &Call<'_>, map: &mut Mapping<'_>, number: TermNumber) -> Val {
        if let Some(val) = map.terms[number as usize] {
            return val;
        }
        let (term, kind) = map.summary.terms[number as usize].clone();
        let val = match term {
            FrozenTerm::Int(value) => self.int_val(i128::from(value), kind),
            FrozenTerm::Param(param) => match call.args.get(param as usize) {
                Some(&val) if !self.values.alternatives(val).is_empty() => self.converted(val, kind),
                _ => self.keyless(kind),
            },
            FrozenTerm::ParamPart(param, offset) => match call.args.get(param as usize) {
                Some(&val) => self.part(val, offset, kind),
                None => self.keyless(kind),
            },
            FrozenTerm::Contents(address) => {
                let address = self.mapped(state, call, map, address);
                let guard = state.guard;
                let val = self.load(state, address, kind, None);
                state.guard = guard;
                val
            }
            FrozenTerm::Unknown(group) | FrozenTerm::Forgotten(group) => {
                match map.unknowns.iter().find(|&&(known, _)| known == group) {
                    Some(&(_, val)) => val,
                    None => {
                        let val = if matches!(term, FrozenTerm::Unknown(_)) {
                            self.keyless(kind)
                        } else {
                            let term = self.forgotten_symbol(kind, map.first_heap);
                            self.values.single(term)
                        };
                        map.unknowns.push((group, val));
                        val
                    }
                }
            }
            FrozenTerm::Handle(object) => {
                let object = map.objects[object as usize];
                let term = self.handle(state, object, kind, Guard::TRUE);
                self.values.single(term)
            }
            FrozenTerm::Variable(variable, offset) => self.variable_address(variable, offset),
            FrozenTerm::Code(target) => self.code(target),
            FrozenTerm::Literal => {
                let object = self.objects.intern(ObjectKind::Literal(u32::MAX));
                let term = self.space.address(object, 0, kind);
                self.values.single(term)
            }
            FrozenTerm::Fresh(object, offset) => {
                let term = self.space.address(map.objects[object as usize], offset, kind);
                self.values.single(term)
            }
            FrozenTerm::Inside(base) => {
                let base = self.mapped(state, call, map, base);
                self.map(base, |this, term| this.inside(term, kind))
            }
            FrozenTerm::Element { base, stride, index } => {
                let (base, index) = (self.mapped(state, call, map, base), self.mapped(state, call, map, index));
                self.map2(base, index, |this, base, index| this.element(base, index, stride))
            }
            // Not zero, and nothing else is known.
            FrozenTerm::Binary(Op::Or, a, b)
                if !kind.signed
                    && matches!(map.summary.terms[a as usize].0, FrozenTerm::Unknown(_) | FrozenTerm::Forgotten(_))
                    && matches!(map.summary.terms[b as usize].0, FrozenTerm::Int(1)) =>
            {
                let since = self.since();
                let any = self.mapped(state, call, map, a);
                let is_some = self.truth(any);
                self.must(state, is_some, since);
                any
            }
            FrozenTerm::Binary(op, a, b) => {
                let (a, b) = (self.mapped(state, call, map, a), self.mapped(state, call, map, b));
                self.map2(a, b, |this, a, b| {
                    let term = this.space.binary(op, a, b, kind);
                    this.bounded(term)
                })
            }
            FrozenTerm::Extend(a) => {
                let a = self.mapped(state, call, map, a);
                self.map(a, |this, term| this.space.extend(term, kind))
            }
            FrozenTerm::Order(a, b, view) => {
                let strings = [self.mapped(state, call, map, a), self.mapped(state, call, map, b)];
                self.order(state, strings, view, kind)
            }
            FrozenTerm::Text(string, view, ref literal) => {
                let string = self.mapped(state, call, map, string);
                self.text_asked(state, string, view, literal, kind)
            }
        };
        map.terms[number as usize] = Some(val);
        val
    }

    fn keyless(&mut self, kind: Kind) -> Val {
        let term = self.opaque_symbol(kind);
        self.values.single(term)
    }

    /// Callers may be sloppy about widths, in old C.
    fn converted(&mut self, val: Val, kind: Kind) -> Val {
        if let ValData::Scalar(ways) = self.values.get(val)
            && ways.iter().any(|&(_, term)| self.space.kind(term) != kind)
        {
            return self.map(val, |this, term| this.space.extend(term, kind));
        }
        val
    }

    /// Somewhere in what the pointer leads to.
    pub(super) fn inside(&mut self, term: Term, kind: Kind) -> Term {
        if matches!(self.space.term(term), TermKind::Int(_)) {
            return term;
        }
        match self.place(term) {
            Some((object, _)) => self.space.inside(object, kind),
            None => self.opaque_symbol(kind),
        }
    }
}

/// Whether it is asked for an argument being null.
fn is_null_test(summary: &Summary, pointer: TermNumber, null: TermNumber) -> bool {
    matches!(summary.terms[pointer as usize].0, FrozenTerm::Param(_))
        && matches!(summary.terms[null as usize].0, FrozenTerm::Int(0))
}

/// Whether nothing is known of a number or pointer, except perhaps its sign.
fn is_unknown(summary: &Summary, term: TermNumber) -> bool {
    match summary.terms[term as usize].0 {
        FrozenTerm::Unknown(_) | FrozenTerm::Forgotten(_) => true,
        FrozenTerm::Binary(Op::And | Op::Or, a, b) => {
            is_unknown(summary, a) && matches!(summary.terms[b as usize].0, FrozenTerm::Int(_))
        }
        _ => false,
    }
}

impl Mapping<'_> {
    fn guard(&self, when: When) -> Guard {
        match when {
            When::NEVER => Guard::FALSE,
            When::ALWAYS => Guard::TRUE,
            When(number) => {
                let guard = self.nodes[(number >> 1) as usize - 1];
                if number & 1 == 1 { guard.not() } else { guard }
            }
        }
    }
}
