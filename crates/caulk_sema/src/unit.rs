//! A translation unit's global things: what lowering and linking see beside the function bodies.

use caulk_base::{IdVec, Loc, Symbol, define_id};

use crate::attributes::Attribute;
use crate::types::{Bits, Ty, TypeTable};

define_id!(
    /// A function or an object with static storage.
    GlobalId, "g");
define_id!(
    /// A string literal; equal ones of a unit share one.
    StringId, "str");

#[derive(Clone, Debug)]
pub struct Unit {
    pub types: TypeTable,
    pub globals: IdVec<GlobalId, Global>,
    pub strings: IdVec<StringId, StringData>,
    /// Text of file-scope `asm`.
    pub asm: Vec<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StringData {
    /// With its terminator.
    pub bytes: Box<[u8]>,
    /// Always an array.
    pub ty: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    External,
    Internal,
}

#[derive(Clone, Debug)]
pub struct Global {
    /// The name the linker sees: an `asm` label wins; a static local is `function.name`, numbered
    /// where that is taken (`f.buf.1`).
    pub name: Symbol,
    /// As written in the source.
    pub source_name: Symbol,
    pub ty: Ty,
    pub linkage: Linkage,
    pub definition: Definition,
    pub is_weak: bool,
    pub is_thread_local: bool,
    /// `inline` was written; with [`Global::is_gnu_inline`] decides whether a definition is a
    /// fallback copy only.
    pub is_inline: bool,
    /// `extern inline` with gnu89 rules, or C99 `inline` without `extern`: the body may be used,
    /// the definition is elsewhere.
    pub is_inline_only: bool,
    /// By attribute, `_Noreturn`, or because it is a library function that never does.
    pub is_noreturn: bool,
    /// `setjmp` and its kin.
    pub returns_twice: bool,
    /// `__attribute__((alias("x")))`
    pub alias: Option<Symbol>,
    /// In order, as far as the declarations tell.
    pub parameters: Vec<Parameter>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

/// What the declarations of a function say about a parameter beside its type.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Empty where none was given.
    pub name: Symbol,
    pub attributes: Vec<Attribute>,
}

#[derive(Clone, Debug)]
pub enum Definition {
    /// Only declared.
    None,
    /// Has a body (in this unit's IR, unless it was lost).
    Function,
    /// An object without an initialiser: zero.
    Zero,
    Data(Initializer),
}

impl Global {
    /// Something with external linkage that is declared and no more.
    pub fn new(name: Symbol, ty: Ty, loc: Loc) -> Global {
        Global {
            name,
            source_name: name,
            ty,
            linkage: Linkage::External,
            definition: Definition::None,
            is_weak: false,
            is_thread_local: false,
            is_inline: false,
            is_inline_only: false,
            is_noreturn: false,
            returns_twice: false,
            alias: None,
            parameters: Vec::new(),
            attributes: Vec::new(),
            loc,
        }
    }

    pub fn is_function(&self, types: &TypeTable) -> bool {
        types.is_function(self.ty)
    }
}

/// A static initialiser, flat: everything not listed is zero. In increasing order of offset; later
/// items win over earlier ones at the same place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initializer {
    pub items: Vec<DataItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DataItem {
    pub offset: u64,
    pub bits: Option<Bits>,
    pub ty: Ty,
    pub value: Datum,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
    /// Address of a global plus a byte offset.
    Global(GlobalId, i64),
    /// Address of a string literal plus a byte offset.
    String(StringId, i64),
    /// The array itself, filled with the literal's bytes as far as they fit.
    Bytes(StringId),
    /// `&&label` in a static table of the function; the number is that of the HIR label.
    Label(u32),
    /// Not a constant we can compute (`&a - &b` and other things linkers do).
    Unknown,
}
