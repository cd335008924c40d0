//! Types, record and enum definitions, attributes.

use caulk_base::Symbol;
use caulk_sema::attributes::{Attribute, AttributeValue};
use caulk_sema::types::{Bits, Field, FunctionType, IntKind, RecordLayout, Ty, Type, VlaId};

use super::lexer::Cursor;
use super::{Name, ReadError, Reader, TagKind};
use crate::words::{FLOATS, QUALIFIERS, find};

/// Types nest no deeper: a reader that recurses must stop somewhere.
const MAX_DEPTH: u32 = 500;
/// Larger objects do not exist; the bound keeps sizes from overflowing.
const MAX_SIZE: u64 = 1 << 60;
const MAX_VECTOR: u32 = 1 << 16;

impl Reader {
    pub(super) fn ty(&mut self, cursor: &mut Cursor<'_>) -> Result<Ty, ReadError> {
        self.nested_ty(cursor, 0)
    }

    fn nested_ty(&mut self, cursor: &mut Cursor<'_>, depth: u32) -> Result<Ty, ReadError> {
        if depth > MAX_DEPTH {
            return Err(cursor.error("the type nests too deep"));
        }
        let mut qualifiers = 0;
        while let Some((bit, _)) = QUALIFIERS.iter().find(|(_, word)| cursor.take_word(word)) {
            qualifiers |= bit;
        }
        let ty = self.unqualified_ty(cursor, depth + 1)?;
        Ok(ty.with(qualifiers))
    }

    fn unqualified_ty(&mut self, cursor: &mut Cursor<'_>, depth: u32) -> Result<Ty, ReadError> {
        let start = cursor.clone();
        if cursor.take_mark("[") {
            return self.array(cursor, depth);
        }
        if cursor.take_mark("<") {
            let len = cursor.number()?;
            self.word(cursor, "x")?;
            let element = self.nested_ty(cursor, depth)?;
            cursor.mark(">")?;
            if !self.types().is_scalar(element) || len > MAX_VECTOR {
                return Err(start.error("no such vector"));
            }
            return Ok(self.types_mut().intern(Type::Vector(element, len)));
        }
        let Some(token) = cursor.next() else { return Err(start.error("expected a type")) };
        let int = |kind| Ok(int_ty(kind));
        match token.text {
            "ptr" => {
                let pointee = self.nested_ty(cursor, depth)?;
                Ok(self.types_mut().pointer_to(pointee))
            }
            "complex" => {
                let part = self.nested_ty(cursor, depth)?;
                if !self.types().is_integer(part) && !self.types().is_float(part) {
                    return Err(start.error("no such complex type"));
                }
                Ok(self.types_mut().intern(Type::Complex(part)))
            }
            "noreturn" => {
                self.word(cursor, "fn")?;
                self.function_ty(cursor, depth, true)
            }
            "fn" => self.function_ty(cursor, depth, false),
            "struct" => self.tagged(cursor, TagKind::Struct, &start),
            "union" => self.tagged(cursor, TagKind::Union, &start),
            "enum" => self.tagged(cursor, TagKind::Enum, &start),
            "error" => Ok(Ty::ERROR),
            "void" => Ok(Ty::VOID),
            "bool" => Ok(Ty::BOOL),
            "nullptr_t" => Ok(Ty::NULLPTR),
            "char" => int(IntKind::Char),
            "short" => int(IntKind::Short),
            "int" => int(IntKind::Int),
            "long" if cursor.take_word("double") => Ok(Ty::LONG_DOUBLE),
            "long" if cursor.take_word("long") => int(IntKind::LongLong),
            "long" => int(IntKind::Long),
            "__int128" => int(IntKind::Int128),
            "signed" => self.word(cursor, "char").map(|()| int_ty(IntKind::SChar)),
            "unsigned" => self.unsigned(cursor),
            "_BitInt" => self.bit_int(cursor, true),
            word => match find(&FLOATS, word) {
                Some(kind) => Ok(self.types_mut().intern(Type::Float(kind))),
                None => Err(start.error(format!("expected a type, found `{word}`"))),
            },
        }
    }

    fn unsigned(&mut self, cursor: &mut Cursor<'_>) -> Result<Ty, ReadError> {
        let kinds = [
            ("char", IntKind::UChar),
            ("short", IntKind::UShort),
            ("int", IntKind::UInt),
            ("long", IntKind::ULong),
            ("__int128", IntKind::UInt128),
        ];
        if cursor.take_word("_BitInt") {
            return self.bit_int(cursor, false);
        }
        match kinds.iter().find(|(word, _)| cursor.take_word(word)) {
            Some((_, IntKind::ULong)) if cursor.take_word("long") => Ok(int_ty(IntKind::ULongLong)),
            Some((_, kind)) => Ok(int_ty(*kind)),
            None => Err(cursor.error("expected an unsigned type")),
        }
    }

