//! What the documents show is what the program prints.
//!
//! A page of the manual has an example with a leak, the report about it, and the example without the leak. The
//! README has the report about the example of the repository. `CAULK_FIXTURES=annotate` puts today's reports there.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::{Run, Sandbox};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The insides of the code blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// Compares the first report in a document with what was printed.
fn must_show(path: &str, run: &Run) {
    let page = read(path);
    let shown = blocks(&page, "text")[0];
    let printed = format!("{}\n", run.text.trim_end());
    if shown == printed {
        return;
    }
    if std::env::var_os("CAULK_FIXTURES").is_some_and(|value| value == "annotate") {
        let text = page.replacen(shown, &printed, 1);
        fs::write(root().join(path), text).unwrap_or_else(|error| panic!("{path}: {error}"));
    } else {
        panic!("{path} should show\n{printed}");
    }
}

#[test]
fn pages_of_the_manual_show_what_is_printed() {
    for rule in ["never-freed", "conditional-leak", "resource-leak"] {
        let path = format!("docs/manual/{rule}.md");
        let page = read(&path);
        let examples = blocks(&page, "c");
        let report = blocks(&page, "text")[0];
        let name = report.split("--> ").nth(1).and_then(|place| place.split(':').next()).expect("a report has a place");
        let sandbox = Sandbox::new();
        sandbox.write(name, examples[0]);
        let run = sandbox.run(&format!("check {name}"));
        assert!(run.code == 1 && run.text.contains(&format!("warning[{rule}]")), "{path}: {}{}", run.text, run.errors);
        let wanted = examples[0].lines().position(|line| line.contains("// leak:")).expect("the leak is marked") + 1;
        assert!(run.text.contains(&format!("--> {name}:{wanted}:")), "{path}: {}", run.text);
        must_show(&path, &run);
        sandbox.write(name, examples[1]);
        let mended = sandbox.run(&format!("check {name}"));
        assert_eq!((mended.code, mended.text.as_str()), (0, ""), "{path}: {}", mended.errors);
    }
}

#[test]
fn the_readme_shows_the_report_about_its_example() {
    let sandbox = Sandbox::new();
    sandbox.write("examples/strings.c", read("examples/strings.c"));
    let run = sandbox.run("check examples/strings.c");
    assert_eq!(run.code, 1, "{}", run.errors);
    must_show("README.md", &run);
}
