/* Limits of integer types. The C library has a limits.h of its own, which asks for the compiler's
   unless _GCC_LIMITS_H_ says it has been here; the compiler's own copy further down the path passes
   on to the library's if _GCC_NEXT_LIMITS_H is defined. */
#ifndef __CAULK_LIMITS_H
#define __CAULK_LIMITS_H
#ifndef _GCC_LIMITS_H_
# define _GCC_LIMITS_H_
#endif
#if __STDC_HOSTED__ && __has_include_next(<limits.h>)
# define _GCC_NEXT_LIMITS_H
# include_next <limits.h>
# undef _GCC_NEXT_LIMITS_H
#endif

#undef CHAR_BIT
#define CHAR_BIT __CHAR_BIT__
#ifndef MB_LEN_MAX
# define MB_LEN_MAX 16
#endif
#undef SCHAR_MIN
#undef SCHAR_MAX
#undef UCHAR_MAX
#define SCHAR_MIN (-SCHAR_MAX - 1)
#define SCHAR_MAX __SCHAR_MAX__
#define UCHAR_MAX (SCHAR_MAX * 2 + 1)
#undef CHAR_MIN
#undef CHAR_MAX
#ifdef __CHAR_UNSIGNED__
# define CHAR_MIN 0
# define CHAR_MAX UCHAR_MAX
#else
# define CHAR_MIN SCHAR_MIN
# define CHAR_MAX SCHAR_MAX
#endif
#undef SHRT_MIN
#undef SHRT_MAX
#undef USHRT_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX __SHRT_MAX__
#define USHRT_MAX (SHRT_MAX * 2 + 1)
#undef INT_MIN
#undef INT_MAX
#undef UINT_MAX
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX __INT_MAX__
#define UINT_MAX (INT_MAX * 2U + 1U)
#undef LONG_MIN
#undef LONG_MAX
#undef ULONG_MAX
#define LONG_MIN (-LONG_MAX - 1L)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (LONG_MAX * 2UL + 1UL)
#if (defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L) || !defined __STRICT_ANSI__
# undef LLONG_MIN
# undef LLONG_MAX
# undef ULLONG_MAX
# define LLONG_MIN (-LLONG_MAX - 1LL)
# define LLONG_MAX __LONG_LONG_MAX__
# define ULLONG_MAX (LLONG_MAX * 2ULL + 1ULL)
#endif
#if defined __GNU_LIBRARY__ ? defined __USE_GNU : !defined __STRICT_ANSI__
# undef LONG_LONG_MIN
# undef LONG_LONG_MAX
# undef ULONG_LONG_MAX
# define LONG_LONG_MIN (-LONG_LONG_MAX - 1LL)
# define LONG_LONG_MAX __LONG_LONG_MAX__
# define ULONG_LONG_MAX (LONG_LONG_MAX * 2ULL + 1ULL)
#endif
#if defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L
# undef BOOL_MAX
# undef BOOL_WIDTH
# define BOOL_MAX 1
# define BOOL_WIDTH 1
# undef CHAR_WIDTH
# undef SCHAR_WIDTH
# undef UCHAR_WIDTH
# undef SHRT_WIDTH
# undef USHRT_WIDTH
# undef INT_WIDTH
# undef UINT_WIDTH
# undef LONG_WIDTH
# undef ULONG_WIDTH
# undef LLONG_WIDTH
# undef ULLONG_WIDTH
# define CHAR_WIDTH 8
# define SCHAR_WIDTH 8
# define UCHAR_WIDTH 8
# define SHRT_WIDTH __SHRT_WIDTH__
# define USHRT_WIDTH __SHRT_WIDTH__
# define INT_WIDTH __INT_WIDTH__
# define UINT_WIDTH __INT_WIDTH__
# define LONG_WIDTH __LONG_WIDTH__
# define ULONG_WIDTH __LONG_WIDTH__
# define LLONG_WIDTH 64
# define ULLONG_WIDTH 64
#endif
#endif
