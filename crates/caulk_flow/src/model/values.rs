//! Values, conditions and paths, as they stand in facts.

use super::ast::{Condition, Constant, KindId, Length, Order, Path, Relation, Root, Step, ValueSpec};
use super::parser::{MAX_DEPTH, Parsed, Parser, TOO_DEEP};
use super::text::Token;

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

    pub(super) fn relation(&mut self) -> Parsed<Relation> {
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
            Token::Word("length") => {
                self.bump();
                return Ok(ValueSpec::Length(if self.eat_word("of") { Some(self.path()?) } else { None }));
            }
            Token::Word("order") => {
                self.bump();
                return Ok(ValueSpec::Order(self.order()?));
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

    fn order(&mut self) -> Parsed<Order> {
        self.expect_word("of")?;
        let first = self.path()?;
        self.expect_word("and")?;
        let second = self.path()?;
        let most = if self.eat_punct(",") { Some(self.length()?) } else { None };
        let ignores_case = self.eat_word("ignoring");
        if ignores_case {
            self.expect_word("case")?;
        }
        Ok(Order { strings: [first, second], most, ignores_case })
    }

    pub(super) fn length(&mut self) -> Parsed<Length> {
        if let Token::Int(number) = self.peek() {
            self.bump();
            return Ok(Length::Int(number));
        }
        Ok(Length::Value(self.path()?))
    }

    pub(super) fn path(&mut self) -> Parsed<Path> {
        self.nested_path(0)
    }

    fn nested_path(&mut self, depth: u32) -> Parsed<Path> {
        let mut stars = 0;
        while self.eat_punct("*") {
            stars += 1;
        }
        let at = self.position();
        let mut path = if self.eat_punct("(") {
            if depth == MAX_DEPTH {
                return self.error_at(at, TOO_DEEP);
            }
            let path = self.nested_path(depth + 1)?;
            self.expect_punct(")", "to close the parenthesis")?;
            path
        } else {
            Path { root: self.root()?, steps: Vec::new() }
        };
        while let Some(step) = self.postfix(&mut path)? {
            path.steps.push(step);
        }
        path.steps.extend(std::iter::repeat_n(Step::Deref, stars));
        Ok(path)
    }

    /// What follows a path on its right: the next step, and for an arrow the one before it.
    fn postfix(&mut self, path: &mut Path) -> Parsed<Option<Step>> {
        if self.eat_punct("->") {
            path.steps.push(Step::Deref);
            return Ok(Some(Step::Field(self.expect_name("a member")?)));
        }
        if self.eat_punct(".") {
            return Ok(Some(Step::Field(self.expect_name("a member")?)));
        }
        if !self.eat_punct("[") {
            return Ok(None);
        }
        let step = match self.peek() {
            Token::Punct("*") => Step::Elements,
            Token::Int(index @ 0..=0xffff) => Step::Index(index as u32),
            _ => return self.expected("an index or `*`"),
        };
        self.bump();
        self.expect_punct("]", "after the index")?;
        Ok(Some(step))
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
