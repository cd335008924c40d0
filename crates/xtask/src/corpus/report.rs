//! Compares caulk's functions with clang's, command by command, and prints the table.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::{clang, database, fetch};

/// A project of the table, and whether its sources are there.
pub(super) struct Subject {
    pub(super) name: &'static str,
    pub(super) root: PathBuf,
    pub(super) fetched: Result<(), String>,
}

/// The part of `caulk stats --format json --functions` that is compared.
#[derive(Deserialize)]
struct Stats {
    skipped: Vec<Skipped>,
    units: Vec<Unit>,
    #[serde(default)]
    peak_memory_bytes: u64,
}

#[derive(Deserialize)]
struct Skipped {
    file: PathBuf,
    line: u64,
    function: String,
    reason: String,
}

#[derive(Deserialize)]
struct Unit {
    /// Its place in the compile database: a file can be compiled more than once.
    command: usize,
    lowered: Vec<String>,
    unknown: Vec<String>,
}

/// One line of the table. Functions are counted once per translation unit that defines them.
#[derive(Default)]
struct Row {
    files: usize,
    lines: usize,
    /// Units clang has errors in. They are counted here only.
    clang_failed: usize,
    /// Functions clang has, in the other units; each is one of the next three.
    functions: usize,
    lowered: usize,
    unknown: usize,
    missing: usize,
    seconds: f64,
    memory: u64,
}

/// The sizes alone, after a fetch or a count.
pub(super) fn sizes(corpus: &[Subject]) {
    let mut total = 0;
    println!("{:<14}{:>9}{:>10}{:>11}{:>14}", "project", "commands", "lines", "functions", "clang failed");
    for subject in corpus {
        match measure(subject) {
            Ok(Measured { row, .. }) => {
                total += row.lines;
                let Row { files, lines, functions, clang_failed, .. } = row;
                println!("{:<14}{files:>9}{lines:>10}{functions:>11}{clang_failed:>14}{}", subject.name, note(subject));
            }
            Err(error) => println!("{:<14}{error}", subject.name),
        }
    }
    println!("{:<14}{:>9}{total:>10}", "total", "");
}

pub(super) fn report(caulk: &Path, corpus: &[Subject]) -> Result<(), String> {
    println!("{}", heading());
    let mut total = Row::default();
    for subject in corpus {
        match measure(subject) {
            Ok(mut measured) => {
                // A caulk that fails has lowered nothing: without this its failure would improve the total.
                let remark = match compare(caulk, subject, &mut measured) {
                    Ok(()) => note(subject).to_owned(),
                    Err(error) => {
                        measured.row.missing = measured.row.functions;
                        format!("  {error}")
                    }
                };
                println!("{}{remark}", render(subject.name, &measured.row));
                total.add(&measured.row);
            }
            Err(error) => println!("{:<14}{error}", subject.name),
        }
    }
    println!("{}", render("total", &total));
    Ok(())
}

/// A fresh release build; cargo itself knows best where it puts the binary.
pub(super) fn build_caulk() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", "caulk", "--bin", "caulk"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err("caulk does not build".to_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .ok_or_else(|| "cargo built no binary called caulk".to_owned())
}

/// What is known without caulk.
struct Measured {
    /// Its first half.
    row: Row,
    commands: Vec<database::Command>,
    /// Clang's answer to each command.
    answers: Vec<Option<clang::Answer>>,
}

fn measure(subject: &Subject) -> Result<Measured, String> {
    subject.fetched.clone()?;
    let commands = database::load(&subject.root)?;
    let answers = clang::answers(&subject.root, &commands);
    let row = Row {
        files: commands.len(),
        lines: database::lines(&commands),
        clang_failed: answers.iter().flatten().filter(|answer| answer.error.is_some()).count(),
        functions: answers.iter().flatten().map(|answer| answer.functions.len()).sum(),
        ..Row::default()
    };
    Ok(Measured { row, commands, answers })
}

