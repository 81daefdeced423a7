#pragma once
#if defined(__linux__)
#include <malloc.h>
#endif

// glibc's own: a macro and a function in a header that Swift's module of glibc leaves out. Elsewhere it does nothing.
static inline void CAllocator_returnBlocksFrom(int bytes) {
#if defined(M_MMAP_THRESHOLD)
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}
