//! Sizes, limits and names of integer types, computed from the target.

use caulk_sema::target::Target;
use caulk_sema::types::{FloatKind, IntKind};

use super::{Lines, bits};
use crate::command_line::UnitSettings;

/// The types of `<stdint.h>` and `<stddef.h>`, by what the target calls them.
struct Names {
    int64: IntKind,
    uint64: IntKind,
    /// `int_fast16_t` and `int_fast32_t`: a register.
    int_fast16: IntKind,
    uint_fast16: IntKind,
    int_fast32: IntKind,
    uint_fast32: IntKind,
}

impl Names {
    fn of(settings: &UnitSettings, target: &Target) -> Names {
        let is_wide = target.long_size == 8;
        let (int64, uint64) =
            if is_wide { (IntKind::Long, IntKind::ULong) } else { (IntKind::LongLong, IntKind::ULongLong) };
        let [int_fast16, uint_fast16, int_fast32, uint_fast32] = match (settings.is_clang(), is_wide) {
            (true, _) => [IntKind::Short, IntKind::UShort, IntKind::Int, IntKind::UInt],
            (false, true) => [IntKind::Long, IntKind::ULong, IntKind::Long, IntKind::ULong],
            (false, false) => [IntKind::Int, IntKind::UInt, IntKind::Int, IntKind::UInt],
        };
        Names { int64, uint64, int_fast16, uint_fast16, int_fast32, uint_fast32 }
    }
}

pub(super) fn define(lines: &mut Lines, settings: &UnitSettings, target: &Target) {
    let names = Names::of(settings, target);
    let mut writer = Writer { lines, target, is_clang: settings.is_clang() };
    writer.basic();
    writer.sizes();
    for (name, signed, unsigned) in [
        ("8", IntKind::SChar, IntKind::UChar),
        ("16", IntKind::Short, IntKind::UShort),
        ("32", IntKind::Int, IntKind::UInt),
        ("64", names.int64, names.uint64),
    ] {
        writer.exact(name, signed, unsigned);
        writer.sized(&format!("INT_LEAST{name}"), signed, true);
        writer.sized(&format!("UINT_LEAST{name}"), unsigned, false);
    }
    for (name, signed, unsigned) in [
        ("8", IntKind::SChar, IntKind::UChar),
        ("16", names.int_fast16, names.uint_fast16),
        ("32", names.int_fast32, names.uint_fast32),
        ("64", names.int64, names.uint64),
    ] {
        writer.sized(&format!("INT_FAST{name}"), signed, true);
        writer.sized(&format!("UINT_FAST{name}"), unsigned, false);
    }
    let unsigned_pointer = target.size_type;
    writer.sized("INTMAX", names.int64, true);
    writer.sized("UINTMAX", names.uint64, writer.is_clang);
    writer.constant_macro("INTMAX", names.int64);
    writer.constant_macro("UINTMAX", names.uint64);
    writer.sized("INTPTR", target.ptrdiff_type, true);
    writer.sized("UINTPTR", unsigned_pointer, writer.is_clang);
    writer.sized("PTRDIFF", target.ptrdiff_type, true);
    writer.sized("SIZE", target.size_type, true);
    writer.sized("WCHAR", target.wchar_type, true);
    writer.sized("WINT", target.wint_type, true);
    writer.sized("SIG_ATOMIC", IntKind::Int, true);
    writer.minima();
    if settings.is_clang() {
        writer.clang_formats(&names, settings);
    }
}

struct Writer<'a> {
    lines: &'a mut Lines,
    target: &'a Target,
    is_clang: bool,
}

