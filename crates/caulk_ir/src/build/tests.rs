use caulk_sema::target::X86_64_LINUX;
use caulk_sema::types::TypeTable;

use super::*;
use crate::ir::{Function, GlobalId, Switch, SwitchCase};

fn types() -> TypeTable {
    TypeTable::new(X86_64_LINUX.clone())
}

fn variable(builder: &mut Builder) -> Variable {
    builder.new_variable(Ty::INT, Symbol::intern("x"))
}

fn finish(builder: &mut Builder) -> Function {
    builder.finish(GlobalId(0), Loc::NONE)
}

fn add(builder: &mut Builder, a: Value, b: Value) -> Value {
    builder.emit(InstKind::Binary { op: crate::ir::BinaryOp::Add, a, b }, Ty::INT, Loc::NONE)
}

fn branch(builder: &mut Builder, condition: Value, then: BlockId, otherwise: BlockId) {
    builder.terminate(Terminator::Branch { condition, then, otherwise }, Loc::NONE);
}

fn phi_count(function: &Function) -> usize {
    function.insts.iter().filter(|inst| matches!(inst.kind, InstKind::Phi(_))).count()
}

#[test]
fn a_loop_that_changes_a_variable_has_a_phi_and_one_that_reads_it_has_none() {
    let types = types();
    for changes in [true, false] {
        let mut builder = Builder::default();
        builder.start();
        let n = variable(&mut builder);
        let param = builder.param(Ty::INT, Loc::NONE);
        builder.write(n, param);
        let [header, body, end] = [(); 3].map(|()| builder.new_block());
        builder.jump(header, Loc::NONE);
        builder.begin(header);
        let condition = builder.read(n);
        branch(&mut builder, condition, body, end);
        builder.begin_sealed(body);
        let old = builder.read(n);
        let one = builder.int(&types, 1, Ty::INT);
        let new = add(&mut builder, old, one);
        if changes {
            builder.write(n, new);
        }
        builder.jump(header, Loc::NONE);
        builder.seal(header);
        builder.begin_sealed(end);
        let result = builder.read(n);
        builder.terminate(Terminator::Return(Some(result)), Loc::NONE);
        let function = finish(&mut builder);
        assert_eq!(phi_count(&function), usize::from(changes));
        let Terminator::Return(Some(result)) = function.blocks[BlockId(3)].terminator else {
            panic!("the end returns");
        };
        match function.insts[result].kind {
            InstKind::Phi(args) => {
                let args: Vec<_> = function.phi_args(args).collect();
                assert_eq!(args[0], (ENTRY, function.params[0]));
                assert_eq!(args[1].0, BlockId(2));
            }
            kind => assert_eq!(kind, InstKind::Param(0)),
        }
        assert!(function.variable_names.contains(&(function.params[0], Symbol::intern("x"))));
    }
}

#[test]
fn a_long_chain_of_blocks_needs_no_deep_stack_and_becomes_one_block() {
    let mut builder = Builder::default();
    builder.start();
    let x = variable(&mut builder);
    let param = builder.param(Ty::INT, Loc::NONE);
    builder.write(x, param);
    for _ in 0..100_000 {
        let block = builder.new_block();
        builder.jump(block, Loc::NONE);
        builder.begin_sealed(block);
    }
    let value = builder.read(x);
    builder.terminate(Terminator::Return(Some(value)), Loc::NONE);
    let function = finish(&mut builder);
    assert_eq!(function.blocks.len(), 1);
    assert_eq!(function.blocks[ENTRY].terminator, Terminator::Return(Some(function.params[0])));
}

#[test]
fn a_long_chain_of_joins_leaves_no_phi() {
    let mut builder = Builder::default();
    builder.start();
    let x = variable(&mut builder);
    let param = builder.param(Ty::INT, Loc::NONE);
    builder.write(x, param);
    for _ in 0..50_000 {
        let [left, right, join] = [(); 3].map(|()| builder.new_block());
        branch(&mut builder, param, left, right);
        for side in [left, right] {
            builder.begin_sealed(side);
            builder.jump(join, Loc::NONE);
        }
        builder.begin_sealed(join);
    }
    let value = builder.read(x);
    builder.terminate(Terminator::Return(Some(value)), Loc::NONE);
    let function = finish(&mut builder);
    assert_eq!(phi_count(&function), 0);
}

#[test]
fn a_loop_with_two_ways_in_that_only_reads_a_variable_has_no_phi() {
    let mut builder = Builder::default();
    builder.start();
    let x = variable(&mut builder);
    let param = builder.param(Ty::INT, Loc::NONE);
    builder.write(x, param);
    let [top, inside] = [(); 2].map(|()| builder.new_block());
    branch(&mut builder, param, top, inside);
    builder.begin(top);
    let first = builder.read(x);
    add(&mut builder, first, first);
    builder.jump(inside, Loc::NONE);
    builder.begin_sealed(inside);
    let second = builder.read(x);
    add(&mut builder, second, second);
    builder.jump(top, Loc::NONE);
    builder.seal(top);
    let function = finish(&mut builder);
    assert_eq!(phi_count(&function), 0);
}

