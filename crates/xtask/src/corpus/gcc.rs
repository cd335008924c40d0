//! Asks gcc, for whom the commands were made, about functions that only clang has.
//!
//! Headers test for the compiler. The kernel's `ctype.h` defines `isdigit` unless there is a `__builtin_isdigit`:
//! clang has none and needs the function, gcc and caulk do not. Such a function is not missing.
//!
//! With `-aux-info` gcc writes a line for each declaration, `F` marking definitions:
//!
//! ```text
//! /* a.c:2:NF */ static int f (int x); /* (x) int x; */
//! ```

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{self, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::answers::{self, Verdict};
use super::database::Command;

/// The name of gcc's answers.
pub(super) const NAME: &str = "gcc";

/// Asks about those of `commands` that were not asked about before.
pub(super) fn ask_about(root: &Path, commands: &[&Command], jobs: usize) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    answers::collect(root, NAME, commands, jobs, |command| {
        let listing = root.join(format!("declarations.{}", next.fetch_add(1, Ordering::Relaxed)));
        let verdict = ask(command, &listing);
        // It is not there if gcc failed.
        _ = fs::remove_file(listing);
        verdict
    })
}

fn ask(command: &Command, listing: &Path) -> Result<Verdict, String> {
    let output = process::Command::new("gcc")
        .args(without_outputs(&command.arguments))
        .args(["-w", "-fsyntax-only", "-aux-info"])
        .arg(listing)
        .current_dir(&command.directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run gcc: {error}"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(errors.lines().find(|line| line.contains("error")).unwrap_or("failed").to_owned()));
    }
    // Without a single declaration there is no file.
    let text = fs::read(listing).unwrap_or_default();
    Ok(Ok(definitions(&String::from_utf8_lossy(&text))))
}

fn without_outputs(arguments: &[String]) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter().skip(1).map(String::as_str);
    while let Some(argument) = rest.next() {
        match argument {
            "-o" | "-MF" | "-MT" | "-MQ" => {
                rest.next();
            }
            "-c" | "-S" => {}
            _ if argument.starts_with("-M") || argument.starts_with("-Wp,-M") => {}
            _ => kept.push(argument),
        }
    }
    kept
}

/// The words before a parameter list. In `void (*f (int a))(int)` and the like a return type's may be among them,
/// which errs towards calling a function missing.
fn definitions(listing: &str) -> BTreeSet<String> {
    let declarations = listing.lines().filter_map(|line| line.split_once("F */ ").map(|(_, declaration)| declaration));
    let pieces = declarations.flat_map(|declaration| declaration.split(" (").filter_map(last_word));
    pieces.map(str::to_owned).collect()
}

fn last_word(text: &str) -> Option<&str> {
    let start = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).map_or(0, |at| at + 1);
    (start < text.len()).then(|| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_marked() {
        let listing = "\
/* compiled from: . */
/* a.c:1:NC */ extern int declared (void);
/* a.c:2:NF */ static int f (int x); /* (x) int x; */
/* a.c:3:OF */ extern char *old (/* ??? */); /* () */
/* a.c:4:NF */ extern void (*chooser (int a))(int); /* (a) int a; */
";
        let names = definitions(listing);
        assert!(["f", "old", "chooser"].iter().all(|name| names.contains(*name)), "{names:?}");
        assert!(!names.contains("declared"));
    }
}
