//! C types, interned: equal types are the same [`Ty`].
//!
//! A `Ty` is four bytes: the number of an unqualified type and its qualifiers. Typedef names are
//! resolved away. Records and enums are nominal: each definition is its own type, completed in
//! place. Qualifiers of an array stand on its element, as C has it.

use caulk_base::{IdVec, Loc, Symbol, define_id};
use rustc_hash::FxHashMap;

use crate::attributes::Attribute;
use crate::target::Target;

define_id!(RecordId, "rec");
define_id!(EnumId, "enum");
define_id!(FunctionTypeId, "fn");
define_id!(
    /// A variable-length array's length, evaluated where its declaration stands.
    VlaId, "vla");

/// Arrays larger than this have no size, as incomplete ones; sums of sizes stay within 64 bits. No machine
/// has an object of this size.
pub(crate) const MAX_SIZE: u64 = 1 << 56;

/// Declared types nest no deeper and, written out, have no more parts; typedefs could double them line by line.
/// Beyond it a type is an error, so what is declared with it is unknown: it may cost a miss, never a false alarm.
const MAX_EXTENT: Extent = Extent { depth: 250, parts: 1 << 12 };

/// A qualified type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty(u32);

/// Qualifier bits of a [`Ty`].
pub mod quals {
    pub const CONST: u32 = 1;
    pub const VOLATILE: u32 = 2;
    pub const RESTRICT: u32 = 4;
    pub const ATOMIC: u32 = 8;
    pub(super) const ALL: u32 = 15;
    pub(super) const BITS: u32 = 4;
}

impl Ty {
    pub fn qualifiers(self) -> u32 {
        self.0 & quals::ALL
    }

    pub fn unqualified(self) -> Ty {
        Ty(self.0 & !quals::ALL)
    }

    pub fn with(self, qualifiers: u32) -> Ty {
        Ty(self.0 | qualifiers)
    }

    pub fn is_const(self) -> bool {
        self.0 & quals::CONST != 0
    }

    pub fn is_volatile(self) -> bool {
        self.0 & quals::VOLATILE != 0
    }

    pub fn is_atomic(self) -> bool {
        self.0 & quals::ATOMIC != 0
    }

