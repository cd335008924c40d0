//! One translation unit: the lexed files executed, macros expanded, tokens handed to the parser one by
//! one.
//!
//! Terms: a *definition* is an executed `#define`; a *call* is a macro being expanded, whose arguments
//! are collected raw, expanded where the body needs them so, and substituted; a *context* is a run of
//! tokens to be read before the rest of the file, such as the result of a call.
//!
//! Reading order: [`macros`] (the table), [`spacing`], [`context`], [`expand`] (calls),
//! [`arguments`], [`substitute`], [`paste`], [`stringify`], [`builtin`]; [`directive`], [`condition`] (`#if`),
//! [`include`], [`pragma`], [`embed`]; [`print`].
//!
//! The rules follow GCC's `cpplib` where the C standard leaves room, so that the tokens are those of
//! `gcc -E`. `__DATE__` is always "Jan  1 1970" and `__TIME__` "00:00:00": a unit's tokens depend on its
//! text alone.

mod arguments;
mod builtin;
mod condition;
mod context;
mod directive;
mod embed;
mod expand;
mod include;
mod macros;
mod number;
mod paste;
mod pragma;
pub mod print;
mod spacing;
mod stringify;
mod substitute;

use std::borrow::Cow;
use std::sync::Arc;

use caulk_base::{Diagnostic, FileId, Loc, SourceMap, Symbol};
use rustc_hash::FxHashMap;

use crate::config::PreprocessorConfig;
use crate::files::Files;
use crate::lexer::{LexedFile, clean};
use crate::token::{Token, TokenKind, flag};

use context::Expander;
use expand::Expanded;
use include::{OpenFile, Unit};
use macros::Macros;
use spacing::Padding;

/// A header that no directory has; the directive was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingHeader {
    pub name: String,
    /// The directive; nowhere for a file of the command line.
    pub loc: Loc,
}

/// A translation unit being preprocessed.
pub struct Preprocessor<'f> {
    pub map: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    /// What was not found; no diagnostic repeats it.
    pub missing_headers: Vec<MissingHeader>,
    /// Every file of the unit once, in the order of first use; also `<built-in>` and `<command-line>`.
    pub included: Vec<Arc<LexedFile>>,
    files: &'f dyn Files,
    config: &'f PreprocessorConfig,
    macros: Macros,
    unit: Unit,
    /// The file being read; those that include it are in `unit`.
    current: OpenFile,
    expander: Expander,
    /// Tokens do not come straight from the file: contexts are open or padding is pending.
    is_busy: bool,
    pragmas: pragma::Pragmas,
    /// Names pasted before: where their text is, its length, and the name it makes.
    pasted: FxHashMap<(Symbol, Symbol), (Loc, u32, Symbol)>,
    counter: u32,
}

impl<'f> Preprocessor<'f> {
    pub fn new(files: &'f dyn Files, config: &'f PreprocessorConfig, main: Arc<LexedFile>) -> Self {
        let mut pp = Preprocessor {
            map: SourceMap::new(),
            diagnostics: Vec::new(),
            missing_headers: Vec::new(),
            included: Vec::new(),
            files,
            config,
            macros: Macros::new(config.is_clang),
            unit: Unit::new(&main),
            current: OpenFile::nothing(main.clone()),
            expander: Expander::default(),
            is_busy: false,
            pragmas: pragma::Pragmas::default(),
            pasted: FxHashMap::default(),
            counter: 0,
        };
        pp.schedule(main);
        pp
    }

    /// The next token of the unit, fully expanded; `End` for ever at the end. A `Pragma` token is a
    /// pragma that was not used up, see [`Preprocessor::pragma`].
    #[expect(clippy::should_implement_trait, reason = "it never ends: `End` is a token of its own")]
    #[inline]
    pub fn next(&mut self) -> Token {
        if !self.is_busy && self.current.position < self.current.stop {
            let mut token = self.current.lexed.tokens[self.current.position as usize];
            if token.kind != TokenKind::Ident || !self.macros.is_macro(token.data) {
                self.current.position += 1;
                token.loc = Loc::from_raw(self.current.base + token.loc.to_raw());
                return token;
            }
        }
        self.next_slowly()
    }

