//! Guards rebuilt over visible atoms and as few choices as tell the effects apart.

use std::rc::Rc;

use super::*;

/// What choices stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choosing {
    /// The same whatever the visible atoms are.
    Everywhere,
    /// Another thing for other visible atoms, where they do not suffice: more can be told, in more words.
    Apart,
}

/// The guards over visible atoms and choices.
pub(super) struct Rebuilt {
    space: Space,
    pub(super) guards: Vec<Guard>,
    /// By guard: it hangs on conditions that could not be told apart within the cap.
    pub(super) untold: Vec<bool>,
}

impl Rebuilt {
    pub(super) fn new(
        from: &Space,
        guards: &[Guard],
        visible: &[(Atom, FrozenAtom)],
        internal: &[Atom],
        choosing: Choosing,
    ) -> Option<Rebuilt> {
        let mut space = Space::new(SCRATCH_NODES);
        space.limit_work(SCRATCH_WORK);
        let mut atoms: FxHashMap<Atom, Guard> = FxHashMap::default();
        for &(atom, _) in visible {
            atoms.insert(atom, space.choice());
        }
        let mut tests: Vec<Guard> = visible.iter().map(|(atom, _)| atoms[atom]).collect();
        let choices: Vec<Guard> = if internal.is_empty() {
            Vec::new()
        } else {
            (0..bits(MAX_COMBINATIONS)).map(|_| space.choice()).collect()
        };
        tests.extend_from_slice(&choices);
        for &atom in internal {
            atoms.insert(atom, space.choice());
        }
        let mut memo = FxHashMap::default();
        let moved: Vec<Guard> =
            guards.iter().map(|&guard| transfer(from, &mut space, &atoms, guard, &mut memo)).collect();
        if space.is_exhausted() {
            return None;
        }
        if internal.is_empty() {
            let untold = vec![false; moved.len()];
            return Some(Rebuilt { space, guards: moved, untold });
        }
        let first_internal = Atom((visible.len() + choices.len()) as u32);
        // Whoever sees the summary is past the return: what happened inside happened so that it returned.
        let possible = space.exists(moved[0], &|atom| atom < first_internal);
        let mut below: Vec<Guard> = vec![possible];
        let mut seen = rustc_hash::FxHashSet::default();
        for &guard in &moved {
            find_below(&space, guard, first_internal, &mut below, &mut seen);
        }
        let everywhere = tell_apart(&mut space, &choices, &below);
        let mut apart = Apart {
            space,
            first_internal,
            tests,
            choices,
            choosing,
            everywhere,
            known: FxHashMap::default(),
            contexts: 0,
        };
        let told = apart.tell(&moved)?;
        let (guards, untold) = told.iter().map(|told| (told.unwrap_or(Guard::FALSE), told.is_none())).unzip();
        (!apart.space.is_exhausted()).then_some(Rebuilt { space: apart.space, guards, untold })
    }

    /// Guards that are told or the opposite of one that is, by the outcomes they hold for.
    pub(super) fn of_outcomes(
        from: &Space,
        guards: &[Guarded],
        told: &[Guard],
        outcomes: &[(Guard, Vec<bool>)],
        visible: &[(Atom, FrozenAtom)],
        parts: &[(usize, Vec<bool>)],
    ) -> Option<Rebuilt> {
        let mut space = Space::new(SCRATCH_NODES);
        space.limit_work(SCRATCH_WORK);
        let atoms: FxHashMap<Atom, Guard> = visible.iter().map(|&(atom, _)| (atom, space.choice())).collect();
        let mut memo = FxHashMap::default();
        let possible: Vec<Guard> =
            outcomes.iter().map(|outcome| transfer(from, &mut space, &atoms, outcome.0, &mut memo)).collect();
        let mut returns = Guard::FALSE;
        for &possible in &possible {
            returns = space.or(returns, possible);
        }
        // The parts are functions, too, without a name of their own.
        let truths: Vec<Vec<bool>> = (0..outcomes.len())
            .map(|number| {
                let truths = outcomes[number].1.iter().copied();
                truths.chain(parts.iter().map(|part| part.1[number])).collect()
            })
            .collect();
        let truths: Vec<&[bool]> = truths.iter().map(Vec::as_slice).collect();
        let functions: Vec<Guard> = told.iter().copied().chain(parts.iter().map(|_| Guard::FALSE)).collect();
        let mut sums = if possible.iter().all(|guard| guard.is_true()) {
            let choices: Vec<Guard> = (0..bits(outcomes.len())).map(|_| space.choice()).collect();
            sums(&mut space, &choices, &functions, &truths)
        } else {
            sums_of_possible(&mut space, &possible, &functions, &truths)
        };
        let part_sums = sums.split_off(told.len());
        let (mut rebuilt, mut untold) = (vec![returns], vec![false]);
        for Guarded { guard, .. } in &guards[1..] {
            let found = sums.iter().find(|sum| sum.0 == *guard || sum.0.not() == *guard);
            untold.push(found.is_none() && !guard.is_constant());
            rebuilt.push(match found {
                Some(&(function, sum)) if function == *guard => sum,
                Some(&(_, sum)) => sum.not(),
                None if guard.is_constant() => *guard,
                None => Guard::FALSE,
            });
        }
        for ((number, _), (_, sum)) in parts.iter().zip(part_sums) {
            (rebuilt[*number], untold[*number]) = (sum, false);
        }
        (!space.is_exhausted()).then_some(Rebuilt { space, guards: rebuilt, untold })
    }

