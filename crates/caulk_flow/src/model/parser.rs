//! Reads models. Bad text is an error with its place and what was expected there; the reader goes
//! on after it, so that one run shows all of them.
//!
//! ```text
//! file       = { kind | alias | function }
//! kind       = "kind" NAME TEXT [ "int" relation INTEGER ] [ "released" "by" names ] ";"
//! alias      = "alias" names "=" NAME ";"                 the new names behave like the old one
//! function   = names "(" [ parameters ] ")" block
//! parameters = "..." | names [ "," "..." ]
//! names      = NAME { "," NAME }
//!
//! block      = "{" { fact } { case | when } [ otherwise ] "}"     facts hold in every case below them
//! case       = "case" block
//! when       = "when" condition { "&&" condition } block
//! otherwise  = "otherwise" block                          none of the `when`s of this block holds
//! condition  = path relation ( INTEGER | "null" )
//!
//! fact       = ( "pure" | "returns" "twice" | "never" "returns" | "unknown"
//!              | "returns" values | effect ) ";"
//! effect     = "releases" path KIND | "acquires" path KIND | "keeps" path | "writes" path
//!            | path "=" values | path "holds" "fresh" KIND
//!            | "copies" path "to" path [ "," length ]
//!            | "fills" path "with" length [ "," length ]
//!            | "calls" path "(" [ value { "," value } ] ")"
//! length     = INTEGER | path
//!
//! values     = value { "or" value }
//! value      = "fresh" [ "zeroed" ] KIND | "null" | INTEGER | "int" [ relation INTEGER ] | "number"
//!            | "unknown" | "borrowed" | "inside" path | path
//! path       = { "*" } ( PARAMETER | "result" | "..." | "(" path ")" )
//!              { "->" NAME | "." NAME | "[" "*" "]" | "[" INTEGER "]" }
//! relation   = "==" | "!=" | "<" | "<=" | ">" | ">="
//! ```
//!
//! Comments run from `//` to the end of the line. Kinds and aliased functions must be known before
//! they are used, from this file or an earlier one. A later file may define a function or a kind
//! anew; a second time in one file is an error.

use std::fmt;

use caulk_base::Symbol;
use rustc_hash::FxHashSet;

use super::ast::{
    Condition, Constant, KindId, Length, Model, ModelLoc, Path, Relation, ResourceKind, Root, Step, ValueSpec,
};
use super::block::{Block, flatten};
use super::models::Models;
use super::text::{Position, Token, tokens};

/// A mistake in a file of models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for ModelError {}

/// Words that would make a value or a fact unreadable if a parameter had their name.
const RESERVED: [&str; 26] = [
    "acquires", "borrowed", "calls", "case", "copies", "fills", "fresh", "holds", "inside", "int", "keeps", "never",
    "null", "number", "or", "otherwise", "pure", "releases", "result", "returns", "to", "twice", "unknown", "when",
    "with", "writes",
];

/// Adds what the text defines to `models`; definitions with mistakes are left out and told.
pub(super) fn parse(models: &mut Models, text: &str, file: &str) -> Vec<ModelError> {
    let mut parser = Parser {
        models,
        tokens: tokens(text),
        next: 0,
        file: Symbol::intern(file),
        parameters: Vec::new(),
        is_variadic: false,
        defined: FxHashSet::default(),
        errors: Vec::new(),
    };
    while parser.peek() != Token::End {
        let start = parser.next;
        if let Err(error) = parser.item() {
            parser.errors.push(error);
            parser.skip_item(start);
        }
    }
    parser.errors
}

pub(super) type Parsed<T> = Result<T, ModelError>;

