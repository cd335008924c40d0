//! What calls through pointers reach.

mod support;

use support::{program, show_targets, targets};

#[test]
fn a_hook_variable_has_its_initial_value_and_what_is_known_to_be_set() {
    let program = program(&[
        (
            "memory.c",
            "void *malloc(unsigned long);\n\
             void *(*hook_malloc)(unsigned long) = malloc;\n\
             void set_hook(void *(*f)(unsigned long)) { hook_malloc = f; }\n",
        ),
        (
            "use.c",
            "extern void *(*hook_malloc)(unsigned long);\n\
             void *make(void) { return hook_malloc(4); }\n",
        ),
    ]);
    assert_eq!(targets(&program, "make"), ["*malloc"]);
    let hook = program.variables().ids().next().expect("one variable");
    assert_eq!(
        program.variable_targets(hook).map(|targets| show_targets(&program, targets)).as_deref(),
        Some("*malloc")
    );
}

const OPS_H: &str = "struct file;\n\
                     struct ops { int (*open)(struct file *); int (*close)(struct file *); };\n\
                     struct file { const struct ops *ops; int fd; };\n";

#[test]
fn tables_of_operations_are_found_by_field() {
    let program = program(&[
        ("ops.h", OPS_H),
        (
            "disk.c",
            "#include \"ops.h\"\n\
             static int disk_open(struct file *f) { return f->fd; }\n\
             static int disk_close(struct file *f) { return -f->fd; }\n\
             const struct ops disk_ops = { .open = disk_open, .close = disk_close };\n",
        ),
        (
            "net.c",
            "#include \"ops.h\"\n\
             static int net_open(struct file *f) { return f->fd + 1; }\n\
             void net_init(struct ops *o) { o->open = net_open; o->close = 0; }\n",
        ),
        (
            "call.c",
            "#include \"ops.h\"\n\
             extern const struct ops disk_ops;\n\
             int opened(struct file *x) { return x->ops->open(x); }\n\
             int closed(struct file *x) { return x->ops->close(x); }\n\
             int disk(struct file *x) { return disk_ops.open(x); }\n",
        ),
    ]);
    assert_eq!(targets(&program, "opened"), ["disk_open net_open"]);
    assert_eq!(targets(&program, "closed"), ["disk_close"]);
    assert_eq!(targets(&program, "disk"), ["disk_open"], "a constant answers for itself");
    let call = program.modules.len() - 1;
    let records = &program.modules[call].unit.types.records;
    let ops = records.ids().find(|&id| records[id].tag.as_str() == "ops").expect("declared");
    assert_eq!(program.field_targets(call, ops, 1).map(|t| show_targets(&program, t)).as_deref(), Some("disk_close"));
}

#[test]
fn records_without_a_tag_are_one_across_modules() {
    let program = program(&[
        ("ops.h", "typedef struct { void (*run)(void); } ops_t;\n"),
        ("a.c", "#include \"ops.h\"\nstatic void run_a(void) {}\nops_t table[] = { { run_a } };\n"),
        ("b.c", "int shift;\n#include \"ops.h\"\nvoid call(ops_t *o) { o->run(); }\n"),
    ]);
    assert_eq!(targets(&program, "call"), ["run_a"]);
}

#[test]
fn private_records_of_one_tag_stay_apart() {
    let text = |name: &str| {
        format!(
            "struct state {{ void (*run)(void); }};\n\
             static void run_{name}(void) {{ }}\n\
             static struct state *current;\n\
             void set_{name}(struct state *s) {{ s->run = run_{name}; current = s; }}\n\
             void call_{name}(void) {{ current->run(); }}\n"
        )
    };
    let program = program(&[("a.c", &text("a")), ("b.c", &text("b"))]);
    assert_eq!(targets(&program, "call_a"), ["run_a"]);
    assert_eq!(targets(&program, "call_b"), ["run_b"]);
}

#[test]
fn records_of_two_libraries_with_one_tag_stay_apart() {
    let program = program(&[
        ("one/table.h", "struct table { void (*drop)(void *); };\n"),
        ("two/table.h", "struct table { void (*drop)(void *); int count; };\n"),
        ("copy/table.h", "struct table { void (*drop)(void *); };\n"),
        (
            "one.c",
            "#include \"one/table.h\"\n\
             static void drop_one(void *p) { }\n\
             struct table first = { drop_one };\n\
             void call_one(struct table *t, void *p) { t->drop(p); }\n",
        ),
        (
            "two.c",
            "#include \"two/table.h\"\n\
             static void drop_two(void *p) { }\n\
             struct table second = { drop_two, 1 };\n\
             void call_two(struct table *t, void *p) { t->drop(p); }\n",
        ),
        ("copy.c", "#include \"copy/table.h\"\nvoid call_copy(struct table *t, void *p) { t->drop(p); }\n"),
    ]);
    assert_eq!(targets(&program, "call_one"), ["drop_one"]);
    assert_eq!(targets(&program, "call_two"), ["drop_two"]);
    assert_eq!(targets(&program, "call_copy"), ["drop_one"], "a copy of the header declares the same record");
}

#[test]
fn a_parameter_holds_what_callers_pass() {
    let program = program(&[
        (
            "apply.c",
            "int apply(int (*f)(int), int x) { return f(x); }\n\
             int nobody(int (*f)(int), int x) { return f(x); }\n\
             int apply_data(int (*f)(void *), void *data) { return f(data); }\n",
        ),
        (
            "use.c",
            "int apply(int (*)(int), int);\n\
             int abs(int);\n\
             static int twice(int x) { return 2 * x; }\n\
             static int once(int x) { return x; }\n\
             static int (*choose(int n))(int) { return n ? twice : once; }\n\
             int use(int n) { int (*g)(int) = n > 2 ? abs : choose(n); return apply(g, n) + apply(0, n); }\n",
        ),
    ]);
    assert_eq!(targets(&program, "apply"), ["once twice *abs"].map(|s| sorted(&program, s)));
    assert_eq!(targets(&program, "nobody"), ["?"]);
    assert_eq!(targets(&program, "apply_data"), ["?"]);
}

