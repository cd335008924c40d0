//! Contexts: runs of tokens to read before the rest of the file.
//!
//! ```c
//! #define f(x) x
//! #define g f
//! g(1)
//! ```
//! The body of `g` is a context that ends after `f`; the search for the parenthesis leaves it and finds
//! `(` in the file. Each end leaves padding, see [`spacing`](super::spacing).
//!
//! Invariants: tokens come from the file only when no context is open; a context under `floor` is never
//! touched; `calls` is empty when a directive is executed.

use caulk_base::{ExpansionId, Loc};

use super::Preprocessor;
use super::expand::Call;
use super::spacing::{Padding, own};
use crate::lexer::DirectiveKind;
use crate::token::{Token, TokenKind, flag};

/// Tokens one macro call in the text may make or move; then it is cut off, which loses code after
/// an error.
const CALL_BUDGET: u32 = 1 << 24;
/// The same for all calls of a translation unit. It also bounds the source map's memory.
const UNIT_BUDGET: u32 = 1 << 26;
/// What a call may make when the unit's budget is used up.
const LAST_BUDGET: u32 = 1 << 8;

/// Where a context's tokens are.
pub(super) enum Source {
    /// The body of a macro, as it stands in its file.
    Body {
        file: u32,
        at: u32,
        end: u32,
        base: u32,
        expansion: ExpansionId,
    },
    Tokens {
        tokens: Vec<Token>,
        at: usize,
    },
}

pub(super) struct Context {
    pub(super) source: Source,
    /// The definition to enable again at its end.
    definition: Option<u32>,
    /// Padding after the last token.
    tail: Padding,
}

pub(super) struct Expander {
    pub(super) contexts: Vec<Context>,
    pub(super) calls: Vec<Call>,
    /// The context that is read to its end but not left: an argument, a directive's line.
    pub(super) floor: usize,
    /// Pending before the next token.
    pub(super) padding: Padding,
    /// `LINE_START` if the next token is the first of its line because what stood there vanished.
    pub(super) line_start: u8,
    /// A directive's line is being expanded: no tokens may come from the file.
    pub(super) in_directive: bool,
    /// ... and it is a condition: `defined` is an operator.
    pub(super) in_condition: bool,
    pub(super) call_budget: u32,
    unit_budget: u32,
    pub(super) overruns: u32,
    /// Buffers to use again.
    spare: Vec<Vec<Token>>,
}

pub(super) const NO_FLOOR: usize = usize::MAX;

impl Default for Expander {
    fn default() -> Expander {
        Expander {
            contexts: Vec::new(),
            calls: Vec::new(),
            floor: NO_FLOOR,
            padding: Padding::NONE,
            line_start: 0,
            in_directive: false,
            in_condition: false,
            call_budget: CALL_BUDGET,
            unit_budget: UNIT_BUDGET,
            overruns: 0,
            spare: Vec::new(),
        }
    }
}

impl Expander {
    /// The next token comes from the file as it is.
    pub(super) fn is_idle(&self) -> bool {
        self.contexts.is_empty() && self.padding == Padding::NONE && self.line_start == 0
    }

    /// Takes tokens from the budget; false when it is used up.
    #[inline]
    pub(super) fn spend(&mut self, tokens: u32) -> bool {
        match self.call_budget.checked_sub(tokens) {
            // Zero means that it was used up, and reported.
            Some(rest) if rest > 0 => {
                self.call_budget = rest;
                true
            }
            _ => {
                self.call_budget = 0;
                false
            }
        }
    }

    pub(super) fn renew_budget(&mut self) {
        self.call_budget = CALL_BUDGET.min(self.unit_budget).max(LAST_BUDGET);
    }

    pub(super) fn has_contexts(&self) -> bool {
        !self.contexts.is_empty()
    }

    pub(super) fn buffer(&mut self) -> Vec<Token> {
        self.spare.pop().unwrap_or_default()
    }

