#pragma once
#include <malloc.h>

// glibc's own: a macro and a function in a header that Swift's module of glibc leaves out.
static inline void CAllocator_returnBlocksFrom(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }
