//! Identifiers, eight bytes at a time, and the names already met in this file, in front of the
//! process-wide interner and its locks.
//!
//! A name of at most eight bytes is its own key, zero-filled. A longer one's key is its hash with the
//! highest bit set, which no ASCII name has; equal hashes are settled by comparing texts. Open addressing,
//! linear probing.

use caulk_base::Symbol;

use super::table::{IN_IDENT, MARKS};

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    start: u32,
    symbol: Symbol,
}

pub(super) struct Names {
    /// In the order in which they were met: those met all the time share a few cache lines.
    entries: Vec<Entry>,
    /// Number of an entry plus one, or zero.
    slots: Vec<u32>,
    /// Shifts a hash down to a number of a slot.
    shift: u32,
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const LONG: u64 = 1 << 63;

/// An identifier's extent and key.
pub(super) struct Name {
    pub(super) start: usize,
    pub(super) end: usize,
    key: u64,
}

impl Name {
    /// The identifier that begins at `start`, as far as its bytes are ASCII.
    #[inline]
    pub(super) fn scan(text: &[u8], start: usize) -> Name {
        let word = word_at(text, start);
        let len = ident_bytes(word);
        if len < 8 {
            return Name { start, end: start + len, key: word & ((1 << (8 * len)) - 1) };
        }
        let mut end = start + 8;
        let mut hash = word;
        loop {
            let word = word_at(text, end);
            let len = ident_bytes(word);
            if len == 0 {
                break;
            }
            let bytes = if len == 8 { word } else { word & ((1 << (8 * len)) - 1) };
            hash = (hash.wrapping_mul(MULTIPLIER).rotate_left(29) ^ bytes).wrapping_mul(MULTIPLIER);
            end += len;
            if len < 8 {
                break;
            }
        }
        let key = if end - start == 8 { hash } else { hash | LONG };
        Name { start, end, key }
    }

    /// Whether the name at `other`, whose key is the same, is the same.
    #[inline]
    fn is_at(&self, text: &[u8], other: usize) -> bool {
        if self.key & LONG == 0 {
            return true;
        }
        let end = other + (self.end - self.start);
        text.get(other..end) == Some(&text[self.start..self.end])
            && text.get(end).is_none_or(|&byte| MARKS[byte as usize] & IN_IDENT == 0)
    }
}

impl Names {
    pub(super) fn new(text_len: usize) -> Names {
        // Small files have few names; large ones grow by doubling twice.
        let bits = (text_len / 64).next_power_of_two().clamp(64, 1 << 14).trailing_zeros();
        Names { entries: Vec::new(), slots: vec![0; 1 << bits], shift: 64 - bits }
    }

    /// The symbol of a name of this text.
    #[inline]
    pub(super) fn intern(&mut self, text: &[u8], name: &Name) -> Symbol {
        let mask = self.slots.len() - 1;
        let mut slot = self.first_slot(name.key);
        loop {
            let number = self.slots[slot & mask];
            let Some(entry) = self.entries.get((number as usize).wrapping_sub(1)) else {
                return self.add(text, name, slot & mask);
            };
            if entry.key == name.key && name.is_at(text, entry.start as usize) {
                return entry.symbol;
            }
            slot += 1;
        }
    }

    #[inline]
    fn first_slot(&self, key: u64) -> usize {
        (key.wrapping_mul(MULTIPLIER) >> self.shift) as usize
    }

    #[cold]
    fn add(&mut self, text: &[u8], name: &Name, slot: usize) -> Symbol {
        let symbol = Symbol::intern(&String::from_utf8_lossy(&text[name.start..name.end]));
        self.entries.push(Entry { key: name.key, start: name.start as u32, symbol });
        self.slots[slot] = self.entries.len() as u32;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        self.shift -= 2;
        let size = self.slots.len() * 4;
        self.slots = vec![0; size];
        for number in 0..self.entries.len() {
            let mut slot = self.first_slot(self.entries[number].key);
            while self.slots[slot & (size - 1)] != 0 {
                slot += 1;
            }
            self.slots[slot & (size - 1)] = number as u32 + 1;
        }
    }
}

/// Eight bytes, zeros past the end of the text.
#[inline]
fn word_at(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_word(text, at),
    }
}

#[cold]
fn last_word(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or(&[]);
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes)
}

/// How many of the eight bytes, from the lowest on, may stand in an identifier; all eight are tested
/// at once.
#[inline]
fn ident_bytes(word: u64) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH * 0x80;
    let low = word & !HIGH;
    // The high bit of each byte, which is under 0x80, says whether it is within the range.
    let within =
        |bytes: u64, from: u8, to: u8| (bytes + EACH * u64::from(0x80 - from)) & !(bytes + EACH * u64::from(0x7f - to));
    let is = |byte: u8| !((low ^ (EACH * u64::from(byte))) + EACH * 0x7f);
    let letters = within(low | (EACH * 0x20), b'a', b'z');
    let ident = (letters | within(low, b'0', b'9') | is(b'_') | is(b'$')) & !word & HIGH;
    ((ident ^ HIGH).trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_agree_with_the_table() {
        for byte in 0..=255u8 {
            let is_ident = MARKS[byte as usize] & IN_IDENT != 0;
            for at in 0..8 {
                let mut bytes = *b"aZ09_$mM";
                bytes[at] = byte;
                let expected = if is_ident { 8 } else { at };
                assert_eq!(ident_bytes(u64::from_le_bytes(bytes)), expected, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn names_are_told_apart_by_every_byte() {
        let text = b"abcdefgh abcdefghi abcdefghij abcdefg a abcdefgh_abcdefgh_x_abcdefgh abcdefgh_abcdefgh_y_abcdefgh";
        let mut names = Names::new(0);
        let mut start = 0;
        for word in text.split(|&byte| byte == b' ') {
            for _ in 0..2 {
                let name = Name::scan(text, start);
                assert_eq!(name.end - name.start, word.len());
                assert_eq!(names.intern(text, &name).as_str().as_bytes(), word);
            }
            start += word.len() + 1;
        }
    }
}
