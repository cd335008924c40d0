//! C text to a linked program, and questions about it by name.
#![allow(dead_code, reason = "each test file uses what it needs")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use caulk_driver::{Project, Request, analyze};
use caulk_ir::ir::{InstKind, Value};
use caulk_program::{FunctionId, Input, Program, Resolved, Target, Variable};

static DIRECTORIES: AtomicUsize = AtomicUsize::new(0);

/// The program of all `.c` files among these; the others are headers.
pub(crate) fn program(files: &[(&str, &str)]) -> Program {
    let units: Vec<(&str, &[&str])> =
        files.iter().filter(|(name, _)| name.ends_with(".c")).map(|&(name, _)| (name, &[][..])).collect();
    program_of(files, &units)
}

/// The program of these units: file and flags.
pub(crate) fn program_of(files: &[(&str, &str)], units: &[(&str, &[&str])]) -> Program {
    Program::link(inputs(files, units))
}

pub(crate) fn inputs(files: &[(&str, &str)], units: &[(&str, &[&str])]) -> Vec<Input> {
    let number = DIRECTORIES.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("caulk_program_{}_{number}", std::process::id()));
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("writable");
        std::fs::write(&path, text).expect("writable");
    }
    let include = format!("-I{}", root.display());
    let inputs = units.iter().map(|(name, flags)| {
        let flags = flags.iter().map(|&flag| flag.to_owned()).chain([include.clone()]).collect();
        let request = Request { paths: vec![root.join(name)], flags, ..Request::default() };
        let project = Project::find(&request).expect("there");
        let run = analyze(&project, NonZeroUsize::new(1), |unit| {
            assert_eq!(unit.messages.iter().map(|message| &message.text).collect::<Vec<_>>(), Vec::<&String>::new());
            Input { module: unit.module, map: unit.map, file: unit.file, link_dir: None }
        });
        run.results.into_iter().next().expect("one unit").expect("readable")
    });
    let inputs = inputs.collect();
    std::fs::remove_dir_all(&root).expect("ours");
    inputs
}

/// The only function of this name.
pub(crate) fn function(program: &Program, name: &str) -> FunctionId {
    let found = functions(program, name);
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

pub(crate) fn functions(program: &Program, name: &str) -> Vec<FunctionId> {
    program.functions().ids().filter(|&id| program.function(id).name.as_str() == name).collect()
}

/// The function of this name in this file.
pub(crate) fn function_in(program: &Program, file: &str, name: &str) -> FunctionId {
    let found = functions(program, name);
    let is_there = |id: &FunctionId| program.sources[program.function(*id).module].file.ends_with(PathBuf::from(file));
    found.into_iter().find(is_there).expect("such a function in this file")
}

/// The only variable of this name.
pub(crate) fn variable<'a>(program: &'a Program, name: &str) -> &'a Variable {
    let mut found = program.variables().iter().filter(|variable| variable.name.as_str() == name);
    let variable = found.next().expect("such a variable");
    assert!(found.next().is_none(), "{name}");
    variable
}

/// `file:name` of what a function calls directly, externals as `*name`, in order.
pub(crate) fn callees(program: &Program, caller: FunctionId) -> Vec<String> {
    let (_, body) = program.body(caller);
    let mut callees = Vec::new();
    for inst in &body.insts {
        let InstKind::Call { callee, .. } = inst.kind else { continue };
        let InstKind::Global(global) = body.insts[callee].kind else { continue };
        callees.push(match program.resolve(program.function(caller).module, global) {
            Resolved::Function(target) => {
                let info = program.function(target);
                let file = program.sources[info.module].file.file_name().expect("a file").display().to_string();
                format!("{file}:{}", info.name)
            }
            Resolved::External(name) => format!("*{name}"),
            Resolved::Variable(_) => "a variable".to_owned(),
        });
    }
    callees
}

/// The calls through pointers of a function.
pub(crate) fn indirect_calls(program: &Program, caller: FunctionId) -> Vec<Value> {
    let (_, body) = program.body(caller);
    let is_indirect = |value: &Value| match body.insts[*value].kind {
        InstKind::Call { callee, .. } => !matches!(body.insts[callee].kind, InstKind::Global(_)),
        _ => false,
    };
    body.insts.ids().filter(is_indirect).collect()
}

/// What the calls through pointers of a function may reach: names, externals with a star; `?` where nothing is known.
pub(crate) fn targets(program: &Program, caller: &str) -> Vec<String> {
    let caller = function(program, caller);
    let show = |call: Value| match program.indirect_targets(caller, call) {
        Some(targets) => show_targets(program, targets),
        None => "?".to_owned(),
    };
    indirect_calls(program, caller).into_iter().map(show).collect()
}

pub(crate) fn show_targets(program: &Program, targets: &[Target]) -> String {
    let name = |target: &Target| match *target {
        Target::Function(function) => program.function(function).name.to_string(),
        Target::External(name) => format!("*{name}"),
    };
    targets.iter().map(name).collect::<Vec<_>>().join(" ")
}
