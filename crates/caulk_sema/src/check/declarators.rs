//! Declarators: from the base type and the chunks around the name to the declared type.

use caulk_base::{Loc, Symbol};
use caulk_syntax::Standard;
use caulk_syntax::ast::{self, ArraySize, Chunk, DeclaratorId, Parameters};

use super::Cx;
use super::specifiers::{Base, qualifier_bits};
use crate::hir::{ExprId, Local, LocalId};
use crate::scope::Meaning;
use crate::types::{FunctionType, Ty, Type, VlaId};

/// A declared parameter of a function definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParameterName {
    pub(super) name: Symbol,
    pub(super) local: Option<LocalId>,
}

impl Cx<'_> {
    /// The declared type.
    pub(super) fn declarator_type(&mut self, id: DeclaratorId, base: &Base) -> Ty {
        let ast = self.ast;
        let declarator = &ast.declarators[id];
        let mut ty = self.limited(base.ty, declarator.loc);
        for chunk in declarator.chunks.iter().rev() {
            ty = self.apply_chunk(ty, chunk, &mut Vec::new());
            ty = self.limited(ty, declarator.loc);
        }
        ty
    }

    /// The type of a function definition; its parameters are declared in the open scope, so that
    /// the body sees them.
    pub(super) fn definition_type(&mut self, id: DeclaratorId, base: &Base, parameters: &mut Vec<ParameterName>) -> Ty {
        let ast = self.ast;
        let declarator = &ast.declarators[id];
        let mut ty = self.limited(base.ty, declarator.loc);
        for (number, chunk) in declarator.chunks.iter().enumerate().rev() {
            ty = match chunk {
                Chunk::Function(function) if number == 0 => self.function_chunk(ty, function, parameters),
                _ => self.apply_chunk(ty, chunk, &mut Vec::new()),
            };
            ty = self.limited(ty, declarator.loc);
        }
        ty
    }

    /// The type of something declared, unless it is too large: later passes recurse over types.
    pub(super) fn limited(&mut self, ty: Ty, loc: Loc) -> Ty {
        if !self.unit.types.is_too_large(ty) {
            return ty;
        }
        self.error(loc, "type nested too deeply");
        Ty::ERROR
    }

    fn apply_chunk(&mut self, ty: Ty, chunk: &Chunk, names: &mut Vec<ParameterName>) -> Ty {
        match chunk {
            Chunk::Pointer { qualifiers, attributes } => {
                let mut ty = ty;
                if !attributes.is_empty() {
                    ty = self.noreturn_function(ty, attributes);
                }
                self.unit.types.pointer_to(ty).with(qualifier_bits(*qualifiers))
            }
            Chunk::Array(array) => self.array_type(ty, array),
            Chunk::Function(function) => {
                self.push_scope();
                let pending = self.pending_vlas.len();
                let ty = self.function_chunk(ty, function, names);
                self.pending_vlas.truncate(pending);
                self.pop_scope();
                ty
            }
        }
    }

    /// `noreturn` among a pointer's attributes belongs to the function it points to.
    fn noreturn_function(&mut self, ty: Ty, attributes: &[ast::Attribute]) -> Ty {
        let mut folded = Vec::new();
        self.fold_attributes(attributes, &mut folded);
        if self.effects(&folded).is_noreturn { self.with_noreturn(ty) } else { ty }
    }

    /// A function type, or pointer to one, that never returns.
    pub(super) fn with_noreturn(&mut self, ty: Ty) -> Ty {
        match self.unit.types.get(ty) {
            Type::Function(id) => {
                let function = FunctionType { is_noreturn: true, ..self.unit.types.function(id).clone() };
                self.unit.types.function_type(function)
            }
            Type::Pointer(pointee) if self.unit.types.is_function(pointee) => {
                let pointee = self.with_noreturn(pointee);
                self.unit.types.pointer_to(pointee).with(ty.qualifiers())
            }
            _ => ty,
        }
    }

    fn array_type(&mut self, element: Ty, array: &ast::ArrayChunk) -> Ty {
        if matches!(self.unit.types.get(element), Type::Void | Type::Function(_) | Type::Error) {
            return Ty::ERROR;
        }
        match array.size {
            ArraySize::None => self.unit.types.array_of(element, None),
            // `[*]` is some variable length that nobody evaluates.
            ArraySize::Star => self.unit.types.array_of(element, None),
            ArraySize::Expr(expr) => {
                let len = self.expr(expr);
                let len = self.rvalue(len);
                match self.int_value(len).or_else(|| self.constant_object(len)) {
                    Some(len) => self.unit.types.array_of(element, Some(u64::try_from(len).unwrap_or(0))),
                    None if self.is_error(len) => self.unit.types.array_of(element, None),
                    None => self.vla_type(element, len),
                }
            }
        }
    }

    fn vla_type(&mut self, element: Ty, len: ExprId) -> Ty {
        let size_type = self.size_type();
        let len = self.cast(len, size_type);
        let vla = VlaId(self.body.vla_count);
        self.body.vla_count += 1;
        self.pending_vlas.push((vla, len));
        self.unit.types.intern(Type::Vla(element, vla))
    }

    fn function_chunk(&mut self, result: Ty, function: &ast::FunctionChunk, names: &mut Vec<ParameterName>) -> Ty {
        let mut parameters = Vec::new();
        let mut is_unprototyped = false;
        match &function.parameters {
            Parameters::Empty => is_unprototyped = self.options.dialect.standard < Standard::C23,
            Parameters::Names(identifiers) => {
                is_unprototyped = true;
                names.extend(identifiers.iter().map(|&(name, _)| ParameterName { name, local: None }));
            }
            Parameters::Prototype(list) => {
                for parameter in list {
                    let (ty, name) = self.parameter(parameter);
                    parameters.push(ty.unqualified());
                    names.push(name);
                }
            }
        }
        let mut is_noreturn = false;
        if !function.attributes.is_empty() {
            let mut folded = Vec::new();
            self.fold_attributes(&function.attributes, &mut folded);
            is_noreturn = self.effects(&folded).is_noreturn;
        }
        // No function returns an array, a function, or what could not be understood.
        let result = match self.unit.types.get(result) {
            Type::Error => Ty::INT,
            Type::Array(..) | Type::Vla(..) | Type::Function(_) => self.adjust_parameter(result),
            _ => result.unqualified(),
        };
        self.unit.types.function_type(FunctionType {
            result,
            parameters: parameters.into(),
            is_variadic: function.is_variadic,
            is_unprototyped,
            is_noreturn,
        })
    }

    fn parameter(&mut self, parameter: &ast::Parameter) -> (Ty, ParameterName) {
        let ast = self.ast;
        let base = self.base(parameter.specifiers);
        let declarator = &ast.declarators[parameter.declarator];
        let ty = self.declarator_type(parameter.declarator, &base);
        let ty = match declarator.attributes.is_empty() {
            true => ty,
            false => self.apply_type_attributes_of(ty, &declarator.attributes),
        };
        let array_qualifiers = match declarator.chunks.first() {
            Some(Chunk::Array(array)) => qualifier_bits(array.qualifiers),
            _ => 0,
        };
        let ty = self.adjust_parameter(ty).with(array_qualifiers);
        let Some(name) = declarator.name else {
            return (ty, ParameterName { name: Symbol::EMPTY, local: None });
        };
        let local = self.declare_local(name, ty, declarator.loc);
        let mut attributes = base.attributes;
        self.fold_attributes(&declarator.attributes, &mut attributes);
        self.body.locals[local].attributes = attributes;
        (ty, ParameterName { name, local: Some(local) })
    }

    /// Arrays and functions as parameters are pointers.
    pub(super) fn adjust_parameter(&mut self, ty: Ty) -> Ty {
        match self.unit.types.get(ty) {
            Type::Array(element, _) | Type::Vla(element, _) => self.unit.types.pointer_to(element),
            Type::Function(_) => self.unit.types.pointer_to(ty),
            // No parameter has these types; an int stands for it.
            Type::Void | Type::Error => Ty::INT,
            _ => ty,
        }
    }

    /// A new local, visible from here on.
    pub(super) fn declare_local(&mut self, name: Symbol, ty: Ty, loc: Loc) -> LocalId {
        let types = &self.unit.types;
        let in_memory = types.is_aggregate(ty) || ty.is_volatile();
        let local = self.body.locals.push(Local {
            name,
            ty,
            in_memory,
            captured_as: None,
            cleanup: None,
            attributes: Vec::new(),
            loc,
        });
        let depth = self.depth();
        let is_known = !self.unit.types.is_error(ty) && !self.unit.types.is_void(ty);
        let meaning = if is_known { Meaning::Local { local, depth } } else { Meaning::Lost };
        self.names.declare(name, meaning);
        local
    }
}
