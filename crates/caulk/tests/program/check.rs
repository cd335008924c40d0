//! `caulk check` and what shows its grounds: exit codes, streams, sameness. What leaks is tested elsewhere; these
//! hold whatever is found.

use crate::sandbox::{Run, Sandbox};

/// Nothing is allocated, so nothing is lost.
const HARMLESS: &str = "int twice(int x) { return 2 * x; }\n";

/// Lost on every path.
const LEAKING: &str = "void *malloc(unsigned long);
int main(void) { return 0; }
int lose(int n)
{
    char *p = malloc(16);
    if (p == 0)
        return -1;
    p[0] = (char)n;
    return p[0];
}
";

/// The last line on standard error, without the time.
fn closing(run: &Run) -> &str {
    let line = run.errors.lines().last().unwrap_or_default();
    let (counts, time) = line.rsplit_once(", ").unwrap_or_else(|| panic!("{}", run.errors));
    assert!(time.strip_suffix(" s").is_some_and(|seconds| seconds.parse::<f64>().is_ok()), "{line}");
    counts
}

fn findings(run: &Run) -> Vec<serde_json::Value> {
    serde_json::from_str(&run.text).unwrap_or_else(|error| panic!("{error}: {}{}", run.text, run.errors))
}

#[test]
fn no_leaks_is_exit_code_zero() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", HARMLESS);
    let text = sandbox.run("check a.c");
    assert_eq!((text.code, text.text.as_str()), (0, ""), "{}", text.errors);
    let line = "caulk: 0 leaks; 1 function analysed, 0 skipped, 0 allocation sites, 0 coarsened";
    assert_eq!(closing(&text), line);
    let json = sandbox.run("check a.c --format json --confidence low");
    assert_eq!((json.code, json.text.as_str()), (0, "[]\n"));
    assert_eq!(closing(&json), line);
}

#[test]
fn statistics_go_to_standard_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", HARMLESS);
    let run = sandbox.run("check a.c --stats --format json");
    assert_eq!((run.code, run.text.as_str()), (0, "[]\n"));
    assert!(run.errors.contains("time, all threads") && run.errors.contains("  preprocess"), "{}", run.errors);
    assert!(closing(&run).starts_with("caulk: 0 leaks; "));
}

#[test]
fn nothing_analysed_is_no_success() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", HARMLESS);
    sandbox.write("table.c", "const int table[] = { 1, 2, 3 };\n");
    sandbox.write("broken.c", "int f(void) { return ]; }\n");
    std::fs::create_dir(sandbox.path("void")).expect("writable");
    for (line, reason) in [
        ("check table.c", "nothing analysed: the file has no functions"),
        ("check table.c --format json", "nothing analysed: the file has no functions"),
        ("check broken.c", "nothing analysed: the only function was skipped"),
        ("check missing.c", "missing.c: no such file"),
        ("check missing.c", "nothing to analyse"),
        ("check void", "no C files"),
        ("check -p void", "void"),
        ("check a.c --models missing.model", "missing.model"),
        ("check a.c --confidence absolute", "absolute"),
        ("check a.c --format yaml", "yaml"),
        ("check a.c --jobs 0", "0"),
        ("check", "PATH"),
        ("summary missing.c", "nothing to analyse"),
        ("summary a.c --function absent", "absent"),
        ("graph a.c --what cfg --function absent", "absent"),
        ("graph a.c", "--what"),
        ("graph a.c --what else", "else"),
    ] {
        let run = sandbox.run(line);
        assert_eq!((run.code, run.text.as_str()), (2, ""), "caulk {line}: {}", run.errors);
        assert!(run.errors.contains(reason), "caulk {line}: {reason} in {}", run.errors);
    }
}

