//! What a function does, as its callers see it.
//!
//! A summary is a small guard space of its own, frozen: terms over the arguments and what memory
//! held at entry, atoms over these terms, guards as decision diagrams over the atoms. All effects share
//! it, so their correlations survive:
//!
//! ```c
//! int make(char **out) {             // c is a choice, fresh for each call
//!     *out = malloc(8);              // *out = { c: fresh, not c: null }
//!     if (!*out) return -1;          // result = { c: 0, not c: -1 }
//!     return 0;
//! }
//! ```
//!
//! A call maps the parameters to the arguments, entry contents to what the caller's memory holds, choices to
//! new atoms, and replays the effects. Atoms over things no caller can see are gone: whatever distinctions they
//! made between the effects are told by as few choices as can tell them.
//!
//! This covers the behaviours of Xu and Zhang's summary table with their conditions, Saturn's allocator
//! flag and escape set, and Heapcheck's alias categories.

use caulk_base::{Loc, Symbol as Name};
use caulk_guard::{Kind, Op};
use caulk_program::{Target, VariableId};

use crate::evaluate::View;
use crate::model::KindId;

/// A guard of the summary: 0 is false, 1 true, else the number of a node plus one, doubled, odd if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct When(pub u32);

impl When {
    pub const NEVER: When = When(0);
    pub const ALWAYS: When = When(1);
}

/// Number of a term of the summary.
pub type TermNumber = u32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Operands before the terms made of them.
    pub terms: Vec<(FrozenTerm, Kind)>,
    pub atoms: Vec<FrozenAtom>,
    /// Atom, guard if it holds, guard if not; children first.
    pub nodes: Vec<(u32, When, When)>,
    /// What is handed to the caller.
    pub objects: Vec<FrozenObject>,
    /// When the function comes back.
    pub returns: Option<When>,
    pub result: Option<FrozenValue>,
    pub writes: Vec<Write>,
    pub releases: Vec<FrozenRelease>,
    /// Values that something out of sight may keep.
    pub keeps: Vec<(TermNumber, When)>,
    /// Pointers to memory whose contents are unknown afterwards.
    pub clobbers: Vec<TermNumber>,
    pub copies: Vec<FrozenCopy>,
    pub calls: Vec<FrozenCall>,
    /// Pointers that are followed on every way that comes back: parameters, and some of what these lead to.
    pub follows: Vec<TermNumber>,
    /// Named parameters; what is passed after them is variable.
    pub parameters: usize,
    /// Pointers among the variable arguments may be kept or released.
    pub takes_variable_arguments: bool,
    /// Numbers of the caller's that decide what is made, which is told as choices.
    pub hidden: Vec<TermNumber>,
    /// Nothing is known, not even what happens to the arguments.
    pub is_opaque: bool,
    /// Some guards were widened towards silence.
    pub is_coarse: bool,
}

