//! Bytes to tokens: the fast paths.
//!
//! A token is cut from the raw bytes by table. Wherever a byte could be the start of something that
//! is not what it seems (a backslash, a byte past ASCII, a trigraph) the token is cut again by
//! [`spliced`](super::spliced), which reads logical characters.

use std::borrow::Cow;

use caulk_base::symbol::word;
use caulk_base::{Loc, Severity};

use super::Problem;
use super::comment::{newline_len, splice_len};
use super::names::{Name, Names};
use super::table::{CLASS, Class, IN_IDENT, IN_NUMBER, LOOK_AFTER_IDENT, MARKS};
use crate::config::LexMode;
use crate::token::{Token, TokenKind, flag};

pub(super) struct Scanner<'s> {
    pub(super) text: &'s [u8],
    pub(super) at: usize,
    pub(super) mode: LexMode,
    pub(super) names: Names,
    pub(super) problems: Vec<Problem>,
    /// Where tokens go.
    pub(super) tokens: Vec<Token>,
    reported_nul: bool,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(text: &'s [u8], mode: LexMode) -> Scanner<'s> {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let names = Names::new(text.len());
        let mut scanner =
            Scanner { text, at, mode, names, problems: Vec::new(), tokens: Vec::new(), reported_nul: false };
        if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
            scanner.error(0, "the file is in UTF-16, which is not read");
        }
        scanner
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    pub(super) fn error(&mut self, offset: usize, message: impl Into<Cow<'static, str>>) {
        self.problem(Severity::Error, offset, message);
    }

    pub(super) fn warning(&mut self, offset: usize, message: impl Into<Cow<'static, str>>) {
        self.problem(Severity::Warning, offset, message);
    }

    fn problem(&mut self, severity: Severity, offset: usize, message: impl Into<Cow<'static, str>>) {
        self.problems.push(Problem { severity, offset: offset as u32, message: message.into() });
    }

    /// Adds a token from `start` to `end`, where scanning goes on.
    #[inline]
    pub(super) fn make(&mut self, kind: TokenKind, start: usize, end: usize, flags: u8) -> TokenKind {
        self.add(kind, start, end, flags, 0)
    }

    /// As `make`, with the token's data. Written to its place at once: a token of many small fields
    /// is slow to move.
    #[inline]
    pub(super) fn add(&mut self, kind: TokenKind, start: usize, end: usize, flags: u8, data: u32) -> TokenKind {
        self.at = end;
        self.tokens.push(Token { kind, flags, loc: Loc::from_raw(start as u32), len: (end - start) as u32, data });
        kind
    }

    /// Adds the next token; its kind. `flags` are those of its place so far. With `LINE`, the end of the line is an
    /// `End`, before which scanning stays.
    pub(super) fn token<const LINE: bool>(&mut self, mut flags: u8) -> TokenKind {
        loop {
            let start = self.at;
            let Some(&byte) = self.text.get(start) else {
                return self.make(TokenKind::End, start, start, flags);
            };
            match CLASS[byte as usize] {
                Class::Ident => return self.identifier(start, flags),
                Class::Space => {
                    flags |= flag::SPACE;
                    self.at += 1;
                }
                Class::Newline => {
                    if LINE {
                        return self.make(TokenKind::End, start, start, flags);
                    }
                    self.at += newline_len(self.text, start);
                    flags = flag::LINE_START;
                    while self.byte(self.at) == b' ' {
                        self.at += 1;
                        flags = flag::LINE_START | flag::SPACE;
                    }
                }
                Class::Single => return self.make(single(byte), start, start + 1, flags),
                Class::Digit => return self.number(start, flags),
                Class::Quote => return self.literal(start, start, flags),
                Class::Slash => match self.byte(start + 1) {
                    b'*' => {
                        self.at = start + 2;
                        self.skip_block_comment(start);
                        flags |= flag::SPACE;
                    }
                    b'/' if self.begins_line_comment(start + 2) => {
                        self.at = start + 2;
                        self.skip_line_comment();
                        flags |= flag::SPACE;
                    }
                    b'=' => return self.make(TokenKind::SlashEqual, start, start + 2, flags),
                    b'\\' | b'?' => match self.spliced_token(start, flags) {
                        Some(token) => return token,
                        None => flags |= flag::SPACE,
                    },
                    _ => return self.make(TokenKind::Slash, start, start + 1, flags),
                },
                Class::Dot => {
                    let next = self.byte(start + 1);
                    if next.is_ascii_digit() {
                        return self.number(start, flags);
                    }
                    if next == b'.' && self.byte(start + 2) == b'.' {
                        return self.make(TokenKind::Ellipsis, start, start + 3, flags);
                    }
                    if matches!(next, b'\\' | b'?' | b'.')
                        && let Some(token) = self.spliced_token(start, flags)
                    {
                        return token;
                    }
                    return self.make(TokenKind::Dot, start, start + 1, flags);
                }
                Class::Punctuator => {
                    if byte == b'?' && self.mode.trigraphs {
                        let splice = splice_len(self.text, start, true);
                        if splice > 0 {
                            self.at += splice;
                            continue;
                        }
                    }
                    return self.punctuator(byte, start, flags);
                }
                Class::Odd => match byte {
                    0 => {
                        if !self.reported_nul {
                            self.reported_nul = true;
                            self.warning(start, "null byte in the text, taken as white space");
                        }
                        flags |= flag::SPACE;
                        self.at += 1;
                    }
                    b'\\' if splice_len(self.text, start, false) > 0 => {
                        self.at += splice_len(self.text, start, false);
                    }
                    _ => match self.spliced_token(start, flags) {
                        Some(token) => return token,
                        None => flags |= flag::SPACE,
                    },
                },
            }
        }
    }

    /// Whether `//` before `at` begins a comment. Strict C89 has none, but GCC takes them as such all
    /// the same, except in `//*`, which is valid C89.
    pub(super) fn begins_line_comment(&self, at: usize) -> bool {
        !self.mode.no_line_comments || self.byte(at) != b'*'
    }

    #[inline]
    fn identifier(&mut self, start: usize, flags: u8) -> TokenKind {
        let name = Name::scan(self.text, start);
        let end = name.end;
        if MARKS[self.byte(end) as usize] & LOOK_AFTER_IDENT != 0
            && let Some(token) = self.after_identifier(start, end, flags)
        {
            return token;
        }
        let symbol = self.names.intern(self.text, &name);
        self.add(TokenKind::Ident, start, end, flags, symbol.0)
    }

    /// An identifier that may go on, or be the prefix of a literal.
    #[cold]
    fn after_identifier(&mut self, start: usize, end: usize, flags: u8) -> Option<TokenKind> {
        match self.byte(end) {
            b'"' | b'\'' => is_literal_prefix(&self.text[start..end]).then(|| self.literal(start, end, flags)),
            b'?' if !self.mode.trigraphs => None,
            _ => self.spliced_token(start, flags),
        }
    }

    fn number(&mut self, start: usize, flags: u8) -> TokenKind {
        let mut end = start + 1;
        loop {
            let byte = self.byte(end);
            let marks = MARKS[byte as usize];
            if marks & IN_NUMBER != 0 {
                end += 1;
                // A sign goes on only after an exponent's letter.
                if matches!(byte | 0x20, b'e' | b'p') && matches!(self.byte(end), b'+' | b'-') {
                    end += 1;
                }
            } else if byte == b'\'' && self.mode.digit_separators && MARKS[self.byte(end + 1) as usize] & IN_IDENT != 0
            {
                end += 2;
            } else if matches!(byte, b'\\' | 0x80..) || byte == b'?' && self.mode.trigraphs {
                return self.spliced_token(start, flags).expect("a number is no comment");
            } else {
                return self.make(TokenKind::Number, start, end, flags);
            }
        }
    }

    fn punctuator(&mut self, byte: u8, start: usize, flags: u8) -> TokenKind {
        let next = self.byte(start + 1);
        if (next == b'\\' || self.mode.trigraphs && (byte == b'?' || next == b'?'))
            && let Some(token) = self.spliced_token(start, flags)
        {
            return token;
        }
        let third = self.byte(start + 2);
        let (kind, len) = punctuator(byte, next, third, self.byte(start + 3));
        if len == 2 && third == b'\\' && matches!(byte, b'<' | b'>' | b'%') {
            return self.spliced_token(start, flags).expect("a punctuator is no comment");
        }
        self.make(kind, start, start + len, flags | digraph_flag(byte, next, kind))
    }

    /// Goes past blanks and comments on this line; then adds `<name>` or `"name"` if one stands there.
    pub(super) fn header_name(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let start = self.at;
                    self.at += 2;
                    self.skip_block_comment(start);
                }
                b'\\' if splice_len(self.text, self.at, false) > 0 => {
                    self.at += splice_len(self.text, self.at, false);
                }
                _ => break,
            }
        }
        let start = self.at;
        let close = match self.byte(start) {
            b'<' => b'>',
            b'"' => b'"',
            _ => return,
        };
        let ends = |&byte: &u8| byte == close || byte == b'\n' || byte == b'\r';
        let Some(len) = self.text[start + 1..].iter().position(ends) else { return };
        let end = start + 1 + len;
        if self.text[end] == close {
            self.make(TokenKind::HeaderName, start, end + 1, flag::SPACE);
        }
    }
}

