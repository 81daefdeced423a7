#pragma once
#include <zlib.h>

// Macros in zlib's header, which carry its version and the size of its structure.
static inline int CZlib_inflateInit(z_stream *stream, int windowBits) { return inflateInit2(stream, windowBits); }
static inline int CZlib_deflateInit(z_stream *stream, int level, int windowBits) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
}
