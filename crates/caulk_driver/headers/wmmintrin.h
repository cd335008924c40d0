/* AES and PCLMUL. Declarations only: what the instructions compute is of no interest here. */
#ifndef _WMMINTRIN_H_INCLUDED
#define _WMMINTRIN_H_INCLUDED
#include <emmintrin.h>
extern __m128i _mm_aesdec_si128(__m128i, __m128i), _mm_aesdeclast_si128(__m128i, __m128i), _mm_aesenc_si128(__m128i,
  __m128i), _mm_aesenclast_si128(__m128i, __m128i), _mm_aesimc_si128(__m128i), _mm_aeskeygenassist_si128(__m128i,
  const int), _mm_clmulepi64_si128(__m128i, __m128i, const int);
#endif
