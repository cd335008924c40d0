//! One instruction.

use caulk_guard::{Guard, Kind, Op, Term, TermKind};
use caulk_ir::ir::{self, AtomicOp, BinaryOp, Builtin, CompareOp, InstKind};
use caulk_sema::types::Ty;

use super::{Evaluator, EventKind, MAX_FIELD, MAX_STEP, State};
use crate::callee;
use crate::object::{ObjectKind, Origin};
use crate::value::Val;

/// Operations in one term; what is larger is unknown. May cost a correlation.
const MAX_TERM: u32 = 24;

/// Functions that yield the address of `errno`.
const ERRNO: [&str; 3] = ["__errno_location", "__error", "_errno"];

const INT: Kind = Kind { bits: 32, signed: true };

impl Evaluator<'_> {
    /// The value of an operand.
    pub fn value(&mut self, value: ir::Value) -> Val {
        let known = self.env[value];
        if known.is_real() {
            return known;
        }
        let inst = self.body.insts[value];
        let kind = self.kind_of(inst.ty);
        let val = match inst.kind {
            InstKind::Int(number) => self.int_val(i128::from(number), kind.unwrap_or(INT)),
            InstKind::Global(global) => self.global_address(global),
            InstKind::String(string) => {
                let object = self.objects.intern(ObjectKind::Literal(string.0));
                let term = self.space.address(object, 0, self.pointer_kind());
                self.values.single(term)
            }
            kind if self.inner_start().is_some() && is_pure(&kind) => {
                let mut state = State { guard: Guard::TRUE, cells: Vec::new() };
                self.instruction(&mut state, value);
                return self.env[value];
            }
            _ => self.unseen(inst.ty),
        };
        self.env[value] = val;
        val
    }

    /// The value of an operand that has been evaluated.
    pub fn known_value(&self, value: ir::Value) -> Option<Val> {
        Some(self.env[value]).filter(|val| val.is_real())
    }

    /// A value nobody knows, of this type.
    pub(super) fn unknown(&mut self, ty: Ty) -> Val {
        self.unknown_from(ty, Origin::Opaque)
    }

    /// What was not evaluated because evaluation began after it.
    fn unseen(&mut self, ty: Ty) -> Val {
        let origin = self.unseen_origin();
        self.unknown_from(ty, origin)
    }

    fn unknown_from(&mut self, ty: Ty, origin: Origin) -> Val {
        match self.kind_of(ty) {
            Some(kind) => {
                let term = self.new_symbol(kind, origin, 0);
                self.values.single(term)
            }
            None => {
                let leaves = self.leaves(ty);
                let parts = leaves.into_iter().map(|(offset, kind)| {
                    let term = self.new_symbol(kind, origin, 0);
                    crate::value::Part { offset, kind, val: self.values.single(term) }
                });
                let parts: Vec<_> = parts.collect();
                self.values.record(&parts)
            }
        }
    }

    pub(super) fn instruction(&mut self, state: &mut State, value: ir::Value) {
        let inst = self.body.insts[value];
        let result = match inst.kind {
            InstKind::Phi(_) => {
                if !self.env[value].is_real() {
                    self.env[value] = self.unseen(inst.ty);
                }
                return;
            }
            InstKind::Slot { .. } => {
                let object = self.objects.intern(ObjectKind::Slot(value));
                let term = self.space.address(object, 0, self.pointer_kind());
                self.values.single(term)
            }
            InstKind::Alloca { .. } => self.alloca(state, value),
            InstKind::End { object } => {
                let address = self.value(object);
                self.end(state, address, inst.loc);
                return;
            }
            InstKind::Bind { variable, value } => {
                if self.events.is_some() {
                    let val = self.value(value);
                    let ty = self.body.ty(value);
                    self.event(state.guard, inst.loc, EventKind::Bind { variable, ty, val });
                }
                return;
            }
            InstKind::Load { address, .. } => {
                let address = self.value(address);
                match self.kind_of(inst.ty) {
                    Some(kind) => self.load(state, address, kind, Some(inst.ty)),
                    None => self.load_record(state, address, inst.ty),
                }
            }
            InstKind::Store { address, value: stored, .. } => {
                let (address, val) = (self.value(address), self.value(stored));
                let ty = self.body.ty(stored);
                let cells = match self.kind_of(ty) {
                    Some(kind) => self.store(state, address, val, kind, Some(ty)),
                    None => self.store_record(state, address, val),
                };
                self.event(state.guard, inst.loc, EventKind::Store { cells, val, instruction: value });
                return;
            }
            InstKind::LoadBits { address, bits, .. } => {
                let address = self.value(address);
                let (kind, at) = self.bit_field(inst.ty, bits);
                let address = self.shift(address, at);
                let raw = self.load(state, address, kind, None);
                let wide = self.kind_of(inst.ty).unwrap_or(INT);
                self.map(raw, |this, term| this.space.extend(term, wide))
            }
            InstKind::StoreBits { address, value: stored, bits, .. } => {
                let (address, val) = (self.value(address), self.value(stored));
                let (kind, at) = self.bit_field(self.body.ty(stored), bits);
                let address = self.shift(address, at);
                let narrow = self.map(val, |this, term| this.space.extend(term, kind));
                self.store(state, address, narrow, kind, None);
                return;
            }
            InstKind::Zero { address, size } => {
                let address = self.value(address);
                self.fill(state, address, Some(size as i64), true);
                return;
            }
            InstKind::CopyString { address, size, .. } => {
                let address = self.value(address);
                self.fill(state, address, Some(size as i64), false);
                return;
            }
            InstKind::Field { base, record, field } => {
                let base = self.value(base);
                let layout = self.module.unit.types.layout(record);
                let offset =
                    layout.and_then(|layout| layout.fields.get(field as usize)).map_or(0, |field| field.offset);
                self.shift(base, offset as i64)
            }
            InstKind::Element { base, index } => {
                let (base, index) = (self.value(base), self.value(index));
                let types = &self.module.unit.types;
                let stride = types.pointee(inst.ty).and_then(|pointee| types.size_of(pointee)).unwrap_or(1) as i64;
                self.map2(base, index, |this, base, index| this.element(base, index, stride))
            }
            InstKind::PointerDiff { a, b } => self.pointer_difference(a, b, inst.ty),
            InstKind::Binary { op, a, b } => self.binary(op, a, b, inst.ty),
            InstKind::Negate(a) => {
                let is_error = self.is_errno(a);
                let a = self.value(a);
                match self.arithmetic_kind(inst.ty) {
                    Some(kind) => {
                        let zero = self.space.int(0, kind);
                        let least = self.space.int(kind.min(), kind);
                        self.map(a, |this, term| {
                            let negative = this.space.binary(Op::Sub, zero, term, kind);
                            if is_error { this.space.binary(Op::Or, negative, least, kind) } else { negative }
                        })
                    }
                    None => self.unknown(inst.ty),
                }
            }
            InstKind::BitNot(a) => {
                let a = self.value(a);
                match self.arithmetic_kind(inst.ty) {
                    Some(kind) => {
                        let ones = self.space.int(-1, kind);
                        self.map(a, |this, term| this.space.binary(Op::Xor, term, ones, kind))
                    }
                    None => self.unknown(inst.ty),
                }
            }
            InstKind::Compare { op, a, b } => {
                let holds = self.compare(op, a, b);
                let is_order = !matches!(op, CompareOp::Eq | CompareOp::Ne);
                if is_order && matches!(self.body.insts[b].kind, InstKind::Int(-1..=0)) {
                    self.asked_signs.extend(self.space.support(&[holds]));
                }
                match self.kind_of(inst.ty) {
                    Some(kind) => self.truth_value(holds, kind),
                    None => self.unknown(inst.ty),
                }
            }
            InstKind::Cast(a) | InstKind::BitCast(a) => self.cast(a, inst.ty),
            InstKind::Call { callee, args } => {
                self.call(state, value, callee, args);
                return;
            }
            InstKind::Builtin { op, args } => {
                self.builtin(state, value, op, args);
                return;
            }
            InstKind::VaArg { .. } => {
                self.takes_variable_arguments |= self.module.unit.types.is_pointer(inst.ty);
                self.unknown(inst.ty)
            }
            InstKind::ComplexPart { .. }
            | InstKind::MakeComplex { .. }
            | InstKind::VectorElement { .. }
            | InstKind::AsmOutput { .. } => self.unknown(inst.ty),
            InstKind::Asm { operands, .. } | InstKind::Unknown { operands, .. } => {
                for place in operands.range() {
                    let val = self.value(self.body.operand_pool[place]);
                    self.hand_over(state, val, Guard::TRUE, true);
                }
                if self.module.unit.types.is_void(inst.ty) {
                    return;
                }
                self.unknown(inst.ty)
            }
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_) => return,
        };
        self.env[value] = result;
    }

    fn end(&mut self, state: &mut State, address: Val, loc: caulk_base::Loc) {
        for place in 0..self.values.alternatives(address).len() {
            let (_, term) = self.values.alternatives(address)[place];
            let Some((object, _)) = self.place(term) else { continue };
            self.event(state.guard, loc, EventKind::End { object });
            let mut waiting = vec![object];
            while let Some(object) = waiting.pop() {
                for at in 0..self.objects.get(object).cells.len() {
                    let cell = self.objects.get(object).cells[at];
                    super::write::set(&mut state.cells, cell, Val::UNTOUCHED);
                }
                let default = self.objects.get(object).default;
                super::write::set(&mut state.cells, default, Val::UNTOUCHED);
                waiting.extend(self.objects.get(object).elements.iter().copied());
            }
        }
    }

    /// A bit-field as a cell of its own, at a place no byte has.
    fn bit_field(&self, ty: Ty, bits: ir::Bits) -> (Kind, i64) {
        let signed = self.kind_of(ty).is_some_and(|kind| kind.signed);
        let kind = Kind { bits: bits.width.clamp(1, 64), signed };
        (kind, (i64::from(bits.shift) + 1) << 40)
    }

    fn arithmetic_kind(&self, ty: Ty) -> Option<Kind> {
        let types = &self.module.unit.types;
        if types.is_float(ty) { None } else { self.kind_of(ty) }
    }

    fn pointer_difference(&mut self, a: ir::Value, b: ir::Value, ty: Ty) -> Val {
        let types = &self.module.unit.types;
        let size = types.pointee(self.body.ty(a)).and_then(|pointee| types.size_of(pointee)).unwrap_or(1).max(1);
        let kind = self.kind_of(ty).unwrap_or(Kind { bits: 64, signed: true });
        let (a, b) = (self.value(a), self.value(b));
        let size = self.space.int(i128::from(size), kind);
        self.map2(a, b, |this, a, b| {
            let bytes = this.space.binary(Op::Sub, a, b, kind);
            let is_inside = [a, b].into_iter().any(|term| matches!(this.space.term(term), TermKind::Inside { .. }));
            if is_inside || this.in_one_object(a, b, 4).is_some() {
                return this.forgotten_symbol(kind, 0);
            }
            if let TermKind::Address { .. } | TermKind::Inside { .. } = this.space.term(bytes) {
                return this.forgotten_symbol(kind, 0);
            }
            this.space.binary(Op::Div, bytes, size, kind)
        })
    }

    /// Whether a value was read from `errno`. Whoever returns its negative has met an error: it is not zero.
    fn is_errno(&self, mut value: ir::Value) -> bool {
        while let InstKind::Cast(inner) = self.body.insts[value].kind {
            value = inner;
        }
        let InstKind::Load { address, .. } = self.body.insts[value].kind else { return false };
        let InstKind::Call { callee, .. } = self.body.insts[address].kind else { return false };
        callee::direct(self.body, callee)
            .is_some_and(|global| ERRNO.contains(&self.module.unit.globals[global].name.as_str()))
    }

    fn binary(&mut self, op: BinaryOp, a: ir::Value, b: ir::Value, ty: Ty) -> Val {
        let Some(kind) = self.arithmetic_kind(ty) else { return self.unknown(ty) };
        let op = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            BinaryOp::Div => Op::Div,
            BinaryOp::Rem => Op::Rem,
            BinaryOp::Shl => Op::Shl,
            BinaryOp::Shr => Op::Shr,
            BinaryOp::And => Op::And,
            BinaryOp::Or => Op::Or,
            BinaryOp::Xor => Op::Xor,
        };
        let (a, b) = (self.value(a), self.value(b));
        self.map2(a, b, |this, a, b| {
            let b = this.space.extend(b, kind);
            let term = this.space.binary(op, a, b, kind);
            this.bounded(term)
        })
    }

    /// A term that is not too large to think about; a larger one is a symbol, the same for the same term.
    pub(super) fn bounded(&mut self, term: Term) -> Term {
        if self.term_size(term) <= MAX_TERM {
            return term;
        }
        let kind = self.space.kind(term);
        match self.opaque_terms.get(&(term.0, u32::MAX, 0)) {
            Some(&known) => known,
            None => {
                let symbol = self.opaque_symbol(kind);
                self.opaque_terms.insert((term.0, u32::MAX, 0), symbol);
                symbol
            }
        }
    }

    fn term_size(&mut self, term: Term) -> u32 {
        let place = term.0 as usize;
        let known = self.term_sizes.get(place).copied().unwrap_or(0);
        if known > 0 {
            return known;
        }
        let size = match self.space.term(term) {
            TermKind::Binary { a, b, .. } => self.term_size(a).saturating_add(self.term_size(b)).saturating_add(1),
            TermKind::Extend { a } => self.term_size(a).saturating_add(1),
            _ => 1,
        };
        if self.term_sizes.len() <= place {
            self.term_sizes.resize(place + 1, 0);
        }
        self.term_sizes[place] = size;
        size
    }

    fn compare(&mut self, op: CompareOp, a: ir::Value, b: ir::Value) -> Guard {
        let ty = self.body.ty(a);
        let (a, b) = (self.value(a), self.value(b));
        if self.arithmetic_kind(ty).is_none() {
            // Floats: the same question has the same answer.
            let (Some(a), Some(b)) = (self.values.only(a), self.values.only(b)) else { return self.space.choice() };
            let (number, is_negated) = match op {
                CompareOp::Eq => (0, false),
                CompareOp::Ne => (0, true),
                CompareOp::Lt => (1, false),
                CompareOp::Ge => (1, true),
                CompareOp::Gt => (2, false),
                CompareOp::Le => (2, true),
            };
            let guard = self.opaque_relation(number, a, b);
            return if is_negated { guard.not() } else { guard };
        }
        match op {
            CompareOp::Eq | CompareOp::Ne => {
                let equal = self.relate(a, b, |this, a, b| this.equal(a, b));
                if let Some(atom) = self.space.only_atom(equal) {
                    self.unasked.retain(|&other| other != atom);
                }
                if op == CompareOp::Eq { equal } else { equal.not() }
            }
            CompareOp::Lt => self.relate(a, b, |this, a, b| this.less(a, b)),
            CompareOp::Ge => self.relate(a, b, |this, a, b| this.less(a, b).not()),
            CompareOp::Gt => self.relate(a, b, |this, a, b| this.less(b, a)),
            CompareOp::Le => self.relate(a, b, |this, a, b| this.less(b, a).not()),
        }
    }

    pub(super) fn less(&mut self, a: Term, b: Term) -> Guard {
        // What was counted up does not wrap.
        let ((base, up), (other, more)) = (self.counted(a), self.counted(b));
        if base == other {
            return if up < more { Guard::TRUE } else { Guard::FALSE };
        }
        if let Some((a, b)) = self.in_one_array(a, b) {
            return self.less(a, b);
        }
        let question = if a < b { 5 } else { 6 };
        self.in_one_object(a, b, question).unwrap_or_else(|| self.space.less(a, b))
    }

    /// How far something was counted up.
    pub(super) fn counted(&self, term: Term) -> (Term, i128) {
        if let TermKind::Binary { op: Op::Add, a, b } = self.space.term(term)
            && let TermKind::Int(step @ 1..=MAX_FIELD) = self.space.term(b)
            && (step <= MAX_STEP || self.space.kind(term) == self.pointer_kind())
        {
            return (a, step.into());
        }
        (term, 0)
    }

    pub(super) fn opaque_relation(&mut self, number: u32, a: Term, b: Term) -> Guard {
        if let Some(&guard) = self.opaque.get(&(number, a, b)) {
            return guard;
        }
        let guard = self.space.choice();
        self.opaque.insert((number, a, b), guard);
        guard
    }

    /// Each evaluation yields memory of its own.
    fn alloca(&mut self, state: &State, value: ir::Value) -> Val {
        let epoch = self.next_epoch(state.guard);
        let object = self.objects.intern(ObjectKind::Alloca(value, epoch));
        let term = self.space.address(object, 0, self.pointer_kind());
        self.values.single(term)
    }

    fn cast(&mut self, a: ir::Value, ty: Ty) -> Val {
        let from = self.body.ty(a);
        let val = self.value(a);
        let types = &self.module.unit.types;
        if types.is_void(ty) {
            return val;
        }
        let Some(kind) = self.kind_of(ty) else {
            return if types.is_record(ty) && types.is_record(from) { val } else { self.unknown(ty) };
        };
        if types.is_float(ty) || types.is_float(from) || self.kind_of(from).is_none() {
            return self.unknown(ty);
        }
        if matches!(types.get(ty), caulk_sema::types::Type::Bool) {
            let holds = self.truth(val);
            return self.truth_value(holds, kind);
        }
        self.map(val, |this, term| this.space.extend(term, kind))
    }

    fn builtin(&mut self, state: &mut State, value: ir::Value, op: Builtin, args: ir::Operands) {
        let inst = self.body.insts[value];
        let arg = |number: usize| self.body.operands(args).get(number).copied();
        let result = match op {
            Builtin::Unreachable | Builtin::Trap | Builtin::Longjmp => {
                state.guard = Guard::FALSE;
                return;
            }
            Builtin::Alloca => self.alloca(state, value),
            Builtin::AtomicLoad => match (arg(0), self.kind_of(inst.ty)) {
                (Some(address), Some(kind)) => {
                    let address = self.value(address);
                    self.load(state, address, kind, Some(inst.ty))
                }
                _ => self.unknown(inst.ty),
            },
            Builtin::AtomicStore => {
                if let (Some(address), Some(stored)) = (arg(0), arg(1)) {
                    self.store_value(state, address, stored);
                }
                return;
            }
            Builtin::AtomicExchange => match (arg(0), arg(1), self.kind_of(inst.ty)) {
                (Some(address), Some(stored), Some(kind)) => {
                    let from = self.value(address);
                    let old = self.load(state, from, kind, Some(inst.ty));
                    self.store_value(state, address, stored);
                    old
                }
                _ => self.unknown(inst.ty),
            },
            Builtin::AtomicRmw { op, fetch_first } => match (arg(0), arg(1), self.kind_of(inst.ty)) {
                (Some(address), Some(operand), Some(kind)) => {
                    let at = self.value(address);
                    let old = self.load(state, at, kind, Some(inst.ty));
                    let operand = self.value(operand);
                    let op = match op {
                        AtomicOp::Add => Op::Add,
                        AtomicOp::Sub => Op::Sub,
                        AtomicOp::And | AtomicOp::Nand => Op::And,
                        AtomicOp::Or => Op::Or,
                        AtomicOp::Xor => Op::Xor,
                    };
                    let new = self.map2(old, operand, |this, a, b| {
                        let b = this.space.extend(b, kind);
                        this.space.binary(op, a, b, kind)
                    });
                    self.store(state, at, new, kind, Some(inst.ty));
                    if fetch_first { old } else { new }
                }
                _ => self.unknown(inst.ty),
            },
            Builtin::AtomicCompareExchange | Builtin::SyncValCompareExchange | Builtin::SyncBoolCompareExchange => {
                // The new value is there or it is not.
                if let (Some(address), Some(stored)) = (arg(0), arg(2)) {
                    let val = self.value(stored);
                    let choice = self.space.choice();
                    let ty = self.body.ty(stored);
                    if let Some(kind) = self.kind_of(ty) {
                        let at = self.value(address);
                        let old = self.load(state, at, kind, Some(ty));
                        let new = self.choose(choice, val, old);
                        self.store(state, at, new, kind, Some(ty));
                        if op == Builtin::SyncValCompareExchange {
                            self.env[value] = old;
                            return;
                        }
                    }
                    let kind = self.kind_of(inst.ty).unwrap_or(INT);
                    self.env[value] = self.truth_value(choice, kind);
                    return;
                }
                self.unknown(inst.ty)
            }
            Builtin::AddOverflow | Builtin::SubOverflow | Builtin::MulOverflow => {
                self.overflow(state, op, arg(0), arg(1), arg(2));
                // Sizes are what is asked about, and memory is not that large.
                let kind = self.kind_of(inst.ty).unwrap_or(INT);
                self.int_val(0, kind)
            }
            Builtin::Opaque(_) => {
                for place in args.range() {
                    let val = self.value(self.body.operand_pool[place]);
                    self.hand_over(state, val, Guard::TRUE, true);
                }
                self.unknown(inst.ty)
            }
            Builtin::VaStart
            | Builtin::VaEnd
            | Builtin::VaCopy
            | Builtin::Clz
            | Builtin::Ctz
            | Builtin::Clrsb
            | Builtin::Ffs
            | Builtin::Popcount
            | Builtin::Parity
            | Builtin::Bswap
            | Builtin::Bitreverse
            | Builtin::RotateLeft
            | Builtin::RotateRight
            | Builtin::AddOverflowP
            | Builtin::SubOverflowP
            | Builtin::MulOverflowP
            | Builtin::Fence
            | Builtin::FrameAddress
            | Builtin::ReturnAddress
            | Builtin::Pure(_)
            | Builtin::Setjmp
            | Builtin::Shuffle => {
                if self.module.unit.types.is_void(inst.ty) {
                    return;
                }
                self.unknown(inst.ty)
            }
        };
        self.env[value] = result;
    }

    fn store_value(&mut self, state: &mut State, address: ir::Value, stored: ir::Value) {
        let (at, val) = (self.value(address), self.value(stored));
        let ty = self.body.ty(stored);
        match self.kind_of(ty) {
            Some(kind) => self.store(state, at, val, kind, Some(ty)),
            None => self.store_record(state, at, val),
        };
    }

    fn overflow(
        &mut self,
        state: &mut State,
        op: Builtin,
        a: Option<ir::Value>,
        b: Option<ir::Value>,
        at: Option<ir::Value>,
    ) {
        let (Some(a), Some(b), Some(at)) = (a, b, at) else { return };
        let Some(pointee) = self.module.unit.types.pointee(self.body.ty(at)) else { return };
        let Some(kind) = self.kind_of(pointee) else { return };
        let op = match op {
            Builtin::AddOverflow => Op::Add,
            Builtin::SubOverflow => Op::Sub,
            _ => Op::Mul,
        };
        let (a, b, at) = (self.value(a), self.value(b), self.value(at));
        let sum = self.map2(a, b, |this, a, b| {
            let (a, b) = (this.space.extend(a, kind), this.space.extend(b, kind));
            this.space.binary(op, a, b, kind)
        });
        self.store(state, at, sum, kind, Some(pointee));
    }
}

/// Whether a value depends on its operands alone.
fn is_pure(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Slot { .. }
            | InstKind::Field { .. }
            | InstKind::Element { .. }
            | InstKind::PointerDiff { .. }
            | InstKind::Binary { .. }
            | InstKind::Negate(_)
            | InstKind::BitNot(_)
            | InstKind::Compare { .. }
            | InstKind::Cast(_)
            | InstKind::BitCast(_)
    )
}
