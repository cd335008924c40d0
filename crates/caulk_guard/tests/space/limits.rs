//! Limits: they make the answer unknown or the space exhausted, never wrong, and clearing lifts them.

use caulk_guard::{Feasible, Guard, Kind, Space};

use crate::random::Random;

#[test]
fn past_the_node_limit_the_space_is_exhausted_until_cleared() {
    let mut space = Space::new(200);
    let mut random = Random::new(31);
    let choices: Vec<Guard> = (0..40).map(|_| space.choice()).collect();
    let mut parity = Guard::FALSE;
    for _ in 0..2000 {
        let (one, two) = (random.pick(&choices), random.pick(&choices));
        let product = space.and(one, two);
        parity = space.xor(parity, product);
    }
    assert!(space.is_exhausted());
    assert!(space.node_count() <= 202);
    assert_eq!(space.feasible(parity, 1000), Feasible::Unknown);
    space.clear();
    assert!(!space.is_exhausted());
    let choice = space.choice();
    assert!(matches!(space.feasible(choice, 10), Feasible::Yes(_)));
}

#[test]
fn very_long_paths_do_not_overflow_the_stack() {
    let mut space = Space::new(1 << 20);
    let choices: Vec<Guard> = (0..20_000).map(|_| space.choice()).collect();
    // From the last to the first, each step is shallow, and the result is as deep as can be.
    let all = choices.iter().rev().fold(Guard::TRUE, |all, &choice| space.and(choice, all));
    assert!(!space.is_exhausted());
    assert_eq!(space.size(all), 20_000);
    assert_eq!(space.feasible(all, u32::MAX), Feasible::Unknown);
    // From the first to the last, each step goes through all of it.
    choices.iter().fold(Guard::TRUE, |all, &choice| space.and(choice, all));
    assert!(space.is_exhausted());
}

#[test]
fn a_care_set_that_grows_without_end_is_left_alone() {
    const PAIRS: usize = 24;
    let mut space = Space::new(1 << 20);
    // Each choice picks a pair that must hold. Without the choices it is any of the pairs, and that is large, since all
    // the left halves come before all the right ones.
    let atoms: Vec<Guard> = (0..3 * PAIRS + 1).map(|_| space.choice()).collect();
    let mut care = Guard::FALSE;
    for pair in (0..PAIRS).rev() {
        let both = space.and(atoms[PAIRS + pair], atoms[2 * PAIRS + pair]);
        care = space.ite(atoms[pair], both, care);
    }
    let before = space.work();
    let last = atoms[3 * PAIRS];
    assert_eq!(space.restrict(last, care), last);
    assert!(!space.is_exhausted());
    assert!(space.work() - before < 20_000, "{}", space.work() - before);
}

#[test]
fn a_small_budget_is_unknown_and_a_larger_one_is_not() {
    let mut space = Space::new(1 << 16);
    let int = Kind::signed(32);
    let (n, m) = (space.symbol(int), space.symbol(int));
    let (less, more) = (space.less(n, m), space.less(m, n));
    let both = space.and(less, more);
    assert_eq!(space.feasible(both, 1), Feasible::Unknown);
    assert_eq!(space.feasible(both, 100), Feasible::No);
    assert_eq!(space.feasible(both, 1), Feasible::No, "what is known stays known");
}

#[test]
fn a_cleared_space_is_as_new() {
    let int = Kind::signed(16);
    let describe = |space: &mut Space| {
        let (n, m) = (space.symbol(int), space.symbol(int));
        let (less, equal, choice) = (space.less(n, m), space.equal(n, m), space.choice());
        let either = space.or(less, equal);
        let guard = space.and(either, choice);
        (n, m, guard, space.feasible(guard, 100), space.node_count(), space.atom_count(), space.term_count())
    };
    let mut space = Space::new(1 << 16);
    let first = describe(&mut space);
    for _ in 0..3 {
        for _ in 0..3000 {
            let fresh = space.symbol(int);
            let zero = space.int(0, int);
            let atom = space.equal(fresh, zero);
            space.feasible(atom, 10);
        }
        space.clear();
        assert_eq!(describe(&mut space), first);
        space.clear();
    }
}

#[test]
fn a_long_switch_is_decided() {
    let mut space = Space::new(1 << 16);
    let byte = Kind::unsigned(8);
    let tag = space.symbol(byte);
    let mut none = Guard::TRUE;
    for value in 0..256 {
        assert!(matches!(space.feasible(none, 10_000), Feasible::Yes(_)), "before {value}");
        let value = space.int(value, byte);
        let case = space.equal(tag, value);
        none = space.and(none, case.not());
    }
    assert_eq!(space.feasible(none, 10_000), Feasible::No, "every value has its case");
}
