//! What a caller gets to see of the values: the result, its memory, what is handed to it.

use super::*;

/// Of a number that is not zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Negative,
    Positive,
    NotZero,
}

impl Freezer<'_, '_> {
    /// A loop makes one object a visit, a chain of tests one a branch; if all that differs is which of them a value
    /// holds, the caller gets one object, whichever it is.
    pub(super) fn merge_objects(&mut self, state: &State, result: Option<Val>) {
        let mut values: Vec<Val> = state.cells.iter().copied().filter(|val| val.is_real()).collect();
        values.extend(result);
        let mut mentions: FxHashMap<HeapId, u32> = FxHashMap::default();
        for &val in &values {
            for &(_, term) in self.evaluator.values.alternatives(val) {
                if let Some(heap) =
                    self.evaluator.points_to(term).and_then(|object| self.evaluator.objects.heap_of(object))
                {
                    *mentions.entry(heap).or_default() += 1;
                }
            }
        }
        for val in values {
            let alternatives = self.evaluator.values.alternatives(val).to_vec();
            let mut first: Vec<HeapId> = Vec::new();
            for (_, term) in alternatives {
                let TermKind::Address { object, offset: 0 } = self.evaluator.space.term(term) else { continue };
                let ObjectKind::Heap(heap) = self.evaluator.objects.get(object).kind else { continue };
                if mentions[&heap] != 1 || self.has_contents(state, object) {
                    continue;
                }
                let info = &self.evaluator.objects.heap[heap];
                let same = first.iter().copied().find(|&other| {
                    let other = &self.evaluator.objects.heap[other];
                    (other.kind, other.is_zeroed) == (info.kind, info.is_zeroed)
                });
                match same {
                    Some(other) => {
                        self.merged.insert(heap, other);
                    }
                    None => first.push(heap),
                }
            }
        }
    }

    /// Whether what a cell of the caller's held at entry can be gone, though nothing released or kept it; that it was
    /// null then may be a condition that is not told.
    pub(super) fn loses(&mut self, cell: CellId, now: Val, returns: Guard) -> bool {
        let old = self.evaluator.objects.initial[cell].and_then(|old| self.evaluator.values.only(old));
        let Some((term, symbol)) = old.and_then(|term| Some((term, self.evaluator.symbol_of(term)?))) else {
            return true;
        };
        let Evaluator { space, values, objects, .. } = &mut *self.evaluator;
        let mut lost = returns;
        for &(guard, other) in values.alternatives(now) {
            if other == term {
                lost = space.and(lost, guard.not());
            }
        }
        if let Some(object) = objects.known(&ObjectKind::Pointee(symbol)) {
            let info = objects.get(object);
            let gone = space.or(info.released, info.escaped);
            lost = space.and(lost, gone.not());
        }
        !lost.is_false()
    }

    pub(super) fn has_contents(&self, state: &State, object: Object) -> bool {
        let mut found = false;
        self.evaluator.contents(state, object, |val| found |= self.evaluator.holds_pointer(val));
        found
    }

    /// A number is told if it is one of a few constants or sums, or a single thing; else it is any.
    pub(super) fn draft_number(&mut self, val: Val, guards: &mut Vec<Guarded>) -> Draft {
        let ways = self.evaluator.values.alternatives(val);
        let space = &self.evaluator.space;
        let is_plain = |term: Term| match space.term(term) {
            TermKind::Int(_) | TermKind::Symbol(_) => true,
            // Counted on.
            TermKind::Binary { op: Op::Add, a, b } => {
                let is_leaf = |term| matches!(space.term(term), TermKind::Int(_) | TermKind::Symbol(_));
                is_leaf(a) && is_leaf(b)
            }
            _ => false,
        };
        let is_simple = ways.len() == 1 || (ways.len() <= MAX_CONSTANTS && ways.iter().all(|way| is_plain(way.1)));
        if ways.len() == 1 || ways.is_empty() {
            return self.draft(val, guards);
        }
        if is_simple {
            // One of several unknown numbers is any, but for its sign.
            let ways = ways.to_vec();
            let mut signs: Vec<Option<Sign>> = Vec::new();
            for &(guard, term) in &ways {
                signs.push(self.plain_sign(guard, term));
            }
            let is_exporting = std::mem::replace(&mut self.is_exporting, false);
            let draft = self.by_sign(&ways, &signs, guards);
            self.is_exporting = is_exporting;
            return draft;
        }
        let kind = self.evaluator.space.kind(ways[0].1);
        if let Some(base) = self.grown(val) {
            let longer = self.evaluator.longer(base, kind);
            let longer = self.evaluator.values.single(longer);
            return self.draft(longer, guards);
        }
        self.keep_what_it_names(val);
        self.draft_any(kind, guards)
    }

