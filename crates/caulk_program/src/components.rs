//! Who calls whom, and in which order to look at functions.
//!
//! - *edge*: a function calls another, directly or through a pointer whose targets are known.
//! - *component*: a strongly connected component of these edges.
//!
//! ```c
//! int odd(unsigned n);
//! int even(unsigned n) { return n ? odd(n - 1) : 1; }
//! int odd(unsigned n) { return n ? even(n - 1) : 0; }
//! int main(int argc, char **argv) { return even(argc); }
//! ```
//! `even` and `odd` are one recursive component, number 0; `main` is number 1 and its callees are `[0]`.
//!
//! Calls through pointers can make one component of half a program: everything that may `die`, if `die` calls a hook
//! that may do anything. So the order within a component counts as well: it is bottom-up by the direct calls alone.
//!
//! Invariant: a component's callees have smaller numbers. Within a component, a function comes after those that it
//! calls directly, unless these call it directly too. The rest follows from the numbers of the functions alone.
//!
//! Tarjan's algorithm, with a stack of its own: call chains of generated code are longer than ours.

use caulk_base::IdVec;
use caulk_base::id::Id;
use caulk_ir::ir::{Function, GlobalId, InstKind, Module, Value};

use crate::link::Linked;
use crate::pointers::Pointers;
use crate::program::{FunctionId, Resolved, Target};

/// Functions that call each other in circles, or a single one.
#[derive(Clone, Debug)]
pub struct Component {
    /// Bottom-up by the direct calls: in this order, one round sees most callees before their callers.
    pub functions: Vec<FunctionId>,
    /// Some function in it calls another of it, or itself.
    pub is_recursive: bool,
    /// Numbers of the components that this one calls, in increasing order, all smaller than its own.
    pub callees: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) list: Vec<Component>,
    pub(crate) number_of: IdVec<FunctionId, u32>,
}

impl Components {
    pub(crate) fn new(modules: &[Module], linked: &Linked, pointers: &Pointers) -> Components {
        let graph = Graph::new(modules, linked, pointers);
        let direct = Search::run(&graph.direct);
        let Search { mut list, number_of, .. } = Search::run(&graph.all);
        for (number, component) in list.iter_mut().enumerate() {
            component.functions.sort_unstable_by_key(|&function| (direct.number_of[function], function));
            for &function in &component.functions {
                component.callees.extend(graph.all.of(function).iter().map(|&callee| number_of[callee]));
            }
            component.callees.sort_unstable();
            component.callees.dedup();
            // Callees have smaller numbers, so its own comes last.
            component.is_recursive = component.callees.last() == Some(&(number as u32));
            if component.is_recursive {
                component.callees.pop();
            }
        }
        Components { list, number_of }
    }
}

/// Who calls whom.
struct Graph {
    direct: Calls,
    /// Through resolved pointers too.
    all: Calls,
}

impl Graph {
    fn new(modules: &[Module], linked: &Linked, pointers: &Pointers) -> Graph {
        let mut graph = Graph { direct: Calls::default(), all: Calls::default() };
        let (mut direct, mut through_pointers) = (Vec::new(), Vec::new());
        for (id, info) in linked.functions.iter_enumerated() {
            let function = &modules[info.module].functions[info.index];
            for (call, inst) in function.insts.iter_enumerated() {
                let InstKind::Call { callee, .. } = inst.kind else { continue };
                match direct_callee(function, callee).map(|global| linked.resolved[info.module][global]) {
                    Some(Resolved::Function(target)) => direct.push(target),
                    Some(Resolved::External(_)) => {}
                    Some(Resolved::Variable(_)) | None => {
                        let targets = pointers.call_targets(id, call).unwrap_or(&[]);
                        through_pointers.extend(targets.iter().filter_map(|target| match *target {
                            Target::Function(target) => Some(target),
                            Target::External(_) => None,
                        }));
                    }
                }
            }
            through_pointers.extend(&direct);
            graph.direct.add(&mut direct);
            graph.all.add(&mut through_pointers);
        }
        graph
    }
}

/// The callees of each function, one after the other.
#[derive(Default)]
struct Calls {
    /// By function: where its callees end.
    ends: Vec<u32>,
    callees: Vec<FunctionId>,
}

impl Calls {
    /// The callees of the next function.
    fn add(&mut self, callees: &mut Vec<FunctionId>) {
        callees.sort_unstable();
        callees.dedup();
        self.callees.append(callees);
        self.ends.push(self.callees.len() as u32);
    }

    fn of(&self, function: FunctionId) -> &[FunctionId] {
        let number = function.index();
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.callees[start as usize..self.ends[number] as usize]
    }
}

/// The global that a callee names, seen through conversions of its type.
pub(crate) fn direct_callee(function: &Function, mut callee: Value) -> Option<GlobalId> {
    loop {
        match function.insts[callee].kind {
            InstKind::Global(global) => return Some(global),
            InstKind::Cast(inner) | InstKind::BitCast(inner) => callee = inner,
            _ => return None,
        }
    }
}

/// Not met yet.
const NEW: u32 = u32::MAX;

struct Search {
    list: Vec<Component>,
    number_of: IdVec<FunctionId, u32>,
    /// By function: when it was met.
    order: IdVec<FunctionId, u32>,
    /// By function: the earliest of those on the stack that it reaches.
    lowest: IdVec<FunctionId, u32>,
    /// Met and not yet in a component.
    open: Vec<FunctionId>,
    /// Functions being visited, each with the number of its next callee.
    visits: Vec<(FunctionId, usize)>,
    clock: u32,
}

impl Search {
    fn run(calls: &Calls) -> Search {
        let functions = calls.ends.len();
        let mut search = Search {
            list: Vec::new(),
            number_of: IdVec::filled(NEW, functions),
            order: IdVec::filled(NEW, functions),
            lowest: IdVec::filled(NEW, functions),
            open: Vec::new(),
            visits: Vec::new(),
            clock: 0,
        };
        for root in (0..functions).map(FunctionId::from_index) {
            if search.order[root] == NEW {
                search.visit(root, calls);
            }
        }
        search
    }

    fn meet(&mut self, function: FunctionId) {
        self.order[function] = self.clock;
        self.lowest[function] = self.clock;
        self.clock += 1;
        self.open.push(function);
        self.visits.push((function, 0));
    }

    fn visit(&mut self, root: FunctionId, calls: &Calls) {
        self.meet(root);
        while let Some((function, next)) = self.visits.last_mut() {
            let function = *function;
            if let Some(&callee) = calls.of(function).get(*next) {
                *next += 1;
                if self.order[callee] == NEW {
                    self.meet(callee);
                } else if self.number_of[callee] == NEW {
                    self.lowest[function] = self.lowest[function].min(self.order[callee]);
                }
                continue;
            }
            self.visits.pop();
            if let Some(&(caller, _)) = self.visits.last() {
                self.lowest[caller] = self.lowest[caller].min(self.lowest[function]);
            }
            if self.lowest[function] == self.order[function] {
                self.close(function);
            }
        }
    }

    /// Everything met since `first` is one component.
    fn close(&mut self, first: FunctionId) {
        let number = self.list.len() as u32;
        let start = self.open.iter().rposition(|&function| function == first).expect("met and not yet closed");
        let functions = self.open.split_off(start);
        for &function in &functions {
            self.number_of[function] = number;
        }
        self.list.push(Component { functions, is_recursive: false, callees: Vec::new() });
    }
}
