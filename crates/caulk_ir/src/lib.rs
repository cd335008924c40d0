//! The control-flow graph in SSA form on which everything later works.
//!
//! Reading order: [`ir`] (the data), [`build`] (SSA construction), [`lower`] (typed tree to IR),
//! [`verify`] (the rules), [`print`] and [`read`] (the text form), [`cfg`], [`dominators`], [`loops`].

pub mod ir;
pub mod build;
pub mod lower;
mod uses;
pub mod verify;
mod words;
pub mod print;
pub mod cfg;
pub mod dominators;
pub mod read;
pub mod loops;
