//! Chores of this repository that are more than `cargo test`: `cargo xtask <task>`.

mod bench;
mod corpus;
mod fuzz;
mod leakfix;
mod suites;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((task, rest)) if task == "corpus" => corpus::run(rest),
        Some((task, rest)) if task == "bench" => bench::run(rest),
        Some((task, rest)) if task == "fuzz" => fuzz::run(rest),
        Some((task, rest)) if task == "leakfix" => leakfix::run(rest),
        Some((task, rest)) if task == "suites" => suites::run(rest),
        _ => {
            let usages = [corpus::USAGE, bench::USAGE, fuzz::USAGE, leakfix::USAGE, suites::USAGE];
            Err(format!("usage: cargo xtask <task>\n\n{}", usages.join("\n\n")))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
