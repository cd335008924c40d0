//! Interned names. Equal names are the same [`Symbol`], in every thread and translation unit.
//!
//! The table is global to the process: lexed headers are shared by all translation units, so their
//! names must be too. Symbol numbers depend on thread timing; nothing may order output by them.
//! The words in [`word`] have fixed numbers, keywords first, so that the parser asks "keyword?" with
//! one comparison.

use std::fmt;
use std::sync::{LazyLock, Mutex, RwLock};

use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;

/// Symbols after the fixed words: `WORD_COUNT + (index_in_shard << SHARD_BITS | shard)`.
#[derive(Default)]
struct Shard {
    numbers: Mutex<FxHashMap<&'static str, Symbol>>,
    texts: RwLock<Vec<&'static str>>,
}

static SHARD_TABLE: LazyLock<Vec<Shard>> = LazyLock::new(|| {
    let shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::default()).collect();
    for (number, text) in word::TEXTS.iter().enumerate() {
        let mut numbers = lock(&shards[shard_of(text)].numbers);
        let previous = numbers.insert(text, Symbol(number as u32));
        debug_assert!(previous.is_none(), "{text} listed twice");
    }
    shards
});

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn shard_of(text: &str) -> usize {
    let bytes = text.as_bytes();
    let last = bytes.last().copied().unwrap_or(0) as usize;
    let middle = bytes.get(bytes.len() / 2).copied().unwrap_or(0) as usize;
    (bytes.len() ^ last ^ (middle << 2)) % SHARDS
}

impl Symbol {
    /// The empty name.
    pub const EMPTY: Symbol = word::EMPTY;

    pub fn intern(text: &str) -> Symbol {
        let shard_number = shard_of(text);
        let shard = &SHARD_TABLE[shard_number];
        let mut numbers = lock(&shard.numbers);
        if let Some(&symbol) = numbers.get(text) {
            return symbol;
        }
        let text: &'static str = Box::leak(text.into());
        let mut texts = shard.texts.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let number = word::COUNT + ((texts.len() as u32) << SHARD_BITS | shard_number as u32);
        texts.push(text);
        let symbol = Symbol(number);
        numbers.insert(text, symbol);
        symbol
    }

