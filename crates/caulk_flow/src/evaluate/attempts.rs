//! How often a function is evaluated, and what that may cost.
//!
//! First every loop is visited just once, by the visit that forgets integers: that is cheapest, and if it is too much the
//! function is given up. What it cost tells whether more visits can be afforded; the most that can be are what counts.

use caulk_ir::ir::BlockId;
use caulk_program::{FunctionId, Program, Source};

use super::{Evaluator, Exhausted, Slice, WORK_PER_STEP};

/// Visits of a loop before the one that forgets integers, and the steps that this may take. Beyond the last, which comes
/// first, the function is given up: its callers must take it for unknown. May cost misses, never false alarms.
const ATTEMPTS: [(u32, u64); 3] = [(3, 1_000), (1, 1_500), (0, 1_800)];
/// The most that the steps of the second attempt are multiplied by, beside the patience.
const SECOND_CHANCE: u64 = 4;
/// The same for the last attempt, twice where there is any patience.
const LAST_CHANCE: u64 = 4;
/// The first attempt will not get through if it has used half of its steps without coming past this part of the blocks.
const LATE: usize = 4;
/// Another one, if that part of its steps is used and it would take so many times the steps it has at the pace of the
/// first.
const EARLY: u64 = 8;
const TOO_SLOW: u64 = 2;
/// Bytes of source to a function for which a compiler takes about as long as one attempt.
const BYTES_PER_PATIENCE: usize = 4000;
const MAX_PATIENCE: u64 = 16;
/// Functions of so many instructions may take all the steps they get, a step for each byte that a compiler reads.
const LARGE: usize = 200;
/// So many steps nobody waits for, however little there is to read.
const LITTLE: usize = 400_000;
/// Functions that call each other and are looked at again and again.
const LARGE_CIRCLE: usize = 32;

/// How much a function may cost more than the least. A compiler reads the headers again for every file; whoever waits
/// for that can wait as long for the large functions among those that come with them.
pub fn patience(program: &Program) -> u64 {
    let bytes =
        |source: &Source| -> usize { source.map.inclusions().iter().map(|inclusion| inclusion.file.text.len()).sum() };
    let read: usize = program.sources.iter().map(bytes).sum();
    let by_function = read / program.functions().len().max(1);
    let most = ((by_function / BYTES_PER_PATIENCE) as u64).clamp(1, MAX_PATIENCE);
    let is_large = |&function: &FunctionId| program.body(function).1.insts.len() > LARGE;
    let large = program.functions().ids().filter(is_large).count().max(1);
    let affordable = (read.max(LITTLE) / large) as u64;
    (1..=most).rev().find(|&patience| most_steps(patience) <= affordable).unwrap_or(1)
}

/// What a function may cost in all, and once more in parts.
fn most_steps(patience: u64) -> u64 {
    2 * ATTEMPTS.iter().map(|&(visits, steps)| steps * patience * chance(visits, patience, false)).sum::<u64>()
}

/// What the steps of an attempt are multiplied by, beside the patience: the last chance to see a loop turn, and to see
/// anything. In a circle a function is evaluated again and again.
fn chance(visits: u32, patience: u64, is_in_circle: bool) -> u64 {
    match visits {
        0 if is_in_circle => patience.min(2),
        0 => patience.min(2) * patience.min(LAST_CHANCE),
        1 if !is_in_circle => patience.min(SECOND_CHANCE),
        _ => 1,
    }
}

impl Evaluator<'_> {
    /// Evaluates the function, with as many visits of its loops as can be afforded.
    pub fn run(&mut self) -> Result<(), Exhausted> {
        self.slice = None;
        let patience = self.cx.patience;
        let is_in_circle = self.is_in_circle();
        let budgets =
            ATTEMPTS.map(|(visits, steps)| (visits, steps * patience * chance(visits, patience, is_in_circle)));
        let [more @ .., (least, max_steps)] = budgets;
        self.pace = vec![0; self.plan.order.len()];
        self.attempt(least, max_steps)?;
        if self.plan.live_outs.is_empty() {
            return Ok(());
        }
        self.pace.push(self.steps);
        let (once, spent) = (self.plan.least_steps(least).max(1), self.steps);
        for (visits, max_steps) in more {
            let expected = spent * self.plan.least_steps(visits) / once;
            if expected * u64::from(visits + 1) / 2 > max_steps {
                continue;
            }
            let before = self.steps;
            let done = self.attempt(visits, max_steps);
            self.steps += before;
            if done.is_ok() {
                return Ok(());
            }
        }
        if self.visits > least {
            let before = self.steps;
            self.attempt(least, max_steps)?;
            self.steps += before;
        }
        Ok(())
    }

    /// Evaluates the part of the function that matters to some of its calls.
    pub fn run_slice(&mut self, slice: Slice) -> Result<(), Exhausted> {
        let [.., (visits, steps)] = ATTEMPTS;
        let max_steps = steps * self.cx.patience.max(slice.round.patience);
        self.slice = Some(slice);
        self.attempt(visits, max_steps)
    }

    /// Evaluates once more what was evaluated last, and records what happens.
    pub fn replay(&mut self) -> Result<(), Exhausted> {
        let steps = self.steps;
        self.reset(self.visits, self.max_steps, true);
        let done = self.pass();
        self.steps = steps;
        done
    }

    fn attempt(&mut self, visits: u32, max_steps: u64) -> Result<(), Exhausted> {
        self.reset(visits, max_steps, false);
        let done = self.pass();
        self.steps += self.space.work() / WORK_PER_STEP;
        done
    }

    /// Whether an attempt that has come to a block will not get through.
    pub(super) fn is_late(&mut self, block: BlockId) -> bool {
        if self.slice.is_some() {
            return false;
        }
        let number = self.plan.number(block);
        let steps = self.steps + self.space.work() / WORK_PER_STEP;
        if self.visits > 0 {
            let (before, all) = (self.pace[number], self.pace[self.pace.len() - 1]);
            let can_tell = before > 0 && self.plan.loops.innermost(block).is_none();
            return can_tell && steps > self.max_steps / EARLY && steps * all / before > self.max_steps * TOO_SLOW;
        }
        if self.reached < number {
            self.reached = number;
            self.pace[number] = steps;
        }
        steps > self.max_steps / 2 && self.reached < self.plan.order.len() / LATE
    }

    /// Whether the function is one of many that call each other.
    fn is_in_circle(&self) -> bool {
        let program = self.cx.program;
        program.components()[program.component_of(self.function)].functions.len() > LARGE_CIRCLE
    }
}
