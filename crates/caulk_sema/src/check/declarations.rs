//! Declarations at file scope and in blocks: typedefs, objects, functions, linkage.

use caulk_base::{Loc, Symbol};
use caulk_syntax::Standard;
use caulk_syntax::ast::{self, Chunk, DeclarationId, InitDeclarator, Parameters};

use super::Cx;
use super::attributes::Effects;
use super::specifiers::Base;
use crate::attributes::{Attribute, AttributeValue, find};
use crate::hir::{StmtId, StmtKind};
use crate::scope::Meaning;
use crate::types::{Ty, Type};
use crate::unit::{Definition, Global, GlobalId, Linkage, Parameter};

/// One declarator with all that was said about it.
pub(super) struct Declared<'a> {
    pub(super) name: Symbol,
    pub(super) ty: Ty,
    pub(super) storage: ast::Storage,
    pub(super) attributes: Vec<Attribute>,
    pub(super) effects: Effects,
    pub(super) align: Option<u64>,
    pub(super) declarator: &'a ast::Declarator,
}

impl<'a> Cx<'a> {
    pub(super) fn file_declaration(&mut self, id: DeclarationId) {
        let ast = self.ast;
        let declaration = &ast.declarations[id];
        let base = self.declaration_base(declaration);
        for declarator in &declaration.declarators {
            let Some(mut declared) = self.declared(declarator, &base) else { continue };
            if self.declare_typedef(&declared) {
                continue;
            }
            if let (true, Some(init)) = (base.is_auto, declarator.init) {
                declared.ty = self.auto_type(init, declared.ty);
            }
            let global = self.declare_linked(&declared);
            self.define_object(global, declarator.init, base.storage.is_extern);
        }
        self.pending_vlas.clear();
    }

    fn declaration_base(&mut self, declaration: &ast::Declaration) -> Base {
        if declaration.declarators.is_empty() {
            self.declare_tag_here(self.ast.specifiers[declaration.specifiers].ty);
        }
        self.base(declaration.specifiers)
    }

