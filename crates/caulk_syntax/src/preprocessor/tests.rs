use std::path::Path;
use std::sync::Arc;

use caulk_base::SourceFile;

use super::{Preprocessor, print};
use crate::config::{Dialect, IncludeDir, LexMode, PreprocessorConfig, Standard};
use crate::files::Files;
use crate::lexer::LexedFile;
use crate::token::TokenKind;

/// Files in memory.
struct Memory(Vec<(&'static str, Vec<u8>)>);

impl Memory {
    fn find(&self, path: &Path) -> Option<&[u8]> {
        self.0.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| &text[..])
    }
}

impl Files for Memory {
    fn load(&self, path: &Path, mode: LexMode) -> Option<Arc<LexedFile>> {
        let source = SourceFile::new(path.to_path_buf(), self.find(path)?.into());
        Some(Arc::new(LexedFile::new(Arc::new(source), mode)))
    }

    fn load_bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.find(path).map(Into::into)
    }
}

/// One run: what was printed, and what was said.
struct Run {
    text: String,
    messages: Vec<String>,
    missing: Vec<String>,
}

fn run(files: &[(&'static str, &str)], config: &PreprocessorConfig) -> Run {
    run_in(files, config, print::Style::default())
}

fn run_in(files: &[(&'static str, &str)], config: &PreprocessorConfig, style: print::Style) -> Run {
    let memory = Memory(files.iter().map(|&(name, text)| (name, text.as_bytes().to_vec())).collect());
    let main = memory.load(Path::new(files[0].0), config.dialect.lex_mode()).expect("the first file is the main file");
    let mut pp = Preprocessor::new(&memory, config, main);
    let mut out = Vec::new();
    print::print(&mut pp, style, &mut out).expect("memory takes all");
    Run {
        text: String::from_utf8(out).expect("tests are UTF-8"),
        messages: pp.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect(),
        missing: pp.missing_headers.iter().map(|header| header.name.clone()).collect(),
    }
}

fn expand(text: &str) -> String {
    let run = run(&[("t.c", text)], &PreprocessorConfig::default());
    run.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn messages(text: &str) -> Vec<String> {
    run(&[("t.c", text)], &PreprocessorConfig::default()).messages
}

fn dirs(paths: &[(&str, bool)]) -> Vec<IncludeDir> {
    paths.iter().map(|&(path, is_system)| IncludeDir { path: path.into(), is_system }).collect()
}

#[test]
fn strict_standards_keep_the_comma_of_a_lone_variadic() {
    let text = "#define f(...) g(a, ## __VA_ARGS__)\nf() f(1)\n";
    assert_eq!(expand(text), "g(a) g(a,1)");
    let strict = PreprocessorConfig {
        dialect: Dialect { standard: Standard::C99, gnu: false, trigraphs: None },
        ..PreprocessorConfig::default()
    };
    assert_eq!(run(&[("t.c", text)], &strict).text.trim(), "g(a,) g(a,1)");
}

#[test]
fn printed_tokens_do_not_fuse() {
    assert_eq!(expand("#define m -\n#define p +\n-m- p+ +p m>x m-1\n"), "- - - + + + + - >x - -1");
    assert_eq!(
        expand("#define e\n#define i(x) x\ni(a)i(b) i(1)i(.)i(2) i(/)i(/) i(<)i(:) .i(.). L i('a') i(L)'a' x e# y\n"),
        "a b 1 . 2 / / < : . . . L 'a' L 'a' x # y"
    );
}

#[test]
fn a_hash_made_by_a_macro_starts_no_directive() {
    assert_eq!(expand("#define h #\nh define x\nx\n"), "# define x\nx");
}

#[test]
fn redefinition_warns_only_if_different() {
    assert!(messages("#define a b  c\n#define a b c /* x */\n#define f(x) x\n#define f(x) x\n").is_empty());
    assert_eq!(messages("#define a b c\n#define a b\n"), ["\"a\" redefined"]);
    assert_eq!(messages("#define f(x) x\n#define f(y) y\n").len(), 1);
    assert_eq!(expand("#define a 1\n#define a 2\na\n"), "2");
    assert_eq!(expand("#define __FILE__ 1\n__FILE__\n#undef __LINE__\n__LINE__\n"), "1\n__LINE__");
}

#[test]
fn dates_are_fixed() {
    assert_eq!(
        expand("__DATE__ __TIME__ __TIMESTAMP__\n"),
        "\"Jan  1 1970\" \"00:00:00\" \"Thu Jan  1 00:00:00 1970\""
    );
    assert_eq!(expand("__FILE__ __BASE_FILE__ __FILE_NAME__ __INCLUDE_LEVEL__\n"), "\"t.c\" \"t.c\" \"t.c\" 0");
}

#[test]
fn problems_are_reported_only_where_they_are_read() {
    assert!(messages("#if 0\n'\n\"\n#else\n#endif\n").is_empty());
    assert_eq!(messages("#if 1\nit's\n#endif\n#endif\n").len(), 2);
    assert!(messages("#if 0\n#else\n#if 0\n#bad\n#error\n#endif\n#endif\n").is_empty());
    assert_eq!(
        messages("#error it's \"text\n#warning x\n#bad\n"),
        ["#error it's \"text", "#warning x", "invalid preprocessing directive #bad"]
    );
}

#[test]
fn a_broken_condition_is_false() {
    for condition in [
        "",
        "1 +",
        "(1",
        "1 1",
        "1 / 0",
        "1.0",
        "\"a\"",
        "f(1)",
        "1 ? 2",
        "defined",
        "08x",
        "__has_include",
        "= 1",
        "''",
    ] {
        let text = format!("#if {condition}\nyes\n#else\nno\n#endif\n");
        assert_eq!(expand(&text), "no", "{condition}");
        assert_eq!(messages(&text).len(), 1, "{condition}: {:?}", messages(&text));
    }
}

#[test]
fn words_of_truth_have_values_in_c23() {
    let text = "#if true && !false\nyes\n#else\nno\n#endif\n";
    assert_eq!(expand(text), "no");
    let c23 = PreprocessorConfig {
        dialect: Dialect { standard: Standard::C23, gnu: true, trigraphs: None },
        ..PreprocessorConfig::default()
    };
    assert_eq!(run(&[("t.c", text)], &c23).text.trim(), "yes");
    assert_eq!(run(&[("t.c", "#if 1'000 == 1000\nyes\n#endif\n")], &c23).text.trim(), "yes");
}

#[test]
fn headers_are_searched_as_gcc_does() {
    let config = PreprocessorConfig {
        quote_dirs: dirs(&[("q", false)]),
        dirs: dirs(&[("i", false), ("<builtin>", true), ("s", true)]),
        builtin_headers: &[("b.h", "builtin __FILE__\n#include_next <b.h>\n")],
        ..PreprocessorConfig::default()
    };
    let files = [
        (
            "src/t.c",
            "#include \"x.h\"\n#include <x.h>\n#include \"y.h\"\n#include <b.h>\n#include <nowhere.h>\n#include \"/abs.h\"\n",
        ),
        ("src/x.h", "beside __FILE__\n#include_next <x.h>\n"),
        ("q/x.h", "quoted\n#include_next \"x.h\"\n"),
        ("i/x.h", "first\n#include_next <x.h>\n"),
        ("s/x.h", "system\n#include \"z.h\"\n"),
        ("s/z.h", "sibling\n"),
        ("q/y.h", "quote only\n"),
        ("s/b.h", "next\n"),
        ("/abs.h", "absolute\n"),
    ];
    let run = run(&files, &config);
    let lines: Vec<&str> = run.text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "beside \"src/x.h\"",
            "quoted",
            "first",
            "system",
            "sibling",
            "first",
            "system",
            "sibling",
            "quote only",
            "builtin \"<builtin>/b.h\"",
            "next",
            "absolute"
        ]
    );
    assert_eq!(run.missing, ["nowhere.h"]);
}

#[test]
fn system_text_is_known_as_such() {
    let config = PreprocessorConfig { dirs: dirs(&[("i", false), ("s", true)]), ..PreprocessorConfig::default() };
    let files = Memory(vec![
        (
            "t.c",
            b"#include <s.h>\n#include <p.h>\nuser M\n# 7 \"gen.h\" 1 3\ngenerated\n# 9 \"t.c\" 2\nagain\n".to_vec(),
        ),
        ("s/s.h", b"system\n#include <u.h>\n#define M made\n".to_vec()),
        ("i/u.h", b"inherited\n".to_vec()),
        ("i/p.h", b"#pragma GCC system_header\npragma\n".to_vec()),
    ]);
    let main = files.load(Path::new("t.c"), LexMode::default()).expect("exists");
    let mut pp = Preprocessor::new(&files, &config, main);
    let mut seen = Vec::new();
    loop {
        let token = pp.next();
        if token.kind == TokenKind::End {
            break;
        }
        let place = pp.map.place(token.loc).expect("in a file");
        seen.push((token.symbol().as_str(), place.line, pp.is_system(token.loc)));
    }
    assert_eq!(
        seen,
        [
            ("system", 1, true),
            ("inherited", 1, true),
            ("pragma", 2, true),
            ("user", 3, false),
            ("made", 3, false),
            ("generated", 7, true),
            ("again", 9, false)
        ]
    );
}

#[test]
fn files_are_read_once_where_they_ask_for_it() {
    let files = [
        (
            "t.c",
            "#include \"once.h\"\n#include \"once.h\"\n#include \"d/once.h\"\n#import \"i.h\"\n#import \"i.h\"\n#include \"g.h\"\n#include \"g.h\"\n",
        ),
        ("once.h", "#pragma once\nonce\n"),
        ("d/once.h", "#pragma once\nonce\n"),
        ("i.h", "imported\n"),
        ("g.h", "#ifndef G\n#define G\nguarded\n#endif\n"),
    ];
    assert_eq!(
        run(&files, &PreprocessorConfig::default()).text.split_whitespace().collect::<Vec<_>>(),
        ["once", "imported", "guarded"]
    );
}

#[test]
fn an_include_cycle_ends() {
    let files = [("t.c", "#include \"a.h\"\nend\n"), ("a.h", "x\n#include \"a.h\"\n#include \"a.h\"\n")];
    let run = run(&files, &PreprocessorConfig::default());
    assert_eq!(run.messages.len(), 1);
    assert_eq!(run.text.split_whitespace().filter(|&word| word == "x").count(), 200);
    assert!(run.text.ends_with("end\n"));
}

#[test]
fn forced_files_come_first_and_macro_files_leave_only_macros() {
    let config = PreprocessorConfig {
        predefined: "#define P 1\n".into(),
        command_line: "#define D 2\n#undef P\n".into(),
        macro_files: vec!["m.h".into()],
        forced_includes: vec!["f.h".into(), "none.h".into()],
        ..PreprocessorConfig::default()
    };
    let files = [("t.c", "main P D M F\n"), ("m.h", "#define M 3\nlost\n"), ("f.h", "#define F 4\nforced M\n")];
    let run = run(&files, &config);
    assert_eq!(run.text, "forced 3\nmain P 2 3 4\n");
    assert_eq!(run.missing, ["none.h"]);
}

#[test]
fn pragmas_are_handed_on_unless_used_up() {
    let text = "#define N 2\n#pragma pack(push, N)\n#pragma GCC diagnostic ignored \"-Wx\"\n#pragma push_macro(\"N\")\n#define f(x) x\nf(a _Pragma(\"omp parallel for if(N)\") b) _Pragma(L\"weak y\") c\n#pragma N\n";
    assert_eq!(
        expand(text),
        "#pragma pack ( push , 2 )\n#pragma GCC diagnostic ignored \"-Wx\"\na\n#pragma omp parallel for if ( N )\nb\n#pragma weak y\nc\n#pragma N"
    );
}

#[test]
fn embedded_bytes_become_numbers() {
    let config = PreprocessorConfig { dirs: dirs(&[("d", false)]), ..PreprocessorConfig::default() };
    let text = "#define L 2\nint a[] = {\n#embed \"f\" limit(L + 1) prefix(0, ) suffix(, END)\n};\n#embed <f>\n#embed \"e\" if_empty(none) prefix(x)\n#embed \"f\" limit(0) __if_empty__(zero)\n#embed \"missing\"\n#if __has_embed(\"f\") == 1 && __has_embed(<e>) == 2 && __has_embed(\"no\") == 0 && __has_embed(\"f\" limit(0)) == 2\nyes\n#endif\n";
    let files = [("t.c", text), ("d/f", "AB\u{7f}\n"), ("d/e", "")];
    let run = run(&files, &config);
    let words = run.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words, "int a[] = { 0, 65, 66, 127, END }; 65, 66, 127, 10 none zero yes");
    assert_eq!(run.missing, ["missing"]);
}

#[test]
fn questions_about_the_compiler_are_answered() {
    let config = PreprocessorConfig {
        is_builtin: Some(|name| name == "__builtin_x"),
        attribute_version: Some(|name| if name == "pure" { 1 } else { 0 }),
        ..PreprocessorConfig::default()
    };
    let text = "#define p __pure__\n#if __has_attribute(pure) && __has_attribute(p) && !__has_attribute(q) && __has_builtin(__builtin_x) && !__has_builtin(y) && __has_c_attribute(nodiscard) && __has_c_attribute(gnu::pure)\nyes\n#endif\n__has_attribute(pure) __has_builtin(y)\n#ifdef __has_feature\nclang\n#endif\n";
    assert_eq!(run(&[("t.c", text)], &config).text, "yes\n1 0\n");
    let clang = PreprocessorConfig { is_clang: true, ..config };
    assert!(run(&[("t.c", text)], &clang).text.ends_with("clang\n"));
}

#[test]
fn what_was_printed_reads_the_same_again() {
    let text = "#include \"h.h\"\nint a;\n\n\n#define f(x) x + x\nf(1) f(\n2\n) z\n#pragma weak a\n\n\n\n\n\n\n\n\n\n\n\n\nint b = __LINE__;\n";
    let files = [("t.c", text), ("h.h", "int h;\n")];
    let style = print::Style { line_markers: true };
    let first = run_in(&files, &PreprocessorConfig::default(), style);
    assert!(first.text.contains("# 1 \"h.h\"\nint h;\n# 2 \"t.c\"\nint a;\n"), "{}", first.text);
    let second = run_in(&[("t.i", &first.text)], &PreprocessorConfig::default(), style);
    assert_eq!(first.text, second.text);
}

#[test]
fn macro_bombs_are_cut_off() {
    let mut doubling = String::from("#define f0(x) x x\n");
    for level in 1..40 {
        doubling += &format!("#define f{level}(x) f{0}(f{0}(x))\n", level - 1);
    }
    doubling += "f39(1)\nafter\n";
    let mut objects = String::from("#define o0 x x\n");
    for level in 1..60 {
        objects += &format!("#define o{level} o{0} o{0}\n", level - 1);
    }
    objects += "o59\nafter\n";
    let growing = "#define g(...) g2(__VA_ARGS__, __VA_ARGS__) \n#define g2(...) g3(__VA_ARGS__, __VA_ARGS__)\n#define g3(...) __VA_ARGS__\n".to_string()
        + &"g(".repeat(40) + "1" + &")".repeat(40) + "\nafter\n";
    for text in [doubling, objects, growing] {
        let files = Memory(vec![("t.c", text.into_bytes())]);
        let config = PreprocessorConfig::default();
        let main = files.load(Path::new("t.c"), LexMode::default()).expect("exists");
        let mut pp = Preprocessor::new(&files, &config, main);
        let (mut count, mut last) = (0usize, pp.next());
        loop {
            let token = pp.next();
            if token.kind == TokenKind::End {
                break;
            }
            count += 1;
            last = token;
        }
        assert_eq!(pp.diagnostics.len(), 1);
        assert_eq!(last.symbol().as_str(), "after");
        assert!(count <= 1 << 24);
    }
}

#[test]
fn deep_nesting_overflows_nothing() {
    let deep = 100_000;
    let parens = "(".repeat(deep) + "1" + &")".repeat(deep);
    let calls = "f(".repeat(deep / 10) + "1" + &")".repeat(deep / 10);
    assert!(expand(&format!("#define f(x) [x]\nf({parens})\nend\n")).ends_with("end"));
    assert!(expand(&format!("#define f(x) x\n{calls}\nend\n")).ends_with("end"));
    assert!(expand(&format!("#define f(x) x\n{}\nend\n", "f(".repeat(deep))).len() < 20);
    assert_eq!(expand(&format!("#if {parens}\nyes\n#else\nno\n#endif\n")), "no");
    assert_eq!(expand(&format!("#if {}1\nyes\n#endif\n", "!!-~+".repeat(deep))).len(), 3);
    assert_eq!(expand(&format!("#if {}1\nyes\n#endif\n", "0 || ".repeat(deep))), "yes");
    assert_eq!(expand(&format!("#if {}1\nyes\n#else\nno\n#endif\n", "0 ? 1 : ".repeat(deep))), "no");
    let groups = "#if 1\n".repeat(deep) + "x\n" + &"#endif\n".repeat(deep);
    assert_eq!(expand(&groups), "x");
}

/// Files of `tests/preprocess` with bytes changed, taken out and put in, in every mode.
#[test]
fn mutated_text_panics_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preprocess");
    let mut names: Vec<_> =
        std::fs::read_dir(folder).expect("exists").map(|entry| entry.expect("readable").path()).collect();
    names.sort();
    let texts: Vec<Vec<u8>> = names.iter().map(|path| std::fs::read(path).expect("readable")).collect();
    let pieces: &[&[u8]] = &[
        b"\\\n",
        b"#",
        b"##",
        b"(",
        b")",
        b",",
        b"\"",
        b"'",
        b"/*",
        b"*/",
        b"//",
        b"\n#if 1\n",
        b"\n#else\n",
        b"\n#endif\n",
        b"\n#define f(x,...) x##__VA_ARGS__ #x f\n",
        b"__VA_OPT__(",
        b"\n#include \"t.c\"\n",
        b"\n#undef f\n",
        b"defined ",
        b"_Pragma(\"x\")",
        b"??/",
        b"\xff",
        b"\0",
        b"\\u00e9",
        b"__has_include(",
        b"\r",
        b"\n#line 3\n",
        b"\n#embed \"t.c\"\n",
        b"f(",
        b"__COUNTER__",
        b"R\"(",
        b"<:",
        b"\n#elif 1\n",
        b"\xc3\xa9",
        b"\n#pragma push_macro(\"f\")\n",
    ];
    let rounds: usize = std::env::var("CAULK_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(200);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    for round in 0..rounds {
        let mut text = texts[random(texts.len())].clone();
        for _ in 0..1 + random(12) {
            let at = random(text.len());
            match random(4) {
                0 => text.truncate(text.len() - random(text.len().min(40))),
                1 => drop(text.drain(at..(at + random(30)).min(text.len()))),
                2 => text[at] = random(256) as u8,
                _ => drop(text.splice(at..at, pieces[random(pieces.len())].iter().copied())),
            }
            text.push(b'\n');
        }
        let standard = [Standard::C89, Standard::C17, Standard::C23][random(3)];
        let dialect = Dialect { standard, gnu: random(2) == 0, trigraphs: None };
        let config = PreprocessorConfig { dialect, is_clang: random(2) == 0, ..PreprocessorConfig::default() };
        let memory = Memory(vec![("t.c", text.clone())]);
        let main = memory.load(Path::new("t.c"), dialect.lex_mode()).expect("exists");
        let run = std::panic::catch_unwind(|| {
            let mut pp = Preprocessor::new(&memory, &config, main);
            print::print(&mut pp, print::Style { line_markers: true }, &mut std::io::sink()).expect("a sink takes all");
            for diagnostic in &pp.diagnostics {
                assert!(pp.map.place(diagnostic.loc).is_some(), "{}", diagnostic.message);
            }
        });
        assert!(run.is_ok(), "round {round}:\n{}", String::from_utf8_lossy(&text));
    }
}
