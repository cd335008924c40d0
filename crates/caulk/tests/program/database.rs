//! Projects described by a compile database.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

fn write_database(sandbox: &Sandbox, entries: &Value) {
    sandbox.write("compile_commands.json", entries.to_string());
}

#[test]
fn both_forms_relative_directories_and_response_files() {
    let sandbox = Sandbox::new();
    sandbox.write("src/a.c", "#include <conf.h>\nint a[A == 1 ? 1 : -1];\nint fa(void) { return NAME[0]; }\n");
    sandbox.write("src/b.c", "#include <conf.h>\n_Static_assert(B == 2, \"\");\nint fb(void) { return B; }\n");
    sandbox.write("inc/conf.h", "#define A 1\n");
    sandbox.write("build/flags", "-DB=2 @more\n");
    sandbox.write("build/more", "-I ../inc");
    write_database(
        &sandbox,
        &json!([
            {"directory": sandbox.path("build"), "file": "../src/a.c", "output": "a.o",
             "command": "ccache /usr/bin/gcc -I../inc '-DNAME=\"x y\"' -o a.o -c ../src/a.c"},
            {"directory": "build", "file": sandbox.path("src/b.c"),
             "arguments": ["clang", "@flags", "-c", sandbox.path("src/b.c")]},
        ]),
    );
    for line in ["-p .", "-p compile_commands.json"] {
        let report = sandbox.stats(line);
        assert_eq!(report["functions"], json!({"seen": 2, "lowered": 2, "unknown": 0, "skipped": 0}), "{report}");
        assert_eq!(report["missing_headers"], json!([]));
        let commands: Vec<&Value> = report["units"].as_array().expect("list").iter().map(|u| &u["command"]).collect();
        assert_eq!(commands, [0, 1]);
        assert_eq!(report["units"][0]["file"], json!(sandbox.path("src/a.c")));
    }
}

#[test]
fn one_file_in_two_configurations() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "#ifdef ONE\nint one(void) { return 1; }\n#else\nint two(void) { return 2; }\n#endif\n");
    let entry = |flag: &str| json!({"directory": sandbox.root(), "file": "a.c", "arguments": ["cc", flag, "a.c"]});
    write_database(&sandbox, &json!([entry("-DONE"), entry("-DTWO")]));
    let report = sandbox.stats("-p .");
    assert_eq!((report["files"].as_u64(), report["lines"].as_u64()), (Some(1), Some(5)));
    assert_eq!(report["units"][0]["lowered"], json!(["one"]));
    assert_eq!(report["units"][1]["lowered"], json!(["two"]));
}

#[test]
fn paths_choose_among_the_entries_and_flags_are_added() {
    let sandbox = Sandbox::new();
    let mut entries = Vec::new();
    for name in ["x/a.c", "x/b.c", "y/c.c"] {
        sandbox.write(name, "int f(void) { return EXTRA; }\n");
        entries.push(json!({"directory": sandbox.root(), "file": name, "command": format!("cc -c {name}")}));
    }
    sandbox.write("z.c", "int z(void) { return EXTRA; }\n");
    write_database(&sandbox, &Value::Array(entries));
    assert_eq!(sandbox.stats("-p . -- -DEXTRA=1")["files"], 3);
    assert_eq!(sandbox.stats("-p . x -- -DEXTRA=1")["files"], 2);
    let one = sandbox.stats("-p . y/c.c -- -DEXTRA=1");
    assert_eq!((one["files"].as_u64(), one["units"][0]["command"].as_u64()), (Some(1), Some(2)));
    let outside = sandbox.run("stats -p . z.c -- -DEXTRA=1");
    assert_eq!(outside.code, 0);
    assert!(outside.errors.contains("z.c: not in the compile database"), "{}", outside.errors);
}

#[test]
fn what_is_not_c_is_left_out() {
    let sandbox = Sandbox::new();
    sandbox.write("a.c", "int f(void) { return 1; }\n");
    sandbox.write("b.cc", "class X {};\n");
    sandbox.write("c.S", "nop\n");
    let entry = |program: &str, file: &str| json!({"directory": sandbox.root(), "file": file, "arguments": [program, "-c", file]});
    let entries = json!([
        entry("g++", "b.cc"), entry("gcc", "c.S"), entry("gcc", "a.c"), entry("gcc", "gone.c"), entry("g++", "a.c"),
        {"directory": sandbox.root(), "file": "prog", "arguments": ["cc", "a.o", "-o", "prog"]},
        {"nonsense": true},
    ]);
    write_database(&sandbox, &entries);
    let report = sandbox.stats("-p .");
    assert_eq!(report["files"], 1);
    assert_eq!(report["units"][0]["command"], 2);
    let run = sandbox.run("stats -p .");
    assert!(run.errors.contains("gone.c") && run.errors.contains("entry 6"), "{}", run.errors);
    assert!(run.text.contains("inputs not in C"), "{}", run.text);
    write_database(&sandbox, &json!([entry("g++", "b.cc")]));
    let nothing = sandbox.run("stats -p .");
    assert_eq!(nothing.code, 2);
    assert!(nothing.errors.contains("none of the inputs is C"), "{}", nothing.errors);
}

#[test]
fn a_broken_database_says_so() {
    let sandbox = Sandbox::new();
    for text in ["", "[", "{}", "[1, 2", "null", "\u{0}"] {
        sandbox.write("compile_commands.json", text);
        let run = sandbox.run("stats -p .");
        assert_eq!(run.code, 2, "{text}");
        assert!(run.errors.contains("not a compile database"), "{text}: {}", run.errors);
    }
    write_database(&sandbox, &json!([]));
    assert_eq!(sandbox.run("stats -p .").code, 2);
}