    fn declared(&mut self, declarator: &InitDeclarator, base: &Base) -> Option<Declared<'a>> {
        let ast = self.ast;
        let syntax = &ast.declarators[declarator.declarator];
        let name = syntax.name?;
        let ty = self.declarator_type(declarator.declarator, base);
        Some(self.declared_as(name, ty, syntax, base))
    }

    /// Adds what the attributes on specifiers and declarator say.
    pub(super) fn declared_as(
        &mut self,
        name: Symbol,
        mut ty: Ty,
        declarator: &'a ast::Declarator,
        base: &Base,
    ) -> Declared<'a> {
        let mut attributes = base.attributes.clone();
        let mut effects = base.effects.clone();
        if !declarator.attributes.is_empty() {
            self.fold_attributes(&declarator.attributes, &mut attributes);
            let own = self.effects(&attributes[base.attributes.len()..]);
            ty = self.apply_type_attributes(ty, &own);
            effects = self.effects(&attributes);
        }
        if effects.is_noreturn {
            ty = self.with_noreturn(ty);
        }
        let plain = declarator.chunks.iter().all(|chunk| matches!(chunk, Chunk::Array(_)));
        let align = effects.align.max(base.align).or(if plain { base.type_align } else { None });
        Declared { name, ty, storage: base.storage, attributes, effects, align, declarator }
    }

    fn declare_typedef(&mut self, declared: &Declared<'_>) -> bool {
        if !declared.storage.is_typedef {
            return false;
        }
        let (ty, align) = (declared.ty, declared.align);
        self.names.declare(declared.name, Meaning::Typedef { ty, align });
        // `typedef struct { … } name __attribute__((packed/aligned))` says it of the type.
        if let Some(record) = self.unit.types.record_of(ty) {
            let record = &mut self.unit.types.records[record];
            add_attributes(&mut record.attributes, declared.attributes.iter().cloned());
        }
        true
    }

    /// The type an `auto` variable gets from its initialiser.
    fn auto_type(&mut self, init: ast::InitId, declared: Ty) -> Ty {
        let expr = match self.ast.inits[init] {
            ast::Init::Expr(expr) => Some(expr),
            ast::Init::List { .. } => None,
        };
        let Some(expr) = expr else { return Ty::ERROR };
        let value = self.value(expr);
        let ty = self.ty_of(value).unqualified();
        let ty = self.limited(ty, self.loc_of(value));
        self.qualify(ty, declared.qualifiers())
    }

    // ---- linkage ---------------------------------------------------------------------------

    /// Declares a function or an object with linkage, joining it with earlier declarations.
    pub(super) fn declare_linked(&mut self, declared: &Declared<'_>) -> GlobalId {
        let name = declared.name;
        let known = self.linked.get(&name).copied();
        let global = match known {
            Some(global) => {
                // The body of a function goes by the type it was defined with.
                if !matches!(self.unit.globals[global].definition, Definition::Function) {
                    let old = self.unit.globals[global].ty;
                    self.unit.globals[global].ty = self.unit.types.composite(old, declared.ty);
                }
                global
            }
            None => {
                let global = self.unit.globals.push(Global::new(name, declared.ty, declared.declarator.loc));
                self.linked.insert(name, global);
                global
            }
        };
        let is_visible = matches!(self.names.get_here(name), Some(Meaning::Global(g)) if g == global);
        if !is_visible {
            let meaning = if self.unit.types.is_error(declared.ty) { Meaning::Lost } else { Meaning::Global(global) };
            self.names.declare(name, meaning);
        }
        self.describe(global, declared, known.is_none());
        global
    }

    /// Adds what this declaration says to a global.
    pub(super) fn describe(&mut self, global: GlobalId, declared: &Declared<'_>, is_first: bool) {
        let is_function = self.unit.types.is_function(declared.ty);
        let label = declared.declarator.asm_label.map(|label| self.string_text(label));
        let entry = &mut self.checker.unit.globals[global];
        if declared.storage.is_static && is_first {
            entry.linkage = Linkage::Internal;
        }
        if let Some(label) = label {
            entry.name = Symbol::intern(label.trim_start_matches(['*', '\u{1}']));
        }
        entry.is_weak |= declared.effects.is_weak;
        entry.is_thread_local |= declared.storage.is_thread_local;
        entry.is_inline |= declared.storage.is_inline;
        entry.is_noreturn |= declared.effects.is_noreturn || declared.storage.is_noreturn;
        entry.returns_twice |= declared.effects.returns_twice;
        if is_function {
            let text = declared.name.as_str();
            entry.is_noreturn |= entry.linkage == Linkage::External && never_returns(text);
            entry.returns_twice |= returns_twice(text);
        }
        add_attributes(&mut entry.attributes, declared.attributes.iter().cloned());
        for name in ["alias", "weakref"] {
            if let Some(AttributeValue::String(target)) =
                find(&declared.attributes, name).and_then(|attribute| attribute.args.first())
            {
                entry.alias = Some(Symbol::intern(target));
            }
        }
        if is_function {
            self.describe_parameters(global, declared.declarator);
        }
    }

    /// Names come from the first declaration that has them, attributes from all.
    fn describe_parameters(&mut self, global: GlobalId, declarator: &ast::Declarator) {
        let Some(Chunk::Function(function)) = declarator.chunks.first() else { return };
        let mut parameters = std::mem::take(&mut self.unit.globals[global].parameters);
        let is_first = parameters.is_empty();
        match &function.parameters {
            Parameters::Empty => {}
            Parameters::Names(names) if is_first => {
                parameters.extend(names.iter().map(|&(name, _)| Parameter { name, attributes: Vec::new() }));
            }
            Parameters::Names(_) => {}
            Parameters::Prototype(list) => {
                for (number, declared) in list.iter().enumerate() {
                    let declarator = &self.ast.declarators[declared.declarator];
                    if number == parameters.len() {
                        parameters.push(Parameter { name: Symbol::EMPTY, attributes: Vec::new() });
                    }
                    let parameter = &mut parameters[number];
                    if parameter.name == Symbol::EMPTY {
                        parameter.name = declarator.name.unwrap_or(Symbol::EMPTY);
                    }
                    let mut attributes = Vec::new();
                    self.fold_attributes(&self.ast.specifiers[declared.specifiers].attributes, &mut attributes);
                    self.fold_attributes(&declarator.attributes, &mut attributes);
                    add_attributes(&mut parameter.attributes, attributes);
                }
            }
        }
        self.unit.globals[global].parameters = parameters;
    }

    /// A tentative or real definition of an object; nothing for functions.
    fn define_object(&mut self, global: GlobalId, init: Option<ast::InitId>, is_extern: bool) {
        let ty = self.unit.globals[global].ty;
        if self.unit.types.is_function(ty) || self.unit.types.is_error(ty) {
            return;
        }
        match init {
            Some(init) => self.static_initializer(global, init),
            None if is_extern => {}
            None => {
                if matches!(self.unit.globals[global].definition, Definition::None) {
                    self.unit.globals[global].definition = Definition::Zero;
                }
            }
        }
    }

    fn static_initializer(&mut self, global: GlobalId, init: ast::InitId) {
        let was = std::mem::replace(&mut self.in_static_init, true);
        let (ty, init) = self.initializer(self.unit.globals[global].ty, init);
        self.in_static_init = was;
        self.unit.globals[global].ty = ty;
        self.define_data(global, &init);
    }

    /// An object with static storage that nothing else can name: static locals, compound literals.
    pub(super) fn static_object(&mut self, name: &str, source_name: Symbol, ty: Ty, loc: Loc) -> GlobalId {
        let name = self.unique_name(name);
        let mut global = Global::new(name, ty, loc);
        global.source_name = source_name;
        global.linkage = Linkage::Internal;
        global.definition = Definition::Zero;
        self.unit.globals.push(global)
    }

    /// A function that is called without a declaration, or by way of a builtin.
    pub(super) fn declare_library(&mut self, name: Symbol, ty: Ty, loc: Loc) -> GlobalId {
        let mut global = Global::new(name, ty, loc);
        global.is_noreturn = never_returns(name.as_str());
        global.returns_twice = returns_twice(name.as_str());
        let id = self.unit.globals.push(global);
        self.linked.insert(name, id);
        id
    }

    /// Whether a definition with these words leaves the real one elsewhere.
    pub(super) fn is_inline_only(&self, storage: ast::Storage, effects: &Effects, was_extern: bool) -> bool {
        if !storage.is_inline || storage.is_static {
            return false;
        }
        let gnu89 = effects.is_gnu_inline || self.options.gnu89_inline || self.options.dialect.standard < Standard::C99;
        if gnu89 { storage.is_extern } else { !storage.is_extern && !was_extern }
    }

    // ---- blocks ----------------------------------------------------------------------------

    /// A declaration in a function; the statements it amounts to go to `stmts`.
    pub(super) fn local_declaration(&mut self, id: DeclarationId, stmts: &mut Vec<StmtId>) {
        let ast = self.ast;
        let declaration = &ast.declarations[id];
        let pending = self.pending_vlas.len();
        let base = self.declaration_base(declaration);
        for declarator in &declaration.declarators {
            let Some(declared) = self.declared(declarator, &base) else { continue };
            self.take_pending_vlas(pending, declared.declarator.loc, stmts);
            if self.declare_typedef(&declared) {
                continue;
            }
            let is_function = self.unit.types.is_function(declared.ty);
            if is_function || declared.storage.is_extern {
                let global = self.declare_linked(&declared);
                self.define_object(global, declarator.init, true);
            } else if declared.storage.is_static {
                self.static_local(&declared, declarator.init);
            } else {
                self.automatic(declared, declarator.init, base.is_auto, stmts);
            }
        }
        self.take_pending_vlas(pending, declaration.loc, stmts);
    }

    fn static_local(&mut self, declared: &Declared<'_>, init: Option<ast::InitId>) {
        let owner = self.function.as_ref().map_or(Symbol::EMPTY, |function| function.name);
        let loc = declared.declarator.loc;
        let global = self.static_object(&format!("{owner}.{}", declared.name), declared.name, declared.ty, loc);
        self.unit.globals[global].is_thread_local = declared.storage.is_thread_local;
        self.unit.globals[global].attributes = declared.attributes.clone();
        self.names.declare(declared.name, Meaning::Global(global));
        if let Some(init) = init
            && !self.unit.types.is_error(declared.ty)
        {
            self.static_initializer(global, init);
        }
    }

    fn automatic(&mut self, declared: Declared<'_>, init: Option<ast::InitId>, is_auto: bool, stmts: &mut Vec<StmtId>) {
        let loc = declared.declarator.loc;
        let mut ty = declared.ty;
        let mut checked = None;
        if let (true, Some(init)) = (is_auto, init)
            && let ast::Init::Expr(expr) = self.ast.inits[init]
        {
            let value = self.value(expr);
            let initial = self.limited(self.ty_of(value).unqualified(), loc);
            ty = self.qualify(initial, ty.qualifiers());
            checked = Some(value);
        }
        let local = self.declare_local(declared.name, ty, loc);
        self.body.locals[local].attributes.clone_from(&declared.attributes);
        self.apply_cleanup(local, &declared.attributes);
        if self.unit.types.is_error(ty) || self.unit.types.is_void(ty) {
            // Uses are unknown, but what the initialiser does still happens.
            if let Some(init) = init
                && let ast::Init::Expr(expr) = self.ast.inits[init]
            {
                let value = checked.unwrap_or_else(|| self.value(expr));
                let value = self.unknown(&[value], Ty::INT, loc);
                stmts.push(self.push_stmt(StmtKind::Expr(value), loc));
            }
            return;
        }
        let init = match (checked, init) {
            (Some(value), _) => {
                let item = crate::hir::InitItem { offset: 0, bits: None, ty: ty.unqualified(), value };
                Some(crate::hir::Init { zero_first: false, items: vec![item] })
            }
            (None, Some(init)) => {
                let (full, init) = self.initializer(ty, init);
                self.body.locals[local].ty = full;
                Some(init)
            }
            (None, None) => None,
        };
        let full = self.body.locals[local].ty;
        if let Type::Array(element, None) = self.unit.types.get(full) {
            let ty = self.unit.types.array_of(element, Some(0));
            self.body.locals[local].ty = ty;
        }
        let init = init.map(|init| self.body.inits.push(init));
        stmts.push(self.push_stmt(StmtKind::Declare { local, init }, loc));
    }

    /// Statements that fix the lengths of variable-length arrays met since `from`.
    pub(super) fn take_pending_vlas(&mut self, from: usize, loc: Loc, stmts: &mut Vec<StmtId>) {
        let from = from.min(self.pending_vlas.len());
        let pending = self.pending_vlas.split_off(from);
        for (vla, len) in pending {
            stmts.push(self.push_stmt(StmtKind::SetVla { vla, len }, loc));
        }
    }

    pub(super) fn static_assert(&mut self, condition: ast::ExprId) {
        let loc = self.ast.exprs[condition].loc;
        if self.constant(condition) == Some(0) {
            self.error(loc, "static assertion failed");
        }
    }
}

fn add_attributes(known: &mut Vec<Attribute>, more: impl IntoIterator<Item = Attribute>) {
    for attribute in more {
        if !known.contains(&attribute) {
            known.push(attribute);
        }
    }
}

/// Library functions that never return, whatever their declaration forgot to say.
fn never_returns(name: &str) -> bool {
    matches!(name, "exit" | "_exit" | "_Exit" | "abort" | "longjmp" | "_longjmp" | "siglongjmp" | "quick_exit")
}

fn returns_twice(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "savectx" | "vfork" | "getcontext")
}
