//! Guards in words.
//!
//! A guard is told as its ways to true, each a list of literals. An atom is told as the source has it where a branch
//! tests just that; else by what its terms are known as.
//!
//! ```text
//! n ? (m ? TRUE : FALSE) : TRUE        n > 9 && flag || n <= 9
//! ```

use caulk_flow::Evaluator;
use caulk_flow::evaluate::{Event, EventKind, Outcome};
use caulk_flow::object::Origin;
use caulk_guard::{Atom, Guard, Op, Predicate, Term, TermKind};
use caulk_ir::ir;
use rustc_hash::FxHashMap;

use crate::describe;

/// Ways to true that are told, and literals of each; more are `…`.
const MAX_WAYS: usize = 3;
const MAX_LITERALS: usize = 4;
/// Nodes visited in search of ways.
const MAX_VISITS: usize = 200;

/// What atoms and terms are called in one function.
pub(super) struct Words {
    /// By atom: the condition, and whether the atom says it or its opposite.
    conditions: FxHashMap<Atom, (String, bool)>,
    /// By term: a value that is just this.
    values: FxHashMap<Term, ir::Value>,
}

impl Words {
    pub(super) fn new(evaluator: &mut Evaluator<'_>, events: &[Event]) -> Words {
        let mut words = Words { conditions: FxHashMap::default(), values: FxHashMap::default() };
        for value in evaluator.body.insts.ids() {
            let Some(term) = evaluator.known_value(value).and_then(|val| evaluator.values.only(val)) else { continue };
            if matches!(evaluator.space.term(term), TermKind::Symbol(_)) {
                words.values.entry(term).or_insert(value);
            }
        }
        for (place, event) in events.iter().enumerate() {
            match event.kind {
                EventKind::Branch { condition, outcome: Outcome::True } => {
                    let is_other = |other: &&Event| matches!(other.kind, EventKind::Branch { condition: tested, outcome: Outcome::False } if tested == condition);
                    if let Some(other) = events.get(place + 1).filter(is_other) {
                        words.add_condition(evaluator, condition, event.guard, other.guard);
                    }
                }
                EventKind::Branch { .. } => {}
                EventKind::Allocate(heap) => {
                    let heap = &evaluator.objects.heap[heap];
                    // What it hangs on last is whether it succeeds.
                    let atom = evaluator.space.support(&[heap.allocated]).last().copied();
                    if let Some(atom) = atom.filter(|&atom| evaluator.space.predicate(atom) == Predicate::Choice) {
                        let text = format!("{}() succeeds", heap.allocator);
                        words.conditions.entry(atom).or_insert((text, true));
                    }
                }
                EventKind::Release { .. }
                | EventKind::Bind { .. }
                | EventKind::Store { .. }
                | EventKind::End { .. }
                | EventKind::Call { .. }
                | EventKind::Return(_) => {}
            }
        }
        words
    }

    /// What a branch tests is what tells its two ways apart.
    fn add_condition(&mut self, evaluator: &mut Evaluator<'_>, condition: ir::Value, yes: Guard, no: Guard) {
        let reached = evaluator.space.or(yes, no);
        let holds = evaluator.space.restrict(yes, reached);
        let says = match evaluator.space.node(holds) {
            Some((atom, Guard::TRUE, Guard::FALSE)) => (atom, true),
            Some((atom, Guard::FALSE, Guard::TRUE)) => (atom, false),
            _ => return,
        };
        let text = describe::expression(evaluator, condition);
        if !text.contains('…') {
            self.conditions.entry(says.0).or_insert((text, says.1));
        }
    }

    /// When the guard holds, given that the other one does; empty if always.
    pub(super) fn tell(&self, evaluator: &mut Evaluator<'_>, guard: Guard, given: Guard) -> String {
        let guard = if given.is_false() { guard } else { evaluator.space.restrict(guard, given) };
        let mut search = Search { ways: Vec::new(), way: Vec::new(), visits: 0 };
        search.run(evaluator, guard);
        let is_cut = search.ways.len() > MAX_WAYS || search.visits > MAX_VISITS;
        let mut texts: Vec<String> = search.ways.iter().take(MAX_WAYS).map(|way| self.way(evaluator, way)).collect();
        if texts.iter().any(String::is_empty) {
            return String::new();
        }
        if is_cut {
            texts.push("…".to_owned());
        }
        texts.join(" || ")
    }