#[test]
fn a_switch_with_several_edges_to_a_block_is_one_predecessor() {
    let types = types();
    let mut builder = Builder::default();
    builder.start();
    let x = variable(&mut builder);
    let param = builder.param(Ty::INT, Loc::NONE);
    builder.write(x, param);
    let [shared, other] = [(); 2].map(|()| builder.new_block());
    let cases = [(1, shared), (2, shared), (3, other), (4, shared)];
    let cases = cases.map(|(low, target)| SwitchCase { low, high: low, target }).to_vec();
    let switch = Switch { value: param, cases, default: shared };
    builder.terminate(Terminator::Switch(Box::new(switch)), Loc::NONE);
    builder.begin_sealed(other);
    let five = builder.int(&types, 5, Ty::INT);
    builder.write(x, five);
    builder.jump(shared, Loc::NONE);
    builder.begin_sealed(shared);
    let value = builder.read(x);
    builder.terminate(Terminator::Return(Some(value)), Loc::NONE);
    let function = finish(&mut builder);
    let phi = function.blocks[BlockId(2)].insts[0];
    let InstKind::Phi(args) = function.insts[phi].kind else { panic!("starts with a phi") };
    assert_eq!(args.len, 2);
}

#[test]
fn unreachable_loops_and_their_ways_out_are_dropped() {
    let mut builder = Builder::default();
    builder.start();
    let x = variable(&mut builder);
    let param = builder.param(Ty::INT, Loc::NONE);
    builder.write(x, param);
    let [header, body, end] = [(); 3].map(|()| builder.new_block());
    builder.jump(end, Loc::NONE);
    builder.begin_dead();
    assert!(builder.is_dead());
    builder.jump(header, Loc::NONE);
    builder.begin(header);
    let condition = builder.read(x);
    branch(&mut builder, condition, body, end);
    builder.begin_sealed(body);
    let old = builder.read(x);
    let new = add(&mut builder, old, old);
    builder.write(x, new);
    builder.jump(header, Loc::NONE);
    builder.seal(header);
    builder.begin_sealed(end);
    let value = builder.read(x);
    builder.terminate(Terminator::Return(Some(value)), Loc::NONE);
    let function = finish(&mut builder);
    assert_eq!(function.blocks.len(), 1);
    assert_eq!(function.insts.len(), 1);
    assert_eq!(function.blocks[ENTRY].terminator, Terminator::Return(Some(function.params[0])));
}

#[test]
fn constants_are_shared_and_wrapped_to_their_type() {
    let types = types();
    let mut builder = Builder::default();
    builder.start();
    let minus_one = builder.int(&types, 255, Ty::SCHAR);
    assert_eq!(builder.int(&types, -1, Ty::SCHAR), minus_one);
    assert_ne!(builder.int(&types, -1, Ty::INT), minus_one);
    assert_eq!(builder.kind(minus_one), InstKind::Int(-1));
    let most = builder.int(&types, -1, Ty::ULONG);
    assert_eq!(builder.int_value(&types, most), Some(i128::from(u64::MAX)));
    let wide = builder.int(&types, 1 << 100, Ty::INT128);
    assert_eq!(builder.int_value(&types, wide), Some(1 << 100));
    assert_eq!(wrap(384, 8, true), -128);
    assert_eq!(wrap(-1, 8, false), 255);
}

#[test]
fn joins_that_cannot_change_a_variable_are_skipped() {
    const COUNT: usize = 300;
    let types = types();
    let mut builder = Builder::default();
    builder.start();
    let param = builder.param(Ty::INT, Loc::NONE);
    let variables: Vec<Variable> = (0..COUNT).map(|_| variable(&mut builder)).collect();
    for &variable in &variables {
        builder.write(variable, param);
    }
    // Each `if` changes one variable; after it comes a loop that changes none. Before it, all are what
    // the block before it made them.
    let mut expected = param;
    for &variable in &variables {
        builder.write(variables[0], expected);
        let [then, join, header, end] = [(); 4].map(|()| builder.new_block());
        branch(&mut builder, param, then, join);
        builder.begin_sealed(then);
        assert_eq!(builder.read(variables[0]), expected);
        let old = builder.read(variable);
        let one = builder.int(&types, 1, Ty::INT);
        let new = add(&mut builder, old, one);
        builder.write(variable, new);
        builder.jump(join, Loc::NONE);
        builder.begin_sealed(join);
        builder.jump(header, Loc::NONE);
        builder.begin(header);
        branch(&mut builder, param, header, end);
        builder.seal(header);
        builder.begin_sealed(end);
        expected = builder.read(variables[0]);
    }
    let mut sum = param;
    for &variable in &variables {
        let value = builder.read(variable);
        sum = add(&mut builder, sum, value);
    }
    builder.terminate(Terminator::Return(Some(sum)), Loc::NONE);
    assert_eq!(builder.phis.len(), COUNT);
    let function = finish(&mut builder);
    assert_eq!(phi_count(&function), COUNT);
}
