//! Pragmas: those used up here, and those handed on as tokens.

use caulk_base::symbol::word;
use caulk_base::{Loc, Symbol};

use super::Preprocessor;
use super::directive::Outcome;
use super::expand::Expanded;
use super::stringify::destringify;
use crate::lexer::lex_fragment;
use crate::token::{Token, TokenKind, flag};

/// The pragmas handed on, by number.
#[derive(Default)]
pub(super) struct Pragmas {
    tokens: Vec<Token>,
    ranges: Vec<(u32, u32)>,
}

impl Pragmas {
    fn add(&mut self, tokens: &[Token]) -> u32 {
        let start = self.tokens.len() as u32;
        self.tokens.extend_from_slice(tokens);
        self.ranges.push((start, self.tokens.len() as u32));
        self.ranges.len() as u32 - 1
    }
}

impl Preprocessor<'_> {
    /// The tokens of a `Pragma` token, after the word `pragma`.
    pub fn pragma(&self, token: &Token) -> &[Token] {
        match self.pragmas.ranges.get(token.data as usize) {
            Some(&(start, end)) if token.kind == TokenKind::Pragma => {
                &self.pragmas.tokens[start as usize..end as usize]
            }
            _ => &[],
        }
    }

    pub(super) fn execute_pragma(&mut self, tokens: Vec<Token>, loc: Loc) -> Outcome {
        let name = |number: usize| tokens.get(number).map_or(Symbol::EMPTY, |token| token.symbol());
        match (name(0), name(1)) {
            (word::ONCE, _) => self.unit.mark_once(self.current.number),
            (word::PUSH_MACRO, _) => {
                if let Some(name) = self.quoted_name(&tokens) {
                    self.macros.push(name);
                }
            }
            (word::POP_MACRO, _) => {
                if let Some(name) = self.quoted_name(&tokens) {
                    self.macros.pop(name);
                }
            }
            (word::GCC | word::CLANG, word::SYSTEM_HEADER) => {
                // Meant for headers; the main file stays the user's.
                if self.unit.depth() > 0 {
                    self.map.mark_system(self.current.id);
                    self.current.is_system = true;
                }
            }
            _ => return Outcome::Token(self.hand_on(tokens, loc)),
        }
        Outcome::Continue
    }

    fn hand_on(&mut self, mut tokens: Vec<Token>, loc: Loc) -> Token {
        // Elsewhere the names are the pragma's own words.
        let kept = match tokens.first().map(|token| token.symbol()) {
            Some(word::PACK) => 1,
            Some(name) if matches!(name.as_str(), "omp" | "message" | "scalar_storage_order") => 1,
            Some(word::REDEFINE_EXTNAME) => 1,
            _ => tokens.len(),
        };
        // While a call reads its arguments or an expansion is under way, there is no line to expand.
        if !self.expander.has_contexts() && tokens[kept..].iter().any(|token| self.macros.is_macro(token.symbol().0)) {
            let expanded = self.expand_line(&tokens[kept..], false);
            tokens.truncate(kept);
            tokens.extend(expanded);
        }
        let data = self.pragmas.add(&tokens);
        Token { kind: TokenKind::Pragma, flags: flag::LINE_START, loc, len: 0, data }
    }

    /// The name in `push_macro("name")`.
    fn quoted_name(&self, tokens: &[Token]) -> Option<Symbol> {
        let literal = tokens.iter().find(|token| token.kind == TokenKind::String)?;
        let name = destringify(&self.text(literal));
        Some(Symbol::intern(std::str::from_utf8(&name).ok()?))
    }

    /// `_Pragma("…")`, whose name was just read.
    pub(super) fn pragma_operator(&mut self, name: Token) -> Expanded {
        if !self.next_is_paren() {
            self.error(name.loc, "_Pragma takes a parenthesized string literal");
            return Expanded::Kept(name);
        }
        self.raw_token();
        let literal = self.raw_token();
        let close = if literal.kind == TokenKind::String { self.raw_token().kind } else { TokenKind::End };
        if close != TokenKind::RParen {
            self.error(name.loc, "_Pragma takes a parenthesized string literal");
            return Expanded::Entered;
        }
        let text = destringify(&self.text(&literal));
        let mut tokens = lex_fragment(&text, self.current.lexed.mode);
        let spelling = self.map.add_scratch(&text);
        for token in &mut tokens {
            match spelling {
                Some(spelling) => token.loc = spelling.offset_by(token.loc.to_raw()),
                None => (token.loc, token.len) = (name.loc, 0),
            }
        }
        match self.execute_pragma(tokens, name.loc) {
            Outcome::Token(token) => Expanded::Kept(token),
            _ => Expanded::Entered,
        }
    }
}
