//! The language: what is read, what is printed, what is refused and how.

use super::ast::{Case, Constant, Effect, Model, Relation, Root, Step, ValueSpec};
use super::builtin::FAMILIES;
use super::models::Models;
use super::printer::{print_kind, print_model};

/// Every form of the grammar.
const EVERYTHING: &str = r#"
kind heap "memory" released by free, cfree;
kind descriptor "file descriptor" int >= 0 released by close;
kind regex "compiled expression";
malloc, valloc(size) { returns fresh heap or null; }
calloc(n, size) { returns fresh zeroed heap or null; }
nothing() { }
free(p) { releases p heap; }
ref(p) { acquires p heap; returns p; }
exit(status) { never returns; }
setjmp(env) { returns twice; returns int; }
strlen(s) { pure; returns length of s; }
strncasecmp(a, b, n) { pure; returns order of a and b, n ignoring case; }
strcmp(a, b) { pure; returns order of a and b; }
size() { returns length; }
strchr(s, c) { returns inside s or null; }
getenv(name) { returns borrowed or null; }
sin(x) { returns number; }
opaque(x) { unknown; returns unknown; }
scanf(format, ...) { writes *...; keeps ...; returns int >= -1; }
realloc(p, size) {
    when size == 0 { releases p heap; returns null; }
    otherwise {
        case { copies p to result; releases p heap; returns fresh heap; }
        case { returns null; }
    }
}
memmove(d, s, n) { copies s to d, n; returns d; }
memset(d, c, n) { fills d with c, n; returns d; }
clear(d) { fills d with 0, 16; fills *d with -1; }
qsort(base, n, size, compare) { calls compare(inside base, inside base); }
run(f, arg) { calls f(arg, null, 3, int, fresh heap); calls *f(); }
pipe(ends) { case { ends[0] = fresh descriptor; ends[1] = fresh descriptor; returns 0; } case { returns -1; } }
regcomp(r) { case { *r holds fresh regex; returns 0; } case { returns int != 0; } }
paths(p, q) {
    writes **p; writes p->a; writes (*p)->a; writes p->a->b; writes p->a.b; writes (*p)[*]; writes *p[*];
    writes p[*].name[2]; writes *p->a; writes q.inner; writes ***q.inner->x;
}
record(p) { result->name = fresh heap or null; *result = 1; returns fresh heap; }
conditions(a, b, c) {
    when a == null && *b >= -5 { returns 1; }
    when c != 3 { case { returns 2; } case { never returns; } }
    otherwise { returns int < 0; }
}
alias reallocf, my_realloc = realloc;
"#;

fn read(text: &str) -> Models {
    let mut models = Models::new();
    models.add(text, "test.model").unwrap_or_else(|errors| panic!("{}", list(&errors)));
    models
}

fn list(errors: &[super::ModelError]) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// Where a model stands is no part of what it says.
fn without_loc(model: &Model) -> Model {
    let loc = super::ModelLoc { file: caulk_base::Symbol::EMPTY, line: 0, column: 0 };
    Model { loc, ..model.clone() }
}

fn assert_round_trip(models: &Models) {
    let mut text: String = models.kinds.iter().map(|kind| print_kind(kind) + "\n").collect();
    for model in models.functions() {
        text.push_str(&print_model(models, model));
        text.push('\n');
    }
    let again = read(&text);
    assert_eq!(models.kinds, again.kinds);
    assert_eq!(models.functions().len(), again.functions().len());
    for (before, after) in models.functions().iter().zip(again.functions()) {
        assert_eq!(without_loc(before), without_loc(after), "{}", print_model(models, before));
    }
}

fn only_case<'m>(models: &'m Models, name: &str) -> &'m Case {
    let [case] = models.named(name).expect("defined above").cases.as_slice() else { panic!("{name} has one case") };
    case
}

#[test]
fn printed_models_read_back_the_same() {
    assert_round_trip(&read(EVERYTHING));
    assert_round_trip(Models::builtin());
}

#[test]
fn a_model_prints_as_a_person_would_write_it() {
    let models = read(EVERYTHING);
    let print = |name: &str| print_model(&models, models.named(name).expect("defined above"));
    assert_eq!(print("strchr"), "strchr(s, c) { returns inside s or null; }");
    assert_eq!(
        print("my_realloc"),
        "my_realloc(p, size) {
    when size == 0 { releases p heap; returns null; }
    when size != 0 {
        case { copies p to result; releases p heap; returns fresh heap; }
        case { returns null; }
    }
}"
    );
    assert_eq!(
        print("paths"),
        "paths(p, q) {
    writes **p;
    writes p->a;
    writes (*p)->a;
    writes p->a->b;
    writes p->a.b;
    writes (*p)[*];
    writes *p[*];
    writes p[*].name[2];
    writes *p->a;
    writes q.inner;
    writes ***q.inner->x;
}"
    );
}

