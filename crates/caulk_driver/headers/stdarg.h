/* Variable arguments. With __need___va_list only the underlying type is given. */
#ifndef __GNUC_VA_LIST
# define __GNUC_VA_LIST
typedef __builtin_va_list __gnuc_va_list;
#endif
#ifdef __need___va_list
# undef __need___va_list
#elif !defined _STDARG_H
# define _STDARG_H
# define _ANSI_STDARG_H_
# ifndef _VA_LIST_DEFINED
#  define _VA_LIST_DEFINED
#  define _VA_LIST
#  define _VA_LIST_T_H
#  define __va_list__
typedef __gnuc_va_list va_list;
# endif
# if defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L
#  define va_start(v, ...) __builtin_va_start(v, 0)
# else
#  define va_start(v, l) __builtin_va_start(v, l)
# endif
# define va_end(v) __builtin_va_end(v)
# define va_arg(v, t) __builtin_va_arg(v, t)
# if !defined __STRICT_ANSI__ || (defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L)
#  define va_copy(d, s) __builtin_va_copy(d, s)
# endif
# define __va_copy(d, s) __builtin_va_copy(d, s)
#endif
