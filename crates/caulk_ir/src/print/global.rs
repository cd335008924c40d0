//! Target, string literals and globals.

use caulk_sema::target::Target;
use caulk_sema::unit::{Datum, Definition, Global, GlobalId, Initializer, Linkage, StringData, StringId};

use super::Printer;
use crate::words::{target_fields, target_row};

impl Printer<'_> {
    /// `target "x86_64-linux-gnu" char_is_signed 0`: what differs from the known target of that name.
    pub(super) fn target(&mut self, target: &Target) {
        self.text("target ");
        self.quoted(target.name.as_bytes());
        let row = target_fields(target_row(target.name));
        for ((field, value), (_, usual)) in target_fields(target).into_iter().zip(row) {
            if value != usual {
                self.write(format_args!(" {field} {value}"));
            }
        }
        self.text("\n");
    }

    /// `str3: [6 x char] "hello\00"`
    pub(super) fn string(&mut self, id: StringId, string: &StringData) {
        self.write(format_args!("{id}: "));
        self.ty(string.ty);
        self.text(" ");
        self.quoted(&string.bytes);
        self.text("\n");
    }

    /// `@name`, with its number where that is needed.
    pub(super) fn global_name(&mut self, id: GlobalId) {
        let Some(global) = self.globals.get(id.0 as usize) else { return self.write(format_args!("{id}")) };
        let number = self.names.globals[id];
        self.text("@");
        // A dot is at home in names of globals (`f.buf`).
        let text = global.name.as_str();
        let is_dotted = text
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$'));
        if is_dotted && !text.starts_with(|first: char| first.is_ascii_digit()) {
            self.text(text);
        } else {
            self.quoted(text.as_bytes());
        }
        if number > 1 {
            self.write(format_args!("#{number}"));
        }
    }

    /// `global internal weak @name: type source x alias y params(a, b) [[…]] = …`
    pub(super) fn global(&mut self, id: GlobalId, global: &Global) {
        self.text("global ");
        let flags = [
            (global.linkage == Linkage::Internal, "internal "),
            (global.is_weak, "weak "),
            (global.is_thread_local, "thread_local "),
            (global.is_inline, "inline "),
            (global.is_inline_only, "inline_only "),
            (global.is_noreturn, "noreturn "),
            (global.returns_twice, "returns_twice "),
        ];
        for (_, word) in flags.into_iter().filter(|&(is_set, _)| is_set) {
            self.text(word);
        }
        self.global_name(id);
        self.text(": ");
        self.ty(global.ty);
        if global.source_name != global.name {
            self.text(" source ");
            self.word(global.source_name);
        }
        if let Some(alias) = global.alias {
            self.text(" alias ");
            self.word(alias);
        }
        if !global.parameters.is_empty() {
            self.text(" params(");
            for (number, parameter) in global.parameters.iter().enumerate() {
                self.text(if number == 0 { "" } else { ", " });
                self.word(parameter.name);
                self.attributes(&parameter.attributes);
            }
            self.text(")");
        }
        self.attributes(&global.attributes);
        self.loc(global.loc);
        match &global.definition {
            Definition::None => self.text("\n"),
            Definition::Function => self.text(" = function\n"),
            Definition::Zero => self.text(" = zero\n"),
            Definition::Data(initializer) => self.initializer(initializer),
        }
    }

    /// ` = {`, a line `offset: type value` for each item, `}`
    fn initializer(&mut self, initializer: &Initializer) {
        self.text(" = {\n");
        for item in &initializer.items {
            self.write(format_args!("  {}", item.offset));
            if let Some(bits) = item.bits {
                self.text(" bits ");
                self.bits(bits);
            }
            self.text(": ");
            self.ty(item.ty);
            self.text(" ");
            self.datum(item.value);
            self.text("\n");
        }
        self.text("}\n");
    }

    fn datum(&mut self, datum: Datum) {
        match datum {
            Datum::Int(value) => self.write(format_args!("{value}")),
            Datum::Float(value) => self.float(value),
            Datum::Complex(real, imag) => {
                self.text("complex ");
                self.float(real);
                self.text(", ");
                self.float(imag);
            }
            Datum::Global(id, offset) => {
                self.global_name(id);
                self.offset(offset);
            }
            Datum::String(id, offset) => {
                self.write(format_args!("{id}"));
                self.offset(offset);
            }
            Datum::Bytes(id) => self.write(format_args!("bytes {id}")),
            Datum::Label(number) => self.write(format_args!("label {number}")),
            Datum::Unknown => self.text("unknown"),
        }
    }

    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            let sign = if offset < 0 { '-' } else { '+' };
            self.write(format_args!(" {sign} {}", offset.unsigned_abs()));
        }
    }

    /// The shortest decimal that reads back as the same number; a NaN by its bits.
    pub(super) fn float(&mut self, value: f64) {
        if value.is_nan() {
            self.write(format_args!("nan {:#x}", value.to_bits()));
        } else {
            self.write(format_args!("{value:?}"));
        }
    }
}
