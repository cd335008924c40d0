//! `cargo xtask bench`: speed and memory as ratios, measured in one run.
//!
//! A shared machine's clock is noise; the ratio of two programs that took turns on it is not. Every program runs several
//! rounds in turn, and its fastest round counts, process start included. The front end runs single-threaded, from source
//! text to IR (caulk) or to the end of semantic analysis (clang); the engine runs on two threads, from source text to
//! findings.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::corpus::{self, CompileCommand};

pub(crate) const USAGE: &str = "\
cargo xtask bench [frontend|engine] [--dir DIR] [--project NAME] [--rounds N] [--caulk PATH]
    prints the speed and memory of the front end, of the engine, or of both, against clang's and tcc's
    --dir DIR       the corpus (default: $CAULK_CORPUS, else target/corpus)
    --project NAME  the multi-file project (default: curl)";

struct Options {
    frontend: bool,
    engine: bool,
    dir: PathBuf,
    project: String,
    rounds: usize,
    caulk: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = parse(arguments)?;
    let caulk = match &options.caulk {
        Some(path) => path.clone(),
        None => corpus::build_caulk()?,
    };
    if options.frontend {
        single_file(&caulk, &options)?;
        whole_project(&caulk, &options, &STATS, 0.25)?;
        growth(&caulk, &options)?;
    }
    if options.engine {
        single_check(&caulk, &options)?;
        whole_project(&caulk, &options, &CHECK, 1.0)?;
    }
    Ok(())
}

const STATS: [&str; 3] = ["stats", "--jobs", "1"];
const CHECK: [&str; 3] = ["check", "--jobs", "2"];

fn parse(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        frontend: true,
        engine: true,
        dir: corpus::default_dir(),
        project: "curl".to_owned(),
        rounds: 7,
        caulk: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"));
        match argument.as_str() {
            "frontend" => options.engine = false,
            "engine" => options.frontend = false,
            "--dir" => options.dir = value()?.into(),
            "--project" => options.project = value()?.clone(),
            "--rounds" => options.rounds = value()?.parse().map_err(|error| format!("--rounds: {error}"))?,
            "--caulk" => options.caulk = Some(value()?.into()),
            _ => return Err(format!("unknown option {argument}\n\n{USAGE}")),
        }
    }
    options.dir = options.dir.canonicalize().map_err(|error| format!("{}: {error}", options.dir.display()))?;
    options.rounds = options.rounds.max(1);
    Ok(options)
}

/// What one run of a program took.
#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    memory: u64,
}

/// Runs a program to its end. Memory is its high-water mark as last seen, looked at every millisecond.
fn measure(command: &mut Command) -> Result<Cost, String> {
    let name = format!("{:?}", command.get_program());
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{name}: {error}"))?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut memory = 0;
    loop {
        memory = memory.max(high_water_mark(&status).unwrap_or(0));
        if let Some(exit) = child.try_wait().map_err(|error| format!("{name}: {error}"))? {
            let time = start.elapsed();
            // Findings are no failure.
            return if matches!(exit.code(), Some(0 | 1)) {
                Ok(Cost { time, memory })
            } else {
                Err(format!("{name} failed: {exit}"))
            };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn high_water_mark(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The best of some rounds in which the programs take turns.
fn best(commands: &mut [Command], rounds: usize) -> Result<Vec<Cost>, String> {
    let mut best: Vec<Option<Cost>> = vec![None; commands.len()];
    for _ in 0..rounds {
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let cost = measure(command)?;
            let known = best.unwrap_or(cost);
            *best = Some(Cost { time: known.time.min(cost.time), memory: known.memory.max(cost.memory) });
        }
    }
    Ok(best.into_iter().flatten().collect())
}

fn caulk_command(caulk: &Path, verb: &[&str], compile: &CompileCommand) -> Command {
    let mut command = Command::new(caulk);
    command.args(verb).arg(&compile.file).arg("--").args(flags(compile));
    command.current_dir(&compile.directory);
    command
}

fn clang_command(compile: &CompileCommand) -> Command {
    let mut command = Command::new("clang-19");
    command.args(["-fsyntax-only", "-w"]).args(flags(compile)).arg(&compile.file).current_dir(&compile.directory);
    command
}

/// Defines and include directories: what all three programs take alike.
fn flags(compile: &CompileCommand) -> Vec<String> {
    let mut flags = Vec::new();
    let mut rest = compile.arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-I" | "-D" | "-U" | "-include" | "-isystem" => {
                flags.push(argument.clone());
                flags.extend(rest.next().cloned());
            }
            text if text.starts_with("-I") || text.starts_with("-D") || text.starts_with("-U") => {
                flags.push(argument.clone());
            }
            text if text.starts_with("-std=") => flags.push(argument.clone()),
            _ => {}
        }
    }
    flags
}

