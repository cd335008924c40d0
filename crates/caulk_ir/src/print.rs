//! The IR as text that people read and [`read`](crate::read) reads back.
//!
//! ```c
//! int length(struct list *l) { int n = 0; while (l) { n++; l = l->next; } return n; }
//! ```
//! ```text
//! target x86_64-linux-gnu
//!
//! struct list size 8 align 8 {
//!   0 next: ptr struct list
//! }
//!
//! global @length: fn(ptr struct list) -> int = function
//!
//! function @length(v0 l: ptr struct list) -> int {
//! bb0:
//!   jump bb1
//! bb1:
//!   v3: int = phi [bb0: int 0, bb2: v5] ; n
//!   v4: ptr struct list = phi [bb0: v0, bb2: v7] ; l
//!   v6: int = ne v4, ptr struct list null
//!   branch v6, bb2, bb3
//! ```
//!
//! A constant stands where it is used, with its type before it: `int 5`, `ptr char null`,
//! `double 1.5`, `int undef`, `ptr void &bb3`. `@name` and `str3` alone are a pointer to the global and
//! to the literal's first element; where the IR has another type it is written too. A result stands
//! with its type before `=`; an instruction without one has no number. `; n` names the variables that
//! held the value; those of constants are left out. `!12:5` is a place in the source, `!812` a raw
//! location. Types read from left to right: `ptr const char`, `[10 x int]`, `fn(int, ...) -> ptr void`,
//! `fn(?) -> int` (no prototype), `struct list#2` (the second of that tag), `struct #1` (no tag).
//!
//! A module prints its definitions and what they reach, not everything its headers declare.

mod function;
mod global;
mod names;
mod types;
mod used;

use std::fmt::Write;

use caulk_base::{IdVec, Loc, SourceMap, Symbol};
use caulk_sema::attributes::{Attribute, AttributeValue};
use caulk_sema::types::{Ty, TypeTable};
use caulk_sema::unit::Global;

use self::names::Names;
use self::used::Used;
use crate::ir::{BlockId, Function, Module, Unit, Value};

/// What to print of source locations.
#[derive(Clone, Copy)]
pub enum Locations<'a> {
    Omit,
    /// `!812`, which the reader reads back.
    Raw,
    /// `!12:5`, with the file before it where that is not the main one. The reader skips them.
    Lines(&'a SourceMap),
}

pub fn print_module(module: &Module, locations: Locations<'_>, out: &mut String) {
    let unit = &module.unit;
    let used = Used::of(module);
    let names = Names::of_unit(unit, Some(&used));
    let mut printer = Printer { types: &unit.types, globals: unit.globals.as_slice(), names: &names, locations, out };
    printer.target(&unit.types.target);
    for text in &unit.asm {
        printer.text("asm ");
        printer.quoted(text.as_bytes());
        printer.text("\n");
    }
    for (id, record) in unit.types.records.iter_enumerated().filter(|&(id, _)| used.records[id]) {
        printer.text("\n");
        printer.record(id, record);
    }
    for (id, data) in unit.types.enums.iter_enumerated().filter(|&(id, _)| used.enums[id]) {
        printer.text("\n");
        printer.enumeration(id, data);
    }
    printer.text("\n");
    for (id, string) in unit.strings.iter_enumerated().filter(|&(id, _)| used.strings[id]) {
        printer.string(id, string);
    }
    for (id, global) in unit.globals.iter_enumerated().filter(|&(id, _)| used.globals[id]) {
        printer.global(id, global);
    }
    for function in &module.functions {
        printer.text("\n");
        printer.function(unit, function);
    }
}

/// One function alone, without the types and globals it uses.
pub fn print_function(unit: &Unit, function: &Function, locations: Locations<'_>, out: &mut String) {
    let names = Names::of_unit(unit, None);
    Printer { types: &unit.types, globals: unit.globals.as_slice(), names: &names, locations, out }
        .function(unit, function);
}

/// One line for each instruction that `is_shown` and one for the terminator, by block and without indentation.
pub fn block_lines(
    unit: &Unit,
    function: &Function,
    locations: Locations<'_>,
    is_shown: impl Fn(Value) -> bool,
) -> IdVec<BlockId, Vec<String>> {
    let names = Names::of_unit(unit, None);
    let mut out = String::new();
    let mut printer =
        Printer { types: &unit.types, globals: unit.globals.as_slice(), names: &names, locations, out: &mut out };
    printer.block_lines(unit, function, is_shown)
}

pub fn print_type(types: &TypeTable, ty: Ty) -> String {
    let names = Names::of_types(types, None);
    let mut out = String::new();
    Printer { types, globals: &[], names: &names, locations: Locations::Omit, out: &mut out }.ty(ty);
    out
}

struct Printer<'a> {
    types: &'a TypeTable,
    /// Empty if only a type is printed.
    globals: &'a [Global],
    names: &'a Names,
    locations: Locations<'a>,
    out: &'a mut String,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("writing to a string does not fail");
    }

    /// A name: as it is if it looks like one, else in quotes.
    fn word(&mut self, name: Symbol) {
        let text = name.as_str();
        let is_plain = text.bytes().enumerate().all(|(at, byte)| match byte {
            b'0'..=b'9' => at > 0,
            _ => byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$',
        });
        if is_plain && !text.is_empty() { self.text(text) } else { self.quoted(text.as_bytes()) }
    }

    /// Printable ASCII as it is, everything else as `\` and two digits.
    fn quoted(&mut self, bytes: &[u8]) {
        self.out.push('"');
        for &byte in bytes {
            match byte {
                b'"' | b'\\' => {
                    self.out.push('\\');
                    self.out.push(char::from(byte));
                }
                b' '..=b'~' => self.out.push(char::from(byte)),
                _ => self.write(format_args!("\\{byte:02x}")),
            }
        }
        self.out.push('"');
    }

    /// ` [[malloc(free, 1), section("x")]]`
    fn attributes(&mut self, attributes: &[Attribute]) {
        for (number, attribute) in attributes.iter().enumerate() {
            self.text(if number == 0 { " [[" } else { ", " });
            self.word(attribute.name);
            for (number, value) in attribute.args.iter().enumerate() {
                self.text(if number == 0 { "(" } else { ", " });
                match value {
                    AttributeValue::Name(name) => self.word(*name),
                    AttributeValue::Int(value) => {
                        self.write(format_args!("{value}"));
                    }
                    AttributeValue::String(text) => {
                        // A name in quotes is a name; a string has a mark before it.
                        self.text("=");
                        self.quoted(text.as_bytes());
                    }
                    AttributeValue::Other => self.text("?"),
                }
            }
            if !attribute.args.is_empty() {
                self.text(")");
            }
        }
        if !attributes.is_empty() {
            self.text("]]");
        }
    }

    /// ` !12:5`
    fn loc(&mut self, loc: Loc) {
        if loc.is_none() {
            return;
        }
        match self.locations {
            Locations::Omit => {}
            Locations::Raw => self.write(format_args!(" !{}", loc.to_raw())),
            Locations::Lines(map) => {
                let Some(place) = map.place(loc) else { return };
                // Predefined macros and `-include` files come before the main file.
                let roots = map.inclusions().iter().rev().find(|inclusion| inclusion.included_from.is_none());
                let main = roots.map(|inclusion| inclusion.file.path.as_path());
                self.text(" !");
                if main != Some(place.path) {
                    self.quoted(place.path.to_string_lossy().as_bytes());
                    self.text(":");
                }
                self.write(format_args!("{}:{}", place.line, place.column));
            }
        }
    }
}
