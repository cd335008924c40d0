//! Every used definition of every module, numbered.
//!
//! - *twin*: a module whose main file is another module's too (a file compiled twice).
//! - *origin* of a definition: its name and where it was written. Two definitions of one origin may be copies:
//!   those of headers, and those of twins. Anything else in a main file has no second copy and no origin.
//!
//! Invariant: definitions are numbered by module, functions before objects, in the order of the module; so the
//! first of several copies is always the same.

use std::hash::{Hash, Hasher};

use caulk_base::{IdVec, Loc};
use caulk_ir::ir::{GlobalId, Module};
use rustc_hash::{FxHashMap, FxHasher};

use super::fingerprint::Fingerprinter;
use super::scan::{ModuleScan, USED, defines_object};
use crate::parallel;
use crate::program::Source;

/// No definition.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) module: u32,
    pub(super) global: GlobalId,
    /// Number among the module's functions; `None` for an object.
    pub(super) body: Option<u32>,
    /// Where it was written and what it says; `None` if it can have no copy.
    pub(super) copy_key: Option<u64>,
}

/// All modules' used definitions.
pub(super) struct Definitions {
    pub(super) scans: Vec<ModuleScan>,
    pub(super) list: Vec<Definition>,
    /// By module and global: the number of the definition.
    numbers: Vec<IdVec<GlobalId, u32>>,
    /// By module: how many modules before it have the same main file.
    pub(super) twin_number: Vec<u32>,
}

impl Definitions {
    pub(super) fn new(modules: &[Module], sources: &[Source]) -> Definitions {
        let (twin_number, has_twin) = find_twins(sources);
        let scanned = parallel::map(modules.len(), |number| {
            let scan = ModuleScan::new(&modules[number]);
            let list = module_definitions(number, &modules[number], &sources[number], has_twin[number], &scan);
            (scan, list)
        });
        let mut definitions = Definitions { scans: Vec::new(), list: Vec::new(), numbers: Vec::new(), twin_number };
        for (module, (scan, list)) in scanned.into_iter().enumerate() {
            let mut numbers = IdVec::filled(NONE, modules[module].unit.globals.len());
            for definition in list {
                numbers[definition.global] = definitions.list.len() as u32;
                definitions.list.push(definition);
            }
            definitions.scans.push(scan);
            definitions.numbers.push(numbers);
        }
        definitions
    }

    /// The used definition that a module's global is.
    pub(super) fn number(&self, module: usize, global: GlobalId) -> Option<u32> {
        let number = self.numbers[module][global];
        (number != NONE).then_some(number)
    }

    /// What a definition refers to, as globals of its module.
    pub(super) fn references(&self, number: u32) -> &[GlobalId] {
        let definition = &self.list[number as usize];
        self.scans[definition.module as usize].references(definition.global)
    }
}

fn find_twins(sources: &[Source]) -> (Vec<u32>, Vec<bool>) {
    let mut counts: FxHashMap<&std::path::Path, u32> = FxHashMap::default();
    let mut numbers = Vec::with_capacity(sources.len());
    for source in sources {
        let count = counts.entry(&source.file).or_insert(0);
        numbers.push(*count);
        *count += 1;
    }
    let has_twin = sources.iter().map(|source| counts[source.file.as_path()] > 1).collect();
    (numbers, has_twin)
}

fn module_definitions(
    number: usize,
    module: &Module,
    source: &Source,
    has_twin: bool,
    scan: &ModuleScan,
) -> Vec<Definition> {
    let mut fingerprints = Fingerprinter::new(module);
    let mut list = Vec::new();
    let mut add = |global: GlobalId, body: Option<u32>| {
        let data = &module.unit.globals[global];
        let origin = match place_hash(source, data.loc, has_twin) {
            Written::At(place) => Some(place),
            Written::InMainFile => None,
            Written::Nowhere => data.is_inline.then_some(0),
        };
        let copy_key = origin.map(|origin| {
            let fingerprint = match body {
                Some(index) => fingerprints.function(&module.functions[index as usize]),
                None => fingerprints.object(global),
            };
            let mut hasher = FxHasher::default();
            (data.name, origin, body.is_some(), fingerprint).hash(&mut hasher);
            hasher.finish()
        });
        list.push(Definition { module: number as u32, global, body, copy_key });
    };
    for (index, function) in module.functions.iter().enumerate() {
        if scan.has(function.global, USED) && scan.body(function.global) == Some(index) {
            add(function.global, Some(index as u32));
        }
    }
    for global in module.unit.globals.ids() {
        if scan.has(global, USED) && scan.body(global).is_none() && defines_object(module, global) {
            add(global, None);
        }
    }
    list
}

enum Written {
    /// Here, as a hash of path, line and column.
    At(u64),
    InMainFile,
    Nowhere,
}

fn place_hash(source: &Source, loc: Loc, has_twin: bool) -> Written {
    let Some(inclusion) = source.map.written_inclusion(loc) else { return Written::Nowhere };
    let path = &inclusion.file.path;
    if !has_twin && path.as_os_str() == source.file.as_os_str() {
        return Written::InMainFile;
    }
    let Some(place) = source.map.physical_place(loc) else { return Written::Nowhere };
    let mut hasher = FxHasher::default();
    (path.as_os_str().as_encoded_bytes(), place.line, place.column).hash(&mut hasher);
    Written::At(hasher.finish())
}
