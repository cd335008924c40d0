//! The files of `tests/preprocess` against the outputs kept beside them, and, where there is a GCC,
//! against `gcc -E -P`: the same tokens.
//!
//! `CAULK_BLESS=1 cargo test` writes the outputs anew; look at the difference before keeping it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use caulk_base::SourceFile;
use caulk_syntax::config::{Dialect, IncludeDir, LexMode, PreprocessorConfig, Standard};
use caulk_syntax::files::Files;
use caulk_syntax::lexer::LexedFile;
use caulk_syntax::preprocessor::{Preprocessor, print};
use caulk_syntax::token::TokenKind;

struct Disk;

impl Files for Disk {
    fn load(&self, path: &Path, mode: LexMode) -> Option<Arc<LexedFile>> {
        let text = std::fs::read(path).ok()?;
        Some(lexed(path, text, mode))
    }

    fn load_bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        std::fs::read(path).ok().map(Into::into)
    }
}

fn lexed(path: &Path, text: Vec<u8>, mode: LexMode) -> Arc<LexedFile> {
    let source = SourceFile::new(path.to_path_buf(), text.into_boxed_slice());
    Arc::new(LexedFile::new(Arc::new(source), mode))
}

fn config(standard: Standard, gnu: bool) -> PreprocessorConfig {
    PreprocessorConfig {
        dialect: Dialect { standard, gnu, trigraphs: None },
        dirs: vec![IncludeDir { path: "<builtin>".into(), is_system: true }],
        builtin_headers: &[("stddef.h", "")],
        ..PreprocessorConfig::default()
    }
}

/// The test files, as paths relative to the crate: `__FILE__` shows them.
fn files() -> Vec<PathBuf> {
    let folder = Path::new("tests/preprocess");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("tests run in the crate's folder")
        .map(|entry| folder.join(entry.expect("readable").file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

fn preprocess(path: &Path, config: &PreprocessorConfig) -> String {
    let text = std::fs::read(path).expect("readable");
    let mut pp = Preprocessor::new(&Disk, config, lexed(path, text, config.dialect.lex_mode()));
    let mut out = Vec::new();
    print::print(&mut pp, print::Style::default(), &mut out).expect("memory takes all");
    for diagnostic in &pp.diagnostics {
        let place = pp.map.place(diagnostic.loc).expect("in a file");
        let line = format!("// {}:{}: {}\n", place.line, place.column, diagnostic.message);
        out.extend_from_slice(line.as_bytes());
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn files_give_the_outputs_kept_beside_them() {
    for path in files() {
        let output = preprocess(&path, &config(Standard::C17, true));
        let kept = path.with_extension("expected");
        if std::env::var_os("CAULK_BLESS").is_some() {
            std::fs::write(&kept, &output).expect("writable");
        }
        let expected = std::fs::read_to_string(&kept).unwrap_or_default();
        assert_eq!(output, expected, "{}", path.display());
    }
}

/// Spellings of all tokens of a preprocessed text; identifiers by their names, pragmas left out.
fn tokens(text: &[u8], mode: LexMode) -> Vec<String> {
    let config = PreprocessorConfig::default();
    let mut pp = Preprocessor::new(&Disk, &config, lexed(Path::new("output.i"), text.to_vec(), mode));
    let mut tokens = Vec::new();
    loop {
        let token = pp.next();
        match token.kind {
            TokenKind::End => return tokens,
            TokenKind::Pragma => {}
            TokenKind::Ident => tokens.push(token.symbol().to_string()),
            _ => tokens.push(String::from_utf8_lossy(&pp.text(&token)).into_owned()),
        }
    }
}

#[test]
fn tokens_are_those_of_gcc() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no gcc on this machine, tokens were not compared with `gcc -E`");
        return;
    }
    let dialects = [("gnu17", Standard::C17, true), ("c11", Standard::C11, false), ("gnu2x", Standard::C23, true)];
    for (name, standard, gnu) in dialects {
        for path in files() {
            // GCC knows `#elifdef` in GNU and new modes only; we always do.
            if !gnu && path.ends_with("conditions.c") {
                continue;
            }
            let gcc = Command::new("gcc").arg(format!("-std={name}")).args(["-E", "-P"]).arg(&path).output();
            let theirs = gcc.expect("gcc runs").stdout;
            let config = config(standard, gnu);
            // What is already preprocessed holds no trigraphs.
            let mode = LexMode { trigraphs: false, ..config.dialect.lex_mode() };
            let ours = preprocess(&path, &config);
            let (ours, theirs) = (tokens(ours.as_bytes(), mode), tokens(&theirs, mode));
            let differs = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            if differs.is_some() || ours.len() != theirs.len() {
                let from = differs.unwrap_or(ours.len().min(theirs.len())).saturating_sub(5);
                let around = |tokens: &[String]| tokens[from..tokens.len().min(from + 15)].join(" ");
                panic!("{} -std={name}\n ours: {}\n gcc:  {}", path.display(), around(&ours), around(&theirs));
            }
        }
    }
}
