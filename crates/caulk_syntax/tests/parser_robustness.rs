//! No input makes the parser panic or hang, and no tree is too deep for those who walk it.

mod common;

use caulk_syntax::ast::{Ast, Expr, ExprId, ExprKind};
use caulk_syntax::parser::MAX_DEPTH;
use caulk_syntax::{Dialect, Standard, ast_print};

use common::{Outcome, on_large_stack, parse};

fn parse_all(text: &[u8]) -> Outcome {
    // Printing walks the whole tree: a broken list or id would show.
    parse(text, Dialect::default(), |ast, external, map| {
        ast_print::print(ast, external, Some(map));
    })
}

fn samples() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parser");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("folder of samples")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(path).expect("readable")).collect()
}

/// A small generator with a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn every_prefix_of_a_program_ends() {
    on_large_stack(|| {
        for sample in samples() {
            for end in 0..sample.len() {
                parse_all(&sample.as_bytes()[..end]);
            }
        }
    });
}

#[test]
fn programs_with_words_missing_swapped_or_doubled_end() {
    on_large_stack(|| {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for sample in samples() {
            let words: Vec<&str> = sample.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
            for _ in 0..150 {
                let mut changed = words.clone();
                for _ in 0..1 + random.below(4) {
                    let at = random.below(changed.len());
                    match random.below(3) {
                        0 => {
                            changed.remove(at);
                        }
                        1 => {
                            let other = random.below(changed.len());
                            changed.swap(at, other);
                        }
                        _ => changed.insert(at, changed[at]),
                    }
                    if changed.is_empty() {
                        break;
                    }
                }
                parse_all(changed.concat().as_bytes());
            }
        }
    });
}

#[test]
fn random_punctuation_ends() {
    on_large_stack(|| {
        const WORDS: &[&str] = &[
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            ";",
            ",",
            "*",
            "&",
            ":",
            "?",
            "=",
            ".",
            "->",
            "...",
            "x",
            "T",
            "int",
            "struct",
            "enum",
            "typedef int T;",
            "if",
            "else",
            "for",
            "case",
            "1",
            "\"s\"",
            "'c'",
            "__attribute__((",
            "[[",
            "]]",
            "asm",
            "sizeof",
            "_Generic(",
            "({",
            "})",
            "typeof",
            "\n}\n",
            "\nint f(void) {",
            "#pragma pack(",
            "@",
            "'",
        ];
        let mut random = Random(42);
        for _ in 0..3000 {
            let mut text = String::new();
            for _ in 0..random.below(60) {
                text.push_str(WORDS[random.below(WORDS.len())]);
                text.push(' ');
            }
            parse_all(text.as_bytes());
        }
    });
}

/// What nests, written so many times, inside a function or outside, then a function that survives.
fn nested(before: &str, open: &str, middle: &str, close: &str, after: &str, count: usize) -> String {
    let (open, close) = (open.repeat(count), close.repeat(count));
    format!("{before}{open}{middle}{close}{after}\nint survivor(void) {{ return 1; }}\n")
}

fn depth(ast: &Ast, id: ExprId) -> u32 {
    let Expr { kind, .. } = ast.exprs[id];
    let below = match kind {
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) | ExprKind::Member { base: a, .. } => depth(ast, a),
        ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Index(a, b) => {
            depth(ast, a).max(depth(ast, b))
        }
        ExprKind::Conditional(a, b, c) => depth(ast, a).max(depth(ast, c)).max(b.map_or(0, |b| depth(ast, b))),
        ExprKind::Call(f, arguments) => {
            ast.expr_list(arguments).iter().map(|&a| depth(ast, a)).max().unwrap_or(0).max(depth(ast, f))
        }
        _ => 0,
    };
    below + 1
}

