//! Every command once, with its options and exit codes.

use std::process::Stdio;

use crate::sandbox::Sandbox;

const LEAK: &str = "void *malloc(unsigned long);
char *make(int big) {
    char *p = malloc(16);
    if (big) return 0;
    return p;
}
static int twice(int x) { return 2 * x; }
int use(void) { return twice(make(1) != 0); }
";

#[test]
fn ir_prints_a_module_or_one_function() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", LEAK);
    let whole = sandbox.run("ir a.c");
    assert_eq!(whole.code, 0, "{}", whole.errors);
    for part in ["function @make(", "function @twice(", "call @malloc", "!4:9"] {
        assert!(whole.text.contains(part), "{part} in {}", whole.text);
    }
    let one = sandbox.run("ir a.c --function twice");
    assert!(one.text.starts_with("function @twice(") && !one.text.contains("@make"), "{}", one.text);
    let none = sandbox.run("ir a.c --function nothing");
    assert_eq!((none.code, none.text.as_str()), (2, ""));
    assert!(none.errors.contains("no function called nothing"));
}

#[test]
fn ir_keeps_attributes_on_functions_and_parameters() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.c",
        "void *make(void) __attribute__((malloc(take, 1)));
         void take([[gnu::nonnull]] void *, char *b __attribute__((ownership_takes(malloc, 2))));
         void take(void *__restrict a, __attribute__((unused)) char *);
         void f(void) { take(make(), 0); }",
    );
    let run = sandbox.run("ir a.c");
    let take = "@take: fn(ptr void, ptr char) -> void params(a [[nonnull]], b [[ownership_takes(malloc, 2), unused]])";
    for part in [take, "@make: fn() -> ptr void [[malloc(take, 1)]]"] {
        assert!(run.text.contains(part), "{part} in {}", run.text);
    }
}

#[test]
fn ir_of_several_files_names_each() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int a(void) { return 1; }\n");
    sandbox.write("b.c", "int b(void) { return 2; }\n");
    let run = sandbox.run("ir b.c a.c");
    let (b, a) = (run.text.find("@b("), run.text.find("@a("));
    assert!(b.is_some() && b < a, "{}", run.text);
    assert!(run.text.contains("; ") && run.text.contains("a.c\n"), "{}", run.text);
}

#[test]
fn ast_shows_the_main_file_only() {
    let sandbox = Sandbox::new();
    sandbox.write("h.h", "int from_header(void);\n");
    sandbox.write("a.c", "#include \"h.h\"\nint here(int x) { return x; }\n");
    let run = sandbox.run("ast a.c");
    assert_eq!(run.code, 0, "{}", run.errors);
    assert!(run.text.contains("declarator here") && !run.text.contains("from_header"), "{}", run.text);
}

#[test]
fn preprocess_expands_and_takes_flags() {
    let sandbox = Sandbox::new();
    sandbox.write("inc/h.h", "#define VALUE WIDTH + 1\n");
    sandbox.write("a.c", "#include <h.h>\nint x = VALUE;\nint s = __STDC_VERSION__;\n");
    let run = sandbox.run("preprocess a.c -- -Iinc -DWIDTH=40 -std=c99");
    assert_eq!(run.code, 0, "{}", run.errors);
    assert!(run.text.contains("int x = 40 + 1;") && run.text.contains("int s = 199901L;"), "{}", run.text);
}

#[test]
fn include_flags_are_searched_in_their_order() {
    let sandbox = Sandbox::new();
    sandbox.write("quote/q.h", "int from_quote;\n");
    sandbox.write("first/x.h", "int from_first;\n#include_next <x.h>\n");
    sandbox.write("second/x.h", "int from_second;\n");
    sandbox.write("after/y.h", "int from_after;\n");
    sandbox.write("forced.h", "int from_forced;\n");
    sandbox.write("macros.h", "#define M 7\nint not_this;\n");
    sandbox.write("flags", "-I second -idirafter after");
    sandbox.write("a.c", "#include \"q.h\"\n#include <x.h>\n#include <y.h>\nint m = M;\n");
    let run = sandbox.run("preprocess a.c -- -iquote quote -Ifirst @flags -include forced.h -imacros macros.h");
    assert_eq!((run.code, run.errors.as_str()), (0, ""));
    let places: Vec<Option<usize>> = ["from_forced", "from_quote", "from_first", "from_second", "from_after", "m = 7"]
        .iter()
        .map(|word| run.text.find(word))
        .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", run.text);
    assert!(!run.text.contains("not_this"));
}

