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
//! effect     = "releases" path KIND | "acquires" path KIND | "keeps" path | "follows" path
//!            | "writes" path
//!            | path "=" values | path "holds" "fresh" KIND
//!            | "copies" path "to" path [ "," length ]
//!            | "fills" path "with" length [ "," length ]
//!            | "calls" path "(" [ value { "," value } ] ")"
//! length     = INTEGER | path
//!
//! values     = value { "or" value }
//! value      = "fresh" [ "zeroed" ] KIND | "null" | INTEGER | "int" [ relation INTEGER ] | "number"
//!            | "length" [ "of" path ] | "order" "of" path "and" path [ "," length ] [ "ignoring" "case" ]
//!            | "unknown" | "borrowed" | "inside" path | path
//! path       = { "*" } ( PARAMETER | "result" | "..." | "(" path ")" )
//!              { "->" NAME | "." NAME | "[" "*" "]" | "[" INTEGER "]" }
//! relation   = "==" | "!=" | "<" | "<=" | ">" | ">="
//! ```
//!
//! Comments run from `//` to the end of the line. Kinds and aliased functions must be known before
//! they are used, from this file or an earlier one. A later file may define a function or a kind
//! anew; a second time in one file is an error.
//!
//! Here are definitions; `block` reads bodies, `values` values and paths, `cursor` walks the tokens.

use std::fmt;

use caulk_base::Symbol;
use rustc_hash::FxHashSet;

use super::ast::{Model, ModelLoc, ResourceKind};
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

/// Beyond this, blocks and parentheses are an error: the reader must not run out of stack.
pub(super) const MAX_DEPTH: u32 = 64;

pub(super) const TOO_DEEP: &str = "this is nested too deeply";

/// Words that would make a value or a fact unreadable if a parameter had their name.
const RESERVED: [&str; 27] = [
    "acquires",
    "borrowed",
    "calls",
    "case",
    "copies",
    "fills",
    "follows",
    "fresh",
    "holds",
    "inside",
    "int",
    "keeps",
    "never",
    "null",
    "number",
    "or",
    "otherwise",
    "pure",
    "releases",
    "result",
    "returns",
    "to",
    "twice",
    "unknown",
    "when",
    "with",
    "writes",
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
    pub(super) models: &'m mut Models,
    pub(super) tokens: Vec<(Token<'t>, Position)>,
    pub(super) next: usize,
    pub(super) file: Symbol,
    /// Of the function being read.
    pub(super) parameters: Vec<Symbol>,
    pub(super) is_variadic: bool,
    /// Names of kinds and functions this text has defined.
    defined: FxHashSet<(&'static str, Symbol)>,
    pub(super) errors: Vec<ModelError>,
}

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
        self.block(&mut block, 0)?;
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
