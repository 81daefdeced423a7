#pragma once
#include <stdint.h>

// The server that HTTPServer is measured against, and the clients that load both.

/// What `chttp_server_start` returns; null when it could not start.
struct chttp_server;

/// The same daemon that HTTPServer starts (same flags, pool, limits and memory), answering every request with `hello`.
struct chttp_server *chttp_server_start(unsigned int workers, unsigned int memory_per_connection, int *port);
void chttp_server_stop(struct chttp_server *server);

/// Keeps `connections` busy with one request at a time each, for so long. Returns the answers, -1 with a message on
/// stderr when anything is not as it should.
int64_t chttp_load(int port, const char *path, int connections, double seconds);

/// Opens `count` connections, asks for `path` on each, and then obeys lines on stdin: `wait` reads an answer from each,
/// `ask` asks again on each, `leave N` closes N of them, `end` ends. After each step writes a line with the step, and
/// the monotonic nanoseconds of its first and its last event, to stdout. Returns 0, or 1 with a message on stderr.
int chttp_hold(int port, const char *path, int count);

/// Raises the soft limit of open files to what the hard one allows, at most `wanted`; returns what it is then.
int64_t chttp_raise_descriptors(int64_t wanted);

/// The resident memory of this process in bytes.
int64_t chttp_resident_bytes(void);

/// The processor time this process has used, in nanoseconds.
int64_t chttp_processor_nanoseconds(void);

int64_t chttp_now_nanoseconds(void);
