//! A directory of its own for each test, and the program run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary directory, gone with its value.
pub(crate) struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("caulk_test_{}_{number}", std::process::id()));
        std::fs::create_dir_all(&root).expect("temporary directory is writable");
        // Paths in results are compared with this one.
        Sandbox { root: root.canonicalize().expect("just made") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
        std::fs::write(&path, text).expect("writable");
        path
    }

    /// Runs `caulk` with the words of a line, in the sandbox.
    pub(crate) fn run(&self, line: &str) -> Run {
        self.run_words(&line.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_words(&self, words: &[&str]) -> Run {
        let output = self.command(words).output().expect("the program starts");
        Run::new(output)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_caulk"));
        command.args(words).current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// `stats --format json --functions` of these words.
    pub(crate) fn stats(&self, line: &str) -> serde_json::Value {
        let mut words = vec!["stats", "--format", "json", "--functions"];
        words.extend(line.split_whitespace());
        let run = self.run_words(&words);
        assert_eq!(run.code, 0, "{line}: {}", run.errors);
        serde_json::from_str(&run.text).expect("JSON")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// What a run of the program left.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) text: String,
    pub(crate) errors: String,
}

impl Run {
    fn new(output: Output) -> Run {
        Run {
            // A signal is no exit code: -1 fails every expectation.
            code: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
