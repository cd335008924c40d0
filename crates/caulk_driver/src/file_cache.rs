//! Files of one run: each read once, lexed once per mode, shared by all threads.
//!
//! Include search asks for many paths that do not exist, and asks again in every unit. Each spelling
//! is answered from one table after the first time, absent files too; a spelling never seen costs one
//! `stat`, or nothing if its directory is known to be absent. Measured on curl's 176 units: of 104,000
//! searches in vain 260 reach the disk, which leaves nothing for listing directories to save.
//!
//! Two spellings of one file must be one file, or `#pragma once` fails: the *directory* is resolved
//! (links and `..`), the last name is not, because a header that is itself a link looks for its
//! neighbours where the link stands.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use caulk_base::SourceFile;
use caulk_syntax::Files;
use caulk_syntax::config::LexMode;
use caulk_syntax::lexer::LexedFile;
use rustc_hash::FxHashMap;

/// Positions are four bytes and a unit holds many files. A larger file is refused, with a message.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Why a file could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LoadError {
    Missing,
    /// A directory, a FIFO, a device.
    NotAFile,
    TooLarge(u64),
    /// By the system's own words.
    Unreadable(String),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Missing => f.write_str("no such file"),
            LoadError::NotAFile => f.write_str("not a regular file"),
            LoadError::TooLarge(bytes) => write!(f, "too large: {bytes} bytes, at most {MAX_FILE_BYTES} are read"),
            LoadError::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// One file of the disk.
struct FileEntry {
    path: PathBuf,
    /// Held while the file is read and lexed, so that it happens once.
    lexed: Mutex<Vec<(LexMode, Arc<LexedFile>)>>,
}

/// All files of a run.
#[derive(Default)]
pub(crate) struct FileCache {
    /// By the path as it was asked for.
    spelled: RwLock<FxHashMap<OsString, Option<Arc<FileEntry>>>>,
    /// By directory as asked for: where it really is.
    directories: RwLock<FxHashMap<OsString, Option<Arc<Path>>>>,
    /// By real directory and name.
    entries: Mutex<FxHashMap<PathBuf, Arc<FileEntry>>>,
    bytes: Mutex<FxHashMap<PathBuf, Option<Arc<[u8]>>>>,
    /// Files that are there and could not be used.
    problems: Mutex<BTreeSet<String>>,
}

thread_local! {
    static LEX_TIME: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Time this thread has spent reading and lexing since it was last asked.
pub(crate) fn take_lex_time() -> Duration {
    LEX_TIME.take()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileCache {
    /// As [`Files::load`], saying why not.
    pub(crate) fn try_load(&self, path: &Path, mode: LexMode) -> Result<Arc<LexedFile>, LoadError> {
        let entry = self.find(path).ok_or_else(|| match path.metadata() {
            Ok(_) => LoadError::NotAFile,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => LoadError::Missing,
            Err(error) => LoadError::Unreadable(plain_words(&error)),
        })?;
        self.lexed(&entry, mode)
    }

    fn lexed(&self, entry: &FileEntry, mode: LexMode) -> Result<Arc<LexedFile>, LoadError> {
        let mut lexed = lock(&entry.lexed);
        if let Some((_, file)) = lexed.iter().find(|(known, _)| *known == mode) {
            return Ok(Arc::clone(file));
        }
        let started = Instant::now();
        // The same text in a second mode need not be read again, but that is rare.
        let text = read(&entry.path)?;
        let file = Arc::new(LexedFile::new(Arc::new(SourceFile::new(entry.path.clone(), text.into())), mode));
        LEX_TIME.set(LEX_TIME.get() + started.elapsed());
        lexed.push((mode, Arc::clone(&file)));
        Ok(file)
    }

    /// What was wrong with files that are there, in order.
    pub(crate) fn problems(&self) -> Vec<String> {
        lock(&self.problems).iter().cloned().collect()
    }

    fn note(&self, path: &Path, error: &LoadError) {
        if *error != LoadError::Missing && *error != LoadError::NotAFile {
            lock(&self.problems).insert(format!("{}: {error}", path.display()));
        }
    }

    fn find(&self, path: &Path) -> Option<Arc<FileEntry>> {
        if let Some(known) = self.spelled.read().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()) {
            return known.clone();
        }
        let found = self.resolve(path);
        let mut spelled = self.spelled.write().unwrap_or_else(PoisonError::into_inner);
        spelled.insert(path.as_os_str().to_owned(), found.clone());
        found
    }

    fn resolve(&self, path: &Path) -> Option<Arc<FileEntry>> {
        // Relative paths would mean this process's directory, which is no unit's business.
        if !path.is_absolute() {
            return None;
        }
        let real = self.real_directory(path.parent()?)?.join(path.file_name()?);
        if !real.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return None;
        }
        let mut entries = lock(&self.entries);
        let entry = entries
            .entry(real)
            .or_insert_with_key(|real| Arc::new(FileEntry { path: real.clone(), lexed: Mutex::default() }));
        Some(Arc::clone(entry))
    }

    fn real_directory(&self, directory: &Path) -> Option<Arc<Path>> {
        let key = directory.as_os_str();
        if let Some(known) = self.directories.read().unwrap_or_else(PoisonError::into_inner).get(key) {
            return known.clone();
        }
        let real = directory.canonicalize().ok().map(Arc::from);
        let mut directories = self.directories.write().unwrap_or_else(PoisonError::into_inner);
        directories.insert(key.to_owned(), real.clone());
        real
    }
}

