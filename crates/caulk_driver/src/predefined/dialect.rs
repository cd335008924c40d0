//! Macros of the standard in force and of options that are no business of the machine.

use caulk_syntax::Standard;

use super::Lines;
use crate::command_line::UnitSettings;

/// What the C standard itself asks for, and what glibc's `stdc-predef.h` adds, which gcc reads
/// before every file.
pub(super) fn standard(lines: &mut Lines, settings: &UnitSettings) {
    let Standing { has_utf, is_exact } = Standing::of(settings);
    lines.define("__STDC__", 1);
    lines.define("__STDC_HOSTED__", u8::from(!settings.freestanding));
    if let Some(version) = settings.standard_version {
        lines.define("__STDC_VERSION__", version);
    }
    if has_utf {
        lines.flags(&["__STDC_UTF_16__", "__STDC_UTF_32__"]);
    }
    if settings.is_clang() {
        lines.table(
            "__STDC_EMBED_NOT_FOUND__ 0
__STDC_EMBED_FOUND__ 1
__STDC_EMBED_EMPTY__ 2",
        );
    } else if !settings.freestanding {
        lines.define("_STDC_PREDEF_H", 1);
        if is_exact {
            lines.table(
                "__STDC_IEC_559__ 1
__STDC_IEC_559_COMPLEX__ 1
__STDC_IEC_60559_BFP__ 201404L
__STDC_IEC_60559_COMPLEX__ 201404L",
            );
        }
        lines.define("__STDC_ISO_10646__", "201706L");
    }
}

struct Standing {
    has_utf: bool,
    /// Arithmetic is IEEE's to the letter.
    is_exact: bool,
}

impl Standing {
    fn of(settings: &UnitSettings) -> Standing {
        let dialect = settings.dialect;
        let since = if dialect.gnu { Standard::C99 } else { Standard::C11 };
        Standing { has_utf: settings.is_clang() || dialect.standard >= since, is_exact: is_exact(settings) }
    }
}

/// Not after `-ffast-math` and the like.
pub(super) fn is_exact(settings: &UnitSettings) -> bool {
    let floats = settings.floats;
    !(floats.finite_only || floats.no_signed_zeros || floats.associative || floats.reciprocal)
}

pub(super) fn options(lines: &mut Lines, settings: &UnitSettings) {
    if !settings.dialect.gnu {
        lines.define("__STRICT_ANSI__", 1);
    }
    lines.define(if settings.has_gnu89_inline() { "__GNUC_GNU_INLINE__" } else { "__GNUC_STDC_INLINE__" }, 1);
    if settings.optimize > 0 {
        lines.define("__OPTIMIZE__", 1);
        if settings.optimize_size {
            lines.define("__OPTIMIZE_SIZE__", 1);
        }
    }
    if settings.optimize == 0 || settings.no_inline {
        lines.define("__NO_INLINE__", 1);
    }
    if settings.unsigned_char {
        lines.define("__CHAR_UNSIGNED__", 1);
    }
    if settings.pic.level > 0 {
        lines.define("__pic__", settings.pic.level);
        lines.define("__PIC__", settings.pic.level);
        if settings.pic.is_executable {
            lines.define("__pie__", settings.pic.level);
            lines.define("__PIE__", settings.pic.level);
        }
    }
    if settings.exceptions {
        lines.define("__EXCEPTIONS", 1);
    }
    let clang = settings.is_clang();
    match settings.stack_protector {
        1 => lines.define("__SSP__", 1),
        2 => lines.define("__SSP_ALL__", if clang { 3 } else { 2 }),
        3 => lines.define("__SSP_STRONG__", if clang { 2 } else { 3 }),
        4 => lines.define("__SSP_EXPLICIT__", 4),
        _ => {}
    }
    if settings.control_flow_protection > 0 {
        lines.define("__CET__", settings.control_flow_protection);
    }
    if settings.openmp {
        lines.define("_OPENMP", if clang { 202_011 } else { 201_511 });
    }
    if settings.openacc {
        lines.define("_OPENACC", 201_711);
    }
    let gcc_threads = !clang && (settings.openmp || settings.openacc);
    if settings.threads || gcc_threads {
        lines.define("_REENTRANT", 1);
    }
    if !clang {
        if settings.sanitize_address {
            lines.define("__SANITIZE_ADDRESS__", 1);
        }
        if settings.sanitize_thread {
            lines.define("__SANITIZE_THREAD__", 1);
        }
    }
    floating_point(lines, settings);
}

fn floating_point(lines: &mut Lines, settings: &UnitSettings) {
    let floats = settings.floats;
    let clang = settings.is_clang();
    lines.define("__FINITE_MATH_ONLY__", u8::from(floats.finite_only));
    let mut flag = |is_set: bool, name: &str| {
        if is_set {
            lines.define(name, 1);
        }
    };
    flag(floats.fast, "__FAST_MATH__");
    flag(floats.no_errno, "__NO_MATH_ERRNO__");
    flag(!clang && floats.associative, "__ASSOCIATIVE_MATH__");
    flag(!clang && floats.reciprocal, "__RECIPROCAL_MATH__");
    flag(!clang && floats.no_signed_zeros, "__NO_SIGNED_ZEROS__");
    flag(!clang && floats.no_trapping, "__NO_TRAPPING_MATH__");
}
