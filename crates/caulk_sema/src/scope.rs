//! What names mean where.
//!
//! One stack of entries for ordinary names and one for tags; a dense table by symbol number points at
//! the innermost entry, so that a look-up is one load and leaving a scope restores what it hid.

use caulk_base::Symbol;

use crate::hir::LocalId;
use crate::types::Ty;
use crate::unit::GlobalId;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// A variable or parameter of the function at this nesting depth.
    Local {
        local: LocalId,
        depth: u32,
    },
    Global(GlobalId),
    /// `align`: what an `aligned` attribute on the typedef says.
    Typedef {
        ty: Ty,
        align: Option<u64>,
    },
    Enumerator {
        value: i128,
        ty: Ty,
    },
    /// A struct, union or enum tag.
    Tag(Ty),
    /// Declared in a way we did not understand: uses are unknown.
    Lost,
}

#[derive(Debug)]
struct Entry {
    name: Symbol,
    /// The entry this one hides, plus one; 0 for none.
    hidden: u32,
    meaning: Meaning,
}

/// One name space.
#[derive(Debug, Default)]
pub(crate) struct NameSpace {
    /// Innermost entry of each symbol, plus one.
    innermost: Vec<u32>,
    entries: Vec<Entry>,
    /// Number of entries at the start of each open scope.
    starts: Vec<u32>,
}

impl NameSpace {
    pub(crate) fn push(&mut self) {
        self.starts.push(self.entries.len() as u32);
    }

    pub(crate) fn pop(&mut self) {
        let start = self.starts.pop().unwrap_or(0) as usize;
        while self.entries.len() > start {
            let Some(entry) = self.entries.pop() else { break };
            self.innermost[entry.name.0 as usize] = entry.hidden;
        }
    }

    /// Leaves every open scope, as after work that was broken off.
    pub(crate) fn pop_all(&mut self) {
        while !self.starts.is_empty() {
            self.pop();
        }
    }

    pub(crate) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let slot = name.0 as usize;
        if self.innermost.len() <= slot {
            self.innermost.resize((slot + 1).next_power_of_two(), 0);
        }
        let hidden = self.innermost[slot];
        self.entries.push(Entry { name, hidden, meaning });
        self.innermost[slot] = self.entries.len() as u32;
    }

    pub(crate) fn get(&self, name: Symbol) -> Option<Meaning> {
        let number = *self.innermost.get(name.0 as usize)?;
        Some(self.entries.get(number.checked_sub(1)? as usize)?.meaning)
    }

    /// The meaning given in the innermost open scope, not in one around it.
    pub(crate) fn get_here(&self, name: Symbol) -> Option<Meaning> {
        let number = self.innermost.get(name.0 as usize)?.checked_sub(1)?;
        let start = self.starts.last().copied().unwrap_or(0);
        (number >= start).then(|| self.entries[number as usize].meaning)
    }

    /// Replaces the innermost meaning.
    pub(crate) fn update(&mut self, name: Symbol, meaning: Meaning) {
        if let Some(&number) = self.innermost.get(name.0 as usize)
            && let Some(entry) = number.checked_sub(1).and_then(|n| self.entries.get_mut(n as usize))
        {
            entry.meaning = meaning;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_names_hide_outer_ones_until_their_scope_ends() {
        let x = Symbol::intern("x");
        let value = |space: &NameSpace| match space.get(x) {
            Some(Meaning::Enumerator { value, .. }) => Some(value),
            _ => None,
        };
        let constant = |value| Meaning::Enumerator { value, ty: Ty::INT };
        let mut space = NameSpace::default();
        assert_eq!(value(&space), None);
        space.declare(x, constant(1));
        space.push();
        assert!(space.get_here(x).is_none());
        space.declare(x, constant(2));
        assert_eq!(value(&space), Some(2));
        space.pop();
        assert_eq!(value(&space), Some(1));
    }
}
