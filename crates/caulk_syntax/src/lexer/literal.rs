//! String literals and character constants.

use super::comment::splice_len;
use super::scan::Scanner;
use super::table::{MARKS, STOPS_CHAR, STOPS_STRING};
use crate::token::{TokenKind, flag};

impl Scanner<'_> {
    /// A literal whose prefix begins at `start` and whose opening quote stands at `quote`.
    pub(super) fn literal(&mut self, start: usize, quote: usize, mut flags: u8) -> TokenKind {
        let close = self.text[quote];
        let (kind, stops) = match close {
            b'"' => (TokenKind::String, STOPS_STRING),
            _ => (TokenKind::Char, STOPS_CHAR),
        };
        let mut at = quote + 1;
        loop {
            let rest = &self.text[at..];
            let Some(run) = rest.iter().position(|&byte| MARKS[byte as usize] & stops != 0) else {
                return self.unterminated(kind, start, self.text.len(), flags);
            };
            at += run;
            match self.text[at] {
                b'\\' => {
                    let splice = splice_len(self.text, at, false);
                    if splice > 0 {
                        flags |= flag::DIRTY;
                        at += splice;
                    } else if matches!(self.byte(at + 1), b'\\' | b'?')
                        && splice_len(self.text, at + 1, self.mode.trigraphs) > 0
                    {
                        // What the backslash escapes stands on the next line.
                        return self.spliced_literal(kind, start, quote, flags);
                    } else {
                        at = (at + 2).min(self.text.len());
                    }
                }
                b'?' => {
                    if self.mode.trigraphs && self.byte(at + 1) == b'?' {
                        return self.spliced_literal(kind, start, quote, flags);
                    }
                    at += 1;
                }
                b'\n' | b'\r' => return self.unterminated(kind, start, at, flags),
                _ => return self.make(kind, start, at + 1, flags),
            }
        }
    }

    pub(super) fn unterminated(&mut self, kind: TokenKind, start: usize, end: usize, flags: u8) -> TokenKind {
        let quote = if kind == TokenKind::String { '"' } else { '\'' };
        self.warning(start, format!("missing terminating {quote} character"));
        self.make(kind, start, end, flags | flag::UNTERMINATED)
    }
}
