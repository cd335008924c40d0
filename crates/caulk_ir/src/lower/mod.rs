//! Typed tree to IR, one function at a time.
//!
//! *Place*: what an lvalue denotes, a variable or memory. *Storage*: where a local lives. *Scope*: a
//! block being lowered, with the objects whose life ends with it.
//!
//! ```c
//! char *name(struct user *u, int full) {
//!     char *text = full ? u->long_name : 0;     // bb0: branch on `full`; bb1: field, load; bb2
//!     return text ? text : u->name;             // bb3: phi of the load and null; compare, branch …
//! }
//! ```
//!
//! Conditions become control flow at once: `a && b` in an `if` never is a number. Scopes end
//! explicitly: every way out of a block calls the `cleanup` functions of its variables and then ends
//! its memory objects. What cannot be expressed becomes [`InstKind::Unknown`].
//!
//! Reading order: `places`, `expressions`, `arithmetic`, `conditions`, `statements`,
//! `switches`, `jumps`, `scopes`; then `initialisers`, `sizes`, `builtins`, `assembly`.

mod arithmetic;
mod assembly;
mod builtins;
mod conditions;
mod expressions;
mod initialisers;
mod jumps;
mod places;
mod scopes;
mod sizes;
mod statements;
mod switches;
#[cfg(test)]
mod tests;

use caulk_base::symbol::word;
use caulk_base::{IdVec, Loc, Symbol};
use caulk_sema::hir::{self, Body, Expr, ExprId, LocalId};
use caulk_sema::types::{Ty, Type};

use crate::build::{Builder, Variable};
use crate::ir::{Function, GlobalId, InstKind, Terminator, Unit, Value};
use jumps::Labels;
use places::Place;
use scopes::Scopes;
use statements::JumpTarget;
use switches::Switches;

/// Deeper nested expressions and statements become [`InstKind::Unknown`]: their effects are lost, so
/// this may cost a miss. Three times what the parser lets through, because a construct may be three
/// levels here (a statement expression, its block, its last statement), on the stack that is made for
/// it. Long chains (`a + b + …`, `else if`, `case`) do not nest.
const MAX_DEPTH: u32 = 24_000;

/// Buffers reused from function to function.
#[derive(Debug, Default)]
pub struct LowerScratch {
    builder: Builder,
    tables: Tables,
}

/// What lowering knows of the function beside its graph.
#[derive(Debug, Default)]
struct Tables {
    storage: IdVec<LocalId, Storage>,
    vla_lengths: Vec<Variable>,
    /// Operands of the calls being evaluated.
    values: Vec<Value>,
    /// Links of the chains being evaluated.
    exprs: Vec<ExprId>,
    scopes: Scopes,
    labels: Labels,
    /// Loops and switches around the current statement.
    targets: Vec<JumpTarget>,
    switches: Switches,
}

/// Where a local lives.
#[derive(Clone, Copy, Debug)]
enum Storage {
    /// A scalar whose address is not taken.
    Variable(Variable),
    /// An object of the frame; made when it is first needed.
    Slot(Option<Value>),
    /// A variable-length array: the variable holds its address.
    Vla(Variable),
    /// Kept in a global for a nested function.
    Global(GlobalId),
}

/// The IR of a function with its body.
pub fn lower_function(unit: &mut Unit, global: GlobalId, body: &Body, scratch: &mut LowerScratch) -> Function {
    let result = match unit.types.function_of(unit.globals[global].ty) {
        Some(function) => function.result.unqualified(),
        None => Ty::VOID,
    };
    let loc = unit.globals[global].loc;
    let LowerScratch { builder, tables } = scratch;
    Lowerer { unit, body, builder, tables, result, depth: 0 }.function(global);
    let mut function = builder.finish(global, loc);
    function.calls_returns_twice = body.calls_returns_twice;
    function.label_blocks = scratch.label_blocks(body);
    function
}

struct Lowerer<'a> {
    unit: &'a mut Unit,
    body: &'a Body,
    builder: &'a mut Builder,
    tables: &'a mut Tables,
    /// What the function returns.
    result: Ty,
    depth: u32,
}

