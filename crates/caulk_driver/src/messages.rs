//! Diagnostics as plain data: where, what, and the line it is about.

use std::path::PathBuf;

use caulk_base::{Diagnostic, Loc, Severity, SourceMap};

/// Longer lines are cut in excerpts, around the place.
const EXCERPT_BYTES: usize = 160;

/// How the message about a missing header begins.
pub(crate) const MISSING_HEADER: &str = "header not found: ";

/// A diagnostic that has left its translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub severity: Severity,
    /// Empty, with line 0, if the message is about no place.
    pub path: PathBuf,
    pub line: u32,
    pub column: u32,
    pub text: String,
    /// The line of source, cut if it is long; empty if there is none.
    pub excerpt: String,
    /// Where in the excerpt the place is, in characters from 0.
    pub caret: usize,
    /// In a header of the system: nobody's fault who reads it.
    pub is_system: bool,
    /// Worth saying once in a run, whatever the place: a header that is missing everywhere.
    pub is_general: bool,
}

impl Message {
    pub(crate) fn new(map: &SourceMap, diagnostic: &Diagnostic) -> Message {
        let Diagnostic { severity, loc, ref message } = *diagnostic;
        let mut result = Message {
            severity,
            path: PathBuf::new(),
            line: 0,
            column: 0,
            text: message.clone(),
            excerpt: String::new(),
            caret: 0,
            is_system: false,
            is_general: message.starts_with(MISSING_HEADER),
        };
        if let Some(place) = map.place(loc) {
            result.path = place.path.to_owned();
            result.line = place.line;
            result.column = place.column;
        }
        result.set_excerpt(map, loc);
        result
    }

    fn set_excerpt(&mut self, map: &SourceMap, loc: Loc) {
        let (Some(inclusion), Some(place)) = (map.written_inclusion(loc), map.physical_place(loc)) else { return };
        self.is_system = inclusion.is_system;
        let line = inclusion.file.line_text(place.line);
        let at = (place.column as usize - 1).min(line.len());
        let start = at.saturating_sub(EXCERPT_BYTES / 2);
        let end = line.len().min(start + EXCERPT_BYTES);
        self.excerpt = printable(&line[start..end]);
        self.caret = printable(&line[start..at]).chars().count();
    }
}

/// Bytes of any encoding as text that cannot upset a terminal.
fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use caulk_base::SourceFile;
    use std::sync::Arc;

    fn message(text: &[u8], offset: u32) -> Message {
        let mut map = SourceMap::new();
        let file = map.enter(Arc::new(SourceFile::new("a.c".into(), text.into())), Loc::NONE, false).expect("small");
        Message::new(&map, &Diagnostic::error(map.loc(file, offset), "odd"))
    }

    #[test]
    fn the_line_and_the_place_in_it() {
        let message = message(b"int a;\n\tint b c;\n", 14);
        assert_eq!((message.line, message.column, message.excerpt.as_str()), (2, 8, " int b c;"));
        assert_eq!(message.caret, 7);
    }

    #[test]
    fn long_lines_and_odd_bytes_are_tamed() {
        let mut text = vec![b'x'; 10_000];
        text[5_000] = 0x1b;
        text[4_999] = 0xff;
        let message = message(&text, 5_000);
        assert!(message.excerpt.len() < 200 && message.caret == EXCERPT_BYTES / 2);
        assert!(!message.excerpt.contains('\u{1b}'));
    }
}