/// Fills in the row's second half and lists what it counts as unknown or missing.
fn compare(caulk: &Path, subject: &Subject, measured: &mut Measured) -> Result<(), String> {
    let Measured { row, commands, answers } = measured;
    let start = std::time::Instant::now();
    let stats = stats(caulk, &subject.root)?;
    row.seconds = start.elapsed().as_secs_f64();
    row.memory = stats.peak_memory_bytes;

    let units: FxHashMap<usize, &Unit> = stats.units.iter().map(|unit| (unit.command, unit)).collect();
    let reasons = Reasons::new(&stats.skipped);
    let mut listing = String::new();
    for (index, (command, answer)) in commands.iter().zip(answers.iter()).enumerate() {
        let Some(answer) = answer else { continue };
        let file = command.file.display();
        if let Some(error) = &answer.error {
            _ = writeln!(listing, "{file}: left out, clang fails: {error}");
            continue;
        }
        let unit = units.get(&index);
        let set = |names: fn(&Unit) -> &Vec<String>| -> FxHashSet<&str> {
            unit.iter().flat_map(|unit| names(unit)).map(String::as_str).collect()
        };
        let (lowered, unknown) = (set(|unit| &unit.lowered), set(|unit| &unit.unknown));
        for function in &answer.functions {
            let (count, verdict) = match () {
                () if lowered.contains(function.as_str()) => {
                    row.lowered += 1;
                    continue;
                }
                () if unknown.contains(function.as_str()) => (&mut row.unknown, "unknown"),
                () => (&mut row.missing, "missing"),
            };
            *count += 1;
            let reason = reasons.find(&command.file, function);
            _ = writeln!(listing, "{file}: {verdict} {function}: {reason}");
        }
    }
    let path = subject.root.join("missing.txt");
    fs::write(&path, listing).map_err(|error| format!("{}: {error}", path.display()))
}

fn stats(caulk: &Path, root: &Path) -> Result<Stats, String> {
    let output = Command::new(caulk)
        .args(["stats", "--format", "json", "--functions", "-p"])
        .arg(root)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", caulk.display()))?;
    // What it printed counts, not how it ended: a finding about the sources may be an exit code too.
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        format!("caulk: {}: {error}: {}", output.status, complaint.lines().next_back().unwrap_or_default())
    })
}

/// Why caulk skipped a function, found by the function's name. The unit does not settle it, because the function may
/// stand in a header.
struct Reasons<'a>(FxHashMap<&'a str, Vec<&'a Skipped>>);

impl<'a> Reasons<'a> {
    fn new(skipped: &'a [Skipped]) -> Self {
        let mut by_name: FxHashMap<&str, Vec<&Skipped>> = FxHashMap::default();
        for entry in skipped {
            by_name.entry(&entry.function).or_default().push(entry);
        }
        Self(by_name)
    }

    fn find(&self, file: &Path, function: &str) -> String {
        let candidates = self.0.get(function).map_or(&[][..], Vec::as_slice);
        match candidates.iter().find(|entry| entry.file == file).or(candidates.first()) {
            Some(entry) => format!("{}:{}: {}", entry.file.display(), entry.line, entry.reason),
            None => "not seen".to_owned(),
        }
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.files += other.files;
        self.lines += other.lines;
        self.clang_failed += other.clang_failed;
        self.functions += other.functions;
        self.lowered += other.lowered;
        self.unknown += other.unknown;
        self.missing += other.missing;
        self.seconds += other.seconds;
        self.memory = self.memory.max(other.memory);
    }

    /// Rounded down: 100.00 means all.
    fn percent(&self) -> f64 {
        if self.functions == 0 {
            return 0.0;
        }
        (self.lowered as f64 / self.functions as f64 * 10_000.0).floor() / 100.0
    }
}

fn heading() -> String {
    format!(
        "{:<14}{:>6}{:>9}{:>7}{:>10}{:>9}{:>9}{:>8}{:>8}{:>8}{:>7}",
        "project", "files", "lines", "failed", "clang", "lowered", "unknown", "missing", "%", "s", "MB"
    )
}

fn render(name: &str, row: &Row) -> String {
    format!(
        "{name:<14}{:>6}{:>9}{:>7}{:>10}{:>9}{:>9}{:>8}{:>8.2}{:>8.2}{:>7}",
        row.files,
        row.lines,
        row.clang_failed,
        row.functions,
        row.lowered,
        row.unknown,
        row.missing,
        row.percent(),
        row.seconds,
        row.memory >> 20
    )
}

fn note(subject: &Subject) -> &'static str {
    if subject.root.join(fetch::INCOMPLETE).is_file() { "  (its build stopped early)" } else { "" }
}
