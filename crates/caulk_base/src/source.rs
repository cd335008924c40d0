//! Where text came from.
//!
//! A [`SourceFile`] is read once per run and shared. Each translation unit has its own [`SourceMap`]:
//! one line of positions in which every *inclusion* of a file has a stretch of its own, so that a
//! [`Loc`] of four bytes names a byte of a file, the `#include` that brought it in, and, for a token
//! made by a macro, the expansion as well.
//!
//! ```c
//! #define MAKE(n) malloc(n)
//! char *p = MAKE(len + 1);
//! ```
//! `malloc`, `(` and `)` have macro locations: spelled in line 1, written by the programmer at `MAKE`
//! in line 2. The tokens of an argument (`len + 1`) keep the location they were written at.
//!
//! Invariant: stretches are handed out in increasing order and never move, so all queries are
//! binary searches.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;
use crate::{IdVec, define_id};

define_id!(
    /// An inclusion of a file in one translation unit: the same header included twice has two.
    FileId, "file");
define_id!(
    /// One expansion of one macro.
    ExpansionId, "x");

/// A file's text, as read: shared by all translation units.
#[derive(Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: Box<[u8]>,
    /// Made when a line is first asked for: most headers never are.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    pub fn new(path: PathBuf, text: Box<[u8]>) -> SourceFile {
        SourceFile { path, text, line_starts: OnceLock::new() }
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// Line and column of a byte, both from 1; the column counts bytes.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset);
        (line as u32, offset - starts[line - 1] + 1)
    }

    /// The text of a line, from 1, without its end.
    pub fn line_text(&self, line: u32) -> &[u8] {
        let starts = self.line_starts();
        let Some(&start) = starts.get(line.saturating_sub(1) as usize) else { return &[] };
        let end = starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_ascii_end()
    }

    pub fn line_count(&self) -> usize {
        // A text that ends in a newline has no further line after it.
        let unfinished = self.text.last().is_some_and(|&byte| byte != b'\n');
        self.line_starts().len() - usize::from(!unfinished)
    }
}

/// A position in a translation unit. Zero is "nowhere".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Loc(u32);

const MACRO_BIT: u32 = 1 << 31;

impl Loc {
    pub const NONE: Loc = Loc(0);

    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    pub fn is_macro(self) -> bool {
        self.0 & MACRO_BIT != 0
    }

    pub fn to_raw(self) -> u32 {
        self.0
    }

    pub fn from_raw(raw: u32) -> Loc {
        Loc(raw)
    }

    fn macro_number(self) -> u32 {
        self.0 & !MACRO_BIT
    }

    /// A position some bytes further on in the same text. Not for macro locations.
    pub fn offset_by(self, bytes: u32) -> Loc {
        debug_assert!(!self.is_macro());
        Loc(self.0 + bytes)
    }
}

/// How a file came into the translation unit.
#[derive(Debug)]
pub struct Inclusion {
    base: u32,
    pub file: Arc<SourceFile>,
    /// The directive; nowhere for the main file.
    pub included_from: Loc,
    /// Found in a system directory, or marked as such.
    pub is_system: bool,
}

/// One expansion of one macro.
#[derive(Debug, Clone, Copy)]
pub struct Expansion {
    pub name: Symbol,
    /// The macro's name where it was called; may itself be a macro location.
    pub call: Loc,
}

/// A position as a person reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'map> {
    pub path: &'map Path,
    pub line: u32,
    pub column: u32,
}

/// `#line` as it was met: from here on, lines count from `line` and the file is called `path`.
#[derive(Debug)]
struct LineMark {
    at: u32,
    /// What to add to the physical line.
    delta: i64,
    path: Option<PathBuf>,
}

/// All positions of one translation unit.
#[derive(Debug, Default)]
pub struct SourceMap {
    inclusions: IdVec<FileId, Inclusion>,
    end: u32,
    /// Spelling and expansion of each token that a macro made.
    macro_tokens: Vec<(Loc, ExpansionId)>,
    /// The numbers of the tokens that are left, if not all of them are.
    kept: Option<Vec<u32>>,
    expansions: IdVec<ExpansionId, Expansion>,
    line_marks: Vec<LineMark>,
    /// Text that no file holds: pasted and stringified tokens.
    scratch: Vec<(u32, Vec<u8>)>,
}

