//! The SVF test suite: every allocation goes through a function whose name says what becomes of it.
//!
//! ```c
//! int *p = SAFEMALLOC(10);    // must be silent
//! int *q = NFRMALLOC(10);     // never freed: must be reported
//! ```
//!
//! The label is the line. A finding belongs to the label on its allocation's line; where the allocation is said to be
//! elsewhere, as in the labelling function itself, to the first label that its path passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::leakfix::check::{Finding, check};

/// The labelling functions, and whether what they allocate leaks.
const LABELS: [(&str, bool); 7] = [
    ("SAFEMALLOC", false),
    ("NFRLEAKFP", false),
    ("PLKLEAKFP", false),
    ("NFRMALLOC", true),
    ("PLKMALLOC", true),
    ("CLKMALLOC", true),
    ("LEAKFN", true),
];

/// Labels that contradict what C says the program does; nobody can get these right.
const CONTRADICTIONS: [(&str, u64); 8] = [
    ("malloc33.c", 15),
    ("malloc33.c", 16),
    ("malloc43.c", 16),
    ("malloc37.c", 19),
    ("sp8.c", 36),
    ("malloc9.c", 21),
    ("malloc47.c", 13),
    ("sp12.c", 13),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label {
    line: u64,
    kind: &'static str,
    leaks: bool,
}

#[derive(Default)]
struct Score {
    right: usize,
    wrong: usize,
}

pub(super) fn report(caulk: &Path, dir: &Path) -> Result<(), String> {
    let folder = dir.join("src/mem_leak");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".c"));
    names.sort();
    let include = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    let include = include.to_string_lossy();

    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut wrong = Vec::new();
    for name in &names {
        let path = folder.join(name);
        let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let labels = labels(&String::from_utf8_lossy(&text));
        // A program that cannot be checked reports nothing; that is wrong wherever a leak is.
        let findings = match check(caulk, &folder, &[name, "--", "-I", &include]) {
            Ok(checked) => checked.findings,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                Vec::new()
            }
        };
        let reported: Vec<Label> =
            findings.iter().filter_map(|finding| label_of(finding, name, &labels)).copied().collect();
        for label in labels.iter().filter(|label| !CONTRADICTIONS.contains(&(name, label.line))) {
            let score = scores.entry(label.kind).or_default();
            if reported.contains(label) == label.leaks {
                score.right += 1;
            } else {
                score.wrong += 1;
                let what = if label.leaks { "missed" } else { "false alarm" };
                wrong.push(format!("{name}:{}: {what} ({})", label.line, label.kind));
            }
        }
    }
    println!("SVF test suite, {} programs", names.len());
    for (kind, leaks) in LABELS {
        let Some(Score { right, wrong }) = scores.get(kind) else { continue };
        println!("  {kind:<10} {:<8} right {right:>3}, wrong {wrong:>3}", if leaks { "leaks" } else { "is safe" });
    }
    let right: usize = scores.values().map(|score| score.right).sum();
    let sum: usize = scores.values().map(|score| score.right + score.wrong).sum();
    println!("  {:<19} right {right:>3}, wrong {:>3}", "all", sum - right);
    for line in wrong {
        println!("  {line}");
    }
    Ok(())
}

/// The labels of a program, in order: calls of a labelling function.
fn labels(text: &str) -> Vec<Label> {
    let mut labels = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        for (kind, leaks) in LABELS {
            if text.split(kind).skip(1).any(|rest| rest.trim_start().starts_with('(')) {
                labels.push(Label { line, kind, leaks });
            }
        }
    }
    labels
}

fn label_of<'a>(finding: &Finding, name: &str, labels: &'a [Label]) -> Option<&'a Label> {
    let places = std::iter::once(&finding.alloc).chain(&finding.path).filter(|place| place.file == name);
    places.map(|place| place.line).find_map(|line| labels.iter().find(|label| label.line == line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leakfix::check::Place;

    fn place(file: &str, line: u64) -> Place {
        Place { file: file.to_owned(), line }
    }

    #[test]
    fn calls_are_labels_and_words_are_not() {
        let text = " * SAFEMALLOC and never free\nint *p = SAFEMALLOC (1);\n\nq = (int *)NFRMALLOC(2);\n";
        let labels: Vec<(u64, bool)> = labels(text).iter().map(|label| (label.line, label.leaks)).collect();
        assert_eq!(labels, [(2, false), (4, true)]);
    }

    #[test]
    fn a_finding_belongs_to_one_label() {
        let labels = labels("p = SAFEMALLOC(1);\nq = NFRMALLOC(1);\n");
        let at = |alloc, path: &[Place]| {
            let finding = Finding { alloc, path: path.to_vec(), ..Finding::default() };
            label_of(&finding, "a.c", &labels).map(|label| label.line)
        };
        assert_eq!(at(place("a.c", 2), &[place("a.c", 1)]), Some(2));
        // The allocation is in the labelling function: the path tells who called it.
        assert_eq!(at(place("check.h", 1), &[place("check.h", 1), place("a.c", 2), place("a.c", 1)]), Some(2));
        assert_eq!(at(place("check.h", 1), &[]), None);
    }
}
