//! `#define`, parsed once: parameters resolved, `#` and `##` turned into marks.
//!
//! ```c
//! #define F(a, ...) a ## _x #a, ##__VA_ARGS__
//! ```
//! has the body `a⟨param 1, paste⟩ _x a⟨param 1, stringify⟩ ,⟨paste⟩ __VA_ARGS__⟨param 2⟩`.
//!
//! Invariants: the first body token has no SPACE; a token with `PASTE` is never the last; `STRINGIFY`
//! stands only on a parameter or on `__VA_OPT__`; each `VA_OPT` has its `VA_OPT_END`, whose number
//! (relative to the body) is the `VA_OPT` token's `data`.

use caulk_base::symbol::word;
use caulk_base::{Loc, Symbol};

use super::FileLexer;
use crate::token::{Token, TokenKind, flag};

/// Bits of [`BodyToken::role`]; the rest is the parameter's number from 1, or 0.
pub(crate) mod role {
    /// Followed by `##`.
    pub(crate) const PASTE: u16 = 1 << 15;
    /// Preceded by `#`.
    pub(crate) const STRINGIFY: u16 = 1 << 14;
    /// `__VA_OPT__(`
    pub(crate) const VA_OPT: u16 = 1 << 13;
    /// The `)` of `__VA_OPT__(…)`.
    pub(crate) const VA_OPT_END: u16 = 1 << 12;
    pub(crate) const PARAMETER: u16 = (1 << 12) - 1;
}

/// A token of a macro's body; `loc` is the offset in the file of the definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyToken {
    pub(crate) kind: TokenKind,
    pub(crate) flags: u8,
    pub(crate) role: u16,
    pub(crate) loc: Loc,
    pub(crate) len: u32,
    pub(crate) data: u32,
}

impl BodyToken {
    fn new(token: Token, role: u16) -> BodyToken {
        let Token { kind, flags, loc, len, data } = token;
        BodyToken { kind, flags, role, loc, len, data }
    }

    pub(crate) fn token(self, loc: Loc) -> Token {
        Token { kind: self.kind, flags: self.flags, loc, len: self.len, data: self.data }
    }

