//! What the projection keeps of small C functions, and that it is a projection.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use caulk_driver::{Project, Request, analyze};
use caulk_flow::project::Projection;
use caulk_flow::{Known, Models, Summaries, Surroundings};
use caulk_ir::cfg::Cfg;
use caulk_ir::ir::{BlockId, InstKind};
use caulk_program::{FunctionId, Input, Program};

struct Nothing;

impl Summaries for Nothing {
    fn of(&self, _: FunctionId) -> Known<'_> {
        Known::Unknown
    }
}

fn program(text: &str) -> Program {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("caulk_projection_{}_{number}.c", std::process::id()));
    std::fs::write(&file, text).expect("writable");
    let program = program_of(vec![file.clone()]);
    std::fs::remove_file(file).expect("ours");
    program
}

fn program_of(paths: Vec<PathBuf>) -> Program {
    let project = Project::find(&Request { paths, ..Request::default() }).expect("there");
    let run =
        analyze(&project, None, |unit| Input { module: unit.module, map: unit.map, file: unit.file, link_dir: None });
    Program::link(run.results.into_iter().flatten().collect())
}

fn project(program: &Program, function: FunctionId) -> Projection {
    Projection::of(&Surroundings { program, models: Models::builtin(), summaries: &Nothing, patience: 1 }, function)
}

/// Names of the callees whose calls are kept in the only function, and how many branches are.
fn kept(text: &str) -> (Vec<String>, usize) {
    let program = program(text);
    let function = program.functions().ids().next().expect("a function");
    let projection = project(&program, function);
    check(&program, function, &projection);
    let (module, body) = program.body(function);
    let mut calls = Vec::new();
    for inst in body.insts.ids().filter(|&inst| projection.insts[inst]) {
        if let InstKind::Call { callee, .. } = body.insts[inst].kind
            && let InstKind::Global(global) = body.insts[callee].kind
        {
            calls.push(module.unit.globals[global].source_name.to_string());
        }
    }
    (calls, projection.branches.iter().filter(|&&is_kept| is_kept).count())
}

/// Everything that is said of a projection.
fn check(program: &Program, function: FunctionId, projection: &Projection) {
    let (_, body) = program.body(function);
    let cfg = Cfg::new(body);
    let name = program.function(function).name;
    // An edge is there exactly if a path leads from block to block past no other kept one.
    for from in body.blocks.ids().filter(|&block| projection.blocks[block]) {
        let mut next: Vec<BlockId> = Vec::new();
        let mut seen = vec![false; body.blocks.len()];
        let mut waiting: Vec<BlockId> = cfg.successors(from).to_vec();
        while let Some(block) = waiting.pop() {
            if std::mem::replace(&mut seen[block.0 as usize], true) {
                continue;
            }
            match projection.blocks[block] {
                true => next.push(block),
                false => waiting.extend_from_slice(cfg.successors(block)),
            }
        }
        let own = || projection.edges.iter().filter(|edge| edge.from == from);
        let mut edges: Vec<BlockId> = own().map(|edge| edge.to).collect();
        next.sort_unstable();
        edges.sort_unstable();
        edges.dedup();
        assert_eq!(edges, next, "{name}: from {from}");
        // A way leads to one block: nothing is decided by what was left out.
        let mut ways: Vec<Option<usize>> = own().map(|edge| edge.way).collect();
        let count = ways.len();
        ways.dedup();
        assert_eq!(ways.len(), count, "{name}: ways from {from}");
    }
    // What a kept instruction is made of is kept.
    for block in body.blocks.ids().filter(|&block| cfg.is_reachable(block)) {
        for &inst in body.blocks[block].insts.iter().filter(|&&inst| projection.insts[inst]) {
            assert!(projection.blocks[block], "{name}: {inst} is kept and {block} is not");
            body.insts[inst].kind.for_each_operand(body, |operand| {
                let is_placed = body.insts[operand].kind.is_placed();
                assert!(!is_placed || projection.insts[operand], "{name}: {inst} needs {operand}");
            });
        }
        if projection.branches[block]
            && let Some(tested) = body.blocks[block].terminator.operand()
        {
            let is_placed = body.insts[tested].kind.is_placed();
            assert!(!is_placed || projection.insts[tested], "{name}: {block} tests {tested}");
        }
    }
}

#[test]
fn what_has_nothing_to_do_with_memory_is_dropped() {
    let text = "
        void *malloc(unsigned long); void free(void *); int puts(const char *);
        char *f(int n, int log) {
            int i = 0;
            if (log) puts(\"f\");
            while (i < n) i++;
            char *p = malloc(n);
            if (n > 9) { free(p); p = 0; }
            return p;
        }";
    let (mut calls, branches) = kept(text);
    calls.sort();
    assert_eq!(calls, ["free", "malloc"]);
    assert_eq!(branches, 1);
}

#[test]
fn a_branch_is_kept_with_the_data_it_tests() {
    let text = "
        void *malloc(unsigned long); void free(void *); int puts(const char *); int abs(int);
        void f(int n, int log) {
            int i = 0, failed = 0;
            char *p = malloc(n);
            while (i < n) { i++; if (abs(i) == 7) failed = 1; }
            if (log) puts(\"f\");
            if (failed) free(p);
        }";
    let (mut calls, branches) = kept(text);
    calls.sort();
    // Whether it fails is decided in the loop, so the loop, its test and the test in it stay.
    assert_eq!(calls, ["abs", "free", "malloc"]);
    assert_eq!(branches, 3);
}

#[test]
fn a_load_keeps_the_stores_it_may_read() {
    let text = "
        struct s { char *data; int size; int other; };
        void free(void *);
        void f(struct s *s, int n) {
            s->size = n;
            s->other = 3;
            if (s->size) free(s->data);
        }";
    let program = program(text);
    let function = program.functions().ids().next().expect("a function");
    let projection = project(&program, function);
    let (_, body) = program.body(function);
    let stores = body.insts.ids().filter(|&inst| matches!(body.insts[inst].kind, InstKind::Store { .. }));
    let kept: Vec<bool> = stores.map(|inst| projection.insts[inst]).collect();
    assert_eq!(kept, [true, false]);
}

/// The projection of every function of the fixtures is one.
#[test]
fn fixtures_keep_their_paths() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixture/leaks");
    let program = program_of(vec![folder]);
    let mut dropped = 0;
    for function in program.functions().ids() {
        let projection = project(&program, function);
        check(&program, function, &projection);
        dropped += projection.dropped().0;
    }
    assert!(dropped > 0);
}
