//! Layout and constants against the machine's gcc: our numbers become `_Static_assert`s that it must accept.
//!
//! Programs are generated from fixed seeds, for both targets. Where no gcc is installed the tests say so and pass.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use caulk_driver::{Project, Request, UnitResult, analyze};
use caulk_sema::types::Record;
use caulk_sema::unit::{Datum, Definition};

/// A small generator of numbers (xorshift); the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

fn gcc_accepts(source: &Path, flags: &[&str]) -> Option<Result<(), String>> {
    let output = Command::new("gcc")
        .args(["-fsyntax-only", "-w", "-std=gnu2x", "-fmax-errors=5"])
        .args(flags)
        .arg(source)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    Some(if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) })
}

fn analyzed<T: Send>(source: &Path, flags: &[&str], visit: impl Fn(UnitResult) -> T + Sync) -> T {
    let mut flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    flags.push("-std=gnu2x".to_owned());
    let request = Request { paths: vec![source.to_owned()], flags, ..Request::default() };
    let project = Project::find(&request).expect("a file needs no database");
    let mut run = analyze(&project, NonZeroUsize::new(1), visit);
    run.results.pop().expect("one unit").expect("the file is readable")
}

/// Writes a program, adds what `assertions` says about our view of it, and asks gcc.
fn check(name: &str, program: &str, flags: &[&str], assertions: impl Fn(&UnitResult) -> String + Sync) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let source = directory.join(format!("{name}.c"));
    std::fs::write(&source, program).expect("the target directory is writable");
    let text = analyzed(&source, flags, |unit| {
        let errors: Vec<&str> = unit.messages.iter().map(|message| message.text.as_str()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assertions(&unit)
    });
    assert!(text.lines().count() > 10, "{name}: hardly anything to compare");
    let asserted = directory.join(format!("{name}-asserted.c"));
    std::fs::write(&asserted, format!("{program}\n{text}")).expect("the target directory is writable");
    match gcc_accepts(&asserted, flags) {
        None => eprintln!("skipped: no gcc on this machine"),
        Some(result) => assert_eq!(result, Ok(()), "{name} with {flags:?}"),
    }
}

// ---- layout ------------------------------------------------------------------------------------

const SCALARS: [&str; 22] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "int (*)(void)",
    "enum small",
    "enum large",
    "double _Complex",
    "aligned_int",
    "_Float128",
];

/// Types that a bit-field may have, with their widths where long is eight bytes.
const BIT_TYPES: [(&str, u64); 9] = [
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("_Bool", 1),
];

fn random_record(random: &mut Random, number: usize, known: usize) -> String {
    let keyword = if random.below(4) == 0 { "union" } else { "struct" };
    let pack =
        random.pick(&["", "", "", "#pragma pack(push, 1)\n", "#pragma pack(push, 2)\n", "#pragma pack(push, 4)\n"]);
    let attribute = random.pick(&["", "", "", "__attribute__((packed)) ", "__attribute__((aligned(16))) "]);
    let mut text = format!("{pack}{keyword} {attribute}r{number} {{\n");
    for field in 0..1 + random.below(9) {
        match random.below(10) {
            0..=2 => {
                let (ty, width) = BIT_TYPES[random.below(BIT_TYPES.len() as u64) as usize];
                let width = 1 + random.below(width);
                let _ = writeln!(text, "    {ty} f{field} : {width};");
            }
            3 => {
                let (ty, width) = BIT_TYPES[random.below(BIT_TYPES.len() as u64) as usize];
                let _ = writeln!(text, "    {ty} : {};", random.below(width + 1));
            }
            4 if known > 0 => {
                let _ = writeln!(text, "    T{} f{field};", random.below(known as u64));
            }
            5 => {
                let element = random.pick(&SCALARS[..15]);
                let _ = writeln!(text, "    {element} f{field}[{}];", random.below(5));
            }
            6 => {
                let _ = writeln!(text, "    struct {{ {} a{field}; char b{field}; }};", random.pick(&SCALARS[..14]));
            }
            _ => {
                let ty = random.pick(&SCALARS);
                let align = random.pick(&["", "", "", "", "_Alignas(8) ", "__attribute__((packed)) ", "_Alignas(32) "]);
                let _ = match ty.strip_suffix("(*)(void)") {
                    Some(result) => writeln!(text, "    {align}{result} (*f{field})(void);"),
                    // `_Alignas` may not lower an alignment.
                    None if align.starts_with("_Alignas(8)")
                        && matches!(ty, "long double" | "_Float128" | "aligned_int") =>
                    {
                        writeln!(text, "    {ty} f{field};")
                    }
                    None => writeln!(text, "    {align}{ty} f{field};"),
                };
            }
        }
    }
    text.push_str("};\n");
    if !pack.is_empty() {
        text.push_str("#pragma pack(pop)\n");
    }
    let _ = writeln!(text, "typedef {keyword} r{number} T{number};");
    text
}

fn layout_assertions(unit: &UnitResult) -> String {
    let mut text = String::new();
    for record in &unit.module.unit.types.records {
        let Record { is_union, tag, layout: Some(layout), .. } = record else { continue };
        if !tag.as_str().starts_with('r') {
            continue;
        }
        let name = format!("{} {tag}", if *is_union { "union" } else { "struct" });
        let _ = writeln!(text, "_Static_assert(sizeof({name}) == {}, \"\");", layout.size);
        let _ = writeln!(text, "_Static_assert(_Alignof({name}) == {}, \"\");", layout.align);
        for field in layout.fields.iter().filter(|field| field.bits.is_none() && !field.name.as_str().is_empty()) {
            let _ =
                writeln!(text, "_Static_assert(__builtin_offsetof({name}, {}) == {}, \"\");", field.name, field.offset);
        }
    }
    text
}

