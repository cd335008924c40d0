//! Tests that ask the same thing are one atom, and terms fold as the evaluator relies on.

use caulk_guard::{Feasible, Guard, Kind, Object, Op, Predicate, Space, Term, TermKind};

const INT: Kind = Kind::signed(32);
const SIZE: Kind = Kind::unsigned(64);
const BYTE: Kind = Kind::unsigned(8);
const CHAR: Kind = Kind::signed(8);

fn space() -> Space {
    Space::new(1 << 12)
}

fn add(space: &mut Space, term: Term, constant: i128) -> Term {
    let kind = space.kind(term);
    let constant = space.int(constant, kind);
    space.binary(Op::Add, term, constant, kind)
}

fn equals(space: &mut Space, term: Term, constant: i128) -> Guard {
    let constant = space.int(constant, space.kind(term));
    space.equal(term, constant)
}

fn below(space: &mut Space, term: Term, constant: i128) -> Guard {
    let constant = space.int(constant, space.kind(term));
    space.less(term, constant)
}

fn above(space: &mut Space, term: Term, constant: i128) -> Guard {
    let constant = space.int(constant, space.kind(term));
    space.less(constant, term)
}

#[test]
fn constants_move_to_the_right() {
    let mut space = space();
    let (n, m) = (space.symbol(INT), space.symbol(INT));
    let plus_one = add(&mut space, n, 1);
    assert_eq!(equals(&mut space, plus_one, 5), equals(&mut space, n, 4));
    let (three, n_first, n_last) = (space.int(3, INT), space.equal(n, m), space.equal(m, n));
    assert_eq!(n_first, n_last);
    let (left, right) = (add(&mut space, n, 3), add(&mut space, m, 2));
    let (one, other) = (space.equal(left, right), add(&mut space, n, 1));
    assert_eq!(one, space.equal(m, other));
    let from = space.binary(Op::Sub, three, n, INT);
    assert_eq!(equals(&mut space, from, 1), equals(&mut space, n, 2));
    let difference = space.binary(Op::Sub, n, m, INT);
    assert_eq!(equals(&mut space, difference, 0), n_first);
}

#[test]
fn orders_share_atoms() {
    let mut space = space();
    let (n, u) = (space.symbol(INT), space.symbol(SIZE));
    assert_eq!(above(&mut space, n, 3), below(&mut space, n, 4).not());
    assert_eq!(below(&mut space, u, 1), equals(&mut space, u, 0));
    assert_eq!(above(&mut space, u, 0), equals(&mut space, u, 0).not());
    assert_eq!(above(&mut space, n, INT.max()), Guard::FALSE);
    assert_eq!(below(&mut space, n, INT.min()), Guard::FALSE);
    assert_eq!(above(&mut space, n, INT.max() - 1), equals(&mut space, n, INT.max()));
    assert_eq!(below(&mut space, u, 0), Guard::FALSE);
    assert_eq!(space.less(n, n), Guard::FALSE);
    // isalpha: an unsigned difference below a bound is a range.
    let (letter, size) = (add(&mut space, u, -97), 26);
    let (in_range, from, to) =
        (below(&mut space, letter, size), below(&mut space, u, 97), below(&mut space, u, 97 + size));
    assert_eq!(in_range, space.and(from.not(), to));
}

#[test]
fn conversions_are_seen_through() {
    let mut space = space();
    let (byte, char, n) = (space.symbol(BYTE), space.symbol(CHAR), space.symbol(INT));
    let (wide_byte, wide_char) = (space.extend(byte, INT), space.extend(char, INT));
    assert_eq!(equals(&mut space, wide_byte, 7), equals(&mut space, byte, 7));
    assert_eq!(equals(&mut space, wide_byte, 300), Guard::FALSE);
    assert_eq!(equals(&mut space, wide_byte, -1), Guard::FALSE);
    assert_eq!(equals(&mut space, wide_char, -1), equals(&mut space, char, -1));
    assert_eq!(below(&mut space, wide_char, 0), below(&mut space, char, 0));
    assert_eq!(below(&mut space, wide_byte, 256), Guard::TRUE);
    // A negative int is a huge size_t.
    let size = space.extend(n, SIZE);
    let (small, at_least_zero, below_ten) =
        (below(&mut space, size, 10), below(&mut space, n, 0).not(), below(&mut space, n, 10));
    assert_eq!(small, space.and(at_least_zero, below_ten));
    // Converting there and back is nothing; a sign change and back neither.
    assert_eq!(space.extend(size, INT), n);
    let unsigned = space.extend(n, Kind::unsigned(32));
    assert_eq!(space.extend(unsigned, INT), n);
    assert_eq!(equals(&mut space, unsigned, -1), equals(&mut space, n, -1));
    // The low byte is a mask.
    let low = space.extend(n, BYTE);
    let mask = space.int(255, INT);
    let masked = space.binary(Op::And, n, mask, INT);
    assert_eq!(equals(&mut space, low, 3), equals(&mut space, masked, 3));
}

