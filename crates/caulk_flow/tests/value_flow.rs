//! How memory travels through small programs: what each allocation reaches along paths with matching calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use caulk_driver::{Project, Request, analyze};
use caulk_flow::Models;
use caulk_flow::value_flow::{Label, Node, NodeId, ValueFlow};
use caulk_ir::ir::Value;
use caulk_program::{FunctionId, Input, Program};

fn program(text: &str) -> Program {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("caulk_value_flow_{}_{number}.c", std::process::id()));
    std::fs::write(&file, format!("void *malloc(unsigned long); void free(void *);\n{text}")).expect("writable");
    let project = Project::find(&Request { paths: vec![file.clone()], ..Request::default() }).expect("there");
    let run =
        analyze(&project, None, |unit| Input { module: unit.module, map: unit.map, file: unit.file, link_dir: None });
    std::fs::remove_file(file).expect("ours");
    Program::link(run.results.into_iter().flatten().collect())
}

/// The line of the text that an instruction stands in, the declarations being line 0.
fn line(program: &Program, function: FunctionId, inst: Value) -> u32 {
    let module = program.function(function).module;
    let loc = program.body(function).1.insts[inst].loc;
    program.sources[module].map.place(loc).expect("a place").line - 1
}

/// `3 -> 7, 8`: the allocation of line 3 reaches the releases of lines 7 and 8; `keeps 9` for an escape.
fn reached(text: &str) -> Vec<String> {
    let program = program(text);
    let flow = ValueFlow::of(&program, Models::builtin());
    assert!(!flow.is_cut);
    let show = |&source: &NodeId| {
        let (Node::Value(function, call) | Node::Fresh(function, call)) = flow.nodes[source] else {
            panic!("{:?} is no source", flow.nodes[source]);
        };
        let ends = flow.reached(source).into_iter().filter_map(|node| match flow.nodes[node] {
            Node::Release(function, call) => Some(line(&program, function, call).to_string()),
            Node::Escape(function, call) => Some(format!("keeps {}", line(&program, function, call))),
            _ => None,
        });
        format!("{} -> {}", line(&program, function, call), ends.collect::<Vec<_>>().join(", "))
    };
    let mut shown: Vec<String> = flow.sources.iter().map(show).collect();
    shown.sort();
    shown
}

/// SABER, figure 2: both objects reach their release through the calls of lines 3 and 6.
const READ_BUF: &str = "\
void serialReadBuf(int n) {
    for (int i = 0; i < n; i++) {
        char **mbuf = readBuf();
        char *tmp = *mbuf;
        if (*tmp != 10)
            freeBuf(mbuf);
    }
}
char **readBuf(void) {
    char **buf = malloc(8);
    *buf = malloc(1);
    return buf;
}
void freeBuf(char **fbuf) {
    free(*fbuf);
    free(fbuf);
}";

#[test]
fn objects_and_what_they_hold_reach_their_release() {
    let text = format!("char **readBuf(void); void freeBuf(char **); {READ_BUF}");
    assert_eq!(reached(&text), ["10 -> 16", "11 -> 15"]);
}

#[test]
fn calls_and_returns_are_labelled_with_the_call() {
    let program = program(&format!("char **readBuf(void); void freeBuf(char **); {READ_BUF}"));
    let flow = ValueFlow::of(&program, Models::builtin());
    let name = |function: FunctionId| program.function(function).name.to_string();
    let mut labels: Vec<String> = flow
        .edges
        .iter()
        .filter_map(|edge| match edge.label {
            Label::Copy => None,
            Label::Open(caller, call, callee) => Some(format!("({}:{}", name(callee), line(&program, caller, call))),
            Label::Close(caller, call, callee) => Some(format!("){}:{}", name(callee), line(&program, caller, call))),
        })
        .collect();
    labels.sort();
    labels.dedup();
    assert_eq!(labels, ["(freeBuf:6", "(readBuf:3", ")freeBuf:6", ")readBuf:3"]);
}

#[test]
fn a_call_is_left_the_way_it_was_entered() {
    let text = "\
static void *same(void *p) { return p; }
void one(void) { free(same(malloc(1))); }
void two(void) { same(malloc(2)); }
void three(void *q) { free(same(q)); }";
    assert_eq!(reached(text), ["2 -> 2", "3 -> "]);
}

#[test]
fn memory_travels_through_globals_parameters_and_members() {
    let text = "\
struct s { int n; char *name; char *other; };
static char *cache;
static void fill(struct s *s) { s->name = malloc(3); }
void clear(struct s *s) { free(s->other); }
void drop(void) { free(cache); }
void use(void) { struct s s; fill(&s); cache = malloc(6); free(s.name); clear(&s); }";
    // Members are told apart: line 4 releases another one.
    assert_eq!(reached(text), ["3 -> 6", "6 -> 5"]);
}

#[test]
fn unknown_functions_may_keep_what_they_may_change() {
    let text = "\
void keep(char *); void look(const char *);
void use(void) { char *p = malloc(2);
    look(p);
    keep(p); }";
    assert_eq!(reached(text), ["2 -> keeps 4"]);
}

#[test]
fn calls_through_pointers_are_followed() {
    let text = "\
static void drop(void *p) { free(p); }
static void (*const table[])(void *) = { drop };
void use(int i) { table[i](malloc(3)); }";
    assert_eq!(reached(text), ["3 -> 1"]);
}
