//! Initialisers: an expression, or a list in braces with designators.
//!
//! ```c
//! int a[] = { 1, [5] = 2, [7 ... 9] = 3, }; struct s x = { .p.q = 1, y: 2, { 0 } };
//! ```

use smallvec::SmallVec;

use crate::ast::{Ast, Designator, Init, InitId, InitItem};
use crate::token::TokenKind;

use super::{Parse, Parser};

impl Parser<'_> {
    pub(super) fn initialiser(&mut self, ast: &mut Ast) -> Parse<InitId> {
        if self.at(TokenKind::LBrace) {
            return self.initialiser_list(ast);
        }
        let value = self.assignment(ast)?;
        Ok(ast.inits.push(Init::Expr(value)))
    }

    /// At `{`.
    pub(super) fn initialiser_list(&mut self, ast: &mut Ast) -> Parse<InitId> {
        self.enter()?;
        let loc = self.expect(TokenKind::LBrace)?.loc;
        let mark = self.init_stack.len();
        while !self.at(TokenKind::RBrace) {
            let designators = self.designators(ast)?;
            let init = self.initialiser(ast)?;
            self.init_stack.push(InitItem { designators, init });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBrace)?;
        self.leave();
        let items = self.finish_inits(ast, mark);
        Ok(ast.inits.push(Init::List { items, loc }))
    }

    fn designators(&mut self, ast: &mut Ast) -> Parse<SmallVec<[Designator; 1]>> {
        let mut designators = SmallVec::new();
        match self.token.kind {
            // GNU `name: value`
            TokenKind::Ident => {
                if self.word().is_name() && self.peek(1).is(TokenKind::Colon) {
                    let token = self.bump();
                    self.bump();
                    designators.push(Designator::Field(token.symbol(), token.loc));
                }
                return Ok(designators);
            }
            TokenKind::Dot | TokenKind::LBracket => {}
            _ => return Ok(designators),
        }
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.bump();
                    let (name, loc) = self.name()?;
                    designators.push(Designator::Field(name, loc));
                }
                TokenKind::LBracket => {
                    self.bump();
                    let low = self.conditional(ast)?;
                    designators.push(if self.eat(TokenKind::Ellipsis) {
                        Designator::Range(low, self.conditional(ast)?)
                    } else {
                        Designator::Index(low)
                    });
                    self.expect(TokenKind::RBracket)?;
                }
                _ => break,
            }
        }
        // Old GNU code has no `=` after `[index]`.
        self.eat(TokenKind::Equal);
        Ok(designators)
    }
}
