//! A call's arguments put in the place of its parameters.
//!
//! ```c
//! #define F(a, b, ...) a ## b #a a, ## __VA_ARGS__
//! F(x, , y + 1)      // gives: x "x" x, y + 1
//! ```
//! Operands of `##` are raw arguments; an empty one is a placemarker, which is here no token but the
//! rule that the paste before it waits for the next operand of the same chain. Other parameters stand
//! for expanded arguments. Pasting happens at once, from left to right.
//!
//! GNU: `, ## __VA_ARGS__` pastes nothing. The comma vanishes if the variadic argument is not there at
//! all; with an empty one it stays.

use caulk_base::source::Expansion;
use caulk_base::{ExpansionId, Loc};

use super::Preprocessor;
use super::context::Source;
use super::expand::{Argument, Call};
use super::spacing::{Padding, own};
use crate::lexer::{BodyToken, Variadic, role};
use crate::token::{Token, TokenKind, flag};

/// The result of a substitution as it grows.
struct Builder<'c> {
    call: &'c Call,
    out: Vec<Token>,
    padding: Padding,
    /// What the padding before the last appended token was, in case that token is taken back.
    padding_before: Padding,
    /// The last token of `out` waits to be pasted with the next.
    pastes: bool,
    expansion: ExpansionId,
    base: u32,
}

/// Where an open `__VA_OPT__(` began.
struct OpenVaOpt {
    start: usize,
    padding: Padding,
    /// `#__VA_OPT__(…)`: whether a paste waits for the string.
    stringifies: Option<bool>,
}

impl Preprocessor<'_> {
    /// Opens the context of a call whose arguments are ready.
    pub(super) fn substitute(&mut self, call: Call) {
        let expansion = self.map.add_expansion(Expansion { name: call.symbol, call: call.loc });
        let definition = *self.macros.definition(call.definition);
        // Taken out to be read while the rest changes; nothing below asks for it.
        let included = std::mem::take(&mut self.included);
        let file = &included[definition.file as usize];
        let called = &file.macros[definition.number as usize];
        let body = &file.bodies[called.body()];
        let size = size_of_result(body, &call);
        if !self.expander.spend(size) {
            let name = Token { kind: TokenKind::Ident, flags: 0, loc: call.loc, len: 0, data: call.symbol.0 };
            self.included = included;
            // The name itself is lost with the rest.
            let _ = self.overrun(name);
            return;
        }
        let mut out = self.expander.buffer();
        out.reserve(size as usize);
        let mut builder = Builder::new(&call, out, expansion, definition.base);
        let variadic = (called.variadic != Variadic::No).then(|| called.parameters.len() - 1);
        self.build(&mut builder, body, variadic);
        self.included = included;
        let Builder { out, padding, .. } = builder;
        self.push_context(Source::Tokens { tokens: out, at: 0 }, Some(call.definition), padding);
        self.expander.recycle(call.raw);
        self.expander.recycle(call.expanded);
    }

    /// Opens the context of an object-like macro whose body has `##`.
    pub(super) fn paste_object(&mut self, number: u32, name: Token, expansion: ExpansionId) {
        let definition = *self.macros.definition(number);
        let included = std::mem::take(&mut self.included);
        let file = &included[definition.file as usize];
        let body = &file.bodies[file.macros[definition.number as usize].body()];
        let call = Call::without_arguments(number, name);
        let out = self.expander.buffer();
        let mut builder = Builder::new(&call, out, expansion, definition.base);
        self.build(&mut builder, body, None);
        self.included = included;
        let Builder { out, padding, .. } = builder;
        self.push_context(Source::Tokens { tokens: out, at: 0 }, Some(number), padding);
    }

    fn build(&mut self, builder: &mut Builder<'_>, body: &[BodyToken], variadic: Option<usize>) {
        let mut va_opt: Option<OpenVaOpt> = None;
        let mut at = 0;
        while at < body.len() {
            let token = body[at];
            let is_after_paste = at > 0 && body[at - 1].role & role::PASTE != 0;
            let pads = at > 0 && !is_after_paste && body[at - 1].role & role::VA_OPT == 0;
            at += 1;
            if token.role == 0 && !builder.pastes && builder.padding == Padding::NONE {
                let made = builder.body_token(self, token);
                builder.out.push(made);
            } else if token.role == 0 || token.role == role::PASTE {
                let made = builder.body_token(self, token);
                self.append(builder, made);
                builder.pastes = token.role == role::PASTE;
            } else if token.role & role::VA_OPT != 0 {
                if pads {
                    builder.padding = builder.padding.replaced(token.flags & flag::SPACE != 0);
                }
                let stringifies = (token.role & role::STRINGIFY != 0).then(|| std::mem::take(&mut builder.pastes));
                va_opt = Some(OpenVaOpt { start: builder.out.len(), padding: builder.padding, stringifies });
                if variadic.is_none_or(|number| builder.call.expanded_argument(number).is_empty()) {
                    at = token.data as usize;
                }
            } else if token.role & role::VA_OPT_END != 0 {
                let Some(open) = va_opt.take() else { continue };
                self.close_va_opt(builder, open, token.role & role::PASTE != 0);
            } else if let Some(number) = token.parameter() {
                if pads {
                    builder.padding = builder.padding.replaced(token.flags & flag::SPACE != 0);
                }
                let is_variadic = variadic == Some(number);
                self.append_argument(builder, token, number, is_after_paste, is_variadic);
                if token.role & role::PASTE == 0 {
                    builder.padding = builder.padding.seam();
                }
            }
        }
    }

    fn append_argument(
        &mut self,
        builder: &mut Builder<'_>,
        token: BodyToken,
        number: usize,
        is_after_paste: bool,
        is_variadic: bool,
    ) {
        let call = builder.call;
        let pastes_next = token.role & role::PASTE != 0;
        if token.role & role::STRINGIFY != 0 {
            let text = self.stringify(call.raw_argument(number));
            let made = self.scratch_token(TokenKind::String, &text, builder.expansion);
            self.append(builder, made);
            builder.pastes = pastes_next;
            return;
        }
        if !pastes_next && !is_after_paste {
            // A paste may wait here only at the beginning of a `## __VA_OPT__(…)`.
            let mut tokens = call.expanded_argument(number);
            if builder.pastes
                && let Some((&first, rest)) = tokens.split_first()
            {
                self.append(builder, first);
                tokens = rest;
            }
            builder.append_all(tokens);
            builder.padding = builder.padding.then(call.arguments[number].tail);
            return;
        }
        let is_gnu_comma = is_after_paste
            && !pastes_next
            && is_variadic
            && builder.pastes
            && builder.out.last().is_some_and(|last| last.kind == TokenKind::Comma);
        if is_gnu_comma {
            builder.pastes = false;
            if call.omits_variadic {
                builder.out.pop();
                builder.padding = builder.padding_before;
            }
        }
        match call.raw_argument(number).split_first() {
            Some((&first, rest)) => {
                self.append(builder, first);
                builder.append_all(rest);
                builder.pastes = pastes_next;
            }
            // A placemarker hands the paste before it on to the next operand.
            None => builder.pastes &= pastes_next,
        }
    }

    fn close_va_opt(&mut self, builder: &mut Builder<'_>, open: OpenVaOpt, pastes_next: bool) {
        let mut is_empty = builder.out.len() == open.start;
        builder.padding = if is_empty { open.padding } else { Padding::NONE };
        if let Some(pastes) = open.stringifies {
            let text = self.stringify(&builder.out[open.start..]);
            builder.out.truncate(open.start);
            builder.padding = open.padding;
            builder.pastes = pastes;
            let made = self.scratch_token(TokenKind::String, &text, builder.expansion);
            self.append(builder, made);
            is_empty = false;
        }
        if is_empty {
            builder.pastes &= pastes_next;
        } else {
            builder.pastes = pastes_next;
        }
        if !pastes_next {
            builder.padding = builder.padding.seam();
        }
    }

    /// Appends a token, pasting it to the last one if that waits for it.
    fn append(&mut self, builder: &mut Builder<'_>, mut token: Token) {
        if std::mem::take(&mut builder.pastes)
            && let Some(last) = builder.out.last().copied()
        {
            if let Some(pasted) = self.paste(last, token, builder.expansion) {
                if let Some(last) = builder.out.last_mut() {
                    *last = pasted;
                }
                builder.padding = Padding::NONE;
                return;
            }
            let (left, right) = (excerpt(&self.text(&last)), excerpt(&self.text(&token)));
            let message = format!("pasting \"{left}\" and \"{right}\" does not give a valid preprocessing token");
            self.error(builder.call.loc, message);
        }
        token.flags = builder.padding.apply(token.flags);
        builder.padding_before = std::mem::replace(&mut builder.padding, Padding::NONE);
        builder.out.push(token);
    }
}

