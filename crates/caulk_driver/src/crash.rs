//! Our own bugs, caught: a broken invariant costs one function or one unit, never the run.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Inside [`guarded`]: the panic is reported by us, not by the standard hook.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
    /// Where the last guarded panic was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a step; a panic becomes its message, with the place in our source.
///
/// What the step was changing may be half changed: the caller throws it away.
pub(crate) fn guarded<T>(step: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if IS_GUARDED.get() {
                let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
                PLACE.set(place);
            } else {
                previous(info);
            }
        }));
    });
    let outer = IS_GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(step));
    IS_GUARDED.set(outer);
    result.map_err(|payload| format!("{} at {}", message(payload.as_ref()), PLACE.take()))
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_becomes_a_message() {
        assert_eq!(guarded(|| 3), Ok(3));
        let number = 7;
        let error = guarded(|| assert!(number == 8, "number {number}")).expect_err("panics");
        assert!(error.starts_with("number 7 at ") && error.contains("crash.rs:"), "{error}");
    }
}
