//! Timings, run by hand: `cargo test --release -p caulk_guard --test space -- --ignored --nocapture speed`.

use std::time::Instant;

use caulk_guard::{Feasible, Guard, Kind, Object, Op, Space};

use crate::random::Random;

const POINTER: Kind = Kind::unsigned(64);
const INT: Kind = Kind::signed(32);

/// Comparisons as a function of C makes them: null tests, error codes, bounds, flags, equal pointers.
fn conditions(space: &mut Space, random: &mut Random, count: usize) -> Vec<Guard> {
    let pointers: Vec<_> = (0..1 + count / 4).map(|_| space.symbol(POINTER)).collect();
    let ints: Vec<_> = (0..1 + count / 4).map(|_| space.symbol(INT)).collect();
    (0..count)
        .map(|_| {
            let (p, q) = (random.pick(&pointers), random.pick(&pointers));
            let (n, m) = (random.pick(&ints), random.pick(&ints));
            let small = space.int(random.below(8) as i128 - 1, INT);
            match random.below(10) {
                0..=2 => {
                    let null = space.int(0, POINTER);
                    space.equal(p, null)
                }
                3 => {
                    let object = space.address(Object(random.below(3) as u32), 0, POINTER);
                    space.equal(p, object)
                }
                4 => space.equal(p, q),
                5 | 6 => space.equal(n, small),
                7 => space.less(n, small),
                8 => space.less(n, m),
                _ => {
                    let flag = space.int(1 << random.below(5), INT);
                    let masked = space.binary(Op::And, n, flag, INT);
                    let zero = space.int(0, INT);
                    space.equal(masked, zero)
                }
            }
        })
        .collect()
}

/// Guards as branches and joins make them.
fn guards(space: &mut Space, random: &mut Random, conditions: &[Guard], steps: usize) -> (Vec<Guard>, usize) {
    let mut guards = vec![Guard::TRUE];
    let mut operations = 0;
    for step in 0..steps {
        let at = guards[guards.len() - 1 - random.below(guards.len().min(4))];
        let condition = conditions[(step + random.below(3)) % conditions.len()];
        let (taken, other) = (space.and(at, condition), space.and(at, condition.not()));
        operations += 2;
        guards.push(taken);
        guards.push(other);
        if random.chance(40) {
            let (one, two) = (random.pick(&guards), random.pick(&guards));
            guards.push(space.or(one, two));
            operations += 1;
        }
    }
    (guards, operations)
}

#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_operations() {
    let mut random = Random::new(21);
    let mut space = Space::new(1 << 20);
    let (mut operations, mut nanoseconds, mut nodes) = (0, 0, 0);
    for _ in 0..2000 {
        space.clear();
        let conditions = conditions(&mut space, &mut random, 30);
        let start = Instant::now();
        let (_, count) = guards(&mut space, &mut random, &conditions, 60);
        nanoseconds += start.elapsed().as_nanos() as usize;
        operations += count;
        nodes += space.node_count();
    }
    println!("{} ns per operation, {} nodes per space", nanoseconds / operations, nodes / 2000);
    let start = Instant::now();
    for _ in 0..100_000 {
        space.clear();
        std::hint::black_box(&mut space);
    }
    println!("{} ns per clear", start.elapsed().as_nanos() / 100_000);
    let start = Instant::now();
    for _ in 0..100_000 {
        std::hint::black_box(Space::new(1 << 16));
    }
    println!("{} ns per new space", start.elapsed().as_nanos() / 100_000);
}

#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_feasibility() {
    for atoms in [4, 12, 30, 60] {
        let mut random = Random::new(22);
        let mut space = Space::new(1 << 20);
        let (mut queries, mut nanoseconds, mut slowest) = (0, 0, 0);
        let mut answers = [0; 3];
        let (mut size, mut support) = (0, 0);
        for _ in 0..300 {
            space.clear();
            let conditions = conditions(&mut space, &mut random, atoms);
            let (guards, _) = guards(&mut space, &mut random, &conditions, 2 * atoms);
            for &guard in guards.iter().filter(|guard| !guard.is_constant()) {
                queries += 1;
                size += space.size(guard);
                support += space.support(guard).len();
                let start = Instant::now();
                let answer = space.feasible(guard, 10_000);
                let took = start.elapsed().as_nanos() as usize;
                nanoseconds += took;
                slowest = slowest.max(took);
                answers[match answer {
                    Feasible::Yes(_) => 0,
                    Feasible::No => 1,
                    Feasible::Unknown => 2,
                }] += 1;
            }
        }
        println!(
            "{atoms} conditions: {} ns per query over {queries}, slowest {} us; yes, no, unknown {answers:?}; \
             {} atoms and {} nodes on average",
            nanoseconds / queries,
            slowest / 1000,
            support / queries,
            size / queries
        );
    }
}
