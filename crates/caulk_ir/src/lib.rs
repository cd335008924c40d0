//! The control-flow graph in SSA form on which everything later works.
//!
//! Reading order: [`ir`] (the data), [`build`] (SSA construction), [`lower`] (typed tree to IR),
//! [`verify`] (the rules), [`print`] and [`read`] (the text form), [`cfg`], [`dominators`], [`control`], [`loops`].

pub mod build;
pub mod cfg;
pub mod control;
pub mod dominators;
pub mod ir;
pub mod loops;
pub mod lower;
pub mod print;
pub mod read;
mod uses;
pub mod verify;
mod words;
