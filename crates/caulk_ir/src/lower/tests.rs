//! Bodies made by hand, lowered, verified, and compared as text.

use caulk_base::{Loc, Symbol};
use caulk_sema::hir::{
    Asm, AsmOutput, Body, Expr, ExprId, ExprKind, Init, InitItem, Label, LabelId, List, Local, LocalId, Stmt, StmtId,
    StmtKind,
};
use caulk_sema::target::X86_64_LINUX;
use caulk_sema::types::{Bits, Field, FunctionType, RecordLayout, Ty, Type, TypeTable, VlaId, quals};
use caulk_sema::unit::{Global, GlobalId, Unit};

use super::{LowerScratch, lower_function};
use crate::ir::{BinaryOp, Builtin, CompareOp, Function, InstKind, Terminator};
use crate::print::{Locations, print_function};
use crate::verify::verify;

/// A unit with one function under construction, number 0.
struct Maker {
    unit: Unit,
    body: Body,
}

impl Maker {
    fn new(result: Ty, parameters: &[(&str, Ty)]) -> Maker {
        let types = TypeTable::new(X86_64_LINUX.clone());
        let unit = Unit { types, globals: Default::default(), strings: Default::default(), asm: Vec::new() };
        let mut maker = Maker { unit, body: Body::default() };
        let tys: Vec<Ty> = parameters.iter().map(|&(_, ty)| ty).collect();
        maker.function("f", result, &tys);
        for &(name, ty) in parameters {
            let local = maker.local(name, ty);
            maker.body.parameters.push(local);
        }
        maker
    }

    fn function(&mut self, name: &str, result: Ty, parameters: &[Ty]) -> GlobalId {
        let ty = self.unit.types.function_type(FunctionType {
            result,
            parameters: parameters.into(),
            is_variadic: false,
            is_unprototyped: false,
            is_noreturn: false,
        });
        self.global(name, ty)
    }

    fn global(&mut self, name: &str, ty: Ty) -> GlobalId {
        self.unit.globals.push(Global::new(Symbol::intern(name), ty, Loc::NONE))
    }

    fn local(&mut self, name: &str, ty: Ty) -> LocalId {
        let in_memory = self.unit.types.is_aggregate(ty);
        self.body.locals.push(Local {
            name: Symbol::intern(name),
            ty,
            in_memory,
            captured_as: None,
            cleanup: None,
            attributes: Vec::new(),
            loc: Loc::NONE,
        })
    }

    fn label(&mut self, name: &str) -> LabelId {
        let name = Symbol::intern(name);
        self.body.labels.push(Label { name, is_address_taken: false, is_nonlocal: false, loc: Loc::NONE })
    }

    fn param(&self, number: usize) -> LocalId {
        self.body.parameters[number]
    }

    fn expr(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        self.body.exprs.push(Expr { kind, ty, loc: Loc::NONE })
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.expr(ExprKind::Int(value), Ty::INT)
    }

    fn object(&mut self, local: LocalId) -> ExprId {
        let ty = self.body.locals[local].ty;
        self.expr(ExprKind::Local(local), ty)
    }

    fn load(&mut self, local: LocalId) -> ExprId {
        let object = self.object(local);
        let ty = self.body.locals[local].ty.unqualified();
        self.expr(ExprKind::Load(object), ty)
    }

    fn assign(&mut self, local: LocalId, value: ExprId) -> StmtId {
        let target = self.object(local);
        let ty = self.body.locals[local].ty.unqualified();
        let assign = self.expr(ExprKind::Assign { target, value }, ty);
        self.stmt(StmtKind::Expr(assign))
    }

    fn call(&mut self, function: GlobalId, args: &[ExprId]) -> ExprId {
        let ty = self.unit.globals[function].ty;
        let pointer = self.unit.types.pointer_to(ty);
        let result = self.unit.types.callee(ty).expect("a function").result;
        let object = self.expr(ExprKind::Global(function), ty);
        let callee = self.expr(ExprKind::AddressOf(object), pointer);
        let start = self.body.expr_lists.len() as u32;
        self.body.expr_lists.extend(args);
        let args = List { start, len: args.len() as u32 };
        self.expr(ExprKind::Call { callee, args }, result)
    }

