//! Text to tokens, and the cursor over them.

use super::ReadError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Letters, digits, `_` and `$`, not starting with a digit.
    Word,
    /// `12`, `-3`, `0x1f`, `1.5e-7`, `-inf`
    Number,
    /// Between quotes, escapes undone.
    Quoted(Box<[u8]>),
    /// `@name` or `@"name"`, which may have dots in it.
    Global(Box<[u8]>),
    /// `->`, `..`, `...` or a single character.
    Mark,
}

#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    /// As written.
    pub(super) text: &'t str,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) starts_line: bool,
    pub(super) offset: u32,
}

impl Token<'_> {
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }

    /// The number of an id with this prefix: `bb12` is 12 of `bb`.
    pub(super) fn id(&self, prefix: &str) -> Option<u32> {
        let digits = self.text.strip_prefix(prefix).filter(|_| self.kind == TokenKind::Word)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_plain = digits == "0" || !digits.starts_with('0');
        if is_number && is_plain { digits.parse().ok() } else { None }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

pub(super) fn lex(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ReadError { line: 1, column: 1, message: "the text is too long".to_owned() });
    }
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start, mut starts_line) = (0, 1, 0, true);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => {
                at += 1;
                line += 1;
                line_start = at;
                starts_line = true;
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at);
            }
            _ => {
                let column = (at - line_start) as u32 + 1;
                let fail = |message: &str| ReadError { line, column, message: message.to_owned() };
                let (kind, len) = lex_one(&bytes[at..]).map_err(fail)?;
                let offset = at as u32;
                let text = text.get(at..at + len).ok_or_else(|| fail("unexpected character"))?;
                tokens.push(Token { kind, text, line, column, starts_line, offset });
                at += len;
                starts_line = false;
            }
        }
    }
    Ok(tokens)
}

/// Kind and length of the token at the start of some bytes that are not empty.
fn lex_one(bytes: &[u8]) -> Result<(TokenKind, usize), &'static str> {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let run = |start: usize, is_in: fn(u8) -> bool| {
        start + bytes[start.min(bytes.len())..].iter().take_while(|&&byte| is_in(byte)).count()
    };
    let first = at(0);
    match first {
        b'"' => quoted(bytes).map(|(text, len)| (TokenKind::Quoted(text), len)),
        b'@' if at(1) == b'"' => quoted(&bytes[1..]).map(|(text, len)| (TokenKind::Global(text), len + 1)),
        b'@' => {
            let end = run(1, |byte| is_word_byte(byte) || byte == b'.');
            if end == 1 {
                return Err("expected a name after `@`");
            }
            Ok((TokenKind::Global(bytes[1..end].into()), end))
        }
        b'-' if at(1) == b'>' => Ok((TokenKind::Mark, 2)),
        b'-' if at(1) == b'i' => Ok((TokenKind::Number, run(1, is_word_byte))),
        b'0'..=b'9' | b'-' if first != b'-' || at(1).is_ascii_digit() => {
            let start = usize::from(first == b'-');
            if at(start) == b'0' && at(start + 1) == b'x' {
                return Ok((TokenKind::Number, run(start + 2, |byte| byte.is_ascii_hexdigit())));
            }
            let mut end = run(start, |byte| byte.is_ascii_digit());
            if at(end) == b'.' && at(end + 1).is_ascii_digit() {
                end = run(end + 1, |byte| byte.is_ascii_digit());
            }
            if at(end) == b'e' {
                let digits = end + 1 + usize::from(matches!(at(end + 1), b'-' | b'+'));
                if at(digits).is_ascii_digit() {
                    end = run(digits, |byte| byte.is_ascii_digit());
                }
            }
            Ok((TokenKind::Number, end))
        }
        b'.' if at(1) == b'.' => Ok((TokenKind::Mark, if at(2) == b'.' { 3 } else { 2 })),
        _ if is_word_byte(first) => Ok((TokenKind::Word, run(0, is_word_byte))),
        _ if first.is_ascii_graphic() => Ok((TokenKind::Mark, 1)),
        _ => Err("unexpected character"),
    }
}

