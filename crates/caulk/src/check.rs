//! `caulk check`: what the driver found, in the order and with the names a reader expects; and the two commands
//! that show what it rests on.
//!
//! Standard output has findings and nothing else. It is the same for any number of threads, any order of the
//! inputs, and wherever the project lies, as long as the program is started at the same place in it.

use std::cmp::Ordering;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use caulk_driver::{CheckOptions, Confidence, Finding, GraphKind, Place, Project, Report, SlowFunction};

use crate::arguments::{Certainty, Format, Graph, Input, Models, Reported};
use crate::commands::{Outcome, Verdict, find_project, shown};
use crate::diagnostics::Reporter;
use crate::render::{Sources, json, text};
use crate::stats::{Table, grouped};

/// Functions that `--stats` lists.
const MAX_SLOWEST: usize = 10;

pub(crate) fn check(
    input: &Input,
    format: Format,
    reported: &Reported,
    with_stats: bool,
    jobs: Option<NonZeroUsize>,
) -> Result<Outcome, String> {
    let started = Instant::now();
    let mut reporter = Reporter::new();
    let project = find_project(input, &mut reporter)?;
    let options = CheckOptions {
        jobs,
        models: reported.models.files.clone(),
        min_confidence: match reported.confidence {
            Certainty::Low => Confidence::Low,
            Certainty::High => Confidence::High,
        },
    };
    let mut report = caulk_driver::check(&project, &options)?;
    say(&mut report, reporter);
    if let Some(reason) = nothing_analysed(&report) {
        return Err(reason);
    }
    let here = std::env::current_dir().unwrap_or_default();
    let findings = as_read_from(&here, std::mem::take(&mut report.findings));
    let text = match format {
        Format::Json => json(&findings)?,
        Format::Text => text(&findings, &mut Sources::new(&here), wants_color()),
    };
    let mut closing = String::new();
    if with_stats {
        statistics(&report, &here, &mut closing);
    }
    closing.push_str(&closing_line(findings.len(), &report, started.elapsed()));
    let verdict = if findings.is_empty() { Verdict::Complete } else { Verdict::Findings };
    Ok(Outcome { text: text.into_bytes(), closing, verdict })
}

pub(crate) fn summary(
    input: &Input,
    function: Option<&str>,
    models: &Models,
    jobs: Option<NonZeroUsize>,
) -> Result<Outcome, String> {
    show(input, models, jobs, |project, options| caulk_driver::summaries(project, options, function))
}

pub(crate) fn graph(
    input: &Input,
    function: Option<&str>,
    what: Graph,
    models: &Models,
    jobs: Option<NonZeroUsize>,
) -> Result<Outcome, String> {
    let what = match what {
        Graph::Cfg => GraphKind::Cfg,
        Graph::Projection => GraphKind::Projection,
        Graph::Flow => GraphKind::Flow,
    };
    show(input, models, jobs, |project, options| caulk_driver::graph(project, options, function, what))
}

fn show(
    input: &Input,
    models: &Models,
    jobs: Option<NonZeroUsize>,
    step: impl FnOnce(&Project, &CheckOptions) -> Result<String, String>,
) -> Result<Outcome, String> {
    let mut reporter = Reporter::new();
    let project = find_project(input, &mut reporter)?;
    let options = CheckOptions { jobs, models: models.files.clone(), ..CheckOptions::default() };
    let text = step(&project, &options)?;
    reporter.finish();
    Ok(Outcome::complete_if(project.errors.is_empty(), text.into_bytes()))
}

/// Everything but the findings, on standard error.
fn say(report: &mut Report, mut reporter: Reporter) {
    // Each is said once, at the first place: that must not depend on the order of the inputs.
    report.messages.sort_by(|a, b| (&a.path, a.line, a.column, &a.text).cmp(&(&b.path, b.line, b.column, &b.text)));
    report.errors.sort();
    report.problems.sort();
    report.messages.iter().for_each(|message| reporter.message(message));
    report.errors.iter().for_each(|error| reporter.error(error));
    report.bugs.iter().for_each(|bug| reporter.error(bug));
    report.problems.iter().for_each(|problem| reporter.warning(problem));
    reporter.finish();
}

