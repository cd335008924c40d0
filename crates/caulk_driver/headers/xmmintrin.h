/* SSE. Declarations only: what the instructions compute is of no interest here. */
#ifndef _XMMINTRIN_H_INCLUDED
#define _XMMINTRIN_H_INCLUDED
#include <mmintrin.h>
#include <mm_malloc.h>
enum _mm_hint { _MM_HINT_IT0 = 19, _MM_HINT_IT1 = 18, _MM_HINT_ET0 = 7, _MM_HINT_ET1 = 6, _MM_HINT_T0 = 3,
                _MM_HINT_T1 = 2, _MM_HINT_T2 = 1, _MM_HINT_NTA = 0 };
typedef float __m128 __attribute__((__vector_size__(16), __may_alias__));
typedef float __m128_u __attribute__((__vector_size__(16), __may_alias__, __aligned__(1)));
typedef float __v4sf __attribute__((__vector_size__(16)));
#define _MM_SHUFFLE(d, c, b, a) (((d) << 6) | ((c) << 4) | ((b) << 2) | (a))
#define _MM_EXCEPT_MASK 0x003f
#define _MM_EXCEPT_INVALID 0x0001
#define _MM_EXCEPT_DENORM 0x0002
#define _MM_EXCEPT_DIV_ZERO 0x0004
#define _MM_EXCEPT_OVERFLOW 0x0008
#define _MM_EXCEPT_UNDERFLOW 0x0010
#define _MM_EXCEPT_INEXACT 0x0020
#define _MM_MASK_MASK 0x1f80
#define _MM_MASK_INVALID 0x0080
#define _MM_MASK_DENORM 0x0100
#define _MM_MASK_DIV_ZERO 0x0200
#define _MM_MASK_OVERFLOW 0x0400
#define _MM_MASK_UNDERFLOW 0x0800
#define _MM_MASK_INEXACT 0x1000
#define _MM_ROUND_MASK 0x6000
#define _MM_ROUND_NEAREST 0x0000
#define _MM_ROUND_DOWN 0x2000
#define _MM_ROUND_UP 0x4000
#define _MM_ROUND_TOWARD_ZERO 0x6000
#define _MM_FLUSH_ZERO_MASK 0x8000
#define _MM_FLUSH_ZERO_ON 0x8000
#define _MM_FLUSH_ZERO_OFF 0x0000
#define _MM_TRANSPOSE4_PS(r0, r1, r2, r3) \
  do { \
    __m128 __t0 = _mm_unpacklo_ps((r0), (r1)), __t1 = _mm_unpacklo_ps((r2), (r3)); \
    __m128 __t2 = _mm_unpackhi_ps((r0), (r1)), __t3 = _mm_unpackhi_ps((r2), (r3)); \
    (r0) = _mm_movelh_ps(__t0, __t1); \
    (r1) = _mm_movehl_ps(__t1, __t0); \
    (r2) = _mm_movelh_ps(__t2, __t3); \
    (r3) = _mm_movehl_ps(__t3, __t2); \
  } while (0)
extern void _mm_prefetch(const void *, enum _mm_hint), _mm_storeh_pi(__m64 *, __m128), _mm_storel_pi(__m64 *, __m128),
  _mm_setcsr(unsigned int), _MM_SET_EXCEPTION_STATE(unsigned int), _MM_SET_EXCEPTION_MASK(unsigned int),
  _MM_SET_ROUNDING_MODE(unsigned int), _MM_SET_FLUSH_ZERO_MODE(unsigned int), _mm_store_ss(float *, __m128),
  _mm_store_ps(float *, __m128), _mm_storeu_ps(float *, __m128), _mm_store1_ps(float *, __m128), _mm_store_ps1(float
  *, __m128), _mm_storer_ps(float *, __m128), _mm_maskmove_si64(__m64, __m64, char *), _m_maskmovq(__m64, __m64, char
  *), _mm_stream_pi(__m64 *, __m64), _mm_stream_ps(float *, __m128), _mm_sfence(void), _mm_pause(void);
