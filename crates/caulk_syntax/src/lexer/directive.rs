//! The directives of a file, found and linked once.
//!
//! ```c
//! #if A        // 0: next is 1
//! #elif B      // 1: next is 2
//! #else        // 2: next is 3
//! #endif       // 3
//! ```
//! A false condition goes on at `next`; a group that was entered leaves by following `next` to the
//! `#endif`. What does not balance is a [`DirectiveKind::Problem`] (a stray `#else`) or marked (an `#if`
//! that never ends, whose `next` is the end of the file).

use caulk_base::Symbol;
use caulk_base::symbol::word;

use super::FileLexer;
use super::comment::newline_len;
use super::scan::takes_header_name;
use crate::token::{Token, TokenKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum DirectiveKind {
    /// Payload: number of the macro, or none if it was malformed (a problem says so).
    Define,
    /// Payload: the name.
    Undef,
    /// Payload: the header's name, unless it is computed or not UTF-8.
    Include,
    IncludeNext,
    Import,
    Embed,
    If,
    /// Payload: the name.
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
    Line,
    /// `# 12 "file" flags`
    LineMarker,
    Error,
    Warning,
    Pragma,
    /// `#ident`, `#assert`, a lone `#`.
    Ignored,
    Unknown,
    /// Something odd in the text here. Payload: number of the problem.
    Problem,
    /// The end of the file.
    End,
}

/// A directive without a payload.
pub(crate) const NO_PAYLOAD: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Directive {
    pub(crate) kind: DirectiveKind,
    /// An `#if` without `#endif`.
    pub(crate) is_unterminated: bool,
    /// Of the `#`.
    pub(crate) offset: u32,
    /// Of the end of its line.
    pub(crate) end: u32,
    /// Executed before this text token.
    pub(crate) position: u32,
    /// Its tokens after the name.
    pub(crate) first_token: u32,
    pub(crate) token_count: u32,
    /// The next directive of the group.
    pub(crate) next: u32,
    pub(crate) payload: u32,
}

impl Directive {
    pub(crate) fn tokens(self) -> std::ops::Range<usize> {
        self.first_token as usize..(self.first_token + self.token_count) as usize
    }
}

/// A group that has begun.
pub(super) struct OpenGroup {
    opener: u32,
    last: u32,
    has_else: bool,
}

fn kind_of(name: Symbol) -> DirectiveKind {
    use DirectiveKind::*;
    match name {
        word::DEFINE => Define,
        word::UNDEF => Undef,
        word::INCLUDE => Include,
        word::INCLUDE_NEXT => IncludeNext,
        word::IMPORT => Import,
        word::EMBED => Embed,
        word::IF => If,
        word::IFDEF => Ifdef,
        word::IFNDEF => Ifndef,
        word::ELIF => Elif,
        word::ELIFDEF => Elifdef,
        word::ELIFNDEF => Elifndef,
        word::ELSE => Else,
        word::ENDIF => Endif,
        word::LINE => Line,
        word::ERROR => Error,
        word::WARNING => Warning,
        word::PRAGMA => Pragma,
        word::IDENT | word::SCCS | word::ASSERT | word::UNASSERT => Ignored,
        _ => Unknown,
    }
}

impl FileLexer<'_> {
    pub(super) fn push_directive(&mut self, kind: DirectiveKind, offset: u32, payload: u32) -> u32 {
        let number = self.directives.len() as u32;
        self.directives.push(Directive {
            kind,
            is_unterminated: false,
            offset,
            end: offset,
            position: self.position,
            first_token: self.directive_tokens.len() as u32,
            token_count: 0,
            next: NO_PAYLOAD,
            payload,
        });
        number
    }

    /// A problem at the directive being read.
    pub(super) fn directive_error(&mut self, offset: u32, message: impl Into<std::borrow::Cow<'static, str>>) {
        self.scanner.error(offset as usize, message);
    }

    /// Reads the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: Token) {
        let offset = hash.loc.to_raw();
        let first_token = self.directive_tokens.len();
        std::mem::swap(&mut self.scanner.tokens, &mut self.directive_tokens);
        self.scanner.token::<true>(0);
        let name = self.scanner.tokens.pop().unwrap_or(hash);
        let kind = match name.kind {
            TokenKind::Ident => kind_of(name.symbol()),
            TokenKind::Number => DirectiveKind::LineMarker,
            TokenKind::End => DirectiveKind::Ignored,
            _ => DirectiveKind::Unknown,
        };
        if matches!(kind, DirectiveKind::LineMarker | DirectiveKind::Unknown) {
            self.scanner.tokens.push(name);
        }
        if takes_header_name(name.symbol()) {
            self.scanner.header_name();
        }
        self.read_line(matches!(kind, DirectiveKind::If | DirectiveKind::Elif));
        std::mem::swap(&mut self.scanner.tokens, &mut self.directive_tokens);
        let end = self.scanner.at as u32;

        let mut payload = NO_PAYLOAD;
        match kind {
            DirectiveKind::Define => {
                if let Some(number) = self.define(first_token, offset) {
                    payload = number;
                }
            }
            DirectiveKind::Undef
            | DirectiveKind::Ifdef
            | DirectiveKind::Ifndef
            | DirectiveKind::Elifdef
            | DirectiveKind::Elifndef => match self.directive_tokens.get(first_token) {
                Some(token) if token.kind == TokenKind::Ident => payload = token.data,
                _ => self.directive_error(offset, format!("no macro name given in #{}", name.symbol())),
            },
            DirectiveKind::Include | DirectiveKind::IncludeNext | DirectiveKind::Import | DirectiveKind::Embed => {
                payload = self.header_symbol(first_token);
            }
            DirectiveKind::Pragma => {
                self.has_once |= self.directive_tokens.get(first_token).is_some_and(|t| t.symbol() == word::ONCE);
                self.drop_problems();
            }
            // Apostrophes in prose are no mistakes.
            DirectiveKind::Error | DirectiveKind::Warning | DirectiveKind::Ignored => self.drop_problems(),
            _ => {}
        }
        self.place_problems();

        // A definition's tokens have moved to its body.
        if kind == DirectiveKind::Define {
            self.directive_tokens.truncate(first_token);
        }
        let token_count = self.directive_tokens.len() - first_token;
        if kind != DirectiveKind::Define {
            self.directive_tokens.push(Token { kind: TokenKind::End, len: 0, ..name });
        }
        let number = self.push_directive(kind, offset, payload);
        let directive = &mut self.directives[number as usize];
        directive.end = end;
        directive.first_token = first_token as u32;
        directive.token_count = token_count as u32;
        self.link(number);
    }

    /// The rest of the line.
    fn read_line(&mut self, may_ask_for_headers: bool) {
        loop {
            let kind = self.scanner.token::<true>(0);
            if kind == TokenKind::End {
                self.scanner.tokens.pop();
                return;
            }
            if may_ask_for_headers
                && let [.., asks, open] = &self.scanner.tokens[..]
                && open.kind == TokenKind::LParen
                && matches!(asks.symbol(), word::HAS_INCLUDE | word::HAS_INCLUDE_NEXT | word::HAS_EMBED)
            {
                self.scanner.header_name();
            }
        }
    }

    /// The name between the quotes or brackets.
    fn header_symbol(&self, first_token: usize) -> u32 {
        let Some(token) = self.directive_tokens.get(first_token).filter(|t| t.kind == TokenKind::HeaderName) else {
            return NO_PAYLOAD;
        };
        let start = token.loc.to_raw() as usize;
        let text = &self.scanner.text[start + 1..start + token.len as usize - 1];
        std::str::from_utf8(text).map_or(NO_PAYLOAD, |text| Symbol::intern(text).0)
    }

    /// Ties a directive into its group.
    fn link(&mut self, number: u32) {
        use DirectiveKind::*;
        let Directive { kind, offset, .. } = self.directives[number as usize];
        match kind {
            If | Ifdef | Ifndef => self.open.push(OpenGroup { opener: number, last: number, has_else: false }),
            Elif | Elifdef | Elifndef | Else => {
                let complaint = match self.open.last_mut() {
                    None => "without #if",
                    Some(group) if group.has_else => "after #else",
                    Some(group) => {
                        self.directives[group.last as usize].next = number;
                        group.last = number;
                        group.has_else = kind == Else;
                        return;
                    }
                };
                self.spoil(number, offset, complaint);
            }
            Endif => match self.open.pop() {
                None => self.spoil(number, offset, "without #if"),
                Some(group) => self.directives[group.last as usize].next = number,
            },
            _ => {}
        }
    }

    /// Turns the directive just read into a problem.
    fn spoil(&mut self, number: u32, offset: u32, complaint: &str) {
        let name = match self.directives[number as usize].kind {
            DirectiveKind::Else => "#else",
            DirectiveKind::Endif => "#endif",
            _ => "#elif",
        };
        self.directives.truncate(number as usize);
        self.directive_error(offset, format!("{name} {complaint}"));
        self.place_problems();
    }

    /// Ends the list of directives.
    pub(super) fn close_groups(&mut self) {
        let offset = self.scanner.text.len() as u32;
        // The `End` token is not passed before the `End` directive is executed.
        let number = self.push_directive(DirectiveKind::End, offset, NO_PAYLOAD);
        for group in std::mem::take(&mut self.open) {
            self.directives[group.last as usize].next = number;
            self.directives[group.opener as usize].is_unterminated = true;
        }
    }

    /// The name of the include guard: the first directive is `#ifndef X` or `#if !defined X`, before
    /// any text, and its `#endif`, without an `#else`, is the last, after all text.
    pub(super) fn find_guard(&self) -> Option<Symbol> {
        let first = self.directives.first().filter(|first| first.position == 0 && !first.is_unterminated)?;
        let name = match first.kind {
            DirectiveKind::Ifndef if first.payload != NO_PAYLOAD => Symbol(first.payload),
            DirectiveKind::If => self.negated_name(*first)?,
            _ => return None,
        };
        let last = self.directives.get(first.next as usize)?;
        let is_last = first.next as usize + 2 == self.directives.len();
        (is_last && last.kind == DirectiveKind::Endif && last.position as usize + 1 == self.scanner.tokens.len())
            .then_some(name)
    }

    /// The `X` of `!defined X` or `!defined(X)`.
    fn negated_name(&self, directive: Directive) -> Option<Symbol> {
        let tokens = &self.directive_tokens[directive.tokens()];
        let (bang, rest) = tokens.split_first()?;
        let (defined, rest) = rest.split_first()?;
        if bang.kind != TokenKind::Bang || defined.symbol() != word::DEFINED {
            return None;
        }
        let name = match rest {
            [name] => name,
            [open, name, close] if open.kind == TokenKind::LParen && close.kind == TokenKind::RParen => name,
            _ => return None,
        };
        (name.kind == TokenKind::Ident).then(|| name.symbol())
    }
}

/// The offset at which the line after a directive begins.
pub(crate) fn next_line(text: &[u8], end: u32) -> u32 {
    end + newline_len(text, end as usize) as u32
}
