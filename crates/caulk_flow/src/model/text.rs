//! Tokens of the modelling language, with their positions.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name or a word of the language; the parser decides by where it stands.
    Word(&'t str),
    Int(i64),
    /// The text between the quotes; there are no escapes.
    Text(&'t str),
    /// Punctuation, spelled as in C.
    Punct(&'static str),
    /// A character, number or quote that starts no token.
    Bad(&'t str),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Int(number) => write!(f, "`{number}`"),
            Token::Text(text) => write!(f, "\"{text}\""),
            Token::Punct(punct) => write!(f, "`{punct}`"),
            Token::Bad(text) => write!(f, "`{text}`, which starts nothing in this language"),
            Token::End => f.write_str("the end of the file"),
        }
    }
}

/// A line and column, from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// The tokens of a text; always ends with [`Token::End`].
pub(super) fn tokens(text: &str) -> Vec<(Token<'_>, Position)> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut position = Position { line: 1, column: 1 };
    loop {
        let rest = &text[offset..];
        let blank = blank_length(rest);
        advance(&mut position, &rest[..blank]);
        let (token, length) = first_token(&rest[blank..]);
        found.push((token, position));
        if token == Token::End {
            return found;
        }
        advance(&mut position, &rest[blank..blank + length]);
        offset += blank + length;
    }
}

fn advance(position: &mut Position, passed: &str) {
    let mut line = passed;
    while let Some(end) = line.find('\n') {
        position.line += 1;
        position.column = 1;
        line = &line[end + 1..];
    }
    position.column += line.chars().count() as u32;
}

/// The length of the white space and comments at the start.
fn blank_length(text: &str) -> usize {
    let mut rest = text.trim_start();
    while rest.starts_with("//") {
        rest = rest.find('\n').map_or("", |end| rest[end..].trim_start());
    }
    text.len() - rest.len()
}

fn first_token(text: &str) -> (Token<'_>, usize) {
    let Some(first) = text.chars().next() else { return (Token::End, 0) };
    if is_name_start(first) {
        let length = text.find(|c| !is_name_part(c)).unwrap_or(text.len());
        return (Token::Word(&text[..length]), length);
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        let sign = text.len() - digits.len();
        let length = sign + digits.find(|c| !is_name_part(c)).unwrap_or(digits.len());
        let token = parse_integer(&text[..length]).map_or(Token::Bad(&text[..length]), Token::Int);
        return (token, length);
    }
    if first == '"' {
        // A text ends on its line, so that a forgotten quote does not swallow the file.
        let line = text[1..].find('\n').map_or(&text[1..], |end| &text[1..1 + end]);
        return match line.find('"') {
            Some(length) => (Token::Text(&line[..length]), length + 2),
            None => (Token::Bad(&text[..1]), 1),
        };
    }
    match punctuation(text.as_bytes()) {
        Some(punct) => (Token::Punct(punct), punct.len()),
        None => (Token::Bad(&text[..first.len_utf8()]), first.len_utf8()),
    }
}

fn punctuation(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'.', b'.', b'.', ..] => "...",
        [b'-', b'>', ..] => "->",
        [b'=', b'=', ..] => "==",
        [b'!', b'=', ..] => "!=",
        [b'<', b'=', ..] => "<=",
        [b'>', b'=', ..] => ">=",
        [b'&', b'&', ..] => "&&",
        [b'(', ..] => "(",
        [b')', ..] => ")",
        [b'{', ..] => "{",
        [b'}', ..] => "}",
        [b'[', ..] => "[",
        [b']', ..] => "]",
        [b',', ..] => ",",
        [b';', ..] => ";",
        [b'=', ..] => "=",
        [b'<', ..] => "<",
        [b'>', ..] => ">",
        [b'*', ..] => "*",
        [b'.', ..] => ".",
        _ => return None,
    })
}

fn parse_integer(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let magnitude = match digits.strip_prefix("0x") {
        Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::{Position, Token, tokens};

    #[test]
    fn tokens_have_positions_and_comments_have_none() {
        let found = tokens("a // b\n  ->-1 0x10\"x y\"...");
        let texts: Vec<Token> = found.iter().map(|(token, _)| *token).collect();
        assert_eq!(
            texts,
            [
                Token::Word("a"),
                Token::Punct("->"),
                Token::Int(-1),
                Token::Int(16),
                Token::Text("x y"),
                Token::Punct("..."),
                Token::End
            ]
        );
        assert_eq!(found[1].1, Position { line: 2, column: 3 });
    }

    #[test]
    fn what_starts_no_token_is_said_and_passed() {
        let found = tokens("é 12x \"open\nb 99999999999999999999");
        let texts: Vec<Token> = found.iter().map(|(token, _)| *token).collect();
        assert_eq!(
            texts,
            [
                Token::Bad("é"),
                Token::Bad("12x"),
                Token::Bad("\""),
                Token::Word("open"),
                Token::Word("b"),
                Token::Bad("99999999999999999999"),
                Token::End
            ]
        );
    }

    #[test]
    fn the_smallest_integer_is_an_integer() {
        assert_eq!(tokens("-9223372036854775808")[0].0, Token::Int(i64::MIN));
    }
}