    fn index(self) -> usize {
        (self.0 >> quals::BITS) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FloatKind {
    Float16,
    BFloat16,
    Float,
    Float32,
    Double,
    Float64,
    Float32x,
    LongDouble,
    Float64x,
    Float128,
    Decimal32,
    Decimal64,
    Decimal128,
}

/// An unqualified type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Follows from an error already reported; converts to and from everything.
    Error,
    Void,
    Bool,
    Int(IntKind),
    BitInt {
        bits: u32,
        is_signed: bool,
    },
    Float(FloatKind),
    /// Complex of a float or (GNU) integer type.
    Complex(Ty),
    Pointer(Ty),
    /// `None`: length not known (yet).
    Array(Ty, Option<u64>),
    Vla(Ty, VlaId),
    /// Element and number of elements.
    Vector(Ty, u32),
    Function(FunctionTypeId),
    Record(RecordId),
    Enum(EnumId),
    /// Type of C23's `nullptr`.
    Nullptr,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: Ty,
    /// Adjusted: arrays and functions are pointers, top-level qualifiers dropped.
    pub parameters: Box<[Ty]>,
    pub is_variadic: bool,
    /// `f()` before C23: arguments are not checked.
    pub is_unprototyped: bool,
    /// `__attribute__((noreturn))` on the type, as on a function pointer.
    pub is_noreturn: bool,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub is_union: bool,
    /// Empty if it has none.
    pub tag: Symbol,
    /// `None` until its definition is complete.
    pub layout: Option<RecordLayout>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

#[derive(Clone, Debug, Default)]
pub struct RecordLayout {
    /// In order of declaration, unnamed bit-fields left out; an anonymous member has the empty name.
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Symbol,
    pub ty: Ty,
    /// In bytes from the start of the record; for a bit-field, of the byte that holds its first bit.
    pub offset: u64,
    pub bits: Option<Bits>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

/// A bit-field's place: from `shift` (0 to 7) of the byte at its address, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    pub shift: u8,
    pub width: u8,
}

#[derive(Clone, Debug)]
pub struct Enum {
    pub tag: Symbol,
    /// `None` until complete (GNU forward declaration).
    pub underlying: Option<Ty>,
    /// Every enumerator, in order.
    pub enumerators: Vec<(Symbol, i128)>,
    pub attributes: Vec<Attribute>,
    pub loc: Loc,
}

/// How much a type is, written out. Records and enums count as their names.
#[derive(Clone, Copy, Debug)]
struct Extent {
    depth: u32,
    parts: u32,
}

/// All types of one translation unit.
#[derive(Clone, Debug)]
pub struct TypeTable {
    types: Vec<Type>,
    /// Of each type.
    extents: Vec<Extent>,
    numbers: FxHashMap<Type, Ty>,
    pub records: IdVec<RecordId, Record>,
    pub enums: IdVec<EnumId, Enum>,
    functions: IdVec<FunctionTypeId, FunctionType>,
    function_numbers: FxHashMap<FunctionType, FunctionTypeId>,
    pub target: Target,
}

impl Ty {
    pub const ERROR: Ty = Ty(0);
    pub const VOID: Ty = Ty(1 << quals::BITS);
    pub const BOOL: Ty = Ty(2 << quals::BITS);
    pub const CHAR: Ty = Ty(3 << quals::BITS);
    pub const SCHAR: Ty = Ty(4 << quals::BITS);
    pub const UCHAR: Ty = Ty(5 << quals::BITS);
    pub const SHORT: Ty = Ty(6 << quals::BITS);
    pub const USHORT: Ty = Ty(7 << quals::BITS);
    pub const INT: Ty = Ty(8 << quals::BITS);
    pub const UINT: Ty = Ty(9 << quals::BITS);
    pub const LONG: Ty = Ty(10 << quals::BITS);
    pub const ULONG: Ty = Ty(11 << quals::BITS);
    pub const LONG_LONG: Ty = Ty(12 << quals::BITS);
    pub const ULONG_LONG: Ty = Ty(13 << quals::BITS);
    pub const INT128: Ty = Ty(14 << quals::BITS);
    pub const UINT128: Ty = Ty(15 << quals::BITS);
    pub const FLOAT: Ty = Ty(16 << quals::BITS);
    pub const DOUBLE: Ty = Ty(17 << quals::BITS);
    pub const LONG_DOUBLE: Ty = Ty(18 << quals::BITS);
    pub const NULLPTR: Ty = Ty(19 << quals::BITS);
    pub const VOID_PTR: Ty = Ty(20 << quals::BITS);
    pub const CHAR_PTR: Ty = Ty(21 << quals::BITS);
    pub const CONST_CHAR_PTR: Ty = Ty(22 << quals::BITS);
    pub const CONST_VOID_PTR: Ty = Ty(23 << quals::BITS);
}

const FIXED_TYPES: [Type; 24] = [
    Type::Error,
    Type::Void,
    Type::Bool,
    Type::Int(IntKind::Char),
    Type::Int(IntKind::SChar),
    Type::Int(IntKind::UChar),
    Type::Int(IntKind::Short),
    Type::Int(IntKind::UShort),
    Type::Int(IntKind::Int),
    Type::Int(IntKind::UInt),
    Type::Int(IntKind::Long),
    Type::Int(IntKind::ULong),
    Type::Int(IntKind::LongLong),
    Type::Int(IntKind::ULongLong),
    Type::Int(IntKind::Int128),
    Type::Int(IntKind::UInt128),
    Type::Float(FloatKind::Float),
    Type::Float(FloatKind::Double),
    Type::Float(FloatKind::LongDouble),
    Type::Nullptr,
    Type::Pointer(Ty::VOID),
    Type::Pointer(Ty::CHAR),
    Type::Pointer(Ty(Ty::CHAR.0 | quals::CONST)),
    Type::Pointer(Ty(Ty::VOID.0 | quals::CONST)),
];

impl TypeTable {
    /// Gives back what only the making of new types needs; none may be made after this.
    pub fn seal(&mut self) {
        self.numbers = FxHashMap::default();
        self.function_numbers = FxHashMap::default();
        self.types.shrink_to_fit();
        self.extents = Vec::new();
        self.records.shrink_to_fit();
        self.functions.shrink_to_fit();
    }

    pub fn new(target: Target) -> TypeTable {
        let mut table = TypeTable {
            types: Vec::new(),
            extents: Vec::new(),
            numbers: FxHashMap::default(),
            records: IdVec::new(),
            enums: IdVec::new(),
            functions: IdVec::new(),
            function_numbers: FxHashMap::default(),
            target,
        };
        for (number, ty) in FIXED_TYPES.into_iter().enumerate() {
            let interned = table.intern(ty);
            debug_assert_eq!(interned.index(), number);
        }
        table
    }

    /// The one `Ty` of an unqualified type.
    pub fn intern(&mut self, ty: Type) -> Ty {
        if let Some(&interned) = self.numbers.get(&ty) {
            return interned;
        }
        let interned = Ty((self.types.len() as u32) << quals::BITS);
        self.extents.push(self.extent(ty));
        self.types.push(ty);
        self.numbers.insert(ty, interned);
        interned
    }

    fn extent(&self, ty: Type) -> Extent {
        let mut extent = Extent { depth: 0, parts: 1 };
        let mut add = |part: Ty| {
            let part = self.extents[part.index()];
            extent.depth = extent.depth.max(part.depth + 1);
            extent.parts = extent.parts.saturating_add(part.parts);
        };
        match ty {
            Type::Complex(part)
            | Type::Pointer(part)
            | Type::Array(part, _)
            | Type::Vla(part, _)
            | Type::Vector(part, _) => add(part),
            Type::Function(id) => {
                let function = &self.functions[id];
                add(function.result);
                function.parameters.iter().copied().for_each(add);
            }
            Type::Error
            | Type::Void
            | Type::Bool
            | Type::Int(_)
            | Type::BitInt { .. }
            | Type::Float(_)
            | Type::Record(_)
            | Type::Enum(_)
            | Type::Nullptr => {}
        }
        extent
    }

    /// Whether nobody can have meant to declare something of this type.
    pub(crate) fn is_too_large(&self, ty: Ty) -> bool {
        let Extent { depth, parts } = self.extents[ty.index()];
        depth > MAX_EXTENT.depth || parts > MAX_EXTENT.parts
    }

    /// What a type is, its qualifiers aside.
    pub fn get(&self, ty: Ty) -> Type {
        self.types[ty.index()]
    }

    pub fn pointer_to(&mut self, pointee: Ty) -> Ty {
        self.intern(Type::Pointer(pointee))
    }

    pub fn array_of(&mut self, element: Ty, len: Option<u64>) -> Ty {
        self.intern(Type::Array(element, len))
    }

    pub fn function(&self, id: FunctionTypeId) -> &FunctionType {
        &self.functions[id]
    }

    pub fn function_type(&mut self, function: FunctionType) -> Ty {
        let id = match self.function_numbers.get(&function) {
            Some(&id) => id,
            None => {
                let id = self.functions.push(function.clone());
                self.function_numbers.insert(function, id);
                id
            }
        };
        self.intern(Type::Function(id))
    }

    pub fn new_record(&mut self, is_union: bool, tag: Symbol, loc: Loc) -> Ty {
        let id = self.records.push(Record { is_union, tag, layout: None, attributes: Vec::new(), loc });
        self.intern(Type::Record(id))
    }

    pub fn new_enum(&mut self, tag: Symbol, loc: Loc) -> Ty {
        let id = self.enums.push(Enum { tag, underlying: None, enumerators: Vec::new(), attributes: Vec::new(), loc });
        self.intern(Type::Enum(id))
    }

    // ---- questions -------------------------------------------------------------------------

    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    /// Element type of an array, variable-length ones included.
    pub fn element(&self, ty: Ty) -> Option<Ty> {
        match self.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => Some(element),
            _ => None,
        }
    }

    pub fn function_of(&self, ty: Ty) -> Option<&FunctionType> {
        match self.get(ty) {
            Type::Function(id) => Some(&self.functions[id]),
            _ => None,
        }
    }

    /// The function type that a call through a value of this type would call.
    pub fn callee(&self, ty: Ty) -> Option<&FunctionType> {
        self.function_of(self.pointee(ty).unwrap_or(ty))
    }

    pub fn record_of(&self, ty: Ty) -> Option<RecordId> {
        match self.get(ty) {
            Type::Record(id) => Some(id),
            _ => None,
        }
    }

    pub fn layout(&self, record: RecordId) -> Option<&RecordLayout> {
        self.records[record].layout.as_ref()
    }

    pub fn is_void(&self, ty: Ty) -> bool {
        ty.unqualified() == Ty::VOID
    }

    pub fn is_error(&self, ty: Ty) -> bool {
        ty.unqualified() == Ty::ERROR
    }

    pub fn is_pointer(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Pointer(_))
    }

