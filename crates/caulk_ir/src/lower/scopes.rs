//! Scopes: objects begin and end to live.
//!
//! All objects of the open scopes stand on one stack, in the order in which their lives began; a
//! scope is a stretch of it. Every way out of a scope, by its end or by a jump, calls the `cleanup`
//! functions of its variables, last declared first, and then ends its memory objects.
//!
//! A jump ends what it leaves: the scopes that do not hold its target and, if it goes back, the
//! objects of the common scope that were declared after the target.
//!
//! ```c
//! again: ;
//!     free_on_exit char *line = next();     // `goto again` calls the cleanup of `line`
//!     if (!*line) goto again;
//! ```
//!
//! Limits: a computed `goto` and `asm goto` end nothing, as in GCC, which rejects or ignores
//! cleanups there; the objects then seem to live on, so this may cost a miss.

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::{self, ExprId, LocalId, StmtId, StmtKind};
use caulk_sema::types::Ty;

use super::places::Place;
use super::{Lowerer, Storage};
use crate::build::Variable;
use crate::ir::{GlobalId, InstKind, Value};

/// The open scopes.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    objects: Vec<Object>,
    scopes: Vec<Scope>,
    /// How many objects there have been.
    born: u32,
}

#[derive(Clone, Copy, Debug)]
struct Scope {
    /// The block; the outermost scope, of the parameters, has none.
    block: Option<StmtId>,
    /// Where its objects start.
    start: usize,
}

#[derive(Clone, Copy, Debug)]
struct Object {
    memory: ObjectMemory,
    cleanup: Option<(GlobalId, LocalId)>,
    /// Its number among all objects of the function, in source order.
    birth: u32,
}

#[derive(Clone, Copy, Debug)]
enum ObjectMemory {
    Slot(Value),
    /// The variable holds the address of a variable-length array.
    Vla(Variable),
    /// A pointer that is a value: only told of.
    Variable(Variable),
    /// Nothing to end: it is a global in truth.
    None,
}

impl Scopes {
    pub(super) fn start(&mut self) {
        self.objects.clear();
        self.scopes.clear();
        self.born = 0;
    }

    /// How many objects have been declared so far, over all scopes.
    pub(super) fn born(&self) -> u32 {
        self.born
    }

    /// How many scopes are open.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// How many scopes stay open on a jump into this block, if it is open.
    pub(super) fn depth_of(&self, block: StmtId) -> Option<usize> {
        self.scopes.iter().rposition(|scope| scope.block == Some(block)).map(|place| place + 1)
    }

    pub(super) fn add_slot(&mut self, slot: Value) {
        self.add(ObjectMemory::Slot(slot), None);
    }

    fn add(&mut self, memory: ObjectMemory, cleanup: Option<(GlobalId, LocalId)>) {
        self.objects.push(Object { memory, cleanup, birth: self.born });
        self.born += 1;
    }
}

