//! Types, record and enum definitions.

use caulk_base::Symbol;
use caulk_sema::types::{Bits, Enum, EnumId, FunctionTypeId, Record, RecordId, Ty, Type};

use super::Printer;
use crate::words::{QUALIFIERS, float_word, int_word};

impl Printer<'_> {
    /// Prefix notation: `ptr const char`, `[10 x int]`, `fn(int, ...) -> ptr void`.
    pub(super) fn ty(&mut self, ty: Ty) {
        let mut ty = ty;
        // Pointers and results nest to the right, without recursion.
        loop {
            for (bit, word) in QUALIFIERS {
                if ty.qualifiers() & bit != 0 {
                    self.text(word);
                    self.text(" ");
                }
            }
            match self.types.get(ty) {
                Type::Pointer(pointee) => {
                    self.text("ptr ");
                    ty = pointee;
                }
                Type::Complex(part) => {
                    self.text("complex ");
                    ty = part;
                }
                Type::Function(id) => {
                    self.parameters(id);
                    ty = self.types.function(id).result;
                }
                Type::Error => return self.text("error"),
                Type::Void => return self.text("void"),
                Type::Bool => return self.text("bool"),
                Type::Nullptr => return self.text("nullptr_t"),
                Type::Int(kind) => return self.text(int_word(kind)),
                Type::BitInt { bits, is_signed } => {
                    self.text(if is_signed { "" } else { "unsigned " });
                    return self.write(format_args!("_BitInt({bits})"));
                }
                Type::Float(kind) => return self.text(float_word(kind)),
                Type::Array(element, len) => {
                    match len {
                        Some(len) => self.write(format_args!("[{len} x ")),
                        None => self.text("[? x "),
                    }
                    self.ty(element);
                    return self.text("]");
                }
                Type::Vla(element, vla) => {
                    self.write(format_args!("[{vla} x "));
                    self.ty(element);
                    return self.text("]");
                }
                Type::Vector(element, len) => {
                    self.write(format_args!("<{len} x "));
                    self.ty(element);
                    return self.text(">");
                }
                Type::Record(id) => return self.record_name(id),
                Type::Enum(id) => return self.enum_name(id),
            }
        }
    }

    fn parameters(&mut self, id: FunctionTypeId) {
        let types = self.types;
        let function = types.function(id);
        self.text(if function.is_noreturn { "noreturn fn(" } else { "fn(" });
        let mut separator = "";
        if function.is_unprototyped {
            self.text("?");
            separator = ", ";
        }
        for &parameter in &function.parameters {
            self.text(std::mem::replace(&mut separator, ", "));
            self.ty(parameter);
        }
        if function.is_variadic {
            self.text(separator);
            self.text("...");
        }
        self.text(") -> ");
    }

    pub(super) fn record_name(&mut self, id: RecordId) {
        let record = &self.types.records[id];
        self.text(if record.is_union { "union " } else { "struct " });
        self.numbered(record.tag, self.names.records[id]);
    }

    fn enum_name(&mut self, id: EnumId) {
        self.text("enum ");
        self.numbered(self.types.enums[id].tag, self.names.enums[id]);
    }

    /// A name with its number where that is needed.
    pub(super) fn numbered(&mut self, name: Symbol, number: u32) {
        if name != Symbol::EMPTY {
            self.word(name);
        }
        if name == Symbol::EMPTY || number > 1 {
            self.write(format_args!("#{number}"));
        }
    }

    /// `struct list size 16 align 8 {`, one line a field, `}`; a declared one is `struct list`.
    pub(super) fn record(&mut self, id: RecordId, record: &Record) {
        self.record_name(id);
        if let Some(layout) = &record.layout {
            self.write(format_args!(" size {} align {}", layout.size, layout.align));
        }
        self.attributes(&record.attributes);
        self.loc(record.loc);
        let Some(layout) = &record.layout else { return self.text("\n") };
        self.text(" {\n");
        for field in &layout.fields {
            self.write(format_args!("  {} ", field.offset));
            if let Some(bits) = field.bits {
                self.text("bits ");
                self.bits(bits);
                self.text(" ");
            }
            if field.name != Symbol::EMPTY {
                self.word(field.name);
            }
            self.text(": ");
            self.ty(field.ty);
            self.attributes(&field.attributes);
            self.loc(field.loc);
            self.text("\n");
        }
        self.text("}\n");
    }

    pub(super) fn bits(&mut self, bits: Bits) {
        self.write(format_args!("{}+{}", bits.shift, bits.width));
    }

    /// `enum color: unsigned int {`, one line an enumerator, `}`; a declared one is `enum color`.
    pub(super) fn enumeration(&mut self, id: EnumId, data: &Enum) {
        self.enum_name(id);
        if let Some(underlying) = data.underlying {
            self.text(": ");
            self.ty(underlying);
        }
        self.attributes(&data.attributes);
        self.loc(data.loc);
        if data.enumerators.is_empty() {
            return self.text("\n");
        }
        self.text(" {\n");
        for &(name, value) in &data.enumerators {
            self.text("  ");
            self.word(name);
            self.write(format_args!(" = {value}\n"));
        }
        self.text("}\n");
    }
}
