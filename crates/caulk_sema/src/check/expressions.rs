//! Expressions: names, literals, members, indexing, casts, `sizeof`, `_Generic`.

use caulk_base::symbol::word;
use caulk_base::{Loc, Symbol};
use caulk_syntax::ast::{self, Encoding, IntSuffix};

use super::Cx;
use crate::hir::{ExprId, ExprKind, List, StmtKind};
use crate::scope::Meaning;
use crate::types::{Ty, Type, quals};
use crate::unit::{GlobalId, StringData, StringId};

impl Cx<'_> {
    /// Checks an expression; the result may be an lvalue.
    pub(super) fn expr(&mut self, id: ast::ExprId) -> ExprId {
        let ast::Expr { kind, loc } = self.ast.exprs[id];
        match kind {
            ast::ExprKind::Name(name) => self.name(name, loc),
            ast::ExprKind::Int { value, suffix } => self.integer(value, suffix, loc),
            ast::ExprKind::Float { value, ty, is_imaginary } => {
                let ty = self.basic(ty);
                let value = self.unit.types.round_float(value, ty);
                let expr = self.push_expr(ExprKind::Float(value), ty, loc);
                if is_imaginary { self.imaginary(expr, loc) } else { expr }
            }
            ast::ExprKind::Char { value, encoding } => {
                let ty = match encoding {
                    Encoding::Char => Ty::INT,
                    Encoding::Utf8 => Ty::UCHAR,
                    Encoding::Utf16 => Ty::USHORT,
                    Encoding::Utf32 => Ty::UINT,
                    Encoding::Wide => self.wchar_type(),
                };
                let is_plain = encoding == Encoding::Char && (-128..=255).contains(&value);
                let value = if is_plain { self.unit.types.wrap(value.into(), Ty::CHAR) } else { value.into() };
                self.int(value, ty, loc)
            }
            ast::ExprKind::String(string) => self.string(string, loc),
            ast::ExprKind::Bool(value) => self.int(value.into(), Ty::BOOL, loc),
            ast::ExprKind::Nullptr => self.int(0, Ty::NULLPTR, loc),
            ast::ExprKind::Unary(op, operand) => self.unary(op, operand, loc),
            ast::ExprKind::Binary(op, a, b) => self.binary_expr(op, a, b, loc),
            ast::ExprKind::Assign(None, target, value) => self.assign(target, value, loc),
            ast::ExprKind::Assign(Some(op), target, value) => self.compound_assign(op, target, value, loc),
            ast::ExprKind::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise, loc),
            ast::ExprKind::Comma(a, b) => {
                let first = self.expr(a);
                let first = self.effect(first);
                let second = self.expr(b);
                let second = self.rvalue(second);
                let ty = self.ty_of(second);
                if self.is_error(second) {
                    return self.unknown(&[first, second], Ty::ERROR, loc);
                }
                self.push_expr(ExprKind::Comma(first, second), ty, loc)
            }
            ast::ExprKind::Cast(name, operand) => {
                let pending = self.pending_vlas.len();
                let ty = self.type_name(name);
                let value = self.expr(operand);
                let value = self.cast_expr(value, ty, loc);
                self.with_pending_vlas(pending, value, loc)
            }
            ast::ExprKind::CompoundLiteral(name, init) => self.compound_literal(name, init, loc),
            ast::ExprKind::Call(callee, args) => self.call(callee, args, loc),
            ast::ExprKind::Member { base, name, is_arrow } => self.member(base, name, is_arrow, loc),
            ast::ExprKind::Index(base, index) => self.index(base, index, loc),
            ast::ExprKind::SizeofExpr(operand) => {
                let operand = self.expr(operand);
                let ty = self.ty_of(operand);
                self.sizeof(ty, loc)
            }
            ast::ExprKind::SizeofType(name) => {
                let pending = self.pending_vlas.len();
                let ty = self.type_name(name);
                let size = self.sizeof(ty, loc);
                self.with_pending_vlas(pending, size, loc)
            }
            ast::ExprKind::AlignofExpr(operand) => {
                let operand = self.expr(operand);
                let ty = self.ty_of(operand);
                self.alignof(ty, None, loc)
            }
            ast::ExprKind::AlignofType(name) => {
                let (ty, align) = self.type_name_align(name);
                self.alignof(ty, align, loc)
            }
            ast::ExprKind::CountofExpr(operand) => {
                let operand = self.expr(operand);
                let ty = self.ty_of(operand);
                self.countof(ty, loc)
            }
            ast::ExprKind::CountofType(name) => {
                let ty = self.type_name(name);
                self.countof(ty, loc)
            }
            ast::ExprKind::Generic(generic) => self.generic(generic, loc),
            ast::ExprKind::StmtExpr(block) => self.statement_expr(block, loc),
            ast::ExprKind::LabelAddress(label) => {
                let label = self.label(label, loc);
                self.body.labels[label].is_address_taken = true;
                self.push_expr(ExprKind::LabelAddress(label), Ty::VOID_PTR, loc)
            }
            ast::ExprKind::Offsetof(name, designator) => self.offsetof(name, designator, loc),
            ast::ExprKind::OffsetofBase => self.unknown(&[], Ty::ERROR, loc),
            ast::ExprKind::VaArg(list, name) => {
                let list = self.expr(list);
                let list = self.va_list_address(list, loc);
                let ty = self.type_name(name);
                let ty = self.value_type(ty);
                if self.is_error(list) || self.unit.types.is_error(ty) {
                    return self.unknown(&[list], ty, loc);
                }
                self.push_expr(ExprKind::VaArg(list), ty, loc)
            }
            ast::ExprKind::ChooseExpr(condition, a, b) => match self.constant(condition) {
                Some(0) => self.expr(b),
                Some(_) => self.expr(a),
                None => self.conditional(condition, Some(a), b, loc),
            },
            ast::ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let same = self.unit.types.compatible_unqualified(a, b);
                self.int(same.into(), Ty::INT, loc)
            }
            ast::ExprKind::ConvertVector(operand, name) => {
                let value = self.expr(operand);
                let value = self.rvalue(value);
                let ty = self.type_name(name);
                let ty = self.value_type(ty);
                if self.unit.types.is_error(ty) {
                    return self.unknown(&[value], ty, loc);
                }
                // Element by element; not the same bytes, so not a cast.
                self.opaque_builtin(Symbol::intern("__builtin_convertvector"), &[value], ty, loc)
            }
            ast::ExprKind::BitCast(name, operand) => {
                let value = self.expr(operand);
                let value = self.rvalue(value);
                let ty = self.type_name(name).unqualified();
                if self.ty_of(value) == ty {
                    return value;
                }
                if self.unit.types.is_void(self.ty_of(value)) {
                    return self.unknown(&[value], ty, loc);
                }
                let object = self.temporary(value, loc);
                let address = self.address_of(object, loc);
                let pointer = self.unit.types.pointer_to(ty);
                let address = self.cast(address, pointer);
                let other = self.deref(address, loc);
                self.rvalue(other)
            }
            ast::ExprKind::Type(_) | ast::ExprKind::Error => self.unknown(&[], Ty::ERROR, loc),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, id: ast::ExprId) -> ExprId {
        let expr = self.expr(id);
        self.rvalue(expr)
    }

    /// An expression evaluated for its effects: nothing is loaded unless volatile.
    pub(super) fn effect(&mut self, expr: ExprId) -> ExprId {
        let loc = self.loc_of(expr);
        let is_lvalue = self.kind_of(expr).is_lvalue();
        if is_lvalue && !self.ty_of(expr).is_volatile() && self.bit_field(expr).is_none() {
            let address = if matches!(self.kind_of(expr), ExprKind::Local(_)) {
                self.rvalue(expr)
            } else {
                self.address_of(expr, loc)
            };
            return self.cast(address, Ty::VOID);
        }
        let value = self.rvalue(expr);
        if self.is_error(value) { self.cast(value, Ty::INT) } else { value }
    }

    /// Runs the settings of variable-length arrays met since `from` before the expression.
    pub(super) fn with_pending_vlas(&mut self, from: usize, value: ExprId, loc: Loc) -> ExprId {
        if self.pending_vlas.len() <= from {
            return value;
        }
        if self.function.is_none() {
            self.pending_vlas.truncate(from);
            return value;
        }
        let mut stmts = Vec::new();
        self.take_pending_vlas(from, loc, &mut stmts);
        let value = self.rvalue(value);
        let value = if self.is_error(value) { self.cast(value, Ty::INT) } else { value };
        let ty = self.ty_of(value);
        let stmts = self.stmt_list(&stmts);
        let block = self.push_stmt(StmtKind::Block { stmts, end: loc }, loc);
        let value = if self.unit.types.is_void(ty) { None } else { Some(value) };
        self.push_expr(ExprKind::StmtExpr { block, value }, ty, loc)
    }

    // ---- names and literals ----------------------------------------------------------------

    fn name(&mut self, name: Symbol, loc: Loc) -> ExprId {
        match self.names.get(name) {
            Some(Meaning::Local { local, depth }) if depth == self.depth() => {
                let ty = self.body.locals[local].ty;
                self.push_expr(ExprKind::Local(local), ty, loc)
            }
            Some(Meaning::Local { local, depth }) => {
                let global = self.capture(local, depth);
                self.global(global, loc)
            }
            Some(Meaning::Global(global)) => self.global(global, loc),
            Some(Meaning::Enumerator { value, ty }) => self.int(value, ty, loc),
            Some(Meaning::Typedef { .. } | Meaning::Tag(_) | Meaning::Lost) => self.unknown(&[], Ty::ERROR, loc),
            None => match name {
                word::FUNC | word::FUNCTION | word::PRETTY_FUNCTION => self.function_name(loc),
                _ => {
                    self.error(loc, format!("`{name}` is not declared"));
                    self.names.declare(name, Meaning::Lost);
                    self.unknown(&[], Ty::ERROR, loc)
                }
            },
        }
    }

    pub(super) fn global(&mut self, global: GlobalId, loc: Loc) -> ExprId {
        let ty = self.unit.globals[global].ty;
        self.push_expr(ExprKind::Global(global), ty, loc)
    }

    fn function_name(&mut self, loc: Loc) -> ExprId {
        let name = self.function.as_ref().map_or("", |function| function.name.as_str());
        let string = self.intern_string(name.as_bytes(), Ty::CHAR.with(quals::CONST), 1);
        let ty = self.unit.strings[string].ty;
        self.push_expr(ExprKind::String(string), ty, loc)
    }

    fn integer(&mut self, value: u64, suffix: IntSuffix, loc: Loc) -> ExprId {
        let ty = if suffix.is_bit_int {
            let needed = 64 - value.leading_zeros();
            let bits = if suffix.is_unsigned { needed.max(1) } else { (needed + 1).max(2) };
            self.unit.types.intern(Type::BitInt { bits, is_signed: !suffix.is_unsigned })
        } else {
            let candidates = [
                (Ty::INT, 0, false),
                (Ty::UINT, 0, true),
                (Ty::LONG, 1, false),
                (Ty::ULONG, 1, true),
                (Ty::LONG_LONG, 2, false),
                (Ty::ULONG_LONG, 2, true),
            ];
            let fits = |&(ty, longs, is_unsigned): &(Ty, u8, bool)| {
                longs >= suffix.longs
                    && (is_unsigned || !suffix.is_unsigned)
                    && (!is_unsigned || suffix.is_unsigned || !suffix.is_decimal)
                    && self.unit.types.wrap(value.into(), ty) == i128::from(value)
            };
            let largest = if suffix.is_decimal && !suffix.is_unsigned { Ty::INT128 } else { Ty::ULONG_LONG };
            candidates.iter().find(|candidate| fits(candidate)).map_or(largest, |candidate| candidate.0)
        };
        let expr = self.int(value.into(), ty, loc);
        if suffix.is_imaginary { self.imaginary(expr, loc) } else { expr }
    }

    fn imaginary(&mut self, imag: ExprId, loc: Loc) -> ExprId {
        let element = self.ty_of(imag);
        let zero = self.int(0, Ty::INT, loc);
        let real = self.cast(zero, element);
        let ty = self.unit.types.intern(Type::Complex(element));
        self.push_expr(ExprKind::MakeComplex(real, imag), ty, loc)
    }

    fn wchar_type(&mut self) -> Ty {
        let kind = self.unit.types.target.wchar_type;
        self.unit.types.intern(Type::Int(kind))
    }

    pub(super) fn string(&mut self, id: ast::StringId, loc: Loc) -> ExprId {
        let ast = self.ast;
        let literal = &ast.strings[id];
        let (element, width) = match literal.encoding {
            Encoding::Char => (Ty::CHAR, 1),
            Encoding::Utf8 if self.options.dialect.standard >= caulk_syntax::Standard::C23 => (Ty::UCHAR, 1),
            Encoding::Utf8 => (Ty::CHAR, 1),
            Encoding::Utf16 => (Ty::USHORT, 2),
            Encoding::Utf32 => (Ty::UINT, 4),
            Encoding::Wide => (self.wchar_type(), 4),
        };
        let string = self.intern_string(&literal.bytes, element, width);
        let ty = self.unit.strings[string].ty;
        self.push_expr(ExprKind::String(string), ty, loc)
    }

    /// A literal with its terminator, shared with equal ones.
    pub(super) fn intern_string(&mut self, text: &[u8], element: Ty, width: usize) -> StringId {
        let mut bytes = Vec::with_capacity(text.len() + width);
        bytes.extend_from_slice(text);
        bytes.resize(text.len() + width, 0);
        let ty = self.unit.types.array_of(element, Some((bytes.len() / width) as u64));
        let data = StringData { bytes: bytes.into(), ty };
        if let Some(&string) = self.string_numbers.get(&data) {
            return string;
        }
        let string = self.unit.strings.push(data.clone());
        self.string_numbers.insert(data, string);
        string
    }

    // ---- members and elements --------------------------------------------------------------

    fn member(&mut self, base: ast::ExprId, name: Symbol, is_arrow: bool, loc: Loc) -> ExprId {
        let base = self.expr(base);
        let base = if is_arrow {
            let pointer = self.rvalue(base);
            self.deref(pointer, loc)
        } else {
            base
        };
        self.member_of(base, name, loc)
    }

    pub(super) fn member_of(&mut self, base: ExprId, name: Symbol, loc: Loc) -> ExprId {
        let ty = self.ty_of(base);
        let Some(record) = self.unit.types.record_of(ty) else {
            return self.unknown(&[base], Ty::ERROR, loc);
        };
        let Some(path) = self.find_member(record, name) else {
            return self.unknown(&[base], Ty::ERROR, loc);
        };
        let base = if self.kind_of(base).is_lvalue() { base } else { self.temporary(base, loc) };
        self.member_path(base, &path, loc)
    }

    /// Walks field numbers from a record lvalue.
    pub(super) fn member_path(&mut self, base: ExprId, path: &[u32], loc: Loc) -> ExprId {
        let mut place = base;
        for &field in path {
            let base_ty = self.ty_of(place);
            let field_ty = self
                .unit
                .types
                .record_of(base_ty)
                .and_then(|record| self.unit.types.layout(record))
                .and_then(|layout| layout.fields.get(field as usize))
                .map_or(Ty::ERROR, |field| field.ty);
            let ty = self.qualified_member(field_ty, base_ty);
            place = self.push_expr(ExprKind::Member { base: place, field }, ty, loc);
        }
        place
    }

    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, loc: Loc) -> ExprId {
        let base = self.expr(base);
        let index = self.expr(index);
        if self.unit.types.is_vector(self.ty_of(base)) {
            return self.vector_element(base, index, loc);
        }
        let (mut pointer, mut index) = (self.rvalue(base), self.rvalue(index));
        if self.unit.types.is_pointer(self.ty_of(index)) {
            std::mem::swap(&mut pointer, &mut index);
        }
        if !self.unit.types.is_pointer(self.ty_of(pointer)) || !self.unit.types.is_integer(self.ty_of(index)) {
            return self.unknown(&[pointer, index], Ty::ERROR, loc);
        }
        let address = self.pointer_add(pointer, index, false, loc);
        self.deref(address, loc)
    }

    fn vector_element(&mut self, base: ExprId, index: ExprId, loc: Loc) -> ExprId {
        let index = self.promote(index);
        let Type::Vector(element, _) = self.unit.types.get(self.ty_of(base)) else {
            return self.unknown(&[base, index], Ty::ERROR, loc);
        };
        if !self.unit.types.is_integer(self.ty_of(index)) {
            return self.unknown(&[base, index], element, loc);
        }
        let ty = self.qualified_member(element, self.ty_of(base));
        let base = if self.kind_of(base).is_lvalue() { base } else { self.temporary(base, loc) };
        self.mark_in_memory(base);
        self.push_expr(ExprKind::VectorElement { base, index }, ty, loc)
    }

    fn offsetof(&mut self, name: ast::TypeName, designator: ast::ExprId, loc: Loc) -> ExprId {
        let ty = self.type_name(name);
        let pointer = self.unit.types.pointer_to(ty);
        let null = self.int(0, pointer, loc);
        let object = self.push_expr(ExprKind::Deref(null), ty, loc);
        let place = self.offsetof_place(designator, object);
        let size_type = self.size_type();
        if self.is_error(place) {
            return self.unknown(&[], size_type, loc);
        }
        let address = self.address_of(place, loc);
        self.cast(address, size_type)
    }

    fn offsetof_place(&mut self, designator: ast::ExprId, object: ExprId) -> ExprId {
        let ast::Expr { kind, loc } = self.ast.exprs[designator];
        match kind {
            ast::ExprKind::OffsetofBase => object,
            ast::ExprKind::Member { base, name, .. } => {
                let base = self.offsetof_place(base, object);
                self.member_of(base, name, loc)
            }
            ast::ExprKind::Index(base, index) => {
                let base = self.offsetof_place(base, object);
                let pointer = self.rvalue(base);
                let index = self.value(index);
                if self.is_error(pointer) || self.is_error(index) {
                    return self.unknown(&[index], Ty::ERROR, loc);
                }
                let address = self.pointer_add(pointer, index, false, loc);
                self.deref(address, loc)
            }
            _ => self.unknown(&[], Ty::ERROR, loc),
        }
    }

    // ---- types in expressions --------------------------------------------------------------

    pub(super) fn cast_expr(&mut self, value: ExprId, ty: Ty, loc: Loc) -> ExprId {
        if self.unit.types.is_void(ty) {
            let value = self.effect(value);
            return self.cast(value, Ty::VOID);
        }
        let value = self.rvalue(value);
        let from = self.ty_of(value);
        match self.unit.types.get(ty) {
            // GNU: a cast to a union type makes one holding the value.
            Type::Record(record) if from.unqualified() != ty.unqualified() && !self.is_error(value) => {
                let field = self.unit.types.layout(record).and_then(|layout| {
                    layout.fields.iter().position(|f| self.unit.types.compatible_unqualified(f.ty, from))
                });
                match field {
                    Some(field) => self.union_of(ty, field, value, loc),
                    None => self.unknown(&[value], ty, loc),
                }
            }
            Type::Complex(element) if !self.unit.types.is_complex(from) && self.unit.types.is_scalar(from) => {
                let real = self.cast(value, element);
                let zero = self.int(0, Ty::INT, loc);
                let imag = self.cast(zero, element);
                self.push_expr(ExprKind::MakeComplex(real, imag), ty.unqualified(), loc)
            }
            _ => self.cast(value, ty),
        }
    }

    /// A union (as an rvalue) whose field holds the value.
    pub(super) fn union_of(&mut self, ty: Ty, field: usize, value: ExprId, loc: Loc) -> ExprId {
        let ty = ty.unqualified();
        let field_ty = self
            .unit
            .types
            .record_of(ty)
            .and_then(|record| self.unit.types.layout(record))
            .and_then(|layout| layout.fields.get(field))
            .map_or(Ty::ERROR, |field| field.ty.unqualified());
        let value = self.cast(value, field_ty);
        let item = crate::hir::InitItem { offset: 0, bits: None, ty: field_ty, value };
        let literal = self.literal_local(ty, crate::hir::Init { zero_first: true, items: vec![item] }, loc);
        self.rvalue(literal)
    }

    fn sizeof(&mut self, ty: Ty, loc: Loc) -> ExprId {
        let size_type = self.size_type();
        if self.unit.types.is_variably_sized(ty) {
            return self.push_expr(ExprKind::SizeofVla(ty), size_type, loc);
        }
        match self.unit.types.size_of(ty) {
            Some(size) => self.int(size.into(), size_type, loc),
            None => self.unknown(&[], size_type, loc),
        }
    }

    fn alignof(&mut self, ty: Ty, align: Option<u64>, loc: Loc) -> ExprId {
        let size_type = self.size_type();
        match align.or_else(|| self.unit.types.align_of(ty)) {
            Some(align) => self.int(align.into(), size_type, loc),
            None => self.unknown(&[], size_type, loc),
        }
    }

    fn countof(&mut self, ty: Ty, loc: Loc) -> ExprId {
        let size_type = self.size_type();
        match self.unit.types.get(ty) {
            Type::Array(_, Some(len)) => self.int(len.into(), size_type, loc),
            _ => self.unknown(&[], size_type, loc),
        }
    }

    fn generic(&mut self, id: ast::GenericId, loc: Loc) -> ExprId {
        let ast = self.ast;
        let generic = &ast.generics[id];
        let control = match generic.control {
            ast::GenericControl::Expr(expr) => {
                let value = self.value(expr);
                self.ty_of(value).unqualified()
            }
            ast::GenericControl::Type(name) => self.type_name(name),
        };
        let mut default = None;
        for &(name, expr) in &generic.arms {
            let Some(name) = name else {
                default = Some(expr);
                continue;
            };
            let ty = self.type_name(name);
            if self.unit.types.compatible(ty, control) {
                return self.expr(expr);
            }
        }
        match default {
            Some(expr) => self.expr(expr),
            None => self.unknown(&[], Ty::ERROR, loc),
        }
    }

    fn statement_expr(&mut self, block: ast::StmtId, loc: Loc) -> ExprId {
        let ast::StmtKind::Block { stmts, end } = self.ast.stmts[block].kind else {
            return self.unknown(&[], Ty::ERROR, loc);
        };
        if self.function.is_none() {
            return self.file_scope_statement_expr(stmts, loc);
        }
        let (block, value) = self.block_with_value(stmts, end, loc);
        let ty = value.map_or(Ty::VOID, |value| self.ty_of(value));
        let value = match value {
            Some(value) if self.unit.types.is_error(ty) => Some(self.cast(value, Ty::INT)),
            other => other,
        };
        let ty = value.map_or(Ty::VOID, |value| self.ty_of(value));
        // A block without statements adds nothing: `({ 5; })` is a constant to us.
        if let (Some(value), StmtKind::Block { stmts: List { len: 0, .. }, .. }) = (value, self.body.stmts[block].kind)
        {
            return value;
        }
        self.push_expr(ExprKind::StmtExpr { block, value }, ty, loc)
    }

    /// Outside functions only the type matters (`typeof(({ … }))`).
    fn file_scope_statement_expr(&mut self, stmts: ast::List, loc: Loc) -> ExprId {
        let ast = self.ast;
        self.push_scope();
        let mut ty = Ty::VOID;
        for &stmt in ast.stmt_list(stmts) {
            match ast.stmts[stmt].kind {
                ast::StmtKind::Declaration(declaration) => self.local_declaration(declaration, &mut Vec::new()),
                ast::StmtKind::Expr(expr) => {
                    let value = self.value(expr);
                    ty = self.ty_of(value);
                }
                _ => {}
            }
        }
        self.pop_scope();
        self.unknown(&[], ty, loc)
    }
}
