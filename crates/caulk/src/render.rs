//! Findings as text and as JSON.
//!
//! Reading order: `source` (lines of files), `extent` (what to underline), `advice` (what to say), `text`
//! (the whole block), `json`.

mod advice;
mod extent;
mod json;
mod source;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use json::json;
pub(crate) use source::Sources;
pub(crate) use text::text;
