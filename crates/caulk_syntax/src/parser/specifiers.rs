//! Declaration specifiers: storage, qualifiers, type and attributes, in any order.
//!
//! ```c
//! long const unsigned typedef long size;
//! ```
//! Words of the arithmetic types are collected and combined at the end. A typedef name counts as
//! a type only while no other type was seen: in `typedef int T; unsigned T;` the second `T` is
//! what is declared.

use crate::ast::{
    Alignment, Ast, Attribute, BasicType, ExprId, ExprKind, Qualifiers, Specifiers, SpecifiersId, Storage, TypeName,
    TypeSpecifier,
};
use crate::config::Standard;
use crate::token::TokenKind;

use super::scope::Word;
use super::{Parse, Parser};

/// Where specifiers stand; decides what an unknown name may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    File,
    Block,
    Parameter,
    Member,
    TypeName,
}

/// Arithmetic type words met so far.
#[derive(Default)]
struct Arithmetic {
    /// `char`, `int`, `float`, `double`, `_Float128` …
    base: Option<BasicType>,
    longs: u8,
    is_short: bool,
    is_signed: bool,
    is_unsigned: bool,
    is_complex: bool,
}

impl Arithmetic {
    fn is_empty(&self) -> bool {
        self.base.is_none()
            && self.longs == 0
            && !(self.is_short || self.is_signed || self.is_unsigned || self.is_complex)
    }

    /// The type that the words mean together; `None` if they do not go together.
    fn combine(&self) -> Option<BasicType> {
        use BasicType::*;
        let is_sized = self.longs > 0 || self.is_short;
        let has_sign = self.is_signed || self.is_unsigned;
        if self.longs > 2 || (self.longs > 0 && self.is_short) || (self.is_signed && self.is_unsigned) {
            return None;
        }
        match self.base {
            None if self.is_complex && !is_sized && !has_sign => Some(Double),
            None | Some(Int) => Some(match (self.is_short, self.longs, self.is_unsigned) {
                (true, _, false) => Short,
                (true, _, true) => UnsignedShort,
                (false, 0, false) => Int,
                (false, 0, true) => UnsignedInt,
                (false, 1, false) => Long,
                (false, 1, true) => UnsignedLong,
                (false, _, false) => LongLong,
                (false, _, true) => UnsignedLongLong,
            }),
            Some(_) if self.is_short || self.longs > 1 => None,
            Some(Double) if self.longs == 1 && !has_sign => Some(LongDouble),
            Some(_) if self.longs > 0 => None,
            Some(Char) if self.is_signed => Some(SignedChar),
            Some(Char) if self.is_unsigned => Some(UnsignedChar),
            Some(Int128) if self.is_unsigned => Some(UnsignedInt128),
            Some(Int128) => Some(Int128),
            Some(_) if has_sign => None,
            Some(base) => Some(base),
        }
    }
}

