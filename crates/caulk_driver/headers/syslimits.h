/* Some code names gcc's private header. */
#include <limits.h>
