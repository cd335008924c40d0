//! Tokens that are not what their bytes seem: read by logical characters.
//!
//! A logical character is a byte after line splices are taken out and trigraphs replaced.
//!
//! ```c
//! int ab\
//! c = 1;      // `ab\⏎c` is the identifier `abc`; the token is marked DIRTY
//! ```
//!
//! Everything here is slow and rare; [`scan`](super::scan) comes here whenever it sees a backslash, a
//! possible trigraph or a byte past ASCII where a token could go on.

use std::borrow::Cow;

use caulk_base::Symbol;

use super::comment::splice_len;
use super::scan::{Scanner, digraph_flag, is_literal_prefix, punctuator};
use super::table::{IN_IDENT, IN_NUMBER, MARKS, is_ident_char};
use crate::token::{TokenKind, flag};

/// A logical character: its byte, where its bytes begin and end, whether it is spelled otherwise.
#[derive(Clone, Copy)]
struct Logical {
    byte: u8,
    start: usize,
    end: usize,
    dirty: bool,
}

fn trigraph(text: &[u8], at: usize) -> Option<u8> {
    if !text[at..].starts_with(b"??") {
        return None;
    }
    Some(match text.get(at + 2)? {
        b'=' => b'#',
        b'(' => b'[',
        b'/' => b'\\',
        b')' => b']',
        b'\'' => b'^',
        b'<' => b'{',
        b'!' => b'|',
        b'>' => b'}',
        b'-' => b'~',
        _ => return None,
    })
}

/// The logical character at or after `at`; its byte is 0 at the end of the text.
fn logical(text: &[u8], mut at: usize, trigraphs: bool) -> Logical {
    let mut dirty = false;
    loop {
        let splice = splice_len(text, at, trigraphs);
        if splice == 0 {
            break;
        }
        at += splice;
        dirty = true;
    }
    if trigraphs && let Some(byte) = text.get(at..).and_then(|_| trigraph(text, at)) {
        return Logical { byte, start: at, end: at + 3, dirty: true };
    }
    Logical { byte: text.get(at).copied().unwrap_or(0), start: at, end: (at + 1).min(text.len()), dirty }
}

/// The character that `\u1234` or `\U00012345` at `at` names, and where it ends.
fn universal(text: &[u8], at: usize) -> Option<(char, usize)> {
    let digits = match text.get(at..at + 2)? {
        b"\\u" => 4,
        b"\\U" => 8,
        _ => return None,
    };
    let hex = std::str::from_utf8(text.get(at + 2..at + 2 + digits)?).ok()?;
    let c = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
    is_ident_char(c).then_some((c, at + 2 + digits))
}

/// The UTF-8 character at `at`, and where it ends.
fn utf8_char(text: &[u8], at: usize) -> Option<(char, usize)> {
    let bytes = &text[at..text.len().min(at + 4)];
    let valid = match std::str::from_utf8(bytes) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
    };
    let c = valid.chars().next()?;
    Some((c, at + c.len_utf8()))
}

/// Collects the logical characters of one token.
struct Taken {
    text: Vec<u8>,
    end: usize,
    dirty: bool,
}

impl Taken {
    fn take(&mut self, c: Logical) {
        self.text.push(c.byte);
        self.end = c.end;
        self.dirty |= c.dirty;
    }
}

