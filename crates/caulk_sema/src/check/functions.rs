//! Function definitions, nested ones included.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast::{self, FunctionDef};
use rustc_hash::FxHashMap;

use super::declarators::ParameterName;
use super::{Cx, FunctionState};
use crate::hir::{Body, Init, InitItem, Label, LocalId, StmtId, StmtKind};
use crate::scope::Meaning;
use crate::types::{FunctionType, Ty, Type};
use crate::unit::{Definition, GlobalId, Linkage};

impl Cx<'_> {
    /// Checks a definition into `self.body`; `None` if it does not define a function.
    pub(super) fn function_definition(&mut self, definition: &FunctionDef) -> Option<GlobalId> {
        let ast = self.ast;
        let declarator = &ast.declarators[definition.declarator];
        let name = declarator.name?;
        let base = self.base(definition.specifiers);
        // Declared before its parameters' scope opens, completed when its type is known.
        let placeholder = self.declared_as(name, Ty::ERROR, declarator, &base);
        // C99: one declaration without `inline` makes the definition a real one.
        let was_extern = self.linked.get(&name).is_some_and(|&global| !self.unit.globals[global].is_inline);
        let global = match (self.function.is_some(), self.linked.get(&name)) {
            (true, _) => self.nested_global(name, definition.loc),
            (false, Some(&global)) => global,
            (false, None) => self.declare_linked(&placeholder),
        };
        if matches!(self.names.get(name), None | Some(Meaning::Lost)) {
            self.names.declare(name, Meaning::Global(global));
        } else {
            self.names.update(name, Meaning::Global(global));
        }

        let is_nested = self.function.is_some();
        if is_nested {
            self.enter_nested();
        }
        self.push_scope();
        let mut parameters = Vec::new();
        let ty = self.definition_type(definition.declarator, &base, &mut parameters);
        let Some(mut function) = self.unit.types.function_of(ty).cloned() else {
            self.error(definition.loc, format!("`{name}` is defined but its type is no function"));
            self.pop_scope();
            if is_nested {
                self.leave_nested(None);
            }
            return None;
        };
        let mut prologue = Vec::new();
        let is_old_style = parameters.iter().any(|parameter| parameter.local.is_none())
            && function.is_unprototyped
            && !parameters.is_empty();
        if is_old_style {
            self.old_style_parameters(definition, &mut parameters, &mut function, &mut prologue);
        } else {
            self.new_style_parameters(&parameters, &function, definition.loc);
            function.is_unprototyped &= parameters.is_empty();
        }
        let ty = self.unit.types.function_type(function.clone());
        let mut declared = self.declared_as(name, ty, declarator, &base);
        declared.ty = ty;
        self.complete_function(global, &declared, is_nested, was_extern);
        self.checker.function = Some(FunctionState {
            name,
            result: function.result,
            labels: FxHashMap::default(),
            local_labels: Vec::new(),
            switch_types: Vec::new(),
        });
        self.take_pending_vlas(0, definition.loc, &mut prologue);
        let root = self.function_block(definition.body, prologue);
        self.body.root = Some(root);
        self.pop_scope();
        if is_nested {
            self.leave_nested(Some(global));
        } else {
            self.checker.function = None;
        }
        Some(global)
    }

    fn complete_function(
        &mut self,
        global: GlobalId,
        declared: &super::declarations::Declared<'_>,
        is_nested: bool,
        was_extern: bool,
    ) {
        if !is_nested {
            self.describe_definition(global, declared);
        }
        let inline_only = self.is_inline_only(declared.storage, &declared.effects, was_extern);
        let old = self.unit.globals[global].ty;
        let joined =
            if self.unit.types.is_error(old) { declared.ty } else { self.unit.types.composite(old, declared.ty) };
        // Where the declarations disagree, the body goes by its own.
        let parameters = |ty| self.unit.types.function_of(ty).map(|function| &function.parameters);
        let ty = if parameters(joined) == parameters(declared.ty) { joined } else { declared.ty };
        let entry = &mut self.checker.unit.globals[global];
        entry.ty = ty;
        entry.is_inline_only = inline_only;
        entry.definition = Definition::Function;
        entry.loc = declared.declarator.loc;
    }

    fn describe_definition(&mut self, global: GlobalId, declared: &super::declarations::Declared<'_>) {
        let was = self.unit.globals[global].linkage;
        self.describe(global, declared, true);
        // `static` on an earlier declaration holds.
        if was == Linkage::Internal {
            self.unit.globals[global].linkage = Linkage::Internal;
        }
    }

    /// Parameters of a prototype are locals already; unnamed ones get one too.
    fn new_style_parameters(&mut self, parameters: &[ParameterName], function: &FunctionType, loc: Loc) {
        for (number, parameter) in parameters.iter().enumerate() {
            let ty = function.parameters.get(number).copied().unwrap_or(Ty::INT);
            let local = match parameter.local {
                Some(local) => local,
                None => self.unnamed_local(ty, loc),
            };
            self.body.parameters.push(local);
        }
    }

    fn unnamed_local(&mut self, ty: Ty, loc: Loc) -> LocalId {
        let local = self.declare_local(Symbol::EMPTY, ty, loc);
        self.names.declare(Symbol::EMPTY, Meaning::Lost);
        local
    }

    /// `f(a, b) int a; char b; { … }`: parameters come promoted and are narrowed on entry.
    fn old_style_parameters(
        &mut self,
        definition: &FunctionDef,
        parameters: &mut [ParameterName],
        function: &mut FunctionType,
        prologue: &mut Vec<StmtId>,
    ) {
        let ast = self.ast;
        let mut types: FxHashMap<Symbol, (Ty, Loc)> = FxHashMap::default();
        for &stmt in ast.stmt_list(definition.parameter_declarations) {
            let ast::StmtKind::Declaration(declaration) = ast.stmts[stmt].kind else { continue };
            let declaration = &ast.declarations[declaration];
            let base = self.base(declaration.specifiers);
            for declarator in &declaration.declarators {
                let ty = self.declarator_type(declarator.declarator, &base);
                let ty = self.adjust_parameter(ty);
                let syntax = &ast.declarators[declarator.declarator];
                if let Some(name) = syntax.name {
                    types.insert(name, (ty, syntax.loc));
                }
            }
        }
        let mut promoted_types = Vec::new();
        for parameter in parameters.iter_mut() {
            let (ty, loc) = types.get(&parameter.name).copied().unwrap_or((Ty::INT, definition.loc));
            let promoted = match self.unit.types.get(ty) {
                Type::Float(crate::types::FloatKind::Float) => Ty::DOUBLE,
                _ => self.promoted_type(ty),
            };
            promoted_types.push(promoted);
            let local = self.declare_local(parameter.name, ty, loc);
            parameter.local = Some(local);
            if promoted == ty.unqualified() || self.unit.types.is_enum(ty) {
                self.body.parameters.push(local);
                continue;
            }
            let hidden = self.unnamed_local(promoted, loc);
            self.body.parameters.push(hidden);
            let passed = self.push_expr(crate::hir::ExprKind::Local(hidden), promoted, loc);
            let value = self.rvalue(passed);
            let value = self.cast(value, ty);
            let item = InitItem { offset: 0, bits: None, ty: ty.unqualified(), value };
            let init = self.body.inits.push(Init { zero_first: false, items: vec![item] });
            prologue.push(self.push_stmt(StmtKind::Declare { local, init: Some(init) }, loc));
        }
        for (promoted, parameter) in promoted_types.iter_mut().zip(parameters.iter()) {
            if let Some(local) = parameter.local
                && self.unit.types.is_enum(self.body.locals[local].ty)
            {
                *promoted = self.body.locals[local].ty.unqualified();
            }
        }
        function.parameters = promoted_types.into();
    }

    // ---- nested functions ------------------------------------------------------------------

    fn nested_global(&mut self, name: Symbol, loc: Loc) -> GlobalId {
        let owner = self.function.as_ref().map_or(Symbol::EMPTY, |function| function.name);
        // A forward declaration (`auto int f(int);`) already made one.
        if let Some(Meaning::Global(global)) = self.names.get_here(name)
            && matches!(self.unit.globals[global].definition, Definition::None)
        {
            self.linked.remove(&name);
            let unique = self.unique_name(&format!("{owner}.{name}"));
            let entry = &mut self.checker.unit.globals[global];
            entry.name = unique;
            entry.linkage = Linkage::Internal;
            return global;
        }
        let global = self.static_object(&format!("{owner}.{name}"), name, Ty::ERROR, loc);
        self.names.declare(name, Meaning::Global(global));
        global
    }

    fn enter_nested(&mut self) {
        let body = std::mem::take(&mut self.body);
        if let Some(function) = self.function.take() {
            self.outer.push((body, function));
        }
    }

    fn leave_nested(&mut self, finished: Option<GlobalId>) {
        let Some((body, function)) = self.outer.pop() else { return };
        let inner = std::mem::replace(&mut self.checker.body, body);
        self.checker.function = Some(function);
        if let Some(global) = finished {
            self.nested.push((global, inner));
        }
    }

    pub(super) fn nested_function(
        &mut self,
        specifiers: ast::SpecifiersId,
        declarator: ast::DeclaratorId,
        body: ast::StmtId,
        loc: Loc,
    ) {
        let pending = std::mem::take(&mut self.pending_vlas);
        let definition = FunctionDef { specifiers, declarator, parameter_declarations: ast::List::EMPTY, body, loc };
        self.function_definition(&definition);
        self.checker.pending_vlas = pending;
    }

    /// A local of an enclosing function: kept in a global from now on.
    pub(super) fn capture(&mut self, local: LocalId, depth: u32) -> GlobalId {
        let depth = depth as usize;
        let (captured, name, ty, loc, owner) = {
            let (body, function): &(Body, FunctionState) = &self.outer[depth];
            let entry = &body.locals[local];
            (entry.captured_as, entry.name, entry.ty, entry.loc, function.name)
        };
        if let Some(global) = captured {
            return global;
        }
        let global = self.static_object(&format!("{owner}.{name}"), name, ty, loc);
        let entry = &mut self.outer[depth].0.locals[local];
        entry.captured_as = Some(global);
        entry.in_memory = true;
        global
    }

    /// The label of this name; made on first mention.
    pub(super) fn label(&mut self, name: Symbol, loc: Loc) -> crate::hir::LabelId {
        if let Some(&label) = self.function.as_ref().and_then(|function| function.labels.get(&name)) {
            return label;
        }
        let is_nonlocal =
            self.outer.iter().any(|(_, function)| function.local_labels.iter().any(|&(label, _)| label == name));
        let label = self.body.labels.push(Label { name, is_address_taken: false, is_nonlocal, loc });
        if let Some(function) = &mut self.checker.function {
            function.labels.insert(name, label);
        }
        label
    }
}
