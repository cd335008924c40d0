//! Where what a node holds comes from.
//!
//! ```c
//! void *(*Curl_cmalloc)(size_t) = malloc;                        // seed: malloc
//! int init_mem(void *(*m)(size_t)) { Curl_cmalloc = m; … }       // store: the parameter, so all callers' arguments
//! p = Curl_cmalloc(n);                                           // callee: load of the variable
//! ```
//! The call asks for the load, that for the content of the variable, that for its seeds and stores, and the store for
//! the parameter `m`, which no caller in the program sets. The call's known targets are `malloc`.
//!
//! Invariant: constraints of a node are made once; what can only be known later (callers through pointers, stores
//! behind pointers) is added by the uses as items arrive.

use caulk_base::Symbol;
use caulk_ir::ir::{BinaryOp, Builtin, Function, InstKind, Terminator, Value};

use super::index::Seed;
use super::places::{Cell, Place};
use super::solver::{CellId, Item, NodeId, NodeKey, Solver, Use};
use crate::call_graph::direct_callee;
use crate::program::{FunctionId, Resolved};

impl Solver<'_> {
    /// What the analysis is for.
    pub(super) fn ask_for_calls(&mut self) {
        for ((function, call), callee) in self.index.indirect_calls.clone() {
            let node = self.node(NodeKey::Value(function, callee));
            self.add_use(node, Use::Callee(function, call));
        }
        for (function, pointer, value) in std::mem::take(&mut self.index.stores_behind) {
            let node = self.node(NodeKey::Value(function, pointer));
            self.add_use(node, Use::Store(function, value));
        }
        for cell in std::mem::take(&mut self.index.function_cells) {
            self.content(cell);
        }
    }

    pub(super) fn constrain(&mut self, node: NodeId, key: NodeKey) {
        match key {
            NodeKey::Value(function, value) => self.constrain_value(node, function, value),
            NodeKey::Content(cell) => self.constrain_content(node, cell),
            NodeKey::Result(function) => {
                let (_, body) = self.cx.body(function);
                for block in &body.blocks {
                    if let Terminator::Return(Some(value)) = block.terminator {
                        self.flow_from(function, value, node);
                    }
                }
            }
        }
    }

    fn constrain_content(&mut self, node: NodeId, cell: CellId) {
        for (function, value) in self.cell_data[cell.0 as usize].stores.clone() {
            self.flow_from(function, value, node);
        }
        match self.cell_of(cell) {
            Cell::Field(key) => {
                for seed in self.index.field_seeds(key).to_vec() {
                    self.add_seed(node, seed);
                }
                for (function, value) in self.index.field_stores(key).to_vec() {
                    self.flow_from(function, value, node);
                }
            }
            Cell::Inside(variable, key, at) => {
                for seed in self.index.inside_seeds(variable, key, at) {
                    self.add_seed(node, seed);
                }
                for (function, value) in self.index.inside_stores(variable, key, at) {
                    self.flow_from(function, value, node);
                }
            }
            Cell::Variable(variable) => {
                for seed in self.index.variable_seeds(variable).collect::<Vec<_>>() {
                    self.add_seed(node, seed);
                }
                for (function, value) in self.index.variable_stores(variable).to_vec() {
                    self.flow_from(function, value, node);
                }
            }
            Cell::Frame(function, object) => {
                for value in self.index.frame_stores(self.cx, &mut self.records, function, object) {
                    self.flow_from(function, value, node);
                }
            }
            Cell::Returned(..) => {}
        }
    }

    fn add_seed(&mut self, node: NodeId, (module, global): Seed) {
        let unit = &self.cx.modules[module].unit;
        let name = unit.types.is_function(unit.globals[global].ty).then_some(unit.globals[global].name);
        self.add_global(node, self.cx.linked.resolved[module][global], name);
    }

    /// `function_name`: its name, if the global is a function.
    fn add_global(&mut self, node: NodeId, resolved: Resolved, function_name: Option<Symbol>) {
        match (resolved, function_name) {
            (Resolved::Function(function), _) => self.add_item(node, Item::Function(function)),
            (Resolved::External(_), Some(name)) => self.add_item(node, Item::External(name)),
            (Resolved::External(_), None) => {}
            (Resolved::Variable(variable), _) => {
                let cell = self.cell(Cell::Variable(variable));
                self.add_item(node, Item::Address(cell));
            }
        }
    }

    fn constrain_value(&mut self, node: NodeId, id: FunctionId, value: Value) {
        let (module, function) = self.cx.body(id);
        match function.insts[value].kind {
            InstKind::Global(global) => {
                let number = self.cx.linked.functions[id].module;
                let data = &module.unit.globals[global];
                let name = module.unit.types.is_function(data.ty).then_some(data.name);
                self.add_global(node, self.cx.linked.resolved[number][global], name);
            }
            InstKind::Param(number) => self.constrain_parameter(node, id, number as usize),
            InstKind::Cast(from) | InstKind::BitCast(from) => self.flow_from(id, from, node),
            InstKind::Phi(args) => {
                for (_, from) in function.phi_args(args) {
                    self.flow_from(id, from, node);
                }
            }
            // A pointer with a bit of its own, taken out or put in.
            InstKind::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Add | BinaryOp::Sub, a, b } => {
                if function.constant(b).is_some() {
                    self.flow_from(id, a, node);
                }
            }
            InstKind::Load { address, .. } => self.load(node, id, address),
            InstKind::Builtin {
                op: Builtin::AtomicLoad | Builtin::AtomicExchange | Builtin::SyncValCompareExchange,
                args,
            } => {
                if let Some(&address) = function.operands(args).first() {
                    self.load(node, id, address);
                }
            }
            InstKind::Slot { .. } | InstKind::Alloca { .. } | InstKind::Field { .. } | InstKind::Element { .. } => {
                match self.cx.place(&mut self.records, id, value, false) {
                    Place::Cell(cell) => {
                        let cell = self.cell(cell);
                        self.add_item(node, Item::Address(cell));
                    }
                    Place::Behind(pointer) => self.flow_from(id, pointer, node),
                    Place::Nowhere => {}
                }
            }
            InstKind::Call { callee, .. } => self.constrain_call(node, id, function, value, callee),
            InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::String(_)
            | InstKind::BlockAddress(_)
            | InstKind::End { .. }
            | InstKind::Bind { .. }
            | InstKind::Store { .. }
            | InstKind::LoadBits { .. }
            | InstKind::StoreBits { .. }
            | InstKind::Zero { .. }
            | InstKind::CopyString { .. }
            | InstKind::PointerDiff { .. }
            | InstKind::Binary { .. }
            | InstKind::Negate(_)
            | InstKind::BitNot(_)
            | InstKind::Compare { .. }
            | InstKind::ComplexPart { .. }
            | InstKind::MakeComplex { .. }
            | InstKind::VectorElement { .. }
            | InstKind::Builtin { .. }
            | InstKind::VaArg { .. }
            | InstKind::Asm { .. }
            | InstKind::AsmOutput { .. }
            | InstKind::Unknown { .. } => {}
        }
    }

    fn load(&mut self, node: NodeId, id: FunctionId, address: Value) {
        match self.cx.place(&mut self.records, id, address, true) {
            Place::Cell(cell) => {
                let content = self.content(cell);
                self.add_edge(content, node);
            }
            Place::Behind(pointer) => {
                let pointer = self.node(NodeKey::Value(id, pointer));
                self.add_use(pointer, Use::Load(node));
            }
            Place::Nowhere => {}
        }
    }

    fn constrain_parameter(&mut self, node: NodeId, id: FunctionId, number: usize) {
        let direct = self.index.callers(id).to_vec();
        let through_pointers = self.calls_through_pointers[id.0 as usize].clone();
        for (caller, call) in direct.into_iter().chain(through_pointers) {
            if let Some(argument) = self.argument(caller, call, number) {
                self.flow_from(caller, argument, node);
            }
        }
    }

    fn argument(&self, caller: FunctionId, call: Value, number: usize) -> Option<Value> {
        let (_, body) = self.cx.body(caller);
        let InstKind::Call { args, .. } = body.insts[call].kind else { return None };
        body.operands(args).get(number).copied()
    }

    fn constrain_call(&mut self, node: NodeId, id: FunctionId, function: &Function, call: Value, callee: Value) {
        let module = self.cx.linked.functions[id].module;
        match direct_callee(function, callee).map(|global| self.cx.linked.resolved[module][global]) {
            Some(Resolved::Function(target)) => {
                let result = self.node(NodeKey::Result(target));
                self.add_edge(result, node);
            }
            Some(Resolved::External(_)) => {
                let cell = self.cell(Cell::Returned(id, call));
                self.add_item(node, Item::Address(cell));
            }
            Some(Resolved::Variable(_)) | None => {
                // The callee has been asked for; those of its items that are there already have been applied.
                let Some(callee) = self.known_node(NodeKey::Value(id, callee)) else { return };
                for item in self.items_of(callee).collect::<Vec<_>>() {
                    self.return_from(id, call, item);
                }
            }
        }
    }

    /// What a call through a pointer yields if it reaches this.
    fn return_from(&mut self, id: FunctionId, call: Value, item: Item) {
        let Some(node) = self.known_node(NodeKey::Value(id, call)) else { return };
        match item {
            Item::Function(target) if self.can_call(id, call, target) => {
                let result = self.node(NodeKey::Result(target));
                self.add_edge(result, node);
            }
            Item::External(_) => {
                let cell = self.cell(Cell::Returned(id, call));
                self.add_item(node, Item::Address(cell));
            }
            Item::TooMany => self.add_item(node, Item::TooMany),
            Item::Function(_) | Item::Address(_) => {}
        }
    }

    /// Draws the edges that an item brings with it.
    pub(super) fn apply(&mut self, it: Use, item: Item) {
        match (it, item) {
            (Use::Load(to), Item::Address(cell)) => {
                let content = self.node(NodeKey::Content(cell));
                self.add_edge(content, to);
            }
            (Use::Load(to), Item::TooMany) => self.add_item(to, Item::TooMany),
            (Use::Store(function, value), Item::Address(cell)) => {
                let data = &mut self.cell_data[cell.0 as usize];
                data.stores.push((function, value));
                if let Some(content) = data.content {
                    self.flow_from(function, value, content);
                }
            }
            (Use::Callee(function, call), Item::Function(target)) if self.can_call(function, call, target) => {
                self.calls_through_pointers[target.0 as usize].push((function, call));
                for number in 0..self.cx.body(target).1.params.len() {
                    let parameter = self.cx.body(target).1.params[number];
                    let Some(parameter) = self.known_node(NodeKey::Value(target, parameter)) else { continue };
                    if let Some(argument) = self.argument(function, call, number) {
                        self.flow_from(function, argument, parameter);
                    }
                }
                self.return_from(function, call, item);
            }
            (Use::Callee(function, call), Item::External(_) | Item::TooMany) => self.return_from(function, call, item),
            (Use::Load(_) | Use::Store(..) | Use::Callee(..), _) => {}
        }
    }

    /// Whether a call passes all that a function takes. One that passes less was not written for it: the function got
    /// there because all objects of a record share their fields.
    pub(super) fn can_call(&self, caller: FunctionId, call: Value, target: FunctionId) -> bool {
        let (_, body) = self.cx.body(caller);
        let InstKind::Call { args, .. } = body.insts[call].kind else { return false };
        let taken = self.cx.body(target).1.params.len();
        taken <= args.len as usize
    }
}
