//! Whether what a call hands over is what a function takes it for.
//!
//! ```c
//! struct hook { int (*run)(void *event); } *hooks;
//! int on_key(void *event) { struct key *key = event; … }      // takes a key
//! int click(struct mouse *mouse) { hooks->run(mouse); }       // hands over a mouse: not to on_key
//! ```
//! All objects of a record share their fields, so everything that any hook was ever set to seems to be there. A
//! `void *` that is only ever taken for one record was meant for that.
//!
//! Invariant: records that begin alike agree, as do those that nobody knows the fields of.

use caulk_ir::ir::{InstKind, RecordId, Ty, TypeTable, Value};
use caulk_sema::types::{Field, Type};
use rustc_hash::FxHashMap;

use super::places::Cx;
use crate::program::FunctionId;

/// A record of some module.
#[derive(Clone, Copy)]
struct Known {
    module: usize,
    record: RecordId,
}

/// What functions take their untyped arguments for, as far as somebody asked.
pub(super) struct Handed<'a> {
    cx: Cx<'a>,
    taken: FxHashMap<FunctionId, Vec<Option<Known>>>,
}

impl<'a> Handed<'a> {
    pub(super) fn new(cx: Cx<'a>) -> Handed<'a> {
        Handed { cx, taken: FxHashMap::default() }
    }

    /// Whether no argument of the call is one record, where the function takes another.
    pub(super) fn agrees(&mut self, caller: FunctionId, call: Value, target: FunctionId) -> bool {
        let cx = self.cx;
        let (_, body) = cx.body(caller);
        let InstKind::Call { args, .. } = body.insts[call].kind else { return true };
        let taken = self.taken.entry(target).or_insert_with(|| taken_for(cx, target));
        body.operands(args).iter().zip(taken).all(|(&arg, taken)| match (handed(cx, caller, arg), taken) {
            (Some((handed, is_whole)), Some(taken)) => {
                begin_alike(cx, handed, *taken) || !is_whole && begin_alike(cx, *taken, handed)
            }
            _ => true,
        })
    }
}

/// The record that an argument was the address of before it became a pointer to anything; and whether there is no more
/// to it, because it is a variable.
fn handed(cx: Cx<'_>, caller: FunctionId, arg: Value) -> Option<(Known, bool)> {
    let (_, body) = cx.body(caller);
    let InstKind::Cast(from) = body.insts[arg].kind else { return None };
    let types = cx.types(caller);
    let record = pointed_record(types, body.ty(from)).filter(|_| is_untyped(types, body.ty(arg)))?;
    let is_whole = matches!(body.insts[from].kind, InstKind::Slot { .. } | InstKind::Global(_));
    Some((Known { module: cx.linked.functions[caller].module, record }, is_whole))
}

/// By parameter: the one record that it is taken for, if it has no type of its own.
fn taken_for(cx: Cx<'_>, function: FunctionId) -> Vec<Option<Known>> {
    let (_, body) = cx.body(function);
    let (types, module) = (cx.types(function), cx.linked.functions[function].module);
    let mut taken: Vec<Vec<RecordId>> = vec![Vec::new(); body.params.len()];
    for inst in body.insts.iter() {
        let InstKind::Cast(from) = inst.kind else { continue };
        let Some(number) = body.params.iter().position(|&param| param == from) else { continue };
        if is_untyped(types, body.ty(from))
            && let Some(record) = pointed_record(types, inst.ty)
            && !taken[number].contains(&record)
        {
            taken[number].push(record);
        }
    }
    let only = |records: Vec<RecordId>| match records[..] {
        [record] => Some(Known { module, record }),
        _ => None,
    };
    taken.into_iter().map(only).collect()
}

fn pointed_record(types: &TypeTable, ty: Ty) -> Option<RecordId> {
    types.pointee(ty).and_then(|pointee| types.record_of(pointee.unqualified()))
}

fn is_untyped(types: &TypeTable, ty: Ty) -> bool {
    types.pointee(ty).is_some_and(|pointee| types.is_void(pointee))
}

/// Whether the first record begins with the second, or with its fields, or may.
fn begin_alike(cx: Cx<'_>, longer: Known, shorter: Known) -> bool {
    let fields = |known: Known| -> Option<&[Field]> {
        let layout = cx.modules[known.module].unit.types.layout(known.record)?;
        Some(&layout.fields)
    };
    let (Some(long), Some(short)) = (fields(longer), fields(shorter)) else { return true };
    let tag = |known: Known| cx.modules[known.module].unit.types.records[known.record].tag;
    let is_longer = long.len() > short.len() || long.len() == short.len() && tag(longer) == tag(shorter);
    is_longer && long.iter().zip(short).all(|(a, b)| a.name == b.name)
        || long.iter().take_while(|field| field.offset == 0).any(|field| {
            match cx.modules[longer.module].unit.types.get(field.ty.unqualified()) {
                Type::Record(record) => begin_alike(cx, Known { record, ..longer }, shorter),
                // Bytes that anything may be kept in.
                Type::Array(..) => true,
                _ => false,
            }
        })
}
