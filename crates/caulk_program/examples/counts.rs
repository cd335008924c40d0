//! Links the units of a compile database and prints what came out, with times.
//!
//! `cargo run --release -p caulk_program --example counts -- path/to/compile_commands.json [name]`
//!
//! With a name: what calls through pointers in the function of that name may reach; with `?`, all calls through
//! pointers of which nothing is known; with `*`, all that there are; with `!`, external names that are defined, but not
//! for everyone.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use caulk_driver::{Project, Request, analyze};
use caulk_ir::ir::InstKind;
use caulk_program::{Input, Program, Resolved, Target, discard_unused, schedule};

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().ok_or("which compile database?")?;
    let shown = arguments.next();
    let project = Project::find(&Request { database: Some(database.into()), ..Request::default() })?;
    let started = Instant::now();
    let run = analyze(&project, None, |mut unit| {
        let (lines, bodies) = (unit.lines, unit.module.functions.len());
        discard_unused(&mut unit.module);
        (lines, bodies, Input { module: unit.module, map: unit.map, file: unit.file, link_dir: None })
    });
    let parsed: Vec<(usize, usize, Input)> = run.results.into_iter().flatten().collect();
    let front_end = started.elapsed();
    let lines: usize = parsed.iter().map(|&(lines, ..)| lines).sum();
    let bodies: usize = parsed.iter().map(|&(_, bodies, _)| bodies).sum();
    let inputs: Vec<Input> = parsed.into_iter().map(|(.., input)| input).collect();
    let started = Instant::now();
    let program = Program::link(inputs);
    let linking = started.elapsed();
    print(&program, lines, bodies);
    match shown.as_deref() {
        Some("!") => show_ambiguous(&program),
        Some(name) => show(&program, name),
        None => {}
    }
    let started = Instant::now();
    let depths = schedule(&program, 2, |number, done| {
        let callees = program.components()[number].callees.iter();
        1 + callees.filter_map(|&callee| done.component(callee as usize)).max().copied().unwrap_or(0)
    });
    println!("longest chain of components: {}", depths.iter().max().unwrap_or(&0));
    println!("front end {front_end:.2?}, linking {linking:.2?}, schedule {:.2?}", started.elapsed());
    Ok(())
}

fn print(program: &Program, lines: usize, bodies: usize) {
    let copies: u32 = program.functions().iter().map(|function| function.copies - 1).sum();
    let merged = program.functions().iter().filter(|function| function.copies > 1).count();
    let (mut direct, mut external, mut resolved, mut unresolved, mut targets, mut later) = (0, 0, 0, 0, 0, 0);
    for (id, info) in program.functions().iter_enumerated() {
        let (_, body) = program.body(id);
        for (call, inst) in body.insts.iter_enumerated() {
            let InstKind::Call { callee, .. } = inst.kind else { continue };
            match body.insts[callee].kind {
                InstKind::Global(global) => match program.resolve(info.module, global) {
                    Resolved::Function(_) => direct += 1,
                    _ => external += 1,
                },
                _ => match program.indirect_targets(id, call) {
                    Some(list) => {
                        resolved += 1;
                        targets += list.len();
                        let own = program.component_of(id);
                        let is_later = |target: &&Target| match **target {
                            Target::Function(target) => program.component_of(target) > own,
                            Target::External(_) => false,
                        };
                        later += list.iter().filter(is_later).count();
                    }
                    None => unresolved += 1,
                },
            }
        }
    }
    let entries = program.functions().iter().filter(|function| function.is_entry).count();
    let constants = program.variables().iter().filter(|variable| variable.is_constant).count();
    let components = program.components();
    let recursive = components.iter().filter(|component| component.is_recursive).count();
    let largest = components.iter().map(|component| component.functions.len()).max().unwrap_or(0);
    println!("{} modules, {lines} lines, {bodies} bodies", program.modules.len());
    println!("{} functions ({entries} main); {merged} of them stand for {copies} copies", program.functions().len());
    println!("{} variables, {constants} constant", program.variables().len());
    println!("calls: {direct} direct, {external} external, through pointers {resolved} resolved");
    println!("       to {targets} targets in all ({later} cut), {unresolved} unresolved");
    println!("{} components, {recursive} recursive, largest {largest}", components.len());
}

fn show(program: &Program, name: &str) {
    for (id, info) in program.functions().iter_enumerated() {
        if name != "?" && name != "*" && info.name.as_str() != name {
            continue;
        }
        let (_, body) = program.body(id);
        for (call, inst) in body.insts.iter_enumerated() {
            let InstKind::Call { callee, .. } = inst.kind else { continue };
            if matches!(body.insts[callee].kind, InstKind::Global(_)) {
                continue;
            }
            let place = program.sources[info.module].map.place(inst.loc);
            let place = place.map(|place| format!("{}:{}", place.path.display(), place.line)).unwrap_or_default();
            let targets = program.indirect_targets(id, call).map(|targets| {
                let name = |target: &Target| match *target {
                    Target::Function(function) => program.function(function).name.to_string(),
                    Target::External(name) => format!("{name}*"),
                };
                targets.iter().map(name).collect::<Vec<_>>().join(" ")
            });
            if name == "?" && targets.is_some() {
                continue;
            }
            println!("{place} {} {call}: {}", info.name, targets.unwrap_or_else(|| "?".to_owned()));
        }
    }
}

fn show_ambiguous(program: &Program) {
    let defined: BTreeSet<&str> = program.functions().iter().map(|function| function.name.as_str()).collect();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (id, info) in program.functions().iter_enumerated() {
        let (_, body) = program.body(id);
        for inst in &body.insts {
            if let InstKind::Global(global) = inst.kind
                && let Resolved::External(name) = program.resolve(info.module, global)
                && defined.contains(name.as_str())
            {
                *counts.entry(name.as_str()).or_default() += 1;
            }
        }
    }
    for (name, count) in counts {
        println!("{name}: external in {count} functions");
    }
}
