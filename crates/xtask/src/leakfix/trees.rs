//! Trees of the programs before and after a fix, each with a compile database for the whole program.
//!
//! ```text
//! OUT/headers/usr/include            headers of libraries, from Debian's packages
//! OUT/config/curl/curl_config.h      what configure would have written; see `facts`
//! OUT/gnulib/<commit>                the sources that wget's build copies in
//! OUT/trees/curl-<commit>            a tree; its database is written anew by every run
//! ```
//!
//! Nothing of the programs is run or compiled: the trees are only read. A tree that is there is not made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::facts::{GNULIB_SOURCES, PACKAGES, PROGRAMS, Program};
use crate::corpus::{CompileCommand, store_commands};

pub(super) struct Trees {
    repos: PathBuf,
    out: PathBuf,
    /// Flags for the libraries' headers.
    headers: Vec<String>,
}

impl Trees {
    /// `repos` holds a git repository for each program, and gnulib's.
    pub(super) fn open(repos: &Path, out: &Path) -> Result<Self, String> {
        for folder in ["trees", "gnulib", "results"] {
            make_folder(&out.join(folder))?;
        }
        let repos = repos.canonicalize().map_err(|error| format!("{}: {error}", repos.display()))?;
        let out = out.canonicalize().map_err(|error| format!("{}: {error}", out.display()))?;
        for program in PROGRAMS {
            let folder = out.join("config").join(program.name);
            make_folder(&folder)?;
            write(&folder.join(program.config.name), &program.config.render())?;
            for (name, text) in program.headers {
                write(&folder.join(name), text)?;
            }
        }
        let headers = library_headers(&out.join("headers"))?;
        Ok(Self { repos, out, headers })
    }

    /// The tree of a commit, made if it is not there yet.
    pub(super) fn tree(&self, program: &Program, commit: &str) -> Result<PathBuf, String> {
        let root = self.out.join("trees").join(tree_name(program.name, commit));
        let repo = self.repos.join(program.name);
        extract(&repo, commit, program.archived, &root)?;
        let config = format!("-I{}", self.out.join("config").join(program.name).display());
        let gnulib = self.gnulib(&repo, commit)?;
        let gnulib_flag = gnulib.iter().map(|lib| format!("-I{}", lib.display()));
        let shared: Vec<String> =
            std::iter::once(config).chain(gnulib_flag).chain(self.headers.iter().cloned()).collect();

        let mut commands = Vec::new();
        for folder in program.folders {
            let own = folder.flags.iter().map(|flag| flag.replace('@', &root.display().to_string()));
            let flags: Vec<String> = own.chain(shared.iter().cloned()).collect();
            for file in sources(&root.join(folder.path))? {
                let name = file.strip_prefix(&root).unwrap_or(&file);
                let omitted = program.omitted.iter().any(|omitted| name == Path::new(omitted));
                let known = commands.iter().any(|command: &CompileCommand| command.file == file);
                if !omitted && !known {
                    commands.push(command(&root, file, &flags));
                }
            }
            let again = compiled_again(&root.join(folder.path));
            commands.extend(again.into_iter().map(|file| command(&root, file, &flags)));
        }
        if let Some(lib) = &gnulib {
            let flags: Vec<String> = std::iter::once("-DHAVE_CONFIG_H".to_owned()).chain(shared.clone()).collect();
            let files = GNULIB_SOURCES.split_whitespace().map(|name| lib.join(name).with_extension("c"));
            commands.extend(files.filter(|file| file.is_file()).map(|file| command(&root, file, &flags)));
        }
        store_commands(&root, &commands)?;
        Ok(root)
    }

    /// Where the run on a tree leaves what it printed.
    pub(super) fn result(&self, program: &Program, commit: &str, extension: &str) -> PathBuf {
        self.out.join("results").join(format!("{}.{extension}", tree_name(program.name, commit)))
    }

    /// The sources of gnulib that belong to a commit: its submodule, or before there was one, those of the day.
    fn gnulib(&self, repo: &Path, commit: &str) -> Result<Option<PathBuf>, String> {
        let listing = git(repo, &["ls-tree", commit, "gnulib", "bootstrap.conf"])?;
        let submodule = listing.lines().find_map(|line| line.strip_prefix("160000 commit ")?.split('\t').next());
        let source = self.repos.join("gnulib");
        let version = match submodule {
            Some(version) => version.to_owned(),
            None if listing.contains("bootstrap.conf") => {
                let day = git(repo, &["log", "-1", "--format=%ct", commit])?;
                git(&source, &["rev-list", "-1", &format!("--before={day}"), "HEAD"])?
            }
            None => return Ok(None),
        };
        let lib = self.out.join("gnulib").join(short(&version));
        let fresh = !lib.exists();
        extract(&source, &format!("{version}:lib"), &[], &lib)?;
        if fresh {
            leave_to_the_system(&lib)?;
        }
        Ok(Some(lib))
    }
}

