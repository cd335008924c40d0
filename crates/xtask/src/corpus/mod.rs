//! `cargo xtask corpus`: does the front end understand C as it is written?
//!
//! Three steps, each resumable, each keeping its results below one directory:
//!
//! 1. *fetch* gets the sources of real projects and builds them once, recording how the compiler was called. The
//!    build is real because only a build makes the generated headers, and only its commands have the right flags.
//! 2. *count* asks clang which functions each translation unit defines. Clang is the referee: what our own front end
//!    silently drops it cannot count itself.
//! 3. *report* runs `caulk stats` on the same commands and compares, function by function.
//!
//! ```text
//! DIR/.apt, DIR/.cargo, DIR/.shim     private state of the package tools, the recording compiler
//! DIR/sqlite/src                      sources
//! DIR/sqlite/build.log                output of the build
//! DIR/sqlite/compile_commands.json    its commands; this file's existence marks a finished fetch
//! DIR/sqlite/clang.jsonl              clang's answers, one line per command; gcc.jsonl likewise
//! DIR/sqlite/missing.txt              what clang has and caulk did not lower
//! ```
//!
//! Third-party sources never enter the repository: DIR is below `target/` or elsewhere.

mod answers;
mod ast;
mod capture;
mod clang;
mod database;
mod fetch;
mod gcc;
mod projects;
mod report;

use std::path::PathBuf;

pub(crate) use database::{Command as CompileCommand, lines, load as commands, store as store_commands};
use projects::{PROJECTS, Project};
pub(crate) use report::build_caulk;

pub(crate) const USAGE: &str = "\
cargo xtask corpus [options]
    compares what caulk lowers with what clang compiles, over real projects

    --fetch        get and build the projects that are not there yet
    --count        ask clang for the functions of each translation unit
    --report       run caulk and print the table (implies --count)
                   with none of these three: --fetch --report
    --list         print the names of the projects
    --dir DIR      where the corpus lives (default: $CAULK_CORPUS, else target/corpus)
    --only NAME    this project only; may be repeated
    --jobs N       parallel jobs (default: all cores)
    --caulk PATH   this caulk instead of a fresh release build";

/// The command line of `cargo xtask corpus`.
struct Options {
    fetch: bool,
    count: bool,
    report: bool,
    list: bool,
    dir: PathBuf,
    only: Vec<String>,
    jobs: usize,
    caulk: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = parse(arguments)?;
    let projects = select(&options.only)?;
    if options.list {
        for project in projects {
            println!("{}", project.name);
        }
        return Ok(());
    }
    std::fs::create_dir_all(&options.dir).map_err(|error| format!("{}: {error}", options.dir.display()))?;
    let dir = options.dir.canonicalize().map_err(|error| format!("{}: {error}", options.dir.display()))?;

    // A project that fails stays in the list: it has a row in the table that says why.
    let mut corpus: Vec<report::Subject> = Vec::new();
    for project in projects {
        let root = dir.join(project.name);
        let fetched =
            if options.fetch { fetch::fetch(&dir, project, options.jobs) } else { fetch::require_fetched(&root) };
        if let Err(error) = &fetched {
            eprintln!("{}: {error}", project.name);
        }
        corpus.push(report::Subject { name: project.name, root, fetched });
    }
    if options.count || options.report {
        for subject in corpus.iter().filter(|subject| subject.fetched.is_ok()) {
            clang::count(&subject.root, &database::load(&subject.root)?, options.jobs)?;
        }
    }
    if options.report {
        let caulk = match options.caulk {
            Some(path) => path,
            None => report::build_caulk()?,
        };
        return report::report(&caulk, &corpus, options.jobs);
    }
    report::sizes(&corpus);
    Ok(())
}

/// Where the corpus is unless `--dir` says otherwise.
pub(crate) fn default_dir() -> PathBuf {
    std::env::var_os("CAULK_CORPUS").map_or_else(|| PathBuf::from("target/corpus"), PathBuf::from)
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        fetch: false,
        count: false,
        report: false,
        list: false,
        dir: default_dir(),
        only: Vec::new(),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        caulk: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"));
        match argument.as_str() {
            "--fetch" => options.fetch = true,
            "--count" => options.count = true,
            "--report" => options.report = true,
            "--list" => options.list = true,
            "--dir" => options.dir = value()?.into(),
            "--only" => options.only.push(value()?.clone()),
            "--jobs" => options.jobs = value()?.parse().map_err(|error| format!("--jobs: {error}"))?,
            "--caulk" => options.caulk = Some(value()?.into()),
            _ => return Err(format!("unknown option {argument}\n\n{USAGE}")),
        }
    }
    options.jobs = options.jobs.max(1);
    if !(options.fetch || options.count || options.report) {
        options.fetch = true;
        options.report = true;
    }
    Ok(options)
}

fn select(only: &[String]) -> Result<Vec<&'static Project>, String> {
    if let Some(unknown) = only.iter().find(|name| PROJECTS.iter().all(|project| project.name != name.as_str())) {
        return Err(format!("no project {unknown}; see --list"));
    }
    Ok(PROJECTS.iter().filter(|project| only.is_empty() || only.iter().any(|name| name == project.name)).collect())
}