    /// What is made of a number that names a resource goes on naming it.
    pub(super) fn keep_what_it_names(&mut self, val: Val) {
        for (guard, term) in self.evaluator.values.alternatives(val).to_vec() {
            self.evaluator.escape_term(guard, term);
            let mut symbols = Vec::new();
            self.evaluator.symbols_in(term, &mut symbols);
            for symbol in symbols {
                let info = &self.evaluator.objects.symbols[symbol.0 as usize];
                if matches!(info.origin, Origin::Param(_))
                    && let Some(number) = self.term(info.term)
                {
                    self.summary.keeps.push((number, When::ALWAYS));
                }
            }
        }
    }

    /// What a number was at entry, if all that happens is that lengths are added to it: of `len += strlen(s)` it is told
    /// that it does not get less.
    fn grown(&self, val: Val) -> Option<Term> {
        let evaluator = &*self.evaluator;
        let is_entry = |term: Term| {
            let info = evaluator.symbol_of(term).and_then(|symbol| evaluator.objects.symbols.get(symbol.0 as usize));
            info.is_some_and(|info| matches!(info.origin, Origin::Contents(_)))
        };
        let base = |term: Term| match evaluator.space.term(term) {
            TermKind::Symbol(_) => is_entry(term).then_some(term),
            TermKind::Binary { op: Op::Add, a, b } if is_entry(a) && evaluator.is_length(b) => Some(a),
            TermKind::Binary { op: Op::Add, a, b } if is_entry(b) && evaluator.is_length(a) => Some(b),
            _ => None,
        };
        let mut bases = evaluator.values.terms(val).map(base);
        let first = bases.next()??;
        bases.all(|base| base == Some(first)).then_some(first)
    }

    /// Any value, always.
    pub(super) fn draft_any(&mut self, kind: Kind, guards: &mut Vec<Guarded>) -> Draft {
        let unknown = self.unknown(kind);
        guards.push(Guarded { guard: Guard::TRUE, rank: Rank::Other });
        Draft::Scalar(vec![(guards.len() - 1, unknown)])
    }

    /// Many error codes say one thing: that it failed. So do those from elsewhere: of them only the sign is told.
    pub(super) fn draft_result(&mut self, val: Val, returns: Guard, guards: &mut Vec<Guarded>) -> Draft {
        let ways = self.evaluator.values.alternatives(val).to_vec();
        if self.evaluator.holds_pointer(val) || ways.is_empty() {
            return self.draft(val, guards);
        }
        let number = |this: &Self, term: Term| match this.evaluator.space.term(term) {
            TermKind::Int(number) => Some(number),
            _ => None,
        };
        let signs = self.signs(&ways, returns);
        let codes = ways.iter().filter(|way| number(self, way.1).is_some_and(|code| code != 0)).count();
        let before = guards.len();
        let coarse = (ways.len() > 2).then(|| {
            let (ways, signs) = self.zero_apart(&ways, &signs, returns);
            self.by_sign(&ways, &signs, guards)
        });
        self.coarse_result_guards = guards.len() - before;
        let signs: Vec<Option<Sign>> = ways
            .iter()
            .zip(signs)
            .map(|(way, sign)| sign.filter(|_| codes > MAX_CODES || number(self, way.1).is_none()))
            .collect();
        let exact = self.by_sign(&ways, &signs, guards);
        match coarse {
            Some(coarse) => Draft::Parts(Box::new(exact), Box::new(coarse)),
            None => exact,
        }
    }

