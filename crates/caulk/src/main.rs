//! The `caulk` program: command line, rendering, exit codes.
//!
//! Exit codes: 0 done, or no leaks; 1 leaks found; 2 could not work: a file or flag that is no good, or nothing
//! analysed.

mod arguments;
mod check;
mod commands;
mod diagnostics;
mod render;
mod stats;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::commands::{Outcome, Verdict};

const FINDINGS: u8 = 1;
const COULD_NOT_WORK: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = commands::run(arguments.command).unwrap_or_else(|error| {
        eprintln_quietly(&format!("caulk: error: {error}\n"));
        Outcome::new(Vec::new(), Verdict::Incomplete)
    });
    if let Err(error) = write_all(&outcome.text)
        // Whoever reads us has seen enough of the text; the answer stands.
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        eprintln_quietly(&format!("caulk: error: cannot write the result: {error}\n"));
        return ExitCode::from(COULD_NOT_WORK);
    }
    eprintln_quietly(&outcome.closing);
    match outcome.verdict {
        Verdict::Complete => ExitCode::SUCCESS,
        Verdict::Findings => ExitCode::from(FINDINGS),
        Verdict::Incomplete => ExitCode::from(COULD_NOT_WORK),
    }
}

fn write_all(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}

/// To standard error, if anyone is there; `eprint!` would panic if not.
fn eprintln_quietly(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
