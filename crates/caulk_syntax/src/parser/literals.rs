//! Numbers and character constants, decoded from their text.
//!
//! ```c
//! 42  0x2Aul  0b10'1010  1e-3f  0x1.8p3  3i  'a'  'ab'  L'\u00e9'
//! ```

use crate::ast::{Ast, BasicType, Encoding, ExprId, ExprKind, IntSuffix};
use crate::token::flag;

use super::Parser;
use super::strings::{Units, split_prefix};

/// A decoded constant and what is odd about it.
struct Decoded {
    kind: ExprKind,
    warning: Option<&'static str>,
}

const PLAIN: IntSuffix =
    IntSuffix { is_unsigned: false, longs: 0, is_bit_int: false, is_decimal: true, is_imaginary: false };

impl Parser<'_> {
    /// At a number.
    pub(super) fn number(&mut self, ast: &mut Ast) -> ExprId {
        let token = self.bump();
        let text = self.preprocessor.text(&token);
        if let [digit @ b'0'..=b'9'] = *text {
            let suffix = IntSuffix { is_decimal: digit != b'0', ..PLAIN };
            return self.leaf(ast, ExprKind::Int { value: u64::from(digit - b'0'), suffix }, token.loc);
        }
        let decoded = decode_number(&text);
        drop(text);
        if let Some(warning) = decoded.warning {
            self.warning(token.loc, warning);
        }
        self.leaf(ast, decoded.kind, token.loc)
    }

    /// At a character constant.
    pub(super) fn character(&mut self, ast: &mut Ast) -> ExprId {
        let token = self.bump();
        let text = self.preprocessor.text(&token);
        let decoded = decode_character(&text);
        drop(text);
        if let Some(warning) = decoded.warning {
            self.warning(token.loc, warning);
        }
        if token.has(flag::UNTERMINATED) {
            self.warning(token.loc, "character constant without closing quote");
        }
        self.leaf(ast, decoded.kind, token.loc)
    }
}

fn decode_number(text: &[u8]) -> Decoded {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let mut value: u64 = 0;
    let mut overflows = false;
    let mut bad_octal = false;
    let mut at = 0;
    while let Some(&byte) = digits.get(at) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' if base == 16 => byte - b'a' + 10,
            b'A'..=b'F' if base == 16 => byte - b'A' + 10,
            b'\'' => {
                at += 1;
                continue;
            }
            _ => break,
        };
        bad_octal |= u64::from(digit) >= base;
        let wide = u128::from(value) * u128::from(base) + u128::from(digit);
        overflows |= wide > u128::from(u64::MAX);
        value = wide as u64;
        at += 1;
    }
    let is_float = match digits.get(at) {
        Some(b'.') => true,
        Some(b'e' | b'E') => base == 10 || base == 8,
        Some(b'p' | b'P') => base == 16,
        _ => false,
    };
    if is_float {
        return if base == 16 { hex_float(digits) } else { decimal_float(text) };
    }
    let decimal_suffix = matches!(digits.get(at), Some(b'f' | b'F' | b'd' | b'D')) && base != 16;
    if decimal_suffix {
        // `1f` is no C, but nothing is gained by losing the function.
        return decimal_float(text);
    }
    let Some(mut suffix) = int_suffix(&digits[at..]) else {
        let suffix = IntSuffix { is_decimal: base == 10, ..PLAIN };
        return Decoded { kind: ExprKind::Int { value, suffix }, warning: Some("unknown suffix of a number") };
    };
    suffix.is_decimal = base == 10;
    let warning = if overflows && !suffix.is_bit_int {
        Some("integer constant is too large")
    } else if bad_octal {
        Some("invalid digit in an integer constant")
    } else {
        None
    };
    Decoded { kind: ExprKind::Int { value, suffix }, warning }
}

