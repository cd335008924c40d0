//! Bodies of models: nested blocks, and how they become a flat list of cases.
//!
//! ```text
//! getcwd(buffer, size) {
//!     when buffer == null { returns fresh heap or null; }
//!     otherwise { writes *buffer; returns buffer or null; }
//! }
//! ```
//!
//! A block's own facts hold in all of its cases. `otherwise` stands for the negation of all `when`s
//! before it: a disjunction, so it becomes one case for each way to fail them, and no two of these
//! overlap.

use super::ast::{Case, Condition, Effect, Path, Root, ValueSpec};
use super::parser::{MAX_DEPTH, Parsed, Parser, TOO_DEEP};
use super::text::{Position, Token};

/// What stands between braces.
#[derive(Default)]
pub(super) struct Block {
    pub(super) is_pure: bool,
    pub(super) returns_twice: bool,
    effects: Vec<(Effect, Position)>,
    result: Option<(Vec<ValueSpec>, Position)>,
    never_returns: Option<Position>,
    alternatives: Vec<Alternative>,
}

struct Alternative {
    /// The alternative is possible if all conditions of one of these hold.
    conditions: Vec<Vec<Condition>>,
    block: Block,
}

impl Parser<'_, '_> {
    /// Reads a block; at depth 0 it is the body of a function.
    pub(super) fn block(&mut self, block: &mut Block, depth: u32) -> Parsed<()> {
        if depth > MAX_DEPTH {
            return self.error_at(self.position(), TOO_DEEP);
        }
        self.expect_punct("{", "to open the description")?;
        let mut whens: Vec<Vec<Condition>> = Vec::new();
        let mut is_closed = false;
        while !self.eat_punct("}") {
            let at = self.position();
            let done = match self.peek() {
                Token::End => return self.expected("`}` to close the description"),
                Token::Word("case" | "when" | "otherwise") if is_closed => {
                    self.error_at(at, "nothing comes after `otherwise`")
                }
                Token::Word("case") => {
                    self.bump();
                    self.alternative(block, vec![Vec::new()], depth)
                }
                Token::Word("when") => self.when(block, &mut whens, depth),
                Token::Word("otherwise") if whens.is_empty() => {
                    self.error_at(at, "`otherwise` needs a `when` before it")
                }
                Token::Word("otherwise") => {
                    self.bump();
                    is_closed = true;
                    self.alternative(block, none_of(&whens), depth)
                }
                _ => self.fact(block, depth == 0),
            };
            if let Err(error) = done {
                self.errors.push(error);
                self.skip_fact();
            }
        }
        Ok(())
    }

    fn when(&mut self, block: &mut Block, whens: &mut Vec<Vec<Condition>>, depth: u32) -> Parsed<()> {
        self.bump();
        let mut conditions = vec![self.condition()?];
        while self.eat_punct("&&") {
            conditions.push(self.condition()?);
        }
        whens.push(conditions.clone());
        self.alternative(block, vec![conditions], depth)
    }

    fn alternative(&mut self, block: &mut Block, conditions: Vec<Vec<Condition>>, depth: u32) -> Parsed<()> {
        let mut inner = Block::default();
        let outcome = self.block(&mut inner, depth + 1);
        block.alternatives.push(Alternative { conditions, block: inner });
        outcome
    }

    fn fact(&mut self, block: &mut Block, outermost: bool) -> Parsed<()> {
        let at = self.position();
        if !block.alternatives.is_empty() {
            return self.error_at(at, "what holds in all cases comes before the first case");
        }
        if self.eat_word("pure") {
            if !outermost {
                return self.error_at(at, "`pure` is said of the whole function, outside its cases");
            }
            block.is_pure = true;
        } else if self.eat_word("never") {
            if !self.eat_word("returns") {
                return self.expected("`returns`");
            }
            block.never_returns = Some(at);
        } else if self.eat_word("returns") {
            if self.eat_word("twice") {
                if !outermost {
                    return self.error_at(at, "`returns twice` is said of the whole function, outside its cases");
                }
                block.returns_twice = true;
            } else {
                let values = self.values()?;
                if values.iter().any(|value| mentions_result(value_path(value))) {
                    return self.error_at(at, "the result cannot be told by itself");
                }
                if block.result.is_some() {
                    return self.error_at(at, "the result is already told; join alternatives by `or`");
                }
                block.result = Some((values, at));
            }
        } else {
            let effect = self.effect()?;
            block.effects.push((effect, at));
        }
        self.expect_punct(";", "here")
    }

    fn effect(&mut self) -> Parsed<Effect> {
        if self.eat_word("unknown") {
            return Ok(Effect::Unknown);
        }
        if self.eat_word("releases") {
            return Ok(Effect::Release { path: self.path()?, kind: self.kind_name()? });
        }
        if self.eat_word("acquires") {
            return Ok(Effect::Acquire { path: self.path()?, kind: self.kind_name()? });
        }
        if self.eat_word("keeps") {
            return Ok(Effect::Keep { path: self.path()? });
        }
        if self.eat_word("follows") {
            return Ok(Effect::Follow { path: self.path()? });
        }
        if self.eat_word("writes") {
            let path = self.place("writes")?;
            return Ok(Effect::Write { path });
        }
        if self.eat_word("copies") {
            let from = self.path()?;
            if !self.eat_word("to") {
                return self.expected("`to` and where the copy goes");
            }
            let to = self.path()?;
            let length = if self.eat_punct(",") { Some(self.length()?) } else { None };
            return Ok(Effect::Copy { from, to, length });
        }
        if self.eat_word("fills") {
            let to = self.path()?;
            if !self.eat_word("with") {
                return self.expected("`with` and the byte");
            }
            let byte = self.length()?;
            let length = if self.eat_punct(",") { Some(self.length()?) } else { None };
            return Ok(Effect::Fill { to, byte, length });
        }
        if self.eat_word("calls") {
            let callee = self.path()?;
            self.expect_punct("(", "and the arguments of the call")?;
            let mut arguments = Vec::new();
            while !self.at_punct(")") {
                arguments.push(self.value()?);
                if !self.eat_punct(",") {
                    break;
                }
            }
            self.expect_punct(")", "after the arguments")?;
            return Ok(Effect::Call { callee, arguments });
        }
        if !matches!(self.peek(), Token::Word(_) | Token::Punct("*" | "(" | "...")) {
            return self.expected("what the function does");
        }
        let path = self.place("assigns to")?;
        if self.eat_word("holds") {
            if !self.eat_word("fresh") {
                return self.expected("`fresh`");
            }
            return Ok(Effect::Hold { path, kind: self.kind_name()? });
        }
        if self.eat_punct("=") {
            return Ok(Effect::Assign { path, values: self.values()? });
        }
        self.expected("`=` or `holds`")
    }

