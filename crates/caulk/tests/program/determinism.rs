//! Output is the same under any number of threads and on every run.

use crate::sandbox::Sandbox;

/// Forty units that share headers, with errors, missing headers and warnings among them.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("common.h", "#pragma once\nstruct node { struct node *next; int value; };\n#include <absent.h>\n");
    for number in 0..40 {
        let mut text = format!("#include \"common.h\"\n#include <stddef.h>\n#include \"own{}.h\"\n", number % 3);
        for function in 0..=number {
            text.push_str(&format!(
                "int f{number}_{function}(struct node *n) {{ int s = 0; for (; n; n = n->next) s += n->value; return s; }}\n"
            ));
        }
        if number % 7 == 0 {
            text.push_str("int broken(void) { return ]; }\n");
        }
        sandbox.write(&format!("u{number:02}.c"), text);
    }
    sandbox.write("own0.h", "static inline int shared_name(int x) { return x; }\n");
    sandbox.write("own1.h", "static int table[] = { [3] = 1 };\n#warning odd\n");
    sandbox
}

fn without_measurements(text: &str) -> String {
    let mut report: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let fields = report.as_object_mut().expect("object");
    fields.remove("phases");
    fields.remove("peak_memory_bytes");
    report.to_string()
}

#[test]
fn threads_do_not_show() {
    let sandbox = project();
    let mut seen: Option<[String; 4]> = None;
    for jobs in ["1", "2", "3", "8", "64", "2"] {
        let ir = sandbox.run_words(&["ir", ".", "--jobs", jobs]);
        let stats = sandbox.run_words(&["stats", ".", "--format", "json", "--functions", "--jobs", jobs]);
        assert_eq!((ir.code, stats.code), (0, 0), "{}", ir.errors);
        let outputs = [ir.text, ir.errors, without_measurements(&stats.text), stats.errors];
        match &seen {
            Some(first) => assert!(*first == outputs, "--jobs {jobs} differs"),
            None => seen = Some(outputs),
        }
    }
    let [ir, errors, ..] = seen.expect("ran");
    assert!(ir.contains("@f39_39") && errors.contains("absent.h"));
}
