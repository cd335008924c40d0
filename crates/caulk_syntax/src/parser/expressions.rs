//! Expressions: precedence climbing over a table for the binary operators, recursion for the rest.
//!
//! ```c
//! a + b * c - d
//! ```
//! `binary(0)` reads `a`, meets `+` and asks `binary` for all that binds tighter than `+`, which
//! is `b * c`; the result is the left side when `-` comes. So the tree leans to the left without
//! recursion, and its height has to be watched (see the parent module).

use caulk_base::Loc;

use crate::ast::{Ast, BinaryOp, ExprId, ExprKind, TypeName, UnaryOp};
use crate::token::TokenKind;

use super::scope::Word;
use super::{Parse, Parser};

const KINDS: usize = 64;

/// Precedence (0 for what is no binary operator) and meaning of each kind of token.
static BINARY: [(u8, BinaryOp); KINDS] = {
    use TokenKind::*;
    let mut table = [(0, BinaryOp::Add); KINDS];
    table[PipePipe as usize] = (1, BinaryOp::LogicalOr);
    table[AmpAmp as usize] = (2, BinaryOp::LogicalAnd);
    table[Pipe as usize] = (3, BinaryOp::BitOr);
    table[Caret as usize] = (4, BinaryOp::BitXor);
    table[Amp as usize] = (5, BinaryOp::BitAnd);
    table[EqualEqual as usize] = (6, BinaryOp::Equal);
    table[BangEqual as usize] = (6, BinaryOp::NotEqual);
    table[Less as usize] = (7, BinaryOp::Less);
    table[Greater as usize] = (7, BinaryOp::Greater);
    table[LessEqual as usize] = (7, BinaryOp::LessEqual);
    table[GreaterEqual as usize] = (7, BinaryOp::GreaterEqual);
    table[Shl as usize] = (8, BinaryOp::Shl);
    table[Shr as usize] = (8, BinaryOp::Shr);
    table[Plus as usize] = (9, BinaryOp::Add);
    table[Minus as usize] = (9, BinaryOp::Sub);
    table[Star as usize] = (10, BinaryOp::Mul);
    table[Slash as usize] = (10, BinaryOp::Div);
    table[Percent as usize] = (10, BinaryOp::Rem);
    table
};

