//! Macros and operators the preprocessor supplies itself.

use caulk_base::source::Expansion;
use caulk_base::{Loc, Symbol};

use super::Preprocessor;
use super::expand::Expanded;
use super::macros::Builtin;
use crate::config::Standard;
use crate::token::{Token, TokenKind};

impl Preprocessor<'_> {
    /// Replaces a builtin macro's name, whose padding is applied.
    pub(super) fn expand_builtin(&mut self, builtin: Builtin, name: Token) -> Expanded {
        let text = match builtin {
            Builtin::File => quote(&self.presumed_file(name.loc)),
            Builtin::BaseFile => quote(&self.unit.main_path.to_string_lossy()),
            Builtin::FileName => {
                let path = self.presumed_file(name.loc);
                quote(path.rsplit('/').next().unwrap_or(&path))
            }
            Builtin::Line => self.presumed_line(name.loc).to_string(),
            Builtin::Date => "\"Jan  1 1970\"".to_string(),
            Builtin::Time => "\"00:00:00\"".to_string(),
            Builtin::Timestamp => "\"Thu Jan  1 00:00:00 1970\"".to_string(),
            Builtin::Counter => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            Builtin::IncludeLevel => self.unit.depth().to_string(),
            Builtin::Pragma => {
                if self.expander.in_argument() || self.expander.in_directive {
                    return Expanded::Kept(name);
                }
                return self.pragma_operator(name);
            }
            Builtin::Defined => {
                if self.expander.in_argument() || !self.expander.in_condition {
                    return Expanded::Kept(name);
                }
                return self.defined_operator(name);
            }
            // In a condition its operand is to be expanded first; `condition` evaluates it.
            _ if self.expander.in_condition || self.expander.in_argument() => return Expanded::Kept(name),
            Builtin::HasInclude | Builtin::HasIncludeNext | Builtin::HasEmbed => return Expanded::Kept(name),
            Builtin::HasAttribute
            | Builtin::HasCAttribute
            | Builtin::HasBuiltinFunction
            | Builtin::HasFeature
            | Builtin::IsIdentifier
            | Builtin::HasWarning => {
                if !self.next_is_paren() {
                    return Expanded::Kept(name);
                }
                let operand = self.parenthesised();
                self.answer(builtin, &operand).to_string()
            }
        };
        let kind = if text.starts_with('"') { TokenKind::String } else { TokenKind::Number };
        Expanded::Kept(self.made_builtin(name, kind, &text))
    }

    fn made_builtin(&mut self, name: Token, kind: TokenKind, text: &str) -> Token {
        let expansion = self.map.add_expansion(Expansion { name: name.symbol(), call: name.loc });
        let made = self.scratch_token(kind, text.as_bytes(), expansion);
        Token { flags: name.flags, ..made }
    }

    /// The tokens up to the matching `)`, without the outer parentheses; the next token is `(`.
    fn parenthesised(&mut self) -> Vec<Token> {
        self.raw_token();
        let mut tokens = Vec::new();
        let mut depth = 0;
        loop {
            let token = self.raw_token();
            match token.kind {
                TokenKind::End => return tokens,
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => return tokens,
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
            tokens.push(token);
        }
    }

    fn defined_operator(&mut self, name: Token) -> Expanded {
        let mut operand = self.raw_token();
        let has_paren = operand.kind == TokenKind::LParen;
        if has_paren {
            operand = self.raw_token();
        }
        if operand.kind != TokenKind::Ident {
            self.error(name.loc, "operator \"defined\" requires an identifier");
        } else if has_paren && self.raw_token().kind != TokenKind::RParen {
            self.error(name.loc, "missing ')' after \"defined\"");
        }
        let is_defined = operand.kind == TokenKind::Ident && self.macros.is_macro(operand.data);
        let text = if is_defined { "1" } else { "0" };
        Expanded::Kept(self.made_builtin(name, TokenKind::Number, text))
    }

    /// The value of `__has_attribute` and its like for an operand.
    pub(super) fn answer(&self, builtin: Builtin, operand: &[Token]) -> i64 {
        let Some(name) = operand.iter().rev().find(|token| token.kind == TokenKind::Ident) else { return 0 };
        let name = name.symbol().as_str();
        match builtin {
            Builtin::HasAttribute => self.attribute_version(name),
            Builtin::HasCAttribute => match bare(name) {
                // With a prefix it is the vendor's.
                _ if operand.len() > 1 => self.attribute_version(name),
                "deprecated" | "fallthrough" | "maybe_unused" | "nodiscard" | "noreturn" | "_Noreturn" => 202_202,
                "unsequenced" | "reproducible" if self.config.dialect.standard >= Standard::C23 => 202_207,
                _ => 0,
            },
            Builtin::HasBuiltinFunction => i64::from(self.config.is_builtin.is_some_and(|is_builtin| is_builtin(name))),
            Builtin::HasFeature => i64::from(has_feature(bare(name), self.config.dialect.standard)),
            Builtin::IsIdentifier => i64::from(!Symbol::intern(name).is_keyword()),
            _ => 0,
        }
    }

    fn attribute_version(&self, name: &str) -> i64 {
        self.config.attribute_version.map_or(0, |version| i64::from(version(bare(name))))
    }

    /// The file that `#line` says this is.
    fn presumed_file(&self, loc: Loc) -> String {
        self.map.place(loc).map_or_else(String::new, |place| place.path.to_string_lossy().into_owned())
    }

    fn presumed_line(&self, loc: Loc) -> u32 {
        self.map.place(loc).map_or(0, |place| place.line)
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Without the underscores that keep a name out of macros' way.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}

/// What Clang's headers and users ask for, of the features this front end knows.
fn has_feature(name: &str, standard: Standard) -> bool {
    match name {
        "c_alignas" | "c_alignof" | "c_atomic" | "c_generic_selections" | "c_static_assert" | "c_thread_local" => {
            standard >= Standard::C11
        }
        "enumerator_attributes"
        | "attribute_deprecated_with_message"
        | "attribute_unavailable_with_message"
        | "nullability"
        | "statement_attributes_with_gnu_syntax" => true,
        _ => false,
    }
}
