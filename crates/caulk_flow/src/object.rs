//! The objects of one evaluation, the cells they are made of, and where symbols come from.
//!
//! An *object* is a stretch of memory: a local, a global, a heap block, or what an unknown pointer
//! points to. A *cell* is a scalar in it, by offset and width. `a[i]` with an unknown `i` is an
//! object of its own, an *element*, which lies in its array; two elements may be the same memory, so
//! writing one blurs the others.
//!
//! A *symbol* is a value nobody knows: an argument, what a cell held at entry, the result of an
//! unknown function. A symbol read from blurred memory has *aliases*: it may be any of them, and
//! releasing it releases, towards silence, all of them.

use std::rc::Rc;

use caulk_base::{IdVec, Loc, Symbol as Name, define_id};
use caulk_guard::{Guard, Kind, Object, Symbol, Term};
use caulk_ir::ir;
use caulk_program::{Target, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::KindId;
use crate::value::Val;

define_id!(CellId, "c");
define_id!(
    /// An object that was allocated, or came fresh from a callee, during this evaluation.
    HeapId, "h");

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A local variable in memory.
    Slot(ir::Value),
    /// A variable-length array or `alloca`, of one evaluation of it.
    Alloca(ir::Value, u32),
    Variable(VariableId),
    Code(Target),
    /// Static memory without interest: a string literal.
    Literal(u32),
    /// What an unknown pointer points to.
    Pointee(Symbol),
    /// `base[index]`, where the array starts at the offset.
    Element {
        base: Object,
        offset: i64,
        stride: i64,
        index: Term,
    },
    Heap(HeapId),
}

#[derive(Clone, Debug)]
pub struct ObjectInfo {
    pub kind: ObjectKind,
    /// The object it lies in; itself if it is no element.
    pub root: Object,
    /// Every cell, in the order of their creation.
    pub cells: Vec<CellId>,
    /// Stands for the cells that were not written.
    pub default: CellId,
    /// The elements that lie directly in it.
    pub elements: Vec<Object>,
    /// When it was released, or may have been; for the root only.
    pub released: Guard,
    /// When it was certainly released, and what it holds with it.
    pub gone: Guard,
    /// When something that outlives the function and is not memory we see got a reference.
    pub escaped: Guard,
    /// The last release, for telling.
    pub release: Option<Release>,
}

#[derive(Clone, Copy, Debug)]
pub struct Release {
    pub kind: KindId,
    pub loc: Loc,
}

/// A resource that this function owns or came to own.
#[derive(Clone, Debug)]
pub struct Heap {
    pub object: Object,
    pub kind: KindId,
    /// The instruction, a call, that yielded it.
    pub site: ir::Value,
    /// Which visit of the instruction.
    pub allocator: Name,
    /// Executed, and successful.
    pub allocated: Guard,
    pub is_zeroed: bool,
    /// Places in callees on the way to this call, innermost first.
    pub inner: Vec<(usize, Loc)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellClass {
    Value,
    Default,
    /// Everything stored through unknown indices of this offset.
    Bag,
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub object: Object,
    pub offset: i64,
    pub kind: Kind,
    pub class: CellClass,
    /// Read or written as a pointer.
    pub is_pointer: bool,
    /// A call may have written it that does not tell when it does.
    pub is_untold: bool,
}

impl Cell {
    fn new(object: Object, offset: i64, kind: Kind, class: CellClass) -> Cell {
        Cell { object, offset, kind, class, is_pointer: false, is_untold: false }
    }

    pub fn bytes(&self) -> i64 {
        self.kind.bytes()
    }

    pub fn overlaps(&self, offset: i64, bytes: i64) -> bool {
        self.class == CellClass::Value && self.offset < offset + bytes && offset < self.offset + self.bytes()
    }
}

/// Where a symbol comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Param(u32),
    /// A member of a record that is passed by value.
    ParamPart(u32, i64),
    /// What the cell held at entry.
    Contents(CellId),
    /// What fresh memory holds before it is written.
    Garbage,
    /// Nobody knows it: it came from outside.
    Opaque,
    /// A number that was known and is not any more. What it says about the heap objects from the first number up to
    /// the second, made in the same call or loop, is forgotten with it.
    Forgotten(u32, u32),
}

impl Origin {
    /// Whether nothing is known of where the value leads.
    pub fn is_unknown(self) -> bool {
        matches!(self, Origin::Opaque | Origin::Garbage | Origin::Forgotten(..))
    }
}

/// Terms in order.
#[derive(Clone, Debug, Default)]
pub struct Aliases(Option<Rc<[Term]>>);

impl std::ops::Deref for Aliases {
    type Target = [Term];

