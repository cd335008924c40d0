//! Lvalues: what they denote, their addresses, reads and writes.

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::{Expr, ExprId, ExprKind, LocalId};
use caulk_sema::types::{Bits, Ty, Type};

use super::{Lowerer, Storage};
use crate::build::Variable;
use crate::ir::{BinaryOp, InstKind, Value};

/// What an lvalue denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Variable(Variable),
    Memory {
        address: Value,
        ty: Ty,
    },
    Bits {
        address: Value,
        ty: Ty,
        bits: Bits,
    },
    /// One element of a vector that is a variable.
    Element {
        vector: Variable,
        index: Value,
        ty: Ty,
    },
    /// One part of a complex number that is a variable.
    Part {
        complex: Variable,
        is_imag: bool,
        ty: Ty,
    },
}

impl Place {
    /// Type of what is there; qualified as the lvalue is.
    pub(super) fn ty(self, cx: &Lowerer<'_>) -> Ty {
        match self {
            Place::Variable(variable) => cx.builder.variable_ty(variable),
            Place::Memory { ty, .. } | Place::Bits { ty, .. } | Place::Element { ty, .. } | Place::Part { ty, .. } => {
                ty
            }
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn place(&mut self, id: ExprId) -> Place {
        self.depth += 1;
        let place = if self.is_too_deep() {
            let Expr { ty, loc, .. } = self.expr(id);
            let pointer = self.pointer_to(ty);
            Place::Memory { address: self.unknown("nested too deeply", &[], pointer, loc), ty }
        } else {
            self.place_inner(id)
        };
        self.depth -= 1;
        place
    }

    fn place_inner(&mut self, id: ExprId) -> Place {
        let expr = self.expr(id);
        match expr.kind {
            ExprKind::Local(local) => self.local_place(local, expr.ty),
            ExprKind::Member { base, field } => self.member(base, field, expr.ty, expr.loc),
            ExprKind::CompoundLiteral { local, init } => {
                self.begin_life(local);
                self.initialise(local, init, expr.loc);
                self.local_place(local, expr.ty)
            }
            ExprKind::VectorElement { base, index } => self.vector_element(base, index, expr.ty, expr.loc),
            ExprKind::ComplexPart { value, is_imag } if self.denotes_object(value) => {
                self.complex_part(value, is_imag, expr.ty, expr.loc)
            }
            ExprKind::String(string) => {
                let element = self.unit.types.element(expr.ty).unwrap_or(expr.ty);
                let pointer = self.pointer_to(element);
                Place::Memory { address: self.builder.string(string, pointer), ty: expr.ty }
            }
            ExprKind::Global(global) => {
                let pointer = self.pointer_to(self.unit.globals[global].ty);
                Place::Memory { address: self.builder.global(global, pointer), ty: expr.ty }
            }
            ExprKind::Deref(pointer) => Place::Memory { address: self.value(pointer), ty: expr.ty },
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::ComplexPart { .. }
            | ExprKind::Load(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Negate(_)
            | ExprKind::BitNot(_)
            | ExprKind::LogicalNot(_)
            | ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::LogicalAnd(..)
            | ExprKind::LogicalOr(..)
            | ExprKind::PointerAdd { .. }
            | ExprKind::PointerDiff(..)
            | ExprKind::Conditional { .. }
            | ExprKind::Comma(..)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Increment { .. }
            | ExprKind::Cast(_)
            | ExprKind::Call { .. }
            | ExprKind::Builtin { .. }
            | ExprKind::StmtExpr { .. }
            | ExprKind::VaArg(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::SizeofVla(_)
            | ExprKind::MakeComplex(..)
            | ExprKind::Unknown { .. } => {
                // The value of a call whose member is wanted, and the like.
                let value = self.value(id);
                Place::Memory { address: self.spill(value, expr.loc), ty: expr.ty.unqualified() }
            }
        }
    }

    /// Whether an expression is an lvalue, parts of complex lvalues included.
    pub(super) fn denotes_object(&self, id: ExprId) -> bool {
        match self.expr(id).kind {
            ExprKind::ComplexPart { value, .. } => self.denotes_object(value),
            kind => kind.is_lvalue(),
        }
    }

    pub(super) fn local_place(&mut self, local: LocalId, ty: Ty) -> Place {
        match self.tables.storage[local] {
            Storage::Variable(variable) => Place::Variable(variable),
            Storage::Slot(_) => Place::Memory { address: self.slot(local), ty },
            Storage::Vla(variable) => Place::Memory { address: self.builder.read(variable), ty },
            Storage::Global(global) => {
                let pointer = self.pointer_to(self.body.locals[local].ty);
                Place::Memory { address: self.builder.global(global, pointer), ty }
            }
        }
    }

    /// The frame object of a local that lives in memory.
    pub(super) fn slot(&mut self, local: LocalId) -> Value {
        if let Storage::Slot(Some(slot)) = self.tables.storage[local] {
            return slot;
        }
        let data = &self.body.locals[local];
        let pointer = self.unit.types.pointer_to(data.ty);
        let slot = self.builder.slot(data.name, pointer, data.loc);
        self.tables.storage[local] = Storage::Slot(Some(slot));
        slot
    }

    /// An unnamed object of the frame; it lives until the current scope ends.
    pub(super) fn temporary(&mut self, ty: Ty, loc: Loc) -> Value {
        let pointer = self.pointer_to(ty.unqualified());
        let slot = self.builder.slot(Symbol::EMPTY, pointer, loc);
        self.tables.scopes.add_slot(slot);
        slot
    }

    fn spill(&mut self, value: Value, loc: Loc) -> Value {
        let ty = self.ty(value);
        if self.unit.types.is_void(ty) || self.unit.types.is_aggregate(ty) && !self.unit.types.is_record(ty) {
            let pointer = self.pointer_to(ty);
            return self.builder.undef(pointer);
        }
        let slot = self.temporary(ty, loc);
        self.emit(InstKind::Store { address: slot, value, is_volatile: false }, Ty::VOID, loc);
        slot
    }

    fn member(&mut self, base: ExprId, field: u32, ty: Ty, loc: Loc) -> Place {
        let base_ty = self.expr(base).ty;
        let base = self.address(base);
        let record = self.unit.types.record_of(base_ty);
        let data = record.and_then(|record| self.unit.types.layout(record)?.fields.get(field as usize));
        let (Some(record), Some(data)) = (record, data) else {
            let pointer = self.pointer_to(ty);
            let address = self.unknown("member of an incomplete type", &[base], pointer, loc);
            return Place::Memory { address, ty };
        };
        let bits = data.bits;
        let pointer = self.pointer_to(ty);
        let base = self.pointing_to_record(base, base_ty, loc);
        let address = self.emit(InstKind::Field { base, record, field }, pointer, loc);
        match bits {
            Some(bits) => Place::Bits { address, ty, bits },
            None => Place::Memory { address, ty },
        }
    }

    /// The address of a captured or otherwise differently typed object, as a pointer to the record.
    fn pointing_to_record(&mut self, base: Value, record: Ty, loc: Loc) -> Value {
        let pointee = self.unit.types.pointee(self.ty(base)).unwrap_or(Ty::ERROR);
        if pointee.unqualified() == record.unqualified() {
            return base;
        }
        let pointer = self.pointer_to(record.unqualified());
        self.convert(base, pointer, loc)
    }

    fn vector_element(&mut self, base: ExprId, index: ExprId, ty: Ty, loc: Loc) -> Place {
        let place = self.place(base);
        let index = self.value(index);
        match place {
            Place::Variable(vector) => Place::Element { vector, index, ty },
            Place::Memory { address, .. } => {
                let pointer = self.pointer_to(ty);
                let address = self.emit(InstKind::Element { base: address, index }, pointer, loc);
                Place::Memory { address, ty }
            }
            Place::Bits { .. } | Place::Element { .. } | Place::Part { .. } => {
                let value = self.read_place(place, loc);
                let address = self.spill(value, loc);
                let pointer = self.pointer_to(ty);
                let address = self.emit(InstKind::Element { base: address, index }, pointer, loc);
                Place::Memory { address, ty }
            }
        }
    }

    fn complex_part(&mut self, value: ExprId, is_imag: bool, ty: Ty, loc: Loc) -> Place {
        match self.place(value) {
            Place::Variable(complex) => Place::Part { complex, is_imag, ty },
            Place::Memory { address, .. } => {
                let pointer = self.pointer_to(ty);
                let index_ty = self.ptrdiff_type();
                let index = self.int(i128::from(is_imag), index_ty);
                let address = self.emit(InstKind::Element { base: address, index }, pointer, loc);
                Place::Memory { address, ty }
            }
            // The real part of a real number is that number.
            place @ (Place::Bits { .. } | Place::Element { .. } | Place::Part { .. }) => place,
        }
    }

    // ---- addresses -------------------------------------------------------------------------

    /// The address of what an lvalue denotes. A variable, which should have none, is copied to
    /// memory first.
    pub(super) fn address(&mut self, id: ExprId) -> Value {
        let loc = self.expr(id).loc;
        match self.place(id) {
            Place::Memory { address, .. } | Place::Bits { address, .. } => address,
            place @ (Place::Variable(_) | Place::Element { .. } | Place::Part { .. }) => {
                let value = self.read_place(place, loc);
                self.spill(value, loc)
            }
        }
    }

    /// `&lvalue`, as a pointer of type `ty`.
    pub(super) fn address_of(&mut self, id: ExprId, ty: Ty, loc: Loc) -> Value {
        match self.expr(id).kind {
            // Constants have whatever pointer type is wanted.
            ExprKind::Global(global) if self.unit.types.is_pointer(ty) => self.builder.global(global, ty),
            ExprKind::String(string) if self.unit.types.is_pointer(ty) => self.builder.string(string, ty),
            _ => {
                let address = self.address(id);
                self.convert(address, ty, loc)
            }
        }
    }

    // ---- reads and writes ------------------------------------------------------------------

    pub(super) fn read_place(&mut self, place: Place, loc: Loc) -> Value {
        match place {
            Place::Variable(variable) => self.builder.read(variable),
            Place::Memory { address, ty } => match self.unit.types.get(ty) {
                // An array in the place of a value can only come from a program in error.
                Type::Array(..) | Type::Vla(..) | Type::Function(_) | Type::Void => {
                    self.unknown("value of an array", &[address], ty, loc)
                }
                _ => self.load(address, ty, loc),
            },
            Place::Bits { address, ty, bits } => {
                self.emit(InstKind::LoadBits { address, bits, is_volatile: ty.is_volatile() }, ty, loc)
            }
            Place::Element { vector, index, ty } => {
                let vector = self.builder.read(vector);
                self.emit(InstKind::VectorElement { vector, index }, ty, loc)
            }
            Place::Part { complex, is_imag, ty } => {
                let value = self.builder.read(complex);
                self.emit(InstKind::ComplexPart { value, is_imag }, ty, loc)
            }
        }
    }

    pub(super) fn load(&mut self, address: Value, ty: Ty, loc: Loc) -> Value {
        let address = self.pointing_to(address, ty, loc);
        self.emit(InstKind::Load { address, is_volatile: ty.is_volatile() }, ty, loc)
    }

    pub(super) fn store(&mut self, address: Value, value: Value, ty: Ty, loc: Loc) {
        let address = self.pointing_to(address, ty, loc);
        self.emit(InstKind::Store { address, value, is_volatile: ty.is_volatile() }, Ty::VOID, loc);
    }

    /// The address as one that can be loaded from or stored to with this type.
    fn pointing_to(&mut self, address: Value, ty: Ty, loc: Loc) -> Value {
        let Some(pointee) = self.unit.types.pointee(self.ty(address)) else { return address };
        if pointee.unqualified() == ty.unqualified() || self.unit.types.is_void(pointee) {
            return address;
        }
        let pointer = self.pointer_to(ty);
        self.convert(address, pointer, loc)
    }

    /// The variable has this value from here on; told to later analyses if it is a pointer or what a call returned.
    pub(super) fn set_variable(&mut self, variable: Variable, value: Value, loc: Loc) {
        self.builder.write(variable, value);
        let (name, ty) = (self.builder.variable_name(variable), self.builder.variable_ty(variable));
        let is_result = matches!(self.builder.kind(value), InstKind::Call { .. });
        if name != Symbol::EMPTY && (self.unit.types.is_pointer(ty) || is_result) {
            self.emit(InstKind::Bind { variable: name, value }, Ty::VOID, loc);
        }
    }

    pub(super) fn write_place(&mut self, place: Place, value: Value, loc: Loc) {
        match place {
            Place::Variable(variable) => self.set_variable(variable, value, loc),
            Place::Memory { address, ty } => self.store(address, value, ty, loc),
            Place::Bits { address, ty, bits } => {
                let kind = InstKind::StoreBits { address, value, bits, is_volatile: ty.is_volatile() };
                self.emit(kind, Ty::VOID, loc);
            }
            Place::Element { vector, index, ty } => {
                let whole = self.builder.read(vector);
                let slot = self.spill(whole, loc);
                let pointer = self.pointer_to(ty);
                let address = self.emit(InstKind::Element { base: slot, index }, pointer, loc);
                self.store(address, value, ty.unqualified(), loc);
                let whole_ty = self.builder.variable_ty(vector);
                let whole = self.load(slot, whole_ty, loc);
                self.builder.write(vector, whole);
            }
            Place::Part { complex, is_imag, ty } => {
                let whole = self.builder.read(complex);
                let other = self.emit(InstKind::ComplexPart { value: whole, is_imag: !is_imag }, ty, loc);
                let (real, imag) = if is_imag { (other, value) } else { (value, other) };
                let whole_ty = self.builder.variable_ty(complex);
                let whole = self.emit(InstKind::MakeComplex { real, imag }, whole_ty, loc);
                self.builder.write(complex, whole);
            }
        }
    }

    /// What a place holds after `value` was written to it: a bit-field keeps only its bits.
    pub(super) fn written_value(&mut self, place: Place, value: Value, loc: Loc) -> Value {
        let Place::Bits { ty, bits, .. } = place else { return value };
        let Some((width, is_signed)) = self.unit.types.int_info(ty) else { return value };
        let ty = ty.unqualified();
        let kept = u32::from(bits.width);
        if ty == Ty::BOOL || kept >= width {
            return value;
        }
        if let Some(number) = self.int_value(value) {
            return self.int(crate::build::wrap(number, kept, is_signed), ty);
        }
        let count = self.int(i128::from(width - kept), Ty::INT);
        let up = self.emit(InstKind::Binary { op: BinaryOp::Shl, a: value, b: count }, ty, loc);
        self.emit(InstKind::Binary { op: BinaryOp::Shr, a: up, b: count }, ty, loc)
    }
}
