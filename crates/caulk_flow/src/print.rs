//! Summaries as text, in the words of the model language.
//!
//! A model's cases exclude each other; a summary's effects each have a condition of their own. So an effect is
//! printed once, with `when` and its condition where it has one: `*out = fresh heap when c1`. Choices are `c1`, `c2` …

use std::fmt::Write as _;

use caulk_base::Symbol as Name;
use caulk_guard::Op;
use caulk_program::{FunctionId, Program, Target};

use crate::model::Models;
use crate::summary::{FrozenAtom, FrozenCall, FrozenTerm, FrozenValue, Summary, TermNumber, When};

/// Longer conditions are told as `…`.
const MAX_CUBES: usize = 4;

pub fn print(program: &Program, models: &Models, function: FunctionId, summary: &Summary) -> String {
    let (module, body) = program.body(function);
    let global = &module.unit.globals[body.global];
    let names = global.parameters.iter().map(|parameter| parameter.name).collect();
    let printer = Printer { program, models, summary, parameters: names };
    let mut parameters: Vec<String> = (0..body.params.len()).map(|number| printer.parameter(number as u32)).collect();
    if module.unit.types.function_of(global.ty).is_some_and(|ty| ty.is_variadic) {
        parameters.push("...".to_owned());
    }
    let mut text = format!("{}({}) {{\n", global.source_name, parameters.join(", "));
    for line in printer.lines() {
        let _ = writeln!(text, "    {line};");
    }
    text.push_str("}\n");
    text
}

struct Printer<'a> {
    program: &'a Program,
    models: &'a Models,
    summary: &'a Summary,
    parameters: Vec<Name>,
}

