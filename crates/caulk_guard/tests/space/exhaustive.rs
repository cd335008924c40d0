//! Feasibility against trying every value of a few small symbols.

use caulk_guard::{Cube, Feasible, Kind, Op, Space};

use crate::expression::{Formula, Recipe, evaluate_predicate};
use crate::random::Random;

const BUDGET: u32 = 100_000;

fn all_values(kinds: &[Kind]) -> Vec<Vec<i128>> {
    let mut all = vec![Vec::new()];
    for kind in kinds {
        all = all
            .iter()
            .flat_map(|values| {
                (kind.min()..=kind.max()).map(move |value| {
                    let mut longer = values.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Literals of a path: they lead through the guard to true, and some values make all of them come out.
fn check_cube(space: &Space, guard: caulk_guard::Guard, cube: &Cube, all: &[Vec<i128>], formula: &Formula) {
    assert!(cube.literals.is_sorted_by_key(|&(atom, _)| atom));
    assert!(space.evaluate(guard, |atom| cube.value(atom).expect("every atom on the path is in the cube")));
    let holds = all.iter().any(|values| {
        cube.literals.iter().all(|&(atom, value)| evaluate_predicate(space, space.predicate(atom), values) == value)
    });
    assert!(holds, "{formula:?}\n{cube:?}");
}

fn compare(seed: u64, operations: &[Op], rounds: usize, depth: usize) -> (usize, usize) {
    let mut random = Random::new(seed);
    let mut space = Space::new(1 << 16);
    let (mut unknown, mut infeasible) = (0, 0);
    for _ in 0..rounds {
        space.clear();
        let count = 2 + random.below(2);
        let kinds: Vec<Kind> = (0..count)
            .map(|_| Kind { bits: if count == 2 { 4 + random.below(3) } else { 4 } as u8, signed: random.chance(50) })
            .collect();
        let all = all_values(&kinds);
        let symbols: Vec<_> = kinds.iter().map(|&kind| space.symbol(kind)).collect();
        let recipe = Recipe { symbols: &kinds, operations, operation_share: 50, constant_right: true };
        let formula = recipe.formula(&mut random, depth);
        let guard = formula.build(&mut space, &symbols);
        if space.symbol_count() as usize > count {
            continue; // something undefined: exhaustion over the named symbols would not cover it
        }
        match space.feasible(guard, BUDGET) {
            Feasible::Yes(cube) => check_cube(&space, guard, &cube, &all, &formula),
            Feasible::No => {
                infeasible += 1;
                let witness = all.iter().find(|values| formula.evaluate(values) == Some(true));
                assert_eq!(witness, None, "{formula:?}");
            }
            Feasible::Unknown => unknown += 1,
        }
    }
    (unknown, infeasible)
}

#[test]
fn linear_and_masked_formulas() {
    let operations = [Op::Add, Op::Sub, Op::And];
    for (seed, depth, rounds) in [(5, 2, 800), (6, 3, 800), (7, 4, 400)] {
        let (unknown, infeasible) = compare(seed, &operations, rounds, depth);
        println!("depth {depth}: {unknown} unknown, {infeasible} infeasible of {rounds}");
        assert!(unknown * 50 < rounds, "more than 2 % unknown");
    }
}

#[test]
fn all_operations() {
    let operations = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr];
    for (seed, depth, rounds) in [(8, 2, 800), (9, 3, 600)] {
        let (unknown, infeasible) = compare(seed, &operations, rounds, depth);
        println!("depth {depth}: {unknown} unknown, {infeasible} infeasible of {rounds}");
        assert!(unknown * 20 < rounds, "more than 5 % unknown");
    }
}
