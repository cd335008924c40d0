//! How well the trees are read: a leak in a function that was lost cannot be found.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::list::Leak;
use super::trees::{self, Trees};

/// The part of `caulk stats --format json --functions` that is shown.
#[derive(Deserialize)]
struct Stats {
    files: usize,
    functions: Functions,
    skipped: Vec<Skipped>,
    missing_headers: Vec<serde_json::Value>,
    units: Vec<Unit>,
}

#[derive(Deserialize)]
struct Functions {
    seen: usize,
    unknown: usize,
    skipped: usize,
}

#[derive(Deserialize)]
struct Skipped {
    function: String,
    reason: String,
}

#[derive(Deserialize)]
struct Unit {
    lowered: Vec<String>,
}

/// One line per tree: what was read, and what is missing.
pub(super) fn report(caulk: &Path, trees: &Trees, leaks: &[(usize, Leak)]) -> Result<(), String> {
    println!("  #  tree                     files functions unknown skipped headers  function");
    let mut lost = BTreeSet::new();
    for (number, leak) in leaks {
        for commit in std::iter::once(&leak.before).chain(&leak.after) {
            let root = trees.tree(trees::program(&leak.repo)?, commit)?;
            let stats = stats(caulk, &root)?;
            let is_read = stats.units.iter().any(|unit| unit.lowered.contains(&leak.function));
            println!(
                "{number:>3}  {:<22} {:>7} {:>9} {:>7} {:>7} {:>7}  {} {}",
                root.file_name().unwrap_or_default().to_string_lossy(),
                stats.files,
                stats.functions.seen,
                stats.functions.unknown,
                stats.functions.skipped,
                stats.missing_headers.len(),
                leak.function,
                if is_read { "" } else { "LOST" }
            );
            let skipped = stats.skipped.iter().map(|skipped| format!("{}: {}", skipped.function, skipped.reason));
            let missing = stats.missing_headers.iter().map(|header| format!("missing header: {header}"));
            lost.extend(skipped.chain(missing));
        }
    }
    for line in lost {
        println!("{line}");
    }
    Ok(())
}

fn stats(caulk: &Path, root: &Path) -> Result<Stats, String> {
    let output = Command::new(caulk)
        .args(["stats", "--format", "json", "--functions", "-p"])
        .arg(root)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", caulk.display()))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("caulk stats: {error}"))
}
