/* Instructions on general registers. Declarations only: what the instructions compute is of no interest here. */
#ifndef _X86GPRINTRIN_H_INCLUDED
#define _X86GPRINTRIN_H_INCLUDED
extern void _wbinvd(void), _writefsbase_u32(unsigned int), _writefsbase_u64(unsigned long long),
  _writegsbase_u32(unsigned int), _writegsbase_u64(unsigned long long), _ptwrite64(unsigned long long),
  _ptwrite32(unsigned), __pause(void), __writeeflags(unsigned long long), _fxsave(void *), _fxrstor(void *),
  _fxsave64(void *), _fxrstor64(void *), _xsave(void *, long long), _xrstor(void *, long long), _xsetbv(unsigned int,
  long long), _xsave64(void *, long long), _xrstor64(void *, long long), _xsaveopt(void *, long long),
  _xsaveopt64(void *, long long), _mm_clflushopt(void *), _mm_clwb(void *), _xend(void), _xabort(const unsigned int);
extern int _rdrand16_step(unsigned short *), _rdrand32_step(unsigned int *), _rdrand64_step(unsigned long long *),
  __bsfd(int), __bsrd(int), __bswapd(int), __popcntd(unsigned int), __bsfq(long long), __bsrq(long long),
  _rdseed16_step(unsigned short *), _rdseed32_step(unsigned int *), _rdseed64_step(unsigned long long *),
  _xtest(void);
extern unsigned int _rdpid_u32(void), _readfsbase_u32(void), _readgsbase_u32(void), __crc32b(unsigned int, unsigned
  char), __crc32w(unsigned int, unsigned short), __crc32d(unsigned int, unsigned int), __rold(unsigned int, int),
  __rord(unsigned int, int), __andn_u32(unsigned int, unsigned int), _andn_u32(unsigned int, unsigned int),
  __bextr_u32(unsigned int, unsigned int), _bextr_u32(unsigned int, unsigned int, unsigned), __blsi_u32(unsigned int),
  _blsi_u32(unsigned int), __blsmsk_u32(unsigned int), _blsmsk_u32(unsigned int), __blsr_u32(unsigned int),
  _blsr_u32(unsigned int), __tzcnt_u32(unsigned int), _tzcnt_u32(unsigned int), _bzhi_u32(unsigned int, unsigned int),
  _pdep_u32(unsigned int, unsigned int), _pext_u32(unsigned int, unsigned int), __lzcnt32(unsigned int),
  _lzcnt_u32(unsigned int), _xbegin(void);
extern unsigned long long _readfsbase_u64(void), _readgsbase_u64(void), __rdpmc(int), __rdtsc(void), __rdtscp(unsigned
  int *), __crc32q(unsigned long long, unsigned long long), __rolq(unsigned long long, int), __rorq(unsigned long
  long, int), __readeflags(void), __andn_u64(unsigned long long, unsigned long long), _andn_u64(unsigned long long,
  unsigned long long), __bextr_u64(unsigned long long, unsigned long long), _bextr_u64(unsigned long long, unsigned
  int, unsigned int), __blsi_u64(unsigned long long), _blsi_u64(unsigned long long), __blsmsk_u64(unsigned long long),
  _blsmsk_u64(unsigned long long), __blsr_u64(unsigned long long), _blsr_u64(unsigned long long), __tzcnt_u64(unsigned
  long long), _tzcnt_u64(unsigned long long), _bzhi_u64(unsigned long long, unsigned long long), _pdep_u64(unsigned
  long long, unsigned long long), _pext_u64(unsigned long long, unsigned long long), _mulx_u64(unsigned long long,
  unsigned long long, unsigned long long *), __lzcnt64(unsigned long long), _lzcnt_u64(unsigned long long);
extern unsigned char __rolb(unsigned char, int), __rorb(unsigned char, int), _subborrow_u32(unsigned char, unsigned
  int, unsigned int, unsigned int *), _addcarry_u32(unsigned char, unsigned int, unsigned int, unsigned int *),
  _addcarryx_u32(unsigned char, unsigned int, unsigned int, unsigned int *), _subborrow_u64(unsigned char, unsigned
  long long, unsigned long long, unsigned long long *), _addcarry_u64(unsigned char, unsigned long long, unsigned long
  long, unsigned long long *), _addcarryx_u64(unsigned char, unsigned long long, unsigned long long, unsigned long
  long *);
extern unsigned short __rolw(unsigned short, int), __rorw(unsigned short, int), __tzcnt_u16(unsigned short),
  _tzcnt_u16(unsigned short), __lzcnt16(unsigned short);
extern long long __bswapq(long long), __popcntq(unsigned long long), _xgetbv(unsigned int);
extern void _xabort(const unsigned int);
#define _bit_scan_forward(a) __bsfd(a)
#define _bit_scan_reverse(a) __bsrd(a)
#define _bswap(a) __bswapd(a)
#define _bswap64(a) __bswapq(a)
#define _popcnt32(a) __popcntd(a)
#define _popcnt64(a) __popcntq(a)
#define _rdpmc(a) __rdpmc(a)
#define _rdtscp(a) __rdtscp(a)
#define _rdtsc() __rdtsc()
#define _rotl(a, b) __rold((a), (b))
#define _rotr(a, b) __rord((a), (b))
#define _XBEGIN_STARTED (~0u)
#define _XABORT_EXPLICIT (1 << 0)
#define _XABORT_RETRY (1 << 1)
#define _XABORT_CONFLICT (1 << 2)
#define _XABORT_CAPACITY (1 << 3)
#define _XABORT_DEBUG (1 << 4)
#define _XABORT_NESTED (1 << 5)
#define _XABORT_CODE(x) (((x) >> 24) & 0xff)
#endif
