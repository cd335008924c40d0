use std::sync::Arc;

use caulk_base::SourceFile;

use super::{DirectiveKind, LexedFile, clean};
use crate::config::LexMode;
use crate::token::{TokenKind, flag};

fn lex_in(text: &[u8], mode: LexMode) -> LexedFile {
    LexedFile::new(Arc::new(SourceFile::new("t.c".into(), text.into())), mode)
}

fn lex(text: &str) -> LexedFile {
    lex_in(text.as_bytes(), LexMode::default())
}

/// The text tokens' texts, cleaned; identifiers by name.
fn texts(file: &LexedFile) -> Vec<String> {
    file.tokens[..file.token_count()]
        .iter()
        .map(|token| {
            if token.kind == TokenKind::Ident {
                return token.symbol().to_string();
            }
            let start = token.loc.to_raw() as usize;
            let text = &file.source.text[start..start + token.len as usize];
            String::from_utf8_lossy(&clean(text, file.mode.trigraphs)).into_owned()
        })
        .collect()
}

fn messages(file: &LexedFile) -> Vec<&str> {
    file.problems.iter().map(|problem| &*problem.message).collect()
}

#[test]
fn line_ends_of_every_kind_start_lines() {
    for text in ["a\nb\n#define x\nc", "a\r\nb\r\n#define x\r\nc", "a\rb\r#define x\rc"] {
        let file = lex(text);
        assert_eq!(texts(&file), ["a", "b", "c"], "{text:?}");
        assert!(file.tokens[..3].iter().all(|token| token.has(flag::LINE_START)), "{text:?}");
        assert_eq!(file.macros.len(), 1, "{text:?}");
    }
}

#[test]
fn splices_vanish_in_every_kind_of_token() {
    let file =
        lex("a\\\nb 1\\\r\n2 \"s\\  \nt\" <\\\n<\\\n= 'x\\\n' a\\\n\\\nb /\\\n* c *\\\n/ d /\\\n/ e \\\n f\ng \\\n h");
    assert_eq!(texts(&file), ["ab", "12", "\"st\"", "<<=", "'x'", "ab", "d", "g", "h"]);
    assert!(messages(&file).is_empty());
}

#[test]
fn an_escape_may_straddle_a_splice() {
    let file = lex("\"a\\\\\nn\" \"b\\\\\n\" c\" d");
    assert_eq!(texts(&file), ["\"a\\n\"", "\"b\\\" c\"", "d"]);
}

#[test]
fn names_may_hold_dollars_letters_and_universal_names() {
    let file = lex("a$b é \\u00e9 \\U000000e9x x\\u00e9");
    assert_eq!(texts(&file), ["a$b", "é", "é", "éx", "xé"]);
    assert!(!file.tokens[1].has(flag::DIRTY) && file.tokens[2].has(flag::DIRTY));
}

#[test]
fn bytes_that_are_no_text_are_strays_or_kept() {
    let file = lex_in(b"\xef\xbb\xbfa \xff\xfe \"\xff\" /* \xff */ b @ \\ \x01 \xc2\xa0", LexMode::default());
    let kinds: Vec<TokenKind> = file.tokens.iter().map(|token| token.kind).collect();
    use TokenKind::*;
    assert_eq!(kinds, [Ident, Stray, Stray, String, Ident, Stray, Stray, Stray, Stray, End]);
    assert_eq!(file.tokens[3].len, 3);
    assert_eq!(file.tokens[0].loc.to_raw(), 3);
}

#[test]
fn null_bytes_are_white_space_with_one_warning() {
    let file = lex_in(b"a\0b\0c", LexMode::default());
    assert_eq!(texts(&file), ["a", "b", "c"]);
    assert_eq!(file.problems.len(), 1);
}

#[test]
fn literals_end_with_their_line() {
    let file = lex("\"abc\nx 'd\ny \"\\\nz\" '' L'");
    assert_eq!(texts(&file), ["\"abc", "x", "'d", "y", "\"z\"", "''", "L'"]);
    assert_eq!(file.problems.len(), 3);
    assert!(file.tokens[0].has(flag::UNTERMINATED));
    assert_eq!(messages(&lex("a /* b")), ["unterminated comment"]);
    assert_eq!(texts(&lex("\"a\\")), ["\"a\\"]);
}

#[test]
fn numbers_take_separators_in_c23_only() {
    assert_eq!(texts(&lex("1'0 0xe+1 1e+1.e .5 1..2 0x1p-2f")), ["1", "'0 0xe+1 1e+1.e .5 1..2 0x1p-2f"]);
    let c23 = LexMode { digit_separators: true, ..LexMode::default() };
    assert_eq!(texts(&lex_in(b"1'0 0xe+1 0x1p-2f 1'", c23)), ["1'0", "0xe+1", "0x1p-2f", "1", "'"]);
}