    pub(super) fn recycle(&mut self, mut buffer: Vec<Token>) {
        const WORTH_KEEPING: usize = 1 << 12;
        if self.spare.len() < 16 && buffer.capacity() <= WORTH_KEEPING {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Whether what is read now is an argument on its way to be substituted.
    pub(super) fn in_argument(&self) -> bool {
        !self.calls.is_empty()
    }
}

impl Preprocessor<'_> {
    /// A macro's name was met in the text: a new budget.
    pub(super) fn begin_expansion(&mut self, token: Token) {
        self.expander.line_start |= token.flags & flag::LINE_START;
        self.expander.renew_budget();
    }

    /// The contexts are used up: what the call took is taken from the unit's budget.
    pub(super) fn end_expansion(&mut self) {
        let allowed = CALL_BUDGET.min(self.expander.unit_budget).max(LAST_BUDGET);
        let spent = allowed - self.expander.call_budget.min(allowed);
        self.expander.unit_budget = self.expander.unit_budget.saturating_sub(spent);
        self.expander.renew_budget();
    }

    /// The next token of the open contexts as it is; `None` at their end or at the floor.
    #[inline]
    pub(super) fn context_token(&mut self) -> Option<Token> {
        loop {
            let Expander { contexts, padding, floor, .. } = &mut self.expander;
            let depth = contexts.len();
            let context = contexts.last_mut()?;
            match &mut context.source {
                Source::Body { file, at, end, base, expansion } if *at < *end => {
                    let body = self.included[*file as usize].bodies[*at as usize];
                    *at += 1;
                    let spelling = Loc::from_raw(*base + body.loc.to_raw());
                    let loc = self.map.macro_loc(spelling, *expansion);
                    let mut token = body.token(loc);
                    token.flags = own(token.flags);
                    return Some(token);
                }
                Source::Tokens { tokens, at } if *at < tokens.len() => {
                    *at += 1;
                    return Some(tokens[*at - 1]);
                }
                _ => {
                    if depth - 1 == *floor {
                        return None;
                    }
                    *padding = padding.then(context.tail).seam();
                    self.pop_context();
                }
            }
        }
    }

    pub(super) fn pop_context(&mut self) {
        let Some(context) = self.expander.contexts.pop() else { return };
        if let Some(definition) = context.definition {
            self.macros.set_disabled(definition, false);
        }
        if let Source::Tokens { tokens, .. } = context.source {
            self.expander.recycle(tokens);
        }
    }

    pub(super) fn push_context(&mut self, source: Source, definition: Option<u32>, tail: Padding) {
        if let Some(definition) = definition {
            self.macros.set_disabled(definition, true);
        }
        self.expander.contexts.push(Context { source, definition, tail });
    }

    /// The next token unexpanded, from contexts or the file, for a call or an operator that reads on;
    /// an `End` token where it must stop. Directives on the way are executed.
    pub(super) fn raw_token(&mut self) -> Token {
        loop {
            if let Some(mut token) = self.context_token() {
                if token.kind == TokenKind::Ident && self.is_disabled(token.data) {
                    token.flags |= flag::NO_EXPAND;
                }
                return token;
            }
            let at_floor = !self.expander.contexts.is_empty() || self.expander.in_directive;
            if at_floor || self.at_end_of_file() {
                return Token { kind: TokenKind::End, ..self.end_token() };
            }
            if self.current.position >= self.current.stop {
                match self.execute_directive() {
                    super::directive::Outcome::Token(token) => return token,
                    _ => continue,
                }
            }
            let mut token = self.file_token();
            if token.has(flag::LINE_START) {
                token.flags = token.flags & !flag::LINE_START | flag::SPACE;
            }
            token.flags = own(token.flags);
            return token;
        }
    }

    fn at_end_of_file(&self) -> bool {
        self.current.position >= self.current.stop
            && self.current.lexed.directives[self.current.directive as usize].kind == DirectiveKind::End
    }

    /// Whether `(` comes next. Contexts at their end are left, which leaves padding.
    pub(super) fn next_is_paren(&mut self) -> bool {
        loop {
            let depth = self.expander.contexts.len();
            let Some(context) = self.expander.contexts.last() else { break };
            match &context.source {
                Source::Body { file, at, end, .. } if *at < *end => {
                    return self.included[*file as usize].bodies[*at as usize].kind == TokenKind::LParen;
                }
                Source::Tokens { tokens, at } if *at < tokens.len() => return tokens[*at].kind == TokenKind::LParen,
                _ => {
                    if depth - 1 == self.expander.floor {
                        return false;
                    }
                    self.expander.padding = self.expander.padding.then(context.tail).seam();
                    self.pop_context();
                }
            }
        }
        // A directive is not looked past, but an odd byte is no directive.
        let lexed = &self.current.lexed;
        let mut directive = self.current.directive as usize;
        while lexed.directives[directive].position == self.current.position {
            if lexed.directives[directive].kind != DirectiveKind::Problem {
                return false;
            }
            directive += 1;
        }
        lexed.tokens[self.current.position as usize].kind == TokenKind::LParen
    }
}