/// A bit-field has no offset to ask for: a value of all ones in it shows in a constant union's bytes, which gcc
/// does not fold. So records of bit-fields are compared by running (see the interpreter's tests); here, by their size.
#[test]
fn records_are_laid_out_as_gcc_does() {
    for (target, flag) in [("x86-64", "-m64"), ("i386", "-m32")] {
        for seed in 1..=6 {
            let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
            let mut program = String::from(
                "enum small { A, B };\nenum large { C = 1LL << 40 };\ntypedef int aligned_int __attribute__((aligned(16)));\n",
            );
            for number in 0..120 {
                program.push_str(&random_record(&mut random, number, number));
            }
            check(&format!("layout-{target}-{seed}"), &program, &[flag], layout_assertions);
        }
    }
}

// ---- constants ---------------------------------------------------------------------------------

fn random_expr(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(6) == 0 {
        return match random.below(7) {
            0 => format!("{}", random.below(10)),
            1 => format!("{}u", random.next() as u32),
            2 => format!("{}ll", random.next() as i64 >> 2),
            3 => format!("0x{:x}ull", random.next()),
            4 => format!("'{}'", char::from(b'a' + random.below(26) as u8)),
            5 => format!("sizeof({})", random.pick(&SCALARS[..16])),
            _ => format!(
                "(({})-{})",
                random.pick(&["char", "short", "unsigned char", "_Bool", "long"]),
                random.below(300)
            ),
        };
    }
    let a = random_expr(random, depth - 1);
    let b = random_expr(random, depth - 1);
    match random.below(16) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("((unsigned long long)({a}) * ({b}))"),
        3 => format!("({a} / (({b}) ? ({b}) : 1))"),
        4 => format!("((unsigned)({a}) % 1009u)"),
        5 => format!("({a} & {b})"),
        6 => format!("({a} | {b})"),
        7 => format!("({a} ^ {b})"),
        8 => format!("((unsigned)({a}) << {})", random.below(32)),
        9 => format!("({a} >> {})", random.below(31)),
        10 => format!("({a} < {b})"),
        11 => format!("({a} == {b} || {b} >= 7)"),
        12 => format!("({a} ? {b} : {a})"),
        13 => format!("(!{a} + ~{b})"),
        14 => format!("(({})({a}))", random.pick(&["signed char", "unsigned short", "int", "unsigned long", "_Bool"])),
        _ => format!("((int)({:.3} * 2 + {}))", random.below(1000) as f64 / 16.0, random.below(9)),
    }
}

#[test]
fn constants_have_gccs_values() {
    for flag in ["-m64", "-m32"] {
        for seed in 1..=4 {
            let mut random = Random(0x2545_f491_4f6c_dd1d_u64.wrapping_mul(seed));
            let exprs: Vec<String> = (0..150).map(|_| random_expr(&mut random, 3)).collect();
            let mut program = String::from("enum small { A, B };\nenum large { C = 1LL << 40 };\n");
            for (number, expr) in exprs.iter().enumerate() {
                let _ = writeln!(program, "unsigned long long c{number} = (unsigned long long)({expr});");
            }
            check(&format!("constants{flag}-{seed}"), &program, &[flag, "-fwrapv"], |unit| {
                let mut text = String::new();
                for global in &unit.module.unit.globals {
                    let name = global.name.as_str();
                    let Some(number) = name.strip_prefix('c').and_then(|n| n.parse::<usize>().ok()) else { continue };
                    let Definition::Data(data) = &global.definition else { continue };
                    let value = match data.items.first().map(|item| item.value) {
                        None => 0,
                        Some(Datum::Int(value)) => value as u64,
                        other => panic!("c{number} = {other:?}: {}", exprs[number]),
                    };
                    let _ = writeln!(
                        text,
                        "_Static_assert((unsigned long long)({}) == {value}ull, \"c{number}\");",
                        exprs[number]
                    );
                }
                text
            });
        }
    }
}

#[test]
fn enums_have_gccs_values_and_sizes() {
    let mut random = Random(77);
    let mut program = String::new();
    for number in 0..40 {
        let attribute = random.pick(&["", "", "__attribute__((packed)) "]);
        let _ = writeln!(program, "enum {attribute}e{number} {{");
        for member in 0..1 + random.below(6) {
            let value = match random.below(5) {
                0 => String::new(),
                1 => format!(" = -{}", random.below(1 << 20)),
                2 => format!(" = {}u", random.next() as u32),
                3 => format!(" = {}", random.below(200)),
                _ => format!(" = {}ll", random.next() as i64 >> 8),
            };
            let _ = writeln!(program, "    e{number}_{member}{value},");
        }
        program.push_str("};\n");
    }
    for flags in [&["-m64"][..], &["-m32"], &["-m64", "-fshort-enums"]] {
        check(&format!("enums{}", flags.concat()), &program, flags, |unit| {
            let types = &unit.module.unit.types;
            let mut text = String::new();
            for (id, entry) in types.enums.iter_enumerated() {
                let size = entry.underlying.and_then(|ty| types.size_of(ty)).unwrap_or(0);
                let _ = writeln!(text, "_Static_assert(sizeof(enum {}) == {size}, \"{id}\");", entry.tag);
                for (name, value) in &entry.enumerators {
                    let is_negative = *value < 0;
                    let _ = writeln!(
                        text,
                        "_Static_assert({name} == {value} && ({name} < 0) == {}, \"\");",
                        i32::from(is_negative)
                    );
                }
            }
            text
        });
    }
}
