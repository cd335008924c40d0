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
    /// Find memory that is lost
    ///
    /// Reads C files, all C files below directories, or the entries of a compile database, and reports
    /// memory and other resources that a function loses without releasing them: where, since when, and under
    /// which conditions. Nothing is compiled or run.
    ///
    /// Findings go to standard output, everything else to standard error.
    #[command(after_help = CHECK_EXIT_CODES, after_long_help = CHECK_EXAMPLES)]
    Check {
        #[command(flatten)]
        input: Input,
        /// How findings are printed
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        #[command(flatten)]
        report: Reported,
        /// Say which functions took longest, and how long each phase
        #[arg(long)]
        stats: bool,
        #[command(flatten)]
        work: Work,
    },
    /// Print what is believed about functions: what they allocate, release and keep
    ///
    /// The text is in the language of model files: a line that is wrong can be corrected and given back with
    /// --models.
    Summary {
        #[command(flatten)]
        input: Input,
        /// Print only the functions of this name
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        #[command(flatten)]
        models: Models,
        #[command(flatten)]
        work: Work,
    },
    /// Draw the graphs that a check works on, for Graphviz
    Graph {
        #[command(flatten)]
        input: Input,
        /// Draw only the functions of this name
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Which graph
        #[arg(long, value_enum)]
        what: Graph,
        #[command(flatten)]
        models: Models,
        #[command(flatten)]
        work: Work,
    },
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

#[derive(Args, Debug)]
pub(crate) struct Models {
    /// A file that describes functions whose bodies are not there; may be given more than once
    #[arg(long = "models", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// What is reported.
#[derive(Args, Debug)]
pub(crate) struct Reported {
    #[command(flatten)]
    pub(crate) models: Models,
    /// Leave out findings that are less certain than this
    #[arg(long, value_enum, default_value_t = Certainty::High)]
    pub(crate) confidence: Certainty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Certainty {
    /// Also what is a leak only for some values of numbers that could not be followed
    Low,
    /// Only what is a leak whatever these numbers are
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Graph {
    /// Control flow, as read
    Cfg,
    /// What of it can matter to the ownership of memory
    Projection,
    /// How allocated memory travels
    Flow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

const CHECK_EXIT_CODES: &str = "\
Exit codes: 0 no leaks, 1 leaks found, 2 could not work or nothing to analyse";

const CHECK_EXAMPLES: &str = "\
Exit codes:
  0  no leaks
  1  leaks found
  2  could not work: a bad option, no file that could be read, no function in them

Examples:
  caulk check src                          every C file below src
  caulk check -p build                     every command of build/compile_commands.json
  caulk check -p build src/net             only those for files below src/net
  caulk check a.c -- -Iinclude -DNDEBUG    with flags as gcc and clang take them
  caulk check src --format json > leaks.json";
