//! Feasibility against z3, where it is installed: wide symbols, which cannot be tried one by one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use caulk_guard::{Feasible, Guard, Kind, Op, Predicate, Space, Term, TermKind};

use crate::expression::{Formula, Node, Recipe, path_condition};
use crate::random::Random;

fn bits(value: i128, kind: Kind) -> String {
    format!("(_ bv{} {})", kind.pattern(value), kind.bits)
}

fn operation(op: Op, kind: Kind) -> &'static str {
    match (op, kind.signed) {
        (Op::Add, _) => "bvadd",
        (Op::Sub, _) => "bvsub",
        (Op::Mul, _) => "bvmul",
        (Op::Div, true) => "bvsdiv",
        (Op::Div, false) => "bvudiv",
        (Op::Rem, true) => "bvsrem",
        (Op::Rem, false) => "bvurem",
        (Op::And, _) => "bvand",
        (Op::Or, _) => "bvor",
        (Op::Xor, _) => "bvxor",
        (Op::Shl, _) => "bvshl",
        (Op::Shr, true) => "bvashr",
        (Op::Shr, false) => "bvlshr",
    }
}

fn conversion(text: String, from: Kind, to: Kind) -> String {
    match (from.bits, to.bits) {
        (narrow, wide) if narrow < wide => {
            format!("((_ {}_extend {}) {text})", if from.signed { "sign" } else { "zero" }, wide - narrow)
        }
        (wide, narrow) if wide > narrow => format!("((_ extract {} 0) {text})", narrow - 1),
        _ => text,
    }
}

fn node_text(node: &Node) -> String {
    match node {
        Node::Symbol(symbol, _) => format!("x{symbol}"),
        Node::Int(value, kind) => bits(*value, *kind),
        Node::Binary(op, a, b, kind) => format!("({} {} {})", operation(*op, *kind), node_text(a), node_text(b)),
        Node::Extend(a, kind) => conversion(node_text(a), a.kind(), *kind),
    }
}

fn formula_text(formula: &Formula) -> String {
    match formula {
        Formula::Equal(a, b) => format!("(= {} {})", node_text(a), node_text(b)),
        Formula::Less(a, b) => {
            format!("({} {} {})", if a.kind().signed { "bvslt" } else { "bvult" }, node_text(a), node_text(b))
        }
        Formula::Not(a) => format!("(not {})", formula_text(a)),
        Formula::And(a, b) => format!("(and {} {})", formula_text(a), formula_text(b)),
        Formula::Or(a, b) => format!("(or {} {})", formula_text(a), formula_text(b)),
    }
}

fn term_text(space: &Space, term: Term) -> String {
    let kind = space.kind(term);
    match space.term(term) {
        TermKind::Int(value) => bits(value as i128, kind),
        TermKind::Symbol(symbol) => format!("x{}", symbol.0),
        TermKind::Binary { op, a, b } => {
            // A shift's count may have a kind of its own.
            let count = conversion(term_text(space, b), space.kind(b), kind);
            format!("({} {} {count})", operation(op, kind), term_text(space, a))
        }
        TermKind::Extend { a } => conversion(term_text(space, a), space.kind(a), kind),
        TermKind::Address { .. } | TermKind::Inside { .. } => panic!("no addresses in these tests"),
    }
}

fn literal_text(space: &Space, predicate: Predicate, value: bool) -> String {
    let text = match predicate {
        Predicate::Equal(a, b) => format!("(= {} {})", term_text(space, a), term_text(space, b)),
        Predicate::Less(a, b) => {
            let less = if space.kind(a).signed { "bvslt" } else { "bvult" };
            format!("({less} {} {})", term_text(space, a), term_text(space, b))
        }
        Predicate::Choice => "true".to_string(),
    };
    if value { text } else { format!("(not {text})") }
}

/// One answer of z3 for each question; nothing if it is not installed.
pub(crate) fn ask_z3(script: &str) -> Option<Vec<String>> {
    let mut child = Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = child.stdin.take().expect("it is piped");
    let script = script.to_string();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()).expect("z3 reads all of its input"));
    let output = child.wait_with_output().expect("z3 was started");
    writer.join().expect("writing does not panic");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect())
}

fn question(script: &mut String, kinds: &[Kind], assertion: &str) {
    script.push_str("(push)\n");
    for (symbol, kind) in kinds.iter().enumerate() {
        writeln!(script, "(declare-const x{symbol} (_ BitVec {}))", kind.bits).expect("strings take everything");
    }
    writeln!(script, "(assert {assertion})\n(check-sat)\n(pop)").expect("strings take everything");
}

