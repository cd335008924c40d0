//! Decision diagrams: the algebra of guards.
//!
//! A *node* tests an atom and has two children, one for each answer; a [`Guard`] is an edge to a node that may be
//! *complemented* (its meaning negated), so that negation is free. Walking through `a && !b`, with atoms in order:
//!
//! ```text
//! n1: b ? TRUE : FALSE          the guard `b`;  `!b` is the complemented edge to n1
//! n2: a ? n1 : TRUE             !a || b
//! a && !b                       the complemented edge to n2: a node's true child is never complemented
//! ```
//!
//! Invariants: atoms grow along every path; the two children of a node differ; the true child is not complemented; no
//! two nodes are the same. Together they make equal functions equal guards (Bryant 1986; complement edges after Brace,
//! Rudell and Bryant 1990).
//!
//! Past the limit of nodes or of work, or past `MAX_DEPTH`, the diagrams are *exhausted*: every operation returns at once with a
//! meaningless guard, and the caller throws its work away.

use crate::predicates::Atom;
use crate::table::{IndexTable, SparseMemo};

/// A condition: an edge into the decision diagrams of one space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard(u32);

impl Guard {
    pub const TRUE: Guard = Guard(0);
    pub const FALSE: Guard = Guard(1);

    pub const fn not(self) -> Guard {
        Guard(self.0 ^ 1)
    }

    pub const fn is_true(self) -> bool {
        self.0 == Guard::TRUE.0
    }

    pub const fn is_false(self) -> bool {
        self.0 == Guard::FALSE.0
    }

    pub const fn is_constant(self) -> bool {
        self.0 <= 1
    }

    pub(crate) const fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) const fn complement_if(self, condition: bool) -> Guard {
        Guard(self.0 ^ condition as u32)
    }

    /// The edge without its complement mark.
    pub(crate) const fn regular(self) -> Guard {
        Guard(self.0 & !1)
    }

    pub(crate) const fn key(self) -> u32 {
        self.0
    }

    pub(crate) const fn from_key(key: u32) -> Guard {
        Guard(key)
    }

    const fn node_index(self) -> usize {
        (self.0 >> 1) as usize
    }
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Guard::TRUE => f.write_str("true"),
            Guard::FALSE => f.write_str("false"),
            _ => write!(f, "{}g{}", if self.is_complemented() { "!" } else { "" }, self.0 >> 1),
        }
    }
}

/// Recursion follows paths, so this bounds the stack. It errs towards silence: a function with a guard over more atoms
/// than this is given up.
pub(crate) const MAX_DEPTH: u32 = 3000;

/// The atom of the constants: after all others.
const NO_ATOM: u32 = u32::MAX;

const SMALLEST_CACHE: usize = 256;
const LARGEST_CACHE: usize = 1 << 14;

#[derive(Clone, Copy)]
struct Node {
    atom: u32,
    high: Guard,
    low: Guard,
}

/// A remembered operation: `result` of the operation named by `c` on `a` and `b`, or of if-then-else on all three.
#[derive(Clone, Copy)]
struct Remembered {
    a: u32,
    b: u32,
    c: u32,
    result: Guard,
}

const NOTHING_REMEMBERED: Remembered = Remembered { a: u32::MAX, b: u32::MAX, c: u32::MAX, result: Guard::FALSE };

/// Names of operations in the cache; no guard is this large, as [`Diagrams::new`] sees to.
pub(crate) mod operation {
    pub(crate) const AND: u32 = u32::MAX - 1;
    pub(crate) const XOR: u32 = u32::MAX - 2;
    pub(crate) const DISJOINT: u32 = u32::MAX - 3;
    pub(crate) const RESTRICT: u32 = u32::MAX - 4;
    pub(crate) const ASSUME: u32 = u32::MAX - 5;
    pub(crate) const LARGEST_GUARD: u32 = u32::MAX - 16;
}

/// The nodes of one space, the table that keeps them unique, and a cache of operations.
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    unique: IndexTable,
    /// Direct-mapped and forgetful: a lost entry costs time, never correctness.
    cache: Vec<Remembered>,
    node_limit: usize,
    pub(crate) exhausted: bool,
    work: u64,
    work_limit: u64,
    pub(crate) memo: SparseMemo,
}

