/* Common definitions. A header that needs only some of them defines __need_NAME first; then only
   those are given and the guard is left alone. */
#if !defined __need_size_t && !defined __need_ptrdiff_t && !defined __need_wchar_t \
    && !defined __need_wint_t && !defined __need_NULL && !defined __need_max_align_t \
    && !defined __need_offsetof && !defined __need_nullptr_t && !defined __need_rsize_t
# ifndef _STDDEF_H
#  define _STDDEF_H 1
#  define _STDDEF_H_ 1
#  define _ANSI_STDDEF_H 1
#  define __need_size_t
#  define __need_ptrdiff_t
#  define __need_wchar_t
#  define __need_NULL
#  define __need_offsetof
#  if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#   define __need_max_align_t
#  endif
#  if defined __STDC_VERSION__ && __STDC_VERSION__ > 201710L
#   define __need_nullptr_t
#   define unreachable() (__builtin_unreachable())
#   define __STDC_VERSION_STDDEF_H__ 202311L
#  endif
# endif
#endif

#ifdef __need_size_t
# undef __need_size_t
# ifndef __caulk_size_t
#  define __caulk_size_t
#  define __size_t
#  define _SIZE_T
#  define _SIZE_T_DEFINED
typedef __SIZE_TYPE__ size_t;
# endif
#endif

#ifdef __need_rsize_t
# undef __need_rsize_t
# ifndef __caulk_rsize_t
#  define __caulk_rsize_t
typedef __SIZE_TYPE__ rsize_t;
# endif
#endif

#ifdef __need_ptrdiff_t
# undef __need_ptrdiff_t
# ifndef __caulk_ptrdiff_t
#  define __caulk_ptrdiff_t
#  define _PTRDIFF_T
typedef __PTRDIFF_TYPE__ ptrdiff_t;
# endif
#endif

#ifdef __need_wchar_t
# undef __need_wchar_t
# ifndef __caulk_wchar_t
#  define __caulk_wchar_t
#  define _WCHAR_T
#  define _WCHAR_T_DEFINED
typedef __WCHAR_TYPE__ wchar_t;
# endif
#endif

#ifdef __need_wint_t
# undef __need_wint_t
# ifndef _WINT_T
#  define _WINT_T
typedef __WINT_TYPE__ wint_t;
# endif
#endif

#ifdef __need_NULL
# undef __need_NULL
# undef NULL
# define NULL ((void *) 0)
#endif

#ifdef __need_offsetof
# undef __need_offsetof
# undef offsetof
# define offsetof(type, member) __builtin_offsetof(type, member)
#endif

#ifdef __need_max_align_t
# undef __need_max_align_t
# ifndef _GCC_MAX_ALIGN_T
#  define _GCC_MAX_ALIGN_T
typedef struct {
  long long __max_align_ll __attribute__((__aligned__(__alignof__(long long))));
  long double __max_align_ld __attribute__((__aligned__(__alignof__(long double))));
# ifdef __i386__
  __float128 __max_align_f128 __attribute__((__aligned__(__alignof__(__float128))));
# endif
} max_align_t;
# endif
#endif

#ifdef __need_nullptr_t
# undef __need_nullptr_t
# ifndef __caulk_nullptr_t
#  define __caulk_nullptr_t
typedef __typeof__(nullptr) nullptr_t;
# endif
#endif
