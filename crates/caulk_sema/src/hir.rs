//! The typed body of one function.
//!
//! Names are resolved, every conversion is a node, array and function designators have become
//! addresses, `sizeof` and all constant expressions are folded, initialisers are flat lists of
//! (offset, value). Expressions are *lvalues* (they denote an object: [`ExprKind::is_lvalue`]) or
//! *rvalues*; [`ExprKind::Load`] turns the first into the second.
//!
//! ```c
//! p->len += 1;      // Expr(CompoundAssign { Add, target: Member(Deref(Load(Local p))), Int 1 })
//! ```
//!
//! Invariants, relied on by lowering:
//! - operands of `Binary` have the expression's own type (shift counts keep theirs); operands of
//!   `Compare` share one type;
//! - `LogicalAnd`, `LogicalOr`, `LogicalNot` and conditions are of scalar type;
//! - `Assign` and initialiser values have the unqualified type of what they set, except that an
//!   array is set by a `String` lvalue;
//! - a value of record type is a `Load`, `Call`, `Conditional`, `Comma`, `Assign`, `StmtExpr` or `VaArg`.

pub use caulk_base::List;
use caulk_base::{IdVec, Loc, Symbol, define_id};

use crate::attributes::Attribute;
use crate::types::{Bits, Ty, VlaId};
use crate::unit::{GlobalId, StringId};

define_id!(ExprId, "e");
define_id!(StmtId, "s");
define_id!(LocalId, "l");
define_id!(LabelId, "label");
define_id!(InitId, "i");
define_id!(AsmId, "asm");

/// A function with its body. The arenas are reused from function to function.
#[derive(Debug, Default)]
pub struct Body {
    pub locals: IdVec<LocalId, Local>,
    pub parameters: Vec<LocalId>,
    pub labels: IdVec<LabelId, Label>,
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub inits: IdVec<InitId, Init>,
    pub asms: IdVec<AsmId, Asm>,
    pub expr_lists: Vec<ExprId>,
    pub stmt_lists: Vec<StmtId>,
    /// Lengths (in elements) of variable-length arrays: set by [`StmtKind::SetVla`].
    pub vla_count: u32,
    /// Always a block.
    pub root: Option<StmtId>,
    /// Calls something that returns twice.
    pub calls_returns_twice: bool,
}

impl Body {
    pub fn clear(&mut self) {
        self.locals.clear();
        self.parameters.clear();
        self.labels.clear();
        self.exprs.clear();
        self.stmts.clear();
        self.inits.clear();
        self.asms.clear();
        self.expr_lists.clear();
        self.stmt_lists.clear();
        self.vla_count = 0;
        self.root = None;
        self.calls_returns_twice = false;
    }

    pub fn expr_list(&self, list: List) -> &[ExprId] {
        &self.expr_lists[list.range()]
    }

    pub fn stmt_list(&self, list: List) -> &[StmtId] {
        &self.stmt_lists[list.range()]
    }
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: Symbol,
    pub ty: Ty,
    /// Its address is taken, or it is an aggregate or volatile: it must live in memory.
    pub in_memory: bool,
    /// A nested function uses it: it is kept in this global (`outer.name`) instead. Any call may
    /// then change it, and recursion of the outer function is not told apart.
    pub captured_as: Option<GlobalId>,
    /// `__attribute__((cleanup(f)))`
    pub cleanup: Option<GlobalId>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: Symbol,
    /// `&&label` is taken.
    pub is_address_taken: bool,
    /// The label belongs to the enclosing function of a nested one: going there leaves the function.
    pub is_nonlocal: bool,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Ty,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    // ---- constants
    /// Of integer, enum, `_Bool` or pointer type; already wrapped to its type.
    Int(i128),
    Float(f64),

