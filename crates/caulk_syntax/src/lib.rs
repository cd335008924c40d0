//! Text to tokens to preprocessed tokens to a tree; always a tree plus diagnostics.
//!
//! Reading order: [`token`], [`lexer`] (one file, once per run), [`preprocessor`] (one translation
//! unit), [`ast`], [`parser`] (one external declaration at a time). No IO happens here: files come
//! through [`Files`].

pub mod ast;
pub mod ast_print;
pub mod config;
pub mod files;
pub mod lexer;
pub mod parser;
pub mod preprocessor;
pub mod token;

pub use config::{Dialect, Standard};
pub use files::Files;
