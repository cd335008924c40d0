//! `caulk stats`: a table for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use caulk_driver::{Phases, SkippedInput, Statistics, peak_memory_bytes};
use serde::Serialize;

use crate::commands::shown;

/// Skipped functions listed in the table; JSON has them all.
const MAX_LISTED: usize = 20;

#[derive(Serialize)]
struct Report<'a> {
    files: usize,
    lines: usize,
    functions: Functions,
    skipped: Vec<Skipped<'a>>,
    missing_headers: Vec<Missing<'a>>,
    phases: Milliseconds,
    peak_memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Vec<Unit<'a>>>,
}

#[derive(Serialize)]
struct Functions {
    seen: usize,
    lowered: usize,
    unknown: usize,
    skipped: usize,
}

#[derive(Serialize)]
struct Skipped<'a> {
    file: String,
    line: u32,
    function: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct Missing<'a> {
    header: &'a str,
    from: String,
}

#[derive(Serialize)]
struct Milliseconds {
    lex_ms: f64,
    preprocess_ms: f64,
    parse_ms: f64,
    sema_ms: f64,
    lower_ms: f64,
    verify_ms: f64,
}

#[derive(Serialize)]
struct Unit<'a> {
    file: String,
    command: Option<usize>,
    lowered: &'a [String],
    unknown: &'a [String],
}

pub(crate) fn json(statistics: &Statistics, with_functions: bool) -> Result<String, String> {
    let skipped = statistics.skipped.iter().map(|skipped| Skipped {
        file: plain(&skipped.file),
        line: skipped.line,
        function: &skipped.function,
        reason: &skipped.reason,
    });
    let missing = statistics
        .missing_headers
        .iter()
        .map(|missing| Missing { header: &missing.header, from: plain(&missing.from) });
    let units = statistics.units.iter().map(|unit| Unit {
        file: plain(&unit.file),
        command: unit.command,
        lowered: &unit.lowered,
        unknown: &unit.unknown,
    });
    let counts = statistics.functions;
    let report = Report {
        files: statistics.files,
        lines: statistics.lines,
        functions: Functions {
            seen: counts.seen,
            lowered: counts.lowered,
            unknown: counts.unknown,
            skipped: counts.skipped,
        },
        skipped: skipped.collect(),
        missing_headers: missing.collect(),
        phases: milliseconds(&statistics.phases),
        peak_memory_bytes: peak_memory_bytes(),
        units: with_functions.then(|| units.collect()),
    };
    serde_json::to_string_pretty(&report).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn plain(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn milliseconds(phases: &Phases) -> Milliseconds {
    // Three digits behind the point are more than the clock is good for.
    let rounded = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
    Milliseconds {
        lex_ms: rounded(phases.lex),
        preprocess_ms: rounded(phases.preprocess),
        parse_ms: rounded(phases.parse),
        sema_ms: rounded(phases.sema),
        lower_ms: rounded(phases.lower),
        verify_ms: rounded(phases.verify),
    }
}

pub(crate) fn text(statistics: &Statistics, skipped_inputs: &[SkippedInput], with_functions: bool) -> String {
    let mut table = Table::default();
    let counts = statistics.functions;
    table.row("files", statistics.files, "");
    table.row("lines", statistics.lines, "");
    table.row("functions", counts.seen, "");
    for (name, number) in [("lowered", counts.lowered), ("unknown", counts.unknown), ("skipped", counts.skipped)] {
        let share = 100.0 * number as f64 / counts.seen.max(1) as f64;
        table.row(&format!("  {name}"), number, &format!("{share:6.2} %"));
    }
    if !skipped_inputs.is_empty() {
        table.row("inputs not in C", skipped_inputs.len(), "");
    }
    if !statistics.missing_headers.is_empty() {
        table.row("missing headers", statistics.missing_headers.len(), "");
    }
    table.phases(&statistics.phases);
    if let Some(bytes) = peak_memory_bytes() {
        table.line("peak memory", format_args!("{:>12.1} MB", bytes as f64 / 1e6));
    }
    let here = std::env::current_dir().unwrap_or_default();
    table.skipped(statistics, &here);
    if !statistics.missing_headers.is_empty() {
        table.text.push_str("\nmissing headers:\n");
        for missing in &statistics.missing_headers {
            let _ = writeln!(table.text, "  {} from {}", missing.header, shown(&missing.from, &here));
        }
    }
    if with_functions {
        for unit in &statistics.units {
            let _ = writeln!(table.text, "\n{}:", shown(&unit.file, &here));
            for name in &unit.lowered {
                let _ = writeln!(table.text, "  {name}");
            }
            for name in &unit.unknown {
                let _ = writeln!(table.text, "  {name} (unknown)");
            }
        }
    }
    table.text
}

/// Names on the left, values on the right.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) text: String,
}

impl Table {
    fn line(&mut self, name: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{name:<20}{value}");
    }

    fn row(&mut self, name: &str, number: usize, remark: &str) {
        let value = format!("{:>12}  {remark}", grouped(number));
        self.line(name, value.trim_end());
    }

    pub(crate) fn phases(&mut self, phases: &Phases) {
        self.line("time, all threads", format_args!("{:>12.1} ms", phases.total().as_secs_f64() * 1e3));
        for (name, time) in [
            ("lex", phases.lex),
            ("preprocess", phases.preprocess),
            ("parse", phases.parse),
            ("check", phases.sema),
            ("lower", phases.lower),
            ("verify", phases.verify),
        ] {
            self.line(&format!("  {name}"), format_args!("{:>12.1} ms", time.as_secs_f64() * 1e3));
        }
    }

    /// Reasons by frequency, then the first functions.
    fn skipped(&mut self, statistics: &Statistics, here: &Path) {
        if statistics.skipped.is_empty() {
            return;
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &statistics.skipped {
            *reasons.entry(&skipped.reason).or_default() += 1;
        }
        let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
        self.text.push_str("\nskipped functions by reason:\n");
        for (reason, count) in reasons.iter().take(MAX_LISTED) {
            let _ = writeln!(self.text, "{count:>6}  {reason}");
        }
        self.text.push_str("\nskipped functions:\n");
        for skipped in statistics.skipped.iter().take(MAX_LISTED) {
            let file = shown(&skipped.file, here);
            let _ = writeln!(self.text, "  {file}:{}: {}: {}", skipped.line, skipped.function, skipped.reason);
        }
        if statistics.skipped.len() > MAX_LISTED {
            let _ = writeln!(self.text, "  and {} more", statistics.skipped.len() - MAX_LISTED);
        }
    }
}

/// `12345` as `12,345`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([grouped(0), grouped(999), grouped(1000), grouped(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
    }
}
