//! Interning and scratch tables that are cheap to clear.
//!
//! One [`Space`](crate::Space) serves thousands of functions, most of them tiny and a few huge. A standard hash map
//! pays for its largest ever size at every `clear`; these shrink logically to their smallest size and keep only the
//! allocation.
//!
//! Invariant: clearing costs in proportion to what was used since the last clear, never to what was ever used.

const EMPTY: u32 = u32::MAX;
const SMALLEST: usize = 64;
/// Up to here tables may be half empty and grow fast.
const ROOMY: usize = 1 << 16;

/// A hash table from values stored elsewhere to their ids.
///
/// A slot holds an id in as many bits as the number of a slot has, and bits of the hash in the others. So the values,
/// which are far away in a large table, are looked at only if they are very likely the ones that are looked for. Ids
/// must be small for that: the table grows with the largest as well.
pub(crate) struct IndexTable {
    slots: Vec<u32>,
    used: usize,
}

/// Where an absent value belongs.
pub(crate) struct Vacant {
    slot: usize,
    tag: u32,
}

impl IndexTable {
    pub(crate) fn new() -> IndexTable {
        IndexTable { slots: vec![EMPTY; SMALLEST], used: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(SMALLEST, EMPTY);
        self.used = 0;
    }

    pub(crate) fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Result<u32, Vacant> {
        let mask = self.slots.len() - 1;
        let tag = tag(hash, mask);
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            let id = entry & mask as u32;
            match entry {
                EMPTY => return Err(Vacant { slot, tag }),
                _ if entry ^ id == tag && is_same(id) => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Fills the vacancy that `find` returned last. `hash_of` is asked when the table grows.
    pub(crate) fn insert(&mut self, vacant: Vacant, id: u32, hash_of: impl Fn(u32) -> u64) {
        self.used += 1;
        let needed = self.used.max(id as usize + 1);
        if is_full(needed, self.slots.len()) {
            self.grow(needed, &hash_of);
            self.place(id, hash_of(id));
        } else {
            self.slots[vacant.slot] = vacant.tag | id;
        }
    }

    fn grow(&mut self, needed: usize, hash_of: &impl Fn(u32) -> u64) {
        let mut len = self.slots.len();
        while is_full(needed, len) {
            len *= if len < ROOMY { 4 } else { 2 };
        }
        let outgrown = std::mem::replace(&mut self.slots, vec![EMPTY; len]);
        let mask = outgrown.len() as u32 - 1;
        for entry in outgrown.into_iter().filter(|&entry| entry != EMPTY) {
            self.place(entry & mask, hash_of(entry & mask));
        }
    }

    /// Puts an id that is not there into a table that has room for it.
    fn place(&mut self, id: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = tag(hash, mask) | id;
    }
}

fn is_full(used: usize, slots: usize) -> bool {
    if slots <= ROOMY { used * 2 > slots } else { used * 4 > slots * 3 }
}

/// Bits of a hash that do not tell the slot, where a slot keeps them.
fn tag(hash: u64, mask: usize) -> u32 {
    (hash >> 32) as u32 & !(mask as u32)
}

/// A dense map from small numbers to `u32` values, emptied by undoing what was set.
pub(crate) struct Memo {
    values: Vec<u32>,
    touched: Vec<u32>,
}

impl Memo {
    pub(crate) fn new() -> Memo {
        Memo { values: Vec::new(), touched: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        for &key in &self.touched {
            self.values[key as usize] = EMPTY;
        }
        self.touched.clear();
    }

    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        self.values.get(key as usize).copied().filter(|&value| value != EMPTY)
    }

    /// `value` must not be `u32::MAX`.
    pub(crate) fn set(&mut self, key: u32, value: u32) {
        debug_assert!(value != EMPTY);
        if self.values.len() <= key as usize {
            self.values.resize((key as usize + 1).next_power_of_two(), EMPTY);
        }
        if self.values[key as usize] == EMPTY {
            self.touched.push(key);
        }
        self.values[key as usize] = value;
    }
}

/// A map from numbers of any size to `u32` values, for a few of many numbers; emptied by undoing what was set.
pub(crate) struct SparseMemo {
    /// Keys and their values, by hash.
    slots: Vec<(u32, u32)>,
    touched: Vec<u32>,
}

impl SparseMemo {
    pub(crate) fn new() -> SparseMemo {
        SparseMemo { slots: vec![(EMPTY, EMPTY); SMALLEST], touched: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        for &slot in &self.touched {
            self.slots[slot as usize] = (EMPTY, EMPTY);
        }
        self.touched.clear();
    }

    pub(crate) fn get(&self, key: u32) -> Option<u32> {
        let (found, value) = self.slots[self.slot(key)];
        (found == key).then_some(value)
    }

    /// `key` must not be `u32::MAX`.
    pub(crate) fn set(&mut self, key: u32, value: u32) {
        debug_assert!(key != EMPTY);
        let slot = self.slot(key);
        if self.slots[slot].0 == EMPTY {
            self.touched.push(slot as u32);
        }
        self.slots[slot] = (key, value);
        if self.touched.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Where the key is, or belongs.
    fn slot(&self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        // Multiplying spreads keys over the upper bits.
        let mut slot = (u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while self.slots[slot].0 != EMPTY && self.slots[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        let outgrown = std::mem::replace(&mut self.slots, vec![(EMPTY, EMPTY); len]);
        self.touched.clear();
        for (key, value) in outgrown.into_iter().filter(|entry| entry.0 != EMPTY) {
            let slot = self.slot(key);
            self.slots[slot] = (key, value);
            self.touched.push(slot as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IndexTable, Memo, SparseMemo};

    #[test]
    fn a_table_finds_what_was_inserted_and_forgets_when_cleared() {
        let values: Vec<u64> = (0..1000).map(|i| i * 7919).collect();
        let mut table = IndexTable::new();
        for round in 0..2 {
            for (id, &value) in values.iter().enumerate() {
                let Err(vacant) = table.find(value, |other| values[other as usize] == value) else {
                    panic!("{value} is not yet there");
                };
                table.insert(vacant, id as u32, |other| values[other as usize]);
            }
            for (id, &value) in values.iter().enumerate() {
                let found = table.find(value, |other| values[other as usize] == value).ok();
                assert_eq!(found, Some(id as u32), "round {round}");
            }
            table.clear();
        }
    }

    #[test]
    fn a_memo_forgets_when_cleared() {
        let mut memo = Memo::new();
        memo.set(5, 1);
        assert_eq!((memo.get(5), memo.get(4), memo.get(500)), (Some(1), None, None));
        memo.clear();
        assert_eq!(memo.get(5), None);
    }

    #[test]
    fn a_sparse_memo_keeps_many_numbers_and_forgets_when_cleared() {
        let mut memo = SparseMemo::new();
        for round in 0..2 {
            for key in 0..1000 {
                memo.set(key * 4096, key + round);
            }
            let kept = (0..1000).all(|key| memo.get(key * 4096) == Some(key + round));
            assert!(kept && memo.get(1).is_none(), "round {round}");
            memo.clear();
            assert_eq!(memo.get(4096), None);
        }
    }
}
