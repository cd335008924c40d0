//! The tree as indented text, for `caulk ast` and for tests.
//!
//! ```c
//! static int twice(int x) { return 2 * x; }
//! ```
//! prints as
//! ```text
//! function
//!   specifiers static int
//!   declarator twice
//!     function
//!       parameter
//!         specifiers int
//!         declarator x
//!   block
//!     return
//!       binary *
//!         int 2
//!         name x
//! ```
//! One node a line, operands below their operator. The same tree prints the same text, always.

mod expressions;
mod statements;

use std::fmt::Write;

use caulk_base::{Loc, SourceMap};

use crate::ast::*;

/// Deeper nodes tell their depth as a number: blanks would make the text as long as the square of its depth.
const MAX_INDENTED: usize = 500;

/// Prints one external declaration; with a map, each node's line and column too.
pub fn print(ast: &Ast, external: &ExternalDecl, locations: Option<&SourceMap>) -> String {
    let mut printer = Printer { ast, locations, depth: 0, text: String::new() };
    match *external {
        ExternalDecl::Declaration(id) => printer.declaration(id),
        ExternalDecl::Function(function) => printer.function(&function),
        ExternalDecl::StaticAssert(assertion) => printer.static_assert(&assertion),
        ExternalDecl::Asm(id) => printer.asm(id),
    }
    printer.text
}

struct Printer<'a> {
    ast: &'a Ast,
    locations: Option<&'a SourceMap>,
    depth: usize,
    text: String,
}

impl<'a> Printer<'a> {
    fn line(&mut self, text: impl std::fmt::Display) {
        self.line_at(text, Loc::NONE);
    }

    fn line_at(&mut self, text: impl std::fmt::Display, loc: Loc) {
        // Writing to a string cannot fail.
        if self.depth <= MAX_INDENTED {
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        } else {
            let _ = write!(self.text, "[{}] ", self.depth);
        }
        let _ = write!(self.text, "{text}");
        if let Some(place) = self.locations.and_then(|map| map.place(loc)) {
            let _ = write!(self.text, " @{}:{}", place.line, place.column);
        }
        self.text.push('\n');
    }