#[test]
fn flags_share_atoms() {
    let mut space = space();
    let n = space.symbol(INT);
    let four = space.int(4, INT);
    let masked = space.binary(Op::And, n, four, INT);
    assert_eq!(equals(&mut space, masked, 4), equals(&mut space, masked, 0).not());
    assert_eq!(equals(&mut space, masked, 3), Guard::FALSE);
    let twice = space.binary(Op::And, masked, four, INT);
    assert_eq!(twice, masked);
    let two = space.int(2, INT);
    let (shifted, times_four) = (space.binary(Op::Shl, n, two, INT), space.binary(Op::Mul, n, four, INT));
    assert_eq!(shifted, times_four);
    assert_eq!(equals(&mut space, shifted, 2), Guard::FALSE);
}

#[test]
fn addresses_fold() {
    let mut space = space();
    let (a, b) = (Object(0), Object(1));
    let (at_a, at_b) = (space.address(a, 0, SIZE), space.address(b, 0, SIZE));
    let (n, m) = (space.symbol(SIZE), space.symbol(SIZE));
    let a_eight = add(&mut space, at_a, 8);
    assert_eq!(space.term(a_eight), TermKind::Address { object: a, offset: 8 });
    assert_eq!(space.equal(at_a, at_b), Guard::FALSE);
    assert_eq!(space.equal(at_a, a_eight), Guard::FALSE);
    assert_eq!(space.less(at_a, a_eight), Guard::TRUE);
    assert_eq!(equals(&mut space, at_a, 0), Guard::FALSE);
    let distance = space.binary(Op::Sub, a_eight, at_a, SIZE);
    assert_eq!(space.term(distance), TermKind::Int(8));
    // An error pointer is none of ours.
    assert_eq!(above(&mut space, at_a, -4096), Guard::FALSE);

    let inner = space.binary(Op::Add, at_a, n, SIZE);
    assert_eq!(space.term(inner), TermKind::Inside { object: a });
    assert_eq!(equals(&mut space, inner, 0), Guard::FALSE);
    assert_eq!(space.equal(inner, at_b), Guard::FALSE);
    assert_eq!(space.equal(inner, inner), Guard::TRUE);
    let other = space.binary(Op::Add, at_a, m, SIZE);
    assert_eq!(space.equal(inner, other), space.equal(n, m));
    assert_eq!(space.equal(inner, at_a), equals(&mut space, n, 0));
    let back = space.binary(Op::Sub, inner, at_a, SIZE);
    assert_eq!(back, n);

    // Tags come and go.
    let (one, no_tag) = (space.int(1, SIZE), space.int(-8, SIZE));
    let tagged = space.binary(Op::Or, at_a, one, SIZE);
    assert_eq!(space.term(tagged), TermKind::Inside { object: a });
    let tag = space.binary(Op::And, tagged, one, SIZE);
    assert!(!matches!(space.term(tag), TermKind::Inside { .. }));
    let clean = space.binary(Op::And, tagged, no_tag, SIZE);
    assert_eq!(space.term(clean), TermKind::Inside { object: a });
    assert_eq!(equals(&mut space, clean, 0), Guard::FALSE);
    // A hash of a pointer still holds on to the object, but may be zero.
    let seven = space.int(7, SIZE);
    let hash = space.binary(Op::Rem, at_a, seven, SIZE);
    assert_eq!(space.term(hash), TermKind::Inside { object: a });
    assert!(!equals(&mut space, hash, 0).is_constant());
}

