//! Addresses: what terms point to, elements of arrays.

use caulk_guard::{Kind, Object, Op, Symbol, Term, TermKind};
use caulk_ir::ir;
use caulk_program::{Resolved, Target, VariableId};

use super::Evaluator;
use crate::object::{ObjectKind, Origin};
use crate::value::Val;

impl Evaluator<'_> {
    /// The object and offset a pointer leads to; `None` for numbers and what is no address.
    pub fn place(&mut self, term: Term) -> Option<(Object, Option<i64>)> {
        match self.space.term(term) {
            TermKind::Address { object, offset } => Some((object, Some(offset))),
            TermKind::Inside { object } => Some((object, None)),
            TermKind::Symbol(symbol) => self.can_lead(symbol).then(|| (self.pointee(symbol), Some(0))),
            TermKind::Binary { op: Op::Add, a, b } => {
                let TermKind::Int(offset) = self.space.term(b) else { return None };
                let (object, at) = self.place(a)?;
                Some((object, at.map(|at| at.wrapping_add(offset))))
            }
            TermKind::Extend { a } => self.place(a),
            TermKind::Int(_) | TermKind::Binary { .. } => None,
        }
    }

    /// Whether a symbol can be a pointer or the number of a resource, by its width.
    fn can_lead(&self, symbol: Symbol) -> bool {
        self.objects.symbols.get(symbol.0 as usize).is_some_and(|info| {
            if let Origin::Param(number) = info.origin
                && self.plan.is_size[number as usize]
                && info.aliases.is_empty()
            {
                return false;
            }
            let kind = self.space.kind(info.term);
            kind.bits == self.plan.pointer_bits || kind == Kind::signed(32) || !info.aliases.is_empty()
        })
    }

    pub fn pointee(&mut self, symbol: Symbol) -> Object {
        self.objects.intern(ObjectKind::Pointee(symbol))
    }

    /// The object a term certainly refers to, without making one.
    pub fn points_to(&self, term: Term) -> Option<Object> {
        match self.space.term(term) {
            TermKind::Address { object, .. } | TermKind::Inside { object } => Some(object),
            TermKind::Symbol(symbol)
                if self.objects.symbols.get(symbol.0 as usize).is_some_and(|info| !info.aliases.is_empty()) =>
            {
                self.objects.known(&ObjectKind::Pointee(symbol))
            }
            TermKind::Extend { a } => self.points_to(a),
            _ => None,
        }
    }

    /// The object that a pointer leads to, or one beside it that has been followed.
    pub(super) fn followed_object(&self, term: Term) -> Option<Object> {
        match self.space.term(term) {
            TermKind::Address { object, .. } | TermKind::Inside { object } => Some(object),
            TermKind::Symbol(symbol) => self.objects.known(&ObjectKind::Pointee(symbol)),
            TermKind::Binary { op: Op::Add, a, b } if matches!(self.space.term(b), TermKind::Int(_)) => {
                self.followed_object(a)
            }
            TermKind::Extend { a } => self.followed_object(a),
            TermKind::Int(_) | TermKind::Binary { .. } => None,
        }
    }

    pub(crate) fn holds_pointer(&self, val: Val) -> bool {
        self.values.alternatives(val).iter().any(|&(_, term)| self.points_to(term).is_some())
    }

    /// Whether a value may lead to something that the function owns.
    pub(crate) fn holds_heap(&self, val: Val) -> bool {
        let is_heap = |object| self.objects.heap_of(object).is_some();
        self.values.alternatives(val).iter().any(|&(_, term)| self.points_to(term).is_some_and(is_heap))
    }

    pub(super) fn code(&mut self, target: Target) -> Val {
        let object = self.objects.intern(ObjectKind::Code(target));
        let term = self.space.address(object, 0, self.pointer_kind());
        self.values.single(term)
    }

    pub(super) fn global_address(&mut self, global: ir::GlobalId) -> Val {
        match self.cx.program.resolve(self.module_number, global) {
            Resolved::Function(function) => self.code(Target::Function(function)),
            Resolved::External(name) => self.code(Target::External(name)),
            Resolved::Variable(variable) => self.variable_address(variable, 0),
        }
    }

    pub(super) fn variable_address(&mut self, variable: VariableId, offset: i64) -> Val {
        let object = self.objects.intern(ObjectKind::Variable(variable));
        let term = self.space.address(object, offset, self.pointer_kind());
        self.values.single(term)
    }

    /// `base[index]`, or a member at `offset` from it.
    pub(super) fn element(&mut self, base: Term, index: Term, stride: i64) -> Term {
        let kind = self.pointer_kind();
        // Wherever it is, it is no memory.
        if let TermKind::Int(_) = self.space.term(base) {
            return base;
        }
        if let TermKind::Int(index) = self.space.term(index) {
            let Some((object, offset)) = self.place(base) else {
                let bytes = self.space.int(i128::from(index) * i128::from(stride), kind);
                return self.space.binary(Op::Add, base, bytes, kind);
            };
            if let (ObjectKind::Element { base: array, offset: start, stride: of, index: old }, Some(0)) =
                (self.objects.get(object).kind.clone(), offset)
                && of == stride
                && index != 0
            {
                let index_kind = self.space.kind(old);
                let step = self.space.int(i128::from(index), index_kind);
                let index = self.space.binary(Op::Add, old, step, index_kind);
                return self.element_of(array, start, stride, index);
            }
            let bytes = self.space.int(i128::from(index) * i128::from(stride), kind);
            return self.space.binary(Op::Add, base, bytes, kind);
        }
        let Some((object, offset)) = self.place(base) else {
            return self.opaque_symbol(kind);
        };
        let Some(offset) = offset else { return base };
        match self.objects.get(object).kind.clone() {
            ObjectKind::Element { base: array, offset: start, stride: of, index: old }
                if of == stride && offset == 0 =>
            {
                let index_kind = self.space.kind(old);
                let index = self.space.extend(index, index_kind);
                let index = self.space.binary(Op::Add, old, index, index_kind);
                self.element_of(array, start, stride, index)
            }
            _ => self.element_of(object, offset, stride, index),
        }
    }

    fn element_of(&mut self, base: Object, offset: i64, stride: i64, index: Term) -> Term {
        let kind = self.pointer_kind();
        if let TermKind::Int(index) = self.space.term(index) {
            let bytes = offset + index * stride;
            return match self.objects.get(base).kind {
                // One form for one address: that of the pointer.
                ObjectKind::Pointee(symbol) => {
                    let pointer = self.objects.symbols[symbol.0 as usize].term;
                    let bytes = self.space.int(i128::from(bytes), kind);
                    self.space.binary(Op::Add, pointer, bytes, kind)
                }
                _ => self.space.address(base, bytes, kind),
            };
        }
        let object = self.objects.intern(ObjectKind::Element { base, offset, stride, index });
        self.space.address(object, 0, kind)
    }
}
