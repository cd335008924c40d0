//! Values and places in the programmer's words, rebuilt from the IR.

use caulk_base::{Loc, Symbol as Name};
use caulk_flow::Evaluator;
use caulk_flow::evaluate::is_held_by_whole;
use caulk_flow::object::{CellId, ObjectKind, Origin};
use caulk_guard::{Object, Term, TermKind};
use caulk_ir::ir::{self, CompareOp, InstKind, Ty};
use caulk_program::Program;
use caulk_sema::types::TypeTable;

use crate::finding::Place;

/// Deeper than this, an expression is told as `…`.
const MAX_DEPTH: u32 = 4;

pub(crate) fn place(program: &Program, module: usize, loc: Loc) -> Place {
    match program.sources[module].map.place(loc) {
        Some(place) => {
            Place { file: place.path.to_string_lossy().into_owned(), line: place.line, column: place.column }
        }
        None => Place { file: program.sources[module].file.to_string_lossy().into_owned(), line: 1, column: 1 },
    }
}

/// An expression, as it may have been written.
pub(crate) fn expression(evaluator: &Evaluator<'_>, value: ir::Value) -> String {
    text(evaluator, value, 0)
}

fn text(evaluator: &Evaluator<'_>, value: ir::Value, depth: u32) -> String {
    let body = evaluator.body;
    if let Some(name) = variable(body, value)
        && depth > 0
    {
        return name.as_str().to_owned();
    }
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    let inner = |value| text(evaluator, value, depth + 1);
    let unit = &evaluator.module.unit;
    match body.insts[value].kind {
        InstKind::Int(0) if unit.types.is_pointer(body.ty(value)) => "NULL".to_owned(),
        InstKind::Int(number) => number.to_string(),
        InstKind::Global(global) => unit.globals[global].source_name.as_str().to_owned(),
        InstKind::String(_) => "\"…\"".to_owned(),
        InstKind::Slot { name } | InstKind::Alloca { name, .. } => format!("&{name}"),
        InstKind::Load { address, .. } | InstKind::LoadBits { address, .. } => lvalue(evaluator, address, depth),
        InstKind::Field { .. } => format!("&{}", lvalue(evaluator, value, depth)),
        InstKind::Element { base, index } => format!("{} + {}", inner(base), inner(index)),
        InstKind::Binary { op, a, b } => format!("{} {} {}", inner(a), operator(op), inner(b)),
        InstKind::Negate(a) => format!("-{}", inner(a)),
        InstKind::BitNot(a) => format!("~{}", inner(a)),
        InstKind::Compare { op, a, b } => format!("{} {} {}", inner(a), relation(op), inner(b)),
        InstKind::Cast(a) | InstKind::BitCast(a) => text(evaluator, a, depth),
        InstKind::Call { callee, .. } => format!("{}()", inner(callee)),
        InstKind::PointerDiff { a, b } => format!("{} - {}", inner(a), inner(b)),
        _ => variable(body, value).map_or_else(|| "…".to_owned(), |name| name.as_str().to_owned()),
    }
}

/// What stands at an address.
pub(crate) fn lvalue(evaluator: &Evaluator<'_>, address: ir::Value, depth: u32) -> String {
    let body = evaluator.body;
    if depth > MAX_DEPTH {
        return "…".to_owned();
    }
    match body.insts[address].kind {
        InstKind::Slot { name } | InstKind::Alloca { name, .. } => name.as_str().to_owned(),
        InstKind::Global(global) => evaluator.module.unit.globals[global].source_name.as_str().to_owned(),
        InstKind::Field { base, record, field } => {
            let types = &evaluator.module.unit.types;
            let name =
                types.layout(record).and_then(|layout| layout.fields.get(field as usize)).map(|field| field.name);
            let name = name.map_or("?", |name| name.as_str());
            let holder = match body.insts[base].kind {
                InstKind::Slot { .. } | InstKind::Global(_) | InstKind::Field { .. } | InstKind::Element { .. } => {
                    format!("{}.", lvalue(evaluator, base, depth + 1))
                }
                _ => format!("{}->", text(evaluator, base, depth + 1)),
            };
            // A member of an anonymous member belongs to the record around it.
            if name.is_empty() {
                holder.trim_end_matches(['.', '>', '-']).to_owned()
            } else {
                format!("{holder}{name}")
            }
        }
        InstKind::Element { base, index } => {
            let holder = match body.insts[base].kind {
                InstKind::Slot { .. } | InstKind::Global(_) | InstKind::Field { .. } => {
                    lvalue(evaluator, base, depth + 1)
                }
                _ => text(evaluator, base, depth + 1),
            };
            format!("{holder}[{}]", text(evaluator, index, depth + 1))
        }
        InstKind::Cast(inner) | InstKind::BitCast(inner) => lvalue(evaluator, inner, depth),
        _ => format!("*{}", text(evaluator, address, depth + 1)),
    }
}

fn variable(body: &ir::Function, value: ir::Value) -> Option<Name> {
    body.variable_names.iter().find(|entry| entry.0 == value).map(|entry| entry.1)
}

fn operator(op: ir::BinaryOp) -> &'static str {
    match op {
        ir::BinaryOp::Add => "+",
        ir::BinaryOp::Sub => "-",
        ir::BinaryOp::Mul => "*",
        ir::BinaryOp::Div => "/",
        ir::BinaryOp::Rem => "%",
        ir::BinaryOp::Shl => "<<",
        ir::BinaryOp::Shr => ">>",
        ir::BinaryOp::And => "&",
        ir::BinaryOp::Or => "|",
        ir::BinaryOp::Xor => "^",
    }
}