    /// A call of a function `name()` as a statement.
    fn run(&mut self, name: &str) -> StmtId {
        let name_symbol = Symbol::intern(name);
        let known = self.unit.globals.iter_enumerated().find(|(_, global)| global.name == name_symbol);
        let function = match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.function(name, Ty::VOID, &[]),
        };
        let call = self.call(function, &[]);
        self.stmt(StmtKind::Expr(call))
    }

    fn stmt(&mut self, kind: StmtKind) -> StmtId {
        self.body.stmts.push(Stmt { kind, loc: Loc::NONE })
    }

    fn declare(&mut self, local: LocalId) -> StmtId {
        self.stmt(StmtKind::Declare { local, init: None })
    }

    fn block(&mut self, stmts: &[StmtId]) -> StmtId {
        let start = self.body.stmt_lists.len() as u32;
        self.body.stmt_lists.extend(stmts);
        let stmts = List { start, len: stmts.len() as u32 };
        self.stmt(StmtKind::Block { stmts, end: Loc::NONE })
    }

    fn returns(&mut self, value: ExprId) -> StmtId {
        self.stmt(StmtKind::Return(Some(value)))
    }

    fn lower(&mut self, stmts: &[StmtId]) -> Function {
        self.body.root = Some(self.block(stmts));
        let function = lower_function(&mut self.unit, GlobalId(0), &self.body, &mut LowerScratch::default());
        if let Err(errors) = verify(&self.unit, &function) {
            let mut text = String::new();
            print_function(&self.unit, &function, Locations::Omit, &mut text);
            panic!("{}\n{text}", errors.join("\n"));
        }
        function
    }

    /// The function's text from its first block on.
    fn text(&mut self, stmts: &[StmtId]) -> String {
        let function = self.lower(stmts);
        let mut text = String::new();
        print_function(&self.unit, &function, Locations::Omit, &mut text);
        let lines = text.lines().skip(1).filter(|line| *line != "}").map(str::trim);
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[track_caller]
fn expect(found: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected.join("\n"), "\nfound:\n{found}\n");
}

#[test]
fn conditions_branch_without_numbers() {
    // if (a && !b) x(); else y();
    let mut m = Maker::new(Ty::VOID, &[("a", Ty::INT), ("b", Ty::CHAR_PTR)]);
    let (a, b) = (m.load(m.param(0)), m.load(m.param(1)));
    let not_b = m.expr(ExprKind::LogicalNot(b), Ty::INT);
    let condition = m.expr(ExprKind::LogicalAnd(a, not_b), Ty::INT);
    let (then, otherwise) = (m.run("x"), Some(m.run("y")));
    let stmt = m.stmt(StmtKind::If { condition, then, otherwise });
    expect(
        &m.text(&[stmt]),
        "bb0:
           branch v0, bb1, bb3
         bb1:
           v2: int = ne v1, ptr char null
           branch v2, bb3, bb2
         bb2:
           call @x()
           jump bb4
         bb3:
           call @y()
           jump bb4
         bb4:
           return",
    );
}

#[test]
fn a_condition_wanted_as_a_number_is_a_phi() {
    // return a || b;
    let mut m = Maker::new(Ty::INT, &[("a", Ty::INT), ("b", Ty::INT)]);
    let (a, b) = (m.load(m.param(0)), m.load(m.param(1)));
    let value = m.expr(ExprKind::LogicalOr(a, b), Ty::INT);
    let stmt = m.returns(value);
    expect(
        &m.text(&[stmt]),
        "bb0:
           branch v0, bb2, bb1
         bb1:
           branch v1, bb2, bb3
         bb2:
           jump bb4
         bb3:
           jump bb4
         bb4:
           v2: int = phi [bb2: int 1, bb3: int 0]
           return v2",
    );
}