pub(super) fn program(name: &str) -> Result<&'static Program, String> {
    PROGRAMS.iter().find(|program| program.name == name).ok_or_else(|| format!("no program {name}"))
}

pub(super) fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn tree_name(program: &str, commit: &str) -> String {
    format!("{program}-{}", short(commit))
}

fn command(root: &Path, file: PathBuf, flags: &[String]) -> CompileCommand {
    let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
    let mut arguments = vec!["cc".to_owned()];
    arguments.extend(flags.iter().cloned());
    arguments.extend(["-c".to_owned(), name]);
    CompileCommand { directory: root.to_owned(), file, arguments }
}

/// Files of other folders that a folder's program compiles once more, with its own flags: its list of sources names them.
fn compiled_again(folder: &Path) -> Vec<PathBuf> {
    let Ok(list) = fs::read_to_string(folder.join("Makefile.inc")) else { return Vec::new() };
    let names = list.split_whitespace().filter(|name| name.starts_with("../") && name.ends_with(".c"));
    let mut files: Vec<PathBuf> = names.filter_map(|name| folder.join(name).canonicalize().ok()).collect();
    files.sort();
    files.dedup();
    files
}

/// The C files in and below a folder, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Unpacks a part of a commit, unless that was done before.
fn extract(repo: &Path, commit: &str, parts: &[&str], into: &Path) -> Result<(), String> {
    if into.exists() {
        return Ok(());
    }
    let draft = into.with_extension("draft");
    if draft.exists() {
        fs::remove_dir_all(&draft).map_err(|error| format!("{}: {error}", draft.display()))?;
    }
    make_folder(&draft)?;
    let failed = |what: &str| format!("{}: {what} of {commit} failed", repo.display());
    let mut archive = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(["archive", "--format=tar", commit])
        .args(parts)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run git: {error}"))?;
    let pipe = archive.stdout.take().ok_or_else(|| failed("git archive"))?;
    let unpacked = Command::new("tar").arg("-xC").arg(&draft).stdin(pipe).status();
    let archived = archive.wait().map_err(|error| error.to_string())?;
    if !archived.success() {
        return Err(failed("git archive"));
    }
    if !unpacked.map_err(|error| format!("cannot run tar: {error}"))?.success() {
        return Err(failed("unpacking"));
    }
    fs::rename(&draft, into).map_err(|error| format!("{}: {error}", into.display()))
}

fn git(repo: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(repo).args(arguments).output();
    let output = output.map_err(|error| format!("cannot run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", repo.display(), String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Gnulib's replacements of headers that the C library has would need its macro files to fit.
fn leave_to_the_system(lib: &Path) -> Result<(), String> {
    let entries = fs::read_dir(lib).map_err(|error| format!("{}: {error}", lib.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        let is_header = path.extension().is_some_and(|extension| extension == "h");
        if is_header && Path::new("/usr/include").join(name).exists() {
            fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Unpacks the libraries' headers, which takes neither root nor an installation. Without the packages the machine's own
/// headers have to do.
fn library_headers(folder: &Path) -> Result<Vec<String>, String> {
    let done = folder.join("done");
    if !done.is_file() {
        make_folder(folder)?;
        let run = |command: &mut Command| -> Result<(), String> {
            let status = command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
            match status {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("{:?}: {status}", command.get_program())),
                Err(error) => Err(format!("{:?}: {error}", command.get_program())),
            }
        };
        let fetched = run(Command::new("apt-get").arg("download").args(PACKAGES));
        let unpacked = fetched.and_then(|()| {
            run(Command::new("sh").args(["-ec", "for package in *.deb; do dpkg-deb -x \"$package\" .; done"]))
        });
        match unpacked {
            Ok(()) => write(&done, "")?,
            Err(error) => eprintln!("no headers of libraries but the installed ones: {error}"),
        }
    }
    let include = folder.join("usr/include");
    let Ok(entries) = fs::read_dir(&include) else { return Ok(Vec::new()) };
    let machine = entries.flatten().map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("-linux-"));
    let mut folders: Vec<PathBuf> = machine.collect();
    folders.push(include);
    folders.sort();
    Ok(folders.iter().flat_map(|folder| ["-isystem".to_owned(), folder.display().to_string()]).collect())
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
