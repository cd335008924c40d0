//! What a model says. The grammar is in [`super::parser`].
//!
//! Two rules keep models short:
//!
//! * An effect through a null pointer does not happen: `*end = inside s` says nothing about a call
//!   whose `end` is null.
//! * Effects on the result (`result->name = fresh heap`, `copies p to result`) happen only where the
//!   result is not null.
//!
//! Effects happen in the order written, with the result already made: `realloc` can copy to it
//! before it releases the old block.

use caulk_base::{Symbol, define_id};

define_id!(
    /// A resource kind, an index into [`super::Models::kinds`].
    KindId,
    "kind"
);

/// Something that must be given back: memory, a stream, a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceKind {
    pub name: Symbol,
    /// What a report calls it: "memory", "file descriptor".
    pub noun: String,
    /// Functions that give it back, the usual one first; for the advice in reports.
    pub released_by: Vec<Symbol>,
    /// `Some` if the resource is named by an integer; then the integers that name one (`>= 0` for a
    /// descriptor). Otherwise a pointer names it, and a fresh one is not null.
    pub integers: Option<(Relation, i64)>,
}

/// What a function without a body does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub name: Symbol,
    pub parameters: Vec<Symbol>,
    pub is_variadic: bool,
    /// Calls with equal arguments give equal results while the memory they read is unchanged.
    pub is_pure: bool,
    /// `setjmp` and `vfork`: one call, several returns.
    pub returns_twice: bool,
    /// The alternatives; at least one. Conditions of different cases may overlap, and a call for
    /// which none holds is one the model knows nothing about.
    pub cases: Vec<Case>,
    pub loc: ModelLoc,
}

/// Where a model was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLoc {
    pub file: Symbol,
    pub line: u32,
    pub column: u32,
}

/// One way a call can go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// All must hold for the case to be possible.
    pub when: Vec<Condition>,
    pub effects: Vec<Effect>,
    /// The value returned is one of these. Empty: no value, or one the model says nothing about.
    pub result: Vec<ValueSpec>,
    pub never_returns: bool,
}

/// `flags == 0`, `*line != null`: a value at entry against a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub path: Path,
    pub relation: Relation,
    pub constant: Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    Null,
    Int(i64),
}

impl Constant {
    /// The number compared with; null is 0.
    pub fn number(self) -> i64 {
        match self {
            Constant::Null => 0,
            Constant::Int(number) => number,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Relation {
    pub fn negated(self) -> Relation {
        match self {
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::Less => Relation::GreaterEqual,
            Relation::LessEqual => Relation::Greater,
            Relation::Greater => Relation::LessEqual,
            Relation::GreaterEqual => Relation::Less,
        }
    }

    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
            Relation::Less => left < right,
            Relation::LessEqual => left <= right,
            Relation::Greater => left > right,
            Relation::GreaterEqual => left >= right,
        }
    }
}

/// One thing a call does besides returning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `releases p heap;` The resource that the value names (or that the object holds, for a kind
    /// that is held) is given back. Releasing null does nothing.
    Release { path: Path, kind: KindId },
    /// `acquires p object;` One more share of a counted resource, to be released as well.
    Acquire { path: Path, kind: KindId },
    /// `keeps p;` The value is stored where it outlives the call: the caller no longer owes it.
    Keep { path: Path },
    /// `follows p;` The call does not come back if the pointer is null.
    Follow { path: Path },
    /// `*out = fresh heap or null;` The place gets one of these values.
    Assign { path: Path, values: Vec<ValueSpec> },
    /// `*r holds fresh regex;` An object of the caller's now contains a resource; releasing the
    /// object at that path ends it.
    Hold { path: Path, kind: KindId },
    /// `writes *buffer;` The place, and the rest of the array it starts, gets contents that are
    /// unknown but hold no pointer to anything the program owns. What the place holds, it goes on
    /// holding.
    Write { path: Path },
    /// `copies s to d, n;` Bytes from where one pointer points to where the other does, pointers
    /// among them. Without a length: all of the smaller object.
    Copy { from: Path, to: Path, length: Option<Length> },
    /// `fills d with 0, n;` Every byte where the pointer points becomes this.
    Fill { to: Path, byte: Length, length: Option<Length> },
    /// `calls compare(inside base, inside base);` Before returning, any number of times.
    Call { callee: Path, arguments: Vec<ValueSpec> },
    /// `unknown;` Nothing is known: whatever the arguments reach may be kept, written or released.
    Unknown,
}

/// A number of bytes, or a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Length {
    Int(i64),
    Value(Path),
}

/// How two strings compare: zero if they, or their first so many bytes, are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub strings: [Path; 2],
    pub most: Option<Length>,
    pub ignores_case: bool,
}

/// A value a call makes or passes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSpec {
    /// `fresh heap`, `fresh zeroed heap`: a new resource that the receiver must give back; zeroed
    /// if its memory is all zero (`calloc`), else its contents are unknown and own nothing.
    Fresh { kind: KindId, zeroed: bool },
    /// `null`
    Null,
    /// `-1`; as a pointer, what the cast gives (`MAP_FAILED`).
    Int(i64),
    /// `int`: any integer.
    AnyInt,
    /// `int >= 0`: any integer so related to this one.
    IntWhere(Relation, i64),
    /// `length`: how much there is of something in memory; a sum of a few such never overflows. `length of s`: of a
    /// string.
    Length(Option<Path>),
    /// `order of a and b, n ignoring case`
    Order(Order),
    /// `number`: a value without pointers that is no integer: floating point, or a struct of numbers.
    AnyNumber,
    /// `unknown`: any value at all, also one the arguments lead to. Owes nothing.
    Unknown,
    /// `borrowed`: a pointer, not null, to memory that the callee owns and nobody may free.
    Borrowed,
    /// `p`, `*p`: the value at this path when the call began.
    Value(Path),
    /// `inside p`: a pointer into the object to which the value at this path points; not null.
    Inside(Path),
}

/// A value or place named from outside: `p`, `*p`, `p->name`, `(*list)[*]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    pub root: Root,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The argument for this parameter.
    Parameter(u32),
    /// `...`: each of the arguments after the named ones.
    Rest,
    /// `result`: the value returned.
    Result,
}

/// One step of a path, from a value or place to the next. `p->f` is `Deref`, `Field(f)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `*p`: what the pointer points at.
    Deref,
    /// `.f`: a member of the struct there.
    Field(Symbol),
    /// `p[2]`: that element of the array where the pointer points (or of the array there).
    Index(u32),
    /// `p[*]`: each element.
    Elements,
}
