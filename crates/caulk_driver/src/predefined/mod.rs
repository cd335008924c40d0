//! Predefined macros: what the impersonated compiler would say before the first line of a file.
//!
//! The text is put together from what the target decides (sizes and limits, computed from
//! [`Target`]), what the instruction set decides, what the dialect and options decide, and the
//! compiler's identity: gcc 12.2, or clang 19.1 if the command names clang. It is checked against
//! the real gcc in `tests/predefined.rs`, where a machine has one.

mod dialect;
mod floats;
mod identity;
mod integers;
mod x86;

use std::fmt::Write;

use caulk_sema::target::Target;

use crate::command_line::{Language, UnitSettings};

/// The `#define` lines for one unit. Equal settings give equal text.
pub fn predefined_macros(settings: &UnitSettings, language: &Language) -> String {
    // Preprocessed text has used all macros up; `unix` in it is a name.
    if *language == Language::PreprocessedC {
        return String::new();
    }
    let mut lines = Lines { text: String::with_capacity(16 << 10) };
    let target = settings.target();
    dialect::standard(&mut lines, settings);
    if settings.no_predefined {
        return lines.text;
    }
    let features = x86::Features::new(settings);
    dialect::options(&mut lines, settings);
    identity::compiler(&mut lines, settings);
    identity::system(&mut lines, settings);
    integers::define(&mut lines, settings, &target);
    floats::define(&mut lines, settings, &target, &features);
    x86::define(&mut lines, settings, &features);
    lines.text
}

/// The growing text.
struct Lines {
    text: String,
}

impl Lines {
    fn define(&mut self, name: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "#define {name} {value}");
    }

    /// `name value` pairs, one a line.
    fn table(&mut self, table: &str) {
        for line in table.lines().filter(|line| !line.is_empty()) {
            let _ = writeln!(self.text, "#define {line}");
        }
    }

    /// Names whose value is 1.
    fn flags(&mut self, names: &[&str]) {
        for name in names {
            self.define(name, 1);
        }
    }
}

fn bits(target: &Target, kind: caulk_sema::types::IntKind) -> u64 {
    target.int_size(kind) * 8
}
