#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift cannot import; both functions copy what they are given.
// A null address is an empty text or blob, not NULL: Swift has none to give for empty ones.
static inline int fanfare_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 bytes) {
    return sqlite3_bind_text64(statement, index, text ? text : "", bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int fanfare_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *blob, sqlite3_uint64 bytes) {
    if (bytes == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, blob, bytes, SQLITE_TRANSIENT);
}