impl Printer<'_> {
    fn lines(&self) -> Vec<String> {
        let summary = self.summary;
        let mut lines = Vec::new();
        if summary.is_opaque {
            lines.push("unknown".to_owned());
            return lines;
        }
        match summary.returns {
            Some(When::NEVER) => {
                lines.push("never returns".to_owned());
                return lines;
            }
            Some(when) if when != When::ALWAYS => lines.push(format!("never returns{}", self.when(negated(when)))),
            _ => {}
        }
        for release in &summary.releases {
            let kind = self.models.kinds[release.kind].name;
            lines.push(format!("releases {} {kind}{}", self.term(release.pointer), self.when(release.when)));
        }
        lines.extend(summary.follows.iter().map(|&pointer| format!("follows {}", self.term(pointer))));
        for &(pointer, when) in &summary.keeps {
            lines.push(format!("keeps {}{}", self.term(pointer), self.when(when)));
        }
        for (number, object) in summary.objects.iter().enumerate() {
            if object.escaped != When::NEVER {
                lines.push(format!("keeps fresh{number}{}", self.when(object.escaped)));
            }
        }
        for &pointer in &summary.clobbers {
            lines.push(format!("writes *{}", self.term(pointer)));
        }
        for copy in &summary.copies {
            lines.push(format!("copies {} to {}{}", self.term(copy.from), self.term(copy.to), self.when(copy.when)));
        }
        for write in &summary.writes {
            for &(when, term) in &write.value {
                let place = self.place(write.address);
                // A cell that keeps what it had is no news.
                if matches!(summary.terms[term as usize].0, FrozenTerm::Contents(address) if address == write.address) {
                    continue;
                }
                lines.push(format!("{place} = {}{}", self.handed_out(term), self.when(when)));
            }
        }
        for FrozenCall { callee, args, when } in &summary.calls {
            let args: Vec<String> = args.iter().map(|arg| self.value(arg)).collect();
            let when = when.map_or_else(String::new, |when| self.when(when));
            lines.push(format!("calls {}({}){when}", self.term(*callee), args.join(", ")));
        }
        match &summary.result {
            Some(FrozenValue::Scalar(ways)) => {
                for &(when, term) in ways {
                    lines.push(format!("returns {}{}", self.handed_out(term), self.when(when)));
                }
            }
            Some(FrozenValue::Record(parts)) => {
                for (offset, _, value) in parts {
                    lines.push(format!("result at {offset} = {}", self.value(value)));
                }
            }
            None => {}
        }
        if summary.is_coarse {
            lines.push("// widened: too many conditions to tell apart".to_owned());
        }
        lines
    }

    fn parameter(&self, number: u32) -> String {
        match self.parameters.get(number as usize) {
            Some(&name) if name != Name::EMPTY => name.as_str().to_owned(),
            _ => format!("arg{number}"),
        }
    }

    fn value(&self, value: &FrozenValue) -> String {
        match value {
            FrozenValue::Scalar(ways) => {
                let ways: Vec<String> = ways.iter().map(|&(when, term)| self.term(term) + &self.when(when)).collect();
                ways.join(" or ")
            }
            FrozenValue::Record(_) => "…".to_owned(),
        }
    }

    /// A value that is handed out; of what is fresh, also when it is the caller's.
    fn handed_out(&self, number: TermNumber) -> String {
        let owned = match self.summary.terms[number as usize].0 {
            FrozenTerm::Handle(object) | FrozenTerm::Fresh(object, 0) => {
                self.summary.objects[object as usize].allocated
            }
            _ => When::ALWAYS,
        };
        format!("{}{}", self.term(number), self.when(owned))
    }

    fn term(&self, number: TermNumber) -> String {
        match &self.summary.terms[number as usize].0 {
            FrozenTerm::Int(value) => value.to_string(),
            FrozenTerm::Param(param) => self.parameter(*param),
            FrozenTerm::ParamPart(param, offset) => format!("{}.{offset}", self.parameter(*param)),
            FrozenTerm::Contents(address) => self.place(*address),
            FrozenTerm::Unknown(_) | FrozenTerm::Forgotten(_) => "unknown".to_owned(),
            FrozenTerm::Handle(object) | FrozenTerm::Fresh(object, 0) => {
                let object = &self.summary.objects[*object as usize];
                let kind = self.models.kinds[object.kind].name;
                let zeroed = if object.is_zeroed { "zeroed " } else { "" };
                format!("fresh {zeroed}{kind}")
            }
            FrozenTerm::Fresh(_, offset) => format!("inside fresh + {offset}"),
            FrozenTerm::Variable(variable, 0) => format!("&{}", self.program.variable(*variable).source_name),
            FrozenTerm::Variable(variable, offset) => {
                format!("&{} + {offset}", self.program.variable(*variable).source_name)
            }
            FrozenTerm::Code(Target::Function(function)) => self.program.function(*function).name.as_str().to_owned(),
            FrozenTerm::Code(Target::External(name)) => name.as_str().to_owned(),
            FrozenTerm::Literal => "borrowed".to_owned(),
            FrozenTerm::Inside(base) => format!("inside {}", self.term(*base)),
            FrozenTerm::Element { base, index, .. } => format!("&{}[{}]", self.term(*base), self.term(*index)),
            FrozenTerm::Binary(op, a, b) => format!("({} {} {})", self.term(*a), operator(*op), self.term(*b)),
            FrozenTerm::Extend(a) => self.term(*a),
            FrozenTerm::Order(a, b, _) => format!("order of {} and {}", self.term(*a), self.term(*b)),
            FrozenTerm::Text(string, _, literal) => {
                let literal = String::from_utf8_lossy(literal.strip_suffix(b"\0").unwrap_or(literal));
                format!("order of {} and {literal:?}", self.term(*string))
            }
        }
    }

    /// What stands at an address.
    fn place(&self, address: TermNumber) -> String {
        match &self.summary.terms[address as usize].0 {
            FrozenTerm::Variable(variable, 0) => self.program.variable(*variable).source_name.as_str().to_owned(),
            FrozenTerm::Variable(variable, offset) => {
                format!("{}.{offset}", self.program.variable(*variable).source_name)
            }
            FrozenTerm::Element { base, index, .. } => format!("{}[{}]", self.term(*base), self.term(*index)),
            FrozenTerm::Binary(Op::Add, base, offset) => match self.summary.terms[*offset as usize].0 {
                FrozenTerm::Int(offset) => format!("{}->{offset}", self.term(*base)),
                _ => format!("*{}", self.term(address)),
            },
            FrozenTerm::Fresh(object, offset) => format!("fresh{object}->{offset}"),
            _ => format!("*{}", self.term(address)),
        }
    }

    fn when(&self, when: When) -> String {
        if when == When::ALWAYS {
            return String::new();
        }
        let mut cubes = Vec::new();
        self.cubes(when, &mut Vec::new(), &mut cubes);
        if cubes.len() > MAX_CUBES {
            return " when …".to_owned();
        }
        format!(" when {}", cubes.join(" or "))
    }

    fn cubes(&self, when: When, prefix: &mut Vec<String>, found: &mut Vec<String>) {
        if found.len() > MAX_CUBES || when == When::NEVER {
            return;
        }
        if when == When::ALWAYS {
            found.push(prefix.join(" && "));
            return;
        }
        let (atom, yes, no) = self.summary.nodes[(when.0 >> 1) as usize - 1];
        let flip = when.0 & 1 == 1;
        for (truth, child) in [(true, yes), (false, no)] {
            let child = if flip { negated(child) } else { child };
            prefix.push(self.atom(atom, truth));
            self.cubes(child, prefix, found);
            prefix.pop();
        }
    }

    fn atom(&self, atom: u32, truth: bool) -> String {
        match (self.summary.atoms[atom as usize], truth) {
            (FrozenAtom::Equal(a, b), true) => format!("{} == {}", self.term(a), self.term(b)),
            (FrozenAtom::Equal(a, b), false) => format!("{} != {}", self.term(a), self.term(b)),
            (FrozenAtom::Less(a, b), true) => format!("{} < {}", self.term(a), self.term(b)),
            (FrozenAtom::Less(a, b), false) => format!("{} >= {}", self.term(a), self.term(b)),
            (FrozenAtom::Choice, true) => format!("c{atom}"),
            (FrozenAtom::Choice, false) => format!("!c{atom}"),
        }
    }
}

fn negated(when: When) -> When {
    When(when.0 ^ 1)
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "^",
        Op::Shl => "<<",
        Op::Shr => ">>",
    }
}
