//! Macros of x86: the processor's name and its instruction sets.
//!
//! A *feature* is the word of an `-m` option (`avx2`); it has a macro and needs other features.
//! `-march=` is a processor with its features, most of them those of an older one.

use std::collections::BTreeSet;

use super::Lines;
use crate::command_line::{Machine, UnitSettings};

/// Feature, its macro (empty for none), and what turning it on turns on as well.
const FEATURES: [(&str, &str, &[&str]); 76] = [
    ("mmx", "__MMX__", &[]),
    ("3dnow", "__3dNOW__", &["mmx"]),
    ("3dnowa", "__3dNOW_A__", &["3dnow"]),
    ("sse", "__SSE__", &["mmx"]),
    ("sse2", "__SSE2__", &["sse"]),
    ("sse3", "__SSE3__", &["sse2"]),
    ("ssse3", "__SSSE3__", &["sse3"]),
    ("sse4.1", "__SSE4_1__", &["ssse3"]),
    ("sse4.2", "__SSE4_2__", &["sse4.1", "popcnt", "crc32"]),
    ("sse4", "", &["sse4.2"]),
    ("sse4a", "__SSE4A__", &["sse3"]),
    ("avx", "__AVX__", &["sse4.2", "xsave"]),
    ("avx2", "__AVX2__", &["avx"]),
    ("avxvnni", "__AVXVNNI__", &["avx2"]),
    ("fma", "__FMA__", &["avx"]),
    ("fma4", "__FMA4__", &["sse4a", "avx"]),
    ("xop", "__XOP__", &["fma4"]),
    ("f16c", "__F16C__", &["avx"]),
    ("avx512f", "__AVX512F__", &["avx2"]),
    ("avx512bw", "__AVX512BW__", &["avx512f"]),
    ("avx512cd", "__AVX512CD__", &["avx512f"]),
    ("avx512dq", "__AVX512DQ__", &["avx512f"]),
    ("avx512er", "__AVX512ER__", &["avx512f"]),
    ("avx512pf", "__AVX512PF__", &["avx512f"]),
    ("avx512vl", "__AVX512VL__", &["avx512f"]),
    ("avx512ifma", "__AVX512IFMA__", &["avx512f"]),
    ("avx512vnni", "__AVX512VNNI__", &["avx512f"]),
    ("avx512vbmi", "__AVX512VBMI__", &["avx512bw"]),
    ("avx512vbmi2", "__AVX512VBMI2__", &["avx512f"]),
    ("avx512bitalg", "__AVX512BITALG__", &["avx512f"]),
    ("avx512vpopcntdq", "__AVX512VPOPCNTDQ__", &["avx512f"]),
    ("avx512bf16", "__AVX512BF16__", &["avx512bw"]),
    ("avx512fp16", "__AVX512FP16__", &["avx512bw"]),
    ("aes", "__AES__", &["sse2"]),
    ("pclmul", "__PCLMUL__", &["sse2"]),
    ("sha", "__SHA__", &["sse2"]),
    ("gfni", "__GFNI__", &["sse2"]),
    ("vaes", "__VAES__", &[]),
    ("vpclmulqdq", "__VPCLMULQDQ__", &[]),
    ("popcnt", "__POPCNT__", &[]),
    ("crc32", "__CRC32__", &[]),
    ("lzcnt", "__LZCNT__", &[]),
    ("abm", "__ABM__", &["lzcnt", "popcnt"]),
    ("bmi", "__BMI__", &[]),
    ("bmi2", "__BMI2__", &[]),
    ("tbm", "__TBM__", &[]),
    ("lwp", "__LWP__", &[]),
    ("movbe", "__MOVBE__", &[]),
    ("adx", "__ADX__", &[]),
    ("rdrnd", "__RDRND__", &[]),
    ("rdseed", "__RDSEED__", &[]),
    ("rdpid", "__RDPID__", &[]),
    ("prfchw", "__PRFCHW__", &[]),
    ("fsgsbase", "__FSGSBASE__", &[]),
    ("fxsr", "__FXSR__", &[]),
    ("xsave", "__XSAVE__", &[]),
    ("xsaveopt", "__XSAVEOPT__", &["xsave"]),
    ("xsavec", "__XSAVEC__", &["xsave"]),
    ("xsaves", "__XSAVES__", &["xsave"]),
    ("sahf", "__LAHF_SAHF__", &[]),
    ("rtm", "__RTM__", &[]),
    ("clflushopt", "__CLFLUSHOPT__", &[]),
    ("clwb", "__CLWB__", &[]),
    ("clzero", "__CLZERO__", &[]),
    ("cldemote", "__CLDEMOTE__", &[]),
    ("mwaitx", "__MWAITX__", &[]),
    ("waitpkg", "__WAITPKG__", &[]),
    ("movdiri", "__MOVDIRI__", &[]),
    ("movdir64b", "__MOVDIR64B__", &[]),
    ("pku", "__PKU__", &[]),
    ("ptwrite", "__PTWRITE__", &[]),
    ("serialize", "__SERIALIZE__", &[]),
    ("sgx", "__SGX__", &[]),
    ("shstk", "__SHSTK__", &[]),
    ("wbnoinvd", "__WBNOINVD__", &[]),
    // Its macro is the one for sixteen-byte atomics, on 64-bit machines only.
    ("cx16", "", &[]),
];

