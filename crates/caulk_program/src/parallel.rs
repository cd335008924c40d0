//! The same step for many things, on all cores. Results are in order, so nothing depends on timing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Below this, threads cost more than they bring.
const MIN_ITEMS: usize = 4;

/// `step(0), step(1), …`
pub(crate) fn map<T: Send>(count: usize, step: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    if jobs <= 1 || count < MIN_ITEMS {
        return (0..count).map(step).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                let result = step(number);
                results.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
            }
        };
        let others: Vec<_> =
            (1..jobs).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|result| result.expect("every number was taken")).collect()
}
