//! Which name means what.

mod support;

use support::{callees, function, function_in, functions, inputs, program, program_of, variable};

#[test]
fn statics_of_one_name_stay_apart() {
    let program = program(&[
        ("a.c", "static int help(void) { return 1; }\nint a(void) { return help(); }\n"),
        ("b.c", "static int help(void) { return 2; }\nint b(void) { return help(); }\n"),
    ]);
    assert_eq!(functions(&program, "help").len(), 2);
    assert_eq!(callees(&program, function(&program, "a")), ["a.c:help"]);
    assert_eq!(callees(&program, function(&program, "b")), ["b.c:help"]);
}

#[test]
fn several_programs_do_not_mix() {
    let program = program(&[
        ("one/main.c", "void usage(void) {}\nvoid die(void);\nint main(void) { usage(); die(); return 0; }\n"),
        (
            "two/main.c",
            "void usage(void) { for (;;) {} }\nvoid die(void);\nint main(void) { usage(); die(); return 0; }\n",
        ),
        ("two/more.c", "void usage(void);\nvoid more(void) { usage(); }\n"),
        ("lib/die.c", "void usage(void);\nvoid die(void) { usage(); }\n"),
    ]);
    let mains = functions(&program, "main");
    assert_eq!(mains.len(), 2);
    for main in mains {
        assert!(program.function(main).is_entry);
        assert_eq!(callees(&program, main), ["main.c:usage", "die.c:die"]);
    }
    assert_eq!(callees(&program, function(&program, "die")), ["*usage"], "either could be meant");
    let more = function(&program, "more");
    let (_, body) = program.body(more);
    assert!(!body.insts.is_empty());
    assert_eq!(callees(&program, more), ["main.c:usage"], "the near one");
}

#[test]
fn two_programs_in_one_directory_do_not_call_each_other() {
    let program = program(&[
        ("cat.c", "int helper(void) { return 1; }\nint main(void) { return helper(); }\n"),
        ("dog.c", "int helper(void);\nint main(void) { return helper(); }\n"),
    ]);
    assert_eq!(callees(&program, function_in(&program, "cat.c", "main")), ["cat.c:helper"]);
    assert_eq!(callees(&program, function_in(&program, "dog.c", "main")), ["*helper"]);
}

#[test]
fn candidates_that_say_the_same_are_all_right() {
    let same = "int twice(int n) { return n + n; }\n";
    let program = program(&[
        ("a.c", same),
        ("b.c", same),
        ("c.c", "int twice(int);\nint four(int n) { return twice(twice(n)); }\n"),
    ]);
    assert_eq!(callees(&program, function(&program, "four")), ["a.c:twice", "a.c:twice"]);
}

#[test]
fn another_signature_is_another_function() {
    let program = program(&[
        ("a.c", "void error(int status, int number, const char *format, ...);\nvoid f(void) { error(1, 2, \"x\"); }\n"),
        ("b.c", "void error(const char *text) { (void)text; }\n"),
    ]);
    assert_eq!(callees(&program, function(&program, "f")), ["*error"]);
}

#[test]
fn weak_definitions_lose() {
    let program = program(&[
        ("weak.c", "__attribute__((weak)) int hook(void) { return 0; }\nint run(void) { return hook(); }\n"),
        ("strong.c", "int hook(void) { return 1; }\n"),
        ("only.c", "__attribute__((weak)) int alone(void) { return 0; }\n"),
        ("call.c", "int alone(void);\nint hook(void);\nint call(void) { return alone() + hook(); }\n"),
    ]);
    assert_eq!(callees(&program, function(&program, "run")), ["strong.c:hook"]);
    assert_eq!(callees(&program, function(&program, "call")), ["only.c:alone", "strong.c:hook"]);
}

#[test]
fn aliases_are_followed() {
    let program = program(&[
        (
            "a.c",
            "static int real(void) { return 1; }\n\
             int other(void) __attribute__((weak, alias(\"real\")));\n\
             int here(void) { return other(); }\n",
        ),
        ("b.c", "int other(void);\nint there(void) { return other(); }\n"),
    ]);
    assert_eq!(callees(&program, function(&program, "here")), ["a.c:real"]);
    assert_eq!(callees(&program, function(&program, "there")), ["a.c:real"]);
}

