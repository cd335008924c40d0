//! Characteristics of floating types: one row a format, one line a type.

use caulk_sema::target::Target;

use super::Lines;
use super::x86::Features;
use crate::command_line::UnitSettings;

/// A binary format and its limits, as gcc prints them (36 digits) and as clang does (just enough).
struct Format {
    decimal_dig: u32,
    dig: u32,
    mant_dig: u32,
    max_10_exp: u32,
    max_exp: u32,
    min_10_exp: i32,
    min_exp: i32,
    /// Largest, smallest normal, epsilon, smallest.
    gcc: [&'static str; 4],
    clang: [&'static str; 4],
}

static BINARY16: Format = Format {
    decimal_dig: 5,
    dig: 3,
    mant_dig: 11,
    max_10_exp: 4,
    max_exp: 16,
    min_10_exp: -4,
    min_exp: -13,
    gcc: [
        "6.55040000000000000000000000000000000e+4",
        "6.10351562500000000000000000000000000e-5",
        "9.76562500000000000000000000000000000e-4",
        "5.96046447753906250000000000000000000e-8",
    ],
    clang: ["6.5504e+4", "6.103515625e-5", "9.765625e-4", "5.9604644775390625e-8"],
};

static BINARY32: Format = Format {
    decimal_dig: 9,
    dig: 6,
    mant_dig: 24,
    max_10_exp: 38,
    max_exp: 128,
    min_10_exp: -37,
    min_exp: -125,
    gcc: [
        "3.40282346638528859811704183484516925e+38",
        "1.17549435082228750796873653722224568e-38",
        "1.19209289550781250000000000000000000e-7",
        "1.40129846432481707092372958328991613e-45",
    ],
    clang: ["3.40282347e+38", "1.17549435e-38", "1.19209290e-7", "1.40129846e-45"],
};

static BINARY64: Format = Format {
    decimal_dig: 17,
    dig: 15,
    mant_dig: 53,
    max_10_exp: 308,
    max_exp: 1024,
    min_10_exp: -307,
    min_exp: -1021,
    gcc: [
        "1.79769313486231570814527423731704357e+308",
        "2.22507385850720138309023271733240406e-308",
        "2.22044604925031308084726333618164062e-16",
        "4.94065645841246544176568792868221372e-324",
    ],
    clang: ["1.7976931348623157e+308", "2.2250738585072014e-308", "2.2204460492503131e-16", "4.9406564584124654e-324"],
};

static X87: Format = Format {
    decimal_dig: 21,
    dig: 18,
    mant_dig: 64,
    max_10_exp: 4932,
    max_exp: 16384,
    min_10_exp: -4931,
    min_exp: -16381,
    gcc: [
        "1.18973149535723176502126385303097021e+4932",
        "3.36210314311209350626267781732175260e-4932",
        "1.08420217248550443400745280086994171e-19",
        "3.64519953188247460252840593361941982e-4951",
    ],
    clang: [
        "1.18973149535723176502e+4932",
        "3.36210314311209350626e-4932",
        "1.08420217248550443401e-19",
        "3.64519953188247460253e-4951",
    ],
};

static BINARY128: Format = Format {
    decimal_dig: 36,
    dig: 33,
    mant_dig: 113,
    max_10_exp: 4932,
    max_exp: 16384,
    min_10_exp: -4931,
    min_exp: -16381,
    gcc: [
        "1.18973149535723176508575932662800702e+4932",
        "3.36210314311209350626267781732175260e-4932",
        "1.92592994438723585305597794258492732e-34",
        "6.47517511943802511092443895822764655e-4966",
    ],
    clang: ["", "", "", ""],
};

/// `DEC32` … , which only gcc has.
const DECIMAL: &str = "__DEC_EVAL_METHOD__ 2
__DECIMAL_BID_FORMAT__ 1
__DEC32_MANT_DIG__ 7
__DEC32_MIN_EXP__ (-94)
__DEC32_MAX_EXP__ 97
__DEC32_MIN__ 1E-95DF
__DEC32_MAX__ 9.999999E96DF
__DEC32_EPSILON__ 1E-6DF
__DEC32_SUBNORMAL_MIN__ 0.000001E-95DF
__DEC64_MANT_DIG__ 16
__DEC64_MIN_EXP__ (-382)
__DEC64_MAX_EXP__ 385
__DEC64_MIN__ 1E-383DD
__DEC64_MAX__ 9.999999999999999E384DD
__DEC64_EPSILON__ 1E-15DD
__DEC64_SUBNORMAL_MIN__ 0.000000000000001E-383DD
__DEC128_MANT_DIG__ 34
__DEC128_MIN_EXP__ (-6142)
__DEC128_MAX_EXP__ 6145
__DEC128_MIN__ 1E-6143DL
__DEC128_MAX__ 9.999999999999999999999999999999999E6144DL
__DEC128_EPSILON__ 1E-33DL
__DEC128_SUBNORMAL_MIN__ 0.000000000000000000000000000000001E-6143DL";

pub(super) fn define(lines: &mut Lines, settings: &UnitSettings, target: &Target, features: &Features) {
    let is_clang = settings.is_clang();
    lines.define("__FLT_RADIX__", 2);
    if features.has("sse2") {
        float_type(lines, is_clang, "FLT16", &BINARY16, "F16");
    }
    float_type(lines, is_clang, "FLT", &BINARY32, "F");
    float_type(lines, is_clang, "DBL", &BINARY64, "");
    float_type(lines, is_clang, "LDBL", &X87, "L");
    if is_clang {
        lines.define("__DECIMAL_DIG__", "__LDBL_DECIMAL_DIG__");
        return;
    }
    lines.define("__DECIMAL_DIG__", X87.decimal_dig);
    float_type(lines, is_clang, "FLT32", &BINARY32, "F32");
    float_type(lines, is_clang, "FLT64", &BINARY64, "F64");
    float_type(lines, is_clang, "FLT32X", &BINARY64, "F32x");
    float_type(lines, is_clang, "FLT64X", &X87, "F64x");
    float_type(lines, is_clang, "FLT128", &BINARY128, "F128");
    lines.table(DECIMAL);
    let method = evaluation_method(settings, target, features);
    lines.define("__FLT_EVAL_METHOD__", method);
    lines.define("__FLT_EVAL_METHOD_TS_18661_3__", method);
}

/// Whether the x87 unit computes, and so in which precision.
fn evaluation_method(settings: &UnitSettings, target: &Target, features: &Features) -> i32 {
    let uses_sse = target.pointer_size == 8 || settings.machine.fpmath_sse;
    match (uses_sse, features.has("sse"), features.has("sse2")) {
        (true, _, true) if features.has("avx512fp16") => 16,
        (true, _, true) => 0,
        (true, true, false) => -1,
        _ => 2,
    }
}

fn float_type(lines: &mut Lines, is_clang: bool, name: &str, format: &Format, suffix: &str) {
    let mut define = |part: &str, value: String| lines.define(&format!("__{name}_{part}__"), value);
    define("MANT_DIG", format.mant_dig.to_string());
    define("DIG", format.dig.to_string());
    define("DECIMAL_DIG", format.decimal_dig.to_string());
    define("MIN_EXP", format!("({})", format.min_exp));
    define("MIN_10_EXP", format!("({})", format.min_10_exp));
    define("MAX_EXP", format.max_exp.to_string());
    define("MAX_10_EXP", format.max_10_exp.to_string());
    let [max, min, epsilon, denorm_min] = if is_clang { format.clang } else { format.gcc };
    for (part, digits) in
        [("MAX", max), ("NORM_MAX", max), ("MIN", min), ("EPSILON", epsilon), ("DENORM_MIN", denorm_min)]
    {
        // gcc gives `double` more digits than it has, so that C++ and `-fexcess-precision` agree.
        let is_gcc_double = suffix.is_empty() && !is_clang;
        define(part, if is_gcc_double { format!("((double){digits}L)") } else { format!("{digits}{suffix}") });
    }
    for part in ["HAS_DENORM", "HAS_INFINITY", "HAS_QUIET_NAN"] {
        define(part, "1".to_owned());
    }
    if !is_clang {
        define("IS_IEC_60559", "2".to_owned());
    }
}
