//! How memory travels through all functions: SABER's value-flow graph.

use caulk_flow::Models;
use caulk_flow::callee;
use caulk_flow::value_flow::{Label, Node, NodeId, Object, ValueFlow};
use caulk_ir::ir::{InstKind, Value};
use caulk_program::{FunctionId, Program, Target};

use super::dot::{Digraph, Shape};
use super::{line, name, title};

pub(super) fn draw(program: &Program, models: &Models) -> String {
    let flow = ValueFlow::of(program, models);
    let mut graph = Digraph::new("flow");
    let mut nodes: Vec<(Option<FunctionId>, NodeId)> =
        flow.nodes.iter_enumerated().map(|(id, node)| (node.function(), id)).collect();
    nodes.sort_unstable();
    let mut current = None;
    if flow.is_cut {
        graph.cluster(Some("too large: some edges are missing".to_owned()));
    }
    for (function, id) in nodes {
        if current != Some(function) {
            graph.cluster(function.map(|function| title(program, function)));
            current = Some(function);
        }
        let is_source = flow.sources.binary_search(&id).is_ok();
        let (text, shape) = describe(program, flow.nodes[id], is_source);
        graph.node(&id.to_string(), &[text], shape);
    }
    for edge in &flow.edges {
        let label = match edge.label {
            Label::Copy => String::new(),
            Label::Open(caller, call, callee) => format!("({}", site(program, caller, call, callee)),
            Label::Close(caller, call, callee) => format!("){}", site(program, caller, call, callee)),
        };
        graph.edge(&edge.from.to_string(), &edge.to.to_string(), &label);
    }
    graph.print()
}

fn site(program: &Program, caller: FunctionId, call: Value, callee: FunctionId) -> String {
    format!("{}:{}", name(program, callee), inst_line(program, caller, call))
}

fn inst_line(program: &Program, function: FunctionId, inst: Value) -> u32 {
    line(program, function, program.body(function).1.insts[inst].loc)
}

fn describe(program: &Program, node: Node, is_source: bool) -> (String, Shape) {
    match node {
        Node::Value(function, value) if is_source => {
            let variable = variable(program, function, value).map(|name| format!("{name} = ")).unwrap_or_default();
            let at = inst_line(program, function, value);
            (format!("{variable}{}() line {at}", called(program, function, value)), Shape::Start)
        }
        Node::Fresh(function, call) => {
            let at = inst_line(program, function, call);
            (format!("{}() line {at}", called(program, function, call)), Shape::Start)
        }
        Node::Value(function, value) => (value_text(program, function, value), Shape::Plain),
        Node::Cell(function, object, offset) => {
            let shape = if function.is_none() { Shape::Shared } else { Shape::Cell };
            (cell_text(program, object, offset), shape)
        }
        Node::Result(function) => (format!("result of {}", name(program, function)), Shape::Plain),
        Node::Release(function, call) => {
            (format!("{}() line {}", called(program, function, call), inst_line(program, function, call)), Shape::End)
        }
        Node::Escape(function, inst) => {
            let at = inst_line(program, function, inst);
            (format!("escapes: {}() line {at}", called(program, function, inst)), Shape::End)
        }
    }
}

fn value_text(program: &Program, function: FunctionId, value: Value) -> String {
    if let Some(name) = variable(program, function, value) {
        return name.to_owned();
    }
    let (module, body) = program.body(function);
    let at = inst_line(program, function, value);
    match body.insts[value].kind {
        InstKind::Param(number) => format!("argument {number}"),
        InstKind::Call { .. } => format!("{}() line {at}", called(program, function, value)),
        InstKind::Field { record, field, .. } => {
            let layout = module.unit.types.layout(record).and_then(|layout| layout.fields.get(field as usize));
            format!("&…{} line {at}", layout.map_or("?", |field| field.name.as_str()))
        }
        InstKind::Load { .. } => format!("load line {at}"),
        InstKind::Global(global) => format!("&{}", module.unit.globals[global].source_name),
        _ => format!("{value} line {at}"),
    }
}

fn variable(program: &Program, function: FunctionId, value: Value) -> Option<&'static str> {
    let (_, body) = program.body(function);
    // A conversion is the same node, and may be what the variable holds.
    let is_same = |mut other: Value| loop {
        match body.insts[other].kind {
            _ if other == value => return true,
            InstKind::Cast(inner) | InstKind::BitCast(inner) => other = inner,
            _ => return false,
        }
    };
    body.variable_names.iter().find(|entry| is_same(entry.0)).map(|entry| entry.1.as_str())
}

/// Who is called by an instruction.
fn called(program: &Program, function: FunctionId, inst: Value) -> String {
    match callee::targets(program, function, inst).as_deref() {
        Some(&[Target::Function(callee)]) => name(program, callee).to_owned(),
        Some(&[Target::External(name)]) => name.as_str().to_owned(),
        Some([_, ..]) => "one of several".to_owned(),
        Some([]) | None => match program.body(function).1.insts[inst].kind {
            InstKind::Call { .. } => "a pointer".to_owned(),
            InstKind::Asm { .. } => "asm".to_owned(),
            _ => "something".to_owned(),
        },
    }
}

/// `name.member`, `malloc:12 + 8`
fn cell_text(program: &Program, object: Object, offset: i64) -> String {
    let shifted = |name: String| if offset == 0 { name } else { format!("{name} + {offset}") };
    match object {
        Object::Heap(function, call) => {
            shifted(format!("memory of {}:{}", called(program, function, call), inst_line(program, function, call)))
        }
        Object::Slot(function, slot) => {
            let (_, body) = program.body(function);
            let name = match body.insts[slot].kind {
                InstKind::Slot { name } | InstKind::Alloca { name, .. } => name.as_str(),
                _ => "",
            };
            shifted(if name.is_empty() { slot.to_string() } else { name.to_owned() })
        }
        Object::Variable(variable) => shifted(program.variable(variable).source_name.as_str().to_owned()),
    }
}
