/* Population count. Declarations only: what the instructions compute is of no interest here. */
#ifndef _POPCNTINTRIN_H_INCLUDED
#define _POPCNTINTRIN_H_INCLUDED
extern int _mm_popcnt_u32(unsigned int);
extern long long _mm_popcnt_u64(unsigned long long);
#endif
