//! Juliet 1.3, the C cases of CWE401: each program leaks in its bad functions and must not in its good ones.
//!
//! ```c
//! void CWE401_Memory_Leak__char_malloc_42_bad() { … }      // ends the bad flow: a finding here finds the case
//! static void goodG2B() { … }                              // a finding here is a false alarm
//! static char *badSource(char *data) { … }                 // serves the good flow goodB2G as well
//! ```
//!
//! The name of a finding's function decides. For one that both flows use, the functions that its path passes do.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::leakfix::check::{Finding, Place, check};

/// Where in a file its functions are: first line, last line, name.
type Functions = BTreeMap<String, Vec<(u64, u64, String)>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blame {
    /// The leak that the case is about.
    Bad,
    /// A false alarm.
    Good,
}

pub(super) fn report(caulk: &Path, dir: &Path) -> Result<(), String> {
    let dir = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    let cases = cases(&dir.join("testcases/CWE401_Memory_Leak"))?;
    let support = dir.join("testcasesupport");
    let io = support.join("io.c").to_string_lossy().into_owned();
    let support = support.to_string_lossy();
    let mut found = 0;
    let mut alarms = 0;
    let mut wrong = Vec::new();
    for (name, files) in &cases {
        let files: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend([io.as_str(), "--", "-DINCLUDEMAIN", "-I", &support]);
        let findings = match check(caulk, &dir, &arguments) {
            Ok(checked) => checked.findings,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let functions = functions(&dir, &files);
        let blamed: Vec<(Blame, &Finding)> =
            findings.iter().map(|finding| (blame(finding, &functions), finding)).collect();
        if blamed.iter().any(|(blame, _)| *blame == Blame::Bad) {
            found += 1;
        } else {
            wrong.push(format!("{name}: missed"));
        }
        for (_, finding) in blamed.iter().filter(|(blame, _)| *blame == Blame::Good) {
            alarms += 1;
            wrong.push(format!("{name}: false alarm in {}, line {}", finding.function, finding.leak.line));
        }
    }
    println!("Juliet CWE401: found {found} of {}, false alarms {alarms}", cases.len());
    for line in wrong {
        println!("  {line}");
    }
    Ok(())
}

/// The files of each case: `…_51a.c` and `…_51b.c` are one program.
fn cases(folder: &Path) -> Result<BTreeMap<String, Vec<PathBuf>>, String> {
    let mut cases: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if let Some(case) = case_of(&path) {
                cases.entry(case).or_default().push(path);
            }
        }
    }
    for files in cases.values_mut() {
        files.sort();
    }
    Ok(cases)
}

/// Nothing for what is not C, and for what only Windows compiles.
fn case_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".c")?;
    let case = name.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    (case.ends_with(|digit: char| digit.is_ascii_digit()) && !name.contains("w32")).then(|| case.to_owned())
}

fn functions(root: &Path, files: &[String]) -> Functions {
    let read = |file: &String| {
        let text = fs::read(file).unwrap_or_default();
        let name = Path::new(file).strip_prefix(root).unwrap_or(Path::new(file));
        (name.to_string_lossy().into_owned(), ranges(&String::from_utf8_lossy(&text)))
    };
    files.iter().map(read).collect()
}

/// The functions of a file, by the suite's layout: headings and braces stand at the start of a line.
fn ranges(text: &str) -> Vec<(u64, u64, String)> {
    let mut ranges = Vec::new();
    let mut open: Option<(u64, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_end();
        if line == "}" {
            ranges.extend(open.take().map(|(first, name)| (first, number, name)));
        } else if line.starts_with(|start: char| start.is_ascii_alphabetic()) && !line.ends_with(';') {
            let heading = line.split('(').next().filter(|_| line.contains('('));
            let name = heading.and_then(|text| text.rsplit([' ', '*']).find(|word| !word.is_empty()));
            open = name.map(|name| (number, name.to_owned()));
        }
    }
    ranges
}

fn blame(finding: &Finding, functions: &Functions) -> Blame {
    let name = finding.function.as_str();
    if is_good(name) {
        return Blame::Good;
    }
    if ends_bad_flow(name) {
        return Blame::Bad;
    }
    let passed: Vec<&str> = std::iter::once(&finding.leak)
        .chain([&finding.alloc])
        .chain(&finding.path)
        .filter_map(|place| function_at(place, functions))
        .collect();
    let through_good = passed.iter().any(|name| is_good(name));
    let through_bad = passed.iter().any(|name| ends_bad_flow(name));
    // A source or sink of the bad flow with nothing said of its callers is taken for what its name says.
    let plainly_bad = name.contains("bad") && !through_good;
    if through_bad || plainly_bad { Blame::Bad } else { Blame::Good }
}

fn is_good(name: &str) -> bool {
    name.contains("good")
}

/// A bad function that no good flow uses.
fn ends_bad_flow(name: &str) -> bool {
    name.contains("bad") && !name.contains("Source") && !name.contains("Sink")
}

fn function_at<'a>(place: &Place, functions: &'a Functions) -> Option<&'a str> {
    let ranges = functions.get(&place.file)?;
    ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&place.line)).map(|(_, _, name)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
static char * badSource(char * data)
{
    return data;
}
void CWE401_x_42_bad();
void CWE401_x_42_bad()
{
}
static void goodB2G(void)
{
}
";

    #[test]
    fn functions_are_found_by_their_layout() {
        let names: Vec<(u64, u64, String)> = ranges(TEXT);
        let expected = [(1, 4, "badSource"), (6, 8, "CWE401_x_42_bad"), (9, 11, "goodB2G")];
        assert_eq!(names, expected.map(|(first, last, name)| (first, last, name.to_owned())));
    }

    #[test]
    fn files_of_a_case_belong_together() {
        let case = |name: &str| case_of(Path::new(name));
        assert_eq!(case("s01/CWE401__char_malloc_51b.c").as_deref(), Some("CWE401__char_malloc_51"));
        assert_eq!(case("s01/CWE401__char_malloc_01.c").as_deref(), Some("CWE401__char_malloc_01"));
        assert_eq!(case("s01/CWE401__new_33.cpp"), None);
        assert_eq!(case("s01/CWE401__w32_malloc_01.c"), None);
        assert_eq!(case("main.c"), None);
    }

    #[test]
    fn names_decide_and_then_paths() {
        let functions = Functions::from([("a.c".to_owned(), ranges(TEXT))]);
        let place = |line| Place { file: "a.c".to_owned(), line };
        let blame = |function: &str, lines: &[u64]| {
            let path = lines.iter().map(|line| place(*line)).collect();
            blame(&Finding { function: function.to_owned(), path, ..Finding::default() }, &functions)
        };
        assert_eq!(blame("CWE401_x_42_bad", &[10]), Blame::Bad);
        assert_eq!(blame("goodB2G", &[2, 7]), Blame::Good);
        // The source is used by both flows.
        assert_eq!(blame("badSource", &[7, 2]), Blame::Bad);
        assert_eq!(blame("badSource", &[10, 2]), Blame::Good);
        assert_eq!(blame("badSource", &[2]), Blame::Bad);
        // Neither name: only a path through the bad flow speaks for it.
        assert_eq!(blame("main", &[7]), Blame::Bad);
        assert_eq!(blame("main", &[]), Blame::Good);
    }
}
