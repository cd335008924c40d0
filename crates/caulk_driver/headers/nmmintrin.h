/* SSE4.2, which smmintrin.h declares. */
#ifndef _NMMINTRIN_H_INCLUDED
#define _NMMINTRIN_H_INCLUDED
#include <smmintrin.h>
#endif