#[test]
fn a_lost_input_does_not_cost_the_others() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", HARMLESS);
    let broken = "int f(void) { return ]; }\nint g(void) { return 1; }\n";
    sandbox.write("b.c", broken);
    let run = sandbox.run("check missing.c a.c b.c");
    assert_eq!((run.code, run.text.as_str()), (0, ""), "{}", run.errors);
    assert!(run.errors.contains("missing.c: no such file") && run.errors.contains("b.c:1:22: error"), "{}", run.errors);
    assert!(closing(&run).starts_with("caulk: 0 leaks; 2 functions analysed, 1 skipped, "), "{}", run.errors);
}

#[test]
fn directories_databases_and_flags_are_taken() {
    let sandbox = Sandbox::new();
    for name in ["x/a.c", "x/deep/b.c", "y/c.c"] {
        sandbox.write(
            name,
            format!("#include <conf.h>\nint f_{}(void) {{ return CONF; }}\n", &name[name.len() - 3..name.len() - 2]),
        );
    }
    sandbox.write("inc/conf.h", "#define CONF 1\n");
    let entries: Vec<serde_json::Value> = ["x/a.c", "x/deep/b.c", "y/c.c"]
        .iter()
        .map(|name| serde_json::json!({"directory": sandbox.root(), "file": name, "command": format!("cc -Iinc -c {name}")}))
        .collect();
    sandbox.write("build/compile_commands.json", serde_json::Value::from(entries).to_string());
    for (line, count) in
        [("check x -- -Iinc", 2), ("check -p build", 3), ("check -p build y", 1), ("check . -- -I inc", 3)]
    {
        let run = sandbox.run(line);
        let functions = if count == 1 { "function" } else { "functions" };
        let expected = format!("caulk: 0 leaks; {count} {functions} analysed, 0 skipped, ");
        assert!(run.code == 0 && closing(&run).starts_with(&expected), "caulk {line}: {}", run.errors);
    }
}

#[test]
fn neither_threads_nor_order_nor_place_show() {
    let write = |sandbox: &Sandbox| {
        sandbox.write("src/ops.h", "struct ops { char *(*make)(void); };\nextern const struct ops *chosen;\n");
        for number in 0..12 {
            let text = LEAKING.replace("lose", &format!("lose{number}")).replace("main", &format!("main{number}"));
            // Which of the makers a report tells of must not depend on which was read first.
            let maker = format!(
                "static char *make(void) {{ return malloc({number} + 1); }}
                 const struct ops ops{number} = {{ make }};
                 void choose{number}(void) {{ chosen = &ops{number}; }}\n"
            );
            let maker = if number % 4 == 1 { &maker } else { "" };
            let user = format!("int use{number}(void) {{ char *p = chosen->make(); return p ? *p : 0; }}\n");
            let header = format!("#include \"absent{}.h\"", number % 3);
            sandbox.write(&format!("src/u{number:02}.c"), format!("{header}\n#include \"ops.h\"\n{text}{maker}{user}"));
        }
    };
    let (here, there) = (Sandbox::new(), Sandbox::new());
    write(&here);
    write(&there);
    let forwards: Vec<String> = (0..12).map(|number| format!("src/u{number:02}.c")).collect();
    let mut backwards = forwards.clone();
    backwards.reverse();
    for format in ["text", "json"] {
        let mut seen: Option<(i32, String, String, String)> = None;
        for (sandbox, jobs, files) in
            [(&here, "1", &forwards), (&here, "3", &forwards), (&here, "16", &backwards), (&there, "2", &backwards)]
        {
            let mut words = vec!["check", "--format", format, "--jobs", jobs];
            words.extend(files.iter().map(String::as_str));
            let run = sandbox.run_words(&words);
            let last = closing(&run).to_owned();
            let messages =
                run.errors.lines().filter(|line| !line.starts_with("caulk: ")).collect::<Vec<_>>().join("\n");
            let outcome = (run.code, run.text, messages, last);
            assert!(outcome.0 == 1 && outcome.1.contains("use7"), "{}", run.errors);
            assert!(!outcome.1.contains('\u{1b}') && !outcome.1.contains(&*sandbox.root().to_string_lossy()));
            match &seen {
                Some(first) => assert_eq!(*first, outcome, "{format} {jobs}"),
                None => seen = Some(outcome),
            }
        }
    }
}

