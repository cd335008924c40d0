//! Where `#include <…>` looks on this machine, found without running anything.
//!
//! The order is gcc's: our own headers in place of the compiler's, then the compiler's directory for
//! what we do not have (intrinsics, `omp.h`), `/usr/local/include`, the multiarch directory,
//! `/usr/include`. Only a compiler for another machine, which keeps its library where we cannot
//! guess, is asked, once a run; if it cannot answer, the machine's own directories must do.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use caulk_syntax::config::IncludeDir;
use rustc_hash::FxHashMap;

use crate::command_line::{Family, UnitSettings};
use crate::headers::{ALL_HEADERS, BUILTIN_DIRECTORY, CORE_HEADERS};

/// A compiler that takes longer to name its directories will not be waited for.
const COMPILER_PATIENCE: Duration = Duration::from_secs(10);

/// What was found on the machine; shared by a run.
#[derive(Debug, Default)]
pub(crate) struct IncludeDirs {
    /// `/usr/lib/gcc/x86_64-linux-gnu/12/include`
    gcc: Option<PathBuf>,
    /// `/usr/lib/llvm-19/lib/clang/19/include`
    clang: Option<PathBuf>,
    known: Mutex<FxHashMap<Kind, Arc<Standard>>>,
}

/// What the machine's directories depend on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kind {
    family: Family,
    is_32_bit: bool,
    is_musl: bool,
    sysroot: Option<PathBuf>,
    /// The program, if it is one for another machine.
    cross: Option<PathBuf>,
}

/// The machine's directories for one kind of unit.
#[derive(Debug, Default)]
struct Standard {
    dirs: Vec<PathBuf>,
    /// One of them holds the compiler's intrinsics.
    has_intrinsics: bool,
}

/// The search path of one unit and the headers we embed for it.
pub(crate) struct SearchPath {
    pub(crate) quote: Vec<IncludeDir>,
    pub(crate) dirs: Vec<IncludeDir>,
    pub(crate) builtin_headers: &'static [(&'static str, &'static str)],
}

impl IncludeDirs {
    pub(crate) fn find() -> IncludeDirs {
        IncludeDirs { gcc: newest(gcc_directories()), clang: newest(clang_directories()), known: Mutex::default() }
    }

    pub(crate) fn search_path(&self, settings: &UnitSettings) -> SearchPath {
        let flags = &settings.includes;
        let user = |path: &PathBuf| IncludeDir { path: path.clone(), is_system: false };
        let system = |path: &PathBuf| IncludeDir { path: path.clone(), is_system: true };
        let standard = if flags.no_standard { Arc::default() } else { self.standard(settings) };
        let mut dirs: Vec<IncludeDir> = Vec::new();
        // gcc: a directory that is also a system directory keeps only its place there.
        let is_system = |path: &PathBuf| flags.system.contains(path) || standard.dirs.contains(path);
        dirs.extend(flags.normal.iter().chain(&environment("CPATH")).filter(|path| !is_system(path)).map(user));
        dirs.extend(flags.system.iter().chain(&environment("C_INCLUDE_PATH")).map(system));
        dirs.extend(standard.dirs.iter().map(system));
        dirs.extend(flags.after.iter().map(system));
        let mut seen = rustc_hash::FxHashSet::default();
        dirs.retain(|dir| seen.insert(dir.path.clone()));
        SearchPath {
            quote: flags.quote.iter().map(user).collect(),
            dirs,
            builtin_headers: if standard.has_intrinsics { CORE_HEADERS } else { ALL_HEADERS },
        }
    }

    fn standard(&self, settings: &UnitSettings) -> Arc<Standard> {
        let kind = Kind {
            family: settings.compiler.family,
            is_32_bit: settings.machine.is_32_bit,
            is_musl: settings.compiler.is_musl,
            sysroot: settings.includes.sysroot.clone(),
            cross: settings.compiler.is_cross().then(|| settings.compiler.program.clone()),
        };
        // Held while a compiler is asked, so that it is asked once.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let standard = known.entry(kind).or_insert_with(|| {
            let dirs = self.standard_directories(settings);
            let has_intrinsics = dirs.iter().any(|dir| dir.join("xmmintrin.h").is_file());
            Arc::new(Standard { dirs, has_intrinsics })
        });
        Arc::clone(standard)
    }

    fn standard_directories(&self, settings: &UnitSettings) -> Vec<PathBuf> {
        let mut dirs = vec![PathBuf::from(BUILTIN_DIRECTORY)];
        if settings.compiler.is_cross()
            && let Some(answer) = ask_compiler(settings)
        {
            dirs.extend(answer);
            return dirs;
        }
        let own = if settings.is_clang() { self.clang.as_ref().or(self.gcc.as_ref()) } else { self.gcc.as_ref() };
        let own = own.cloned().filter(|_| settings.includes.sysroot.is_none() || !settings.compiler.is_cross());
        if settings.compiler.is_musl {
            dirs.extend(MUSL_DIRECTORIES.iter().map(PathBuf::from).filter(|dir| dir.is_dir()));
            dirs.extend(own);
            return dirs;
        }
        dirs.extend(own);
        let root = settings.includes.sysroot.as_deref().unwrap_or(Path::new("/"));
        let triples: &[&str] =
            if settings.machine.is_32_bit { &["i386-linux-gnu", "x86_64-linux-gnu"] } else { &["x86_64-linux-gnu"] };
        let multiarch = triples.iter().map(|triple| root.join("usr/include").join(triple)).find(|dir| dir.is_dir());
        dirs.push(root.join("usr/local/include"));
        dirs.extend(multiarch);
        dirs.push(root.join("usr/include"));
        dirs.push(root.join("include"));
        dirs.retain(|dir| dir.as_os_str() == BUILTIN_DIRECTORY || dir.is_dir());
        if !dirs.iter().any(|dir| dir.join("stdio.h").is_file()) {
            dirs.extend(MUSL_DIRECTORIES.iter().map(PathBuf::from).find(|dir| dir.is_dir()));
        }
        dirs
    }
}

