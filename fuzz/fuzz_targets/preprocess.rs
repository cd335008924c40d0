#![no_main]

use fixture::fuzz::{Target, on_deep_stack};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    on_deep_stack(|| Target::Preprocess.check(input)).expect("holds for every input");
});