#[test]
fn vague_places_are_never_the_same_twice() {
    let mut space = space();
    let (a, n) = (Object(0), space.symbol(SIZE));
    let place = space.inside(a, SIZE);
    let (first, second) = (space.equal(place, place), space.equal(place, place));
    assert!(!first.is_constant() && !second.is_constant() && first != second);
    let atom = space.support(&[first])[0];
    assert_eq!(space.predicate(atom), Predicate::Choice);
    assert_eq!(equals(&mut space, place, 0), Guard::FALSE);
    let at_b = space.address(Object(1), 4, SIZE);
    assert_eq!(space.equal(place, at_b), Guard::FALSE);
    let further = space.binary(Op::Add, place, n, SIZE);
    assert_eq!(further, place);
    let at_a = space.address(a, 0, SIZE);
    let distance = space.binary(Op::Sub, place, at_a, SIZE);
    assert!(matches!(space.term(distance), TermKind::Symbol(_)));
}

#[test]
fn a_pointer_is_null_or_in_one_object() {
    let mut space = space();
    let (p, q) = (space.symbol(SIZE), space.symbol(SIZE));
    let (at_a, at_b) = (space.address(Object(0), 0, SIZE), space.address(Object(1), 16, SIZE));
    let (is_a, is_b, is_null) = (space.equal(p, at_a), space.equal(p, at_b), equals(&mut space, p, 0));
    let (same, q_is_b) = (space.equal(p, q), space.equal(q, at_b));
    for (one, two) in [(is_a, is_b), (is_a, is_null)] {
        let both = space.and(one, two);
        assert_eq!(space.feasible(both, 100), Feasible::No);
    }
    let through = space.and(same, q_is_b);
    assert!(matches!(space.feasible(through, 100), Feasible::Yes(_)));
    let through = space.and(through, is_a);
    assert_eq!(space.feasible(through, 100), Feasible::No);
    let below_page = below(&mut space, p, 4096);
    let low = space.and(is_b, below_page);
    assert_eq!(space.feasible(low, 100), Feasible::No);
    let n = space.symbol(SIZE);
    let inner = space.binary(Op::Add, at_b, n, SIZE);
    let is_inner = space.equal(p, inner);
    assert!(matches!(space.feasible(is_inner, 100), Feasible::Yes(_)));
    for excluded in [is_null, is_a] {
        let both = space.and(is_inner, excluded);
        assert_eq!(space.feasible(both, 100), Feasible::No);
    }
}

#[test]
fn the_cube_is_a_shortest_path() {
    let mut space = space();
    let n = space.symbol(INT);
    let choices: Vec<Guard> = (0..6).map(|_| space.choice()).collect();
    let long = choices.iter().fold(Guard::TRUE, |all, &choice| space.and(all, choice));
    let negative = below(&mut space, n, 0);
    let either = space.or(long, negative);
    let Feasible::Yes(cube) = space.feasible(either, 100) else { panic!("it can hold") };
    assert_eq!(cube.literals.len(), 2, "{cube:?}: one choice is false, and n is negative");
}

/// What excludes each other at a glance does so for the theory, too.
#[test]
fn exclusion_at_a_glance_is_right() {
    let mut space = Space::new(1 << 16);
    let int = Kind::signed(32);
    let (n, m) = (space.symbol(int), space.symbol(int));
    let mut tests = vec![space.equal(n, m), space.less(n, m), space.less(m, n)];
    for number in [-1, 0, 3, 4] {
        let constant = space.int(number, int);
        tests.push(space.equal(n, constant));
        tests.push(space.less(n, constant));
        tests.push(space.less(constant, m));
    }
    let mut excluded = 0;
    for &first in &tests {
        for &second in &tests {
            for (a, b) in [(true, true), (true, false), (false, true), (false, false)] {
                let atom = |space: &Space, guard| space.node(guard).expect("no constant").0;
                let (one, other) = (atom(&space, first), atom(&space, second));
                if one != other && space.exclude((one, a), (other, b)) {
                    let one = space.literal(one, a);
                    let other = space.literal(other, b);
                    let both = space.and(one, other);
                    assert_eq!(space.feasible(both, 1000), Feasible::No);
                    excluded += 1;
                }
            }
        }
    }
    assert!(excluded > 40, "{excluded}");
}
