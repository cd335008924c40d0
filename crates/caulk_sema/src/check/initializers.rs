//! Initialisers: designators, brace elision, strings; flattened to (offset, value).
//!
//! ```c
//! struct { int a[2]; struct { char c, d; } s; } x = { 1, 2, .s.c = 3, 4 };
//! //  offset 0: 1, offset 4: 2, offset 8: 3, offset 9: 4
//! ```
//! A braced list fills the object it stands for; an aggregate without braces of its own takes as
//! many items of the surrounding list as it has parts. A designator moves to a part; the items after
//! it go on from there.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast::{self, Designator, InitItem as AstItem};

use super::Cx;
use crate::hir::{ExprId, ExprKind, Init, InitItem};
use crate::types::{Bits, Ty, Type};

/// More items than this in one initialiser: the rest is dropped, so that it costs bounded
/// memory. Errs towards "zero" for the tail.
const MAX_ITEMS: usize = 1 << 22;

/// `[0 ... n] = x` is written out for so many elements. Errs towards "zero" for the rest.
const MAX_RANGE_ITEMS: usize = 1 << 16;

/// An initialiser being flattened.
struct Flat {
    items: Vec<InitItem>,
    /// Bytes that array elements reach up to: gives `int a[] = {…}` its length.
    extent: u64,
    /// The checked value of this initialiser, so that nothing is checked twice.
    checked: Option<(ast::InitId, ExprId)>,
}

/// Where the next values go.
#[derive(Clone, Copy)]
struct Part {
    ty: Ty,
    offset: u64,
    bits: Option<Bits>,
}