    fn nested(&mut self, print: impl FnOnce(&mut Printer<'a>)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    fn function(&mut self, function: &FunctionDef) {
        self.line_at("function", function.loc);
        self.nested(|p| {
            p.specifiers(function.specifiers);
            p.declarator(function.declarator);
            for &stmt in p.ast.stmt_list(function.parameter_declarations) {
                p.stmt(stmt);
            }
            p.stmt(function.body);
        });
    }

    fn static_assert(&mut self, assertion: &StaticAssert) {
        self.line_at("static_assert", assertion.loc);
        self.nested(|p| {
            p.expr(assertion.condition);
            if let Some(message) = assertion.message {
                p.string("message", message);
            }
        });
    }

    fn declaration(&mut self, id: DeclarationId) {
        let declaration = &self.ast.declarations[id];
        self.line_at("declaration", declaration.loc);
        self.nested(|p| {
            p.specifiers(declaration.specifiers);
            for item in &declaration.declarators {
                p.declarator(item.declarator);
                if let Some(init) = item.init {
                    p.nested(|p| {
                        p.line("initialiser");
                        p.nested(|p| p.init(init));
                    });
                }
            }
        });
    }

    fn specifiers(&mut self, id: SpecifiersId) {
        let specifiers = &self.ast.specifiers[id];
        let mut words = String::from("specifiers");
        for (is_set, word) in storage_words(&specifiers.storage) {
            if is_set {
                words.push(' ');
                words.push_str(word);
            }
        }
        words.push_str(&qualifier_words(specifiers.qualifiers));
        match specifiers.ty {
            TypeSpecifier::Basic(basic) => words.push_str(&format!(" {}", basic_name(basic))),
            TypeSpecifier::Complex(basic) => words.push_str(&format!(" _Complex {}", basic_name(basic))),
            TypeSpecifier::BitInt { is_unsigned, .. } => {
                words.push_str(if is_unsigned { " unsigned _BitInt" } else { " _BitInt" });
            }
            TypeSpecifier::Name(name) => words.push_str(&format!(" name {name}")),
            TypeSpecifier::Record(_) | TypeSpecifier::Enum(_) => {}
            TypeSpecifier::TypeofExpr { unqualified, .. } | TypeSpecifier::TypeofType { unqualified, .. } => {
                words.push_str(if unqualified { " typeof_unqual" } else { " typeof" });
            }
            TypeSpecifier::Atomic(_) => words.push_str(" _Atomic()"),
            TypeSpecifier::Auto => words.push_str(" auto type"),
            TypeSpecifier::VaList => words.push_str(" __builtin_va_list"),
            TypeSpecifier::ImplicitInt => words.push_str(" implicit int"),
            TypeSpecifier::Error => words.push_str(" error"),
        }
        self.line_at(words, specifiers.loc);
        self.nested(|p| {
            match specifiers.ty {
                TypeSpecifier::BitInt { width, .. } => p.expr(width),
                TypeSpecifier::Record(id) => p.record(id),
                TypeSpecifier::Enum(id) => p.enumeration(id),
                TypeSpecifier::TypeofExpr { expr, .. } => p.expr(expr),
                TypeSpecifier::TypeofType { ty, .. } | TypeSpecifier::Atomic(ty) => p.type_name(ty),
                _ => {}
            }
            for alignment in &specifiers.alignments {
                p.line("alignas");
                p.nested(|p| match *alignment {
                    Alignment::Expr(expr) => p.expr(expr),
                    Alignment::Type(ty) => p.type_name(ty),
                });
            }
            p.attributes(&specifiers.attributes);
        });
    }

    fn type_name(&mut self, ty: TypeName) {
        self.line("type");
        self.nested(|p| {
            p.specifiers(ty.specifiers);
            if !p.ast.declarators[ty.declarator].chunks.is_empty() {
                p.declarator(ty.declarator);
            }
        });
    }

    fn declarator(&mut self, id: DeclaratorId) {
        let declarator = &self.ast.declarators[id];
        match declarator.name {
            Some(name) => self.line_at(format_args!("declarator {name}"), declarator.loc),
            None => self.line_at("declarator", declarator.loc),
        }
        self.nested(|p| {
            for chunk in &declarator.chunks {
                p.chunk(chunk);
            }
            if let Some(label) = declarator.asm_label {
                p.string("asm", label);
            }
            p.attributes(&declarator.attributes);
        });
    }

    fn chunk(&mut self, chunk: &'a Chunk) {
        match chunk {
            Chunk::Pointer { qualifiers, attributes } => {
                self.line(format_args!("pointer{}", qualifier_words(*qualifiers)));
                self.nested(|p| p.attributes(attributes));
            }
            Chunk::Array(array) => {
                let is_static = if array.is_static { " static" } else { "" };
                let star = if array.size == ArraySize::Star { " *" } else { "" };
                self.line_at(format_args!("array{is_static}{}{star}", qualifier_words(array.qualifiers)), array.loc);
                if let ArraySize::Expr(size) = array.size {
                    self.nested(|p| p.expr(size));
                }
            }
            Chunk::Function(function) => {
                let form = match &function.parameters {
                    Parameters::Empty => " empty",
                    Parameters::Prototype(_) if function.is_variadic => " variadic",
                    Parameters::Prototype(_) => "",
                    Parameters::Names(_) => " names",
                };
                self.line_at(format_args!("function{form}"), function.loc);
                self.nested(|p| {
                    match &function.parameters {
                        Parameters::Empty => {}
                        Parameters::Prototype(parameters) => {
                            for parameter in parameters {
                                p.line("parameter");
                                p.nested(|p| {
                                    p.specifiers(parameter.specifiers);
                                    p.declarator(parameter.declarator);
                                });
                            }
                        }
                        Parameters::Names(names) => {
                            for &(name, loc) in names {
                                p.line_at(name, loc);
                            }
                        }
                    }
                    p.attributes(&function.attributes);
                });
            }
        }
    }

    fn attributes(&mut self, attributes: &'a [Attribute]) {
        for attribute in attributes {
            let prefix = attribute.prefix.as_str();
            let separator = if prefix.is_empty() { "" } else { "::" };
            self.line_at(format_args!("attribute {prefix}{separator}{}", attribute.name), attribute.loc);
            self.nested(|p| {
                for arg in &attribute.args {
                    match *arg {
                        AttributeArg::Expr(expr) => p.expr(expr),
                        AttributeArg::Type(ty) => p.type_name(ty),
                    }
                }
            });
        }
    }

    fn record(&mut self, id: RecordSpecId) {
        let record = &self.ast.records[id];
        let mut text = String::from(if record.is_union { "union" } else { "struct" });
        if let Some(tag) = record.tag {
            text.push_str(&format!(" {tag}"));
        }
        if record.members.is_some() {
            text.push_str(" defined");
        }
        if record.pack != 0 {
            text.push_str(&format!(" pack {}", record.pack));
        }
        self.line_at(text, record.loc);
        self.nested(|p| {
            p.attributes(&record.attributes);
            for member in record.members.iter().flatten() {
                match member {
                    MemberDecl::StaticAssert(assertion) => p.static_assert(assertion),
                    MemberDecl::Fields(fields) => p.fields(fields),
                }
            }
        });
    }

    fn fields(&mut self, declaration: &FieldDecl) {
        self.line("fields");
        self.nested(|p| {
            p.specifiers(declaration.specifiers);
            for field in &declaration.fields {
                p.declarator(field.declarator);
                if let Some(width) = field.bit_width {
                    p.nested(|p| {
                        p.line("bits");
                        p.nested(|p| p.expr(width));
                    });
                }
            }
        });
    }

    fn enumeration(&mut self, id: EnumSpecId) {
        let enumeration = &self.ast.enums[id];
        let tag = enumeration.tag.map(|tag| format!(" {tag}")).unwrap_or_default();
        let defined = if enumeration.enumerators.is_some() { " defined" } else { "" };
        self.line_at(format_args!("enum{tag}{defined}"), enumeration.loc);
        self.nested(|p| {
            p.attributes(&enumeration.attributes);
            if let Some(underlying) = enumeration.underlying {
                p.type_name(underlying);
            }
            for enumerator in enumeration.enumerators.iter().flatten() {
                p.line_at(format_args!("enumerator {}", enumerator.name), enumerator.loc);
                p.nested(|p| {
                    p.attributes(&enumerator.attributes);
                    if let Some(value) = enumerator.value {
                        p.expr(value);
                    }
                });
            }
        });
    }

    fn string(&mut self, what: &str, id: StringId) {
        let string = &self.ast.strings[id];
        let prefix = match string.encoding {
            Encoding::Char => "",
            Encoding::Utf8 => "u8",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
            Encoding::Wide => "L",
        };
        self.line(format_args!("{what} {prefix}\"{}\"", string.bytes.escape_ascii()));
    }
}

fn storage_words(storage: &Storage) -> [(bool, &'static str); 9] {
    [
        (storage.is_typedef, "typedef"),
        (storage.is_extern, "extern"),
        (storage.is_static, "static"),
        (storage.is_auto, "auto"),
        (storage.is_register, "register"),
        (storage.is_thread_local, "_Thread_local"),
        (storage.is_constexpr, "constexpr"),
        (storage.is_inline, "inline"),
        (storage.is_noreturn, "_Noreturn"),
    ]
}

fn qualifier_words(qualifiers: Qualifiers) -> String {
    let words = [
        (qualifiers.is_const, " const"),
        (qualifiers.is_volatile, " volatile"),
        (qualifiers.is_restrict, " restrict"),
        (qualifiers.is_atomic, " _Atomic"),
    ];
    words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
}

fn basic_name(basic: BasicType) -> &'static str {
    match basic {
        BasicType::Void => "void",
        BasicType::Bool => "_Bool",
        BasicType::Char => "char",
        BasicType::SignedChar => "signed char",
        BasicType::UnsignedChar => "unsigned char",
        BasicType::Short => "short",
        BasicType::UnsignedShort => "unsigned short",
        BasicType::Int => "int",
        BasicType::UnsignedInt => "unsigned int",
        BasicType::Long => "long",
        BasicType::UnsignedLong => "unsigned long",
        BasicType::LongLong => "long long",
        BasicType::UnsignedLongLong => "unsigned long long",
        BasicType::Int128 => "__int128",
        BasicType::UnsignedInt128 => "unsigned __int128",
        BasicType::Float16 => "_Float16",
        BasicType::BFloat16 => "__bf16",
        BasicType::Float => "float",
        BasicType::Double => "double",
        BasicType::LongDouble => "long double",
        BasicType::Float128 => "_Float128",
        BasicType::Float32 => "_Float32",
        BasicType::Float64 => "_Float64",
        BasicType::Float32x => "_Float32x",
        BasicType::Float64x => "_Float64x",
        BasicType::Decimal32 => "_Decimal32",
        BasicType::Decimal64 => "_Decimal64",
        BasicType::Decimal128 => "_Decimal128",
    }
}