const MUSL_DIRECTORIES: [&str; 3] =
    ["/usr/include/x86_64-linux-musl", "/usr/local/musl/include", "/usr/lib/musl/include"];

fn environment(name: &str) -> Vec<PathBuf> {
    let value = std::env::var_os(name).unwrap_or_default();
    std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn gcc_directories() -> Vec<PathBuf> {
    let roots = ["/usr/lib/gcc", "/usr/lib64/gcc", "/usr/local/lib/gcc"];
    let triples = roots.iter().flat_map(|root| children(Path::new(root)));
    let native = triples.filter(|dir| {
        let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("x86_64-") && name.contains("linux")
    });
    native.flat_map(|dir| children(&dir)).map(|version| version.join("include")).collect()
}

fn clang_directories() -> Vec<PathBuf> {
    let versioned = children(Path::new("/usr/lib"))
        .into_iter()
        .filter(|dir| dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("llvm-")));
    let roots = versioned.map(|dir| dir.join("lib/clang")).chain([PathBuf::from("/usr/lib/clang")]);
    roots.flat_map(|root| children(&root)).map(|version| version.join("include")).collect()
}

/// The directory of the highest version among `…/VERSION/include`.
fn newest(directories: Vec<PathBuf>) -> Option<PathBuf> {
    let version = |dir: &PathBuf| -> Vec<u32> {
        let name = dir.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
        name.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    let usable = directories.into_iter().filter(|dir| dir.join("stddef.h").is_file());
    usable.max_by_key(|dir| (version(dir), dir.clone()))
}

/// The directories of a compiler for another machine, by its own word.
fn ask_compiler(settings: &UnitSettings) -> Option<Vec<PathBuf>> {
    let mut command = Command::new(&settings.compiler.program);
    command.args(["-E", "-Wp,-v", "-x", "c", "/dev/null"]).current_dir(&settings.directory);
    if settings.machine.is_32_bit {
        command.arg("-m32");
    }
    if let Some(root) = &settings.includes.sysroot {
        command.arg(format!("--sysroot={}", root.display()));
    }
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() < COMPILER_PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take()?, &mut text).ok()?;
    let dirs = parse_answer(&text);
    (!dirs.is_empty()).then_some(dirs)
}

/// The indented lines between `#include <...> search starts here:` and `End of search list.`
fn parse_answer(text: &str) -> Vec<PathBuf> {
    text.lines()
        .skip_while(|line| !line.starts_with("#include <...>"))
        .skip(1)
        .take_while(|line| line.starts_with(' '))
        .map(|line| PathBuf::from(line.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::CompileCommand;

    fn search(flags: &[&str]) -> SearchPath {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        IncludeDirs::default().search_path(&CompileCommand::parse_flags(&flags, Path::new("/w")).settings)
    }

    #[test]
    fn order_is_user_system_machine_after() {
        let path = search(&["-idirafter", "/after", "-isystem", "/sys", "-I/user", "-iquote", "/quote", "-I/user"]);
        let names: Vec<&str> = path.dirs.iter().filter_map(|dir| dir.path.to_str()).collect();
        assert_eq!(names[..3], ["/user", "/sys", "<builtin>"]);
        assert_eq!(names.last(), Some(&"/after"));
        assert!(!path.dirs[0].is_system && path.dirs[1].is_system);
        assert_eq!(path.quote[0].path, Path::new("/quote"));
    }

    #[test]
    fn nothing_of_the_machine_without_standard_directories() {
        let path = search(&["-nostdinc", "-I/only"]);
        assert_eq!(path.dirs.len(), 1);
    }

    #[test]
    fn a_system_directory_stays_where_it_is() {
        let path = search(&["-I/sys", "-isystem", "/sys"]);
        assert!(path.dirs[0].is_system);
    }

    #[test]
    fn answers_are_read_between_the_marks() {
        let text = "ignoring x\n#include \"...\" search starts here:\n#include <...> search starts here:\n /a/include\n /b\nEnd of search list.\n /c\n";
        assert_eq!(parse_answer(text), [PathBuf::from("/a/include"), PathBuf::from("/b")]);
    }

    #[test]
    fn newest_version_wins_by_number() {
        let base = std::env::temp_dir().join(format!("caulk_newest_{}", std::process::id()));
        for version in ["9", "12", "4.8.5"] {
            let dir = base.join(version).join("include");
            std::fs::create_dir_all(&dir).expect("writable");
            std::fs::write(dir.join("stddef.h"), "").expect("writable");
        }
        let found = newest(children(&base).into_iter().map(|dir| dir.join("include")).collect());
        std::fs::remove_dir_all(&base).expect("ours");
        assert_eq!(found, Some(base.join("12/include")));
    }
}
