//! Paths as people read them.

use std::path::{Component, Path, PathBuf};

/// Joined to the current directory and normalised.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    normalized(&here.join(path))
}

/// Without `.` and `x/..`. By the text alone, so not for opening files: `x` may be a symbolic link.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                let can_pop = matches!(result.components().next_back(), Some(Component::Normal(_)));
                if can_pop {
                    result.pop();
                } else if !result.has_root() {
                    result.push("..");
                }
            }
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::normalized;
    use std::path::Path;

    #[test]
    fn dots_go_away() {
        for (from, to) in
            [("/a/./b/../c", "/a/c"), ("/..", "/"), ("../a", "../a"), ("a/../..", ".."), ("/a//b/", "/a/b")]
        {
            assert_eq!(normalized(Path::new(from)), Path::new(to), "{from}");
        }
    }
}
