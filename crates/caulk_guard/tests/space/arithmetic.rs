//! Folding and canonical comparisons against plain arithmetic on random values.

use caulk_guard::{Kind, Op, Space};

use crate::expression::{Recipe, evaluate_predicate, evaluate_term, value};
use crate::random::Random;

const ALL_OPERATIONS: [Op; 10] =
    [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr];

fn random_kind(random: &mut Random) -> Kind {
    Kind { bits: random.pick(&[8, 16, 32, 64]), signed: random.chance(50) }
}

#[test]
fn folded_terms_keep_their_value() {
    let mut random = Random::new(2);
    let mut space = Space::new(1 << 16);
    let mut compared = 0;
    for _ in 0..6000 {
        space.clear();
        let kinds = [random_kind(&mut random), random_kind(&mut random), random_kind(&mut random)];
        let symbols = kinds.map(|kind| space.symbol(kind));
        let recipe =
            Recipe { symbols: &kinds, operations: &ALL_OPERATIONS, operation_share: 85, constant_right: false };
        let node = recipe.node(&mut random, kinds[0], 4);
        let term = node.build(&mut space, &symbols);
        assert_eq!(space.kind(term), node.kind());
        // Undefined operations are fresh symbols; everything else is the same term each time.
        assert!(node.build(&mut space, &symbols) == term || space.symbol_count() > 3, "{node:?}");
        for _ in 0..8 {
            let values = kinds.map(|kind| value(&mut random, kind));
            if let Some(expected) = node.evaluate(&values) {
                compared += 1;
                assert_eq!(evaluate_term(&space, term, &values), expected, "{node:?} at {values:?}");
            }
        }
    }
    assert!(compared > 20_000, "only {compared} values were compared");
}

#[test]
fn comparisons_keep_their_truth() {
    let mut random = Random::new(3);
    let mut space = Space::new(1 << 16);
    let mut compared = 0;
    for _ in 0..12_000 {
        space.clear();
        let kinds = [random_kind(&mut random), random_kind(&mut random), random_kind(&mut random)];
        let symbols = kinds.map(|kind| space.symbol(kind));
        let recipe =
            Recipe { symbols: &kinds, operations: &ALL_OPERATIONS, operation_share: 60, constant_right: false };
        let formula = recipe.formula(&mut random, 0);
        let guard = formula.build(&mut space, &symbols);
        for _ in 0..12 {
            let values = kinds.map(|kind| value(&mut random, kind));
            if let Some(expected) = formula.evaluate(&values) {
                compared += 1;
                let actual = space.evaluate(guard, |atom| evaluate_predicate(&space, space.predicate(atom), &values));
                assert_eq!(actual, expected, "{formula:?} at {values:?}");
            }
        }
    }
    assert!(compared > 60_000, "only {compared} comparisons were made");
}

/// With few bits all values can be tried, and the seams are everywhere.
#[test]
fn comparisons_keep_their_truth_at_all_small_values() {
    let mut random = Random::new(4);
    let mut space = Space::new(1 << 16);
    for _ in 0..6000 {
        space.clear();
        let mut kind = || Kind { bits: 1 + random.below(4) as u8, signed: random.chance(50) };
        let kinds = [kind(), kind()];
        let symbols = kinds.map(|kind| space.symbol(kind));
        let recipe =
            Recipe { symbols: &kinds, operations: &ALL_OPERATIONS, operation_share: 60, constant_right: false };
        let formula = recipe.formula(&mut random, 0);
        let guard = formula.build(&mut space, &symbols);
        for x in kinds[0].min()..=kinds[0].max() {
            for y in kinds[1].min()..=kinds[1].max() {
                if let Some(expected) = formula.evaluate(&[x, y]) {
                    let actual =
                        space.evaluate(guard, |atom| evaluate_predicate(&space, space.predicate(atom), &[x, y]));
                    assert_eq!(actual, expected, "{formula:?} at {x}, {y}");
                }
            }
        }
    }
}
