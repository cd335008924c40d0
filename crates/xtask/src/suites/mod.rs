//! `cargo xtask suites`: public suites of small programs that say themselves what leaks.
//!
//! The suites stay outside the repository; both are on GitHub, as `SVF-tools/Test-Suite` and
//! `arichardson/juliet-test-suite-c`.

mod juliet;
mod svf;

use std::path::PathBuf;

use crate::corpus;

pub(crate) const USAGE: &str = "\
cargo xtask suites [--svf DIR] [--juliet DIR] [--caulk PATH]
    counts what caulk gets right in public suites of leaking programs, and lists what it gets wrong

    --svf DIR      the SVF test suite: labelled allocations in src/mem_leak
    --juliet DIR   Juliet 1.3 for C: the C cases of CWE401
    --caulk PATH   this caulk instead of a fresh release build";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut svf_dir: Option<PathBuf> = None;
    let mut juliet_dir: Option<PathBuf> = None;
    let mut caulk: Option<PathBuf> = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value\n\n{USAGE}"));
        match argument.as_str() {
            "--svf" => svf_dir = Some(value()?.into()),
            "--juliet" => juliet_dir = Some(value()?.into()),
            "--caulk" => caulk = Some(value()?.into()),
            _ => return Err(format!("unknown option {argument}\n\n{USAGE}")),
        }
    }
    if svf_dir.is_none() && juliet_dir.is_none() {
        return Err(USAGE.to_owned());
    }
    let caulk = match caulk {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?,
        None => corpus::build_caulk()?,
    };
    if let Some(dir) = svf_dir {
        svf::report(&caulk, &dir)?;
    }
    if let Some(dir) = juliet_dir {
        juliet::report(&caulk, &dir)?;
    }
    Ok(())
}
