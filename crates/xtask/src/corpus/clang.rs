//! Asks clang which functions each translation unit defines, and remembers the answers.
//!
//! The commands were made for gcc. Flags that cannot change the tree are dropped; of the rest clang rejects some, and
//! says which: those are dropped too and clang asked again. A list of gcc's flags would always be out of date.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::Mutex;

use super::answers::{self, Verdict};
use super::ast;
use super::database::Command;

/// The name of clang's answers.
pub(super) const NAME: &str = "clang";

const CLANG: &str = "clang-19";

/// A rejected flag costs a round, but is remembered for the project's other files.
const MAX_ROUNDS: usize = 32;

/// Asks about all `commands` that were not asked about before.
pub(super) fn count(root: &Path, commands: &[Command], jobs: usize) -> Result<(), String> {
    let rejected = Mutex::new(BTreeSet::new());
    answers::collect(root, NAME, &commands.iter().collect::<Vec<_>>(), jobs, |command| ask(command, &rejected))
}

fn ask(command: &Command, rejected: &Mutex<BTreeSet<String>>) -> Result<Verdict, String> {
    let mut verdict = Err(String::new());
    for _ in 0..MAX_ROUNDS {
        let flags = {
            let rejected = rejected.lock().map_err(|error| error.to_string())?;
            translate(&command.arguments, &rejected)
        };
        let (succeeded, functions, errors) =
            dump(&command.directory, &flags).map_err(|error| format!("cannot run {CLANG}: {error}"))?;
        if succeeded {
            return Ok(Ok(functions));
        }
        verdict = Err(errors.lines().find(|line| line.contains("error")).unwrap_or("failed").to_owned());
        let complaints: Vec<String> = errors.lines().filter_map(rejected_flag).collect();
        if complaints.is_empty() {
            break;
        }
        rejected.lock().map_err(|error| error.to_string())?.extend(complaints);
    }
    Ok(verdict)
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
