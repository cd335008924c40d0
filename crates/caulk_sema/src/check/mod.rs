//! The checker: one external declaration after another, tree in, typed bodies out.
//!
//! [`Checker`] holds what a translation unit accumulates. [`Cx`] pairs it with the tree of the
//! declaration at hand; all checking is methods of `Cx`, a file each for specifiers, declarators,
//! declarations, expressions, calls, builtins, initialisers and statements.
//!
//! We are no compiler: what a compiler would refuse is accepted where it has a meaning. What has none
//! becomes [`ExprKind::Unknown`], so that a mistake costs one instruction, not the function.

mod atomics;
mod attributes;
mod build;
mod builtins;
mod calls;
mod data;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod initializers;
mod library;
mod operators;
mod records;
mod specifiers;
mod statements;

use caulk_base::symbol::word;
use caulk_base::{Diagnostic, IdVec, Loc, Symbol};
use caulk_syntax::Dialect;
use caulk_syntax::ast::{Ast, ExternalDecl};
use rustc_hash::FxHashMap;

use crate::hir::{self, Body, ExprId, ExprKind, LabelId};
use crate::scope::{Meaning, NameSpace};
use crate::target::{Target, VaListKind};
use crate::types::{Field, RecordId, RecordLayout, Ty, TypeTable, VlaId};
use crate::unit::{GlobalId, StringData, StringId, Unit};

/// What the command line decides about meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    pub dialect: Dialect,
    /// `-fgnu89-inline`, or a standard before C99.
    pub gnu89_inline: bool,
}

/// Receives each function body as soon as it is checked; the arenas are reused afterwards.
pub type BodySink<'a> = dyn FnMut(&mut Unit, GlobalId, &Body) + 'a;

pub struct Checker {
    pub unit: Unit,
    pub diagnostics: Vec<Diagnostic>,
    options: Options,
    names: NameSpace,
    tags: NameSpace,
    /// Everything with linkage, by source name: a block-scope `extern` finds it again.
    linked: FxHashMap<Symbol, GlobalId>,
    /// How many globals want a name that must be unique (static locals, compound literals).
    taken_names: FxHashMap<Symbol, u32>,
    string_numbers: FxHashMap<StringData, StringId>,
    va_list: Ty,
    body: Body,
    function: Option<FunctionState>,
    /// The functions around a nested one, outermost first.
    outer: Vec<(Body, FunctionState)>,
    /// Nested functions that wait until the one they stand in has been handed on.
    nested: Vec<(GlobalId, Body)>,
    /// Lengths of variable-length arrays met in types, to be fixed before they are used.
    pending_vlas: Vec<(VlaId, ExprId)>,
    /// Records whose members are being read, the innermost last.
    open_records: Vec<RecordId>,
    /// A static initialiser is being checked: compound literals are static too.
    in_static_init: bool,
}

/// What is known about the function whose body is being checked.
struct FunctionState {
    name: Symbol,
    result: Ty,
    labels: FxHashMap<Symbol, LabelId>,
    /// `__label__` declarations in force: what they hid, by scope.
    local_labels: Vec<(Symbol, Option<LabelId>)>,
    /// Promoted types of the open `switch`es.
    switch_types: Vec<Ty>,
}

/// The checker at work on one tree.
struct Cx<'a> {
    ast: &'a Ast,
    checker: &'a mut Checker,
}

impl std::ops::Deref for Cx<'_> {
    type Target = Checker;
    fn deref(&self) -> &Checker {
        self.checker
    }
}

impl std::ops::DerefMut for Cx<'_> {
    fn deref_mut(&mut self) -> &mut Checker {
        self.checker
    }
}

impl Checker {
    pub fn new(target: Target, options: Options) -> Checker {
        let mut types = TypeTable::new(target);
        let va_list = va_list_type(&mut types);
        let unit = Unit { types, globals: IdVec::new(), strings: IdVec::new(), asm: Vec::new() };
        let mut checker = Checker {
            unit,
            diagnostics: Vec::new(),
            options,
            names: NameSpace::default(),
            tags: NameSpace::default(),
            linked: FxHashMap::default(),
            taken_names: FxHashMap::default(),
            string_numbers: FxHashMap::default(),
            va_list,
            body: Body::default(),
            function: None,
            outer: Vec::new(),
            nested: Vec::new(),
            pending_vlas: Vec::new(),
            open_records: Vec::new(),
            in_static_init: false,
        };
        checker.names.declare(word::BUILTIN_VA_LIST, Meaning::Typedef { ty: va_list, align: None });
        checker
    }

