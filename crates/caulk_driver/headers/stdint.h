/* The C library's, or our own where there is none. */
#ifndef __CAULK_STDINT_H
#define __CAULK_STDINT_H
#if __STDC_HOSTED__ && __has_include_next(<stdint.h>)
# include_next <stdint.h>
#else
# include <stdint-gcc.h>
#endif
#endif