#[test]
fn stats_count_functions_by_fate() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("a.c", "#include \"gone.h\"\nint f(void) { return 1; }\nint g(void) { return +; }\n");
    let report = sandbox.stats("a.c");
    assert_eq!((report["files"].as_u64(), report["lines"].as_u64()), (Some(1), Some(3)));
    let functions = serde_json::json!({"seen": 2, "lowered": 1, "unknown": 0, "skipped": 1});
    assert_eq!(report["functions"], functions);
    let skipped = &report["skipped"][0];
    assert_eq!((skipped["function"].as_str(), skipped["line"].as_u64()), (Some("g"), Some(3)));
    assert!(skipped["reason"].as_str().is_some_and(|reason| reason.contains("expected expression")));
    let path = file.to_str().expect("plain");
    assert_eq!(report["missing_headers"], serde_json::json!([{"header": "gone.h", "from": path}]));
    for phase in ["lex_ms", "preprocess_ms", "parse_ms", "sema_ms", "lower_ms", "verify_ms"] {
        assert!(report["phases"][phase].is_f64(), "{phase}");
    }
    let units = serde_json::json!([{"file": path, "command": null, "lowered": ["f"], "unknown": []}]);
    assert_eq!(report["units"], units);
    let text = sandbox.run("stats a.c");
    assert_eq!(text.code, 0);
    assert!(text.text.contains("functions") && text.text.contains("gone.h from a.c"), "{}", text.text);
    let plain = sandbox.run("stats a.c --format json");
    assert!(!plain.text.contains("\"units\""));
}

#[test]
fn a_directory_is_searched() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.c", "int a(void) { return 1; }\n");
    sandbox.write("src/deep/b.c", "int b(void) { return 1; }\n");
    sandbox.write("src/.hidden/c.c", "int c(void) { return 1; }\n");
    let report = sandbox.stats("src");
    assert_eq!(report["files"], 2);
    // Named twice, analysed once.
    assert_eq!(sandbox.stats("src src/a.c")["files"], 2);
}

#[test]
fn messages_look_like_a_compilers_and_come_once() {
    let sandbox = Sandbox::new();
    sandbox.write("h.h", "#include <no_such_header.h>\nint broken = ;\n");
    for name in ["a.c", "b.c", "c.c"] {
        sandbox.write(name, "#include \"h.h\"\n#include <no_such_header.h>\nint f(void) { return 1; }\n");
    }
    let run = sandbox.run("stats a.c b.c c.c");
    assert_eq!(run.errors.matches("header not found: no_such_header.h\n").count(), 1, "{}", run.errors);
    assert_eq!(run.errors.matches("h.h:2:14: error: ").count(), 1, "{}", run.errors);
    assert!(run.errors.contains("    2 | int broken = ;\n      |              ^\n"), "{}", run.errors);
}

#[test]
fn what_cannot_be_done_is_exit_code_two() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int f(void) { return 1; }\n");
    sandbox.write("notes.txt", "no code\n");
    sandbox.write("b.cpp", "class X {};\n");
    std::fs::create_dir(sandbox.path("void")).expect("writable");
    for line in [
        "stats missing.c",
        "ir missing.c",
        "ast missing.c",
        "preprocess missing.c",
        "stats void",
        "stats notes.txt",
        "stats b.cpp",
        "stats",
        "stats --bad-option a.c",
        "stats a.c --jobs 0",
        "stats a.c --format yaml",
        "nonsense",
        "",
        "stats -p missing.json",
        "stats -p void",
    ] {
        let run = sandbox.run(line);
        assert_eq!((run.code, run.text.as_str()), (2, ""), "caulk {line}: {}", run.errors);
        assert!(!run.errors.is_empty(), "caulk {line}");
    }
    // What can be done is done.
    let half = sandbox.run("stats missing.c a.c");
    assert_eq!(half.code, 2);
    assert!(half.text.contains("functions") && half.errors.contains("missing.c: no such file"), "{}", half.errors);
    for line in ["--help", "--version", "stats --help"] {
        assert_eq!(sandbox.run(line).code, 0, "{line}");
    }
}

#[test]
fn the_language_can_be_forced() {
    let sandbox = Sandbox::new();
    sandbox.write("table.inc", "int f(void) { return 1; }\n");
    sandbox.write("pre.i", "int unix(void) { return 1; }\n");
    assert_eq!(sandbox.stats("table.inc -- -x c")["functions"]["lowered"], 1);
    // Preprocessed text has no macros: `unix` is a name.
    assert_eq!(sandbox.stats("pre.i")["functions"]["lowered"], 1);
}

#[test]
fn flags_change_the_target() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "_Static_assert(sizeof(void *) == SIZE, \"\");\nint f[SIZE == sizeof(long) ? 1 : -1];\nchar c = -1;\nint g(void) { return c < 0; }\n");
    for line in ["stats a.c -- -m32 -DSIZE=4", "stats a.c -- -DSIZE=8 -funsigned-char"] {
        let run = sandbox.run(line);
        assert_eq!((run.code, run.errors.as_str()), (0, ""), "{line}");
    }
}

#[test]
fn a_closed_pipe_is_no_accident() {
    let sandbox = Sandbox::new();
    let body: String = (0..20_000).map(|n| format!("int f{n}(int x) {{ return x + {n}; }}\n")).collect();
    sandbox.write("a.c", body);
    let mut child =
        sandbox.command(&["ir", "a.c"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.code().is_some());
}
