//! The built program, run on files of our own.

mod check;
mod commands;
mod database;
mod determinism;
mod graph;
mod manual;
mod robustness;
mod sandbox;