pub(super) fn is_literal_prefix(text: &[u8]) -> bool {
    matches!(text, b"L" | b"u" | b"U" | b"u8")
}

/// The directives after whose name a header name may stand.
pub(super) fn takes_header_name(symbol: caulk_base::Symbol) -> bool {
    matches!(symbol, word::INCLUDE | word::INCLUDE_NEXT | word::IMPORT | word::EMBED)
}

fn single(byte: u8) -> TokenKind {
    use TokenKind::*;
    match byte {
        b'(' => LParen,
        b')' => RParen,
        b'[' => LBracket,
        b']' => RBracket,
        b'{' => LBrace,
        b'}' => RBrace,
        b'~' => Tilde,
        b',' => Comma,
        _ => Semicolon,
    }
}

pub(super) fn digraph_flag(first: u8, second: u8, kind: TokenKind) -> u8 {
    use TokenKind::*;
    let is_digraph = match kind {
        LBracket | LBrace => first == b'<',
        RBracket | RBrace => first != b']' && first != b'}',
        Hash | HashHash => first == b'%' && second == b':',
        _ => false,
    };
    if is_digraph { flag::DIGRAPH } else { 0 }
}

/// The longest punctuator that these bytes begin, and its length.
pub(super) fn punctuator(first: u8, second: u8, third: u8, fourth: u8) -> (TokenKind, usize) {
    use TokenKind::*;
    match (first, second) {
        (b'.', b'.') if third == b'.' => (Ellipsis, 3),
        (b'.', _) => (Dot, 1),
        (b'/', b'=') => (SlashEqual, 2),
        (b'/', _) => (Slash, 1),
        (b'!', b'=') => (BangEqual, 2),
        (b'!', _) => (Bang, 1),
        (b'#', b'#') => (HashHash, 2),
        (b'#', _) => (Hash, 1),
        (b'%', b'=') => (PercentEqual, 2),
        (b'%', b'>') => (RBrace, 2),
        (b'%', b':') if third == b'%' && fourth == b':' => (HashHash, 4),
        (b'%', b':') => (Hash, 2),
        (b'%', _) => (Percent, 1),
        (b'&', b'&') => (AmpAmp, 2),
        (b'&', b'=') => (AmpEqual, 2),
        (b'&', _) => (Amp, 1),
        (b'*', b'=') => (StarEqual, 2),
        (b'*', _) => (Star, 1),
        (b'+', b'+') => (PlusPlus, 2),
        (b'+', b'=') => (PlusEqual, 2),
        (b'+', _) => (Plus, 1),
        (b'-', b'>') => (Arrow, 2),
        (b'-', b'-') => (MinusMinus, 2),
        (b'-', b'=') => (MinusEqual, 2),
        (b'-', _) => (Minus, 1),
        (b':', b':') => (ColonColon, 2),
        (b':', b'>') => (RBracket, 2),
        (b':', _) => (Colon, 1),
        (b'<', b'<') if third == b'=' => (ShlEqual, 3),
        (b'<', b'<') => (Shl, 2),
        (b'<', b'=') => (LessEqual, 2),
        (b'<', b':') => (LBracket, 2),
        (b'<', b'%') => (LBrace, 2),
        (b'<', _) => (Less, 1),
        (b'>', b'>') if third == b'=' => (ShrEqual, 3),
        (b'>', b'>') => (Shr, 2),
        (b'>', b'=') => (GreaterEqual, 2),
        (b'>', _) => (Greater, 1),
        (b'=', b'=') => (EqualEqual, 2),
        (b'=', _) => (Equal, 1),
        (b'?', _) => (Question, 1),
        (b'^', b'=') => (CaretEqual, 2),
        (b'^', _) => (Caret, 1),
        (b'|', b'|') => (PipePipe, 2),
        (b'|', b'=') => (PipeEqual, 2),
        (b'|', _) => (Pipe, 1),
        (b'(', _) => (LParen, 1),
        (b')', _) => (RParen, 1),
        (b'[', _) => (LBracket, 1),
        (b']', _) => (RBracket, 1),
        (b'{', _) => (LBrace, 1),
        (b'}', _) => (RBrace, 1),
        (b'~', _) => (Tilde, 1),
        (b',', _) => (Comma, 1),
        (b';', _) => (Semicolon, 1),
        _ => (Stray, 1),
    }
}
