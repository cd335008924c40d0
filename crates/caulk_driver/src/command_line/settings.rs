//! What a command line decides about one translation unit.

use std::path::{Path, PathBuf};

use caulk_sema::target::{I386_LINUX, Target, X86_64_LINUX};
use caulk_sema::types::IntKind;
use caulk_syntax::{Dialect, Standard};

use super::compiler::{Compiler, Family};

/// What an input is written in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    C,
    /// Already preprocessed C: no macros are predefined.
    PreprocessedC,
    /// Not ours; the word says what it is.
    Other(&'static str),
}

impl Language {
    /// As the compiler would guess from the name.
    pub fn from_path(path: &Path, is_cxx: bool) -> Language {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("c" | "i" | "h") if is_cxx => Language::Other("C++"),
            Some("c" | "h") => Language::C,
            Some("i") => Language::PreprocessedC,
            Some("cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "hh" | "hpp" | "hxx") => {
                Language::Other("C++")
            }
            Some("s" | "S" | "sx" | "asm") => Language::Other("assembler"),
            Some("m" | "mi" | "mm" | "M") => Language::Other("Objective-C"),
            Some("o" | "a" | "so" | "lo" | "la" | "obj" | "lib") => Language::Other("input of the linker"),
            Some("f" | "F" | "f90" | "F90" | "for") => Language::Other("Fortran"),
            Some("cu" | "cl" | "d" | "go" | "rs" | "ads" | "adb") => Language::Other("another language"),
            _ => Language::Other("not a C file by its name"),
        }
    }

    /// The argument of `-x`; `None` for `none`, which goes back to guessing.
    pub(super) fn from_option(word: &str) -> Option<Language> {
        Some(match word {
            "none" => return None,
            "c" | "c-header" => Language::C,
            "cpp-output" | "c-cpp-output" => Language::PreprocessedC,
            "c++" | "c++-header" | "c++-cpp-output" | "c++-system-header" | "c++-user-header" => Language::Other("C++"),
            "assembler" | "assembler-with-cpp" => Language::Other("assembler"),
            "objective-c" | "objective-c++" => Language::Other("Objective-C"),
            _ => Language::Other("another language"),
        })
    }
}

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Joined to the command's directory.
    pub path: PathBuf,
    pub language: Language,
}

/// Include options, each kind in its order, joined to the command's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncludeFlags {
    /// `-iquote`, and `-I` before `-I-`.
    pub quote: Vec<PathBuf>,
    /// `-I`
    pub normal: Vec<PathBuf>,
    /// `-isystem`
    pub system: Vec<PathBuf>,
    /// `-idirafter`
    pub after: Vec<PathBuf>,
    /// `-nostdinc`: no directory of the machine.
    pub no_standard: bool,
    pub sysroot: Option<PathBuf>,
}

/// Options of the instruction set.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Machine {
    /// `-m32`
    pub is_32_bit: bool,
    /// `-march=`; `native` and names we do not know mean the baseline.
    pub arch: String,
    /// `avx2` for `-mavx2`, `no-sse` for `-mno-sse`; in order.
    pub features: Vec<String>,
    /// `-mfpmath=sse`
    pub fpmath_sse: bool,
    /// `-mcmodel=`
    pub code_model: String,
}

/// `-fpic` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pic {
    /// 0 for none, 1 for `-fpic`, 2 for `-fPIC`.
    pub level: u8,
    pub is_executable: bool,
}

impl Default for Pic {
    /// Distributions' compilers make position-independent executables.
    fn default() -> Pic {
        Pic { level: 2, is_executable: true }
    }
}

/// Options of floating point that show in macros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Floats {
    pub fast: bool,
    pub finite_only: bool,
    pub associative: bool,
    pub reciprocal: bool,
    pub no_errno: bool,
    pub no_signed_zeros: bool,
    pub no_trapping: bool,
}

impl Floats {
    pub(super) fn set_unsafe(&mut self, on: bool) {
        self.associative = on;
        self.reciprocal = on;
        self.no_signed_zeros = on;
        self.no_trapping = on;
    }

    pub(super) fn set_fast(&mut self, on: bool) {
        self.set_unsafe(on);
        self.fast = on;
        self.finite_only = on;
        self.no_errno = on;
    }
}

