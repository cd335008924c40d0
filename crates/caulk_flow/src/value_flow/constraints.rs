//! From instructions to nodes, edges and uses.
//!
//! Rules, after SABER's table 2: a phi and arithmetic on a pointer copy; a load takes from the cells its address may
//! name, a store puts into them; a call opens a parenthesis from argument to parameter and closes one from the
//! callee's result; a function without a body does what its model says, and without one may keep what it is given.

use caulk_ir::ir::{Builtin, Function, InstKind, Module, Operands, Terminator, Ty, Value};
use caulk_program::{FunctionId, Resolved, Target};
use caulk_sema::types::TypeTable;
use smallvec::SmallVec;

use super::solver::{Solver, Use};
use super::{Label, Node, NodeId, Object};
use crate::callee;
use crate::model::{Effect, Model, Models, Path, Root, Step, ValueSpec};

/// Pointers of a record that is copied as a whole. May cost edges.
const MAX_LEAVES: usize = 32;

pub(super) fn generate(solver: &mut Solver<'_>, models: &Models) {
    let program = solver.program;
    for function in program.functions().ids() {
        let (module, body) = program.body(function);
        let mut generator = Generator { solver, models, function, module, body };
        generator.constants();
        for block in &body.blocks {
            block.insts.iter().for_each(|&inst| generator.instruction(inst));
            if let Terminator::Return(Some(value)) = block.terminator {
                let (from, to) = (generator.value(value), generator.solver.node(Node::Result(function)));
                generator.solver.add_edge(from, to, Label::Copy);
            }
        }
    }
}

struct Generator<'s, 'a> {
    solver: &'s mut Solver<'a>,
    models: &'s Models,
    function: FunctionId,
    module: &'a Module,
    body: &'a Function,
}

impl Generator<'_, '_> {
    /// The node of a value; conversions have that of what they convert.
    fn value(&mut self, mut value: Value) -> NodeId {
        while let InstKind::Cast(inner) | InstKind::BitCast(inner) = self.body.insts[value].kind {
            value = inner;
        }
        self.solver.node(Node::Value(self.function, value))
    }

    fn copy(&mut self, from: Value, to: NodeId) {
        let from = self.value(from);
        self.solver.add_edge(from, to, Label::Copy);
    }

    /// Globals stand in no block.
    fn constants(&mut self) {
        let number = self.solver.program.function(self.function).module;
        for (value, inst) in self.body.insts.iter_enumerated() {
            let InstKind::Global(global) = inst.kind else { continue };
            if let Resolved::Variable(variable) = self.solver.program.resolve(number, global) {
                let node = self.value(value);
                self.solver.add_point(node, (Object::Variable(variable), 0));
            }
        }
    }

