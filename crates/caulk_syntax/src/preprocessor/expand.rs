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
use caulk_base::{ExpansionId, Loc, Symbol};
use smallvec::SmallVec;

use super::Preprocessor;
use super::macros::Meaning;
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
const MAX_OVERRUNS_REPORTED: u32 = 20;

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
    source: Source,
    /// The definition to enable again at its end.
    definition: Option<u32>,
    /// Padding after the last token.
    tail: Padding,
}

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

pub(super) struct Expander {
    contexts: Vec<Context>,
    calls: Vec<Call>,
    /// The context that is read to its end but not left: an argument, a directive's line.
    floor: usize,
    /// Pending before the next token.
    pub(super) padding: Padding,
    /// `LINE_START` if the next token is the first of its line because what stood there vanished.
    pub(super) line_start: u8,
    /// A directive's line is being expanded: no tokens may come from the file.
    pub(super) in_directive: bool,
    /// ... and it is a condition: `defined` is an operator.
    pub(super) in_condition: bool,
    call_budget: u32,
    unit_budget: u32,
    overruns: u32,
    /// Buffers to use again.
    spare: Vec<Vec<Token>>,
}

const NO_FLOOR: usize = usize::MAX;

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
            Some(rest) => {
                self.call_budget = rest;
                true
            }
            None => {
                self.call_budget = 0;
                false
            }
        }
    }

    fn renew_budget(&mut self) {
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

/// What became of a name that is a macro.
pub(super) enum Expanded {
    /// Its tokens come next.
    Entered,
    /// It stays; padding is already applied.
    Kept(Token),
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

    /// The next token of the open contexts as it is; `None` at their end or at the floor.
    #[inline]
    fn context_token(&mut self) -> Option<Token> {
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

    fn pop_context(&mut self) {
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
        self.expander.calls.push(call);
        self.next_argument(0);
        Expanded::Entered
    }

    /// Begins to expand the first argument from number `from` on that needs it, or, when there is
    /// none, completes the call.
    fn next_argument(&mut self, from: usize) {
        let Some(call) = self.expander.calls.last_mut() else { return };
        let definition = self.macros.definition(call.definition);
        let parameters = &self.included[definition.file as usize].macros[definition.number as usize].parameters;
        for (number, parameter) in parameters.iter().enumerate().skip(from) {
            let (start, end) = call.arguments[number].raw;
            let tokens = &call.raw[start as usize..end as usize];
            let may_change = |t: &Token| t.kind == TokenKind::Ident && self.macros.is_macro(t.data);
            if !parameter.is_expanded || !tokens.iter().any(may_change) {
                continue;
            }
            let mut context = self.expander.spare.pop().unwrap_or_default();
            context.extend_from_slice(tokens);
            call.current = number;
            let at = call.expanded.len() as u32;
            call.arguments[number].expanded = Some((at, at));
            self.expander.floor = self.expander.contexts.len();
            self.expander.padding = Padding::NONE;
            self.push_context(Source::Tokens { tokens: context, at: 0 }, None, Padding::NONE);
            return;
        }
        let Some(call) = self.expander.calls.pop() else { return };
        self.expander.floor = call.outer_floor;
        self.expander.padding = call.outer_padding;
        self.substitute(call);
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
        self.next_argument(number + 1);
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
