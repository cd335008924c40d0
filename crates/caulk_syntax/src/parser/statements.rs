//! Statements.
//!
//! The statement after a label is part of the labelled statement, except where a declaration or
//! the end of the block follows (C23): then the label has an empty statement, and what follows is
//! the block's next.

use caulk_base::Loc;

use crate::ast::{Ast, ExprId, ExprKind, Stmt, StmtId, StmtKind};
use crate::token::TokenKind;

use super::scope::Word;
use super::{Parse, Parser};

impl Parser<'_> {
    /// At `{`; opens a scope.
    pub(super) fn block(&mut self, ast: &mut Ast) -> Parse<StmtId> {
        self.names.open();
        let block = self.block_in_scope(ast)?;
        self.names.close();
        Ok(block)
    }

    /// At `{`; the scope is open already.
    pub(super) fn block_in_scope(&mut self, ast: &mut Ast) -> Parse<StmtId> {
        let loc = self.expect(TokenKind::LBrace)?.loc;
        let mark = self.stmt_stack.len();
        while !self.at(TokenKind::RBrace) {
            if self.at(TokenKind::End) {
                return self.unexpected("}");
            }
            self.block_item(ast)?;
        }
        let end = self.bump().loc;
        let stmts = self.finish_stmts(ast, mark);
        Ok(ast.stmts.push(Stmt { kind: StmtKind::Block { stmts, end }, loc }))
    }

    /// A declaration or statement, put on the stack.
    fn block_item(&mut self, ast: &mut Ast) -> Parse<()> {
        let word = self.word();
        if word == Word::Label {
            return self.local_labels(ast);
        }
        let item = if self.at_declaration(word) {
            self.enter()?;
            let declaration = self.block_declaration(ast, Vec::new())?;
            self.leave();
            declaration
        } else {
            self.statement(ast)?
        };
        self.stmt_stack.push(item);
        Ok(())
    }

    /// Whether a declaration starts here, where a statement may start too.
    fn at_declaration(&mut self, word: Word) -> bool {
        match word {
            Word::None | Word::Object | Word::Attribute => false,
            Word::Unknown => self.is_unknown_declaration(),
            Word::TypedefName => !self.peek(1).is(TokenKind::Colon),
            Word::Extension => {
                // `__extension__ int x;` or `__extension__ ({ … });`
                let mut distance = 1;
                while distance < 4 && self.peek(distance).symbol() == self.token.symbol() {
                    distance += 1;
                }
                let next = self.peek(distance);
                self.word_of(&next).starts_type()
            }
            word => word.starts_type(),
        }
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self, ast: &mut Ast) -> Parse<()> {
        self.bump();
        loop {
            let (name, loc) = self.name()?;
            let label = self.stmt(ast, StmtKind::LocalLabel(name), loc);
            self.stmt_stack.push(label);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon)?;
        Ok(())
    }

    pub(super) fn statement(&mut self, ast: &mut Ast) -> Parse<StmtId> {
        self.enter()?;
        let loc = self.token.loc;
        let kind = match self.token.kind {
            TokenKind::LBrace => {
                let block = self.block(ast)?;
                self.leave();
                return Ok(block);
            }
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::Ident => {
                let word = self.word();
                if word <= Word::TypedefName {
                    if self.peek(1).is(TokenKind::Colon) { self.label(ast)? } else { self.expression_statement(ast)? }
                } else {
                    match self.word_statement(ast, word)? {
                        Ok(kind) => kind,
                        Err(finished) => {
                            self.leave();
                            return Ok(finished);
                        }
                    }
                }
            }
            TokenKind::LBracket => {
                let finished = self.attributed_statement(ast)?;
                self.leave();
                return Ok(finished);
            }
            _ => self.expression_statement(ast)?,
        };
        self.leave();
        Ok(self.stmt(ast, kind, loc))
    }

    fn expression_statement(&mut self, ast: &mut Ast) -> Parse<StmtKind> {
        let value = self.expression(ast)?;
        self.expect(TokenKind::Semicolon)?;
        Ok(StmtKind::Expr(value))
    }

    /// A statement that starts with a keyword: its kind, or a statement already made.
    fn word_statement(&mut self, ast: &mut Ast, word: Word) -> Parse<Result<StmtKind, StmtId>> {
        Ok(Ok(match word {
            Word::If => {
                self.bump();
                return self.selection(ast, false);
            }
            Word::Switch => {
                self.bump();
                return self.selection(ast, true);
            }
            Word::Return => {
                self.bump();
                let value = if self.at(TokenKind::Semicolon) { None } else { Some(self.expression(ast)?) };
                self.expect(TokenKind::Semicolon)?;
                StmtKind::Return(value)
            }
            Word::For => return self.for_statement(ast).map(Ok),
            Word::While => {
                self.bump();
                let condition = self.parenthesised_condition(ast)?;
                StmtKind::While { condition, body: self.statement(ast)? }
            }
            Word::Do => {
                self.bump();
                let body = self.statement(ast)?;
                if self.word() != Word::While {
                    return self.unexpected("while");
                }
                self.bump();
                let condition = self.parenthesised_condition(ast)?;
                self.expect(TokenKind::Semicolon)?;
                StmtKind::DoWhile { body, condition }
            }
            Word::Case => {
                self.bump();
                let low = self.conditional(ast)?;
                let high = if self.eat(TokenKind::Ellipsis) { Some(self.conditional(ast)?) } else { None };
                self.expect(TokenKind::Colon)?;
                StmtKind::Case { low, high, body: self.labelled(ast)? }
            }
            Word::Default => {
                self.bump();
                self.expect(TokenKind::Colon)?;
                StmtKind::Default { body: self.labelled(ast)? }
            }
            Word::Break => {
                self.bump();
                // C2y's `break label;` would need to know its loop: it is read as a plain one only
                // without a label.
                self.expect(TokenKind::Semicolon)?;
                StmtKind::Break
            }
            Word::Continue => {
                self.bump();
                self.expect(TokenKind::Semicolon)?;
                StmtKind::Continue
            }
            Word::Goto => {
                self.bump();
                let kind = if self.eat(TokenKind::Star) {
                    StmtKind::GotoComputed(self.expression(ast)?)
                } else {
                    StmtKind::Goto(self.name()?.0)
                };
                self.expect(TokenKind::Semicolon)?;
                kind
            }
            Word::Asm => StmtKind::Asm(self.asm_statement(ast)?),
            Word::StaticAssert => {
                let assertion = self.static_assert(ast)?;
                StmtKind::StaticAssert(assertion.condition, assertion.message)
            }
            Word::Attribute => return self.attributed_statement(ast).map(Err),
            _ => self.expression_statement(ast)?,
        }))
    }

    /// Attributes before a statement are dropped, before a declaration they belong to it.
    fn attributed_statement(&mut self, ast: &mut Ast) -> Parse<StmtId> {
        let start = self.token.loc;
        let mut attributes = Vec::new();
        self.attributes(ast, &mut attributes)?;
        let word = self.word();
        if word != Word::Attribute && self.at_declaration(word) {
            return self.block_declaration(ast, attributes);
        }
        if self.token.loc == start {
            return self.unexpected("statement");
        }
        if self.at(TokenKind::RBrace) {
            return Ok(self.stmt(ast, StmtKind::Empty, start));
        }
        self.statement(ast)
    }

    /// After `if` or `switch`: `(e)`, `(declaration; e)`, or C2y's `(declaration)`.
    fn selection(&mut self, ast: &mut Ast, is_switch: bool) -> Parse<Result<StmtKind, StmtId>> {
        let loc = self.expect(TokenKind::LParen)?.loc;
        let word = self.word();
        if word > Word::Object && self.at_declaration(word) {
            return self.selection_with_declaration(ast, is_switch, loc).map(Err);
        }
        let value = self.expression(ast)?;
        if self.eat(TokenKind::Semicolon) {
            let first = self.stmt(ast, StmtKind::Expr(value), loc);
            let value = self.expression(ast)?;
            self.expect(TokenKind::RParen)?;
            let kind = self.selection_rest(ast, value, is_switch)?;
            return Ok(Err(self.in_block(ast, first, kind, loc)));
        }
        self.expect(TokenKind::RParen)?;
        self.selection_rest(ast, value, is_switch).map(Ok)
    }

    fn selection_with_declaration(&mut self, ast: &mut Ast, is_switch: bool, loc: Loc) -> Parse<StmtId> {
        self.names.open();
        let specifiers = self.specifiers(ast, super::specifiers::Place::Block, Vec::new())?;
        let declaration = self.init_declarators(ast, specifiers)?;
        let first = self.stmt(ast, StmtKind::Declaration(declaration), loc);
        let value = if self.eat(TokenKind::Semicolon) {
            self.expression(ast)?
        } else {
            // The declared object is the condition.
            let declarator = ast.declarations[declaration].declarators.first().map(|d| d.declarator);
            let Some(name) = declarator.and_then(|d| ast.declarators[d].name) else {
                return self.unexpected("condition");
            };
            self.leaf(ast, ExprKind::Name(name), loc)
        };
        self.expect(TokenKind::RParen)?;
        let kind = self.selection_rest(ast, value, is_switch)?;
        self.names.close();
        Ok(self.in_block(ast, first, kind, loc))
    }

    fn selection_rest(&mut self, ast: &mut Ast, value: ExprId, is_switch: bool) -> Parse<StmtKind> {
        let body = self.statement(ast)?;
        if is_switch {
            return Ok(StmtKind::Switch { value, body });
        }
        let mut otherwise = None;
        if self.word() == Word::Else {
            self.bump();
            otherwise = Some(self.statement(ast)?);
        }
        Ok(StmtKind::If { condition: value, then: body, otherwise })
    }

    /// `{ first kind }`
    fn in_block(&mut self, ast: &mut Ast, first: StmtId, kind: StmtKind, loc: Loc) -> StmtId {
        let second = self.stmt(ast, kind, loc);
        let mark = self.stmt_stack.len();
        self.stmt_stack.push(first);
        self.stmt_stack.push(second);
        let stmts = self.finish_stmts(ast, mark);
        self.stmt(ast, StmtKind::Block { stmts, end: self.token.loc }, loc)
    }

    fn parenthesised_condition(&mut self, ast: &mut Ast) -> Parse<ExprId> {
        self.expect(TokenKind::LParen)?;
        let condition = self.expression(ast)?;
        self.expect(TokenKind::RParen)?;
        Ok(condition)
    }

    fn for_statement(&mut self, ast: &mut Ast) -> Parse<StmtKind> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        self.names.open();
        let loc = self.token.loc;
        let word = self.word();
        let init = if self.eat(TokenKind::Semicolon) {
            None
        } else if word == Word::Attribute || self.at_bracket_attribute() || self.at_declaration(word) {
            Some(self.block_declaration(ast, Vec::new())?)
        } else {
            let kind = self.expression_statement(ast)?;
            Some(self.stmt(ast, kind, loc))
        };
        let condition = if self.at(TokenKind::Semicolon) { None } else { Some(self.expression(ast)?) };
        self.expect(TokenKind::Semicolon)?;
        let step = if self.at(TokenKind::RParen) { None } else { Some(self.expression(ast)?) };
        self.expect(TokenKind::RParen)?;
        let body = self.statement(ast)?;
        self.names.close();
        Ok(StmtKind::For { init, condition, step, body })
    }

    /// At `name :`.
    fn label(&mut self, ast: &mut Ast) -> Parse<StmtKind> {
        let name = self.bump().symbol();
        self.bump();
        if self.word() == Word::Attribute {
            // GNU attributes here belong to the label (`unused`, `cold`).
            self.attributes(ast, &mut Vec::new())?;
        }
        Ok(StmtKind::Label { name, body: self.labelled(ast)? })
    }

    /// What follows a label.
    fn labelled(&mut self, ast: &mut Ast) -> Parse<StmtId> {
        let word = self.word();
        if self.at(TokenKind::RBrace) || word == Word::Label || self.at_declaration(word) {
            let loc = self.token.loc;
            return Ok(self.stmt(ast, StmtKind::Empty, loc));
        }
        self.statement(ast)
    }
}
