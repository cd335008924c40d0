//! What an identifier is at this point of the text: keyword, typedef name, something else declared,
//! or never heard of.
//!
//! C cannot be parsed without knowing which names are types:
//!
//! ```c
//! typedef int T;
//! void f(void) { T *p; { int T = 2, p = 3; T * p; } }
//! ```
//! The first `T *p` declares, the second multiplies. [`Names`] is one byte per symbol, so that asking
//! is one load, and a log of what each scope has changed, so that leaving a scope is cheap. Keywords
//! live in the same table: which words are in force depends on the dialect and is decided once.

use caulk_base::Symbol;
use caulk_base::symbol::word;

use crate::config::{Dialect, Standard};

/// What the parser takes a word for. The order matters: [`Word::is_name`], [`Word::starts_type`] and
/// their like are comparisons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Word {
    /// An identifier that nothing in scope declares.
    Unknown,
    /// Declared, but not as a type: object, function, enumerator.
    Object,
    TypedefName,

    // Types that a program or header may define itself: `typedef float _Float32;`
    VaList,
    Int128T,
    Uint128T,
    Float16,
    Bf16,
    Float32,
    Float64,
    Float128,
    Float32x,
    Float64x,

    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    Bool,
    Complex,
    Imaginary,
    Int128,
    Float80,
    Decimal32,
    Decimal64,
    Decimal128,
    BitInt,
    Struct,
    Union,
    Enum,
    Typeof,
    TypeofUnqual,
    AutoType,

    Const,
    Volatile,
    Restrict,
    Atomic,
    /// Nullability, address spaces, calling conventions: read and dropped.
    Dropped,

    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    ThreadLocal,
    Constexpr,
    Inline,
    Noreturn,
    Alignas,
    Declspec,
    Attribute,

    Extension,
    StaticAssert,
    Asm,
    Label,

    Break,
    Case,
    Continue,
    Default,
    Do,
    Else,
    For,
    Goto,
    If,
    Return,
    Switch,
    While,

    Sizeof,
    Alignof,
    Countof,
    Generic,
    Real,
    Imag,
    True,
    False,
    Nullptr,
    VaArg,
    Offsetof,
    TypesCompatible,
    ChooseExpr,
    ConvertVector,
    BitCast,

    /// Not an identifier token at all.
    None,
}

impl Word {
    /// Whether a declarator may be called so.
    pub(super) fn is_name(self) -> bool {
        self <= Word::Float64x
    }

    /// Whether an expression may be called so.
    pub(super) fn is_value(self) -> bool {
        self <= Word::Object
    }

    /// Whether declaration specifiers may start with it, attributes included.
    pub(super) fn starts_type(self) -> bool {
        Word::TypedefName <= self && self <= Word::Attribute
    }

    /// Whether it is a type specifier or qualifier that is a keyword.
    pub(super) fn is_type_keyword(self) -> bool {
        Word::VaList <= self && self <= Word::Dropped
    }

    pub(super) fn is_qualifier(self) -> bool {
        Word::Const <= self && self <= Word::Dropped
    }
}

/// What every symbol is, here.
pub(super) struct Names {
    words: Vec<Word>,
    /// What each change inside a scope replaced.
    log: Vec<(u32, Word)>,
    /// Length of the log at the start of each open scope.
    scopes: Vec<u32>,
}

impl Names {
    pub(super) fn new(dialect: Dialect) -> Names {
        let mut words = vec![Word::Unknown; word::COUNT as usize];
        for &(symbol, kind) in ALWAYS {
            words[symbol.0 as usize] = kind;
        }
        let c99 = dialect.standard >= Standard::C99;
        let c23 = dialect.standard >= Standard::C23;
        if !c99 {
            words[word::RESTRICT.0 as usize] = Word::Unknown;
        }
        if !c99 && !dialect.gnu {
            words[word::INLINE.0 as usize] = Word::Unknown;
        }
        if dialect.gnu {
            words[word::ASM.0 as usize] = Word::Asm;
        }
        if dialect.gnu || c23 {
            words[word::TYPEOF.0 as usize] = Word::Typeof;
        }
        if c23 {
            for &(symbol, kind) in SINCE_C23 {
                words[symbol.0 as usize] = kind;
            }
        }
        let mut names = Names { words, log: Vec::new(), scopes: Vec::new() };
        for &(text, kind) in WITHOUT_NUMBER {
            names.set(Symbol::intern(text).0, kind);
        }
        names
    }

    #[inline]
    pub(super) fn word(&self, symbol: Symbol) -> Word {
        self.words.get(symbol.0 as usize).copied().unwrap_or(Word::Unknown)
    }

