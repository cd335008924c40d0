//! `struct`, `union` and `enum` specifiers.

use caulk_base::Symbol;
use smallvec::SmallVec;

use crate::ast::{
    Ast, EnumSpec, EnumSpecId, Enumerator, Field, FieldDecl, MemberDecl, RecordSpec, RecordSpecId, StaticAssert,
    TypeName, TypeSpecifier,
};
use crate::token::TokenKind;

use super::scope::Word;
use super::specifiers::Place;
use super::{Failed, Parse, Parser};

impl Parser<'_> {
    /// At `struct` or `union`.
    pub(super) fn record_specifier(&mut self, ast: &mut Ast) -> Parse<RecordSpecId> {
        let is_union = self.word() == Word::Union;
        let loc = self.bump().loc;
        let mut attributes = Vec::new();
        self.attributes(ast, &mut attributes)?;
        let tag = self.tag();
        let mut pack = 0;
        let members = if self.at(TokenKind::LBrace) {
            let members = self.members(ast)?;
            pack = self.pack.current();
            self.expect(TokenKind::RBrace)?;
            self.attributes_of_type(ast, &mut attributes)?;
            Some(members)
        } else {
            if tag.is_none() {
                return self.unexpected("{");
            }
            None
        };
        Ok(ast.records.push(RecordSpec { is_union, tag, members, attributes, pack, loc }))
    }

    /// A tag is an identifier, whatever it is otherwise.
    fn tag(&mut self) -> Option<Symbol> {
        self.word().is_name().then(|| self.bump().symbol())
    }

    /// From `{` to before `}`.
    fn members(&mut self, ast: &mut Ast) -> Parse<Vec<MemberDecl>> {
        self.expect(TokenKind::LBrace)?;
        let mut members = Vec::new();
        let (braces, parens, depth, scopes) = (self.braces, self.parens, self.depth, self.names.scope_count());
        let marks = (self.expr_stack.len(), self.stmt_stack.len(), self.init_stack.len());
        while !self.at(TokenKind::RBrace) {
            if self.at(TokenKind::End) {
                return self.unexpected("}");
            }
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let start = self.token.loc;
            match self.member(ast) {
                Ok(member) => members.push(member),
                Err(Failed) if self.is_too_deep || self.braces < braces || self.at(TokenKind::End) => {
                    return Err(Failed);
                }
                Err(Failed) => {
                    // Only this member is lost.
                    self.depth = depth;
                    self.names.close_to(scopes);
                    self.expr_stack.truncate(marks.0);
                    self.stmt_stack.truncate(marks.1);
                    self.init_stack.truncate(marks.2);
                    if self.token.loc == start {
                        self.bump();
                    }
                    self.recover_member(braces, parens);
                }
            }
        }
        Ok(members)
    }

    fn member(&mut self, ast: &mut Ast) -> Parse<MemberDecl> {
        if self.word() == Word::StaticAssert {
            let assertion = self.static_assert(ast)?;
            return Ok(MemberDecl::StaticAssert(assertion));
        }
        let specifiers = self.specifiers(ast, Place::Member, Vec::new())?;
        let mut fields: SmallVec<[Field; 1]> = SmallVec::new();
        if !self.at(TokenKind::Semicolon) {
            if ast.specifiers[specifiers].loc == self.token.loc && !self.word().is_name() {
                return self.unexpected("member");
            }
            loop {
                let mut before = Vec::new();
                self.attributes(ast, &mut before)?;
                let declarator =
                    if self.at(TokenKind::Colon) { self.unnamed_declarator(ast) } else { self.named_declarator(ast)? };
                let bit_width = if self.eat(TokenKind::Colon) { Some(self.conditional(ast)?) } else { None };
                self.attributes(ast, &mut before)?;
                ast.declarators[declarator].attributes.extend(before);
                fields.push(Field { declarator, bit_width });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        // The last `;` before the brace may be missing (GNU).
        if !self.at(TokenKind::RBrace) {
            self.expect(TokenKind::Semicolon)?;
        }
        Ok(MemberDecl::Fields(FieldDecl { specifiers, fields }))
    }

    /// At `enum`.
    pub(super) fn enum_specifier(&mut self, ast: &mut Ast) -> Parse<EnumSpecId> {
        let loc = self.bump().loc;
        let mut attributes = Vec::new();
        self.attributes(ast, &mut attributes)?;
        let tag = self.tag();
        let mut underlying = None;
        if self.at(TokenKind::Colon) {
            // In a record, `enum e : 3` is a bit-field.
            let next = self.peek(1);
            if self.word_of(&next).starts_type() {
                self.bump();
                underlying = Some(self.enum_type(ast)?);
            }
        }
        let enumerators = if self.eat(TokenKind::LBrace) {
            let enumerators = self.enumerators(ast)?;
            self.expect(TokenKind::RBrace)?;
            self.attributes_of_type(ast, &mut attributes)?;
            Some(enumerators)
        } else {
            if tag.is_none() {
                return self.unexpected("{");
            }
            None
        };
        Ok(ast.enums.push(EnumSpec { tag, underlying, enumerators, attributes, loc }))
    }

    /// The type after `enum e :` has no declarator: in a record, `enum e : int : 3` goes on.
    fn enum_type(&mut self, ast: &mut Ast) -> Parse<TypeName> {
        let specifiers = self.specifiers(ast, Place::TypeName, Vec::new())?;
        if matches!(ast.specifiers[specifiers].ty, TypeSpecifier::ImplicitInt) {
            return self.unexpected("type");
        }
        let declarator = self.unnamed_declarator(ast);
        Ok(TypeName { specifiers, declarator })
    }

    fn enumerators(&mut self, ast: &mut Ast) -> Parse<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let (name, loc) = self.name()?;
            let mut attributes = Vec::new();
            self.attributes(ast, &mut attributes)?;
            let value = if self.eat(TokenKind::Equal) { Some(self.conditional(ast)?) } else { None };
            // Its scope begins here: the value of `enum { T = sizeof(T) }` asks about the type.
            self.names.declare(name, false);
            enumerators.push(Enumerator { name, value, attributes, loc });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(enumerators)
    }

    /// `_Static_assert(e, "…");`
    pub(super) fn static_assert(&mut self, ast: &mut Ast) -> Parse<StaticAssert> {
        let loc = self.bump().loc;
        self.expect(TokenKind::LParen)?;
        let condition = self.conditional(ast)?;
        let mut message = None;
        if self.eat(TokenKind::Comma) {
            if !self.at(TokenKind::String) {
                return self.unexpected("string");
            }
            message = Some(self.string(ast));
        }
        self.expect(TokenKind::RParen)?;
        self.expect(TokenKind::Semicolon)?;
        Ok(StaticAssert { condition, message, loc })
    }
}