    /// A number that is zero or has a sign: of several codes only that is told.
    pub(super) fn draft_code(&mut self, val: Val, when: Guard, guards: &mut Vec<Guarded>) -> Option<Draft> {
        let mut ways = self.evaluator.values.alternatives(val).to_vec();
        ways.retain(|way| !self.evaluator.space.and(way.0, when).is_false());
        if let [way] = &mut ways[..] {
            way.0 = Guard::TRUE;
        }
        let signs = self.signs(&ways, when);
        let is_zero = |this: &Self, term: Term| matches!(this.evaluator.space.term(term), TermKind::Int(0));
        let is_code = signs.iter().zip(&ways).all(|(sign, way)| sign.is_some() || is_zero(self, way.1));
        (is_code && !ways.is_empty()).then(|| self.by_sign(&ways, &signs, guards))
    }

    /// What came from elsewhere and may be zero is zero, or something else.
    fn zero_apart(
        &mut self,
        ways: &[(Guard, Term)],
        signs: &[Option<Sign>],
        returns: Guard,
    ) -> (Vec<(Guard, Term)>, Vec<Option<Sign>>) {
        let mut apart: (Vec<(Guard, Term)>, Vec<Option<Sign>>) = (Vec::new(), Vec::new());
        for (&(guard, term), &sign) in ways.iter().zip(signs) {
            let space = &mut self.evaluator.space;
            let zero = space.int(0, space.kind(term));
            let is_zero = space.equal(term, zero);
            let (other, returned) = (space.and(guard, is_zero.not()), space.and(guard, returns));
            let returned_other = space.and(returned, is_zero.not());
            let other_sign = if sign.is_none() && term != zero { self.sign(returned_other, term) } else { None };
            if other_sign.is_some() {
                apart.0.push((self.evaluator.space.and(guard, is_zero), zero));
                apart.1.push(None);
                apart.0.push((other, term));
                apart.1.push(other_sign);
            } else {
                apart.0.push((guard, term));
                apart.1.push(sign);
            }
        }
        apart
    }

    /// The signs of what is not zero, as far as they are known.
    fn signs(&mut self, ways: &[(Guard, Term)], returns: Guard) -> Vec<Option<Sign>> {
        let sign = |&(guard, term): &(Guard, Term)| match self.evaluator.space.term(term) {
            TermKind::Int(0) => None,
            TermKind::Int(code) => Some(if code < 0 { Sign::Negative } else { Sign::Positive }),
            _ => {
                let guard = self.evaluator.space.and(guard, returns);
                self.sign(guard, term)
            }
        };
        ways.iter().map(sign).collect()
    }

    /// What has a sign is told by it alone.
    fn by_sign(&mut self, ways: &[(Guard, Term)], signs: &[Option<Sign>], guards: &mut Vec<Guarded>) -> Draft {
        let mut rest: Vec<(Guard, Term)> = Vec::new();
        let mut failures: Vec<(Sign, Guard)> = Vec::new();
        for (&(guard, term), &sign) in ways.iter().zip(signs) {
            let Some(sign) = sign else {
                rest.push((guard, term));
                continue;
            };
            match failures.iter_mut().find(|failure| failure.0 == sign) {
                Some((_, sum)) => *sum = self.evaluator.space.or(*sum, guard),
                None => failures.push((sign, guard)),
            }
        }
        let kind = self.evaluator.space.kind(ways[0].1);
        let Draft::Scalar(mut told) = self.draft_ways(&rest, guards) else { return Draft::Scalar(Vec::new()) };
        for (sign, guard) in failures {
            let code = self.any_of(sign, kind);
            guards.push(Guarded { guard, rank: self.rank });
            told.push((guards.len() - 1, code));
        }
        Draft::Scalar(told)
    }

