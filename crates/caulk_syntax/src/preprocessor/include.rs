//! Files of the unit: where headers are found, which are open, which need not be read again.
//!
//! Directories form one chain, as with GCC: the includer's own for `"…"`, then `-iquote`, then the rest.
//! `#include_next` goes on after the link at which the current file was found. A file found
//! beside a system header, or included from one, is a system header too.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use caulk_base::{FileId, Loc, SourceFile, Symbol};
use rustc_hash::FxHashMap;

use super::Preprocessor;
use crate::config::LexMode;
use crate::lexer::LexedFile;
use crate::token::TokenKind;

/// Deeper inclusions are cycles; the `#include` is passed over with an error, and from then on every
/// file that includes itself is.
const MAX_DEPTH: usize = 200;
/// More inclusions than this are passed over with an error: files that include each other twice each
/// would go on for ever.
const MAX_INCLUSIONS: usize = 1 << 18;

const BUILTIN_DIR: &str = "<builtin>";

/// A file being read.
pub(super) struct OpenFile {
    pub(super) lexed: Arc<LexedFile>,
    /// Number in `Preprocessor::included`.
    pub(super) number: u32,
    pub(super) id: FileId,
    /// The raw location of its first byte.
    pub(super) base: u32,
    /// The next text token.
    pub(super) position: u32,
    /// The position of the next directive.
    pub(super) stop: u32,
    /// The next directive.
    pub(super) directive: u32,
    found: FoundIn,
    pub(super) is_system: bool,
}

/// Where a file was found, for `#include_next`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundIn {
    /// Not by searching: the main file, an absolute path.
    Nowhere,
    /// Beside the includer, before the chain.
    Includer,
    /// At this link of the chain.
    Link(u32),
}

#[derive(Clone)]
pub(super) struct Found {
    pub(super) lexed: Arc<LexedFile>,
    found: FoundIn,
    is_system: bool,
}

/// How a header is asked for.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) name: Symbol,
    pub(super) is_angled: bool,
    pub(super) is_next: bool,
}

/// Where a search begins, as a key: a link of the chain, or the includer's directory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Begin {
    Link(u32),
    Directory(Symbol),
}

/// What the unit knows about its files beside the open one.
pub(super) struct Unit {
    /// The files that include the current one, the main file first.
    stack: Vec<OpenFile>,
    /// Files still to be read when the stack is empty: `-include` ones, then the main file.
    queue: VecDeque<Found>,
    pub(super) main_path: PathBuf,
    /// Number in `included`, by the address of the shared file.
    numbers: FxHashMap<usize, u32>,
    /// By number in `included`: never to be read again.
    once: Vec<bool>,
    searched: FxHashMap<(Symbol, Begin), Option<Found>>,
    /// Inclusions went too deep.
    has_cycle: bool,
    /// There were too many of them.
    has_too_many: bool,
    /// By `#embed`.
    pub(super) embedded_bytes: usize,
    /// `# 1 "file" 3` and its like: from here in this inclusion on, system text or not.
    pub(super) system_marks: Vec<(Loc, FileId, bool)>,
}

impl Unit {
    pub(super) fn new(main: &LexedFile) -> Unit {
        Unit {
            stack: Vec::new(),
            queue: VecDeque::new(),
            main_path: main.source.path.clone(),
            numbers: FxHashMap::default(),
            once: Vec::new(),
            searched: FxHashMap::default(),
            has_cycle: false,
            has_too_many: false,
            embedded_bytes: 0,
            system_marks: Vec::new(),
        }
    }

    /// How many files include the current one.
    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn mark_once(&mut self, number: u32) {
        self.once[number as usize] = true;
    }
}

impl OpenFile {
    /// A file with nothing to read.
    pub(super) fn nothing(lexed: Arc<LexedFile>) -> OpenFile {
        let directive = lexed.directives.len() as u32 - 1;
        let position = lexed.tokens.len() as u32 - 1;
        OpenFile {
            lexed,
            number: 0,
            id: FileId(0),
            base: 0,
            position,
            stop: position,
            directive,
            found: FoundIn::Nowhere,
            is_system: false,
        }
    }

    /// Goes on at a directive.
    #[inline]
    pub(super) fn go_to(&mut self, directive: u32) {
        self.directive = directive;
        self.stop = self.lexed.directives[directive as usize].position;
    }

    /// Goes on at a directive, leaving out all before it.
    pub(super) fn skip_to(&mut self, directive: u32) {
        self.go_to(directive);
        self.position = self.stop;
    }
}