/// `-march=`, the processor it builds on, what it adds, and the names it is known by in macros.
struct Processor {
    name: &'static str,
    base: &'static str,
    adds: &'static [&'static str],
    /// Empty: called as its base is.
    names: &'static [&'static str],
}

const fn processor(
    name: &'static str,
    base: &'static str,
    adds: &'static [&'static str],
    names: &'static [&'static str],
) -> Processor {
    Processor { name, base, adds, names }
}

static PROCESSORS: [Processor; 24] = [
    processor("x86-64-v2", "", &["cx16", "sahf", "sse4.2"], &[]),
    processor("x86-64-v3", "x86-64-v2", &["avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"], &[]),
    processor("x86-64-v4", "x86-64-v3", &["avx512bw", "avx512cd", "avx512dq", "avx512vl"], &[]),
    processor("core2", "", &["cx16", "sahf", "ssse3", "fxsr"], &["core2"]),
    processor("nehalem", "core2", &["sse4.2"], &["corei7", "nehalem"]),
    processor("westmere", "nehalem", &["pclmul"], &[]),
    processor("sandybridge", "westmere", &["avx", "xsaveopt"], &["corei7_avx", "sandybridge"]),
    processor("ivybridge", "sandybridge", &["f16c", "fsgsbase", "rdrnd"], &[]),
    processor("haswell", "ivybridge", &["avx2", "bmi", "bmi2", "fma", "lzcnt", "movbe"], &["core_avx2", "haswell"]),
    processor("broadwell", "haswell", &["adx", "prfchw", "rdseed"], &[]),
    processor("skylake", "broadwell", &["aes", "clflushopt", "sgx", "xsavec", "xsaves"], &["skylake"]),
    processor(
        "skylake-avx512",
        "skylake",
        &["avx512bw", "avx512cd", "avx512dq", "avx512vl", "clwb", "pku"],
        &["skylake_avx512"],
    ),
    processor("cascadelake", "skylake-avx512", &["avx512vnni"], &["cascadelake"]),
    processor("corei7", "nehalem", &[], &[]),
    processor("corei7-avx", "sandybridge", &[], &[]),
    processor("core-avx2", "haswell", &[], &[]),
    processor(
        "znver1",
        "",
        &[
            "abm",
            "adx",
            "aes",
            "avx2",
            "bmi",
            "bmi2",
            "clflushopt",
            "clzero",
            "cx16",
            "f16c",
            "fma",
            "fsgsbase",
            "movbe",
            "mwaitx",
            "pclmul",
            "prfchw",
            "rdrnd",
            "rdseed",
            "sahf",
            "sha",
            "sse4a",
            "xsavec",
            "xsaveopt",
            "xsaves",
        ],
        &["znver1"],
    ),
    processor("znver2", "znver1", &["clwb", "rdpid", "wbnoinvd"], &["znver2"]),
    processor("znver3", "znver2", &["pku", "vaes", "vpclmulqdq"], &["znver3"]),
    processor("i386", "", &[], &["i386"]),
    processor("i486", "", &[], &["i486"]),
    processor("i586", "", &[], &["i586", "pentium"]),
    processor("i686", "", &[], &["i686", "pentiumpro"]),
    processor("pentium4", "", &["sse2", "fxsr"], &["pentium4"]),
];

fn find_processor(name: &str) -> Option<&'static Processor> {
    PROCESSORS.iter().find(|processor| processor.name == name)
}

impl Machine {
    /// An 80486 cannot exchange eight bytes at once, an 80386 none.
    pub(super) fn lacks_eight_byte_atomics(&self) -> bool {
        self.is_32_bit && matches!(self.arch.as_str(), "i386" | "i486")
    }

    /// Names in macros, the processor's or else its base's.
    fn processor_names(&self) -> &'static [&'static str] {
        let mut processor = find_processor(&self.arch);
        while let Some(found) = processor {
            if !found.names.is_empty() {
                return found.names;
            }
            processor = find_processor(found.base);
        }
        if self.is_32_bit { &["i686", "pentiumpro"] } else { &["k8"] }
    }
}

/// The features in force.
pub(super) struct Features {
    on: BTreeSet<&'static str>,
}

