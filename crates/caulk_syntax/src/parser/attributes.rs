//! `__attribute__((…))`, `[[…]]` and `__declspec(…)`.
//!
//! ```c
//! __attribute__((__malloc__(my_free, 1), format(printf, 1, 2))) [[gnu::cold, deprecated("old")]]
//! ```
//! Arguments are read as expressions or types, whatever the attribute means by them. What is
//! neither (`availability(macos, introduced=10.4.1)`) is skipped, the attribute kept without it.

use caulk_base::Symbol;

use crate::ast::{Ast, Attribute, AttributeArg, ExprKind};
use crate::token::TokenKind;

use super::scope::Word;
use super::{Failed, Parse, Parser};

impl Parser<'_> {
    /// `[[`, which starts nothing else in C.
    pub(super) fn at_bracket_attribute(&mut self) -> bool {
        self.at(TokenKind::LBracket) && self.peek(1).is(TokenKind::LBracket)
    }

    /// Reads any attributes here, of every form.
    pub(super) fn attributes(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            let kind = self.token.kind;
            match kind {
                TokenKind::Ident => match self.word() {
                    Word::Attribute => self.gnu_attributes(ast, attributes)?,
                    Word::Declspec => self.declspec(ast, attributes)?,
                    _ => return Ok(()),
                },
                TokenKind::LBracket if self.at_bracket_attribute() => self.bracket_attributes(ast, attributes)?,
                _ => return Ok(()),
            }
        }
    }

    /// After the closing brace of a record or enum, where GNU attributes belong to the type. After
    /// a mere tag they belong to what is declared.
    pub(super) fn attributes_of_type(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<()> {
        while self.word() == Word::Attribute {
            self.gnu_attributes(ast, attributes)?;
        }
        Ok(())
    }

    fn gnu_attributes(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<()> {
        self.bump();
        let outside = self.parens;
        self.expect(TokenKind::LParen)?;
        self.expect(TokenKind::LParen)?;
        while !self.at(TokenKind::RParen) {
            if self.at(TokenKind::Comma) {
                self.bump();
            } else if self.at(TokenKind::Ident) {
                self.attribute(ast, Symbol::EMPTY, attributes)?;
            } else if self.at(TokenKind::End) {
                return self.unexpected(")");
            } else {
                self.skip_parens(outside);
                return Ok(());
            }
        }
        self.expect(TokenKind::RParen)?;
        self.expect(TokenKind::RParen)?;
        Ok(())
    }

    /// `__declspec(noreturn)`
    fn declspec(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<()> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        while self.at(TokenKind::Ident) {
            self.attribute(ast, Symbol::EMPTY, attributes)?;
            self.eat(TokenKind::Comma);
        }
        self.expect(TokenKind::RParen)?;
        Ok(())
    }

    /// `[[prefix::name(args), …]]`
    fn bracket_attributes(&mut self, ast: &mut Ast, attributes: &mut Vec<Attribute>) -> Parse<()> {
        self.bump();
        self.bump();
        loop {
            let kind = self.token.kind;
            match kind {
                TokenKind::Comma => {
                    self.bump();
                }
                TokenKind::Ident => {
                    let mut prefix = Symbol::EMPTY;
                    if self.peek(1).is(TokenKind::ColonColon) {
                        prefix = self.attribute_name();
                        self.bump();
                    } else if self.peek(1).is(TokenKind::Colon) && self.peek(2).is(TokenKind::Colon) {
                        prefix = self.attribute_name();
                        self.bump();
                        self.bump();
                    }
                    if !self.at(TokenKind::Ident) {
                        return self.unexpected("attribute name");
                    }
                    self.attribute(ast, prefix, attributes)?;
                }
                _ => break,
            }
        }
        self.expect(TokenKind::RBracket)?;
        self.expect(TokenKind::RBracket)?;
        Ok(())
    }

    fn attribute(&mut self, ast: &mut Ast, prefix: Symbol, attributes: &mut Vec<Attribute>) -> Parse<()> {
        let loc = self.token.loc;
        let name = self.attribute_name();
        let mut args = Vec::new();
        if self.at(TokenKind::LParen) {
            let (parens, depth, bottom) = (self.parens, self.depth, self.bottom);
            let messages = self.diagnostics.len();
            let scopes = self.names.scope_count();
            let stack = self.expr_stack.len();
            self.bump();
            let parsed = self.attribute_args(ast, &mut args);
            if parsed.is_err() && (self.is_too_deep || self.at(TokenKind::End)) {
                return Err(Failed);
            }
            // What is odd in there is nobody's concern.
            self.diagnostics.truncate(messages);
            if parsed.is_err() {
                self.depth = depth;
                self.bottom = self.bottom.max(bottom);
                self.names.close_to(scopes);
                self.expr_stack.truncate(stack);
                self.skip_parens(parens);
            }
        }
        attributes.push(Attribute { prefix, name, args, loc });
        Ok(())
    }

    /// After `(`, to past `)`.
    fn attribute_args(&mut self, ast: &mut Ast, args: &mut Vec<AttributeArg>) -> Parse<()> {
        if self.eat(TokenKind::RParen) {
            return Ok(());
        }
        loop {
            let arg = if self.at(TokenKind::Ident) {
                let token = self.token;
                let is_lone = matches!(self.peek(1).kind, TokenKind::Comma | TokenKind::RParen);
                if is_lone && !self.word().is_type_keyword() {
                    // `mode(SI)`, `cleanup(f)`: a name, even if a typedef is called so.
                    self.bump();
                    AttributeArg::Expr(self.leaf(ast, ExprKind::Name(token.symbol()), token.loc))
                } else if self.at_type_name() {
                    AttributeArg::Type(self.type_name(ast)?)
                } else {
                    AttributeArg::Expr(self.assignment(ast)?)
                }
            } else {
                AttributeArg::Expr(self.assignment(ast)?)
            };
            args.push(arg);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        Ok(())
    }

    /// Any word, keywords too (`const`), without surrounding underscores.
    fn attribute_name(&mut self) -> Symbol {
        let symbol = self.bump().symbol();
        *self.attribute_names.entry(symbol).or_insert_with(|| {
            let text = symbol.as_str();
            let bare = text.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
            match bare {
                Some(bare) if !bare.is_empty() => Symbol::intern(bare),
                _ => symbol,
            }
        })
    }
}