    /// Numbers the nodes and puts them into the summary, unless there are too many.
    pub(super) fn freeze(
        mut self,
        summary: &mut Summary,
        visible: &[(Atom, FrozenAtom)],
        max_nodes: usize,
    ) -> Option<Vec<When>> {
        let used = self.space.support(&self.guards);
        let atoms =
            used.iter().map(|atom| visible.get(atom.0 as usize).map_or(FrozenAtom::Choice, |entry| entry.1)).collect();
        let mut numbers: FxHashMap<Guard, When> = FxHashMap::default();
        let mut nodes = Vec::new();
        let guards: Vec<When> =
            self.guards.iter().map(|&guard| number(&self.space, guard, &used, &mut nodes, &mut numbers)).collect();
        if nodes.len() > max_nodes {
            return None;
        }
        (summary.atoms, summary.nodes) = (atoms, nodes);
        Some(guards)
    }
}

/// Every combination of truths, with the function's truth added, as far as it can be; `None` if they are too many.
pub(super) fn split(
    space: &mut Space,
    combinations: &[(Guard, Vec<bool>)],
    function: Guard,
) -> Option<Vec<(Guard, Vec<bool>)>> {
    let mut next = Vec::new();
    for (region, truths) in combinations {
        for (truth, part) in [(true, function), (false, function.not())] {
            let region = space.and(*region, part);
            if !region.is_false() {
                let mut truths = truths.clone();
                truths.push(truth);
                next.push((region, truths));
            }
        }
    }
    (next.len() <= MAX_COMBINATIONS).then_some(next)
}

/// By function: which choices mean that it holds, when each combination has its own.
fn sums(space: &mut Space, choices: &[Guard], functions: &[Guard], combinations: &[&[bool]]) -> Vec<(Guard, Guard)> {
    let sum = |place: usize| {
        let truths: Vec<bool> = combinations.iter().map(|truths| truths[place]).collect();
        (functions[place], one_of(space, choices, &truths))
    };
    (0..functions.len()).map(sum).collect()
}

/// The same where a combination needs a condition: a choice picks it, unless no later one can be.
fn sums_of_possible(
    space: &mut Space,
    possible: &[Guard],
    functions: &[Guard],
    combinations: &[&[bool]],
) -> Vec<(Guard, Guard)> {
    let mut sums: Vec<(Guard, Guard)> = functions.iter().map(|&function| (function, Guard::FALSE)).collect();
    let mut rest = Guard::TRUE;
    for (number, truths) in combinations.iter().enumerate() {
        let mut later = Guard::FALSE;
        for &other in &possible[number + 1..] {
            later = space.or(later, other);
        }
        let mut taken = space.and(rest, possible[number]);
        if !later.is_false() {
            let choice = space.choice();
            let is_taken = space.or(choice, later.not());
            taken = space.and(taken, is_taken);
        }
        rest = space.and(rest, taken.not());
        for (sum, _) in sums.iter_mut().zip(*truths).filter(|(_, truth)| **truth) {
            sum.1 = space.or(sum.1, taken);
        }
    }
    sums
}

/// The choices lead to one half of the combinations or the other, and so on; what is true of the one they end at.
fn one_of(space: &mut Space, choices: &[Guard], truths: &[bool]) -> Guard {
    match truths {
        [] => Guard::FALSE,
        [truth] => {
            if *truth {
                Guard::TRUE
            } else {
                Guard::FALSE
            }
        }
        _ => {
            let (first, second) = truths.split_at(truths.len() / 2);
            let (first, second) = (one_of(space, &choices[1..], first), one_of(space, &choices[1..], second));
            space.ite(choices[0], first, second)
        }
    }
}

/// How many choices tell so many combinations apart.
fn bits(combinations: usize) -> u32 {
    combinations.next_power_of_two().trailing_zeros()
}

fn transfer(
    from: &Space,
    to: &mut Space,
    atoms: &FxHashMap<Atom, Guard>,
    guard: Guard,
    memo: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((atom, yes, no)) = from.node(guard) else { return guard };
    if let Some(&known) = memo.get(&guard) {
        return known;
    }
    if to.is_exhausted() {
        return Guard::FALSE;
    }
    let yes = transfer(from, to, atoms, yes, memo);
    let no = transfer(from, to, atoms, no, memo);
    let moved = to.ite(atoms[&atom], yes, no);
    memo.insert(guard, moved);
    moved
}

