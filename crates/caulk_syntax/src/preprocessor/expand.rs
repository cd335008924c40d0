//! Macro expansion: contexts and calls.
//!
//! A *context* is a run of tokens to read before what lies under it: a macro's body, the result of
//! a call, an argument being expanded, a directive's line. A macro is disabled while a context made from
//! it is open; its name met there is marked `NO_EXPAND` for ever.
//!
//! ```c
//! #define f(a) a + f(a)
//! f(f(1))
//! ```
//! The outer call collects the raw argument `f(1)`. The body needs it expanded, so the argument
//! becomes a context of its own: the inner call gives `1 + f(1)`, its `f` marked. Then the outer body
//! is substituted, `1 + f(1) + f(1 + f(1))`, and read with `f` disabled: all `f` stay.
//!
//! Nested calls are a stack of [`Call`]s, not recursion, so no input overflows the stack. What a macro
//! may produce is limited by a budget of tokens.
//!
//! Departs from the standard only where it leaves the choice, and then as GCC does: contexts at
//! their end are left before the parenthesis of a call is looked for, which enables their macros again.

use caulk_base::source::Expansion;
use caulk_base::{Loc, Symbol};
use smallvec::SmallVec;

use super::Preprocessor;
use super::context::{Context, NO_FLOOR, Source};
use super::macros::Meaning;
use super::spacing::{Padding, own};
use crate::token::{Token, TokenKind, flag};

const MAX_OVERRUNS_REPORTED: u32 = 20;

/// A call whose arguments are being expanded.
pub(super) struct Call {
    pub(super) definition: u32,
    pub(super) symbol: Symbol,
    pub(super) loc: Loc,
    /// All arguments' raw tokens, one after the other.
    pub(super) raw: Vec<Token>,
    pub(super) arguments: SmallVec<[Argument; 4]>,
    /// All expanded arguments' tokens.
    pub(super) expanded: Vec<Token>,
    /// The variadic argument is not there at all, not even empty.
    pub(super) omits_variadic: bool,
    /// The argument being expanded.
    current: usize,
    outer_floor: usize,
    outer_padding: Padding,
}

impl Call {
    pub(super) fn without_arguments(definition: u32, name: Token) -> Call {
        Call {
            definition,
            symbol: name.symbol(),
            loc: name.loc,
            raw: Vec::new(),
            arguments: SmallVec::new(),
            expanded: Vec::new(),
            omits_variadic: false,
            current: 0,
            outer_floor: NO_FLOOR,
            outer_padding: Padding::NONE,
        }
    }
}

/// One argument: stretches of its call's tokens.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub(super) raw: (u32, u32),
    /// `None` if expansion changes nothing.
    pub(super) expanded: Option<(u32, u32)>,
    /// Padding after the last expanded token.
    pub(super) tail: Padding,
}

/// What became of a name that is a macro.
pub(super) enum Expanded {
    /// Its tokens come next.
    Entered,
    /// It stays; padding is already applied.
    Kept(Token),
}