    /// The number from 0 of the parameter that stands here.
    pub(crate) fn parameter(self) -> Option<usize> {
        (self.role & role::PARAMETER).checked_sub(1).map(usize::from)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variadic {
    No,
    /// `...`, called `__VA_ARGS__`.
    Unnamed,
    /// GNU `name...`
    Named,
}

#[derive(Debug)]
pub(crate) struct Macro {
    pub(crate) name: Symbol,
    /// Of the name.
    pub(crate) offset: u32,
    /// A variadic macro's last parameter is what the dots stand for.
    pub(crate) parameters: Box<[Parameter]>,
    pub(crate) is_function: bool,
    pub(crate) variadic: Variadic,
    /// The body needs building before it can be read: it has `##`.
    pub(crate) has_paste: bool,
    pub(crate) has_va_opt: bool,
    pub(crate) first: u32,
    pub(crate) len: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: Symbol,
    /// Used somewhere as it is, not as an operand of `#` or `##`: the argument gets expanded first.
    pub(crate) is_expanded: bool,
}

impl Macro {
    pub(crate) fn body(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }
}

const STRAY_HASH: &str = "'#' is not followed by a macro parameter";
const MAX_PARAMETERS: usize = role::PARAMETER as usize - 1;

/// What stands between the parentheses.
struct ParameterList {
    names: Vec<Symbol>,
    variadic: Variadic,
    /// Number of the token after `)`.
    end: usize,
}

impl FileLexer<'_> {
    /// Parses the definition whose tokens begin at `first_token`; the number of the macro.
    pub(super) fn define(&mut self, first_token: usize, offset: u32) -> Option<u32> {
        let line = self.directive_tokens.split_off(first_token);
        match self.parse_definition(&line) {
            Ok(definition) => {
                self.macros.push(definition);
                Some(self.macros.len() as u32 - 1)
            }
            Err(message) => {
                self.directive_error(offset, message);
                None
            }
        }
    }

    fn parse_definition(&mut self, line: &[Token]) -> Result<Macro, String> {
        let Some(name) = line.first() else { return Err("no macro name given in #define".into()) };
        if name.kind != TokenKind::Ident {
            return Err("macro names must be identifiers".into());
        }
        if name.symbol() == word::DEFINED {
            return Err("\"defined\" cannot be used as a macro name".into());
        }
        let is_function = line.get(1).is_some_and(|t| t.kind == TokenKind::LParen && !t.has(flag::SPACE));
        let list = if is_function {
            parse_parameters(line)?
        } else {
            ParameterList { names: Vec::new(), variadic: Variadic::No, end: 1 }
        };
        let parameters = list.names.iter().map(|&name| Parameter { name, is_expanded: false }).collect();
        let mut definition = Macro {
            name: name.symbol(),
            offset: name.loc.to_raw(),
            parameters,
            is_function,
            variadic: list.variadic,
            has_paste: false,
            has_va_opt: false,
            first: self.bodies.len() as u32,
            len: 0,
        };
        self.parse_body(&mut definition, &line[list.end..])?;
        definition.len = self.bodies.len() as u32 - definition.first;
        Ok(definition)
    }

    /// Appends the body to `bodies`.
    fn parse_body(&mut self, definition: &mut Macro, line: &[Token]) -> Result<(), String> {
        let first = self.bodies.len();
        let resolve = Resolver::new(definition);
        let mut va_opt: Option<(usize, usize)> = None;
        let mut stringify = None;
        for (number, token) in line.iter().enumerate() {
            match token.kind {
                TokenKind::HashHash => {
                    let is_after_va_opt = self.bodies.last().is_some_and(|last| last.role & role::VA_OPT != 0);
                    if self.bodies.len() == first || number + 1 == line.len() {
                        self.bodies.truncate(first);
                        return Err("'##' cannot appear at either end of a macro expansion".into());
                    }
                    // `__VA_OPT__(## x)` is as wrong; taking the operator as absent harms nobody.
                    if !is_after_va_opt && let Some(last) = self.bodies.last_mut() {
                        last.role |= role::PASTE;
                    }
                    definition.has_paste = true;
                    continue;
                }
                TokenKind::Hash if definition.is_function && stringify.is_none() => {
                    stringify = Some(*token);
                    continue;
                }
                _ => {}
            }
            let mut body_token = BodyToken::new(*token, resolve.role_of(definition, token));
            let is_va_opt = definition.variadic != Variadic::No
                && token.symbol() == word::VA_OPT
                && va_opt.is_none()
                && line.get(number + 1).is_some_and(|next| next.kind == TokenKind::LParen);
            if let Some(hash) = stringify.take() {
                if body_token.parameter().is_some() || is_va_opt {
                    body_token.role |= role::STRINGIFY;
                    // White space before the operator, not before its operand, counts.
                    body_token.flags = body_token.flags & !flag::SPACE | hash.flags & flag::SPACE;
                } else {
                    self.bodies.truncate(first);
                    return Err(STRAY_HASH.into());
                }
            }
            if is_va_opt {
                body_token.role |= role::VA_OPT;
                definition.has_va_opt = true;
                va_opt = Some((self.bodies.len(), 0));
            } else if let Some((opened, depth)) = &mut va_opt {
                match token.kind {
                    TokenKind::LParen => {
                        *depth += 1;
                        if *depth == 1 {
                            continue;
                        }
                    }
                    TokenKind::RParen => {
                        *depth -= 1;
                        if *depth == 0 {
                            body_token.role = role::VA_OPT_END;
                            let end = self.bodies.len() - first;
                            self.bodies[*opened].data = end as u32;
                            if let Some(last) = self.bodies.last_mut() {
                                last.role &= !role::PASTE;
                            }
                            va_opt = None;
                        }
                    }
                    _ => {}
                }
            }
            self.bodies.push(body_token);
        }
        if stringify.is_some() {
            self.bodies.truncate(first);
            return Err(STRAY_HASH.into());
        }
        if va_opt.is_some() {
            self.bodies.truncate(first);
            return Err("unterminated __VA_OPT__".into());
        }
        self.settle_body(definition, first);
        Ok(())
    }

    /// What can be said only when the body is complete.
    fn settle_body(&mut self, definition: &mut Macro, first: usize) {
        let body = &mut self.bodies[first..];
        let Some(first) = body.first_mut() else { return };
        first.flags &= !flag::SPACE;
        let mut pastes = false;
        for token in body {
            let is_operand = token.role & (role::PASTE | role::STRINGIFY) != 0 || pastes;
            if let Some(parameter) = token.parameter()
                && !is_operand
            {
                definition.parameters[parameter].is_expanded = true;
            }
            pastes = token.role & role::PASTE != 0;
        }
        if definition.has_va_opt
            && let Some(last) = definition.parameters.last_mut()
        {
            last.is_expanded = true;
        }
    }
}

fn parse_parameters(line: &[Token]) -> Result<ParameterList, String> {
    let mut names: Vec<Symbol> = Vec::new();
    let mut at = 2;
    if line.get(at).is_some_and(|t| t.kind == TokenKind::RParen) {
        return Ok(ParameterList { names, variadic: Variadic::No, end: at + 1 });
    }
    loop {
        let mut variadic = Variadic::No;
        match line.get(at) {
            Some(token) if token.kind == TokenKind::Ident => {
                if names.contains(&token.symbol()) {
                    return Err(format!("duplicate macro parameter \"{}\"", token.symbol()));
                }
                names.push(token.symbol());
                at += 1;
                if line.get(at).is_some_and(|t| t.kind == TokenKind::Ellipsis) {
                    variadic = Variadic::Named;
                    at += 1;
                }
            }
            Some(token) if token.kind == TokenKind::Ellipsis => {
                names.push(word::VA_ARGS);
                variadic = Variadic::Unnamed;
                at += 1;
            }
            _ => return Err("expected parameter name in macro parameter list".into()),
        }
        if names.len() > MAX_PARAMETERS {
            return Err(format!("more than {MAX_PARAMETERS} macro parameters"));
        }
        match line.get(at).map(|t| t.kind) {
            Some(TokenKind::RParen) => return Ok(ParameterList { names, variadic, end: at + 1 }),
            Some(TokenKind::Comma) if variadic == Variadic::No => at += 1,
            _ => return Err("expected ',' or ')' in macro parameter list".into()),
        }
    }
}

/// Finds the parameter of a name; long lists are searched by hash.
struct Resolver {
    numbers: rustc_hash::FxHashMap<Symbol, u16>,
}

const SHORT_LIST: usize = 8;

impl Resolver {
    fn new(definition: &Macro) -> Resolver {
        let mut numbers = rustc_hash::FxHashMap::default();
        if definition.parameters.len() > SHORT_LIST {
            numbers.extend(definition.parameters.iter().enumerate().map(|(at, p)| (p.name, at as u16 + 1)));
        }
        Resolver { numbers }
    }

    fn role_of(&self, definition: &Macro, token: &Token) -> u16 {
        if token.kind != TokenKind::Ident || definition.parameters.is_empty() {
            return 0;
        }
        let name = token.symbol();
        if definition.parameters.len() > SHORT_LIST {
            return self.numbers.get(&name).copied().unwrap_or(0);
        }
        definition.parameters.iter().position(|p| p.name == name).map_or(0, |at| at as u16 + 1)
    }
}