#[test]
fn findings_agree_with_the_exit_code_and_the_closing_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", LEAKING);
    let json = sandbox.run("check a.c --format json");
    let found = findings(&json);
    let text = sandbox.run("check a.c");
    assert_eq!((json.code, text.code), if found.is_empty() { (0, 0) } else { (1, 1) });
    assert_eq!(text.text.matches("warning[").count(), found.len(), "{}", text.text);
    let leaks = if found.len() == 1 { "1 leak;".to_owned() } else { format!("{} leaks;", found.len()) };
    assert!(closing(&json).contains(&leaks) && closing(&json) == closing(&text), "{}", json.errors);
}

#[test]
fn a_leak_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.c", LEAKING);
    let json = sandbox.run("check src --format json");
    assert_eq!(json.code, 1, "{}", json.errors);
    let found = findings(&json);
    assert_eq!(found.len(), 1, "{}", json.text);
    let finding = &found[0];
    assert_eq!((finding["rule"].as_str(), finding["function"].as_str()), (Some("never-freed"), Some("lose")));
    assert_eq!((finding["variable"].as_str(), finding["allocator"].as_str()), (Some("p"), Some("malloc")));
    assert_eq!(finding["alloc"], serde_json::json!({"file": "src/a.c", "line": 5, "column": 15}));
    assert_eq!((finding["leak"]["file"].as_str(), finding["leak"]["line"].as_u64()), (Some("src/a.c"), Some(9)));
    let text = sandbox.run("check src");
    assert_eq!(text.code, 1, "{}", text.errors);
    for part in
        ["warning[never-freed]: ", "\n --> src/a.c:9:", "allocated here", "= steps: 1. src/a.c:5:15", "`free(p)`"]
    {
        assert!(text.text.contains(part), "{part} in {}", text.text);
    }
    assert!(closing(&text).starts_with("caulk: 1 leak; 2 functions analysed, 0 skipped, 1 allocation site, "));
}

#[test]
fn summaries_and_graphs_are_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", HARMLESS);
    for line in ["summary a.c", "summary a.c --function twice"] {
        let run = sandbox.run(line);
        assert_eq!((run.code, run.errors.as_str()), (0, ""), "caulk {line}");
    }
    for what in ["cfg", "projection", "flow"] {
        let run = sandbox.run(&format!("graph a.c --function twice --what {what}"));
        assert_eq!((run.code, run.errors.as_str()), (0, ""), "caulk graph {what}");
        assert!(run.text.contains("digraph"), "{}", run.text);
    }
}

#[test]
fn help_says_what_a_user_needs() {
    let sandbox = Sandbox::new();
    for (line, parts) in [
        ("--help", ["check", "summary", "graph"]),
        ("check --help", ["Exit codes:", "compile_commands.json", "--models <FILE>"]),
        ("check -h", ["Exit codes: 0 no leaks", "--confidence <", "--stats"]),
        ("graph --help", ["projection", "--what <", "Graphviz"]),
        ("summary --help", ["--function <NAME>", "--models <FILE>", "believed"]),
    ] {
        let run = sandbox.run(line);
        assert_eq!(run.code, 0, "caulk {line}");
        parts.iter().for_each(|part| assert!(run.text.contains(part), "{part} in caulk {line}: {}", run.text));
    }
}

