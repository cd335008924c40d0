//! How far to underline: a place is a point, and people read words.

/// Words whose whole statement is the place.
const STATEMENTS: [&str; 4] = ["return", "goto", "break", "continue"];

/// The end of what begins at `at`, in bytes of the line: a jump with its semicolon, the variable if it stands
/// there as the report spells it, else a word or a single character. `at` itself at the end of the line.
pub(crate) fn extent(line: &str, at: usize, variable: &str) -> usize {
    let rest = &line[at..];
    let word = word_length(rest);
    if STATEMENTS.contains(&&rest[..word]) {
        return at + statement_length(rest);
    }
    // `data->req.newurl`, but not the `p` of `print`.
    if variable.len() > word && rest.starts_with(variable) && word_length(&rest[variable.len()..]) == 0 {
        return at + variable.len();
    }
    let shortest = rest.chars().next().map_or(0, char::len_utf8);
    at + word.max(shortest)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len())
}

/// Through the semicolon; without one on this line, to where code ends.
fn statement_length(text: &str) -> usize {
    let mut quote = None;
    let mut is_escaped = false;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ';') => return at + 1,
            (None, '/' | '*') if previous == '/' => return text[..at - 1].trim_end().len(),
            (None, _) => {}
        }
        previous = c;
    }
    text.trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::extent;

    #[test]
    fn underlines_what_people_read() {
        let cases = [
            ("    return -1;", "return", "p", "return -1;"),
            ("return f(\"a;\\\"b\", ';');  // done;", "return", "p", "return f(\"a;\\\"b\", ';');"),
            ("return a +   // first", "return", "p", "return a +"),
            ("return a / b /* why */", "return", "p", "return a / b"),
            ("goto out; x = 1;", "goto", "p", "goto out;"),
            ("returned = 3;", "returned", "p", "returned"),
            ("  data->req.newurl = 0;", "data", "data->req.newurl", "data->req.newurl"),
            ("  data->req.newurls = 0;", "data", "data->req.newurl", "data"),
            ("print(p);", "print", "p", "print"),
            ("}", "}", "p", "}"),
            ("\u{e9}t\u{e9} = 1;", "\u{e9}", "", "\u{e9}t\u{e9}"),
            ("  (*p)++;", "(", "", "("),
        ];
        for (line, start, variable, expected) in cases {
            let at = line.find(start).expect("written there");
            assert_eq!(&line[at..extent(line, at, variable)], expected, "{line}");
        }
        assert_eq!(extent("x", 1, "x"), 1);
        assert_eq!(extent("", 0, ""), 0);
    }
}
