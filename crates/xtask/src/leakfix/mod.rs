//! `cargo xtask leakfix`: would caulk have found the leaks that people fixed?
//!
//! Each fix of the list has a tree before and a tree after it. A leak is found if it is reported before and no longer after;
//! see `score`. Trees are made as `trees` says, from repositories that are on the machine already.

pub(crate) mod check;
mod facts;
mod list;
mod parse;
mod score;
mod trees;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use check::{Checked, Finding};
use list::Leak;
use score::{Located, Verdict};
use trees::Trees;

use crate::corpus;

pub(crate) const USAGE: &str = "\
cargo xtask leakfix --list FILE --repos DIR [options]
    checks programs before and after commits that fixed a leak; it should be found before and gone after

    --list FILE    the leaks, tab separated; two programs from papers follow them
    --repos DIR    git repositories, bare or not, called curl, wget, gnulib and which
    --out DIR      where trees and results are kept (default: target/leakfix)
    --only N,M     these leaks only, by their number in the table
    --caulk PATH   this caulk instead of a fresh release build
    --verbose      also the matching findings, those that stay, and other ones in the function of a missed leak
    --prepare      make the trees, nothing else
    --stats        make the trees and print how well each is read";

struct Options {
    list: PathBuf,
    repos: PathBuf,
    out: PathBuf,
    only: Vec<usize>,
    caulk: Option<PathBuf>,
    verbose: bool,
    prepare: bool,
    stats: bool,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = parse_options(arguments)?;
    let leaks: Vec<(usize, Leak)> = (1..).zip(list::load(&options.list)?).collect();
    let leaks: Vec<(usize, Leak)> =
        leaks.into_iter().filter(|(number, _)| options.only.is_empty() || options.only.contains(number)).collect();
    let trees = Trees::open(&options.repos, &options.out)?;
    if options.prepare {
        for (number, leak) in &leaks {
            for commit in std::iter::once(&leak.before).chain(&leak.after) {
                println!("{number:>3}  {}", trees.tree(trees::program(&leak.repo)?, commit)?.display());
            }
        }
        return Ok(());
    }
    let caulk = match &options.caulk {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?,
        None => corpus::build_caulk()?,
    };
    if options.stats { parse::report(&caulk, &trees, &leaks) } else { report(&caulk, &trees, &leaks, options.verbose) }
}

fn parse_options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        list: PathBuf::new(),
        repos: PathBuf::new(),
        out: PathBuf::from("target/leakfix"),
        only: Vec::new(),
        caulk: None,
        verbose: false,
        prepare: false,
        stats: false,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"));
        match argument.as_str() {
            "--list" => options.list = value()?.into(),
            "--repos" => options.repos = value()?.into(),
            "--out" => options.out = value()?.into(),
            "--caulk" => options.caulk = Some(value()?.into()),
            "--only" => {
                let numbers = value()?.split(',').map(|number| number.trim().parse());
                options.only = numbers.collect::<Result<_, _>>().map_err(|error| format!("--only: {error}"))?;
            }
            "--verbose" => options.verbose = true,
            "--prepare" => options.prepare = true,
            "--stats" => options.stats = true,
            _ => return Err(format!("unknown option {argument}\n\n{USAGE}")),
        }
    }
    if options.list.as_os_str().is_empty() || options.repos.as_os_str().is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(options)
}

/// What a run on one tree gave.
struct Run {
    findings: Vec<Located>,
    time: Duration,
    coarsened: Option<u64>,
    coarsened_in: Vec<String>,
}

/// Runs on trees, each once: the fix of one leak is often the tree before the next.
struct Runs<'a> {
    caulk: &'a Path,
    trees: &'a Trees,
    done: BTreeMap<(String, String), Result<Run, String>>,
}

impl Runs<'_> {
    fn run(&mut self, repo: &str, commit: &str) {
        let key = (repo.to_owned(), commit.to_owned());
        if !self.done.contains_key(&key) {
            let result = self.check(repo, commit);
            self.done.insert(key, result);
        }
    }

    fn get(&self, repo: &str, commit: &str) -> Result<&Run, String> {
        match self.done.get(&(repo.to_owned(), commit.to_owned())) {
            Some(result) => result.as_ref().map_err(Clone::clone),
            None => Err("not run".to_owned()),
        }
    }

    fn check(&self, repo: &str, commit: &str) -> Result<Run, String> {
        let program = trees::program(repo)?;
        let root = self.trees.tree(program, commit)?;
        let checked = check::check(self.caulk, &root, &["-p", &root.to_string_lossy()])?;
        for (extension, text) in [("json", &checked.stdout[..]), ("log", checked.stderr.as_bytes())] {
            let path = self.trees.result(program, commit, extension);
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let mut texts = Texts { root, files: BTreeMap::new() };
        let Checked { findings, time, coarsened, coarsened_in, .. } = checked;
        let findings = findings.into_iter().map(|finding| {
            let allocation = texts.line(&finding.alloc);
            let losses = std::iter::once(&finding.leak).chain(&finding.also).map(|place| texts.line(place)).collect();
            Located { finding, allocation, losses }
        });
        Ok(Run { findings: findings.collect(), time, coarsened, coarsened_in })
    }
}

