//! What happens after an error: say what is lost, then find the next declaration.
//!
//! ```c
//! void f(void) { if (x { y(); } }   // lost: f
//! void g(void) { }                  // parsed
//! ```
//! Braces are counted from the first token on, so the end of a function is usually known. Where a
//! brace is missing, the layout helps: a `}` in the first column, followed by a line that begins
//! a declaration there, ends a function in practically all code.

use caulk_base::{Diagnostic, Loc};

use crate::token::{Token, TokenKind, flag};

use super::scope::Word;
use super::{Failed, LostFunction, Parse, Parser};

impl Parser<'_> {
    pub(super) fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(loc, message));
    }

    pub(super) fn warning(&mut self, loc: Loc, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(loc, message));
    }

    /// Gives up what is being parsed.
    #[cold]
    pub(super) fn fail<T>(&mut self, loc: Loc, message: impl Into<String>) -> Parse<T> {
        let message = message.into();
        self.reason.clone_from(&message);
        self.error(loc, message);
        Err(Failed)
    }

    #[cold]
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let found = self.describe(&self.token);
        let wanted = if wanted.starts_with(|c: char| c.is_ascii_alphabetic()) {
            wanted.to_string()
        } else {
            format!("`{wanted}`")
        };
        self.fail(self.token.loc, format!("expected {wanted}, found {found}"))
    }

    #[cold]
    pub(super) fn too_deep<T>(&mut self) -> Parse<T> {
        self.is_too_deep = true;
        self.fail(self.token.loc, "nested too deeply")
    }

    fn describe(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::End => "end of input".to_string(),
            TokenKind::Ident => format!("`{}`", token.symbol()),
            TokenKind::Number | TokenKind::Char | TokenKind::String | TokenKind::Stray | TokenKind::HeaderName => {
                let text = self.preprocessor.text(token);
                let shown: String = String::from_utf8_lossy(&text).chars().take(40).collect();
                format!("`{shown}`")
            }
            kind => format!("`{}`", kind.spelling()),
        }
    }

    /// After an error: the next token is the first after what was lost.
    pub(super) fn recover_external(&mut self) {
        self.names.close_to(0);
        self.expr_stack.clear();
        self.stmt_stack.clear();
        self.init_stack.clear();
        self.is_too_deep = false;
        if self.is_in_body {
            self.lose_function();
        }
        if self.pending.is_none() {
            // An error at the very first token would otherwise be met for ever.
            if self.token.loc == self.start {
                self.bump();
            }
            if self.is_in_body && self.braces > 0 { self.skip_body() } else { self.skip_declaration() }
        }
        self.braces = 0;
        self.parens = 0;
    }

    fn lose_function(&mut self) {
        if let Some((name, loc)) = self.declared {
            self.lost_functions.push(LostFunction { name, loc, reason: self.reason.clone() });
        }
    }

    /// Goes past the brace that closes the function.
    fn skip_body(&mut self) {
        while !self.at(TokenKind::End) {
            let closing = self.bump();
            if closing.kind != TokenKind::RBrace {
                continue;
            }
            let ends_by_layout = || self.is_in_first_column(&closing) && self.begins_declaration();
            if self.braces == 0 || ends_by_layout() {
                return;
            }
        }
    }

    /// Goes past the `;` that ends a declaration, or the body of a function whose header was not
    /// understood, which is lost too.
    fn skip_declaration(&mut self) {
        let mut previous = TokenKind::End;
        let mut is_body = false;
        loop {
            let before = std::mem::replace(&mut previous, self.token.kind);
            match self.token.kind {
                TokenKind::End => return,
                TokenKind::Semicolon if self.braces == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace if self.braces == 0 => {
                    is_body = before == TokenKind::RParen;
                    self.bump();
                }
                TokenKind::RBrace => {
                    let closing = self.bump();
                    if self.braces == 0 {
                        if is_body && !self.is_in_body {
                            self.lose_function();
                        }
                        if self.eat(TokenKind::Semicolon) || is_body || self.begins_declaration() {
                            return;
                        }
                    } else if self.is_in_first_column(&closing) && self.begins_declaration() {
                        return;
                    }
                }
                _ if self.braces == 0 && self.token.loc != self.start && self.begins_declaration() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Goes to the end of a member declaration of the record whose members stand at this depth.
    pub(super) fn recover_member(&mut self, braces: u32, parens: u32) {
        while !self.at(TokenKind::End) {
            if self.braces <= braces {
                if self.at(TokenKind::RBrace) {
                    break;
                }
                if self.eat(TokenKind::Semicolon) {
                    break;
                }
            }
            self.bump();
        }
        self.parens = parens;
    }

    /// Goes past parentheses until so few are open.
    pub(super) fn skip_parens(&mut self, parens: u32) {
        while self.parens > parens && !self.at(TokenKind::End) {
            self.bump();
        }
    }

    /// Whether the token stands in the first column and looks like the start of a declaration.
    pub(super) fn begins_declaration(&self) -> bool {
        if self.at(TokenKind::End) {
            return true;
        }
        let word = self.word();
        let is_likely = word.is_name() || word.starts_type() || matches!(word, Word::Extension | Word::StaticAssert);
        is_likely && self.is_in_first_column(&self.token)
    }

    pub(super) fn is_in_first_column(&self, token: &Token) -> bool {
        token.has(flag::LINE_START)
            && !token.loc.is_macro()
            && self.preprocessor.map.physical_place(token.loc).is_some_and(|place| place.column == 1)
    }
}
