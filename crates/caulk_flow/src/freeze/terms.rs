//! Terms as the caller sees them, and which objects and symbols it sees at all.

use super::*;

impl Freezer<'_, '_> {
    pub(super) fn intern(&mut self, term: FrozenTerm, kind: Kind) -> TermNumber {
        if let Some(&number) = self.interned.get(&(term.clone(), kind)) {
            return number;
        }
        let number = self.summary.terms.len() as TermNumber;
        self.summary.terms.push((term.clone(), kind));
        self.interned.insert((term, kind), number);
        number
    }

    pub(super) fn unknown(&mut self, kind: Kind) -> TermNumber {
        let number = self.summary.terms.len() as TermNumber;
        self.summary.terms.push((FrozenTerm::Forgotten(u32::MAX - number), kind));
        number
    }

    /// The term as the caller sees it; `None` if it cannot.
    pub(super) fn term(&mut self, term: Term) -> Option<TermNumber> {
        if let Some(&number) = self.terms.get(&term) {
            return Some(number);
        }
        let number = self.new_term(term)?;
        self.terms.insert(term, number);
        Some(number)
    }

    pub(super) fn new_term(&mut self, term: Term) -> Option<TermNumber> {
        let kind = self.evaluator.space.kind(term);
        let frozen = match self.evaluator.space.term(term) {
            TermKind::Int(value) => FrozenTerm::Int(value),
            TermKind::Symbol(symbol) => return self.symbol(symbol, kind),
            TermKind::Address { object, offset } => return self.address_of(object, offset, kind),
            TermKind::Inside { object } => {
                let base = self.address_of(object, 0, kind)?;
                FrozenTerm::Inside(base)
            }
            TermKind::Binary { op, a, b } => FrozenTerm::Binary(op, self.term(a)?, self.term(b)?),
            TermKind::Extend { a } => FrozenTerm::Extend(self.term(a)?),
        };
        Some(self.intern(frozen, kind))
    }

    /// Whether a string is a literal, as the caller sees it.
    pub(super) fn asked(&mut self, text: Term, number: Term) -> Option<FrozenAtom> {
        let space = &self.evaluator.space;
        let (TermKind::Symbol(symbol), TermKind::Int(literal)) = (space.term(text), space.term(number)) else {
            return None;
        };
        let kind = space.kind(text);
        let (string, view, literal) = self.evaluator.texts.asked(symbol, literal)?;
        let literal = literal.into();
        let string = self.term(string)?;
        let order = self.intern(FrozenTerm::Text(string, view, literal), kind);
        let same = self.intern(FrozenTerm::Int(0), kind);
        Some(FrozenAtom::Equal(order, same))
    }

    pub(super) fn symbol(&mut self, symbol: Symbol, kind: Kind) -> Option<TermNumber> {
        if let Some(([a, b], view)) = self.evaluator.texts.compared(symbol)
            && let (Some(a), Some(b)) = (self.term(a), self.term(b))
        {
            return Some(self.intern(FrozenTerm::Order(a, b, view), kind));
        }
        let info = self.evaluator.objects.symbols.get(symbol.0 as usize)?;
        let frozen = match (info.origin, info.handle) {
            (_, Some(object)) => {
                let heap = self.evaluator.objects.heap_of(object)?;
                FrozenTerm::Handle(self.handed_out(heap)?)
            }
            (Origin::Param(number), _) => FrozenTerm::Param(number),
            (Origin::ParamPart(number, offset), _) => FrozenTerm::ParamPart(number, offset),
            (Origin::Contents(cell), _) => {
                let cell = self.evaluator.objects.cells[cell];
                FrozenTerm::Contents(self.address(cell.object, cell.offset)?)
            }
            (Origin::Forgotten(..), _) if self.is_exporting => FrozenTerm::Forgotten(symbol.0),
            (Origin::Opaque | Origin::Garbage, _) if self.is_exporting => FrozenTerm::Unknown(symbol.0),
            (Origin::Opaque | Origin::Garbage | Origin::Forgotten(..), _) => return None,
        };
        Some(self.intern(frozen, kind))
    }

    pub(super) fn handed_out(&mut self, heap: HeapId) -> Option<u32> {
        let heap = self.merged.get(&heap).copied().unwrap_or(heap);
        if let Some(&number) = self.objects.get(&heap) {
            return Some(number);
        }
        // What a callee puts into a global belongs to the global, not to the caller.
        if self.is_closed || !self.is_exporting {
            return None;
        }
        let number = self.order.len() as u32;
        self.objects.insert(heap, number);
        self.order.push(heap);
        Some(number)
    }

