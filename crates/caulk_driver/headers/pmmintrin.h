/* SSE3. Declarations only: what the instructions compute is of no interest here. */
#ifndef _PMMINTRIN_H_INCLUDED
#define _PMMINTRIN_H_INCLUDED
#include <emmintrin.h>
#define _MM_DENORMALS_ZERO_MASK 0x0040
#define _MM_DENORMALS_ZERO_ON 0x0040
#define _MM_DENORMALS_ZERO_OFF 0x0000
#define _MM_SET_DENORMALS_ZERO_MODE(mode) _mm_setcsr((_mm_getcsr() & ~_MM_DENORMALS_ZERO_MASK) | (mode))
#define _MM_GET_DENORMALS_ZERO_MODE() (_mm_getcsr() & _MM_DENORMALS_ZERO_MASK)
extern __m128 _mm_addsub_ps(__m128, __m128), _mm_hadd_ps(__m128, __m128), _mm_hsub_ps(__m128, __m128),
  _mm_movehdup_ps(__m128), _mm_moveldup_ps(__m128);
extern __m128d _mm_addsub_pd(__m128d, __m128d), _mm_hadd_pd(__m128d, __m128d), _mm_hsub_pd(__m128d, __m128d),
  _mm_loaddup_pd(double const *), _mm_movedup_pd(__m128d);
extern __m128i _mm_lddqu_si128(__m128i const *);
#endif
