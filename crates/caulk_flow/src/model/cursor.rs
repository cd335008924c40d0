//! Walking the tokens: looking, taking, complaining, and going on after a mistake.

use caulk_base::Symbol;

use super::parser::{ModelError, Parsed, Parser};
use super::text::{Position, Token};

impl<'t> Parser<'_, 't> {
    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.next].0
    }

    pub(super) fn position(&self) -> Position {
        self.tokens[self.next].1
    }

    pub(super) fn bump(&mut self) -> Token<'t> {
        let token = self.peek();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    pub(super) fn at_punct(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(found) if found == punct)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Word(word)
    }

    pub(super) fn eat_punct(&mut self, punct: &str) -> bool {
        let found = self.at_punct(punct);
        self.next += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn error_at<T>(&self, at: Position, message: impl Into<String>) -> Parsed<T> {
        Err(self.error(at, message))
    }

    pub(super) fn error(&self, at: Position, message: impl Into<String>) -> ModelError {
        ModelError { file: self.file.as_str().to_owned(), line: at.line, column: at.column, message: message.into() }
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error_at(self.position(), format!("expected {what}, found {}", self.peek()))
    }

    pub(super) fn expect_punct(&mut self, punct: &str, after: &str) -> Parsed<()> {
        if self.eat_punct(punct) { Ok(()) } else { self.expected(&format!("`{punct}` {after}")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn expect_name(&mut self, what: &str) -> Parsed<Symbol> {
        match self.peek() {
            Token::Word(name) => {
                self.bump();
                Ok(Symbol::intern(name))
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn expect_int(&mut self) -> Parsed<i64> {
        match self.peek() {
            Token::Int(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.expected("an integer"),
        }
    }

    /// Skips a broken definition: over the block that ends it, or past its `;` outside all blocks.
    pub(super) fn skip_item(&mut self, start: usize) {
        self.next = start;
        let mut depth = 0usize;
        loop {
            match self.bump() {
                Token::End => return,
                Token::Punct("{") => depth += 1,
                Token::Punct("}") if depth <= 1 => return,
                Token::Punct("}") => depth -= 1,
                Token::Punct(";") if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Skips a broken fact: past its `;`, or up to the `}` of the block it stands in.
    pub(super) fn skip_fact(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Punct("}") if depth == 0 => return,
                Token::Punct("{") => depth += 1,
                Token::Punct("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                Token::Punct(";") if depth == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }
}
