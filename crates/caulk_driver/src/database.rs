//! `compile_commands.json`: how a build compiled each file.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::command_line::CompileCommand;
use crate::paths;
use crate::shell;

/// One compilation of one file.
#[derive(Clone, Debug)]
pub(crate) struct DatabaseEntry {
    /// Its place in the file, from 0.
    pub(crate) index: usize,
    /// Absolute.
    pub(crate) file: PathBuf,
    pub(crate) command: CompileCommand,
}

/// As it stands in the file. A field of the wrong type costs the entry, not the file.
#[derive(Deserialize)]
struct RawEntry {
    #[serde(default)]
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    arguments: Option<Vec<String>>,
}

/// A database, read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    pub(crate) entries: Vec<DatabaseEntry>,
    /// Entries that say nothing usable.
    pub(crate) warnings: Vec<String>,
}

impl Database {
    /// Reads the file, or the one in this directory; `extra` flags are added to every command.
    pub(crate) fn load(path: &Path, extra: &[String]) -> Result<Database, String> {
        let path = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
        let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = text.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&text);
        let values: Vec<serde_json::Value> = serde_json::from_slice(text)
            .map_err(|error| format!("{}: not a compile database: {error}", path.display()))?;
        let home = paths::absolute(path.parent().unwrap_or(Path::new("")));
        let mut database = Database { path, entries: Vec::with_capacity(values.len()), warnings: Vec::new() };
        for (index, value) in values.into_iter().enumerate() {
            match serde_json::from_value(value) {
                Ok(raw) => database.add(index, raw, &home, extra),
                Err(error) => database.warn(index, &format!("unusable: {error}")),
            }
        }
        Ok(database)
    }

    fn warn(&mut self, index: usize, message: &str) {
        self.warnings.push(format!("{}: entry {index}: {message}", self.path.display()));
    }

    fn add(&mut self, index: usize, raw: RawEntry, home: &Path, extra: &[String]) {
        // The format asks for an absolute directory; a relative one starts where the database is.
        let directory = home.join(&raw.directory);
        let mut arguments = match (raw.arguments, raw.command) {
            (Some(arguments), _) if !arguments.is_empty() => arguments,
            (_, Some(command)) => shell::split_command(&command),
            _ => Vec::new(),
        };
        if arguments.is_empty() {
            self.warn(index, "neither a command nor arguments");
            return;
        }
        arguments.extend_from_slice(extra);
        let command = CompileCommand::parse(&arguments, &directory);
        self.entries.push(DatabaseEntry { index, file: paths::normalized(&directory.join(&raw.file)), command });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(json: &str) -> Result<Database, String> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("caulk_database_{}_{number}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("writable");
        std::fs::write(directory.join("compile_commands.json"), json).expect("writable");
        let database = Database::load(&directory, &["-DEXTRA".to_owned()]);
        std::fs::remove_dir_all(&directory).expect("ours");
        database
    }

    #[test]
    fn both_forms_and_several_configurations() {
        let database = load(
            r#"[{"directory":"/b","file":"../s/a.c","command":"cc -DA='1 2' -c ../s/a.c"},
                {"directory":"/b","file":"/s/a.c","arguments":["cc","-DB","-c","/s/a.c"],"output":"x.o"}]"#,
        )
        .expect("valid");
        assert_eq!(database.entries.len(), 2);
        assert!(database.entries.iter().all(|entry| entry.file == Path::new("/s/a.c")));
        assert_eq!(database.entries[0].command.settings.macros, "#define A 1 2\n#define EXTRA 1\n");
        assert_eq!(database.entries[1].index, 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(load("[{").expect_err("broken").contains("not a compile database"));
        assert!(load("{}").expect_err("no list").contains("not a compile database"));
        let database = load(r#"[{"file":"a.c"},{"directory":1},{"directory":"","file":"b.c","command":"cc b.c"}]"#);
        let database = database.expect("a list");
        assert_eq!((database.warnings.len(), database.entries.len()), (2, 1));
        assert_eq!(database.entries[0].index, 2);
        assert!(Database::load(Path::new("/nonexistent"), &[]).is_err());
    }
}
