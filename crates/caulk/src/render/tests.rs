//! Findings of our own making over files of our own writing, and what a reader gets.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use caulk_driver::{Confidence, Finding, Loss, Place, Rule, Step};

use super::{Sources, json, text};

/// A directory with source files, gone with its value.
struct Folder {
    root: PathBuf,
}

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("caulk_render_{}_{number}", std::process::id()));
        for (name, content) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
            std::fs::write(path, content).expect("writable");
        }
        Folder { root }
    }

    fn render(&self, finding: &Finding) -> String {
        text(std::slice::from_ref(finding), &mut Sources::new(&self.root), false)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// `a.c:7:15`.
fn place(text: &str) -> Place {
    let mut parts = text.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse().ok()).expect("a number");
    let (column, line) = (number(), number());
    Place { file: parts.next().expect("a file").to_owned(), line, column }
}

fn finding(alloc: &str, leak: &str) -> Finding {
    Finding {
        rule: Rule::Conditional,
        function: "parse".to_owned(),
        variable: "p".to_owned(),
        alloc: place(alloc),
        allocator: "malloc".to_owned(),
        resource: "memory".to_owned(),
        leak: place(leak),
        loss: Loss::Return,
        path: Vec::new(),
        also: Vec::new(),
        confidence: Confidence::High,
        fingerprint: "parse/malloc/p/return".to_owned(),
        message: "memory allocated by `malloc` is lost when `parse` returns".to_owned(),
    }
}

fn steps(steps: &[(&str, &str)]) -> Vec<Step> {
    steps.iter().map(|(at, message)| Step { place: place(at), message: (*message).to_owned() }).collect()
}

const PARSE: &[u8] = b"#include <stdlib.h>

int use(char *);

int parse(unsigned long n)
{
    char *p = malloc(n);
    int status;
    if (n > 10)
        status = use(p);
    else
        return -1;
    free(p);
    return status;
}
";

#[test]
fn a_block_has_the_loss_the_allocation_the_steps_and_the_help() {
    let folder = Folder::new(&[("src/a.c", PARSE)]);
    let mut finding = finding("src/a.c:7:15", "src/a.c:12:9");
    finding.path = steps(&[
        ("src/a.c:7:15", "memory is allocated here"),
        ("src/a.c:9:9", "`n > 10` is false"),
        ("src/a.c:12:9", "`parse` returns"),
    ]);
    finding.also = vec![place("src/a.c:14:5"), place("src/a.c:15:1")];
    finding.confidence = Confidence::Low;
    let expected = "\
warning[conditional-leak]: memory allocated by `malloc` is lost when `parse` returns
  --> src/a.c:12:9
   |
 7 |     char *p = malloc(n);
   |               ------ allocated here
...
12 |         return -1;
   |         ^^^^^^^^^^ `p` still holds the memory here
   |
   = steps: 1. src/a.c:7:15  memory is allocated here
            2. src/a.c:9:9   `n > 10` is false
            3. src/a.c:12:9  `parse` returns
   = note: also lost at src/a.c:14:5
                        src/a.c:15:1
   = note: low confidence: this may well be no leak
   = help: release it with `free(p)` before `parse` returns

";
    assert_eq!(folder.render(&finding), expected);
}

#[test]
fn an_allocation_in_another_file_gets_its_own_excerpt() {
    let header = b"static inline char *make(void)\n{\n\treturn strdup(\"x\");\n}\n";
    let folder = Folder::new(&[("a.c", PARSE), ("make.h", header)]);
    let expected = "\
warning[conditional-leak]: memory allocated by `malloc` is lost when `parse` returns
  --> a.c:12:9
   |
12 |         return -1;
   |         ^^^^^^^^^^ `p` still holds the memory here
   |
  ::: make.h:3:9
   |
 3 |     return strdup(\"x\");
   |            ------ allocated here
   |
   = help: release it with `free(p)` before `parse` returns

";
    assert_eq!(folder.render(&finding("make.h:3:9", "a.c:12:9")), expected);
}

#[test]
fn far_apart_in_one_file_is_two_excerpts() {
    let mut lines = vec!["\tchar *p = malloc(n);"];
    lines.extend(vec!["\tstep();"; 1000]);
    lines.push("}");
    let folder = Folder::new(&[("a.c", lines.join("\n").as_bytes())]);
    let text = folder.render(&finding("a.c:1:12", "a.c:1002:1"));
    let expected = "  \
    --> a.c:1002:1
     |
1002 | }
     | ^ `p` still holds the memory here
     |
    ::: a.c:1:12
     |
   1 |     char *p = malloc(n);
     |               ------ allocated here
";
    assert!(text.contains(expected.trim_start()), "{text}");
}

