//! What a recursion hands on unchanged.
//!
//! ```c
//! int print(struct node *node, struct out *out)
//! {
//!     for (struct node *child = node->first; child; child = child->next)
//!         if (!print(child, out))                 // out is the same at every turn
//!             return 0;
//!     …
//! ```
//!
//! - *chain*: parameters of the functions in a circle that get their argument from each other.
//!
//! Invariant: a parameter is the same at every turn if no call within the circle gives one of its chain anything from
//! outside of the chain, and the chain has at most one parameter of each function.

use caulk_ir::ir::{InstKind, Value};

use crate::call_graph::direct_callee;
use crate::components::Component;
use crate::program::{FunctionId, Program, Resolved, Target};

/// By function of the component and parameter: whether the argument is the same at every turn.
pub fn unchanged_arguments(program: &Program, component: &Component) -> Vec<Vec<bool>> {
    let mut firsts = vec![0];
    for &function in &component.functions {
        firsts.push(firsts[firsts.len() - 1] + program.body(function).1.params.len());
    }
    let count = firsts[component.functions.len()];
    let mut chains = Chains { up: (0..count).collect(), is_broken: vec![false; count] };
    for (caller, &id) in component.functions.iter().enumerate() {
        let (_, function) = program.body(id);
        for (call, inst) in function.insts.iter_enumerated() {
            let InstKind::Call { args, .. } = inst.kind else { continue };
            let args = function.operands(args);
            let targets = targets(program, id, call);
            let within = component.functions.iter().enumerate().filter(|(_, id)| targets.contains(id));
            for (target, _) in within {
                for (number, param) in (firsts[target]..firsts[target + 1]).enumerate() {
                    match args.get(number).map(|&arg| &function.insts[arg].kind) {
                        Some(&InstKind::Param(own)) => chains.join(param, firsts[caller] + own as usize),
                        _ => chains.break_at(param),
                    }
                }
            }
        }
    }
    let params = firsts.windows(2).map(|ends| ends[0]..ends[1]);
    params.map(|params| params.clone().map(|param| chains.is_unchanged(param, params.clone())).collect()).collect()
}

fn targets(program: &Program, caller: FunctionId, call: Value) -> Vec<FunctionId> {
    let (_, function) = program.body(caller);
    let InstKind::Call { callee, .. } = function.insts[call].kind else { return Vec::new() };
    if let Some(global) = direct_callee(function, callee) {
        return match program.resolve(program.function(caller).module, global) {
            Resolved::Function(target) => vec![target],
            _ => Vec::new(),
        };
    }
    let targets = program.indirect_targets(caller, call).unwrap_or_default().iter();
    targets.filter_map(|target| if let Target::Function(id) = *target { Some(id) } else { None }).collect()
}

/// Parameters of all functions of the component, one after the other.
struct Chains {
    /// The next one on the way to the one that stands for the chain.
    up: Vec<usize>,
    /// By what stands for a chain: something else is passed somewhere.
    is_broken: Vec<bool>,
}

impl Chains {
    fn root(&self, mut param: usize) -> usize {
        while self.up[param] != param {
            param = self.up[param];
        }
        param
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.is_broken[b] |= self.is_broken[a];
        self.up[a] = b;
    }

    fn break_at(&mut self, param: usize) {
        let root = self.root(param);
        self.is_broken[root] = true;
    }

    fn is_unchanged(&self, param: usize, mut of_function: std::ops::Range<usize>) -> bool {
        let chain = self.root(param);
        !self.is_broken[chain] && of_function.all(|other| other == param || self.root(other) != chain)
    }
}
