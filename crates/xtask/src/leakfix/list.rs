//! The leaks that were once fixed: the list of commits, and two programs from papers.

use std::path::Path;

/// One leak, as it was before its fix.
#[derive(Clone)]
pub(super) struct Leak {
    pub(super) repo: String,
    /// The commit before the fix, and the fix. A program from a paper has no second one: its leak was fixed elsewhere.
    pub(super) before: String,
    pub(super) after: Option<String>,
    pub(super) function: String,
    pub(super) variable: String,
    /// Where the lost memory comes from, in the tree before.
    pub(super) allocations: Vec<Line>,
    pub(super) kind: String,
    pub(super) explanation: String,
}

/// A line of a file, named from the root of its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) file: String,
    pub(super) line: u64,
}

impl Leak {
    /// Memory that a structure holds is lost where the structure is, which need not be the function of the fix; so these
    /// kinds are recognised by their allocation alone.
    pub(super) fn counts_anywhere(&self) -> bool {
        ["field-not-freed", "partial-free", "container-elements", "callback-context", "param-ownership"]
            .contains(&self.kind.as_str())
    }
}

const COLUMNS: [&str; 10] = [
    "repo",
    "fix_commit",
    "parent_commit",
    "file",
    "function",
    "variable",
    "alloc_lines_at_parent",
    "leak_kind",
    "interprocedural",
    "explanation",
];

/// Rows for programs that papers on leak detection report a leak in. Their fixes are not in these repositories.
const PAPERS: [[&str; 10]; 2] = [
    [
        "which",
        "-",
        "V2_16",
        "which/which.c",
        "path_search",
        "result",
        "which/which.c:285",
        "loop-continue",
        "y",
        "which 2.16: continue leaks result",
    ],
    [
        "wget",
        "-",
        "4950b4f4",
        "src/ftp-basic.c",
        "ftp_pasv",
        "respline",
        "src/ftp-basic.c:514",
        "error-path",
        "y",
        "wget 1.10.2: malformed reply leaks the response line",
    ],
];

/// The leaks of the list, in its order, then those of the papers. Their numbers count from 1.
pub(super) fn load(path: &Path) -> Result<Vec<Leak>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut leaks = parse(&text).map_err(|error| format!("{}:{error}", path.display()))?;
    for cells in PAPERS {
        leaks.push(parse_row(&cells)?);
    }
    Ok(leaks)
}

fn parse(text: &str) -> Result<Vec<Leak>, String> {
    let mut lines = (1..).zip(text.lines());
    if lines.next().is_none_or(|(_, heading)| heading.split('\t').ne(COLUMNS)) {
        return Err(format!("1: expected the columns {}", COLUMNS.join(", ")));
    }
    let rows = lines.filter(|(_, line)| !line.trim().is_empty());
    rows.map(|(number, line)| {
        let cells: Vec<&str> = line.split('\t').collect();
        parse_row(&cells).map_err(|error| format!("{number}: {error}"))
    })
    .collect()
}

fn parse_row(cells: &[&str]) -> Result<Leak, String> {
    let [repo, fix, parent, _, function, variable, allocations, kind, _, explanation] = *cells else {
        return Err(format!("{} columns instead of {}", cells.len(), COLUMNS.len()));
    };
    let allocations: Option<Vec<Line>> = allocations.split(',').map(parse_line).collect();
    Ok(Leak {
        repo: repo.to_owned(),
        before: parent.to_owned(),
        after: (fix != "-").then(|| fix.to_owned()),
        function: function.to_owned(),
        variable: variable.to_owned(),
        allocations: allocations.ok_or("allocations are FILE:LINE,FILE:LINE")?,
        kind: kind.to_owned(),
        explanation: explanation.to_owned(),
    })
}

fn parse_line(text: &str) -> Option<Line> {
    let (file, line) = text.trim().rsplit_once(':')?;
    Some(Line { file: file.to_owned(), line: line.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_leaks() {
        let row = "curl\tf1\tp1\tlib/a.c\tf\tx->y\tlib/a.c:7,lib/b.c:12\tpartial-free\ty\twhy";
        let leaks = parse(&format!("{}\n{row}\n\n", COLUMNS.join("\t"))).expect("well formed");
        let [leak] = &leaks[..] else { panic!("one row, one leak") };
        assert_eq!((leak.before.as_str(), leak.after.as_deref()), ("p1", Some("f1")));
        assert_eq!(leak.allocations[1], Line { file: "lib/b.c".to_owned(), line: 12 });
        assert!(leak.counts_anywhere());
        for cells in PAPERS {
            assert_eq!(parse_row(&cells).expect("our own rows").after, None);
        }
    }

    #[test]
    fn a_bad_row_is_named() {
        let heading = COLUMNS.join("\t");
        assert_eq!(parse("a\tb").err().as_deref().map(|error| &error[..2]), Some("1:"));
        assert_eq!(parse(&format!("{heading}\na\tb")).err().as_deref(), Some("2: 2 columns instead of 10"));
        let row = "curl\tf\tp\ta.c\tf\tx\ta.c\tmissing-free\tn\twhy";
        assert!(parse(&format!("{heading}\n{row}")).is_err());
    }
}