/// Lines of the files of a tree.
struct Texts {
    root: PathBuf,
    files: BTreeMap<String, Vec<String>>,
}

impl Texts {
    fn line(&mut self, place: &check::Place) -> String {
        let lines = self.files.entry(place.file.clone()).or_insert_with(|| {
            let bytes = fs::read(self.root.join(&place.file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(|line| line.trim().to_owned()).collect()
        });
        let index = usize::try_from(place.line).unwrap_or(0).wrapping_sub(1);
        lines.get(index).cloned().unwrap_or_default()
    }
}

fn report(caulk: &Path, trees: &Trees, leaks: &[(usize, Leak)], verbose: bool) -> Result<(), String> {
    let mut runs = Runs { caulk, trees, done: BTreeMap::new() };
    let mut totals: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut failures = 0;
    println!("  #  repo   fix         {:<34} {:<24} {:<19} result", "function", "variable", "kind");
    for (number, leak) in leaks {
        for commit in std::iter::once(&leak.before).chain(&leak.after) {
            runs.run(&leak.repo, commit);
        }
        let outcome = outcome(&runs, leak);
        let text = match &outcome {
            Ok(verdict) => {
                *totals.entry(*verdict).or_default() += 1;
                verdict.name()
            }
            Err(error) => {
                failures += 1;
                error
            }
        };
        let fix = trees::short(leak.after.as_deref().unwrap_or(&leak.before));
        println!(
            "{number:>3}  {:<5}  {fix:<10}  {:<34} {:<24} {:<19} {text}",
            leak.repo, leak.function, leak.variable, leak.kind
        );
        if verbose {
            explain(&runs, leak, outcome.as_ref().ok());
        }
    }
    let counts = Verdict::ALL.map(|verdict| format!("{} {}", verdict.name(), totals.get(&verdict).unwrap_or(&0)));
    println!("{} leaks: {}, failed {failures}", leaks.len(), counts.join(", "));
    summarise(&runs);
    let is_coarsened =
        |leak: &Leak| runs.get(&leak.repo, &leak.before).is_ok_and(|run| run.coarsened_in.contains(&leak.function));
    let coarsened: Vec<String> =
        leaks.iter().filter(|(_, leak)| is_coarsened(leak)).map(|(number, _)| number.to_string()).collect();
    println!("sites coarsened in the functions of {} leaks: {}", coarsened.len(), coarsened.join(", "));
    Ok(())
}

fn outcome(runs: &Runs<'_>, leak: &Leak) -> Result<Verdict, String> {
    let before = runs.get(&leak.repo, &leak.before)?;
    let after = match &leak.after {
        Some(after) => Some(runs.get(&leak.repo, after)?.findings.as_slice()),
        None => None,
    };
    Ok(score::judge(leak, &before.findings, after))
}

fn explain(runs: &Runs<'_>, leak: &Leak, verdict: Option<&Verdict>) {
    println!("     {}", leak.explanation);
    let show = |role: &str, finding: &Finding| {
        let Finding { rule, function, variable, alloc, leak, message, .. } = finding;
        let variable = variable.as_deref().unwrap_or("-");
        println!(
            "     {role}: {rule} {function} {variable}, {}:{} lost at {}:{}: {message}",
            alloc.file, alloc.line, leak.file, leak.line
        );
    };
    let Ok(before) = runs.get(&leak.repo, &leak.before) else { return };
    for found in before.findings.iter().filter(|found| score::matches(leak, &found.finding)) {
        show("before", &found.finding);
    }
    if verdict == Some(&Verdict::Missed) {
        for finding in score::near_misses(leak, &before.findings) {
            show("near", finding);
        }
    }
    let Some(Ok(after)) = leak.after.as_ref().map(|after| runs.get(&leak.repo, after)) else { return };
    let stays = |found: &&Located| found.finding.function == leak.function;
    for found in after.findings.iter().filter(stays) {
        show("after", &found.finding);
    }
}

fn summarise(runs: &Runs<'_>) {
    let results: Vec<&Run> = runs.done.values().flatten().collect();
    let findings: usize = results.iter().map(|result| result.findings.len()).sum();
    let time: Duration = results.iter().map(|result| result.time).sum();
    let slowest = results.iter().map(|result| result.time).max().unwrap_or_default();
    println!(
        "{} trees: {findings} findings, {:.1} s, at most {:.1} s",
        results.len(),
        time.as_secs_f64(),
        slowest.as_secs_f64()
    );
    let coarsened: Vec<u64> = results.iter().filter_map(|result| result.coarsened).collect();
    if let Some(most) = coarsened.iter().max() {
        println!("coarsened allocation sites: {}, at most {most} in one tree", coarsened.iter().sum::<u64>());
    }
}
