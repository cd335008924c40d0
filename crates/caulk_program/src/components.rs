//! In which order to look at functions.
//!
//! - *component*: a strongly connected component of the call graph, its cut edges aside.
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
//! that may do anything. Such a circle is opened by cutting calls through pointers in it, those with the most targets
//! first, because they tell the least, and of these the ones that yield no pointer. What a cut call reaches is still known by name; its result is not, unless
//! the target comes earlier anyway.
//!
//! Invariant: a component's callees have smaller numbers. A direct callee is in the same component or an earlier one,
//! and so is the target of a call through a pointer that is not cut. Within a component, a function comes after those
//! that it calls directly, unless these call it directly too. The rest follows from the numbers of the functions alone.
//!
//! Tarjan's algorithm, with a stack of its own: call chains of generated code are longer than ours.

use caulk_base::IdVec;
use caulk_base::id::Id;

use crate::call_graph::{CallGraph, Edge};
use crate::program::FunctionId;

/// Circles of more functions are opened where pointers close them. Then some calls see no summary of what they
/// reach, which may cost findings; a larger circle would cost all of its functions several rounds, on one thread.
const MAX_CIRCLE: usize = 32;

/// Fan-outs above which edges are cut, one after the other, until the circle is small.
const FAN_OUTS: [u32; 6] = [16, 8, 4, 2, 1, 0];

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
    pub(crate) fn new(mut graph: CallGraph) -> Components {
        let direct = Search::run(&graph, |edge| edge.fan_out == 0);
        let mut found = Search::run(&graph, |_| true);
        for limit in FAN_OUTS {
            // An allocator that is set by hand stays known, whatever the circle.
            for yields_pointer in [false, limit > 0] {
                if cut(&mut graph, &found, limit, yields_pointer) {
                    found = Search::run(&graph, |edge| !edge.is_cut);
                }
            }
        }
        let Search { mut list, number_of, .. } = found;
        for (number, component) in (0u32..).zip(&mut list) {
            component.functions.sort_unstable_by_key(|&function| (direct.number_of[function], function));
            for &function in &component.functions {
                // A cut edge that goes down all the same does no harm.
                let edges = graph.edges(function).iter().filter(|edge| !edge.is_cut || number_of[edge.callee] < number);
                component.callees.extend(edges.map(|edge| number_of[edge.callee]));
            }
            component.callees.sort_unstable();
            component.callees.dedup();
            // Callees have smaller numbers, so its own comes last.
            component.is_recursive = component.callees.last() == Some(&number);
            if component.is_recursive {
                component.callees.pop();
            }
        }
        Components { list, number_of }
    }
}

/// Cuts the edges inside large components that fan out to more than `limit`; whether there were any. Those that yield
/// pointers only if told so.
fn cut(graph: &mut CallGraph, found: &Search, limit: u32, yields_pointer: bool) -> bool {
    let mut is_changed = false;
    for component in found.list.iter().filter(|component| component.functions.len() > MAX_CIRCLE) {
        let number = found.number_of[component.functions[0]];
        for &function in &component.functions {
            for edge in graph.edges_mut(function) {
                let is_wanted = edge.fan_out > limit && (yields_pointer || !edge.yields_pointer);
                if is_wanted && !edge.is_cut && found.number_of[edge.callee] == number {
                    edge.is_cut = true;
                    is_changed = true;
                }
            }
        }
    }
    is_changed
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
    /// Along the edges that are wanted.
    fn run(graph: &CallGraph, is_wanted: impl Fn(&Edge) -> bool) -> Search {
        let functions = graph.len();
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
                search.visit(root, graph, &is_wanted);
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

    fn visit(&mut self, root: FunctionId, graph: &CallGraph, is_wanted: &impl Fn(&Edge) -> bool) {
        self.meet(root);
        while let Some((function, next)) = self.visits.last_mut() {
            let function = *function;
            if let Some(edge) = graph.edges(function).get(*next) {
                *next += 1;
                let callee = edge.callee;
                if !is_wanted(edge) {
                    continue;
                }
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
