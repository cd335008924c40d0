use crate::cfg::testing::Random;
use crate::ir::Module;
use crate::print::{Locations, print_module};
use crate::read::read_module;
use crate::verify::verify;

pub(crate) const SAMPLE: &str = include_str!("sample.ir");

fn print(module: &Module) -> String {
    let mut out = String::new();
    print_module(module, Locations::Raw, &mut out);
    out
}

#[track_caller]
fn error(text: &str) -> String {
    read_module(text).err().map_or_else(|| "no error".to_owned(), |error| error.to_string())
}

#[test]
fn what_is_read_prints_as_it_was() {
    let module = read_module(SAMPLE).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&module), SAMPLE);
    for function in &module.functions {
        verify(&module.unit, function).unwrap_or_else(|errors| panic!("{errors:#?}"));
    }
}

#[test]
fn what_nothing_uses_is_not_printed() {
    let extra = "struct list#3\n\nenum unused: int\n\nstr9: [1 x char] \"\\00\"\nglobal @unused: fn() -> int\n";
    let text = SAMPLE.replacen("str0:", &format!("{extra}str0:"), 1);
    assert_eq!(print(&read_module(&text).unwrap_or_else(|error| panic!("{error}"))), SAMPLE);
}

#[test]
fn locations_survive_and_places_are_skipped() {
    let text = SAMPLE
        .replace("store v2, v9", "store v2, v9 !77")
        .replace("goto ptr void &bb5, [bb5]", "goto ptr void &bb5, [bb5] !\"a.h\":12:5");
    let printed = print(&read_module(&text).unwrap_or_else(|error| panic!("{error}")));
    assert!(printed.contains("store v2, v9 !77\n"));
    assert!(printed.contains("goto ptr void &bb5, [bb5]\n"));
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(error(""), "1:1: expected `target`");
    let start = "target \"x86_64-linux-gnu\"\n";
    assert_eq!(error(&format!("{start}global @x: strct a\n")), "2:12: expected a type, found `strct`");
    assert_eq!(error(&format!("{start}global @x: struct a\n")), "2:12: this type is defined nowhere");
    let function =
        |body: &str| format!("{start}global @f: fn() -> void = function\nfunction @f() -> void {{\n{body}}}\n");
    assert_eq!(error(&function("bb0:\n  jump bb7\n")), "5:8: bb7 is defined nowhere");
    assert_eq!(error(&function("bb0:\n  return v3\n")), "5:10: v3 is defined nowhere");
    assert_eq!(
        error(&function("bb0:\n  v9999999: int = cast int 1\n  return\n")),
        "5:3: the number 9999999 is too large for this text"
    );
    assert_eq!(error(&function("bb0:\n  frob v1\n")), "5:3: no instruction is called `frob`");
    assert_eq!(error(&function("bb0:\n  return\n  return\n")), "6:3: expected `bb1:`");
    let deep = format!("{start}global @x: {}int\n", "ptr ".repeat(100_000));
    assert!(error(&deep).ends_with("the type nests too deep"), "{}", error(&deep));
}

/// Texts made by damaging the sample are read or refused, and what is read can be verified and printed.
#[test]
fn no_text_panics() {
    let words = [
        "v0",
        "bb0",
        "bb1",
        "int",
        "ptr",
        "struct",
        "{",
        "}",
        "[",
        "]",
        "(",
        ":",
        "@f",
        "str0",
        "9999999999",
        "-1",
        "\n",
        "!",
        ";",
        "#",
        "fn(",
        "<3 x int>",
        "undef",
        "null",
        "é",
        "\"",
        "0",
        "_BitInt(1)",
    ];
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let mut text = SAMPLE.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len() as u32) as usize;
            let end = (at + random.below(12) as usize).min(text.len());
            match random.below(3) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..end, words[random.below(words.len() as u32) as usize].bytes())),
                _ => text[at] = (random.below(96) + 32) as u8,
            }
        }
        let Ok(text) = String::from_utf8(text) else { continue };
        if let Ok(module) = read_module(&text) {
            let printed = print(&module);
            for function in &module.functions {
                drop(verify(&module.unit, function));
            }
            let again = read_module(&printed).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{printed}"));
            assert_eq!(print(&again), printed, "seed {seed}");
        }
    }
}
