//! Fields as the whole program knows them.
//!
//! - *field key*: one number for a field of a record type, in whichever modules that type is defined.
//!
//! ```c
//! // file.h                                             // a.c                       // b.c
//! struct ops { int (*open)(void); };                    struct state { … };          struct state { … };
//! ```
//! `struct ops` of all units that include the header is one record, known by its tag and the names of its fields:
//! copies of a header in several places (installed, generated) must not come apart, while libraries in one program can
//! have a `struct ops` each. A record with a tag that stands in a unit's main file is that file's own: programs have a
//! `struct state` each. One without a tag is known by where it was written. The members of a union share one key.
//!
//! Invariant: the same record in two modules has the same keys; records that only look alike may share keys, which
//! adds targets and never loses one.

use std::hash::{Hash, Hasher};

use caulk_base::{IdVec, Symbol, define_id};
use caulk_ir::ir::{Module, RecordId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::program::Source;

define_id!(FieldKey, "field");

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// Tag, and the hash of the names of its fields.
    Tag(Symbol, u64),
    /// Tag, and the hash of the file's path.
    Private(Symbol, u64),
    /// Hash of path, line and column.
    Place(u64),
    /// Hash of the names of its fields.
    Fields(u64),
}

/// The keys of all fields that were asked for.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// By record and name.
    keys: FxHashMap<(Identity, Symbol), FieldKey>,
    /// By module: the keys of a record's fields, made when the first is asked for.
    known: Vec<IdVec<RecordId, Box<[FieldKey]>>>,
}

impl Records {
    pub(super) fn new(modules: &[Module]) -> Records {
        let known = modules.iter().map(|module| IdVec::filled(Box::default(), module.unit.types.records.len()));
        Records { keys: FxHashMap::default(), known: known.collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key of a field; `None` only for a field that is not there.
    pub(super) fn key(
        &mut self,
        modules: &[Module],
        sources: &[Source],
        module: usize,
        record: RecordId,
        field: u32,
    ) -> Option<FieldKey> {
        if self.known[module][record].is_empty() {
            let data = &modules[module].unit.types.records[record];
            let identity = identity(&modules[module], &sources[module], record);
            let fields = data.layout.as_ref().map_or(&[][..], |layout| &layout.fields);
            let mut key_of = |name: Symbol| {
                let next = FieldKey(self.keys.len() as u32);
                *self.keys.entry((identity, name)).or_insert(next)
            };
            self.known[module][record] =
                fields.iter().map(|field| key_of(if data.is_union { Symbol::EMPTY } else { field.name })).collect();
        }
        self.find(module, record, field)
    }

    /// The key of a field, if it was asked for before.
    pub(super) fn find(&self, module: usize, record: RecordId, field: u32) -> Option<FieldKey> {
        self.known[module][record].get(field as usize).copied()
    }

    /// The key of a field, if any module's was asked for before.
    pub(super) fn look_up(
        &self,
        modules: &[Module],
        sources: &[Source],
        module: usize,
        record: RecordId,
        field: u32,
    ) -> Option<FieldKey> {
        self.find(module, record, field).or_else(|| {
            let data = &modules[module].unit.types.records[record];
            let name = data.layout.as_ref()?.fields.get(field as usize)?.name;
            let name = if data.is_union { Symbol::EMPTY } else { name };
            self.keys.get(&(identity(&modules[module], &sources[module], record), name)).copied()
        })
    }
}

fn identity(module: &Module, source: &Source, record: RecordId) -> Identity {
    let data = &module.unit.types.records[record];
    let place = source.map.physical_place(data.loc);
    let mut hasher = FxHasher::default();
    let fields = data.layout.as_ref().map_or(&[][..], |layout| &layout.fields);
    let names = || {
        let mut hasher = FxHasher::default();
        fields.iter().for_each(|field| field.name.hash(&mut hasher));
        hasher.finish()
    };
    if data.tag != Symbol::EMPTY {
        let path = place.map(|place| place.path.as_os_str()).filter(|&path| path == source.file.as_os_str());
        let Some(path) = path else { return Identity::Tag(data.tag, names()) };
        path.as_encoded_bytes().hash(&mut hasher);
        return Identity::Private(data.tag, hasher.finish());
    }
    if let Some(place) = place {
        (place.path.as_os_str().as_encoded_bytes(), place.line, place.column).hash(&mut hasher);
        return Identity::Place(hasher.finish());
    }
    Identity::Fields(names())
}
