//! Work on every component after its callees, on as many threads as there are.
//!
//! - *ready*: all callees of a component are done.
//! - *height*: how much work depends on a component, itself included; the highest ready one goes first, so that no
//!   long chain is left for the end.
//!
//! ```c
//! void a(void) {}  void b(void) {}  void c(void) { a(); b(); }
//! ```
//! `a` and `b` are ready at once and may run side by side; `c` becomes ready when the second of them is done.
//!
//! Invariant: the work on a component sees the results of its callees and of nothing else, so that results are
//! the same whatever the number of threads and their timing.

use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Builder;

use crate::program::{FunctionId, Program};

/// The engine recurses over deep structures. Only touched pages cost memory; where even the addresses are rationed
/// (strict overcommit, `ulimit -v`) the next smaller stack must do.
const STACK_BYTES: [usize; 3] = [256 << 20, 64 << 20, 8 << 20];

/// What the work on one component may look at: the results of its callees.
#[derive(Debug)]
pub struct Done<'a, T> {
    program: &'a Program,
    component: usize,
    results: &'a [OnceLock<T>],
}

impl<'a, T> Done<'a, T> {
    /// The result of a component that this one calls; `None` for all others, even if they are done.
    pub fn component(&self, number: usize) -> Option<&'a T> {
        let callees = &self.program.components()[self.component].callees;
        callees.binary_search(&(number as u32)).ok()?;
        self.results[number].get()
    }

    /// The result of the component that a function is in, if this one calls it.
    pub fn function(&self, function: FunctionId) -> Option<&'a T> {
        self.component(self.program.component_of(function))
    }
}

/// Runs `work` for the number of every component after its callees, on `jobs` threads; results by component.
pub fn schedule<T: Send + Sync>(
    program: &Program,
    jobs: usize,
    work: impl Fn(usize, &Done<'_, T>) -> T + Sync,
) -> Vec<T> {
    let components = program.components();
    let results: Vec<OnceLock<T>> = components.iter().map(|_| OnceLock::new()).collect();
    let board = Board::new(program);
    let worker = || {
        let guard = StopOnPanic(&board);
        while let Some(number) = board.take() {
            let result = work(number, &Done { program, component: number, results: &results });
            let is_new = results[number].set(result).is_ok();
            debug_assert!(is_new, "each component is taken once");
            board.finish(number);
        }
        std::mem::forget(guard);
    };
    std::thread::scope(|scope| {
        let spawn = || {
            let mut stacks = STACK_BYTES.iter();
            stacks.find_map(|&bytes| Builder::new().stack_size(bytes).spawn_scoped(scope, worker).ok())
        };
        let count = jobs.clamp(1, components.len().max(1));
        let handles: Vec<_> = (0..count).filter_map(|_| spawn()).collect();
        if handles.is_empty() {
            // No thread to be had: this one must do.
            worker();
        }
        for handle in handles {
            if let Err(panic) = handle.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let done = results.into_iter().map(|result| result.into_inner().expect("every component was worked on"));
    done.collect()
}

/// What is ready, and what waits for what.
struct Board {
    state: Mutex<State>,
    changed: Condvar,
    /// By component: those that call it.
    callers: Vec<Vec<u32>>,
    heights: Vec<u64>,
}

struct State {
    /// Height and number.
    ready: BinaryHeap<(u64, u32)>,
    /// By component: how many of its callees are not done.
    waits_for: Vec<u32>,
    unfinished: usize,
    is_stopped: bool,
}

impl Board {
    fn new(program: &Program) -> Board {
        let components = program.components();
        let mut callers = vec![Vec::new(); components.len()];
        let mut heights = vec![0; components.len()];
        for (number, component) in components.iter().enumerate() {
            for &callee in &component.callees {
                callers[callee as usize].push(number as u32);
            }
        }
        // Callers have larger numbers.
        for (number, component) in components.iter().enumerate().rev() {
            let sizes = component.functions.iter().map(|&function| program.body(function).1.insts.len() as u64 + 1);
            let above = callers[number].iter().map(|&caller| heights[caller as usize]).max().unwrap_or(0);
            heights[number] = above + sizes.sum::<u64>();
        }
        let waits_for: Vec<u32> = components.iter().map(|component| component.callees.len() as u32).collect();
        let free = (0..components.len()).filter(|&number| waits_for[number] == 0);
        let ready = free.map(|number| (heights[number], number as u32)).collect();
        let state = State { ready, waits_for, unfinished: components.len(), is_stopped: false };
        Board { state: Mutex::new(state), changed: Condvar::new(), callers, heights }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next component to work on, waiting for one; `None` when all are done.
    fn take(&self) -> Option<usize> {
        let mut state = self.lock();
        loop {
            if state.unfinished == 0 || state.is_stopped {
                return None;
            }
            if let Some((_, number)) = state.ready.pop() {
                return Some(number as usize);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, number: usize) {
        let mut state = self.lock();
        state.unfinished -= 1;
        let mut wakes = 0;
        for &caller in &self.callers[number] {
            state.waits_for[caller as usize] -= 1;
            if state.waits_for[caller as usize] == 0 {
                state.ready.push((self.heights[caller as usize], caller));
                wakes += 1;
            }
        }
        // This thread takes one of them itself.
        if wakes > 1 || state.unfinished == 0 {
            self.changed.notify_all();
        }
    }
}

/// A worker that panics would leave the others waiting for what it does not finish.
struct StopOnPanic<'a>(&'a Board);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        self.0.lock().is_stopped = true;
        self.0.changed.notify_all();
    }
}