#[test]
fn the_side_a_constant_rules_out_is_gone_unless_a_label_stands_there() {
    for has_label in [false, true] {
        // if (0) { L: x(); }  …  goto L;
        let mut m = Maker::new(Ty::VOID, &[]);
        let mut then = m.run("x");
        let mut stmts = Vec::new();
        if has_label {
            let label = m.label("L");
            then = m.stmt(StmtKind::Label { label, body: then });
            stmts.push(m.stmt(StmtKind::Goto(label)));
        }
        let condition = m.int(0);
        stmts.insert(0, m.stmt(StmtKind::If { condition, then, otherwise: None }));
        let text = m.text(&stmts);
        assert_eq!(text.contains("call @x"), has_label, "{text}");
    }
}

#[test]
fn a_switch_finds_cases_in_loops() {
    // switch (n) { case 0: do { x(); case 1: y(); } while (more()); }
    let mut m = Maker::new(Ty::VOID, &[("n", Ty::INT)]);
    let more = m.function("more", Ty::INT, &[]);
    let condition = m.call(more, &[]);
    let (x, y) = (m.run("x"), m.run("y"));
    let inner_case = m.stmt(StmtKind::Case { low: 1, high: 1, body: y });
    let loop_body = m.block(&[x, inner_case]);
    let do_while = m.stmt(StmtKind::DoWhile { body: loop_body, condition });
    let case = m.stmt(StmtKind::Case { low: 0, high: 0, body: do_while });
    let body = m.block(&[case]);
    let value = m.load(m.param(0));
    let stmt = m.stmt(StmtKind::Switch { value, body });
    expect(
        &m.text(&[stmt]),
        "bb0:
           switch v0, bb5 [0: bb1, 1: bb3]
         bb1:
           jump bb2
         bb2:
           call @x()
           jump bb3
         bb3:
           call @y()
           v3: int = call @more()
           branch v3, bb2, bb4
         bb4:
           jump bb5
         bb5:
           return",
    );
}

#[test]
fn overlapping_cases_are_clipped_and_a_case_left_with_nothing_is_unreachable() {
    // switch (n) { case 7: v(); break; case 5 ... 9: x(); break; case 6: y(); break; case 8 ... 12: z(); break;
    //              case 3 ... 1: w(); }
    let mut m = Maker::new(Ty::VOID, &[("n", Ty::INT)]);
    let mut stmts = Vec::new();
    for (low, high, name) in [(7, 7, "v"), (5, 9, "x"), (6, 6, "y"), (8, 12, "z"), (3, 1, "w")] {
        let body = m.run(name);
        stmts.push(m.stmt(StmtKind::Case { low, high, body }));
        stmts.push(m.stmt(StmtKind::Break));
    }
    let body = m.block(&stmts);
    let value = m.load(m.param(0));
    let stmt = m.stmt(StmtKind::Switch { value, body });
    let text = m.text(&[stmt]);
    assert!(text.contains("switch v0, bb4 [5..6: bb2, 7: bb1, 8..9: bb2, 10..12: bb3]"), "{text}");
    assert!(!text.contains("@y") && !text.contains("@w"), "{text}");
}

#[test]
fn a_case_after_an_inner_switch_has_a_block_of_its_own() {
    // switch (n) { case 1: switch (n) { case 2: ; } case 3: x(); }
    let mut m = Maker::new(Ty::VOID, &[("n", Ty::INT)]);
    let empty = m.stmt(StmtKind::Empty);
    let case = m.stmt(StmtKind::Case { low: 2, high: 2, body: empty });
    let (value, body) = (m.load(m.param(0)), m.block(&[case]));
    let inner = m.stmt(StmtKind::Switch { value, body });
    let first = m.stmt(StmtKind::Case { low: 1, high: 1, body: inner });
    let second = m.stmt(StmtKind::Case { low: 3, high: 3, body: empty });
    let x = m.run("x");
    let (value, body) = (m.load(m.param(0)), m.block(&[first, second, x]));
    let stmt = m.stmt(StmtKind::Switch { value, body });
    expect(
        &m.text(&[stmt]),
        "bb0:
           switch v0, bb5 [1: bb1, 3: bb4]
         bb1:
           switch v0, bb3 [2: bb2]
         bb2:
           jump bb3
         bb3:
           jump bb4
         bb4:
           call @x()
           jump bb5
         bb5:
           return",
    );
}

