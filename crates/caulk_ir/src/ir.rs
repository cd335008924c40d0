//! Data of the IR.
//!
//! A [`Function`] is a graph of [`Block`]s; a block is a list of instructions and one
//! [`Terminator`]. Every instruction, parameter and constant is an entry of one arena and is named by
//! its [`Value`]; constants and parameters stand in no block. Scalar variables whose address is not
//! taken are values; every other object is a [`InstKind::Slot`] or a global, reached by loads and
//! stores through explicit field and element addresses.
//!
//! ```c
//! int first(struct list *l) { return l ? l->head->x : -1; }
//! ```
//! ```text
//! bb0:  v1 = ne v0, null          bb1:  v2 = field v0, struct list.head
//!       branch v1, bb1, bb2             v3 = load v2 …
//! ```
//!
//! Values of record type are first class: a struct assignment is a load and a store of the whole
//! record. There are no implicit conversions: signedness and width come from the C types, which are
//! sema's ([`Ty`]).

use caulk_base::{IdVec, Loc, Symbol, define_id};
pub use caulk_sema::hir::{AtomicOp, BinaryOp, Builtin, CompareOp};
pub use caulk_sema::types::{Bits, RecordId, Ty, TypeTable};
pub use caulk_sema::unit::{GlobalId, StringId, Unit};

define_id!(
    /// An instruction, parameter or constant, and its result.
    Value, "v");
define_id!(BlockId, "bb");