    fn set(&mut self, number: u32, kind: Word) {
        let at = number as usize;
        if at >= self.words.len() {
            self.words.resize((at + 1).next_power_of_two(), Word::Unknown);
        }
        self.words[at] = kind;
    }

    /// From here to the end of the scope, the name is this.
    pub(super) fn declare(&mut self, symbol: Symbol, is_typedef: bool) {
        let kind = if is_typedef { Word::TypedefName } else { Word::Object };
        let before = self.word(symbol);
        if before == kind {
            return;
        }
        if !self.scopes.is_empty() {
            self.log.push((symbol.0, before));
        }
        self.set(symbol.0, kind);
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(self.log.len() as u32);
    }

    pub(super) fn close(&mut self) {
        let Some(mark) = self.scopes.pop() else { return };
        while self.log.len() > mark as usize {
            if let Some((number, before)) = self.log.pop() {
                self.words[number as usize] = before;
            }
        }
    }

    pub(super) fn scope_count(&self) -> usize {
        self.scopes.len()
    }

    /// Leaves scopes until so many are open; after an error.
    pub(super) fn close_to(&mut self, count: usize) {
        while self.scopes.len() > count {
            self.close();
        }
    }
}

/// Words that mean the same in every dialect (for `inline` and `restrict`: nearly every).
const ALWAYS: &[(Symbol, Word)] = &[
    (word::AUTO, Word::Auto),
    (word::BREAK, Word::Break),
    (word::CASE, Word::Case),
    (word::CHAR, Word::Char),
    (word::CONST, Word::Const),
    (word::CONTINUE, Word::Continue),
    (word::DEFAULT, Word::Default),
    (word::DO, Word::Do),
    (word::DOUBLE, Word::Double),
    (word::ELSE, Word::Else),
    (word::ENUM, Word::Enum),
    (word::EXTERN, Word::Extern),
    (word::FLOAT, Word::Float),
    (word::FOR, Word::For),
    (word::GOTO, Word::Goto),
    (word::IF, Word::If),
    (word::INLINE, Word::Inline),
    (word::INT, Word::Int),
    (word::LONG, Word::Long),
    (word::REGISTER, Word::Register),
    (word::RESTRICT, Word::Restrict),
    (word::RETURN, Word::Return),
    (word::SHORT, Word::Short),
    (word::SIGNED, Word::Signed),
    (word::SIZEOF, Word::Sizeof),
    (word::STATIC, Word::Static),
    (word::STRUCT, Word::Struct),
    (word::SWITCH, Word::Switch),
    (word::TYPEDEF, Word::Typedef),
    (word::UNION, Word::Union),
    (word::UNSIGNED, Word::Unsigned),
    (word::VOID, Word::Void),
    (word::VOLATILE, Word::Volatile),
    (word::WHILE, Word::While),
    (word::ALIGNAS_C11, Word::Alignas),
    (word::ALIGNOF_C11, Word::Alignof),
    (word::ATOMIC, Word::Atomic),
    (word::BOOL_C99, Word::Bool),
    (word::COMPLEX, Word::Complex),
    (word::GENERIC, Word::Generic),
    (word::IMAGINARY, Word::Imaginary),
    (word::NORETURN, Word::Noreturn),
    (word::STATIC_ASSERT_C11, Word::StaticAssert),
    (word::THREAD_LOCAL_C11, Word::ThreadLocal),
    (word::BITINT, Word::BitInt),
    (word::DECIMAL32, Word::Decimal32),
    (word::DECIMAL64, Word::Decimal64),
    (word::DECIMAL128, Word::Decimal128),
    (word::COUNTOF, Word::Countof),
    (word::ASM_GNU, Word::Asm),
    (word::ASM_GNU2, Word::Asm),
    (word::ALIGNOF_GNU, Word::Alignof),
    (word::ALIGNOF_GNU2, Word::Alignof),
    (word::ATTRIBUTE, Word::Attribute),
    (word::ATTRIBUTE2, Word::Attribute),
    (word::AUTO_TYPE, Word::AutoType),
    (word::COMPLEX_GNU, Word::Complex),
    (word::COMPLEX_GNU2, Word::Complex),
    (word::CONST_GNU, Word::Const),
    (word::CONST_GNU2, Word::Const),
    (word::EXTENSION, Word::Extension),
    (word::IMAG, Word::Imag),
    (word::IMAG2, Word::Imag),
    (word::REAL, Word::Real),
    (word::REAL2, Word::Real),
    (word::INLINE_GNU, Word::Inline),
    (word::INLINE_GNU2, Word::Inline),
    (word::INT128, Word::Int128),
    (word::INT128_T, Word::Int128T),
    (word::UINT128_T, Word::Uint128T),
    (word::LABEL, Word::Label),
    (word::RESTRICT_GNU, Word::Restrict),
    (word::RESTRICT_GNU2, Word::Restrict),
    (word::SIGNED_GNU, Word::Signed),
    (word::SIGNED_GNU2, Word::Signed),
    (word::THREAD, Word::ThreadLocal),
    (word::TYPEOF_GNU, Word::Typeof),
    (word::TYPEOF_GNU2, Word::Typeof),
    (word::TYPEOF_UNQUAL_GNU, Word::TypeofUnqual),
    (word::TYPEOF_UNQUAL_GNU2, Word::TypeofUnqual),
    (word::VOLATILE_GNU, Word::Volatile),
    (word::VOLATILE_GNU2, Word::Volatile),
    (word::FLOAT16, Word::Float16),
    (word::FLOAT32, Word::Float32),
    (word::FLOAT64, Word::Float64),
    (word::FLOAT128, Word::Float128),
    (word::FLOAT32X, Word::Float32x),
    (word::FLOAT64X, Word::Float64x),
    (word::FLOAT128_GNU, Word::Float128),
    (word::FLOAT80_GNU, Word::Float80),
    (word::BF16, Word::Bf16),
    (word::FP16, Word::Float16),
    (word::NULLABLE, Word::Dropped),
    (word::NONNULL_CLANG, Word::Dropped),
    (word::NULL_UNSPECIFIED, Word::Dropped),
    (word::NULLABLE_RESULT, Word::Dropped),
    (word::SEG_FS, Word::Dropped),
    (word::SEG_GS, Word::Dropped),
    (word::BUILTIN_VA_ARG, Word::VaArg),
    (word::BUILTIN_OFFSETOF, Word::Offsetof),
    (word::BUILTIN_TYPES_COMPATIBLE_P, Word::TypesCompatible),
    (word::BUILTIN_CHOOSE_EXPR, Word::ChooseExpr),
    (word::BUILTIN_CONVERTVECTOR, Word::ConvertVector),
    (word::BUILTIN_BIT_CAST, Word::BitCast),
    (word::BUILTIN_VA_LIST, Word::VaList),
];

