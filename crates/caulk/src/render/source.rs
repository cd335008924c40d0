//! Lines of source files for excerpts, read when the first finding needs them.
//!
//! The file was read once already, by the analysis; it may be gone or changed by now. What is missing is
//! `None`, and the report goes on without the excerpt.

use std::path::{Path, PathBuf};

use caulk_driver::Place;
use rustc_hash::FxHashMap;

/// Larger files get no excerpts: nobody reads them, and they would be held in memory beside the report.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The files of a report by the names in it.
pub(crate) struct Sources {
    /// What relative names are relative to.
    here: PathBuf,
    files: FxHashMap<String, Option<Source>>,
}

/// One file.
struct Source {
    text: Vec<u8>,
    line_starts: Vec<usize>,
}

/// A place in a line of text.
pub(crate) struct Spot {
    /// The line without its end, as text: bytes of other encodings are replaced.
    pub(crate) line: String,
    /// The place, in bytes of `line`, at the boundary of a character.
    pub(crate) at: usize,
}

impl Spot {
    /// The column as people and editors count it: characters, from 1.
    pub(crate) fn column(&self) -> usize {
        self.line[..self.at].chars().count() + 1
    }
}

impl Sources {
    pub(crate) fn new(here: &Path) -> Sources {
        Sources { here: here.to_owned(), files: FxHashMap::default() }
    }

    /// The line of a place; `None` if the file is not there or has no such line and column.
    pub(crate) fn spot(&mut self, place: &Place) -> Option<Spot> {
        let line = self.file(&place.file)?.line(place.line)?;
        let column = (place.column as usize).checked_sub(1)?;
        // One past the end is where a missing semicolon would be; further is another file than we read.
        (column <= line.len()).then(|| decode(line, column))
    }

    /// Lines as text, from `first` to `last`, both from 1.
    pub(crate) fn lines(&mut self, file: &str, first: u32, last: u32) -> Option<Vec<String>> {
        let source = self.file(file)?;
        (first..=last).map(|number| Some(decode(source.line(number)?, 0).line)).collect()
    }

    fn file(&mut self, name: &str) -> Option<&Source> {
        if !self.files.contains_key(name) {
            let source = read(&self.here.join(name));
            self.files.insert(name.to_owned(), source);
        }
        self.files.get(name)?.as_ref()
    }
}

fn read(path: &Path) -> Option<Source> {
    // A device or pipe of that name would be read for ever.
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    let newlines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
    Some(Source { text, line_starts })
}

impl Source {
    /// A line, from 1, without its end.
    fn line(&self, number: u32) -> Option<&[u8]> {
        let index = (number as usize).checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Bytes as text, and where in it a byte of theirs is: at the character that the byte is part of.
fn decode(bytes: &[u8], at: usize) -> Spot {
    let mut spot = Spot { line: String::with_capacity(bytes.len()), at: 0 };
    let mut read = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if read <= at {
                spot.at = spot.line.len();
            }
            read += c.len_utf8();
            spot.line.push(printable(c));
        }
        if !chunk.invalid().is_empty() {
            if read <= at {
                spot.at = spot.line.len();
            }
            read += chunk.invalid().len();
            spot.line.push(char::REPLACEMENT_CHARACTER);
        }
    }
    if read <= at {
        spot.at = spot.line.len();
    }
    spot
}

/// The character, or one in its place that no terminal obeys. The renderer itself shows tabs, the controls of
/// ASCII and those of text direction; the second set of controls it lets through.
fn printable(c: char) -> char {
    match c {
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => char::REPLACEMENT_CHARACTER,
        '\r' => ' ',
        other => other,
    }
}

/// Names and messages on one line, without anything that a terminal obeys.
pub(crate) fn clean(text: &str) -> String {
    let one_line: String = text.chars().map(|c| if c == '\n' { ' ' } else { printable(c) }).collect();
    annotate_snippets::normalize_untrusted_str(&one_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_any_encoding() {
        let cases: [(&[u8], usize, &str, usize); 7] = [
            (b"int a;", 4, "int a;", 4),
            ("caf\u{e9} = p".as_bytes(), 8, "caf\u{e9} = p", 8),
            // In the middle of a character: at its start.
            ("\u{e9}p".as_bytes(), 1, "\u{e9}p", 0),
            (b"\xe9p", 1, "\u{fffd}p", 3),
            (b"\xff\xfe\xfd", 3, "\u{fffd}\u{fffd}\u{fffd}", 9),
            (b"", 0, "", 0),
            (b"a\xc2\x9bb", 3, "a\u{fffd}b", 4),
        ];
        for (bytes, at, line, expected) in cases {
            let spot = decode(bytes, at);
            assert_eq!((spot.line.as_str(), spot.at), (line, expected), "{bytes:?}");
            assert!(spot.line.is_char_boundary(spot.at));
        }
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(decode("\t\u{e9}\u{e9} p".as_bytes(), 6).column(), 5);
    }

    #[test]
    fn messages_stay_on_their_line() {
        assert_eq!(clean("a\nb\tc\u{1b}[0m\u{9b}"), "a b    c\u{241b}[0m\u{fffd}");
    }
}
