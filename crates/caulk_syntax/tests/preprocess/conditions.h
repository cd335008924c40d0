#ifndef CONDITIONS_H
#define CONDITIONS_H
included __INCLUDE_LEVEL__ __FILE__ __LINE__
#endif