fn relation(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// A name and the type of what it names.
pub(crate) type Named = (String, Ty);

/// A cell of memory by name: `cur.name`, `p->next`. Heap objects are named by whoever holds them, as `holder` tells.
pub(crate) fn cell(evaluator: &Evaluator<'_>, cell: CellId, holder: &dyn Fn(Object) -> Option<Named>) -> Option<Named> {
    let info = evaluator.objects.cells[cell];
    object_member(evaluator, info.object, info.offset, holder, 0)
}

fn object_member(
    evaluator: &Evaluator<'_>,
    object: Object,
    offset: i64,
    holder: &dyn Fn(Object) -> Option<Named>,
    depth: u32,
) -> Option<Named> {
    if depth > MAX_DEPTH {
        return None;
    }
    let types = &evaluator.module.unit.types;
    match evaluator.objects.get(object).kind.clone() {
        ObjectKind::Slot(value) => {
            let InstKind::Slot { name } = evaluator.body.insts[value].kind else { return None };
            let ty = types.pointee(evaluator.body.ty(value))?;
            let (path, ty) = member(types, ty, offset)?;
            Some((format!("{name}{path}"), ty))
        }
        ObjectKind::Variable(variable) => {
            let program = evaluator.cx.program;
            let (module, global) = program.variable(variable).site;
            let unit = &program.modules[module].unit;
            let name = unit.globals[global].source_name;
            let (path, ty) = member(&unit.types, unit.globals[global].ty, offset)?;
            Some((format!("{name}{path}"), if module == evaluator.module_number { ty } else { Ty::VOID }))
        }
        ObjectKind::Pointee(symbol) => {
            let info = evaluator.objects.symbols.get(symbol.0 as usize)?;
            let (name, ty) = match info.origin {
                Origin::Param(number) => {
                    let param = *evaluator.body.params.get(number as usize)?;
                    (variable(evaluator.body, param)?.as_str().to_owned(), evaluator.body.ty(param))
                }
                Origin::Contents(inner) => {
                    let inner = evaluator.objects.cells[inner];
                    object_member(evaluator, inner.object, inner.offset, holder, depth + 1)?
                }
                _ => return None,
            };
            through(types, &name, ty, offset)
        }
        ObjectKind::Heap(_) => {
            let (name, ty) = holder(object)?;
            through(types, &name, ty, offset)
        }
        ObjectKind::Element { base, offset: start, index, .. } => {
            let (array, ty) = object_member(evaluator, base, start, holder, depth + 1)?;
            // The first element's name, without its number.
            let array = array.strip_suffix("[0]").unwrap_or(&array).to_owned();
            let array = array.strip_prefix('*').unwrap_or(&array).to_owned();
            let (path, ty) = member(types, ty, offset)?;
            let index = index_name(evaluator, index);
            Some((format!("{array}[{index}]{path}"), ty))
        }
        _ => None,
    }
}

fn index_name(evaluator: &Evaluator<'_>, index: Term) -> String {
    match evaluator.space.term(index) {
        TermKind::Extend { a } => index_name(evaluator, a),
        TermKind::Symbol(symbol) => {
            let origin = evaluator.objects.symbols.get(symbol.0 as usize).map(|info| info.origin);
            match origin {
                Some(Origin::Param(number)) => evaluator
                    .body
                    .params
                    .get(number as usize)
                    .and_then(|&param| variable(evaluator.body, param))
                    .map_or_else(|| "i".to_owned(), |name| name.as_str().to_owned()),
                _ => "i".to_owned(),
            }
        }
        _ => "i".to_owned(),
    }
}

/// `p->member` for what lies at the offset from where `p` points.
fn through(types: &TypeTable, holder: &str, ty: Ty, offset: i64) -> Option<Named> {
    let pointee = types.pointee(ty)?;
    if let Some(size) = types.size_of(pointee).filter(|&size| size > 0 && offset >= size as i64) {
        let (path, ty) = member(types, pointee, offset % size as i64)?;
        return Some((format!("{holder}[{}]{path}", offset / size as i64), ty));
    }
    let (path, ty) = member(types, pointee, offset)?;
    let name = match path.strip_prefix('.') {
        Some(rest) => format!("{holder}->{rest}"),
        None => format!("*{holder}{path}"),
    };
    Some((name, ty))
}

/// `.a.b` for an offset in a type; empty for a scalar at its start.
fn member(types: &TypeTable, ty: Ty, offset: i64) -> Option<Named> {
    if is_held_by_whole(offset) {
        return Some((String::new(), ty));
    }
    if let Some(record) = types.record_of(ty) {
        let layout = types.layout(record)?;
        let holds = |start: u64, size: u64| offset >= start as i64 && offset < (start + size.max(1)) as i64;
        let mut fields = layout.fields.iter().filter(|field| holds(field.offset, types.size_of(field.ty).unwrap_or(0)));
        // Of a union's members the one that is a pointer.
        let field = fields.clone().find(|field| types.is_pointer(field.ty)).or_else(|| fields.next())?;
        let (rest, ty) = member(types, field.ty, offset - field.offset as i64)?;
        return Some((if field.name == Name::EMPTY { rest } else { format!(".{}{rest}", field.name) }, ty));
    }
    if let Some(element) = types.element(ty) {
        let size = types.size_of(element)?.max(1) as i64;
        let (rest, ty) = member(types, element, offset % size)?;
        return Some((format!("[{}]{rest}", offset / size), ty));
    }
    Some((String::new(), ty))
}

/// The heap object a term names.
pub(crate) fn object_of(evaluator: &Evaluator<'_>, term: Term) -> Option<Object> {
    match evaluator.space.term(term) {
        TermKind::Address { object, .. } | TermKind::Inside { object } => Some(evaluator.objects.root(object)),
        TermKind::Symbol(symbol) => {
            let info = evaluator.objects.symbols.get(symbol.0 as usize)?;
            info.handle.map(|object| evaluator.objects.root(object))
        }
        TermKind::Binary { a, .. } => object_of(evaluator, a),
        TermKind::Extend { a } => object_of(evaluator, a),
        TermKind::Int(_) => None,
    }
}