#[test]
fn paths_have_the_precedence_of_c() {
    let models = read("f(p) { writes *p->a[*]; }");
    let [Effect::Write { path }] = only_case(&models, "f").effects.as_slice() else { panic!("one write") };
    let field = Step::Field(caulk_base::Symbol::intern("a"));
    assert_eq!(path.root, Root::Parameter(0));
    assert_eq!(path.steps, [Step::Deref, field, Step::Elements, Step::Deref]);
}

#[test]
fn otherwise_is_every_way_to_fail_the_conditions_once() {
    let models = read(EVERYTHING);
    let cases = &models.named("conditions").expect("defined above").cases;
    let whens: Vec<String> = cases
        .iter()
        .map(|case| {
            let parts: Vec<String> =
                case.when.iter().map(|c| format!("{:?}{}{}", c.path.root, c.relation, c.constant.number())).collect();
            parts.join(" ")
        })
        .collect();
    let (a, b, c) = ("Parameter(0)", "Parameter(1)", "Parameter(2)");
    assert_eq!(
        whens,
        [
            format!("{a}==0 {b}>=-5"),
            format!("{c}!=3"),
            format!("{c}!=3"),
            format!("{a}!=0 {c}==3"),
            format!("{a}==0 {b}<-5 {c}==3"),
        ]
    );
    assert_eq!(cases[0].when[0].constant, Constant::Null);
    assert!(cases[2].never_returns);
    assert_eq!(cases[4].result, [ValueSpec::IntWhere(Relation::Less, 0)]);
}

#[test]
fn facts_outside_the_cases_hold_in_all_of_them() {
    let models = read("f(p) { keeps p; case { returns 0; } case { writes *p; returns 1; } }");
    let cases = &models.named("f").expect("defined above").cases;
    assert_eq!(cases.len(), 2);
    assert!(cases.iter().all(|case| matches!(case.effects[0], Effect::Keep { .. })));
    assert_eq!(cases[1].effects.len(), 2);
}

#[test]
fn later_files_win_and_aliases_keep_what_they_copied() {
    let mut models = read("f(x) { returns 1; } alias g = f;");
    models.add("f(x, y) { returns 2; } kind k \"thing\"; h(p) { releases p k; }", "later.model").expect("well-formed");
    assert_eq!(models.named("f").expect("defined").parameters.len(), 2);
    assert_eq!(only_case(&models, "g").result, [ValueSpec::Int(1)]);
    assert_eq!(models.functions().len(), 3);
    let loc = models.named("h").expect("defined").loc;
    assert_eq!((loc.file.as_str(), loc.line, loc.column), ("later.model", 1, 40));
    assert!(models.kind_named("k").is_some());
    assert!(models.named("missing").is_none());
}

