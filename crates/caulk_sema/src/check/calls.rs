//! Calls: arguments against parameters, implicit declarations.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast;

use super::Cx;
use super::library::library_function;
use crate::hir::{ExprId, ExprKind};
use crate::scope::Meaning;
use crate::types::{FunctionType, Ty};
use crate::unit::GlobalId;

impl Cx<'_> {
    pub(super) fn call(&mut self, callee: ast::ExprId, args: ast::List, loc: Loc) -> ExprId {
        let ast = self.ast;
        let args = ast.expr_list(args);
        if let ast::ExprKind::Name(name) = ast.exprs[callee].kind {
            let meaning = self.names.get(name);
            let is_declared = matches!(meaning, Some(Meaning::Local { .. } | Meaning::Global(_)));
            // Compilers know `alloca` however it is declared.
            let text = name.as_str();
            if (!is_declared || text.starts_with("__") || text == "alloca")
                && let Some(result) = self.builtin_call(name, args, loc)
            {
                return result;
            }
            if meaning.is_none() {
                let global = self.implicit_function(name, loc);
                let callee = self.global(global, loc);
                return self.call_value(callee, args, loc);
            }
        }
        let callee = self.expr(callee);
        self.call_value(callee, args, loc)
    }

    pub(super) fn call_value(&mut self, callee: ExprId, args: &[ast::ExprId], loc: Loc) -> ExprId {
        let args: Vec<ExprId> = args.iter().map(|&arg| self.value(arg)).collect();
        self.call_with(callee, args, loc)
    }

    /// A call with checked argument values.
    pub(super) fn call_with(&mut self, callee: ExprId, mut args: Vec<ExprId>, loc: Loc) -> ExprId {
        let callee = self.rvalue(callee);
        let Some(function) = self.unit.types.callee(self.ty_of(callee)).cloned() else {
            args.insert(0, callee);
            return self.unknown(&args, Ty::ERROR, loc);
        };
        self.convert_arguments(&function, &mut args, loc);
        if let ExprKind::AddressOf(lvalue) = self.kind_of(callee)
            && let ExprKind::Global(global) = self.kind_of(lvalue)
            && self.unit.globals[global].returns_twice
        {
            self.body.calls_returns_twice = true;
        }
        let args = self.expr_list(&args);
        self.push_expr(ExprKind::Call { callee, args }, function.result, loc)
    }

    fn convert_arguments(&mut self, function: &FunctionType, args: &mut Vec<ExprId>, loc: Loc) {
        if !function.is_unprototyped {
            // Missing arguments are the program's mistake: they have no known value.
            while args.len() < function.parameters.len() {
                let missing = self.unknown(&[], Ty::ERROR, loc);
                args.push(missing);
            }
            if !function.is_variadic {
                args.truncate(function.parameters.len());
            }
        }
        for (number, arg) in args.iter_mut().enumerate() {
            let arg_loc = self.loc_of(*arg);
            *arg = match function.parameters.get(number) {
                Some(&parameter) if !function.is_unprototyped => {
                    let converted = self.convert(*arg, parameter, arg_loc);
                    if self.is_error(converted) { self.cast(converted, Ty::INT) } else { converted }
                }
                _ => self.variadic_argument(*arg),
            };
        }
    }

    fn variadic_argument(&mut self, arg: ExprId) -> ExprId {
        let arg = self.promote_argument(arg);
        self.usable_value(arg)
    }

    /// C89: a function called without a declaration. Library functions get the type they have.
    fn implicit_function(&mut self, name: Symbol, loc: Loc) -> GlobalId {
        if let Some(&global) = self.linked.get(&name) {
            return global;
        }
        let ty = match library_function(&mut self.unit.types, name.as_str()) {
            Some(ty) => ty,
            None => self.unit.types.function_type(FunctionType {
                result: Ty::INT,
                parameters: Box::new([]),
                is_variadic: false,
                is_unprototyped: true,
                is_noreturn: false,
            }),
        };
        self.declare_library(name, ty, loc)
    }

    /// The global of a library function, declared by the way if need be.
    pub(super) fn library_global(&mut self, name: &str, loc: Loc) -> Option<GlobalId> {
        let symbol = Symbol::intern(name);
        if let Some(&global) = self.linked.get(&symbol)
            && self.unit.globals[global].is_function(&self.unit.types)
        {
            return Some(global);
        }
        let ty = library_function(&mut self.unit.types, name)?;
        Some(self.declare_library(symbol, ty, loc))
    }
}