impl Parser<'_> {
    /// With commas.
    pub(super) fn expression(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let mut left = self.assignment(ast)?;
        while self.at(TokenKind::Comma) {
            let loc = self.bump().loc;
            let right = self.assignment(ast)?;
            let below = self.max_height(left, right);
            left = self.node(ast, ExprKind::Comma(left, right), loc, below);
            self.check_height(left)?;
        }
        Ok(left)
    }

    /// Without commas outside parentheses.
    pub(super) fn assignment(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let left = self.conditional(ast)?;
        let op = match self.token.kind {
            TokenKind::Equal => None,
            TokenKind::StarEqual => Some(BinaryOp::Mul),
            TokenKind::SlashEqual => Some(BinaryOp::Div),
            TokenKind::PercentEqual => Some(BinaryOp::Rem),
            TokenKind::PlusEqual => Some(BinaryOp::Add),
            TokenKind::MinusEqual => Some(BinaryOp::Sub),
            TokenKind::ShlEqual => Some(BinaryOp::Shl),
            TokenKind::ShrEqual => Some(BinaryOp::Shr),
            TokenKind::AmpEqual => Some(BinaryOp::BitAnd),
            TokenKind::CaretEqual => Some(BinaryOp::BitXor),
            TokenKind::PipeEqual => Some(BinaryOp::BitOr),
            _ => return Ok(left),
        };
        let loc = self.bump().loc;
        self.enter()?;
        let right = self.assignment(ast)?;
        self.leave();
        let below = self.max_height(left, right);
        Ok(self.node(ast, ExprKind::Assign(op, left, right), loc, below))
    }

    /// `a ? b : c` and everything that binds tighter: a constant expression.
    #[inline]
    pub(super) fn conditional(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let condition = self.binary(ast, 1)?;
        if self.at(TokenKind::Question) { self.conditional_rest(ast, condition) } else { Ok(condition) }
    }

    fn conditional_rest(&mut self, ast: &mut Ast, condition: ExprId) -> Parse<ExprId> {
        let loc = self.bump().loc;
        self.enter()?;
        let middle = if self.at(TokenKind::Colon) { None } else { Some(self.expression(ast)?) };
        self.expect(TokenKind::Colon)?;
        let otherwise = self.conditional(ast)?;
        self.leave();
        let below = self.max_height(condition, otherwise).max(middle.map_or(0, |middle| self.height(middle)));
        Ok(self.node(ast, ExprKind::Conditional(condition, middle, otherwise), loc, below))
    }

    fn binary(&mut self, ast: &mut Ast, weakest: u8) -> Parse<ExprId> {
        let mut left = self.unary(ast)?;
        loop {
            let (precedence, op) = BINARY[self.token.kind as usize];
            if precedence < weakest {
                return Ok(left);
            }
            let loc = self.bump().loc;
            let right = self.binary(ast, precedence + 1)?;
            let below = self.max_height(left, right);
            left = self.node(ast, ExprKind::Binary(op, left, right), loc, below);
            self.check_height(left)?;
        }
    }

    /// A cast expression in the standard's words: prefix operators, casts, then postfix.
    pub(super) fn unary(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let loc = self.token.loc;
        let operand = match self.token.kind {
            TokenKind::Ident => {
                let word = self.word();
                if !word.is_value() {
                    return self.word_expression(ast, word);
                }
                let name = self.bump().symbol();
                self.leaf(ast, ExprKind::Name(name), loc)
            }
            TokenKind::Number => self.number(ast),
            TokenKind::String => {
                let string = self.string(ast);
                self.leaf(ast, ExprKind::String(string), loc)
            }
            TokenKind::Char => self.character(ast),
            TokenKind::LParen => return self.parenthesised(ast),
            _ => return self.prefixed(ast),
        };
        self.postfix(ast, operand)
    }

    fn prefixed(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let op = match self.token.kind {
            TokenKind::Star => UnaryOp::Deref,
            TokenKind::Amp => UnaryOp::AddressOf,
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::BitNot,
            TokenKind::PlusPlus => UnaryOp::PreIncrement,
            TokenKind::MinusMinus => UnaryOp::PreDecrement,
            TokenKind::AmpAmp => {
                let loc = self.bump().loc;
                let (label, _) = self.name()?;
                return Ok(self.leaf(ast, ExprKind::LabelAddress(label), loc));
            }
            _ => return self.unexpected("expression"),
        };
        self.unary_operator(ast, op)
    }

    /// At the operator, whatever its spelling.
    pub(super) fn unary_operator(&mut self, ast: &mut Ast, op: UnaryOp) -> Parse<ExprId> {
        let loc = self.bump().loc;
        self.enter()?;
        let operand = self.unary(ast)?;
        self.leave();
        let below = self.height(operand);
        Ok(self.node(ast, ExprKind::Unary(op, operand), loc, below))
    }

    /// At `(`: a cast, a compound literal, a statement expression, or just parentheses.
    fn parenthesised(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        let next = self.peek(1);
        let loc = self.token.loc;
        let inner = match next.kind {
            TokenKind::LBrace => {
                self.bump();
                self.enter_levels(2)?;
                let outer = self.start_subtree();
                let block = self.block(ast)?;
                let below = self.finish_subtree(outer);
                self.leave_levels(2);
                self.expect(TokenKind::RParen)?;
                self.node(ast, ExprKind::StmtExpr(block), loc, below)
            }
            TokenKind::Ident if self.is_type_after_paren() => {
                let (ty, height) = self.parenthesised_type(ast)?;
                if self.at(TokenKind::LBrace) {
                    self.compound_literal(ast, ty, height, loc)?
                } else {
                    self.enter()?;
                    let operand = self.unary(ast)?;
                    self.leave();
                    let below = self.height(operand).max(height);
                    return Ok(self.node(ast, ExprKind::Cast(ty, operand), loc, below));
                }
            }
            _ => {
                self.bump();
                self.enter()?;
                let inner = self.expression(ast)?;
                self.leave();
                self.expect(TokenKind::RParen)?;
                inner
            }
        };
        self.postfix(ast, inner)
    }

    /// At `(` before a word: does a type name follow?
    pub(super) fn is_type_after_paren(&mut self) -> bool {
        let next = self.peek(1);
        match self.word_of(&next) {
            Word::Unknown => self.is_unknown_cast(),
            Word::Extension => {
                let after = self.peek(2);
                self.word_of(&after).starts_type()
            }
            word => word.starts_type(),
        }
    }

    /// `(type)`, with the height of the type.
    pub(super) fn parenthesised_type(&mut self, ast: &mut Ast) -> Parse<(TypeName, u16)> {
        self.expect(TokenKind::LParen)?;
        let ty = self.measured_type_name(ast)?;
        self.expect(TokenKind::RParen)?;
        Ok(ty)
    }

    /// At the `{` after `(type)`.
    pub(super) fn compound_literal(&mut self, ast: &mut Ast, ty: TypeName, height: u16, loc: Loc) -> Parse<ExprId> {
        let outer = self.start_subtree();
        let init = self.initialiser_list(ast)?;
        let below = self.finish_subtree(outer).max(height);
        Ok(self.node(ast, ExprKind::CompoundLiteral(ty, init), loc, below))
    }

    pub(super) fn postfix(&mut self, ast: &mut Ast, mut base: ExprId) -> Parse<ExprId> {
        loop {
            base = match self.token.kind {
                TokenKind::LParen => self.call(ast, base)?,
                TokenKind::Arrow | TokenKind::Dot => {
                    let token = self.bump();
                    let (name, _) = self.name()?;
                    let kind = ExprKind::Member { base, name, is_arrow: token.is(TokenKind::Arrow) };
                    let below = self.height(base);
                    self.node(ast, kind, token.loc, below)
                }
                TokenKind::LBracket => {
                    let loc = self.bump().loc;
                    self.enter()?;
                    let index = self.expression(ast)?;
                    self.leave();
                    self.expect(TokenKind::RBracket)?;
                    let below = self.max_height(base, index);
                    self.node(ast, ExprKind::Index(base, index), loc, below)
                }
                TokenKind::PlusPlus => self.post(ast, UnaryOp::PostIncrement, base),
                TokenKind::MinusMinus => self.post(ast, UnaryOp::PostDecrement, base),
                _ => return Ok(base),
            };
            self.check_height(base)?;
        }
    }

    fn post(&mut self, ast: &mut Ast, op: UnaryOp, base: ExprId) -> ExprId {
        let loc = self.bump().loc;
        let below = self.height(base);
        self.node(ast, ExprKind::Unary(op, base), loc, below)
    }

    /// At the `(` of the arguments. The call stands where its callee does.
    fn call(&mut self, ast: &mut Ast, callee: ExprId) -> Parse<ExprId> {
        self.bump();
        self.enter()?;
        let mark = self.expr_stack.len();
        let mut below = self.height(callee);
        if !self.at(TokenKind::RParen) {
            loop {
                let word = self.word();
                let is_type = word != Word::None && word != Word::Object && self.at_type_name();
                let argument = if is_type { self.type_expression(ast)? } else { self.assignment(ast)? };
                below = below.max(self.height(argument));
                self.expr_stack.push(argument);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.leave();
        self.expect(TokenKind::RParen)?;
        let arguments = self.finish_exprs(ast, mark);
        let loc = ast.exprs[callee].loc;
        Ok(self.node(ast, ExprKind::Call(callee, arguments), loc, below))
    }
}

const _: () = assert!(size_of::<crate::ast::Expr>() <= 32);
