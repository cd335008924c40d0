//! Terms: the numbers that guards talk about, interned and folded.
//!
//! A *symbol* is any value; an *address* is a place at a known offset in an object, *inside* a place at an unknown one.
//! For `buf` an object and `n` a symbol:
//!
//! ```text
//! buf + 4            Address { buf, 4 }
//! (buf + n) + 4      Inside { buf }: never null, different from every other object's addresses
//! (buf + n) - buf    n
//! (n + 1) + 2        n + 3
//! (n & 7) & 3        n & 3
//! ```
//!
//! An inside that was computed remembers how: `buf + n` twice is one term, and equals itself, while `buf + n` and
//! `buf + m` are two. Only the one made by [`Space::inside`](crate::Space::inside) is *vague*: two occurrences may be
//! different places.
//!
//! Invariants: equal terms have equal ids; operands have smaller ids than what is made of them; constants stand on the
//! right of commutative operations; the folding keeps the value at wrap-around arithmetic (undefined results — division
//! by zero, shifting by the width or more — are fresh symbols).

use std::hash::{Hash, Hasher};

use caulk_base::define_id;
use rustc_hash::FxHasher;

use crate::domain::Domain;
use crate::kind::{Kind, Op};
use crate::table::IndexTable;

define_id!(
    /// An interned number.
    Term, "t");
define_id!(
    /// Something that may have any value of its kind.
    Symbol, "s");
define_id!(
    /// A piece of memory with an address of its own.
    Object, "o");

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TermKind {
    /// Wrapped to the kind and extended by its signedness; for 64 unsigned bits, the pattern.
    Int(i64),
    /// Any value.
    Symbol(Symbol),
    /// Never 0; different objects never equal, whatever the offsets.
    Address { object: Object, offset: i64 },
    /// Somewhere inside the object: never 0, not equal to other objects' addresses.
    Inside { object: Object },
    /// At the term's kind, with wrap-around.
    Binary { op: Op, a: Term, b: Term },
    /// The conversion of `a` to this term's kind: truncated, or extended by the signedness of `a`.
    Extend { a: Term },
}

/// Integers below this, and as far below zero, are never addresses: null, error codes, tags in low bits.
pub(crate) const LOWEST_ADDRESS: i128 = 4096;

#[derive(Clone, Copy)]
struct Entry {
    /// How the term was made, and its key in the table: unlike [`TermKind`] as shown, an inside keeps its operation.
    made: TermKind,
    kind: Kind,
    pointer: Option<Pointer>,
    domain: Domain,
}

/// That a term points into an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pointer {
    pub(crate) object: Object,
    /// Still an address, hence not null. Not so after shifts and divisions, which keep the object reachable but may
    /// give any number.
    pub(crate) is_address: bool,
}