impl Diagrams {
    pub(crate) fn new(node_limit: usize) -> Diagrams {
        let node_limit = node_limit.min((operation::LARGEST_GUARD >> 1) as usize);
        Diagrams {
            nodes: vec![Node { atom: NO_ATOM, high: Guard::TRUE, low: Guard::TRUE }],
            unique: IndexTable::new(),
            cache: vec![NOTHING_REMEMBERED; SMALLEST_CACHE],
            node_limit,
            exhausted: false,
            work: 0,
            work_limit: u64::MAX,
            memo: SparseMemo::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.work_limit = u64::MAX;
        if self.nodes.len() == 1 {
            return; // nothing was made, so nothing is remembered either
        }
        self.nodes.truncate(1);
        self.unique.clear();
        self.cache.clear();
        self.cache.resize(SMALLEST_CACHE, NOTHING_REMEMBERED);
        self.exhausted = false;
        self.work = 0;
        self.memo.clear();
    }

    pub(crate) fn limit_work(&mut self, more: u64) {
        self.work_limit = self.work.saturating_add(more);
        self.exhausted = self.nodes.len() > self.node_limit;
    }

    /// The result of an operation that must not take more work than this.
    pub(crate) fn within_effort(&mut self, most: u64, operation: impl FnOnce(&mut Diagrams) -> Guard) -> Option<Guard> {
        if self.exhausted {
            return None;
        }
        let limit = self.work_limit;
        self.work_limit = limit.min(self.work.saturating_add(most));
        let result = operation(self);
        self.work_limit = limit;
        let is_done = !self.exhausted;
        self.exhausted = self.work > self.work_limit || self.nodes.len() > self.node_limit;
        is_done.then_some(result)
    }

    /// Operations that had to be worked out since the last clear.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The index of the topmost atom; larger than every atom for the constants.
    pub(crate) fn top(&self, g: Guard) -> u32 {
        self.nodes[g.node_index()].atom
    }

    /// Both children of a guard as functions: what is left when `atom` is true, and when it is false.
    pub(crate) fn cofactors(&self, g: Guard, atom: u32) -> (Guard, Guard) {
        let node = self.nodes[g.node_index()];
        if node.atom == atom {
            let flip = g.is_complemented();
            (node.high.complement_if(flip), node.low.complement_if(flip))
        } else {
            (g, g)
        }
    }

    pub(crate) fn node(&self, g: Guard) -> Option<(Atom, Guard, Guard)> {
        if g.is_constant() {
            return None;
        }
        let atom = self.top(g);
        let (high, low) = self.cofactors(g, atom);
        Some((Atom(atom), high, low))
    }

    /// The guard that is `high` where the atom holds and `low` where not. The atom must come before both.
    pub(crate) fn make(&mut self, atom: u32, high: Guard, low: Guard) -> Guard {
        if high == low {
            return high;
        }
        if self.exhausted {
            return Guard::FALSE;
        }
        debug_assert!(atom < self.top(high) && atom < self.top(low));
        let flip = high.is_complemented();
        let node = Node { atom, high: high.complement_if(flip), low: low.complement_if(flip) };
        let nodes = &self.nodes;
        let found = self.unique.find(hash(node.atom, node.high.0, node.low.0), |id| {
            let other = nodes[id as usize];
            other.atom == node.atom && other.high == node.high && other.low == node.low
        });
        let index = match found {
            Ok(index) => index,
            Err(vacant) => {
                if self.nodes.len() > self.node_limit {
                    self.exhausted = true;
                    return Guard::FALSE;
                }
                let index = self.nodes.len() as u32;
                self.nodes.push(node);
                let nodes = &self.nodes;
                self.unique.insert(vacant, index, |id| {
                    let other = nodes[id as usize];
                    hash(other.atom, other.high.0, other.low.0)
                });
                if self.nodes.len() > self.cache.len() && self.cache.len() < LARGEST_CACHE {
                    self.grow_cache();
                }
                index
            }
        };
        Guard(index << 1).complement_if(flip)
    }

    fn grow_cache(&mut self) {
        let len = self.cache.len() * 4;
        let outgrown = std::mem::replace(&mut self.cache, vec![NOTHING_REMEMBERED; len]);
        for entry in outgrown.into_iter().filter(|entry| entry.a != NOTHING_REMEMBERED.a) {
            let slot = self.cache_slot(entry.a, entry.b, entry.c);
            self.cache[slot] = entry;
        }
    }

    fn cache_slot(&self, a: u32, b: u32, c: u32) -> usize {
        hash(a, b, c) as usize & (self.cache.len() - 1)
    }

    pub(crate) fn recall(&self, a: u32, b: u32, c: u32) -> Option<Guard> {
        let entry = self.cache[self.cache_slot(a, b, c)];
        (entry.a == a && entry.b == b && entry.c == c).then_some(entry.result)
    }

    pub(crate) fn remember(&mut self, a: u32, b: u32, c: u32, result: Guard) {
        self.count_work();
        // What is computed after exhaustion means nothing, and must not outlive it.
        if !self.exhausted {
            let slot = self.cache_slot(a, b, c);
            self.cache[slot] = Remembered { a, b, c, result };
        }
    }

    pub(crate) fn count_work(&mut self) {
        self.work += 1;
        self.exhausted |= self.work > self.work_limit;
    }

    /// True, and then exhausted, when recursion has gone too deep.
    pub(crate) fn is_too_deep(&mut self, depth: u32) -> bool {
        self.exhausted |= depth > MAX_DEPTH;
        self.exhausted
    }

    pub(crate) fn and(&mut self, a: Guard, b: Guard) -> Guard {
        self.and_at(a, b, 0)
    }

    pub(crate) fn or(&mut self, a: Guard, b: Guard) -> Guard {
        self.and_at(a.not(), b.not(), 0).not()
    }

    pub(crate) fn and_at(&mut self, a: Guard, b: Guard, depth: u32) -> Guard {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a.is_constant() {
            return if a.is_true() { b } else { Guard::FALSE };
        }
        if a == b {
            return a;
        }
        if a == b.not() {
            return Guard::FALSE;
        }
        if let Some(result) = self.recall(a.0, b.0, operation::AND) {
            return result;
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let atom = self.top(a).min(self.top(b));
        let (a_high, a_low) = self.cofactors(a, atom);
        let (b_high, b_low) = self.cofactors(b, atom);
        let high = self.and_at(a_high, b_high, depth + 1);
        let low = self.and_at(a_low, b_low, depth + 1);
        let result = self.make(atom, high, low);
        self.remember(a.0, b.0, operation::AND, result);
        result
    }

    pub(crate) fn xor(&mut self, a: Guard, b: Guard, depth: u32) -> Guard {
        // Complements move outwards, so that all four sign combinations share one cache entry.
        let flip = a.is_complemented() != b.is_complemented();
        let (a, b) = (a.regular().min(b.regular()), a.regular().max(b.regular()));
        if a == b {
            return Guard::FALSE.complement_if(flip);
        }
        if a.is_true() {
            return b.not().complement_if(flip);
        }
        if let Some(result) = self.recall(a.0, b.0, operation::XOR) {
            return result.complement_if(flip);
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let atom = self.top(a).min(self.top(b));
        let (a_high, a_low) = self.cofactors(a, atom);
        let (b_high, b_low) = self.cofactors(b, atom);
        let high = self.xor(a_high, b_high, depth + 1);
        let low = self.xor(a_low, b_low, depth + 1);
        let result = self.make(atom, high, low);
        self.remember(a.0, b.0, operation::XOR, result);
        result.complement_if(flip)
    }

    /// If `c` then `t` else `e`.
    pub(crate) fn ite(&mut self, c: Guard, t: Guard, e: Guard, depth: u32) -> Guard {
        let (c, t, e) = if c.is_complemented() { (c.not(), e, t) } else { (c, t, e) };
        if c.is_true() || t == e {
            return t;
        }
        if t == e.not() {
            return self.xor(c, e, depth);
        }
        // A branch that is a constant, or the condition itself, leaves a conjunction or a disjunction.
        if t.is_true() || t == c {
            return self.and_at(c.not(), e.not(), depth).not();
        }
        if t.is_false() || t == c.not() {
            return self.and_at(c.not(), e, depth);
        }
        if e.is_false() || e == c {
            return self.and_at(c, t, depth);
        }
        if e.is_true() || e == c.not() {
            return self.and_at(c, t.not(), depth).not();
        }
        let flip = t.is_complemented();
        let (t, e) = (t.complement_if(flip), e.complement_if(flip));
        if let Some(result) = self.recall(c.0, t.0, e.0) {
            return result.complement_if(flip);
        }
        if self.is_too_deep(depth) {
            return Guard::FALSE;
        }
        let atom = self.top(c).min(self.top(t)).min(self.top(e));
        let (c_high, c_low) = self.cofactors(c, atom);
        let (t_high, t_low) = self.cofactors(t, atom);
        let (e_high, e_low) = self.cofactors(e, atom);
        let high = self.ite(c_high, t_high, e_high, depth + 1);
        let low = self.ite(c_low, t_low, e_low, depth + 1);
        let result = self.make(atom, high, low);
        self.remember(c.0, t.0, e.0, result);
        result.complement_if(flip)
    }
}

/// Mixes three words; the low bits are the good ones.
fn hash(a: u32, b: u32, c: u32) -> u64 {
    let mixed = (a as u64 | (b as u64) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ c as u64;
    let mixed = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ (mixed >> 32)
}
