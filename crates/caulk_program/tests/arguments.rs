//! What all callers pass.

mod support;

use caulk_program::{Passed, Program};
use support::program;

/// The ways to call a function.
fn ways(program: &Program, name: &str) -> Vec<Vec<Passed>> {
    let is_meant = |info: &caulk_program::FunctionInfo| info.name.as_str() == name;
    let (id, _) = program.functions().iter_enumerated().find(|(_, info)| is_meant(info)).expect("a function");
    program.ways(id).to_vec()
}

#[test]
fn each_call_is_a_way() {
    let program = program(&[(
        "a.c",
        "static int parse(const char *text, int (*use)(int), int mode) { return use ? use(mode) : *text; }\n\
         static int twice(int n) { return 2 * n; }\n\
         static int half(int n) { return n / 2; }\n\
         int a(const char *text) { return parse(text, twice, 1); }\n\
         int b(void) { return parse(\"b\", half, 7); }\n",
    )]);
    let with = |text: Passed, mode: i64| vec![text, Passed::Address, Passed::Constants(vec![mode])];
    assert_eq!(ways(&program, "parse"), [with(Passed::Address, 7), with(Passed::Anything, 1)]);
}

#[test]
fn what_is_handed_on_is_known_as_far_as_it_is_known_to_the_caller() {
    let program = program(&[(
        "a.c",
        "static int inner(int *p, int n) { return n ? inner(p, n) : *p; }\n\
         static int outer(int *p, int n) { return inner(p, n); }\n\
         int known(void) { int x = 1; return outer(&x, 0); }\n\
         int other(int n) { static int y; return outer(&y, n); }\n",
    )]);
    assert_eq!(ways(&program, "inner"), [[Passed::Address, Passed::Anything]]);
}

#[test]
fn calls_through_pointers_are_ways_too() {
    let program = program(&[(
        "a.c",
        "int shared(int *p, int n) { return *p + n; }\n\
         static int pointed(int *p, int n) { return *p + n; }\n\
         int (*hook)(int *, int) = pointed;\n\
         int uncalled(int *p) { return *p; }\n\
         int use(int *q) { int x = 1; return shared(&x, 3) + pointed(&x, 4) + hook(q, 5); }\n",
    )]);
    assert_eq!(ways(&program, "shared"), [[Passed::Address, Passed::Constants(vec![3])]]);
    let with = |p: Passed, n: i64| vec![p, Passed::Constants(vec![n])];
    assert_eq!(ways(&program, "pointed"), [with(Passed::Address, 4), with(Passed::Anything, 5)]);
    assert!(ways(&program, "uncalled").is_empty());
}

#[test]
fn what_is_found_somewhere_is_no_null_that_a_caller_wrote() {
    let program = program(&[(
        "a.c",
        "struct node { struct node *next; };\n\
         struct node *make(void);\n\
         static int found(struct node *node) { return node != 0; }\n\
         static int told(struct node *node) { return node != 0; }\n\
         static int perhaps(struct node *node) { return node != 0; }\n\
         int use(struct node *list, int n) {\n\
             struct node own;\n\
             return found(list->next) + found(make()) + found(&own) + told(list->next) + told(0)\n\
                 + perhaps(n ? list->next : 0);\n\
         }\n",
    )]);
    assert_eq!(ways(&program, "found"), [[Passed::Address], [Passed::Found]]);
    assert_eq!(ways(&program, "told"), [[Passed::Constants(vec![0])], [Passed::Found]]);
    assert_eq!(ways(&program, "perhaps"), [[Passed::Anything]]);
}

#[test]
fn many_ways_are_told_as_one() {
    let calls: Vec<String> = (0..20).map(|number| format!("called({number}, &x)")).collect();
    let text = format!(
        "static int called(int n, int *p) {{ return n + *p; }}\nint use(void) {{ int x = 1; return {}; }}\n",
        calls.join(" + ")
    );
    let program = program(&[("a.c", &text)]);
    assert_eq!(ways(&program, "called"), [[Passed::Anything, Passed::Address]]);
}
