//! What the compiler does not check: formatting, the map, the absences we protect, the decisions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the line, in order: each may use only those before it.
const LINE: [&str; 10] = [
    "caulk_base",
    "caulk_syntax",
    "caulk_sema",
    "caulk_ir",
    "caulk_guard",
    "caulk_program",
    "caulk_flow",
    "caulk_leak",
    "caulk_driver",
    "caulk",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files below a folder of the workspace.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn code_is_formatted() {
    let output = Command::new("cargo").args(["fmt", "--all", "--", "--check"]).current_dir(root()).output();
    match output {
        Ok(output) if String::from_utf8_lossy(&output.stderr).contains("not installed") => {
            eprintln!("skipped: rustfmt is not installed");
        }
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "run cargo fmt\n{}", text.lines().take(40).collect::<Vec<_>>().join("\n"));
        }
        Err(error) => eprintln!("skipped: {error}"),
    }
}

#[test]
fn the_map_names_what_is_there() {
    let map = read("ARCHITECTURE.md");
    let crates = fs::read_dir(root().join("crates")).expect("the crates are there");
    for entry in crates {
        let name = entry.expect("it can be listed").file_name().into_string().expect("crates have plain names");
        assert!(map.contains(&format!("`{name}`")), "ARCHITECTURE.md does not mention {name}");
    }
    let (crates, words) = map.split_once("## Words").expect("the map ends with words");
    // Rows of the table of crates: the last column names files to start with.
    for row in crates.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        let files = cells.last().expect("a row has cells").split(',');
        for file in files.filter_map(|file| file.trim().strip_prefix('`')?.strip_suffix('`')) {
            let path = root().join("crates").join(name).join("src").join(file);
            assert!(path.exists(), "ARCHITECTURE.md names {name}/src/{file}");
        }
    }
    // Words that are names of the code: types by these names are there.
    let code: Vec<String> = LINE.iter().flat_map(|name| sources(&format!("crates/{name}/src"))).map(read).collect();
    let is_defined = |name: &str| {
        let definitions = ["struct", "enum", "trait"].map(|keyword| format!("{keyword} {name}"));
        let ends = |text: &str| !text.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let has = |text: &str, wanted: &str| text.match_indices(wanted).any(|(at, _)| ends(&text[at + wanted.len()..]));
        // Ids are made by a macro, under a comment of their own.
        let is_id = |text: &str| {
            text.split("define_id!(").skip(1).any(|rest| {
                rest.lines()
                    .find(|line| !line.is_empty() && !line.trim_start().starts_with("///"))
                    .is_some_and(|line| line.trim_start().strip_prefix(name).is_some_and(ends))
            })
        };
        code.iter().any(|text| is_id(text) || definitions.iter().any(|wanted| has(text, wanted)))
    };
    for row in words.lines().filter_map(|line| line.strip_prefix("| `")) {
        let word = row.split('`').next().expect("a split has a first part");
        assert!(is_defined(word), "ARCHITECTURE.md explains {word}, which is not there");
    }
}

#[test]
fn crates_use_only_crates_before_them() {
    for (number, name) in LINE.iter().enumerate() {
        let manifest = read(format!("crates/{name}/Cargo.toml"));
        // Tests may start from C text, with the driver.
        let used = manifest.split("[dev-dependencies]").next().expect("a split has a first part");
        let used = used.lines().filter_map(|line| line.split_once(".workspace").map(|(used, _)| used.trim()));
        for later in used.filter(|used| used.starts_with("caulk")) {
            assert!(LINE[..number].contains(&later), "{name} uses {later}");
        }
    }
}

#[test]
fn guards_know_no_c() {
    let manifest = read("crates/caulk_guard/Cargo.toml");
    let used = manifest.lines().filter(|line| line.starts_with("caulk_"));
    assert_eq!(used.collect::<Vec<_>>(), ["caulk_base.workspace = true"]);
}

#[test]
fn nothing_before_the_driver_does_io() {
    for name in LINE.iter().take_while(|name| **name != "caulk_driver") {
        let is_test = |path: &PathBuf| path.ends_with("tests.rs");
        for path in sources(&format!("crates/{name}/src")).into_iter().filter(|path| !is_test(path)) {
            let text = fs::read_to_string(&path).expect("a source is text");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in ["std::fs", "std::process", "std::env", "std::net", "println!", "eprintln!"] {
                assert!(!code.contains(word), "{} uses {word}", path.display());
            }
        }
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = read("docs/decisions/0007-dependencies.md");
    let manifest = read("Cargo.toml");
    let listed = manifest.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    for line in listed.expect("the workspace lists its dependencies").lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        if !value.contains("path") {
            assert!(reasons.contains(name.trim()), "{} has no row in 0007-dependencies.md", name.trim());
        }
    }
}

#[test]
fn decisions_are_numbered_without_gaps() {
    let folder = fs::read_dir(root().join("docs/decisions")).expect("the decisions are there");
    let mut names: Vec<String> =
        folder.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for (number, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}-", number + 1)), "{name} should be number {}", number + 1);
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let command = "cargo test --workspace";
    assert!(read("README.md").contains(command) && read(".ci/run").lines().any(|line| line == command));
}