#[test]
fn the_only_place_is_shown_once() {
    let folder = Folder::new(&[("a.c", b"void f(char *s)\n{\n    strdup(s);\n}\n")]);
    let mut finding = finding("a.c:3:5", "a.c:3:5");
    finding.rule = Rule::NeverFreed;
    finding.loss = Loss::ResultDropped;
    finding.variable = String::new();
    finding.allocator = "strdup".to_owned();
    finding.message = "the result of `strdup` is not kept".to_owned();
    let expected = "\
warning[never-freed]: the result of `strdup` is not kept
 --> a.c:3:5
  |
3 |     strdup(s);
  |     ^^^^^^ the result is not kept
  |
  = help: keep the result of `strdup` and release it with `free`, or leave out the call

";
    assert_eq!(folder.render(&finding), expected);
}

#[test]
fn files_that_vanished_or_changed_cost_the_excerpt_only() {
    let folder = Folder::new(&[("a.c", PARSE), ("short.c", b"int x;\n")]);
    let gone = folder.render(&finding("gone.c:7:15", "gone.c:12:9"));
    let expected = "\
--> gone.c:12:9
 = note: `p` still holds the memory here
 = note: allocated here: gone.c:7:15
 = help: release it with `free(p)` before `parse` returns
";
    assert!(gone.contains(expected), "{gone}");
    let half = folder.render(&finding("a.c:7:15", "gone.c:12:9"));
    assert!(half.contains("--> gone.c:12:9\n") && half.contains("::: a.c:7:15\n"), "{half}");
    for (alloc, leak) in [
        ("short.c:1:1", "short.c:9:1"),
        ("short.c:1:99", "short.c:1:1"),
        ("short.c:1:1", "short.c:1:99"),
        ("a.c:7:15", ":0:0"),
        ("short.c:0:0", "short.c:0:0"),
        (".:1:1", "/dev/zero:1:1"),
        ("short.c:4294967295:4294967295", "short.c:4294967295:4294967295"),
        ("short.c:2:1", "short.c:1:7"),
    ] {
        let text = folder.render(&finding(alloc, leak));
        assert!(text.contains("= help: "), "{alloc} {leak}: {text}");
    }
}

#[test]
fn odd_bytes_do_not_reach_the_terminal() {
    let line = b"\t/* caf\xe9 \x1b[31m \xc2\x9b \xe2\x80\xae */ p = malloc(1); return;\r\n";
    let folder = Folder::new(&[("a.c", line)]);
    let alloc = line.windows(6).position(|word| word == b"malloc").expect("written there") + 1;
    let leak = line.windows(6).position(|word| word == b"return").expect("written there") + 1;
    let mut finding = finding(&format!("a.c:1:{alloc}"), &format!("a.c:1:{leak}"));
    finding.message = "odd\u{1b}[31m\nnews".to_owned();
    finding.path = steps(&[("a.c:1:1", "`\"\u{202e}\u{7}\"` is true"), ("a\u{1b}.c:1:1", "elsewhere")]);
    let text = folder.render(&finding);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains('\u{202e}'), "{text:?}");
    assert!(text.starts_with("warning[conditional-leak]: odd\u{241b}[31m news\n"), "{text}");
    let marks = text.lines().find(|line| line.contains('^')).expect("there is an underline");
    let code = text.lines().find(|line| line.contains("malloc(1)")).expect("there is an excerpt");
    let column = |line: &str, what: &str| line.find(what).map(|at| line[..at].chars().count());
    assert_eq!(column(marks, "^^^^^^^"), column(code, "return;"), "{text}");
    assert_eq!(column(marks, "------"), column(code, "malloc"), "{text}");
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let line = format!("{}p = malloc(1);{}return;", "x = 1; ".repeat(5_000), "y = 2; ".repeat(5_000));
    let folder = Folder::new(&[("a.c", line.as_bytes())]);
    let leak = line.find("return").expect("written there") + 1;
    let text = folder.render(&finding(&format!("a.c:1:{leak}"), &format!("a.c:1:{leak}")));
    assert!(text.lines().all(|line| line.chars().count() <= 160), "{text}");
    assert!(text.contains("return;") && text.contains(&format!("--> a.c:1:{leak}\n")), "{text}");
}

#[test]
fn long_lists_are_cut() {
    let folder = Folder::new(&[("a.c", PARSE)]);
    let mut finding = finding("a.c:7:15", "a.c:12:9");
    finding.path = (1..=100).map(|n| Step { place: place("a.c:9:9"), message: format!("step {n}") }).collect();
    finding.also = (1..=30).map(|n| place(&format!("gone.c:{n}:1"))).collect();
    let text = folder.render(&finding);
    for part in
        ["   1. a.c:9:9  step 1\n", " 20. a", "60 more steps", " 81. a", "100. a.c:9:9  step 100\n", "20 more places"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains(" 21. a") && !text.contains("gone.c:11:1"), "{text}");
}