/// The functions of internal atoms alone that hang below the visible ones.
fn find_below(
    space: &Space,
    guard: Guard,
    first_internal: Atom,
    found: &mut Vec<Guard>,
    seen: &mut rustc_hash::FxHashSet<Guard>,
) {
    let Some((atom, yes, no)) = space.node(guard) else { return };
    if !seen.insert(guard) {
        return;
    }
    if atom >= first_internal {
        found.push(guard);
        return;
    }
    find_below(space, yes, first_internal, found, seen);
    find_below(space, no, first_internal, found, seen);
}

/// By function of internal atoms, each in one polarity: the choices that stand for it, as far as they suffice, while the
/// first one holds.
fn tell_apart(space: &mut Space, choices: &[Guard], functions: &[Guard]) -> FxHashMap<Guard, Guard> {
    let mut told: Vec<Guard> = Vec::new();
    let mut combinations = vec![(functions[0], Vec::<bool>::new())];
    let mut met = rustc_hash::FxHashSet::default();
    for &function in functions {
        let function = regular(function);
        if !function.is_constant()
            && met.insert(function)
            && let Some(next) = split(space, &combinations, function)
        {
            combinations = next;
            told.push(function);
        }
    }
    let truths: Vec<&[bool]> = combinations.iter().map(|combination| combination.1.as_slice()).collect();
    sums(space, choices, &told, &truths).into_iter().collect()
}

/// Of a guard and its opposite, always the same.
fn regular(guard: Guard) -> Guard {
    guard.min(guard.not())
}

/// Tells functions of internal atoms apart by choices, wherever the visible atoms lead to.
struct Apart {
    space: Space,
    first_internal: Atom,
    tests: Vec<Guard>,
    choices: Vec<Guard>,
    choosing: Choosing,
    /// Functions that are told the same everywhere.
    everywhere: FxHashMap<Guard, Guard>,
    known: FxHashMap<Vec<Guard>, Rc<[Option<Guard>]>>,
    contexts: usize,
}

impl Apart {
    /// The guards by visible atoms and choices; `None` for one that could not be told everywhere. The first says when
    /// anything is told at all: whoever sees the summary is past the return.
    fn tell(&mut self, guards: &[Guard]) -> Option<Rc<[Option<Guard>]>> {
        if let Some(known) = self.known.get(guards) {
            return Some(known.clone());
        }
        self.contexts += 1;
        if self.contexts > MAX_CONTEXTS || self.space.is_exhausted() {
            return None;
        }
        let first = guards.iter().filter_map(|&guard| self.space.node(guard)).map(|node| node.0).min();
        let told: Rc<[Option<Guard>]> = match first {
            _ if guards[0].is_false() => guards.iter().map(|_| Some(Guard::FALSE)).collect(),
            Some(atom) if atom < self.first_internal => {
                let cofactor = |truth: bool| {
                    let half = |&guard: &Guard| match self.space.node(guard) {
                        Some((top, yes, no)) if top == atom => {
                            if truth {
                                yes
                            } else {
                                no
                            }
                        }
                        _ => guard,
                    };
                    guards.iter().map(half).collect::<Vec<Guard>>()
                };
                let (yes, no) = (cofactor(true), cofactor(false));
                let (yes, no) = (self.tell(&yes)?, self.tell(&no)?);
                let test = self.tests[atom.0 as usize];
                let both = yes.iter().zip(no.iter());
                both.map(|(yes, no)| Some(self.space.ite(test, (*yes)?, (*no)?))).collect()
            }
            _ => self.tell_inside(guards),
        };
        self.known.insert(guards.to_vec(), told.clone());
        Some(told)
    }

    /// Where the guards are functions of internal atoms alone: in their order, the result first, then what is written.
    fn tell_inside(&mut self, guards: &[Guard]) -> Rc<[Option<Guard>]> {
        let here: FxHashMap<Guard, Guard>;
        let is_told = |&guard: &Guard| guard.is_constant() || self.everywhere.contains_key(&regular(guard));
        let sums = if self.choosing == Choosing::Everywhere || guards.iter().all(is_told) {
            &self.everywhere
        } else {
            here = tell_apart(&mut self.space, &self.choices, guards);
            &here
        };
        let told = |&guard: &Guard| {
            let function = regular(guard);
            if guard.is_constant() {
                return Some(guard);
            }
            sums.get(&function).map(|&sum| if function == guard { sum } else { sum.not() })
        };
        guards.iter().map(told).collect()
    }
}

fn number(
    space: &Space,
    guard: Guard,
    used: &[Atom],
    nodes: &mut Vec<(u32, When, When)>,
    numbers: &mut FxHashMap<Guard, When>,
) -> When {
    if guard.is_false() {
        return When::NEVER;
    }
    if guard.is_true() {
        return When::ALWAYS;
    }
    if let Some(&known) = numbers.get(&guard) {
        return known;
    }
    let Some((atom, yes, no)) = space.node(guard) else { return When::NEVER };
    let yes = number(space, yes, used, nodes, numbers);
    let no = number(space, no, used, nodes, numbers);
    let atom = used.binary_search(&atom).map_or(0, |place| place as u32);
    nodes.push((atom, yes, no));
    let when = When((nodes.len() as u32) << 1);
    numbers.insert(guard, when);
    numbers.insert(guard.not(), When(when.0 | 1));
    when
}