impl<'c> Builder<'c> {
    fn new(call: &'c Call, out: Vec<Token>, expansion: ExpansionId, base: u32) -> Builder<'c> {
        let padding = Padding::NONE;
        Builder { call, out, padding, padding_before: padding, pastes: false, expansion, base }
    }

    fn body_token(&self, pp: &mut Preprocessor<'_>, token: BodyToken) -> Token {
        let spelling = Loc::from_raw(self.base + token.loc.to_raw());
        let loc = pp.map.macro_loc(spelling, self.expansion);
        let mut made = token.token(loc);
        made.flags = own(made.flags);
        made
    }

    fn append_all(&mut self, tokens: &[Token]) {
        let Some((&first, rest)) = tokens.split_first() else { return };
        self.out.push(Token { flags: self.padding.apply(first.flags), ..first });
        self.padding = Padding::NONE;
        self.out.extend_from_slice(rest);
    }
}

impl Call {
    pub(super) fn raw_argument(&self, number: usize) -> &[Token] {
        let (start, end) = self.arguments[number].raw;
        &self.raw[start as usize..end as usize]
    }

    fn expanded_argument(&self, number: usize) -> &[Token] {
        match self.arguments[number].expanded {
            Some((start, end)) => &self.expanded[start as usize..end as usize],
            None => self.raw_argument(number),
        }
    }
}

/// The text of a token for a message.
fn excerpt(text: &[u8]) -> String {
    const MAX_SHOWN: usize = 100;
    let shown = String::from_utf8_lossy(&text[..text.len().min(MAX_SHOWN)]);
    format!("{shown}{}", if text.len() > MAX_SHOWN { "…" } else { "" })
}

/// How many tokens the result has, at most.
fn size_of_result(body: &[BodyToken], call: &Call) -> u32 {
    let size = |&Argument { raw, expanded, .. }: &Argument| {
        let (start, end) = expanded.unwrap_or(raw);
        (end - start).max(raw.1 - raw.0)
    };
    body.iter().fold(1, |sum: u32, token| {
        sum.saturating_add(token.parameter().map_or(1, |number| size(&call.arguments[number])))
    })
}
