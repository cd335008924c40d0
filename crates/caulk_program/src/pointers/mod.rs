//! Which functions a pointer may hold: the calls through pointers of the whole program, resolved.
//!
//! - [`records`]: fields as the whole program knows them.
//! - [`places`]: what an address means: a cell of memory, or what another pointer points to.
//! - [`index`]: every store, call and initialiser, so that one can ask backwards.
//! - [`solver`]: sets of items at nodes, grown along edges.
//! - [`constraints`]: which edges there are.
//! - [`handed`]: which functions a call cannot mean, whatever is there.
//!
//! ```c
//! struct ops { int (*open)(struct file *); };
//! static int disk_open(struct file *f) { … }
//! static const struct ops disk_ops = { .open = disk_open };
//! int file_open(struct file *f) { return f->ops->open(f); }   // disk_open, and whatever else an `open` was set to
//! ```
//!
//! Invariant: what a call is said to reach was put where the call takes it from by code of this program. Unknown code
//! may have put more there. Fields are told apart by record and name, not by object.
//!
//! Inclusion-based as Andersen has it, field-based as in Heintze and Tardieu's analysis of a million lines of C, and
//! asked backwards from the calls as there.

mod constraints;
mod handed;
mod index;
mod places;
mod records;
mod solver;

use caulk_base::IdVec;
use caulk_ir::ir::{Module, RecordId, Value};
use rustc_hash::FxHashMap;

use crate::link::Linked;
use crate::program::{FunctionId, Source, Target, VariableId};
use handed::Handed;
use places::{Cell, Cx};
use records::{FieldKey, Records};
use solver::{Item, NodeId, NodeKey, Solver};

/// A call with more targets is as good as unresolved: nothing is said about it, which may cost findings.
const MAX_TARGETS: usize = 64;

/// What is known about function pointers.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    /// By function: its resolved calls through pointers, in order, with their stretch of `targets`.
    calls: IdVec<FunctionId, Vec<(Value, Targets)>>,
    variables: FxHashMap<VariableId, Targets>,
    fields: FxHashMap<FieldKey, Targets>,
    records: Records,
    targets: Vec<Target>,
}

/// A stretch of [`Pointers::targets`].
type Targets = caulk_base::List;

impl Pointers {
    pub(crate) fn solve(modules: &[Module], sources: &[Source], linked: &Linked) -> Pointers {
        let cx = Cx { modules, sources, linked };
        let mut solver = Solver::new(cx);
        solver.ask_for_calls();
        solver.run();
        let calls = IdVec::filled(Vec::new(), linked.functions.len());
        let mut pointers = Pointers { calls, ..Pointers::default() };
        let mut handed = Handed::new(cx);
        for &((function, call), callee) in &solver.index.indirect_calls {
            let Some(node) = solver.known_node(NodeKey::Value(function, callee)) else { continue };
            let fits = |target: &Target| match *target {
                Target::Function(target) => solver.can_call(function, call, target),
                Target::External(_) => true,
            };
            let Some(mut targets) = targets_of(&solver, node, fits) else { continue };
            targets.retain(|target| match *target {
                Target::Function(target) => handed.agrees(function, call, target),
                Target::External(_) => true,
            });
            if !targets.is_empty() {
                let targets = pointers.keep(targets);
                pointers.calls[function].push((call, targets));
            }
        }
        for variable in linked.variables.ids() {
            let content = solver.known_cell(Cell::Variable(variable)).map(NodeKey::Content);
            let Some(node) = content.and_then(|key| solver.known_node(key)) else { continue };
            if let Some(targets) = targets_of(&solver, node, |_| true) {
                let targets = pointers.keep(targets);
                pointers.variables.insert(variable, targets);
            }
        }
        for key in (0..solver.records.len() as u32).map(FieldKey) {
            let content = solver.known_cell(Cell::Field(key)).map(NodeKey::Content);
            let Some(node) = content.and_then(|key| solver.known_node(key)) else { continue };
            if let Some(targets) = targets_of(&solver, node, |_| true) {
                let targets = pointers.keep(targets);
                pointers.fields.insert(key, targets);
            }
        }
        pointers.records = solver.records;
        pointers
    }

    fn keep(&mut self, targets: Vec<Target>) -> Targets {
        let list = Targets { start: self.targets.len() as u32, len: targets.len() as u32 };
        self.targets.extend(targets);
        list
    }

    pub(crate) fn call_targets(&self, function: FunctionId, call: Value) -> Option<&[Target]> {
        let calls = &self.calls[function];
        let at = calls.binary_search_by_key(&call, |&(call, _)| call).ok()?;
        Some(&self.targets[calls[at].1.range()])
    }

    pub(crate) fn variable_targets(&self, variable: VariableId) -> Option<&[Target]> {
        self.variables.get(&variable).map(|targets| &self.targets[targets.range()])
    }

    pub(crate) fn field_targets(
        &self,
        modules: &[Module],
        sources: &[Source],
        module: usize,
        record: RecordId,
        field: u32,
    ) -> Option<&[Target]> {
        let key = self.records.look_up(modules, sources, module, record, field)?;
        self.fields.get(&key).map(|targets| &self.targets[targets.range()])
    }
}

/// The functions that a node holds, sorted; `None` if there are none or too many.
fn targets_of(solver: &Solver<'_>, node: NodeId, fits: impl Fn(&Target) -> bool) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    for item in solver.items_of(node) {
        match item {
            Item::TooMany => return None,
            Item::Function(function) => targets.push(Target::Function(function)),
            Item::External(name) => targets.push(Target::External(name)),
            Item::Address(_) => {}
        }
    }
    targets.retain(fits);
    targets.sort();
    (!targets.is_empty() && targets.len() <= MAX_TARGETS).then_some(targets)
}
