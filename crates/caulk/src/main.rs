//! The `caulk` program: command line, rendering, exit codes.
//!
//! Exit codes: 0 done; 2 could not work: a file or flag that is no good, or nothing analysed.

mod arguments;
mod commands;
mod diagnostics;
mod stats;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::commands::Outcome;

const COULD_NOT_WORK: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = commands::run(arguments.command).unwrap_or_else(|error| {
        eprintln_quietly(&format!("caulk: error: {error}\n"));
        Outcome { text: Vec::new(), is_complete: false }
    });
    match write_all(&outcome.text) {
        Ok(()) if outcome.is_complete => ExitCode::SUCCESS,
        // Whoever reads us has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(()) => ExitCode::from(COULD_NOT_WORK),
        Err(error) => {
            eprintln_quietly(&format!("caulk: error: cannot write the result: {error}\n"));
            ExitCode::from(COULD_NOT_WORK)
        }
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
