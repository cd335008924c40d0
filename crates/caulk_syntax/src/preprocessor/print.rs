//! Preprocessed text, as `gcc -E` prints it: tokens on the lines they come from.

use std::io::{Result, Write};
use std::path::PathBuf;

use super::Preprocessor;
use crate::token::{Token, TokenKind, flag};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// `# 12 "file"` lines wherever the place jumps.
    pub line_markers: bool,
}

/// A jump of up to this many lines forward is printed as empty lines, beyond it as a line marker.
const MAX_EMPTY_LINES: u32 = 8;

/// No line is indented further: beyond it nobody sees a difference, and a width to format is 16 bits.
const MAX_INDENT: usize = 1000;

struct Printer<'w, W> {
    out: &'w mut W,
    style: Style,
    path: PathBuf,
    line: u32,
    previous: Option<Token>,
    /// Something stands on the current line.
    is_dirty: bool,
}

/// Prints all that is left of the unit.
pub fn print(pp: &mut Preprocessor<'_>, style: Style, out: &mut impl Write) -> Result<()> {
    let mut printer = Printer { out, style, path: PathBuf::new(), line: 0, previous: None, is_dirty: false };
    loop {
        let token = pp.next();
        if token.kind == TokenKind::End {
            break;
        }
        printer.token(pp, token)?;
    }
    if printer.is_dirty {
        printer.out.write_all(b"\n")?;
    }
    Ok(())
}

impl<W: Write> Printer<'_, W> {
    fn token(&mut self, pp: &Preprocessor<'_>, token: Token) -> Result<()> {
        if token.has(flag::LINE_START) || token.kind == TokenKind::Pragma {
            self.go_to(pp, token)?;
        } else if token.has(flag::SPACE) || self.fuses(pp, token) {
            self.out.write_all(b" ")?;
        }
        if token.kind == TokenKind::Pragma {
            self.out.write_all(b"#pragma")?;
            for part in pp.pragma(&token) {
                self.out.write_all(b" ")?;
                self.out.write_all(&pp.text(part))?;
            }
            self.out.write_all(b"\n")?;
            self.line += 1;
            self.is_dirty = false;
            self.previous = None;
            return Ok(());
        }
        self.out.write_all(&pp.text(&token))?;
        self.is_dirty = true;
        self.previous = Some(token);
        Ok(())
    }

    /// Begins the line on which a token stands.
    fn go_to(&mut self, pp: &Preprocessor<'_>, token: Token) -> Result<()> {
        if std::mem::take(&mut self.is_dirty) {
            self.out.write_all(b"\n")?;
            self.line += 1;
        }
        self.previous = None;
        let Some(place) = pp.map.place(token.loc) else { return Ok(()) };
        if self.style.line_markers {
            let is_near = self.path == place.path && place.line.wrapping_sub(self.line) <= MAX_EMPTY_LINES;
            if is_near {
                for _ in self.line..place.line {
                    self.out.write_all(b"\n")?;
                }
            } else {
                let path = place.path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
                let system = if pp.is_system(token.loc) { " 3" } else { "" };
                writeln!(self.out, "# {} \"{path}\"{system}", place.line)?;
                self.path = place.path.to_path_buf();
            }
            self.line = place.line;
        }
        // Indentation helps the reader and keeps `#` from looking like a directive.
        if place.column > 1 || token.kind == TokenKind::Hash {
            let width = (place.column as usize - 1).min(MAX_INDENT).max(usize::from(token.kind == TokenKind::Hash));
            write!(self.out, "{:width$}", "")?;
        }
        Ok(())
    }

    /// Whether two tokens written side by side would read as something else.
    fn fuses(&self, pp: &Preprocessor<'_>, token: Token) -> bool {
        use TokenKind::*;
        let Some(previous) = self.previous else { return false };
        let text = pp.text(&token);
        let first = text.first().copied().unwrap_or(b' ');
        match previous.kind {
            Ident | Number => {
                matches!(token.kind, Ident | Number | Char | String)
                    || previous.kind == Number && matches!(first, b'.' | b'+' | b'-' | b'\'')
            }
            Dot => matches!(first, b'.' | b'0'..=b'9'),
            Greater | Shr => matches!(first, b'>' | b'='),
            Less | Shl => matches!(first, b'<' | b'=' | b':' | b'%'),
            Plus => matches!(first, b'+' | b'='),
            Minus => matches!(first, b'-' | b'=' | b'>'),
            Slash => matches!(first, b'/' | b'*' | b'='),
            Percent => matches!(first, b'=' | b':' | b'>'),
            Amp => matches!(first, b'&' | b'='),
            Pipe => matches!(first, b'|' | b'='),
            Colon => matches!(first, b':' | b'>'),
            Hash => matches!(first, b'#' | b'%'),
            Star | Bang | Equal | Caret => first == b'=',
            Stray => true,
            _ => false,
        }
    }
}
