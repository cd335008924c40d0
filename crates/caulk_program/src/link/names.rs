//! Which definition a name means in a module.
//!
//! - *candidate*: something that other modules may mean by a name.
//! - *real*: neither weak nor an inline copy whose real definition is elsewhere.
//! - *near*: few steps up the directory tree from one unit's file to the first directory that holds the other's too,
//!   then few down.
//!
//! ```c
//! // tool/a.c                     // tool/b.c                    // lib/die.c
//! void usage(void) { … }          void usage(void) { … }         void die(void) { usage(); exit(1); }
//! int main(void) { usage(); }     int main(void) { die(); }
//! ```
//! Each `main` means its own module's `usage`; `die` is the only one of its name. What `die` calls depends on the
//! program it is linked into: two candidates equally near and not the same, so it is external.
//!
//! Invariant: the answer depends on the set of modules and on the caller, never on the order of the inputs, unless
//! the candidates say the same. Where two could be meant, none is: that costs findings, never invents one.

use std::path::Path;

use caulk_base::Symbol;
use caulk_base::symbol::word;
use caulk_ir::ir::{GlobalId, Module};
use caulk_sema::unit::{Definition as How, Linkage};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::definitions::Definitions;
use super::fingerprint::Fingerprinter;
use crate::program::Source;

/// Aliases of aliases end here; more than this is a circle.
const MAX_ALIASES: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Candidate {
    module: u32,
    /// The global itself; for an alias, what it stands for.
    global: GlobalId,
    /// `None` for a body that was lost.
    definition: Option<u32>,
    strength: Strength,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Inline,
    Weak,
    Real,
}

type Candidates = SmallVec<[Candidate; 2]>;

/// What the names of all modules mean.
pub(super) struct Names<'a> {
    modules: &'a [Module],
    sources: &'a [Source],
    definitions: &'a Definitions,
    candidates: FxHashMap<Symbol, Candidates>,
    /// By module: whether it holds a `main`.
    has_main: Vec<bool>,
}