extern __m128 _mm_undefined_ps(void), _mm_setzero_ps(void), _mm_add_ss(__m128, __m128), _mm_sub_ss(__m128, __m128),
  _mm_mul_ss(__m128, __m128), _mm_div_ss(__m128, __m128), _mm_sqrt_ss(__m128), _mm_rcp_ss(__m128),
  _mm_rsqrt_ss(__m128), _mm_min_ss(__m128, __m128), _mm_max_ss(__m128, __m128), _mm_add_ps(__m128, __m128),
  _mm_sub_ps(__m128, __m128), _mm_mul_ps(__m128, __m128), _mm_div_ps(__m128, __m128), _mm_sqrt_ps(__m128),
  _mm_rcp_ps(__m128), _mm_rsqrt_ps(__m128), _mm_min_ps(__m128, __m128), _mm_max_ps(__m128, __m128), _mm_and_ps(__m128,
  __m128), _mm_andnot_ps(__m128, __m128), _mm_or_ps(__m128, __m128), _mm_xor_ps(__m128, __m128), _mm_cmpeq_ss(__m128,
  __m128), _mm_cmplt_ss(__m128, __m128), _mm_cmple_ss(__m128, __m128), _mm_cmpgt_ss(__m128, __m128),
  _mm_cmpge_ss(__m128, __m128), _mm_cmpneq_ss(__m128, __m128), _mm_cmpnlt_ss(__m128, __m128), _mm_cmpnle_ss(__m128,
  __m128), _mm_cmpngt_ss(__m128, __m128), _mm_cmpnge_ss(__m128, __m128), _mm_cmpord_ss(__m128, __m128),
  _mm_cmpunord_ss(__m128, __m128), _mm_cmpeq_ps(__m128, __m128), _mm_cmplt_ps(__m128, __m128), _mm_cmple_ps(__m128,
  __m128), _mm_cmpgt_ps(__m128, __m128), _mm_cmpge_ps(__m128, __m128), _mm_cmpneq_ps(__m128, __m128),
  _mm_cmpnlt_ps(__m128, __m128), _mm_cmpnle_ps(__m128, __m128), _mm_cmpngt_ps(__m128, __m128), _mm_cmpnge_ps(__m128,
  __m128), _mm_cmpord_ps(__m128, __m128), _mm_cmpunord_ps(__m128, __m128), _mm_cvtsi32_ss(__m128, int),
  _mm_cvt_si2ss(__m128, int), _mm_cvtsi64_ss(__m128, long long), _mm_cvtsi64x_ss(__m128, long long),
  _mm_cvtpi32_ps(__m128, __m64), _mm_cvt_pi2ps(__m128, __m64), _mm_cvtpi16_ps(__m64), _mm_cvtpu16_ps(__m64),
  _mm_cvtpi8_ps(__m64), _mm_cvtpu8_ps(__m64), _mm_cvtpi32x2_ps(__m64, __m64), _mm_shuffle_ps(__m128, __m128, int
  const), _mm_unpackhi_ps(__m128, __m128), _mm_unpacklo_ps(__m128, __m128), _mm_loadh_pi(__m128, __m64 const *),
  _mm_movehl_ps(__m128, __m128), _mm_movelh_ps(__m128, __m128), _mm_loadl_pi(__m128, __m64 const *),
  _mm_set_ss(float), _mm_set1_ps(float), _mm_set_ps1(float), _mm_load_ss(float const *), _mm_load1_ps(float const *),
  _mm_load_ps1(float const *), _mm_load_ps(float const *), _mm_loadu_ps(float const *), _mm_loadr_ps(float const *),
  _mm_set_ps(const float, const float, const float, const float), _mm_setr_ps(float, float, float, float),
  _mm_move_ss(__m128, __m128);
extern int _mm_comieq_ss(__m128, __m128), _mm_comilt_ss(__m128, __m128), _mm_comile_ss(__m128, __m128),
  _mm_comigt_ss(__m128, __m128), _mm_comige_ss(__m128, __m128), _mm_comineq_ss(__m128, __m128), _mm_ucomieq_ss(__m128,
  __m128), _mm_ucomilt_ss(__m128, __m128), _mm_ucomile_ss(__m128, __m128), _mm_ucomigt_ss(__m128, __m128),
  _mm_ucomige_ss(__m128, __m128), _mm_ucomineq_ss(__m128, __m128), _mm_cvtss_si32(__m128), _mm_cvt_ss2si(__m128),
  _mm_cvttss_si32(__m128), _mm_cvtt_ss2si(__m128), _mm_movemask_ps(__m128), _mm_extract_pi16(__m64 const, int const),
  _m_pextrw(__m64 const, int const), _mm_movemask_pi8(__m64), _m_pmovmskb(__m64);
extern long long _mm_cvtss_si64(__m128), _mm_cvtss_si64x(__m128), _mm_cvttss_si64(__m128), _mm_cvttss_si64x(__m128);
extern __m64 _mm_cvtps_pi32(__m128), _mm_cvt_ps2pi(__m128), _mm_cvttps_pi32(__m128), _mm_cvtt_ps2pi(__m128),
  _mm_cvtps_pi16(__m128), _mm_cvtps_pi8(__m128), _mm_insert_pi16(__m64 const, int const, int const), _m_pinsrw(__m64
  const, int const, int const), _mm_max_pi16(__m64, __m64), _m_pmaxsw(__m64, __m64), _mm_max_pu8(__m64, __m64),
  _m_pmaxub(__m64, __m64), _mm_min_pi16(__m64, __m64), _m_pminsw(__m64, __m64), _mm_min_pu8(__m64, __m64),
  _m_pminub(__m64, __m64), _mm_mulhi_pu16(__m64, __m64), _m_pmulhuw(__m64, __m64), _mm_shuffle_pi16(__m64, int const),
  _m_pshufw(__m64, int const), _mm_avg_pu8(__m64, __m64), _m_pavgb(__m64, __m64), _mm_avg_pu16(__m64, __m64),
  _m_pavgw(__m64, __m64), _mm_sad_pu8(__m64, __m64), _m_psadbw(__m64, __m64);
extern unsigned int _mm_getcsr(void), _MM_GET_EXCEPTION_STATE(void), _MM_GET_EXCEPTION_MASK(void),
  _MM_GET_ROUNDING_MODE(void), _MM_GET_FLUSH_ZERO_MODE(void);
extern float _mm_cvtss_f32(__m128);
#endif
