//! Asks clang which functions each translation unit defines, and remembers the answers.
//!
//! The commands were made for gcc. Flags that cannot change the tree are dropped; of the rest clang rejects some, and
//! says which: those are dropped too and clang asked again. A list of gcc's flags would always be out of date.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::ast;
use super::database::{self, Command};

const CLANG: &str = "clang-19";

/// A rejected flag costs a round, but is remembered for the project's other files.
const MAX_ROUNDS: usize = 32;

/// What clang says about one command.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Answer {
    /// See [`key`].
    key: u64,
    file: PathBuf,
    /// Clang's first error; such a unit is no measure for anyone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<String>,
    pub(super) functions: BTreeSet<String>,
}

/// Asks for every command without a remembered answer. Each answer is appended at once: the whole corpus takes hours,
/// and an interrupted run should lose nothing.
pub(super) fn count_project(root: &Path, jobs: usize) -> Result<(), String> {
    let commands = database::load(root)?;
    let known = remembered(root);
    let open: Vec<&Command> = commands.iter().filter(|command| !known.contains_key(&key(command))).collect();
    if open.is_empty() {
        return Ok(());
    }
    eprintln!("{}: asking clang about {} of {} commands", root.display(), open.len(), commands.len());
    let path = memory(root);
    let file = File::options().create(true).append(true).open(&path);
    let file = Mutex::new(file.map_err(|error| format!("{}: {error}", path.display()))?);
    let rejected = Mutex::new(BTreeSet::new());
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        while let Some(command) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut line = serde_json::to_vec(&ask(command, &rejected)?).map_err(|error| error.to_string())?;
            line.push(b'\n');
            let mut file = file.lock().map_err(|error| error.to_string())?;
            file.write_all(&line).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })
}

/// The remembered answer to each command, in the order of `commands`.
pub(super) fn answers(root: &Path, commands: &[Command]) -> Vec<Option<Answer>> {
    let mut known = remembered(root);
    commands.iter().map(|command| known.remove(&key(command))).collect()
}

fn memory(root: &Path) -> PathBuf {
    root.join("clang.jsonl")
}

/// A line that does not parse is the torn end of an interrupted run: its command is asked again.
fn remembered(root: &Path) -> FxHashMap<u64, Answer> {
    let Ok(file) = File::open(memory(root)) else { return FxHashMap::default() };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str::<Answer>(&line).ok()).map(|answer| (answer.key, answer)).collect()
}

/// Changes with the command and with the file. Headers are not watched: the corpus does not change after its fetch.
fn key(command: &Command) -> u64 {
    let mut hasher = FxHasher::default();
    command.directory.hash(&mut hasher);
    command.arguments.hash(&mut hasher);
    let modified = fs::metadata(&command.file).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).hash(&mut hasher);
    hasher.finish()
}

fn ask(command: &Command, rejected: &Mutex<BTreeSet<String>>) -> Result<Answer, String> {
    let mut answer = Answer { key: key(command), file: command.file.clone(), error: None, functions: BTreeSet::new() };
    for _ in 0..MAX_ROUNDS {
        let flags = {
            let rejected = rejected.lock().map_err(|error| error.to_string())?;
            translate(&command.arguments, &rejected)
        };
        let (succeeded, functions, errors) =
            dump(&command.directory, &flags).map_err(|error| format!("cannot run {CLANG}: {error}"))?;
        if succeeded {
            answer.functions = functions;
            answer.error = None;
            return Ok(answer);
        }
        answer.error = Some(errors.lines().find(|line| line.contains("error")).unwrap_or("failed").to_owned());
        let complaints: Vec<String> = errors.lines().filter_map(rejected_flag).collect();
        if complaints.is_empty() {
            break;
        }
        rejected.lock().map_err(|error| error.to_string())?.extend(complaints);
    }
    Ok(answer)
}

/// The dump goes through a pipe: for a kernel file it has a hundred megabytes.
fn dump(directory: &Path, flags: &[String]) -> std::io::Result<(bool, BTreeSet<String>, String)> {
    let mut child = process::Command::new(CLANG)
        .args(flags)
        // Warnings of gcc's that are errors to clang by default are none of our business.
        .args(["-fsyntax-only", "-w", "-Wno-everything", "-Qunused-arguments", "-ferror-limit=3"])
        .args(["-Xclang", "-ast-dump", "-fno-color-diagnostics"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    // Both pipes are read at once, or clang could wait for us to empty the one we do not read.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.map(|mut errors| errors.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    let functions = match output {
        Some(output) => ast::definitions(BufReader::with_capacity(1 << 20, output))?,
        None => BTreeSet::new(),
    };
    let succeeded = child.wait()?.success();
    Ok((succeeded, functions, reader.join().unwrap_or_default()))
}

/// The command's flags without the compiler's name, without outputs, warnings and debug information, and without what
/// clang has rejected before.
fn translate(arguments: &[String], rejected: &BTreeSet<String>) -> Vec<String> {
    let mut flags = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        let text = argument.as_str();
        match text {
            "-o" | "-MF" | "-MT" | "-MQ" => {
                rest.next();
            }
            // These take a value that might look like something else.
            "-I" | "-D" | "-U" | "-include" | "-imacros" | "-isystem" | "-iquote" | "-idirafter" | "-x" => {
                flags.push(argument.clone());
                flags.extend(rest.next().cloned());
            }
            "-c" | "-S" | "-pipe" | "-pg" => {}
            _ if text.starts_with("-M") || text.starts_with("-g") || text.starts_with("-save-temps") => {}
            _ if text.starts_with("-W") && !text.starts_with("-Wp,-D") && !text.starts_with("-Wp,-U") => {}
            _ if rejected.iter().any(|flag| flag == text || flag.ends_with('=') && text.starts_with(flag)) => {}
            _ => flags.push(argument.clone()),
        }
    }
    flags
}

/// The flag in the driver's "unknown argument: '-fconserve-stack'", "unsupported option '-mrecord-mcount' for …" and
/// "unsupported argument 'thunk' to option '-mindirect-branch='". Errors in the source begin with its name, not with
/// the driver's.
fn rejected_flag(line: &str) -> Option<String> {
    let complaint = line.strip_prefix("clang").and_then(|line| line.split_once(": error: "))?.1;
    complaint.split('\'').skip(1).step_by(2).find(|word| word.starts_with('-')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn only_flags_that_matter_are_kept() {
        let command = words("gcc -Wall -g -O2 -I -c -DX -Wp,-MMD,a.d -Wp,-DY -fodd -mstack=3 -MT a.o -c a.c -o a.o");
        let rejected = ["-fodd".to_owned(), "-mstack=".to_owned()].into();
        assert_eq!(translate(&command, &rejected), words("-O2 -I -c -DX -Wp,-DY a.c"));
    }

    #[test]
    fn the_driver_names_the_flag() {
        let flag = |line| rejected_flag(line).unwrap_or_default();
        assert_eq!(flag("clang-19: error: unknown argument: '-fconserve-stack'"), "-fconserve-stack");
        assert_eq!(flag("clang: error: unsupported argument 'thunk' to option '-mbranch='"), "-mbranch=");
        assert_eq!(flag("a.c:1:2: error: unknown type name '-x'"), "");
    }
}
