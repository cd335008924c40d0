//! A compiler's command line as settings for one translation unit.
//!
//! Terms: a *wrapper* is a word before the compiler (`ccache`, `env`, `libtool`); an *input* is a
//! file the command names; the *family* is the compiler we impersonate, gcc unless clang is named.
//!
//! ```text
//! ccache clang -std=gnu11 -Iinclude -DNDEBUG @flags -c a.c -o a.o
//! ```
//! is `a.c`, language C, dialect gnu11, one include directory, `#define NDEBUG 1` and whatever the
//! file `flags` says, compiled by clang.
//!
//! Nothing here fails: an option we do not know is ignored, as it cannot change what the text means
//! to us, and what looks wrong is a warning.

mod compiler;
mod expand;
mod options;
mod settings;

use std::path::Path;

pub use compiler::{Compiler, Family};
pub use settings::{Floats, IncludeFlags, Input, Language, Machine, Pic, UnitSettings};

/// A command line, read.
#[derive(Clone, Debug)]
pub struct CompileCommand {
    pub settings: UnitSettings,
    /// Files it names, in order, each with its language.
    pub inputs: Vec<Input>,
    /// `-x` in force at the end, for a file the command does not name.
    pub language: Option<Language>,
    pub warnings: Vec<String>,
}

impl CompileCommand {
    /// Reads a whole command, compiler first; relative paths start at `directory`.
    pub fn parse(arguments: &[String], directory: &Path) -> CompileCommand {
        let mut warnings = Vec::new();
        let arguments = expand::response_files(arguments, directory, &mut warnings);
        let arguments = expand::without_wrappers(&arguments);
        let Some((program, flags)) = arguments.split_first() else {
            return options::read(Compiler::default(), &[], directory, warnings);
        };
        options::read(Compiler::from_program(program), flags, directory, warnings)
    }

    /// Reads flags without a compiler, as a user gives them after `--`.
    pub fn parse_flags(flags: &[String], directory: &Path) -> CompileCommand {
        let mut warnings = Vec::new();
        let flags = expand::response_files(flags, directory, &mut warnings);
        options::read(Compiler::default(), &flags, directory, warnings)
    }

    /// The language of one input; by its name if the command does not mention it.
    pub fn language_of(&self, file: &Path) -> Language {
        let same_name = |input: &&Input| input.path.file_name() == file.file_name();
        let exact = self.inputs.iter().find(|input| input.path == file);
        match exact.or_else(|| self.inputs.iter().find(same_name)) {
            Some(input) => input.language.clone(),
            None => match &self.language {
                Some(language) => language.clone(),
                None => Language::from_path(file, self.settings.compiler.is_cxx),
            },
        }
    }
}

#[cfg(test)]
mod tests;