impl Lowerer<'_> {
    pub(super) fn open_scope(&mut self, block: Option<StmtId>) {
        let start = self.tables.scopes.objects.len();
        self.tables.scopes.scopes.push(Scope { block, start });
    }

    /// Ends the innermost scope where control falls out of it.
    pub(super) fn close_scope(&mut self, loc: Loc) {
        let depth = self.tables.scopes.depth();
        self.leave_scopes(depth.saturating_sub(1), None, loc);
        if let Some(scope) = self.tables.scopes.scopes.pop() {
            self.tables.scopes.objects.truncate(scope.start);
        }
    }

    /// The statements of a block and the value of the expression at its end, in one scope.
    pub(super) fn block_with_value(&mut self, block: StmtId, value: Option<ExprId>, is_wanted: bool) -> Option<Value> {
        let stmt = self.body.stmts[block];
        let StmtKind::Block { stmts, end } = stmt.kind else {
            self.statement(block);
            return self.end_value(value, is_wanted);
        };
        self.open_scope(Some(block));
        for place in stmts.range() {
            self.statement(self.body.stmt_lists[place]);
        }
        let value = self.end_value(value, is_wanted);
        self.close_scope(end);
        value
    }

    fn end_value(&mut self, value: Option<ExprId>, is_wanted: bool) -> Option<Value> {
        let value = value?;
        if is_wanted && !self.unit.types.is_void(self.expr(value).ty) {
            return Some(self.value(value));
        }
        self.discard(value);
        None
    }

    /// The life of a local begins: from here on, ways out of the scope end it.
    pub(super) fn begin_life(&mut self, local: LocalId) {
        let memory = match self.tables.storage[local] {
            Storage::Variable(variable) => {
                let hir::Local { ty, name, .. } = self.body.locals[local];
                // Those of the outermost block end with the function, which says it as well.
                if name == Symbol::EMPTY || !self.unit.types.is_pointer(ty) || self.tables.scopes.depth() < 3 {
                    return;
                }
                ObjectMemory::Variable(variable)
            }
            Storage::Slot(_) => ObjectMemory::Slot(self.slot(local)),
            Storage::Vla(variable) => ObjectMemory::Vla(variable),
            Storage::Global(_) => ObjectMemory::None,
        };
        let cleanup = self.body.locals[local].cleanup.map(|function| (function, local));
        if cleanup.is_some() || !matches!(memory, ObjectMemory::None) {
            self.tables.scopes.add(memory, cleanup);
        }
    }

    /// Ends what a jump from here leaves: all but the outermost `keep` scopes, and of the innermost
    /// scope kept the objects numbered from `born_before` on.
    pub(super) fn leave_scopes(&mut self, keep: usize, born_before: Option<u32>, loc: Loc) {
        if self.builder.is_dead() {
            return;
        }
        let mut end = self.tables.scopes.objects.len();
        for place in (keep..self.tables.scopes.scopes.len()).rev() {
            let start = self.tables.scopes.scopes[place].start;
            self.end_objects(start, end, loc);
            end = start;
        }
        let Some(born_before) = born_before else { return };
        let Some(place) = keep.checked_sub(1) else { return };
        let kept = &self.tables.scopes.objects[self.tables.scopes.scopes[place].start..end];
        let ended = kept.iter().rev().take_while(|object| object.birth >= born_before).count();
        self.end_objects(end - ended, end, loc);
    }

    fn end_objects(&mut self, start: usize, end: usize, loc: Loc) {
        for place in (start..end).rev() {
            if let Some((function, local)) = self.tables.scopes.objects[place].cleanup {
                self.call_cleanup(function, local, loc);
            }
        }
        for place in (start..end).rev() {
            let object = match self.tables.scopes.objects[place].memory {
                ObjectMemory::Slot(slot) => slot,
                ObjectMemory::Vla(variable) => self.builder.read(variable),
                ObjectMemory::Variable(variable) => {
                    let undef = self.builder.undef(self.builder.variable_ty(variable));
                    let name = self.builder.variable_name(variable);
                    self.emit(InstKind::Bind { variable: name, value: undef }, Ty::VOID, loc);
                    continue;
                }
                ObjectMemory::None => continue,
            };
            self.emit(InstKind::End { object }, Ty::VOID, loc);
        }
    }

    fn call_cleanup(&mut self, function: GlobalId, local: LocalId, loc: Loc) {
        let local_ty = self.body.locals[local].ty;
        let Place::Memory { address, .. } = self.local_place(local, local_ty) else { return };
        let function_ty = self.unit.globals[function].ty;
        let pointer = self.pointer_to(function_ty);
        let callee = self.builder.global(function, pointer);
        let (result, parameter) = match self.unit.types.function_of(function_ty) {
            Some(function) => (function.result, function.parameters.first().copied()),
            None => (Ty::VOID, None),
        };
        let address = match parameter {
            Some(parameter) => self.convert(address, parameter, loc),
            None => address,
        };
        let args = self.builder.operands(&[address]);
        self.emit(InstKind::Call { callee, args }, result, loc);
    }
}
