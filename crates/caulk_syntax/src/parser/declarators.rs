//! Declarators: what is declared, and how its type is built around the specifiers.
//!
//! ```c
//! int *(*f[3])(char);
//! ```
//! Reading inside out: `f` is an array of 3 pointers to functions of `char` returning pointers to
//! `int`. The chunks of a declarator stand in that order. A pointer is read before the name but
//! binds more weakly than what follows it, so pointers wait until the suffixes are done.

use caulk_base::{Loc, Symbol};
use smallvec::SmallVec;

use crate::ast::{
    ArrayChunk, ArraySize, Ast, Chunk, Declarator, DeclaratorId, FunctionChunk, Parameter, Parameters, Qualifiers,
    Specifiers, SpecifiersId, Storage, TypeSpecifier,
};
use crate::token::TokenKind;

use super::scope::Word;
use super::specifiers::Place;
use super::{MAX_DEPTH, Parse, Parser};

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Named,
    /// In a type name.
    Abstract,
    /// In a parameter.
    Either,
}

impl Parser<'_> {
    pub(super) fn named_declarator(&mut self, ast: &mut Ast) -> Parse<DeclaratorId> {
        self.declarator(ast, Form::Named)
    }

    pub(super) fn abstract_declarator(&mut self, ast: &mut Ast) -> Parse<DeclaratorId> {
        if matches!(self.token.kind, TokenKind::RParen | TokenKind::Comma) {
            return Ok(self.unnamed_declarator(ast));
        }
        self.declarator(ast, Form::Abstract)
    }

    /// Nothing at all, as in an unnamed bit-field.
    pub(super) fn unnamed_declarator(&mut self, ast: &mut Ast) -> DeclaratorId {
        ast.declarators.push(empty_declarator(self.token.loc))
    }

    fn declarator(&mut self, ast: &mut Ast, form: Form) -> Parse<DeclaratorId> {
        let mut declarator = empty_declarator(self.token.loc);
        self.declarator_into(ast, form, &mut declarator)?;
        self.after_declarator(ast, &mut declarator)?;
        Ok(ast.declarators.push(declarator))
    }

    /// Asm label and attributes, in any order.
    fn after_declarator(&mut self, ast: &mut Ast, declarator: &mut Declarator) -> Parse<()> {
        loop {
            match self.word() {
                Word::Asm if self.peek(1).is(TokenKind::LParen) => {
                    self.bump();
                    self.bump();
                    if !self.at(TokenKind::String) {
                        return self.unexpected("string");
                    }
                    declarator.asm_label = Some(self.string(ast));
                    self.expect(TokenKind::RParen)?;
                }
                Word::Attribute | Word::Declspec => self.attributes(ast, &mut declarator.attributes)?,
                Word::Dropped => {
                    self.bump();
                }
                _ => return Ok(()),
            }
        }
    }

    fn declarator_into(&mut self, ast: &mut Ast, form: Form, declarator: &mut Declarator) -> Parse<()> {
        let mut pointers: SmallVec<[Chunk; 2]> = SmallVec::new();
        loop {
            let kind = self.token.kind;
            match kind {
                // `^` is Clang's block pointer.
                TokenKind::Star | TokenKind::Caret => {
                    self.bump();
                    let mut attributes = Vec::new();
                    let qualifiers = self.qualifiers(ast, &mut attributes)?;
                    pointers.push(Chunk::Pointer { qualifiers, attributes });
                    if pointers.len() > MAX_DEPTH as usize {
                        return self.too_deep();
                    }
                }
                TokenKind::Ident => match self.word() {
                    Word::Attribute | Word::Declspec => self.attributes(ast, &mut declarator.attributes)?,
                    Word::Dropped => {
                        self.bump();
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        let kind = self.token.kind;
        match kind {
            TokenKind::LParen if self.is_nested_declarator(form) => {
                self.enter()?;
                self.bump();
                self.attributes(ast, &mut declarator.attributes)?;
                self.declarator_into(ast, form, declarator)?;
                self.attributes(ast, &mut declarator.attributes)?;
                self.expect(TokenKind::RParen)?;
                self.leave();
            }
            TokenKind::Ident if form != Form::Abstract && self.word().is_name() => {
                let token = self.bump();
                declarator.name = Some(token.symbol());
                declarator.loc = token.loc;
                if self.declared.is_none() && self.names.scope_count() == 0 {
                    self.declared = Some((token.symbol(), token.loc));
                }
                if self.at_bracket_attribute() {
                    self.attributes(ast, &mut declarator.attributes)?;
                }
            }
            _ if form == Form::Named => return self.unexpected("identifier"),
            _ => {}
        }
        loop {
            let kind = self.token.kind;
            match kind {
                TokenKind::LBracket if self.at_bracket_attribute() => {
                    self.attributes(ast, &mut declarator.attributes)?;
                }
                TokenKind::LBracket => {
                    let array = self.array(ast)?;
                    declarator.chunks.push(Chunk::Array(array));
                }
                TokenKind::LParen => {
                    let function = self.function(ast)?;
                    declarator.chunks.push(Chunk::Function(Box::new(function)));
                }
                _ => break,
            }
            if declarator.chunks.len() > MAX_DEPTH as usize {
                return self.too_deep();
            }
        }
        declarator.chunks.extend(pointers.into_iter().rev());
        if declarator.chunks.len() > MAX_DEPTH as usize {
            return self.too_deep();
        }
        Ok(())
    }

    /// At `(`: a declarator in parentheses, or a parameter list after an omitted name?
    fn is_nested_declarator(&mut self, form: Form) -> bool {
        if form == Form::Named {
            return true;
        }
        let next = self.peek(1);
        match next.kind {
            TokenKind::RParen | TokenKind::Ellipsis => false,
            TokenKind::Ident => match self.word_of(&next) {
                Word::Attribute | Word::Declspec | Word::Dropped => true,
                // A typedef name here is a parameter's type, by decree of the standard.
                word => form == Form::Either && word.is_value(),
            },
            TokenKind::LBracket => {
                // `([3])` is an array, `([[attribute]] int)` a parameter list.
                !self.peek(2).is(TokenKind::LBracket)
            }
            _ => true,
        }
    }

    /// At `[`.
    fn array(&mut self, ast: &mut Ast) -> Parse<ArrayChunk> {
        let loc = self.bump().loc;
        let mut dropped = Vec::new();
        let mut chunk = ArrayChunk { size: ArraySize::None, is_static: false, qualifiers: Qualifiers::default(), loc };
        if self.at(TokenKind::Ident) {
            chunk.qualifiers = self.qualifiers(ast, &mut dropped)?;
            if self.word() == Word::Static {
                self.bump();
                chunk.is_static = true;
                let more = self.qualifiers(ast, &mut dropped)?;
                chunk.qualifiers = union(chunk.qualifiers, more);
            }
        }
        if self.at(TokenKind::Star) && self.peek(1).is(TokenKind::RBracket) {
            self.bump();
            chunk.size = ArraySize::Star;
        } else if !self.at(TokenKind::RBracket) {
            self.enter()?;
            chunk.size = ArraySize::Expr(self.assignment(ast)?);
            self.leave();
        }
        self.expect(TokenKind::RBracket)?;
        Ok(chunk)
    }

    /// At the `(` of a parameter list.
    fn function(&mut self, ast: &mut Ast) -> Parse<FunctionChunk> {
        let loc = self.bump().loc;
        // Parameter, declarator, function.
        self.enter_levels(3)?;
        let mut function =
            FunctionChunk { parameters: Parameters::Empty, is_variadic: false, attributes: Vec::new(), loc };
        if !self.at(TokenKind::RParen) {
            if self.word() == Word::Void && self.peek(1).is(TokenKind::RParen) {
                self.bump();
                function.parameters = Parameters::Prototype(Vec::new());
            } else {
                self.names.open();
                let scopes = self.names.scope_count();
                self.parameters(ast, &mut function)?;
                self.names.close_to(scopes - 1);
            }
        }
        self.expect(TokenKind::RParen)?;
        self.leave_levels(3);
        if self.at_bracket_attribute() {
            self.attributes(ast, &mut function.attributes)?;
        }
        Ok(function)
    }

    fn parameters(&mut self, ast: &mut Ast, function: &mut FunctionChunk) -> Parse<()> {
        let mut prototype = Vec::new();
        if self.is_bare_name() {
            let mut names = Vec::new();
            loop {
                let token = self.bump();
                names.push((token.symbol(), token.loc));
                if !self.eat(TokenKind::Comma) {
                    function.parameters = Parameters::Names(names);
                    return Ok(());
                }
                if !self.is_bare_name() {
                    break;
                }
            }
            // `(foo_t, int)`: those were types that nothing declares.
            for (name, loc) in names {
                prototype.push(self.unknown_parameter(ast, name, loc));
            }
        }
        loop {
            if self.eat(TokenKind::Ellipsis) {
                function.is_variadic = true;
                break;
            }
            prototype.push(self.parameter(ast)?);
            if self.eat(TokenKind::Semicolon) {
                // GNU: `int f(int n; int a[n], int n)` declares ahead.
                prototype.clear();
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        function.parameters = Parameters::Prototype(prototype);
        Ok(())
    }

    /// An identifier, no type, that is all there is of a parameter.
    fn is_bare_name(&mut self) -> bool {
        self.word().is_value() && matches!(self.peek(1).kind, TokenKind::Comma | TokenKind::RParen)
    }

    fn unknown_parameter(&mut self, ast: &mut Ast, name: Symbol, loc: Loc) -> Parameter {
        self.report_unknown_type(name, loc);
        Parameter { specifiers: named_type(ast, name, loc), declarator: ast.declarators.push(empty_declarator(loc)) }
    }

    fn parameter(&mut self, ast: &mut Ast) -> Parse<Parameter> {
        let start = self.token.loc;
        let mut attributes = Vec::new();
        self.attributes(ast, &mut attributes)?;
        let specifiers = self.specifiers(ast, Place::Parameter, attributes)?;
        if self.token.loc == start && !self.word().is_value() {
            return self.unexpected("parameter");
        }
        let declarator = if matches!(self.token.kind, TokenKind::Comma | TokenKind::RParen) {
            self.unnamed_declarator(ast)
        } else {
            self.declarator(ast, Form::Either)?
        };
        if let Some(name) = ast.declarators[declarator].name {
            self.names.declare(name, false);
        }
        Ok(Parameter { specifiers, declarator })
    }
}

fn empty_declarator(loc: Loc) -> Declarator {
    Declarator { name: None, loc, chunks: SmallVec::new(), attributes: Vec::new(), asm_label: None }
}

fn named_type(ast: &mut Ast, name: Symbol, loc: Loc) -> SpecifiersId {
    ast.specifiers.push(Specifiers {
        storage: Storage::default(),
        qualifiers: Qualifiers::default(),
        ty: TypeSpecifier::Name(name),
        attributes: Vec::new(),
        alignments: SmallVec::new(),
        loc,
    })
}

fn union(a: Qualifiers, b: Qualifiers) -> Qualifiers {
    Qualifiers {
        is_const: a.is_const || b.is_const,
        is_volatile: a.is_volatile || b.is_volatile,
        is_restrict: a.is_restrict || b.is_restrict,
        is_atomic: a.is_atomic || b.is_atomic,
    }
}