const SCRATCH_CHUNK: u32 = 1 << 14;

impl SourceMap {
    /// Forgets all tokens made by macros but those at some locations, and gives back the room that was kept for more.
    /// Headers are full of macros, and few of their tokens are ever asked for again.
    pub fn keep_only(&mut self, locs: impl IntoIterator<Item = Loc>) {
        let mut waiting: Vec<Loc> = locs.into_iter().filter(|loc| loc.is_macro()).collect();
        let mut kept: Vec<u32> = Vec::new();
        while !waiting.is_empty() {
            // Those whose calls were looked at are in order already.
            waiting.sort_unstable();
            waiting.dedup();
            waiting.retain(|loc| kept.binary_search(&loc.macro_number()).is_err());
            kept.extend(waiting.iter().map(|loc| loc.macro_number()));
            kept.sort_unstable();
            let calls = waiting.iter().filter_map(|&loc| Some(self.expansion(loc)?.call));
            waiting = calls.filter(|call| call.is_macro()).collect();
        }
        let mut tokens = Vec::with_capacity(kept.len());
        let mut expansions = IdVec::new();
        let mut renumbered: FxHashMap<ExpansionId, ExpansionId> = FxHashMap::default();
        for &number in &kept {
            let Some((spelling, expansion)) = self.macro_token(Loc(number | MACRO_BIT)) else { continue };
            let expansion = *renumbered.entry(expansion).or_insert_with(|| expansions.push(self.expansions[expansion]));
            tokens.push((spelling, expansion));
        }
        self.macro_tokens = tokens;
        self.expansions = expansions;
        self.kept = Some(kept);
        self.line_marks.shrink_to_fit();
    }

    pub fn new() -> SourceMap {
        SourceMap { end: 1, ..SourceMap::default() }
    }

    fn reserve(&mut self, len: u32) -> Option<u32> {
        let base = self.end;
        let end = base.checked_add(len)?.checked_add(1)?;
        if end >= MACRO_BIT {
            return None;
        }
        self.end = end;
        Some(base)
    }

    /// Gives a file a stretch of positions; `None` if the unit has outgrown two gigabytes of text.
    pub fn enter(&mut self, file: Arc<SourceFile>, included_from: Loc, is_system: bool) -> Option<FileId> {
        let base = self.reserve(u32::try_from(file.text.len()).ok()?)?;
        Some(self.inclusions.push(Inclusion { base, file, included_from, is_system }))
    }

    pub fn mark_system(&mut self, file: FileId) {
        self.inclusions[file].is_system = true;
    }

    /// The position of a byte of an inclusion.
    pub fn loc(&self, file: FileId, offset: u32) -> Loc {
        Loc(self.inclusions[file].base + offset)
    }

    /// The position of the first byte of an inclusion: `loc(file, n)` is this `+ n`.
    pub fn base(&self, file: FileId) -> Loc {
        Loc(self.inclusions[file].base)
    }

    pub fn inclusion(&self, file: FileId) -> &Inclusion {
        &self.inclusions[file]
    }

    pub fn inclusions(&self) -> &IdVec<FileId, Inclusion> {
        &self.inclusions
    }

