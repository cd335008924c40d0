//! Reads what [`print`](crate::print) prints: for tests that start from IR, and to keep IR as text.
//!
//! The grammar is described there. Beyond it, `//` starts a comment that ends with the line. Reading
//! what was printed and printing it again gives the same text; ids of globals, records and constants
//! may differ from the original, numbers of values, blocks and strings do not.
//!
//! Names may be used before they are defined, so the text is gone through twice: once for the names of
//! records, enums and globals, once for the rest, functions last. The first error ends it. No text
//! makes it panic, and it takes memory in proportion to the text: numbers of values and strings that
//! would leave large holes are refused.

mod function;
mod global;
mod lexer;
mod types;

use std::fmt;

use caulk_base::{IdVec, Loc, Symbol};
use caulk_sema::types::{Ty, TypeTable};
use caulk_sema::unit::{Global, GlobalId, Unit};
use rustc_hash::FxHashMap;

use self::lexer::{Cursor, Token, TokenKind, error_at, lex};
use crate::ir::Module;
use crate::words::{set_target_field, target_row};

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

pub fn read_module(text: &str) -> Result<Module, ReadError> {
    let tokens = lex(text)?;
    let mut cursor = Cursor::new(&tokens);
    let mut reader = Reader::new(&mut cursor, text.len())?;
    reader.scan_names(cursor.clone())?;
    let mut bodies = Vec::new();
    while let Some(token) = cursor.peek() {
        if token.is_word("function") {
            bodies.push(cursor.clone());
            skip_item(&mut cursor);
        } else {
            reader.item(&mut cursor, token)?;
        }
    }
    let mut functions = Vec::with_capacity(bodies.len());
    for mut cursor in bodies {
        functions.push(reader.function(&mut cursor)?);
    }
    Ok(Module { unit: reader.unit, functions })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TagKind {
    Struct,
    Union,
    Enum,
}

impl TagKind {
    fn of(token: &Token<'_>) -> Option<TagKind> {
        match token.text {
            "struct" => Some(TagKind::Struct),
            "union" => Some(TagKind::Union),
            "enum" => Some(TagKind::Enum),
            _ => None,
        }
    }
}

/// A name and its number among equal ones.
type Name = (Symbol, u32);

struct Reader {
    unit: Unit,
    tags: FxHashMap<(TagKind, Name), Ty>,
    globals: FxHashMap<Name, GlobalId>,
    text_len: usize,
}

/// Goes on to the first token of the next item: one that starts a line outside all braces.
fn skip_item(cursor: &mut Cursor<'_>) {
    let mut depth = 0_usize;
    while let Some(token) = cursor.next() {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && cursor.at_line_end() {
            break;
        }
    }
}

impl Reader {
    /// Reads the target, with which every text starts.
    fn new(cursor: &mut Cursor<'_>, text_len: usize) -> Result<Reader, ReadError> {
        if !cursor.take_word("target") {
            return Err(cursor.error("expected `target`"));
        }
        let name = cursor.quoted_text()?;
        let mut target = target_row(name).clone();
        target.name = Symbol::intern(name).as_str();
        while !cursor.at_line_end() {
            let start = cursor.clone();
            let field = cursor.name()?;
            let value = cursor.number()?;
            if set_target_field(&mut target, field, value).is_none() {
                return Err(start.error(format!("no target has `{field} {value}`")));
            }
        }
        let types = TypeTable::new(target);
        let unit = Unit { types, globals: IdVec::new(), strings: IdVec::new(), asm: Vec::new() };
        Ok(Reader { unit, tags: FxHashMap::default(), globals: FxHashMap::default(), text_len })
    }

    fn types(&self) -> &TypeTable {
        &self.unit.types
    }

    fn types_mut(&mut self) -> &mut TypeTable {
        &mut self.unit.types
    }

    /// Numbers of strings and values may leave holes, but no large ones.
    fn check_hole(&self, cursor: &Cursor<'_>, number: u32, text_len: usize) -> Result<(), ReadError> {
        let is_small = number as usize <= 256 + 4 * text_len.min(self.text_len);
        if is_small { Ok(()) } else { Err(cursor.error(format!("the number {number} is too large for this text"))) }
    }

    /// Makes every record, enum and global, so that any line may name them.
    fn scan_names(&mut self, mut cursor: Cursor<'_>) -> Result<(), ReadError> {
        while let Some(token) = cursor.peek() {
            let mut ahead = cursor.clone();
            ahead.next();
            if let Some(kind) = TagKind::of(token) {
                let (tag, number) = self.tag_name(&mut ahead)?;
                let ty = match kind {
                    TagKind::Struct => self.types_mut().new_record(false, tag, Loc::NONE),
                    TagKind::Union => self.types_mut().new_record(true, tag, Loc::NONE),
                    TagKind::Enum => self.types_mut().new_enum(tag, Loc::NONE),
                };
                if self.tags.insert((kind, (tag, number)), ty).is_some() {
                    return Err(error_at(token, "this type is defined twice"));
                }
            } else if token.is_word("global") {
                while ahead.peek().is_some_and(|token| token.kind == TokenKind::Word) {
                    ahead.next();
                }
                let name = self.global_name(&mut ahead)?;
                let id = self.unit.globals.push(Global::new(name.0, Ty::ERROR, Loc::NONE));
                if self.globals.insert(name, id).is_some() {
                    return Err(error_at(token, "this global is defined twice"));
                }
            }
            skip_item(&mut cursor);
        }
        Ok(())
    }

    fn item(&mut self, cursor: &mut Cursor<'_>, first: &Token<'_>) -> Result<(), ReadError> {
        cursor.next();
        match first.text {
            "asm" => self.unit.asm.push(cursor.quoted_text()?.into()),
            "struct" => self.record(cursor, TagKind::Struct)?,
            "union" => self.record(cursor, TagKind::Union)?,
            "enum" => self.enumeration(cursor)?,
            "global" => self.global(cursor)?,
            _ => match first.id("str") {
                Some(number) => self.string(cursor, number)?,
                None => return Err(error_at(first, format!("unexpected `{}`", first.text))),
            },
        }
        self.line_end(cursor)
    }

    fn line_end(&self, cursor: &Cursor<'_>) -> Result<(), ReadError> {
        match cursor.peek() {
            Some(token) if !token.starts_line => {
                Err(error_at(token, format!("unexpected `{}` before the end of the line", token.text)))
            }
            _ => Ok(()),
        }
    }

    /// `!812`; a place such as `!12:5` is skipped.
    fn loc(&mut self, cursor: &mut Cursor<'_>) -> Result<Loc, ReadError> {
        if !cursor.take_mark("!") {
            return Ok(Loc::NONE);
        }
        if cursor.quoted().is_ok() {
            cursor.mark(":")?;
        }
        let raw = cursor.number()?;
        if !cursor.take_mark(":") {
            return Ok(Loc::from_raw(raw));
        }
        cursor.number::<u32>()?;
        Ok(Loc::NONE)
    }
}

#[cfg(test)]
pub(crate) mod tests;