impl Features {
    pub(super) fn new(settings: &UnitSettings) -> Features {
        let mut features = Features { on: BTreeSet::new() };
        let machine = &settings.machine;
        let baseline: &[&str] = if machine.is_32_bit { &["sahf"] } else { &["sse2", "fxsr"] };
        baseline.iter().for_each(|name| features.enable(name, settings.is_clang()));
        let mut processor = find_processor(&machine.arch);
        while let Some(found) = processor {
            found.adds.iter().for_each(|name| features.enable(name, settings.is_clang()));
            processor = find_processor(found.base);
        }
        for flag in &machine.features {
            match flag.strip_prefix("no-") {
                Some("sse4") => features.disable("sse4.1"),
                Some(name) => features.disable(name),
                None => features.enable(flag, settings.is_clang()),
            }
        }
        features
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.on.contains(name)
    }

    fn enable(&mut self, name: &str, is_clang: bool) {
        let Some((name, _, needs)) = FEATURES.iter().find(|(known, ..)| *known == name) else { return };
        if self.on.insert(name) {
            needs.iter().for_each(|need| self.enable(need, is_clang));
            if is_clang && *name == "avx512f" {
                self.enable("fma", is_clang);
                self.enable("f16c", is_clang);
            }
        }
    }

    /// Takes with it what needs it; only `sse` can live without the `mmx` it turns on.
    fn disable(&mut self, name: &str) {
        self.on.remove(name);
        let incidental = ["mmx", "popcnt", "crc32"].contains(&name);
        let dependants = FEATURES.iter().filter(|(user, _, needs)| {
            needs.contains(&name) && !(incidental && user.starts_with("sse")) && self.on.contains(user)
        });
        for user in dependants.map(|(user, ..)| *user).collect::<Vec<_>>() {
            self.disable(user);
        }
    }
}

pub(super) fn define(lines: &mut Lines, settings: &UnitSettings, features: &Features) {
    let machine = &settings.machine;
    let is_clang = settings.is_clang();
    if machine.is_32_bit {
        lines.flags(&["__i386", "__i386__"]);
        if settings.dialect.gnu {
            lines.define("i386", 1);
        }
    } else {
        lines.flags(&["__amd64", "__amd64__", "__x86_64", "__x86_64__"]);
    }
    for name in machine.processor_names() {
        if *name != "i386" {
            lines.define(&format!("__{name}"), 1);
            lines.define(&format!("__{name}__"), 1);
        }
        let is_named = find_processor(&machine.arch).is_some_and(|processor| !processor.name.starts_with("x86-64"));
        if is_named || is_clang {
            lines.define(&format!("__tune_{name}__"), 1);
        }
    }
    let model = match (machine.is_32_bit, machine.code_model.as_str()) {
        (true, _) if !is_clang => "32",
        (_, "") => "small",
        (_, model) => model,
    };
    lines.define(&format!("__code_model_{model}__"), 1);
    lines.flags(&["__SEG_FS", "__SEG_GS"]);
    instruction_sets(lines, settings, features);
    let widest = match () {
        // Clang's does not follow the registers.
        () if is_clang => 16,
        () if features.has("avx512f") => 64,
        () if features.has("avx") => 32,
        () => 16,
    };
    lines.define("__BIGGEST_ALIGNMENT__", widest);
    for size in [1, 2, 4, 8, 16] {
        let has = match size {
            16 => features.has("cx16") && !machine.is_32_bit,
            8 => !machine.lacks_eight_byte_atomics(),
            _ => machine.arch != "i386",
        };
        if has {
            lines.define(&format!("__GCC_HAVE_SYNC_COMPARE_AND_SWAP_{size}"), 1);
        }
    }
    if is_clang {
        lines.table(
            "__seg_fs __attribute__((address_space(257)))
__seg_gs __attribute__((address_space(256)))",
        );
    }
}

fn instruction_sets(lines: &mut Lines, settings: &UnitSettings, features: &Features) {
    for (name, macro_name, _) in FEATURES {
        if !macro_name.is_empty() && features.has(name) {
            lines.define(macro_name, 1);
        }
    }
    let is_wide = !settings.machine.is_32_bit;
    if is_wide || settings.machine.fpmath_sse {
        if features.has("sse") {
            lines.define("__SSE_MATH__", 1);
        }
        if features.has("sse2") {
            lines.define("__SSE2_MATH__", 1);
        }
    }
    if settings.is_clang() {
        if features.has("avx512f") {
            lines.define("__EVEX512__", 1);
        }
        return;
    }
    if is_wide && features.has("sse2") {
        lines.define("__MMX_WITH_SSE__", 1);
    }
    if ["fma", "fma4", "avx512f"].iter().any(|name| features.has(name)) {
        lines.flags(&["__FP_FAST_FMA", "__FP_FAST_FMAF", "__FP_FAST_FMAF32", "__FP_FAST_FMAF32x", "__FP_FAST_FMAF64"]);
    }
}