fn basic_type(word: Word) -> Option<BasicType> {
    Some(match word {
        Word::Void => BasicType::Void,
        Word::Char => BasicType::Char,
        Word::Int => BasicType::Int,
        Word::Float => BasicType::Float,
        Word::Double => BasicType::Double,
        Word::Bool => BasicType::Bool,
        Word::Int128 | Word::Int128T => BasicType::Int128,
        Word::Uint128T => BasicType::UnsignedInt128,
        Word::Float16 => BasicType::Float16,
        Word::Bf16 => BasicType::BFloat16,
        Word::Float32 => BasicType::Float32,
        Word::Float64 => BasicType::Float64,
        Word::Float128 => BasicType::Float128,
        Word::Float32x => BasicType::Float32x,
        Word::Float64x => BasicType::Float64x,
        Word::Float80 => BasicType::LongDouble,
        Word::Decimal32 => BasicType::Decimal32,
        Word::Decimal64 => BasicType::Decimal64,
        Word::Decimal128 => BasicType::Decimal128,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads specifiers, possibly none. `attributes` are those that stood before.
    pub(super) fn specifiers(
        &mut self,
        ast: &mut Ast,
        place: Place,
        attributes: Vec<Attribute>,
    ) -> Parse<SpecifiersId> {
        let mut specifiers = Specifiers {
            storage: Storage::default(),
            qualifiers: Qualifiers::default(),
            ty: TypeSpecifier::ImplicitInt,
            attributes,
            alignments: Default::default(),
            loc: self.token.loc,
        };
        let mut arithmetic = Arithmetic::default();
        let mut other: Option<TypeSpecifier> = None;
        loop {
            let word = self.word();
            let has_type = other.is_some() || !arithmetic.is_empty();
            match word {
                Word::TypedefName if !has_type => {
                    if self.is_name_of_implicit_int(place, &specifiers.storage) {
                        break;
                    }
                    other = Some(TypeSpecifier::Name(self.bump().symbol()));
                }
                Word::Unknown | Word::Object if !has_type => match self.unknown_type(place, &specifiers.storage) {
                    UnknownName::Type => other = Some(self.take_unknown_type()),
                    UnknownName::Annotation => self.skip_unknown_annotation(),
                    UnknownName::Name => break,
                },
                Word::VaList if !has_type => {
                    self.bump();
                    other = Some(TypeSpecifier::VaList);
                }
                // `typedef float _Float32;`: after a type it is the name.
                _ if word.is_name() && (has_type && !arithmetic.is_complex) => break,
                Word::Short => {
                    arithmetic.is_short = true;
                    self.bump();
                }
                Word::Long => {
                    arithmetic.longs += u8::from(arithmetic.longs < 3);
                    self.bump();
                }
                Word::Signed => {
                    arithmetic.is_signed = true;
                    self.bump();
                }
                Word::Unsigned => {
                    arithmetic.is_unsigned = true;
                    self.bump();
                }
                Word::Complex | Word::Imaginary => {
                    arithmetic.is_complex = true;
                    self.bump();
                }
                Word::Struct | Word::Union | Word::Enum if !has_type => {
                    // Specifiers, record, member declaration.
                    self.enter_levels(3)?;
                    other = Some(if word == Word::Enum {
                        TypeSpecifier::Enum(self.enum_specifier(ast)?)
                    } else {
                        TypeSpecifier::Record(self.record_specifier(ast)?)
                    });
                    self.leave_levels(3);
                }
                Word::Typeof | Word::TypeofUnqual if !has_type => {
                    other = Some(self.typeof_specifier(ast, word == Word::TypeofUnqual)?);
                }
                Word::AutoType if !has_type => {
                    self.bump();
                    other = Some(TypeSpecifier::Auto);
                }
                Word::BitInt if other.is_none() => {
                    self.bump();
                    self.expect(TokenKind::LParen)?;
                    let width = self.assignment(ast)?;
                    self.expect(TokenKind::RParen)?;
                    other = Some(TypeSpecifier::BitInt { width, is_unsigned: false });
                }
                Word::Const => {
                    specifiers.qualifiers.is_const = true;
                    self.bump();
                }
                Word::Volatile => {
                    specifiers.qualifiers.is_volatile = true;
                    self.bump();
                }
                Word::Restrict => {
                    specifiers.qualifiers.is_restrict = true;
                    self.bump();
                }
                Word::Atomic => {
                    let loc = self.bump().loc;
                    if !has_type && self.at(TokenKind::LParen) {
                        self.bump();
                        let ty = self.type_name(ast)?;
                        self.expect(TokenKind::RParen)?;
                        other = Some(TypeSpecifier::Atomic(ty));
                    } else if self.at(TokenKind::LParen) && place == Place::TypeName {
                        return self.fail(loc, "more than one type");
                    } else {
                        specifiers.qualifiers.is_atomic = true;
                    }
                }
                Word::Dropped | Word::Extension => {
                    self.bump();
                }
                Word::Typedef => {
                    specifiers.storage.is_typedef = true;
                    self.bump();
                }
                Word::Extern => {
                    specifiers.storage.is_extern = true;
                    self.bump();
                }
                Word::Static => {
                    specifiers.storage.is_static = true;
                    self.bump();
                }
                Word::Auto => {
                    specifiers.storage.is_auto = true;
                    self.bump();
                }
                Word::Register => {
                    specifiers.storage.is_register = true;
                    self.bump();
                }
                Word::ThreadLocal => {
                    specifiers.storage.is_thread_local = true;
                    self.bump();
                }
                Word::Constexpr => {
                    specifiers.storage.is_constexpr = true;
                    self.bump();
                }
                Word::Inline => {
                    specifiers.storage.is_inline = true;
                    self.bump();
                }
                Word::Noreturn => {
                    specifiers.storage.is_noreturn = true;
                    self.bump();
                }
                Word::Alignas => {
                    let alignment = self.alignment(ast)?;
                    specifiers.alignments.push(alignment);
                }
                Word::Attribute | Word::Declspec => self.attributes(ast, &mut specifiers.attributes)?,
                Word::None => {
                    if !self.at_bracket_attribute() {
                        break;
                    }
                    self.attributes(ast, &mut specifiers.attributes)?;
                }
                _ => {
                    let Some(basic) = basic_type(word) else { break };
                    if other.is_some() || arithmetic.base.is_some_and(|base| base != basic) {
                        return self.fail(self.token.loc, "more than one type");
                    }
                    arithmetic.base = Some(basic);
                    self.bump();
                }
            }
        }
        specifiers.ty = self.combine(&specifiers, &arithmetic, other)?;
        Ok(ast.specifiers.push(specifiers))
    }

    fn combine(
        &mut self,
        specifiers: &Specifiers,
        arithmetic: &Arithmetic,
        other: Option<TypeSpecifier>,
    ) -> Parse<TypeSpecifier> {
        let infers = specifiers.storage.is_auto && self.dialect.standard >= Standard::C23;
        match other {
            Some(TypeSpecifier::BitInt { width, .. }) => {
                Ok(TypeSpecifier::BitInt { width, is_unsigned: arithmetic.is_unsigned })
            }
            Some(other) if arithmetic.is_empty() => Ok(other),
            // `__auto_type` and constexpr's implicit int are no combinations.
            None if arithmetic.is_empty() => Ok(if infers { TypeSpecifier::Auto } else { TypeSpecifier::ImplicitInt }),
            Some(_) => self.fail(specifiers.loc, "more than one type"),
            None => match arithmetic.combine() {
                Some(basic) if arithmetic.is_complex => Ok(TypeSpecifier::Complex(basic)),
                Some(basic) => Ok(TypeSpecifier::Basic(basic)),
                None => self.fail(specifiers.loc, "type words that do not go together"),
            },
        }
    }

    /// `typeof(e)` or `typeof(type)`.
    fn typeof_specifier(&mut self, ast: &mut Ast, unqualified: bool) -> Parse<TypeSpecifier> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        self.enter()?;
        let specifier = if self.at_type_name() {
            TypeSpecifier::TypeofType { ty: self.type_name(ast)?, unqualified }
        } else {
            TypeSpecifier::TypeofExpr { expr: self.expression(ast)?, unqualified }
        };
        self.leave();
        self.expect(TokenKind::RParen)?;
        Ok(specifier)
    }

    /// `_Alignas(type)` or `_Alignas(e)`.
    fn alignment(&mut self, ast: &mut Ast) -> Parse<Alignment> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let alignment = if self.at_type_name() {
            Alignment::Type(self.type_name(ast)?)
        } else {
            Alignment::Expr(self.assignment(ast)?)
        };
        self.expect(TokenKind::RParen)?;
        Ok(alignment)
    }

    /// Qualifiers and attributes after `*` or in `[…]`.
    pub(super) fn qualifiers(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.word() {
                Word::Const => qualifiers.is_const = true,
                Word::Volatile => qualifiers.is_volatile = true,
                Word::Restrict => qualifiers.is_restrict = true,
                Word::Atomic => qualifiers.is_atomic = true,
                Word::Dropped => {}
                Word::Attribute | Word::Declspec => {
                    self.attributes(ast, attributes)?;
                    continue;
                }
                _ if self.at_bracket_attribute() => {
                    self.attributes(ast, attributes)?;
                    continue;
                }
                _ => return Ok(qualifiers),
            }
            self.bump();
        }
    }

    /// A type as it stands in casts: specifiers and a declarator without a name.
    pub(super) fn type_name(&mut self, ast: &mut Ast) -> Parse<TypeName> {
        self.enter_levels(2)?;
        let specifiers = self.specifiers(ast, Place::TypeName, Vec::new())?;
        if matches!(ast.specifiers[specifiers].ty, TypeSpecifier::ImplicitInt) && !self.saw_specifier(ast, specifiers) {
            return self.unexpected("type");
        }
        let declarator = self.abstract_declarator(ast)?;
        self.leave_levels(2);
        Ok(TypeName { specifiers, declarator })
    }

    /// Whether anything at all stood there.
    fn saw_specifier(&self, ast: &Ast, specifiers: SpecifiersId) -> bool {
        ast.specifiers[specifiers].loc != self.token.loc
    }

    /// A type where an expression would stand, with its height.
    pub(super) fn measured_type_name(&mut self, ast: &mut Ast) -> Parse<(TypeName, u16)> {
        let outer = self.start_subtree();
        let ty = self.type_name(ast)?;
        Ok((ty, self.finish_subtree(outer)))
    }

    /// A type as an argument of a builtin.
    pub(super) fn type_expression(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let loc = self.token.loc;
        let (ty, height) = self.measured_type_name(ast)?;
        Ok(self.node(ast, ExprKind::Type(ty), loc, height))
    }

    /// Whether a type name starts here, where an expression may start as well.
    pub(super) fn at_type_name(&mut self) -> bool {
        let word = self.word();
        word.starts_type()
            || (word == Word::Unknown && self.is_unknown_argument_type())
            || (word == Word::Extension && self.is_extension_before_type())
    }

    fn is_extension_before_type(&mut self) -> bool {
        let next = self.peek(1);
        self.word_of(&next).starts_type()
    }
}

/// What an identifier that is no typedef name is taken for where a type may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnknownName {
    /// A type whose declaration was not seen.
    Type,
    /// A macro whose definition was not seen, before the real specifiers.
    Annotation,
    /// What is being declared; its type is implicit.
    Name,
}
