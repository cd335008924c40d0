//! The tree of one external declaration.
//!
//! Nodes live in arenas of one [`Ast`] and name each other by id. The parser fills an `Ast` with one
//! external declaration, sema consumes it, and the arenas are cleared for the next: the tree of a
//! whole file is never held.
//!
//! Literals are already decoded; names are symbols, not yet resolved, except that the parser knew
//! which of them are typedef names. Nothing is folded or checked.

pub use caulk_base::List;
use caulk_base::{IdVec, Loc, Symbol, define_id};
use smallvec::SmallVec;

define_id!(ExprId, "e");
define_id!(StmtId, "s");
define_id!(InitId, "i");
define_id!(SpecifiersId, "spec");
define_id!(DeclaratorId, "d");
define_id!(StringId, "str");
define_id!(DeclarationId, "decl");
define_id!(RecordSpecId, "rec");
define_id!(EnumSpecId, "enum");
define_id!(GenericId, "gen");
define_id!(AsmId, "asm");

/// All nodes of one external declaration.
#[derive(Debug, Default)]
pub struct Ast {
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub inits: IdVec<InitId, Init>,
    pub specifiers: IdVec<SpecifiersId, Specifiers>,
    pub declarators: IdVec<DeclaratorId, Declarator>,
    pub declarations: IdVec<DeclarationId, Declaration>,
    pub strings: IdVec<StringId, StringLiteral>,
    pub records: IdVec<RecordSpecId, RecordSpec>,
    pub enums: IdVec<EnumSpecId, EnumSpec>,
    pub generics: IdVec<GenericId, Generic>,
    pub asms: IdVec<AsmId, Asm>,
    /// Arguments of calls; see [`Ast::expr_list`].
    pub expr_lists: Vec<ExprId>,
    /// Statements of blocks; see [`Ast::stmt_list`].
    pub stmt_lists: Vec<StmtId>,
    /// Items of initialiser lists; see [`Ast::init_items`].
    pub init_items: Vec<InitItem>,
}

impl Ast {
    /// Forgets the tree, keeps the memory.
    pub fn clear(&mut self) {
        self.exprs.clear();
        self.stmts.clear();
        self.inits.clear();
        self.specifiers.clear();
        self.declarators.clear();
        self.declarations.clear();
        self.strings.clear();
        self.records.clear();
        self.enums.clear();
        self.generics.clear();
        self.asms.clear();
        self.expr_lists.clear();
        self.stmt_lists.clear();
        self.init_items.clear();
    }

    pub fn expr_list(&self, list: List) -> &[ExprId] {
        &self.expr_lists[list.range()]
    }

    pub fn stmt_list(&self, list: List) -> &[StmtId] {
        &self.stmt_lists[list.range()]
    }

    pub fn init_items(&self, list: List) -> &[InitItem] {
        &self.init_items[list.range()]
    }
}

/// What a file consists of.
#[derive(Clone, Copy, Debug)]
pub enum ExternalDecl {
    Declaration(DeclarationId),
    Function(FunctionDef),
    StaticAssert(StaticAssert),
    /// `asm("…");` at file scope.
    Asm(AsmId),
}