/// Everything a command line decides about one translation unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitSettings {
    /// Where the compiler ran.
    pub directory: PathBuf,
    pub compiler: Compiler,
    pub dialect: Dialect,
    /// `__STDC_VERSION__`; C89 has none, its amendment has.
    pub standard_version: Option<&'static str>,
    pub machine: Machine,
    pub includes: IncludeFlags,
    /// `-D` and `-U` in their order, as lines of directives.
    pub macros: String,
    /// `-imacros`
    pub macro_files: Vec<PathBuf>,
    /// `-include`
    pub forced_includes: Vec<PathBuf>,
    /// `-O`: 0, 1, 2, 3 …
    pub optimize: u8,
    pub optimize_size: bool,
    pub no_inline: bool,
    pub pic: Pic,
    pub floats: Floats,
    pub unsigned_char: bool,
    pub short_enums: bool,
    pub short_wchar: bool,
    /// `-fgnu89-inline`; C89 has it anyway.
    pub gnu89_inline: bool,
    pub freestanding: bool,
    /// `-undef`
    pub no_predefined: bool,
    pub threads: bool,
    pub openmp: bool,
    pub openacc: bool,
    pub exceptions: bool,
    /// 1 plain, 2 all, 3 strong, 4 explicit, as gcc counts; 0 for none.
    pub stack_protector: u8,
    /// `-fcf-protection`: 1 branch, 2 return, 3 both.
    pub control_flow_protection: u8,
    pub sanitize_address: bool,
    pub sanitize_thread: bool,
    /// `-fms-extensions`, `-fplan9-extensions`: unnamed members by tag or typedef.
    pub ms_extensions: bool,
}

impl UnitSettings {
    pub fn new(directory: &Path) -> UnitSettings {
        UnitSettings {
            directory: directory.to_owned(),
            compiler: Compiler::default(),
            dialect: Dialect::default(),
            standard_version: Some("201710L"),
            machine: Machine::default(),
            includes: IncludeFlags::default(),
            macros: String::new(),
            macro_files: Vec::new(),
            forced_includes: Vec::new(),
            optimize: 0,
            optimize_size: false,
            no_inline: false,
            pic: Pic::default(),
            floats: Floats::default(),
            unsigned_char: false,
            short_enums: false,
            short_wchar: false,
            gnu89_inline: false,
            freestanding: false,
            no_predefined: false,
            threads: false,
            openmp: false,
            openacc: false,
            exceptions: false,
            stack_protector: 0,
            control_flow_protection: 0,
            sanitize_address: false,
            sanitize_thread: false,
            ms_extensions: false,
        }
    }

    /// Sizes and signedness, as the options change them.
    pub fn target(&self) -> Target {
        let base = if self.machine.is_32_bit { &I386_LINUX } else { &X86_64_LINUX };
        let mut target = base.clone();
        target.char_is_signed = !self.unsigned_char;
        target.short_enums = self.short_enums;
        if self.is_clang() {
            // gcc says `long` where it is as wide.
            target.wchar_type = IntKind::Int;
        }
        if self.short_wchar {
            target.wchar_type = IntKind::UShort;
        }
        target
    }

    /// `inline` as GNU C89 had it.
    pub fn has_gnu89_inline(&self) -> bool {
        self.gnu89_inline || self.dialect.standard == Standard::C89
    }

    pub(crate) fn is_clang(&self) -> bool {
        self.compiler.family == Family::Clang
    }
}

/// Every spelling of `-std=` that gcc and clang know.
pub(super) fn standard(word: &str, family: Family) -> Option<(Dialect, Option<&'static str>)> {
    let draft_c23 = if family == Family::Clang { "202311L" } else { "202000L" };
    let (standard, gnu, version) = match word {
        "c89" | "c90" | "ansi" | "iso9899:1990" => (Standard::C89, false, None),
        "iso9899:199409" => (Standard::C89, false, Some("199409L")),
        "gnu89" | "gnu90" => (Standard::C89, true, None),
        "c99" | "c9x" | "iso9899:1999" | "iso9899:199x" => (Standard::C99, false, Some("199901L")),
        "gnu99" | "gnu9x" => (Standard::C99, true, Some("199901L")),
        "c11" | "c1x" | "iso9899:2011" => (Standard::C11, false, Some("201112L")),
        "gnu11" | "gnu1x" => (Standard::C11, true, Some("201112L")),
        "c17" | "c18" | "iso9899:2017" | "iso9899:2018" => (Standard::C17, false, Some("201710L")),
        "gnu17" | "gnu18" => (Standard::C17, true, Some("201710L")),
        "c2x" => (Standard::C23, false, Some(draft_c23)),
        "gnu2x" => (Standard::C23, true, Some(draft_c23)),
        "c23" | "iso9899:2024" => (Standard::C23, false, Some("202311L")),
        "gnu23" => (Standard::C23, true, Some("202311L")),
        "c2y" => (Standard::C23, false, Some("202400L")),
        "gnu2y" => (Standard::C23, true, Some("202400L")),
        _ => return None,
    };
    Some((Dialect { standard, gnu, trigraphs: None }, version))
}
