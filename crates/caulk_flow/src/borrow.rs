//! What a function that is too much to evaluate can do to its arguments at most.
//!
//! Neither paths nor fields are looked at. What was made of an argument is followed through the function; so is what
//! was read through it. As long as neither is stored, returned, or given to someone who keeps or releases it, the
//! argument is only borrowed:
//!
//! ```c
//! static int big(struct options *o, char **out) {   // o is read, no more; something is written through out
//!     … *out = o->name; …                           // and what o leads to is kept
//! }
//! ```

use caulk_guard::Kind;
use caulk_ir::ir::{self, InstKind, Terminator, Value};
use caulk_program::{FunctionId, Target};

use crate::callee;
use crate::evaluate::Surroundings;
use crate::model::{Effect, Model, Path, Root, ValueSpec};
use crate::summary::{FrozenTerm, FrozenValue, Known, Summary, TermNumber, When};

/// How much of an argument goes elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    Nothing,
    /// What it leads to may be kept, released or overwritten.
    Contents,
    All,
}

/// What a value has of the argument that is followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    None,
    /// It was read through the argument.
    Inner,
    /// It points where the argument does.
    Pointer,
}

/// As much as can be said of a function without evaluating it; nothing if records are passed to it.
pub fn summarize(cx: &Surroundings<'_>, function: FunctionId) -> Summary {
    let (module, body) = cx.program.body(function);
    let types = &module.unit.types;
    let is_variadic = types.function_of(module.unit.globals[body.global].ty).is_none_or(|ty| ty.is_variadic);
    let takes_some = body.insts.iter().any(|inst| matches!(inst.kind, InstKind::VaArg { .. }));
    let mut summary = Summary {
        returns: Some(When::ALWAYS),
        parameters: body.params.len(),
        takes_variable_arguments: is_variadic || takes_some,
        is_coarse: true,
        ..Summary::default()
    };
    for (number, &param) in body.params.iter().enumerate() {
        let ty = body.ty(param);
        let size = types.size_of(ty).filter(|size| (1..=8).contains(size));
        let (Some(size), false) = (size, types.is_record(ty)) else { return Summary::opaque() };
        let kind = Kind { bits: (size * 8) as u8, signed: !types.is_pointer(ty) && !types.is_unsigned(ty) };
        // A number may name a resource.
        let hold = if types.is_pointer(ty) { Follow::new(cx, function, param).run() } else { Hold::All };
        let term = summary.terms.len() as TermNumber;
        summary.terms.push((FrozenTerm::Param(number as u32), kind));
        if hold == Hold::All {
            summary.keeps.push((term, When::ALWAYS));
        }
        if hold != Hold::Nothing {
            summary.clobbers.push(term);
        }
    }
    summary
}

struct Follow<'a> {
    cx: &'a Surroundings<'a>,
    function: FunctionId,
    body: &'a ir::Function,
    shares: Vec<Share>,
    /// By slot: what was stored to it.
    held: Vec<Share>,
    hold: Hold,
}

