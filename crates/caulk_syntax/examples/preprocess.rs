//! Preprocesses a file as GCC's driver would and prints it, or times the steps.
//!
//! `preprocess [--time] [--markers] [-std=…] [-D… -U… -I… -isystem … -iquote … -include …] file.c …`
//!
//! Predefined macros come from a file named by `CAULK_PREDEFINED` (`gcc -dM -E - </dev/null`); without it
//! there are none.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use caulk_base::SourceFile;
use caulk_syntax::config::{Dialect, IncludeDir, LexMode, PreprocessorConfig, Standard};
use caulk_syntax::files::Files;
use caulk_syntax::lexer::LexedFile;
use caulk_syntax::preprocessor::{Preprocessor, print};
use caulk_syntax::token::TokenKind;

/// Files from disk, each lexed once.
#[derive(Default)]
struct Disk {
    lexed: Mutex<HashMap<PathBuf, Option<Arc<LexedFile>>>>,
}

impl Files for Disk {
    fn load(&self, path: &Path, mode: LexMode) -> Option<Arc<LexedFile>> {
        let mut lexed = self.lexed.lock().expect("no panic while locked");
        if let Some(known) = lexed.get(path) {
            return known.clone();
        }
        let file = path.is_file().then(|| std::fs::read(path).ok()).flatten().map(|text| {
            let source = SourceFile::new(path.to_path_buf(), text.into_boxed_slice());
            Arc::new(LexedFile::new(Arc::new(source), mode))
        });
        lexed.insert(path.to_path_buf(), file.clone());
        file
    }

    fn load_bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        std::fs::read(path).ok().map(Into::into)
    }
}

fn dialect(text: &str) -> Dialect {
    let gnu = text.starts_with("gnu");
    let standard = match &text[if gnu { 3 } else { 1 }..] {
        "89" | "90" => Standard::C89,
        "99" => Standard::C99,
        "11" => Standard::C11,
        "23" | "2x" => Standard::C23,
        _ => Standard::C17,
    };
    Dialect { standard, gnu, trigraphs: None }
}

/// Enough of GCC's answers to compare with it.
fn attribute_version(name: &str) -> u32 {
    const UNKNOWN: &[&str] = &[
        "overloadable",
        "enable_if",
        "diagnose_if",
        "capability",
        "guarded_by",
        "availability",
        "objc_root_class",
        "ext_vector_type",
        "annotate",
        "unavailable_",
        "swiftcall",
        "nullable",
        "pass_object_size",
        "counted_by",
        "noescape",
        "no_thread_safety_analysis",
        "type_tag_for_datatype",
        "address_space",
        "external_source_symbol",
        "uninitialized_",
        "musttail",
        "callback",
        "scoped_lockable",
        "lockable",
        "acquire_capability",
        "release_capability",
        "nonstring_",
        "trivial_abi",
        "internal_linkage",
        "flag_enum",
        "enum_extensibility",
        "argument_with_type_tag",
        "ownership_returns",
        "ownership_takes",
        "minsize",
        "opencl_kernel",
    ];
    u32::from(!UNKNOWN.contains(&name) && !name.starts_with("objc_"))
}

fn is_builtin(name: &str) -> bool {
    const UNKNOWN: &[&str] = &[
        "__builtin_assume",
        "__builtin_fclose",
        "__builtin_debugtrap",
        "__builtin_bitreverse32",
        "__builtin_rotateleft32",
        "__builtin_rotateleft64",
        "__builtin_addcb",
        "__builtin_available",
        "__builtin_operator_new",
        "__builtin_unpredictable",
        "__builtin_nondeterministic_value",
        "__builtin_dump_struct",
        "__builtin_elementwise_abs",
        "__builtin_verbose_trap",
        "__builtin_stdc_bit_ceil",
        "__builtin_counted_by_ref",
        "__builtin_popcountg",
        "__builtin_clzg",
        "__builtin_ctzg",
    ];
    name.starts_with("__builtin_") && !UNKNOWN.contains(&name)
        || name.starts_with("__sync_")
        || name.starts_with("__atomic_")
}