    fn way(&self, evaluator: &Evaluator<'_>, way: &[(Atom, bool)]) -> String {
        let mut texts: Vec<String> =
            way.iter().take(MAX_LITERALS).map(|&(atom, holds)| self.literal(evaluator, atom, holds)).collect();
        if way.len() > MAX_LITERALS {
            texts.push("…".to_owned());
        }
        texts.join(" && ")
    }

    fn literal(&self, evaluator: &Evaluator<'_>, atom: Atom, holds: bool) -> String {
        if let Some((text, says)) = self.conditions.get(&atom) {
            return if holds == *says { text.clone() } else { opposite(text) };
        }
        let term = |term| self.term(evaluator, term, 0);
        let text = match evaluator.space.predicate(atom) {
            Predicate::Equal(a, b) => format!("{} == {}", term(a), term(b)),
            Predicate::Less(a, b) => format!("{} < {}", term(a), term(b)),
            Predicate::Choice => format!("choice {}", atom.0),
        };
        if holds { text } else { opposite(&text) }
    }

    fn term(&self, evaluator: &Evaluator<'_>, term: Term, depth: u32) -> String {
        if depth > 3 {
            return "…".to_owned();
        }
        let inner = |term| self.term(evaluator, term, depth + 1);
        match evaluator.space.term(term) {
            TermKind::Int(number) => number.to_string(),
            TermKind::Symbol(symbol) => {
                if let Some(&value) = self.values.get(&term) {
                    return describe::expression(evaluator, value);
                }
                let origin = evaluator.objects.symbols.get(symbol.0 as usize).map(|info| info.origin);
                let cell = match origin {
                    Some(Origin::Contents(cell)) => describe::cell(evaluator, cell, &|_| None),
                    _ => None,
                };
                cell.map_or_else(|| format!("?{}", symbol.0), |named| named.0)
            }
            TermKind::Address { object, .. } | TermKind::Inside { object } => {
                let default = evaluator.objects.get(object).cells.first();
                let name = default.and_then(|&cell| describe::cell(evaluator, cell, &|_| None));
                name.map_or_else(|| format!("&{object}"), |named| format!("&{}", named.0))
            }
            TermKind::Binary { op, a, b } => format!("{} {} {}", inner(a), operator(op), inner(b)),
            TermKind::Extend { a } => inner(a),
        }
    }
}

/// Ways from a guard to true.
struct Search {
    ways: Vec<Vec<(Atom, bool)>>,
    way: Vec<(Atom, bool)>,
    visits: usize,
}

impl Search {
    fn run(&mut self, evaluator: &Evaluator<'_>, guard: Guard) {
        self.visits += 1;
        if self.ways.len() > MAX_WAYS || self.visits > MAX_VISITS || guard.is_false() {
            return;
        }
        let Some((atom, high, low)) = evaluator.space.node(guard) else {
            return self.ways.push(self.way.clone());
        };
        for (holds, next) in [(true, high), (false, low)] {
            self.way.push((atom, holds));
            self.run(evaluator, next);
            self.way.pop();
        }
    }
}

/// The opposite of a condition, with its relation turned if it is a plain one.
fn opposite(text: &str) -> String {
    const RELATIONS: [(&str, &str); 6] =
        [(" == ", " != "), (" != ", " == "), (" <= ", " > "), (" >= ", " < "), (" < ", " >= "), (" > ", " <= ")];
    let is_plain = !text.contains(['&', '|', '^', '(', ')', '?']);
    let found: Vec<&(&str, &str)> = RELATIONS.iter().filter(|relation| text.contains(relation.0)).collect();
    match found.as_slice() {
        [(from, to)] if is_plain && text.matches(from).count() == 1 => text.replace(from, to),
        [] if !text.contains(' ') => format!("!{text}"),
        [] if text.ends_with("() succeeds") => text.replace("succeeds", "fails"),
        _ => format!("!({text})"),
    }
}

fn operator(op: Op) -> String {
    match op {
        Op::Add => "+".to_owned(),
        Op::Sub => "-".to_owned(),
        Op::Mul => "*".to_owned(),
        Op::And => "&".to_owned(),
        Op::Or => "|".to_owned(),
        Op::Xor => "^".to_owned(),
        _ => format!("{op:?}").to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::opposite;

    #[test]
    fn relations_are_turned_and_the_rest_is_negated() {
        let pairs = [
            ("n == 0", "n != 0"),
            ("a < b", "a >= b"),
            ("p", "!p"),
            ("malloc() succeeds", "malloc() fails"),
            ("a & 1 == 0", "!(a & 1 == 0)"),
            ("a - b", "!(a - b)"),
        ];
        for (text, expected) in pairs {
            assert_eq!(opposite(text), expected);
        }
    }
}
