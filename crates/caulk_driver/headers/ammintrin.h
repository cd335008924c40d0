/* SSE4A. Declarations only: what the instructions compute is of no interest here. */
#ifndef _AMMINTRIN_H_INCLUDED
#define _AMMINTRIN_H_INCLUDED
#include <pmmintrin.h>
extern void _mm_stream_sd(double *, __m128d), _mm_stream_ss(float *, __m128);
extern __m128i _mm_extract_si64(__m128i, __m128i), _mm_extracti_si64(__m128i, unsigned const int, unsigned const int),
  _mm_insert_si64(__m128i, __m128i), _mm_inserti_si64(__m128i, __m128i, unsigned const int, unsigned const int);
#endif
