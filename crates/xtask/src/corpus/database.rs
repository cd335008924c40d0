//! `compile_commands.json`, in the form with an argument list: no shell quoting to get wrong.

use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// One compilation of one file. The order of the fields is the order in the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Command {
    pub(crate) directory: PathBuf,
    /// Absolute. The argument list names it as the build did.
    pub(crate) file: PathBuf,
    pub(crate) arguments: Vec<String>,
}

pub(super) fn path(root: &Path) -> PathBuf {
    root.join("compile_commands.json")
}

pub(crate) fn load(root: &Path) -> Result<Vec<Command>, String> {
    let path = path(root);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Written aside and renamed, because the file marks a finished fetch.
pub(crate) fn store(root: &Path, commands: &[Command]) -> Result<(), String> {
    let path = path(root);
    let draft = path.with_extension("draft");
    let text = serde_json::to_string_pretty(commands).map_err(|error| error.to_string())?;
    fs::write(&draft, text)
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Lines of the distinct files: a file compiled three times is still one text.
pub(crate) fn lines(commands: &[Command]) -> usize {
    let mut seen = FxHashSet::default();
    let distinct = commands.iter().map(|command| &command.file).filter(|file| seen.insert(*file));
    distinct.map(|file| fs::read(file).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count())).sum()
}