    /// Checks one external declaration. Function bodies, also of nested functions, go to `sink`.
    pub fn external_decl(&mut self, ast: &Ast, decl: ExternalDecl, sink: &mut BodySink<'_>) {
        self.reset();
        let mut cx = Cx { ast, checker: self };
        match decl {
            ExternalDecl::Declaration(declaration) => cx.file_declaration(declaration),
            ExternalDecl::Function(definition) => {
                if let Some(global) = cx.function_definition(&definition) {
                    sink(&mut self.unit, global, &self.body);
                    for (global, body) in std::mem::take(&mut self.nested) {
                        sink(&mut self.unit, global, &body);
                    }
                }
            }
            ExternalDecl::StaticAssert(assert) => cx.static_assert(assert.condition),
            ExternalDecl::Asm(asm) => {
                let text = cx.string_text(ast.asms[asm].template);
                self.unit.asm.push(text);
            }
        }
    }

    /// Back to file scope, whatever the last declaration left behind.
    fn reset(&mut self) {
        self.names.pop_all();
        self.tags.pop_all();
        self.body.clear();
        self.function = None;
        self.outer.clear();
        self.nested.clear();
        self.pending_vlas.clear();
        self.open_records.clear();
        self.in_static_init = false;
    }

    /// The unit's globals, when everything has been checked.
    pub fn finish(self) -> (Unit, Vec<Diagnostic>) {
        (self.unit, self.diagnostics)
    }

    fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(loc, message));
    }

    fn depth(&self) -> u32 {
        self.outer.len() as u32
    }

    fn push_scope(&mut self) {
        self.names.push();
        self.tags.push();
    }

    fn pop_scope(&mut self) {
        self.names.pop();
        self.tags.pop();
    }

    fn ty_of(&self, expr: ExprId) -> Ty {
        self.body.exprs[expr].ty
    }

    fn kind_of(&self, expr: ExprId) -> ExprKind {
        self.body.exprs[expr].kind
    }

    fn loc_of(&self, expr: ExprId) -> Loc {
        self.body.exprs[expr].loc
    }

    fn push_expr(&mut self, kind: ExprKind, ty: Ty, loc: Loc) -> ExprId {
        self.body.exprs.push(hir::Expr { kind, ty, loc })
    }

    fn size_type(&mut self) -> Ty {
        let kind = self.unit.types.target.size_type;
        self.unit.types.intern(crate::types::Type::Int(kind))
    }

    fn ptrdiff_type(&mut self) -> Ty {
        let kind = self.unit.types.target.ptrdiff_type;
        self.unit.types.intern(crate::types::Type::Int(kind))
    }

    /// A name no other global has: `base`, `base.1`, `base.2` …
    fn unique_name(&mut self, base: &str) -> Symbol {
        let symbol = Symbol::intern(base);
        let number = self.taken_names.entry(symbol).or_insert(0);
        *number += 1;
        match *number {
            1 => symbol,
            n => Symbol::intern(&format!("{base}.{}", n - 1)),
        }
    }
}

fn va_list_type(types: &mut TypeTable) -> Ty {
    match types.target.va_list {
        VaListKind::CharPointer => Ty::CHAR_PTR,
        VaListKind::X86_64 => {
            let tag = types.new_record(false, Symbol::intern("__va_list_tag"), Loc::NONE);
            let field = |name: &str, ty, offset| Field {
                name: Symbol::intern(name),
                ty,
                offset,
                bits: None,
                attributes: Vec::new(),
                loc: Loc::NONE,
            };
            let fields = vec![
                field("gp_offset", Ty::UINT, 0),
                field("fp_offset", Ty::UINT, 4),
                field("overflow_arg_area", Ty::VOID_PTR, 8),
                field("reg_save_area", Ty::VOID_PTR, 16),
            ];
            if let Some(id) = types.record_of(tag) {
                types.records[id].layout = Some(RecordLayout { fields, size: 24, align: 8 });
            }
            types.array_of(tag, Some(1))
        }
    }
}
