//! Our predefined macros against the compilers themselves, where the machine has gcc 12 or clang 19.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use caulk_driver::command_line::{CompileCommand, Language};
use caulk_driver::names;
use caulk_driver::predefined::predefined_macros;

/// Flags whose macros must be the same, to the letter.
const GCC_FLAGS: [&str; 57] = [
    "",
    "-m32",
    "-O0",
    "-O2",
    "-Os",
    "-Og",
    "-Ofast",
    "-O2 -fno-inline",
    "-m32 -O2",
    "-std=c89",
    "-ansi",
    "-std=gnu89",
    "-std=iso9899:199409",
    "-std=c99",
    "-std=gnu99",
    "-std=c11",
    "-std=gnu11",
    "-std=c17",
    "-std=gnu17",
    "-std=c2x",
    "-std=gnu2x",
    "-fgnu89-inline",
    "-funsigned-char",
    "-fshort-wchar",
    "-fshort-enums",
    "-fPIC",
    "-fpic",
    "-fpie",
    "-fno-pic",
    "-fno-pie",
    "-pthread",
    "-fopenmp",
    "-fopenacc",
    "-ffreestanding",
    "-ffast-math",
    "-funsafe-math-optimizations -fno-math-errno",
    "-fexceptions",
    "-fstack-protector-strong",
    "-fstack-protector",
    "-fsanitize=address",
    "-fsanitize=thread",
    "-fcf-protection",
    "-mcmodel=large",
    "-undef",
    "-msse4.2 -maes -mpclmul",
    "-mavx",
    "-mavx2 -mbmi -mbmi2 -mfma -mf16c -mlzcnt",
    "-mavx512f -mavx512vl -mavx512vbmi",
    "-mno-sse2",
    "-mavx2 -mno-avx",
    "-mno-mmx",
    "-m32 -msse2",
    "-m32 -msse2 -mfpmath=sse",
    "-m32 -march=i486",
    "-m32 -march=i686",
    "-mcx16 -mrdrnd -madx -msha",
    "-m32 -fPIC -std=c99",
];

/// Every processor in our table.
const PROCESSORS: [&str; 18] = [
    "x86-64",
    "x86-64-v2",
    "x86-64-v3",
    "x86-64-v4",
    "core2",
    "nehalem",
    "westmere",
    "sandybridge",
    "ivybridge",
    "haswell",
    "broadwell",
    "skylake",
    "skylake-avx512",
    "cascadelake",
    "corei7",
    "znver1",
    "znver2",
    "znver3",
];

/// What clang differs in on purpose: packagers put their own name in the first two, and the third is
/// an operator of its preprocessor, so not among its macros.
const CLANG_DIFFERENCES: [&str; 3] = ["__VERSION__", "__clang_version__", "__building_module(name)"];

const CLANG_FLAGS: [&str; 22] = [
    "",
    "-m32",
    "-O2",
    "-Os",
    "-std=c89",
    "-std=gnu99",
    "-std=c11",
    "-std=c23",
    "-std=gnu2y",
    "-ffreestanding",
    "-fno-pie",
    "-fPIC",
    "-pthread",
    "-fopenmp",
    "-ffast-math",
    "-funsigned-char",
    "-fshort-wchar",
    "-fgnu89-inline",
    "-fstack-protector-strong",
    "-mavx2 -mfma",
    "-mavx512f",
    "-fsanitize=address",
];

type Macros = BTreeMap<String, String>;

fn parse(text: &str) -> Macros {
    text.lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect()
}

fn ours(compiler: &str, flags: &str) -> Macros {
    let words: Vec<String> = std::iter::once(compiler).chain(flags.split_whitespace()).map(str::to_owned).collect();
    let command = CompileCommand::parse(&words, Path::new("/"));
    assert_eq!(command.warnings, Vec::<String>::new(), "{flags}");
    parse(&predefined_macros(&command.settings, &Language::C))
}

