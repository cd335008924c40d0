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