pub(super) struct Parser<'m, 't> {
    models: &'m mut Models,
    tokens: Vec<(Token<'t>, Position)>,
    next: usize,
    file: Symbol,
    /// Of the function being read.
    parameters: Vec<Symbol>,
    is_variadic: bool,
    /// Names of kinds and functions this text has defined.
    defined: FxHashSet<(&'static str, Symbol)>,
    pub(super) errors: Vec<ModelError>,
}

// Tokens.
impl<'t> Parser<'_, 't> {
    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.next].0
    }

    pub(super) fn position(&self) -> Position {
        self.tokens[self.next].1
    }

    pub(super) fn bump(&mut self) -> Token<'t> {
        let token = self.peek();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    pub(super) fn at_punct(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(found) if found == punct)
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Word(word)
    }

    pub(super) fn eat_punct(&mut self, punct: &str) -> bool {
        let found = self.at_punct(punct);
        self.next += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.next += usize::from(found);
        found
    }

    pub(super) fn error_at<T>(&self, at: Position, message: impl Into<String>) -> Parsed<T> {
        Err(self.error(at, message))
    }

    pub(super) fn error(&self, at: Position, message: impl Into<String>) -> ModelError {
        ModelError {
            file: self.file.as_str().to_owned(),
            line: at.line,
            column: at.column,
            message: message.into(),
        }
    }

    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error_at(self.position(), format!("expected {what}, found {}", self.peek()))
    }

    pub(super) fn expect_punct(&mut self, punct: &str, after: &str) -> Parsed<()> {
        if self.eat_punct(punct) { Ok(()) } else { self.expected(&format!("`{punct}` {after}")) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    fn expect_name(&mut self, what: &str) -> Parsed<Symbol> {
        match self.peek() {
            Token::Word(name) => {
                self.bump();
                Ok(Symbol::intern(name))
            }
            _ => self.expected(what),
        }
    }

    fn expect_int(&mut self) -> Parsed<i64> {
        match self.peek() {
            Token::Int(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.expected("an integer"),
        }
    }

    /// Skips a broken definition: over the block that ends it, or past its `;` outside all blocks.
    fn skip_item(&mut self, start: usize) {
        self.next = start;
        let mut depth = 0usize;
        loop {
            match self.bump() {
                Token::End => return,
                Token::Punct("{") => depth += 1,
                Token::Punct("}") if depth <= 1 => return,
                Token::Punct("}") => depth -= 1,
                Token::Punct(";") if depth == 0 => return,
                _ => {}
            }
        }
    }

    /// Skips a broken fact: past its `;`, or up to the `}` of the block it stands in.
    pub(super) fn skip_fact(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Punct("}") if depth == 0 => return,
                Token::Punct("{") => depth += 1,
                Token::Punct("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                Token::Punct(";") if depth == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }
}

// Definitions.
impl Parser<'_, '_> {
    fn item(&mut self) -> Parsed<()> {
        let is_definition = matches!(self.tokens.get(self.next + 1), Some((Token::Word(_), _)));
        match self.peek() {
            Token::Word("kind") if is_definition => self.kind(),
            Token::Word("alias") if is_definition => self.alias(),
            Token::Word(_) => self.function(),
            _ => self.expected("`kind`, `alias` or the name of a function"),
        }
    }

    fn kind(&mut self) -> Parsed<()> {
        self.bump();
        let at = self.position();
        let name = self.expect_name("the name of the kind")?;
        let Token::Text(noun) = self.peek() else {
            return self.expected("what reports call it, in quotes");
        };
        self.bump();
        let integers = if self.eat_word("int") { Some((self.relation()?, self.expect_int()?)) } else { None };
        let mut released_by = Vec::new();
        if self.eat_word("released") {
            self.expect_word("by")?;
            released_by = self.names("the name of a function")?.into_iter().map(|(name, _)| name).collect();
        }
        self.expect_punct(";", "after the kind")?;
        self.define("kind", name, at)?;
        self.models.add_kind(ResourceKind { name, noun: noun.to_owned(), released_by, integers });
        Ok(())
    }

    fn alias(&mut self) -> Parsed<()> {
        self.bump();
        let new_names = self.names("the new name")?;
        self.expect_punct("=", "and the function that the new name stands for")?;
        let at = self.position();
        let old = self.expect_name("the name of a function")?;
        self.expect_punct(";", "after the alias")?;
        let Some(model) = self.models.get(old).cloned() else {
            return self.error_at(at, format!("no model of `{old}` comes before this alias"));
        };
        self.add_functions(&new_names, &model)
    }

    fn function(&mut self) -> Parsed<()> {
        let names = self.names("the name of a function")?;
        self.expect_punct("(", "and the parameters after the name")?;
        self.parameters.clear();
        self.is_variadic = false;
        if !self.at_punct(")") {
            self.parameter_list()?;
        }
        self.expect_punct(")", "after the parameters")?;
        let errors_before = self.errors.len();
        let mut block = Block::default();
        self.block(&mut block, true)?;
        let at = names[0].1;
        let mut model = Model {
            name: names[0].0,
            parameters: self.parameters.clone(),
            is_variadic: self.is_variadic,
            is_pure: block.is_pure,
            returns_twice: block.returns_twice,
            cases: Vec::new(),
            loc: self.loc(at),
        };
        match flatten(&block) {
            Ok(cases) => model.cases = cases,
            Err((at, message)) => self.errors.push(self.error(at, message)),
        }
        if self.errors.len() == errors_before { self.add_functions(&names, &model) } else { Ok(()) }
    }

    fn parameter_list(&mut self) -> Parsed<()> {
        loop {
            let at = self.position();
            if self.eat_punct("...") {
                self.is_variadic = true;
                return Ok(());
            }
            let name = self.expect_name("a parameter or `...`")?;
            if RESERVED.contains(&name.as_str()) {
                let message = format!("`{name}` is a word of this language; give the parameter another name");
                self.errors.push(self.error(at, message));
            }
            if self.parameters.contains(&name) {
                self.errors.push(self.error(at, format!("there are two parameters `{name}`")));
            }
            self.parameters.push(name);
            if !self.eat_punct(",") {
                return Ok(());
            }
        }
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<(Symbol, Position)>> {
        let mut names = Vec::new();
        loop {
            let at = self.position();
            names.push((self.expect_name(what)?, at));
            if !self.eat_punct(",") {
                return Ok(names);
            }
        }
    }

    fn add_functions(&mut self, names: &[(Symbol, Position)], model: &Model) -> Parsed<()> {
        for &(name, at) in names {
            self.define("function", name, at)?;
            self.models.add_function(Model { name, loc: self.loc(at), ..model.clone() });
        }
        Ok(())
    }

    fn define(&mut self, what: &'static str, name: Symbol, at: Position) -> Parsed<()> {
        if self.defined.insert((what, name)) {
            return Ok(());
        }
        self.errors.push(self.error(at, format!("the {what} `{name}` is already defined in this file")));
        Ok(())
    }

    fn loc(&self, at: Position) -> ModelLoc {
        ModelLoc { file: self.file, line: at.line, column: at.column }
    }
}

// Values and paths.
impl Parser<'_, '_> {
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let at = self.position();
        let path = self.path()?;
        if path.root == Root::Result {
            return self.error_at(at, "a condition is about the arguments, not about the result");
        }
        let relation = self.relation()?;
        let constant = if self.eat_word("null") { Constant::Null } else { Constant::Int(self.expect_int()?) };
        Ok(Condition { path, relation, constant })
    }

    fn relation(&mut self) -> Parsed<Relation> {
        let Some(relation) = self.relation_here() else {
            return self.expected("a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`)");
        };
        self.bump();
        Ok(relation)
    }

    fn relation_here(&self) -> Option<Relation> {
        Some(match self.peek() {
            Token::Punct("==") => Relation::Equal,
            Token::Punct("!=") => Relation::NotEqual,
            Token::Punct("<") => Relation::Less,
            Token::Punct("<=") => Relation::LessEqual,
            Token::Punct(">") => Relation::Greater,
            Token::Punct(">=") => Relation::GreaterEqual,
            _ => return None,
        })
    }

    pub(super) fn kind_name(&mut self) -> Parsed<KindId> {
        let at = self.position();
        let name = self.expect_name("a kind of resource")?;
        match self.models.kind(name) {
            Some(kind) => Ok(kind),
            None => self.error_at(at, format!("no kind `{name}` is declared; write `kind {name} \"…\";` before this")),
        }
    }

    pub(super) fn values(&mut self) -> Parsed<Vec<ValueSpec>> {
        let mut values = vec![self.value()?];
        while self.eat_word("or") {
            let at = self.position();
            let value = self.value()?;
            if values.contains(&value) {
                return self.error_at(at, "this value is already among the alternatives");
            }
            values.push(value);
        }
        Ok(values)
    }

    pub(super) fn value(&mut self) -> Parsed<ValueSpec> {
        let simple = match self.peek() {
            Token::Int(number) => ValueSpec::Int(number),
            Token::Word("null") => ValueSpec::Null,
            Token::Word("number") => ValueSpec::AnyNumber,
            Token::Word("unknown") => ValueSpec::Unknown,
            Token::Word("borrowed") => ValueSpec::Borrowed,
            Token::Word("fresh") => {
                self.bump();
                let zeroed = self.eat_word("zeroed");
                return Ok(ValueSpec::Fresh { kind: self.kind_name()?, zeroed });
            }
            Token::Word("int") => {
                self.bump();
                return match self.relation_here() {
                    Some(relation) => {
                        self.bump();
                        Ok(ValueSpec::IntWhere(relation, self.expect_int()?))
                    }
                    None => Ok(ValueSpec::AnyInt),
                };
            }
            Token::Word("inside") => {
                self.bump();
                return Ok(ValueSpec::Inside(self.path()?));
            }
            Token::Word(_) | Token::Punct("*" | "(" | "...") => return Ok(ValueSpec::Value(self.path()?)),
            _ => return self.expected("a value"),
        };
        self.bump();
        Ok(simple)
    }

    pub(super) fn length(&mut self) -> Parsed<Length> {
        if let Token::Int(number) = self.peek() {
            self.bump();
            return Ok(Length::Int(number));
        }
        Ok(Length::Value(self.path()?))
    }

    pub(super) fn path(&mut self) -> Parsed<Path> {
        if self.eat_punct("*") {
            let mut path = self.path()?;
            path.steps.push(Step::Deref);
            return Ok(path);
        }
        let mut path = if self.eat_punct("(") {
            let path = self.path()?;
            self.expect_punct(")", "to close the parenthesis")?;
            path
        } else {
            Path { root: self.root()?, steps: Vec::new() }
        };
        loop {
            if self.eat_punct("->") {
                path.steps.extend([Step::Deref, Step::Field(self.expect_name("a member")?)]);
            } else if self.eat_punct(".") {
                path.steps.push(Step::Field(self.expect_name("a member")?));
            } else if self.eat_punct("[") {
                let step = match self.peek() {
                    Token::Punct("*") => Step::Elements,
                    Token::Int(index @ 0..=0xffff) => Step::Index(index as u32),
                    _ => return self.expected("an index or `*`"),
                };
                self.bump();
                path.steps.push(step);
                self.expect_punct("]", "after the index")?;
            } else {
                return Ok(path);
            }
        }
    }

    fn root(&mut self) -> Parsed<Root> {
        let at = self.position();
        if self.eat_punct("...") {
            return if self.is_variadic {
                Ok(Root::Rest)
            } else {
                self.error_at(at, "this function takes no further arguments; write `...` among its parameters")
            };
        }
        let name = self.expect_name("a parameter or `result`")?;
        if name.as_str() == "result" {
            return Ok(Root::Result);
        }
        match self.parameters.iter().position(|&parameter| parameter == name) {
            Some(index) => Ok(Root::Parameter(index as u32)),
            None => self.error_at(at, format!("no parameter is named `{name}`")),
        }
    }
}
