/* # and ##: placemarkers, chains, white space. */
#define cat(a, b) a ## b
#define cat3(a, b, c) a ## b ## c
#define str(a) #a
#define xstr(a) str(a)
cat(,) | cat(a,) | cat(,b) | cat3(,,) | cat3(a,,b) | cat3(,a,) | cat(a b, c d) | cat3(a b, , c d);
cat(1, 2) cat(1., e5) cat(x, 1) cat(1, x) cat(-, >) cat(<, <=) cat(., 5) cat(L, "s") cat(u, 'c') cat(+, +) cat(%:, %:);
#define space_before(a, b) [ a ## b ] [a ##b] [a## b] [ a
space_before(x y, z w) ]; space_before(, ) ];
str( a   b  ) str(a/**/b) str("a\n" '\\' '"') str(a
   b
 c) str() str( ) str(\) str("\\") str(@ # ## $) ;
#define args(...) #__VA_ARGS__
args(a,b , c,) args() args(,) args( (a , b) ) args("x" , 'y');
#define both(a) #a a ## 1 xstr(a) a
#define one 1
both(one) both() both(one one);
#define leading(a, b) a b a##b -a -b a-b
leading(x, y) leading(, y) leading(x, ) leading(one, one) leading(, );
#define list(a) { a }
#define tight(a) {a}
list() list(x) tight() tight(x) tight( x ) list( x ) tight(tight( x)) xstr(tight(x) list( y)) xstr( tight(tight( x y)));
#define EMPTY
xstr(EMPTY) xstr(EMPTY a) xstr(a EMPTY) xstr(a EMPTY b) xstr(aEMPTY) xstr(-EMPTY-) xstr(- EMPTY-) xstr(-EMPTY -) xstr([EMPTY x])
xstr(tight(EMPTY x)) xstr(tight(EMPTY)) xstr(tight(x EMPTY)) xstr(list(EMPTY)-list( EMPTY )) xstr(EMPTY EMPTY a);
#define nest(a) tight(a)tight( a )
xstr(nest(EMPTY q)) xstr(nest( q EMPTY)) xstr(nest(q)nest(r)) xstr(nest(nest(s t)));
#define obj a ## b ## 1 c
obj xstr(obj) xstr(obj.obj);
#define objhash # x #y
objhash;
#define id(x) x
xstr(id(a)id(b)) xstr(id( a )id( b )) xstr(a id(b)c) xstr(id(id(id( z)))) xstr(id(-)-) xstr(id()-id()) xstr(- id() -);
#define two(x, y) x y
xstr(two(a,b)) xstr(two( a , b )) xstr(two(,b)) xstr(two(a,)) xstr(two(,)) xstr((two(,b))) xstr((two(EMPTY,b)));
#define param_paste(x) x ## x x ##x #x x
param_paste(one) param_paste(id) param_paste();
#define dig(x) %:x x %:%: 1
dig(q);
<: :> <% %> str(<:) str(%:%:) ;
cat(cat, (1,2)) cat(c, at)(3, 4);
cat(/, =) cat(=, =) cat(&, &);
