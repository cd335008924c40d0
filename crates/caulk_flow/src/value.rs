//! Guarded values: what a variable or cell may hold, each possibility with its condition.
//!
//! ```c
//! char *p = fast;                 // p = { true: &fast }
//! if (n > 10) p = malloc(n);      // p = { n < 11: &fast, n >= 11 and m: heap, n >= 11 and not m: null }
//! ```
//!
//! This is Saturn's guarded location set, for integers as well as for pointers: `ret = -1` on one way
//! and `ret = 0` on the other make `{ c: -1, not c: 0 }`, so a later `if (!ret)` is again `not c`.
//! Sets are interned; the guards of one set exclude each other and together hold wherever the value
//! is read.

use std::hash::BuildHasher;

use caulk_base::define_id;
use caulk_guard::{Guard, Kind, Object, Term};
use rustc_hash::{FxBuildHasher, FxHashMap};

define_id!(
    /// An interned guarded value.
    Val, "x");

impl Val {
    /// A cell no one has written: it has what its object's default says.
    pub const UNTOUCHED: Val = Val(u32::MAX);
    /// A cell that a write through an unknown index may have changed.
    pub const BLURRED: Val = Val(u32::MAX - 1);

    pub fn is_real(self) -> bool {
        self.0 < u32::MAX - 1
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValData<'a> {
    /// In the order of terms, each term once.
    Scalar(&'a [(Guard, Term)]),
    /// A record, as the cells it is made of.
    Record(&'a [Part]),
    /// The contents of an object after something unknown wrote to it; only in default cells.
    Unknown(u32),
    /// The contents of an object that another was copied to: what that one held at entry, so many bytes
    /// further on; only in default cells.
    CopyOf(Object, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub offset: i64,
    pub kind: Kind,
    pub val: Val,
}

/// All values of one evaluation. Their parts lie one behind the other: there are many values, and most are short.
#[derive(Default)]
pub struct Values {
    stored: Vec<Stored>,
    alternatives: Vec<(Guard, Term)>,
    parts: Vec<Part>,
    /// By hash: the last value that has it.
    by_hash: FxHashMap<u64, Val>,
    /// By value: the one before it with the same hash.
    before: Vec<Val>,
    /// By term: the value that is just this term.
    singles: Vec<Val>,
}

/// A value, its parts by where they lie.
#[derive(Clone, Copy)]
enum Stored {
    Scalar { start: u32, end: u32 },
    Record { start: u32, end: u32 },
    Unknown(u32),
    CopyOf(Object, i64),
}

impl Values {
    pub fn clear(&mut self) {
        self.stored.clear();
        self.alternatives.clear();
        self.parts.clear();
        self.by_hash.clear();
        self.before.clear();
        self.singles.clear();
    }

    pub fn single(&mut self, term: Term) -> Val {
        let place = term.0 as usize;
        if place >= self.singles.len() {
            self.singles.resize(place + 1, Val::UNTOUCHED);
        }
        if self.singles[place] == Val::UNTOUCHED {
            self.singles[place] = self.push(ValData::Scalar(&[(Guard::TRUE, term)]), Val::UNTOUCHED);
        }
        self.singles[place]
    }

    pub fn record(&mut self, parts: &[Part]) -> Val {
        self.intern(ValData::Record(parts))
    }

    pub fn unknown(&mut self, epoch: u32) -> Val {
        self.intern(ValData::Unknown(epoch))
    }

    pub fn copy_of(&mut self, object: Object, shift: i64) -> Val {
        self.intern(ValData::CopyOf(object, shift))
    }

    /// The alternatives must be sorted, without repetition, and not be empty.
    pub fn scalar(&mut self, alternatives: &[(Guard, Term)]) -> Val {
        match *alternatives {
            [(_, term)] => self.single(term),
            _ => self.intern(ValData::Scalar(alternatives)),
        }
    }

    fn intern(&mut self, data: ValData<'_>) -> Val {
        let hash = FxBuildHasher.hash_one(data);
        let last = self.by_hash.get(&hash).copied().unwrap_or(Val::UNTOUCHED);
        let mut val = last;
        while val != Val::UNTOUCHED {
            if self.get(val) == data {
                return val;
            }
            val = self.before[val.0 as usize];
        }
        let val = self.push(data, last);
        self.by_hash.insert(hash, val);
        val
    }

    fn push(&mut self, data: ValData<'_>, before: Val) -> Val {
        let stored = match data {
            ValData::Scalar(alternatives) => {
                let start = self.alternatives.len() as u32;
                self.alternatives.extend_from_slice(alternatives);
                Stored::Scalar { start, end: self.alternatives.len() as u32 }
            }
            ValData::Record(parts) => {
                let start = self.parts.len() as u32;
                self.parts.extend_from_slice(parts);
                Stored::Record { start, end: self.parts.len() as u32 }
            }
            ValData::Unknown(epoch) => Stored::Unknown(epoch),
            ValData::CopyOf(object, shift) => Stored::CopyOf(object, shift),
        };
        self.stored.push(stored);
        self.before.push(before);
        Val(self.stored.len() as u32 - 1)
    }

    pub fn get(&self, val: Val) -> ValData<'_> {
        match self.stored[val.0 as usize] {
            Stored::Scalar { start, end } => ValData::Scalar(&self.alternatives[start as usize..end as usize]),
            Stored::Record { start, end } => ValData::Record(&self.parts[start as usize..end as usize]),
            Stored::Unknown(epoch) => ValData::Unknown(epoch),
            Stored::CopyOf(object, shift) => ValData::CopyOf(object, shift),
        }
    }

    /// The alternatives of a scalar; of anything else none.
    pub fn alternatives(&self, val: Val) -> &[(Guard, Term)] {
        match self.get(val) {
            ValData::Scalar(alternatives) => alternatives,
            ValData::Record(_) | ValData::Unknown(_) | ValData::CopyOf(..) => &[],
        }
    }

    /// What a scalar can be.
    pub fn terms(&self, val: Val) -> impl Iterator<Item = Term> + '_ {
        self.alternatives(val).iter().map(|alternative| alternative.1)
    }

    /// The only term the value can be.
    pub fn only(&self, val: Val) -> Option<Term> {
        match self.alternatives(val) {
            [(_, term)] => Some(*term),
            _ => None,
        }
    }
}
