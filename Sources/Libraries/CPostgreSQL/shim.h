#pragma once
#include <libpq-fe.h>
#include <sys/ioctl.h>

// `ioctl` is variadic, which Swift cannot call. The bytes that arrived at a socket and were not read yet; 0 on failure.
static inline int fanfare_pq_arrived(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}