    // ---- lvalues
    String(StringId),
    Local(LocalId),
    /// An object or a function.
    Global(GlobalId),
    /// The object a pointer points to.
    Deref(ExprId),
    /// A field of a record lvalue. The field may be a bit-field.
    Member {
        base: ExprId,
        field: u32,
    },
    /// `(type){…}` in a function: initialises the (unnamed) local each time it is evaluated.
    CompoundLiteral {
        local: LocalId,
        init: InitId,
    },
    /// One element of a vector lvalue.
    VectorElement {
        base: ExprId,
        index: ExprId,
    },
    /// `__real__`/`__imag__` of a complex lvalue (an rvalue if the operand is one).
    ComplexPart {
        value: ExprId,
        is_imag: bool,
    },

    // ---- rvalues
    /// The value of an lvalue.
    Load(ExprId),
    /// The address of an lvalue; of an array also as a pointer to its first element.
    AddressOf(ExprId),
    Negate(ExprId),
    BitNot(ExprId),
    /// `!e`, an int.
    LogicalNot(ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// An int (for vectors, a vector of ints).
    Compare(CompareOp, ExprId, ExprId),
    LogicalAnd(ExprId, ExprId),
    LogicalOr(ExprId, ExprId),
    /// Pointer plus `index` elements; minus if `is_sub`. The index has type `ptrdiff_t` or `size_t`.
    PointerAdd {
        pointer: ExprId,
        index: ExprId,
        is_sub: bool,
    },
    /// Difference in elements.
    PointerDiff(ExprId, ExprId),
    /// `then: None` is GNU `c ?: e`: the value of `c`, converted to the type of the expression.
    Conditional {
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
    },
    Comma(ExprId, ExprId),
    /// The value is the new value of the target.
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// `target = (T)((compute)target op value)`; for pointers, `PointerAdd` with `op` Add or Sub
    /// and `compute` the pointer type.
    CompoundAssign {
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        compute: Ty,
    },
    /// `++`, `--`, on numbers and pointers.
    Increment {
        target: ExprId,
        is_decrement: bool,
        is_postfix: bool,
    },
    /// Conversion between scalar types, to `void`, between vectors, or from anything to anything of
    /// the same size for vectors and `__builtin_bit_cast`.
    Cast(ExprId),
    /// The callee is an rvalue of pointer-to-function type.
    Call {
        callee: ExprId,
        args: List,
    },
    Builtin {
        op: Builtin,
        args: List,
    },
    /// `({ … })`: runs the block; its value is that of the expression, evaluated inside the block's
    /// scope at its end.
    StmtExpr {
        block: StmtId,
        value: Option<ExprId>,
    },
    /// The operand is the address of the `va_list` object.
    VaArg(ExprId),
    LabelAddress(LabelId),
    /// Size in bytes of a variably sized type.
    SizeofVla(Ty),
    /// Complex from its parts.
    MakeComplex(ExprId, ExprId),
    /// Something we cannot express: its operands were evaluated for their effects, its value is
    /// anything.
    Unknown {
        args: List,
    },
}

impl ExprKind {
    pub fn is_lvalue(&self) -> bool {
        matches!(
            self,
            ExprKind::String(_)
                | ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Deref(_)
                | ExprKind::Member { .. }
                | ExprKind::CompoundLiteral { .. }
                | ExprKind::VectorElement { .. }
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Builtins that are not library functions. `__builtin_memcpy` and the like have become calls of
/// the library function; `__builtin_expect` its argument; `__builtin_constant_p` a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `__builtin_alloca(size)`, also with alignment.
    Alloca,
    /// `(address of va_list)`
    VaStart,
    VaEnd,
    /// `(address of destination, address of source)`
    VaCopy,
    Unreachable,
    Trap,
    /// Count leading or trailing zeros, set bits …, of an unsigned argument; results are ints.
    Clz,
    Ctz,
    Clrsb,
    Ffs,
    Popcount,
    Parity,
    Bswap,
    Bitreverse,
    /// Rotate left/right `(value, count)`.
    RotateLeft,
    RotateRight,
    /// `(a, b, address of result)`: the exact result wrapped to the pointee's type is stored;
    /// true if it did not fit. Operands keep their own types.
    AddOverflow,
    SubOverflow,
    MulOverflow,
    /// `(a, b, x)`: as above, for the type of `x`, without storing.
    AddOverflowP,
    SubOverflowP,
    MulOverflowP,
    /// `(address)`: value.
    AtomicLoad,
    /// `(address, value)`
    AtomicStore,
    /// `(address, value)`: old value.
    AtomicExchange,
    /// `(address, address of expected, desired)`: true and stores, or writes back what was there.
    AtomicCompareExchange,
    /// `(address, expected, desired)`: the old value (`__sync_val_…`).
    SyncValCompareExchange,
    /// `(address, expected, desired)`: whether it stored (`__sync_bool_…`).
    SyncBoolCompareExchange,
    /// `(address, value)`; the old value if `fetch_first`, else the new one.
    AtomicRmw {
        op: AtomicOp,
        fetch_first: bool,
    },
    Fence,
    /// `(level)`: some address of the stack or of code.
    FrameAddress,
    ReturnAddress,
    /// `fabs`, `copysign`, `isnan`, … on floats: no effect on memory, named by the symbol.
    Pure(Symbol),
    /// `__builtin_setjmp(buf)` / `__builtin_longjmp(buf, 1)`.
    Setjmp,
    Longjmp,
    /// `(vector, mask)` or `(vector, vector, mask)`.
    Shuffle,
    /// `__builtin_ia32_…` and every other builtin without a meaning here: reads and writes what its
    /// pointer arguments point to, at most.
    Opaque(Symbol),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

/// What a declaration or compound literal sets: zero the object first if `zero_first`, then each
/// item in order.
#[derive(Clone, Debug, Default)]
pub struct Init {
    pub zero_first: bool,
    pub items: Vec<InitItem>,
}

#[derive(Clone, Copy, Debug)]
pub struct InitItem {
    pub offset: u64,
    pub bits: Option<Bits>,
    /// Type of the part that is set.
    pub ty: Ty,
    /// An rvalue of that type, or a `String` lvalue for an array.
    pub value: ExprId,
}

#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    /// The object's life begins; it ends with the enclosing block.
    Declare {
        local: LocalId,
        init: Option<InitId>,
    },
    /// The length (in elements, of type `size_t`) of a variable-length array is fixed here.
    SetVla {
        vla: VlaId,
        len: ExprId,
    },
    /// A scope. `end` is its closing brace.
    Block {
        stmts: List,
        end: Loc,
    },
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        condition: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
    },
    /// Declarations of `init` live until the loop's end: it stands in a block of its own.
    For {
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    /// The value is promoted; cases are converted to its type.
    Switch {
        value: ExprId,
        body: StmtId,
    },
    Case {
        low: i128,
        high: i128,
        body: StmtId,
    },
    Default {
        body: StmtId,
    },
    Label {
        label: LabelId,
        body: StmtId,
    },
    Goto(LabelId),
    GotoComputed(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm(AsmId),
}

#[derive(Clone, Debug)]
pub struct Asm {
    pub template: Box<str>,
    pub is_volatile: bool,
    pub clobbers_memory: bool,
    pub outputs: Vec<AsmOutput>,
    /// Rvalues; for memory constraints, addresses.
    pub inputs: Vec<AsmInput>,
    /// `asm goto`: it may go to any of these, or fall through.
    pub labels: Vec<LabelId>,
}

#[derive(Clone, Debug)]
pub struct AsmOutput {
    pub constraint: Box<str>,
    /// An lvalue.
    pub target: ExprId,
    /// `+r`: its old value is read too.
    pub is_read: bool,
}

#[derive(Clone, Debug)]
pub struct AsmInput {
    pub constraint: Box<str>,
    pub value: ExprId,
    /// The operand is in memory: `value` is its address.
    pub is_memory: bool,
}
