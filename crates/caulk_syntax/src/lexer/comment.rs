//! White space that takes some searching: comments and line splices.

use super::scan::Scanner;

/// The length of the line end at `at`: 2 for CR LF, 1 for LF or a lone CR, 0 for anything else.
pub(super) fn newline_len(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') if text.get(at + 1) == Some(&b'\n') => 2,
        Some(b'\r') => 1,
        _ => 0,
    }
}

/// The length of the line splice at `at` (a backslash, perhaps blanks as GCC allows, a line end);
/// 0 if there is none.
pub(super) fn splice_len(text: &[u8], at: usize, trigraphs: bool) -> usize {
    let backslash = match text.get(at) {
        Some(b'\\') => 1,
        Some(b'?') if trigraphs && text[at..].starts_with(b"??/") => 3,
        _ => return 0,
    };
    let mut end = at + backslash;
    while let Some(b' ' | b'\t' | 0x0b | 0x0c) = text.get(end) {
        end += 1;
    }
    match newline_len(text, end) {
        0 => 0,
        len => end + len - at,
    }
}

/// Whether this line, without its end, ends in a splice.
fn is_spliced(line: &[u8], trigraphs: bool) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b"\\") || trigraphs && line.ends_with(b"??/")
}

impl Scanner<'_> {
    /// Moves to the end of the line on which a `//` comment starts, all its splices included.
    pub(super) fn skip_line_comment(&mut self) {
        let mut search = self.at;
        loop {
            let Some(found) = memchr::memchr2(b'\n', b'\r', &self.text[search..]) else {
                self.at = self.text.len();
                return;
            };
            let end = search + found;
            if !is_spliced(&self.text[search..end], self.mode.trigraphs) {
                self.at = end;
                return;
            }
            search = end + newline_len(self.text, end);
        }
    }

    /// Moves past the end of a block comment; `at` is after its opening `/*`, which began at `start`.
    pub(super) fn skip_block_comment(&mut self, start: usize) {
        let body = self.at;
        let mut search = body;
        loop {
            // `/` is rarer in comments than `*`, which many put in front of every line.
            let Some(found) = memchr::memchr(b'/', &self.text[search..]) else {
                self.error(start, "unterminated comment");
                self.at = self.text.len();
                return;
            };
            let slash = search + found;
            if slash > body && (self.text[slash - 1] == b'*' || self.ends_in_spliced_star(body, slash)) {
                self.at = slash + 1;
                return;
            }
            search = slash + 1;
        }
    }

    /// Whether only line splices stand between a `*` and `end`.
    fn ends_in_spliced_star(&self, body: usize, end: usize) -> bool {
        let mut end = end;
        loop {
            let last = end.checked_sub(1).filter(|&last| last >= body).map(|last| self.text[last]);
            match last {
                Some(b'*') => return true,
                Some(b'\n' | b'\r') => {
                    let line = self.text[body..end].trim_ascii_end();
                    let mark = if line.ends_with(b"\\") {
                        1
                    } else if self.mode.trigraphs && line.ends_with(b"??/") {
                        3
                    } else {
                        return false;
                    };
                    let start = body + line.len() - mark;
                    if start + splice_len(self.text, start, self.mode.trigraphs) != end {
                        return false;
                    }
                    end = start;
                }
                _ => return false,
            }
        }
    }
}
