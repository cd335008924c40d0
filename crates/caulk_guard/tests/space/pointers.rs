//! Feasibility of pointer tests against z3, with objects as places far apart.

use std::fmt::Write as _;

use caulk_guard::{Feasible, Guard, Kind, Object, Op, Space, Term};

use crate::random::Random;
use crate::solver::ask_z3;

const POINTER: Kind = Kind::unsigned(64);
const OBJECTS: usize = 3;
const POINTERS: usize = 4;

/// A pointer expression, in the space and as z3 reads it.
fn pointer(space: &mut Space, random: &mut Random, symbols: &[Term]) -> (Term, String) {
    let offset = if random.chance(40) { random.below(4) as i128 * 8 } else { 0 };
    let (base, name) = match random.below(10) {
        0 => return (space.int(0, POINTER), "(_ bv0 64)".to_string()),
        1..=3 => {
            let object = random.below(OBJECTS);
            (space.address(Object(object as u32), 0, POINTER), format!("o{object}"))
        }
        _ => {
            let symbol = random.below(symbols.len());
            (symbols[symbol], format!("x{symbol}"))
        }
    };
    let distance = space.int(offset, POINTER);
    (space.binary(Op::Add, base, distance, POINTER), format!("(bvadd {name} (_ bv{offset} 64))"))
}

fn literal(space: &mut Space, random: &mut Random, symbols: &[Term]) -> (Guard, String) {
    let ((a, a_text), (b, b_text)) = (pointer(space, random, symbols), pointer(space, random, symbols));
    let (guard, text) = if random.chance(75) {
        (space.equal(a, b), format!("(= {a_text} {b_text})"))
    } else {
        (space.less(a, b), format!("(bvult {a_text} {b_text})"))
    };
    if random.chance(40) { (guard.not(), format!("(not {text})")) } else { (guard, text) }
}

/// Objects lie above the first page, below the last one, and far from each other.
fn axioms() -> String {
    let mut text = String::new();
    for object in 0..OBJECTS {
        writeln!(text, "(declare-const o{object} (_ BitVec 64))").expect("strings take everything");
        writeln!(
            text,
            "(assert (and (bvugt o{object} (_ bv1048576 64)) (bvult o{object} (_ bv9223372036854775808 64))))"
        )
        .expect("strings take everything");
        for other in 0..object {
            let apart =
                |a: usize, b: usize| format!("(and (bvult o{a} o{b}) (bvugt (bvsub o{b} o{a}) (_ bv1048576 64)))");
            writeln!(text, "(assert (or {} {}))", apart(object, other), apart(other, object))
                .expect("strings take everything");
        }
    }
    for symbol in 0..POINTERS {
        writeln!(text, "(declare-const x{symbol} (_ BitVec 64))").expect("strings take everything");
    }
    text
}

#[test]
fn pointer_tests_agree_with_z3() {
    let mut random = Random::new(41);
    let mut space = Space::new(1 << 16);
    let mut script = format!("(set-logic QF_BV)\n{}", axioms());
    let mut expected = Vec::new();
    let mut unknown = 0;
    while expected.len() < 300 {
        space.clear();
        let symbols: Vec<Term> = (0..POINTERS).map(|_| space.symbol(POINTER)).collect();
        let (mut guard, mut text) = (Guard::TRUE, "true".to_string());
        for _ in 0..2 + random.below(8) {
            let (one, one_text) = literal(&mut space, &mut random, &symbols);
            let (other, other_text) = literal(&mut space, &mut random, &symbols);
            let (either, either_text) = if random.chance(30) {
                (space.or(one, other), format!("(or {one_text} {other_text})"))
            } else {
                (one, one_text)
            };
            guard = space.and(guard, either);
            text = format!("(and {text} {either_text})");
        }
        if guard.is_constant() {
            continue;
        }
        let word = match space.feasible(guard, 10_000) {
            Feasible::Yes(_) => "sat",
            Feasible::No => "unsat",
            Feasible::Unknown => {
                unknown += 1;
                continue;
            }
        };
        writeln!(script, "(push)\n(assert {text})\n(check-sat)\n(pop)").expect("strings take everything");
        expected.push((word, text));
    }
    let infeasible = expected.iter().filter(|(word, _)| *word == "unsat").count();
    println!("{unknown} unknown, {infeasible} infeasible of {}", expected.len());
    assert!(unknown * 50 < expected.len(), "more than 2 % unknown");
    let Some(answers) = ask_z3(&script) else {
        println!("z3 is not installed: answers were not compared");
        return;
    };
    assert_eq!(answers.len(), expected.len(), "z3 complained: {answers:?}");
    for (answer, (word, text)) in answers.iter().zip(&expected) {
        assert_eq!(answer, word, "{text}");
    }
}
