//! String literals: adjacent ones joined, escapes decoded, units in the width of the encoding.
//!
//! ```c
//! "abc" u8"é" "\x41\n"     L"a" "é"
//! ```
//! One prefix decides for all pieces, so the pieces are collected first and decoded then.

use crate::ast::{Ast, Encoding, StringId, StringLiteral};
use crate::token::{TokenKind, flag};

use super::Parser;

impl Parser<'_> {
    /// At a string literal; past all that follow it directly.
    pub(super) fn string(&mut self, ast: &mut Ast) -> StringId {
        let mut encoding = Encoding::Char;
        // Each piece with its length before it, since a raw one cannot be told by its text.
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let mut only = 0;
        while self.at(TokenKind::String) {
            let token = self.bump();
            let text = self.preprocessor.text(&token);
            let (prefix, _) = split_prefix(&text, b'"');
            if prefix != Encoding::Char {
                encoding = prefix;
            }
            pieces.extend_from_slice(&(text.len() as u32).to_le_bytes());
            pieces.extend_from_slice(&text);
            drop(text);
            if token.has(flag::UNTERMINATED) {
                self.warning(token.loc, "string without closing quote");
            }
            only += 1;
        }
        let bytes = match plain_body(&pieces, encoding) {
            Some(body) if only == 1 => body.into(),
            _ => decode_pieces(&pieces, encoding),
        };
        self.pieces = pieces;
        ast.strings.push(StringLiteral { encoding, bytes })
    }
}

/// The text between the quotes of the first piece, if it stands for itself.
fn plain_body(pieces: &[u8], encoding: Encoding) -> Option<&[u8]> {
    match pieces.get(4..)? {
        [b'"', body @ .., b'"'] if encoding == Encoding::Char && !body.contains(&b'\\') => Some(body),
        _ => None,
    }
}

fn decode_pieces(mut pieces: &[u8], encoding: Encoding) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(pieces.len());
    while let Some((length, rest)) = pieces.split_first_chunk::<4>() {
        let length = (u32::from_le_bytes(*length) as usize).min(rest.len());
        let (text, after) = rest.split_at(length);
        pieces = after;
        match raw_body(text) {
            Some(body) => encode(Units { text: body, encoding, is_raw: true, low: None }, &mut bytes),
            None => encode(Units::new(split_prefix(text, b'"').1, encoding), &mut bytes),
        }
    }
    bytes.into()
}

fn encode(units: Units<'_>, bytes: &mut Vec<u8>) {
    match units.encoding {
        Encoding::Char | Encoding::Utf8 => bytes.extend(units.map(|unit| unit as u8)),
        Encoding::Utf16 => units.for_each(|unit| bytes.extend_from_slice(&(unit as u16).to_le_bytes())),
        Encoding::Utf32 | Encoding::Wide => units.for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes())),
    }
}

/// The encoding that the prefix says, and the text between the quotes.
pub(super) fn split_prefix(text: &[u8], quote: u8) -> (Encoding, &[u8]) {
    let (encoding, rest) = match text {
        [b'u', b'8', rest @ ..] => (Encoding::Utf8, rest),
        [b'u', rest @ ..] => (Encoding::Utf16, rest),
        [b'U', rest @ ..] => (Encoding::Utf32, rest),
        [b'L', rest @ ..] => (Encoding::Wide, rest),
        rest => (Encoding::Char, rest),
    };
    let rest = rest.strip_prefix(b"R").unwrap_or(rest);
    let body = rest.strip_prefix(&[quote]).unwrap_or(rest);
    (encoding, body.strip_suffix(&[quote]).unwrap_or(body))
}

/// The text of a raw string: `R"delimiter(text)delimiter"`.
fn raw_body(text: &[u8]) -> Option<&[u8]> {
    let quote = text.iter().take(4).position(|&byte| byte == b'"')?;
    if quote == 0 || text[quote - 1] != b'R' {
        return None;
    }
    let body = &text[quote + 1..];
    let open = body.iter().position(|&byte| byte == b'(')?;
    // Behind the text stand `)`, the delimiter and the quote.
    let end = body.len().checked_sub(open + 2)?;
    body.get(open + 1..end)
}

/// The code units of a literal's body.
pub(super) struct Units<'t> {
    text: &'t [u8],
    encoding: Encoding,
    is_raw: bool,
    /// What is left of a character that takes several units, in order.
    low: Option<Pending>,
}

/// Units still to come of one character.
#[derive(Clone, Copy)]
struct Pending {
    units: [u16; 3],
    next: u8,
    len: u8,
}