impl<'a> Names<'a> {
    pub(super) fn new(modules: &'a [Module], sources: &'a [Source], definitions: &'a Definitions) -> Names<'a> {
        let has_main = vec![false; modules.len()];
        let mut names = Names { modules, sources, definitions, candidates: FxHashMap::default(), has_main };
        for (number, scan) in definitions.scans.iter().enumerate() {
            for &export in &scan.exports {
                let name = modules[number].unit.globals[export].name;
                names.has_main[number] |= name == word::MAIN;
                if let Some(candidate) = names.candidate(number, export) {
                    names.candidates.entry(name).or_default().push(candidate);
                }
            }
        }
        names
    }

    fn candidate(&self, module: usize, export: GlobalId) -> Option<Candidate> {
        let data = &self.modules[module].unit.globals[export];
        let strength = match (data.is_inline_only, data.is_weak) {
            (true, _) => Strength::Inline,
            (_, true) => Strength::Weak,
            (false, false) => Strength::Real,
        };
        let global = self.follow_alias(module, export).ok()?;
        let definition = self.definitions.number(module, global);
        // An inline copy that its own module does not use is as good as not there.
        let is_known = definition.is_some() || strength != Strength::Inline;
        is_known.then_some(Candidate { module: module as u32, global, definition, strength })
    }

    /// The global of this module that an alias stands for, or the name of something elsewhere.
    fn follow_alias(&self, module: usize, mut global: GlobalId) -> Result<GlobalId, Symbol> {
        let globals = &self.modules[module].unit.globals;
        for _ in 0..MAX_ALIASES {
            let Some(target) = globals[global].alias else { return Ok(global) };
            let is_target = |id: GlobalId| globals[id].name == target && id != global;
            global = globals.ids().find(|&id| is_target(id)).ok_or(target)?;
        }
        Ok(global)
    }

    /// The definition that a module's global means; `None` if it is external.
    pub(super) fn bind(&self, module: usize, global: GlobalId) -> Option<u32> {
        let globals = &self.modules[module].unit.globals;
        let global = match self.follow_alias(module, global) {
            Ok(global) => global,
            Err(name) => return self.pick(module, name, global, Strength::Inline),
        };
        let data = &globals[global];
        let own = self.definitions.number(module, global);
        let is_lost = own.is_none() && matches!(data.definition, How::Function) && !data.is_inline_only;
        if data.linkage == Linkage::Internal || is_lost {
            return own;
        }
        match own {
            Some(own) if data.is_inline_only => {
                if self.is_in_system_header(module, global) {
                    // A library's own shortcut for one of its functions: the models know that function.
                    return None;
                }
                self.pick(module, data.name, global, Strength::Weak).or(Some(own))
            }
            Some(own) if data.is_weak => self.pick(module, data.name, global, Strength::Real).or(Some(own)),
            Some(own) => Some(own),
            None => self.pick(module, data.name, global, Strength::Inline),
        }
    }

    fn is_in_system_header(&self, module: usize, global: GlobalId) -> bool {
        let loc = self.modules[module].unit.globals[global].loc;
        self.sources[module].map.written_inclusion(loc).is_some_and(|inclusion| inclusion.is_system)
    }

    /// The definition of another module, at least this strong, that `declaration` of this one means.
    fn pick(&self, module: usize, name: Symbol, declaration: GlobalId, least: Strength) -> Option<u32> {
        let all = self.candidates.get(&name)?;
        let fits = |candidate: &&Candidate| {
            let is_other = candidate.module as usize != module;
            // Two programs do not link with each other.
            let is_linkable = !(self.has_main[module] && self.has_main[candidate.module as usize]);
            is_other && is_linkable && candidate.strength >= least && self.is_callable(module, declaration, candidate)
        };
        let mut left: Candidates = all.iter().filter(fits).copied().collect();
        let strongest = left.iter().map(|candidate| candidate.strength).max()?;
        left.retain(|candidate| candidate.strength == strongest);
        self.narrow(module, &mut left);
        let first = *left.first()?;
        let is_one = left.len() == 1 || self.say_the_same(&left);
        if is_one { first.definition } else { None }
    }

    /// Drops the candidates that are less likely meant than others.
    fn narrow(&self, module: usize, left: &mut Candidates) {
        let source = &self.sources[module];
        let other = |candidate: &Candidate| &self.sources[candidate.module as usize];
        if left.len() > 1 && source.link_dir.is_some() {
            prefer(left, |candidate| other(candidate).link_dir != source.link_dir);
        }
        if left.len() > 1 {
            let distance_of = |candidate: &Candidate| distance(&source.file, &other(candidate).file);
            let nearest = left.iter().map(distance_of).min();
            left.retain(|candidate| Some(distance_of(candidate)) == nearest);
        }
        // A library's own definition, rather than the one some test program has instead.
        prefer(left, |candidate| self.has_main[candidate.module as usize]);
        // One file compiled in several ways: each way goes with its like.
        let twin = self.definitions.twin_number[module];
        if left.len() > 1 && left.iter().all(|candidate| other(candidate).file == other(&left[0]).file) {
            prefer(left, |candidate| self.definitions.twin_number[candidate.module as usize] != twin);
            left.truncate(1);
        }
    }

    /// Whether a declaration and a definition agree on what it is: so that a program's `error(const char *)` is not
    /// taken for the library's.
    fn is_callable(&self, module: usize, declaration: GlobalId, candidate: &Candidate) -> bool {
        let signature = |module: usize, global: GlobalId| {
            let unit = &self.modules[module].unit;
            unit.types.function_of(unit.globals[global].ty)
        };
        match (signature(module, declaration), signature(candidate.module as usize, candidate.global)) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                let is_open = a.is_unprototyped || b.is_unprototyped;
                is_open || (a.parameters.len() == b.parameters.len() && a.is_variadic == b.is_variadic)
            }
            _ => false,
        }
    }

    /// Copies of one text in several programs: whichever.
    fn say_the_same(&self, candidates: &[Candidate]) -> bool {
        let fingerprint = |candidate: &Candidate| {
            let definition = &self.definitions.list[candidate.definition? as usize];
            let module = &self.modules[definition.module as usize];
            let mut fingerprints = Fingerprinter::new(module);
            Some(match definition.body {
                Some(index) => fingerprints.function(&module.functions[index as usize]),
                None => fingerprints.object(definition.global),
            })
        };
        let first = fingerprint(&candidates[0]);
        first.is_some() && candidates[1..].iter().all(|candidate| fingerprint(candidate) == first)
    }
}

/// Drops the candidates that are worse than others, but never all.
fn prefer(left: &mut Candidates, is_worse: impl Fn(&Candidate) -> bool) {
    if left.iter().any(|candidate| !is_worse(candidate)) {
        left.retain(|candidate| !is_worse(candidate));
    }
}

/// Steps up from one file's directory to the first that holds another too, and from there down to that.
fn distance(from: &Path, to: &Path) -> (usize, usize) {
    let (Some(from), Some(to)) = (from.parent(), to.parent()) else { return (0, 0) };
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    (from.components().count() - common, to.components().count() - common)
}
