//! The built program, run on files of our own.

mod check;
mod commands;
mod database;
mod determinism;
mod robustness;
mod sandbox;
