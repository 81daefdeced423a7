#include "CSQLiteLoop.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// As in Sources/Libraries/SQLite/SQLiteConfiguration.swift.
static const char *const pragmas =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864;"
    "PRAGMA trusted_schema=OFF;";

// As in Sources/Backends/SQLiteLog/Schema.swift.
static const char *const tables =
    "CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, partitions INTEGER NOT NULL,"
    " incarnation INTEGER NOT NULL, retention INTEGER, message_max INTEGER NOT NULL, is_source INTEGER NOT NULL) STRICT;"
    "CREATE TABLE partitions (id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics (id) ON DELETE CASCADE,"
    " number INTEGER NOT NULL, retained INTEGER NOT NULL DEFAULT 0, base INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE (topic, number)) STRICT;"
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, key BLOB, value BLOB, headers BLOB,"
    " appended INTEGER) STRICT;"
    "CREATE TABLE positions (reader TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL,"
    " position BLOB NOT NULL, PRIMARY KEY (reader, topic, partition)) STRICT, WITHOUT ROWID;";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int make(sqlite3 *database, size_t topics) {
    if (sqlite3_exec(database, pragmas, NULL, NULL, NULL) || sqlite3_exec(database, tables, NULL, NULL, NULL)) return 0;
    if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL)) return 0;
    for (size_t i = 1; i <= topics; i++) {
        char sql[256];
        snprintf(
            sql, sizeof sql,
            "INSERT INTO topics VALUES (%zu, 'benchmark.%zu', 1, 1, 86400000, 4194304, 0);"
            "INSERT INTO partitions (id, topic, number) VALUES (%zu, %zu, 0);",
            i, i, i, i);
        if (sqlite3_exec(database, sql, NULL, NULL, NULL)) return 0;
    }
    return sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static int run(sqlite3 *database, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK;
}

static int step(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE;
}

double csqlite_append(
    const char *path, size_t topics, size_t count, size_t group, size_t key_size, size_t value_size) {
    sqlite3 *database = NULL;
    sqlite3_stmt *begin = NULL, *commit = NULL, *insert = NULL;
    int64_t *ends = calloc(topics, sizeof *ends);
    char *key = malloc(key_size), *value = malloc(value_size);
    double took = -1;
    int is_fine = sqlite3_open_v2(
                      path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
        && make(database, topics) && run(database, "BEGIN IMMEDIATE", &begin) && run(database, "COMMIT", &commit)
        && run(database, "INSERT INTO entries (id, time, key, value, headers) VALUES (?, ?, ?, ?, ?)",
               &insert);
    memset(key, 'k', key_size);
    memset(value, 'x', value_size);
    double began = seconds();
    size_t topic = 0;
    for (size_t done = 0; is_fine && done < count;) {
        is_fine = step(begin);
        for (size_t i = 0; is_fine && i < group && done < count; i++, done++) {
            sqlite3_bind_int64(insert, 1, ((sqlite3_int64)topic + 1) << 40 | ends[topic]++);
            sqlite3_bind_int64(insert, 2, 1700000000000 + (sqlite3_int64)done);
            sqlite3_bind_blob64(insert, 3, key, key_size, SQLITE_STATIC);
            sqlite3_bind_blob64(insert, 4, value, value_size, SQLITE_STATIC);
            sqlite3_bind_zeroblob(insert, 5, 0);
            is_fine = step(insert);
            if (++topic == topics) topic = 0;
        }
        is_fine = is_fine && step(commit);
    }
    if (is_fine) took = seconds() - began;
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(insert);
    sqlite3_close(database);
    free(ends);
    free(key);
    free(value);
    return took;
}
