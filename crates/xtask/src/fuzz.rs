//! `cargo xtask fuzz`: mutated inputs for a chosen time, without a fuzzing engine.
//!
//! A failing input is written to `target/fuzz`, then shrunk beside it. The input that runs is kept in a
//! file, so that one which overflows the stack and takes the process with it can be had, too.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fixture::fuzz::{Budget, Failure, Target, on_deep_stack, outcome, shrink, store_seeds};

pub(crate) const USAGE: &str = "\
cargo xtask fuzz [--seconds N] [--target T] [--seed S] [--dir DIR]
    runs the fuzz targets on mutated input
    --seconds N   for so long in all (default: 60)
    --target T    only preprocess, lower or read_ir
    --seed S      the same inputs again (default: by the clock)
    --dir DIR     where failing inputs go (default: target/fuzz)
cargo xtask fuzz --seeds DIR
    writes the seeds into DIR/preprocess, DIR/lower and DIR/read_ir, for a fuzzing engine
cargo xtask fuzz --input FILE --target T
    runs one input";

/// Tries spent on making one failing input small.
const SHRINK_TRIES: usize = 3000;

struct Options {
    seconds: u64,
    targets: Vec<Target>,
    seed: u64,
    dir: PathBuf,
    seeds: Option<PathBuf>,
    input: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = parse(arguments)?;
    if let Some(dir) = &options.seeds {
        let store = |&target: &Target| store_seeds(target, &dir.join(target.name()));
        return options.targets.iter().try_for_each(store).map_err(|error| error.to_string());
    }
    if let Some(path) = &options.input {
        let input = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        return options.targets.iter().try_for_each(|&target| on_deep_stack(|| outcome(target, &input)));
    }
    std::fs::create_dir_all(&options.dir).map_err(|error| format!("{}: {error}", options.dir.display()))?;
    let mut failures = 0;
    for &target in &options.targets {
        failures += campaign(target, &options)?;
    }
    if failures == 0 { Ok(()) } else { Err(format!("{failures} different failures, see {}", options.dir.display())) }
}

fn parse(arguments: &[String]) -> Result<Options, String> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let mut options = Options {
        seconds: 60,
        targets: Target::ALL.to_vec(),
        seed: clock,
        dir: "target/fuzz".into(),
        seeds: None,
        input: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"))?;
        let number = || value.parse().map_err(|error| format!("{argument}: {error}"));
        match argument.as_str() {
            "--seconds" => options.seconds = number()?,
            "--seed" => options.seed = number()?,
            "--dir" => options.dir = value.into(),
            "--seeds" => options.seeds = Some(value.into()),
            "--input" => options.input = Some(value.into()),
            "--target" => {
                options.targets =
                    vec![Target::from_name(value).ok_or_else(|| format!("no target {value}\n\n{USAGE}"))?];
            }
            _ => return Err(format!("unknown option {argument}\n\n{USAGE}")),
        }
    }
    Ok(options)
}

/// Runs one target; the number of different failures.
fn campaign(target: Target, options: &Options) -> Result<usize, String> {
    let budget = Budget {
        inputs: u64::MAX,
        time: Duration::from_secs(options.seconds) / options.targets.len() as u32,
        time_per_input: Duration::from_secs(10),
        memory_bytes: 2 << 30,
    };
    let name = target.name();
    let running = options.dir.join(format!("{name}-running"));
    let mut known: Vec<String> = Vec::new();
    let mut problem = None;
    let mut is_lost = false;
    let file = running.clone();
    let start = move |input: &[u8]| {
        // Without it only a stack overflow is hard to find again.
        let _ = std::fs::write(&file, input);
    };
    let summary = fixture::fuzz::run(target, options.seed, budget, start, |failure| {
        let class = class(&failure.reason);
        if known.contains(&class) {
            return;
        }
        known.push(class);
        is_lost |= failure.is_fatal;
        let path = options.dir.join(format!("{name}-{}-{}", options.seed, known.len()));
        if let Err(error) = store(target, &failure, &path) {
            problem.get_or_insert(error);
        }
    });
    // Nothing is running any more; that the file stays is no harm.
    let _ = std::fs::remove_file(&running);
    let (time, input) = &summary.slowest;
    let slowest = options.dir.join(format!("{name}-slowest"));
    std::fs::write(&slowest, input).map_err(|error| format!("{}: {error}", slowest.display()))?;
    println!(
        "{name}: seed {}, {} inputs, the slowest took {time:.1?}, {} different failures",
        options.seed,
        summary.inputs,
        known.len()
    );
    match problem {
        Some(problem) => Err(problem),
        // A thread that goes on for ever would spoil what comes next.
        None if is_lost => Err(format!("stopped, see {}", options.dir.display())),
        None => Ok(known.len()),
    }
}

/// Writes a failing input, its reason, and the input made small.
fn store(target: Target, failure: &Failure, path: &Path) -> Result<(), String> {
    let write =
        |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()));
    println!("{}: {}", path.display(), failure.reason);
    write(path, &failure.input)?;
    write(&path.with_extension("reason"), failure.reason.as_bytes())?;
    if failure.is_fatal {
        return Ok(());
    }
    let wanted = class(&failure.reason);
    let small = on_deep_stack(|| {
        let fails = |input: &[u8]| outcome(target, input).is_err_and(|reason| class(&reason) == wanted);
        shrink(&failure.input, SHRINK_TRIES, fails)
    });
    write(&path.with_extension("small"), &small)
}

/// What failures of one cause have in common: the reason without numbers and quotations.
fn class(reason: &str) -> String {
    let first = reason.lines().next().unwrap_or("");
    if first.contains("panicked at") {
        return first.to_owned();
    }
    // `function f: bb3: v7: the shift count is double`
    let is_place = |part: &str| ["function ", "bb", "v"].iter().any(|place| part.starts_with(place)) || part.len() < 8;
    let message = first.split([':', ';']).map(str::trim).find(|part| !is_place(part)).unwrap_or(first);
    let words = message.split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit() || c == '`'));
    words.take(3).collect::<Vec<_>>().join(" ")
}