const LIST_H: &str = "static int count;\n\
                      void log_line(const char *);\n\
                      static inline void bump(void) { count++; }\n\
                      static inline void add(void) { bump(); log_line(\"add\"); }\n\
                      static inline void unused(void) { add(); }\n";

#[test]
fn an_inline_of_a_header_is_one_function() {
    let program = program(&[
        ("list.h", LIST_H),
        ("a.c", "#include \"list.h\"\nvoid a(void) { add(); }\n"),
        ("b.c", "struct unrelated { int x; };\n#include \"list.h\"\nvoid b(void) { add(); bump(); }\n"),
    ]);
    let add = function(&program, "add");
    assert_eq!(program.function(add).copies, 2);
    assert_eq!(program.function(function(&program, "bump")).copies, 2);
    assert!(functions(&program, "unused").is_empty());
    assert_eq!(callees(&program, function(&program, "b")), ["a.c:add", "a.c:bump"]);
    assert!(variable(&program, "count").is_written);
}

#[test]
fn copies_that_call_different_things_are_not_one() {
    let program = program(&[
        ("list.h", LIST_H),
        (
            "a/a.c",
            "#include \"list.h\"\nvoid log_line(const char *t) { (void)t; }\nint main(void) { add(); return 0; }\n",
        ),
        (
            "b/b.c",
            "#include \"list.h\"\nvoid log_line(const char *t) { for (;;) (void)t; }\n\
             int main(void) { add(); return 0; }\n",
        ),
        ("b/c.c", "#include \"list.h\"\nvoid c(void) { add(); }\n"),
    ]);
    let adds = functions(&program, "add");
    assert_eq!(adds.len(), 2);
    assert_eq!(callees(&program, adds[0]), ["a.c:bump", "a.c:log_line"]);
    assert_eq!(callees(&program, adds[1]), ["a.c:bump", "b.c:log_line"]);
    assert_eq!(program.function(adds[1]).copies, 2);
    assert_eq!(program.function(function(&program, "bump")).copies, 3);
}

#[test]
fn copies_that_a_macro_made_different_are_not_one() {
    let program = program(&[
        ("half.h", "static inline int half(int n) { return n / SIZE; }\n"),
        ("a.c", "#define SIZE 2\n#include \"half.h\"\nint a(int n) { return half(n); }\n"),
        ("b.c", "#define SIZE 3\n#include \"half.h\"\nint b(int n) { return half(n); }\n"),
    ]);
    assert_eq!(functions(&program, "half").len(), 2);
}

#[test]
fn a_file_compiled_twice_is_there_once() {
    let files = [
        ("a.c", "static int n;\nint f(void) { return n; }\nint g(void) { return KIND; }\n"),
        ("b.c", "int f(void);\nint g(void);\nint h(void) { return f() + g(); }\n"),
    ];
    let units: [(&str, &[&str]); 3] = [("a.c", &["-DKIND=1"]), ("a.c", &["-DKIND=2"]), ("b.c", &[])];
    let program = program_of(&files, &units);
    assert_eq!(program.function(function(&program, "f")).copies, 2);
    assert_eq!(functions(&program, "g").len(), 2);
    assert_eq!(callees(&program, function(&program, "h")), ["a.c:f", "a.c:g"]);
}

#[test]
fn an_inline_definition_serves_until_there_is_a_real_one() {
    let header = "inline int rest(int n) { return n % 2; }\n";
    let user = ("a.c", "#include \"rest.h\"\nint a(int n) { return rest(n); }\n");
    let without = program(&[("rest.h", header), user]);
    assert_eq!(callees(&without, function(&without, "a")), ["a.c:rest"]);
    let same = ("same.c", "extern int rest(int n);\n#include \"rest.h\"\n");
    let with_same = program(&[("rest.h", header), user, same]);
    assert_eq!(with_same.function(function(&with_same, "rest")).copies, 2);
    let real = ("real.c", "int rest(int n) { return n & 1; }\n");
    let with_real = program(&[("rest.h", header), user, real]);
    assert_eq!(callees(&with_real, function(&with_real, "a")), ["real.c:rest"]);
    assert_eq!(functions(&with_real, "rest").len(), 1);
}

