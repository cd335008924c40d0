//! Declarations and function definitions, at file scope and in blocks.
//!
//! ```c
//! MODULE_AUTHOR(me)               // a macro nobody defined, without a semicolon
//! int old(a, b) char *a; { … }    // K&R: declarations between header and body
//! ```
//! The first looks like the header of the second kind, with `int old(…)` as a parameter's
//! declaration. What follows tells them apart, and `old` is kept.

use caulk_base::Symbol;
use smallvec::SmallVec;

use crate::ast::{
    Ast, Attribute, Chunk, Declaration, DeclarationId, DeclaratorId, ExternalDecl, FunctionDef, InitDeclarator, List,
    Parameters, SpecifiersId, StmtId, StmtKind, TypeSpecifier,
};
use crate::token::TokenKind;

use super::scope::Word;
use super::specifiers::Place;
use super::{Parse, Parser};

/// A function up to its parameter list.
#[derive(Clone, Copy)]
pub(super) struct Header {
    specifiers: SpecifiersId,
    declarator: DeclaratorId,
}

/// What stands between a function's parameter list and its body.
enum BeforeBody {
    /// K&R declarations, often none.
    Parameters(List),
    /// The header was an unknown macro; this is what follows it.
    Other(ExternalDecl),
}

impl Parser<'_> {
    /// `None` for what declares nothing.
    pub(super) fn external_declaration(&mut self, ast: &mut Ast) -> Parse<Option<ExternalDecl>> {
        let mut attributes = Vec::new();
        let kind = self.token.kind;
        match kind {
            TokenKind::Semicolon => {
                self.bump();
                return Ok(None);
            }
            TokenKind::Ident => match self.word() {
                Word::StaticAssert => return Ok(Some(ExternalDecl::StaticAssert(self.static_assert(ast)?))),
                Word::Asm => return Ok(Some(ExternalDecl::Asm(self.asm_statement(ast)?))),
                Word::Attribute => self.attributes(ast, &mut attributes)?,
                Word::Extension => {
                    self.bump();
                    return Ok(None);
                }
                _ => {}
            },
            TokenKind::LBracket if self.at_bracket_attribute() => self.attributes(ast, &mut attributes)?,
            // `*f() { … }`, `(f)() { … }`
            TokenKind::Star | TokenKind::LParen => {}
            _ => return self.unexpected("declaration"),
        }
        if self.eat(TokenKind::Semicolon) {
            return Ok(None);
        }
        let specifiers = self.specifiers(ast, Place::File, attributes)?;
        if self.eat(TokenKind::Semicolon) {
            return Ok(Some(ExternalDecl::Declaration(self.bare_declaration(ast, specifiers))));
        }
        let declarator = self.attributed_declarator(ast)?;
        if self.at_function_body(ast, declarator) {
            return self.function_definition(ast, Header { specifiers, declarator }).map(Some);
        }
        let declaration = self.init_declarators_from(ast, specifiers, declarator)?;
        self.end_declaration()?;
        Ok(Some(ExternalDecl::Declaration(declaration)))
    }

    /// The `;`, which may be forgotten if the next line clearly starts a declaration.
    fn end_declaration(&mut self) -> Parse<()> {
        if !self.at(TokenKind::Semicolon) && !self.at(TokenKind::End) && self.begins_declaration() {
            self.error(self.token.loc, "expected `;` before this declaration");
            return Ok(());
        }
        self.expect(TokenKind::Semicolon)?;
        Ok(())
    }

    /// `struct s { … };`
    fn bare_declaration(&mut self, ast: &mut Ast, specifiers: SpecifiersId) -> DeclarationId {
        let loc = ast.specifiers[specifiers].loc;
        ast.declarations.push(Declaration { specifiers, declarators: SmallVec::new(), loc })
    }

    /// Attributes between declarators belong to the next.
    fn attributed_declarator(&mut self, ast: &mut Ast) -> Parse<DeclaratorId> {
        let mut attributes = Vec::new();
        self.attributes(ast, &mut attributes)?;
        let declarator = self.named_declarator(ast)?;
        if !attributes.is_empty() {
            ast.declarators[declarator].attributes.splice(0..0, attributes);
        }
        Ok(declarator)
    }

    /// `declarator = init, …`, not past the `;`.
    pub(super) fn init_declarators(&mut self, ast: &mut Ast, specifiers: SpecifiersId) -> Parse<DeclarationId> {
        let first = self.attributed_declarator(ast)?;
        self.init_declarators_from(ast, specifiers, first)
    }

    fn init_declarators_from(
        &mut self,
        ast: &mut Ast,
        specifiers: SpecifiersId,
        first: DeclaratorId,
    ) -> Parse<DeclarationId> {
        let is_typedef = ast.specifiers[specifiers].storage.is_typedef;
        let loc = ast.specifiers[specifiers].loc;
        let mut declarators = SmallVec::new();
        let mut declarator = first;
        loop {
            // In scope from here on, its own initialiser included.
            if let Some(name) = ast.declarators[declarator].name {
                self.names.declare(name, is_typedef);
            }
            let init = if self.eat(TokenKind::Equal) { Some(self.initialiser(ast)?) } else { None };
            declarators.push(InitDeclarator { declarator, init });
            if !self.eat(TokenKind::Comma) {
                break;
            }
            declarator = self.attributed_declarator(ast)?;
        }
        Ok(ast.declarations.push(Declaration { specifiers, declarators, loc }))
    }

    /// A declaration or nested function in a block.
    pub(super) fn block_declaration(&mut self, ast: &mut Ast, attributes: Vec<Attribute>) -> Parse<StmtId> {
        let start = self.token;
        let specifiers = self.specifiers(ast, Place::Block, attributes)?;
        let declaration = if self.at(TokenKind::Semicolon) {
            self.bare_declaration(ast, specifiers)
        } else {
            let declarator = self.attributed_declarator(ast)?;
            if self.at(TokenKind::LBrace) && is_function(ast, declarator) {
                if self.is_in_body && self.is_in_first_column(&start) {
                    // Nobody writes nested functions there: the one around it lacks a brace.
                    self.pending = Some(Header { specifiers, declarator });
                    return self.fail(start.loc, "expected `}` before this function");
                }
                return self.nested_function(ast, Header { specifiers, declarator });
            }
            self.init_declarators_from(ast, specifiers, declarator)?
        };
        self.expect(TokenKind::Semicolon)?;
        Ok(self.stmt(ast, StmtKind::Declaration(declaration), start.loc))
    }

    fn nested_function(&mut self, ast: &mut Ast, header: Header) -> Parse<StmtId> {
        let Header { specifiers, declarator } = header;
        let loc = ast.declarators[declarator].loc;
        self.declare_function(ast, declarator);
        let body = self.block_in_scope(ast)?;
        self.names.close();
        Ok(self.stmt(ast, StmtKind::NestedFunction { specifiers, declarator, body }, loc))
    }

    /// Declares the function, opens its scope and declares its parameters there.
    fn declare_function(&mut self, ast: &Ast, declarator: DeclaratorId) {
        if let Some(name) = ast.declarators[declarator].name {
            self.names.declare(name, false);
        }
        self.names.open();
        let Some(Chunk::Function(function)) = ast.declarators[declarator].chunks.first() else { return };
        match &function.parameters {
            Parameters::Empty => {}
            Parameters::Prototype(parameters) => {
                for parameter in parameters {
                    if let Some(name) = ast.declarators[parameter.declarator].name {
                        self.names.declare(name, false);
                    }
                }
            }
            Parameters::Names(names) => {
                for &(name, _) in names {
                    self.names.declare(name, false);
                }
            }
        }
    }

    fn at_function_body(&mut self, ast: &Ast, declarator: DeclaratorId) -> bool {
        if self.at(TokenKind::LBrace) {
            return is_function(ast, declarator);
        }
        let word = self.word();
        if word == Word::None {
            return false;
        }
        match ast.declarators[declarator].chunks.first() {
            Some(Chunk::Function(function)) => match function.parameters {
                Parameters::Empty | Parameters::Prototype(_) => {
                    word.starts_type() && self.is_macro_call(ast, declarator)
                }
                Parameters::Names(_) => word.starts_type() || word.is_name() || word == Word::Extension,
            },
            _ => false,
        }
    }

    /// `NAME()` without any specifier, before a declaration: such a macro was not defined.
    fn is_macro_call(&self, ast: &Ast, declarator: DeclaratorId) -> bool {
        ast.declarators[declarator].loc == self.start
    }

    /// At what follows the header; to past the body.
    pub(super) fn function_definition(&mut self, ast: &mut Ast, header: Header) -> Parse<ExternalDecl> {
        let Header { specifiers, declarator } = header;
        let loc = ast.declarators[declarator].loc;
        self.declared = ast.declarators[declarator].name.map(|name| (name, loc));
        self.declare_function(ast, declarator);
        let parameter_declarations = if self.at(TokenKind::LBrace) {
            List::EMPTY
        } else {
            match self.before_body(ast, header)? {
                BeforeBody::Parameters(list) => list,
                BeforeBody::Other(external) => return Ok(external),
            }
        };
        self.is_in_body = true;
        let body = self.block_in_scope(ast)?;
        self.names.close();
        Ok(ExternalDecl::Function(FunctionDef { specifiers, declarator, parameter_declarations, body, loc }))
    }

    /// Declarations up to `{`.
    fn before_body(&mut self, ast: &mut Ast, header: Header) -> Parse<BeforeBody> {
        let may_be_macro = matches!(ast.specifiers[header.specifiers].ty, TypeSpecifier::ImplicitInt);
        let mark = self.stmt_stack.len();
        while !self.at(TokenKind::LBrace) {
            let start = self.token.loc;
            let specifiers = self.specifiers(ast, Place::File, Vec::new())?;
            let declaration = if self.at(TokenKind::Semicolon) {
                self.bare_declaration(ast, specifiers)
            } else {
                let declarator = self.attributed_declarator(ast)?;
                let is_definition = self.at(TokenKind::LBrace) && is_function(ast, declarator);
                if may_be_macro && is_definition {
                    return self.after_macro(ast, header, Header { specifiers, declarator });
                }
                self.init_declarators_from(ast, specifiers, declarator)?
            };
            let is_parameter = self.declares_parameters(ast, header.declarator, declaration);
            if may_be_macro && !is_parameter && self.stmt_stack.len() == mark {
                self.expect(TokenKind::Semicolon)?;
                self.report_macro(ast, header);
                self.names.close();
                self.declare_all(ast, declaration);
                return Ok(BeforeBody::Other(ExternalDecl::Declaration(declaration)));
            }
            self.expect(TokenKind::Semicolon)?;
            let stmt = self.stmt(ast, StmtKind::Declaration(declaration), start);
            self.stmt_stack.push(stmt);
        }
        Ok(BeforeBody::Parameters(self.finish_stmts(ast, mark)))
    }

    /// The header was a macro, a function definition follows.
    fn after_macro(&mut self, ast: &mut Ast, header: Header, real: Header) -> Parse<BeforeBody> {
        self.report_macro(ast, header);
        self.names.close();
        self.function_definition(ast, real).map(BeforeBody::Other)
    }

    fn report_macro(&mut self, ast: &Ast, header: Header) {
        let declarator = &ast.declarators[header.declarator];
        let name = declarator.name.unwrap_or(Symbol::EMPTY);
        self.error(declarator.loc, format!("unknown name `{name}` before a declaration"));
    }

    /// Whether every name the declaration declares is in the function's list of names.
    fn declares_parameters(&self, ast: &Ast, function: DeclaratorId, declaration: DeclarationId) -> bool {
        let Some(Chunk::Function(function)) = ast.declarators[function].chunks.first() else { return false };
        let Parameters::Names(names) = &function.parameters else { return false };
        ast.declarations[declaration].declarators.iter().all(|item| {
            let declared = ast.declarators[item.declarator].name;
            item.init.is_none() && names.iter().any(|&(name, _)| Some(name) == declared)
        })
    }

    fn declare_all(&mut self, ast: &Ast, declaration: DeclarationId) {
        let declaration = &ast.declarations[declaration];
        let is_typedef = ast.specifiers[declaration.specifiers].storage.is_typedef;
        for item in &declaration.declarators {
            if let Some(name) = ast.declarators[item.declarator].name {
                self.names.declare(name, is_typedef);
            }
        }
    }
}

fn is_function(ast: &Ast, declarator: DeclaratorId) -> bool {
    matches!(ast.declarators[declarator].chunks.first(), Some(Chunk::Function(_)))
}
