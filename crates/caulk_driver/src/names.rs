//! Which builtins and attributes a compiler says it has (`__has_builtin`, `__has_attribute`).
//!
//! The lists in `data/` are what gcc 12 and clang 19 answer for x86; a test asks them again. Saying
//! yes to a builtin that sema treats as opaque is right: the program would use it, and so must we.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Three lists: what both have, what gcc alone has, what clang alone has.
struct Names {
    common: FxHashSet<&'static str>,
    gcc: FxHashSet<&'static str>,
    clang: FxHashSet<&'static str>,
}

impl Names {
    fn new(common: &'static str, gcc: &'static str, clang: &'static str) -> Names {
        let set = |text: &'static str| text.split_whitespace().collect();
        Names { common: set(common), gcc: set(gcc), clang: set(clang) }
    }
}

static BUILTINS: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("../data/builtins_common.txt"),
        include_str!("../data/builtins_gcc.txt"),
        include_str!("../data/builtins_clang.txt"),
    )
});

static ATTRIBUTES: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("../data/attributes_common.txt"),
        include_str!("../data/attributes_gcc.txt"),
        include_str!("../data/attributes_clang.txt"),
    )
});

pub fn gcc_has_builtin(name: &str) -> bool {
    BUILTINS.common.contains(name) || BUILTINS.gcc.contains(name) || name.starts_with("__builtin_ia32_")
}

pub fn clang_has_builtin(name: &str) -> bool {
    BUILTINS.common.contains(name) || BUILTINS.clang.contains(name) || name.starts_with("__builtin_ia32_")
}

/// `__has_attribute`, for a name without underscores around it.
pub fn gcc_attribute_version(name: &str) -> u32 {
    u32::from(ATTRIBUTES.common.contains(name) || ATTRIBUTES.gcc.contains(name))
}

pub fn clang_attribute_version(name: &str) -> u32 {
    u32::from(ATTRIBUTES.common.contains(name) || ATTRIBUTES.clang.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_differ() {
        assert!(gcc_has_builtin("__builtin_expect") && clang_has_builtin("__builtin_expect"));
        assert!(gcc_has_builtin("__builtin_va_arg_pack") && !clang_has_builtin("__builtin_va_arg_pack"));
        assert!(!gcc_has_builtin("__builtin_popcountg") && clang_has_builtin("__builtin_popcountg"));
        assert!(!gcc_has_builtin("__builtin_no_such_thing"));
        assert_eq!((gcc_attribute_version("cleanup"), clang_attribute_version("cleanup")), (1, 1));
        assert_eq!((gcc_attribute_version("access"), clang_attribute_version("ownership_takes")), (1, 1));
        assert_eq!(gcc_attribute_version("ownership_takes"), 0);
    }
}
