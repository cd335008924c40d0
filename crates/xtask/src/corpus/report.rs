//! Compares caulk's functions with clang's, command by command, and prints the table.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::answers::{self, Verdict};
use super::{clang, database, fetch, gcc};

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
    /// Not known on every system.
    peak_memory_bytes: Option<u64>,
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
    /// Its place in the compile database: a file can be compiled more than once. Units from elsewhere have none.
    command: Option<usize>,
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
    /// Functions clang has, in the other units; each is one of the next four.
    functions: usize,
    /// Of these, what neither gcc nor caulk has: see [`gcc`]. Left out of the percentage.
    clang_only: usize,
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

pub(super) fn report(caulk: &Path, corpus: &[Subject], jobs: usize) -> Result<(), String> {
    println!("{}", heading());
    let mut total = Row::default();
    for subject in corpus {
        match measure(subject) {
            Ok(mut measured) => {
                // A caulk that fails has lowered nothing: without this its failure would improve the total.
                let remark = match compare(caulk, subject, &mut measured, jobs) {
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
pub(crate) fn build_caulk() -> Result<PathBuf, String> {
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
    /// Clang's on each command.
    verdicts: Vec<Option<Verdict>>,
}

fn measure(subject: &Subject) -> Result<Measured, String> {
    subject.fetched.clone()?;
    let commands = database::load(&subject.root)?;
    let verdicts = answers::recall(&subject.root, clang::NAME, &commands);
    let row = Row {
        files: commands.len(),
        lines: database::lines(&commands),
        clang_failed: verdicts.iter().flatten().filter(|verdict| verdict.is_err()).count(),
        functions: verdicts.iter().flatten().flatten().map(BTreeSet::len).sum(),
        ..Row::default()
    };
    Ok(Measured { row, commands, verdicts })
}

/// Runs caulk, fills in the row's second half, and writes down what it counts as unknown or missing.
fn compare(caulk: &Path, subject: &Subject, measured: &mut Measured, jobs: usize) -> Result<(), String> {
    let start = std::time::Instant::now();
    let stats = stats(caulk, &subject.root)?;
    measured.row.seconds = start.elapsed().as_secs_f64();
    measured.row.memory = stats.peak_memory_bytes.unwrap_or(0);
    let Measured { row, commands, verdicts } = measured;
    let fates = Fates::new(&stats, commands.len());
    let doubtful: Vec<&database::Command> = commands
        .iter()
        .zip(verdicts.iter().zip(&fates.0))
        .filter(|(_, (verdict, fates))| {
            verdict.iter().flatten().flatten().any(|function| !fates.contains_key(function.as_str()))
        })
        .map(|(command, _)| command)
        .collect();
    gcc::ask_about(&subject.root, &doubtful, jobs)?;
    let second_opinions = answers::recall(&subject.root, gcc::NAME, commands);
    let listing = tally(row, commands, verdicts, &second_opinions, &fates, &Reasons::new(&stats.skipped));
    let path = subject.root.join("missing.txt");
    if let Err(error) = fs::write(&path, listing) {
        eprintln!("{}: {error}", path.display());
    }
    Ok(())
}

/// Sorts each of clang's functions into lowered, unknown, missing and none of gcc's. Returns the list of all but the
/// first, with caulk's reasons.
fn tally(
    row: &mut Row,
    commands: &[database::Command],
    verdicts: &[Option<Verdict>],
    second_opinions: &[Option<Verdict>],
    fates: &Fates<'_>,
    reasons: &Reasons<'_>,
) -> String {
    let mut listing = String::new();
    for (((command, verdict), second), fates) in commands.iter().zip(verdicts).zip(second_opinions).zip(&fates.0) {
        let file = command.file.display();
        let functions = match verdict {
            Some(Ok(functions)) => functions,
            Some(Err(error)) => {
                _ = writeln!(listing, "{file}: left out, clang fails: {error}");
                continue;
            }
            None => continue,
        };
        for function in functions {
            let gcc_lacks_it = matches!(second, Some(Ok(defined)) if !defined.contains(function));
            let (count, word) = match fates.get(function.as_str()) {
                Some(Fate::Lowered) => {
                    row.lowered += 1;
                    continue;
                }
                Some(Fate::Unknown) => (&mut row.unknown, "unknown"),
                None if gcc_lacks_it => (&mut row.clang_only, "left out, not defined for gcc"),
                None => (&mut row.missing, "missing"),
            };
            *count += 1;
            match reasons.find(&command.file, function) {
                Some(Skipped { file: place, line, reason, .. }) => {
                    _ = writeln!(listing, "{file}: {word} {function}: {}:{line}: {reason}", place.display());
                }
                None => _ = writeln!(listing, "{file}: {word} {function}"),
            }
        }
    }
    listing
}

/// What became of one function.
#[derive(Clone, Copy)]
enum Fate {
    Lowered,
    Unknown,
}

/// What became of the functions that caulk saw, for each command.
struct Fates<'a>(Vec<FxHashMap<&'a str, Fate>>);

impl<'a> Fates<'a> {
    fn new(stats: &'a Stats, commands: usize) -> Self {
        let mut fates = vec![FxHashMap::default(); commands];
        for unit in &stats.units {
            let Some(fates) = unit.command.and_then(|command| fates.get_mut(command)) else { continue };
            fates.extend(unit.unknown.iter().map(|name| (name.as_str(), Fate::Unknown)));
            // Behind the others: an inline definition may be followed by the real one of the same name.
            fates.extend(unit.lowered.iter().map(|name| (name.as_str(), Fate::Lowered)));
        }
        Self(fates)
    }
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

    /// `None` for a function that caulk never saw, or saw and did not skip.
    fn find(&self, file: &Path, function: &str) -> Option<&'a Skipped> {
        let candidates = self.0.get(function)?;
        candidates.iter().find(|entry| entry.file == file).or(candidates.first()).copied()
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.files += other.files;
        self.lines += other.lines;
        self.clang_failed += other.clang_failed;
        self.functions += other.functions;
        self.clang_only += other.clang_only;
        self.lowered += other.lowered;
        self.unknown += other.unknown;
        self.missing += other.missing;
        self.seconds += other.seconds;
        self.memory = self.memory.max(other.memory);
    }

    /// Rounded down: 100.00 means all.
    fn percent(&self) -> f64 {
        let compared = self.functions - self.clang_only;
        if compared == 0 {
            return 0.0;
        }
        (self.lowered as f64 / compared as f64 * 10_000.0).floor() / 100.0
    }
}

fn heading() -> String {
    format!(
        "{:<14}{:>6}{:>9}{:>7}{:>10}{:>8}{:>9}{:>9}{:>8}{:>8}{:>8}{:>7}",
        "project", "files", "lines", "failed", "clang", "not gcc", "lowered", "unknown", "missing", "%", "s", "MB"
    )
}

fn render(name: &str, row: &Row) -> String {
    format!(
        "{name:<14}{:>6}{:>9}{:>7}{:>10}{:>8}{:>9}{:>9}{:>8}{:>8.2}{:>8.2}{:>7}",
        row.files,
        row.lines,
        row.clang_failed,
        row.functions,
        row.clang_only,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_clangs_has_one_fate() {
        let command = |file: &str| format!(r#"{{"directory":"/p","file":"{file}","arguments":["cc","-c"]}}"#);
        let commands = format!("[{},{},{}]", command("/p/a.c"), command("/p/a.c"), command("/p/b.c"));
        let commands: Vec<database::Command> = serde_json::from_str(&commands).expect("valid");
        let stats = r#"{"skipped":[{"file":"/p/x.h","line":1,"function":"h","reason":"other"},
                                   {"file":"/p/a.c","line":7,"function":"h","reason":"odd"}],
                        "units":[{"file":"/p/a.c","command":0,"lowered":["f","ours"],"unknown":["f","g"]},
                                 {"file":"/p/a.c","command":null,"lowered":["i"],"unknown":[]}],
                        "peak_memory_bytes":null}"#;
        let stats: Stats = serde_json::from_str(stats).expect("valid");
        let names = |text: &str| Some(Ok(text.split(' ').map(str::to_owned).collect()));
        let clang = [names("f g h i j"), names("f"), Some(Err("no".to_owned()))];
        let gcc = [names("f g h i"), None, None];
        let mut row = Row { functions: 6, ..Row::default() };
        let listing = tally(&mut row, &commands, &clang, &gcc, &Fates::new(&stats, 3), &Reasons::new(&stats.skipped));
        assert_eq!(
            listing,
            "/p/a.c: unknown g\n/p/a.c: missing h: /p/a.c:7: odd\n/p/a.c: missing i\n\
             /p/a.c: left out, not defined for gcc j\n/p/a.c: missing f\n/p/b.c: left out, clang fails: no\n"
        );
        assert_eq!((row.lowered, row.unknown, row.missing, row.clang_only), (1, 1, 3, 1));
    }
}
