//! `#`: an argument's text as a string literal; and `_Pragma`'s way back.

use super::Preprocessor;
use crate::token::{Token, TokenKind, flag};

impl Preprocessor<'_> {
    /// The literal, quotes included. White space between tokens is one blank; quotes and backslashes
    /// inside literals are escaped.
    pub(super) fn stringify(&self, tokens: &[Token]) -> Vec<u8> {
        let mut text = vec![b'"'];
        for token in tokens {
            if token.has(flag::SPACE) && text.len() > 1 {
                text.push(b' ');
            }
            let spelling = self.text(token);
            match token.kind {
                TokenKind::String | TokenKind::Char | TokenKind::HeaderName => {
                    for &byte in spelling.iter() {
                        if matches!(byte, b'"' | b'\\') {
                            text.push(b'\\');
                        }
                        text.push(byte);
                    }
                }
                _ => text.extend_from_slice(&spelling),
            }
        }
        // A backslash that is no part of a literal would escape the closing quote.
        let trailing = text.iter().rev().take_while(|&&byte| byte == b'\\').count();
        if trailing % 2 == 1 {
            text.pop();
        }
        text.push(b'"');
        text
    }
}

/// The text that a string literal holds, as `_Pragma` reads it: prefix and quotes gone, `\"` and `\\`
/// unescaped.
pub(super) fn destringify(literal: &[u8]) -> Vec<u8> {
    let Some(open) = literal.iter().position(|&byte| byte == b'"') else { return Vec::new() };
    let inner = &literal[open + 1..literal.len().max(open + 2) - 1];
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\\'
            && let Some(&(b'"' | b'\\')) = bytes.peek()
        {
            text.extend(bytes.next());
            continue;
        }
        text.push(byte);
    }
    text
}
