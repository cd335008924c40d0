//! Inputs nobody should write, and everybody's tools meet: no crash, no hang, an answer.

use std::time::{Duration, Instant};

use crate::sandbox::Sandbox;

/// Generous, because test machines are busy; a hang is far beyond it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs all commands on a text; `lowered` functions must survive.
fn survives(name: &str, text: impl AsRef<[u8]>, lowered: u64) {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", text);
    let started = Instant::now();
    let report = sandbox.stats("a.c");
    assert_eq!(report["functions"]["lowered"].as_u64(), Some(lowered), "{name}: {report}");
    for skipped in report["skipped"].as_array().expect("list") {
        let reason = skipped["reason"].as_str().expect("text");
        assert!(!reason.contains("internal error"), "{name}: {reason}");
    }
    for command in ["ir", "ast", "preprocess"] {
        let run = sandbox.run_words(&[command, "a.c"]);
        assert_eq!(run.code, 0, "{name}: {command}: {}", run.errors);
        assert!(!run.errors.contains("internal error"), "{name}: {command}: {}", run.errors);
    }
    assert!(started.elapsed() < PATIENCE, "{name} took {:?}", started.elapsed());
}

const AFTER: &str = "\nint after(void) { return 2; }\n";

#[test]
fn odd_bytes() {
    survives("empty", "", 0);
    survives("blank", "\n\n  \t", 0);
    survives("null bytes", b"int a;\0\0 int f(void) { return 1; }\0", 1);
    survives("carriage returns", "#define A \\\r\n 3\r\nint f(void) {\r\n return A;\r\n}\r\n", 1);
    survives("byte order mark", b"\xef\xbb\xbfint f(void) { return 1; }\n", 1);
    survives("latin-1", b"/* caf\xe9 */ int f(void) { return \"\xe9\"[0]; } // \xff\xfe\n", 1);
    survives("every byte", (0..=255u8).cycle().take(1 << 16).collect::<Vec<_>>(), 0);
    survives("no newline at the end", "int f(void) { return 1; }", 1);
}

#[test]
fn unfinished_things() {
    survives("comment", "int f(void) { return 1; }\n/* never\nint g;", 1);
    survives("string", "char *s = \"never;\nint f(void) { return 2; }\n", 1);
    survives("character", "int f(void) { return 1; }\nint c = 'a;\n", 1);
    survives("conditional", "#if 1\nint f(void) { return 1; }\n#else\n", 1);
    survives("stray ends", "#endif\n#else\n#elif 1\nint f(void) { return 1; }\n", 1);
    survives("macro call", "#define F(x) x\nint f(void) { return 1; }\nint g = F(1;\n", 1);
    survives("body", "int f(void) { return 1; }\nint g(void) { if (1) {", 1);
    survives("include", "#include\n#include <\n#include \"\nint f(void) { return 1; }\n", 1);
}

#[test]
fn deep_nesting_costs_one_function() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!("int f(int x) {{ return {}{middle}{}; }}{AFTER}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    survives("parentheses", nested("(", "x", ")"), 1);
    survives("braces", nested("{", "x", "}"), 1);
    survives("brackets", nested("[", "x", "]"), 1);
    survives("calls", nested("f(", "x", ")"), 1);
    survives("operators", nested("- ~ !", "x", ""), 1);
    survives("casts", nested("(int)", "x", ""), 1);
    survives("sums", nested("x +", "x", ""), 1);
    survives("choices", nested("x ? x : ", "x", ""), 1);
    survives("statement expressions", nested("({", "x;", "});"), 1);
    survives("open parentheses", format!("int f(void) {{ return {}", "(".repeat(DEPTH)), 0);
    survives("blocks", format!("int f(void) {}{}{AFTER}", "{".repeat(DEPTH), "}".repeat(DEPTH)), 1);
    survives("else chain", format!("int f(int x) {{ {} ; return x; }}{AFTER}", "if (x) x++; else ".repeat(DEPTH)), 1);
    survives("initialisers", format!("int a[] = {}1{};{AFTER}", "{".repeat(DEPTH), "}".repeat(DEPTH)), 1);
    survives("pointers", format!("int {}p;{AFTER}", "*".repeat(DEPTH)), 1);
    survives("records", format!("{}int x;{}{AFTER}", "struct { ".repeat(20_000), "} x;".repeat(20_000)), 1);
    survives("conditionals", format!("{}{AFTER}{}", "#if 1\n".repeat(DEPTH), "#endif\n".repeat(DEPTH)), 1);
}

