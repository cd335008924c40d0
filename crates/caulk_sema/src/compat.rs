//! Compatible and composite types (C 6.2.7).

use crate::types::{FunctionType, Ty, Type, TypeTable};

impl TypeTable {
    /// Whether two types are compatible, top-level qualifiers included.
    pub fn compatible(&self, a: Ty, b: Ty) -> bool {
        a == b || (a.qualifiers() == b.qualifiers() && self.compatible_unqualified(a, b))
    }

    pub fn compatible_unqualified(&self, a: Ty, b: Ty) -> bool {
        if a.unqualified() == b.unqualified() {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible(a, b),
            (Type::Array(a, a_len), Type::Array(b, b_len)) => {
                (a_len.is_none() || b_len.is_none() || a_len == b_len) && self.compatible(a, b)
            }
            (Type::Array(a, _) | Type::Vla(a, _), Type::Array(b, _) | Type::Vla(b, _)) => self.compatible(a, b),
            (Type::Function(a), Type::Function(b)) => self.compatible_functions(self.function(a), self.function(b)),
            // An enum is compatible with its underlying type.
            (Type::Enum(a), Type::Int(_)) => self.enums[a].underlying.is_some_and(|a| a == b.unqualified()),
            (Type::Int(_), Type::Enum(b)) => self.enums[b].underlying.is_some_and(|b| b == a.unqualified()),
            (Type::Complex(a), Type::Complex(b)) => self.compatible(a, b),
            (Type::Vector(a, a_len), Type::Vector(b, b_len)) => a_len == b_len && self.compatible(a, b),
            _ => false,
        }
    }

    fn compatible_functions(&self, a: &FunctionType, b: &FunctionType) -> bool {
        if !self.compatible(a.result, b.result) {
            return false;
        }
        if a.is_unprototyped || b.is_unprototyped {
            return true;
        }
        a.is_variadic == b.is_variadic
            && a.parameters.len() == b.parameters.len()
            && a.parameters.iter().zip(&b.parameters).all(|(&a, &b)| self.compatible_unqualified(a, b))
    }

    /// The type that knows all that either declaration says. If they are not compatible, the newer.
    pub fn composite(&mut self, older: Ty, newer: Ty) -> Ty {
        if older == newer {
            return newer;
        }
        let qualifiers = newer.qualifiers();
        match (self.get(older), self.get(newer)) {
            (_, Type::Error) => older,
            (Type::Array(a, a_len), Type::Array(b, b_len)) => {
                let element = self.composite(a, b);
                self.array_of(element, b_len.or(a_len)).with(qualifiers)
            }
            (Type::Pointer(a), Type::Pointer(b)) if self.compatible(a, b) => {
                let pointee = self.composite(a, b);
                self.pointer_to(pointee).with(qualifiers)
            }
            (Type::Function(a), Type::Function(b)) => {
                let (a, b) = (self.function(a).clone(), self.function(b).clone());
                if !self.compatible_functions(&a, &b) {
                    return newer;
                }
                let result = self.composite(a.result, b.result);
                let prototype = if b.is_unprototyped { &a } else { &b };
                let is_noreturn = a.is_noreturn || b.is_noreturn;
                self.function_type(FunctionType { result, is_noreturn, ..prototype.clone() }).with(qualifiers)
            }
            _ => newer,
        }
    }
}