    /// What is known of a number that came from elsewhere and stands for nothing else.
    fn sign(&mut self, guard: Guard, term: Term) -> Option<Sign> {
        let sign = self.plain_sign(guard, term)?;
        if sign != Sign::NotZero {
            return Some(sign);
        }
        // It may have been asked in other words.
        let space = &mut self.evaluator.space;
        let zero = space.int(0, space.kind(term));
        let (is_less, is_more) = (space.less(term, zero), space.less(zero, term));
        let mut is_always = |sign: Guard| {
            let other = space.and(guard, sign.not());
            matches!(space.feasible(other, OUTCOME_BUDGET), Feasible::No)
        };
        if is_always(is_less) {
            Some(Sign::Negative)
        } else if is_always(is_more) {
            Some(Sign::Positive)
        } else {
            Some(Sign::NotZero)
        }
    }

    /// The same, as far as it was asked in just these words.
    fn plain_sign(&mut self, guard: Guard, term: Term) -> Option<Sign> {
        let mut symbols = Vec::new();
        self.evaluator.symbols_in(term, &mut symbols);
        let is_from_elsewhere = |symbol: &Symbol| {
            self.evaluator.objects.symbols.get(symbol.0 as usize).is_some_and(|info| {
                matches!(info.origin, Origin::Opaque | Origin::Forgotten(..))
                    && info.handle.is_none()
                    && info.aliases.is_empty()
            })
        };
        if symbols.is_empty() || !symbols.iter().all(is_from_elsewhere) {
            return None;
        }
        let zero = self.evaluator.space.int(0, self.evaluator.space.kind(term));
        // What was counted up is not zero.
        let is_zero = self.evaluator.equal(term, zero);
        let given = self.evaluator.given(&[is_zero]);
        let space = &mut self.evaluator.space;
        let (is_less, is_more) = (space.less(term, zero), space.less(zero, term));
        let guard = space.and(guard, given);
        if space.implies(guard, is_less) {
            return Some(Sign::Negative);
        }
        if space.implies(guard, is_more) {
            return Some(Sign::Positive);
        }
        space.implies(guard, is_zero.not()).then_some(Sign::NotZero)
    }

    /// Any number of this sign: some bits are known.
    fn any_of(&mut self, sign: Sign, kind: Kind) -> TermNumber {
        let unknown = self.unknown(kind);
        let least = i64::MIN >> (64 - u32::from(kind.bits));
        let (base, bit) = match sign {
            Sign::Negative => (unknown, least),
            Sign::Positive if kind.signed => {
                let most = self.intern(FrozenTerm::Int(!least), kind);
                (self.intern(FrozenTerm::Binary(Op::And, unknown, most), kind), 1)
            }
            Sign::Positive | Sign::NotZero => (unknown, 1),
        };
        let bit = self.intern(FrozenTerm::Int(bit), kind);
        self.intern(FrozenTerm::Binary(Op::Or, base, bit), kind)
    }

    pub(super) fn draft(&mut self, val: Val, guards: &mut Vec<Guarded>) -> Draft {
        match self.evaluator.values.get(val) {
            ValData::Record(parts) => {
                let parts = parts.to_vec();
                let parts = parts.iter().map(|part| (part.offset, part.kind, self.draft(part.val, guards)));
                Draft::Record(parts.collect())
            }
            ValData::Unknown(_) | ValData::CopyOf(..) => Draft::Scalar(Vec::new()),
            ValData::Scalar(alternatives) => {
                let alternatives = alternatives.to_vec();
                self.draft_ways(&alternatives, guards)
            }
        }
    }

    fn draft_ways(&mut self, alternatives: &[(Guard, Term)], guards: &mut Vec<Guarded>) -> Draft {
        let mut ways: Vec<(usize, TermNumber)> = Vec::with_capacity(alternatives.len());
        let mut untold: Option<TermNumber> = None;
        for &(guard, term) in alternatives {
            let number = match self.term(term) {
                Some(number) => number,
                None if self.evaluator.points_to(term).is_some() => {
                    // Out of the caller's sight from here on.
                    let val = self.evaluator.values.single(term);
                    self.evaluator.escape_val(guard, val);
                    self.unknown(self.evaluator.space.kind(term))
                }
                None => match untold {
                    Some(number) => number,
                    None => {
                        let number = self.unknown(self.evaluator.space.kind(term));
                        untold = Some(number);
                        number
                    }
                },
            };
            self.escape_aliases(guard, term);
            match ways.iter().find(|way| way.1 == number) {
                Some(&(place, _)) => {
                    let both = self.evaluator.space.or(guards[place].guard, guard);
                    guards[place].guard = both;
                }
                None => {
                    guards.push(Guarded { guard, rank: self.rank });
                    ways.push((guards.len() - 1, number));
                }
            }
        }
        Draft::Scalar(ways)
    }

