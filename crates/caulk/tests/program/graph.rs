//! `caulk graph`: what stands in the graphs, that Graphviz reads them, and that they are the same every time.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::sandbox::Sandbox;

const NAMES: &str = "
#include <stdlib.h>
#include <string.h>
struct s { int n; char *name; };
extern void keep(char *);
static char *cache;
char *set(struct s *s, int n, const char *text) {
    char *p = strdup(text);
    if (!p) return 0;
    switch (n) {
    case 1: case 2: s->name = p; return 0;
    case 5 ... 9: cache = p; return 0;
    case 20: keep(p); return 0;
    }
    if (n > 30) { free(p); return \"a \\\"b\\\" \\\\ c\"; }
    return p;
}
";

const TWINS: [&str; 2] = [
    "void *malloc(unsigned long);\nstatic void *make(void) { return malloc(1); }\nvoid *a(void) { return make(); }\n",
    "void *malloc(unsigned long);\nstatic void *make(void) { return malloc(2); }\nvoid *b(void) { return make(); }\n",
];

fn graph(sandbox: &Sandbox, line: &str) -> String {
    let run = sandbox.run(&format!("graph {line}"));
    assert_eq!((run.code, run.errors.as_str()), (0, ""), "caulk graph {line}");
    assert_eq!(run.text, sandbox.run(&format!("graph -j 1 {line}")).text, "caulk graph {line}");
    accepted(&run.text);
    run.text
}

/// Graphviz takes it, where it is installed.
fn accepted(text: &str) {
    let dot =
        Command::new("dot").arg("-Tcanon").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let Ok(mut dot) = dot else { return };
    dot.stdin.take().expect("piped").write_all(text.as_bytes()).expect("it reads");
    let output = dot.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}

/// The label of the edge between the nodes whose labels begin so.
fn edge(text: &str, from: &str, to: &str) -> Option<String> {
    let id = |label: &str| {
        let line = text.lines().find(|line| line.contains(&format!("[label=\"{label}")));
        line.and_then(|line| line.trim().split('"').nth(1)).unwrap_or_else(|| panic!("no node {label} in\n{text}"))
    };
    let wanted = format!("\"{}\" -> \"{}\"", id(from), id(to));
    let line = text.lines().find(|line| line.contains(&wanted))?;
    Some(line.split_once("[label=\"").map_or(String::new(), |(_, rest)| rest.trim_end_matches("\"];").to_owned()))
}

#[test]
fn control_flow_has_blocks_and_labelled_edges() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", NAMES);
    let text = graph(&sandbox, "a.c --function set --what cfg");
    for part in ["bb0: entry", ": return", "\"true\"", "\"false\"", "\"1, 2\"", "\"5..9\"", "\"default\"", "@strdup"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn the_projection_says_what_it_dropped() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int f(int n) { int i = 0; while (i < n) i++; return 3; }\n");
    let text = graph(&sandbox, "a.c --function f --what projection");
    assert!(text.contains("dropped 3 of 5 blocks") || text.contains("dropped 2 of 4 blocks"), "{text}");
    assert!(!text.contains("lt "), "{text}");
}

#[test]
fn objects_travel_under_conditions() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", NAMES);
    let text = graph(&sandbox, "a.c --function set --what flow");
    let source = "p = strdup()";
    assert_eq!(edge(&text, source, "cache").as_deref(), Some("n != 1 && n != 2 && n >= 5 && n < 10"));
    assert_eq!(edge(&text, source, "s->name").as_deref(), Some("n == 1 || n != 1 && n == 2"));
    assert!(edge(&text, "argument 1 of free()", "released by free()").is_some(), "{text}");
    assert!(edge(&text, "argument 1 of keep()", "kept by keep()").is_some(), "{text}");
    assert!(edge(&text, source, "returned").is_some(), "{text}");
}

#[test]
fn the_program_is_drawn_with_calls_as_parentheses() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "#include <stdlib.h>\nstatic void *make(void) { return malloc(1); }\nstatic void drop(void *q) { free(q); }\nint main(void) {\n void *p = make();\n drop(p);\n return 0;\n}\n");
    let text = graph(&sandbox, "a.c --what flow");
    assert_eq!(edge(&text, "result of make", "p").as_deref(), Some(")make:5"));
    assert_eq!(edge(&text, "p", "q").as_deref(), Some("(drop:6"));
    assert_eq!(edge(&text, "q", "free()").as_deref(), Some(""));
}

#[test]
fn functions_of_one_name_are_in_one_graph() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", TWINS[0]);
    sandbox.write("b.c", TWINS[1]);
    for what in ["cfg", "projection", "flow"] {
        let text = graph(&sandbox, &format!("a.c b.c --function make --what {what}"));
        assert_eq!(text.matches("digraph").count(), 1, "{text}");
        assert_eq!(text.matches("subgraph").count(), 2, "{text}");
        assert!(text.contains("make (a.c)") && text.contains("make (b.c)"), "{text}");
    }
}
