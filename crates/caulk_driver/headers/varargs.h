/* Arguments as they were before C89. */
#ifndef _VARARGS_H
#define _VARARGS_H
#define __need___va_list
#include <stdarg.h>
typedef __gnuc_va_list va_list;
#define va_alist __builtin_va_alist
#define va_dcl int __builtin_va_alist;
#define va_start(v) __builtin_va_start(v, 0)
#define va_end(v) __builtin_va_end(v)
#define va_arg(v, t) __builtin_va_arg(v, t)
#endif
