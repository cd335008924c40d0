//! Copies of one definition become one.
//!
//! - *class*: definitions that are taken for copies of each other.
//!
//! ```c
//! // list.h
//! static int count;
//! static inline void add(void) { count++; log_line("add"); }
//! ```
//! Ten units have ten `add` of one origin and one text: at first one class, as are the ten `count`. They stay one
//! only if what they refer to is one class too: where two of the units belong to a program with a `log_line` of its
//! own, their `add` goes into a class by itself, and so does everything that refers to those.
//!
//! Invariant: members of a class have the same text, and each reference in it leads to members of one class or to
//! one external name. This is the coarsest such partition, found by splitting until nothing splits (Moore).

use std::hash::{Hash, Hasher};

use caulk_ir::ir::GlobalId;
use rustc_hash::{FxHashMap, FxHasher};

use super::definitions::Definitions;

/// By definition: the first definition of its class.
pub(super) struct Classes {
    pub(super) first: Vec<u32>,
}

impl Classes {
    /// `bind` says which definition a reference leads to, by the definition it stands in.
    pub(super) fn new(definitions: &Definitions, bind: impl Fn(u32, GlobalId) -> Option<u32>) -> Classes {
        let mut by_key: FxHashMap<u64, u32> = FxHashMap::default();
        let mut first: Vec<u32> = Vec::with_capacity(definitions.list.len());
        for (number, definition) in (0u32..).zip(&definitions.list) {
            let class = definition.copy_key.map_or(number, |key| *by_key.entry(key).or_insert(number));
            first.push(class);
        }
        let mut is_shared = vec![false; first.len()];
        for (number, &class) in (0u32..).zip(&first) {
            is_shared[class as usize] |= class != number;
        }
        let contested: Vec<u32> = (0..first.len() as u32).filter(|&n| is_shared[first[n as usize] as usize]).collect();
        let mut classes = Classes { first };
        while classes.split(definitions, &bind, &contested) {}
        classes
    }

    /// Splits every class by what its members refer to; whether any was.
    fn split(
        &mut self,
        definitions: &Definitions,
        bind: &impl Fn(u32, GlobalId) -> Option<u32>,
        contested: &[u32],
    ) -> bool {
        let mut firsts: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let mut changes = Vec::new();
        for &number in contested {
            let mut hasher = FxHasher::default();
            for &reference in definitions.references(number) {
                let class = bind(number, reference).map(|to| self.first[to as usize]);
                class.hash(&mut hasher);
            }
            let old = self.first[number as usize];
            let new = *firsts.entry((old, hasher.finish())).or_insert(number);
            if new != old {
                changes.push((number, new));
            }
        }
        let is_split = !changes.is_empty();
        for (number, new) in changes {
            self.first[number as usize] = new;
        }
        is_split
    }
}