/// Why there is no answer, which must not look like "no leaks".
fn nothing_analysed(report: &Report) -> Option<String> {
    if report.functions_analyzed > 0 {
        return None;
    }
    let reason = match (report.statistics.files, report.functions_skipped) {
        (0, _) => "no file could be read".to_owned(),
        (1, 0) => "the file has no functions".to_owned(),
        (files, 0) => format!("none of the {} files has a function", grouped(files)),
        (_, 1) => "the only function was skipped; `caulk stats` says why".to_owned(),
        (_, skipped) => format!("all {} functions were skipped; `caulk stats` says why", grouped(skipped)),
    };
    Some(format!("nothing analysed: {reason}"))
}

/// Findings with the names a reader at this place would use, by file, line, column and rule.
fn as_read_from(here: &Path, mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        let steps = finding.path.iter_mut().map(|step| &mut step.place);
        let places = [&mut finding.alloc, &mut finding.leak].into_iter().chain(steps).chain(&mut finding.also);
        places.for_each(|place| place.file = shown(Path::new(&place.file), here));
    }
    findings.sort_by(reading_order);
    // One file under two commands of a build is two units and one text to mend.
    findings.dedup();
    findings
}

fn reading_order(a: &Finding, b: &Finding) -> Ordering {
    fn key(finding: &Finding) -> (&Place, caulk_driver::Rule, &Place, [&str; 4]) {
        // The rest only makes the order the same for every run.
        let rest = [&finding.function, &finding.variable, &finding.message, &finding.fingerprint].map(String::as_str);
        (&finding.leak, finding.rule, &finding.alloc, rest)
    }
    key(a).cmp(&key(b)).then_with(|| a.path.len().cmp(&b.path.len()))
}

