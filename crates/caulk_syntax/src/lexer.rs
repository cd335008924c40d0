//! One file to tokens, once per run; every translation unit that includes it only executes the result.
//!
//! Terms: *text tokens* are what stands outside directives; a *directive* is a line that starts with
//! `#`; a *group* is what `#if … #elif … #else … #endif` delimit.
//!
//! ```c
//! #ifndef A_H          // directive 0, its group continues at directive 3: skipping is one jump
//! #define A_H          // directive 1, macro 0, pre-parsed
//! int a;               // text tokens 0, 1, 2
//! #include <b.h>       // directive 2, to be executed before text token 3
//! #endif               // directive 3; the whole file is guarded by A_H
//! ```
//!
//! Invariants: `tokens` ends in an `End` token and `directives` in an `End` directive; `position` never
//! decreases along `directives`; `next` of a directive of a group is a later directive.
//!
//! What is odd in the text becomes a `Problem` directive at its place, so a skipped group skips its
//! problems too and an executed one reports them.

mod comment;
mod define;
mod directive;
mod literal;
mod names;
mod scan;
mod spliced;
mod table;

use std::borrow::Cow;
use std::sync::Arc;

use caulk_base::{Severity, SourceFile, Symbol};

use crate::config::LexMode;
use crate::token::{Token, TokenKind};

pub(crate) use define::{BodyToken, Macro, Variadic, role};
pub(crate) use directive::{Directive, DirectiveKind, NO_PAYLOAD, next_line};
pub(crate) use spliced::clean;

/// A file's tokens and directives, shared by all translation units that include it.
#[derive(Debug)]
pub struct LexedFile {
    pub source: Arc<SourceFile>,
    pub mode: LexMode,
    /// Outside directives; the last is an `End`.
    pub(crate) tokens: Vec<Token>,
    pub(crate) directives: Vec<Directive>,
    /// The tokens of directives, after their names; each directive's are followed by an `End`.
    pub(crate) directive_tokens: Vec<Token>,
    /// One per well-formed `#define`.
    pub(crate) macros: Vec<Macro>,
    pub(crate) bodies: Vec<BodyToken>,
    pub(crate) problems: Vec<Problem>,
    /// The name that, when defined, makes the whole file empty.
    pub(crate) guard: Option<Symbol>,
    /// Holds a `#pragma once` somewhere.
    pub(crate) has_once: bool,
    /// The directory it is in, empty for the working directory.
    pub(crate) directory: Symbol,
}

/// Something odd in the text.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    pub(crate) offset: u32,
    pub(crate) message: Cow<'static, str>,
}

/// How many bytes of text there are to a token, roughly; only sizes the first allocation.
const BYTES_PER_TOKEN: usize = 6;

impl LexedFile {
    pub fn new(source: Arc<SourceFile>, mode: LexMode) -> LexedFile {
        let mut lexer = FileLexer::new(&source.text, mode);
        lexer.run();
        lexer.finish(&source)
    }

    /// How many tokens stand outside directives.
    pub fn token_count(&self) -> usize {
        self.tokens.len() - 1
    }
}

/// Lexes a text that is no file: a pasted token, the operand of `_Pragma`. Newlines are white space,
/// the result has no `End`, and problems go unreported.
pub(crate) fn lex_fragment(text: &[u8], mode: LexMode) -> Vec<Token> {
    let mut scanner = scan::Scanner::new(text, mode);
    while scanner.token::<false>(0) != TokenKind::End {}
    scanner.tokens.pop();
    scanner.tokens
}

/// The state while a file is lexed.
struct FileLexer<'s> {
    scanner: scan::Scanner<'s>,
    /// Text tokens before the directive being read.
    position: u32,
    directives: Vec<Directive>,
    directive_tokens: Vec<Token>,
    macros: Vec<Macro>,
    bodies: Vec<BodyToken>,
    /// Groups not yet closed.
    open: Vec<directive::OpenGroup>,
    /// Problems already placed among the directives.
    placed: usize,
    has_once: bool,
}

impl<'s> FileLexer<'s> {
    fn new(text: &'s [u8], mode: LexMode) -> FileLexer<'s> {
        let mut scanner = scan::Scanner::new(text, mode);
        scanner.tokens.reserve(text.len() / BYTES_PER_TOKEN + 16);
        FileLexer {
            scanner,
            position: 0,
            directives: Vec::new(),
            directive_tokens: Vec::new(),
            macros: Vec::new(),
            bodies: Vec::new(),
            open: Vec::new(),
            placed: 0,
            has_once: false,
        }
    }

    fn run(&mut self) {
        use crate::token::flag::LINE_START;
        let mut line = LINE_START;
        loop {
            let kind = self.scanner.token::<false>(line);
            line = 0;
            if kind == TokenKind::Hash || self.scanner.problems.len() > self.placed {
                self.position = self.scanner.tokens.len() as u32 - 1;
                self.place_problems();
                if let Some(hash) = self.scanner.tokens.pop_if(|t| t.kind == TokenKind::Hash && t.has(LINE_START)) {
                    self.directive(hash);
                    continue;
                }
            }
            if kind == TokenKind::End {
                break;
            }
        }
        self.position = self.scanner.tokens.len() as u32 - 1;
        self.close_groups();
    }

    fn finish(mut self, source: &Arc<SourceFile>) -> LexedFile {
        let guard = self.find_guard();
        let directory = source.path.parent().map_or(Symbol::EMPTY, |path| Symbol::intern(&path.to_string_lossy()));
        self.scanner.tokens.shrink_to_fit();
        LexedFile {
            source: source.clone(),
            mode: self.scanner.mode,
            tokens: self.scanner.tokens,
            directives: self.directives,
            directive_tokens: self.directive_tokens,
            macros: self.macros,
            bodies: self.bodies,
            problems: self.scanner.problems,
            guard,
            has_once: self.has_once,
            directory,
        }
    }

    /// Makes the problems found since the last call part of the file, at this place.
    fn place_problems(&mut self) {
        for number in self.placed..self.scanner.problems.len() {
            let offset = self.scanner.problems[number].offset;
            self.push_directive(DirectiveKind::Problem, offset, number as u32);
        }
        self.placed = self.scanner.problems.len();
    }

    /// Forgets the problems found since the last call.
    fn drop_problems(&mut self) {
        self.scanner.problems.truncate(self.placed);
    }
}

#[cfg(test)]
mod tests;