    fn instruction(&mut self, inst: Value) {
        let types = &self.module.unit.types;
        let ty = self.body.insts[inst].ty;
        match self.body.insts[inst].kind {
            InstKind::Slot { .. } | InstKind::Alloca { .. } => {
                let node = self.value(inst);
                self.solver.add_point(node, (Object::Slot(self.function, inst), 0));
            }
            InstKind::Phi(args) => {
                let node = self.value(inst);
                for (_, value) in self.body.phi_args(args) {
                    self.copy(value, node);
                }
            }
            InstKind::Binary { a, b, .. } => {
                let node = self.value(inst);
                self.copy(a, node);
                self.copy(b, node);
            }
            InstKind::Element { base, .. } => {
                let node = self.value(inst);
                self.copy(base, node);
            }
            InstKind::Field { base, record, field } => {
                let layout = types.layout(record).and_then(|layout| layout.fields.get(field as usize));
                let by = layout.map_or(0, |field| field.offset as i64);
                let (from, to) = (self.value(base), self.value(inst));
                if by == 0 {
                    self.solver.add_edge(from, to, Label::Copy);
                } else {
                    self.solver.add_use(from, Use::Shift { to, by });
                }
            }
            InstKind::Load { address, .. } => self.load(address, inst, ty),
            InstKind::Store { address, value, .. } => self.store(address, value),
            InstKind::Call { args, .. } => self.call(inst, args),
            InstKind::Builtin { op, args } => self.builtin(inst, op, args),
            InstKind::Asm { operands, .. } | InstKind::Unknown { operands, .. } => {
                for &operand in self.body.operands(operands) {
                    self.escape(inst, operand);
                }
            }
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_)
            | InstKind::End { .. }
            | InstKind::Bind { .. }
            | InstKind::LoadBits { .. }
            | InstKind::StoreBits { .. }
            | InstKind::Zero { .. }
            | InstKind::CopyString { .. }
            | InstKind::PointerDiff { .. }
            | InstKind::Negate(_)
            | InstKind::BitNot(_)
            | InstKind::Compare { .. }
            | InstKind::Cast(_)
            | InstKind::BitCast(_)
            | InstKind::ComplexPart { .. }
            | InstKind::MakeComplex { .. }
            | InstKind::VectorElement { .. }
            | InstKind::VaArg { .. }
            | InstKind::AsmOutput { .. } => {}
        }
    }

    fn load(&mut self, address: Value, result: Value, ty: Ty) {
        let (address, to) = (self.value(address), self.value(result));
        for at in leaves(&self.module.unit.types, ty) {
            self.solver.add_use(address, Use::Load { to, at, function: self.function });
        }
    }

    fn store(&mut self, address: Value, value: Value) {
        let (address, from) = (self.value(address), self.value(value));
        for at in leaves(&self.module.unit.types, self.body.ty(value)) {
            self.solver.add_use(address, Use::Store { from, at, function: self.function });
        }
    }

    fn builtin(&mut self, inst: Value, op: Builtin, args: Operands) {
        let args = self.body.operands(args);
        match (op, args) {
            (Builtin::AtomicLoad, &[address, ..]) => self.load(address, inst, self.body.insts[inst].ty),
            (Builtin::AtomicStore, &[address, value, ..]) => self.store(address, value),
            (Builtin::AtomicExchange, &[address, value, ..]) => {
                self.store(address, value);
                self.load(address, inst, self.body.insts[inst].ty);
            }
            (Builtin::SyncValCompareExchange | Builtin::SyncBoolCompareExchange, &[address, _, value, ..]) => {
                self.store(address, value);
                self.load(address, inst, self.body.insts[inst].ty);
            }
            (Builtin::AtomicCompareExchange, &[address, _, value, ..]) => self.store(address, value),
            (Builtin::Opaque(_), args) => args.iter().for_each(|&arg| self.escape(inst, arg)),
            _ => {}
        }
    }

    fn call(&mut self, call: Value, args: Operands) {
        let args = self.body.operands(args);
        let Some(targets) = callee::targets(self.solver.program, self.function, call) else {
            return args.iter().for_each(|&arg| self.escape(call, arg));
        };
        for target in targets {
            match target {
                Target::Function(callee) => self.enter(call, callee, args),
                Target::External(name) => match self.models.get(name) {
                    Some(model) => self.model(call, model, args),
                    None => self.declared(call, args),
                },
            }
        }
    }

    fn enter(&mut self, call: Value, callee: FunctionId, args: &[Value]) {
        let (_, body) = self.solver.program.body(callee);
        self.solver.add_call(self.function, call, callee);
        for (&arg, &param) in args.iter().zip(&body.params) {
            let (from, to) = (self.value(arg), self.solver.node(Node::Value(callee, param)));
            self.solver.add_edge(from, to, Label::Open(self.function, call, callee));
        }
        let (from, to) = (self.solver.node(Node::Result(callee)), self.value(call));
        self.solver.add_edge(from, to, Label::Close(self.function, call, callee));
    }

    fn escape(&mut self, inst: Value, arg: Value) {
        let node = self.solver.node(Node::Escape(self.function, inst));
        self.copy(arg, node);
    }

    /// No body and no model: it allocates if its declaration says so, and may keep what it may change.
    fn declared(&mut self, call: Value, args: &[Value]) {
        if callee::is_declared_allocator(self.solver.program, self.function, call) {
            return self.fresh_result(call);
        }
        let InstKind::Call { callee, .. } = self.body.insts[call].kind else { return };
        let types = &self.module.unit.types;
        let declared = types.callee(self.body.ty(callee));
        for (number, &arg) in args.iter().enumerate() {
            let parameter = declared.and_then(|declared| declared.parameters.get(number));
            let is_borrowed = parameter.and_then(|&ty| types.pointee(ty)).is_some_and(|ty| ty.is_const());
            if !is_borrowed {
                self.escape(call, arg);
            }
        }
    }

    fn fresh_result(&mut self, call: Value) {
        let node = self.value(call);
        self.solver.add_point(node, (Object::Heap(self.function, call), 0));
    }

    fn model(&mut self, call: Value, model: &Model, args: &[Value]) {
        for case in &model.cases {
            for effect in &case.effects {
                self.effect(call, effect, args);
            }
            for value in &case.result {
                match value {
                    ValueSpec::Fresh { .. } => self.fresh_result(call),
                    ValueSpec::Value(path) | ValueSpec::Inside(path) => {
                        let to = self.value(call);
                        self.pass(path, args, to);
                    }
                    ValueSpec::Null
                    | ValueSpec::Int(_)
                    | ValueSpec::AnyInt
                    | ValueSpec::IntWhere(..)
                    | ValueSpec::Length(_)
                    | ValueSpec::Order(_)
                    | ValueSpec::AnyNumber
                    | ValueSpec::Unknown
                    | ValueSpec::Borrowed => {}
                }
            }
        }
    }

    fn effect(&mut self, call: Value, effect: &Effect, args: &[Value]) {
        match effect {
            Effect::Release { path, .. } => {
                let node = self.solver.node(Node::Release(self.function, call));
                self.pass(path, args, node);
            }
            Effect::Keep { path } => {
                let node = self.solver.node(Node::Escape(self.function, call));
                self.pass(path, args, node);
            }
            Effect::Assign { path, values } => {
                let Some((address, 1)) = argument(path, args) else { return };
                let address = self.value(address);
                for value in values {
                    let from = self.solver.node(Node::Fresh(self.function, call));
                    match value {
                        ValueSpec::Fresh { .. } => {
                            self.solver.add_point(from, (Object::Heap(self.function, call), 0));
                        }
                        ValueSpec::Value(path) | ValueSpec::Inside(path) => self.pass(path, args, from),
                        _ => continue,
                    }
                    self.solver.add_use(address, Use::Store { from, at: 0, function: self.function });
                }
            }
            Effect::Unknown => args.iter().for_each(|&arg| self.escape(call, arg)),
            // Copies of whole objects, counted shares and callbacks are not looked at here.
            Effect::Acquire { .. }
            | Effect::Hold { .. }
            | Effect::Follow { .. }
            | Effect::Write { .. }
            | Effect::Copy { .. }
            | Effect::Fill { .. }
            | Effect::Call { .. } => {}
        }
    }

    /// What the path names flows to the node; only arguments and what they point to.
    fn pass(&mut self, path: &Path, args: &[Value], to: NodeId) {
        match argument(path, args) {
            Some((arg, 0)) => self.copy(arg, to),
            Some((arg, 1)) => {
                let address = self.value(arg);
                self.solver.add_use(address, Use::Load { to, at: 0, function: self.function });
            }
            _ => {}
        }
    }
}

