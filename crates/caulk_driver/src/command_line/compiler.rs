//! Which compiler a command names.

use std::path::PathBuf;

/// The compiler whose predefined macros we give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    #[default]
    Gcc,
    Clang,
}

/// The program of a compile command.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compiler {
    pub family: Family,
    /// As the command names it; empty if flags were given without a compiler.
    pub program: PathBuf,
    /// `aarch64-linux-gnu` of `aarch64-linux-gnu-gcc`, or what `--target=` says.
    pub triple: Option<String>,
    /// `g++`, `clang++`: a `.c` file is C++ to it.
    pub is_cxx: bool,
    /// Not a compiler of C at all: an assembler, a linker, an archiver.
    pub is_other_tool: bool,
    /// `musl-gcc`: the C library is musl, in its own directory.
    pub is_musl: bool,
    /// `c89` and `c99` are compilers with a standard of their own.
    pub default_standard: Option<&'static str>,
}

/// Names of compilers, longest first where one ends in another.
const C_COMPILERS: [&str; 9] = ["clang", "gcc", "tcc", "icx", "icc", "c89", "c99", "cc", "cpp"];
const CXX_COMPILERS: [&str; 5] = ["clang++", "g++", "c++", "icpx", "icpc"];
const OTHER_TOOLS: [&str; 12] =
    ["as", "ld", "ar", "nasm", "yasm", "gas", "gfortran", "nvcc", "rustc", "swiftc", "ranlib", "windres"];

impl Compiler {
    pub fn from_program(program: &str) -> Compiler {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let name = without_version(name);
        let mut compiler = Compiler { program: PathBuf::from(program), ..Compiler::default() };
        let named = |candidates: &[&'static str]| {
            candidates.iter().copied().find(|candidate| {
                name.strip_suffix(candidate).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('-'))
            })
        };
        if let Some(word) = named(&CXX_COMPILERS) {
            compiler.is_cxx = true;
            compiler.set_prefix(name, word);
        } else if let Some(word) = named(&C_COMPILERS) {
            compiler.set_prefix(name, word);
        } else {
            compiler.is_other_tool = named(&OTHER_TOOLS).is_some();
        }
        compiler
    }

    fn set_prefix(&mut self, name: &str, word: &'static str) {
        if word.starts_with("clang") {
            self.family = Family::Clang;
        }
        if matches!(word, "c89" | "c99") {
            self.default_standard = Some(word);
        }
        let prefix = name[..name.len() - word.len()].trim_end_matches('-');
        match prefix {
            "" => {}
            "musl" => self.is_musl = true,
            // Debian's `c99-gcc` is how its `c99` is spelled.
            "c89" => self.default_standard = Some("c89"),
            "c99" => self.default_standard = Some("c99"),
            _ => self.triple = Some(prefix.to_owned()),
        }
    }

    /// A compiler for another machine, which knows directories that we cannot guess.
    pub fn is_cross(&self) -> bool {
        self.triple.is_some() && !self.program.as_os_str().is_empty()
    }
}

/// `gcc-12` is `gcc`, `clang-19.1` is `clang`.
fn without_version(name: &str) -> &str {
    let trimmed = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match trimmed.strip_suffix('-') {
        Some(base) if trimmed.len() < name.len() => base,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{Compiler, Family};

    #[test]
    fn names_with_paths_prefixes_and_versions() {
        let plain = Compiler::from_program("/usr/bin/gcc-12");
        assert_eq!((plain.family, plain.triple.clone(), plain.is_cxx), (Family::Gcc, None, false));
        let clang = Compiler::from_program("clang-19");
        assert_eq!(clang.family, Family::Clang);
        let cross = Compiler::from_program("/opt/x/bin/aarch64-linux-gnu-gcc-13");
        assert_eq!(cross.triple.as_deref(), Some("aarch64-linux-gnu"));
        assert!(cross.is_cross() && !plain.is_cross());
        assert!(Compiler::from_program("x86_64-linux-gnu-g++").is_cxx);
        assert!(Compiler::from_program("clang++-19").is_cxx);
        assert!(Compiler::from_program("musl-gcc").is_musl);
        assert!(Compiler::from_program("/usr/bin/ld").is_other_tool);
        assert_eq!(Compiler::from_program("c99").default_standard, Some("c99"));
        // Not a name we know: taken for a gcc.
        let unknown = Compiler::from_program("ccc-analyzer");
        assert!(!unknown.is_other_tool && !unknown.is_cxx);
    }
}
