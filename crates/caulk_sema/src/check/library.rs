//! Types of library functions that compilers know: for `__builtin_memcpy` and the like, and for calls
//! without a declaration.
//!
//! A signature is a result and parameters, a letter each: `v` void, `i` int, `u` unsigned, `l` long,
//! `q` long long, `z` size_t, `d` double, `f` float, `e` long double, `p` `void *`, `P` `const void *`,
//! `s` `char *`, `S` `const char *`, `F` `FILE *` (as `void *`), `a` `va_list`, `c` char as int,
//! `b` _Bool, `.` variadic, `!` never returns.

use crate::target::VaListKind;
use crate::types::{FunctionType, Ty, Type, TypeTable};

/// The function type of a library function, if compilers know it.
pub(super) fn library_function(types: &mut TypeTable, name: &str) -> Option<Ty> {
    let at = SIGNATURES.binary_search_by(|(known, _)| known.cmp(&name)).ok();
    let signature = match at {
        Some(at) => SIGNATURES[at].1,
        None => math_signature(name)?,
    };
    let mut letters = signature.chars();
    let result = letter_type(types, letters.next()?);
    let mut parameters = Vec::new();
    let (mut is_variadic, mut is_noreturn) = (false, false);
    for letter in letters {
        match letter {
            '.' => is_variadic = true,
            '!' => is_noreturn = true,
            _ => parameters.push(letter_type(types, letter)),
        }
    }
    let function =
        FunctionType { result, parameters: parameters.into(), is_variadic, is_unprototyped: false, is_noreturn };
    Some(types.function_type(function))
}

fn letter_type(types: &mut TypeTable, letter: char) -> Ty {
    match letter {
        'v' => Ty::VOID,
        'i' | 'c' => Ty::INT,
        'u' => Ty::UINT,
        'l' => Ty::LONG,
        'L' => Ty::ULONG,
        'q' => Ty::LONG_LONG,
        'Q' => Ty::ULONG_LONG,
        'b' => Ty::BOOL,
        'z' => types.intern(Type::Int(types.target.size_type)),
        'd' => Ty::DOUBLE,
        'f' => Ty::FLOAT,
        'e' => Ty::LONG_DOUBLE,
        'P' => Ty::CONST_VOID_PTR,
        's' => Ty::CHAR_PTR,
        'S' => Ty::CONST_CHAR_PTR,
        'a' => match types.target.va_list {
            VaListKind::X86_64 => Ty::VOID_PTR,
            VaListKind::CharPointer => Ty::CHAR_PTR,
        },
        _ => Ty::VOID_PTR,
    }
}

/// Math functions exist for double, float (`f`) and long double (`l`).
fn math_signature(name: &str) -> Option<&'static str> {
    let arity = |base: &str| {
        if UNARY_MATH.contains(&base) {
            Some(1)
        } else if BINARY_MATH.contains(&base) {
            Some(2)
        } else {
            None
        }
    };
    if let Some(count) = arity(name) {
        return Some(if count == 1 { "dd" } else { "ddd" });
    }
    let base = name.strip_suffix(['f', 'l'])?;
    match (arity(base)?, name.ends_with('f')) {
        (1, true) => Some("ff"),
        (1, false) => Some("ee"),
        (_, true) => Some("fff"),
        (_, false) => Some("eee"),
    }
}

/// Whether a name is one of the math functions: they touch no memory.
pub(super) fn is_math(name: &str) -> bool {
    math_signature(name).is_some()
}

const UNARY_MATH: [&str; 38] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "gamma",
    "j0",
    "j1",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "rint",
    "round",
    "roundeven",
    "significand",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

const BINARY_MATH: [&str; 11] =
    ["atan2", "copysign", "drem", "fdim", "fmax", "fmin", "fmod", "hypot", "nextafter", "pow", "remainder"];