/// The argument a path starts at and how often it is dereferenced.
fn argument(path: &Path, args: &[Value]) -> Option<(Value, usize)> {
    let Root::Parameter(number) = path.root else { return None };
    let arg = *args.get(number as usize)?;
    path.steps.iter().all(|step| matches!(step, Step::Deref)).then_some((arg, path.steps.len()))
}

/// Offsets of what may be pointers in a value of a type.
fn leaves(types: &TypeTable, ty: Ty) -> SmallVec<[i64; 4]> {
    let mut found = SmallVec::new();
    let mut waiting: SmallVec<[(Ty, i64); 4]> = SmallVec::from_slice(&[(ty, 0)]);
    while let Some((ty, offset)) = waiting.pop() {
        if found.len() == MAX_LEAVES {
            break;
        }
        if let Some(element) = types.element(ty) {
            waiting.push((element, offset));
        } else if let Some(layout) = types.record_of(ty).and_then(|record| types.layout(record)) {
            waiting.extend(layout.fields.iter().map(|field| (field.ty, offset + field.offset as i64)));
        } else if types.is_pointer(ty)
            || (types.is_integer(ty) && types.size_of(ty).is_some_and(|size| size >= types.target.pointer_size))
        {
            found.push(offset);
        }
    }
    found
}