impl Cx<'_> {
    /// The flat initialiser of an object, and the object's type with its length settled.
    pub(super) fn initializer(&mut self, ty: Ty, init: ast::InitId) -> (Ty, Init) {
        let mut flat = Flat { items: Vec::new(), extent: 0, checked: None };
        if self.unit.types.is_variably_sized(ty) {
            return (ty, self.variable_initializer(ty, init));
        }
        let part = Part { ty, offset: 0, bits: None };
        let is_list = match self.ast.inits[init] {
            ast::Init::Expr(expr) => {
                let value = self.expr(expr);
                self.whole(&mut flat, part, value)
            }
            ast::Init::List { items, loc } => {
                let ast = self.ast;
                self.braced(&mut flat, part, ast.init_items(items), loc)
            }
        };
        let ty = match self.unit.types.get(ty) {
            Type::Array(element, None) => {
                let size = self.unit.types.size_of(element).unwrap_or(1).max(1);
                let len = flat.extent.div_ceil(size);
                self.unit.types.array_of(element, Some(len)).with(ty.qualifiers())
            }
            _ => ty,
        };
        (ty, Init { zero_first: is_list && self.is_compound(ty), items: flat.items })
    }

    /// A variable-length array may only be initialised with `{}`. Its first element stands for all of
    /// them, and may be anything.
    fn variable_initializer(&mut self, ty: Ty, init: ast::InitId) -> Init {
        let element = self.innermost(ty);
        let (values, loc) = match self.ast.inits[init] {
            ast::Init::Expr(expr) => (vec![self.value(expr)], self.ast.exprs[expr].loc),
            ast::Init::List { loc, .. } => (Vec::new(), loc),
        };
        let value = self.unknown(&values, element, loc);
        let item = InitItem { offset: 0, bits: None, ty: element.unqualified(), value };
        Init { zero_first: false, items: vec![item] }
    }

    /// What the arrays of arrays are made of.
    pub(super) fn innermost(&self, ty: Ty) -> Ty {
        let mut ty = ty;
        while let Some(element) = self.unit.types.element(ty) {
            ty = element;
        }
        ty
    }

    /// Sets a whole object from one expression. True if the object must be zeroed first.
    fn whole(&mut self, flat: &mut Flat, part: Part, value: ExprId) -> bool {
        let loc = self.loc_of(value);
        if let Type::Array(element, _) = self.unit.types.get(part.ty) {
            if let ExprKind::String(_) = self.kind_of(value) {
                return self.string_item(flat, part, value);
            }
            // GNU: an array from a compound literal takes over what that one is set to.
            if let ExprKind::CompoundLiteral { init, .. } = self.kind_of(value) {
                let inner = self.body.inits[init].clone();
                self.note_extent(flat, part, element, value);
                flat.items
                    .extend(inner.items.iter().map(|item| InitItem { offset: part.offset + item.offset, ..*item }));
                return inner.zero_first;
            }
            if let ExprKind::Global(_) = self.kind_of(value)
                && self.in_static_init
            {
                self.note_extent(flat, part, element, value);
                let ty = self.ty_of(value).unqualified();
                let loaded = self.push_expr(ExprKind::Load(value), ty, loc);
                self.push_item(flat, Part { ty, ..part }, loaded);
                return false;
            }
            let value = self.rvalue(value);
            let ty = self.innermost(element);
            let unknown = self.unknown(&[value], ty, loc);
            self.push_item(flat, Part { ty, ..part }, unknown);
            return false;
        }
        let value = self.rvalue(value);
        let value = self.convert(value, part.ty, loc);
        self.push_item(flat, part, value);
        false
    }

    fn note_extent(&mut self, flat: &mut Flat, part: Part, element: Ty, value: ExprId) {
        if let (Type::Array(_, Some(len)), Some(size)) =
            (self.unit.types.get(self.ty_of(value)), self.unit.types.size_of(element))
        {
            flat.extent = flat.extent.max(part.offset + len * size);
        }
    }

    fn string_item(&mut self, flat: &mut Flat, part: Part, value: ExprId) -> bool {
        let literal = self.ty_of(value);
        let ty = match (self.unit.types.get(part.ty), self.unit.types.get(literal)) {
            (Type::Array(element, None), Type::Array(_, len)) => {
                let size = self.unit.types.size_of(literal).unwrap_or(0);
                flat.extent = flat.extent.max(part.offset + size);
                self.unit.types.array_of(element, len)
            }
            _ => part.ty,
        };
        self.push_item(flat, Part { ty, ..part }, value);
        false
    }

    fn push_item(&mut self, flat: &mut Flat, part: Part, value: ExprId) {
        if flat.items.len() < MAX_ITEMS && !self.unit.types.is_error(part.ty) {
            let ty = part.ty.unqualified();
            flat.items.push(InitItem { offset: part.offset, bits: part.bits, ty, value });
        }
    }

    /// `{ … }` for one object. True if the object must be zeroed first.
    fn braced(&mut self, flat: &mut Flat, part: Part, items: &[AstItem], loc: Loc) -> bool {
        let is_compound = self.is_compound(part.ty);
        if !is_compound {
            match items.first() {
                // `int x = {};`
                None => {
                    let zero = self.int(0, Ty::INT, loc);
                    let zero = self.convert(zero, part.ty, loc);
                    self.push_item(flat, part, zero);
                }
                Some(item) => match self.ast.inits[item.init] {
                    ast::Init::Expr(expr) => {
                        let value = self.expr(expr);
                        self.whole(flat, part, value);
                    }
                    ast::Init::List { items, loc } => {
                        let ast = self.ast;
                        self.braced(flat, part, ast.init_items(items), loc);
                    }
                },
            }
            return false;
        }
        if let [only] = items
            && only.designators.is_empty()
            && self.is_string_for(part.ty, only)
            && let ast::Init::Expr(expr) = self.ast.inits[only.init]
        {
            let value = self.expr(expr);
            return self.whole(flat, part, value);
        }
        let mut at = 0;
        while at < items.len() {
            let before = at;
            if !items[at].designators.is_empty() {
                self.designated(flat, part, &items[at].designators, items, &mut at);
            } else if at == 0 {
                self.fill(flat, part, 0, items, &mut at);
            }
            if at == before {
                at += 1; // More items than parts.
            }
        }
        true
    }

    /// Whether an object of this type is set part by part.
    fn is_compound(&self, ty: Ty) -> bool {
        self.unit.types.is_aggregate(ty) || self.unit.types.is_vector(ty)
    }

    fn is_string_for(&self, ty: Ty, item: &AstItem) -> bool {
        let ast::Init::Expr(expr) = self.ast.inits[item.init] else { return false };
        matches!(self.ast.exprs[expr].kind, ast::ExprKind::String(_))
            && self.unit.types.element(ty).is_some_and(|element| self.unit.types.is_integer(element))
    }

    /// Fills the parts of an aggregate from `start` on, until they or the plain items end.
    fn fill(&mut self, flat: &mut Flat, part: Part, start: u64, items: &[AstItem], at: &mut usize) {
        let mut number = start;
        while *at < items.len() && items[*at].designators.is_empty() {
            let Some(sub) = self.sub_part(flat, part, number) else { return };
            self.item(flat, sub, items, at);
            number += 1;
            let is_union = self.unit.types.is_union(part.ty);
            if is_union || flat.items.len() >= MAX_ITEMS {
                return;
            }
        }
    }

    /// Part number `number` of an aggregate.
    fn sub_part(&self, flat: &mut Flat, part: Part, number: u64) -> Option<Part> {
        match self.unit.types.get(part.ty) {
            Type::Array(element, len) => {
                if len.is_some_and(|len| number >= len) {
                    return None;
                }
                let size = self.unit.types.size_of(element)?;
                let offset = part.offset + number.checked_mul(size)?;
                flat.extent = flat.extent.max(offset + size);
                Some(Part { ty: element, offset, bits: None })
            }
            Type::Vector(element, len) => {
                let size = self.unit.types.size_of(element)?;
                (number < u64::from(len)).then(|| Part { ty: element, offset: part.offset + number * size, bits: None })
            }
            Type::Record(record) => {
                let field = self.unit.types.layout(record)?.fields.get(usize::try_from(number).ok()?)?;
                Some(Part { ty: field.ty, offset: part.offset + field.offset, bits: field.bits })
            }
            _ => None,
        }
    }

    /// One part from the item at hand (its designators are done with), or, where braces are left
    /// out, from as many items as the part takes.
    fn item(&mut self, flat: &mut Flat, part: Part, items: &[AstItem], at: &mut usize) {
        let item = &items[*at];
        let expr = match self.ast.inits[item.init] {
            ast::Init::List { items: inner, loc } => {
                *at += 1;
                let ast = self.ast;
                let is_compound = self.is_compound(part.ty);
                if is_compound && !item.designators.is_empty() {
                    self.reset(flat, part);
                }
                self.braced(flat, part, ast.init_items(inner), loc);
                return;
            }
            ast::Init::Expr(expr) => expr,
        };
        let is_compound = self.is_compound(part.ty);
        if is_compound && !self.is_string_for(part.ty, item) {
            let value = match flat.checked {
                Some((checked, value)) if checked == item.init => value,
                _ => self.expr(expr),
            };
            let ty = self.ty_of(value);
            let is_whole = self.unit.types.is_error(ty) && !self.unit.types.is_array(part.ty)
                || self.unit.types.compatible_unqualified(ty, part.ty)
                || (self.unit.types.is_vector(ty) && self.unit.types.is_vector(part.ty))
                || (self.unit.types.is_record(ty) && ty.unqualified() == part.ty.unqualified());
            if !is_whole {
                flat.checked = Some((item.init, value));
                let before = *at;
                self.fill_from(flat, part, items, at);
                if *at == before {
                    *at += 1;
                }
                return;
            }
            *at += 1;
            self.whole(flat, part, value);
            return;
        }
        let value = match flat.checked.take() {
            Some((checked, value)) if checked == item.init => value,
            _ => self.expr(expr),
        };
        *at += 1;
        self.whole(flat, part, value);
    }

    /// Brace elision: the item at hand goes to the first part, whatever its designators were.
    fn fill_from(&mut self, flat: &mut Flat, part: Part, items: &[AstItem], at: &mut usize) {
        let Some(sub) = self.sub_part(flat, part, 0) else { return };
        self.item(flat, sub, items, at);
        let is_union = self.unit.types.is_union(part.ty);
        if !is_union {
            self.fill(flat, part, 1, items, at);
        }
    }

    /// A braced list after a designator replaces what was set there before.
    fn reset(&mut self, flat: &mut Flat, part: Part) {
        let Some(size) = self.unit.types.size_of(part.ty) else { return };
        let range = part.offset..part.offset + size;
        flat.items.retain(|item| !range.contains(&item.offset));
    }

    /// Follows designators, sets what they name, and goes on with the parts after it.
    fn designated(&mut self, flat: &mut Flat, part: Part, path: &[Designator], items: &[AstItem], at: &mut usize) {
        let Some((&first, rest)) = path.split_first() else {
            self.item(flat, part, items, at);
            return;
        };
        match first {
            Designator::Field(name, _) => {
                let Some(record) = self.unit.types.record_of(part.ty) else { return };
                let Some(fields) = self.find_member(record, name) else { return };
                self.designated_field(flat, part, &fields, rest, items, at);
            }
            Designator::Index(index) => {
                let Some(index) = self.constant(index).and_then(|n| u64::try_from(n).ok()) else { return };
                let Some(sub) = self.sub_part(flat, part, index) else { return };
                self.designated(flat, sub, rest, items, at);
                self.fill(flat, part, index + 1, items, at);
            }
            Designator::Range(low, high) => {
                let bounds = (self.constant(low), self.constant(high));
                let (Some(low), Some(high)) = bounds else { return };
                let (Ok(low), Ok(high)) = (u64::try_from(low), u64::try_from(high)) else { return };
                let start = *at;
                let most = (flat.items.len() + MAX_RANGE_ITEMS).min(MAX_ITEMS);
                for index in low..=high {
                    let before = flat.items.len();
                    *at = start;
                    let Some(sub) = self.sub_part(flat, part, index) else { break };
                    self.designated(flat, sub, rest, &items[..=start], at);
                    // What sets nothing in one element sets nothing in the others.
                    if flat.items.len() >= most || flat.items.len() == before {
                        break;
                    }
                }
                if let Type::Array(element, None) = self.unit.types.get(part.ty)
                    && let Some(end) =
                        self.unit.types.size_of(element).and_then(|size| high.checked_add(1)?.checked_mul(size))
                {
                    flat.extent = flat.extent.max(part.offset.saturating_add(end));
                }
                *at = start + 1;
                self.fill(flat, part, high.saturating_add(1), items, at);
            }
        }
    }

    /// A field, perhaps of anonymous members inside one another.
    fn designated_field(
        &mut self,
        flat: &mut Flat,
        part: Part,
        fields: &[u32],
        rest: &[Designator],
        items: &[AstItem],
        at: &mut usize,
    ) {
        let Some((&field, inner)) = fields.split_first() else {
            self.designated(flat, part, rest, items, at);
            return;
        };
        let Some(sub) = self.sub_part(flat, part, field.into()) else { return };
        self.designated_field(flat, sub, inner, rest, items, at);
        let is_union = self.unit.types.is_union(part.ty);
        if !is_union {
            self.fill(flat, part, u64::from(field) + 1, items, at);
        }
    }

    /// `(type){ … }`
    pub(super) fn compound_literal(&mut self, name: ast::TypeName, init: ast::InitId, loc: Loc) -> ExprId {
        let pending = self.pending_vlas.len();
        let base = self.base(name.specifiers);
        let ty = self.declarator_type(name.declarator, &base);
        if matches!(self.unit.types.get(ty), Type::Error | Type::Void | Type::Function(_)) {
            return self.unknown(&[], Ty::ERROR, loc);
        }
        if self.function.is_none() || self.in_static_init || base.storage.is_static {
            let was = std::mem::replace(&mut self.in_static_init, true);
            let (ty, init) = self.initializer(ty, init);
            self.in_static_init = was;
            let owner = self.function.as_ref().map_or(Symbol::EMPTY, |function| function.name);
            let global = self.static_object(&format!("{owner}.literal"), Symbol::EMPTY, ty, loc);
            self.define_data(global, &init);
            return self.global(global, loc);
        }
        let (ty, init) = self.initializer(ty, init);
        let literal = self.literal_local(ty, init, loc);
        if self.pending_vlas.len() > pending {
            self.pending_vlas.truncate(pending);
        }
        literal
    }
}
