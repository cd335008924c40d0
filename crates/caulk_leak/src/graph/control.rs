//! The control-flow graph of a function, whole or projected.

use caulk_flow::{Projection, Surroundings};
use caulk_ir::cfg::Cfg;
use caulk_ir::ir::{BlockId, ENTRY, Terminator};
use caulk_ir::print::{Locations, block_lines};
use caulk_program::FunctionId;

use super::dot::{Digraph, Shape};
use super::title;

/// Ways that are named on one edge.
const MAX_WAYS: usize = 8;

/// Every block that can be reached, with all its instructions.
pub(super) fn control_flow(cx: &Surroundings<'_>, function: FunctionId, graph: &mut Digraph) {
    let (module, body) = cx.program.body(function);
    let cfg = Cfg::new(body);
    let lines = block_lines(&module.unit, body, Locations::Omit, |_| true);
    graph.cluster(Some(title(cx.program, function)));
    for block in body.blocks.ids().filter(|&block| cfg.is_reachable(block)) {
        node(graph, function, block, lines[block].clone(), &body.blocks[block].terminator);
    }
    for block in body.blocks.ids().filter(|&block| cfg.is_reachable(block)) {
        let terminator = &body.blocks[block].terminator;
        for &target in cfg.successors(block) {
            let ways = terminator.successors().enumerate().filter(|way| way.1 == target).map(|way| way.0);
            graph.edge(&id(function, block), &id(function, target), &ways_text(terminator, ways.collect()));
        }
    }
}

/// Kept blocks with what is kept of them.
pub(super) fn projection(cx: &Surroundings<'_>, function: FunctionId, graph: &mut Digraph) {
    let (module, body) = cx.program.body(function);
    let projection = Projection::of(cx, function);
    let lines = block_lines(&module.unit, body, Locations::Omit, |value| projection.insts[value]);
    let (blocks, edges) = projection.dropped();
    let (all_blocks, all_edges) = projection.original;
    let mut label = title(cx.program, function);
    label.push_str(&format!("\ndropped {blocks} of {all_blocks} blocks, {edges} of {all_edges} edges"));
    graph.cluster(Some(label));
    for block in body.blocks.ids().filter(|&block| projection.blocks[block]) {
        let terminator = &body.blocks[block].terminator;
        let mut lines = lines[block].clone();
        // A branch that decides nothing here, and a jump, go wherever the edge goes.
        let is_end = matches!(terminator, Terminator::Return(_) | Terminator::Unreachable | Terminator::None);
        if !projection.branches[block] && !is_end {
            lines.pop();
        }
        node(graph, function, block, lines, terminator);
    }
    let mut rest = projection.edges.as_slice();
    while let Some(&first) = rest.first() {
        let own = rest.iter().take_while(|edge| edge.from == first.from).count();
        let (own, later) = rest.split_at(own);
        rest = later;
        let mut targets: Vec<BlockId> = own.iter().map(|edge| edge.to).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let ways = own.iter().filter(|edge| edge.to == target).filter_map(|edge| edge.way).collect();
            let text = ways_text(&body.blocks[first.from].terminator, ways);
            graph.edge(&id(function, first.from), &id(function, target), &text);
        }
    }
}

fn id(function: FunctionId, block: BlockId) -> String {
    format!("{function}.{block}")
}

fn node(graph: &mut Digraph, function: FunctionId, block: BlockId, mut lines: Vec<String>, terminator: &Terminator) {
    let (mark, shape) = match terminator {
        Terminator::Return(_) if block == ENTRY => (" entry, return", Shape::End),
        _ if block == ENTRY => (" entry", Shape::Start),
        Terminator::Return(_) => (" return", Shape::End),
        _ => ("", Shape::Plain),
    };
    lines.insert(0, format!("{block}:{mark}"));
    graph.node(&id(function, block), &lines, shape);
}

/// When control goes these ways; empty if there is no question.
fn ways_text(terminator: &Terminator, ways: Vec<usize>) -> String {
    let total = terminator.successors().count();
    if total < 2 || ways.len() == total {
        return String::new();
    }
    let mut texts: Vec<String> = ways.iter().take(MAX_WAYS).map(|&way| way_text(terminator, way)).collect();
    if ways.len() > MAX_WAYS {
        texts.push("…".to_owned());
    }
    texts.join(", ")
}

fn way_text(terminator: &Terminator, way: usize) -> String {
    match terminator {
        Terminator::Branch { .. } => if way == 0 { "true" } else { "false" }.to_owned(),
        Terminator::Switch(switch) => match way.checked_sub(1).and_then(|case| switch.cases.get(case)) {
            None => "default".to_owned(),
            Some(case) if case.low == case.high => case.low.to_string(),
            Some(case) => format!("{}..{}", case.low, case.high),
        },
        Terminator::Indirect { .. } | Terminator::AsmGoto { .. } => format!("#{way}"),
        Terminator::None | Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => String::new(),
    }
}
