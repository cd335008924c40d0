use std::path::{Path, PathBuf};

use caulk_syntax::Standard;

use super::{CompileCommand, Family, Language, Pic};

fn parse(line: &str) -> CompileCommand {
    CompileCommand::parse(&crate::shell::split_command(line), Path::new("/src"))
}

fn paths(words: &[&str]) -> Vec<PathBuf> {
    words.iter().map(PathBuf::from).collect()
}

#[test]
fn include_directories_joined_and_separate() {
    let command = parse("gcc -Ia -I b -I/c -isystem s -isystemt -iquote q -idirafter d -c x.c");
    let includes = &command.settings.includes;
    assert_eq!(includes.normal, paths(&["/src/a", "/src/b", "/c"]));
    assert_eq!(includes.system, paths(&["/src/s", "/src/t"]));
    assert_eq!(includes.quote, paths(&["/src/q"]));
    assert_eq!(includes.after, paths(&["/src/d"]));
    let command = parse("gcc -iprefix /opt/ -iwithprefix inc -iwithprefixbefore first -Iq -I- -Ir --sysroot=/root");
    let includes = &command.settings.includes;
    assert_eq!(includes.after, paths(&["/opt/inc"]));
    assert_eq!(includes.quote, paths(&["/opt/first", "/src/q"]));
    assert_eq!(includes.normal, paths(&["/src/r"]));
    assert_eq!(includes.sysroot, Some(PathBuf::from("/root")));
    assert!(parse("cc -nostdinc a.c").settings.includes.no_standard);
    assert!(!parse("cc -nostdinc++ a.c").settings.includes.no_standard);
}

#[test]
fn macros_keep_their_order() {
    let command = parse(r#"cc -DA -D B=2 -UA '-DF(x)=x+1' -DE= -DS=\"s\" -Wp,-DP=3,-MMD,dep.d,-UB -Xclang -DX"#);
    assert_eq!(
        command.settings.macros,
        "#define A 1\n#define B 2\n#undef A\n#define F(x) x+1\n#define E \n#define S \"s\"\n#define P 3\n#undef B\n#define X 1\n"
    );
    assert_eq!(parse("cc '-DA=1\n#error x'").settings.macros, "#define A 1\n");
}

#[test]
fn standards() {
    let dialect = |line: &str| {
        let settings = parse(line).settings;
        (settings.dialect.standard, settings.dialect.gnu, settings.standard_version)
    };
    assert_eq!(dialect("cc"), (Standard::C17, true, Some("201710L")));
    assert_eq!(dialect("cc -std=c89"), (Standard::C89, false, None));
    assert_eq!(dialect("cc -ansi"), (Standard::C89, false, None));
    assert_eq!(dialect("cc -std=iso9899:199409"), (Standard::C89, false, Some("199409L")));
    assert_eq!(dialect("cc -std=gnu90"), (Standard::C89, true, None));
    assert_eq!(dialect("cc --std=gnu1x"), (Standard::C11, true, Some("201112L")));
    assert_eq!(dialect("cc -std=c2x"), (Standard::C23, false, Some("202000L")));
    assert_eq!(dialect("clang -std=c2x"), (Standard::C23, false, Some("202311L")));
    assert_eq!(dialect("cc -std=gnu23"), (Standard::C23, true, Some("202311L")));
    assert_eq!(dialect("clang -std=c2y"), (Standard::C23, false, Some("202400L")));
    assert_eq!(dialect("c99 a.c"), (Standard::C99, false, Some("199901L")));
    let odd = parse("cc -std=c3000");
    assert_eq!(odd.warnings.len(), 1);
    assert_eq!(odd.settings.dialect.standard, Standard::C17);
}

#[test]
fn options_that_show_in_the_language() {
    let settings = parse("cc -m32 -funsigned-char -fshort-enums -fPIC -O2 -trigraphs -fms-extensions").settings;
    let target = settings.target();
    assert_eq!((target.pointer_size, target.char_is_signed, target.short_enums), (4, false, true));
    assert_eq!(settings.pic, Pic { level: 2, is_executable: false });
    assert_eq!(settings.dialect.trigraphs, Some(true));
    assert!(settings.ms_extensions && settings.optimize == 2);
    assert_eq!(parse("cc -fno-pie").settings.pic.level, 0);
    assert!(parse("clang --target=i686-linux-gnu a.c").settings.machine.is_32_bit);
    assert!(parse("clang -target x86_64-linux-gnu a.c").warnings.is_empty());
    assert_eq!(parse("aarch64-linux-gnu-gcc a.c").warnings.len(), 1);
}

#[test]
fn inputs_and_their_languages() {
    let languages =
        |line: &str| -> Vec<Language> { parse(line).inputs.into_iter().map(|input| input.language).collect() };
    assert_eq!(languages("cc -c a.c b.i -o out.c"), [Language::C, Language::PreprocessedC]);
    assert_eq!(languages("cc -x c gen.inc -x none b.cc"), [Language::C, Language::Other("C++")]);
    assert_eq!(languages("g++ a.c"), [Language::Other("C++")]);
    assert_eq!(languages("g++ -x c a.c"), [Language::C]);
    assert_eq!(languages("cc a.S"), [Language::Other("assembler")]);
    assert_eq!(
        languages("cc a.o b.a -lm -o prog"),
        [Language::Other("input of the linker"), Language::Other("input of the linker")]
    );
    // Arguments of options that mean nothing to us are no inputs.
    assert_eq!(languages("cc -MF d.c -MT t.c -MQ q.c -o o.c --param x=1 -Xlinker l.c -arch x86_64 -c a.c").len(), 1);
}

#[test]
fn wrappers_are_peeled_off() {
    for line in [
        "ccache clang -DA a.c",
        "/usr/bin/distcc ccache /opt/bin/clang-19 -DA a.c",
        "env -i LC_ALL=C CCACHE=1 clang -DA a.c",
        "LANG=C nice -n 5 clang -DA a.c",
        "/bin/sh ../libtool --silent --tag=CC --mode=compile clang -DA a.c",
    ] {
        let command = parse(line);
        assert_eq!(command.settings.compiler.family, Family::Clang, "{line}");
        assert_eq!(command.settings.macros, "#define A 1\n", "{line}");
        assert_eq!(command.inputs.len(), 1, "{line}");
    }
}

#[test]
fn response_files_nest_and_end() {
    let directory = std::env::temp_dir().join(format!("caulk_response_{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("writable");
    std::fs::write(directory.join("outer"), "-DA=1 @inner\n'-DC=a b'").expect("writable");
    std::fs::write(directory.join("inner"), "-DB=2 @inner").expect("writable");
    let words = ["cc".to_owned(), "@outer".to_owned(), "@missing".to_owned(), "a.c".to_owned()];
    let command = CompileCommand::parse(&words, &directory);
    std::fs::remove_dir_all(&directory).expect("ours");
    let macros = &command.settings.macros;
    assert!(macros.starts_with("#define A 1\n#define B 2\n") && macros.ends_with("#define C a b\n"), "{macros}");
    assert_eq!(command.warnings.len(), 2);
    assert_eq!(command.inputs.len(), 1);
}

#[test]
fn odd_words_do_no_harm() {
    for line in ["", "cc", "cc -", "cc -D", "cc -I", "cc -Wp,", "cc -Xclang", "cc -x", "cc -m", "cc -f", "cc -O", "@"] {
        let _ = parse(line);
    }
}
