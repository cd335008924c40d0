//! Sets of what pointers hold, grown along edges until nothing is new.
//!
//! - *item*: the address of a function or of a cell.
//! - *node*: something that holds pointers: a value of a function, the content of a cell, a function's result.
//! - *edge*: what one node holds, the other holds too.
//! - *use*: an edge that depends on items not yet known: a load or store behind a pointer, a call through one.
//!
//! A node is made when something asks for it; [`constraints`](super::constraints) then says where what it holds comes
//! from, and asks for those nodes in turn. So only what can reach a call through a pointer is ever looked at.
//!
//! ```c
//! static int twice(int x) { return 2 * x; }
//! static int apply(int (*f)(int), int x) { return f(x); }     // asks: f; so: the first argument of apply's callers
//! int main(void) { return apply(twice, 4); }                  // holds {twice}
//! ```
//!
//! Invariant: when [`Solver::run`] returns, every edge's end holds what its start holds. Items travel once over each
//! edge (difference propagation; Pearce, Kelly and Hankin).

use caulk_base::{Symbol, define_id};
use caulk_ir::ir::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::index::{Index, Site};
use super::places::{Cell, Cx};
use super::records::Records;
use crate::program::FunctionId;

/// A node that holds more holds [`Item::TooMany`] instead, and so does all that it flows into: such calls stay
/// unresolved, which may cost findings.
const MAX_ITEMS: usize = 256;

/// The number of [`Item::TooMany`].
const TOO_MANY: u32 = 0;

