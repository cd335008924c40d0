//! The options themselves, in the order they stand.

use std::path::{Path, PathBuf};

use super::CompileCommand;
use super::compiler::Compiler;
use super::settings::{Input, Language, Pic, UnitSettings, standard};

/// Options whose next word is their argument and says nothing about the language.
const SKIPPED_WITH_ARGUMENT: [&str; 40] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-T",
    "-L",
    "-l",
    "-u",
    "-z",
    "-e",
    "-h",
    "-R",
    "-arch",
    "-A",
    "-aux-info",
    "-G",
    "-b",
    "-B",
    "-V",
    "-specs",
    "-wrapper",
    "--param",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-framework",
    "-F",
    "-iframework",
    "-imultilib",
    "-imultiarch",
    "-mllvm",
    "-gcc-toolchain",
    "--serialize-diagnostics",
    "-include-pch",
    "-index-store-path",
    "-fdebug-compilation-dir",
    "-Xanalyzer",
];

pub(super) fn read(compiler: Compiler, flags: &[String], directory: &Path, warnings: Vec<String>) -> CompileCommand {
    let mut settings = UnitSettings::new(directory);
    let default_standard = compiler.default_standard;
    settings.compiler = compiler;
    let mut reader = Reader {
        settings,
        inputs: Vec::new(),
        warnings,
        language: None,
        prefix: PathBuf::new(),
        with_prefix: Vec::new(),
        trigraphs: None,
    };
    if let Some(word) = default_standard {
        reader.set_standard(word);
    }
    reader.read_all(flags);
    reader.finish()
}

struct Reader {
    settings: UnitSettings,
    inputs: Vec<Input>,
    warnings: Vec<String>,
    /// `-x` in force.
    language: Option<Language>,
    /// `-iprefix`
    prefix: PathBuf,
    /// `-iwithprefix`: after every other directory.
    with_prefix: Vec<PathBuf>,
    trigraphs: Option<bool>,
}

