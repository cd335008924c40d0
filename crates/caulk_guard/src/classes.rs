//! Equality with offsets: a union-find over the terms of a component.
//!
//! Every node is its parent plus an offset, modulo the width. An *anchor* is what a root may be known to be: zero, or
//! the base of an object; joining two different anchors is a conflict, as is giving one node two offsets:
//!
//! ```text
//! p == &a + 4      p is the anchor of a, plus 4
//! p == q           q too
//! q == 0           the anchors of a and zero would join: conflict
//! ```
//!
//! Invariant: nodes under one root have one kind, and their offsets from it are consequences of what was joined.

use crate::kind::Kind;
use crate::terms::Object;
use crate::theory::Conflict;

/// A number with an identity of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Zero,
    Object(Object),
}

#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    parent: usize,
    /// This node minus its parent.
    offset: u64,
    /// At a root: the anchor that some node of the class is, or points into.
    anchor: Option<Anchor>,
    cell: usize,
    is_first_of_cell: bool,
}

pub(crate) struct Classes {
    /// Terms, in the component's order.
    nodes: Vec<Node>,
    /// The nodes that stand for the anchors themselves, behind all terms.
    anchors: Vec<(Anchor, Kind, usize)>,
    /// The root and the offset of each cell.
    cells: Vec<(usize, u64)>,
}

impl Classes {
    pub(crate) fn new() -> Classes {
        Classes { nodes: Vec::new(), anchors: Vec::new(), cells: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.anchors.clear();
        self.cells.clear();
    }

    pub(crate) fn push(&mut self, kind: Kind, anchor: Option<Anchor>) -> usize {
        let parent = self.nodes.len();
        self.nodes.push(Node { kind, parent, offset: 0, anchor, cell: usize::MAX, is_first_of_cell: false });
        parent
    }

    /// The root of a node and the node's offset from it.
    fn find(&self, mut at: usize) -> (usize, u64) {
        let mut offset = 0u64;
        while self.nodes[at].parent != at {
            offset = offset.wrapping_add(self.nodes[at].offset);
            at = self.nodes[at].parent;
        }
        (at, offset & self.nodes[at].kind.mask())
    }

    /// Makes `a` be `b + offset`; tells whether that was new.
    pub(crate) fn join(&mut self, a: usize, b: usize, offset: u64) -> Result<bool, Conflict> {
        let ((left, from_left), (right, from_right)) = (self.find(a), self.find(b));
        // left + from_left == right + from_right + offset
        let between = from_right.wrapping_add(offset).wrapping_sub(from_left) & self.nodes[left].kind.mask();
        if left == right {
            return if between == 0 { Ok(false) } else { Err(Conflict) };
        }
        let anchor = match (self.nodes[left].anchor, self.nodes[right].anchor) {
            (Some(one), Some(other)) if one != other => return Err(Conflict),
            (one, other) => one.or(other),
        };
        self.nodes[left].parent = right;
        self.nodes[left].offset = between;
        self.nodes[right].anchor = anchor;
        Ok(true)
    }

    pub(crate) fn join_anchor(&mut self, at: usize, anchor: Anchor, offset: u64) -> Result<bool, Conflict> {
        let kind = self.nodes[at].kind;
        let known = self.anchors.iter().find(|&&(other, other_kind, _)| other == anchor && other_kind == kind);
        let node = match known {
            Some(&(_, _, node)) => node,
            None => {
                let node = self.push(kind, Some(anchor));
                self.anchors.push((anchor, kind, node));
                node
            }
        };
        self.join(at, node, offset)
    }

    /// Whether two nodes of one kind are the same number.
    pub(crate) fn are_equal(&self, a: usize, b: usize) -> bool {
        self.find(a) == self.find(b)
    }

    /// How much `a` is above `b`, modulo the width, if that is known.
    pub(crate) fn distance(&self, a: usize, b: usize) -> Option<u64> {
        let ((left, from_left), (right, from_right)) = (self.find(a), self.find(b));
        (left == right).then(|| from_left.wrapping_sub(from_right) & self.nodes[left].kind.mask())
    }

    pub(crate) fn have_one_root(&self, a: usize, b: usize) -> bool {
        self.find(a).0 == self.find(b).0
    }

    /// Gives every group of equal terms a cell, counted from 0; returns how many there are.
    pub(crate) fn number_cells(&mut self) -> usize {
        for at in 0..self.nodes.len() - self.anchors.len() {
            let found = self.find(at);
            let cell = self.cells.iter().position(|&other| other == found).unwrap_or_else(|| {
                self.nodes[at].is_first_of_cell = true;
                self.cells.push(found);
                self.cells.len() - 1
            });
            self.nodes[at].cell = cell;
        }
        self.cells.len()
    }

    pub(crate) fn cell(&self, at: usize) -> usize {
        self.nodes[at].cell
    }

    pub(crate) fn is_first_of_cell(&self, at: usize) -> bool {
        self.nodes[at].is_first_of_cell
    }

    /// The anchor a node hangs on at a known offset.
    pub(crate) fn anchored(&self, at: usize) -> Option<(Anchor, u64)> {
        let (root, offset) = self.find(at);
        self.anchors.iter().find_map(|&(anchor, kind, node)| {
            let (anchor_root, anchor_offset) = self.find(node);
            (anchor_root == root).then(|| (anchor, offset.wrapping_sub(anchor_offset) & kind.mask()))
        })
    }

    /// The first cell under the same root, if it is another one, and how far this node lies from it.
    pub(crate) fn sibling(&self, at: usize) -> Option<(usize, u64)> {
        let (root, offset) = self.find(at);
        let first = self.cells.iter().position(|&(other, _)| other == root)?;
        let distance = offset.wrapping_sub(self.cells[first].1) & self.nodes[at].kind.mask();
        (first != self.nodes[at].cell).then_some((first, distance))
    }
}