fn int_suffix(text: &[u8]) -> Option<IntSuffix> {
    let mut suffix = PLAIN;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'u' | b'U' => suffix.is_unsigned = true,
            letter @ (b'l' | b'L') => {
                if text.get(at + 1) == Some(&letter) {
                    at += 1;
                    suffix.longs += 1;
                }
                suffix.longs += 1;
            }
            b'w' | b'W' if matches!(text.get(at + 1), Some(b'b' | b'B')) => {
                at += 1;
                suffix.is_bit_int = true;
            }
            // Microsoft's `i64`.
            b'i' | b'I' if text[at + 1..].starts_with(b"64") => {
                at += 2;
                suffix.longs = 2;
            }
            b'z' | b'Z' => suffix.longs = 1,
            b'i' | b'I' | b'j' | b'J' => suffix.is_imaginary = true,
            _ => return None,
        }
        at += 1;
    }
    suffix.longs = suffix.longs.min(2);
    Some(suffix)
}

fn decimal_float(text: &[u8]) -> Decoded {
    let mut digits = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' | b'.' => digits.push(char::from(byte)),
            b'e' | b'E' => digits.push('e'),
            b'+' | b'-' if digits.ends_with('e') => digits.push(char::from(byte)),
            b'\'' => {}
            _ => break,
        }
        at += 1;
    }
    match digits.parse::<f64>() {
        Ok(value) => float(value, &text[at..]),
        Err(_) => Decoded {
            kind: ExprKind::Float { value: 0.0, ty: BasicType::Double, is_imaginary: false },
            warning: Some("malformed number"),
        },
    }
}

/// After `0x`: `1.8p3`.
fn hex_float(text: &[u8]) -> Decoded {
    let mut mantissa: u64 = 0;
    let mut exponent: i64 = 0;
    let mut after_point = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            b'.' => {
                after_point = true;
                at += 1;
                continue;
            }
            b'\'' => {
                at += 1;
                continue;
            }
            _ => break,
        };
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if after_point { 4 } else { 0 };
        } else {
            // Beyond what a double can hold; only whether anything is left matters.
            mantissa |= u64::from(digit != 0);
            exponent += if after_point { 0 } else { 4 };
        }
        at += 1;
    }
    if matches!(text.get(at), Some(b'p' | b'P')) {
        at += 1;
        let negative = text.get(at) == Some(&b'-');
        at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        let mut written: i64 = 0;
        while let Some(digit @ b'0'..=b'9') = text.get(at) {
            written = (written * 10 + i64::from(digit - b'0')).min(1 << 20);
            at += 1;
        }
        exponent += if negative { -written } else { written };
    }
    float(scale(mantissa as f64, exponent), &text[at..])
}

/// `value * 2^exponent`, in steps that do not overflow by themselves.
fn scale(mut value: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-4000, 4000);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        value *= 2f64.powi(step as i32);
        left -= step;
    }
    value
}

fn float(value: f64, suffix: &[u8]) -> Decoded {
    let lower = suffix.to_ascii_lowercase();
    let mut is_imaginary = false;
    let mut rest = lower.as_slice();
    if let [b'i' | b'j', after @ ..] = rest {
        is_imaginary = true;
        rest = after;
    }
    if let [before @ .., b'i' | b'j'] = rest {
        is_imaginary = true;
        rest = before;
    }
    let mut warning = None;
    let ty = match rest {
        b"" | b"d" => BasicType::Double,
        b"f" => BasicType::Float,
        b"l" | b"w" => BasicType::LongDouble,
        b"q" | b"f128" => BasicType::Float128,
        b"f16" => BasicType::Float16,
        b"bf16" => BasicType::BFloat16,
        b"f32" => BasicType::Float32,
        b"f64" => BasicType::Float64,
        b"f32x" => BasicType::Float32x,
        b"f64x" => BasicType::Float64x,
        b"df" => BasicType::Decimal32,
        b"dd" => BasicType::Decimal64,
        b"dl" => BasicType::Decimal128,
        _ => {
            warning = Some("unknown suffix of a number");
            BasicType::Double
        }
    };
    Decoded { kind: ExprKind::Float { value, ty, is_imaginary }, warning }
}

