//! All units of a project over worker threads.
//!
//! Workers take units from one list, the largest files first so that none is left over at the end;
//! results come back in the order of the project, so output does not depend on the number of threads.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::crash::guarded;
use crate::frontend::{BUG, PLEASE_REPORT, Scratch, TextResult, UnitResult, analyze_unit, preprocess_unit, print_tree};
use crate::project::{Project, UnitPlan};
use crate::session::Session;

/// Trees may be deep and passes over them recurse. Only touched pages cost memory; where even the
/// addresses are rationed (strict overcommit, `ulimit -v`) the next smaller stack must do.
const STACK_BYTES: [usize; 4] = [1 << 30, 256 << 20, 64 << 20, 8 << 20];

/// What a run yields beside its results.
#[derive(Debug)]
pub struct Run<T> {
    /// One for each unit, in the project's order; `Err` for a file that could not be read.
    pub results: Vec<Result<T, String>>,
    /// Files that are there and could not be used.
    pub problems: Vec<String>,
}

/// Analyses every unit. `visit` is called on the worker threads, so that what it does not keep is
/// freed before the next unit.
pub fn analyze<T: Send>(
    project: &Project,
    jobs: Option<NonZeroUsize>,
    visit: impl Fn(UnitResult) -> T + Sync,
) -> Run<T> {
    let session = Session::new();
    let units = &project.units;
    let jobs = jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let order = largest_first(units);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<T, String>>>> = Mutex::new(units.iter().map(|_| None).collect());
    let work = || {
        let mut scratch = Scratch::default();
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let plan = &units[index];
            let analyzed = guarded(|| analyze_unit(&session, plan, &mut scratch));
            let result = match analyzed {
                Ok(result) => result.map(&visit),
                Err(panic) => {
                    scratch = Scratch::default();
                    Err(format!("{}: {BUG}{panic}; the file is lost; {PLEASE_REPORT}", plan.file.display()))
                }
            };
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[index] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..jobs.min(units.len())).filter_map(|_| spawn(scope, &work)).collect();
        if handles.is_empty() {
            // No thread to be had: this one must do.
            work();
        }
    });
    let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let lost = || Err("not analysed".to_owned());
    Run {
        results: results.into_iter().map(|result| result.unwrap_or_else(lost)).collect(),
        problems: session.files.problems(),
    }
}

/// The unit as its compiler would see it after `-E`.
pub fn preprocess(plan: &UnitPlan) -> Result<TextResult, String> {
    on_large_stack(|| preprocess_unit(&Session::new(), plan))
}

/// The trees of the declarations in the unit's main file, as text.
pub fn syntax_tree(plan: &UnitPlan) -> Result<TextResult, String> {
    on_large_stack(|| print_tree(&Session::new(), plan))
}

fn on_large_stack<T: Send>(step: impl Fn() -> Result<T, String> + Sync) -> Result<T, String> {
    let run = || guarded(&step).unwrap_or_else(|panic| Err(format!("{BUG}{panic}; {PLEASE_REPORT}")));
    std::thread::scope(|scope| match spawn(scope, &run) {
        Some(handle) => handle.join().unwrap_or_else(|_| Err(BUG.to_owned())),
        None => run(),
    })
}

/// A thread with the largest stack there is room for.
fn spawn<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    work: &'scope (impl Fn() -> T + Sync),
) -> Option<ScopedJoinHandle<'scope, T>> {
    STACK_BYTES.iter().find_map(|&bytes| Builder::new().stack_size(bytes).spawn_scoped(scope, work).ok())
}

fn largest_first(units: &[UnitPlan]) -> Vec<usize> {
    let sizes: Vec<u64> = units.iter().map(|plan| plan.file.metadata().map_or(0, |metadata| metadata.len())).collect();
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(sizes[index]));
    order
}
