//! Names already met in this file, in front of the process-wide interner and its locks.
//!
//! Open addressing, linear probing. A name of at most eight bytes is decided by one comparison of
//! words; a longer one needs its remaining bytes compared as well.

use caulk_base::Symbol;

#[derive(Clone, Copy)]
struct Entry {
    /// The first eight bytes, zero-filled.
    first: u64,
    start: u32,
    /// Zero for a free entry.
    len: u32,
    hash: u32,
    symbol: Symbol,
}

const FREE: Entry = Entry { first: 0, start: 0, len: 0, hash: 0, symbol: Symbol::EMPTY };

pub(super) struct Names {
    entries: Vec<Entry>,
    used: usize,
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Names {
    pub(super) fn new(text_len: usize) -> Names {
        // Small files have few names; large ones grow by doubling.
        let size = (text_len / 64).next_power_of_two().clamp(64, 4096);
        Names { entries: vec![FREE; size], used: 0 }
    }

    /// The symbol of `text[start..end]`, which is ASCII and not empty.
    #[inline]
    pub(super) fn intern(&mut self, text: &[u8], start: usize, end: usize) -> Symbol {
        let len = end - start;
        let first = first_word(text, start, len);
        let mut mixed = (first ^ len as u64).wrapping_mul(MULTIPLIER);
        if len > 8 {
            // The last eight bytes overlap the first ones; names that agree in both are told apart
            // by comparison.
            let last = word_at(text, end - 8);
            mixed = (mixed.rotate_left(29) ^ last).wrapping_mul(MULTIPLIER);
            if len > 16 {
                mixed = (mixed.rotate_left(29) ^ word_at(text, start + 8)).wrapping_mul(MULTIPLIER);
            }
        }
        let hash = (mixed >> 32) as u32;
        let mask = self.entries.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = &self.entries[slot];
            if entry.hash == hash
                && entry.first == first
                && entry.len == len as u32
                && (len <= 8 || text[start + 8..end] == text[entry.start as usize + 8..][..len - 8])
            {
                return entry.symbol;
            }
            if entry.len == 0 {
                break;
            }
            slot = (slot + 1) & mask;
        }
        self.add(text, Entry { first, start: start as u32, len: len as u32, hash, symbol: Symbol::EMPTY }, slot)
    }

    #[cold]
    fn add(&mut self, text: &[u8], mut entry: Entry, slot: usize) -> Symbol {
        let bytes = &text[entry.start as usize..][..entry.len as usize];
        entry.symbol = Symbol::intern(&String::from_utf8_lossy(bytes));
        self.entries[slot] = entry;
        self.used += 1;
        if self.used * 2 > self.entries.len() {
            self.grow();
        }
        entry.symbol
    }

    fn grow(&mut self) {
        let size = self.entries.len() * 4;
        let old = std::mem::replace(&mut self.entries, vec![FREE; size]);
        for entry in old.into_iter().filter(|entry| entry.len != 0) {
            let mut slot = entry.hash as usize & (size - 1);
            while self.entries[slot].len != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.entries[slot] = entry;
        }
    }
}

#[inline]
fn word_at(text: &[u8], at: usize) -> u64 {
    text[at..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline]
fn first_word(text: &[u8], start: usize, len: usize) -> u64 {
    match text[start..].first_chunk::<8>() {
        Some(bytes) => {
            let word = u64::from_le_bytes(*bytes);
            if len >= 8 { word } else { word & ((1 << (8 * len)) - 1) }
        }
        None => {
            let mut bytes = [0; 8];
            let len = len.min(8);
            bytes[..len].copy_from_slice(&text[start..start + len]);
            u64::from_le_bytes(bytes)
        }
    }
}
