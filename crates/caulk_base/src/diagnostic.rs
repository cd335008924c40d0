//! A message about the input: data, never an `Err`. Bad C yields a result plus diagnostics.

use crate::source::Loc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input is odd; the result is complete.
    Warning,
    /// Something was lost: a declaration, a directive, a function.
    Error,
}

/// One message at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub loc: Loc,
    pub message: String,
}

impl Diagnostic {
    pub fn error(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, loc, message: message.into() }
    }

    pub fn warning(loc: Loc, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, loc, message: message.into() }
    }
}
