//! `#if`: expanded, then evaluated in 64 bits.
//!
//! Operands that do not count (`0 && 1/0`) are parsed but not evaluated. A value is unsigned as
//! `uintmax_t` is, and makes the other operand so. What is wrong makes the condition false.

use caulk_base::symbol::word;
use caulk_base::{Loc, Symbol};

use super::Preprocessor;
use super::include::Request;
use super::macros::{Builtin, Meaning};
use super::number::{self, Unsigned};
use crate::config::Standard;
use crate::lexer::Directive;
use crate::token::{Token, TokenKind};

/// Deeper parentheses make the condition an error: evaluation recurses once per level.
const MAX_DEPTH: u32 = 200;

#[derive(Clone, Copy, Debug)]
struct Value {
    bits: u64,
    is_unsigned: bool,
}

impl Value {
    fn truth(condition: bool) -> Value {
        Value { bits: u64::from(condition), is_unsigned: false }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Why a condition has no value.
type Failure = (Loc, String);

struct Evaluator<'p, 'f> {
    pp: &'p mut Preprocessor<'f>,
    tokens: &'p [Token],
    is_expanded: bool,
    at: usize,
    depth: u32,
    /// The directive, for what is missing.
    loc: Loc,
}

impl Preprocessor<'_> {
    pub(super) fn evaluate_condition(&mut self, directive: Directive) -> bool {
        let line = self.line(directive);
        let loc = self.map_loc(directive.offset);
        self.evaluate(&line, loc).is_some_and(Value::is_true)
    }

    /// The value of a constant expression of a directive, for `#embed`'s `limit`.
    pub(super) fn evaluate_integer(&mut self, line: &[Token], loc: Loc) -> Option<u64> {
        self.evaluate(line, loc).map(|value| value.bits)
    }

    /// Whether evaluation needs no expansion first: all macros are operands of `defined` or stand for one
    /// number. Most conditions of system headers are so.
    fn is_simple(&self, line: &[Token]) -> bool {
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            if token.kind != TokenKind::Ident || !self.macros.is_macro(token.data) {
                continue;
            }
            if token.symbol() == word::DEFINED {
                at += usize::from(line.get(at).is_some_and(|open| open.kind == TokenKind::LParen)) + 1;
            } else if self.single_number(token.data).is_none() {
                return false;
            }
        }
        true
    }

    /// The number that an object-like macro stands for.
    fn single_number(&self, symbol: u32) -> Option<Token> {
        let Meaning::Definition(number) = self.macros.meaning(symbol) else { return None };
        let definition = self.macros.definition(number);
        let file = &self.included[definition.file as usize];
        let body = &file.macros[definition.number as usize];
        if body.is_function || body.len != 1 {
            return None;
        }
        let token = file.bodies[body.first as usize];
        let loc = Loc::from_raw(definition.base + token.loc.to_raw());
        (token.kind == TokenKind::Number).then(|| token.token(loc))
    }

    /// GCC's predefined macros say so.
    fn unsigned_characters(&self) -> Unsigned {
        let is_macro = |name: &str| self.macros.is_macro(Symbol::intern(name).0);
        Unsigned { chars: is_macro("__CHAR_UNSIGNED__"), wide_chars: is_macro("__WCHAR_UNSIGNED__") }
    }

    fn evaluate(&mut self, line: &[Token], loc: Loc) -> Option<Value> {
        let expanded;
        let is_expanded = !self.is_simple(line);
        let tokens = if !is_expanded {
            line
        } else {
            expanded = self.expand_line(line, true);
            &expanded
        };
        let mut evaluator = Evaluator { pp: self, tokens, is_expanded, at: 0, depth: 0, loc };
        match evaluator.whole() {
            Ok(value) => Some(value),
            Err((loc, message)) => {
                self.error(loc, message);
                None
            }
        }
    }
}

impl Evaluator<'_, '_> {
    fn whole(&mut self) -> Result<Value, Failure> {
        if self.tokens.is_empty() {
            return Err((self.loc, "#if with no expression".into()));
        }
        let value = self.comma(true)?;
        match self.peek() {
            None => Ok(value),
            Some(token) => {
                let text = String::from_utf8_lossy(&self.pp.text(&token)).into_owned();
                Err((token.loc, format!("missing binary operator before token \"{text}\" in #if")))
            }
        }
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_next = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(is_next);
        is_next
    }

    fn fail<T>(&self, message: &str) -> Result<T, Failure> {
        let loc = self.peek().map_or(self.loc, |token| token.loc);
        Err((loc, format!("{message} in #if")))
    }