define_id!(NodeId, "n");
define_id!(CellId, "c");

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    TooMany,
    Function(FunctionId),
    External(Symbol),
    Address(CellId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NodeKey {
    Value(FunctionId, Value),
    Content(CellId),
    Result(FunctionId),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// What this points to is loaded into a node.
    Load(NodeId),
    /// A value is stored where this points.
    Store(FunctionId, Value),
    /// This is called.
    Callee(FunctionId, Value),
}

#[derive(Debug, Default)]
struct Node {
    /// Numbers of items, sorted.
    items: SmallVec<[u32; 4]>,
    /// Those of them that have not gone over the edges.
    fresh: SmallVec<[u32; 4]>,
    edges: SmallVec<[NodeId; 2]>,
    uses: Vec<Use>,
    is_waiting: bool,
}

#[derive(Debug, Default)]
pub(super) struct CellData {
    pub(super) content: Option<NodeId>,
    /// Values stored here through pointers.
    pub(super) stores: Vec<Site>,
}

pub(super) struct Solver<'a> {
    pub(super) cx: Cx<'a>,
    pub(super) records: Records,
    pub(super) index: Index,
    nodes: Vec<Node>,
    node_keys: Vec<NodeKey>,
    node_numbers: FxHashMap<NodeKey, NodeId>,
    items: Vec<Item>,
    item_numbers: FxHashMap<Item, u32>,
    cells: Vec<Cell>,
    cell_numbers: FxHashMap<Cell, CellId>,
    pub(super) cell_data: Vec<CellData>,
    /// By function: calls through pointers that reach it.
    pub(super) calls_through_pointers: Vec<Vec<Site>>,
    /// Made and not yet asked where they get theirs from.
    unconstrained: Vec<NodeId>,
    /// With fresh items.
    waiting: Vec<NodeId>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(cx: Cx<'a>) -> Solver<'a> {
        let mut records = Records::new(cx.modules);
        let index = Index::new(cx, &mut records);
        let mut solver = Solver {
            cx,
            records,
            index,
            nodes: Vec::new(),
            node_keys: Vec::new(),
            node_numbers: FxHashMap::default(),
            items: Vec::new(),
            item_numbers: FxHashMap::default(),
            cells: Vec::new(),
            cell_numbers: FxHashMap::default(),
            cell_data: Vec::new(),
            calls_through_pointers: vec![Vec::new(); cx.linked.functions.len()],
            unconstrained: Vec::new(),
            waiting: Vec::new(),
        };
        solver.item(Item::TooMany);
        solver
    }

    /// To the fixpoint.
    pub(super) fn run(&mut self) {
        loop {
            while let Some(node) = self.unconstrained.pop() {
                self.constrain(node, self.node_keys[node.0 as usize]);
            }
            let Some(node) = self.waiting.pop() else { break };
            self.propagate(node);
        }
    }

    fn propagate(&mut self, node: NodeId) {
        let data = &mut self.nodes[node.0 as usize];
        data.is_waiting = false;
        let fresh = std::mem::take(&mut data.fresh);
        let edges = std::mem::take(&mut data.edges);
        for &to in &edges {
            self.add_items(to, &fresh);
        }
        // A use may lead back here and add more; those see all items when they are added.
        let mut uses = std::mem::take(&mut self.nodes[node.0 as usize].uses);
        for &item in &fresh {
            for &it in &uses {
                self.apply(it, self.items[item as usize]);
            }
        }
        let data = &mut self.nodes[node.0 as usize];
        uses.append(&mut data.uses);
        data.uses = uses;
        let mut edges = edges;
        edges.extend(data.edges.drain(..));
        data.edges = edges;
    }

    fn add_items(&mut self, node: NodeId, items: &[u32]) {
        let data = &mut self.nodes[node.0 as usize];
        if data.items.first() == Some(&TOO_MANY) {
            return;
        }
        for &item in items {
            let Err(at) = data.items.binary_search(&item) else { continue };
            if item == TOO_MANY || data.items.len() >= MAX_ITEMS {
                data.items = SmallVec::from_slice(&[TOO_MANY]);
                data.fresh = SmallVec::from_slice(&[TOO_MANY]);
                break;
            }
            data.items.insert(at, item);
            data.fresh.push(item);
        }
        if !data.fresh.is_empty() && !data.is_waiting {
            data.is_waiting = true;
            self.waiting.push(node);
        }
    }

    // ---- what constraints are made of --------------------------------------------------------------------

    pub(super) fn node(&mut self, key: NodeKey) -> NodeId {
        if let Some(&known) = self.node_numbers.get(&key) {
            return known;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node::default());
        self.node_keys.push(key);
        self.node_numbers.insert(key, id);
        if let NodeKey::Content(cell) = key {
            self.cell_data[cell.0 as usize].content = Some(id);
        }
        self.unconstrained.push(id);
        id
    }

    /// The node, if something asked for it.
    pub(super) fn known_node(&self, key: NodeKey) -> Option<NodeId> {
        self.node_numbers.get(&key).copied()
    }

    pub(super) fn content(&mut self, cell: Cell) -> NodeId {
        let cell = self.cell(cell);
        self.node(NodeKey::Content(cell))
    }

    pub(super) fn cell(&mut self, cell: Cell) -> CellId {
        if let Some(&known) = self.cell_numbers.get(&cell) {
            return known;
        }
        let id = CellId(self.cells.len() as u32);
        self.cells.push(cell);
        self.cell_data.push(CellData::default());
        self.cell_numbers.insert(cell, id);
        id
    }

    /// The cell, if something asked for it.
    pub(super) fn known_cell(&self, cell: Cell) -> Option<CellId> {
        self.cell_numbers.get(&cell).copied()
    }

    pub(super) fn cell_of(&self, id: CellId) -> Cell {
        self.cells[id.0 as usize]
    }

    fn item(&mut self, item: Item) -> u32 {
        let next = self.items.len() as u32;
        let number = *self.item_numbers.entry(item).or_insert(next);
        if number == next {
            self.items.push(item);
        }
        number
    }

    pub(super) fn add_item(&mut self, node: NodeId, item: Item) {
        let number = self.item(item);
        self.add_items(node, &[number]);
    }

    pub(super) fn add_edge(&mut self, from: NodeId, to: NodeId) {
        if from == to {
            return;
        }
        let data = &mut self.nodes[from.0 as usize];
        data.edges.push(to);
        if !data.items.is_empty() {
            let items = data.items.clone();
            self.add_items(to, &items);
        }
    }

    /// An edge from a value of a function.
    pub(super) fn flow_from(&mut self, function: FunctionId, value: Value, to: NodeId) {
        let from = self.node(NodeKey::Value(function, value));
        self.add_edge(from, to);
    }

    pub(super) fn add_use(&mut self, node: NodeId, new: Use) {
        for item in self.items_of(node).collect::<Vec<_>>() {
            self.apply(new, item);
        }
        self.nodes[node.0 as usize].uses.push(new);
    }

    pub(super) fn items_of(&self, node: NodeId) -> impl Iterator<Item = Item> {
        self.nodes[node.0 as usize].items.iter().map(|&item| self.items[item as usize])
    }
}
