#pragma once
#include <stdint.h>

// The loop over libcurl that MultiplexedConnection is measured against.

/// Writes the body of a request; returns its bytes, or 0 when it failed.
typedef int (*cpush_make)(unsigned char *body, int capacity, const void *context);

/// Sends `count` requests with these header fields to `url` on one connection, one until the first answer and then
/// `window` at once, as a plain program does it. Each gets its number at the end of its URL and in `apns-id`, and the
/// body that `make` writes, or `body`. Returns the number that was answered with 200, -1 with a message on stderr when
/// something went wrong.
int64_t cpush_send(
    const char *url, const char *ca_file, int count, int window, const char *const *headers, int header_count,
    const void *body, int body_bytes, cpush_make make, const void *context);

/// The processor time this process has used, in nanoseconds.
int64_t cpush_processor_nanoseconds(void);

int64_t cpush_now_nanoseconds(void);
