//! Names that are unique in one unit: the second `struct list` of a unit is `struct list#2`, a record
//! without a tag `struct #1`.
//!
//! The number counts what has the same name and comes before it, so that leaving out what is not used
//! and reading the rest back gives the same names.

use caulk_base::{IdVec, Symbol};
use caulk_sema::types::{EnumId, RecordId, TypeTable};
use caulk_sema::unit::{GlobalId, Unit};
use rustc_hash::FxHashMap;

use super::used::Used;

/// Numbers from 1 among things of one name.
pub(crate) struct Names {
    pub(crate) records: IdVec<RecordId, u32>,
    pub(crate) enums: IdVec<EnumId, u32>,
    /// Empty if only types are printed.
    pub(crate) globals: IdVec<GlobalId, u32>,
}

impl Names {
    /// Numbers for types only.
    pub(crate) fn of_types(types: &TypeTable, used: Option<&Used>) -> Names {
        let mut counts: FxHashMap<(bool, Symbol), u32> = FxHashMap::default();
        let records = types
            .records
            .iter_enumerated()
            .map(|(id, record)| match used {
                Some(used) if !used.records[id] => 0,
                _ => next(counts.entry((record.is_union, record.tag)).or_default()),
            })
            .collect();
        let mut counts: FxHashMap<Symbol, u32> = FxHashMap::default();
        let enums = types
            .enums
            .iter_enumerated()
            .map(|(id, data)| match used {
                Some(used) if !used.enums[id] => 0,
                _ => next(counts.entry(data.tag).or_default()),
            })
            .collect();
        Names { records, enums, globals: IdVec::new() }
    }

    pub(crate) fn of_unit(unit: &Unit, used: Option<&Used>) -> Names {
        let mut counts: FxHashMap<Symbol, u32> = FxHashMap::default();
        let globals = unit
            .globals
            .iter_enumerated()
            .map(|(id, global)| match used {
                Some(used) if !used.globals[id] => 0,
                _ => next(counts.entry(global.name).or_default()),
            })
            .collect();
        Names { globals, ..Names::of_types(&unit.types, used) }
    }
}

fn next(count: &mut u32) -> u32 {
    *count += 1;
    *count
}
