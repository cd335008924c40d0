//! `#pragma pack`, the one pragma that changes what the text means to us. The rest is dropped.

use caulk_base::Symbol;
use caulk_base::symbol::word;

use crate::token::{Token, TokenKind};

use super::Parser;

/// The alignment limit in force, with what was pushed.
#[derive(Default)]
pub(super) struct PackStack {
    /// 0 for none.
    limit: u8,
    pushed: Vec<(Symbol, u8)>,
}

impl PackStack {
    pub(super) fn current(&self) -> u8 {
        self.limit
    }

    fn push(&mut self, name: Symbol) {
        self.pushed.push((name, self.limit));
    }

    /// Back to the last push, or to the push of that name and past all after it.
    fn pop(&mut self, name: Symbol) {
        let at = if name == Symbol::EMPTY {
            self.pushed.len().checked_sub(1)
        } else {
            self.pushed.iter().rposition(|&(pushed, _)| pushed == name)
        };
        if let Some(at) = at {
            self.limit = self.pushed[at].1;
            self.pushed.truncate(at);
        }
    }
}

impl Parser<'_> {
    /// `pack()`, `pack(n)`, `pack(push[, name][, n])`, `pack(pop[, name])`.
    pub(super) fn pragma(&mut self, pragma: &Token) {
        let tokens = self.preprocessor.pragma(pragma);
        // Whether the list starts with the word `pragma` is the preprocessor's business.
        let tokens = match tokens {
            [first, rest @ ..] if first.symbol() == word::PRAGMA => rest,
            tokens => tokens,
        };
        let [name, open, args @ ..] = tokens else { return };
        if name.symbol() != word::PACK || open.kind != TokenKind::LParen {
            return;
        }
        let mut action = Symbol::EMPTY;
        let mut label = Symbol::EMPTY;
        let mut limit = None;
        for (number, arg) in args.iter().enumerate() {
            match arg.kind {
                TokenKind::RParen => break,
                TokenKind::Ident if number == 0 => action = arg.symbol(),
                TokenKind::Ident => label = arg.symbol(),
                TokenKind::Number => {
                    let text = self.preprocessor.text(arg);
                    limit = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<u8>().ok());
                }
                _ => {}
            }
        }
        match action {
            word::PUSH => self.pack.push(label),
            word::POP => self.pack.pop(label),
            Symbol::EMPTY => self.pack.limit = limit.unwrap_or(0),
            _ => return,
        }
        if let Some(limit) = limit
            && matches!(limit, 0 | 1 | 2 | 4 | 8 | 16)
        {
            self.pack.limit = limit;
        }
    }
}
