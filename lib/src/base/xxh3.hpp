#pragma once
// XXH3 with the widest vectors that the processor has. Debian's library carries the dispatcher on
// x86-64; its header renames the functions. The results are the same either way.

#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif
