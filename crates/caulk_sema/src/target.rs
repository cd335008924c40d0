//! What the machine decides about C: sizes, alignments, signedness. One row a target.

use crate::types::{FloatKind, IntKind};

/// How `va_list` is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaListKind {
    /// An array of one `struct __va_list_tag` of two ints and two pointers (x86-64 System V).
    X86_64,
    /// `char *`
    CharPointer,
}

/// The data of one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: &'static str,
    pub pointer_size: u64,
    pub long_size: u64,
    /// Alignment of 8-byte integers inside records (4 on i386).
    pub long_long_align: u64,
    pub double_align: u64,
    pub long_double_size: u64,
    pub long_double_align: u64,
    pub char_is_signed: bool,
    /// `-fshort-enums`
    pub short_enums: bool,
    pub has_int128: bool,
    /// Alignment of `max_align_t` and of `__attribute__((aligned))` without a number.
    pub max_align: u64,
    pub size_type: IntKind,
    pub ptrdiff_type: IntKind,
    pub wchar_type: IntKind,
    pub wint_type: IntKind,
    pub va_list: VaListKind,
}

pub static X86_64_LINUX: Target = Target {
    name: "x86_64-linux-gnu",
    pointer_size: 8,
    long_size: 8,
    long_long_align: 8,
    double_align: 8,
    long_double_size: 16,
    long_double_align: 16,
    char_is_signed: true,
    short_enums: false,
    has_int128: true,
    max_align: 16,
    size_type: IntKind::ULong,
    ptrdiff_type: IntKind::Long,
    wchar_type: IntKind::Int,
    wint_type: IntKind::UInt,
    va_list: VaListKind::X86_64,
};

pub static I386_LINUX: Target = Target {
    name: "i386-linux-gnu",
    pointer_size: 4,
    long_size: 4,
    long_long_align: 4,
    double_align: 4,
    long_double_size: 12,
    long_double_align: 4,
    char_is_signed: true,
    short_enums: false,
    has_int128: false,
    max_align: 16,
    size_type: IntKind::UInt,
    ptrdiff_type: IntKind::Int,
    wchar_type: IntKind::Long,
    wint_type: IntKind::UInt,
    va_list: VaListKind::CharPointer,
};

impl Target {
    pub fn int_size(&self, kind: IntKind) -> u64 {
        match kind {
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 4,
            IntKind::Long | IntKind::ULong => self.long_size,
            IntKind::LongLong | IntKind::ULongLong => 8,
            IntKind::Int128 | IntKind::UInt128 => 16,
        }
    }

    /// Alignment inside records; what `_Alignof` says.
    pub fn int_align(&self, kind: IntKind) -> u64 {
        match self.int_size(kind) {
            8 => self.long_long_align,
            size => size,
        }
    }

    pub fn int_is_signed(&self, kind: IntKind) -> bool {
        match kind {
            IntKind::Char => self.char_is_signed,
            IntKind::SChar | IntKind::Short | IntKind::Int | IntKind::Long | IntKind::LongLong | IntKind::Int128 => {
                true
            }
            IntKind::UChar
            | IntKind::UShort
            | IntKind::UInt
            | IntKind::ULong
            | IntKind::ULongLong
            | IntKind::UInt128 => false,
        }
    }

    pub fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Float16 | FloatKind::BFloat16 => 2,
            FloatKind::Float | FloatKind::Float32 | FloatKind::Decimal32 => 4,
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x | FloatKind::Decimal64 => 8,
            FloatKind::LongDouble | FloatKind::Float64x => self.long_double_size,
            FloatKind::Float128 | FloatKind::Decimal128 => 16,
        }
    }

    pub fn float_align(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Double | FloatKind::Float64 | FloatKind::Float32x | FloatKind::Decimal64 => self.double_align,
            FloatKind::LongDouble | FloatKind::Float64x => self.long_double_align,
            FloatKind::Float128 | FloatKind::Decimal128 => 16,
            FloatKind::Float16 | FloatKind::BFloat16 | FloatKind::Float | FloatKind::Float32 | FloatKind::Decimal32 => {
                self.float_size(kind)
            }
        }
    }
}
