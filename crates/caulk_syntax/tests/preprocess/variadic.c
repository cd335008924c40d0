/* __VA_ARGS__, __VA_OPT__, GNU's comma and names. */
#define log(fmt, ...) printf(fmt, ##__VA_ARGS__)
#define log2(fmt, ...) printf(fmt , ## __VA_ARGS__)
#define log3(fmt, args...) printf(fmt, ##args)
#define log4(...) printf(0, ##__VA_ARGS__)
#define log5(...) printf(__VA_ARGS__, end)
#define log6(fmt, ...) printf(fmt, __VA_ARGS__)
log("a") log("a",) log("a", 1) log("a", 1, 2) log("a", ) log(,) log();
log2("a") log2("a",) log2("a", 1) log2("a", x y, z);
log3("a") log3("a",) log3("a", 1, 2);
log4() log4(1) log4(1,2) log4(,) log4( );
log5() log5(1) log5(1,2); log6("x") log6("x",) log6("x", 1);
#define E
#define one 1
#define str(...) #__VA_ARGS__
#define xstr(...) str(__VA_ARGS__)
log(E) log(E, E) log("a", one) log("a", E) xstr(log("a", one)) xstr(log("a", E));
#define opt(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)
opt(1) opt(1,) opt(1, 2) opt(1, 2, 3) opt(1, E) opt() opt(, 2) opt(1, E E);
#define opt2(a, ...) [__VA_OPT__(a __VA_ARGS__ ()) a]
opt2(1) opt2(1, 2) xstr(opt2(x, y)) xstr(opt2(x));
#define opt3(a, ...) a ## __VA_OPT__(b c) ## d
opt3(1) opt3(1, 2) opt3() opt3(, 2);
#define opt4(...) __VA_OPT__(x ## x ## __VA_ARGS__) y
opt4() opt4(1) opt4(1, 2);
#define opt5(a, ...) #__VA_OPT__(a b __VA_ARGS__)
opt5(1) opt5(1, 2) opt5(one, one);
#define opt6(args...) <__VA_OPT__(args) | args>
opt6() opt6(1, 2);
#define opt7(x, ...) __VA_OPT__(x) ## __VA_OPT__(x)
opt7(1) opt7(1, 2);
#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })
SDEF(foo); SDEF(bar, 1, 2);
#define H(X, ...) f(0 __VA_OPT__(, a ## X ## b))
H(, 1) H(x, 1) H(x);
#define count_(a, b, c, d, n, ...) n
#define count(...) count_(__VA_ARGS__, 4, 3, 2, 1, 0)
count(a) count(a, b) count(a, b, c) count();
#define first(a, ...) a
#define rest(a, ...) __VA_ARGS__
first(1, 2) rest(1, 2, 3) rest(1) first((1, 2), 3) rest((1, 2), (3, 4));
#define named(x, y...) x(y) #y
named(f) named(f, a) named(f, a, b) named(f, (a, b));
#define only(y...) [y] #y
only() only(1) only(1,2) only( );
#define nothing() nothing here
nothing() nothing( ) nothing
();
#define swallow(...) x h __VA_OPT__(E x) , ##__VA_ARGS__"s" __VA_ARGS__
xstr(swallow()) xstr(swallow(1));
#define after_comma(a, ...) , ## __VA_ARGS__ ## 1
after_comma(1, );
