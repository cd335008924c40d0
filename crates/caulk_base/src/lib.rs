//! What every layer shares: typed ids and arenas, interned names, source positions, diagnostics.
//!
//! Nothing here knows C beyond the spelling of its words, and nothing does IO.

pub mod diagnostic;
pub mod id;
pub mod source;
pub mod symbol;

pub use diagnostic::{Diagnostic, Severity};
pub use id::{IdVec, List};
pub use source::{ExpansionId, FileId, Loc, Place, SourceFile, SourceMap};
pub use symbol::Symbol;