#[test]
fn a_static_that_nothing_refers_to_is_left_out() {
    let program = program(&[(
        "a.c",
        "static int alone(void) { return 1; }\n\
         static int calls_alone(void) { return alone(); }\n\
         static int in_table(void) { return 2; }\n\
         static int (*unused_table[])(void) = { calls_alone };\n\
         int (*table[])(void) = { in_table };\n\
         __attribute__((constructor)) static void begin(void) {}\n",
    )]);
    let names: Vec<&str> = program.functions().iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["in_table", "begin"]);
    assert!(program.function(function(&program, "in_table")).is_address_taken);
}

#[test]
fn unused_bodies_can_go_before_linking() {
    let files = [("list.h", LIST_H), ("a.c", "#include \"list.h\"\nvoid a(void) { add(); }\n")];
    let mut inputs = inputs(&files, &[("a.c", &[])]);
    assert_eq!(inputs[0].module.functions.len(), 4);
    caulk_program::discard_unused(&mut inputs[0].module);
    assert_eq!(inputs[0].module.functions.len(), 3);
    let program = caulk_program::Program::link(inputs);
    assert_eq!(program.functions().len(), 3);
    assert_eq!(callees(&program, function(&program, "a")), ["a.c:add"]);
}

#[test]
fn variables_are_linked_like_functions() {
    let program = program(&[
        ("shared.h", "int common;\nextern int defined;\nextern char **environ;\n"),
        ("a.c", "#include \"shared.h\"\nstatic int own;\nint a(void) { return common + defined + own + !environ; }\n"),
        (
            "b.c",
            "#include \"shared.h\"\nint defined = 3;\nstatic int own;\n\
             int b(void) { own = 1; return common + !environ; }\n",
        ),
    ]);
    let names: Vec<&str> = program.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["common", "own", "defined", "own", "environ"]);
    assert!(variable(&program, "environ").definition.is_none());
    assert_eq!(variable(&program, "defined").definition.map(|(module, _)| module), Some(1));
}

#[test]
fn constants_are_what_was_given_a_value_and_no_other() {
    let text = "static int read_only[2] = { 1, 2 };\n\
                static int written = 1;\n\
                static int shared = 1;\n\
                const char *const name = \"x\";\n\
                static const int kept[] = { 1, 2 };\n\
                static volatile const int port = 1;\n\
                int visible = 1;\n\
                int waiting;\n\
                static int zero;\n\
                void take(const int *);\n\
                int f(int i) {\n\
                  written = 2; take(&shared); take(kept);\n\
                  return read_only[i] + visible + waiting + zero + port + *name;\n\
                }\n";
    let library = program(&[("a.c", text)]);
    let constants = |program: &caulk_program::Program| -> Vec<&'static str> {
        program.variables().iter().filter(|variable| variable.is_constant).map(|v| v.name.as_str()).collect()
    };
    let expected = ["read_only", "name", "kept", "visible", "zero"];
    assert_eq!(constants(&library), expected);
    let tested = program(&[("a.c", text), ("main.c", "int main(void) { return 0; }\n")]);
    assert_eq!(constants(&tested), expected);
    let whole = program(&[("a.c", &format!("{text}int main(void) {{ return 0; }}\n"))]);
    assert_eq!(constants(&whole), expected);
}

#[test]
fn what_a_library_writes_is_no_constant_in_any_program() {
    let main = "int verbose = 0;\nint main(void) { return verbose; }\n";
    let program = program(&[
        ("one/main.c", main),
        ("two/main.c", main),
        ("lib/log.c", "extern int verbose;\nvoid log_on(void) { verbose = 1; }\n"),
    ]);
    assert!(program.variables().iter().all(|variable| !variable.is_constant));
}

#[test]
fn link_directories_come_before_source_directories() {
    let files = [
        ("src/one.c", "int pick(void) { return 1; }\n"),
        ("other/two.c", "int pick(void) { return 2; }\n"),
        ("src/call.c", "int pick(void);\nint call(void) { return pick(); }\n"),
    ];
    let units: [(&str, &[&str]); 3] = [("src/one.c", &[]), ("other/two.c", &[]), ("src/call.c", &[])];
    let near = program_of(&files, &units);
    assert_eq!(callees(&near, function(&near, "call")), ["one.c:pick"]);
    let mut linked = inputs(&files, &units);
    for (input, directory) in linked.iter_mut().zip(["/build/a", "/build/b", "/build/b"]) {
        input.link_dir = Some(directory.into());
    }
    let linked = caulk_program::Program::link(linked);
    assert_eq!(callees(&linked, function(&linked, "call")), ["two.c:pick"]);
}