fn cube_text(space: &Space, guard: Guard, answer: &Feasible) -> Option<String> {
    let Feasible::Yes(cube) = answer else { return None };
    assert!(space.evaluate(guard, |atom| cube.value(atom).expect("every atom on the path is in the cube")));
    let literals = cube.literals.iter().map(|&(atom, value)| literal_text(space, space.predicate(atom), value));
    Some(format!("(and true {})", literals.collect::<Vec<_>>().join(" ")))
}

/// Asks about random formulas over symbols of these widths.
fn compare(
    name: &str,
    seed: u64,
    rounds: usize,
    widths: &[u8],
    make_formula: impl Fn(&mut Random, &[Kind]) -> Formula,
) {
    let mut random = Random::new(seed);
    let mut space = Space::new(1 << 18);
    let mut script = "(set-logic QF_BV)\n(set-option :timeout 5000)\n".to_string();
    let mut expected: Vec<(&str, String)> = Vec::new();
    let mut unknown = 0;
    let mut asked = 0;
    while asked < rounds {
        space.clear();
        let kinds: Vec<Kind> =
            (0..2 + random.below(3)).map(|_| Kind { bits: random.pick(widths), signed: random.chance(50) }).collect();
        let symbols: Vec<_> = kinds.iter().map(|&kind| space.symbol(kind)).collect();
        let formula = make_formula(&mut random, &kinds);
        let guard = formula.build(&mut space, &symbols);
        if guard.is_constant() || space.symbol_count() as usize > kinds.len() {
            continue; // too easy, or something undefined that z3 defines
        }
        asked += 1;
        let answer = space.feasible(guard, 100_000);
        if let Some(cube) = cube_text(&space, guard, &answer) {
            question(&mut script, &kinds, &cube);
            expected.push(("sat", format!("cube {cube}\nof {formula:?}")));
        }
        match answer {
            Feasible::Yes(_) | Feasible::No => {
                question(&mut script, &kinds, &formula_text(&formula));
                let word = if answer == Feasible::No { "unsat" } else { "sat" };
                expected.push((word, format!("{formula:?}")));
            }
            Feasible::Unknown => {
                unknown += 1;
                if std::env::var_os("CAULK_SHOW_UNKNOWN").is_some() {
                    println!("unknown: {}", formula_text(&formula));
                }
            }
        }
    }
    let infeasible = expected.iter().filter(|(word, _)| *word == "unsat").count();
    println!("{name}: {unknown} unknown, {infeasible} infeasible of {rounds}");
    assert!(unknown * 50 <= rounds, "more than 2 % unknown");
    let Some(answers) = ask_z3(&script) else {
        println!("z3 is not installed: answers were not compared");
        return;
    };
    assert_eq!(answers.len(), expected.len(), "z3 complained: {answers:?}");
    for (answer, (word, formula)) in answers.iter().zip(&expected) {
        assert!(answer == word || answer == "unknown", "z3 says {answer}, not {word}: {formula}");
    }
}

fn compare_nested(seed: u64, operations: &[Op], rounds: usize, depth: usize, widths: &[u8]) {
    compare(&format!("nested to depth {depth}"), seed, rounds, widths, |random, kinds| {
        let recipe = Recipe { symbols: kinds, operations, operation_share: 45, constant_right: true };
        recipe.formula(random, depth)
    });
}

#[test]
fn linear_and_masked_formulas_agree_with_z3() {
    let operations = [Op::Add, Op::Sub, Op::And];
    compare_nested(11, &operations, 400, 1, &[32, 64]);
    compare_nested(12, &operations, 400, 2, &[32, 64]);
    compare_nested(13, &operations, 400, 3, &[32, 64]);
    compare_nested(14, &operations, 200, 4, &[32, 64]);
}

#[test]
fn conversions_agree_with_z3() {
    let operations = [Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor];
    compare_nested(15, &operations, 300, 2, &[8, 16, 32, 64]);
    compare_nested(16, &operations, 300, 3, &[8, 16, 32, 64]);
}

#[test]
fn path_conditions_agree_with_z3() {
    for (seed, literals, widths) in [(17, 4, &[32, 64][..]), (18, 7, &[64]), (19, 10, &[32]), (20, 14, &[8, 32, 64])] {
        compare(&format!("{literals} literals"), seed, 300, widths, |random, kinds| {
            path_condition(random, kinds, literals)
        });
    }
}