    /// What a blurred symbol may be goes out of sight with it.
    pub(super) fn escape_aliases(&mut self, guard: Guard, term: Term) {
        let TermKind::Symbol(symbol) = self.evaluator.space.term(term) else { return };
        let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return };
        if info.handle.is_some() || info.aliases.is_empty() {
            return;
        }
        let aliases = info.aliases.clone();
        for &alias in &aliases[..] {
            let val = self.evaluator.values.single(alias);
            self.evaluator.escape_val(guard, val);
        }
    }

    /// A pointer to an object that is stored in the object itself does not take it out of sight.
    pub(super) fn without_own_address(&self, address: TermNumber, draft: Draft, frozen: &[Option<When>]) -> Draft {
        match draft {
            Draft::Scalar(mut ways) if ways.iter().any(|way| frozen[way.0].is_none()) => {
                let home = self.summary.pointer(address);
                ways.retain(|way| self.summary.pointer(way.1) != home || frozen[way.0].is_some());
                Draft::Scalar(ways)
            }
            draft => draft,
        }
    }

    /// Calls that a caller will know, those with equal arguments as one; if they are many, whatever the numbers.
    pub(super) fn callbacks(&mut self) -> Vec<Callback> {
        let callbacks = std::mem::take(&mut self.evaluator.callbacks);
        let mut merged = self.merge_calls(callbacks);
        if merged.len() <= MAX_CALLS_WITH_NUMBERS {
            return merged;
        }
        let mut numbers: FxHashMap<Kind, Val> = FxHashMap::default();
        for callback in &mut merged {
            for arg in &mut callback.args {
                let Some(&(_, term)) = self.evaluator.values.alternatives(*arg).first() else { continue };
                let kind = self.evaluator.space.kind(term);
                if kind != self.evaluator.pointer_kind() {
                    self.evaluator.escape_val(callback.guard, *arg);
                    *arg = *numbers.entry(kind).or_insert_with(|| {
                        let any = self.evaluator.opaque_symbol(kind);
                        self.evaluator.values.single(any)
                    });
                }
            }
        }
        self.merge_calls(merged)
    }

    fn merge_calls(&mut self, callbacks: Vec<Callback>) -> Vec<Callback> {
        let mut merged: Vec<Callback> = Vec::new();
        for callback in callbacks {
            let same = |other: &&mut Callback| (other.callee, &other.args) == (callback.callee, &callback.args);
            match merged.iter_mut().find(same) {
                Some(other) => other.guard = self.evaluator.space.or(other.guard, callback.guard),
                None => merged.push(callback),
            }
        }
        merged
    }

    pub(super) fn finish(&mut self, draft: Draft, frozen: &[Option<When>]) -> FrozenValue {
        match draft {
            Draft::Parts(first, second) => {
                let mut ways = Vec::new();
                for draft in [*first, *second] {
                    if let FrozenValue::Scalar(more) = self.finish(draft, frozen) {
                        ways.extend(more);
                    }
                }
                FrozenValue::Scalar(ways)
            }
            Draft::Record(parts) => FrozenValue::Record(
                parts.into_iter().map(|(offset, kind, draft)| (offset, kind, self.finish(draft, frozen))).collect(),
            ),
            Draft::Scalar(ways) => {
                let known: Option<Vec<(When, TermNumber)>> =
                    ways.iter().map(|&(place, term)| frozen[place].map(|when| (when, term))).collect();
                match known {
                    Some(known) => FrozenValue::Scalar(known.into_iter().filter(|way| way.0 != When::NEVER).collect()),
                    None => {
                        // Its guards could not be told: any value, and whatever it held is out of sight.
                        let kind = ways
                            .first()
                            .map_or(Kind { bits: 64, signed: false }, |way| self.summary.terms[way.1 as usize].1);
                        for &(_, term) in &ways {
                            match self.summary.terms[term as usize].0 {
                                FrozenTerm::Fresh(object, _) | FrozenTerm::Handle(object) => {
                                    self.summary.objects[object as usize].escaped = When::ALWAYS;
                                }
                                FrozenTerm::Param(_) | FrozenTerm::ParamPart(..) | FrozenTerm::Contents(_) => {
                                    self.summary.keeps.push((term, When::ALWAYS));
                                }
                                _ => {}
                            }
                        }
                        let unknown = self.unknown(kind);
                        FrozenValue::Scalar(vec![(When::ALWAYS, unknown)])
                    }
                }
            }
        }
    }

    /// The cells of what is handed out, and of what hangs on it.
    pub(super) fn contents(&mut self, state: &State, writes: &mut Vec<DraftWrite>, guards: &mut Vec<Guarded>) {
        let mut done = 0;
        while done < self.order.len() {
            let heap = self.order[done];
            done += 1;
            let object = self.evaluator.objects.heap[heap].object;
            let mut waiting = vec![object];
            while let Some(object) = waiting.pop() {
                let info = self.evaluator.objects.get(object).clone();
                waiting.extend(info.elements.iter().copied());
                for cell in info.cells {
                    let val = state.cells.get(cell.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
                    if !val.is_real() {
                        continue;
                    }
                    let info = self.evaluator.objects.cells[cell];
                    self.copied(state, info.object, val);
                    let is_pointer = info.is_pointer || self.evaluator.holds_pointer(val);
                    let is_blurred = matches!(self.evaluator.objects.get(info.object).kind, ObjectKind::Element { .. });
                    // Bytes are text, of which only is told whether there is any, unless there are other things beside them.
                    let is_text = !is_pointer && info.kind.bits < 16 && !self.is_record(info.object);
                    if !is_pointer && self.is_also_pointer(state, cell) {
                        continue;
                    }
                    if writes.len() >= MAX_WRITES || is_text && info.offset != 0 {
                        self.evaluator.escape_val(state.guard, val);
                        self.say_it_changes(state, heap, cell, writes, guards);
                        continue;
                    }
                    if info.class != CellClass::Value || is_blurred {
                        if !self.evaluator.holds_heap(val) {
                            self.evaluator.escape_val(state.guard, val);
                            continue;
                        }
                        self.somewhere_in(heap, val, writes, guards);
                        continue;
                    }
                    let Some(address) = self.address(info.object, info.offset) else { continue };
                    self.rank = if self.evaluator.holds_heap(val) { Rank::Key } else { Rank::Other };
                    let draft = if is_pointer {
                        self.draft(val, guards)
                    } else if is_text {
                        let allocated = self.evaluator.objects.heap[heap].allocated;
                        let when = self.evaluator.space.and(allocated, guards[0].guard);
                        let Some(text) = self.draft_code(val, when, guards) else {
                            self.say_it_changes(state, heap, cell, writes, guards);
                            continue;
                        };
                        text
                    } else {
                        self.draft_number(val, guards)
                    };
                    self.rank = Rank::Other;
                    writes.push(DraftWrite {
                        address,
                        kind: info.kind,
                        is_pointer,
                        loses: false,
                        is_told: true,
                        draft,
                    });
                }
            }
        }
    }

    /// What a cell of fresh memory holds is not told, but that it is not what it was: zero, or nothing that anybody wrote.
    fn say_it_changes(
        &mut self,
        state: &State,
        heap: HeapId,
        cell: CellId,
        writes: &mut Vec<DraftWrite>,
        guards: &mut Vec<Guarded>,
    ) {
        let info = self.evaluator.objects.cells[cell];
        let is_pointer = info.is_pointer;
        if !is_pointer && !self.is_zeroed(state, heap) {
            return;
        }
        let address = if info.class == CellClass::Value { self.address(info.object, info.offset) } else { None };
        if let Some(address) = address.filter(|_| writes.len() < MAX_UNTOLD_WRITES) {
            let draft = self.draft_any(info.kind, guards);
            writes.push(DraftWrite { address, kind: info.kind, is_pointer, loses: false, is_told: false, draft });
        } else if let Some(address) = self.address(self.evaluator.objects.heap[heap].object, 0)
            && !self.summary.clobbers.contains(&address)
        {
            self.summary.clobbers.push(address);
        }
    }

    /// Whether an object holds numbers or pointers.
    fn is_record(&self, object: Object) -> bool {
        let objects = &self.evaluator.objects;
        objects.get(object).cells.iter().any(|&cell| {
            let cell = &objects.cells[cell];
            cell.class == CellClass::Value && cell.kind.bits >= 16
        })
    }

    /// Whether the number shares its place with a pointer that was written: of a union the pointer is told.
    pub(super) fn is_also_pointer(&self, state: &State, cell: CellId) -> bool {
        let objects = &self.evaluator.objects;
        let (info, bytes) = (objects.cells[cell], objects.cells[cell].bytes());
        objects.get(info.object).cells.iter().any(|&other| {
            let val = state.cells.get(other.0 as usize).copied().unwrap_or(Val::UNTOUCHED);
            other != cell
                && val.is_real()
                && objects.cells[other].overlaps(info.offset, bytes)
                && (objects.cells[other].is_pointer || self.evaluator.holds_pointer(val))
        })
    }

    /// An object that is handed out began as a copy of the caller's memory.
    fn copied(&mut self, state: &State, object: Object, val: Val) {
        let ValData::CopyOf(source, 0) = self.evaluator.values.get(val) else { return };
        let ObjectKind::Pointee(symbol) = self.evaluator.objects.get(source).kind else { return };
        let from = self.evaluator.objects.symbols[symbol.0 as usize].term;
        let to = self.evaluator.space.address(object, 0, self.evaluator.pointer_kind());
        self.evaluator.copies.push(Copy { from, to, bytes: None, guard: state.guard, is_text: true });
    }

    /// Whether what is copied there goes out of the caller's sight.
    pub(super) fn is_out_of_sight(&self, place: Term) -> bool {
        match self.evaluator.space.term(place) {
            TermKind::Int(_) => true,
            _ => self.evaluator.points_to(place).is_some_and(|object| {
                let root = self.evaluator.objects.root(object);
                self.evaluator.is_nobodys(root) || !self.evaluator.objects.get(root).escaped.is_false()
            }),
        }
    }

    /// What is at unknown places of an object that is handed out is told once, as being somewhere in it.
    fn somewhere_in(&mut self, heap: HeapId, val: Val, writes: &mut Vec<DraftWrite>, guards: &mut Vec<Guarded>) {
        let kind = self.evaluator.pointer_kind();
        let object = self.evaluator.objects.heap[heap].object;
        let Some(address) = self.address(object, 0) else { return };
        let address = self.intern(FrozenTerm::Inside(address), kind);
        self.rank = Rank::Key;
        let draft = self.draft(val, guards);
        self.rank = Rank::Other;
        writes.push(DraftWrite { address, kind, is_pointer: true, loses: false, is_told: true, draft });
    }

    /// What hangs on something out of sight is out of sight.
    pub(super) fn spread_escapes(&mut self, state: &State) {
        let ids = self.evaluator.objects.infos.ids();
        let mut waiting: Vec<Object> =
            ids.filter(|&object| !self.evaluator.objects.get(object).escaped.is_false()).collect();
        while let Some(object) = waiting.pop() {
            let escaped = self.evaluator.objects.get(object).escaped;
            let mut held = Vec::new();
            self.evaluator.contents(state, object, |val| held.push(val));
            for val in held {
                for (guard, term) in self.evaluator.values.alternatives(val).to_vec() {
                    let Some((target, _)) = self.evaluator.place(term) else { continue };
                    let target = self.evaluator.objects.root(target);
                    let guard = self.evaluator.space.and(escaped, guard);
                    let old = self.evaluator.objects.get(target).escaped;
                    let new = self.evaluator.space.or(old, guard);
                    if new != old {
                        self.evaluator.objects.infos[target].escaped = new;
                        waiting.push(target);
                    }
                }
            }
        }
    }

    /// By object: when the caller can find it. What was lost on the way is nothing the caller could lose.
    pub(super) fn handed(
        &mut self,
        result: &Option<Draft>,
        writes: &[DraftWrite],
        calls: &[(TermNumber, Vec<Draft>, usize)],
        guards: &[Guarded],
    ) -> Vec<Guard> {
        // Holder, object, guard.
        let mut held: Vec<(Option<u32>, u32, Guard)> = Vec::new();
        let outside = result.iter().chain(calls.iter().flat_map(|call| &call.1));
        outside.for_each(|draft| self.add_held(None, draft, guards, &mut held));
        for write in writes {
            self.add_held(self.object_in(write.address), &write.draft, guards, &mut held);
        }
        let mut handed = vec![Guard::FALSE; self.order.len()];
        for _ in 0..=handed.len() {
            let before = handed.clone();
            for &(holder, object, guard) in &held {
                let holder = holder.map_or(Guard::TRUE, |holder| handed[holder as usize]);
                let guard = self.evaluator.space.and(guard, holder);
                handed[object as usize] = self.evaluator.space.or(handed[object as usize], guard);
            }
            if handed == before {
                break;
            }
        }
        handed
    }

    fn add_held(
        &self,
        holder: Option<u32>,
        draft: &Draft,
        guards: &[Guarded],
        held: &mut Vec<(Option<u32>, u32, Guard)>,
    ) {
        match draft {
            Draft::Scalar(ways) => {
                for &(place, term) in ways {
                    held.extend(self.object_in(term).map(|object| (holder, object, guards[place].guard)));
                }
            }
            Draft::Record(parts) => parts.iter().for_each(|part| self.add_held(holder, &part.2, guards, held)),
            Draft::Parts(first, _) => self.add_held(holder, first, guards, held),
        }
    }

    /// The object that an address lies in.
    fn object_in(&self, term: TermNumber) -> Option<u32> {
        match self.summary.terms[self.summary.pointer(term) as usize].0 {
            FrozenTerm::Fresh(object, _) | FrozenTerm::Handle(object) => Some(object),
            _ => None,
        }
    }

    /// When each object is handed out as the caller's own, and when it is kept elsewhere, too.
    pub(super) fn object_guards(&mut self, handed: &[Guard], guards: &mut Vec<Guarded>) -> Vec<usize> {
        let mut places = Vec::new();
        for (&heap, &handed) in self.order.iter().zip(handed) {
            let object = self.evaluator.objects.heap[heap].object;
            let allocated = self.evaluator.objects.heap[heap].allocated;
            let info = self.evaluator.objects.get(object);
            let (released, escaped) = (info.released, info.escaped);
            let released = self.evaluator.whoever_is_called(released);
            let mut owned = self.evaluator.space.and(allocated, released.not());
            let mut escaped = self.evaluator.whoever_is_called(escaped);
            let others: Vec<HeapId> =
                self.evaluator.objects.heap.ids().filter(|id| self.merged.get(id) == Some(&heap)).collect();
            for other in others {
                let other = self.evaluator.objects.heap[other].clone();
                let info = self.evaluator.objects.get(other.object).clone();
                let released = self.evaluator.whoever_is_called(info.released);
                let also = self.evaluator.space.and(other.allocated, released.not());
                owned = self.evaluator.space.or(owned, also);
                let also = self.evaluator.whoever_is_called(info.escaped);
                escaped = self.evaluator.space.or(escaped, also);
            }
            owned = self.evaluator.space.and(owned, handed);
            places.push(guards.len());
            guards.push(Guarded { guard: owned, rank: Rank::Owned });
            guards.push(Guarded { guard: escaped, rank: Rank::Key });
        }
        places
    }
}

/// Whether the guards of a value could not all be told.
pub(super) fn is_untold(draft: &Draft, frozen: &[Option<When>]) -> bool {
    match draft {
        Draft::Scalar(ways) => ways.iter().any(|&(place, _)| frozen[place].is_none()),
        Draft::Record(parts) => parts.iter().any(|part| is_untold(&part.2, frozen)),
        Draft::Parts(first, second) => is_untold(first, frozen) || is_untold(second, frozen),
    }
}