#[test]
fn advice_depends_on_the_loss_and_the_allocator() {
    let folder = Folder::new(&[]);
    let cases = [
        (Loss::Return, "q", "strdup", "memory", "release it with `free(q)` before `parse` returns"),
        (Loss::Return, "", "strdup", "memory", "release it with `free` before `parse` returns"),
        (Loss::Overwritten, "q", "fopen", "file", "release it with `fclose(q)` before `q` gets its new value"),
        (Loss::ScopeEnd, "q", "popen", "file", "release it with `pclose(q)` before `q` goes out of scope"),
        (Loss::ScopeEnd, "fd", "open_it", "descriptor", "release it with `close(fd)` before `fd` goes"),
        (Loss::HolderFreed, "n->name", "g_strdup", "memory", "`g_free(n->name)` before the object that holds it"),
        (Loss::ResultDropped, "", "node_new", "memory", "keep the result of `node_new` and release it, or"),
        (Loss::ReallocFailed, "q", "malloc", "memory", "keep `q` until the call has succeeded"),
        (Loss::Return, "q", "node_new", "memory", "with the function that undoes `node_new` before `parse` returns"),
    ];
    for (loss, variable, allocator, resource, expected) in cases {
        let mut finding = finding("a.c:1:1", "a.c:2:1");
        finding.loss = loss;
        finding.variable = variable.to_owned();
        finding.allocator = allocator.to_owned();
        finding.resource = resource.to_owned();
        let text = folder.render(&finding);
        let help = text.lines().find(|line| line.contains("= help: ")).expect("there is always help");
        assert!(help.contains(expected), "{expected} in {help}");
    }
}

#[test]
fn colours_are_all_that_colour_adds() {
    let folder = Folder::new(&[("a.c", PARSE)]);
    let mut finding = finding("a.c:7:15", "a.c:12:9");
    finding.path = steps(&[("a.c:7:15", "memory is allocated here")]);
    let colored = text(std::slice::from_ref(&finding), &mut Sources::new(&folder.root), true);
    let mut plain = String::new();
    for (number, piece) in colored.split('\u{1b}').enumerate() {
        plain.push_str(if number == 0 { piece } else { piece.split_once('m').expect("a colour").1 });
    }
    assert!(colored != plain);
    assert_eq!(plain, folder.render(&finding));
}

#[test]
fn no_file_and_no_place_upsets_the_renderer() {
    // A small generator with a fixed start: the same files on every run.
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let bytes = b"p\t \n\n;(){}\"'/*return \r\0\xff\xc3\xa9\xe2\x80\x8d\xf0\x9f\x98\x80\x1b";
    for _ in 0..500 {
        let length = random(200);
        let content: Vec<u8> = (0..length).map(|_| bytes[random(bytes.len() as u64) as usize]).collect();
        let folder = Folder::new(&[("a.c", &content)]);
        let mut place = || format!("a.c:{}:{}", random(12), random(40));
        let mut finding = finding(&place(), &place());
        finding.path = steps(&[(&place(), "a step"), (&place(), "another")]);
        finding.also = vec![super::tests::place(&place())];
        assert!(folder.render(&finding).contains("= help: "), "{content:?}");
    }
}

#[test]
fn json_has_every_field() {
    let mut finding = finding("a.c:7:15", "b.c:12:9");
    finding.rule = Rule::Resource;
    finding.loss = Loss::ReallocFailed;
    finding.path = steps(&[("a.c:7:15", "memory is allocated here")]);
    finding.also = vec![place("a.c:14:5")];
    let value: serde_json::Value = serde_json::from_str(&json(&[finding]).expect("plain data")).expect("JSON");
    let expected = serde_json::json!([{
        "rule": "resource-leak",
        "message": "memory allocated by `malloc` is lost when `parse` returns",
        "function": "parse",
        "variable": "p",
        "allocator": "malloc",
        "resource": "memory",
        "loss": "realloc-failed",
        "confidence": "high",
        "alloc": {"file": "a.c", "line": 7, "column": 15},
        "leak": {"file": "b.c", "line": 12, "column": 9},
        "path": [{"file": "a.c", "line": 7, "column": 15, "message": "memory is allocated here"}],
        "also": [{"file": "a.c", "line": 14, "column": 5}],
        "fingerprint": "parse/malloc/p/return",
    }]);
    assert_eq!(value, expected);
    assert_eq!(json(&[]).expect("plain data"), "[]\n");
}
