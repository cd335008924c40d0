//! What all callers pass.

mod support;

use caulk_program::{Passed, Program};
use support::program;

fn passed(program: &Program, name: &str) -> Vec<Passed> {
    let is_meant = |info: &caulk_program::FunctionInfo| info.name.as_str() == name;
    let (id, _) = program.functions().iter_enumerated().find(|(_, info)| is_meant(info)).expect("a function");
    program.passed(id).to_vec()
}

#[test]
fn addresses_and_constants_of_all_calls_are_joined() {
    let program = program(&[(
        "a.c",
        "static int parse(const char *text, int (*use)(int), int mode) { return use ? use(mode) : *text; }\n\
         static int twice(int n) { return 2 * n; }\n\
         static int half(int n) { return n / 2; }\n\
         int a(const char *text) { return parse(text, twice, 1); }\n\
         int b(void) { return parse(\"b\", half, 7); }\n",
    )]);
    assert_eq!(passed(&program, "parse"), [Passed::Anything, Passed::Address, Passed::Constants(vec![1, 7])]);
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
    assert_eq!(passed(&program, "inner"), [Passed::Address, Passed::Anything]);
}

#[test]
fn nothing_is_said_where_others_may_call() {
    let program = program(&[(
        "a.c",
        "int shared(int *p, int n) { return *p + n; }\n\
         static int pointed(int *p) { return *p; }\n\
         int (*hook)(int *) = pointed;\n\
         int uncalled(int *p) { return *p; }\n\
         int use(void) { int x = 1; return shared(&x, 3) + pointed(&x); }\n",
    )]);
    assert_eq!(passed(&program, "shared"), [Passed::Address, Passed::Anything]);
    assert_eq!(passed(&program, "pointed"), [Passed::Anything]);
    assert_eq!(passed(&program, "uncalled"), [Passed::Anything]);
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
    assert_eq!(passed(&program, "found"), [Passed::Found]);
    assert_eq!(passed(&program, "told"), [Passed::Anything]);
    assert_eq!(passed(&program, "perhaps"), [Passed::Anything]);
}
