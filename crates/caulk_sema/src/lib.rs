//! Names, C types, layout, constants: tree to typed program.
//!
//! Reading order: [`target`], [`types`], [`unit`] and [`hir`] (what comes out), [`check`] (how).

pub mod attributes;
pub mod check;
mod compat;
pub mod fold;
pub mod hir;
mod layout;
mod scope;
pub mod target;
pub mod types;
pub mod unit;

pub use check::{BodySink, Checker, Options};