    fn deref(&self) -> &[Term] {
        self.0.as_deref().unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
pub struct SymbolInfo {
    pub term: Term,
    pub origin: Origin,
    /// What it may be, if it was read from blurred memory. Many symbols share a set.
    pub aliases: Aliases,
    /// The resource that this number stands for.
    pub handle: Option<Object>,
    /// Number of dereferences from a parameter or global.
    pub depth: u32,
}

#[derive(Default)]
pub struct Objects {
    pub infos: IdVec<Object, ObjectInfo>,
    by_kind: FxHashMap<ObjectKind, Object>,
    pub cells: IdVec<CellId, Cell>,
    by_place: FxHashMap<(Object, i64, u8, CellClass), CellId>,
    /// What a cell held at entry, once it was asked for.
    pub initial: IdVec<CellId, Option<Val>>,
    pub symbols: Vec<SymbolInfo>,
    alias_sets: FxHashSet<Rc<[Term]>>,
    pub heap: IdVec<HeapId, Heap>,
}

/// Whether an array that begins at `start` of an object, of elements `stride` apart, may have the place `inner` of one
/// of them at an offset. What lies before an array that does not begin the object is no part of it.
pub fn may_be_element(offset: i64, start: i64, inner: i64, stride: i64) -> bool {
    stride != 0 && (offset - start - inner) % stride == 0 && (start <= 0 || offset >= start)
}

/// The offset of the bag for what is somewhere in an object.
pub const ANYWHERE: i64 = i64::MIN;

/// The width used where a cell stands for something without one.
const NO_KIND: Kind = Kind { bits: 1, signed: false };

impl Objects {
    pub fn clear(&mut self) {
        *self = Objects::default();
    }

    pub fn intern(&mut self, kind: ObjectKind) -> Object {
        if let Some(&object) = self.by_kind.get(&kind) {
            return object;
        }
        let object = self.infos.next_id();
        let root = match kind {
            ObjectKind::Element { base, .. } => {
                self.infos[base].elements.push(object);
                self.infos[base].root
            }
            _ => object,
        };
        let default = self.push_cell(Cell::new(object, 0, NO_KIND, CellClass::Default));
        self.infos.push(ObjectInfo {
            kind: kind.clone(),
            root,
            cells: Vec::new(),
            default,
            elements: Vec::new(),
            released: Guard::FALSE,
            gone: Guard::FALSE,
            escaped: Guard::FALSE,
            release: None,
        });
        self.by_kind.insert(kind, object);
        object
    }

    pub fn aliases(&mut self, terms: &[Term]) -> Aliases {
        if terms.is_empty() {
            return Aliases::default();
        }
        let set = self.alias_sets.get(terms).cloned().unwrap_or_else(|| {
            let set: Rc<[Term]> = terms.into();
            self.alias_sets.insert(set.clone());
            set
        });
        Aliases(Some(set))
    }

    pub fn get(&self, object: Object) -> &ObjectInfo {
        &self.infos[object]
    }

    pub fn root(&self, object: Object) -> Object {
        self.infos[object].root
    }

    pub fn known(&self, kind: &ObjectKind) -> Option<Object> {
        self.by_kind.get(kind).copied()
    }

    fn push_cell(&mut self, cell: Cell) -> CellId {
        self.initial.push(None);
        self.cells.push(cell)
    }

    pub fn cell(&mut self, object: Object, offset: i64, kind: Kind) -> CellId {
        self.cell_of_class(object, offset, kind, CellClass::Value)
    }

    pub fn bag(&mut self, object: Object, offset: i64) -> CellId {
        self.cell_of_class(object, offset, NO_KIND, CellClass::Bag)
    }

    /// The bag of an offset, if anything was ever put there.
    pub fn known_bag(&self, object: Object, offset: i64) -> Option<CellId> {
        self.by_place.get(&(object, offset, NO_KIND.bits, CellClass::Bag)).copied()
    }

    fn cell_of_class(&mut self, object: Object, offset: i64, kind: Kind, class: CellClass) -> CellId {
        if let Some(&cell) = self.by_place.get(&(object, offset, kind.bits, class)) {
            return cell;
        }
        let cell = self.push_cell(Cell::new(object, offset, kind, class));
        self.by_place.insert((object, offset, kind.bits, class), cell);
        self.infos[object].cells.push(cell);
        cell
    }

    pub fn heap_of(&self, object: Object) -> Option<HeapId> {
        match self.infos[self.infos[object].root].kind {
            ObjectKind::Heap(heap) => Some(heap),
            _ => None,
        }
    }

    /// Whether what the object holds is there after the function returned, whoever holds it.
    pub fn outlives(&self, object: Object) -> bool {
        match self.infos[self.infos[object].root].kind {
            ObjectKind::Variable(_) | ObjectKind::Literal(_) | ObjectKind::Code(_) => true,
            // Nobody else knows where garbage leads.
            ObjectKind::Pointee(symbol) => self.symbols[symbol.0 as usize].origin != Origin::Garbage,
            ObjectKind::Slot(_) | ObjectKind::Alloca(..) | ObjectKind::Heap(_) | ObjectKind::Element { .. } => false,
        }
    }
}