#[test]
fn every_way_out_of_a_scope_runs_its_cleanups_and_ends_its_objects() {
    // while (c) { cleanup(done) int a; int b[4]; if (c) break; if (c) return; }
    let mut m = Maker::new(Ty::VOID, &[("c", Ty::INT)]);
    let pointer = m.unit.types.pointer_to(Ty::INT);
    let done = m.function("done", Ty::VOID, &[pointer]);
    let a = m.local("a", Ty::INT);
    m.body.locals[a].cleanup = Some(done);
    let array = m.unit.types.array_of(Ty::INT, Some(4));
    let b = m.local("b", array);
    let mut stmts = vec![m.declare(a), m.declare(b)];
    for exit in [StmtKind::Break, StmtKind::Return(None)] {
        let condition = m.load(m.param(0));
        let then = m.stmt(exit);
        stmts.push(m.stmt(StmtKind::If { condition, then, otherwise: None }));
    }
    let body = m.block(&stmts);
    let condition = m.load(m.param(0));
    let stmt = m.stmt(StmtKind::While { condition, body });
    expect(
        &m.text(&[stmt]),
        "bb0:
           v1: ptr int = slot a
           v2: ptr [4 x int] = slot b
           jump bb1
         bb1:
           branch v0, bb2, bb7
         bb2:
           branch v0, bb3, bb4
         bb3:
           call @done(v1)
           end v2
           end v1
           jump bb7
         bb4:
           branch v0, bb5, bb6
         bb5:
           call @done(v1)
           end v2
           end v1
           return
         bb6:
           call @done(v1)
           end v2
           end v1
           jump bb1
         bb7:
           return",
    );
}

#[test]
fn going_back_before_a_declaration_cleans_up() {
    // again: x(); cleanup(done) int a; if (c) goto again;
    let mut m = Maker::new(Ty::VOID, &[("c", Ty::INT)]);
    let pointer = m.unit.types.pointer_to(Ty::INT);
    let done = m.function("done", Ty::VOID, &[pointer]);
    let a = m.local("a", Ty::INT);
    m.body.locals[a].cleanup = Some(done);
    let again = m.label("again");
    let x = m.run("x");
    let label = m.stmt(StmtKind::Label { label: again, body: x });
    let declare = m.declare(a);
    let then = m.stmt(StmtKind::Goto(again));
    let condition = m.load(m.param(0));
    let goto = m.stmt(StmtKind::If { condition, then, otherwise: None });
    expect(
        &m.text(&[label, declare, goto]),
        "bb0:
           v1: ptr int = slot a
           jump bb1
         bb1:
           call @x()
           branch v0, bb2, bb3
         bb2:
           call @done(v1)
           end v1
           jump bb1
         bb3:
           call @done(v1)
           end v1
           return",
    );
}

