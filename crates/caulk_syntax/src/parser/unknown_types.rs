//! Guessing at names whose declaration was not seen, typically because a header is missing.
//!
//! ```c
//! #include "not_there.h"
//! API_EXPORT foo_t *make(bar_t b) { foo_t *f = (foo_t *)get(b); return f; }
//! ```
//! Every use of `foo_t` would be a syntax error, and every function lost. So a name that nothing
//! declares, in a place where the tokens around it make sense only if it is a type, is taken for
//! a type; sema then knows nothing about that type, but everything else stays. The same goes for a
//! name before complete specifiers: it was a macro.

use caulk_base::{Loc, Symbol};

use crate::ast::{Storage, TypeSpecifier};
use crate::config::Standard;
use crate::token::TokenKind;

use super::Parser;
use super::scope::Word;
use super::specifiers::{Place, UnknownName};

impl Parser<'_> {
    /// C23's `auto x = 1;` and the old `static x;` name a thing that an outer scope may know as a
    /// type. Only `auto` in C23 makes that legal.
    pub(super) fn is_name_of_implicit_int(&mut self, place: Place, storage: &Storage) -> bool {
        storage.is_auto
            && self.dialect.standard >= Standard::C23
            && matches!(place, Place::File | Place::Block)
            && matches!(self.peek(1).kind, TokenKind::Equal)
    }

    /// The current token is an identifier, no type was seen yet: what is it?
    pub(super) fn unknown_type(&mut self, place: Place, storage: &Storage) -> UnknownName {
        let next = self.peek(1);
        match place {
            Place::Member | Place::TypeName => {
                if next.is(TokenKind::Ident) {
                    self.type_or_annotation()
                } else {
                    UnknownName::Type
                }
            }
            Place::Parameter => match next.kind {
                TokenKind::Comma | TokenKind::RParen if storage.is_register => UnknownName::Name,
                TokenKind::Ident => self.type_or_annotation(),
                _ => UnknownName::Type,
            },
            Place::File | Place::Block => match next.kind {
                TokenKind::Star => UnknownName::Type,
                TokenKind::Ident => self.type_or_annotation(),
                // `foo_t (*f)(void)`: no implicit int, because no parameter starts with a star.
                TokenKind::LParen if matches!(self.peek(2).kind, TokenKind::Star | TokenKind::Caret) => {
                    UnknownName::Type
                }
                _ => UnknownName::Name,
            },
        }
    }

    /// The current token is an unknown name, the next a word.
    fn type_or_annotation(&mut self) -> UnknownName {
        let next = self.peek(1);
        let word = self.word_of(&next);
        match word {
            // `main() __attribute__(…)` does not come here; `x asm("y")` has an implicit type.
            Word::Asm => UnknownName::Name,
            Word::Attribute => {
                if self.peek(2).is(TokenKind::LParen) {
                    UnknownName::Type
                } else {
                    UnknownName::Name
                }
            }
            Word::Extension => UnknownName::Annotation,
            _ if word.is_qualifier() => {
                // `foo_t const *x` or `API const char *f(void)`
                let after = self.peek(2);
                let after_word = self.word_of(&after);
                if after_word.is_type_keyword() || after_word == Word::TypedefName {
                    UnknownName::Annotation
                } else {
                    UnknownName::Type
                }
            }
            _ if word.is_name() => {
                // `foo_t x`, or `API foo_t x` where `foo_t` may be known.
                let after = self.peek(2);
                let is_specifier = match after.kind {
                    TokenKind::Star => true,
                    TokenKind::Ident => {
                        let word = self.word_of(&after);
                        word.is_name() || word.is_type_keyword()
                    }
                    _ => false,
                };
                if is_specifier { UnknownName::Annotation } else { UnknownName::Type }
            }
            _ if word.starts_type() => UnknownName::Annotation,
            _ => UnknownName::Name,
        }
    }

    pub(super) fn take_unknown_type(&mut self) -> TypeSpecifier {
        let token = self.bump();
        self.report_unknown_type(token.symbol(), token.loc);
        TypeSpecifier::Name(token.symbol())
    }

    pub(super) fn report_unknown_type(&mut self, name: Symbol, loc: Loc) {
        if self.unknown_types.insert(name) {
            self.error(loc, format!("unknown type name `{name}`"));
        }
    }

    pub(super) fn skip_unknown_annotation(&mut self) {
        let token = self.bump();
        self.error(token.loc, format!("unknown name `{}` before a declaration", token.symbol()));
    }

    /// At a statement that starts with a name nothing declares: `foo_t x;`, `foo_t *x = …`.
    pub(super) fn is_unknown_declaration(&mut self) -> bool {
        let next = self.peek(1);
        if next.is(TokenKind::Ident) {
            let word = self.word_of(&next);
            return word.is_name() || word.is_type_keyword();
        }
        if !next.is(TokenKind::Star) {
            return false;
        }
        let mut distance = 2;
        while distance < 5 && self.is_pointer_part(distance) {
            distance += 1;
        }
        self.peek(distance).is(TokenKind::Ident)
            && matches!(
                self.peek(distance + 1).kind,
                TokenKind::Semicolon | TokenKind::Equal | TokenKind::Comma | TokenKind::LBracket
            )
    }

    /// Whether an unknown name, so many tokens on, is followed by stars and then by the end of
    /// a type name: `foo_t *)`, `foo_t **,`.
    pub(super) fn is_unknown_pointer_type(&mut self, distance: usize) -> bool {
        let mut end = distance + 1;
        while end < 6 && self.is_pointer_part(end) {
            end += 1;
        }
        end > distance + 1 && matches!(self.peek(end).kind, TokenKind::RParen | TokenKind::Comma)
    }

    /// Whether the name so many tokens on was taken for a type before.
    fn was_unknown_type(&mut self, distance: usize) -> bool {
        if self.unknown_types.is_empty() {
            return false;
        }
        let token = if distance == 0 { self.token } else { self.peek(distance) };
        self.unknown_types.contains(&token.symbol())
    }

    /// At an unknown name among the arguments of a call: is it a type?
    pub(super) fn is_unknown_argument_type(&mut self) -> bool {
        let is_lone = matches!(self.peek(1).kind, TokenKind::RParen | TokenKind::Comma);
        if is_lone { self.was_unknown_type(0) } else { self.is_unknown_pointer_type(0) }
    }

    fn is_pointer_part(&mut self, distance: usize) -> bool {
        let token = self.peek(distance);
        token.is(TokenKind::Star) || self.word_of(&token).is_qualifier()
    }

    /// At `(` before an unknown name: whether this is a cast or compound literal all the same.
    pub(super) fn is_unknown_cast(&mut self) -> bool {
        if self.is_unknown_pointer_type(1) {
            return true;
        }
        let next = self.peek(2);
        if self.was_unknown_type(1) {
            return matches!(next.kind, TokenKind::RParen | TokenKind::LBracket);
        }
        if !next.is(TokenKind::RParen) {
            return false;
        }
        let after = self.peek(3);
        match after.kind {
            TokenKind::Number
            | TokenKind::Char
            | TokenKind::String
            | TokenKind::Tilde
            | TokenKind::Bang
            | TokenKind::LBrace => true,
            TokenKind::Ident => {
                let word = self.word_of(&after);
                word.is_value() || matches!(word, Word::Sizeof | Word::True | Word::False | Word::Nullptr)
            }
            _ => false,
        }
    }
}
