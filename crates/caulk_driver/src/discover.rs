//! C files below a directory.

use std::path::{Path, PathBuf};

/// Directories that hold no sources of the project, whatever is in them.
const SKIPPED_NAMES: [&str; 5] = ["CMakeFiles", "autom4te.cache", "node_modules", "__pycache__", "meson-private"];

/// Files that mark a directory as the output of a build.
const BUILD_MARKS: [&str; 4] = ["CMakeCache.txt", "CACHEDIR.TAG", "build.ninja", ".ninja_log"];

/// The `.c` and `.i` files below a directory, in the order of their paths. Hidden directories, build
/// directories and symbolic links to directories are left out, but never the root itself.
pub(crate) fn c_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if is_searched(&path) {
                    pending.push(path);
                }
            } else if is_c(&path) && (kind.is_file() || path.is_file()) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

fn is_searched(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.')
        && !SKIPPED_NAMES.contains(&name.as_ref())
        && !BUILD_MARKS.iter().any(|mark| directory.join(mark).exists())
}

#[cfg(test)]
mod tests {
    use super::c_files;
    use std::fs;

    #[test]
    fn sources_are_found_and_builds_left_out() {
        let root = std::env::temp_dir().join(format!("caulk_discover_{}", std::process::id()));
        for file in ["b.c", "a/z.c", "a/y.i", "a/x.h", ".git/h.c", "out/CMakeCache.txt", "out/gen.c", "build/s.c"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("has one")).expect("writable");
            fs::write(path, "").expect("writable");
        }
        let found: Vec<String> = c_files(&root)
            .iter()
            .map(|path| path.strip_prefix(&root).expect("below").to_string_lossy().into_owned())
            .collect();
        fs::remove_dir_all(&root).expect("ours");
        assert_eq!(found, ["a/y.i", "a/z.c", "b.c", "build/s.c"]);
    }
}
