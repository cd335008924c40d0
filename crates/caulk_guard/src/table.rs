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
pub(crate) struct IndexTable {
    slots: Vec<u32>,
    used: usize,
}

/// Where an absent value belongs.
pub(crate) struct Vacant {
    slot: usize,
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
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(Vacant { slot }),
                id if is_same(id) => return Ok(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Fills the vacancy that `find` returned last. `hash_of` is asked when the table grows.
    pub(crate) fn insert(&mut self, vacant: Vacant, id: u32, hash_of: impl Fn(u32) -> u64) {
        self.slots[vacant.slot] = id;
        self.used += 1;
        let is_full = if self.slots.len() <= ROOMY {
            self.used * 2 > self.slots.len()
        } else {
            self.used * 4 > self.slots.len() * 3
        };
        if is_full {
            self.grow(hash_of);
        }
    }

    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let len = self.slots.len() * if self.slots.len() < ROOMY { 4 } else { 2 };
        let outgrown = std::mem::replace(&mut self.slots, vec![EMPTY; len]);
        for id in outgrown.into_iter().filter(|&id| id != EMPTY) {
            let mut slot = hash_of(id) as usize & (len - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = id;
        }
    }
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