impl<'t> Units<'t> {
    pub(super) fn new(text: &'t [u8], encoding: Encoding) -> Units<'t> {
        Units { text, encoding, is_raw: false, low: None }
    }

    fn take(&mut self) -> Option<u8> {
        let (&byte, rest) = self.text.split_first()?;
        self.text = rest;
        Some(byte)
    }

    /// The first unit of a character; the others wait.
    fn character(&mut self, code: u32) -> u32 {
        match self.encoding {
            Encoding::Utf32 | Encoding::Wide => code,
            Encoding::Utf16 => {
                if code < 0x1_0000 {
                    return code;
                }
                let rest = code - 0x1_0000;
                self.low = Some(Pending { units: [0xdc00 | (rest & 0x3ff) as u16, 0, 0], next: 0, len: 1 });
                0xd800 | (rest >> 10 & 0x3ff)
            }
            Encoding::Char | Encoding::Utf8 => {
                let mut buffer = [0; 4];
                let bytes = char::from_u32(code).unwrap_or('\u{fffd}').encode_utf8(&mut buffer).as_bytes();
                if let [_, rest @ ..] = bytes
                    && !rest.is_empty()
                {
                    let mut units = [0; 3];
                    for (unit, &byte) in units.iter_mut().zip(rest) {
                        *unit = u16::from(byte);
                    }
                    self.low = Some(Pending { units, next: 0, len: rest.len() as u8 });
                }
                u32::from(bytes[0])
            }
        }
    }

    /// After a backslash.
    fn escape(&mut self) -> u32 {
        let Some(byte) = self.take() else { return u32::from(b'\\') };
        match byte {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' | b'E' => 27,
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(&digit @ b'0'..=b'7') = self.text.first() else { break };
                    self.take();
                    value = value * 8 + u32::from(digit - b'0');
                }
                value
            }
            b'x' => self.hex(usize::MAX),
            b'u' => {
                let code = self.hex(4);
                self.character(code)
            }
            b'U' => {
                let code = self.hex(8);
                self.character(code)
            }
            other => u32::from(other),
        }
    }

    /// Hexadecimal digits, at most so many, or any number in braces (C2y).
    fn hex(&mut self, most: usize) -> u32 {
        let in_braces = self.text.first() == Some(&b'{');
        if in_braces {
            self.take();
        }
        let most = if in_braces { usize::MAX } else { most };
        let mut value: u32 = 0;
        let mut count = 0;
        while count < most {
            let Some(digit) = self.text.first().and_then(|&byte| char::from(byte).to_digit(16)) else { break };
            self.take();
            value = value << 4 | digit;
            count += 1;
        }
        if in_braces && self.text.first() == Some(&b'}') {
            self.take();
        }
        value
    }

    /// A character of the source, which is UTF-8; a byte that is not stands for itself.
    fn source_character(&mut self, first: u8) -> u32 {
        let length = match first {
            0xc2..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf4 => 3,
            _ => return u32::from(first),
        };
        let mut buffer = [first, 0, 0, 0];
        let Some(rest) = self.text.get(..length) else { return u32::from(first) };
        buffer[1..=length].copy_from_slice(rest);
        match std::str::from_utf8(&buffer[..=length]).ok().and_then(|text| text.chars().next()) {
            Some(character) => {
                self.text = &self.text[length..];
                self.character(u32::from(character))
            }
            None => u32::from(first),
        }
    }
}

impl Iterator for Units<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if let Some(pending) = &mut self.low {
            let unit = pending.units[pending.next as usize];
            pending.next += 1;
            if pending.next == pending.len {
                self.low = None;
            }
            return Some(u32::from(unit));
        }
        let byte = self.take()?;
        if byte == b'\\' && !self.is_raw {
            return Some(self.escape());
        }
        let is_narrow = matches!(self.encoding, Encoding::Char | Encoding::Utf8);
        Some(if byte < 0x80 || is_narrow { u32::from(byte) } else { self.source_character(byte) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(texts: &[&str], encoding: Encoding) -> Vec<u8> {
        let mut pieces = Vec::new();
        for text in texts {
            pieces.extend_from_slice(&(text.len() as u32).to_le_bytes());
            pieces.extend_from_slice(text.as_bytes());
        }
        decode_pieces(&pieces, encoding).into()
    }

    #[test]
    fn escapes_end_with_their_literal() {
        assert_eq!(join(&[r#""\x41""#, r#""1\n""#], Encoding::Char), b"A1\n");
        assert_eq!(join(&[r#""\1234\0""#], Encoding::Char), b"S4\0");
        assert_eq!(join(&[r#""\u00e9""#], Encoding::Char), "é".as_bytes());
        assert_eq!(join(&[r#""\q\"""#], Encoding::Char), b"q\"");
    }

    #[test]
    fn wide_units_are_little_endian() {
        assert_eq!(join(&["u\"é\"", "\"a\""], Encoding::Utf16), [0xe9, 0, 0x61, 0]);
        assert_eq!(join(&["u\"😀\""], Encoding::Utf16), [0x3d, 0xd8, 0x00, 0xde]);
        assert_eq!(join(&["L\"é\""], Encoding::Wide), [0xe9, 0, 0, 0]);
        assert_eq!(join(&[r#"U"\xffffffff""#], Encoding::Utf32), [0xff; 4]);
    }

    #[test]
    fn raw_strings_keep_their_backslashes() {
        assert_eq!(join(&[r#"R"x(a\n)")x""#], Encoding::Char), br#"a\n)""#);
    }

    #[test]
    fn broken_literals_do_not_panic() {
        for text in ["\"", "", "\"\\", "\"\\x", "\"\\u{12", "R\"", "R\"(", "R\"abc", "u8", "L\"\u{e9}"] {
            join(&[text], Encoding::Wide);
            join(&[text], Encoding::Char);
        }
    }
}