impl<'f> Preprocessor<'f> {
    /// Runs what defines macros before the text and lines up the files.
    pub(super) fn schedule(&mut self, main: Arc<LexedFile>) {
        let mode = self.config.dialect.lex_mode();
        let predefined = shared(&self.config.predefined, "<built-in>", mode);
        self.run_for_macros(Found { lexed: predefined, found: FoundIn::Nowhere, is_system: true });
        if !self.config.command_line.is_empty() {
            let source = SourceFile::new("<command-line>".into(), self.config.command_line.as_bytes().into());
            let lexed = Arc::new(LexedFile::new(Arc::new(source), mode));
            self.run_for_macros(Found { lexed, found: FoundIn::Nowhere, is_system: false });
        }
        for path in &self.config.macro_files {
            if let Some(found) = self.find_forced(path) {
                self.run_for_macros(found);
            }
        }
        for path in &self.config.forced_includes {
            if let Some(found) = self.find_forced(path) {
                self.unit.queue.push_back(found);
            }
        }
        self.unit.queue.push_back(Found { lexed: main, found: FoundIn::Nowhere, is_system: false });
        self.leave_file();
    }

    fn run_for_macros(&mut self, found: Found) {
        self.open(found, Loc::NONE);
        while self.next().kind != TokenKind::End {}
    }

    /// A file of the command line: as named, else as an `#include "…"` of the main file would find it.
    fn find_forced(&mut self, path: &Path) -> Option<Found> {
        let mode = self.config.dialect.lex_mode();
        if let Some(lexed) = self.files.load(path, mode) {
            return Some(Found { lexed, found: FoundIn::Nowhere, is_system: false });
        }
        let name = path.to_string_lossy();
        let found = self.search_chain(&name, 0);
        if found.is_none() {
            self.missing_headers.push(super::MissingHeader { name: name.into_owned(), loc: Loc::NONE });
        }
        found
    }

    /// The header, wherever it is; looked for once per unit.
    pub(super) fn search(&mut self, request: Request) -> Option<Found> {
        let name = request.name.as_str();
        let mode = self.config.dialect.lex_mode();
        if Path::new(name).is_absolute() {
            let lexed = self.files.load(Path::new(name), mode)?;
            return Some(Found { lexed, found: FoundIn::Nowhere, is_system: false });
        }
        let quote_dirs = self.config.quote_dirs.len() as u32;
        let begin = match self.current.found {
            FoundIn::Link(link) if request.is_next => Begin::Link(link + 1),
            FoundIn::Includer if request.is_next => Begin::Link(0),
            _ if request.is_angled => Begin::Link(quote_dirs),
            _ => Begin::Directory(self.current.lexed.directory),
        };
        let key = (request.name, begin);
        if let Some(found) = self.unit.searched.get(&key) {
            return found.clone();
        }
        let found = match begin {
            Begin::Link(link) => self.search_chain(name, link),
            Begin::Directory(directory) => {
                let beside = Path::new(directory.as_str()).join(name);
                let lexed = match self.builtin_header(directory.as_str(), name) {
                    Some(lexed) => Some(lexed),
                    None => self.files.load(&beside, mode),
                };
                match lexed {
                    Some(lexed) => Some(Found { lexed, found: FoundIn::Includer, is_system: false }),
                    None => self.search_chain(name, 0),
                }
            }
        };
        self.unit.searched.insert(key, found.clone());
        found
    }

    fn search_chain(&self, name: &str, from: u32) -> Option<Found> {
        let mode = self.config.dialect.lex_mode();
        let chain = self.config.quote_dirs.iter().chain(&self.config.dirs);
        for (link, dir) in chain.enumerate().skip(from as usize) {
            let lexed = match dir.path.to_str() {
                Some(BUILTIN_DIR) => self.builtin_header(BUILTIN_DIR, name),
                _ => self.files.load(&dir.path.join(name), mode),
            };
            if let Some(lexed) = lexed {
                return Some(Found { lexed, found: FoundIn::Link(link as u32), is_system: dir.is_system });
            }
        }
        None
    }

    fn builtin_header(&self, directory: &str, name: &str) -> Option<Arc<LexedFile>> {
        if directory != BUILTIN_DIR {
            return None;
        }
        let (_, text) = self.config.builtin_headers.iter().find(|(header, _)| *header == name)?;
        Some(shared(text, &format!("{BUILTIN_DIR}/{name}"), self.config.dialect.lex_mode()))
    }