/// Translation units that share headers: the second round lexes nothing.
fn time_many(config: &PreprocessorConfig, paths: &[PathBuf]) {
    let files = Disk::default();
    for round in ["cold", "warm", "warm"] {
        let start = Instant::now();
        let (mut tokens, mut inclusions) = (0usize, 0);
        for path in paths {
            let main = files.load(path, config.dialect.lex_mode()).expect("readable");
            let mut pp = Preprocessor::new(&files, config, main);
            while pp.next().kind != TokenKind::End {
                tokens += 1;
            }
            inclusions += pp.map.inclusions().len();
        }
        let (count, time) = (paths.len(), start.elapsed());
        eprintln!("{round}: {count} units, {inclusions} inclusions, {tokens} tokens in {time:?}");
    }
}

fn main() {
    let mut config = PreprocessorConfig {
        attribute_version: Some(attribute_version),
        is_builtin: Some(is_builtin),
        ..PreprocessorConfig::default()
    };
    let (mut times, mut style, mut main_paths) = (false, print::Style::default(), Vec::new());
    let mut system_dirs = Vec::new();
    if let Some(path) = std::env::var_os("CAULK_PREDEFINED") {
        config.predefined = std::fs::read_to_string(path).expect("readable").into();
    }
    let mut args = std::env::args().skip(1).peekable();
    while let Some(arg) = args.next() {
        let mut operand = |flag: &str| -> String {
            let rest = &arg[flag.len()..];
            if rest.is_empty() { args.next().expect("an operand") } else { rest.to_string() }
        };
        let dir = |path: String, is_system| IncludeDir { path: path.into(), is_system };
        match () {
            () if arg == "--time" => times = true,
            () if arg == "--markers" => style.line_markers = true,
            () if arg.starts_with("-std=") => config.dialect = dialect(&arg[5..]),
            () if arg.starts_with("-isystem") => system_dirs.push(dir(operand("-isystem"), true)),
            () if arg.starts_with("-iquote") => config.quote_dirs.push(dir(operand("-iquote"), false)),
            () if arg.starts_with("-include") => config.forced_includes.push(operand("-include").into()),
            () if arg.starts_with("-I") => config.dirs.push(dir(operand("-I"), false)),
            () if arg.starts_with("-D") => {
                let definition = operand("-D");
                let (name, value) = definition.split_once('=').unwrap_or((&definition, "1"));
                config.command_line += &format!("#define {name} {value}\n");
            }
            () if arg.starts_with("-U") => config.command_line += &format!("#undef {}\n", operand("-U")),
            () if arg.starts_with('-') => {}
            () => main_paths.push(PathBuf::from(arg)),
        }
    }
    config.dirs.extend(system_dirs);
    if times && main_paths.len() > 1 {
        return time_many(&config, &main_paths);
    }
    let main_path = main_paths.pop().expect("a file");
    let text = std::fs::read(&main_path).expect("readable");
    let rounds = if times { 20 } else { 1 };
    let mode = config.dialect.lex_mode();
    // The shortest of some runs: the first pays for the process's start.
    let best = |run: &mut dyn FnMut()| -> Duration {
        let timed = |_| {
            let start = Instant::now();
            run();
            start.elapsed()
        };
        (0..rounds).map(timed).min().unwrap_or_default()
    };
    let source = Arc::new(SourceFile::new(main_path.clone(), text.clone().into_boxed_slice()));
    let lexed = Arc::new(LexedFile::new(source.clone(), mode));
    let files = Disk::default();
    if times {
        let lines = best(&mut || drop(SourceFile::new(main_path.clone(), text.clone().into_boxed_slice())));
        let lexing = best(&mut || drop(LexedFile::new(source.clone(), mode)));
        let mut count = 0;
        let preprocessing = best(&mut || {
            count = 0;
            let mut pp = Preprocessor::new(&files, &config, lexed.clone());
            while pp.next().kind != TokenKind::End {
                count += 1;
            }
        });
        let lexed_count = lexed.token_count();
        eprintln!(
            "copy and line table {lines:?}, lexing {lexing:?} ({lexed_count} tokens), preprocessing {preprocessing:?} ({count} tokens)"
        );
        return;
    }
    let mut pp = Preprocessor::new(&files, &config, lexed.clone());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    print::print(&mut pp, style, &mut out).expect("writable");
    for diagnostic in &pp.diagnostics {
        if let Some(place) = pp.map.place(diagnostic.loc) {
            eprint!("{}:{}:{}: ", place.path.display(), place.line, place.column);
        }
        eprintln!("{:?}: {}", diagnostic.severity, diagnostic.message);
    }
    for header in &pp.missing_headers {
        eprintln!("missing header {}", header.name);
    }
}