#[test]
fn trigraphs_count_only_in_their_mode() {
    let mode = LexMode { trigraphs: true, ..LexMode::default() };
    let text = b"??=define x\na??(b??) \"??/\"\" '\\??/\n'' ??/\nc // d ??/\ne\n???";
    let file = lex_in(text, mode);
    assert_eq!(texts(&file), ["a", "[", "b", "]", "\"\\\"\"", "'\\''", "c", "?", "?", "?"]);
    assert_eq!(file.macros.len(), 1);
    assert_eq!(texts(&lex("a ??( b"))[1..4], ["?", "?", "("]);
}

#[test]
fn groups_are_linked_and_strays_are_problems() {
    let file = lex("#if a\n#ifdef b\n#endif\n#elif c\n#else\n#else\n#endif\n#endif\n#if d\nx");
    let links: Vec<(DirectiveKind, u32)> = file.directives.iter().map(|d| (d.kind, d.next)).collect();
    use DirectiveKind::*;
    let none = u32::MAX;
    assert_eq!(
        links,
        [
            (If, 3),
            (Ifdef, 2),
            (Endif, none),
            (Elif, 4),
            (Else, 6),
            (Problem, none),
            (Endif, none),
            (Problem, none),
            (If, 9),
            (End, none)
        ]
    );
    assert!(file.directives[8].is_unterminated);
    assert_eq!(messages(&file), ["#else after #else", "#endif without #if"]);
}

#[test]
fn guards_are_found_only_around_the_whole_file() {
    let guard = |text: &str| lex(text).guard.map(|name| name.as_str());
    assert_eq!(guard("/* c */\n#ifndef A\n#define A\nx\n#endif /* A */\n"), Some("A"));
    assert_eq!(guard("#if !defined(B)\n#endif"), Some("B"));
    assert_eq!(guard("#if !defined B\n#if 1\n#else\n#endif\n#endif"), Some("B"));
    assert_eq!(guard("x\n#ifndef A\n#endif"), None);
    assert_eq!(guard("#ifndef A\n#endif\nx"), None);
    assert_eq!(guard("#ifndef A\n#else\n#endif"), None);
    assert_eq!(guard("#ifndef A\n#endif\n#define B"), None);
    assert_eq!(guard("#ifndef A\n"), None);
    assert_eq!(guard("#if !defined(A) || B\n#endif"), None);
}

#[test]
fn definitions_are_parsed_once_and_bad_ones_reported() {
    let file = lex("#define f(a,b...) a##b #a\n#define g (x)\n#define h() y\n");
    let shapes: Vec<(bool, usize, usize)> =
        file.macros.iter().map(|m| (m.is_function, m.parameters.len(), m.body().len())).collect();
    assert_eq!(shapes, [(true, 2, 3), (false, 0, 3), (true, 0, 1)]);
    let bad = "#define\n#define 1\n#define defined\n#define f(a\n#define f(a,a)\n#define f(,)\n#define x ## y\n#define x y ##\n#define f(...,a) b\n#define f(a) #b\n#define f(...) __VA_OPT__(";
    assert_eq!(lex(bad).problems.len(), 11);
    assert_eq!(lex(bad).macros.len(), 0);
}

#[test]
fn prose_in_directives_is_no_problem() {
    assert!(messages(&lex("#error don't\n#warning can't \"\n#pragma it's\n#ident '")).is_empty());
    assert_eq!(messages(&lex("#if 'a\n#endif")).len(), 1);
}

#[test]
fn header_names_are_read_where_they_may_stand() {
    let file = lex(
        "#include <a//b.h>\n#include /* c */ \"d\\e.h\"\n#if __has_include(<f.h>) < 2 > 1\n#endif\n#include F\n#include <g",
    );
    let names: Vec<usize> = file
        .directives
        .iter()
        .map(|d| file.directive_tokens[d.tokens()].iter().filter(|t| t.kind == TokenKind::HeaderName).count())
        .collect();
    assert_eq!(names, [1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn a_large_file_takes_linear_time() {
    let mut text = Vec::new();
    while text.len() < 1 << 22 {
        text.extend_from_slice(b"/*\n/ * / */ a('b', \"c\") // d \\\n\n#if x\n#else\n#endif\n\\\n");
    }
    let start = std::time::Instant::now();
    let file = lex_in(&text, LexMode::default());
    assert!(file.token_count() > 100_000);
    assert!(start.elapsed().as_secs() < 5);
}
