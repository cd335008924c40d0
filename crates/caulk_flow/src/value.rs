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

use caulk_base::define_id;
use caulk_guard::{Guard, Kind, Term};
use rustc_hash::FxHashMap;

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

pub type Alternatives = Box<[(Guard, Term)]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValData {
    /// In the order of terms, each term once.
    Scalar(Alternatives),
    /// A record, as the cells it is made of.
    Record(Box<[Part]>),
    /// The contents of an object after something unknown wrote to it; only in default cells.
    Unknown(u32),
    /// The contents of an object that another was copied to: what that one held at entry, so many bytes
    /// further on; only in default cells.
    CopyOf(caulk_guard::Object, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub offset: i64,
    pub kind: Kind,
    pub val: Val,
}

#[derive(Default)]
pub struct Values {
    data: Vec<ValData>,
    interned: FxHashMap<ValData, Val>,
    /// By term: the value that is just this term.
    singles: Vec<Val>,
}

impl Values {
    pub fn clear(&mut self) {
        self.data.clear();
        self.interned.clear();
        self.singles.clear();
    }

    pub fn single(&mut self, term: Term) -> Val {
        let place = term.0 as usize;
        if place >= self.singles.len() {
            self.singles.resize(place + 1, Val::UNTOUCHED);
        }
        if self.singles[place] == Val::UNTOUCHED {
            self.singles[place] = self.push(ValData::Scalar(Box::new([(Guard::TRUE, term)])));
        }
        self.singles[place]
    }

    pub fn record(&mut self, parts: Vec<Part>) -> Val {
        self.intern(ValData::Record(parts.into_boxed_slice()))
    }

    pub fn unknown(&mut self, epoch: u32) -> Val {
        self.intern(ValData::Unknown(epoch))
    }

    pub fn copy_of(&mut self, object: caulk_guard::Object, shift: i64) -> Val {
        self.intern(ValData::CopyOf(object, shift))
    }

    /// The alternatives must be sorted, without repetition, and not be empty.
    pub fn scalar(&mut self, alternatives: &[(Guard, Term)]) -> Val {
        if let [(_, term)] = *alternatives {
            return self.single(term);
        }
        self.intern(ValData::Scalar(alternatives.into()))
    }

    fn intern(&mut self, data: ValData) -> Val {
        if let Some(&val) = self.interned.get(&data) {
            return val;
        }
        let val = self.push(data.clone());
        self.interned.insert(data, val);
        val
    }

    fn push(&mut self, data: ValData) -> Val {
        self.data.push(data);
        Val(self.data.len() as u32 - 1)
    }

    pub fn get(&self, val: Val) -> &ValData {
        &self.data[val.0 as usize]
    }

    /// The alternatives of a scalar; of anything else none.
    pub fn alternatives(&self, val: Val) -> &[(Guard, Term)] {
        match self.get(val) {
            ValData::Scalar(alternatives) => alternatives,
            ValData::Record(_) | ValData::Unknown(_) | ValData::CopyOf(..) => &[],
        }
    }

    /// The only term the value can be.
    pub fn only(&self, val: Val) -> Option<Term> {
        match self.alternatives(val) {
            [(_, term)] => Some(*term),
            _ => None,
        }
    }
}