    pub fn is_array(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Array(..) | Type::Vla(..))
    }

    pub fn is_function(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Function(_))
    }

    pub fn is_record(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Record(_))
    }

    pub fn is_union(&self, ty: Ty) -> bool {
        self.record_of(ty).is_some_and(|record| self.records[record].is_union)
    }

    /// Integers, `_Bool`, enums, `_BitInt`.
    pub fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Bool | Type::Int(_) | Type::BitInt { .. } | Type::Enum(_))
    }

    pub fn is_enum(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Enum(_))
    }

    pub fn is_float(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Float(_))
    }

    pub fn is_complex(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Complex(_))
    }

    pub fn is_vector(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Vector(..))
    }

    pub fn is_arithmetic(&self, ty: Ty) -> bool {
        self.is_integer(ty) || self.is_float(ty) || self.is_complex(ty)
    }

    /// What can be tested against zero.
    pub fn is_scalar(&self, ty: Ty) -> bool {
        self.is_arithmetic(ty) || matches!(self.get(ty), Type::Pointer(_) | Type::Nullptr)
    }

    /// Arrays, records: what lives in memory and is copied whole.
    pub fn is_aggregate(&self, ty: Ty) -> bool {
        self.is_array(ty) || self.is_record(ty)
    }

    /// Width in bits and signedness of an integer type (enums by their underlying type).
    pub fn int_info(&self, ty: Ty) -> Option<(u32, bool)> {
        match self.get(ty) {
            Type::Bool => Some((8, false)),
            Type::Int(kind) => Some((self.target.int_size(kind) as u32 * 8, self.target.int_is_signed(kind))),
            Type::BitInt { bits, is_signed } => Some((bits, is_signed)),
            Type::Enum(id) => self.enums[id].underlying.map_or(Some((32, false)), |ty| self.int_info(ty)),
            _ => None,
        }
    }

    /// Size in bytes; `None` for incomplete and variable-length types. Functions and `void` are 1, as GNU has it.
    pub fn size_of(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            Type::Error => None,
            Type::Void | Type::Function(_) | Type::Bool => Some(1),
            Type::Int(kind) => Some(self.target.int_size(kind)),
            Type::BitInt { bits, .. } => Some(bit_int_size(bits)),
            Type::Float(kind) => Some(self.target.float_size(kind)),
            Type::Complex(element) => self.size_of(element).map(|size| size * 2),
            Type::Pointer(_) | Type::Nullptr => Some(self.target.pointer_size),
            Type::Array(element, len) => self.size_of(element)?.checked_mul(len?).filter(|&size| size <= MAX_SIZE),
            Type::Vla(..) => None,
            Type::Vector(element, len) => Some((self.size_of(element)? * u64::from(len)).next_power_of_two()),
            Type::Record(id) => self.layout(id).map(|layout| layout.size),
            Type::Enum(id) => self.size_of(self.enums[id].underlying?),
        }
    }

    pub fn align_of(&self, ty: Ty) -> Option<u64> {
        match self.get(ty) {
            Type::Error => None,
            Type::Void | Type::Function(_) | Type::Bool => Some(1),
            Type::Int(kind) => Some(self.target.int_align(kind)),
            Type::BitInt { bits, .. } => Some(bit_int_size(bits).min(8)),
            Type::Float(kind) => Some(self.target.float_align(kind)),
            Type::Complex(element) => self.align_of(element),
            Type::Pointer(_) | Type::Nullptr => Some(self.target.pointer_size),
            Type::Array(element, _) | Type::Vla(element, _) => self.align_of(element),
            Type::Vector(..) => self.size_of(ty),
            Type::Record(id) => self.layout(id).map(|layout| layout.align),
            Type::Enum(id) => self.align_of(self.enums[id].underlying?),
        }
    }

    pub fn is_complete(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Error | Type::Void | Type::Function(_) => false,
            Type::Vla(element, _) => self.is_complete(element),
            _ => self.size_of(ty).is_some(),
        }
    }

    /// Whether its size is only known when the program runs.
    pub fn is_variably_sized(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Vla(..) => true,
            Type::Array(element, _) => self.is_variably_sized(element),
            _ => false,
        }
    }
}