/// A translation unit in IR.
#[derive(Debug)]
pub struct Module {
    pub unit: Unit,
    /// In order of definition; nested functions after the function they stand in.
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub global: GlobalId,
    /// In order; also in `insts`, as [`InstKind::Param`].
    pub params: Vec<Value>,
    pub insts: IdVec<Value, Inst>,
    /// Block 0 is the entry; it has no predecessors.
    pub blocks: IdVec<BlockId, Block>,
    /// Operand lists of calls, phis …; see [`Function::operands`].
    pub operand_pool: Vec<Value>,
    /// Blocks of phi operands; parallel to their stretch of `operand_pool` via [`PhiArgs`].
    pub phi_blocks: Vec<BlockId>,
    /// Constants wider than 64 bits.
    pub wide_constants: Vec<i128>,
    /// Which source variables held a value, in the order of the assignments.
    pub variable_names: Vec<(Value, Symbol)>,
    /// Blocks of the labels whose address is taken, by the number that static tables of the function
    /// name them by ([`Datum::Label`](caulk_sema::unit::Datum::Label)).
    pub label_blocks: Vec<(u32, BlockId)>,
    /// Calls something that returns twice (`setjmp`).
    pub calls_returns_twice: bool,
    pub loc: Loc,
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Phis first.
    pub insts: Vec<Value>,
    pub terminator: Terminator,
    pub terminator_loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub struct Inst {
    pub kind: InstKind,
    /// Type of the result; `void` if it has none.
    pub ty: Ty,
    pub loc: Loc,
}

/// A stretch of the operand pool.
pub type Operands = caulk_base::List;

/// Operands of a phi: a stretch of the operand pool and, of the same length, of `phi_blocks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhiArgs {
    pub values: u32,
    pub blocks: u32,
    pub len: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InstKind {
    // ---- stand in no block
    Param(u32),
    /// Of integer, enum, bool or pointer type (0 is the null pointer); wrapped to its type and then
    /// sign- or zero-extended to 64 bits by its signedness.
    Int(i64),
    /// Number in `wide_constants`; for 128-bit types when the value does not fit `Int`.
    WideInt(u32),
    Float(f64),
    /// Any value: an uninitialised variable.
    Undef,
    /// Address of a global object or function.
    Global(GlobalId),
    /// Address of a string literal's first byte.
    String(StringId),
    /// `&&label`
    BlockAddress(BlockId),

    // ---- stack objects
    /// An object of the function's frame; the result is its address, `ty` a pointer to its type.
    /// Stands in the entry block. The name is empty for temporaries.
    Slot {
        name: Symbol,
    },
    /// Variable-length array or `alloca`: `size` bytes, of name (may be empty).
    Alloca {
        size: Value,
        name: Symbol,
    },
    /// The scope of a slot or alloca ended: its contents are gone.
    End {
        object: Value,
    },

    /// The variable of this name, a pointer or the result of a call, has this value from here on;
    /// undefined where its scope ends. Changes nothing: it tells an analysis when a reference goes, and what it was called.
    Bind {
        variable: Symbol,
        value: Value,
    },

    // ---- memory
    Load {
        address: Value,
        is_volatile: bool,
    },
    Store {
        address: Value,
        value: Value,
        is_volatile: bool,
    },
    /// Bit-field at `bits` of the byte at `address`; the result is extended by the signedness of `ty`.
    LoadBits {
        address: Value,
        bits: Bits,
        is_volatile: bool,
    },
    StoreBits {
        address: Value,
        value: Value,
        bits: Bits,
        is_volatile: bool,
    },
    /// Sets `size` bytes to zero.
    Zero {
        address: Value,
        size: u64,
    },
    /// Copies the bytes of a literal, and zeros up to `size`, into an array.
    CopyString {
        address: Value,
        string: StringId,
        size: u64,
    },

    // ---- addresses
    /// Address of field number `field` of the record at `base`.
    Field {
        base: Value,
        record: RecordId,
        field: u32,
    },
    /// `base + index * size of the pointee of ty`.
    Element {
        base: Value,
        index: Value,
    },
    /// `(a - b) / size of their pointee`.
    PointerDiff {
        a: Value,
        b: Value,
    },

    // ---- arithmetic
    /// Operands and result have one type (a shift count may differ).
    Binary {
        op: BinaryOp,
        a: Value,
        b: Value,
    },
    Negate(Value),
    BitNot(Value),
    /// Operands have one type, which says how they compare; the result is an int, 0 or 1 (for
    /// vectors, a vector of ints, 0 or -1).
    Compare {
        op: CompareOp,
        a: Value,
        b: Value,
    },
    /// Conversion from the operand's type to `ty`, as C has it.
    Cast(Value),
    /// Same bytes, other type.
    BitCast(Value),
    ComplexPart {
        value: Value,
        is_imag: bool,
    },
    MakeComplex {
        real: Value,
        imag: Value,
    },
    /// One element of a vector value.
    VectorElement {
        vector: Value,
        index: Value,
    },
    Phi(PhiArgs),

    // ---- calls
    Call {
        callee: Value,
        args: Operands,
    },
    Builtin {
        op: Builtin,
        args: Operands,
    },
    /// `address` is that of the `va_list` object.
    VaArg {
        address: Value,
    },
    /// `template` with its operands. Reads and writes what its address operands point to, all
    /// memory if `clobbers_memory`. Results are [`InstKind::AsmOutput`].
    Asm {
        template: Symbol,
        operands: Operands,
        clobbers_memory: bool,
    },
    /// Result number `index` of an `Asm`, or of the `AsmGoto` terminator of the only predecessor
    /// (then `asm` is its placeholder `Asm` instruction).
    AsmOutput {
        asm: Value,
        index: u32,
    },
    /// Something that could not be lowered: any value, any effect on what its operands reach.
    Unknown {
        reason: Symbol,
        operands: Operands,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Terminator {
    /// Not yet set; never in a verified function.
    #[default]
    None,
    Jump(BlockId),
    /// The condition is an int; nonzero goes to `then`.
    Branch {
        condition: Value,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch(Box<Switch>),
    /// Computed goto: to any of the blocks whose address is taken.
    Indirect {
        address: Value,
        targets: Box<[BlockId]>,
    },
    /// The last instruction of the block is the `Asm`; it may go to any target, the first is the
    /// fall-through.
    AsmGoto {
        targets: Box<[BlockId]>,
    },
    Return(Option<Value>),
    /// After a call that never returns, or where behaviour is undefined.
    Unreachable,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    pub value: Value,
    /// Disjoint, in increasing order by the signedness of the value's type.
    pub cases: Vec<SwitchCase>,
    pub default: BlockId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchCase {
    /// Inclusive.
    pub low: i128,
    pub high: i128,
    pub target: BlockId,
}

impl Terminator {
    /// Successors in order, possibly with repetitions.
    pub fn successors(&self) -> Successors<'_> {
        Successors { terminator: self, next: 0 }
    }
}

pub struct Successors<'a> {
    terminator: &'a Terminator,
    next: usize,
}

impl Iterator for Successors<'_> {
    type Item = BlockId;

    fn next(&mut self) -> Option<BlockId> {
        let number = self.next;
        self.next += 1;
        match self.terminator {
            Terminator::None | Terminator::Return(_) | Terminator::Unreachable => None,
            Terminator::Jump(target) => (number == 0).then_some(*target),
            Terminator::Branch { then, otherwise, .. } => [*then, *otherwise].get(number).copied(),
            Terminator::Switch(switch) => match number.checked_sub(1) {
                None => Some(switch.default),
                Some(case) => switch.cases.get(case).map(|case| case.target),
            },
            Terminator::Indirect { targets, .. } | Terminator::AsmGoto { targets } => targets.get(number).copied(),
        }
    }
}

pub const ENTRY: BlockId = BlockId(0);

impl Function {
    pub fn new(global: GlobalId, loc: Loc) -> Function {
        Function {
            global,
            params: Vec::new(),
            insts: IdVec::new(),
            blocks: IdVec::new(),
            operand_pool: Vec::new(),
            phi_blocks: Vec::new(),
            wide_constants: Vec::new(),
            variable_names: Vec::new(),
            label_blocks: Vec::new(),
            calls_returns_twice: false,
            loc,
        }
    }

    pub fn operands(&self, operands: Operands) -> &[Value] {
        &self.operand_pool[operands.range()]
    }

    /// Predecessor and value of each way into a phi's block.
    pub fn phi_args(&self, args: PhiArgs) -> impl ExactSizeIterator<Item = (BlockId, Value)> + '_ {
        let blocks = &self.phi_blocks[args.blocks as usize..(args.blocks + args.len) as usize];
        let values = &self.operand_pool[args.values as usize..(args.values + args.len) as usize];
        blocks.iter().copied().zip(values.iter().copied())
    }

    pub fn ty(&self, value: Value) -> Ty {
        self.insts[value].ty
    }

    /// The value of an integer or pointer constant.
    pub fn constant(&self, value: Value) -> Option<i128> {
        match self.insts[value].kind {
            InstKind::Int(value) => Some(i128::from(value)),
            InstKind::WideInt(number) => Some(self.wide_constants[number as usize]),
            _ => None,
        }
    }

    pub fn has_unknown(&self) -> bool {
        self.insts.iter().any(|inst| matches!(inst.kind, InstKind::Unknown { .. }))
    }
}

impl InstKind {
    /// Constants and parameters stand in no block.
    pub fn is_placed(&self) -> bool {
        !matches!(
            self,
            InstKind::Param(_)
                | InstKind::Int(_)
                | InstKind::WideInt(_)
                | InstKind::Float(_)
                | InstKind::Undef
                | InstKind::Global(_)
                | InstKind::String(_)
                | InstKind::BlockAddress(_)
        )
    }
}
