/* Arguments may span lines and hold directives. */
#define f(a, b) <a|b>
#define s(a) #a
f(1,
  2)
f(
#define X 3
X,
#undef X
X
)
f(1
#if 0
no
#else
yes
#endif
, 2)
s(a
#ifdef X
b
#endif
c)
f (
1
,
2
)
s
(x)
f
#define Y 1
(1, 2)
Y
#undef f
#define f(a) redefined a
f(1)
f(f
#undef f
#define f(a) again a
(2))
__LINE__ s(__LINE__)
#define line() __LINE__
line(
) line
()
#define g(x) x
g(
__LINE__
g(__LINE__
)
)
#line 100 "other.c"
__LINE__ __FILE__
# 200 "third.c"
__LINE__ __FILE__
#define N 300
#line N
__LINE__ __FILE__ __COUNTER__ __COUNTER__
#define CAT(a, b) a ## b
#define XCAT(a, b) CAT(a, b)
XCAT(unique_, __COUNTER__) XCAT(unique_, __LINE__)
#pragma push_macro("N")
#undef N
#define N 400
N
#pragma pop_macro("N")
N
_Pragma("push_macro(\"N\")")
#undef N
_Pragma("pop_macro(\"N\")") N
#define warn_off _Pragma("GCC diagnostic ignored \"-Wall\"") after
warn_off; g(before _Pragma("weak x") after)
#pragma STDC FP_CONTRACT ON
#define DEF "def"
#undef not_defined
f(