#[derive(Clone, Copy, Debug)]
pub struct FunctionDef {
    pub specifiers: SpecifiersId,
    /// Its innermost chunk is a [`Chunk::Function`] (possibly through a typedef, which is an error).
    pub declarator: DeclaratorId,
    /// K&R: declarations between the parameter list and the body, a stretch of `stmt_lists`
    /// holding [`StmtKind::Declaration`]s.
    pub parameter_declarations: List,
    /// Always a [`StmtKind::Block`].
    pub body: StmtId,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub struct StaticAssert {
    pub condition: ExprId,
    pub message: Option<StringId>,
    pub loc: Loc,
}

/// `specifiers declarator = init, …;`
#[derive(Clone, Debug)]
pub struct Declaration {
    pub specifiers: SpecifiersId,
    pub declarators: SmallVec<[InitDeclarator; 1]>,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub struct InitDeclarator {
    pub declarator: DeclaratorId,
    pub init: Option<InitId>,
}

/// Storage classes and function specifiers as met, duplicates folded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_auto: bool,
    pub is_register: bool,
    pub is_thread_local: bool,
    pub is_constexpr: bool,
    pub is_inline: bool,
    pub is_noreturn: bool,
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Clone, Debug)]
pub struct Specifiers {
    pub storage: Storage,
    pub qualifiers: Qualifiers,
    pub ty: TypeSpecifier,
    /// Attributes among the specifiers: they belong to each declared thing.
    pub attributes: Vec<Attribute>,
    /// `_Alignas(…)` / `alignas(…)`.
    pub alignments: SmallVec<[Alignment; 1]>,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub enum Alignment {
    Expr(ExprId),
    Type(TypeName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasicType {
    Void,
    Bool,
    /// Plain `char`, whose signedness the target decides.
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float16,
    BFloat16,
    Float,
    Double,
    LongDouble,
    Float128,
    /// `_Float32`, `_Float64`, `_Float32x`, `_Float64x`, kept apart from `float` … by `_Generic`.
    Float32,
    Float64,
    Float32x,
    Float64x,
    Decimal32,
    Decimal64,
    Decimal128,
}

#[derive(Clone, Copy, Debug)]
pub enum TypeSpecifier {
    Basic(BasicType),
    /// `_Complex` with its element type (integer elements are GNU).
    Complex(BasicType),
    /// `_BitInt(n)`.
    BitInt {
        width: ExprId,
        is_unsigned: bool,
    },
    Record(RecordSpecId),
    Enum(EnumSpecId),
    /// A name that was a typedef name when it was parsed.
    Name(Symbol),
    /// `typeof(expr)`; `unqualified` for `typeof_unqual`.
    TypeofExpr {
        expr: ExprId,
        unqualified: bool,
    },
    TypeofType {
        ty: TypeName,
        unqualified: bool,
    },
    /// `_Atomic(type)`.
    Atomic(TypeName),
    /// `__auto_type`, or C23's `auto` without a type: the initialiser decides.
    Auto,
    /// `__builtin_va_list`.
    VaList,
    /// None written: `int` by the old rule (`static x;`, `f() {}`).
    ImplicitInt,
    /// Could not be understood; the declaration is lost, reported already.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub struct TypeName {
    pub specifiers: SpecifiersId,
    /// Without a name.
    pub declarator: DeclaratorId,
}

/// A declarator as chunks, the one nearest to the name first: `*(*f[3])(int)` is
/// Array(3), Pointer, Function(int), Pointer. The type is built from the last chunk to the first.
#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Option<Symbol>,
    pub loc: Loc,
    pub chunks: SmallVec<[Chunk; 2]>,
    /// Attributes after the declarator: they belong to the declared thing.
    pub attributes: Vec<Attribute>,
    /// `asm("name")` after the declarator.
    pub asm_label: Option<StringId>,
}

#[derive(Clone, Debug)]
pub enum Chunk {
    Pointer { qualifiers: Qualifiers, attributes: Vec<Attribute> },
    Array(ArrayChunk),
    Function(Box<FunctionChunk>),
}

#[derive(Clone, Debug)]
pub struct ArrayChunk {
    pub size: ArraySize,
    /// `[static n]` in a parameter.
    pub is_static: bool,
    /// `[const n]` in a parameter: qualifies the pointer it becomes.
    pub qualifiers: Qualifiers,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArraySize {
    /// `[]`
    None,
    /// `[*]`
    Star,
    Expr(ExprId),
}

#[derive(Clone, Debug)]
pub struct FunctionChunk {
    pub parameters: Parameters,
    pub is_variadic: bool,
    /// Attributes right after the parameter list (C23) belong to the function type.
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub enum Parameters {
    /// `()`: unknown before C23, none since.
    Empty,
    /// `(void)` is an empty prototype.
    Prototype(Vec<Parameter>),
    /// `(a, b)`: names declared before the body, or missing and so `int`.
    Names(Vec<(Symbol, Loc)>),
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub specifiers: SpecifiersId,
    pub declarator: DeclaratorId,
}

/// `__attribute__((name(args)))`, `[[prefix::name(args)]]`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// `gnu`, `clang`, …; empty for `__attribute__` and standard ones.
    pub prefix: Symbol,
    /// Without surrounding underscores: `__packed__` is `packed`.
    pub name: Symbol,
    pub args: Vec<AttributeArg>,
    pub loc: Loc,
}

#[derive(Clone, Copy, Debug)]
pub enum AttributeArg {
    /// An identifier stands here as [`ExprKind::Name`], whether or not it names anything.
    Expr(ExprId),
    Type(TypeName),
}

#[derive(Clone, Debug)]
pub struct RecordSpec {
    pub is_union: bool,
    pub tag: Option<Symbol>,
    /// `None` for a mere mention: `struct s *p;`
    pub members: Option<Vec<MemberDecl>>,
    pub attributes: Vec<Attribute>,
    /// `#pragma pack` in force at the closing brace; 0 for none.
    pub pack: u8,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub enum MemberDecl {
    Fields(FieldDecl),
    StaticAssert(StaticAssert),
}

#[derive(Clone, Debug)]
pub struct FieldDecl {
    pub specifiers: SpecifiersId,
    /// Empty for an anonymous struct or union member.
    pub fields: SmallVec<[Field; 1]>,
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub declarator: DeclaratorId,
    pub bit_width: Option<ExprId>,
}

#[derive(Clone, Debug)]
pub struct EnumSpec {
    pub tag: Option<Symbol>,
    /// C23 `enum e : type`.
    pub underlying: Option<TypeName>,
    /// `None` for a mere mention.
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct Enumerator {
    pub name: Symbol,
    pub value: Option<ExprId>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

/// The width of a string's or character's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// No prefix.
    Char,
    /// `u8`
    Utf8,
    /// `u`
    Utf16,
    /// `U`
    Utf32,
    /// `L`
    Wide,
}

/// Adjacent literals joined and decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    pub encoding: Encoding,
    /// The object representation, little-endian units of the encoding's width (wide is four bytes
    /// on every supported target), without the terminator.
    pub bytes: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// The operator or first token, where a report would point.
    pub loc: Loc,
}

/// Suffix and base of an integer constant; they decide its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntSuffix {
    pub is_unsigned: bool,
    /// 0, 1 (`l`) or 2 (`ll`).
    pub longs: u8,
    /// `wb`: `_BitInt`.
    pub is_bit_int: bool,
    /// Decimal constants never become unsigned by themselves.
    pub is_decimal: bool,
    /// GNU imaginary (`i`, `j`).
    pub is_imaginary: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    Name(Symbol),
    Int {
        value: u64,
        suffix: IntSuffix,
    },
    /// `ty` is what the suffix says; the value has the precision of a double.
    Float {
        value: f64,
        ty: BasicType,
        is_imaginary: bool,
    },
    Char {
        value: i64,
        encoding: Encoding,
    },
    String(StringId),
    /// C23 `true`, `false`.
    Bool(bool),
    /// C23 `nullptr`.
    Nullptr,
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? a : b`; GNU `c ?: b` has no middle.
    Conditional(ExprId, Option<ExprId>, ExprId),
    Comma(ExprId, ExprId),
    Cast(TypeName, ExprId),
    /// `(type){…}`; the storage words of C23 are in the type name's specifiers.
    CompoundLiteral(TypeName, InitId),
    Call(ExprId, List),
    /// `base.name` or `base->name`.
    Member {
        base: ExprId,
        name: Symbol,
        is_arrow: bool,
    },
    Index(ExprId, ExprId),
    SizeofExpr(ExprId),
    SizeofType(TypeName),
    AlignofExpr(ExprId),
    AlignofType(TypeName),
    /// `_Countof`, of an expression or type.
    CountofExpr(ExprId),
    CountofType(TypeName),
    Generic(GenericId),
    /// `({ … })`; the statement is a block.
    StmtExpr(StmtId),
    /// `&&label`
    LabelAddress(Symbol),
    /// `__builtin_offsetof(type, a.b[2])`: the designated thing as a member expression whose
    /// innermost base is an [`ExprKind::OffsetofBase`].
    Offsetof(TypeName, ExprId),
    OffsetofBase,
    VaArg(ExprId, TypeName),
    ChooseExpr(ExprId, ExprId, ExprId),
    TypesCompatible(TypeName, TypeName),
    /// `__builtin_convertvector(e, type)`
    ConvertVector(ExprId, TypeName),
    /// `__builtin_bit_cast(type, e)`
    BitCast(TypeName, ExprId),
    /// A type where an expression is expected: an argument of a builtin such as
    /// `__builtin_classify_type`.
    Type(TypeName),
    /// Could not be parsed; reported already.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    Real,
    Imag,
    /// `__extension__ e`
    Extension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
}

/// `_Generic(e, type: e, default: e)`
#[derive(Clone, Debug)]
pub struct Generic {
    pub control: GenericControl,
    /// `None` is `default`.
    pub arms: Vec<(Option<TypeName>, ExprId)>,
}

#[derive(Clone, Copy, Debug)]
pub enum GenericControl {
    Expr(ExprId),
    /// C2y and Clang.
    Type(TypeName),
}

#[derive(Clone, Copy, Debug)]
pub enum Init {
    Expr(ExprId),
    /// Items are a stretch of `init_items`.
    List {
        items: List,
        loc: Loc,
    },
}

#[derive(Clone, Debug)]
pub struct InitItem {
    pub designators: SmallVec<[Designator; 1]>,
    pub init: InitId,
}

#[derive(Clone, Copy, Debug)]
pub enum Designator {
    /// `.name` or GNU `name:`
    Field(Symbol, Loc),
    Index(ExprId),
    /// GNU `[low ... high]`
    Range(ExprId, ExprId),
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
    Declaration(DeclarationId),
    StaticAssert(ExprId, Option<StringId>),
    /// `end` is the closing brace, where the scope ends.
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
    /// `init` is a declaration or an expression statement.
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch {
        value: ExprId,
        body: StmtId,
    },
    /// `case low ... high:`; `body` is the statement after the colon.
    Case {
        low: ExprId,
        high: Option<ExprId>,
        body: StmtId,
    },
    Default {
        body: StmtId,
    },
    Label {
        name: Symbol,
        body: StmtId,
    },
    /// `__label__ a, b;`: one statement each.
    LocalLabel(Symbol),
    Goto(Symbol),
    /// `goto *e;`
    GotoComputed(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm(AsmId),
    /// GNU nested function; an index of [`Ast::declarations`] does not fit, so the definition's
    /// parts stand here.
    NestedFunction {
        specifiers: SpecifiersId,
        declarator: DeclaratorId,
        body: StmtId,
    },
    /// Could not be parsed; reported already. The function is lost.
    Error,
}

#[derive(Clone, Debug)]
pub struct Asm {
    pub template: StringId,
    pub is_volatile: bool,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub clobbers: Vec<StringId>,
    /// `asm goto`
    pub labels: Vec<Symbol>,
    pub loc: Loc,
}

#[derive(Clone, Debug)]
pub struct AsmOperand {
    pub name: Option<Symbol>,
    pub constraint: StringId,
    pub expr: ExprId,
}
