//! Preprocessed tokens against `gcc -E -P`, on real headers: those of the machine's C library, one by one and under
//! several settings, and, where `CAULK_CORPUS` names a corpus, on a sample of its files with their own flags.
//!
//! Both sides get the same macros and the same include directories: gcc's. Without a gcc the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use caulk_base::SourceFile;
use caulk_driver::{Project, Request, preprocess};
use caulk_syntax::config::{LexMode, PreprocessorConfig};
use caulk_syntax::files::Files;
use caulk_syntax::lexer::LexedFile;
use caulk_syntax::preprocessor::Preprocessor;
use caulk_syntax::token::TokenKind;

struct NoFiles;

impl Files for NoFiles {
    fn load(&self, _: &Path, _: LexMode) -> Option<Arc<LexedFile>> {
        None
    }

    fn load_bytes(&self, _: &Path) -> Option<Arc<[u8]>> {
        None
    }
}

/// The tokens of preprocessed text, pragmas left out: gcc keeps some that we use up.
fn tokens(text: Vec<u8>) -> Vec<String> {
    let config = PreprocessorConfig::default();
    let source = Arc::new(SourceFile::new("preprocessed".into(), text.into()));
    let main = Arc::new(LexedFile::new(source, config.dialect.lex_mode()));
    let mut preprocessor = Preprocessor::new(&NoFiles, &config, main);
    let mut tokens = Vec::new();
    loop {
        let token = preprocessor.next();
        match token.kind {
            TokenKind::End => return tokens,
            TokenKind::Pragma => {}
            TokenKind::String => tokens.push(simplified(&String::from_utf8_lossy(&preprocessor.text(&token)))),
            _ => tokens.push(String::from_utf8_lossy(&preprocessor.text(&token)).into_owned()),
        }
    }
}