fn sqlite(options: &Options) -> Result<CompileCommand, String> {
    let commands = corpus::commands(&options.dir.join("sqlite"))?;
    let found = commands.into_iter().find(|command| command.file.ends_with("sqlite3.c"));
    found.ok_or_else(|| "the corpus has no sqlite3.c; run cargo xtask corpus --fetch --only sqlite".to_owned())
}

fn single_check(caulk: &Path, options: &Options) -> Result<(), String> {
    let compile = &sqlite(options)?;
    let costs = best(&mut [caulk_command(caulk, &CHECK, compile), clang_command(compile)], options.rounds)?;
    let [ours, clang] = costs[..] else { return Err("a measurement is missing".to_owned()) };
    let lines = corpus::lines(std::slice::from_ref(compile));
    println!("sqlite3.c, {lines} lines, caulk check");
    println!("  caulk {}, clang -fsyntax-only {}", show(ours), show(clang));
    println!("  time: {:.2} x clang (at most 3)", ratio(ours, clang));
    println!("  memory: {} MB a million lines (at most 1024)", (ours.memory >> 20) * 1_000_000 / lines.max(1) as u64);
    Ok(())
}

fn single_file(caulk: &Path, options: &Options) -> Result<(), String> {
    let compile = &sqlite(options)?;
    let mut tcc = Command::new("tcc");
    let object = std::env::temp_dir().join("caulk-bench.o");
    tcc.arg("-c").arg("-w").args(flags(compile)).arg(&compile.file).arg("-o").arg(object);
    tcc.current_dir(&compile.directory);
    let costs = best(&mut [caulk_command(caulk, &STATS, compile), clang_command(compile), tcc], options.rounds)?;
    let [ours, clang, tcc] = costs[..] else { return Err("a measurement is missing".to_owned()) };
    println!("sqlite3.c, {} lines", corpus::lines(std::slice::from_ref(compile)));
    println!("  caulk {}, clang -fsyntax-only {}, tcc -c {}", show(ours), show(clang), show(tcc));
    println!("  time: {:.2} x clang (at most 0.5), {:.2} x tcc (aim: 2.5)", ratio(ours, clang), ratio(ours, tcc));
    println!("  memory: {:.2} x clang (at most 1)", ours.memory as f64 / clang.memory.max(1) as f64);
    Ok(())
}

fn show(cost: Cost) -> String {
    format!("{:.3} s / {} MB", cost.time.as_secs_f64(), cost.memory >> 20)
}

fn ratio(a: Cost, b: Cost) -> f64 {
    a.time.as_secs_f64() / b.time.as_secs_f64()
}

fn whole_project(caulk: &Path, options: &Options, verb: &[&str], limit: f64) -> Result<(), String> {
    let root = options.dir.join(&options.project);
    let commands = corpus::commands(&root)?;
    let mut ours = Command::new(caulk);
    ours.args(verb).arg("-p").arg(&root);
    let mut ours_best: Option<Cost> = None;
    let mut clang_best: Option<Duration> = None;
    for _ in 0..options.rounds.div_ceil(3) {
        let cost = measure(&mut ours)?;
        let known = ours_best.unwrap_or(cost);
        ours_best = Some(Cost { time: known.time.min(cost.time), memory: known.memory.max(cost.memory) });
        let mut sum = Duration::ZERO;
        for compile in &commands {
            sum += measure(&mut clang_command(compile))?.time;
        }
        clang_best = Some(clang_best.map_or(sum, |known| known.min(sum)));
    }
    let (Some(ours), Some(clang)) = (ours_best, clang_best) else { return Err("no rounds".to_owned()) };
    println!("{}, {} files, {} lines, caulk {}", options.project, commands.len(), corpus::lines(&commands), verb[0]);
    println!("  caulk {}, clang -fsyntax-only in sum {:.3} s", show(ours), clang.as_secs_f64());
    println!("  time: {:.3} x clang (at most {limit})", ours.time.as_secs_f64() / clang.as_secs_f64());
    Ok(())
}

/// Time against the number of files: a quarter, a half and all of the project.
fn growth(caulk: &Path, options: &Options) -> Result<(), String> {
    let root = options.dir.join(&options.project);
    let commands = corpus::commands(&root)?;
    let scratch = std::env::temp_dir().join(format!("caulk-bench-{}", std::process::id()));
    println!("time by number of files (linear: the last column stays)");
    for parts in [4, 2, 1] {
        // Every n-th file, so that each share has large and small ones alike.
        let share: Vec<CompileCommand> = commands.iter().step_by(parts).cloned().collect();
        std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        corpus::store_commands(&scratch, &share)?;
        let mut command = Command::new(caulk);
        command.args(["stats", "--jobs", "1", "-p"]).arg(&scratch);
        let cost = best(&mut [command], options.rounds)?[0];
        let lines = corpus::lines(&share).max(1);
        let per_line = cost.time.as_nanos() as f64 / lines as f64;
        println!("  {:5} files, {lines:7} lines: {}, {per_line:.0} ns a line", share.len(), show(cost));
    }
    std::fs::remove_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))
}
