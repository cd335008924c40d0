//! String literals and globals.

use caulk_base::Symbol;
use caulk_sema::unit::{DataItem, Datum, Definition, GlobalId, Initializer, Linkage, Parameter, StringData, StringId};

use super::lexer::{Cursor, TokenKind};
use super::{Name, ReadError, Reader};

impl Reader {
    /// After `str3`: `: [6 x char] "hello\00"`.
    pub(super) fn string(&mut self, cursor: &mut Cursor<'_>, number: u32) -> Result<(), ReadError> {
        self.check_hole(cursor, number, self.text_len)?;
        cursor.mark(":")?;
        let start = cursor.clone();
        let ty = self.ty(cursor)?;
        if !self.types().is_array(ty) {
            return Err(start.error("a string is an array"));
        }
        let bytes = cursor.quoted()?.into();
        // Holes are literals that nobody uses.
        let empty = StringData { bytes: Box::default(), ty };
        self.unit.strings.grow_to(StringId(number), empty);
        self.unit.strings[StringId(number)] = StringData { bytes, ty };
        Ok(())
    }

    pub(super) fn string_id(&self, cursor: &mut Cursor<'_>) -> Result<StringId, ReadError> {
        let start = cursor.clone();
        let id = StringId(cursor.id("str")?);
        if self.unit.strings.get(id).is_none() {
            return Err(start.error(format!("{id} is defined nowhere")));
        }
        Ok(id)
    }

    pub(super) fn global_name(&mut self, cursor: &mut Cursor<'_>) -> Result<Name, ReadError> {
        let Some(TokenKind::Global(bytes)) = cursor.peek().map(|token| &token.kind) else {
            return Err(cursor.error("expected `@` and a name"));
        };
        let name = std::str::from_utf8(bytes).map_err(|_| cursor.error("the name is not UTF-8"))?;
        cursor.next();
        Ok((Symbol::intern(name), self.name_number(cursor)?))
    }

    pub(super) fn global_id(&mut self, cursor: &mut Cursor<'_>) -> Result<GlobalId, ReadError> {
        let start = cursor.clone();
        let name = self.global_name(cursor)?;
        self.globals.get(&name).copied().ok_or_else(|| start.error(format!("@{} is defined nowhere", name.0)))
    }

    /// After `global`.
    pub(super) fn global(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let flags = cursor.clone();
        while cursor.peek().is_some_and(|token| token.kind == TokenKind::Word) {
            cursor.next();
        }
        let id = self.global_id(cursor)?;
        let mut global = self.unit.globals[id].clone();
        let mut at = flags;
        while let Some(token) = at.next().filter(|token| token.kind == TokenKind::Word) {
            match token.text {
                "internal" => global.linkage = Linkage::Internal,
                "weak" => global.is_weak = true,
                "thread_local" => global.is_thread_local = true,
                "inline" => global.is_inline = true,
                "inline_only" => global.is_inline_only = true,
                "noreturn" => global.is_noreturn = true,
                "returns_twice" => global.returns_twice = true,
                word => return Err(super::error_at(token, format!("globals are not `{word}`"))),
            }
        }
        cursor.mark(":")?;
        global.ty = self.ty(cursor)?;
        if cursor.take_word("source") {
            global.source_name = Symbol::intern(cursor.name()?);
        }
        if cursor.take_word("alias") {
            global.alias = Some(Symbol::intern(cursor.name()?));
        }
        if cursor.take_word("params") {
            cursor.mark("(")?;
            while !cursor.take_mark(")") {
                let name = Symbol::intern(cursor.name()?);
                global.parameters.push(Parameter { name, attributes: self.attributes(cursor)? });
                cursor.take_mark(",");
            }
        }
        global.attributes = self.attributes(cursor)?;
        global.loc = self.loc(cursor)?;
        if cursor.take_mark("=") {
            global.definition = self.definition(cursor)?;
        }
        self.unit.globals[id] = global;
        Ok(())
    }

    fn definition(&mut self, cursor: &mut Cursor<'_>) -> Result<Definition, ReadError> {
        if cursor.take_word("function") {
            return Ok(Definition::Function);
        }
        if cursor.take_word("zero") {
            return Ok(Definition::Zero);
        }
        cursor.mark("{")?;
        let mut items = Vec::new();
        while !cursor.take_mark("}") {
            let offset = cursor.number()?;
            let bits = self.optional_bits(cursor)?;
            cursor.mark(":")?;
            let ty = self.ty(cursor)?;
            items.push(DataItem { offset, bits, ty, value: self.datum(cursor)? });
        }
        Ok(Definition::Data(Initializer { items }))
    }

    fn datum(&mut self, cursor: &mut Cursor<'_>) -> Result<Datum, ReadError> {
        let Some(token) = cursor.peek() else { return Err(cursor.error("expected a value")) };
        if matches!(token.kind, TokenKind::Global(_)) {
            let id = self.global_id(cursor)?;
            return Ok(Datum::Global(id, self.offset(cursor)?));
        }
        if token.id("str").is_some() {
            let id = self.string_id(cursor)?;
            return Ok(Datum::String(id, self.offset(cursor)?));
        }
        if cursor.take_word("bytes") {
            return self.string_id(cursor).map(Datum::Bytes);
        }
        if cursor.take_word("label") {
            return cursor.number().map(Datum::Label);
        }
        if cursor.take_word("unknown") {
            return Ok(Datum::Unknown);
        }
        if cursor.take_word("complex") {
            let real = cursor.float()?;
            cursor.mark(",")?;
            return Ok(Datum::Complex(real, cursor.float()?));
        }
        // A float always has a point, an exponent or no digits at all.
        let is_integer = token.kind == TokenKind::Number && token.text.parse::<i128>().is_ok();
        if is_integer { cursor.number().map(Datum::Int) } else { cursor.float().map(Datum::Float) }
    }

    /// ` + 4` or ` - 4`
    fn offset(&mut self, cursor: &mut Cursor<'_>) -> Result<i64, ReadError> {
        let is_negative = cursor.take_mark("-");
        if !is_negative && !cursor.take_mark("+") {
            return Ok(0);
        }
        let start = cursor.clone();
        let size: u64 = cursor.number()?;
        let offset = if is_negative { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() };
        offset.ok_or_else(|| start.error("the offset is too large"))
    }
}
