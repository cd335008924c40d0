//! Runs `caulk check` and reads what it found.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;

/// Beyond this a run counts as failed, so that the others get their turn.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The exit code of `timeout` for that.
const TIMED_OUT: i32 = 124;

/// The part of a finding that is compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) function: String,
    /// Nothing for memory that was never stored.
    pub(crate) variable: Option<String>,
    pub(crate) alloc: Place,
    pub(crate) leak: Place,
    pub(crate) path: Vec<Place>,
    /// Further places where the same memory is lost.
    pub(crate) also: Vec<Place>,
    pub(crate) fingerprint: String,
    pub(crate) message: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    /// From the root of the tree, once [`check`] has returned it.
    pub(crate) file: String,
    pub(crate) line: u64,
}

/// One run.
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    pub(crate) time: Duration,
    /// Allocation sites that had to be merged with others, where the program's closing words tell.
    pub(crate) coarsened: Option<u64>,
    /// The functions these are in.
    pub(crate) coarsened_in: Vec<String>,
    /// Both streams, as they came.
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// Runs `caulk check` with these further arguments. Files below `root` are named from there.
pub(crate) fn check(caulk: &Path, root: &Path, arguments: &[&str]) -> Result<Checked, String> {
    let start = Instant::now();
    let output = Command::new("timeout")
        .arg(TIME_LIMIT.as_secs().to_string())
        .arg(caulk)
        .arg("check")
        .args(["--format", "json", "--stats"])
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", caulk.display()))?;
    let time = start.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(TIMED_OUT) {
        return Err(format!("not done after {} s", TIME_LIMIT.as_secs()));
    }
    // 0 is no findings, 1 is findings; everything else means that it could not work.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("caulk: {}: {}", output.status, stderr.lines().next_back().unwrap_or_default()));
    }
    let mut findings: Vec<Finding> =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("caulk: not a list of findings: {error}"))?;
    let root = root.canonicalize().unwrap_or_else(|_| PathBuf::from(root));
    for finding in &mut findings {
        let ends = [&mut finding.alloc, &mut finding.leak].into_iter();
        for place in ends.chain(&mut finding.path).chain(&mut finding.also) {
            place.file = from_root(&place.file, &root);
        }
        finding.variable = finding.variable.take().filter(|name| !name.is_empty());
    }
    let (coarsened, coarsened_in) = (coarsened(&stderr), coarsened_in(&stderr));
    Ok(Checked { findings, time, coarsened, coarsened_in, stdout: output.stdout, stderr })
}

fn from_root(file: &str, root: &Path) -> String {
    let path = Path::new(file);
    path.strip_prefix(root).or_else(|_| path.strip_prefix(".")).unwrap_or(path).to_string_lossy().into_owned()
}

/// The number beside the word in the last line with it, as in `…, 12 coarsened allocation sites` or `coarsened: 12`.
fn coarsened(stderr: &str) -> Option<u64> {
    let line = stderr.lines().rev().find(|line| line.contains("coarsened"))?;
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).replace(',', "").parse::<u64>().ok();
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains("coarsened"))?;
    words[..at].iter().rev().chain(&words[at..]).find_map(|word| number(word))
}

/// The functions of the lines below `allocation sites coarsened, in:`, as in `  12  main (src/main.c)`.
fn coarsened_in(stderr: &str) -> Vec<String> {
    let lines = stderr.lines().skip_while(|line| !line.starts_with("allocation sites coarsened, in:")).skip(1);
    let lines = lines.take_while(|line| line.starts_with(' '));
    lines.filter_map(|line| line.split_whitespace().nth(1)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_root() {
        let root = Path::new("/t/curl");
        assert_eq!(from_root("/t/curl/lib/ftp.c", root), "lib/ftp.c");
        assert_eq!(from_root("./lib/ftp.c", root), "lib/ftp.c");
        assert_eq!(from_root("lib/ftp.c", root), "lib/ftp.c");
        assert_eq!(from_root("/usr/include/stdio.h", root), "/usr/include/stdio.h");
    }

    #[test]
    fn closing_words_tell_what_was_coarsened() {
        assert_eq!(coarsened("warning: odd\n158 files, 12 findings, 1,203 coarsened allocation sites\n"), Some(1203));
        assert_eq!(coarsened("allocation sites coarsened: 4"), Some(4));
        assert_eq!(coarsened("158 files, 12 findings"), None);
    }

    #[test]
    fn statistics_tell_where_something_was_coarsened() {
        let text = "slowest functions, in steps:\n  9  f (a.c)\nallocation sites coarsened, in:\n  12  g (a.c)\n   1  h (b.c)\ntime\n  lex\n";
        assert_eq!(coarsened_in(text), ["g", "h"]);
    }

    #[test]
    fn a_finding_needs_no_variable() {
        let text = r#"[{"rule":"leak","function":"f","variable":null,"alloc":{"file":"a.c","line":3,"column":1},
                        "leak":{"file":"a.c","line":4,"column":1},"path":[{"file":"a.c","line":3,"column":1,"message":"m"}],
                        "confidence":"high","fingerprint":"x","message":"lost"}]"#;
        let findings: Vec<Finding> = serde_json::from_str(text).expect("the agreed form");
        assert_eq!((findings[0].variable.as_deref(), findings[0].path[0].line), (None, 3));
    }
}