impl Preprocessor<'_> {
    /// The next fully expanded token of the open contexts; `None` at their end.
    pub(super) fn expanded_token(&mut self) -> Option<Token> {
        loop {
            let Some(mut token) = self.context_token() else {
                if self.expander.in_argument() {
                    self.finish_argument();
                    continue;
                }
                return None;
            };
            if token.kind == TokenKind::Ident && self.macros.is_macro(token.data) {
                match self.expand_name(token) {
                    Expanded::Entered => continue,
                    Expanded::Kept(kept) => token = kept,
                }
            } else {
                token.flags = self.expander.padding.apply(token.flags);
                self.expander.padding = Padding::NONE;
            }
            if self.expander.in_argument() {
                if let Some(call) = self.expander.calls.last_mut() {
                    call.expanded.push(token);
                }
                continue;
            }
            return Some(token);
        }
    }

    pub(super) fn is_disabled(&self, symbol: u32) -> bool {
        match self.macros.meaning(symbol) {
            Meaning::Definition(number) => self.macros.definition(number).is_disabled,
            _ => false,
        }
    }

    /// Expands the macro that this token names, if it is to be expanded here.
    pub(super) fn expand_name(&mut self, mut token: Token) -> Expanded {
        let padding = std::mem::replace(&mut self.expander.padding, Padding::NONE);
        let number = match self.macros.meaning(token.data) {
            _ if token.has(flag::NO_EXPAND) => {
                token.flags = padding.apply(token.flags);
                return Expanded::Kept(token);
            }
            Meaning::Definition(number) => number,
            Meaning::Builtin(builtin) => {
                token.flags = padding.apply(token.flags);
                return self.expand_builtin(builtin, token);
            }
            Meaning::None => {
                token.flags = padding.apply(token.flags);
                return Expanded::Kept(token);
            }
        };
        token.flags = padding.apply(token.flags);
        let definition = *self.macros.definition(number);
        if definition.is_disabled {
            token.flags |= flag::NO_EXPAND;
            return Expanded::Kept(token);
        }
        if self.expander.call_budget == 0 {
            return Expanded::Kept(token);
        }
        let file = &self.included[definition.file as usize];
        let body = &file.macros[definition.number as usize];
        let (first, len) = (body.first, body.len);
        let has_paste = body.has_paste;
        if body.is_function {
            if !self.next_is_paren() {
                return Expanded::Kept(token);
            }
            return self.call(number, token);
        }
        self.expander.padding = Padding::NONE.replaced_token(token.flags);
        if !self.expander.spend(len + 1) {
            return self.overrun(token);
        }
        if len == 0 {
            self.expander.padding = self.expander.padding.seam();
            return Expanded::Entered;
        }
        let expansion = self.map.add_expansion(Expansion { name: token.symbol(), call: token.loc });
        if has_paste {
            self.paste_object(number, token, expansion);
        } else {
            let source =
                Source::Body { file: definition.file, at: first, end: first + len, base: definition.base, expansion };
            self.push_context(source, Some(number), Padding::NONE);
        }
        Expanded::Entered
    }

    /// A function-like macro before its `(`.
    fn call(&mut self, number: u32, name: Token) -> Expanded {
        let Some(collected) = self.collect_arguments(number, name) else {
            self.expander.padding = Padding::NONE;
            return if self.expander.call_budget == 0 { self.overrun(name) } else { Expanded::Kept(name) };
        };
        let call = Call {
            definition: number,
            symbol: name.symbol(),
            loc: name.loc,
            raw: collected.raw,
            arguments: collected.arguments,
            expanded: self.expander.buffer(),
            omits_variadic: collected.omits_variadic,
            current: 0,
            outer_floor: self.expander.floor,
            outer_padding: Padding::NONE.replaced_token(name.flags),
        };
        match self.next_to_expand(&call, 0) {
            Some(argument) => {
                self.expander.calls.push(call);
                self.begin_argument(argument);
            }
            None => {
                self.expander.padding = call.outer_padding;
                self.substitute(call);
            }
        }
        Expanded::Entered
    }

    /// The first argument from number `from` on that the body needs expanded and that expansion may
    /// change.
    fn next_to_expand(&self, call: &Call, from: usize) -> Option<usize> {
        let definition = self.macros.definition(call.definition);
        let parameters = &self.included[definition.file as usize].macros[definition.number as usize].parameters;
        let may_change = |token: &Token| token.kind == TokenKind::Ident && self.macros.is_macro(token.data);
        (from..parameters.len())
            .find(|&number| parameters[number].is_expanded && call.raw_argument(number).iter().any(may_change))
    }

    /// Makes an argument of the innermost call the context to read.
    fn begin_argument(&mut self, number: usize) {
        let mut tokens = self.expander.buffer();
        let Some(call) = self.expander.calls.last_mut() else { return };
        tokens.extend_from_slice(call.raw_argument(number));
        call.current = number;
        let at = call.expanded.len() as u32;
        call.arguments[number].expanded = Some((at, at));
        self.expander.floor = self.expander.contexts.len();
        self.expander.padding = Padding::NONE;
        self.push_context(Source::Tokens { tokens, at: 0 }, None, Padding::NONE);
    }

    /// The argument's context is read to its end.
    fn finish_argument(&mut self) {
        self.pop_context();
        let tail = self.expander.padding;
        let Some(call) = self.expander.calls.last_mut() else { return };
        let number = call.current;
        let end = call.expanded.len() as u32;
        if let Some((_, argument_end)) = &mut call.arguments[number].expanded {
            *argument_end = end;
        }
        call.arguments[number].tail = tail;
        let Some(call) = self.expander.calls.pop() else { return };
        match self.next_to_expand(&call, number + 1) {
            Some(next) => {
                self.expander.calls.push(call);
                self.begin_argument(next);
            }
            None => {
                self.expander.floor = call.outer_floor;
                self.expander.padding = call.outer_padding;
                self.substitute(call);
            }
        }
    }

    /// The budget is used up: everything open, down to the directive or the text, is dropped.
    pub(super) fn overrun(&mut self, token: Token) -> Expanded {
        self.expander.overruns += 1;
        if self.expander.overruns <= MAX_OVERRUNS_REPORTED {
            self.error(token.loc, "macro expansion is too large; the rest of it is lost");
        }
        self.drop_expansion();
        Expanded::Kept(token)
    }

    pub(super) fn drop_expansion(&mut self) {
        self.expander.calls.clear();
        // A directive is executed only where no contexts are open: its own is the lowest.
        let keep = usize::from(self.expander.in_directive);
        while self.expander.contexts.len() > keep {
            self.pop_context();
        }
        if self.expander.in_directive {
            self.expander.floor = 0;
            if let Some(Context { source: Source::Tokens { tokens, at }, .. }) = self.expander.contexts.last_mut() {
                *at = tokens.len();
            }
        } else {
            self.expander.floor = NO_FLOOR;
        }
        self.expander.padding = Padding::NONE;
    }

    /// Expands a directive's line. `is_condition`: `defined X` becomes a number.
    pub(super) fn expand_line(&mut self, tokens: &[Token], is_condition: bool) -> Vec<Token> {
        debug_assert!(self.expander.contexts.is_empty() && self.expander.calls.is_empty());
        let mut line = self.expander.buffer();
        line.extend(tokens.iter().map(|token| Token { flags: own(token.flags), ..*token }));
        let saved = std::mem::replace(&mut self.expander.padding, Padding::NONE);
        let saved_budget = self.expander.call_budget;
        self.expander.in_directive = true;
        self.expander.in_condition = is_condition;
        self.expander.floor = 0;
        self.expander.renew_budget();
        self.push_context(Source::Tokens { tokens: line, at: 0 }, None, Padding::NONE);
        let mut result = Vec::new();
        while let Some(token) = self.expanded_token() {
            result.push(token);
        }
        self.pop_context();
        self.end_expansion();
        self.expander.in_directive = false;
        self.expander.in_condition = false;
        self.expander.floor = NO_FLOOR;
        self.expander.call_budget = saved_budget;
        self.expander.padding = saved;
        result
    }
}