#[test]
fn nesting_just_within_the_limit_does_not_overflow_any_pass() {
    let shapes = [("(", ")"), ("-", ""), ("x ? x : ", ""), ("x + ", ""), ("(x && ", ")"), ("f(", ")"), ("x = ", "")];
    for (open, close) in shapes {
        for depth in [1_000, 2_500, 3_900, 7_800] {
            let sandbox = Sandbox::new();
            let text = format!("int f(int x) {{ return {} x {}; }}{AFTER}", open.repeat(depth), close.repeat(depth));
            sandbox.write("a.c", text);
            let report = sandbox.stats("a.c");
            assert_eq!(report["functions"]["seen"], 2, "{depth} times {open}");
        }
    }
}

#[test]
fn inclusion_and_expansion_end() {
    let sandbox = Sandbox::new();
    sandbox.write("cycle.h", "#include \"cycle.h\"\nint x;\n");
    sandbox.write("a.c", "#include \"cycle.h\"\nint f(void) { return 1; }\n");
    let report = sandbox.stats("a.c");
    assert_eq!(report["functions"]["lowered"], 1);
    let mut bomb = "#define A0 x x x x x x x x x x\n".to_owned();
    for level in 1..12 {
        bomb.push_str(&format!("#define A{level} {}\n", format!("A{} ", level - 1).repeat(10)));
    }
    bomb.push_str("int before(void) { return 1; }\nint y = A11;");
    survives("macro bomb", bomb + AFTER, 2);
    survives("doubling", format!("#define F(a) a a\nint y = {}1{};{AFTER}", "F(".repeat(40), ")".repeat(40)), 1);
}

#[test]
fn long_things() {
    survives("line", format!("int f(int x) {{ {} return x; }}{AFTER}", "x += 1; ".repeat(100_000)), 2);
    survives("identifier", format!("int {};{AFTER}", "a".repeat(2_000_000)), 1);
    survives("string", format!("char *s = \"{}\";{AFTER}", "a".repeat(2_000_000)), 1);
    survives("number", format!("int n = 0x{};{AFTER}", "f".repeat(100_000)), 1);
    survives("arguments", format!("int h(); int f(int x) {{ return h({}x); }}{AFTER}", "x,".repeat(50_000)), 2);
    let cases: String = (0..50_000).map(|n| format!("case {n}: x++; break;\n")).collect();
    survives("cases", format!("int f(int x) {{ switch (x) {{ {cases} }} return x; }}{AFTER}"), 2);
    let labels: String = (0..5_000).map(|n| format!("l{n}: if (x) goto l{};\n", n * 7919 % 5_000)).collect();
    survives("labels", format!("int f(int x) {{ {labels} return x; }}{AFTER}"), 2);
}

#[test]
fn twenty_megabytes() {
    let sandbox = Sandbox::new();
    let mut text = String::with_capacity(21 << 20);
    let mut count = 0u64;
    while text.len() < 20 << 20 {
        text.push_str(&format!(
            "static int f{count}(int n, char *p) {{ int i; for (i = 0; i < n; i++) if (p[i] == {}) return i; \
             p[n - 1] = (char)(n * {count}); return n ? n : {count}; }}\n",
            count % 128
        ));
        count += 1;
    }
    sandbox.write("a.c", text);
    let started = Instant::now();
    let run = sandbox.run("stats --format json a.c");
    assert_eq!(run.code, 0, "{}", run.errors);
    let report: serde_json::Value = serde_json::from_str(&run.text).expect("JSON");
    assert_eq!(report["functions"]["lowered"].as_u64(), Some(count));
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn things_that_are_no_files() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("dir.c")).expect("writable");
    std::fs::create_dir(sandbox.path("dir.h")).expect("writable");
    let run = sandbox.run("stats dir.c");
    assert_eq!(run.code, 2, "{}", run.errors);
    // A directory or a device where a header should be is no header.
    sandbox.write("a.c", "#include \"dir.h\"\n#include \"/dev/zero\"\nint f(void) { return 1; }\n");
    let report = sandbox.stats("a.c");
    assert_eq!(report["missing_headers"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["functions"]["lowered"], 1);
    let run = sandbox.run("stats /dev/null -- -x c");
    assert_eq!(run.code, 2, "{}", run.errors);
}

#[cfg(unix)]
#[test]
fn unreadable_files_and_fifos() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let file = sandbox.write("a.c", "int f(void) { return 1; }\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).expect("ours");
    if std::fs::read(&file).is_err() {
        // The superuser reads everything.
        let run = sandbox.run("stats a.c");
        assert_eq!(run.code, 2, "{}", run.errors);
        assert!(run.errors.contains("ermission denied"), "{}", run.errors);
    }
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe.c")).status();
    if made.is_ok_and(|status| status.success()) {
        let run = sandbox.run("stats pipe.c");
        assert_eq!(run.code, 2, "{}", run.errors);
        assert!(run.errors.contains("not a regular file"), "{}", run.errors);
    }
}
