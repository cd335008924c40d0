//! What the command line decides about the language.

use std::path::PathBuf;

/// The standard in force (`-std=`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Standard {
    C89,
    C99,
    C11,
    C17,
    C23,
}

/// Which words and forms the language has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Dialect {
    pub standard: Standard,
    /// `-std=gnu…` rather than `-std=c…`: `asm`, `typeof`, `//` in C89, no trigraphs.
    pub gnu: bool,
    /// `-trigraphs` overrides what the standard says.
    pub trigraphs: Option<bool>,
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect { standard: Standard::C17, gnu: true, trigraphs: None }
    }
}

/// What changes how bytes become tokens; a header lexed in one mode is not reused in another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LexMode {
    pub trigraphs: bool,
    /// `//` is not a comment (strict C89).
    pub no_line_comments: bool,
    /// `1'000` is one number (C23).
    pub digit_separators: bool,
}

impl Dialect {
    pub fn lex_mode(self) -> LexMode {
        let strict = !self.gnu;
        LexMode {
            trigraphs: self.trigraphs.unwrap_or(strict && self.standard < Standard::C23),
            no_line_comments: strict && self.standard == Standard::C89,
            digit_separators: self.standard >= Standard::C23,
        }
    }
}

/// A directory searched for headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeDir {
    pub path: PathBuf,
    /// `-isystem`, `-idirafter` and the machine's own: findings inside are nobody's.
    pub is_system: bool,
}

/// What the preprocessor needs to know about one translation unit.
#[derive(Clone, Debug, Default)]
pub struct PreprocessorConfig {
    pub dialect: Dialect,
    /// `-iquote`: only for `#include "…"`, after the includer's own directory.
    pub quote_dirs: Vec<IncludeDir>,
    /// `-I`, then `-isystem`, then the machine's, then `-idirafter`, in search order.
    pub dirs: Vec<IncludeDir>,
    /// Text of the predefined macros: `#define` lines of the target, the dialect and the compiler
    /// that is impersonated. Lexed once per distinct text through [`crate::lexer`], as a file
    /// called `<built-in>`.
    pub predefined: std::sync::Arc<str>,
    /// `-D` and `-U` in their order, as `#define`/`#undef` lines; a file called `<command-line>`.
    pub command_line: String,
    /// `-imacros` files: only their macros count.
    pub macro_files: Vec<PathBuf>,
    /// `-include` files, as if included first.
    pub forced_includes: Vec<PathBuf>,
    /// Builtin headers by name (`stddef.h`); found as a directory called `<builtin>` at the place in
    /// `dirs` where a directory with exactly that path stands.
    pub builtin_headers: &'static [(&'static str, &'static str)],
    /// Names for which `__has_builtin` says yes beyond every `__builtin_`/`__sync_`/`__atomic_` name
    /// that [`PreprocessorConfig::is_builtin`] knows.
    pub is_builtin: Option<fn(&str) -> bool>,
    /// The value of `__has_attribute`, by name without underscores; 0 means unknown.
    pub attribute_version: Option<fn(&str) -> u32>,
    /// Clang is impersonated: `__has_feature` and `__has_extension` are defined.
    pub is_clang: bool,
}
