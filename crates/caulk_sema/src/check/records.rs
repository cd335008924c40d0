//! Structs and unions: tags, members, completing a record.

use caulk_base::Symbol;
use caulk_syntax::ast::{self, MemberDecl};

use super::Cx;
use crate::layout::{FieldSpec, RecordShape, lay_out};
use crate::scope::Meaning;
use crate::types::{RecordId, Ty, Type, TypeTable};

impl Cx<'_> {
    /// The type of a tag: a definition makes a new one in this scope unless an incomplete one waits
    /// there; a mention finds any visible one.
    pub(super) fn tag_type(
        &mut self,
        tag: Option<Symbol>,
        is_definition: bool,
        make: impl FnOnce(&mut TypeTable, Symbol) -> Ty,
    ) -> Ty {
        let Some(tag) = tag else { return make(&mut self.unit.types, Symbol::EMPTY) };
        let known = if is_definition { self.tags.get_here(tag) } else { self.tags.get(tag) };
        if let Some(Meaning::Tag(ty)) = known {
            let is_reusable = !is_definition || !self.unit.types.is_complete(ty);
            if is_reusable {
                return ty;
            }
        }
        let ty = make(&mut self.unit.types, tag);
        self.tags.declare(tag, Meaning::Tag(ty));
        ty
    }

    /// `struct s;` alone declares the tag in this scope.
    pub(super) fn declare_tag_here(&mut self, specifier: ast::TypeSpecifier) {
        let ast::TypeSpecifier::Record(id) = specifier else { return };
        let spec = &self.ast.records[id];
        if let (Some(tag), None) = (spec.tag, &spec.members)
            && self.tags.get_here(tag).is_none()
        {
            let ty = self.unit.types.new_record(spec.is_union, tag, spec.loc);
            self.tags.declare(tag, Meaning::Tag(ty));
        }
    }

    pub(super) fn record_specifier(&mut self, id: ast::RecordSpecId) -> Ty {
        let ast = self.ast;
        let spec = &ast.records[id];
        let ty = self
            .tag_type(spec.tag, spec.members.is_some(), |types, tag| types.new_record(spec.is_union, tag, spec.loc));
        let (Type::Record(mut record), Some(members)) = (self.unit.types.get(ty), &spec.members) else { return ty };
        let mut ty = ty;
        if self.open_records.contains(&record)
            && let Some(tag) = spec.tag
        {
            // `struct s { struct s { … } x; }`: another one, or it would contain itself.
            ty = self.unit.types.new_record(spec.is_union, tag, spec.loc);
            self.tags.declare(tag, Meaning::Tag(ty));
            record = self.unit.types.record_of(ty).unwrap_or(record);
        }
        self.open_records.push(record);
        let mut attributes = Vec::new();
        self.fold_attributes(&spec.attributes, &mut attributes);
        let effects = self.effects(&attributes);
        let mut fields = Vec::new();
        for member in members {
            match member {
                MemberDecl::Fields(declaration) => self.fields(declaration, &mut fields),
                MemberDecl::StaticAssert(assert) => self.static_assert(assert.condition),
            }
        }
        let shape = RecordShape {
            is_union: spec.is_union,
            is_packed: effects.is_packed,
            pack: u64::from(spec.pack),
            align: effects.align,
        };
        let layout = lay_out(&self.unit.types, &shape, fields);
        self.open_records.pop();
        let entry = &mut self.unit.types.records[record];
        entry.layout = Some(layout);
        entry.attributes = attributes;
        entry.is_union = spec.is_union;
        entry.loc = spec.loc;
        ty
    }

    fn fields(&mut self, declaration: &ast::FieldDecl, into: &mut Vec<FieldSpec>) {
        let base = self.base(declaration.specifiers);
        if declaration.fields.is_empty() {
            // Anonymous struct or union; with `-fms-extensions` also a tagged or typedef one.
            if self.unit.types.is_record(base.ty) && self.unit.types.is_complete(base.ty) {
                into.push(FieldSpec {
                    name: Symbol::EMPTY,
                    ty: base.ty,
                    bit_width: None,
                    align: base.align,
                    type_align: base.type_align,
                    is_packed: base.effects.is_packed,
                    attributes: base.attributes,
                    loc: self.ast.specifiers[declaration.specifiers].loc,
                });
            }
            return;
        }
        for field in &declaration.fields {
            let ast = self.ast;
            let declarator = &ast.declarators[field.declarator];
            let mut attributes = base.attributes.clone();
            self.fold_attributes(&declarator.attributes, &mut attributes);
            let effects = self.effects(&attributes);
            let mut ty = self.declarator_type(field.declarator, &base);
            if !declarator.attributes.is_empty() {
                ty = self.apply_type_attributes_of(ty, &declarator.attributes);
            }
            ty = self.member_type(ty, field.bit_width.is_some());
            let keeps_alignment = declarator.chunks.iter().all(|chunk| matches!(chunk, ast::Chunk::Array(_)));
            let bit_width = field.bit_width.map(|width| {
                let value = self.constant(width).unwrap_or(0);
                let bits = u32::try_from(value).unwrap_or(0).min(128);
                // Only an unnamed one may have no bits.
                if declarator.name.is_some() { bits.max(1) } else { bits }
            });
            into.push(FieldSpec {
                name: declarator.name.unwrap_or(Symbol::EMPTY),
                ty,
                bit_width,
                align: effects.align.max(base.align),
                type_align: if keeps_alignment { base.type_align } else { None },
                is_packed: effects.is_packed,
                attributes,
                loc: declarator.loc,
            });
        }
    }

    /// What a member can be: an object of a known size, an array without one, an integer for a bit-field.
    fn member_type(&mut self, ty: Ty, is_bit_field: bool) -> Ty {
        if is_bit_field {
            return if self.unit.types.is_integer(ty) { ty } else { Ty::INT };
        }
        let element = self.innermost(ty);
        if self.unit.types.is_void(element) || self.unit.types.is_function(element) || self.is_unfinished(element) {
            return Ty::ERROR;
        }
        if self.unit.types.is_variably_sized(ty) { self.unit.types.array_of(element, None) } else { ty }
    }

    /// A record that may be completed later, and would then contain itself. A type of a header that is missing
    /// never will.
    fn is_unfinished(&self, ty: Ty) -> bool {
        let Some(record) = self.unit.types.record_of(ty) else { return false };
        let tag = self.unit.types.records[record].tag;
        let ty = ty.unqualified();
        let is_unknown = matches!(self.names.get(tag), Some(Meaning::Typedef { ty: known, .. }) if known == ty)
            && !matches!(self.tags.get(tag), Some(Meaning::Tag(known)) if known == ty);
        !self.unit.types.is_complete(ty) && !is_unknown
    }

    /// Type-changing attributes that stand after a declarator.
    pub(super) fn apply_type_attributes_of(&mut self, ty: Ty, attributes: &[ast::Attribute]) -> Ty {
        let mut folded = Vec::new();
        self.fold_attributes(attributes, &mut folded);
        let effects = self.effects(&folded);
        self.apply_type_attributes(ty, &effects)
    }

    /// The path of field numbers to a member, through anonymous members.
    pub(super) fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        let layout = self.unit.types.layout(record)?;
        if let Some(at) = layout.fields.iter().position(|field| field.name == name) {
            return Some(vec![at as u32]);
        }
        for (at, field) in layout.fields.iter().enumerate() {
            if field.name == Symbol::EMPTY
                && let Some(inner) = self.unit.types.record_of(field.ty)
                && let Some(mut path) = self.find_member(inner, name)
            {
                path.insert(0, at as u32);
                return Some(path);
            }
        }
        None
    }
}
