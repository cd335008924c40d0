//! What each byte can begin or continue.

/// What a byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// No token, or one that needs a closer look: control bytes, `@`, bytes past ASCII, `\`.
    Odd,
    Space,
    Newline,
    Ident,
    Digit,
    Quote,
    Slash,
    Dot,
    /// A punctuator that no byte can continue.
    Single,
    /// A punctuator that may continue.
    Punctuator,
}

/// The byte may stand in an identifier.
pub(super) const IN_IDENT: u8 = 1;
/// After an identifier or number, this byte asks for a closer look: it may go on (`\`, past ASCII,
/// a trigraph) or turn out to be a literal's prefix.
pub(super) const LOOK_AFTER_IDENT: u8 = 2;
/// The byte goes on in a number: letters, digits, `_`, `.`.
pub(super) const IN_NUMBER: u8 = 4;
/// The byte ends or complicates a run inside a string literal.
pub(super) const STOPS_STRING: u8 = 8;
/// As [`STOPS_STRING`], for character constants.
pub(super) const STOPS_CHAR: u8 = 16;

pub(super) static CLASS: [Class; 256] = classes();
pub(super) static MARKS: [u8; 256] = marks();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Odd; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            b'\n' | b'\r' => Class::Newline,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Class::Ident,
            b'0'..=b'9' => Class::Digit,
            b'"' | b'\'' => Class::Quote,
            b'/' => Class::Slash,
            b'.' => Class::Dot,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'~' | b',' | b';' => Class::Single,
            b'!' | b'#' | b'%' | b'&' | b'*' | b'+' | b'-' | b':' | b'<' | b'=' | b'>' | b'?' | b'^' | b'|' => {
                Class::Punctuator
            }
            _ => Class::Odd,
        };
        byte += 1;
    }
    table
}

const fn marks() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'0'..=b'9' => IN_IDENT | IN_NUMBER,
            b'.' => IN_NUMBER,
            b'\\' => LOOK_AFTER_IDENT | STOPS_STRING | STOPS_CHAR,
            b'?' => LOOK_AFTER_IDENT | STOPS_STRING | STOPS_CHAR,
            b'\n' | b'\r' => STOPS_STRING | STOPS_CHAR,
            b'"' => LOOK_AFTER_IDENT | STOPS_STRING,
            b'\'' => LOOK_AFTER_IDENT | STOPS_CHAR,
            0x80.. => LOOK_AFTER_IDENT,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Whether C allows the character in identifiers (C11 annex D, which is the most permissive).
pub(super) fn is_ident_char(c: char) -> bool {
    const RANGES: &[(u32, u32)] = &[
        (0xa8, 0xa8),
        (0xaa, 0xaa),
        (0xad, 0xad),
        (0xaf, 0xaf),
        (0xb2, 0xb5),
        (0xb7, 0xba),
        (0xbc, 0xbe),
        (0xc0, 0xd6),
        (0xd8, 0xf6),
        (0xf8, 0x167f),
        (0x1681, 0x180d),
        (0x180f, 0x1fff),
        (0x200b, 0x200d),
        (0x202a, 0x202e),
        (0x203f, 0x2040),
        (0x2054, 0x2054),
        (0x2060, 0x218f),
        (0x2460, 0x24ff),
        (0x2776, 0x2793),
        (0x2c00, 0x2dff),
        (0x2e80, 0x2fff),
        (0x3004, 0x3007),
        (0x3021, 0x302f),
        (0x3031, 0xd7ff),
        (0xf900, 0xfd3d),
        (0xfd40, 0xfdcf),
        (0xfdf0, 0xfe44),
        (0xfe47, 0xfffd),
        (0x10000, 0xefffd),
    ];
    let code = c as u32;
    RANGES.iter().any(|&(low, high)| low <= code && code <= high)
}
