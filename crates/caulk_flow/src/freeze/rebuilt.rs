//! Guards rebuilt over visible atoms and as few choices as tell the effects apart.

use super::*;

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
        let mut below: Vec<Guard> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for &guard in &moved {
            find_below(&space, guard, first_internal, &mut below, &mut seen);
        }
        // In the order of the guards: the result first, then what is written.
        let mut met = rustc_hash::FxHashSet::default();
        below.retain(|function| met.insert(*function));
        let mut told_functions: Vec<Guard> = Vec::new();
        let mut combinations = vec![(possible, Vec::<bool>::new())];
        for &function in &below {
            if space.is_exhausted() {
                return None;
            }
            if let Some(next) = split(&mut space, &combinations, function) {
                combinations = next;
                told_functions.push(function);
            }
        }
        let mut told: FxHashMap<Guard, Guard> = FxHashMap::default();
        let truths: Vec<&[bool]> = combinations.iter().map(|combination| combination.1.as_slice()).collect();
        for (function, sum) in sums(&mut space, &choices, &told_functions, &truths) {
            told.insert(function, sum);
        }
        let mut memo = FxHashMap::default();
        let untold = moved.iter().map(|&guard| is_untold(&space, guard, first_internal, &told, &mut memo)).collect();
        let mut memo = FxHashMap::default();
        let guards =
            moved.iter().map(|&guard| replace(&mut space, guard, first_internal, &told, &tests, &mut memo)).collect();
        (!space.is_exhausted()).then_some(Rebuilt { space, guards, untold })
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

/// The functions of internal atoms alone that hang below the visible ones, each in one polarity.
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
        found.push(guard.min(guard.not()));
        return;
    }
    find_below(space, yes, first_internal, found, seen);
    find_below(space, no, first_internal, found, seen);
}

/// Whether some function of internal atoms below the guard is not told.
fn is_untold(
    space: &Space,
    guard: Guard,
    first_internal: Atom,
    told: &FxHashMap<Guard, Guard>,
    memo: &mut FxHashMap<Guard, bool>,
) -> bool {
    let Some((atom, yes, no)) = space.node(guard) else { return false };
    let regular = guard.min(guard.not());
    if atom >= first_internal {
        return !told.contains_key(&regular);
    }
    if let Some(&known) = memo.get(&regular) {
        return known;
    }
    let untold = is_untold(space, yes, first_internal, told, memo) || is_untold(space, no, first_internal, told, memo);
    memo.insert(regular, untold);
    untold
}

fn replace(
    space: &mut Space,
    guard: Guard,
    first_internal: Atom,
    told: &FxHashMap<Guard, Guard>,
    tests: &[Guard],
    memo: &mut FxHashMap<Guard, Guard>,
) -> Guard {
    let Some((atom, yes, no)) = space.node(guard) else { return guard };
    if atom >= first_internal {
        let regular = guard.min(guard.not());
        let Some(&told) = told.get(&regular) else { return Guard::FALSE };
        return if regular == guard { told } else { told.not() };
    }
    if let Some(&known) = memo.get(&guard) {
        return known;
    }
    let yes = replace(space, yes, first_internal, told, tests, memo);
    let no = replace(space, no, first_internal, told, tests, memo);
    let replaced = space.ite(tests[atom.0 as usize], yes, no);
    memo.insert(guard, replaced);
    replaced
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
