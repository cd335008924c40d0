//! Integer constants and character constants as `#if` reads them.

use crate::token::{Token, flag};

/// The number in a `#line`.
pub(super) fn line(text: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(text).ok()?;
    let digits: String = digits.chars().filter(|&c| c != '\'').collect();
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// An integer constant: its value, and whether it is unsigned.
pub(super) fn integer(text: &[u8]) -> Result<(u64, bool), &'static str> {
    let (digits, radix) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (rest, 16),
        [b'0', b'b' | b'B', rest @ ..] => (rest, 2),
        [b'0', ..] => (text, 8),
        _ => (text, 10),
    };
    let mut value: u64 = 0;
    let mut overflows = false;
    let mut at = 0;
    while let Some(&byte) = digits.get(at) {
        let Some(digit) = (byte as char).to_digit(radix) else {
            if byte == b'\'' {
                at += 1;
                continue;
            }
            break;
        };
        let (product, too_large) = value.overflowing_mul(u64::from(radix));
        let (sum, carry) = product.overflowing_add(u64::from(digit));
        value = sum;
        overflows |= too_large || carry;
        at += 1;
    }
    if at == 0 {
        return Err("invalid integer constant in #if");
    }
    let suffix = digits[at..].to_ascii_lowercase();
    if suffix.iter().any(|byte| matches!(byte, b'.' | b'e' | b'p' | b'f')) {
        return Err("floating constant in #if");
    }
    let is_unsigned = match &suffix[..] {
        b"" | b"l" | b"ll" | b"z" | b"wb" | b"i" | b"j" => false,
        b"u" | b"ul" | b"ull" | b"lu" | b"llu" | b"uz" | b"zu" | b"uwb" | b"wbu" => true,
        _ => return Err("invalid suffix on integer constant in #if"),
    };
    if overflows {
        return Err("integer constant is too large");
    }
    Ok((value, is_unsigned || value > i64::MAX as u64))
}

/// Which character types the target has unsigned.
#[derive(Clone, Copy)]
pub(super) struct Unsigned {
    pub(super) chars: bool,
    pub(super) wide_chars: bool,
}

/// A character constant's value, and whether it is unsigned.
pub(super) fn character(token: &Token, text: &[u8], unsigned: Unsigned) -> Result<(u64, bool), &'static str> {
    if token.has(flag::UNTERMINATED) {
        return Err("missing terminating ' character");
    }
    let Some(open) = text.iter().position(|&byte| byte == b'\'') else { return Err("empty character constant") };
    let prefix = &text[..open];
    let inner = &text[open + 1..text.len() - 1];
    if inner.is_empty() {
        return Err("empty character constant");
    }
    let mut at = 0;
    if !prefix.is_empty() {
        let mut value = 0;
        while at < inner.len() {
            let (unit, next) = unit(inner, at, true);
            value = unit;
            at = next;
        }
        return Ok(match prefix {
            b"L" if unsigned.wide_chars => (u64::from(value as u32), true),
            b"L" => (i64::from(value as i32) as u64, false),
            b"u" => (u64::from(value as u16), true),
            b"u8" => (u64::from(value as u8), true),
            _ => (u64::from(value as u32), true),
        });
    }
    let mut value: u32 = 0;
    let mut count = 0;
    while at < inner.len() {
        let (unit, next) = unit(inner, at, false);
        value = value << 8 | (unit as u32 & 0xff);
        count += 1;
        at = next;
    }
    let signed = match count {
        1 if unsigned.chars => i64::from(value as u8),
        1 => i64::from(value as u8 as i8),
        _ => i64::from(value as i32),
    };
    Ok((signed as u64, unsigned.chars))
}

/// One character or escape at `at`, and where the next begins.
fn unit(text: &[u8], at: usize, is_wide: bool) -> (u64, usize) {
    if text[at] != b'\\' || at + 1 == text.len() {
        if is_wide
            && text[at] >= 0x80
            && let Some(c) = String::from_utf8_lossy(&text[at..]).chars().next()
        {
            return (u64::from(c as u32), at + c.len_utf8());
        }
        return (u64::from(text[at]), at + 1);
    }
    let digits = |from: usize, radix: u32, most: usize| {
        let run = text[from..].iter().take(most).take_while(|byte| (**byte as char).is_digit(radix)).count();
        let value = text[from..from + run].iter().fold(0u64, |value, &byte| {
            value.wrapping_mul(u64::from(radix)).wrapping_add(u64::from((byte as char).to_digit(radix).unwrap_or(0)))
        });
        (value, from + run)
    };
    match text[at + 1] {
        b'0'..=b'7' => digits(at + 1, 8, 3),
        b'x' => digits(at + 2, 16, usize::MAX),
        b'u' => digits(at + 2, 16, 4),
        b'U' => digits(at + 2, 16, 8),
        b'a' => (7, at + 2),
        b'b' => (8, at + 2),
        b't' => (9, at + 2),
        b'n' => (10, at + 2),
        b'v' => (11, at + 2),
        b'f' => (12, at + 2),
        b'r' => (13, at + 2),
        b'e' | b'E' => (27, at + 2),
        byte => (u64::from(byte), at + 2),
    }
}
