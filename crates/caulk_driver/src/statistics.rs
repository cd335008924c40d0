//! What a run met and what became of it, as numbers and names.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::frontend::{Fate, MissingHeader, UnitResult};
use crate::phases::Phases;

/// Function definitions by fate. `seen` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionCounts {
    pub seen: usize,
    /// Whole.
    pub lowered: usize,
    /// In the IR, but with an instruction of unknown effect.
    pub unknown: usize,
    /// Not in the IR.
    pub skipped: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedFunction {
    pub file: PathBuf,
    pub line: u32,
    pub function: String,
    pub reason: String,
}

/// The functions of one unit by fate.
#[derive(Clone, Debug, Default)]
pub struct UnitFunctions {
    pub file: PathBuf,
    pub command: Option<usize>,
    pub lowered: Vec<String>,
    pub unknown: Vec<String>,
}

/// Numbers of one unit, small enough to keep.
#[derive(Clone, Debug, Default)]
pub struct UnitStatistics {
    pub functions: UnitFunctions,
    pub lines: usize,
    pub skipped: Vec<SkippedFunction>,
    pub missing_headers: Vec<MissingHeader>,
    pub phases: Phases,
}

impl UnitStatistics {
    pub fn of(unit: &UnitResult) -> UnitStatistics {
        let mut statistics = UnitStatistics {
            functions: UnitFunctions { file: unit.file.clone(), command: unit.command, ..UnitFunctions::default() },
            lines: unit.lines,
            skipped: Vec::new(),
            missing_headers: unit.missing_headers.clone(),
            phases: unit.phases,
        };
        for report in &unit.functions {
            let function = report.name.as_str().to_owned();
            match &report.fate {
                Fate::Lowered => statistics.functions.lowered.push(function),
                Fate::Unknown => statistics.functions.unknown.push(function),
                Fate::Skipped(reason) => statistics.skipped.push(SkippedFunction {
                    file: report.file.clone(),
                    line: report.line,
                    function,
                    reason: reason.clone(),
                }),
            }
        }
        statistics
    }
}

/// Numbers of a whole run.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Distinct main files.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    pub functions: FunctionCounts,
    /// One for each time, in the order of the units: as many as `functions.skipped` says.
    pub skipped: Vec<SkippedFunction>,
    /// Distinct, in order.
    pub missing_headers: Vec<MissingHeader>,
    pub phases: Phases,
    /// One for each unit, in the project's order.
    pub units: Vec<UnitFunctions>,
}

impl Statistics {
    pub fn collect(units: impl IntoIterator<Item = UnitStatistics>) -> Statistics {
        let mut total = Statistics::default();
        let mut files = BTreeSet::new();
        let mut missing_headers = BTreeSet::new();
        for unit in units {
            if files.insert(unit.functions.file.clone()) {
                total.lines += unit.lines;
            }
            let counts = &mut total.functions;
            counts.lowered += unit.functions.lowered.len();
            counts.unknown += unit.functions.unknown.len();
            counts.skipped += unit.skipped.len();
            total.skipped.extend(unit.skipped);
            missing_headers.extend(unit.missing_headers);
            total.phases += unit.phases;
            total.units.push(unit.functions);
        }
        total.functions.seen = total.functions.lowered + total.functions.unknown + total.functions.skipped;
        total.files = files.len();
        total.missing_headers = missing_headers.into_iter().collect();
        total
    }
}

/// The most memory this process has held, where the system says.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