    fn next_slowly(&mut self) -> Token {
        loop {
            if self.is_busy {
                if let Some(token) = self.expanded_token() {
                    return self.finished(token);
                }
                self.end_expansion();
                self.is_busy = !self.expander.is_idle();
            }
            if self.current.position >= self.current.stop {
                match self.execute_directive() {
                    directive::Outcome::Continue => continue,
                    directive::Outcome::Token(token) => return token,
                    directive::Outcome::EndOfUnit => return self.end_token(),
                }
            }
            let mut token = self.file_token();
            if token.kind == TokenKind::Ident && self.macros.is_macro(token.data) {
                self.is_busy = true;
                self.begin_expansion(token);
                match self.expand_name(token) {
                    Expanded::Entered => continue,
                    Expanded::Kept(kept) => token = kept,
                }
            } else {
                token.flags = self.expander.padding.apply(token.flags);
                self.expander.padding = Padding::NONE;
            }
            token = self.finished(token);
            self.is_busy = !self.expander.is_idle();
            return token;
        }
    }

    /// The next token of the current file, which is not at a directive.
    #[inline]
    fn file_token(&mut self) -> Token {
        let mut token = self.current.lexed.tokens[self.current.position as usize];
        self.current.position += 1;
        token.loc = Loc::from_raw(self.current.base + token.loc.to_raw());
        token
    }

    /// A token as it leaves: without private flags, first of its line if all before it vanished.
    fn finished(&mut self, mut token: Token) -> Token {
        token.flags &= !(spacing::OWN_SPACE | spacing::SPACE_IF_TIGHT);
        token.flags |= std::mem::take(&mut self.expander.line_start);
        token
    }

    fn end_token(&self) -> Token {
        let end = self.current.lexed.source.text.len() as u32;
        Token { kind: TokenKind::End, flags: flag::LINE_START, loc: self.map_loc(end), len: 0, data: 0 }
    }

    fn map_loc(&self, offset: u32) -> Loc {
        Loc::from_raw(self.current.base + offset)
    }

    /// The token's text, free of line splices and trigraphs.
    pub fn text(&self, token: &Token) -> Cow<'_, [u8]> {
        let spelling = token.kind.spelling();
        if !spelling.is_empty() && !token.has(flag::DIGRAPH) {
            return Cow::Borrowed(spelling.as_bytes());
        }
        let text = self.raw_text(token);
        if token.has(flag::DIRTY) { clean(text, self.current.lexed.mode.trigraphs) } else { Cow::Borrowed(text) }
    }

    fn raw_text(&self, token: &Token) -> &[u8] {
        // Most questions are about the file being read.
        let raw = token.loc.to_raw();
        let text = &self.current.lexed.source.text;
        if let Some(offset) = raw.checked_sub(self.current.base)
            && let Some(text) = text.get(offset as usize..(offset as usize + token.len as usize))
        {
            return text;
        }
        self.map.text(token.loc, token.len)
    }

    /// Whether the place is in a system header, or in text that a line marker says comes from one.
    pub fn is_system(&self, loc: Loc) -> bool {
        let at = self.map.written(loc);
        let marks = &self.unit.system_marks;
        let Some(file) = self.file_at(at) else { return false };
        match marks[..marks.partition_point(|&(mark, ..)| mark <= at)].last() {
            Some(&(_, marked, is_system)) if marked == file => is_system,
            _ => self.map.inclusion(file).is_system,
        }
    }

    /// The inclusion in which a location that no macro made lies.
    fn file_at(&self, at: Loc) -> Option<FileId> {
        let (mut low, mut high) = (0, self.map.inclusions().len() as u32);
        while low < high {
            let middle = (low + high) / 2;
            if self.map.base(FileId(middle)) <= at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1).map(FileId)
    }
}

#[cfg(test)]
mod tests;