impl Scanner<'_> {
    fn logical(&self, at: usize) -> Logical {
        logical(self.text, at, self.mode.trigraphs)
    }

    /// The token at `start`, which is no splice; `None` after a comment was passed.
    #[cold]
    pub(super) fn spliced_token(&mut self, start: usize, flags: u8) -> Option<TokenKind> {
        let first = self.logical(start);
        let mut taken = Taken { text: Vec::new(), end: start, dirty: false };
        let second = self.logical(first.end);
        match first.byte {
            b'/' if second.byte == b'*' => {
                self.at = second.end;
                self.skip_block_comment(start);
                None
            }
            b'/' if second.byte == b'/' && self.begins_line_comment(second.end) => {
                self.at = second.end;
                self.skip_line_comment();
                None
            }
            b'"' | b'\'' => {
                let kind = if first.byte == b'"' { TokenKind::String } else { TokenKind::Char };
                Some(self.spliced_literal(kind, start, start, flags))
            }
            b'0'..=b'9' => Some(self.spliced_number(taken, start, flags)),
            b'.' if second.byte.is_ascii_digit() => Some(self.spliced_number(taken, start, flags)),
            _ => {
                self.take_identifier(&mut taken);
                if taken.end > start {
                    return Some(self.spliced_identifier(taken, start, flags));
                }
                Some(self.spliced_punctuator(first, flags))
            }
        }
    }

    fn take_identifier(&self, taken: &mut Taken) {
        loop {
            let c = self.logical(taken.end);
            if MARKS[c.byte as usize] & IN_IDENT != 0 {
                taken.take(c);
                continue;
            }
            let (named, is_universal) = match c.byte {
                b'\\' => (universal(self.text, c.start), true),
                0x80.. => (utf8_char(self.text, c.start).filter(|&(c, _)| is_ident_char(c)), false),
                _ => (None, false),
            };
            let Some((named, end)) = named else { return };
            taken.text.extend_from_slice(named.encode_utf8(&mut [0; 4]).as_bytes());
            taken.end = end;
            taken.dirty |= c.dirty || is_universal;
        }
    }

    fn spliced_identifier(&mut self, taken: Taken, start: usize, flags: u8) -> TokenKind {
        let next = self.logical(taken.end);
        if matches!(next.byte, b'"' | b'\'') && is_literal_prefix(&taken.text) {
            let kind = if next.byte == b'"' { TokenKind::String } else { TokenKind::Char };
            return self.spliced_literal(kind, start, next.start, flags);
        }
        let symbol = Symbol::intern(&String::from_utf8_lossy(&taken.text));
        self.add(TokenKind::Ident, start, taken.end, flags | dirty_flag(taken.dirty), symbol.0)
    }

    fn spliced_number(&mut self, mut taken: Taken, start: usize, flags: u8) -> TokenKind {
        loop {
            let c = self.logical(taken.end);
            let next = self.logical(c.end);
            if MARKS[c.byte as usize] & IN_NUMBER != 0 {
                taken.take(c);
                if matches!(c.byte | 0x20, b'e' | b'p') && matches!(next.byte, b'+' | b'-') {
                    taken.take(next);
                }
            } else if c.byte == b'\'' && self.mode.digit_separators && MARKS[next.byte as usize] & IN_IDENT != 0 {
                taken.take(c);
                taken.take(next);
            } else {
                let before = taken.end;
                self.take_identifier(&mut taken);
                if taken.end == before {
                    return self.make(TokenKind::Number, start, taken.end, flags | dirty_flag(taken.dirty));
                }
            }
        }
    }

    /// As `literal`, by logical characters.
    pub(super) fn spliced_literal(&mut self, kind: TokenKind, start: usize, quote: usize, flags: u8) -> TokenKind {
        let close = if kind == TokenKind::String { b'"' } else { b'\'' };
        let open = self.logical(quote);
        let mut at = open.end;
        // The prefix may hold a splice: cleaning a clean text does no harm.
        let mut dirty = quote > start;
        loop {
            let c = self.logical(at);
            if matches!(c.byte, b'\n' | b'\r') || c.start >= self.text.len() {
                return self.unterminated(kind, start, at, flags | dirty_flag(dirty));
            }
            dirty |= c.dirty;
            at = c.end;
            if c.byte == close {
                return self.make(kind, start, at, flags | dirty_flag(dirty));
            }
            if c.byte == b'\\' {
                let escaped = self.logical(at);
                if !matches!(escaped.byte, b'\n' | b'\r') {
                    dirty |= escaped.dirty;
                    at = escaped.end;
                }
            }
        }
    }

    fn spliced_punctuator(&mut self, first: Logical, flags: u8) -> TokenKind {
        let mut all = [first; 4];
        for number in 1..4 {
            all[number] = self.logical(all[number - 1].end);
        }
        let [a, b, c, d] = all;
        let (kind, len) = punctuator(a.byte, b.byte, c.byte, d.byte);
        let mut end = all[len - 1].end;
        if kind == TokenKind::Stray
            && let Some((_, char_end)) = utf8_char(self.text, a.start)
        {
            end = char_end;
        }
        let dirty = end - a.start != len && kind != TokenKind::Stray;
        self.make(kind, a.start, end, flags | dirty_flag(dirty) | digraph_flag(a.byte, b.byte, kind))
    }
}

fn dirty_flag(dirty: bool) -> u8 {
    if dirty { flag::DIRTY } else { 0 }
}

/// The text of a DIRTY token without its splices and trigraphs. Universal character names stay: in a
/// literal they are an escape, and an identifier has its symbol.
pub(crate) fn clean(text: &[u8], trigraphs: bool) -> Cow<'_, [u8]> {
    let mut cleaned = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let c = logical(text, at, trigraphs);
        if c.start >= text.len() {
            break;
        }
        cleaned.push(c.byte);
        at = c.end;
    }
    Cow::Owned(cleaned)
}