fn bit_int_size(bits: u32) -> u64 {
    let bytes = u64::from(bits.div_ceil(8));
    if bytes <= 8 { bytes.next_power_of_two() } else { bytes.next_multiple_of(8) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{I386_LINUX, X86_64_LINUX};

    #[test]
    fn equal_types_are_one() {
        let mut table = TypeTable::new(X86_64_LINUX.clone());
        assert_eq!(table.pointer_to(Ty::CHAR), Ty::CHAR_PTR);
        assert_eq!(table.pointer_to(Ty::CHAR.with(quals::CONST)), Ty::CONST_CHAR_PTR);
        assert_ne!(table.pointer_to(Ty::INT), Ty::CHAR_PTR);
    }

    #[test]
    fn sizes_follow_the_target() {
        let mut wide = TypeTable::new(X86_64_LINUX.clone());
        let mut narrow = TypeTable::new(I386_LINUX.clone());
        assert_eq!(wide.size_of(Ty::LONG), Some(8));
        assert_eq!(narrow.size_of(Ty::LONG), Some(4));
        assert_eq!(narrow.align_of(Ty::LONG_LONG), Some(4));
        let array = wide.array_of(Ty::LONG_DOUBLE, Some(3));
        assert_eq!(wide.size_of(array), Some(48));
        let open = narrow.array_of(Ty::INT, None);
        assert_eq!(narrow.size_of(open), None);
    }
}
