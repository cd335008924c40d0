//! Which names are macros at this point of the translation unit.
//!
//! A dense table by symbol number, asked once for every identifier: 0 for no macro, a small number
//! for a [`Builtin`], else the number of a [`Definition`]. Executing a `#define` is one store.

use caulk_base::Symbol;
use std::sync::atomic::{AtomicUsize, Ordering};

use caulk_base::symbol::word;
use rustc_hash::FxHashMap;

/// A `#define` that was executed: the macro's place in the files of the unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// Number in the unit's list of files.
    pub(super) file: u32,
    /// Number in that file's macros.
    pub(super) number: u32,
    /// The raw location of that file's first byte, as it was included.
    pub(super) base: u32,
    /// Being expanded right now: the name must not expand again.
    pub(super) is_disabled: bool,
}

/// Macros and operators the preprocessor itself supplies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(super) enum Builtin {
    File = 1,
    Line,
    Date,
    Time,
    Timestamp,
    Counter,
    IncludeLevel,
    BaseFile,
    FileName,
    Pragma,
    /// `__has_include`: only in `#if`.
    HasInclude,
    HasIncludeNext,
    HasEmbed,
    HasAttribute,
    HasCAttribute,
    HasBuiltinFunction,
    /// `__has_feature` and `__has_extension`, when Clang is impersonated.
    HasFeature,
    IsIdentifier,
    HasWarning,
    /// `defined`: an operator, only in `#if`.
    Defined,
}

const BUILTINS: [Builtin; 20] = [
    Builtin::File,
    Builtin::Line,
    Builtin::Date,
    Builtin::Time,
    Builtin::Timestamp,
    Builtin::Counter,
    Builtin::IncludeLevel,
    Builtin::BaseFile,
    Builtin::FileName,
    Builtin::Pragma,
    Builtin::HasInclude,
    Builtin::HasIncludeNext,
    Builtin::HasEmbed,
    Builtin::HasAttribute,
    Builtin::HasCAttribute,
    Builtin::HasBuiltinFunction,
    Builtin::HasFeature,
    Builtin::IsIdentifier,
    Builtin::HasWarning,
    Builtin::Defined,
];

const FIRST_DEFINITION: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    None,
    Builtin(Builtin),
    /// Number of the definition.
    Definition(u32),
}

/// How large the table of the last unit had to be: the next one starts with as much.
static TABLE_SIZE: AtomicUsize = AtomicUsize::new(1 << 12);

pub(super) struct Macros {
    table: Vec<u32>,
    definitions: Vec<Definition>,
    /// `#pragma push_macro`
    pushed: FxHashMap<Symbol, Vec<u32>>,
}

impl Macros {
    pub(super) fn new(is_clang: bool) -> Macros {
        // Zeroed memory is free until it is used.
        let table = vec![0; TABLE_SIZE.load(Ordering::Relaxed)];
        let mut macros = Macros { table, definitions: Vec::with_capacity(1 << 12), pushed: FxHashMap::default() };
        let mut set = |name: Symbol, builtin: Builtin| macros.store(name, builtin as u32);
        set(word::FILE_MACRO, Builtin::File);
        set(word::LINE_MACRO, Builtin::Line);
        set(word::DATE_MACRO, Builtin::Date);
        set(word::TIME_MACRO, Builtin::Time);
        set(word::TIMESTAMP_MACRO, Builtin::Timestamp);
        set(word::COUNTER_MACRO, Builtin::Counter);
        set(word::INCLUDE_LEVEL_MACRO, Builtin::IncludeLevel);
        set(word::BASE_FILE_MACRO, Builtin::BaseFile);
        set(word::FILE_NAME_MACRO, Builtin::FileName);
        set(word::PRAGMA_OPERATOR, Builtin::Pragma);
        set(word::DEFINED, Builtin::Defined);
        set(word::HAS_INCLUDE, Builtin::HasInclude);
        set(word::HAS_INCLUDE_NEXT, Builtin::HasIncludeNext);
        set(word::HAS_EMBED, Builtin::HasEmbed);
        set(word::HAS_ATTRIBUTE, Builtin::HasAttribute);
        set(word::HAS_C_ATTRIBUTE, Builtin::HasCAttribute);
        // GCC defines it for C as well.
        set(word::HAS_CPP_ATTRIBUTE, Builtin::HasAttribute);
        set(word::HAS_BUILTIN, Builtin::HasBuiltinFunction);
        if is_clang {
            set(word::HAS_FEATURE, Builtin::HasFeature);
            set(word::HAS_EXTENSION, Builtin::HasFeature);
            set(word::HAS_DECLSPEC_ATTRIBUTE, Builtin::HasWarning);
            set(word::HAS_WARNING, Builtin::HasWarning);
            set(word::IS_IDENTIFIER, Builtin::IsIdentifier);
        }
        macros
    }

    /// Whether a symbol names a macro, builtin ones included.
    #[inline]
    pub(super) fn is_macro(&self, symbol: u32) -> bool {
        self.table.get(symbol as usize).is_some_and(|&entry| entry != 0)
    }

    pub(super) fn meaning(&self, symbol: u32) -> Meaning {
        match self.table.get(symbol as usize).copied().unwrap_or(0) {
            0 => Meaning::None,
            entry if entry >= FIRST_DEFINITION => Meaning::Definition(entry - FIRST_DEFINITION),
            entry => Meaning::Builtin(BUILTINS[entry as usize - 1]),
        }
    }

    #[inline]
    pub(super) fn definition(&self, number: u32) -> &Definition {
        &self.definitions[number as usize]
    }

    pub(super) fn set_disabled(&mut self, number: u32, is_disabled: bool) {
        self.definitions[number as usize].is_disabled = is_disabled;
    }

    pub(super) fn define(&mut self, name: Symbol, definition: Definition) {
        let number = self.definitions.len() as u32;
        self.definitions.push(definition);
        self.store(name, number + FIRST_DEFINITION);
    }

    pub(super) fn undefine(&mut self, name: Symbol) {
        if self.is_macro(name.0) {
            self.store(name, 0);
        }
    }

    #[inline]
    fn store(&mut self, name: Symbol, entry: u32) {
        let at = name.0 as usize;
        if at >= self.table.len() {
            // Symbols are handed out while units run: leave room.
            self.table.resize((at + 1).next_power_of_two(), 0);
            TABLE_SIZE.fetch_max(self.table.len(), Ordering::Relaxed);
        }
        self.table[at] = entry;
    }

    pub(super) fn push(&mut self, name: Symbol) {
        let entry = self.table.get(name.0 as usize).copied().unwrap_or(0);
        self.pushed.entry(name).or_default().push(entry);
    }

    pub(super) fn pop(&mut self, name: Symbol) {
        if let Some(entry) = self.pushed.get_mut(&name).and_then(Vec::pop) {
            self.store(name, entry);
        }
    }
}