impl<'a> Follow<'a> {
    fn new(cx: &'a Surroundings<'a>, function: FunctionId, param: Value) -> Follow<'a> {
        let (_, body) = cx.program.body(function);
        let mut shares = vec![Share::None; body.insts.len()];
        shares[param.0 as usize] = Share::Pointer;
        Follow { cx, function, body, shares, held: vec![Share::None; body.insts.len()], hold: Hold::Nothing }
    }

    fn run(mut self) -> Hold {
        let body = self.body;
        let mut is_settled = false;
        while !is_settled && self.hold != Hold::All {
            is_settled = true;
            for block in &body.blocks {
                for &inst in &block.insts {
                    let share = self.instruction(inst);
                    if share > self.shares[inst.0 as usize] {
                        self.shares[inst.0 as usize] = share;
                        is_settled = false;
                    }
                }
                if let Terminator::Return(Some(value)) = block.terminator {
                    self.goes(self.of(value));
                }
            }
        }
        self.hold
    }

    fn of(&self, value: Value) -> Share {
        self.shares[value.0 as usize]
    }

    /// A value goes somewhere out of sight.
    fn goes(&mut self, share: Share) {
        let hold = match share {
            Share::None => Hold::Nothing,
            Share::Inner => Hold::Contents,
            Share::Pointer => Hold::All,
        };
        self.hold = self.hold.max(hold);
    }

    /// The local object that an address lies in.
    fn slot(&self, mut address: Value) -> Option<Value> {
        loop {
            match self.body.insts[address].kind {
                InstKind::Slot { .. } => return Some(address),
                InstKind::Field { base, .. } | InstKind::Element { base, .. } => address = base,
                InstKind::Cast(inner) | InstKind::BitCast(inner) => address = inner,
                _ => return None,
            }
        }
    }

    /// What the result has of the argument.
    fn instruction(&mut self, inst: Value) -> Share {
        let body = self.body;
        match body.insts[inst].kind {
            InstKind::Field { base: from, .. }
            | InstKind::Element { base: from, .. }
            | InstKind::Cast(from)
            | InstKind::BitCast(from) => self.of(from),
            InstKind::Binary { a, b, .. } => self.of(a).max(self.of(b)),
            InstKind::Phi(args) => body.phi_args(args).map(|(_, value)| self.of(value)).max().unwrap_or(Share::None),
            InstKind::Load { address, .. } => match self.slot(address) {
                Some(slot) => self.held[slot.0 as usize],
                None if self.of(address) == Share::None => Share::None,
                None => Share::Inner,
            },
            InstKind::Store { address, value, .. } => {
                self.store(address, value);
                Share::None
            }
            InstKind::Zero { address, .. } => {
                self.overwritten(address);
                Share::None
            }
            InstKind::Call { args, .. } => self.call(inst, body.operands(args)),
            InstKind::Bind { .. }
            | InstKind::End { .. }
            | InstKind::Compare { .. }
            | InstKind::PointerDiff { .. }
            | InstKind::LoadBits { .. }
            | InstKind::CopyString { .. }
            | InstKind::Negate(_)
            | InstKind::BitNot(_) => Share::None,
            ref other => {
                let mut share = Share::None;
                other.for_each_operand(body, |operand| share = share.max(self.of(operand)));
                self.goes(share);
                share
            }
        }
    }

    fn store(&mut self, address: Value, value: Value) {
        let share = self.of(value);
        match self.slot(address) {
            Some(slot) => self.held[slot.0 as usize] = self.held[slot.0 as usize].max(share),
            None => {
                self.goes(share);
                let (module, _) = self.cx.program.body(self.function);
                let ty = self.body.ty(value);
                if module.unit.types.is_pointer(ty) || module.unit.types.is_record(ty) {
                    self.overwritten(address);
                }
            }
        }
    }

    /// Pointers at the address are lost.
    fn overwritten(&mut self, address: Value) {
        if self.of(address) != Share::None {
            self.hold = self.hold.max(Hold::Contents);
        }
    }

    fn call(&mut self, call: Value, args: &[Value]) -> Share {
        let shares: Vec<Share> = args
            .iter()
            .map(|&arg| self.of(arg).max(self.slot(arg).map_or(Share::None, |slot| self.held[slot.0 as usize])))
            .collect();
        if shares.iter().all(|&share| share == Share::None) {
            return Share::None;
        }
        let targets = callee::targets(self.cx.program, self.function, call).unwrap_or_default();
        let mut result = Share::None;
        for (number, &share) in shares.iter().enumerate().filter(|(_, share)| **share != Share::None) {
            // What a local object holds is handed over with its address.
            let is_local = self.of(args[number]) == Share::None;
            let mut hold = if targets.is_empty() || is_local { Hold::All } else { Hold::Nothing };
            for &target in &targets {
                let (held, is_returned) = self.held_by(target, number, call);
                hold = hold.max(held);
                if is_returned {
                    result = result.max(share);
                }
            }
            match (hold, share) {
                (Hold::Nothing, _) => {}
                (Hold::Contents, _) => self.hold = self.hold.max(Hold::Contents),
                (Hold::All, share) => self.goes(share),
            }
        }
        result
    }

    /// What a callee does with an argument, and whether it may return something of it.
    fn held_by(&self, target: Target, number: usize, call: Value) -> (Hold, bool) {
        match target {
            Target::Function(callee) => match self.cx.summaries.of(callee) {
                Known::Summary(summary) if !summary.is_opaque => held_by_summary(summary, number),
                _ => (Hold::All, true),
            },
            Target::External(name) => match self.cx.models.get(name) {
                Some(model) => held_by_model(model, number),
                None => (if self.is_const(call, number) { Hold::Nothing } else { Hold::All }, true),
            },
        }
    }

    /// Whether the callee's parameter points to what is constant.
    fn is_const(&self, call: Value, number: usize) -> bool {
        let (module, body) = self.cx.program.body(self.function);
        let types = &module.unit.types;
        let InstKind::Call { callee, .. } = body.insts[call].kind else { return false };
        let parameter = types.callee(body.ty(callee)).and_then(|function| function.parameters.get(number).copied());
        parameter.and_then(|ty| types.pointee(ty)).is_some_and(|pointee| pointee.is_const())
    }
}