#[test]
fn deep_nesting_loses_one_declaration_in_linear_time() {
    on_large_stack(|| {
        let survivor = caulk_base::Symbol::intern("survivor");
        let cases = [
            ("int f(void) { return ", "(", "x", ")", "; }"),
            ("int f(void) { return ", "- ", "x", "", "; }"),
            ("int f(void) { return x", " + y", "", "", "; }"),
            ("int f(void) { return x", ".y", "", "", "; }"),
            ("int f(void) { return x", "[1]", "", "", "; }"),
            ("int f(void) { return x", ", y", "", "", "; }"),
            ("int f(void) { x = ", "y = ", "z", "", "; }"),
            ("int f(void) { return ", "a ? b : ", "c", "", "; }"),
            ("int f(void) { return ", "a ? ", "b", " : c", "; }"),
            ("int f(void) { return ", "g(", "x", ")", "; }"),
            ("int f(void) { return ", "(", "x", " + 1)", "; }"),
            ("int f(void) { return ", "(int)", "x", "", "; }"),
            ("int f(void) { return ", "sizeof ", "x", "", "; }"),
            ("int f(void) { return ", "({ ", "x;", " });", " }"),
            ("int f(void) ", "{", "", "}", ""),
            ("int f(void) { ", "if (x) ", ";", "", " }"),
            ("int f(void) { ", "if (x) y(); else ", ";", "", " }"),
            ("int f(void) { ", "case 1: ", ";", "", " }"),
            ("int f(void) { ", "l: ", ";", "", " }"),
            ("int f(void) { ", "while (x) ", ";", "", " }"),
            ("int f(void) { ", "do ", ";", " while (x);", " }"),
            ("int x = ", "{", "1", "}", ";"),
            ("int x[] = { ", "[0] = {", "1", "}", " };"),
            ("int ", "(", "x", ")", ";"),
            ("int ", "*", "x", "", ";"),
            ("int x", "[1]", "", "", ";"),
            ("int x", "(int", "", ")", ";"),
            ("int x", "(int (*)", "", "(void))", ";"),
            ("struct s { ", "struct { ", "int x;", "} y;", "};"),
            ("", "typeof(", "int", ")", " x;"),
            ("", "_Atomic(", "int", ")", " x;"),
            ("int x ", "__attribute__((aligned(sizeof(int ", "", "))))", ";"),
            ("int f(void) { return ", "_Generic(", "x", ", int: 1)", "; }"),
            ("int f(void) { return ", "(int[", "1", "]){1}", "; }"),
        ];
        for (before, open, middle, close, after) in cases {
            for count in [1000, 2600, 7900, 100_000] {
                let text = nested(before, open, middle, close, after, count);
                let (mut survives, mut deepest, mut levels) = (false, 0, 0);
                parse(text.as_bytes(), Dialect::default(), |ast, external, _| {
                    survives = ast.declarators.iter().any(|declarator| declarator.name == Some(survivor));
                    deepest = ast.exprs.ids().last().map_or(0, |id| depth(ast, id)).max(deepest);
                    if count == 2600 {
                        let text = ast_print::print(ast, external, None);
                        let indents = text.lines().map(|line| line.len() - line.trim_start().len());
                        levels = indents.max().unwrap_or(0).max(levels);
                    }
                });
                assert!(survives, "{before}{open}…: the next function is lost");
                assert!(deepest <= MAX_DEPTH + 2, "{before}{open}…: depth {deepest}");
                // A few nodes share a level of the parser.
                assert!(levels / 2 <= 2 * MAX_DEPTH as usize, "{before}{open}…: {levels} levels");
            }
        }
    });
}

#[test]
fn a_left_chain_of_left_chains_is_bounded_as_a_whole() {
    on_large_stack(|| {
        // Each level is short enough by itself.
        let level = " + 1".repeat(1000);
        let text = format!("int f(void) {{ return {}x{}; }}", "(".repeat(20), format!("{level})").repeat(20));
        let outcome = parse_all(text.as_bytes());
        assert_eq!(outcome.lost_functions.len(), 1);
        assert_eq!(outcome.lost_functions[0].reason, "nested too deeply");
    });
}

#[test]
fn wide_trees_are_not_deep() {
    on_large_stack(|| {
        let text = format!(
            "int f(void) {{ g(0{}); {} }} int x[] = {{ {} }};",
            ", a + b".repeat(50_000),
            "h();".repeat(50_000),
            "1 + 2,".repeat(50_000)
        );
        let outcome = parse_all(text.as_bytes());
        assert!(outcome.messages.is_empty());
    });
}

#[test]
fn every_dialect_reads_the_samples() {
    on_large_stack(|| {
        for sample in samples() {
            for standard in [Standard::C89, Standard::C99, Standard::C11, Standard::C17, Standard::C23] {
                for gnu in [false, true] {
                    parse(sample.as_bytes(), Dialect { standard, gnu, trigraphs: None }, |_, _, _| {});
                }
            }
        }
    });
}