/// The bytes between quotes, and the length with the quotes.
fn quoted(bytes: &[u8]) -> Result<(Box<[u8]>, usize), &'static str> {
    let mut text = Vec::new();
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return Err("the string does not end"),
            Some(b'"') => return Ok((text.into(), at + 1)),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(&byte @ (b'"' | b'\\')) => {
                    text.push(byte);
                    at += 2;
                }
                _ => {
                    let digit = |index: usize| bytes.get(index).and_then(|&byte| char::from(byte).to_digit(16));
                    let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) else {
                        return Err("expected two digits after `\\`");
                    };
                    text.push((high << 4 | low) as u8);
                    at += 3;
                }
            },
            Some(&byte) => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

/// A place in the tokens.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Token<'t>]) -> Cursor<'t> {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_second(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at + 1)
    }

    pub(super) fn next(&mut self) -> Option<&'t Token<'t>> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    /// Whether the next token is the first of its line, or there is none.
    pub(super) fn at_line_end(&self) -> bool {
        self.peek().is_none_or(|token| token.starts_line)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        match self.peek().or(self.tokens.last()) {
            Some(token) => error_at(token, message),
            None => ReadError { line: 1, column: 1, message: message.into() },
        }
    }

    fn expected(&self, what: &str) -> ReadError {
        match self.peek() {
            Some(token) => error_at(token, format!("expected {what}, found `{}`", token.text)),
            None => self.error(format!("expected {what}, found the end")),
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_word(word));
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_mark(mark));
        self.at += usize::from(found);
        found
    }

    pub(super) fn mark(&mut self, mark: &str) -> Result<(), ReadError> {
        if self.take_mark(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    /// A word, or text in quotes that stands for one.
    pub(super) fn name(&mut self) -> Result<&'t str, ReadError> {
        match self.peek() {
            Some(token) => {
                let name = match &token.kind {
                    TokenKind::Word => token.text,
                    TokenKind::Quoted(bytes) => {
                        std::str::from_utf8(bytes).map_err(|_| error_at(token, "the name is not UTF-8"))?
                    }
                    TokenKind::Number | TokenKind::Global(_) | TokenKind::Mark => return Err(self.expected("a name")),
                };
                self.at += 1;
                Ok(name)
            }
            None => Err(self.expected("a name")),
        }
    }

    pub(super) fn quoted(&mut self) -> Result<&'t [u8], ReadError> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Quoted(bytes)) => {
                self.at += 1;
                Ok(bytes)
            }
            _ => Err(self.expected("text in quotes")),
        }
    }

    pub(super) fn quoted_text(&mut self) -> Result<&'t str, ReadError> {
        let before = self.clone();
        std::str::from_utf8(self.quoted()?).map_err(|_| before.error("the text is not UTF-8"))
    }

    /// The number of an id such as `bb3`.
    pub(super) fn id(&mut self, prefix: &str) -> Result<u32, ReadError> {
        match self.peek().and_then(|token| token.id(prefix)) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => Err(self.expected(&format!("`{prefix}` and a number"))),
        }
    }

    /// An integer of any type that holds it.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ReadError> {
        match self.peek() {
            Some(token) if token.kind == TokenKind::Number => {
                let value = token.text.parse().map_err(|_| error_at(token, format!("bad number `{}`", token.text)))?;
                self.at += 1;
                Ok(value)
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// Signed, or unsigned beyond that: the same bits.
    pub(super) fn wide_number(&mut self) -> Result<i128, ReadError> {
        if let Some(token) = self.peek()
            && token.kind == TokenKind::Number
            && let Ok(value) = token.text.parse::<u128>()
        {
            self.at += 1;
            return Ok(value as i128);
        }
        self.number()
    }

    pub(super) fn float(&mut self) -> Result<f64, ReadError> {
        if self.take_word("nan") {
            let before = self.clone();
            let digits = self.next().and_then(|token| token.text.strip_prefix("0x"));
            let bits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            return match bits.map(f64::from_bits) {
                Some(value) if value.is_nan() => Ok(value),
                _ => Err(before.error("expected the bits of a NaN")),
            };
        }
        if self.take_word("inf") {
            return Ok(f64::INFINITY);
        }
        self.number()
    }
}

pub(super) fn error_at(token: &Token<'_>, message: impl Into<String>) -> ReadError {
    ReadError { line: token.line, column: token.column, message: message.into() }
}
