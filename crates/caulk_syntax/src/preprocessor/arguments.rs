//! The arguments of a call, collected as they stand.
//!
//! They may span lines and hold directives, which are executed; the call ends in error at the end of
//! the file, of the argument or of the directive in which it stands. Then, as with GCC, the macro's name
//! stays and what was read of the arguments is lost.

use smallvec::SmallVec;

use super::Preprocessor;
use super::expand::Argument;
use super::spacing::{Padding, without_padding};
use crate::lexer::Variadic;
use crate::token::{Token, TokenKind};

pub(super) struct Collected {
    pub(super) raw: Vec<Token>,
    pub(super) arguments: SmallVec<[Argument; 4]>,
    pub(super) omits_variadic: bool,
}

impl Preprocessor<'_> {
    /// Reads from `(` to its `)`. `None` if the call is broken, which was reported, or the budget is
    /// used up, which was not.
    pub(super) fn collect_arguments(&mut self, number: u32, name: Token) -> Option<Collected> {
        let definition = *self.macros.definition(number);
        let called = &self.included[definition.file as usize].macros[definition.number as usize];
        let count = called.parameters.len();
        let is_variadic = called.variadic != Variadic::No;

        let open = self.raw_token();
        debug_assert!(open.kind == TokenKind::LParen);
        let mut raw = self.expander.buffer();
        let mut arguments: SmallVec<[Argument; 4]> = SmallVec::new();
        let mut start = 0;
        let mut depth = 0u32;
        self.expander.padding = Padding::NONE;
        loop {
            let mut token = self.raw_token();
            match token.kind {
                TokenKind::End => {
                    self.error(name.loc, format!("unterminated argument list invoking macro \"{}\"", name.symbol()));
                    return None;
                }
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth > 0 => depth -= 1,
                TokenKind::RParen => break,
                TokenKind::Comma if depth == 0 && !(is_variadic && arguments.len() + 1 >= count) => {
                    arguments.push(Argument::new(start, raw.len()));
                    start = raw.len();
                    self.expander.padding = Padding::NONE;
                    continue;
                }
                _ => {}
            }
            token.flags = if raw.len() == start {
                without_padding(token.flags)
            } else {
                self.expander.padding.apply(token.flags)
            };
            self.expander.padding = Padding::NONE;
            raw.push(token);
            if !self.expander.spend(1) {
                return None;
            }
        }
        arguments.push(Argument::new(start, raw.len()));
        self.expander.padding = Padding::NONE;

        let mut given = arguments.len();
        if count == 0 && given == 1 && raw.is_empty() {
            arguments.clear();
            given = 0;
        }
        if given > count || given + usize::from(is_variadic) < count {
            let macro_name = name.symbol();
            let few = if is_variadic { count - 1 } else { count };
            let message = if given > count {
                format!("macro \"{macro_name}\" passed {given} arguments, but takes just {count}")
            } else {
                format!("macro \"{macro_name}\" requires {few} arguments, but only {given} given")
            };
            self.error(name.loc, message);
            return None;
        }
        // GCC: a lone variadic argument that is empty counts as absent, unless the standard is strict.
        let omits_variadic = is_variadic && (given < count || given == 1 && raw.is_empty() && self.config.dialect.gnu);
        if given < count {
            arguments.push(Argument::new(raw.len(), raw.len()));
        }
        Some(Collected { raw, arguments, omits_variadic })
    }
}

impl Argument {
    fn new(start: usize, end: usize) -> Argument {
        Argument { raw: (start as u32, end as u32), expanded: None, tail: Padding::NONE }
    }
}
