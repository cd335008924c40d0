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
    let mut times = Vec::new();
    let mut nodes = 0;
    for _ in 0..2000 {
        space.clear();
        let conditions = conditions(&mut space, &mut random, 30);
        let start = Instant::now();
        let (_, count) = guards(&mut space, &mut random, &conditions, 60);
        times.push(start.elapsed().as_nanos() as usize / count);
        nodes += space.node_count();
    }
    println!("an operation: {}, {} nodes per space", summary(times), nodes / 2000);
    let mut times = Vec::new();
    let mut nodes = 0;
    for _ in 0..500 {
        space.clear();
        let conditions = conditions(&mut space, &mut random, 30);
        let start = Instant::now();
        let guards = long_guards(&mut space, &mut random, &conditions);
        times.push(start.elapsed().as_nanos() as usize / space.node_count());
        nodes += guards.iter().map(|&guard| space.size(guard)).sum::<usize>() / guards.len();
    }
    println!("a node made, in long guards: {}, {} nodes per guard", summary(times), nodes / 500);
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

/// Long path conditions: `count` conditions one after the other, each with its branches joined again or not.
fn long_guards(space: &mut Space, random: &mut Random, conditions: &[Guard]) -> Vec<Guard> {
    let mut guards = Vec::new();
    let mut path = Guard::TRUE;
    for &condition in conditions {
        let condition = if random.chance(50) { condition } else { condition.not() };
        let other = random.pick(conditions);
        let step = match random.below(3) {
            0 => condition,
            1 => space.or(condition, other),
            _ => space.xor(condition, other),
        };
        path = space.and(path, step);
        guards.push(path);
    }
    guards
}

fn measure(name: &str, make: impl Fn(&mut Space, &mut Random) -> Vec<Guard>) {
    let mut random = Random::new(22);
    let mut space = Space::new(1 << 20);
    let mut times = Vec::new();
    let mut answers = [0; 3];
    let (mut size, mut support) = (0, 0);
    for _ in 0..200 {
        space.clear();
        for guard in make(&mut space, &mut random) {
            if guard.is_constant() {
                continue;
            }
            size += space.size(guard);
            support += space.support(&[guard]).len();
            let start = Instant::now();
            let answer = space.feasible(guard, 10_000);
            times.push(start.elapsed().as_nanos() as usize);
            answers[match answer {
                Feasible::Yes(_) => 0,
                Feasible::No => 1,
                Feasible::Unknown => 2,
            }] += 1;
        }
    }
    let queries = times.len();
    println!(
        "{name}: {}; yes, no, unknown {answers:?}; {} atoms and {} nodes on average",
        summary(times),
        support / queries,
        size / queries
    );
}

/// Times in nanoseconds. Other work on the machine makes a few of them huge, so the highest hundredth is left out.
fn summary(mut times: Vec<usize>) -> String {
    times.sort_unstable();
    let most = &times[..times.len() - times.len() / 100];
    let (mean, median) = (most.iter().sum::<usize>() / most.len(), most[most.len() / 2]);
    format!("{mean} ns on average, median {median}, 99 % below {}", most[most.len() - 1])
}

/// A `switch` over many values, one after the other.
fn switch_guards(space: &mut Space, random: &mut Random) -> Vec<Guard> {
    let (tag, length) = (space.symbol(INT), space.symbol(INT));
    let mut guards = Vec::new();
    let mut taken = Guard::FALSE;
    for value in 0..40 {
        let value = space.int(value, INT);
        let case = space.equal(tag, value);
        let bound = space.less(length, value);
        let case = if random.chance(30) { space.and(case, bound) } else { case };
        taken = space.or(taken, case);
        guards.push(space.and(taken, bound.not()));
        guards.push(taken.not());
        let last = random.pick(&guards);
        guards.push(space.and(case, last));
    }
    guards
}

#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_feasibility() {
    for count in [4, 12, 30, 60] {
        measure(&format!("{count} conditions, branching"), |space, random| {
            let conditions = conditions(space, random, count);
            guards(space, random, &conditions, 2 * count).0
        });
    }
    for count in [4, 12, 20, 30] {
        measure(&format!("{count} conditions, in a row"), |space, random| {
            let conditions = conditions(space, random, count);
            long_guards(space, random, &conditions)
        });
    }
    measure("a switch", switch_guards);
}
