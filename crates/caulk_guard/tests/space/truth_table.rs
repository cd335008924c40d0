//! Diagrams against truth tables: a function of eight atoms is 256 bits, and every operation is obvious on those.

use caulk_guard::{Atom, Guard, Space};

use crate::random::Random;

const ATOMS: usize = 8;
const ROWS: usize = 1 << ATOMS;

/// The naive twin of a guard: its value for every row of atom values.
#[derive(Clone, PartialEq, Debug)]
struct Table([bool; ROWS]);

impl Table {
    fn atom(atom: usize) -> Table {
        Table(std::array::from_fn(|row| row >> atom & 1 == 1))
    }

    fn constant(value: bool) -> Table {
        Table([value; ROWS])
    }

    fn combine(&self, other: &Table, f: impl Fn(bool, bool) -> bool) -> Table {
        Table(std::array::from_fn(|row| f(self.0[row], other.0[row])))
    }

    fn not(&self) -> Table {
        Table(self.0.map(|value| !value))
    }

    fn assume(&self, atom: usize, value: bool) -> Table {
        Table(std::array::from_fn(|row| self.0[row & !(1 << atom) | (value as usize) << atom]))
    }
}

fn table_of(space: &Space, g: Guard) -> Table {
    Table(std::array::from_fn(|row| space.evaluate(g, |atom| row >> atom.0 & 1 == 1)))
}

fn random_formula(space: &mut Space, random: &mut Random, depth: usize) -> (Guard, Table) {
    if depth == 0 || random.chance(10) {
        let atom = random.below(ATOMS);
        let positive = space.literal(Atom(atom as u32), true);
        return match random.below(20) {
            0 => (Guard::TRUE, Table::constant(true)),
            1..=9 => (positive.not(), Table::atom(atom).not()),
            _ => (positive, Table::atom(atom)),
        };
    }
    let (a, a_table) = random_formula(space, random, depth - 1);
    let (b, b_table) = random_formula(space, random, depth - 1);
    match random.below(4) {
        0 => (space.and(a, b), a_table.combine(&b_table, |a, b| a && b)),
        1 => (space.or(a, b), a_table.combine(&b_table, |a, b| a || b)),
        2 => (space.xor(a, b), a_table.combine(&b_table, |a, b| a != b)),
        _ => {
            let (c, c_table) = random_formula(space, random, depth - 1);
            let then = c_table.combine(&a_table, |c, a| c && a);
            let otherwise = c_table.combine(&b_table, |c, b| !c && b);
            (space.ite(c, a, b), then.combine(&otherwise, |a, b| a || b))
        }
    }
}

#[test]
fn operations_agree_with_truth_tables() {
    let mut random = Random::new(1);
    let mut space = Space::new(1 << 20);
    for round in 0..1500 {
        if round % 50 == 0 {
            space.clear();
            for _ in 0..ATOMS {
                space.choice();
            }
        }
        let (f, f_table) = random_formula(&mut space, &mut random, 4);
        let (g, g_table) = random_formula(&mut space, &mut random, 3);
        assert_eq!(table_of(&space, f), f_table);
        // Canonical: equal functions are equal guards.
        assert_eq!(f == g, f_table == g_table);
        assert_eq!(f == g.not(), f_table == g_table.not());
        assert_eq!(space.implies(f, g), (0..ROWS).all(|row| !f_table.0[row] || g_table.0[row]));
        let (h, h_table) = random_formula(&mut space, &mut random, 2);
        let are_apart = (0..ROWS).all(|row| !(f_table.0[row] && g_table.0[row] && h_table.0[row]));
        assert_eq!(space.are_apart([f, g, h]), are_apart);

        let restricted = space.restrict(f, g);
        let care = |table: &Table| table.combine(&g_table, |value, care| value && care);
        assert_eq!(care(&table_of(&space, restricted)), care(&f_table));
        assert!(space.size(restricted) <= space.size(f));
        assert!(!g.is_false() || restricted.is_false());

        let chosen = random.below(ROWS);
        let (exists, forall) =
            (space.exists(f, &|atom| chosen >> atom.0 & 1 == 1), space.forall(f, &|atom| chosen >> atom.0 & 1 == 1));
        let (mut some, mut all) = (f_table.clone(), f_table.clone());
        for atom in (0..ATOMS).filter(|atom| chosen >> atom & 1 == 1) {
            some = some.assume(atom, true).combine(&some.assume(atom, false), |a, b| a || b);
            all = all.assume(atom, true).combine(&all.assume(atom, false), |a, b| a && b);
        }
        assert_eq!(table_of(&space, exists), some);
        assert_eq!(table_of(&space, forall), all);

        let (atom, value) = (random.below(ATOMS), random.chance(50));
        let assumed = space.assume(f, Atom(atom as u32), value);
        assert_eq!(table_of(&space, assumed), f_table.assume(atom, value));

        let support: Vec<usize> =
            (0..ATOMS).filter(|&atom| f_table.assume(atom, true) != f_table.assume(atom, false)).collect();
        assert_eq!(space.support(&[f]).iter().map(|atom| atom.0 as usize).collect::<Vec<_>>(), support);
        if let Some((atom, high, low)) = space.node(f) {
            assert_eq!(table_of(&space, high), f_table.assume(atom.0 as usize, true));
            assert_eq!(table_of(&space, low), f_table.assume(atom.0 as usize, false));
        } else {
            assert!(f.is_true() || f.is_false());
        }
    }
}