    /// Keeps text that no file holds and returns where it now is; `None` if there is no room left.
    pub fn add_scratch(&mut self, text: &[u8]) -> Option<Loc> {
        let len = u32::try_from(text.len()).ok()?;
        let fits = self.scratch.last().is_some_and(|(_, chunk)| chunk.capacity() - chunk.len() >= text.len());
        if !fits {
            let size = len.max(SCRATCH_CHUNK);
            let base = self.reserve(size)?;
            self.scratch.push((base, Vec::with_capacity(size as usize)));
        }
        let (base, chunk) = self.scratch.last_mut()?;
        let loc = Loc(*base + chunk.len() as u32);
        chunk.extend_from_slice(text);
        Some(loc)
    }

    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion)
    }

    /// The location of a token that an expansion made from text spelled elsewhere; when a unit has
    /// used up all two thousand million of them, the call itself.
    pub fn macro_loc(&mut self, spelling: Loc, expansion: ExpansionId) -> Loc {
        let number = self.macro_tokens.len() as u32;
        if number >= MACRO_BIT {
            return self.expansions[expansion].call;
        }
        self.macro_tokens.push((self.spelling(spelling), expansion));
        Loc(number | MACRO_BIT)
    }

    /// Where the bytes of the token stand.
    pub fn spelling(&self, loc: Loc) -> Loc {
        self.macro_token(loc).map_or(loc, |token| token.0)
    }

    /// Spelling and expansion of a token that a macro made, unless it was forgotten.
    fn macro_token(&self, loc: Loc) -> Option<(Loc, ExpansionId)> {
        if !loc.is_macro() {
            return None;
        }
        let place = match &self.kept {
            None => loc.macro_number() as usize,
            Some(kept) => kept.binary_search(&loc.macro_number()).ok()?,
        };
        self.macro_tokens.get(place).copied()
    }

    /// The expansion that made the token, if one did.
    pub fn expansion(&self, loc: Loc) -> Option<&Expansion> {
        self.macro_token(loc).map(|token| &self.expansions[token.1])
    }

    /// Where the programmer wrote it: the token itself, or the outermost macro call that made it.
    pub fn written(&self, mut loc: Loc) -> Loc {
        while let Some(expansion) = self.expansion(loc) {
            loc = expansion.call;
        }
        loc
    }

    /// The text of a token of known length.
    pub fn text(&self, loc: Loc, len: u32) -> &[u8] {
        let at = self.spelling(loc).0;
        if let Some(inclusion) = self.inclusion_at(at) {
            let start = (at - inclusion.base) as usize;
            if start + len as usize <= inclusion.file.text.len() {
                return &inclusion.file.text[start..start + len as usize];
            }
        }
        let number = self.scratch.partition_point(|(base, _)| *base <= at);
        let Some((base, chunk)) = number.checked_sub(1).map(|n| &self.scratch[n]) else { return &[] };
        let start = (at - base) as usize;
        chunk.get(start..start + len as usize).unwrap_or(&[])
    }

    fn inclusion_at(&self, at: u32) -> Option<&Inclusion> {
        let number = self.inclusions.as_slice().partition_point(|inclusion| inclusion.base <= at);
        let inclusion = self.inclusions.as_slice().get(number.checked_sub(1)?)?;
        (at - inclusion.base <= inclusion.file.text.len() as u32).then_some(inclusion)
    }

    /// The inclusion in which the programmer wrote this.
    pub fn written_inclusion(&self, loc: Loc) -> Option<&Inclusion> {
        self.inclusion_at(self.written(loc).0)
    }

    /// File, line and column where the programmer wrote this, `#line` not heeded.
    pub fn physical_place(&self, loc: Loc) -> Option<Place<'_>> {
        let at = self.written(loc).0;
        let inclusion = self.inclusion_at(at)?;
        let (line, column) = inclusion.file.line_column(at - inclusion.base);
        Some(Place { path: &inclusion.file.path, line, column })
    }

    /// File, line and column where the programmer wrote this, as `#line` would have it called.
    pub fn place(&self, loc: Loc) -> Option<Place<'_>> {
        let at = self.written(loc).0;
        let inclusion = self.inclusion_at(at)?;
        let mut place = self.physical_place(loc)?;
        let number = self.line_marks.partition_point(|mark| mark.at <= at);
        if let Some(mark) = number.checked_sub(1).map(|n| &self.line_marks[n])
            && mark.at >= inclusion.base
        {
            place.line = u32::try_from(i64::from(place.line) + mark.delta).unwrap_or(place.line);
            if let Some(path) = &mark.path {
                place.path = path;
            }
        }
        Some(place)
    }

    /// Records `#line` (`at` is the start of the line after the directive): that line is `line` of
    /// `path`, or of the file called as before.
    pub fn mark_line(&mut self, at: Loc, line: u32, path: Option<PathBuf>) {
        let Some(inclusion) = self.inclusion_at(at.0) else { return };
        let (physical, _) = inclusion.file.line_column(at.0 - inclusion.base);
        let base = inclusion.base;
        // Kept sorted: an includer's mark may come after those of what it included.
        let number = self.line_marks.partition_point(|mark| mark.at <= at.0);
        let path = path.or_else(|| {
            let previous = number.checked_sub(1).map(|n| &self.line_marks[n])?;
            (previous.at >= base).then(|| previous.path.clone()).flatten()
        });
        let delta = i64::from(line) - i64::from(physical);
        self.line_marks.insert(number, LineMark { at: at.0, delta, path });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_with(text: &str) -> (SourceMap, FileId) {
        let mut map = SourceMap::new();
        let file = SourceFile::new("a.c".into(), text.as_bytes().into());
        let id = map.enter(Arc::new(file), Loc::NONE, false).expect("small");
        (map, id)
    }

    #[test]
    fn places_count_from_one() {
        let (map, id) = map_with("ab\ncd\n");
        let place = map.place(map.loc(id, 4)).expect("in file");
        assert_eq!((place.line, place.column), (2, 2));
        assert_eq!(map.text(map.loc(id, 3), 2), b"cd");
        assert_eq!(map.inclusion(id).file.line_count(), 2);
    }

    #[test]
    fn macro_tokens_are_written_at_the_outermost_call() {
        let (mut map, id) = map_with("#define A x\n#define B A\nB\n");
        let outer = map.add_expansion(Expansion { name: Symbol::intern("B"), call: map.loc(id, 24) });
        let inner_name = map.macro_loc(map.loc(id, 22), outer);
        let inner = map.add_expansion(Expansion { name: Symbol::intern("A"), call: inner_name });
        let x = map.macro_loc(map.loc(id, 10), inner);
        assert_eq!(map.text(x, 1), b"x");
        assert_eq!(map.place(x).expect("in file").line, 3);
    }

    #[test]
    fn tokens_that_are_kept_keep_their_calls() {
        let (mut map, id) = map_with("#define A x\n#define B A\nB B\n");
        let mut expand = |call: u32| {
            let outer = map.add_expansion(Expansion { name: Symbol::intern("B"), call: map.loc(id, call) });
            let inner_name = map.macro_loc(map.loc(id, 22), outer);
            let inner = map.add_expansion(Expansion { name: Symbol::intern("A"), call: inner_name });
            map.macro_loc(map.loc(id, 10), inner)
        };
        let (first, second) = (expand(24), expand(26));
        map.keep_only([second, map.loc(id, 0)]);
        assert_eq!((map.text(second, 1), map.macro_tokens.len(), map.expansions.len()), (&b"x"[..], 2, 2));
        assert_eq!(map.place(second).expect("in file").column, 3);
        assert_eq!(map.place(first), None);
    }

    #[test]
    fn scratch_text_is_found_again() {
        let (mut map, id) = map_with("x");
        let first = map.add_scratch(b"pasted").expect("room");
        let second = map.add_scratch(b"again").expect("room");
        assert_eq!(map.text(first, 6), b"pasted");
        assert_eq!(map.text(second, 5), b"again");
        assert_eq!(map.text(map.loc(id, 0), 1), b"x");
    }

    #[test]
    fn line_marks_hold_until_the_next() {
        let (mut map, id) = map_with("a\n#line 100 \"g.y\"\nb\nc\n");
        map.mark_line(map.loc(id, 18), 100, Some("g.y".into()));
        let place = map.place(map.loc(id, 20)).expect("in file");
        assert_eq!((place.path, place.line), (Path::new("g.y"), 101));
        assert_eq!(map.place(map.loc(id, 0)).expect("in file").line, 1);
        assert_eq!(map.physical_place(map.loc(id, 20)).expect("in file").line, 4);
    }
}
