//! Names, C types, layout, constants: tree to typed program.
//!
//! Reading order: [`target`], [`types`], [`unit`] and [`hir`] (what comes out), [`check`] (how).

pub mod target;
pub mod types;
pub mod attributes;
pub mod unit;
pub mod hir;
pub mod fold;
mod compat;
mod layout;
mod scope;
pub mod check;

pub use check::{BodySink, Checker, Options};
