/* #if and its like. */
#define T(n) true_##n
#if 1
T(1)
#endif
#if 0
#error no
it's not read, "nor this
#elif 1
T(2)
#else
#bad directive
#endif
#if defined X || defined(Y) || !defined(__FILE__)
#else
T(3)
#endif
#define Y
#if defined X || defined ( Y )
T(4)
#endif
#define HAS defined(Y)
#if HAS && defined HAS
T(5)
#endif
#if 0 && (1/0) || 1 || 2/0
T(6)
#endif
#if 1 ? 2 : (3/0)
T(7)
#endif
#if -1 > 0u
T(8)
#endif
#if (0 ? 0u : -1) > 0
T(9)
#endif
#if 0xffffffffffffffff == -1 && 18446744073709551615u == ~0u
T(10)
#endif
#if 'A' == 65 && '\377' < 0 && '\x41' == 'A' && 'ab' == 24930 && L'\xff' == 255 && '\0' == 0 && u'a' == 97 && '\n' == 10
T(11)
#endif
#if 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && (-1 >> 1) == -1 && 1 << 62 > 0 && (1 << 63) < 0
T(12)
#endif
#if undefined_name == 0 && !undefined_name && (undefined_name) - 0 == 0
T(13)
#endif
#if 1 == 1L && 0x10 == 16 && 010 == 8 && 0b101 == 5 && 10ull == 10LLU
T(14)
#endif
#if (2 || 3) == 1 && (2 | 1) == 3 && (6 & 3) == 2 && (6 ^ 3) == 5 && !5 == 0 && ~0 == -1 && - -1 == 1 && +1 == 1
T(15)
#endif
#define FN(a, b) a > b
#if FN(2, 1) && FN (
#else
no
#endif
#if FN(2, 1) && FN(3, 2)
T(16)
#endif
#define EMPTY
#if EMPTY 1 EMPTY
T(17)
#endif
#ifdef __FILE__
T(18)
#ifndef __LINE__
#else
T(19)
# ifdef NOT
#  if nested
#  else
#  elif what
#  endif
# elifdef Y
T(20)
# else
#endif
#endif
#endif
#if 0
#elifndef NOT
T(21)
#elifndef NOT
no
#elif 1/0
#else
no
#endif
#if 1
#elif 1/0
no
#endif
#if __LINE__ == 114 - 2 || __LINE__
T(22)
#endif
#if 1 //comment
T(23) /* a
comment */ # not a directive
#endif /* more */ // more
#if /* x */ 1 \
 && 1
T(24)
#endif
#ifndef NOT
T(25)
#else no
#endif NOT
#if (1 ? -1 : 0u) > 0
T(26)
#endif
#if 0x7fffffffffffffff + 1 < 0 || 1
T(27)
#endif
#if __has_include(<stddef.h>) && !__has_include("no such file.h") && __has_include("conditions.h")
T(28)
#endif
#define WHICH <stddef.h>
#if __has_include(WHICH)
T(29)
#endif
#if defined(__has_include) && defined __has_attribute && defined(__has_builtin)
T(30)
#endif
#include "conditions.h"
#include "conditions.h"
#define QUOTED "conditions.h"
#include QUOTED
#undef CONDITIONS_H
#include QUOTED
#
#   
# /* null */
#ident "nothing"
