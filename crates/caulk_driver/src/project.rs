//! What is to be analysed: files and directories a user names, or the entries of a compile database.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::command_line::{CompileCommand, Language, UnitSettings};
use crate::database::{Database, DatabaseEntry};
use crate::{discover, paths};

/// Where a project is found. All of it may be empty but not both the paths and the database.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files and directories. With a database they choose among its entries.
    pub paths: Vec<PathBuf>,
    /// `compile_commands.json`, or the directory it is in.
    pub database: Option<PathBuf>,
    /// Compiler flags, added to those of the database.
    pub flags: Vec<String>,
}

/// One translation unit to analyse.
#[derive(Clone, Debug)]
pub struct UnitPlan {
    /// Absolute, as a person would write it.
    pub file: PathBuf,
    /// Its number in the compile database.
    pub command: Option<usize>,
    pub language: Language,
    pub settings: UnitSettings,
}

/// An input that is not ours to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedInput {
    pub file: PathBuf,
    pub reason: String,
}

/// Everything to analyse, in order.
#[derive(Clone, Debug, Default)]
pub struct Project {
    pub units: Vec<UnitPlan>,
    pub skipped: Vec<SkippedInput>,
    /// What the user asked for and cannot have; the rest is still there.
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

impl Project {
    /// Finds the units of a request; `Err` if the database cannot be read.
    pub fn find(request: &Request) -> Result<Project, String> {
        let mut finder = Finder {
            project: Project::default(),
            flags: CompileCommand::parse_flags(&request.flags, &paths::absolute(Path::new(""))),
        };
        finder.warn_all(finder.flags.warnings.clone());
        for input in finder.flags.inputs.clone() {
            let name = input.path.display();
            finder.warn_all([format!("{name}: a file among the compiler flags is ignored")]);
        }
        match &request.database {
            Some(path) => finder.add_database(Database::load(path, &request.flags)?, &request.paths),
            None => finder.add_paths(&request.paths),
        }
        Ok(finder.project)
    }

    /// The units by path and then by command, for whatever looks at all of them at once: its answer must not depend on
    /// the order in which they were given.
    pub(crate) fn sorted(&self) -> Project {
        let mut sorted = self.clone();
        sorted.units.sort_by(|a, b| (&a.file, &a.language, &a.settings).cmp(&(&b.file, &b.language, &b.settings)));
        sorted
    }
}

struct Finder {
    project: Project,
    flags: CompileCommand,
}

impl Finder {
    fn warn_all(&mut self, warnings: impl IntoIterator<Item = String>) {
        for warning in warnings {
            if !self.project.warnings.contains(&warning) {
                self.project.warnings.push(warning);
            }
        }
    }

    fn add_paths(&mut self, paths: &[PathBuf]) {
        let mut seen = FxHashSet::default();
        for path in paths {
            if path.is_dir() {
                let files = discover::c_files(path);
                if files.is_empty() {
                    self.project.errors.push(format!("{}: no C files in this directory", path.display()));
                }
                if path.join("compile_commands.json").is_file() {
                    let shown = path.display();
                    self.warn_all([format!("{shown}: holds a compile_commands.json; `-p {shown}` would use it")]);
                }
                for file in files {
                    if seen.insert(paths::absolute(&file)) {
                        self.add_file(&file);
                    }
                }
            } else if seen.insert(paths::absolute(path)) {
                self.add_file(path);
            }
        }
    }

    fn add_file(&mut self, path: &Path) {
        if let Err(error) = path.metadata() {
            let reason = if error.kind() == std::io::ErrorKind::NotFound {
                "no such file".to_owned()
            } else {
                error.to_string()
            };
            self.project.errors.push(format!("{}: {reason}", path.display()));
            return;
        }
        let file = paths::absolute(path);
        let language = self.flags.language_of(&file);
        let settings = self.flags.settings.clone();
        self.add(UnitPlan { file, command: None, language, settings });
    }

    fn add(&mut self, plan: UnitPlan) {
        match plan.language {
            Language::C | Language::PreprocessedC => self.project.units.push(plan),
            Language::Other(what) => {
                self.project.skipped.push(SkippedInput { file: plan.file, reason: what.to_owned() });
            }
        }
    }

    fn add_database(&mut self, database: Database, paths: &[PathBuf]) {
        self.warn_all(database.warnings.clone());
        if paths.is_empty() {
            database.entries.into_iter().for_each(|entry| self.add_entry(entry));
            return;
        }
        let mut is_taken = vec![false; database.entries.len()];
        for path in paths {
            let wanted = paths::absolute(path);
            let is_directory = path.is_dir();
            let mut found = false;
            for (entry, taken) in database.entries.iter().zip(&mut is_taken) {
                if entry.file == wanted || (is_directory && entry.file.starts_with(&wanted)) {
                    *taken = true;
                    found = true;
                }
            }
            if found {
                continue;
            }
            let shown = path.display();
            if is_directory {
                self.project.errors.push(format!("{shown}: the compile database has no file below it"));
            } else {
                self.warn_all([format!("{shown}: not in the compile database; only the given flags are used")]);
                self.add_file(path);
            }
        }
        let chosen = database.entries.into_iter().zip(is_taken).filter(|(_, taken)| *taken);
        chosen.for_each(|(entry, _)| self.add_entry(entry));
    }

    fn add_entry(&mut self, entry: DatabaseEntry) {
        let DatabaseEntry { index, file, command } = entry;
        let shown = file.display();
        if command.settings.compiler.is_other_tool {
            let reason = format!("compiled by {}", command.settings.compiler.program.display());
            self.project.skipped.push(SkippedInput { file, reason });
            return;
        }
        let language = command.language_of(&file);
        let is_ours = matches!(language, Language::C | Language::PreprocessedC);
        if is_ours && !file.is_file() {
            self.warn_all([format!("{shown}: entry {index} of the compile database, but no such file")]);
            self.project.skipped.push(SkippedInput { file, reason: "no such file".to_owned() });
            return;
        }
        self.warn_all(command.warnings);
        self.add(UnitPlan { file, command: Some(index), language, settings: command.settings });
    }
}
