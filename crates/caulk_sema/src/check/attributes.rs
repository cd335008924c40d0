//! Attributes: folding their arguments, and what those that bear on types and linkage say.

use caulk_base::symbol::word;
use caulk_syntax::ast;

use super::Cx;
use crate::attributes::{Attribute, AttributeValue};
use crate::hir::LocalId;
use crate::scope::Meaning;
use crate::types::{FloatKind, IntKind, Ty, Type};

/// What the attributes on one declaration or type ask of layout and linkage.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) is_packed: bool,
    pub(super) align: Option<u64>,
    pub(super) mode: Option<caulk_base::Symbol>,
    pub(super) vector_bytes: Option<u64>,
    pub(super) vector_len: Option<u32>,
    pub(super) is_noreturn: bool,
    pub(super) is_weak: bool,
    pub(super) is_gnu_inline: bool,
    pub(super) returns_twice: bool,
}

/// As gcc has it.
const MAX_ALIGN: u64 = 1 << 28;

/// A vector with more lanes is taken for a scalar; no machine has one.
const MAX_LANES: u32 = 1 << 16;

pub(super) fn is_alignment(bytes: u64) -> bool {
    bytes.is_power_of_two() && bytes <= MAX_ALIGN
}

impl Cx<'_> {
    /// Attributes with folded arguments, appended to `into`.
    pub(super) fn fold_attributes(&mut self, attributes: &[ast::Attribute], into: &mut Vec<Attribute>) {
        for attribute in attributes {
            let args = attribute.args.iter().map(|arg| self.attribute_value(arg)).collect();
            into.push(Attribute { name: attribute.name, args });
        }
    }

    fn attribute_value(&mut self, arg: &ast::AttributeArg) -> AttributeValue {
        let ast::AttributeArg::Expr(expr) = *arg else { return AttributeValue::Other };
        match self.ast.exprs[expr].kind {
            ast::ExprKind::Int { value, .. } => AttributeValue::Int(i128::from(value)),
            ast::ExprKind::String(string) => AttributeValue::String(self.string_text(string)),
            ast::ExprKind::Name(name) => match self.names.get(name) {
                Some(Meaning::Enumerator { value, .. }) => AttributeValue::Int(value),
                _ => AttributeValue::Name(name),
            },
            ast::ExprKind::Error => AttributeValue::Other,
            _ => {
                let value = self.expr(expr);
                let value = self.rvalue(value);
                self.int_value(value).map_or(AttributeValue::Other, AttributeValue::Int)
            }
        }
    }

    /// Reads the attributes that matter here.
    pub(super) fn effects(&self, attributes: &[Attribute]) -> Effects {
        let mut effects = Effects::default();
        for attribute in attributes {
            let number = match attribute.args.first() {
                Some(AttributeValue::Int(value)) => u64::try_from(*value).ok(),
                _ => None,
            };
            match attribute.name {
                word::PACKED => effects.is_packed = true,
                word::ALIGNED => {
                    let align = match attribute.args.is_empty() {
                        true => Some(self.unit.types.target.max_align),
                        false => number.filter(|&n| is_alignment(n)),
                    };
                    effects.align = effects.align.max(align);
                }
                word::MODE => {
                    if let Some(AttributeValue::Name(mode)) = attribute.args.first() {
                        effects.mode = Some(*mode);
                    }
                }
                word::VECTOR_SIZE => effects.vector_bytes = number,
                word::EXT_VECTOR_TYPE => effects.vector_len = number.and_then(|n| u32::try_from(n).ok()),
                word::NORETURN_ATTRIBUTE | word::NORETURN | word::ANALYZER_NORETURN => effects.is_noreturn = true,
                word::WEAK | word::WEAKREF => effects.is_weak = true,
                word::GNU_INLINE => effects.is_gnu_inline = true,
                word::RETURNS_TWICE => effects.returns_twice = true,
                _ => {}
            }
        }
        effects
    }

    /// `mode` and `vector_size` change the type that is declared.
    pub(super) fn apply_type_attributes(&mut self, ty: Ty, effects: &Effects) -> Ty {
        let mut ty = ty;
        if let Some(mode) = effects.mode {
            ty = self.type_of_mode(ty, mode.as_str()).with(ty.qualifiers());
        }
        if effects.vector_bytes.is_some() || effects.vector_len.is_some() {
            ty = self.vector_type(ty, effects);
        }
        ty
    }

    /// Makes the type under pointers, arrays and function results a vector, as gcc has it.
    fn vector_type(&mut self, ty: Ty, effects: &Effects) -> Ty {
        match self.unit.types.get(ty) {
            Type::Pointer(pointee) => {
                let pointee = self.vector_type(pointee, effects);
                self.unit.types.pointer_to(pointee).with(ty.qualifiers())
            }
            Type::Array(element, len) => {
                let element = self.vector_type(element, effects);
                self.unit.types.array_of(element, len)
            }
            Type::Function(id) => {
                let mut function = self.unit.types.function(id).clone();
                function.result = self.vector_type(function.result, effects);
                self.unit.types.function_type(function)
            }
            // Only numbers stand side by side in a vector.
            _ if !self.unit.types.is_integer(ty) && !self.unit.types.is_float(ty) => ty,
            _ => {
                let size = self.unit.types.size_of(ty).unwrap_or(0).max(1);
                let by_bytes = effects.vector_bytes.and_then(|bytes| u32::try_from(bytes / size).ok());
                match effects.vector_len.or(by_bytes) {
                    Some(len) if len > 0 && len <= MAX_LANES => {
                        self.unit.types.intern(Type::Vector(ty.unqualified(), len)).with(ty.qualifiers())
                    }
                    _ => ty,
                }
            }
        }
    }

    fn type_of_mode(&mut self, ty: Ty, mode: &str) -> Ty {
        let is_unsigned = self.unit.types.is_unsigned(ty);
        let word_kind = if self.unit.types.target.pointer_size == 8 { IntKind::Long } else { IntKind::Int };
        let kind = match mode.trim_matches('_') {
            "QI" | "byte" => IntKind::SChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" => {
                if self.unit.types.target.long_size == 8 {
                    IntKind::Long
                } else {
                    IntKind::LongLong
                }
            }
            "TI" => IntKind::Int128,
            "word" | "pointer" | "unwind_word" => word_kind,
            "SF" => return Ty::FLOAT,
            "DF" => return Ty::DOUBLE,
            "XF" => return Ty::LONG_DOUBLE,
            "TF" => return self.unit.types.intern(Type::Float(FloatKind::Float128)),
            "SC" => return self.unit.types.intern(Type::Complex(Ty::FLOAT)),
            "DC" => return self.unit.types.intern(Type::Complex(Ty::DOUBLE)),
            "XC" => return self.unit.types.intern(Type::Complex(Ty::LONG_DOUBLE)),
            "TC" => {
                let element = self.unit.types.intern(Type::Float(FloatKind::Float128));
                return self.unit.types.intern(Type::Complex(element));
            }
            _ => return ty,
        };
        let signed = self.unit.types.intern(Type::Int(kind));
        if is_unsigned { self.unsigned_of(signed) } else { signed }
    }

    /// `cleanup(f)` on a local.
    pub(super) fn apply_cleanup(&mut self, local: LocalId, attributes: &[Attribute]) {
        let Some(AttributeValue::Name(name)) =
            crate::attributes::find(attributes, "cleanup").and_then(|attribute| attribute.args.first())
        else {
            return;
        };
        if let Some(Meaning::Global(global)) = self.names.get(*name)
            && let Some(function) = self.unit.types.function_of(self.unit.globals[global].ty)
            && (function.is_unprototyped || function.parameters.len() == 1)
        {
            self.body.locals[local].cleanup = Some(global);
            self.body.locals[local].in_memory = true;
        }
    }

    /// A string literal as text, for names and messages.
    pub(super) fn string_text(&self, string: ast::StringId) -> Box<str> {
        String::from_utf8_lossy(&self.ast.strings[string].bytes).into()
    }
}