/// Sorted by name.
const SIGNATURES: &[(&str, &str)] = &[
    ("_Exit", "vi!"),
    ("__fprintf_chk", "iFiS."),
    ("__memcpy_chk", "ppPzz"),
    ("__memmove_chk", "ppPzz"),
    ("__mempcpy_chk", "ppPzz"),
    ("__memset_chk", "ppizz"),
    ("__printf_chk", "iiS."),
    ("__snprintf_chk", "iszizS."),
    ("__sprintf_chk", "isizS."),
    ("__stpcpy_chk", "ssSz"),
    ("__stpncpy_chk", "ssSzz"),
    ("__strcat_chk", "ssSz"),
    ("__strcpy_chk", "ssSz"),
    ("__strncat_chk", "ssSzz"),
    ("__strncpy_chk", "ssSzz"),
    ("__vfprintf_chk", "iFiSa"),
    ("__vprintf_chk", "iiSa"),
    ("__vsnprintf_chk", "iszizSa"),
    ("__vsprintf_chk", "isizSa"),
    ("_exit", "vi!"),
    ("abort", "v!"),
    ("abs", "ii"),
    ("aligned_alloc", "pzz"),
    ("atexit", "ip"),
    ("atoi", "iS"),
    ("atol", "lS"),
    ("bcmp", "iPPz"),
    ("bcopy", "vPpz"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("exit", "vi!"),
    ("fclose", "iF"),
    ("fflush", "iF"),
    ("fopen", "pSS"),
    ("fprintf", "iFS."),
    ("fputc", "icF"),
    ("fputs", "iSF"),
    ("fread", "zpzzF"),
    ("free", "vp"),
    ("fscanf", "iFS."),
    ("fwrite", "zPzzF"),
    ("getenv", "sS"),
    ("imaxabs", "ll"),
    ("index", "sSi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("ldexp", "ddi"),
    ("ldexpf", "ffi"),
    ("ldexpl", "eei"),
    ("llabs", "qq"),
    ("longjmp", "vpi!"),
    ("malloc", "pz"),
    ("memccpy", "ppPiz"),
    ("memchr", "pPiz"),
    ("memcmp", "iPPz"),
    ("memcpy", "ppPz"),
    ("memmove", "ppPz"),
    ("mempcpy", "ppPz"),
    ("memset", "ppiz"),
    ("modf", "ddp"),
    ("posix_memalign", "ipzz"),
    ("printf", "iS."),
    ("putchar", "ii"),
    ("puts", "iS"),
    ("qsort", "vpzzp"),
    ("realloc", "ppz"),
    ("rindex", "sSi"),
    ("scanf", "iS."),
    ("snprintf", "iszS."),
    ("sprintf", "isS."),
    ("sscanf", "iSS."),
    ("stpcpy", "ssS"),
    ("stpncpy", "ssSz"),
    ("strcasecmp", "iSS"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strlen", "zS"),
    ("strncasecmp", "iSSz"),
    ("strncat", "ssSz"),
    ("strncmp", "iSSz"),
    ("strncpy", "ssSz"),
    ("strndup", "sSz"),
    ("strnlen", "zSz"),
    ("strpbrk", "sSS"),
    ("strrchr", "sSi"),
    ("strspn", "zSS"),
    ("strstr", "sSS"),
    ("strtol", "lSpi"),
    ("strtoul", "LSpi"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "iFSa"),
    ("vprintf", "iSa"),
    ("vscanf", "iSa"),
    ("vsnprintf", "iszSa"),
    ("vsprintf", "isSa"),
    ("vsscanf", "iSSa"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::X86_64_LINUX;

    #[test]
    fn the_table_is_sorted() {
        assert!(SIGNATURES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn signatures_become_types() {
        let mut types = TypeTable::new(X86_64_LINUX.clone());
        let malloc = library_function(&mut types, "malloc").expect("known");
        let function = types.function_of(malloc).expect("a function").clone();
        assert_eq!((function.result, &*function.parameters), (Ty::VOID_PTR, &[Ty::ULONG][..]));
        let powf = library_function(&mut types, "powf").expect("known");
        assert_eq!(types.function_of(powf).expect("a function").result, Ty::FLOAT);
        assert!(library_function(&mut types, "frobnicate").is_none());
    }
}