#[test]
fn what_a_function_too_large_to_follow_reads_is_still_the_callers() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", include_str!("too_large_to_follow.c"));
    let json = sandbox.run("check a.c --format json");
    assert!(closing(&json).contains("5 functions analysed, 1 skipped"), "{}", json.errors);
    let found: Vec<(String, u64)> = findings(&json)
        .iter()
        .map(|finding| (finding["function"].to_string(), finding["leak"]["line"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(found, [("\"bad_run\"".to_owned(), 67)]);
}

/// A function of many commands, too large as a whole: each of them is looked at by itself.
#[test]
fn what_is_too_large_as_a_whole_is_evaluated_in_parts() {
    let mut text = String::from(
        "void *malloc(unsigned long); void free(void *); int strcmp(const char *, const char *);\n\
         int next(int);\nint dispatch(const char *word, int *out)\n{\n    int total = 0;\n",
    );
    for command in 0..60 {
        let otherwise = if command > 0 { "else " } else { "" };
        text += &format!("    {otherwise}if (strcmp(word, \"w{command}\") == 0) {{\n");
        text += &format!("        char *p = malloc({command} + 1);\n        if (!p) return -1;\n");
        for step in 0..12 {
            let place = (command * 7 + step) % 40;
            let other = (command + step * 3) % 40;
            text += &format!("        if (next({step})) {{ total += {step} + 1; out[{place}] = total; ");
            text += &format!("if (out[{other}] == {step}) total = next(total); }}\n");
        }
        if command == 30 {
            text += "        if (next(99)) return -2;\n";
        }
        text += "        free(p);\n    }\n";
    }
    text += "    return total;\n}\n";
    for number in 0..3 {
        text += &format!("int other{number}(int n) {{ return n + {number}; }}\n");
    }
    let sandbox = Sandbox::new();
    sandbox.write("a.c", text);
    let run = sandbox.run("check --stats --format json a.c");
    assert!(run.errors.contains("given up"), "{}", run.errors);
    let findings = findings(&run);
    assert_eq!(findings.len(), 1, "{}", run.text);
    assert_eq!(findings[0]["variable"], "p");
    let line = findings[0]["path"].as_array().and_then(|path| path.last()).expect("a path");
    assert!(line["message"].as_str().is_some_and(|message| message.contains('p')), "{line}");
    assert!(closing(&run).ends_with("60 allocation sites, 0 coarsened"), "{}", run.errors);
}

/// A state machine of which even what comes before one of its states is too much: a part begins within the loop, and a
/// flag set far before still means the same wherever it is asked for.
#[test]
fn a_part_begins_near_its_allocation() {
    let mut text = String::from(
        "void *malloc(unsigned long); void free(void *); int next(int);\n\
         int machine(int *out)\n{\n    int total = 0, state = next(0), flag = next(1);\n    for (;;) {\n",
    );
    for test in 0..40 {
        let (place, other) = ((test * 7) % 40, (test * 11 + 3) % 40);
        text += &format!("    if (next({test})) {{ total += {test} + 1; out[{place}] = total; ");
        text += &format!("if (out[{other}] == {test}) total = next(total); }}\n");
    }
    text += "    switch (state) {\n";
    for state in 0..40 {
        text += &format!("    case {state}: {{\n        char *p = 0;\n        if (flag) p = malloc({state} + 1);\n");
        for step in 0..8 {
            let (place, other) = ((state * 7 + step) % 40, (state + step * 3) % 40);
            text += &format!("        if (next({step})) {{ total += {step} + 1; out[{place}] = total; ");
            text += &format!("if (out[{other}] == {step}) total = next(total); }}\n");
        }
        if state == 25 {
            text += "        if (next(99)) return -2;\n";
        }
        text += &format!("        if (flag) free(p);\n        state = next({state});\n        break;\n    }}\n");
    }
    text += "    default: return total;\n    }\n    }\n}\n";
    let sandbox = Sandbox::new();
    sandbox.write("a.c", text);
    let run = sandbox.run("check --stats --format json a.c");
    assert!(run.errors.contains("given up"), "{}", run.errors);
    let findings = findings(&run);
    assert_eq!(findings.len(), 1, "{}", run.text);
    assert_eq!(findings[0]["variable"], "p");
    assert!(closing(&run).ends_with("40 allocation sites, 0 coarsened"), "{}", run.errors);
}