#[test]
fn bit_fields_keep_their_bits() {
    // struct { unsigned a : 3; } *p; return p->a = n;
    let mut m = Maker::new(Ty::UINT, &[("n", Ty::UINT)]);
    let record = m.unit.types.new_record(false, Symbol::intern("s"), Loc::NONE);
    let id = m.unit.types.record_of(record).expect("a record");
    let field = Field {
        name: Symbol::intern("a"),
        ty: Ty::UINT,
        offset: 0,
        bits: Some(Bits { shift: 0, width: 3 }),
        attributes: Vec::new(),
        loc: Loc::NONE,
    };
    m.unit.types.records[id].layout = Some(RecordLayout { fields: vec![field], size: 4, align: 4 });
    let s = m.local("s", record);
    let base = m.object(s);
    let target = m.expr(ExprKind::Member { base, field: 0 }, Ty::UINT);
    let value = m.load(m.param(0));
    let assign = m.expr(ExprKind::Assign { target, value }, Ty::UINT);
    let stmts = [m.declare(s), m.returns(assign)];
    let function = m.lower(&stmts);
    let stores = function.insts.iter().filter(|inst| matches!(inst.kind, InstKind::StoreBits { .. })).count();
    let shifts = function
        .insts
        .iter()
        .filter(|inst| matches!(inst.kind, InstKind::Binary { op: BinaryOp::Shl | BinaryOp::Shr, .. }));
    assert_eq!((stores, shifts.count()), (1, 2));
}

#[test]
fn initialisers_find_their_way_through_fields_and_elements() {
    // struct { int n; char *name[2]; } s = { .name = { [1] = p } };
    let mut m = Maker::new(Ty::VOID, &[("p", Ty::CHAR_PTR)]);
    let record = m.unit.types.new_record(false, Symbol::intern("s"), Loc::NONE);
    let id = m.unit.types.record_of(record).expect("a record");
    let names = m.unit.types.array_of(Ty::CHAR_PTR, Some(2));
    let field = |name: &str, ty, offset| Field {
        name: Symbol::intern(name),
        ty,
        offset,
        bits: None,
        attributes: Vec::new(),
        loc: Loc::NONE,
    };
    let fields = vec![field("n", Ty::INT, 0), field("name", names, 8)];
    m.unit.types.records[id].layout = Some(RecordLayout { fields, size: 24, align: 8 });
    let s = m.local("s", record);
    let value = m.load(m.param(0));
    let item = InitItem { offset: 16, bits: None, ty: Ty::CHAR_PTR, value };
    let init = m.body.inits.push(Init { zero_first: true, items: vec![item] });
    let stmt = m.stmt(StmtKind::Declare { local: s, init: Some(init) });
    let text = m.text(&[stmt]);
    assert!(text.contains("= field v1, struct s.name"), "{text}");
    assert!(text.contains("element v3, long 1"), "{text}");
    assert!(text.contains("zero v1, 24"), "{text}");
}

#[test]
fn a_variable_length_array_is_allocated_where_it_stands() {
    // { int a[n]; return sizeof a; }
    let mut m = Maker::new(Ty::ULONG, &[("n", Ty::ULONG)]);
    m.body.vla_count = 1;
    let ty = m.unit.types.intern(Type::Vla(Ty::INT, VlaId(0)));
    let a = m.local("a", ty);
    let len = m.load(m.param(0));
    let set = m.stmt(StmtKind::SetVla { vla: VlaId(0), len });
    let declare = m.declare(a);
    let size = m.expr(ExprKind::SizeofVla(ty), Ty::ULONG);
    let stmts = [set, declare, m.returns(size)];
    let function = m.lower(&stmts);
    let kinds: Vec<InstKind> =
        function.blocks[crate::ir::ENTRY].insts.iter().map(|&v| function.insts[v].kind).collect();
    assert!(matches!(kinds[1], InstKind::Alloca { .. }), "{kinds:?}");
    assert!(matches!(kinds[3], InstKind::End { .. }), "{kinds:?}");
}

#[test]
fn computed_gotos_meet_in_one_place() {
    // L: x(); goto *&&L;   (twice)
    let mut m = Maker::new(Ty::VOID, &[]);
    let label = m.label("L");
    m.body.labels[label].is_address_taken = true;
    let x = m.run("x");
    let at = m.stmt(StmtKind::Label { label, body: x });
    let mut stmts = vec![at];
    for _ in 0..2 {
        let address = m.expr(ExprKind::LabelAddress(label), Ty::VOID_PTR);
        stmts.push(m.stmt(StmtKind::GotoComputed(address)));
    }
    let function = m.lower(&stmts);
    let indirect = function.blocks.iter().filter(|block| matches!(block.terminator, Terminator::Indirect { .. }));
    assert_eq!(indirect.count(), 1);
}

