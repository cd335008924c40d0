/* SSE4.1 and SSE4.2. Declarations only: what the instructions compute is of no interest here. */
#ifndef _SMMINTRIN_H_INCLUDED
#define _SMMINTRIN_H_INCLUDED
#include <tmmintrin.h>
#include <popcntintrin.h>
#define _MM_FROUND_TO_NEAREST_INT 0x00
#define _MM_FROUND_TO_NEG_INF 0x01
#define _MM_FROUND_TO_POS_INF 0x02
#define _MM_FROUND_TO_ZERO 0x03
#define _MM_FROUND_CUR_DIRECTION 0x04
#define _MM_FROUND_RAISE_EXC 0x00
#define _MM_FROUND_NO_EXC 0x08
#define _MM_FROUND_NINT (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_RAISE_EXC)
#define _MM_FROUND_FLOOR (_MM_FROUND_TO_NEG_INF | _MM_FROUND_RAISE_EXC)
#define _MM_FROUND_CEIL (_MM_FROUND_TO_POS_INF | _MM_FROUND_RAISE_EXC)
#define _MM_FROUND_TRUNC (_MM_FROUND_TO_ZERO | _MM_FROUND_RAISE_EXC)
#define _MM_FROUND_RINT (_MM_FROUND_CUR_DIRECTION | _MM_FROUND_RAISE_EXC)
#define _MM_FROUND_NEARBYINT (_MM_FROUND_CUR_DIRECTION | _MM_FROUND_NO_EXC)
#define _mm_ceil_pd(v) _mm_round_pd((v), _MM_FROUND_CEIL)
#define _mm_ceil_sd(d, v) _mm_round_sd((d), (v), _MM_FROUND_CEIL)
#define _mm_floor_pd(v) _mm_round_pd((v), _MM_FROUND_FLOOR)
#define _mm_floor_sd(d, v) _mm_round_sd((d), (v), _MM_FROUND_FLOOR)
#define _mm_ceil_ps(v) _mm_round_ps((v), _MM_FROUND_CEIL)
#define _mm_ceil_ss(d, v) _mm_round_ss((d), (v), _MM_FROUND_CEIL)
#define _mm_floor_ps(v) _mm_round_ps((v), _MM_FROUND_FLOOR)
#define _mm_floor_ss(d, v) _mm_round_ss((d), (v), _MM_FROUND_FLOOR)
#define _mm_test_all_zeros(m, v) _mm_testz_si128((m), (v))
#define _mm_test_mix_ones_zeros(m, v) _mm_testnzc_si128((m), (v))
#define _mm_test_all_ones(v) _mm_testc_si128((v), _mm_cmpeq_epi32((v), (v)))
#define _SIDD_UBYTE_OPS 0
#define _SIDD_UWORD_OPS 1
#define _SIDD_SBYTE_OPS 2
#define _SIDD_SWORD_OPS 3
#define _SIDD_CMP_EQUAL_ANY 0
#define _SIDD_CMP_RANGES 4
#define _SIDD_CMP_EQUAL_EACH 8
#define _SIDD_CMP_EQUAL_ORDERED 12
#define _SIDD_POSITIVE_POLARITY 0
#define _SIDD_NEGATIVE_POLARITY 16
#define _SIDD_MASKED_POSITIVE_POLARITY 32
#define _SIDD_MASKED_NEGATIVE_POLARITY 48
#define _SIDD_LEAST_SIGNIFICANT 0
#define _SIDD_MOST_SIGNIFICANT 64
#define _SIDD_BIT_MASK 0
#define _SIDD_UNIT_MASK 64
extern int _mm_testz_si128(__m128i, __m128i), _mm_testc_si128(__m128i, __m128i), _mm_testnzc_si128(__m128i, __m128i),
  _mm_extract_ps(__m128, const int), _mm_extract_epi8(__m128i, const int), _mm_extract_epi32(__m128i, const int),
  _mm_cmpistri(__m128i, __m128i, const int), _mm_cmpestri(__m128i, int, __m128i, int, const int),
  _mm_cmpistra(__m128i, __m128i, const int), _mm_cmpistrc(__m128i, __m128i, const int), _mm_cmpistro(__m128i, __m128i,
  const int), _mm_cmpistrs(__m128i, __m128i, const int), _mm_cmpistrz(__m128i, __m128i, const int),
  _mm_cmpestra(__m128i, int, __m128i, int, const int), _mm_cmpestrc(__m128i, int, __m128i, int, const int),
  _mm_cmpestro(__m128i, int, __m128i, int, const int), _mm_cmpestrs(__m128i, int, __m128i, int, const int),
  _mm_cmpestrz(__m128i, int, __m128i, int, const int);
extern __m128d _mm_round_pd(__m128d, const int), _mm_round_sd(__m128d, __m128d, const int), _mm_blend_pd(__m128d,
  __m128d, const int), _mm_blendv_pd(__m128d, __m128d, __m128d), _mm_dp_pd(__m128d, __m128d, const int);
extern __m128 _mm_round_ps(__m128, const int), _mm_round_ss(__m128, __m128, const int), _mm_blend_ps(__m128, __m128,
  const int), _mm_blendv_ps(__m128, __m128, __m128), _mm_dp_ps(__m128, __m128, const int), _mm_insert_ps(__m128,
  __m128, const int);
extern __m128i _mm_blend_epi16(__m128i, __m128i, const int), _mm_blendv_epi8(__m128i, __m128i, __m128i),
  _mm_cmpeq_epi64(__m128i, __m128i), _mm_min_epi8(__m128i, __m128i), _mm_max_epi8(__m128i, __m128i),
  _mm_min_epu16(__m128i, __m128i), _mm_max_epu16(__m128i, __m128i), _mm_min_epi32(__m128i, __m128i),
  _mm_max_epi32(__m128i, __m128i), _mm_min_epu32(__m128i, __m128i), _mm_max_epu32(__m128i, __m128i),
  _mm_mullo_epi32(__m128i, __m128i), _mm_mul_epi32(__m128i, __m128i), _mm_insert_epi8(__m128i, int, const int),
  _mm_insert_epi32(__m128i, int, const int), _mm_insert_epi64(__m128i, long long, const int),
  _mm_minpos_epu16(__m128i), _mm_cvtepi8_epi32(__m128i), _mm_cvtepi16_epi32(__m128i), _mm_cvtepi8_epi64(__m128i),
  _mm_cvtepi32_epi64(__m128i), _mm_cvtepi16_epi64(__m128i), _mm_cvtepi8_epi16(__m128i), _mm_cvtepu8_epi32(__m128i),
  _mm_cvtepu16_epi32(__m128i), _mm_cvtepu8_epi64(__m128i), _mm_cvtepu32_epi64(__m128i), _mm_cvtepu16_epi64(__m128i),
  _mm_cvtepu8_epi16(__m128i), _mm_packus_epi32(__m128i, __m128i), _mm_mpsadbw_epu8(__m128i, __m128i, const int),
  _mm_stream_load_si128(__m128i *), _mm_cmpistrm(__m128i, __m128i, const int), _mm_cmpestrm(__m128i, int, __m128i,
  int, const int), _mm_cmpgt_epi64(__m128i, __m128i);
extern long long _mm_extract_epi64(__m128i, const int);
extern unsigned int _mm_crc32_u8(unsigned int, unsigned char), _mm_crc32_u16(unsigned int, unsigned short),
  _mm_crc32_u32(unsigned int, unsigned int);
extern unsigned long long _mm_crc32_u64(unsigned long long, unsigned long long);
#endif