impl Lowerer<'_> {
    fn function(&mut self, global: GlobalId) {
        self.builder.start();
        self.tables.values.clear();
        self.tables.exprs.clear();
        self.tables.targets.clear();
        self.tables.scopes.start();
        self.tables.switches.start();
        self.find_storage();
        self.start_labels();
        self.open_scope(None);
        self.parameters();
        let end = match self.body.root {
            Some(root) => {
                self.statement(root);
                match self.body.stmts[root].kind {
                    hir::StmtKind::Block { end, .. } => end,
                    _ => self.body.stmts[root].loc,
                }
            }
            None => self.unit.globals[global].loc,
        };
        self.close_scope(end);
        self.return_at_end(global, end);
        self.finish_labels();
    }

    fn find_storage(&mut self) {
        self.tables.storage.clear();
        for local in &self.body.locals {
            let storage = if let Some(global) = local.captured_as {
                Storage::Global(global)
            } else if self.unit.types.is_variably_sized(local.ty) {
                let pointer = self.unit.types.pointer_to(local.ty);
                Storage::Vla(self.builder.new_variable(pointer, Symbol::EMPTY))
            } else if local.in_memory
                || local.cleanup.is_some()
                || local.ty.is_volatile()
                || !self.is_value_type(local.ty)
            {
                Storage::Slot(None)
            } else {
                Storage::Variable(self.builder.new_variable(local.ty, local.name))
            };
            self.tables.storage.push(storage);
        }
        self.tables.vla_lengths.clear();
        for _ in 0..self.body.vla_count {
            let ty = self.size_type();
            self.tables.vla_lengths.push(self.builder.new_variable(ty, Symbol::EMPTY));
        }
    }

    /// Whether a variable of the type can be a value.
    fn is_value_type(&self, ty: Ty) -> bool {
        let types = &self.unit.types;
        types.is_scalar(ty) || types.is_vector(ty) || types.is_error(ty)
    }

    fn parameters(&mut self) {
        for &local in &self.body.parameters {
            let hir::Local { ty, name, loc, .. } = self.body.locals[local];
            let param = self.builder.param(ty.unqualified(), loc);
            self.begin_life(local);
            let place = self.local_place(local, ty);
            match place {
                Place::Variable(variable) => self.builder.write(variable, param),
                _ => {
                    self.builder.name_value(param, name);
                    self.write_place(place, param, loc);
                }
            }
        }
    }

    /// Falling off the end: `main` returns 0, a function that should return a value anything.
    fn return_at_end(&mut self, global: GlobalId, loc: Loc) {
        let value = if self.result == Ty::VOID {
            None
        } else if self.unit.globals[global].name == word::MAIN && self.result == Ty::INT {
            Some(self.int(0, Ty::INT))
        } else {
            Some(self.builder.undef(self.result))
        };
        self.builder.terminate(Terminator::Return(value), loc);
    }

    // ---- small things ----------------------------------------------------------------------

    fn expr(&self, id: ExprId) -> Expr {
        self.body.exprs[id]
    }

    fn emit(&mut self, kind: InstKind, ty: Ty, loc: Loc) -> Value {
        self.builder.emit(kind, ty.unqualified(), loc)
    }

    fn int(&mut self, value: i128, ty: Ty) -> Value {
        self.builder.int(&self.unit.types, value, ty)
    }

    fn int_value(&self, value: Value) -> Option<i128> {
        self.builder.int_value(&self.unit.types, value)
    }

    fn ty(&self, value: Value) -> Ty {
        self.builder.ty(value)
    }

    fn pointer_to(&mut self, ty: Ty) -> Ty {
        self.unit.types.pointer_to(ty)
    }

    fn size_type(&mut self) -> Ty {
        let kind = self.unit.types.target.size_type;
        self.unit.types.intern(Type::Int(kind))
    }

    fn ptrdiff_type(&mut self) -> Ty {
        let kind = self.unit.types.target.ptrdiff_type;
        self.unit.types.intern(Type::Int(kind))
    }

    /// The zero of a type that can be tested.
    fn zero(&mut self, ty: Ty, loc: Loc) -> Value {
        match self.unit.types.get(ty) {
            Type::Float(_) => self.builder.float(0.0, ty),
            Type::Complex(element) => {
                let part = self.zero(element, loc);
                self.emit(InstKind::MakeComplex { real: part, imag: part }, ty, loc)
            }
            Type::Error
            | Type::Bool
            | Type::Int(_)
            | Type::BitInt { .. }
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::Nullptr => self.int(0, ty),
            Type::Void | Type::Array(..) | Type::Vla(..) | Type::Vector(..) | Type::Function(_) | Type::Record(_) => {
                self.builder.undef(ty)
            }
        }
    }

    /// A value that is anything, from operands that may be changed in any way.
    fn unknown(&mut self, reason: &str, operands: &[Value], ty: Ty, loc: Loc) -> Value {
        let operands = self.builder.operands(operands);
        let kind = InstKind::Unknown { reason: Symbol::intern(reason), operands };
        self.emit(kind, ty, loc)
    }
}
