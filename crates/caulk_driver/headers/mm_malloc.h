/* Aligned memory. The library model says what these own. */
#ifndef _MM_MALLOC_H_INCLUDED
#define _MM_MALLOC_H_INCLUDED
#define __need_size_t
#include <stddef.h>
extern void *_mm_malloc(size_t, size_t);
extern void _mm_free(void *);
#endif