    fn bit_int(&mut self, cursor: &mut Cursor<'_>, is_signed: bool) -> Result<Ty, ReadError> {
        cursor.mark("(")?;
        let start = cursor.clone();
        let bits = cursor.number()?;
        cursor.mark(")")?;
        if bits == 0 || bits > 1 << 23 {
            return Err(start.error("no such width"));
        }
        Ok(self.types_mut().intern(Type::BitInt { bits, is_signed }))
    }

    fn array(&mut self, cursor: &mut Cursor<'_>, depth: u32) -> Result<Ty, ReadError> {
        enum Len {
            Known(Option<u64>),
            Vla(VlaId),
        }
        let len = if cursor.take_mark("?") {
            Len::Known(None)
        } else if cursor.peek().is_some_and(|token| token.id("vla").is_some()) {
            Len::Vla(VlaId(cursor.id("vla")?))
        } else {
            Len::Known(Some(cursor.number()?))
        };
        self.word(cursor, "x")?;
        let element = self.nested_ty(cursor, depth)?;
        cursor.mark("]")?;
        Ok(match len {
            Len::Known(len) => self.types_mut().array_of(element, len),
            Len::Vla(vla) => self.types_mut().intern(Type::Vla(element, vla)),
        })
    }

    fn function_ty(&mut self, cursor: &mut Cursor<'_>, depth: u32, is_noreturn: bool) -> Result<Ty, ReadError> {
        cursor.mark("(")?;
        let mut parameters = Vec::new();
        let (mut is_variadic, mut is_unprototyped) = (false, false);
        if !cursor.take_mark(")") {
            loop {
                if cursor.take_mark("...") {
                    is_variadic = true;
                } else if cursor.take_mark("?") {
                    is_unprototyped = true;
                } else {
                    parameters.push(self.nested_ty(cursor, depth)?);
                }
                if !cursor.take_mark(",") {
                    break;
                }
            }
            cursor.mark(")")?;
        }
        cursor.mark("->")?;
        let result = self.nested_ty(cursor, depth)?;
        let parameters = parameters.into();
        Ok(self.types_mut().function_type(FunctionType {
            result,
            parameters,
            is_variadic,
            is_unprototyped,
            is_noreturn,
        }))
    }

    fn tagged(&mut self, cursor: &mut Cursor<'_>, kind: TagKind, start: &Cursor<'_>) -> Result<Ty, ReadError> {
        let name = self.tag_name(cursor)?;
        match self.tags.get(&(kind, name)) {
            Some(&ty) => Ok(ty),
            None => Err(start.error("this type is defined nowhere")),
        }
    }

    /// `list`, `list#2` or `#1`.
    pub(super) fn tag_name(&mut self, cursor: &mut Cursor<'_>) -> Result<Name, ReadError> {
        let tag = if cursor.peek().is_some_and(|token| token.is_mark("#")) { "" } else { cursor.name()? };
        Ok((Symbol::intern(tag), self.name_number(cursor)?))
    }

    /// `#2`, or 1 where it is left out.
    pub(super) fn name_number(&mut self, cursor: &mut Cursor<'_>) -> Result<u32, ReadError> {
        if cursor.take_mark("#") { cursor.number() } else { Ok(1) }
    }

    pub(super) fn word(&mut self, cursor: &mut Cursor<'_>, word: &str) -> Result<(), ReadError> {
        if cursor.take_word(word) { Ok(()) } else { Err(cursor.error(format!("expected `{word}`"))) }
    }

    // ---- definitions -----------------------------------------------------------------------

    /// After `struct` or `union`: fills in what the scan for names has made.
    pub(super) fn record(&mut self, cursor: &mut Cursor<'_>, kind: TagKind) -> Result<(), ReadError> {
        let name = self.tag_name(cursor)?;
        let ty = self.tags.get(&(kind, name)).and_then(|&ty| self.types().record_of(ty));
        let Some(id) = ty else { return Err(cursor.error("this record was not found before")) };
        let mut sizes = None;
        if cursor.take_word("size") {
            let size = self.size(cursor)?;
            self.word(cursor, "align")?;
            sizes = Some((size, self.size(cursor)?));
        }
        let attributes = self.attributes(cursor)?;
        let loc = self.loc(cursor)?;
        let mut layout = None;
        if let Some((size, align)) = sizes {
            cursor.mark("{")?;
            let mut fields = Vec::new();
            while !cursor.take_mark("}") {
                fields.push(self.field(cursor)?);
            }
            layout = Some(RecordLayout { fields, size, align });
        }
        let record = &mut self.types_mut().records[id];
        record.attributes = attributes;
        record.loc = loc;
        record.layout = layout;
        Ok(())
    }