    fn comma(&mut self, is_live: bool) -> Result<Value, Failure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("expression nested too deeply");
        }
        let mut value = self.conditional(is_live)?;
        while self.eat(TokenKind::Comma) {
            value = self.conditional(is_live)?;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn conditional(&mut self, is_live: bool) -> Result<Value, Failure> {
        let condition = self.binary(0, is_live)?;
        if !self.eat(TokenKind::Question) {
            return Ok(condition);
        }
        let chooses_first = condition.is_true();
        let first = self.comma(is_live && chooses_first)?;
        if !self.eat(TokenKind::Colon) {
            return self.fail("'?' without following ':'");
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("expression nested too deeply");
        }
        let second = self.conditional(is_live && !chooses_first)?;
        self.depth -= 1;
        let chosen = if chooses_first { first } else { second };
        Ok(Value { is_unsigned: first.is_unsigned || second.is_unsigned, ..chosen })
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u8, is_live: bool) -> Result<Value, Failure> {
        let mut left = self.unary(is_live)?;
        loop {
            let Some(operator) = self.peek() else { return Ok(left) };
            let Some(binding) = binding(operator.kind).filter(|&binding| binding >= level) else { return Ok(left) };
            self.at += 1;
            let right_is_live = is_live
                && match operator.kind {
                    TokenKind::AmpAmp => left.is_true(),
                    TokenKind::PipePipe => !left.is_true(),
                    _ => true,
                };
            let right = self.binary(binding + 1, right_is_live)?;
            left = match apply(operator.kind, left, right) {
                Some(value) => value,
                None if !is_live => Value::truth(false),
                None => return Err((operator.loc, "division by zero in #if".into())),
            };
        }
    }

    fn unary(&mut self, is_live: bool) -> Result<Value, Failure> {
        let first = self.at;
        while let Some(token) = self.peek()
            && matches!(token.kind, TokenKind::Bang | TokenKind::Tilde | TokenKind::Minus | TokenKind::Plus)
        {
            self.at += 1;
        }
        let last = self.at;
        let mut value = self.primary(is_live)?;
        for operator in self.tokens[first..last].iter().rev() {
            value = match operator.kind {
                TokenKind::Bang => Value::truth(!value.is_true()),
                TokenKind::Tilde => Value { bits: !value.bits, ..value },
                TokenKind::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, is_live: bool) -> Result<Value, Failure> {
        let Some(token) = self.peek() else { return self.fail("operator has no right operand") };
        self.at += 1;
        match token.kind {
            TokenKind::LParen => {
                let value = self.comma(is_live)?;
                if !self.eat(TokenKind::RParen) {
                    return self.fail("missing ')'");
                }
                Ok(value)
            }
            TokenKind::Number | TokenKind::Char => self.constant(token),
            TokenKind::Ident => self.name(token),
            // `#machine(x86)`, an assertion of old: none holds.
            TokenKind::Hash => {
                self.at += 1;
                if self.peek().is_some_and(|t| t.kind == TokenKind::LParen) {
                    self.operand(token)?;
                }
                Ok(Value::truth(false))
            }
            _ => {
                self.at -= 1;
                let text = String::from_utf8_lossy(&self.pp.text(&token)).into_owned();
                self.fail(&format!("token \"{text}\" is not valid"))
            }
        }
    }

    fn constant(&self, token: Token) -> Result<Value, Failure> {
        let text = self.pp.text(&token);
        let parsed = match token.kind {
            TokenKind::Number => number::integer(&text),
            _ => number::character(&token, &text, self.pp.unsigned_characters()),
        };
        match parsed {
            Ok((bits, is_unsigned)) => Ok(Value { bits, is_unsigned }),
            Err(message) => Err((token.loc, message.to_string())),
        }
    }

    /// `defined X` in a line that was not expanded.
    fn defined(&mut self, token: Token) -> Result<Value, Failure> {
        let has_paren = self.eat(TokenKind::LParen);
        let Some(operand) = self.peek().filter(|operand| operand.kind == TokenKind::Ident) else {
            return Err((token.loc, "operator \"defined\" requires an identifier".into()));
        };
        self.at += 1;
        if has_paren && !self.eat(TokenKind::RParen) {
            return Err((token.loc, "missing ')' after \"defined\"".into()));
        }
        Ok(Value::truth(self.pp.macros.is_macro(operand.data)))
    }

    fn name(&mut self, token: Token) -> Result<Value, Failure> {
        match self.pp.macros.meaning(token.data) {
            Meaning::Builtin(Builtin::Defined) => return self.defined(token),
            Meaning::Builtin(builtin) => return self.builtin(builtin, token),
            // In an expanded line, what is still a macro's name stays a name.
            Meaning::Definition(_) if !self.is_expanded => {
                if let Some(number) = self.pp.single_number(token.data) {
                    return self.constant(number);
                }
            }
            _ => {}
        }
        if self.peek().is_some_and(|next| next.kind == TokenKind::LParen) {
            return self.fail(&format!("function-like macro \"{}\" is not defined,", token.symbol()));
        }
        let has_truth = self.pp.config.dialect.standard >= Standard::C23;
        Ok(Value::truth(has_truth && token.symbol() == word::TRUE))
    }

    fn builtin(&mut self, builtin: Builtin, token: Token) -> Result<Value, Failure> {
        let operand = match builtin {
            Builtin::HasInclude
            | Builtin::HasIncludeNext
            | Builtin::HasEmbed
            | Builtin::HasAttribute
            | Builtin::HasCAttribute
            | Builtin::HasBuiltinFunction
            | Builtin::HasFeature
            | Builtin::IsIdentifier
            | Builtin::HasWarning => self.operand(token)?,
            _ => return Ok(Value::truth(false)),
        };
        let bits = match builtin {
            Builtin::HasEmbed => self.pp.has_embed(&operand, token.loc),
            Builtin::HasInclude | Builtin::HasIncludeNext => {
                let Some((name, is_angled)) = self.pp.header_in(&operand) else {
                    return Err((token.loc, format!("operator \"{}\" requires a header name", token.symbol())));
                };
                let is_next = builtin == Builtin::HasIncludeNext;
                u64::from(self.pp.search(Request { name: Symbol::intern(&name), is_angled, is_next }).is_some())
            }
            _ => self.pp.answer(builtin, &operand) as u64,
        };
        Ok(Value { bits, is_unsigned: false })
    }

    /// The tokens between the parentheses that follow.
    fn operand(&mut self, name: Token) -> Result<Vec<Token>, Failure> {
        if !self.eat(TokenKind::LParen) {
            return Err((name.loc, format!("missing '(' after \"{}\" in #if", name.symbol())));
        }
        let first = self.at;
        let mut depth = 0;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => return Ok(self.tokens[first..self.at - 1].to_vec()),
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
        }
        Err((name.loc, format!("missing ')' after \"{}\" in #if", name.symbol())))
    }
}

/// How tightly a binary operator binds.
fn binding(kind: TokenKind) -> Option<u8> {
    use TokenKind::*;
    Some(match kind {
        PipePipe => 0,
        AmpAmp => 1,
        Pipe => 2,
        Caret => 3,
        Amp => 4,
        EqualEqual | BangEqual => 5,
        Less | Greater | LessEqual | GreaterEqual => 6,
        Shl | Shr => 7,
        Plus | Minus => 8,
        Star | Slash | Percent => 9,
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(operator: TokenKind, left: Value, right: Value) -> Option<Value> {
    use TokenKind::*;
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let compare = || if is_unsigned { a.cmp(&b) } else { (a as i64).cmp(&(b as i64)) };
    let bits = match operator {
        PipePipe => return Some(Value::truth(left.is_true() || right.is_true())),
        AmpAmp => return Some(Value::truth(left.is_true() && right.is_true())),
        EqualEqual => return Some(Value::truth(a == b)),
        BangEqual => return Some(Value::truth(a != b)),
        Less => return Some(Value::truth(compare().is_lt())),
        Greater => return Some(Value::truth(compare().is_gt())),
        LessEqual => return Some(Value::truth(compare().is_le())),
        GreaterEqual => return Some(Value::truth(compare().is_ge())),
        Shl | Shr => return Some(Value { bits: shift(operator == Shl, left, right), ..left }),
        Pipe => a | b,
        Caret => a ^ b,
        Amp => a & b,
        Plus => a.wrapping_add(b),
        Minus => a.wrapping_sub(b),
        Star => a.wrapping_mul(b),
        Slash if is_unsigned => a.checked_div(b)?,
        Percent if is_unsigned => a.checked_rem(b)?,
        Slash | Percent if b == 0 => return None,
        Slash => (a as i64).wrapping_div(b as i64) as u64,
        Percent => (a as i64).wrapping_rem(b as i64) as u64,
        _ => 0,
    };
    Some(Value { bits, is_unsigned })
}

/// A negative count shifts the other way; one of 64 or more leaves nothing but the sign.
fn shift(is_left: bool, value: Value, count: Value) -> u64 {
    let is_negative = !count.is_unsigned && (count.bits as i64) < 0;
    let amount = if is_negative { count.bits.wrapping_neg() } else { count.bits };
    if is_left != is_negative {
        return if amount >= 64 { 0 } else { value.bits << amount };
    }
    if value.is_unsigned || (value.bits as i64) >= 0 {
        if amount >= 64 { 0 } else { value.bits >> amount }
    } else {
        ((value.bits as i64) >> amount.min(63)) as u64
    }
}
