//! What happens to a command line before its options are read: response files and wrappers.

use std::path::Path;

use crate::shell;

/// Deeper than any build nests them; a file that names itself ends here. Beyond it the `@file` word
/// stays as it is, so its flags are missing.
const MAX_RESPONSE_DEPTH: usize = 16;
const MAX_RESPONSE_WORDS: usize = 1 << 20;

/// Replaces each `@file` by the words of that file. As in gcc, a file that cannot be read stays a word.
pub(super) fn response_files(arguments: &[String], directory: &Path, warnings: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::with_capacity(arguments.len());
    expand_into(arguments, directory, 0, &mut words, warnings);
    words
}

fn expand_into(
    arguments: &[String],
    directory: &Path,
    depth: usize,
    words: &mut Vec<String>,
    warnings: &mut Vec<String>,
) {
    for argument in arguments {
        let Some(name) = argument.strip_prefix('@').filter(|name| !name.is_empty()) else {
            words.push(argument.clone());
            continue;
        };
        let path = directory.join(name);
        if depth == MAX_RESPONSE_DEPTH || words.len() > MAX_RESPONSE_WORDS {
            warnings.push(format!("{}: response files nest too deeply", path.display()));
            continue;
        }
        // Only regular files: a FIFO would never end.
        let text = path.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|_| std::fs::read(&path).ok());
        match text {
            Some(text) => {
                let inner = shell::split_response_file(&String::from_utf8_lossy(&text));
                expand_into(&inner, directory, depth + 1, words, warnings);
            }
            None => warnings.push(format!("{}: cannot read the response file", path.display())),
        }
    }
}

/// Launchers that are followed by the real compiler, perhaps after options of their own.
const LAUNCHERS: [&str; 12] = [
    "ccache",
    "distcc",
    "sccache",
    "icecc",
    "buildcache",
    "gomacc",
    "fastbuild",
    "time",
    "nice",
    "nohup",
    "exec",
    "command",
];

/// The command from its compiler on.
pub(super) fn without_wrappers(arguments: &[String]) -> &[String] {
    let mut rest = arguments;
    while let Some((first, tail)) = rest.split_first() {
        let name = first.rsplit('/').next().unwrap_or(first);
        if is_assignment(first) && !tail.is_empty() {
            rest = tail;
        } else if LAUNCHERS.contains(&name) && !tail.is_empty() {
            rest = skip_options(tail, &["-n"]);
        } else if name == "env" && !tail.is_empty() {
            rest = skip_options(tail, &["-u", "--unset", "-C", "--chdir"]);
        } else if name == "libtool" || name.ends_with("-libtool") || name == "glibtool" {
            rest = skip_options(tail, &[]);
        } else if matches!(name, "sh" | "bash" | "dash")
            && tail.first().is_some_and(|script| script.ends_with("libtool"))
        {
            rest = tail;
        } else {
            break;
        }
    }
    rest
}

/// `VAR=value`, as the shell and `env` take it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn skip_options<'a>(mut words: &'a [String], with_argument: &[&str]) -> &'a [String] {
    while let Some((first, tail)) = words.split_first() {
        if !first.starts_with('-') {
            break;
        }
        words = if with_argument.contains(&first.as_str()) { tail.get(1..).unwrap_or(&[]) } else { tail };
    }
    words
}