impl Files for FileCache {
    fn load(&self, path: &Path, mode: LexMode) -> Option<Arc<LexedFile>> {
        // Not by `try_load`, which asks the disk again to say why a file is missing.
        let entry = self.find(path)?;
        self.lexed(&entry, mode).inspect_err(|error| self.note(path, error)).ok()
    }

    fn load_bytes(&self, path: &Path) -> Option<Arc<[u8]>> {
        let mut bytes = lock(&self.bytes);
        if let Some(known) = bytes.get(path) {
            return known.clone();
        }
        let text = path.metadata().is_ok_and(|metadata| metadata.is_file()).then(|| read(path));
        let text = text.and_then(|text| text.inspect_err(|error| self.note(path, error)).ok()).map(Arc::from);
        bytes.insert(path.to_owned(), text.clone());
        text
    }
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let unreadable = |error: std::io::Error| LoadError::Unreadable(plain_words(&error));
    let size = path.metadata().map_err(unreadable)?.len();
    if size > MAX_FILE_BYTES {
        return Err(LoadError::TooLarge(size));
    }
    std::fs::read(path).map_err(unreadable)
}

/// Without the number that the standard library appends.
fn plain_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    words[..1].to_lowercase() + &words[1..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("caulk_files_{name}_{}", std::process::id()));
        std::fs::create_dir_all(path.join("sub")).expect("writable");
        path
    }

    #[test]
    fn one_file_however_it_is_spelled() {
        let root = directory("spelling");
        std::fs::write(root.join("a.h"), "int a;\n").expect("writable");
        let cache = FileCache::default();
        let first = cache.load(&root.join("a.h"), LexMode::default()).expect("there");
        let again = cache.load(&root.join("sub/../a.h"), LexMode::default()).expect("there");
        assert!(Arc::ptr_eq(&first, &again));
        let other_mode = LexMode { trigraphs: true, ..LexMode::default() };
        let other = cache.load(&root.join("a.h"), other_mode).expect("there");
        assert!(!Arc::ptr_eq(&first, &other));
        assert!(cache.load(&root.join("b.h"), LexMode::default()).is_none());
        // Absence is remembered: a run sees one state of the disk.
        std::fs::write(root.join("b.h"), "").expect("writable");
        assert!(cache.load(&root.join("b.h"), LexMode::default()).is_none());
        assert_eq!(cache.load_bytes(&root.join("a.h")).as_deref(), Some(b"int a;\n".as_slice()));
        std::fs::remove_dir_all(&root).expect("ours");
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let root = directory("kinds");
        let cache = FileCache::default();
        let mode = LexMode::default();
        assert_eq!(cache.try_load(&root.join("sub"), mode).err(), Some(LoadError::NotAFile));
        assert_eq!(cache.try_load(&root.join("none/x.c"), mode).err(), Some(LoadError::Missing));
        assert!(cache.try_load(Path::new("/dev/null"), mode).is_err());
        assert!(cache.try_load(Path::new(""), mode).is_err());
        assert!(cache.load_bytes(&root).is_none());
        assert!(cache.problems().is_empty());
        std::fs::remove_dir_all(&root).expect("ours");
    }
}
