//! The tree of each `tests/parser/*.c`, compared with the text beside it (`*.ast`).
//!
//! `UPDATE=1 cargo test -p caulk_syntax --test parser` rewrites the expectations. The first line of
//! a file may say `// dialect: c23`, `// dialect: strict c11` or `// locations`.

mod common;

use std::fmt::Write;
use std::path::Path;

use caulk_syntax::{Dialect, Standard, ast_print};

fn dialect(text: &str) -> Dialect {
    match text.lines().next() {
        Some("// dialect: c23") => Dialect { standard: Standard::C23, ..Dialect::default() },
        Some("// dialect: strict c11") => Dialect { standard: Standard::C11, gnu: false, trigraphs: None },
        _ => Dialect::default(),
    }
}

fn tree(text: &str) -> String {
    let has_locations = text.starts_with("// locations");
    let mut out = String::new();
    let outcome = common::parse(text.as_bytes(), dialect(text), |ast, external, map| {
        out.push_str(&ast_print::print(ast, external, has_locations.then_some(map)));
    });
    for message in outcome.messages {
        writeln!(out, "{message}").expect("a string");
    }
    for lost in outcome.lost_functions {
        writeln!(out, "lost {}: {}", lost.name, lost.reason).expect("a string");
    }
    out
}

#[test]
fn trees_are_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parser");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("folder of samples")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let actual = common::on_large_stack(|| tree(&text));
        let expected_path = path.with_extension("ast");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&expected_path, &actual).expect("writable");
            continue;
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if actual != expected {
            let line = actual.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
            let show = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_string();
            wrong.push(format!(
                "{}:{}: expected `{}`, got `{}`",
                expected_path.display(),
                line + 1,
                show(&expected),
                show(&actual)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