/// Names in the order of the ids of their functions, as answers have it.
fn sorted(program: &caulk_program::Program, names: &str) -> String {
    let (external, mut inside): (Vec<&str>, Vec<&str>) = names.split(' ').partition(|name| name.starts_with('*'));
    inside.sort_by_key(|name| support::function(program, name));
    inside.into_iter().chain(external).collect::<Vec<_>>().join(" ")
}

#[test]
fn calls_found_on_the_way_lead_further() {
    let program = program(&[(
        "a.c",
        "typedef void (*done_t)(void *);\n\
         static void finish(void *p) { (void)p; }\n\
         static void step(done_t done, void *p) { done(p); }\n\
         struct job { void (*step)(done_t, void *); };\n\
         void start(struct job *j) { j->step = step; }\n\
         void run(struct job *j, void *p) { j->step(finish, p); }\n",
    )]);
    assert_eq!(targets(&program, "run"), ["step"]);
    assert_eq!(targets(&program, "step"), ["finish"]);
}

#[test]
fn pointers_to_pointers_arrays_and_frames() {
    let program = program(&[(
        "a.c",
        "void *malloc(unsigned long);\n\
         typedef int (*fn)(void);\n\
         static int one(void) { return 1; }\n\
         static int two(void) { return 2; }\n\
         static int three(void) { return 3; }\n\
         static void give(fn *out) { *out = one; }\n\
         int through_local(void) { fn f; give(&f); return f(); }\n\
         static const fn table[] = { one, two };\n\
         int from_table(int i) { return table[i](); }\n\
         int from_heap(int i) { fn *t = malloc(16); t[0] = two; t[1] = three; return t[i](); }\n\
         static fn *cursor = (fn *)table;\n\
         int from_cursor(void) { return (*cursor)(); }\n\
         int from_void(void *p) { return ((fn)p)(); }\n\
         int pass(void) { return from_void((void *)three); }\n\
         union u { fn f; void *p; };\n\
         int from_union(union u *u) { u->p = (void *)two; return u->f(); }\n",
    )]);
    assert_eq!(targets(&program, "through_local"), ["one"]);
    assert_eq!(targets(&program, "from_table"), ["one two"]);
    assert_eq!(targets(&program, "from_heap"), ["two three"]);
    assert_eq!(targets(&program, "from_cursor"), ["one two"]);
    assert_eq!(targets(&program, "from_void"), ["three"]);
    assert_eq!(targets(&program, "from_union"), ["two"]);
}

#[test]
fn a_variable_that_nobody_shares_is_known_part_by_part() {
    let program = program(&[(
        "a.c",
        "int close(int);\nint dup(int);\n\
         static int reopen(int n) { return n; }\n\
         struct call { const char *name; int (*now)(int); };\n\
         static struct call calls[] = { { \"close\", close }, { \"dup\", dup } };\n\
         void set(void) { calls[1].now = reopen; }\n\
         int first(int n) { return calls[0].now(n); }\n\
         int second(int n) { return calls[1].now(n); }\n\
         int any(int i, int n) { return calls[i].now(n); }\n",
    )]);
    assert_eq!(targets(&program, "first"), ["*close"]);
    assert_eq!(targets(&program, "second"), ["reopen *dup"]);
    assert_eq!(targets(&program, "any"), ["reopen *close *dup"]);
}

#[test]
fn records_that_are_copied_keep_their_functions() {
    let program = program(&[(
        "a.c",
        "struct methods { void (*run)(void); };\n\
         static void run_default(void) {}\n\
         static struct methods defaults = { run_default };\n\
         static struct methods current;\n\
         void init(void) { current = defaults; }\n\
         void call(void) { current.run(); }\n",
    )]);
    assert_eq!(targets(&program, "call"), ["run_default"]);
}

#[test]
fn a_call_that_passes_too_little_was_not_meant() {
    let program = program(&[(
        "a.c",
        "struct any { void (*run)(); };\n\
         static void none(void) {}\n\
         static void both(int a, int b) { (void)a; (void)b; }\n\
         void set(struct any *x, struct any *y) { x->run = none; y->run = both; }\n\
         void call(struct any *x) { x->run(); }\n\
         void call_both(struct any *x) { x->run(1, 2); }\n",
    )]);
    assert_eq!(targets(&program, "call"), ["none"]);
    assert_eq!(targets(&program, "call_both"), ["none both"]);
}

#[test]
fn too_many_targets_are_none() {
    let count = |n: usize| {
        let mut text = "struct ops { int (*run)(void); };\n".to_owned();
        for number in 0..n {
            text += &format!("static int f{number}(void) {{ return {number}; }}\n");
        }
        let all: Vec<String> = (0..n).map(|number| format!("{{ f{number} }}")).collect();
        text += &format!("struct ops table[] = {{ {} }};\n", all.join(", "));
        text += "int call(struct ops *o) { return o->run(); }\n";
        let program = program(&[("a.c", &text)]);
        targets(&program, "call")[0].split(' ').count()
    };
    assert_eq!(count(64), 64);
    assert_eq!(count(65), 1, "a question mark");
    assert_eq!(count(2000), 1);
}