fn decode_character(text: &[u8]) -> Decoded {
    let (encoding, body) = split_prefix(text, b'\'');
    let mut warning = None;
    let value = match encoding {
        Encoding::Char => {
            let mut bytes: i64 = 0;
            let mut count = 0;
            for unit in Units::new(body, encoding) {
                bytes = (bytes << 8 | i64::from(unit & 0xff)) & 0xffff_ffff;
                count += 1;
            }
            match count {
                0 => {
                    warning = Some("empty character constant");
                    0
                }
                1 => i64::from(bytes as u8 as i8),
                _ => i64::from(bytes as u32 as i32),
            }
        }
        _ => {
            // Several characters: the last one counts, as for GCC.
            let last = Units::new(body, encoding).last().unwrap_or(0);
            match encoding {
                Encoding::Utf8 => i64::from(last as u8),
                Encoding::Utf16 => i64::from(last as u16),
                Encoding::Wide => i64::from(last as i32),
                _ => i64::from(last),
            }
        }
    };
    Decoded { kind: ExprKind::Char { value, encoding }, warning }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u64, IntSuffix) {
        match decode_number(text.as_bytes()).kind {
            ExprKind::Int { value, suffix } => (value, suffix),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn real(text: &str) -> (f64, BasicType, bool) {
        match decode_number(text.as_bytes()).kind {
            ExprKind::Float { value, ty, is_imaginary } => (value, ty, is_imaginary),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn character(text: &str) -> i64 {
        match decode_character(text.as_bytes()).kind {
            ExprKind::Char { value, .. } => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers_have_bases_suffixes_and_separators() {
        assert_eq!(int("42").0, 42);
        assert_eq!(int("0777").0, 511);
        assert!(!int("0").1.is_decimal);
        assert_eq!(int("0xFFFFffffFFFFffff").0, u64::MAX);
        assert_eq!(int("0b1010").0, 10);
        assert_eq!(int("1'000'000").0, 1_000_000);
        let (value, suffix) = int("7uLL");
        assert_eq!((value, suffix.is_unsigned, suffix.longs), (7, true, 2));
        assert!(int("3wb").1.is_bit_int);
        assert!(int("3i").1.is_imaginary);
        assert_eq!(int("18446744073709551617").0, 1);
        assert!(decode_number(b"18446744073709551617").warning.is_some());
        assert!(decode_number(b"3xyz").warning.is_some());
        assert!(decode_number(b"089").warning.is_some());
    }

    #[test]
    fn floats_have_suffixes_and_hexadecimal_forms() {
        assert_eq!(real("1.5"), (1.5, BasicType::Double, false));
        assert_eq!(real("1.f"), (1.0, BasicType::Float, false));
        assert_eq!(real(".5L"), (0.5, BasicType::LongDouble, false));
        assert_eq!(real("1e3"), (1000.0, BasicType::Double, false));
        assert_eq!(real("089.5"), (89.5, BasicType::Double, false));
        assert_eq!(real("0x1.8p3"), (12.0, BasicType::Double, false));
        assert_eq!(real("0x1p-1074").0, 5e-324);
        assert_eq!(real("0x.8p1f"), (1.0, BasicType::Float, false));
        assert_eq!(real("0x1.fffffffffffffp1023").0, f64::MAX);
        assert_eq!(real("2.0if"), (2.0, BasicType::Float, true));
        assert_eq!(real("2.0f32x").1, BasicType::Float32x);
        assert_eq!(real("2.0DD").1, BasicType::Decimal64);
        assert!(decode_number(b"1.2.3").warning.is_some());
    }

    #[test]
    fn characters_are_as_gcc_computes_them() {
        assert_eq!(character("'a'"), 97);
        assert_eq!(character(r"'\377'"), -1);
        assert_eq!(character(r"'\xff'"), -1);
        assert_eq!(character(r"u8'\xff'"), 255);
        assert_eq!(character("'ab'"), 0x6162);
        assert_eq!(character(r"'\377\377\377\377'"), -1);
        assert_eq!(character("'é'"), 0xc3a9);
        assert_eq!(character("L'é'"), 0xe9);
        assert_eq!(character(r"U'\U0001F600'"), 0x1f600);
        assert_eq!(character(r"'\0'"), 0);
        assert_eq!(character(r"'\e'"), 27);
        assert_eq!(character(r"'\''"), 39);
    }
}