#[test]
fn a_call_that_never_returns_ends_the_block() {
    let mut m = Maker::new(Ty::INT, &[]);
    let stop = m.run("stop");
    let stop_global = GlobalId(1);
    m.unit.globals[stop_global].is_noreturn = true;
    let x = m.run("x");
    expect(&m.text(&[stop, x]), "bb0:\ncall @stop()\nunreachable");
}

#[test]
fn compare_exchange_stores_on_one_way_only() {
    // return __sync_val_compare_and_swap(p, 1, 2);
    let mut m = Maker::new(Ty::INT, &[]);
    let pointer = m.unit.types.pointer_to(Ty::INT.with(quals::VOLATILE));
    let p = m.local("p", pointer);
    let (p_value, one, two) = (m.load(p), m.int(1), m.int(2));
    let start = m.body.expr_lists.len() as u32;
    m.body.expr_lists.extend([p_value, one, two]);
    let args = List { start, len: 3 };
    let value = m.expr(ExprKind::Builtin { op: Builtin::SyncValCompareExchange, args }, Ty::INT);
    let stmts = [m.returns(value)];
    let function = m.lower(&stmts);
    let eq = function.insts.iter().any(|inst| matches!(inst.kind, InstKind::Compare { op: CompareOp::Eq, .. }));
    assert!(eq && function.blocks.len() == 4, "{function:?}");
}

#[test]
fn asm_outputs_reach_their_targets() {
    // asm("…" : "=r"(x)); return x;
    let mut m = Maker::new(Ty::INT, &[]);
    let x = m.local("x", Ty::INT);
    let target = m.object(x);
    let asm = m.body.asms.push(Asm {
        template: "mov %0".into(),
        is_volatile: false,
        clobbers_memory: false,
        outputs: vec![AsmOutput { constraint: "=r".into(), target, is_read: false }],
        inputs: Vec::new(),
        labels: Vec::new(),
    });
    let asm = m.stmt(StmtKind::Asm(asm));
    let value = m.load(x);
    let stmts = [asm, m.returns(value)];
    let function = m.lower(&stmts);
    let Terminator::Return(Some(value)) = function.blocks[crate::ir::ENTRY].terminator else { panic!("returns") };
    assert!(matches!(function.insts[value].kind, InstKind::AsmOutput { index: 0, .. }));
}

#[test]
fn what_nests_too_deeply_becomes_unknown_and_long_chains_do_not_nest() {
    let mut m = Maker::new(Ty::INT, &[("n", Ty::INT)]);
    let mut chain = m.load(m.param(0));
    for _ in 0..100_000 {
        let one = m.int(1);
        chain = m.expr(ExprKind::Binary(BinaryOp::Add, chain, one), Ty::INT);
    }
    let stmts = [m.returns(chain)];
    assert!(!m.lower(&stmts).has_unknown());

    // As in a run, on a stack made for deep trees.
    let nested = || {
        let mut m = Maker::new(Ty::INT, &[("n", Ty::INT)]);
        let mut nest = m.load(m.param(0));
        for _ in 0..100_000 {
            nest = m.expr(ExprKind::BitNot(nest), Ty::INT);
        }
        let stmts = [m.returns(nest)];
        assert!(m.lower(&stmts).has_unknown());
    };
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(nested).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn assignments_name_values() {
    // x = n + 1;  p keeps no name for a constant
    let mut m = Maker::new(Ty::VOID, &[("n", Ty::INT)]);
    let x = m.local("x", Ty::INT);
    let (n, one, two) = (m.load(m.param(0)), m.int(1), m.int(2));
    let sum = m.expr(ExprKind::Binary(BinaryOp::Add, n, one), Ty::INT);
    let stmts = [m.assign(x, sum), m.assign(x, two)];
    let function = m.lower(&stmts);
    let names: Vec<&str> = function.variable_names.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["n", "x"]);
}