    /// Includes a file, unless reading it again would change nothing.
    pub(super) fn include(&mut self, found: Found, directive: Loc, is_import: bool) {
        let known = self.unit.numbers.get(&address(&found.lexed)).copied();
        if found.lexed.guard.is_some_and(|guard| self.macros.is_macro(guard.0)) {
            return;
        }
        if known.is_some_and(|number| is_import || self.unit.once[number as usize]) {
            return;
        }
        if found.lexed.has_once && self.has_once_twin(&found.lexed) {
            return;
        }
        let number = self.number_of(&found.lexed);
        if self.is_too_much(number, directive) {
            return;
        }
        if is_import {
            self.unit.mark_once(number);
        }
        self.open(found, directive);
    }

    /// Whether including the file would not come to an end.
    fn is_too_much(&mut self, number: u32, directive: Loc) -> bool {
        let is_open = |file: &OpenFile| file.number == number;
        if self.unit.has_cycle && (is_open(&self.current) || self.unit.stack.iter().any(is_open)) {
            return true;
        }
        let inclusions = self.map.inclusions().len();
        if self.unit.depth() >= MAX_DEPTH {
            self.unit.has_cycle = true;
            self.error(directive, format!("#include nested more than {MAX_DEPTH} deep"));
            return true;
        }
        if inclusions >= MAX_INCLUSIONS && !std::mem::replace(&mut self.unit.has_too_many, true) {
            self.error(directive, format!("more than {MAX_INCLUSIONS} files included; the rest is left out"));
        }
        inclusions >= MAX_INCLUSIONS
    }

    /// Whether the same text under another path was already marked as once only, as GCC compares.
    fn has_once_twin(&self, lexed: &LexedFile) -> bool {
        let source = &lexed.source;
        self.included.iter().zip(&self.unit.once).any(|(other, &once)| {
            once && other.source.path.file_name() == source.path.file_name() && other.source.text == source.text
        })
    }

    fn number_of(&mut self, lexed: &Arc<LexedFile>) -> u32 {
        let key = address(lexed);
        if let Some(&number) = self.unit.numbers.get(&key) {
            return number;
        }
        let number = self.included.len() as u32;
        self.included.push(lexed.clone());
        self.unit.numbers.insert(key, number);
        self.unit.once.push(false);
        number
    }

    fn open(&mut self, found: Found, from: Loc) {
        let number = self.number_of(&found.lexed);
        let is_nested = !from.is_none();
        let is_system = found.is_system || is_nested && self.current.is_system;
        let Some(id) = self.map.enter(found.lexed.source.clone(), from, is_system) else {
            self.error(from, "the translation unit is larger than two gigabytes; a header is left out");
            return;
        };
        let first = found.lexed.directives[0].position;
        let file = OpenFile {
            lexed: found.lexed,
            number,
            id,
            base: self.map.base(id).to_raw(),
            position: 0,
            stop: first,
            directive: 0,
            found: found.found,
            is_system,
        };
        let outer = std::mem::replace(&mut self.current, file);
        if is_nested {
            self.unit.stack.push(outer);
        }
    }

    /// At the end of a file: back to its includer, or on to the next file. False at the end of the
    /// unit.
    pub(super) fn leave_file(&mut self) -> bool {
        if let Some(outer) = self.unit.stack.pop() {
            self.current = outer;
            return true;
        }
        match self.unit.queue.pop_front() {
            Some(found) => {
                self.open(found, Loc::NONE);
                true
            }
            None => false,
        }
    }
}

fn address(lexed: &Arc<LexedFile>) -> usize {
    Arc::as_ptr(lexed) as usize
}

type SharedTexts = FxHashMap<(String, LexMode), Vec<Arc<LexedFile>>>;

/// Texts that come with the configuration rather than from [`Files`](crate::Files): lexed once per
/// process. There are as many as there are targets and builtin headers.
static SHARED: LazyLock<Mutex<SharedTexts>> = LazyLock::new(Mutex::default);

fn shared(text: &str, path: &str, mode: LexMode) -> Arc<LexedFile> {
    let mut texts = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let same_name = texts.entry((path.to_string(), mode)).or_default();
    if let Some(lexed) = same_name.iter().find(|lexed| *lexed.source.text == *text.as_bytes()) {
        return lexed.clone();
    }
    let source = SourceFile::new(path.into(), text.as_bytes().into());
    let lexed = Arc::new(LexedFile::new(Arc::new(source), mode));
    same_name.push(lexed.clone());
    lexed
}
