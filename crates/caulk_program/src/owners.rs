//! Variables that outlive a function only in name.
//!
//! - *owner* of a variable: the function that every use of it happens in, or in something that only this function
//!   calls. What the owner leaves in the variable is of no use to anyone after it returned.
//!
//! ```c
//! static char *text;
//! static void show(void) { puts(text); }
//! void run(const char *name) { text = strdup(name); show(); }     // owns `text`
//! ```
//!
//! A variable that a function shares with others is a parameter in disguise. One that it shares with nobody is there for
//! its next run: if it runs once in the life of a program, it is there until the end.
//!
//! A variable that only one function can name at all has a *sole user*, whatever it is for.
//!
//! Invariant: neither the variable nor any of its users has its address taken, and the owner is no entry of a program.

use caulk_base::IdVec;
use caulk_base::id::Id;
use caulk_ir::cfg::Cfg;
use caulk_ir::dominators::Dominators;
use caulk_ir::ir::{Inst, InstKind, Module};
use caulk_ir::loops::Loops;
use rustc_hash::FxHashMap;

use crate::call_graph::{CallGraph, direct_callee};
use crate::link::Linked;
use crate::program::{FunctionId, Resolved, VariableId};

/// Functions that may use a variable for it to have an owner.
const MAX_USERS: usize = 8;
/// Functions on the ways from the owner to a user.
const MAX_BETWEEN: usize = 32;

/// By variable.
#[derive(Debug, Default)]
pub(crate) struct Owners {
    pub(crate) owners: FxHashMap<VariableId, FunctionId>,
    /// The only function that names it, and nobody else can.
    pub(crate) sole_users: FxHashMap<VariableId, FunctionId>,
}

pub(crate) fn find(modules: &[Module], linked: &Linked, graph: &CallGraph) -> Owners {
    let mut users: IdVec<VariableId, Vec<FunctionId>> = linked.variables.iter().map(|_| Vec::new()).collect();
    for (id, info) in linked.functions.iter_enumerated() {
        for inst in modules[info.module].functions[info.index].insts.iter() {
            if let InstKind::Global(global) = inst.kind
                && let Resolved::Variable(variable) = linked.resolved[info.module][global]
                && users[variable].last() != Some(&id)
            {
                users[variable].push(id);
            }
        }
    }
    let callers = Callers::new(linked, graph);
    let mut found = Owners::default();
    for (variable, users) in users.iter_enumerated() {
        let info = &linked.variables[variable];
        let Some((module, global)) = info.definition else { continue };
        if let &[user] = &users[..]
            && info.is_internal
            && !info.is_address_taken
        {
            found.sole_users.insert(variable, user);
        }
        let unit = &modules[module].unit;
        let is_plain = info.is_written && !info.is_address_taken && unit.types.is_pointer(unit.globals[global].ty);
        if !is_plain || users.len() > MAX_USERS {
            continue;
        }
        let owner = users.iter().find(|&&owner| {
            !linked.functions[owner].is_entry
                && (users.len() > 1 || callers.may_repeat(modules, linked, owner))
                && users.iter().all(|&user| user == owner || callers.is_only_within(linked, user, owner))
        });
        found.owners.extend(owner.map(|&owner| (variable, owner)));
    }
    found
}

/// Who calls a function, by any edge.
struct Callers {
    of: IdVec<FunctionId, Vec<FunctionId>>,
}

impl Callers {
    fn new(linked: &Linked, graph: &CallGraph) -> Callers {
        let mut of: IdVec<FunctionId, Vec<FunctionId>> = linked.functions.iter().map(|_| Vec::new()).collect();
        for caller in (0..graph.len()).map(FunctionId::from_index) {
            for edge in graph.edges(caller) {
                of[edge.callee].push(caller);
            }
        }
        Callers { of }
    }

    /// Whether the function may run more than once: it is not known to be called from a single place, itself run once,
    /// outside of loops.
    fn may_repeat(&self, modules: &[Module], linked: &Linked, mut function: FunctionId) -> bool {
        for _ in 0..MAX_BETWEEN {
            let info = &linked.functions[function];
            if info.is_entry {
                return false;
            }
            let [caller] = self.of[function][..] else { return true };
            if info.is_address_taken || calls_again(modules, linked, caller, function) {
                return true;
            }
            function = caller;
        }
        true
    }

    /// Whether every way to `function` leads through `owner`.
    fn is_only_within(&self, linked: &Linked, function: FunctionId, owner: FunctionId) -> bool {
        let mut met = vec![function];
        let mut next = 0;
        while next < met.len() {
            let at = met[next];
            next += 1;
            if self.of[at].is_empty() || linked.functions[at].is_address_taken || met.len() > MAX_BETWEEN {
                return false;
            }
            for &caller in &self.of[at] {
                if caller != owner && !met.contains(&caller) {
                    met.push(caller);
                }
            }
        }
        true
    }
}

/// Whether one run of the caller may call the function twice.
fn calls_again(modules: &[Module], linked: &Linked, caller: FunctionId, function: FunctionId) -> bool {
    let info = &linked.functions[caller];
    let body = &modules[info.module].functions[info.index];
    let is_call = |inst: &Inst| {
        let InstKind::Call { callee, .. } = inst.kind else { return false };
        direct_callee(body, callee)
            .is_some_and(|global| linked.resolved[info.module][global] == Resolved::Function(function))
    };
    let cfg = Cfg::new(body);
    let loops = Loops::new(&cfg, &Dominators::new(&cfg));
    let mut is_called = false;
    for (id, block) in body.blocks.iter_enumerated() {
        for _ in block.insts.iter().filter(|&&inst| is_call(&body.insts[inst])) {
            if is_called || loops.depth(id) > 0 {
                return true;
            }
            is_called = true;
        }
    }
    !is_called
}