pub(crate) struct Terms {
    entries: Vec<Entry>,
    table: IndexTable,
    symbols: u32,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms { entries: Vec::new(), table: IndexTable::new(), symbols: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.table.clear();
        self.symbols = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn symbol_count(&self) -> u32 {
        self.symbols
    }

    pub(crate) fn kind(&self, t: Term) -> Kind {
        self.entries[t.0 as usize].kind
    }

    /// The term as the caller sees it.
    pub(crate) fn term(&self, t: Term) -> TermKind {
        let entry = &self.entries[t.0 as usize];
        match (entry.made, entry.pointer) {
            (TermKind::Binary { .. } | TermKind::Extend { .. }, Some(Pointer { object, .. })) => {
                TermKind::Inside { object }
            }
            (made, _) => made,
        }
    }

    /// How the term was computed.
    pub(crate) fn made(&self, t: Term) -> TermKind {
        self.entries[t.0 as usize].made
    }

    pub(crate) fn pointer(&self, t: Term) -> Option<Pointer> {
        self.entries[t.0 as usize].pointer
    }

    /// The object a term is an address in, if it is still an address.
    pub(crate) fn address_object(&self, t: Term) -> Option<Object> {
        self.pointer(t).filter(|pointer| pointer.is_address).map(|pointer| pointer.object)
    }

    /// Whether two occurrences of the term may be two values.
    pub(crate) fn is_vague(&self, t: Term) -> bool {
        matches!(self.made(t), TermKind::Inside { .. })
    }

    /// What is known of the term whatever the symbols are.
    pub(crate) fn domain(&self, t: Term) -> &Domain {
        &self.entries[t.0 as usize].domain
    }

    pub(crate) fn as_int(&self, t: Term) -> Option<i128> {
        match self.made(t) {
            TermKind::Int(value) => Some(self.kind(t).number(value as u64)),
            _ => None,
        }
    }

    /// `(x, c)` for a term that is `x + c`, `(t, 0)` for others.
    pub(crate) fn split_offset(&self, t: Term) -> (Term, i128) {
        if let TermKind::Binary { op: Op::Add, a, b } = self.made(t)
            && let Some(offset) = self.as_int(b)
        {
            return (a, offset);
        }
        (t, 0)
    }

    pub(crate) fn symbol(&mut self, kind: Kind) -> Term {
        let symbol = Symbol(self.symbols);
        self.symbols += 1;
        self.intern(TermKind::Symbol(symbol), kind, None, Domain::full(kind))
    }

    pub(crate) fn int(&mut self, value: i128, kind: Kind) -> Term {
        let number = kind.wrap(value);
        self.intern(TermKind::Int(number as i64), kind, None, Domain::constant(kind, number))
    }

    pub(crate) fn address(&mut self, object: Object, offset: i64, kind: Kind) -> Term {
        let offset = Kind::signed(kind.bits).wrap(offset as i128) as i64;
        let pointer = Some(Pointer { object, is_address: true });
        self.intern(TermKind::Address { object, offset }, kind, pointer, Domain::full(kind))
    }

    pub(crate) fn inside(&mut self, object: Object, kind: Kind) -> Term {
        let pointer = Some(Pointer { object, is_address: true });
        self.intern(TermKind::Inside { object }, kind, pointer, Domain::full(kind))
    }

    pub(crate) fn extend(&mut self, a: Term, kind: Kind) -> Term {
        let from = self.kind(a);
        if from == kind {
            return a;
        }
        match self.made(a) {
            TermKind::Int(_) => {
                let number = self.domain(a).low;
                return self.int(number, kind);
            }
            TermKind::Address { object, offset } if kind.bits >= from.bits => {
                return self.address(object, offset, kind);
            }
            TermKind::Inside { object } if kind.bits >= from.bits => return self.inside(object, kind),
            TermKind::Inside { .. } => return self.symbol(kind),
            TermKind::Extend { a: inner } => {
                let inner_kind = self.kind(inner);
                // The middle kind does not matter if only bits it has are asked for, or if it keeps every number.
                let middle_keeps_numbers = from.bits > inner_kind.bits && (from.signed || !inner_kind.signed);
                if kind.bits <= from.bits || middle_keeps_numbers {
                    return self.extend(inner, kind);
                }
            }
            _ => {}
        }
        // A narrowed address is no address any more, but at 32 bits may still be what keeps the object reachable.
        let pointer = self.pointer(a).filter(|_| kind.bits >= from.bits.min(32));
        let pointer = pointer.map(|p| Pointer { is_address: p.is_address && kind.bits >= from.bits, ..p });
        let domain = Domain::of_extend(from, kind, self.domain(a));
        self.intern(TermKind::Extend { a }, kind, pointer, domain)
    }

    pub(crate) fn binary(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Term {
        let mut a = self.extend(a, kind);
        let mut b = if op.is_shift() { b } else { self.extend(b, kind) };
        if op.is_commutative() && (self.as_int(a).is_some(), a) > (self.as_int(b).is_some(), b) {
            std::mem::swap(&mut a, &mut b);
        }
        if let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) {
            return match op.apply(kind, x, y) {
                Some(number) => self.int(number, kind),
                None => self.symbol(kind),
            };
        }
        if let Some(folded) = self.fold(op, a, b, kind) {
            return folded;
        }
        self.plain_binary(op, a, b, kind)
    }

    /// The operation as it is, on operands of the kind.
    pub(crate) fn plain_binary(&mut self, op: Op, a: Term, b: Term, kind: Kind) -> Term {
        let pointer = self.pointer_of_result(op, a, b);
        if self.is_vague(a) || self.is_vague(b) {
            // The operands' identity says nothing, so neither may the result's.
            return match pointer {
                Some(pointer) => self.inside(pointer.object, kind),
                None => self.symbol(kind),
            };
        }
        let domain = Domain::of_binary(op, kind, self.domain(a), self.domain(b));
        self.intern(TermKind::Binary { op, a, b }, kind, pointer, domain)
    }

    fn pointer_of_result(&self, op: Op, a: Term, b: Term) -> Option<Pointer> {
        let (base, other, base_is_left) = match (self.pointer(a), self.pointer(b)) {
            (None, None) => return None,
            // A difference of addresses is a plain number.
            (Some(_), Some(_)) if op == Op::Sub => return None,
            (Some(_), Some(_)) => return self.pointer(a).map(|p| Pointer { is_address: false, ..p }),
            (Some(pointer), None) => (pointer, b, true),
            (None, Some(pointer)) => (pointer, a, false),
        };
        let constant = self.as_int(other);
        let is_tag = constant.is_some_and(|c| (0..LOWEST_ADDRESS).contains(&c));
        let is_address = match op {
            Op::Add => true,
            Op::Sub => base_is_left,
            // Only the low bits are left: the tag, not the pointer.
            Op::And if is_tag => return None,
            Op::And => constant.is_some_and(|c| keeps_most_bits(self.kind(a), c)),
            Op::Or | Op::Xor => is_tag,
            Op::Mul | Op::Div | Op::Rem | Op::Shl | Op::Shr => false,
        };
        Some(Pointer { is_address: is_address && base.is_address, ..base })
    }

    fn intern(&mut self, made: TermKind, kind: Kind, pointer: Option<Pointer>, mut domain: Domain) -> Term {
        let entries = &self.entries;
        let found = self.table.find(hash(made, kind), |id| {
            let other = &entries[id as usize];
            other.made == made && other.kind == kind
        });
        match found {
            Ok(id) => Term(id),
            Err(vacant) => {
                let id = self.entries.len() as u32;
                if pointer.is_some_and(|pointer| pointer.is_address) {
                    let before = domain;
                    domain.meet(kind, &address_domain(kind));
                    // A tag can push a pointer out of where we think addresses are: then believe the arithmetic.
                    if domain.is_empty() {
                        domain = before;
                    }
                }
                self.entries.push(Entry { made, kind, pointer, domain });
                let entries = &self.entries;
                self.table.insert(vacant, id, |id| hash(entries[id as usize].made, entries[id as usize].kind));
                Term(id)
            }
        }
    }
}

/// Addresses keep clear of both ends of memory, where null and the error codes are; as a signed number an address may
/// be negative.
fn address_domain(kind: Kind) -> Domain {
    if kind.signed || kind.bits < 32 {
        Domain::full(kind)
    } else {
        Domain::interval(kind, LOWEST_ADDRESS, kind.max() - LOWEST_ADDRESS)
    }
}

/// Whether a mask takes a tag off a pointer, rather than looking at a part of it.
fn keeps_most_bits(kind: Kind, mask: i128) -> bool {
    kind.pattern(mask).count_ones() >= kind.bits as u32 / 2
}

fn hash(made: TermKind, kind: Kind) -> u64 {
    let mut hasher = FxHasher::default();
    made.hash(&mut hasher);
    kind.hash(&mut hasher);
    hasher.finish()
}
