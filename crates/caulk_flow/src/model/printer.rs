//! Prints models in the language they are read from: reading the text gives the same model.

use std::fmt;

use caulk_base::Symbol;

use super::ast::{
    Case, Condition, Constant, Effect, KindId, Length, Model, Order, Path, Relation, ResourceKind, Root, Step,
    ValueSpec,
};
use super::models::Models;

/// Longer descriptions get a line for each fact.
const LINE_WIDTH: usize = 110;

/// `name(parameters) { … }`, without a line break at the end.
pub fn print_model(models: &Models, model: &Model) -> String {
    let printer = Printer { models, parameters: &model.parameters };
    let mut header = format!("{}(", model.name);
    let mut parameters: Vec<&str> = model.parameters.iter().map(|parameter| parameter.as_str()).collect();
    if model.is_variadic {
        parameters.push("...");
    }
    header.push_str(&parameters.join(", "));
    header.push_str(") ");
    let mut items = Vec::new();
    if model.is_pure {
        items.push(Item::Fact("pure;".to_owned()));
    }
    if model.returns_twice {
        items.push(Item::Fact("returns twice;".to_owned()));
    }
    items.extend(printer.cases(&model.cases));
    let mut text = header;
    print_block(&mut text, &items, 0);
    text
}

/// `kind name "noun" …;`
pub fn print_kind(kind: &ResourceKind) -> String {
    let mut text = format!("kind {} \"{}\"", kind.name, kind.noun);
    if let Some((relation, number)) = kind.integers {
        text.push_str(&format!(" int {relation} {number}"));
    }
    if !kind.released_by.is_empty() {
        let names: Vec<&str> = kind.released_by.iter().map(|name| name.as_str()).collect();
        text.push_str(&format!(" released by {}", names.join(", ")));
    }
    text.push(';');
    text
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterEqual => ">=",
        })
    }
}

enum Item {
    Fact(String),
    Block(String, Vec<Item>),
}

fn print_block(text: &mut String, items: &[Item], depth: usize) {
    let line_start = text.rfind('\n').map_or(0, |newline| newline + 1);
    let flat = flat_block(items);
    if text.len() - line_start + flat.len() <= LINE_WIDTH {
        text.push_str(&flat);
        return;
    }
    let indent = "    ".repeat(depth + 1);
    text.push_str("{\n");
    for item in items {
        text.push_str(&indent);
        match item {
            Item::Fact(fact) => text.push_str(fact),
            Item::Block(header, inner) => {
                text.push_str(header);
                print_block(text, inner, depth + 1);
            }
        }
        text.push('\n');
    }
    text.push_str(&"    ".repeat(depth));
    text.push('}');
}

fn flat_block(items: &[Item]) -> String {
    let mut text = "{ ".to_owned();
    for item in items {
        match item {
            Item::Fact(fact) => text.push_str(fact),
            Item::Block(header, inner) => {
                text.push_str(header);
                text.push_str(&flat_block(inner));
            }
        }
        text.push(' ');
    }
    text.push('}');
    text
}

struct Printer<'a> {
    models: &'a Models,
    parameters: &'a [Symbol],
}