/// `None` if the machine has no such compiler.
fn theirs(compiler: &str, flags: &str) -> Option<Macros> {
    let output = Command::new(compiler)
        .args(["-dM", "-E", "-x", "c"])
        .args(flags.split_whitespace())
        .arg("/dev/null")
        .output()
        .ok()?;
    output.status.success().then(|| parse(&String::from_utf8_lossy(&output.stdout)))
}

fn has_version(compiler: &str, major: &str) -> bool {
    let output = Command::new(compiler).arg("-dumpversion").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).split('.').next().map(str::trim) == Some(major))
}

/// Lines `flags: name ours / theirs`, empty if the two agree.
fn differences(compiler: &str, flags: &str, allowed: &[&str]) -> Vec<String> {
    let Some(theirs) = theirs(compiler, flags) else { return Vec::new() };
    let ours = ours(compiler, flags);
    let names: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    names
        .into_iter()
        .filter(|name| !allowed.contains(&name.as_str()) && ours.get(*name) != theirs.get(*name))
        .map(|name| format!("{compiler} {flags}: {name}: ours {:?}, theirs {:?}", ours.get(name), theirs.get(name)))
        .collect()
}

#[test]
fn same_macros_as_gcc() {
    if !has_version("gcc", "12") {
        return;
    }
    let processors = PROCESSORS.iter().map(|name| format!("-march={name}"));
    let all: Vec<String> = GCC_FLAGS
        .iter()
        .map(|&flags| flags.to_owned())
        .chain(processors)
        .flat_map(|flags| differences("gcc", &flags, &[]))
        .collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn same_macros_as_clang() {
    if !has_version("clang-19", "19") {
        return;
    }
    let all: Vec<String> =
        CLANG_FLAGS.iter().flat_map(|flags| differences("clang-19", flags, &CLANG_DIFFERENCES)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Asks a compiler about each name with `__has_builtin` or `__has_attribute`.
fn compiler_says(compiler: &str, question: &str, names: &[&str]) -> Vec<bool> {
    use std::io::Write;
    let text: String = names.iter().map(|name| format!("#if {question}({name})\nyes\n#else\nno\n#endif\n")).collect();
    let mut child = Command::new(compiler)
        .args(["-E", "-P", "-x", "c", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the compiler starts");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the compiler ends");
    writer.join().expect("no panic").expect("the compiler reads");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    answers.split_whitespace().map(|word| word == "yes").collect()
}

#[test]
fn same_builtins_and_attributes() {
    let builtins: Vec<&str> = [
        include_str!("../data/builtins_common.txt"),
        include_str!("../data/builtins_gcc.txt"),
        include_str!("../data/builtins_clang.txt"),
        "__builtin_no_such_thing",
    ]
    .into_iter()
    .flat_map(str::split_whitespace)
    .collect();
    let attributes: Vec<&str> = [
        include_str!("../data/attributes_common.txt"),
        include_str!("../data/attributes_gcc.txt"),
        include_str!("../data/attributes_clang.txt"),
        "no_such_attribute",
    ]
    .into_iter()
    .flat_map(str::split_whitespace)
    .collect();
    type Says = (&'static str, &'static str, fn(&str) -> bool, fn(&str) -> u32);
    let compilers: [Says; 2] = [
        ("gcc", "12", names::gcc_has_builtin, names::gcc_attribute_version),
        ("clang-19", "19", names::clang_has_builtin, names::clang_attribute_version),
    ];
    for (compiler, version, has_builtin, attribute_version) in compilers {
        if !has_version(compiler, version) {
            continue;
        }
        for (name, theirs) in builtins.iter().zip(compiler_says(compiler, "__has_builtin", &builtins)) {
            assert_eq!(has_builtin(name), theirs, "{compiler}: {name}");
        }
        for (name, theirs) in attributes.iter().zip(compiler_says(compiler, "__has_attribute", &attributes)) {
            assert_eq!(attribute_version(name) != 0, theirs, "{compiler}: {name}");
        }
    }
}

#[test]
fn preprocessed_text_has_no_macros() {
    let command = CompileCommand::parse_flags(&[], Path::new("/"));
    assert_eq!(predefined_macros(&command.settings, &Language::PreprocessedC), "");
}
