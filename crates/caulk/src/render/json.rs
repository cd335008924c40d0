//! Findings for programs: a list of objects, one for each.

use caulk_driver::{Finding, Loss, Place, Step};
use serde::Serialize;

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    message: &'a str,
    function: &'a str,
    variable: &'a str,
    allocator: &'a str,
    resource: &'a str,
    loss: &'static str,
    confidence: &'static str,
    alloc: JsonPlace<'a>,
    leak: JsonPlace<'a>,
    path: Vec<JsonStep<'a>>,
    also: Vec<JsonPlace<'a>>,
    fingerprint: &'a str,
}

/// Line and column count from 1; the column counts bytes.
#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct JsonStep<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
}

/// The whole report.
pub(crate) fn json(findings: &[Finding]) -> Result<String, String> {
    let findings: Vec<JsonFinding> = findings.iter().map(finding).collect();
    serde_json::to_string_pretty(&findings).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn finding(finding: &Finding) -> JsonFinding<'_> {
    JsonFinding {
        rule: finding.rule.name(),
        message: &finding.message,
        function: &finding.function,
        variable: &finding.variable,
        allocator: &finding.allocator,
        resource: &finding.resource,
        loss: loss_name(finding.loss),
        confidence: finding.confidence.name(),
        alloc: place(&finding.alloc),
        leak: place(&finding.leak),
        path: finding.path.iter().map(step).collect(),
        also: finding.also.iter().map(place).collect(),
        fingerprint: &finding.fingerprint,
    }
}

fn place(place: &Place) -> JsonPlace<'_> {
    JsonPlace { file: &place.file, line: place.line, column: place.column }
}

fn step(step: &Step) -> JsonStep<'_> {
    let Place { file, line, column } = &step.place;
    JsonStep { file, line: *line, column: *column, message: &step.message }
}

fn loss_name(loss: Loss) -> &'static str {
    match loss {
        Loss::Return => "return",
        Loss::Overwritten => "overwritten",
        Loss::ScopeEnd => "scope-end",
        Loss::HolderFreed => "holder-freed",
        Loss::ResultDropped => "result-dropped",
        Loss::ReallocFailed => "realloc-failed",
    }
}