/// `__FILE__` keeps `a/./../b` as it was spelled with gcc; files have one name with us.
fn simplified(string: &str) -> String {
    if !string.contains("/../") && !string.contains("/./") {
        return string.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in string.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn gcc(arguments: &[String], directory: &Path) -> Option<Vec<u8>> {
    let mut command = Command::new("gcc");
    // Our `__DATE__` and `__TIME__` are always those of the epoch.
    command.env("SOURCE_DATE_EPOCH", "0").args(arguments).current_dir(directory).stdin(Stdio::null());
    let output = command.output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// gcc's include directories and predefined macros, as flags for both sides; `None` without a gcc.
fn common_flags(extra: &[&str], directory: &Path, name: &str) -> Option<Vec<String>> {
    let mut arguments: Vec<String> = ["-E", "-dM", "-x", "c", "/dev/null"].map(str::to_owned).to_vec();
    arguments.extend(extra.iter().map(|&flag| flag.to_owned()));
    let macros = gcc(&arguments, directory)?;
    // The macros that count or move cannot be given by hand, and these two gcc always adds itself.
    let kept: Vec<&str> = std::str::from_utf8(&macros)
        .ok()?
        .lines()
        .filter(|line| !line.starts_with("#define __STDC__ ") && !line.starts_with("#define __STDC_HOSTED__ "))
        .collect();
    let file = directory.join(format!("{name}-macros.h"));
    std::fs::write(&file, kept.join("\n") + "\n").ok()?;
    let search = Command::new("gcc").args(["-E", "-Wp,-v", "-x", "c", "/dev/null"]).args(extra).output().ok()?;
    let listing = String::from_utf8_lossy(&search.stderr).into_owned();
    let mut flags =
        vec!["-nostdinc".to_owned(), "-undef".to_owned(), "-imacros".to_owned(), file.display().to_string()];
    let directories = listing.lines().skip_while(|line| !line.contains("<...>")).skip(1);
    for found in directories.take_while(|line| line.starts_with(' ')) {
        flags.extend(["-isystem".to_owned(), found.trim().to_owned()]);
    }
    flags.extend(extra.iter().map(|&flag| flag.to_owned()));
    Some(flags)
}

/// Compares one file; false if gcc cannot preprocess it, a message if the tokens differ.
fn compare(file: &Path, directory: &Path, flags: &[String]) -> Result<bool, String> {
    let mut arguments = flags.to_vec();
    arguments.extend(["-E".to_owned(), "-P".to_owned(), file.display().to_string()]);
    let Some(expected) = gcc(&arguments, directory) else { return Ok(false) };
    let request = Request { paths: vec![file.to_owned()], flags: flags.to_vec(), ..Request::default() };
    let project = Project::find(&request).expect("a file needs no database");
    let ours = preprocess(&project.units[0]).expect("the file is readable");
    let (ours, expected) = (tokens(ours.text), tokens(expected));
    let differs = ours.iter().zip(&expected).position(|(a, b)| a != b);
    let at = differs.or((ours.len() != expected.len()).then(|| ours.len().min(expected.len())));
    if let Some(at) = at {
        let near = |tokens: &[String]| tokens[at.saturating_sub(12)..(at + 12).min(tokens.len())].join(" ");
        return Err(format!("{}: token {at}\n  ours: {}\n  gcc:  {}", file.display(), near(&ours), near(&expected)));
    }
    Ok(true)
}

#[test]
fn system_headers_preprocess_as_by_gcc() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let headers: Vec<String> = match std::fs::read_dir("/usr/include") {
        Ok(entries) => {
            let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            let mut names: Vec<String> = names.filter(|name| name.ends_with(".h")).collect();
            names.sort();
            names
        }
        Err(_) => Vec::new(),
    };
    let settings: [&[&str]; 4] =
        [&[], &["-D_GNU_SOURCE"], &["-std=c99", "-D_POSIX_C_SOURCE=200809L"], &["-O2", "-D_FORTIFY_SOURCE=2", "-m64"]];
    let mut compared = 0;
    let mut differences = Vec::new();
    for (number, extra) in settings.iter().enumerate() {
        let Some(flags) = common_flags(extra, &directory, &format!("headers-{number}")) else {
            eprintln!("skipped: no gcc on this machine");
            return;
        };
        // A few headers a file: fewer processes, and what they define for each other counts too.
        for (part, group) in headers.chunks(12).enumerate() {
            let text: String = group.iter().map(|name| format!("#include <{name}>\n")).collect();
            let file = directory.join(format!("headers-{number}-{part}.c"));
            std::fs::write(&file, text).expect("the target directory is writable");
            match compare(&file, &directory, &flags) {
                Ok(is_compared) => compared += usize::from(is_compared),
                Err(message) => differences.push(message),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(compared > 0 || headers.is_empty(), "gcc could not preprocess any of {} headers", headers.len());
}

#[test]
fn a_sample_of_the_corpus_preprocesses_as_by_gcc() {
    let Some(corpus) = std::env::var_os("CAULK_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: CAULK_CORPUS names no corpus");
        return;
    };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let entries = std::fs::read_dir(&corpus).expect("the corpus is a directory");
    let mut projects: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    projects.sort();
    let mut compared = 0;
    let mut differences = Vec::new();
    for project in projects {
        let Ok(text) = std::fs::read_to_string(project.join("compile_commands.json")) else { continue };
        let commands: Vec<serde_json::Value> = serde_json::from_str(&text).expect("the corpus is well-formed");
        let step = commands.len().div_ceil(12).max(1);
        for command in commands.iter().step_by(step) {
            let word = |key: &str| command[key].as_str().unwrap_or_default().to_owned();
            let arguments = command["arguments"].as_array().cloned().unwrap_or_default();
            let arguments: Vec<String> = arguments.iter().filter_map(|a| Some(a.as_str()?.to_owned())).collect();
            let from = PathBuf::from(word("directory"));
            let Some(mut flags) = common_flags(&[], &directory, "corpus") else { return };
            flags.extend(preprocessor_flags(&arguments, &from));
            match compare(Path::new(&word("file")), &directory, &flags) {
                Ok(is_compared) => compared += usize::from(is_compared),
                Err(message) => differences.push(message),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    eprintln!("compared {compared} files");
}

/// The flags of a command that bear on preprocessing, with absolute paths.
fn preprocessor_flags(arguments: &[String], directory: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            option @ ("-I" | "-isystem" | "-iquote" | "-idirafter" | "-include" | "-imacros") => {
                let Some(value) = rest.next() else { break };
                let path = directory.join(value);
                let value = if path.exists() { path.display().to_string() } else { value.clone() };
                flags.extend([option.to_owned(), value]);
            }
            "-D" | "-U" => {
                flags.push(argument.clone());
                flags.extend(rest.next().cloned());
            }
            text if text.starts_with("-I") => flags.push(format!("-I{}", directory.join(&text[2..]).display())),
            text if text.starts_with("-D") || text.starts_with("-U") => flags.push(argument.clone()),
            _ => {}
        }
    }
    flags
}