const SINCE_C23: &[(Symbol, Word)] = &[
    (word::ALIGNAS, Word::Alignas),
    (word::ALIGNOF, Word::Alignof),
    (word::BOOL, Word::Bool),
    (word::CONSTEXPR, Word::Constexpr),
    (word::FALSE, Word::False),
    (word::NULLPTR, Word::Nullptr),
    (word::STATIC_ASSERT, Word::StaticAssert),
    (word::THREAD_LOCAL, Word::ThreadLocal),
    (word::TRUE, Word::True),
    (word::TYPEOF_UNQUAL, Word::TypeofUnqual),
];

/// Reserved words too rare to have a number of their own.
const WITHOUT_NUMBER: &[(&str, Word)] = &[
    ("__declspec", Word::Declspec),
    ("__forceinline", Word::Inline),
    ("__cdecl", Word::Dropped),
    ("__stdcall", Word::Dropped),
    ("__fastcall", Word::Dropped),
    ("__vectorcall", Word::Dropped),
    ("__unaligned", Word::Dropped),
    ("__ptr32", Word::Dropped),
    ("__ptr64", Word::Dropped),
    ("__ibm128", Word::Float128),
    ("__builtin_ms_va_list", Word::VaList),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_declarations_hide_outer_ones_until_their_scope_ends() {
        let mut names = Names::new(Dialect::default());
        let t = Symbol::intern("T");
        names.declare(t, true);
        names.open();
        names.declare(t, false);
        assert_eq!(names.word(t), Word::Object);
        names.open();
        names.declare(t, true);
        names.close_to(1);
        assert_eq!(names.word(t), Word::Object);
        names.close();
        assert_eq!(names.word(t), Word::TypedefName);
    }

    #[test]
    fn the_dialect_decides_which_words_are_reserved() {
        let of = |standard, gnu, symbol| Names::new(Dialect { standard, gnu, trigraphs: None }).word(symbol);
        assert_eq!(of(Standard::C17, true, word::BOOL), Word::Unknown);
        assert_eq!(of(Standard::C23, false, word::BOOL), Word::Bool);
        assert_eq!(of(Standard::C89, false, word::INLINE), Word::Unknown);
        assert_eq!(of(Standard::C89, true, word::INLINE), Word::Inline);
        assert_eq!(of(Standard::C89, true, word::RESTRICT), Word::Unknown);
        assert_eq!(of(Standard::C17, false, word::ASM), Word::Unknown);
        assert_eq!(of(Standard::C17, true, word::TYPEOF), Word::Typeof);
    }
}