    pub(super) fn address(&mut self, object: Object, offset: i64) -> Option<TermNumber> {
        let kind = self.evaluator.pointer_kind();
        self.address_of(object, offset, kind)
    }

    pub(super) fn address_of(&mut self, object: Object, offset: i64, kind: Kind) -> Option<TermNumber> {
        let frozen = match self.evaluator.objects.get(object).kind.clone() {
            ObjectKind::Variable(variable) => FrozenTerm::Variable(variable, offset),
            ObjectKind::Code(target) => FrozenTerm::Code(target),
            ObjectKind::Literal(_) => FrozenTerm::Literal,
            ObjectKind::Heap(heap) => FrozenTerm::Fresh(self.handed_out(heap)?, offset),
            ObjectKind::Pointee(symbol) => {
                let pointer = self.evaluator.objects.symbols[symbol.0 as usize].term;
                let pointer = self.term(pointer)?;
                return Some(self.shifted(pointer, offset, kind));
            }
            ObjectKind::Element { base, offset: start, stride, index } => {
                let base = self.address_of(base, start, kind)?;
                let index = self.term(index)?;
                let element = self.intern(FrozenTerm::Element { base, stride, index }, kind);
                return Some(self.shifted(element, offset, kind));
            }
            ObjectKind::Slot(_) | ObjectKind::Alloca(..) => return None,
        };
        Some(self.intern(frozen, kind))
    }

    pub(super) fn shifted(&mut self, pointer: TermNumber, offset: i64, kind: Kind) -> TermNumber {
        if offset == 0 {
            return pointer;
        }
        let bytes = self.intern(FrozenTerm::Int(offset), kind);
        self.intern(FrozenTerm::Binary(Op::Add, pointer, bytes), kind)
    }

    /// Whether a symbol is something the caller can see.
    pub(super) fn is_visible(&self, symbol: Symbol) -> bool {
        let Some(info) = self.evaluator.objects.symbols.get(symbol.0 as usize) else { return false };
        match info.origin {
            Origin::Param(_) | Origin::ParamPart(..) => true,
            Origin::Contents(cell) => self.is_visible_memory(self.evaluator.objects.cells[cell].object),
            Origin::Opaque | Origin::Garbage | Origin::Forgotten(..) => false,
        }
    }

    /// Whether the caller sees what happens in an object. What hangs on globals further than a step away is the
    /// callee's own business: callers do not own it.
    pub(super) fn is_visible_memory(&self, object: Object) -> bool {
        match self.evaluator.objects.get(object).kind {
            ObjectKind::Variable(_) => true,
            ObjectKind::Pointee(symbol) => {
                self.is_visible(symbol) && self.distance_from_global(symbol).is_none_or(|steps| steps < 2)
            }
            ObjectKind::Element { base, index, .. } => {
                let mut symbols = Vec::new();
                self.evaluator.symbols_in(index, &mut symbols);
                symbols.iter().all(|&symbol| self.is_visible(symbol))
                    && self.is_visible_memory(base)
                    && !self.is_global(self.evaluator.objects.root(base))
            }
            _ => false,
        }
    }

    /// How many dereferences lead from a global to the symbol; `None` if it comes from a parameter.
    pub(super) fn distance_from_global(&self, symbol: Symbol) -> Option<u32> {
        let Origin::Contents(cell) = self.evaluator.objects.symbols[symbol.0 as usize].origin else { return None };
        let root = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
        match self.evaluator.objects.get(root).kind {
            ObjectKind::Variable(_) => Some(0),
            ObjectKind::Pointee(inner) => self.distance_from_global(inner).map(|steps| steps + 1),
            _ => None,
        }
    }

    pub(super) fn hangs_on_global(&self, cell: CellId) -> bool {
        let root = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
        match self.evaluator.objects.get(root).kind {
            ObjectKind::Variable(_) => true,
            ObjectKind::Pointee(symbol) => self.distance_from_global(symbol).is_some(),
            _ => false,
        }
    }

    /// Whether the address was read from memory that a caller gave.
    pub(super) fn is_behind_a_pointer(&self, address: TermNumber) -> bool {
        matches!(self.summary.terms[self.summary.pointer(address) as usize].0, FrozenTerm::Contents(_))
    }
}