fn held_by_summary(summary: &Summary, number: usize) -> (Hold, bool) {
    if number >= summary.parameters && summary.takes_variable_arguments {
        return (Hold::All, true);
    }
    let mut hold = Hold::Nothing;
    let mut add = |depth: Option<u32>| {
        hold = hold.max(match depth {
            None => Hold::Nothing,
            Some(0) => Hold::All,
            Some(_) => Hold::Contents,
        });
    };
    let depth = |term: TermNumber| depth_in(summary, term, number as u32);
    summary.keeps.iter().for_each(|keep| add(depth(keep.0)));
    summary.releases.iter().for_each(|release| add(depth(release.pointer)));
    summary.clobbers.iter().for_each(|&term| add(depth(term).map(|depth| depth + 1)));
    for copy in &summary.copies {
        add(depth(copy.from).map(|depth| depth + 1));
        add(depth(copy.to).map(|depth| depth + 1));
    }
    for call in &summary.calls {
        call.args.iter().for_each(|arg| each_term(arg, &mut |term| add(depth(term))));
    }
    for write in &summary.writes {
        if write.is_pointer {
            add(depth(write.address).map(|depth| depth + 1));
        }
        write.value.iter().for_each(|way| add(depth(way.1)));
    }
    let mut is_returned = false;
    if let Some(result) = &summary.result {
        each_term(result, &mut |term| {
            is_returned |= matches!(summary.terms[term as usize].0, FrozenTerm::Unknown(_) | FrozenTerm::Forgotten(_))
                || depth(term).is_some();
        });
    }
    (hold, is_returned)
}

fn each_term(value: &FrozenValue, visit: &mut dyn FnMut(TermNumber)) {
    match value {
        FrozenValue::Scalar(ways) => ways.iter().for_each(|way| visit(way.1)),
        FrozenValue::Record(parts) => parts.iter().for_each(|part| each_term(&part.2, visit)),
    }
}

/// How many times memory was read to get from the parameter to the term, if it was.
fn depth_in(summary: &Summary, term: TermNumber, parameter: u32) -> Option<u32> {
    match summary.terms[term as usize].0 {
        FrozenTerm::Param(number) | FrozenTerm::ParamPart(number, _) => (number == parameter).then_some(0),
        FrozenTerm::Contents(address) => depth_in(summary, address, parameter).map(|depth| depth + 1),
        FrozenTerm::Inside(base) | FrozenTerm::Extend(base) => depth_in(summary, base, parameter),
        FrozenTerm::Element { base, index, .. } => {
            depth_in(summary, base, parameter).or_else(|| depth_in(summary, index, parameter))
        }
        FrozenTerm::Binary(_, a, b) => depth_in(summary, a, parameter).or_else(|| depth_in(summary, b, parameter)),
        FrozenTerm::Int(_)
        | FrozenTerm::Unknown(_)
        | FrozenTerm::Forgotten(_)
        | FrozenTerm::Handle(_)
        | FrozenTerm::Variable(..)
        | FrozenTerm::Code(_)
        | FrozenTerm::Literal
        | FrozenTerm::Fresh(..)
        | FrozenTerm::Order(..)
        | FrozenTerm::Text(..) => None,
    }
}

fn held_by_model(model: &Model, number: usize) -> (Hold, bool) {
    let is_meant = |path: &Path| path.root == Root::Parameter(number as u32);
    let in_value = |value: &ValueSpec| match value {
        ValueSpec::Value(path) | ValueSpec::Inside(path) => is_meant(path),
        ValueSpec::Unknown => true,
        _ => false,
    };
    let mut hold = Hold::Nothing;
    let mut is_returned = false;
    for case in &model.cases {
        is_returned |= case.result.iter().any(in_value);
        for effect in &case.effects {
            let goes = match effect {
                Effect::Release { path, .. } | Effect::Acquire { path, .. } | Effect::Keep { path } => is_meant(path),
                Effect::Assign { path, values } => {
                    if is_meant(path) {
                        hold = hold.max(Hold::Contents);
                    }
                    values.iter().any(in_value)
                }
                Effect::Hold { path, .. } => is_meant(path),
                Effect::Write { .. } | Effect::Follow { .. } => false,
                Effect::Copy { from, to, .. } => {
                    if is_meant(from) || is_meant(to) {
                        hold = hold.max(Hold::Contents);
                    }
                    false
                }
                Effect::Fill { to, .. } => {
                    if is_meant(to) {
                        hold = hold.max(Hold::Contents);
                    }
                    false
                }
                Effect::Call { callee, arguments } => is_meant(callee) || arguments.iter().any(in_value),
                Effect::Unknown => true,
            };
            if goes {
                hold = Hold::All;
            }
        }
    }
    (hold, is_returned)
}
