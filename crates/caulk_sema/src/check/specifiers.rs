//! Declaration specifiers: the base type, its qualifiers, the attributes.

use caulk_base::symbol::word;
use caulk_syntax::ast::{self, BasicType, SpecifiersId, TypeName, TypeSpecifier};

use super::Cx;
use super::attributes::{Effects, is_alignment};
use crate::attributes::{Attribute, AttributeValue};
use crate::scope::Meaning;
use crate::types::{FloatKind, IntKind, Ty, Type, quals};

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub(super) ty: Ty,
    /// From a typedef with `aligned`: replaces the alignment of `ty`.
    pub(super) type_align: Option<u64>,
    /// From `_Alignas` and `aligned`.
    pub(super) align: Option<u64>,
    pub(super) storage: ast::Storage,
    pub(super) attributes: Vec<Attribute>,
    pub(super) effects: Effects,
    /// `__auto_type`: the initialiser decides.
    pub(super) is_auto: bool,
}

impl Cx<'_> {
    pub(super) fn base(&mut self, id: SpecifiersId) -> Base {
        let ast = self.ast;
        let specifiers = &ast.specifiers[id];
        let mut attributes = Vec::new();
        if !specifiers.attributes.is_empty() {
            self.fold_attributes(&specifiers.attributes, &mut attributes);
        }
        let effects = if attributes.is_empty() { Effects::default() } else { self.effects(&attributes) };
        // Without a declarator's help, `struct s;` declares the tag anew; the caller says so.
        let (ty, type_align) = self.type_specifier(specifiers);
        let ty = self.qualify(ty, qualifier_bits(specifiers.qualifiers));
        let ty = if attributes.is_empty() { ty } else { self.apply_type_attributes(ty, &effects) };
        let mut align = effects.align;
        for &alignment in &specifiers.alignments {
            if let Some(number) = self.alignment(alignment) {
                align = align.max(Some(number));
                // Kept like the attribute that says the same.
                let args = vec![AttributeValue::Int(number.into())];
                attributes.push(Attribute { name: word::ALIGNED, args });
            }
        }
        let is_auto = matches!(specifiers.ty, TypeSpecifier::Auto);
        Base { ty, type_align, align, storage: specifiers.storage, attributes, effects, is_auto }
    }

    fn alignment(&mut self, alignment: ast::Alignment) -> Option<u64> {
        match alignment {
            ast::Alignment::Expr(expr) => {
                let value = self.constant(expr)?;
                u64::try_from(value).ok().filter(|&n| is_alignment(n))
            }
            ast::Alignment::Type(name) => {
                let ty = self.type_name(name);
                self.unit.types.align_of(ty)
            }
        }
    }

    /// Adds qualifiers; those of an array go to its element.
    pub(super) fn qualify(&mut self, ty: Ty, qualifiers: u32) -> Ty {
        if qualifiers == 0 {
            return ty;
        }
        match self.unit.types.get(ty) {
            Type::Array(element, len) => {
                let element = self.qualify(element, qualifiers);
                self.unit.types.array_of(element, len)
            }
            Type::Vla(element, vla) => {
                let element = self.qualify(element, qualifiers);
                self.unit.types.intern(Type::Vla(element, vla))
            }
            _ => ty.with(qualifiers),
        }
    }

    fn type_specifier(&mut self, specifiers: &ast::Specifiers) -> (Ty, Option<u64>) {
        let ty = match specifiers.ty {
            TypeSpecifier::Basic(basic) => self.basic(basic),
            TypeSpecifier::Complex(basic) => {
                let element = self.basic(basic);
                let is_number = matches!(self.unit.types.get(element), Type::Int(_) | Type::Float(_));
                self.unit.types.intern(Type::Complex(if is_number { element } else { Ty::DOUBLE }))
            }
            TypeSpecifier::BitInt { width, is_unsigned } => {
                let bits = self.constant(width).and_then(|n| u32::try_from(n).ok()).unwrap_or(32).clamp(1, 1 << 16);
                self.unit.types.intern(Type::BitInt { bits, is_signed: !is_unsigned })
            }
            TypeSpecifier::Record(record) => self.record_specifier(record),
            TypeSpecifier::Enum(enumeration) => self.enum_specifier(enumeration),
            TypeSpecifier::Name(name) => match self.names.get(name) {
                Some(Meaning::Typedef { ty, align }) => return (ty, align),
                _ => self.unknown_type(name, specifiers.loc),
            },
            TypeSpecifier::TypeofExpr { expr, unqualified } => {
                let expr = self.expr(expr);
                let ty = self.ty_of(expr);
                if unqualified { ty.unqualified() } else { ty }
            }
            TypeSpecifier::TypeofType { ty, unqualified } => {
                let ty = self.type_name(ty);
                if unqualified { ty.unqualified() } else { ty }
            }
            TypeSpecifier::Atomic(name) => self.type_name(name).with(quals::ATOMIC),
            TypeSpecifier::Auto | TypeSpecifier::ImplicitInt => Ty::INT,
            TypeSpecifier::VaList => self.va_list,
            TypeSpecifier::Error => Ty::ERROR,
        };
        (ty, None)
    }

    /// A type nobody declared, most often because its header is missing: some struct we never see.
    /// Pointers to it then work as they should.
    fn unknown_type(&mut self, name: caulk_base::Symbol, loc: caulk_base::Loc) -> Ty {
        let ty = self.unit.types.new_record(false, name, loc);
        self.names.declare(name, Meaning::Typedef { ty, align: None });
        ty
    }

    pub(super) fn basic(&mut self, basic: BasicType) -> Ty {
        let float = match basic {
            BasicType::Void => return Ty::VOID,
            BasicType::Bool => return Ty::BOOL,
            BasicType::Char => return Ty::CHAR,
            BasicType::SignedChar => return Ty::SCHAR,
            BasicType::UnsignedChar => return Ty::UCHAR,
            BasicType::Short => return Ty::SHORT,
            BasicType::UnsignedShort => return Ty::USHORT,
            BasicType::Int => return Ty::INT,
            BasicType::UnsignedInt => return Ty::UINT,
            BasicType::Long => return Ty::LONG,
            BasicType::UnsignedLong => return Ty::ULONG,
            BasicType::LongLong => return Ty::LONG_LONG,
            BasicType::UnsignedLongLong => return Ty::ULONG_LONG,
            BasicType::Int128 => return Ty::INT128,
            BasicType::UnsignedInt128 => return Ty::UINT128,
            BasicType::Float => return Ty::FLOAT,
            BasicType::Double => return Ty::DOUBLE,
            BasicType::LongDouble => return Ty::LONG_DOUBLE,
            BasicType::Float16 => FloatKind::Float16,
            BasicType::BFloat16 => FloatKind::BFloat16,
            BasicType::Float128 => FloatKind::Float128,
            BasicType::Float32 => FloatKind::Float32,
            BasicType::Float64 => FloatKind::Float64,
            BasicType::Float32x => FloatKind::Float32x,
            BasicType::Float64x => FloatKind::Float64x,
            BasicType::Decimal32 => FloatKind::Decimal32,
            BasicType::Decimal64 => FloatKind::Decimal64,
            BasicType::Decimal128 => FloatKind::Decimal128,
        };
        self.unit.types.intern(Type::Float(float))
    }

    /// The type a type name denotes.
    pub(super) fn type_name(&mut self, name: TypeName) -> Ty {
        let base = self.base(name.specifiers);
        self.declarator_type(name.declarator, &base)
    }

    /// A type name's type and the alignment it has by `aligned` on a typedef or attribute.
    pub(super) fn type_name_align(&mut self, name: TypeName) -> (Ty, Option<u64>) {
        let base = self.base(name.specifiers);
        let plain = self.ast.declarators[name.declarator].chunks.is_empty();
        let align = if plain { base.align.or(base.type_align) } else { None };
        (self.declarator_type(name.declarator, &base), align)
    }

    /// The value of an integer constant expression.
    pub(super) fn constant(&mut self, expr: ast::ExprId) -> Option<i128> {
        let value = self.expr(expr);
        let value = self.rvalue(value);
        self.int_value(value).or_else(|| self.constant_object(value))
    }

    pub(super) fn enum_specifier(&mut self, id: ast::EnumSpecId) -> Ty {
        let ast = self.ast;
        let spec = &ast.enums[id];
        let ty = self.tag_type(spec.tag, spec.enumerators.is_some(), |types, tag| types.new_enum(tag, spec.loc));
        let Type::Enum(enumeration) = self.unit.types.get(ty) else { return ty };
        let fixed = spec.underlying.map(|name| {
            let ty = self.type_name(name).unqualified();
            match self.unit.types.get(ty) {
                Type::Enum(other) => self.unit.types.enums[other].underlying.unwrap_or(Ty::INT),
                _ if self.unit.types.is_integer(ty) => ty,
                _ => Ty::INT,
            }
        });
        if fixed.is_some() {
            self.unit.types.enums[enumeration].underlying = fixed;
        }
        let Some(enumerators) = &spec.enumerators else { return ty };
        let mut attributes = Vec::new();
        self.fold_attributes(&spec.attributes, &mut attributes);
        let is_short = self.unit.types.target.short_enums || self.effects(&attributes).is_packed;
        let mut values = Vec::with_capacity(enumerators.len());
        let mut next = 0i128;
        for enumerator in enumerators {
            if let Some(expr) = enumerator.value {
                match self.constant(expr) {
                    Some(value) => next = value,
                    None => self.error(enumerator.loc, format!("value of {} is not a constant", enumerator.name)),
                }
            }
            let value_ty = fixed.unwrap_or_else(|| enumerator_type(next));
            self.names.declare(enumerator.name, Meaning::Enumerator { value: next, ty: value_ty });
            values.push((enumerator.name, next));
            next = next.wrapping_add(1);
        }
        let underlying = fixed.unwrap_or_else(|| self.enum_underlying(&values, is_short));
        // Where one enumerator does not fit an int, all have the enum's type.
        let fits_int = values.iter().all(|&(_, value)| i32::try_from(value).is_ok());
        if !fits_int || fixed.is_some() {
            for &(name, value) in &values {
                self.names.update(name, Meaning::Enumerator { value, ty: underlying });
            }
        }
        let record = &mut self.unit.types.enums[enumeration];
        record.underlying = Some(underlying);
        record.enumerators = values;
        record.attributes = attributes;
        ty
    }

    fn enum_underlying(&mut self, values: &[(caulk_base::Symbol, i128)], is_short: bool) -> Ty {
        let low = values.iter().map(|&(_, value)| value).min().unwrap_or(0);
        let high = values.iter().map(|&(_, value)| value).max().unwrap_or(0);
        let long = if self.unit.types.target.long_size == 8 { IntKind::Long } else { IntKind::LongLong };
        let candidates: &[IntKind] = match (low < 0, is_short) {
            (true, true) => &[IntKind::SChar, IntKind::Short, IntKind::Int],
            (true, false) => &[IntKind::Int],
            (false, true) => &[IntKind::UChar, IntKind::UShort, IntKind::UInt],
            (false, false) => &[IntKind::UInt],
        };
        for &kind in candidates {
            let ty = self.unit.types.intern(Type::Int(kind));
            if self.unit.types.wrap(low, ty) == low && self.unit.types.wrap(high, ty) == high {
                return ty;
            }
        }
        let signed = self.unit.types.intern(Type::Int(long));
        if low < 0 { signed } else { self.unsigned_of(signed) }
    }
}

fn enumerator_type(value: i128) -> Ty {
    if i32::try_from(value).is_ok() {
        Ty::INT
    } else if u32::try_from(value).is_ok() {
        Ty::UINT
    } else if i64::try_from(value).is_ok() {
        Ty::LONG_LONG
    } else {
        Ty::ULONG_LONG
    }
}

pub(super) fn qualifier_bits(qualifiers: ast::Qualifiers) -> u32 {
    let mut bits = 0;
    if qualifiers.is_const {
        bits |= quals::CONST;
    }
    if qualifiers.is_volatile {
        bits |= quals::VOLATILE;
    }
    if qualifiers.is_restrict {
        bits |= quals::RESTRICT;
    }
    if qualifiers.is_atomic {
        bits |= quals::ATOMIC;
    }
    bits
}
