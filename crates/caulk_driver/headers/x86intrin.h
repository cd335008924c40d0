/* Everything for x86. */
#ifndef _X86INTRIN_H_INCLUDED
#define _X86INTRIN_H_INCLUDED
#include <immintrin.h>
#include <ammintrin.h>
#include <popcntintrin.h>
extern void _m_prefetchw(void *);
#endif
