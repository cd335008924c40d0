//! Words out of one line, as a shell (`command` of a compile database) and as gcc (`@file`) cut them.
//!
//! Only quoting is read: no variables, no globs, no operators.

/// Splits as a POSIX shell does: single quotes are literal; in double quotes a backslash escapes
/// only `$`, `` ` ``, `"`, `\` and the line's end; outside it escapes anything.
pub(crate) fn split_command(text: &str) -> Vec<String> {
    split(text, |c| matches!(c, '$' | '`' | '"' | '\\' | '\n'))
}

/// Splits as gcc reads response files: a backslash escapes any character, in quotes too.
pub(crate) fn split_response_file(text: &str) -> Vec<String> {
    split(text, |_| true)
}

fn split(text: &str, escapes_in_double_quotes: fn(char) -> bool) -> Vec<String> {
    let is_response_file = escapes_in_double_quotes('x');
    let mut words = Vec::new();
    let mut word = String::new();
    // A word may be empty (`''`), so its presence is kept apart.
    let mut in_word = false;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                in_word = true;
            }
            (Some(open), _) if c == open => quote = None,
            (None, '\\') => {
                in_word = true;
                match chars.next() {
                    // A joined line in a shell.
                    Some('\n') if !is_response_file => {}
                    Some(escaped) => word.push(escaped),
                    None => word.push('\\'),
                }
            }
            (Some('"'), '\\') => match chars.next() {
                Some('\n') if !is_response_file => {}
                Some(escaped) if escapes_in_double_quotes(escaped) => word.push(escaped),
                Some(other) => word.extend(['\\', other]),
                None => word.push('\\'),
            },
            (Some('\''), '\\') if is_response_file => word.extend(chars.next()),
            (None, c) if c.is_ascii_whitespace() => {
                if in_word {
                    words.push(std::mem::take(&mut word));
                    in_word = false;
                }
            }
            (_, c) => {
                word.push(c);
                in_word = true;
            }
        }
    }
    if in_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{split_command, split_response_file};

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(
            split_command(r#"cc -DA="x y" '-DB="q"' -DC=\"s\" a\ b.c"#),
            ["cc", "-DA=x y", r#"-DB="q""#, r#"-DC="s""#, "a b.c"]
        );
        assert_eq!(split_command(r#""a\nb" "a\"b" '' "#), [r"a\nb", "a\"b", ""]);
        assert_eq!(split_command("  \n "), Vec::<String>::new());
        assert_eq!(split_command("a\\"), ["a\\"]);
        assert_eq!(split_command("'open"), ["open"]);
    }

    #[test]
    fn response_files_escape_everywhere() {
        assert_eq!(split_response_file("-I\"a\\nb\"\n-DX='\\''"), ["-Ianb", "-DX='"]);
    }
}