impl Reader {
    fn read_all(&mut self, flags: &[String]) {
        let mut words = flags.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if word == "--" {
                words.by_ref().for_each(|file| self.add_input(file));
            } else if word.len() < 2 || !word.starts_with('-') {
                self.add_input(word);
            } else {
                self.option(word, &mut words);
            }
        }
    }

    fn add_input(&mut self, file: &str) {
        let path = self.settings.directory.join(file);
        let guess = || Language::from_path(&path, self.settings.compiler.is_cxx);
        let language = self.language.clone().unwrap_or_else(guess);
        self.inputs.push(Input { path, language });
    }

    fn path(&self, word: &str) -> PathBuf {
        // gcc: a leading `=` or `$SYSROOT` stands for the sysroot.
        let in_sysroot = word.strip_prefix('=').or_else(|| word.strip_prefix("$SYSROOT"));
        match (in_sysroot, &self.settings.includes.sysroot) {
            (Some(rest), Some(root)) => root.join(rest.trim_start_matches('/')),
            (Some(rest), None) => self.settings.directory.join(rest),
            (None, _) => self.settings.directory.join(word),
        }
    }

    fn option<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        if SKIPPED_WITH_ARGUMENT.contains(&word) {
            words.next();
        } else if !self.include_option(word, words) && !self.macro_option(word, words) {
            self.plain_option(word, words);
        }
    }

    /// Directories and files to include. True if it was one of these.
    fn include_option<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) -> bool {
        let mut argument = |name: &str| argument_of(word, name, words);
        if let Some(dir) = argument("-iquote") {
            let dir = self.path(dir);
            self.settings.includes.quote.push(dir);
        } else if let Some(dir) = argument("-isystem").or_else(|| argument("-cxx-isystem")) {
            let dir = self.path(dir);
            self.settings.includes.system.push(dir);
        } else if let Some(dir) = argument("-idirafter") {
            let dir = self.path(dir);
            self.settings.includes.after.push(dir);
        } else if let Some(dir) = argument("-iwithprefixbefore") {
            let dir = self.prefixed(dir);
            self.settings.includes.normal.push(dir);
        } else if let Some(dir) = argument("-iwithprefix") {
            let dir = self.prefixed(dir);
            self.with_prefix.push(dir);
        } else if let Some(prefix) = argument("-iprefix") {
            self.prefix = PathBuf::from(prefix);
        } else if let Some(root) =
            argument("-isysroot").or_else(|| argument("--sysroot=")).or_else(|| argument("--sysroot"))
        {
            self.settings.includes.sysroot = Some(self.settings.directory.join(root));
        } else if let Some(file) = argument("-imacros").or_else(|| argument("--imacros=")) {
            let file = self.forced_file(file);
            self.settings.macro_files.push(file);
        } else if let Some(file) = argument("-include").or_else(|| argument("--include=")) {
            let file = self.forced_file(file);
            self.settings.forced_includes.push(file);
        } else if word == "-I-" {
            let before = std::mem::take(&mut self.settings.includes.normal);
            self.settings.includes.quote.extend(before);
        } else if let Some(dir) = argument("--include-directory=").or_else(|| argument("-I")) {
            let dir = self.path(dir);
            self.settings.includes.normal.push(dir);
        } else if word == "-nostdinc" {
            self.settings.includes.no_standard = true;
        } else {
            return false;
        }
        true
    }

    fn prefixed(&self, dir: &str) -> PathBuf {
        let mut joined = self.prefix.clone().into_os_string();
        joined.push(dir);
        self.settings.directory.join(joined)
    }

    /// A file for `-include`: from the compiler's directory if it is there, else searched for like
    /// any `#include "…"`.
    fn forced_file(&self, file: &str) -> PathBuf {
        let here = self.settings.directory.join(file);
        if here.is_file() { here } else { PathBuf::from(file) }
    }

    /// `-D`, `-U`, and what only passes them on.
    fn macro_option<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) -> bool {
        let mut argument = |name: &str| argument_of(word, name, words);
        if let Some(definition) = argument("--define-macro=").or_else(|| argument("-D")) {
            self.define(definition);
        } else if let Some(name) = argument("--undefine-macro=").or_else(|| argument("-U")) {
            self.settings.macros.push_str(&format!("#undef {}\n", one_line(name)));
        } else if let Some(list) = word.strip_prefix("-Wp,") {
            self.preprocessor_words(list);
        } else if word == "-Xpreprocessor" || word == "-Xclang" {
            if let Some(inner) = words.next() {
                self.passed_on(inner, words);
            }
        } else {
            return false;
        }
        true
    }

    fn define(&mut self, definition: &str) {
        let line = match one_line(definition).split_once('=') {
            Some((name, value)) => format!("#define {name} {value}\n"),
            None => format!("#define {} 1\n", one_line(definition)),
        };
        self.settings.macros.push_str(&line);
    }

    /// `-Wp,-DX,-MMD,file`
    fn preprocessor_words(&mut self, list: &str) {
        let mut words = list.split(',');
        while let Some(word) = words.next() {
            match word {
                "-MD" | "-MMD" => {
                    words.next();
                }
                _ if word.starts_with('-') => self.option(word, &mut words),
                _ => {}
            }
        }
    }

    /// `-Xclang -isystem -Xclang dir`: the argument is passed on the same way.
    fn passed_on<'a>(&mut self, inner: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        let takes_more = matches!(inner, "-I" | "-D" | "-U" | "-isystem" | "-include" | "-iquote" | "-idirafter")
            || SKIPPED_WITH_ARGUMENT.contains(&inner);
        if takes_more {
            let _repeated_marker = words.next();
            let mut one = words.next().into_iter();
            self.option(inner, &mut one);
        } else if inner.starts_with('-') {
            self.option(inner, &mut std::iter::empty());
        }
    }

    fn plain_option<'a>(&mut self, word: &'a str, words: &mut impl Iterator<Item = &'a str>) {
        if let Some(language) = argument_of(word, "-x", words) {
            self.language = Language::from_option(language);
        } else if let Some(name) = word.strip_prefix("-std=").or_else(|| word.strip_prefix("--std=")) {
            self.set_standard(name);
        } else if word == "--std" {
            words.next().into_iter().for_each(|name| self.set_standard(name));
        } else if let Some(target) = argument_of(word, "--target=", words)
            .or_else(|| (word == "-target" || word == "--target").then(|| words.next()).flatten())
        {
            self.set_triple(target);
        } else if let Some(level) = word.strip_prefix("-O") {
            self.set_optimisation(level);
        } else if let Some(flag) = word.strip_prefix("-f") {
            self.feature_flag(flag);
        } else if let Some(flag) = word.strip_prefix("-m") {
            self.machine_flag(flag);
        } else {
            match word {
                "-ansi" | "--ansi" => self.set_standard("c89"),
                "-trigraphs" | "--trigraphs" => self.trigraphs = Some(true),
                "-undef" => self.settings.no_predefined = true,
                "-pthread" | "-pthreads" => self.settings.threads = true,
                _ => {}
            }
        }
    }

    fn set_standard(&mut self, name: &str) {
        match standard(name, self.settings.compiler.family) {
            Some((dialect, version)) => {
                self.settings.dialect = dialect;
                self.settings.standard_version = version;
            }
            // A C++ standard among flags shared by both languages is no news.
            None if name.contains("++") => {}
            None => self.warnings.push(format!("-std={name} is not a standard we know; gnu17 is assumed")),
        }
    }

    fn set_triple(&mut self, triple: &str) {
        self.settings.compiler.triple = Some(triple.to_owned());
    }

    fn set_optimisation(&mut self, level: &str) {
        let settings = &mut self.settings;
        settings.optimize_size = matches!(level, "s" | "z");
        settings.optimize = match level {
            "" | "s" | "g" | "z" | "1" => 1,
            "fast" => {
                settings.floats.set_fast(true);
                3
            }
            _ => level.parse::<u8>().unwrap_or(3),
        };
    }

    fn feature_flag(&mut self, flag: &str) {
        let (on, name) = match flag.strip_prefix("no-") {
            Some(name) => (false, name),
            None => (true, flag),
        };
        let settings = &mut self.settings;
        match name {
            "unsigned-char" => settings.unsigned_char = on,
            "signed-char" => settings.unsigned_char = !on,
            "short-enums" => settings.short_enums = on,
            "short-wchar" => settings.short_wchar = on,
            "gnu89-inline" => settings.gnu89_inline = on,
            "ms-extensions" | "plan9-extensions" => settings.ms_extensions = on,
            "freestanding" => settings.freestanding = on,
            "hosted" => settings.freestanding = !on,
            "inline" => settings.no_inline = !on,
            "exceptions" | "non-call-exceptions" => settings.exceptions = on,
            "openmp" | "openmp=libomp" | "openmp=libgomp" => settings.openmp = on,
            "openacc" => settings.openacc = on,
            "pic" | "PIC" | "pie" | "PIE" => {
                let level = if name.starts_with('P') { 2 } else { 1 };
                settings.pic = Pic { level: u8::from(on) * level, is_executable: on && name.ends_with(['e', 'E']) };
            }
            "fast-math" => settings.floats.set_fast(on),
            "unsafe-math-optimizations" => settings.floats.set_unsafe(on),
            "finite-math-only" => settings.floats.finite_only = on,
            "associative-math" => settings.floats.associative = on,
            "reciprocal-math" => settings.floats.reciprocal = on,
            "math-errno" => settings.floats.no_errno = !on,
            "signed-zeros" => settings.floats.no_signed_zeros = !on,
            "trapping-math" => settings.floats.no_trapping = !on,
            "stack-protector" => settings.stack_protector = u8::from(on),
            "stack-protector-all" => settings.stack_protector = 2,
            "stack-protector-strong" => settings.stack_protector = 3,
            "stack-protector-explicit" => settings.stack_protector = 4,
            "cf-protection" | "cf-protection=full" => settings.control_flow_protection = 3 * u8::from(on),
            "cf-protection=branch" => settings.control_flow_protection = 1,
            "cf-protection=return" => settings.control_flow_protection = 2,
            "cf-protection=none" => settings.control_flow_protection = 0,
            _ => {
                if let Some(list) = name.strip_prefix("sanitize=") {
                    for kind in list.split(',') {
                        match kind {
                            "address" | "kernel-address" => settings.sanitize_address = on,
                            "thread" => settings.sanitize_thread = on,
                            _ => {}
                        }
                    }
                }
            }
        }
    }

    fn machine_flag(&mut self, flag: &str) {
        let machine = &mut self.settings.machine;
        match flag.split_once('=') {
            Some(("arch", arch)) => arch.clone_into(&mut machine.arch),
            Some(("fpmath", unit)) => machine.fpmath_sse = unit.contains("sse"),
            Some(("cmodel", model)) => model.clone_into(&mut machine.code_model),
            Some(_) => {}
            None => match flag {
                "32" => machine.is_32_bit = true,
                "64" => machine.is_32_bit = false,
                _ => machine.features.push(flag.to_owned()),
            },
        }
    }

    fn finish(mut self) -> CompileCommand {
        let settings = &mut self.settings;
        settings.dialect.trigraphs = self.trigraphs;
        settings.includes.after.append(&mut self.with_prefix);
        if let Some(triple) = &settings.compiler.triple {
            let cpu = triple.split('-').next().unwrap_or_default();
            match cpu {
                "x86_64" | "amd64" => {}
                "i386" | "i486" | "i586" | "i686" => settings.machine.is_32_bit = true,
                _ => self.warnings.push(format!("the target {triple} is not known yet; x86-64 Linux is assumed")),
            }
        }
        CompileCommand {
            settings: self.settings,
            inputs: self.inputs,
            language: self.language,
            warnings: self.warnings,
        }
    }
}

/// The argument of an option, joined to it or in the next word.
fn argument_of<'a>(word: &'a str, name: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<&'a str> {
    match word.strip_prefix(name)? {
        "" if name.ends_with('=') => Some(""),
        "" => words.next(),
        joined => Some(joined),
    }
}

/// gcc ends a definition at a line's end.
fn one_line(text: &str) -> &str {
    text.split(['\n', '\r']).next().unwrap_or_default()
}
