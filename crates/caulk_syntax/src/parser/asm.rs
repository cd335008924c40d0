//! `asm`, at file scope and as a statement.
//!
//! ```c
//! asm volatile ("cas %1, %[p]" : [p] "+m" (*p), "=r" (old) : "r" (v) : "memory", "cc");
//! asm goto ("jz %l0" : : : : out);
//! ```

use crate::ast::{Asm, AsmId, AsmOperand, Ast};
use crate::token::TokenKind;

use super::scope::Word;
use super::{Parse, Parser};

impl Parser<'_> {
    /// At `asm`; to past the `;`.
    pub(super) fn asm_statement(&mut self, ast: &mut Ast) -> Parse<AsmId> {
        let loc = self.bump().loc;
        let mut is_volatile = false;
        loop {
            match self.word() {
                Word::Volatile => is_volatile = true,
                Word::Inline | Word::Goto | Word::Const => {}
                _ => break,
            }
            self.bump();
        }
        self.expect(TokenKind::LParen)?;
        if !self.at(TokenKind::String) {
            return self.unexpected("string");
        }
        let mut asm = Asm {
            template: self.string(ast),
            is_volatile,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
            loc,
        };
        let mut section = 0;
        loop {
            match self.token.kind {
                TokenKind::Colon => section += 1,
                TokenKind::ColonColon => section += 2,
                _ => break,
            }
            self.bump();
            if matches!(self.token.kind, TokenKind::Colon | TokenKind::ColonColon | TokenKind::RParen) {
                continue;
            }
            match section {
                1 => self.asm_operands(ast, &mut asm.outputs)?,
                2 => self.asm_operands(ast, &mut asm.inputs)?,
                3 => loop {
                    if !self.at(TokenKind::String) {
                        return self.unexpected("string");
                    }
                    asm.clobbers.push(self.string(ast));
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                },
                4 => loop {
                    asm.labels.push(self.name()?.0);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                },
                _ => return self.unexpected(")"),
            }
        }
        self.expect(TokenKind::RParen)?;
        self.expect(TokenKind::Semicolon)?;
        // Without outputs it is there for its effect.
        asm.is_volatile |= asm.outputs.is_empty();
        Ok(ast.asms.push(asm))
    }

    fn asm_operands(&mut self, ast: &mut Ast, operands: &mut Vec<AsmOperand>) -> Parse<()> {
        loop {
            let mut name = None;
            if self.eat(TokenKind::LBracket) {
                // The name is a word of its own kind: keywords may stand here.
                if !self.at(TokenKind::Ident) {
                    return self.unexpected("identifier");
                }
                name = Some(self.bump().symbol());
                self.expect(TokenKind::RBracket)?;
            }
            if !self.at(TokenKind::String) {
                return self.unexpected("string");
            }
            let constraint = self.string(ast);
            self.expect(TokenKind::LParen)?;
            let expr = self.expression(ast)?;
            self.expect(TokenKind::RParen)?;
            operands.push(AsmOperand { name, constraint, expr });
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }
}