impl Writer<'_> {
    fn maximum(&self, kind: IntKind) -> String {
        let width = bits(self.target, kind) as u32 - u32::from(self.target.int_is_signed(kind));
        let value = u64::MAX >> (64 - width);
        if self.is_clang { format!("{value}{}", suffix(kind)) } else { format!("{value:#x}{}", suffix(kind)) }
    }

    fn type_name(&self, kind: IntKind) -> &'static str {
        let short = self.is_clang;
        match kind {
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short if short => "short",
            IntKind::Short => "short int",
            IntKind::UShort if short => "unsigned short",
            IntKind::UShort => "short unsigned int",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long int",
            IntKind::ULong => "long unsigned int",
            IntKind::LongLong => "long long int",
            IntKind::ULongLong => "long long unsigned int",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
        }
    }

    fn basic(&mut self) {
        self.lines.define("__CHAR_BIT__", 8);
        let long_long_width = if self.is_clang { "__LLONG_WIDTH__" } else { "__LONG_LONG_WIDTH__" };
        for (limit, width, kind) in [
            ("__SCHAR_MAX__", "__SCHAR_WIDTH__", IntKind::SChar),
            ("__SHRT_MAX__", "__SHRT_WIDTH__", IntKind::Short),
            ("__INT_MAX__", "__INT_WIDTH__", IntKind::Int),
            ("__LONG_MAX__", "__LONG_WIDTH__", IntKind::Long),
            ("__LONG_LONG_MAX__", long_long_width, IntKind::LongLong),
        ] {
            self.lines.define(limit, self.maximum(kind));
            if !(self.is_clang && kind == IntKind::SChar) {
                self.lines.define(width, bits(self.target, kind));
            }
        }
        if self.is_clang {
            self.lines.define("__BOOL_WIDTH__", 8);
            self.lines.define("__POINTER_WIDTH__", self.target.pointer_size * 8);
            self.lines.define("__WINT_UNSIGNED__", 1);
            if !self.target.int_is_signed(self.target.wchar_type) {
                self.lines.define("__WCHAR_UNSIGNED__", 1);
            }
        }
        self.lines.define("__CHAR16_TYPE__", self.type_name(IntKind::UShort));
        self.lines.define("__CHAR32_TYPE__", self.type_name(IntKind::UInt));
    }

    fn sizes(&mut self) {
        let target = self.target;
        for (name, size) in [
            ("SHORT", 2),
            ("INT", 4),
            ("LONG", target.long_size),
            ("LONG_LONG", 8),
            ("FLOAT", target.float_size(FloatKind::Float)),
            ("DOUBLE", target.float_size(FloatKind::Double)),
            ("LONG_DOUBLE", target.long_double_size),
            ("POINTER", target.pointer_size),
        ] {
            self.lines.define(&format!("__SIZEOF_{name}__"), size);
        }
        for (name, kind) in [
            ("SIZE", target.size_type),
            ("PTRDIFF", target.ptrdiff_type),
            ("WCHAR", target.wchar_type),
            ("WINT", target.wint_type),
        ] {
            self.lines.define(&format!("__SIZEOF_{name}_T__"), target.int_size(kind));
        }
        if target.has_int128 {
            self.lines.define("__SIZEOF_INT128__", 16);
        }
        self.lines.define("__SIZEOF_FLOAT128__", target.float_size(FloatKind::Float128));
        if !self.is_clang {
            self.lines.define("__SIZEOF_FLOAT80__", target.long_double_size);
        }
        let model = if target.pointer_size == 8 { ["_LP64", "__LP64__"] } else { ["_ILP32", "__ILP32__"] };
        self.lines.flags(&model);
    }

    /// `__NAME_TYPE__`, `__NAME_MAX__` and, where the compiler has it, `__NAME_WIDTH__`.
    fn sized(&mut self, name: &str, kind: IntKind, has_width: bool) {
        if !(self.is_clang && name == "SIG_ATOMIC") {
            self.lines.define(&format!("__{name}_TYPE__"), self.type_name(kind));
        }
        self.lines.define(&format!("__{name}_MAX__"), self.maximum(kind));
        if has_width {
            self.lines.define(&format!("__{name}_WIDTH__"), bits(self.target, kind));
        }
    }

    /// `__INT32_TYPE__`, `__INT32_MAX__`, `__INT32_C`.
    fn exact(&mut self, width: &str, signed: IntKind, unsigned: IntKind) {
        for (name, kind) in [(format!("INT{width}"), signed), (format!("UINT{width}"), unsigned)] {
            self.sized(&name, kind, false);
            self.constant_macro(&name, kind);
        }
    }

    fn constant_macro(&mut self, name: &str, kind: IntKind) {
        let suffix = suffix(kind);
        if self.is_clang {
            self.lines.define(&format!("__{name}_C_SUFFIX__"), suffix);
        } else if suffix.is_empty() {
            self.lines.define(&format!("__{name}_C(c)"), "c");
        } else {
            self.lines.define(&format!("__{name}_C(c)"), format_args!("c ## {suffix}"));
        }
    }

    fn minima(&mut self) {
        if self.is_clang {
            return;
        }
        self.lines.define("__SIG_ATOMIC_MIN__", "(-__SIG_ATOMIC_MAX__ - 1)");
        self.lines.define("__WINT_MIN__", "0U");
        let wchar_minimum = match self.target.int_is_signed(self.target.wchar_type) {
            true => "(-__WCHAR_MAX__ - 1)",
            false => "0",
        };
        self.lines.define("__WCHAR_MIN__", wchar_minimum);
    }

    /// `__INT64_FMTd__ "ld"` and its many kin.
    fn clang_formats(&mut self, names: &Names, settings: &UnitSettings) {
        let has_binary = settings.dialect.standard >= caulk_syntax::Standard::C23;
        if has_binary {
            self.lines.define("__CHAR8_TYPE__", "unsigned char");
        }
        let mut entries: Vec<(String, IntKind)> = Vec::new();
        for (width, kind, fast) in [
            ("8", IntKind::SChar, IntKind::SChar),
            ("16", IntKind::Short, names.int_fast16),
            ("32", IntKind::Int, names.int_fast32),
            ("64", names.int64, names.int64),
        ] {
            entries.push((format!("INT{width}"), kind));
            entries.push((format!("INT_LEAST{width}"), kind));
            entries.push((format!("INT_FAST{width}"), fast));
        }
        entries.push(("INTMAX".to_owned(), names.int64));
        entries.push(("INTPTR".to_owned(), self.target.ptrdiff_type));
        for (name, kind) in &entries {
            let length = length_modifier(*kind);
            for letter in ["d", "i"] {
                self.lines.define(&format!("__{name}_FMT{letter}__"), format_args!("\"{length}{letter}\""));
            }
            self.unsigned_formats(&format!("U{name}"), length, has_binary);
        }
        let pointer_length = length_modifier(self.target.ptrdiff_type);
        for letter in ["d", "i"] {
            self.lines.define(&format!("__PTRDIFF_FMT{letter}__"), format_args!("\"{pointer_length}{letter}\""));
        }
        self.unsigned_formats("SIZE", pointer_length, has_binary);
    }

    fn unsigned_formats(&mut self, name: &str, length: &str, has_binary: bool) {
        let letters: &[&str] = if has_binary { &["o", "u", "x", "X", "b", "B"] } else { &["o", "u", "x", "X"] };
        for letter in letters {
            self.lines.define(&format!("__{name}_FMT{letter}__"), format_args!("\"{length}{letter}\""));
        }
    }
}

fn suffix(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort | IntKind::Int => "",
        IntKind::UInt => "U",
        IntKind::Long => "L",
        IntKind::ULong => "UL",
        IntKind::LongLong => "LL",
        IntKind::ULongLong => "ULL",
        IntKind::Int128 | IntKind::UInt128 => "",
    }
}

fn length_modifier(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char | IntKind::SChar | IntKind::UChar => "hh",
        IntKind::Short | IntKind::UShort => "h",
        IntKind::Int | IntKind::UInt => "",
        IntKind::Long | IntKind::ULong => "l",
        IntKind::LongLong | IntKind::ULongLong | IntKind::Int128 | IntKind::UInt128 => "ll",
    }
}
