//! One program out of many translation units: what the engine asks.
//!
//! - *module*: a translation unit in IR, by its number in [`Program::modules`].
//! - *function*: something with a body. Copies of one definition (a `static inline` of a header, a file compiled
//!   twice) are one [`FunctionId`]; a static function that nothing refers to is none.
//! - *variable*: an object with static storage, once for all modules that declare it.
//! - *external*: a name that no module of the program defines, or more than one that we cannot tell apart.
//! - *component*: functions that call each other in circles, or a single one.
//!
//! ```c
//! // a.c                                        // b.c
//! static int tries;                             static int tries;            // two variables
//! extern int limit;                             int limit = 3;               // one variable
//! int more(void) { return tries++ < limit; }    int go(void) { return more(); }
//! ```
//! In `b.c` the global `more` resolves to the function of `a.c`, whose component comes before that of `go`.
//!
//! Invariant: whatever a body of [`Program::functions`] refers to resolves to something of this program or to an
//! external name; ids depend on the order of the inputs only.

use std::cmp::Ordering;
use std::path::PathBuf;

use caulk_base::{IdVec, SourceMap, Symbol, define_id};
use caulk_ir::ir::{Function, GlobalId, Module, RecordId, Value};

use crate::arguments::{self, Arguments, Passed};
use crate::call_graph::CallGraph;
use crate::components::{Component, Components};
use crate::link::Linked;
use crate::owners::{self, Owners};
use crate::pointers::Pointers;

define_id!(
    /// A function with a body, once per program.
    FunctionId, "f");
define_id!(
    /// A linked object with static storage; static locals too.
    VariableId, "g");

/// A translation unit to link.
#[derive(Debug)]
pub struct Input {
    pub module: Module,
    /// Where the module's positions are. An empty map will do: then only `inline` definitions are recognised as
    /// copies of each other.
    pub map: SourceMap,
    /// The unit's main file, absolute.
    pub file: PathBuf,
    /// Directory of the object file or link target, where it is known. Units with one link directory are taken for
    /// parts of one program before their sources' directories are compared.
    pub link_dir: Option<PathBuf>,
}

/// Where a module came from.
#[derive(Debug)]
pub struct Source {
    pub file: PathBuf,
    pub map: SourceMap,
    pub link_dir: Option<PathBuf>,
}

/// What a module's global means in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    Function(FunctionId),
    /// Not defined in the program, lost, or ambiguous; a function or (by its type) an object.
    External(Symbol),
    Variable(VariableId),
}

/// What a call may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Function(FunctionId),
    External(Symbol),
}

impl Ord for Target {
    /// Functions by id, then names by their text: symbol numbers depend on thread timing.
    fn cmp(&self, other: &Target) -> Ordering {
        match (self, other) {
            (Target::Function(a), Target::Function(b)) => a.cmp(b),
            (Target::Function(_), Target::External(_)) => Ordering::Less,
            (Target::External(_), Target::Function(_)) => Ordering::Greater,
            (Target::External(a), Target::External(b)) if a == b => Ordering::Equal,
            (Target::External(a), Target::External(b)) => a.as_str().cmp(b.as_str()),
        }
    }
}

impl PartialOrd for Target {
    fn partial_cmp(&self, other: &Target) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// The module whose copy stands for all.
    pub module: usize,
    /// Its number in the module's functions.
    pub index: usize,
    /// As the linker sees it.
    pub name: Symbol,
    /// `main`
    pub is_entry: bool,
    /// Something besides a direct call refers to it, so that calls we do not see may reach it.
    pub is_address_taken: bool,
    /// Internal linkage: all its direct calls are in the program.
    pub is_internal: bool,
    /// How many definitions became this one; 1 for most.
    pub copies: u32,
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// As the linker sees it.
    pub name: Symbol,
    pub source_name: Symbol,
    /// Module and global of the definition that stands for all; `None` if it is only declared.
    pub definition: Option<(usize, GlobalId)>,
    /// A declaration or definition, always there.
    pub site: (usize, GlobalId),
    pub is_internal: bool,
    pub is_thread_local: bool,
    /// No code outside the program can name it: it has internal linkage, or stands beside a `main`. An object of
    /// another file may be a library's, whose users we do not see, even if there is a `main` that tests it.
    pub is_closed: bool,
    /// Some instruction of the program stores to it or to a part of it directly.
    pub is_written: bool,
    /// Its address, or that of a part, goes somewhere else than into a load or store.
    pub is_address_taken: bool,
    /// A whole record is loaded from it or stored to it.
    pub is_copied: bool,
    /// Holds what its static initialiser says for ever: the object is `const`, or it is never written and its address
    /// is only loaded from.
    pub is_constant: bool,
}

