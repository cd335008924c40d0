//! Reads `clang -Xclang -ast-dump` and lists the functions defined in it.
//!
//! ```text
//! |-FunctionDecl 0x1 <a.c:4:1, line:6:1> line:4:5 used f 'int (int)'
//! | |-ParmVarDecl 0x2 <col:7, col:11> col:11 used x 'int'
//! | `-CompoundStmt 0x3 <col:14, line:6:1>
//! ```
//!
//! A definition is a function at the first level with a body at the second. A position names its file only where it
//! differs from that of the position printed before it, on whatever line that was; so every line's positions are read.
//! The dump can have hundreds of megabytes, hence bytes and one pass.

use std::collections::BTreeSet;
use std::io::{self, BufRead};

/// The names of the functions defined in the dump, without those in the compiler's own headers: a tool brings its own
/// version of these.
pub(super) fn definitions(mut dump: impl BufRead) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut file: Vec<u8> = Vec::new();
    // The function at the first level whose children are being read.
    let mut open: Option<String> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if dump.read_until(b'\n', &mut line)? == 0 {
            return Ok(names);
        }
        let Some((depth, node)) = split_depth(&line) else { continue };
        let rest = read_positions(node, &mut file);
        if depth == 1 {
            let is_function = node.starts_with(b"FunctionDecl ") && !is_compiler_header(&file);
            open = if is_function { name(rest) } else { None };
        } else if depth == 2 && node.starts_with(b"CompoundStmt ") {
            names.extend(open.take());
        }
    }
}

/// Splits `| | |-Node` into 3 and `Node`. Text that is no node, as from a pragma's dump, gives `None`.
fn split_depth(line: &[u8]) -> Option<(usize, &[u8])> {
    let mut depth = 0;
    let mut rest = line;
    loop {
        match rest {
            [b'|' | b'`', b'-', node @ ..] => return Some((depth + 1, node)),
            [b'|' | b' ', b' ', deeper @ ..] => {
                depth += 1;
                rest = deeper;
            }
            _ => return None,
        }
    }
}

/// Follows the positions of `Kind 0x1 [prev 0x2] <range> [position] …`; returns what comes after them.
fn read_positions<'a>(node: &'a [u8], file: &mut Vec<u8>) -> &'a [u8] {
    let Some(start) = node.iter().position(|byte| *byte == b'<') else { return node };
    // A type or a name can also contain `<`, but only behind the address and its range.
    if node[..start].contains(&b'\'') {
        return node;
    }
    let mut rest = &node[start + 1..];
    loop {
        rest = read_position(rest, b",>", file);
        match rest {
            [b',', b' ', more @ ..] => rest = more,
            [b'>', b' ', more @ ..] => return read_position(more, b" ", file),
            _ => return rest,
        }
    }
}

/// Reads one position, up to one of `ends`: `path:1:2`, `line:1:2`, `col:2`, or something in angle brackets.
fn read_position<'a>(text: &'a [u8], ends: &[u8], file: &mut Vec<u8>) -> &'a [u8] {
    let unreal =
        if text.first() == Some(&b'<') { text.iter().position(|byte| *byte == b'>').map_or(0, |at| at + 1) } else { 0 };
    let end = text[unreal..].iter().position(|byte| ends.contains(byte)).map_or(text.len(), |at| at + unreal);
    let position = &text[..end];
    if position.starts_with(b"line:") || position.starts_with(b"col:") {
        return &text[end..];
    }
    let Some(path) = strip_number(position).and_then(strip_number) else {
        // Not a position after all (an expression's type) or an invalid one: leave valid text to the caller.
        return if unreal > 0 { &text[end..] } else { text };
    };
    file.clear();
    file.extend_from_slice(path);
    &text[end..]
}

/// `a:12` to `a`.
fn strip_number(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = text.len() - digits;
    if digits > 0 && before > 1 && text[before - 1] == b':' { Some(&text[..before - 1]) } else { None }
}

/// The name in `used f 'int (int)' static`.
fn name(rest: &[u8]) -> Option<String> {
    let end = rest.windows(2).position(|pair| pair == b" '")?;
    let start = rest[..end].iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
    (start < end).then(|| String::from_utf8_lossy(&rest[start..end]).into_owned())
}

fn is_compiler_header(file: &[u8]) -> bool {
    let file = String::from_utf8_lossy(file);
    (file.contains("/lib/clang/") || file.contains("/lib/gcc/")) && file.contains("/include")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dump: &str) -> Vec<String> {
        definitions(dump.as_bytes()).expect("reading memory").into_iter().collect()
    }

    #[test]
    fn bodies_make_definitions() {
        let dump = "\
TranslationUnitDecl 0x1 <<invalid sloc>> <invalid sloc>
|-FunctionDecl 0x2 <a.c:1:1, col:9> col:5 declared 'int (void)'
|-FunctionDecl 0x2 prev 0x1 <line:2:1, line:4:1> line:2:5 used defined 'int (int)' static inline
| |-ParmVarDecl 0x3 <col:7, col:11> col:11 used x 'int'
| |-CompoundStmt 0x4 <col:14, line:4:1>
| | `-DeclStmt 0x5 <col:3, col:9>
| |   `-FunctionDecl 0x6 parent 0x1 <col:3, col:9> col:5 inner 'int (void)' extern
| `-AlwaysInlineAttr 0x7 <col:1>
|-VarDecl 0x2 <line:5:1, col:9> col:5 table 'int[2]' cinit
| `-CompoundStmt 0x4 <col:14, line:4:1>
`-FunctionDecl 0x8 <line:6:1, line:7:1> line:6:5 last 'void ()'
  `-CompoundStmt 0x9 <col:1, line:7:1>
";
        assert_eq!(names(dump), ["defined", "last"]);
    }

    #[test]
    fn the_file_is_that_of_the_position_before() {
        let dump = "\
|-TypedefDecl 0x1 <<invalid sloc>> <invalid sloc> implicit __int128_t '__int128'
|-FunctionDecl 0x2 <<scratch space>:2:1, /usr/lib/clang/19/include/x.h:3:1> line:2:5 ours_not 'int (void)'
| `-CompoundStmt 0x3 <col:1, col:2>
|-FunctionDecl 0x2 <line:8:1, /usr/include/cdefs.h:3:1> /usr/lib/clang/19/include/x.h:2:5 nor_this 'int (void)'
| `-CompoundStmt 0x3 <col:1, /src/a.c:3:4>
|   `-CStyleCastExpr 0x3 <line:92:2, col:98> 'int *' <BitCast>
`-FunctionDecl 0x2 <line:4:1, line:5:1> line:4:5 ours 'int (void)'
  `-CompoundStmt 0x3 <col:1, col:2>
";
        assert_eq!(names(dump), ["ours"]);
    }
}