impl Printer<'_> {
    fn cases(&self, cases: &[Case]) -> Vec<Item> {
        if let [only] = cases
            && only.when.is_empty()
        {
            return self.facts(only);
        }
        let mut items = Vec::new();
        let mut rest = cases;
        while let Some(first) = rest.first() {
            let length = rest.iter().take_while(|case| case.when == first.when).count();
            let (group, after) = rest.split_at(length);
            rest = after;
            let plain = || group.iter().map(|case| Item::Block("case ".to_owned(), self.facts(case))).collect();
            if first.when.is_empty() {
                let plain: Vec<Item> = plain();
                items.extend(plain);
                continue;
            }
            let conditions: Vec<String> = first.when.iter().map(|condition| self.condition(condition)).collect();
            let header = format!("when {} ", conditions.join(" && "));
            items.push(Item::Block(header, if length == 1 { self.facts(first) } else { plain() }));
        }
        items
    }

    fn facts(&self, case: &Case) -> Vec<Item> {
        let mut facts: Vec<Item> = case.effects.iter().map(|effect| Item::Fact(self.effect(effect))).collect();
        if !case.result.is_empty() {
            facts.push(Item::Fact(format!("returns {};", self.values(&case.result))));
        }
        if case.never_returns {
            facts.push(Item::Fact("never returns;".to_owned()));
        }
        facts
    }

    fn condition(&self, condition: &Condition) -> String {
        let constant = match condition.constant {
            Constant::Null => "null".to_owned(),
            Constant::Int(number) => number.to_string(),
        };
        format!("{} {} {constant}", self.path(&condition.path), condition.relation)
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Release { path, kind } => format!("releases {} {};", self.path(path), self.kind(*kind)),
            Effect::Acquire { path, kind } => format!("acquires {} {};", self.path(path), self.kind(*kind)),
            Effect::Keep { path } => format!("keeps {};", self.path(path)),
            Effect::Follow { path } => format!("follows {};", self.path(path)),
            Effect::Assign { path, values } => format!("{} = {};", self.path(path), self.values(values)),
            Effect::Hold { path, kind } => format!("{} holds fresh {};", self.path(path), self.kind(*kind)),
            Effect::Write { path } => format!("writes {};", self.path(path)),
            Effect::Copy { from, to, length } => {
                format!("copies {} to {}{};", self.path(from), self.path(to), self.optional_length(length))
            }
            Effect::Fill { to, byte, length } => {
                let (to, byte) = (self.path(to), self.length(byte));
                format!("fills {to} with {byte}{};", self.optional_length(length))
            }
            Effect::Call { callee, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|value| self.value(value)).collect();
                format!("calls {}({});", self.path(callee), arguments.join(", "))
            }
            Effect::Unknown => "unknown;".to_owned(),
        }
    }

    fn optional_length(&self, length: &Option<Length>) -> String {
        length.as_ref().map_or(String::new(), |length| format!(", {}", self.length(length)))
    }

    fn length(&self, length: &Length) -> String {
        match length {
            Length::Int(number) => number.to_string(),
            Length::Value(path) => self.path(path),
        }
    }

    fn values(&self, values: &[ValueSpec]) -> String {
        let values: Vec<String> = values.iter().map(|value| self.value(value)).collect();
        values.join(" or ")
    }

    fn value(&self, value: &ValueSpec) -> String {
        match value {
            ValueSpec::Fresh { kind, zeroed: false } => format!("fresh {}", self.kind(*kind)),
            ValueSpec::Fresh { kind, zeroed: true } => format!("fresh zeroed {}", self.kind(*kind)),
            ValueSpec::Null => "null".to_owned(),
            ValueSpec::Int(number) => number.to_string(),
            ValueSpec::AnyInt => "int".to_owned(),
            ValueSpec::IntWhere(relation, number) => format!("int {relation} {number}"),
            ValueSpec::Length(None) => "length".to_owned(),
            ValueSpec::Length(Some(path)) => format!("length of {}", self.path(path)),
            ValueSpec::Order(Order { strings: [a, b], most, ignores_case }) => {
                let most = self.optional_length(most);
                let case = if *ignores_case { " ignoring case" } else { "" };
                format!("order of {} and {}{most}{case}", self.path(a), self.path(b))
            }
            ValueSpec::AnyNumber => "number".to_owned(),
            ValueSpec::Unknown => "unknown".to_owned(),
            ValueSpec::Borrowed => "borrowed".to_owned(),
            ValueSpec::Value(path) => self.path(path),
            ValueSpec::Inside(path) => format!("inside {}", self.path(path)),
        }
    }

    fn kind(&self, kind: KindId) -> &'static str {
        self.models.kinds[kind].name.as_str()
    }

    fn path(&self, path: &Path) -> String {
        let mut text = match path.root {
            Root::Parameter(index) => self.parameters[index as usize].as_str().to_owned(),
            Root::Rest => "...".to_owned(),
            Root::Result => "result".to_owned(),
        };
        // A prefix `*` binds weaker than what follows it on the right, so it waits for the next step.
        let mut is_prefixed = false;
        for (index, step) in path.steps.iter().enumerate() {
            let arrow = matches!(path.steps.get(index + 1), Some(Step::Field(_)));
            if is_prefixed && (!matches!(step, Step::Deref) || arrow) {
                text = format!("({text})");
                is_prefixed = false;
            }
            match step {
                Step::Deref if arrow => text.push_str("->"),
                Step::Deref => {
                    text.insert(0, '*');
                    is_prefixed = true;
                }
                Step::Field(name) => {
                    if !text.ends_with("->") {
                        text.push('.');
                    }
                    text.push_str(name.as_str());
                }
                Step::Index(number) => text.push_str(&format!("[{number}]")),
                Step::Elements => text.push_str("[*]"),
            }
        }
        text
    }
}
