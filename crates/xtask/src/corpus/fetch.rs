//! Gets a project's sources and builds them once under the recording compiler.
//!
//! Nothing here needs to be root or changes the machine: apt works on a private state with its own source list, cargo
//! on a private home. What the builds need must be installed; where something is not, the project's row says so and
//! the others go on. On Debian 12 everything is had with
//!
//! ```text
//! apt-get install build-essential dpkg-dev curl clang-19 cmake autoconf automake libtool pkg-config bison flex gettext \
//!     autopoint texinfo gperf bc cpio kmod libelf-dev libssl-dev zlib1g-dev libncurses-dev libpcre2-dev libreadline-dev \
//!     libexpat1-dev libevent-dev libcurl4-openssl-dev libidn2-dev libacl1-dev libattr1-dev libselinux1-dev
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::projects::{Project, Source};
use super::{capture, database};

/// Debian's mirrors answer "too many requests" to the hasty.
const APT_ATTEMPTS: u64 = 5;

const APT_PAUSE: Duration = Duration::from_secs(20);

/// The file beside the database that says why the build stopped early.
pub(super) const INCOMPLETE: &str = "incomplete";

/// Succeeds at once if the project is already there. A build that stops early is no failure, only a remark in
/// [`INCOMPLETE`]: what was compiled before that is still worth having.
pub(super) fn fetch(dir: &Path, project: &Project, jobs: usize) -> Result<(), String> {
    let root = dir.join(project.name);
    if require_fetched(&root).is_ok() {
        return Ok(());
    }
    eprintln!("{}: fetching", project.name);
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    }
    let log = root.join("log");
    for directory in [&root.join("src"), &log] {
        fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    match project.source {
        Source::Crate { name, version } => unpack_crate(&root, name, version)?,
        Source::Debian { package } => unpack_debian(dir, &root, package)?,
    }
    eprintln!("{}: building", project.name);
    let built = build(dir, &root, project, jobs);
    let commands = capture::commands(&log, dir)?;
    if commands.is_empty() {
        built?;
        return Err(format!("no C file was compiled; see {}", root.join("build.log").display()));
    }
    if let Err(error) = built {
        eprintln!("{}: {error}; keeping the {} commands before that", project.name, commands.len());
        fs::write(root.join(INCOMPLETE), error).map_err(|error| error.to_string())?;
    }
    database::store(&root, &commands)
}

pub(super) fn require_fetched(root: &Path) -> Result<(), String> {
    if database::path(root).is_file() { Ok(()) } else { Err("not fetched".to_owned()) }
}

fn unpack_crate(root: &Path, name: &str, version: &str) -> Result<(), String> {
    // A plus sign in a URL would be read as a space.
    let url = format!("https://static.crates.io/crates/{name}/{name}-{}.crate", version.replace('+', "%2B"));
    let archive = root.join("archive.crate");
    run(root, Command::new("curl").args(["-sSfL", "--retry", "5", "-o"]).arg(&archive).arg(url))?;
    run(root, Command::new("tar").args(["xzf", "archive.crate", "-C", "src", "--strip-components=1"]))?;
    // Without a workspace of its own the crate would be taken for a stray member of one further up.
    let manifest = root.join("src/Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    fs::write(&manifest, text + "\n[workspace]\n").map_err(|error| format!("{}: {error}", manifest.display()))
}

fn unpack_debian(dir: &Path, root: &Path, package: &str) -> Result<(), String> {
    let config = private_apt(dir, root)?;
    let download = root.join("archive");
    fs::create_dir_all(&download).map_err(|error| format!("{}: {error}", download.display()))?;
    patiently(|| {
        let mut apt = Command::new("apt-get");
        apt.env("APT_CONFIG", &config).args(["source", "--download-only", package]);
        run(root, apt.current_dir(&download))
    })?;
    let description = fs::read_dir(&download)
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "dsc"))
        .ok_or("apt-get brought no .dsc file")?;
    // dpkg-source wants to create the directory itself.
    let sources = root.join("src");
    fs::remove_dir_all(&sources).map_err(|error| error.to_string())?;
    run(root, Command::new("dpkg-source").args(["--no-check", "-x"]).arg(description).arg(sources))
}

/// A package list of our own, so that neither root nor `deb-src` in the machine's own lists is needed.
fn private_apt(dir: &Path, root: &Path) -> Result<PathBuf, String> {
    let apt = dir.join(".apt");
    let config = apt.join("apt.conf");
    let ready = apt.join("updated");
    if ready.is_file() {
        return Ok(config);
    }
    let here = apt.display();
    let sources = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                   http://deb.debian.org/debian bookworm main\n";
    let settings = format!(
        "Dir::Etc::sourcelist \"{here}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
         Dir::State::lists \"{here}/lists\";\nDir::Cache \"{here}/cache\";\n"
    );
    fs::create_dir_all(apt.join("lists/partial"))
        .and_then(|()| fs::create_dir_all(apt.join("cache/archives/partial")))
        .and_then(|()| fs::write(apt.join("sources.list"), sources))
        .and_then(|()| fs::write(&config, settings))
        .map_err(|error| format!("{here}: {error}"))?;
    patiently(|| run(root, Command::new("apt-get").env("APT_CONFIG", &config).arg("update")))?;
    fs::write(ready, "").map_err(|error| format!("{here}: {error}"))?;
    Ok(config)
}

fn patiently(mut attempt: impl FnMut() -> Result<(), String>) -> Result<(), String> {
    let mut outcome = attempt();
    for _ in 1..APT_ATTEMPTS {
        if outcome.is_ok() {
            break;
        }
        std::thread::sleep(APT_PAUSE);
        outcome = attempt();
    }
    outcome
}

fn build(dir: &Path, root: &Path, project: &Project, jobs: usize) -> Result<(), String> {
    let shim = dir.join(".shim");
    capture::install(&shim)?;
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(shim).chain(std::env::split_paths(&inherited)))
        .map_err(|error| error.to_string())?;
    let mut shell = Command::new("sh");
    shell
        .args(["-ec", project.recipe])
        .current_dir(root.join("src"))
        .env("PATH", path)
        .env(capture::LOG, root.join("log"))
        // Objects are thrown away; only generators built on the way have to run.
        .env(capture::EXTRA, if project.needs_optimiser { "" } else { "-O0" })
        .env("CARGO_HOME", dir.join(".cargo"))
        .env("CARGO_TARGET_DIR", root.join("build"))
        .env("CARGO_BUILD_JOBS", jobs.to_string())
        .env("MAKEFLAGS", format!("-k -j{jobs}"))
        // Gnulib's tests refuse to be configured by root, which is who runs in containers.
        .env("FORCE_UNSAFE_CONFIGURE", "1");
    run(root, &mut shell)
}

/// Runs `command` in `root` unless it says otherwise, its output at the end of the build log.
fn run(root: &Path, command: &mut Command) -> Result<(), String> {
    let path = root.join("build.log");
    let log = File::options().create(true).append(true).open(&path).map_err(|error| error.to_string())?;
    let errors = log.try_clone().map_err(|error| error.to_string())?;
    if command.get_current_dir().is_none() {
        command.current_dir(root);
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .status()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program} failed ({status}); see {}", path.display())) }
}