    /// A path that leads to memory: a parameter itself is the callee's own variable.
    fn place(&mut self, verb: &str) -> Parsed<Path> {
        let at = self.position();
        let path = self.path()?;
        if path.steps.is_empty() {
            return self.error_at(at, format!("a call {verb} what an argument points at: write `*` before it"));
        }
        Ok(path)
    }
}

/// The cases a body stands for, or what is wrong with one.
pub(super) fn flatten(body: &Block) -> Result<Vec<Case>, (Position, String)> {
    let mut cases = Vec::new();
    flatten_into(body, &Case::default(), &mut cases)?;
    Ok(cases)
}

fn flatten_into(block: &Block, outer: &Case, cases: &mut Vec<Case>) -> Result<(), (Position, String)> {
    let mut case = outer.clone();
    case.effects.extend(block.effects.iter().map(|(effect, _)| effect.clone()));
    if let Some((values, at)) = &block.result {
        if !case.result.is_empty() {
            return Err((*at, "the result is already told for all cases".to_owned()));
        }
        case.result.clone_from(values);
    }
    case.never_returns |= block.never_returns.is_some();
    if case.never_returns && !case.result.is_empty() {
        let at = block.never_returns.or(block.result.as_ref().map(|(_, at)| *at));
        let at = at.expect("one of the two is new in this block, else the outer one failed");
        return Err((at, "a case that never returns has no result".to_owned()));
    }
    if block.alternatives.is_empty() {
        if case.result.is_empty()
            && let Some((_, at)) = block.effects.iter().find(|(effect, _)| effect_mentions_result(effect))
        {
            return Err((*at, "this case has an effect on the result but does not say what is returned".to_owned()));
        }
        cases.push(case);
        return Ok(());
    }
    for alternative in &block.alternatives {
        for conditions in &alternative.conditions {
            let mut narrowed = case.clone();
            add_conditions(&mut narrowed.when, conditions);
            flatten_into(&alternative.block, &narrowed, cases)?;
        }
    }
    Ok(())
}

/// The ways in which no conjunction holds.
fn none_of(whens: &[Vec<Condition>]) -> Vec<Vec<Condition>> {
    let mut ways: Vec<Vec<Condition>> = vec![Vec::new()];
    for conditions in whens {
        let mut next = Vec::new();
        for way in &ways {
            for (index, failing) in conditions.iter().enumerate() {
                let mut longer = way.clone();
                let negated = Condition { relation: failing.relation.negated(), ..failing.clone() };
                add_conditions(&mut longer, &conditions[..index]);
                add_conditions(&mut longer, &[negated]);
                if !contradicts_itself(&longer) {
                    next.push(longer);
                }
            }
        }
        ways = next;
    }
    ways
}

fn add_conditions(all: &mut Vec<Condition>, more: &[Condition]) {
    for condition in more {
        if !all.contains(condition) {
            all.push(condition.clone());
        }
    }
}

fn contradicts_itself(conditions: &[Condition]) -> bool {
    conditions.iter().any(|one| {
        conditions.iter().any(|other| {
            one.path == other.path
                && one.constant.number() == other.constant.number()
                && one.relation == other.relation.negated()
        })
    })
}

fn value_path(value: &ValueSpec) -> Option<&Path> {
    match value {
        ValueSpec::Value(path) | ValueSpec::Inside(path) => Some(path),
        ValueSpec::Fresh { .. }
        | ValueSpec::Null
        | ValueSpec::Int(_)
        | ValueSpec::AnyInt
        | ValueSpec::IntWhere(..)
        | ValueSpec::Length(_)
        | ValueSpec::Order(_)
        | ValueSpec::AnyNumber
        | ValueSpec::Unknown
        | ValueSpec::Borrowed => None,
    }
}

fn mentions_result(path: Option<&Path>) -> bool {
    path.is_some_and(|path| path.root == Root::Result)
}

fn effect_mentions_result(effect: &Effect) -> bool {
    match effect {
        Effect::Release { path, .. }
        | Effect::Acquire { path, .. }
        | Effect::Keep { path }
        | Effect::Follow { path }
        | Effect::Hold { path, .. }
        | Effect::Write { path } => mentions_result(Some(path)),
        Effect::Assign { path, values } => {
            mentions_result(Some(path)) || values.iter().any(|value| mentions_result(value_path(value)))
        }
        Effect::Copy { from, to, .. } => mentions_result(Some(from)) || mentions_result(Some(to)),
        Effect::Fill { to, .. } => mentions_result(Some(to)),
        Effect::Call { arguments, .. } => arguments.iter().any(|value| mentions_result(value_path(value))),
        Effect::Unknown => false,
    }
}