    fn size(&mut self, cursor: &mut Cursor<'_>) -> Result<u64, ReadError> {
        let start = cursor.clone();
        cursor.number().and_then(|size| if size <= MAX_SIZE { Ok(size) } else { Err(start.error("too large")) })
    }

    fn field(&mut self, cursor: &mut Cursor<'_>) -> Result<Field, ReadError> {
        let offset = self.size(cursor)?;
        let bits = self.optional_bits(cursor)?;
        let name = if cursor.take_mark(":") {
            Symbol::EMPTY
        } else {
            let name = Symbol::intern(cursor.name()?);
            cursor.mark(":")?;
            name
        };
        let ty = self.ty(cursor)?;
        let attributes = self.attributes(cursor)?;
        Ok(Field { name, ty, offset, bits, attributes, loc: self.loc(cursor)? })
    }

    /// `bits 3+5`; a field may also be called `bits`.
    pub(super) fn optional_bits(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Bits>, ReadError> {
        let is_place = cursor.peek_second().is_some_and(|token| token.text.as_bytes()[0].is_ascii_digit());
        if is_place && cursor.take_word("bits") { self.bits(cursor).map(Some) } else { Ok(None) }
    }

    pub(super) fn bits(&mut self, cursor: &mut Cursor<'_>) -> Result<Bits, ReadError> {
        let shift = cursor.number()?;
        cursor.mark("+")?;
        Ok(Bits { shift, width: cursor.number()? })
    }

    pub(super) fn enumeration(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let name = self.tag_name(cursor)?;
        let Some(&ty) = self.tags.get(&(TagKind::Enum, name)) else {
            return Err(cursor.error("this enum was not found before"));
        };
        let mut underlying = None;
        if cursor.take_mark(":") {
            let start = cursor.clone();
            let ty = self.ty(cursor)?;
            if !matches!(self.types().get(ty), Type::Bool | Type::Int(_) | Type::BitInt { .. }) {
                return Err(start.error("an enum is kept in an integer"));
            }
            underlying = Some(ty);
        }
        let attributes = self.attributes(cursor)?;
        let loc = self.loc(cursor)?;
        let mut enumerators = Vec::new();
        if !cursor.at_line_end() {
            cursor.mark("{")?;
            while !cursor.take_mark("}") {
                let name = Symbol::intern(cursor.name()?);
                cursor.mark("=")?;
                enumerators.push((name, cursor.number()?));
            }
        }
        let Type::Enum(id) = self.types().get(ty) else { return Err(cursor.error("this is no enum")) };
        let data = &mut self.types_mut().enums[id];
        data.underlying = underlying;
        data.enumerators = enumerators;
        data.attributes = attributes;
        data.loc = loc;
        Ok(())
    }

    pub(super) fn attributes(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<Attribute>, ReadError> {
        let mut attributes = Vec::new();
        if !cursor.take_mark("[") {
            return Ok(attributes);
        }
        cursor.mark("[")?;
        loop {
            let name = Symbol::intern(cursor.name()?);
            let mut args = Vec::new();
            if cursor.take_mark("(") {
                loop {
                    args.push(self.attribute_value(cursor)?);
                    if !cursor.take_mark(",") {
                        break;
                    }
                }
                cursor.mark(")")?;
            }
            attributes.push(Attribute { name, args });
            if !cursor.take_mark(",") {
                break;
            }
        }
        cursor.mark("]")?;
        cursor.mark("]")?;
        Ok(attributes)
    }

    fn attribute_value(&mut self, cursor: &mut Cursor<'_>) -> Result<AttributeValue, ReadError> {
        if cursor.take_mark("?") {
            return Ok(AttributeValue::Other);
        }
        if cursor.take_mark("=") {
            return Ok(AttributeValue::String(cursor.quoted_text()?.into()));
        }
        match cursor.peek() {
            Some(token) if token.kind == super::lexer::TokenKind::Number => Ok(AttributeValue::Int(cursor.number()?)),
            _ => Ok(AttributeValue::Name(Symbol::intern(cursor.name()?))),
        }
    }
}

fn int_ty(kind: IntKind) -> Ty {
    match kind {
        IntKind::Char => Ty::CHAR,
        IntKind::SChar => Ty::SCHAR,
        IntKind::UChar => Ty::UCHAR,
        IntKind::Short => Ty::SHORT,
        IntKind::UShort => Ty::USHORT,
        IntKind::Int => Ty::INT,
        IntKind::UInt => Ty::UINT,
        IntKind::Long => Ty::LONG,
        IntKind::ULong => Ty::ULONG,
        IntKind::LongLong => Ty::LONG_LONG,
        IntKind::ULongLong => Ty::ULONG_LONG,
        IntKind::Int128 => Ty::INT128,
        IntKind::UInt128 => Ty::UINT128,
    }
}
