/* Which names expand again, and where a call's parenthesis may stand. */
#define foo foo + bar
#define bar foo
foo; bar;
#define f(a) a*g
#define g(a) f(a)
f(2)(9);
#define NIL(xxx) xxx
#define G_0(arg) NIL(G_1)(arg)
#define G_1(arg) NIL(arg)
G_0(42);
#define EMPTY
#define DEFER(id) id EMPTY
#define EXPAND(...) __VA_ARGS__
#define A() 123
DEFER(A)(); EXPAND(DEFER(A)());
#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)
#define REPEAT_I() REPEAT
#define REPEAT(n) n DEFER(REPEAT_I)()(n)
EXPAND(EXPAND(EXPAND(REPEAT(x))));
#define fn(x) [x]
#define name fn
name (1); name
(2); fn
(
3
);
fn;
EMPTY fn EMPTY (4);
#define open fn (
open 5); open open 6));
#define self(x) self(x self)
self(self(1)); self (self);
#define twice(x) x x
twice(twice)(1); twice(fn)(1);
#define i1 i2
#define i2 i1
i1 i2 fn(i1) fn(i2);
#define AA BB
#define BB AA CC
#define CC AA BB
AA BB CC;
#define CAT(a, b) a ## b
#define AB pasted CAT(A, B)
CAT(A, B) CAT(CAT(A, B), C);
#define XCAT(a, b) CAT(a, b)
XCAT(XCAT(A, B), C);
#define bool_0 no
#define bool_1 yes
#define IIF(c) XCAT(bool_, c)
IIF(1) IIF(0) IIF(IIF(1));
#define late(x) x later
#define later(x) late(x)
late(1)(2)(3);
late(later)(4);
#define recurse(a) a recurse
recurse(1)(2)(3)(recurse)(4);
#define pair(a, b) <a|b>
#define comma ,
pair(1 comma 2, 3); pair(pair(1, 2), (3, 4)); fn(comma) fn(fn(comma)) ;
#define call(m, args) m args
call(pair, (1, 2)); call(call, (pair, (3, 4))); call(fn, (call));
#define lparen (
#define rparen )
fn lparen 7); call(fn lparen 8 rparen,);
#define AND(x) x && AND2
#define AND2(x) x && AND
AND(1)(2)(3)(4);
