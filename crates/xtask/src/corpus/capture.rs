//! Learns a build's compile commands by standing in for its compiler.
//!
//! A directory in front of `PATH` holds scripts named `cc` and `gcc`. Each writes its working directory and arguments,
//! separated by NUL, to a new file, then becomes the real compiler. This needs no build-system support and no tool
//! that is not on every machine; and unlike parsing the output of `make`, quoting cannot confuse it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::database::Command;

/// The variable that names the directory to record into; unset, the stand-in is silent.
pub(super) const LOG: &str = "CAULK_CC_LOG";

/// The variable with flags that are passed on but not recorded.
pub(super) const EXTRA: &str = "CAULK_CC_EXTRA";

/// Writes the stand-ins into `shim`. Fails when there is no compiler to stand in for.
pub(super) fn install(shim: &Path) -> Result<(), String> {
    fs::create_dir_all(shim).map_err(|error| format!("{}: {error}", shim.display()))?;
    for tool in ["cc", "gcc"] {
        let real = find(tool, shim).ok_or_else(|| format!("no `{tool}` in PATH"))?;
        let script = format!(
            "#!/bin/sh\n\
             if [ -n \"${LOG}\" ]; then\n\
             \x20 log=$(mktemp \"${LOG}/XXXXXXXXXX\") && printf '%s\\0' \"$PWD\" {tool} \"$@\" > \"$log\"\n\
             fi\n\
             exec '{}' \"$@\" ${EXTRA}\n",
            real.display()
        );
        let path = shim.join(tool);
        fs::write(&path, script)
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Reads what the stand-ins wrote. Keeps compilations of C files that still exist below `within`, which leaves out
/// the probes of `configure`; sorted, so that the database does not depend on the order of a parallel build.
pub(super) fn commands(log: &Path, within: &Path) -> Result<Vec<Command>, String> {
    let entries = fs::read_dir(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let mut distinct: BTreeMap<(PathBuf, Vec<String>), Command> = BTreeMap::new();
    for entry in entries.flatten() {
        let Ok(record) = fs::read(entry.path()) else { continue };
        for command in parse(&record) {
            let probe = command.file.components().any(|part| part.as_os_str() == "CMakeFiles")
                || command.file.file_name().is_some_and(|name| name == "conftest.c");
            if !probe && command.file.starts_with(within) && command.file.is_file() {
                let key = (command.file.clone(), meaning(&command.arguments));
                // Of equals the least one stays, again for the order's sake.
                let slot = distinct.entry(key).or_insert_with(|| command.clone());
                if command < *slot {
                    *slot = command;
                }
            }
        }
    }
    Ok(distinct.into_values().collect())
}

/// One recorded call; a call with several C files becomes one command for each.
fn parse(record: &[u8]) -> Vec<Command> {
    let text = String::from_utf8_lossy(record);
    let mut words = text.split_terminator('\0').map(str::to_owned);
    let Some(directory) = words.next().map(PathBuf::from) else { return Vec::new() };
    let arguments: Vec<String> = words.collect();
    // Preprocessing and dependency runs are not compilations; they are followed by one.
    if arguments.iter().any(|argument| matches!(argument.as_str(), "-E" | "-M" | "-MM")) {
        return Vec::new();
    }
    let sources: Vec<usize> = (1..arguments.len()).filter(|&index| is_source(&arguments, index)).collect();
    let command = |source: &usize| Command {
        file: absolute(&directory, &arguments[*source]),
        directory: directory.clone(),
        arguments: (0..arguments.len())
            .filter(|index| index == source || !sources.contains(index))
            .map(|index| arguments[index].clone())
            .collect(),
    };
    sources.iter().map(command).collect()
}

fn is_source(arguments: &[String], index: usize) -> bool {
    let takes_value =
        ["-o", "-include", "-imacros", "-MF", "-MT", "-MQ", "-I", "-D"].contains(&arguments[index - 1].as_str());
    arguments[index].ends_with(".c") && !arguments[index].starts_with('-') && !takes_value
}

/// The arguments without what cannot change how the file reads. Libtool compiles every file twice, with and without
/// `-fPIC`; counting both would only double the work.
fn meaning(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" => {
                rest.next();
            }
            "-c" | "-fPIC" | "-fpic" | "-fPIE" | "-fpie" | "-DPIC" | "-MD" | "-MMD" | "-MP" => {}
            // The kernel names its dependency file this way.
            other if other.starts_with("-Wp,-M") || other.starts_with("-L") || other.starts_with("-Wl,") => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept
}

/// Joins and removes `.` and `..` without following links: a linked source finds its headers beside the link.
fn absolute(directory: &Path, file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in directory.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}

/// The first `tool` in `PATH` that is not the stand-in itself.
fn find(tool: &str, shim: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|directory| directory != shim)
        .map(|directory| directory.join(tool))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(words: &[&str]) -> Vec<u8> {
        words.iter().flat_map(|word| word.bytes().chain([0])).collect()
    }

    #[test]
    fn one_command_for_each_source() {
        let commands = parse(&record(&["/p/build", "gcc", "-DA=\"x y\"", "../a.c", "b.c", "-o", "t.c"]));
        let summary: Vec<_> = commands.iter().map(|c| (c.file.to_str(), c.arguments.join(" "))).collect();
        assert_eq!(
            summary,
            [
                (Some("/p/a.c"), "gcc -DA=\"x y\" ../a.c -o t.c".to_owned()),
                (Some("/p/build/b.c"), "gcc -DA=\"x y\" b.c -o t.c".to_owned()),
            ]
        );
    }

    #[test]
    fn preprocessing_is_no_compilation() {
        assert!(parse(&record(&["/p", "gcc", "-E", "a.c"])).is_empty());
        assert!(parse(&[]).is_empty());
    }

    #[test]
    fn position_independence_does_not_distinguish() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let shared = words("gcc -DX -fPIC -DPIC -c a.c -o .libs/a.o -MT a.lo");
        assert_eq!(meaning(&shared), meaning(&words("gcc -DX -c a.c -o a.o")));
        assert_ne!(meaning(&shared), meaning(&words("gcc -DY -c a.c -o a.o")));
    }
}
