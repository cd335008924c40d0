//! `##`: two tokens become one, if their text is one.

use caulk_base::{ExpansionId, Symbol};

use super::Preprocessor;
use super::spacing::{OWN_SPACE, SPACE_IF_TIGHT};
use crate::lexer::lex_fragment;
use crate::token::{Token, TokenKind, flag};

/// So much text costs as much as a token.
const TEXT_OF_A_TOKEN: u32 = 2;

/// Longer names and numbers are not pasted: each paste of a chain `x##x##x` makes all of the text anew. The tokens
/// stay apart, which is an error like any other paste that fails.
const MAX_PASTED: usize = 1 << 10;

impl Preprocessor<'_> {
    /// The pasted token; `None` if the text of both is not one token.
    pub(super) fn paste(&mut self, left: Token, right: Token, expansion: ExpansionId) -> Option<Token> {
        let names = (left.symbol(), right.symbol());
        let is_named = left.kind == TokenKind::Ident && right.kind == TokenKind::Ident;
        let flags = left.flags & (flag::SPACE | flag::LINE_START | OWN_SPACE | SPACE_IF_TIGHT);
        if is_named && let Some(&(spelling, len, symbol)) = self.pasted.get(&names) {
            let loc = self.map.macro_loc(spelling, expansion);
            return Some(Token { kind: TokenKind::Ident, flags, loc, len, data: symbol.0 });
        }
        let mut text = self.text(&left).into_owned();
        text.extend_from_slice(&self.text(&right));
        let (kind, lexed_flags) = match (left.kind, right.kind) {
            // A name goes on with a name, or with a number without `.` and signs.
            (TokenKind::Ident, TokenKind::Ident) => (TokenKind::Ident, 0),
            (TokenKind::Ident, TokenKind::Number) if is_word(&text) => (TokenKind::Ident, 0),
            (TokenKind::Number, TokenKind::Ident | TokenKind::Number) => (TokenKind::Number, 0),
            (TokenKind::Pragma | TokenKind::End, _) | (_, TokenKind::Pragma | TokenKind::End) => return None,
            _ => match lex_fragment(&text, self.current.lexed.mode)[..] {
                [token] if token.len as usize == text.len() && !token.has(flag::UNTERMINATED) => {
                    (token.kind, token.flags & (flag::DIRTY | flag::DIGRAPH))
                }
                _ => return None,
            },
        };
        if matches!(kind, TokenKind::Ident | TokenKind::Number) && text.len() > MAX_PASTED {
            return None;
        }
        let mut pasted = self.scratch_token(kind, &text, expansion);
        if kind == TokenKind::Ident {
            let symbol = self.identifier(&text);
            pasted.data = symbol.0;
            if is_named {
                self.pasted.insert(names, (self.map.spelling(pasted.loc), pasted.len, symbol));
            }
        }
        pasted.flags = lexed_flags | flags;
        Some(pasted)
    }

    /// The symbol of a name that may hold universal character names.
    fn identifier(&self, text: &[u8]) -> Symbol {
        if text.is_ascii() && !text.contains(&b'\\') {
            return Symbol::intern(&String::from_utf8_lossy(text));
        }
        match lex_fragment(text, self.current.lexed.mode)[..] {
            [token] => token.symbol(),
            _ => Symbol::intern(&String::from_utf8_lossy(text)),
        }
    }

    /// A token of an expansion whose text no file holds.
    pub(super) fn scratch_token(&mut self, kind: TokenKind, text: &[u8], expansion: ExpansionId) -> Token {
        // `#` doubles backslashes and repeats arguments: few tokens may be much text. When the budget is used up,
        // strings are empty, and the next macro fails.
        let is_paid = self.expander.spend(text.len() as u32 / TEXT_OF_A_TOKEN);
        let text = if !is_paid && kind == TokenKind::String { b"\"\"" } else { text };
        let (spelling, len) = match self.map.add_scratch(text) {
            Some(loc) => (loc, text.len() as u32),
            // Two gigabytes of text are used up.
            None => (self.map_loc(0), 0),
        };
        Token { kind, flags: 0, loc: self.map.macro_loc(spelling, expansion), len, data: 0 }
    }
}

fn is_word(text: &[u8]) -> bool {
    text.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
}
