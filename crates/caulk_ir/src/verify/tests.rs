use crate::read::read_module;
use crate::verify::verify;

/// The errors of the function in a unit with a record and two callees.
#[track_caller]
fn errors(ty: &str, function: &str) -> Vec<String> {
    let text = format!(
        "target \"x86_64-linux-gnu\"\n\
         struct pair size 8 align 4 {{\n  0 a: int\n  4 bits 0+3 b: int\n}}\n\
         global @g: fn(int, ptr char, ...) -> int\n\
         global @k: fn(?) -> void\n\
         global @f: {ty} = function\n\
         function @f{function}"
    );
    let module = read_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module.unit, &module.functions[0]).err().unwrap_or_default()
}

/// A function of an int, a pointer to a record and a `long` whose body is one block.
#[track_caller]
fn body_errors(body: &str) -> Vec<String> {
    let ty = "fn(int, ptr struct pair, long) -> int";
    errors(ty, &format!("(v0: int, v1: ptr struct pair, v2: long) -> int {{\nbb0:\n{body}}}\n"))
}

#[test]
fn sound_code_passes() {
    let body = "  v3: ptr int = field v1, struct pair.a\n  v4: int = load v3\n  v5: int = shl v4, v2\n\
                \x20 v6: int = call @g(v5, ptr char null, v2)\n  call @k(v1, v2)\n  return v6\n";
    assert_eq!(body_errors(body), [""; 0]);
}

#[test]
fn types_must_agree() {
    for (body, expected) in [
        ("  v3: int = add v0, v2\n  return v3\n", "bb0: v3: the second operand is long, expected int"),
        ("  v3: int = and v0, v0\n  return v2\n", "bb0: terminator: the result is long, expected int"),
        ("  return\n", "bb0: terminator: returns nothing"),
        ("  v3: int = eq v1, v0\n  return v3\n", "bb0: v3: the second operand is int, expected ptr struct pair"),
        ("  v3: int = load v1\n  return v3\n", "bb0: v3: the address is ptr struct pair, the value int"),
        ("  v3: ptr long = field v1, struct pair.a\n  return v0\n", "bb0: v3: the result is ptr long, the field int"),
        ("  v3: int = call @g(v0)\n  return v3\n", "bb0: v3: 1 arguments instead of 2"),
        ("  v3: int = call @g(v2, ptr char null)\n  return v3\n", "bb0: v3: an argument is long, expected int"),
        ("  v3: int = call v1(v2)\n  return v3\n", "bb0: v3: calls ptr struct pair"),
        ("  v3: double = and double 1.0, double 2.0\n  return v0\n", "bb0: v3: And on double"),
        ("  v3: struct pair = cast v0\n  return v0\n", "bb0: v3: cast from int to struct pair"),
        ("  v3: long = bit_cast v0\n  return v0\n", "bb0: v3: bit cast from int to long"),
        ("  v3: int = builtin rotate_left(v0)\n  return v0\n", "bb0: v3: RotateLeft with 1 operands"),
        ("  end v1\n  return v0\n", "bb0: v3: end of v1, which is no slot or alloca"),
        (
            "  v3: ptr void = element v1, v0\n  v4: ptr fn() -> int = element v3, v1\n  return v0\n",
            "bb0: v4: the index is ptr struct pair, expected an integer",
        ),
    ] {
        assert_eq!(body_errors(body), [expected], "{body}");
    }
}

#[test]
fn uses_must_be_dominated() {
    let body = "  v3: int = add v4, v0\n  v4: int = add v0, v0\n  return v3\n";
    assert_eq!(body_errors(body), ["bb0: v3: v4, defined in bb0, does not dominate this use"]);
    let body = "  branch v0, bb1, bb2\nbb1:\n  v3: int = add v0, v0\n  jump bb2\nbb2:\n  return v3\n";
    assert_eq!(body_errors(body), ["bb2: terminator: v3, defined in bb1, does not dominate this use"]);
    let phi = "  branch v0, bb1, bb2\nbb1:\n  v3: int = add v0, v0\n  jump bb2\nbb2:\n  v4: int = phi [bb0: v0, bb1: v3]\n  return v4\n";
    assert_eq!(body_errors(phi), [""; 0]);
}

#[test]
fn phis_must_match_predecessors() {
    let body =
        |phi: &str| format!("  branch v0, bb1, bb2\nbb1:\n  jump bb2\nbb2:\n  v4: int = phi {phi}\n  return v4\n");
    assert_eq!(body_errors(&body("[bb0: v0]")), ["bb2: v4: no argument from bb1"]);
    assert_eq!(
        body_errors(&body("[bb0: v0, bb1: v0, bb2: v0]")),
        ["bb2: v4: an argument from bb2, which is no predecessor"]
    );
    assert_eq!(body_errors(&body("[bb0: v0, bb1: v0, bb1: v0]")), ["bb2: v4: two arguments from bb1"]);
    let late = "  jump bb1\nbb1:\n  v3: int = add v0, v0\n  v4: int = phi [bb0: v0]\n  return v4\n";
    assert_eq!(body_errors(late), ["bb1: v4: phi after another instruction"]);
}

#[test]
fn the_graph_must_be_whole() {
    assert_eq!(body_errors("  missing\n"), ["bb0: terminator: missing"]);
    assert_eq!(body_errors("  jump bb0\n"), ["the entry has a predecessor, bb0"]);
    assert_eq!(body_errors("  return v0\nbb1:\n  return v0\n"), ["bb1: terminator: the block cannot be reached"]);
    assert_eq!(
        body_errors("  asm_goto [bb1]\nbb1:\n  return v0\n"),
        ["bb0: terminator: asm goto without an asm before it"]
    );
    let slot = "  jump bb1\nbb1:\n  v3: ptr int = slot\n  return v0\n";
    assert_eq!(body_errors(slot), ["bb1: v3: slot outside the entry"]);
}

#[test]
fn cases_must_be_in_order() {
    let body = |cases: &str| format!("  switch v0, bb1 [{cases}]\nbb1:\n  return v0\n");
    assert_eq!(body_errors(&body("-5..-1: bb1, 0: bb1, 3..9: bb1")), [""; 0]);
    assert_eq!(body_errors(&body("3: bb1, 1: bb1")), ["bb0: terminator: case 1..1 out of order"]);
    assert_eq!(body_errors(&body("1..3: bb1, 3: bb1")), ["bb0: terminator: case 3..3 out of order"]);
    let unsigned = |cases: &str| {
        errors(
            "fn(unsigned int) -> void",
            &format!("(v0: unsigned int) -> void {{\nbb0:\n  switch v0, bb1 [{cases}]\nbb1:\n  return\n}}\n"),
        )
    };
    assert_eq!(unsigned("1: bb1, 4294967295: bb1"), [""; 0]);
    assert_eq!(unsigned("4294967295: bb1, 1: bb1"), ["bb0: terminator: case 1..1 out of order"]);
}

#[test]
fn parameters_follow_the_type() {
    let found = errors("fn(int, int) -> void", "(v0: long) -> void {\nbb0:\n  return\n}\n");
    assert_eq!(found, ["1 parameters instead of 2", "the parameter is long, expected int"]);
    assert_eq!(errors("fn(?) -> void", "(v0: long) -> void {\nbb0:\n  return\n}\n"), [""; 0]);
}