/// All translation units as one program, frozen.
#[derive(Debug)]
pub struct Program {
    pub modules: Vec<Module>,
    /// By module.
    pub sources: Vec<Source>,
    pub(crate) linked: Linked,
    pointers: Pointers,
    owners: Owners,
    arguments: Arguments,
    components: Components,
}

impl Program {
    pub fn link(inputs: Vec<Input>) -> Program {
        let mut modules = Vec::with_capacity(inputs.len());
        let mut sources = Vec::with_capacity(inputs.len());
        for input in inputs {
            modules.push(input.module);
            sources.push(Source { file: input.file, map: input.map, link_dir: input.link_dir });
        }
        let linked = Linked::new(&modules, &sources);
        let pointers = Pointers::solve(&modules, &sources, &linked);
        let graph = CallGraph::new(&modules, &linked, &pointers);
        let owners = owners::find(&modules, &linked, &graph);
        let arguments = arguments::find(&modules, &linked, &pointers);
        let components = Components::new(graph);
        Program { modules, sources, linked, pointers, owners, arguments, components }
    }

    pub fn functions(&self) -> &IdVec<FunctionId, FunctionInfo> {
        &self.linked.functions
    }

    pub fn variables(&self) -> &IdVec<VariableId, Variable> {
        &self.linked.variables
    }

    pub fn function(&self, function: FunctionId) -> &FunctionInfo {
        &self.linked.functions[function]
    }

    /// The function outside of which nothing uses the variable, if there is one.
    pub fn owner(&self, variable: VariableId) -> Option<FunctionId> {
        self.owners.owners.get(&variable).copied()
    }

    /// The only function that can name the variable, if there is one.
    pub fn sole_user(&self, variable: VariableId) -> Option<FunctionId> {
        self.owners.sole_users.get(&variable).copied()
    }

    /// The ways in which the function is called, each by parameter; none if no call is known. If its address is taken,
    /// there may be others.
    pub fn ways(&self, function: FunctionId) -> &[Vec<Passed>] {
        &self.arguments[function]
    }

    pub fn variable(&self, variable: VariableId) -> &Variable {
        &self.linked.variables[variable]
    }

    /// The body that stands for a function, and the module whose ids it uses.
    pub fn body(&self, function: FunctionId) -> (&Module, &Function) {
        self.linked.body(&self.modules, function)
    }

    /// What a module's global means in the program.
    pub fn resolve(&self, module: usize, global: GlobalId) -> Resolved {
        self.linked.resolved[module][global]
    }

    /// Possible targets of a call through a pointer, sorted; `None` where nothing is known. Unknown code may have
    /// put other targets there: these are the known ones.
    pub fn indirect_targets(&self, function: FunctionId, call: Value) -> Option<&[Target]> {
        self.pointers.call_targets(function, call)
    }

    /// Functions known to be stored in a variable, or in an array variable's elements. Fields of a record variable
    /// are asked for with [`Program::field_targets`].
    pub fn variable_targets(&self, variable: VariableId) -> Option<&[Target]> {
        self.pointers.variable_targets(variable)
    }

    /// Functions known to be stored in a field of any object of a record type, whichever module stores them.
    pub fn field_targets(&self, module: usize, record: RecordId, field: u32) -> Option<&[Target]> {
        self.pointers.field_targets(&self.modules, &self.sources, module, record, field)
    }

    /// Bottom-up: every callee, direct or through a resolved pointer, that is not in the same component is in an
    /// earlier one; except where pointers close a circle of many functions, which is opened (see
    /// [`components`](crate::components)).
    pub fn components(&self) -> &[Component] {
        &self.components.list
    }

    /// The number of the component a function is in.
    pub fn component_of(&self, function: FunctionId) -> usize {
        self.components.number_of[function] as usize
    }
}