/// What the first pointer leads to is copied to where the second does, so many bytes if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrozenCopy {
    pub from: TermNumber,
    pub to: TermNumber,
    pub bytes: Option<i64>,
    pub when: When,
    /// No pointers are among them.
    pub is_text: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrozenTerm {
    Int(i64),
    Param(u32),
    ParamPart(u32, i64),
    /// What the memory at an address held at entry.
    Contents(TermNumber),
    /// Any value, another one for each call.
    Unknown(u32),
    /// The same, but the function knew it, and what it has to do with the objects handed out is not told.
    Forgotten(u32),
    /// Names a resource that is not memory, such as a descriptor.
    Handle(u32),
    Variable(VariableId, i64),
    Code(Target),
    Literal,
    Fresh(u32, i64),
    /// Somewhere in the object the pointer leads to.
    Inside(TermNumber),
    Element {
        base: TermNumber,
        stride: i64,
        index: TermNumber,
    },
    Binary(Op, TermNumber, TermNumber),
    Extend(TermNumber),
    /// How two strings compare.
    Order(TermNumber, TermNumber, View),
    /// Zero if a string is the literal, as far as it is looked at, else one.
    Text(TermNumber, View, Box<[u8]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrozenAtom {
    Equal(TermNumber, TermNumber),
    Less(TermNumber, TermNumber),
    Choice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrozenValue {
    Scalar(Vec<(When, TermNumber)>),
    Record(Vec<(i64, Kind, FrozenValue)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenObject {
    pub kind: KindId,
    pub allocated: When,
    pub escaped: When,
    pub is_zeroed: bool,
    pub allocator: Name,
    /// Module and place of the allocation and of the calls around it, innermost first.
    pub inner: Vec<(usize, Loc)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub address: TermNumber,
    pub kind: Kind,
    pub is_pointer: bool,
    /// Whether it is written there hangs on what could not be told: so the value may be elsewhere.
    pub is_doubtful: bool,
    /// The value says when it is written.
    pub is_told: bool,
    pub value: Vec<(When, TermNumber)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrozenRelease {
    pub pointer: TermNumber,
    pub when: When,
    /// Released just then; else perhaps less often.
    pub is_certain: bool,
    pub kind: KindId,
    pub loc: Loc,
}

/// A callback: a pointer, its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenCall {
    pub callee: TermNumber,
    pub args: Vec<FrozenValue>,
    /// `None` if that could not be told.
    pub when: Option<When>,
}

impl Summary {
    /// As a deeper turn of the recursion has it: what holds for these arguments need not hold for those of a turn that
    /// was not looked at, unless they are the same there. Other conditions are choices; releases and keeps happen, and
    /// what hangs on them is out of sight.
    pub fn for_any_turn(&self, is_unchanged: &[bool]) -> Summary {
        let mut any = self.clone();
        let lasts = self.lasting_terms(is_unchanged);
        for atom in &mut any.atoms {
            let holds_on = match *atom {
                FrozenAtom::Equal(a, b) => lasts[a as usize] && lasts[b as usize] || self.is_null_argument(a, b),
                FrozenAtom::Less(a, b) => lasts[a as usize] && lasts[b as usize],
                FrozenAtom::Choice => true,
            };
            if !holds_on {
                *atom = FrozenAtom::Choice;
            }
        }
        for release in &mut any.releases {
            (release.when, release.is_certain) = (When::ALWAYS, false);
        }
        any.keeps.iter_mut().for_each(|keep| keep.1 = When::ALWAYS);
        // Further down it goes on releasing.
        any.keeps.extend(self.releases.iter().map(|release| (release.pointer, When::ALWAYS)));
        any
    }

    /// By term: whether it is the same at every turn of a recursion that passes these arguments on.
    fn lasting_terms(&self, is_unchanged: &[bool]) -> Vec<bool> {
        let mut lasts: Vec<bool> = Vec::with_capacity(self.terms.len());
        for (term, _) in &self.terms {
            let operand = |term: &TermNumber| lasts[*term as usize];
            lasts.push(match term {
                FrozenTerm::Int(_) | FrozenTerm::Variable(..) | FrozenTerm::Code(_) => true,
                FrozenTerm::Param(number) | FrozenTerm::ParamPart(number, _) => {
                    is_unchanged.get(*number as usize).copied().unwrap_or(false)
                }
                FrozenTerm::Contents(place) => operand(place) && !self.may_write(*place),
                FrozenTerm::Element { base, index, .. } => operand(base) && operand(index),
                FrozenTerm::Binary(_, a, b) => operand(a) && operand(b),
                FrozenTerm::Extend(a) => operand(a),
                FrozenTerm::Unknown(_)
                | FrozenTerm::Forgotten(_)
                | FrozenTerm::Handle(_)
                | FrozenTerm::Literal
                | FrozenTerm::Fresh(..)
                | FrozenTerm::Order(..)
                | FrozenTerm::Text(..)
                | FrozenTerm::Inside(_) => false,
            });
        }
        lasts
    }

    /// Whether what is at an address may be another when the function comes back.
    fn may_write(&self, place: TermNumber) -> bool {
        let is_near = |address: TermNumber| self.pointer(address) == self.pointer(place);
        let is_exact = |address: TermNumber| {
            !matches!(self.terms[address as usize].0, FrozenTerm::Inside(_) | FrozenTerm::Element { .. })
        };
        self.writes.iter().any(|write| write.address == place || !is_exact(write.address) && is_near(write.address))
            || self.copies.iter().any(|copy| is_near(copy.to))
            || self.clobbers.iter().any(|&pointer| is_near(pointer))
    }

    /// The pointer that an address was made of.
    pub(crate) fn pointer(&self, address: TermNumber) -> TermNumber {
        match self.terms[address as usize].0 {
            FrozenTerm::Inside(base)
            | FrozenTerm::Element { base, .. }
            | FrozenTerm::Extend(base)
            | FrozenTerm::Binary(_, base, _) => self.pointer(base),
            _ => address,
        }
    }

    /// A recursion that is given nothing makes something, or stops: it is what tells its turns apart.
    fn is_null_argument(&self, a: TermNumber, b: TermNumber) -> bool {
        let term = |number: TermNumber| &self.terms[number as usize].0;
        matches!(
            (term(a), term(b)),
            (FrozenTerm::Param(_), FrozenTerm::Int(0)) | (FrozenTerm::Int(0), FrozenTerm::Param(_))
        )
    }

    /// The parameter that a term is, or was reached through.
    pub fn argument(&self, term: TermNumber) -> Option<u32> {
        match self.terms[term as usize].0 {
            FrozenTerm::Param(number) | FrozenTerm::ParamPart(number, _) => Some(number),
            FrozenTerm::Contents(base)
            | FrozenTerm::Inside(base)
            | FrozenTerm::Extend(base)
            | FrozenTerm::Binary(_, base, _)
            | FrozenTerm::Element { base, .. } => self.argument(base),
            _ => None,
        }
    }

    /// Of a function about which nothing could be found out.
    pub fn opaque() -> Summary {
        Summary { is_opaque: true, is_coarse: true, ..Summary::default() }
    }
}

/// What is known of a callee.
#[derive(Clone, Copy)]
pub enum Known<'a> {
    Summary(&'a Summary),
    /// In the same component, not evaluated yet: no path through it is known.
    Pending,
    /// Found only while evaluating, outside of the schedule: anything may happen.
    Unknown,
}
