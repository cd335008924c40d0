//! The words of the text form, as the printer writes and the reader reads them.

use caulk_base::Symbol;
use caulk_sema::target::{I386_LINUX, Target, VaListKind, X86_64_LINUX};
use caulk_sema::types::{FloatKind, IntKind, quals};

use crate::ir::{AtomicOp, BinaryOp, Builtin, CompareOp};

/// The entry of a table by its word.
pub(crate) fn find<T: Copy>(table: &[(T, &str)], word: &str) -> Option<T> {
    table.iter().find(|(_, text)| *text == word).map(|(item, _)| *item)
}

/// The word of an entry. Tables are complete, which a test checks.
pub(crate) fn word_of<T: Copy + PartialEq>(table: &[(T, &'static str)], item: T) -> &'static str {
    table.iter().find(|(other, _)| *other == item).map_or("?", |(_, text)| text)
}

pub(crate) const QUALIFIERS: [(u32, &str); 4] =
    [(quals::CONST, "const"), (quals::VOLATILE, "volatile"), (quals::RESTRICT, "restrict"), (quals::ATOMIC, "atomic")];

pub(crate) const BINARY_OPS: [(BinaryOp, &str); 10] = [
    (BinaryOp::Add, "add"),
    (BinaryOp::Sub, "sub"),
    (BinaryOp::Mul, "mul"),
    (BinaryOp::Div, "div"),
    (BinaryOp::Rem, "rem"),
    (BinaryOp::Shl, "shl"),
    (BinaryOp::Shr, "shr"),
    (BinaryOp::And, "and"),
    (BinaryOp::Or, "or"),
    (BinaryOp::Xor, "xor"),
];

pub(crate) const COMPARE_OPS: [(CompareOp, &str); 6] = [
    (CompareOp::Eq, "eq"),
    (CompareOp::Ne, "ne"),
    (CompareOp::Lt, "lt"),
    (CompareOp::Le, "le"),
    (CompareOp::Gt, "gt"),
    (CompareOp::Ge, "ge"),
];

const ATOMIC_OPS: [(AtomicOp, &str); 6] = [
    (AtomicOp::Add, "add"),
    (AtomicOp::Sub, "sub"),
    (AtomicOp::And, "and"),
    (AtomicOp::Or, "or"),
    (AtomicOp::Xor, "xor"),
    (AtomicOp::Nand, "nand"),
];

pub(crate) fn int_word(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}

/// Floating types of one word; `long double` is the only one of two.
pub(crate) const FLOATS: [(FloatKind, &str); 12] = [
    (FloatKind::Float16, "_Float16"),
    (FloatKind::BFloat16, "__bf16"),
    (FloatKind::Float, "float"),
    (FloatKind::Float32, "_Float32"),
    (FloatKind::Double, "double"),
    (FloatKind::Float64, "_Float64"),
    (FloatKind::Float32x, "_Float32x"),
    (FloatKind::Float64x, "_Float64x"),
    (FloatKind::Float128, "_Float128"),
    (FloatKind::Decimal32, "_Decimal32"),
    (FloatKind::Decimal64, "_Decimal64"),
    (FloatKind::Decimal128, "_Decimal128"),
];

pub(crate) fn float_word(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::LongDouble => "long double",
        _ => word_of(&FLOATS, kind),
    }
}

/// Builtins without a name of their own.
const BUILTINS: [(Builtin, &str); 32] = [
    (Builtin::Alloca, "alloca"),
    (Builtin::VaStart, "va_start"),
    (Builtin::VaEnd, "va_end"),
    (Builtin::VaCopy, "va_copy"),
    (Builtin::Unreachable, "unreachable"),
    (Builtin::Trap, "trap"),
    (Builtin::Clz, "clz"),
    (Builtin::Ctz, "ctz"),
    (Builtin::Clrsb, "clrsb"),
    (Builtin::Ffs, "ffs"),
    (Builtin::Popcount, "popcount"),
    (Builtin::Parity, "parity"),
    (Builtin::Bswap, "bswap"),
    (Builtin::Bitreverse, "bitreverse"),
    (Builtin::RotateLeft, "rotate_left"),
    (Builtin::RotateRight, "rotate_right"),
    (Builtin::AddOverflow, "add_overflow"),
    (Builtin::SubOverflow, "sub_overflow"),
    (Builtin::MulOverflow, "mul_overflow"),
    (Builtin::AddOverflowP, "add_overflow_p"),
    (Builtin::SubOverflowP, "sub_overflow_p"),
    (Builtin::MulOverflowP, "mul_overflow_p"),
    (Builtin::AtomicLoad, "atomic_load"),
    (Builtin::AtomicStore, "atomic_store"),
    (Builtin::AtomicExchange, "atomic_exchange"),
    (Builtin::AtomicCompareExchange, "atomic_compare_exchange"),
    (Builtin::SyncValCompareExchange, "sync_val_compare_exchange"),
    (Builtin::SyncBoolCompareExchange, "sync_bool_compare_exchange"),
    (Builtin::Fence, "fence"),
    (Builtin::FrameAddress, "frame_address"),
    (Builtin::ReturnAddress, "return_address"),
    (Builtin::Shuffle, "shuffle"),
];

const JUMP_BUILTINS: [(Builtin, &str); 2] = [(Builtin::Setjmp, "setjmp"), (Builtin::Longjmp, "longjmp")];

/// The word of a builtin: `clz`, `fetch_add`, `add_fetch`. `Pure` and `Opaque` carry a name as well,
/// which the caller writes after it.
pub(crate) fn builtin_word(builtin: Builtin) -> (&'static str, Option<Symbol>) {
    match builtin {
        Builtin::Pure(name) => ("pure", Some(name)),
        Builtin::Opaque(name) => ("opaque", Some(name)),
        Builtin::AtomicRmw { op, fetch_first } => {
            let word = match (op, fetch_first) {
                (AtomicOp::Add, true) => "fetch_add",
                (AtomicOp::Sub, true) => "fetch_sub",
                (AtomicOp::And, true) => "fetch_and",
                (AtomicOp::Or, true) => "fetch_or",
                (AtomicOp::Xor, true) => "fetch_xor",
                (AtomicOp::Nand, true) => "fetch_nand",
                (AtomicOp::Add, false) => "add_fetch",
                (AtomicOp::Sub, false) => "sub_fetch",
                (AtomicOp::And, false) => "and_fetch",
                (AtomicOp::Or, false) => "or_fetch",
                (AtomicOp::Xor, false) => "xor_fetch",
                (AtomicOp::Nand, false) => "nand_fetch",
            };
            (word, None)
        }
        Builtin::Setjmp | Builtin::Longjmp => (word_of(&JUMP_BUILTINS, builtin), None),
        _ => (word_of(&BUILTINS, builtin), None),
    }
}

/// The builtin of a word; `name` gives what follows `pure` and `opaque`.
pub(crate) fn find_builtin<E>(word: &str, name: impl FnOnce() -> Result<Symbol, E>) -> Result<Option<Builtin>, E> {
    let found = match word {
        "pure" => Some(Builtin::Pure(name()?)),
        "opaque" => Some(Builtin::Opaque(name()?)),
        _ => {
            let rmw = |text, fetch_first| find(&ATOMIC_OPS, text).map(|op| Builtin::AtomicRmw { op, fetch_first });
            find(&BUILTINS, word)
                .or_else(|| find(&JUMP_BUILTINS, word))
                .or_else(|| word.strip_prefix("fetch_").and_then(|text| rmw(text, true)))
                .or_else(|| word.strip_suffix("_fetch").and_then(|text| rmw(text, false)))
        }
    };
    Ok(found)
}

const INT_KINDS: [IntKind; 13] = [
    IntKind::Char,
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
    IntKind::LongLong,
    IntKind::ULongLong,
    IntKind::Int128,
    IntKind::UInt128,
];

const VA_LISTS: [VaListKind; 2] = [VaListKind::X86_64, VaListKind::CharPointer];

/// The row from which a target of this name is described: only differences are written.
pub(crate) fn target_row(name: &str) -> &'static Target {
    [&I386_LINUX].into_iter().find(|target| target.name == name).unwrap_or(&X86_64_LINUX)
}

/// Everything but the name of a target, as numbers.
pub(crate) fn target_fields(target: &Target) -> [(&'static str, u64); 15] {
    let int = |kind: IntKind| INT_KINDS.iter().position(|&other| other == kind).unwrap_or(0) as u64;
    let Target {
        name: _,
        pointer_size,
        long_size,
        long_long_align,
        double_align,
        long_double_size,
        long_double_align,
        char_is_signed,
        short_enums,
        has_int128,
        max_align,
        size_type,
        ptrdiff_type,
        wchar_type,
        wint_type,
        va_list,
    } = *target;
    [
        ("pointer_size", pointer_size),
        ("long_size", long_size),
        ("long_long_align", long_long_align),
        ("double_align", double_align),
        ("long_double_size", long_double_size),
        ("long_double_align", long_double_align),
        ("char_is_signed", u64::from(char_is_signed)),
        ("short_enums", u64::from(short_enums)),
        ("has_int128", u64::from(has_int128)),
        ("max_align", max_align),
        ("size_type", int(size_type)),
        ("ptrdiff_type", int(ptrdiff_type)),
        ("wchar_type", int(wchar_type)),
        ("wint_type", int(wint_type)),
        ("va_list", VA_LISTS.iter().position(|&other| other == va_list).unwrap_or(0) as u64),
    ]
}

/// Sets one of [`target_fields`]; `None` if there is no such field or value.
pub(crate) fn set_target_field(target: &mut Target, field: &str, value: u64) -> Option<()> {
    let int = || INT_KINDS.get(usize::try_from(value).ok()?).copied();
    // Sizes of the machine: anything larger makes no sense and could overflow.
    let size = || (value <= 64).then_some(value);
    match field {
        "pointer_size" => target.pointer_size = Some(value).filter(|value| matches!(value, 4 | 8))?,
        "long_size" => target.long_size = Some(value).filter(|value| matches!(value, 4 | 8))?,
        "long_long_align" => target.long_long_align = size()?,
        "double_align" => target.double_align = size()?,
        "long_double_size" => target.long_double_size = size()?,
        "long_double_align" => target.long_double_align = size()?,
        "char_is_signed" => target.char_is_signed = value != 0,
        "short_enums" => target.short_enums = value != 0,
        "has_int128" => target.has_int128 = value != 0,
        "max_align" => target.max_align = size()?,
        "size_type" => target.size_type = int()?,
        "ptrdiff_type" => target.ptrdiff_type = int()?,
        "wchar_type" => target.wchar_type = int()?,
        "wint_type" => target.wint_type = int()?,
        "va_list" => target.va_list = *VA_LISTS.get(usize::try_from(value).ok()?)?,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_rebuilt_from_its_fields() {
        let mut target = X86_64_LINUX.clone();
        for (field, value) in target_fields(&I386_LINUX) {
            assert_eq!(set_target_field(&mut target, field, value), Some(()));
        }
        assert_eq!(Target { name: I386_LINUX.name, ..target }, I386_LINUX);
    }

    #[test]
    fn every_builtin_is_found_by_its_word() {
        let all = BUILTINS.iter().chain(&JUMP_BUILTINS).map(|(builtin, _)| *builtin);
        let rmw = ATOMIC_OPS
            .iter()
            .flat_map(|(op, _)| [true, false].map(|fetch_first| Builtin::AtomicRmw { op: *op, fetch_first }));
        let named = [Builtin::Pure(Symbol::intern("fabs")), Builtin::Opaque(Symbol::intern("ia32_pause"))];
        for builtin in all.chain(rmw).chain(named) {
            let (word, name) = builtin_word(builtin);
            assert_eq!(find_builtin(word, || name.ok_or(())), Ok(Some(builtin)));
        }
        assert_eq!(find_builtin::<()>("fetch_mul", || Err(())), Ok(None));
    }
}