/// Each line is a file of its own, then the error it gives.
const MISTAKES: &[(&str, &str)] = &[
    ("f(x { }", "1:5: expected `)` after the parameters, found `{`"),
    ("f(x) { returns; }", "1:15: expected a value, found `;`"),
    ("f(x) { returns x }", "1:18: expected `;` here, found `}`"),
    ("f(x) { returns y; }", "1:16: no parameter is named `y`"),
    ("f(x, x) { }", "1:6: there are two parameters `x`"),
    ("f(null) { }", "1:3: `null` is a word of this language; give the parameter another name"),
    ("f(x) { returns 1; returns 2; }", "1:19: the result is already told; join alternatives by `or`"),
    ("f(x) { returns 1; case { returns 2; } }", "1:26: the result is already told for all cases"),
    ("f(x) { returns 1 or 1; }", "1:21: this value is already among the alternatives"),
    ("f(x) { never returns; returns 1; }", "1:8: a case that never returns has no result"),
    ("f(x) { never; }", "1:13: expected `returns`, found `;`"),
    ("f(x) { releases x thing; }", "1:19: no kind `thing` is declared; write `kind thing \"…\";` before this"),
    ("f(x) { x = 1; }", "1:8: a call assigns to what an argument points at: write `*` before it"),
    ("f(x) { writes x; }", "1:15: a call writes what an argument points at: write `*` before it"),
    ("f(x) { *x; }", "1:10: expected `=` or `holds`, found `;`"),
    ("f(x) { 5; }", "1:8: expected what the function does, found `5`"),
    ("f(x) { keeps ...; }", "1:14: this function takes no further arguments; write `...` among its parameters"),
    ("f(x) { otherwise { } }", "1:8: `otherwise` needs a `when` before it"),
    ("f(x) { when x == 1 { } otherwise { } case { } }", "1:38: nothing comes after `otherwise`"),
    ("f(x) { when x = 1 { } }", "1:15: expected a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`), found `=`"),
    ("f(x) { when result == 1 { } }", "1:13: a condition is about the arguments, not about the result"),
    ("f(x) { case { } keeps x; }", "1:17: what holds in all cases comes before the first case"),
    ("f(x) { case { pure; } }", "1:15: `pure` is said of the whole function, outside its cases"),
    ("f(x) { *result = 1; }", "1:8: this case has an effect on the result but does not say what is returned"),
    ("f(x) { returns order of x; }", "1:26: expected `and`, found `;`"),
    ("f(x) { returns result; }", "1:8: the result cannot be told by itself"),
    ("f(x) { writes x[y]; }", "1:17: expected an index or `*`, found `y`"),
    ("f(x) {", "1:7: expected `}` to close the description, found the end of the file"),
    ("f(x) { } f() { }", "1:10: the function `f` is already defined in this file"),
    ("kind k \"a\"; kind k \"b\";", "1:18: the kind `k` is already defined in this file"),
    ("kind k;", "1:7: expected what reports call it, in quotes, found `;`"),
    ("kind k \"a\" released with f;", "1:21: expected `by`, found `with`"),
    ("alias a = b;", "1:11: no model of `b` comes before this alias"),
    ("@", "1:1: expected `kind`, `alias` or the name of a function, found `@`, which starts nothing in this language"),
];

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, expected) in MISTAKES {
        let errors = Models::new().add(text, "user.model").expect_err(text);
        assert_eq!(list(&errors), format!("user.model:{expected}\n"), "{text}");
    }
}

#[test]
fn reading_goes_on_after_a_mistake() {
    let text = "f(x) { returns; keeps y; }\nkind;\ng(x) { case { returns 1 } case { keeps x; } }\nh() { }\n";
    let mut models = Models::new();
    let errors = models.add(text, "user.model").expect_err("three functions have mistakes");
    let lines: Vec<(u32, u32)> = errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(lines, [(1, 15), (1, 23), (2, 5), (3, 25)], "{}", list(&errors));
    assert!(models.named("h").is_some());
    assert!(models.named("f").is_none() && models.named("g").is_none());
}

#[test]
fn no_text_makes_the_reader_panic_or_hang() {
    let full = EVERYTHING;
    for (cut, _) in full.char_indices() {
        let _ = Models::new().add(&full[..cut], "cut.model");
        let _ = Models::new().add(&full[cut..], "cut.model");
    }
}

#[test]
fn deep_nesting_is_a_mistake_like_others() {
    let deep = 100_000;
    for text in [
        format!("f(x) {{ writes {}x; }}", "(".repeat(deep)),
        format!("f(x) {{ {}", "case { ".repeat(deep)),
        format!("f(x) {}", "{ ".repeat(deep)),
    ] {
        assert!(Models::new().add(&text, "deep.model").is_err());
    }
    assert!(Models::new().add(&format!("f(x) {{ writes {}x; }}", "*".repeat(deep)), "deep.model").is_ok());
}

#[test]
fn built_in_families_do_not_overlap() {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for model in Models::builtin().functions() {
        seen.push((model.name.as_str(), model.loc.file.as_str()));
    }
    let mut models = Models::new();
    let mut count = 0;
    for family in FAMILIES {
        models.add(family.text, family.name).unwrap_or_else(|errors| panic!("{}", list(&errors)));
        let here = models.functions().iter().filter(|model| model.loc.file.as_str() == family.name).count();
        count += here;
        assert_eq!(models.functions().len(), count, "{} defines a function that an earlier family has", family.name);
    }
    assert_eq!(seen.len(), count);
}

#[test]
fn every_kind_is_released_by_the_functions_it_names() {
    let models = Models::builtin();
    for (id, kind) in models.kinds.iter_enumerated() {
        assert!(!kind.released_by.is_empty(), "{} is released by nothing", kind.name);
        for &name in &kind.released_by {
            let model = models.get(name).unwrap_or_else(|| panic!("{name} releases {} and has no model", kind.name));
            let releases = |effect: &Effect| matches!(effect, Effect::Release { kind, .. } if *kind == id);
            assert!(
                model.cases.iter().any(|case| case.effects.iter().any(releases)),
                "the model of {name} does not release {}",
                kind.name
            );
        }
    }
}
