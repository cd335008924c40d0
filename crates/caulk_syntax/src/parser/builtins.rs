//! Expressions that start with a keyword: `sizeof`, `_Generic`, the builtins that take types.

use caulk_base::Loc;

use crate::ast::{Ast, ExprId, ExprKind, Generic, GenericControl, TypeName, UnaryOp};
use crate::token::TokenKind;

use super::scope::Word;
use super::{Parse, Parser};

/// The three operators that take an expression or a type in parentheses.
#[derive(Clone, Copy)]
enum Measure {
    Size,
    Alignment,
    Count,
}

impl Measure {
    fn of_expr(self, expr: ExprId) -> ExprKind {
        match self {
            Measure::Size => ExprKind::SizeofExpr(expr),
            Measure::Alignment => ExprKind::AlignofExpr(expr),
            Measure::Count => ExprKind::CountofExpr(expr),
        }
    }

    fn of_type(self, ty: TypeName) -> ExprKind {
        match self {
            Measure::Size => ExprKind::SizeofType(ty),
            Measure::Alignment => ExprKind::AlignofType(ty),
            Measure::Count => ExprKind::CountofType(ty),
        }
    }
}

impl Parser<'_> {
    /// At a word that names no value.
    pub(super) fn word_expression(&mut self, ast: &mut Ast, word: Word) -> Parse<ExprId> {
        let loc = self.token.loc;
        let expr = match word {
            Word::Sizeof => return self.measure(ast, Measure::Size),
            Word::Alignof => return self.measure(ast, Measure::Alignment),
            Word::Countof => return self.measure(ast, Measure::Count),
            Word::Extension => return self.unary_operator(ast, UnaryOp::Extension),
            Word::Real => return self.unary_operator(ast, UnaryOp::Real),
            Word::Imag => return self.unary_operator(ast, UnaryOp::Imag),
            Word::True | Word::False => {
                self.bump();
                self.leaf(ast, ExprKind::Bool(word == Word::True), loc)
            }
            Word::Nullptr => {
                self.bump();
                self.leaf(ast, ExprKind::Nullptr, loc)
            }
            Word::Generic
            | Word::VaArg
            | Word::Offsetof
            | Word::TypesCompatible
            | Word::ChooseExpr
            | Word::ConvertVector
            | Word::BitCast => self.builtin(ast, word)?,
            _ => return self.unexpected("expression"),
        };
        self.postfix(ast, expr)
    }

    /// `sizeof e`, `sizeof(type)`, `sizeof(type){…}.member`.
    fn measure(&mut self, ast: &mut Ast, measure: Measure) -> Parse<ExprId> {
        let loc = self.bump().loc;
        self.enter()?;
        let is_type = self.at(TokenKind::LParen) && self.peek(1).is(TokenKind::Ident) && self.is_type_after_paren();
        let (kind, below) = if is_type {
            let open = self.token.loc;
            let (ty, height) = self.parenthesised_type(ast)?;
            if self.at(TokenKind::LBrace) {
                let literal = self.compound_literal(ast, ty, height, open)?;
                let operand = self.postfix(ast, literal)?;
                (measure.of_expr(operand), self.height(operand))
            } else {
                (measure.of_type(ty), height)
            }
        } else {
            let operand = self.unary(ast)?;
            (measure.of_expr(operand), self.height(operand))
        };
        self.leave();
        Ok(self.node(ast, kind, loc, below))
    }

    /// `word(…)` with arguments of its own kind.
    fn builtin(&mut self, ast: &mut Ast, word: Word) -> Parse<ExprId> {
        let loc = self.bump().loc;
        self.expect(TokenKind::LParen)?;
        self.enter()?;
        // One measure for all operands: nothing here grows to the left.
        let outer = self.start_subtree();
        let kind = match word {
            Word::Generic => self.generic(ast)?,
            Word::VaArg => {
                let list = self.assignment(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::VaArg(list, self.type_name(ast)?)
            }
            Word::Offsetof => {
                let ty = self.type_name(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::Offsetof(ty, self.offsetof_member(ast, loc)?)
            }
            Word::TypesCompatible => {
                let left = self.type_name(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::TypesCompatible(left, self.type_name(ast)?)
            }
            Word::ChooseExpr => {
                let condition = self.assignment(ast)?;
                self.expect(TokenKind::Comma)?;
                let then = self.assignment(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::ChooseExpr(condition, then, self.assignment(ast)?)
            }
            Word::ConvertVector => {
                let vector = self.assignment(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::ConvertVector(vector, self.type_name(ast)?)
            }
            _ => {
                let ty = self.type_name(ast)?;
                self.expect(TokenKind::Comma)?;
                ExprKind::BitCast(ty, self.assignment(ast)?)
            }
        };
        let below = self.finish_subtree(outer);
        self.leave();
        self.expect(TokenKind::RParen)?;
        Ok(self.node(ast, kind, loc, below))
    }

    /// After `_Generic(`.
    fn generic(&mut self, ast: &mut Ast) -> Parse<ExprKind> {
        let control = if self.at_type_name() {
            GenericControl::Type(self.type_name(ast)?)
        } else {
            GenericControl::Expr(self.assignment(ast)?)
        };
        let mut arms = Vec::new();
        while self.eat(TokenKind::Comma) {
            let ty = if self.word() == Word::Default {
                self.bump();
                None
            } else {
                Some(self.type_name(ast)?)
            };
            self.expect(TokenKind::Colon)?;
            arms.push((ty, self.assignment(ast)?));
        }
        Ok(ExprKind::Generic(ast.generics.push(Generic { control, arms })))
    }

    /// `a.b[2].c`
    fn offsetof_member(&mut self, ast: &mut Ast, loc: Loc) -> Parse<ExprId> {
        let base = self.leaf(ast, ExprKind::OffsetofBase, loc);
        let (name, loc) = self.name()?;
        let member = self.node(ast, ExprKind::Member { base, name, is_arrow: false }, loc, 1);
        self.postfix(ast, member)
    }
}
