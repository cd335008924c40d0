//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds memory leaks in C programs without running them.
#[derive(Parser, Debug)]
#[command(name = "caulk", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print the intermediate representation of C files
    Ir {
        #[command(flatten)]
        input: Input,
        /// Print only the functions of this name
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        #[command(flatten)]
        work: Work,
    },
    /// Print the syntax tree of a C file, without what it includes
    Ast {
        #[command(flatten)]
        input: Input,
    },
    /// Print a C file after preprocessing
    Preprocess {
        #[command(flatten)]
        input: Input,
    },
    /// Count what was read and understood, and say what was not
    Stats {
        #[command(flatten)]
        input: Input,
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// List the functions of every translation unit (JSON)
        #[arg(long)]
        functions: bool,
        #[command(flatten)]
        work: Work,
    },
}

/// What to read and how it is compiled.
#[derive(Args, Debug)]
pub(crate) struct Input {
    /// C files, or directories to search for them; with -p, which entries of the database to take
    #[arg(value_name = "PATH", required_unless_present = "database")]
    pub(crate) paths: Vec<PathBuf>,
    /// A compile_commands.json, or the directory that holds it
    #[arg(short = 'p', long = "database", value_name = "DIR")]
    pub(crate) database: Option<PathBuf>,
    /// Compiler flags for every file: -I, -D, -std= …
    #[arg(last = true, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(crate) flags: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Work {
    /// Threads to use; all cores unless given
    #[arg(short = 'j', long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}