    pub fn as_str(self) -> &'static str {
        if self.0 < word::COUNT {
            return word::TEXTS[self.0 as usize];
        }
        let number = self.0 - word::COUNT;
        let shard = &SHARD_TABLE[number as usize % SHARDS];
        let texts = shard.texts.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        texts[(number >> SHARD_BITS) as usize]
    }

    /// Whether this is a word that some C dialect reserves. The parser decides which are in force.
    pub fn is_keyword(self) -> bool {
        self.0 < word::KEYWORD_COUNT
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

macro_rules! words {
    (keywords { $($kw:ident $kw_text:literal)* } others { $($other:ident $other_text:literal)* }) => {
        /// The words with fixed numbers.
        pub mod word {
            use super::Symbol;
            #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only used to number the words")]
            #[derive(Clone, Copy)]
            enum Number { $($kw,)* KEYWORDS_END, $($other,)* END }
            pub(crate) const KEYWORD_COUNT: u32 = Number::KEYWORDS_END as u32;
            pub const COUNT: u32 = Number::END as u32;
            pub(crate) static TEXTS: [&str; COUNT as usize] = [$($kw_text,)* "\u{1}", $($other_text,)*];
            $(pub const $kw: Symbol = Symbol(Number::$kw as u32);)*
            $(pub const $other: Symbol = Symbol(Number::$other as u32);)*
        }
    };
}

words! {
    keywords {
        AUTO "auto" BREAK "break" CASE "case" CHAR "char" CONST "const" CONTINUE "continue"
        DEFAULT "default" DO "do" DOUBLE "double" ELSE "else" ENUM "enum" EXTERN "extern"
        FLOAT "float" FOR "for" GOTO "goto" IF "if" INLINE "inline" INT "int" LONG "long"
        REGISTER "register" RESTRICT "restrict" RETURN "return" SHORT "short" SIGNED "signed"
        SIZEOF "sizeof" STATIC "static" STRUCT "struct" SWITCH "switch" TYPEDEF "typedef"
        UNION "union" UNSIGNED "unsigned" VOID "void" VOLATILE "volatile" WHILE "while"
        ALIGNAS_C11 "_Alignas" ALIGNOF_C11 "_Alignof" ATOMIC "_Atomic" BOOL_C99 "_Bool"
        COMPLEX "_Complex" GENERIC "_Generic" IMAGINARY "_Imaginary" NORETURN "_Noreturn"
        STATIC_ASSERT_C11 "_Static_assert" THREAD_LOCAL_C11 "_Thread_local"
        BITINT "_BitInt" DECIMAL32 "_Decimal32" DECIMAL64 "_Decimal64" DECIMAL128 "_Decimal128"
        COUNTOF "_Countof"
        ALIGNAS "alignas" ALIGNOF "alignof" BOOL "bool" CONSTEXPR "constexpr" FALSE "false"
        NULLPTR "nullptr" STATIC_ASSERT "static_assert" THREAD_LOCAL "thread_local" TRUE "true"
        TYPEOF "typeof" TYPEOF_UNQUAL "typeof_unqual"
        ASM "asm" ASM_GNU "__asm" ASM_GNU2 "__asm__"
        ALIGNOF_GNU "__alignof" ALIGNOF_GNU2 "__alignof__"
        ATTRIBUTE "__attribute" ATTRIBUTE2 "__attribute__"
        AUTO_TYPE "__auto_type"
        COMPLEX_GNU "__complex" COMPLEX_GNU2 "__complex__"
        CONST_GNU "__const" CONST_GNU2 "__const__"
        EXTENSION "__extension__"
        IMAG "__imag" IMAG2 "__imag__" REAL "__real" REAL2 "__real__"
        INLINE_GNU "__inline" INLINE_GNU2 "__inline__"
        INT128 "__int128" INT128_T "__int128_t" UINT128_T "__uint128_t"
        LABEL "__label__"
        RESTRICT_GNU "__restrict" RESTRICT_GNU2 "__restrict__"
        SIGNED_GNU "__signed" SIGNED_GNU2 "__signed__"
        THREAD "__thread"
        TYPEOF_GNU "__typeof" TYPEOF_GNU2 "__typeof__"
        TYPEOF_UNQUAL_GNU "__typeof_unqual" TYPEOF_UNQUAL_GNU2 "__typeof_unqual__"
        VOLATILE_GNU "__volatile" VOLATILE_GNU2 "__volatile__"
        FLOAT16 "_Float16" FLOAT32 "_Float32" FLOAT64 "_Float64" FLOAT128 "_Float128"
        FLOAT32X "_Float32x" FLOAT64X "_Float64x" FLOAT128_GNU "__float128" FLOAT80_GNU "__float80"
        BF16 "__bf16" FP16 "__fp16"
        NULLABLE "_Nullable" NONNULL_CLANG "_Nonnull" NULL_UNSPECIFIED "_Null_unspecified"
        NULLABLE_RESULT "_Nullable_result"
        SEG_FS "__seg_fs" SEG_GS "__seg_gs"
        BUILTIN_VA_ARG "__builtin_va_arg" BUILTIN_OFFSETOF "__builtin_offsetof"
        BUILTIN_TYPES_COMPATIBLE_P "__builtin_types_compatible_p"
        BUILTIN_CHOOSE_EXPR "__builtin_choose_expr" BUILTIN_CONVERTVECTOR "__builtin_convertvector"
        BUILTIN_BIT_CAST "__builtin_bit_cast"
    }
    others {
        EMPTY ""
        DEFINE "define" UNDEF "undef" INCLUDE "include" INCLUDE_NEXT "include_next" IMPORT "import"
        EMBED "embed" IFDEF "ifdef" IFNDEF "ifndef" ELIF "elif" ELIFDEF "elifdef" ELIFNDEF "elifndef"
        ENDIF "endif" LINE "line" ERROR "error" WARNING "warning" PRAGMA "pragma" IDENT "ident"
        SCCS "sccs" ASSERT "assert" UNASSERT "unassert"
        DEFINED "defined" VA_ARGS "__VA_ARGS__" VA_OPT "__VA_OPT__" PRAGMA_OPERATOR "_Pragma"
        FILE_MACRO "__FILE__" LINE_MACRO "__LINE__" DATE_MACRO "__DATE__" TIME_MACRO "__TIME__"
        TIMESTAMP_MACRO "__TIMESTAMP__" COUNTER_MACRO "__COUNTER__" INCLUDE_LEVEL_MACRO "__INCLUDE_LEVEL__"
        BASE_FILE_MACRO "__BASE_FILE__" FILE_NAME_MACRO "__FILE_NAME__"
        HAS_INCLUDE "__has_include" HAS_INCLUDE_NEXT "__has_include_next" HAS_EMBED "__has_embed"
        HAS_ATTRIBUTE "__has_attribute" HAS_C_ATTRIBUTE "__has_c_attribute"
        HAS_CPP_ATTRIBUTE "__has_cpp_attribute" HAS_DECLSPEC_ATTRIBUTE "__has_declspec_attribute"
        HAS_BUILTIN "__has_builtin" HAS_FEATURE "__has_feature" HAS_EXTENSION "__has_extension"
        HAS_WARNING "__has_warning" IS_IDENTIFIER "__is_identifier"
        ONCE "once" PACK "pack" PUSH "push" POP "pop" PUSH_MACRO "push_macro" POP_MACRO "pop_macro"
        SYSTEM_HEADER "system_header" GCC "GCC" CLANG "clang" STDC "STDC" WEAK "weak"
        POISON "poison" REDEFINE_EXTNAME "redefine_extname" GNU "gnu"
        LIMIT "limit" PREFIX "prefix" SUFFIX "suffix" IF_EMPTY "if_empty"
        MAIN "main" FUNC "__func__" FUNCTION "__FUNCTION__" PRETTY_FUNCTION "__PRETTY_FUNCTION__"
        BUILTIN_VA_LIST "__builtin_va_list"
        PACKED "packed" ALIGNED "aligned" MODE "mode" VECTOR_SIZE "vector_size" CLEANUP "cleanup"
        ALIAS "alias" WEAKREF "weakref" GNU_INLINE "gnu_inline" NORETURN_ATTRIBUTE "noreturn"
        RETURNS_TWICE "returns_twice" TRANSPARENT_UNION "transparent_union" EXT_VECTOR_TYPE "ext_vector_type"
        SCALAR_STORAGE_ORDER "scalar_storage_order" MS_STRUCT "ms_struct" GCC_STRUCT "gcc_struct"
        ANALYZER_NORETURN "analyzer_noreturn" IFUNC "ifunc"
    }
}

#[cfg(test)]
mod tests {
    use super::{Symbol, word};

    #[test]
    fn words_keep_their_numbers() {
        assert_eq!(Symbol::intern("while"), word::WHILE);
        assert_eq!(word::WHILE.as_str(), "while");
        assert!(word::WHILE.is_keyword());
        assert!(!word::DEFINE.is_keyword());
        assert_eq!(Symbol::intern(""), Symbol::EMPTY);
    }

    #[test]
    fn threads_agree_on_names() {
        let names: Vec<String> = (0..500).map(|n| format!("name_{n}")).collect();
        let symbols: Vec<Vec<Symbol>> = std::thread::scope(|scope| {
            let handles: Vec<_> =
                (0..4).map(|_| scope.spawn(|| names.iter().map(|n| Symbol::intern(n)).collect::<Vec<_>>())).collect();
            handles.into_iter().map(|h| h.join().expect("no panic")).collect()
        });
        for other in &symbols[1..] {
            assert_eq!(&symbols[0], other);
        }
        for (name, symbol) in names.iter().zip(&symbols[0]) {
            assert_eq!(symbol.as_str(), name);
        }
    }
}
