//! Who the compiler is and which system it compiles for.

use caulk_syntax::Standard;

use super::Lines;
use super::dialect::is_exact;
use crate::command_line::UnitSettings;

const GCC: &str = r#"__GNUC__ 12
__GNUC_MINOR__ 2
__GNUC_PATCHLEVEL__ 0
__VERSION__ "12.2.0"
__GXX_ABI_VERSION 1017
__GNUC_EXECUTION_CHARSET_NAME "UTF-8"
__HAVE_SPECULATION_SAFE_VALUE 1
__GCC_CONSTRUCTIVE_SIZE 64
__GCC_DESTRUCTIVE_SIZE 64
__GCC_ASM_FLAG_OUTPUTS__ 1
__ATOMIC_HLE_ACQUIRE 65536
__ATOMIC_HLE_RELEASE 131072
__PRAGMA_REDEFINE_EXTNAME 1"#;

const CLANG: &str = r#"__GNUC__ 4
__GNUC_MINOR__ 2
__GNUC_PATCHLEVEL__ 1
__VERSION__ "Clang 19.1.7"
__GXX_ABI_VERSION 1002
__clang__ 1
__clang_major__ 19
__clang_minor__ 1
__clang_patchlevel__ 7
__clang_version__ "19.1.7 "
__clang_literal_encoding__ "UTF-8"
__llvm__ 1
__CONSTANT_CFSTRINGS__ 1
__OBJC_BOOL_IS_BOOL 0
__NO_MATH_INLINES 1
__GCC_ASM_FLAG_OUTPUTS__ 1
__GCC_CONSTRUCTIVE_SIZE 64
__GCC_DESTRUCTIVE_SIZE 64
__PRAGMA_REDEFINE_EXTNAME 1
__BITINT_MAXWIDTH__ 8388608
__FLOAT128__ 1
__FPCLASS_SNAN 0x0001
__FPCLASS_QNAN 0x0002
__FPCLASS_NEGINF 0x0004
__FPCLASS_NEGNORMAL 0x0008
__FPCLASS_NEGSUBNORMAL 0x0010
__FPCLASS_NEGZERO 0x0020
__FPCLASS_POSZERO 0x0040
__FPCLASS_POSSUBNORMAL 0x0080
__FPCLASS_POSNORMAL 0x0100
__FPCLASS_POSINF 0x0200
__MEMORY_SCOPE_SYSTEM 0
__MEMORY_SCOPE_DEVICE 1
__MEMORY_SCOPE_WRKGRP 2
__MEMORY_SCOPE_WVFRNT 3
__MEMORY_SCOPE_SINGLE 4
__OPENCL_MEMORY_SCOPE_WORK_ITEM 0
__OPENCL_MEMORY_SCOPE_WORK_GROUP 1
__OPENCL_MEMORY_SCOPE_DEVICE 2
__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES 3
__OPENCL_MEMORY_SCOPE_SUB_GROUP 4
__building_module(name) 0"#;

const MEMORY_ORDERS: &str = "__ATOMIC_RELAXED 0
__ATOMIC_CONSUME 1
__ATOMIC_ACQUIRE 2
__ATOMIC_RELEASE 3
__ATOMIC_ACQ_REL 4
__ATOMIC_SEQ_CST 5";

const ATOMIC_TYPES: [&str; 10] =
    ["BOOL", "CHAR", "CHAR16_T", "CHAR32_T", "WCHAR_T", "SHORT", "INT", "LONG", "LLONG", "POINTER"];

pub(super) fn compiler(lines: &mut Lines, settings: &UnitSettings) {
    lines.table(if settings.is_clang() { CLANG } else { GCC });
    lines.table(MEMORY_ORDERS);
    lines.define("__GCC_ATOMIC_TEST_AND_SET_TRUEVAL", 1);
    for ty in ATOMIC_TYPES {
        // An 80486 has no instruction for eight bytes.
        let always = !(ty == "LLONG" && settings.machine.lacks_eight_byte_atomics());
        lines.define(&format!("__GCC_ATOMIC_{ty}_LOCK_FREE"), if always { 2 } else { 1 });
        if settings.is_clang() {
            lines.define(&format!("__CLANG_ATOMIC_{ty}_LOCK_FREE"), if always { 2 } else { 1 });
        }
    }
    if settings.is_clang() {
        let wide = if settings.short_wchar { "UTF-16" } else { "UTF-32" };
        lines.define("__clang_wide_literal_encoding__", format_args!("\"{wide}\""));
        if settings.dialect.standard >= Standard::C23 {
            lines.define("__GCC_ATOMIC_CHAR8_T_LOCK_FREE", 2);
            lines.define("__CLANG_ATOMIC_CHAR8_T_LOCK_FREE", 2);
        }
    } else {
        let wide = if settings.short_wchar { "UTF-16LE" } else { "UTF-32LE" };
        lines.define("__GNUC_WIDE_EXECUTION_CHARSET_NAME", format_args!("\"{wide}\""));
        let level = if is_exact(settings) { 2 } else { 0 };
        lines.define("__GCC_IEC_559", level);
        lines.define("__GCC_IEC_559_COMPLEX", level);
    }
    if !(settings.is_clang() && settings.freestanding) {
        lines.define("__GCC_HAVE_DWARF2_CFI_ASM", 1);
    }
}

pub(super) fn system(lines: &mut Lines, settings: &UnitSettings) {
    lines.flags(&["__ELF__", "__unix", "__unix__", "__linux", "__linux__", "__gnu_linux__"]);
    if settings.dialect.gnu {
        lines.flags(&["unix", "linux"]);
    }
    lines.define("__USER_LABEL_PREFIX__", "");
    lines.define("__REGISTER_PREFIX__", "");
    lines.table(
        "__ORDER_LITTLE_ENDIAN__ 1234
__ORDER_BIG_ENDIAN__ 4321
__ORDER_PDP_ENDIAN__ 3412
__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__",
    );
    if settings.is_clang() {
        lines.define("__LITTLE_ENDIAN__", 1);
    } else {
        lines.define("__FLOAT_WORD_ORDER__", "__ORDER_LITTLE_ENDIAN__");
    }
}