/// Colours are for people at a terminal who did not decline them (no-color.org).
fn wants_color() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// What was looked at, so that no findings means something.
fn closing_line(findings: usize, report: &Report, elapsed: Duration) -> String {
    format!(
        "caulk: {}; {} analysed, {} skipped, {}, {} coarsened, {:.2} s\n",
        counted(findings, "leak"),
        counted(report.functions_analyzed, "function"),
        report.functions_skipped,
        counted(report.allocation_sites, "allocation site"),
        report.sites_coarsened,
        elapsed.as_secs_f64()
    )
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

const COARSENED: &str = "allocation sites coarsened, in:\n";

/// Where the time went.
fn statistics(report: &Report, here: &Path, text: &mut String) {
    let lists = [
        ("slowest functions, in steps:\n", &report.slowest[..report.slowest.len().min(MAX_SLOWEST)]),
        ("given up, after so many steps:\n", &report.given_up[..]),
    ];
    let line = |text: &mut String, number: usize, function: &SlowFunction| {
        let (number, file) = (grouped(number), shown(Path::new(&function.file), here));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{number:>15}  {} ({file})", function.name);
    };
    for (title, functions) in lists.into_iter().filter(|(_, functions)| !functions.is_empty()) {
        text.push_str(title);
        for slow in functions {
            line(text, usize::try_from(slow.steps).unwrap_or(usize::MAX), slow);
        }
    }
    if !report.coarsened.is_empty() {
        text.push_str(COARSENED);
        report.coarsened.iter().for_each(|(function, sites)| line(text, *sites, function));
    }
    let mut table = Table::default();
    table.phases(&report.statistics.phases);
    text.push_str(&table.text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use caulk_driver::{Loss, Rule, Statistics, Step};

    fn finding(file: &str, line: u32, column: u32, rule: Rule) -> Finding {
        let place = Place { file: file.to_owned(), line, column };
        Finding {
            rule,
            function: "f".to_owned(),
            variable: "p".to_owned(),
            alloc: place.clone(),
            allocator: "malloc".to_owned(),
            resource: "memory".to_owned(),
            leak: place.clone(),
            loss: Loss::Return,
            path: vec![Step { place: place.clone(), message: "step".to_owned() }],
            also: vec![place],
            confidence: Confidence::High,
            fingerprint: String::new(),
            message: "lost".to_owned(),
        }
    }

    #[test]
    fn findings_come_in_reading_order_with_names_from_here() {
        let sorted = [
            finding("/elsewhere/h.h", 5, 1, Rule::NeverFreed),
            finding("/home/x/a.c", 2, 1, Rule::NeverFreed),
            finding("/home/x/a.c", 2, 1, Rule::Resource),
            finding("/home/x/a.c", 2, 7, Rule::NeverFreed),
            finding("/home/x/a.c", 10, 1, Rule::NeverFreed),
            finding("/home/x/sub/a.c", 1, 1, Rule::NeverFreed),
        ];
        // Backwards, and one of them twice.
        let mut given: Vec<Finding> = sorted.iter().rev().cloned().collect();
        given.push(sorted[3].clone());
        let read = as_read_from(Path::new("/home/x"), given);
        let names: Vec<String> =
            read.iter().map(|f| format!("{}:{}:{}", f.leak.file, f.leak.line, f.leak.column)).collect();
        assert_eq!(names, ["/elsewhere/h.h:5:1", "a.c:2:1", "a.c:2:1", "a.c:2:7", "a.c:10:1", "sub/a.c:1:1"]);
        assert_eq!((read[1].rule, read[2].rule), (Rule::NeverFreed, Rule::Resource));
        for finding in &read {
            let file = &finding.leak.file;
            assert!([&finding.alloc, &finding.also[0], &finding.path[0].place].iter().all(|place| place.file == *file));
        }
    }

    #[test]
    fn the_closing_line_counts() {
        let mut report =
            Report { functions_analyzed: 812, functions_skipped: 2, allocation_sites: 96, ..Report::default() };
        assert_eq!(
            closing_line(3, &report, Duration::from_millis(421)),
            "caulk: 3 leaks; 812 functions analysed, 2 skipped, 96 allocation sites, 0 coarsened, 0.42 s\n"
        );
        report.functions_analyzed = 1;
        assert!(closing_line(1, &report, Duration::ZERO).starts_with("caulk: 1 leak; 1 function analysed, 2 skipped"));
    }

    #[test]
    fn no_answer_is_told_from_no_leaks() {
        let mut report = Report::default();
        let reason = |report: &Report| nothing_analysed(report).expect("nothing was analysed");
        assert_eq!(reason(&report), "nothing analysed: no file could be read");
        report.statistics = Statistics { files: 3, ..Statistics::default() };
        assert_eq!(reason(&report), "nothing analysed: none of the 3 files has a function");
        report.functions_skipped = 1200;
        assert_eq!(reason(&report), "nothing analysed: all 1,200 functions were skipped; `caulk stats` says why");
        report.functions_analyzed = 1;
        assert_eq!(nothing_analysed(&report), None);
    }

    #[test]
    fn statistics_list_the_slowest() {
        let slow =
            |n: u64| SlowFunction { name: format!("f{n}"), file: "/home/x/a.c".to_owned(), steps: 1_000_000 - n };
        let report = Report { slowest: (0..20).map(slow).collect(), ..Report::default() };
        let mut text = String::new();
        statistics(&report, Path::new("/home/x"), &mut text);
        assert!(
            text.contains("      1,000,000  f0 (a.c)\n") && text.contains("f9 (a.c)") && !text.contains("f10"),
            "{text}"
        );
        assert!(text.contains("time, all threads") && text.contains("  lower"), "{text}");
    }
}
