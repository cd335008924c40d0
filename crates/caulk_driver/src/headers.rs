//! The compiler's own headers, embedded: what a C library expects to find beside itself.
//!
//! `stddef.h` and its kin are always ours. The intrinsics of x86 are ours only where the machine has
//! none: a gcc's or clang's own headers are complete (AVX-512 …), ours declare MMX to AVX2.

type Header = (&'static str, &'static str);

/// The directory these headers appear to be in.
pub(crate) const BUILTIN_DIRECTORY: &str = "<builtin>";

macro_rules! headers {
    ($(#[$meta:meta])* $visibility:vis $table:ident = [$($name:literal),* $(,)?]) => {
        $(#[$meta])*
        $visibility static $table: &[Header] =
            &[$(($name, include_str!(concat!("../headers/", $name)))),*];
    };
}

headers!(
    /// For machines with intrinsics headers of their own.
    pub(crate) CORE_HEADERS = [
        "float.h",
        "gnu/stubs-32.h",
        "iso646.h",
        "limits.h",
        "stdalign.h",
        "stdarg.h",
        "stdatomic.h",
        "stdbool.h",
        "stdckdint.h",
        "stddef.h",
        "stdint-gcc.h",
        "stdint.h",
        "stdnoreturn.h",
        "syslimits.h",
        "unwind.h",
        "varargs.h",
    ]
);

headers!(
    /// The same and the intrinsics.
    pub(crate) ALL_HEADERS = [
        "float.h",
        "gnu/stubs-32.h",
        "iso646.h",
        "limits.h",
        "stdalign.h",
        "stdarg.h",
        "stdatomic.h",
        "stdbool.h",
        "stdckdint.h",
        "stddef.h",
        "stdint-gcc.h",
        "stdint.h",
        "stdnoreturn.h",
        "syslimits.h",
        "unwind.h",
        "varargs.h",
        "ammintrin.h",
        "cpuid.h",
        "emmintrin.h",
        "immintrin.h",
        "mm_malloc.h",
        "mmintrin.h",
        "nmmintrin.h",
        "pmmintrin.h",
        "popcntintrin.h",
        "smmintrin.h",
        "tmmintrin.h",
        "wmmintrin.h",
        "x86gprintrin.h",
        "x86intrin.h",
        "xmmintrin.h",
    ]
);

#[cfg(test)]
mod tests {
    use super::{ALL_HEADERS, CORE_HEADERS};

    #[test]
    fn one_table_extends_the_other() {
        assert!(ALL_HEADERS.starts_with(CORE_HEADERS));
        for (name, text) in ALL_HEADERS {
            assert!(text.ends_with('\n') && text.matches("#if").count() == text.matches("#endif").count(), "{name}");
        }
    }
}
