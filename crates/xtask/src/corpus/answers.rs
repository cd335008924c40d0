//! What a compiler said about the commands of a project, remembered in `<compiler>.jsonl`, one line per command.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::database::Command;

/// The functions that one translation unit defines, or why the compiler rejects it.
pub(super) type Verdict = Result<BTreeSet<String>, String>;

#[derive(Serialize, Deserialize)]
struct Answer {
    /// See [`key`].
    key: u64,
    file: PathBuf,
    verdict: Verdict,
}

/// Asks about every command without a remembered verdict. Each is appended at once: the whole corpus takes hours, and
/// an interrupted run should lose nothing. `ask` fails only where going on makes no sense, as without a compiler.
pub(super) fn collect(
    root: &Path,
    compiler: &str,
    commands: &[&Command],
    jobs: usize,
    ask: impl Fn(&Command) -> Result<Verdict, String> + Sync,
) -> Result<(), String> {
    let known = remembered(root, compiler);
    let open: Vec<&Command> = commands.iter().copied().filter(|command| !known.contains_key(&key(command))).collect();
    if open.is_empty() {
        return Ok(());
    }
    eprintln!("{}: asking {compiler} about {} commands", root.display(), open.len());
    let path = memory(root, compiler);
    let file = File::options().create(true).append(true).open(&path);
    let file = Mutex::new(file.map_err(|error| format!("{}: {error}", path.display()))?);
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        while let Some(command) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = Answer { key: key(command), file: command.file.clone(), verdict: ask(command)? };
            let mut line = serde_json::to_vec(&answer).map_err(|error| error.to_string())?;
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

/// The remembered verdict on each command, in the order of `commands`.
pub(super) fn recall(root: &Path, compiler: &str, commands: &[Command]) -> Vec<Option<Verdict>> {
    let mut known = remembered(root, compiler);
    commands.iter().map(|command| known.remove(&key(command))).collect()
}

fn memory(root: &Path, compiler: &str) -> PathBuf {
    root.join(compiler).with_extension("jsonl")
}

/// A line that does not parse is the torn end of an interrupted run: its command is asked about again.
fn remembered(root: &Path, compiler: &str) -> FxHashMap<u64, Verdict> {
    let Ok(file) = File::open(memory(root, compiler)) else { return FxHashMap::default() };
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let answers = lines.filter_map(|line| serde_json::from_str::<Answer>(&line).ok());
    answers.map(|answer| (answer.key, answer.verdict)).collect()
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
