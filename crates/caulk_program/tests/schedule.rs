//! Components and the order of work.

mod support;

use std::sync::Mutex;

use caulk_program::{Program, schedule};
use support::{function, program};

const CALLS: &str = "int odd(unsigned n);\n\
                     int even(unsigned n) { return n ? odd(n - 1) : 1; }\n\
                     int odd(unsigned n) { return n ? even(n - 1) : 0; }\n\
                     int self(int n) { return n ? self(n - 1) : 0; }\n\
                     int leaf(void) { return 1; }\n\
                     int main(void) { return even(3) + self(2) + leaf(); }\n";

fn numbers(program: &Program, names: &[&str]) -> Vec<usize> {
    names.iter().map(|name| program.component_of(function(program, name))).collect()
}

#[test]
fn circles_are_one_component() {
    let program = program(&[("a.c", CALLS)]);
    let [even, odd, own, leaf, main] = numbers(&program, &["even", "odd", "self", "leaf", "main"])[..] else {
        panic!()
    };
    assert_eq!(even, odd);
    let components = program.components();
    assert_eq!(components.len(), 4);
    assert!(components[even].is_recursive && components[own].is_recursive);
    assert!(!components[leaf].is_recursive && !components[main].is_recursive);
    let mut callees = vec![even as u32, own as u32, leaf as u32];
    callees.sort_unstable();
    assert_eq!(components[main].callees, callees);
    assert!(components[even].callees.is_empty());
}

#[test]
fn pointers_close_circles_and_direct_calls_order_them() {
    let program = program(&[(
        "a.c",
        "static void report(void);\n\
         static void (*hook)(void) = report;\n\
         void die(void) { hook(); }\n\
         static void check(void) { die(); }\n\
         static void report(void) { check(); }\n\
         int main(void) { report(); return 0; }\n",
    )]);
    let [die, check, report, main] = numbers(&program, &["die", "check", "report", "main"])[..] else { panic!() };
    assert!(die == check && check == report && main > report);
    let order: Vec<&str> =
        program.components()[die].functions.iter().map(|&f| program.function(f).name.as_str()).collect();
    assert_eq!(order, ["die", "check", "report"]);
    assert!(program.components()[die].is_recursive);
}

#[test]
fn large_circles_are_opened_where_a_pointer_closes_them() {
    let mut text = "void top(void);\nvoid (*hook)(void) = top;\nvoid f0(void) { hook(); }\n".to_owned();
    for number in 1..40 {
        text += &format!("void f{number}(void) {{ f{}(); }}\n", number - 1);
    }
    text += "static void low(void) {}\nvoid (*other)(void) = low;\nvoid top(void) { f39(); other(); }\n";
    let program = program(&[("a.c", &text)]);
    let [first, low, top] = numbers(&program, &["f0", "low", "top"])[..] else { panic!() };
    assert!(program.components().iter().all(|component| component.functions.len() == 1 && !component.is_recursive));
    assert!(program.components()[first].callees.is_empty());
    assert!(program.components()[top].callees.contains(&(low as u32)), "this one is no part of the circle");
    let call = support::indirect_calls(&program, function(&program, "f0"))[0];
    assert!(program.indirect_targets(function(&program, "f0"), call).is_some(), "still known by name");
}

#[test]
fn a_long_chain_needs_no_stack() {
    let mut text = "void f0(void) {}\n".to_owned();
    for number in 1..20_000 {
        text += &format!("void f{number}(void) {{ f{}(); }}\n", number - 1);
    }
    let program = program(&[("a.c", &text)]);
    assert_eq!(program.components().len(), 20_000);
    let depths = schedule(&program, 2, |number, done| {
        1 + program.components()[number]
            .callees
            .first()
            .map_or(0, |&callee| *done.component(callee as usize).expect("done"))
    });
    assert_eq!(depths[program.component_of(function(&program, "f19999"))], 20_000);
}

#[test]
fn work_follows_its_callees_whatever_the_threads() {
    let mut text = CALLS.replace("int main(void) { return", "int main(void) { int n = 0;");
    text.truncate(text.rfind(" even(3)").expect("in main"));
    for number in 0..200 {
        text += &format!(" int g{number}(void); n += g{number}();");
    }
    text += " return n; }\n";
    for number in 0..200 {
        text += &format!("int g{number}(void) {{ return even({number}) + self({number}) + leaf(); }}\n");
    }
    let program = program(&[("a.c", &text)]);
    let run = |jobs: usize| {
        let order = Mutex::new(Vec::new());
        let results = schedule(&program, jobs, |number, done| {
            let callees = &program.components()[number].callees;
            let below: u64 = callees.iter().map(|&c| *done.component(c as usize).expect("callees are done")).sum();
            assert!(done.component(number).is_none(), "only callees are seen");
            order.lock().expect("no panic").push(number);
            below.wrapping_mul(31) + number as u64
        });
        let order = order.into_inner().expect("no panic");
        for (at, &number) in order.iter().enumerate() {
            for &callee in &program.components()[number].callees {
                assert!(order[..at].contains(&(callee as usize)));
            }
        }
        assert_eq!(order.len(), program.components().len());
        results
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn a_panic_ends_all_threads() {
    let program = program(&[("a.c", CALLS)]);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        schedule(&program, 4, |number, _| assert!(number != 0, "deliberate"));
    }));
    assert!(outcome.is_err());
}

#[test]
fn nothing_is_a_program_too() {
    let program = Program::link(Vec::new());
    assert!(schedule(&program, 2, |number, _| number).is_empty());
}
