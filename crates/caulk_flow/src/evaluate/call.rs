//! Calls: who is called, and what of it is known.

use caulk_base::Symbol as Name;
use caulk_guard::{Guard, Kind, Object, TermKind};
use caulk_ir::ir::{self, InstKind};
use caulk_program::{Resolved, Target};
use caulk_sema::attributes::{AttributeValue, find};
use smallvec::SmallVec;

use super::{Evaluator, EventKind, Incoming, State};
use crate::model::{KindId, Model};
use crate::object::{Heap, HeapId, ObjectKind, Origin, Release};
use crate::summary::Known;
use crate::value::Val;

/// A call through a pointer with more targets than this is unknown.
const MAX_TARGETS: usize = 8;

/// One call being evaluated.
pub(super) struct Call<'v> {
    pub instruction: ir::Value,
    pub args: &'v [Val],
    /// What the declaration says, if the callee is named.
    pub global: Option<ir::GlobalId>,
}

impl Evaluator<'_> {
    pub(super) fn call(&mut self, state: &mut State, value: ir::Value, callee: ir::Value, args: ir::Operands) {
        let body = self.body;
        let inst = body.insts[value];
        let args: SmallVec<[Val; 6]> = body.operands(args).iter().map(|&arg| self.value(arg)).collect();
        self.event(state.guard, inst.loc, EventKind::Call { instruction: value });
        self.calling = Some(value);
        let global = match body.insts[callee].kind {
            InstKind::Global(global) => Some(global),
            _ => None,
        };
        let call = Call { instruction: value, args: &args, global };
        if global.is_none() && self.is_callers_business(state, callee, value, &args) {
            if !self.module.unit.types.is_void(inst.ty) {
                self.env[value] = self.unknown(inst.ty);
            }
            self.calling = None;
            return;
        }
        let result = match self.targets(callee, global, value) {
            Some(targets) => self.call_each(state, &call, &targets),
            None => self.unknown_call(state, &call, Some(self.body.ty(callee))),
        };
        self.calling = None;
        if !self.module.unit.types.is_void(inst.ty) {
            self.env[value] = result.unwrap_or_else(|| self.unknown(inst.ty));
        }
        let is_noreturn = self.module.unit.types.callee(body.ty(callee)).is_some_and(|function| function.is_noreturn);
        let is_noreturn = is_noreturn || global.is_some_and(|global| self.module.unit.globals[global].is_noreturn);
        if is_noreturn {
            state.guard = Guard::FALSE;
        }
    }

    /// A call of a function that was passed as an argument: each caller knows which. What only this function has
    /// is handed over to it.
    fn is_callers_business(&mut self, state: &mut State, callee: ir::Value, call: ir::Value, args: &[Val]) -> bool {
        let val = self.value(callee);
        let Some(symbol) = self.values.only(val).and_then(|term| self.symbol_of(term)) else { return false };
        let is_param = matches!(self.objects.symbols[symbol.0 as usize].origin, Origin::Param(_));
        if !is_param || self.module.unit.types.is_pointer(self.body.insts[call].ty) {
            return false;
        }
        self.leave_to_caller(state, val, args, Guard::TRUE);
        true
    }

    /// The caller will know what is called.
    pub(super) fn leave_to_caller(&mut self, state: &mut State, callee: Val, args: &[Val], when: Guard) {
        let guard = self.space.and(state.guard, when);
        self.callbacks.push(super::Callback { callee, args: args.to_vec(), guard });
        for &arg in args {
            let is_own = self
                .values
                .alternatives(arg)
                .iter()
                .any(|&(_, term)| self.points_to(term).is_some_and(|object| !self.objects.outlives(object)));
            if is_own {
                self.hand_over(state, arg, when, true);
            }
        }
    }

    fn targets(
        &mut self,
        callee: ir::Value,
        global: Option<ir::GlobalId>,
        call: ir::Value,
    ) -> Option<Vec<(Guard, Target)>> {
        if let Some(global) = global {
            return match self.cx.program.resolve(self.module_number, global) {
                Resolved::Function(function) => Some(vec![(Guard::TRUE, Target::Function(function))]),
                Resolved::External(name) => Some(vec![(Guard::TRUE, Target::External(name))]),
                Resolved::Variable(_) => None,
            };
        }
        let val = self.value(callee);
        let mut targets = Vec::new();
        for place in 0..self.values.alternatives(val).len() {
            let (guard, term) = self.values.alternatives(val)[place];
            match self.space.term(term) {
                // A call through null does not go on.
                TermKind::Int(_) => {}
                TermKind::Address { object, .. } => match self.objects.get(object).kind {
                    ObjectKind::Code(target) => targets.push((guard, target)),
                    _ => return None,
                },
                _ => {
                    if let Some(symbol) = self.symbol_of(term)
                        && matches!(self.objects.symbols[symbol.0 as usize].origin, Origin::Contents(_))
                    {
                        self.called.push(symbol);
                    }
                    let known = self.cx.program.indirect_targets(self.function, call)?;
                    if known.is_empty() || known.len() > MAX_TARGETS {
                        return None;
                    }
                    let mut rest = guard;
                    for (number, &target) in known.iter().enumerate() {
                        let taken = if number + 1 == known.len() {
                            rest
                        } else {
                            let choice = self.space.choice();
                            self.target_choices.extend(self.space.node(choice).map(|node| node.0));
                            let taken = self.space.and(rest, choice);
                            rest = self.space.and(rest, choice.not());
                            taken
                        };
                        targets.push((taken, target));
                    }
                }
            }
        }
        (!targets.is_empty()).then_some(targets)
    }

    fn call_each(&mut self, state: &mut State, call: &Call<'_>, targets: &[(Guard, Target)]) -> Option<Val> {
        if let [(_, target)] = *targets {
            return self.call_target(state, call, target);
        }
        let mut ways = Vec::new();
        let mut results: SmallVec<[(Guard, Val); 4]> = SmallVec::new();
        for &(guard, target) in targets {
            let mut own = state.clone();
            own.guard = self.space.and(own.guard, guard);
            if own.guard.is_false() {
                continue;
            }
            let result = self.call_target(&mut own, call, target);
            if own.guard.is_false() {
                continue;
            }
            if let Some(result) = result {
                results.push((own.guard, result));
            }
            ways.push(Incoming { guard: own.guard, state: own, phis: SmallVec::new() });
        }
        if ways.is_empty() {
            state.guard = Guard::FALSE;
            return None;
        }
        *state = self.join_states(ways);
        if results.is_empty() { None } else { Some(self.merge_values(&results)) }
    }

    pub(super) fn call_target(&mut self, state: &mut State, call: &Call<'_>, target: Target) -> Option<Val> {
        match target {
            Target::Function(function) => match self.cx.summaries.of(function) {
                Known::Summary(summary) if summary.is_opaque => self.unknown_call(state, call, None),
                Known::Summary(summary) => {
                    let name = self.cx.program.function(function).name;
                    self.apply_summary(state, call, summary, name)
                }
                Known::Unknown => self.unknown_call(state, call, None),
                Known::Pending => {
                    state.guard = Guard::FALSE;
                    None
                }
            },
            Target::External(name) => {
                if let Some(model) = self.cx.models.get(name).filter(|model| self.is_of_shape(call, model)) {
                    return self.apply_model(state, call, model);
                }
                self.declared_call(state, call, name)
            }
        }
    }

    /// Whether what the program declares under the name of a modelled function can be that one.
    fn is_of_shape(&self, call: &Call<'_>, model: &Model) -> bool {
        let types = &self.module.unit.types;
        let declared = call.global.and_then(|global| types.function_of(self.module.unit.globals[global].ty));
        declared.is_none_or(|declared| {
            let count = declared.parameters.len();
            declared.is_unprototyped || model.is_variadic || declared.is_variadic || count == model.parameters.len()
        })
    }

    /// A function without body or model: its declaration may say something.
    fn declared_call(&mut self, state: &mut State, call: &Call<'_>, name: Name) -> Option<Val> {
        let Some(global) = call.global else { return self.unknown_call(state, call, None) };
        let declared = &self.module.unit.globals[global];
        let loc = self.body.insts[call.instruction].loc;
        let heap = self.heap_kind();
        for attribute in &declared.attributes {
            let takes = matches!(attribute.name.as_str(), "ownership_takes" | "ownership_holds");
            if !takes {
                continue;
            }
            for arg in &attribute.args {
                let AttributeValue::Int(number) = *arg else { continue };
                let Some(&val) = usize::try_from(number - 1).ok().and_then(|number| call.args.get(number)) else {
                    continue;
                };
                if attribute.name.as_str() == "ownership_takes" {
                    self.release(state, val, Release { kind: heap, loc }, Guard::TRUE, true, None);
                } else {
                    self.hand_over(state, val, Guard::TRUE, false);
                }
            }
        }
        let attributes = &declared.attributes;
        let is_allocator = find(attributes, "malloc").is_some() || find(attributes, "ownership_returns").is_some();
        let ty = declared.ty;
        if is_allocator {
            let never_null = find(attributes, "returns_nonnull").is_some();
            let is_fresh = if never_null { Guard::TRUE } else { self.space.choice() };
            let allocated = self.space.and(state.guard, is_fresh);
            let object = self.new_heap(call.instruction, heap, false, allocated, name, Vec::new());
            let kind = self.pointer_kind();
            let fresh = self.space.address(object, 0, kind);
            let (fresh, null) = (self.values.single(fresh), self.int_val(0, kind));
            return Some(self.choose(is_fresh, fresh, null));
        }
        self.unknown_call(state, call, Some(ty))
    }

    /// Nothing is known: what the arguments reach may be kept and changed, unless it is `const`.
    pub(super) fn unknown_call(
        &mut self,
        state: &mut State,
        call: &Call<'_>,
        callee: Option<caulk_sema::types::Ty>,
    ) -> Option<Val> {
        let types = &self.module.unit.types;
        // It may be given the list of variable arguments.
        let own = types.function_of(self.module.unit.globals[self.body.global].ty);
        self.takes_variable_arguments |= own.is_some_and(|own| own.is_variadic);
        let function = callee.and_then(|callee| types.function_of(callee).or_else(|| types.callee(callee)));
        let parameters: Vec<caulk_sema::types::Ty> =
            function.map_or_else(Vec::new, |function| function.parameters.to_vec());
        let is_format =
            call.global.is_some_and(|global| find(&self.module.unit.globals[global].attributes, "format").is_some());
        let mut candidates = Vec::new();
        for (number, &arg) in call.args.iter().enumerate() {
            let is_borrowed = match parameters.get(number) {
                Some(&ty) => self.module.unit.types.pointee(ty).is_some_and(|pointee| pointee.is_const()),
                None => is_format,
            };
            if is_borrowed {
                candidates.extend(self.values.terms(arg));
            } else {
                self.hand_over(state, arg, Guard::TRUE, true);
            }
        }
        let ty = self.body.insts[call.instruction].ty;
        let kind = self.kind_of(ty)?;
        if !self.module.unit.types.is_pointer(ty) {
            return None;
        }
        // It may return what it was given.
        Some(self.alias_symbol(candidates, kind))
    }

    pub(super) fn new_heap(
        &mut self,
        site: ir::Value,
        kind: KindId,
        is_zeroed: bool,
        allocated: Guard,
        allocator: Name,
        inner: Vec<(usize, caulk_base::Loc)>,
    ) -> Object {
        let object = self.objects.intern(ObjectKind::Heap(self.objects.heap.next_id()));
        self.add_heap(Heap { object, kind, site, allocator, allocated, is_zeroed, inner });
        object
    }

    pub(super) fn add_heap(&mut self, heap: Heap) {
        let id = self.objects.heap.next_id();
        self.objects.heap.push(heap);
        self.allocate_event(id);
    }

    /// The kind of memory.
    pub(super) fn heap_kind(&self) -> KindId {
        self.cx.models.kind_named("heap").unwrap_or(KindId(0))
    }

    pub(super) fn allocate_event(&mut self, heap: HeapId) {
        let Heap { site, allocated, .. } = self.objects.heap[heap];
        if !allocated.is_false() {
            self.event(allocated, self.body.insts[site].loc, EventKind::Allocate(heap));
        }
    }

    /// The resource as a value: its address, or a number that stands for it.
    pub(super) fn handle(&mut self, state: &mut State, object: Object, kind: Kind, when: Guard) -> caulk_guard::Term {
        let since = self.since();
        let term = self.opaque_symbol(kind);
        let address = self.space.address(object, 0, self.pointer_kind());
        if let Some(symbol) = self.symbol_of(term) {
            self.objects.symbols[symbol.0 as usize].aliases = self.objects.aliases(&[address]);
            self.objects.symbols[symbol.0 as usize].handle = Some(object);
        }
        let zero = self.space.int(0, kind);
        let is_negative = self.space.less(term, zero);
        let bad = self.space.and(when, is_negative);
        self.must(state, bad.not(), since);
        term
    }
}
