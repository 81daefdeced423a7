#include "CRecordLoop.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// As in Sources/Libraries/SQLite/SQLiteConfiguration.swift.
static const char *const pragmas =
    "PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864;"
    "PRAGMA trusted_schema=OFF;";

typedef struct {
    int64_t index;
    int kind; // 1 integer, 2 real, 3 text, as in Sources/Backends/SQLiteRecordStore/StoredIndex.swift
    union { int64_t integer; double real; } number;
    const unsigned char *text;
    size_t length;
} entry_t;

typedef struct {
    int64_t id, zone, type, sequence, destination, time;
    unsigned char *name, *body, *indexed, *key, *value;
    size_t name_size, body_size, indexed_size, key_size, value_size;
    entry_t *entries;
    size_t entry_count;
    char *words;
} row_t;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static unsigned char *copy(sqlite3_stmt *statement, int column, size_t *size) {
    const void *bytes = sqlite3_column_blob(statement, column);
    *size = (size_t)sqlite3_column_bytes(statement, column);
    unsigned char *result = malloc(*size + 1);
    if (*size) memcpy(result, bytes, *size);
    return result;
}

static uint64_t read64(const unsigned char *bytes) {
    uint64_t number;
    memcpy(&number, bytes, 8);
    return number;
}

// Each word with its type and zone before it.
static char *scoped(const unsigned char *words, size_t size, int64_t type, int64_t zone) {
    char scope[64];
    size_t scope_size = (size_t)snprintf(scope, sizeof scope, "t%lldz%lldw", (long long)type, (long long)zone);
    size_t count = 1;
    for (size_t i = 0; i < size; i++) count += words[i] == ' ';
    char *result = malloc(size + count * scope_size + 1), *end = result;
    int is_start = 1;
    for (size_t i = 0; i < size; i++) {
        if (is_start) { memcpy(end, scope, scope_size); end += scope_size; }
        is_start = words[i] == ' ';
        *end++ = (char)words[i];
    }
    *end = 0;
    return result;
}

static void parse(row_t *row) {
    row->entries = calloc(row->indexed_size / 17 + 1, sizeof *row->entries);
    const unsigned char *at = row->indexed, *end = at + row->indexed_size;
    while (at < end) {
        int kind = *at;
        int64_t index = (int64_t)read64(at + 1);
        at += 9;
        if (kind == 4) {
            row->words = scoped(at, (size_t)(end - at), row->type, row->zone);
            return;
        }
        entry_t *entry = &row->entries[row->entry_count++];
        entry->index = index;
        entry->kind = kind;
        uint64_t number = read64(at);
        at += 8;
        if (kind == 3) { entry->text = at; entry->length = number; at += number; }
        else memcpy(&entry->number, &number, 8);
    }
}

static row_t *load(sqlite3 *source, size_t *count) {
    sqlite3_stmt *statement = NULL;
    size_t capacity = 1024;
    row_t *rows = malloc(capacity * sizeof *rows);
    *count = 0;
    if (sqlite3_prepare_v2(
            source,
            "SELECT r.id, r.zone, r.type, r.sequence, o.destination, o.time, r.name, r.body, r.indexed, o.key, o.value"
            " FROM records r JOIN outbox o ON o.sequence = r.sequence ORDER BY r.id", -1, &statement, NULL)) return NULL;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (*count == capacity) rows = realloc(rows, (capacity *= 2) * sizeof *rows);
        row_t *row = &rows[(*count)++];
        memset(row, 0, sizeof *row);
        int64_t *numbers[] = {&row->id, &row->zone, &row->type, &row->sequence, &row->destination, &row->time};
        for (int i = 0; i < 6; i++) *numbers[i] = sqlite3_column_int64(statement, i);
        row->name = copy(statement, 6, &row->name_size);
        row->body = copy(statement, 7, &row->body_size);
        row->indexed = copy(statement, 8, &row->indexed_size);
        row->key = copy(statement, 9, &row->key_size);
        row->value = copy(statement, 10, &row->value_size);
        parse(row);
    }
    sqlite3_finalize(statement);
    return rows;
}

// The tables of the source, and the rows of the small ones.
static int make(sqlite3 *database, sqlite3 *source, const char *source_path) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_exec(database, pragmas, NULL, NULL, NULL)) return 0;
    sqlite3_prepare_v2(
        source, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        " AND name NOT LIKE 'words!_%' ESCAPE '!' ORDER BY rowid", -1, &statement, NULL);
    int is_fine = 1;
    while (is_fine && sqlite3_step(statement) == SQLITE_ROW)
        is_fine = !sqlite3_exec(database, (const char *)sqlite3_column_text(statement, 0), NULL, NULL, NULL);
    sqlite3_finalize(statement);
    char sql[4096];
    snprintf(
        sql, sizeof sql,
        "ATTACH '%s' AS source; INSERT INTO zones SELECT * FROM source.zones; INSERT INTO types SELECT * FROM source.types;"
        "DETACH source;", source_path);
    return is_fine && !sqlite3_exec(database, sql, NULL, NULL, NULL);
}

static int step(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE;
}

enum { BEGIN, COMMIT, RECORD, ENTRY, WORDS, OUTBOX, STATEMENTS };
static const char *const sql[STATEMENTS] = {
    "BEGIN IMMEDIATE", "COMMIT",
    "INSERT INTO records (zone, name, type, sequence, body, indexed) VALUES (?, ?, ?, ?, ?, ?)",
    "INSERT INTO entries (\"index\", zone, key, record) VALUES (?, ?, ?, ?)",
    "INSERT INTO words (rowid, text) VALUES (?, ?)",
    "INSERT INTO outbox (sequence, destination, key, value, time) VALUES (?, ?, ?, ?, ?)",
};

static int save(sqlite3 *database, sqlite3_stmt **statements, const row_t *row) {
    sqlite3_stmt *record = statements[RECORD], *entry = statements[ENTRY], *outbox = statements[OUTBOX];
    sqlite3_bind_int64(record, 1, row->zone);
    sqlite3_bind_text64(record, 2, (const char *)row->name, row->name_size, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_int64(record, 3, row->type);
    sqlite3_bind_int64(record, 4, row->sequence);
    sqlite3_bind_blob64(record, 5, row->body, row->body_size, SQLITE_STATIC);
    sqlite3_bind_blob64(record, 6, row->indexed, row->indexed_size, SQLITE_STATIC);
    int is_fine = step(record);
    int64_t id = sqlite3_last_insert_rowid(database);
    for (size_t i = 0; is_fine && i < row->entry_count; i++) {
        const entry_t *given = &row->entries[i];
        sqlite3_bind_int64(entry, 1, given->index);
        sqlite3_bind_int64(entry, 2, row->zone);
        if (given->kind == 1) sqlite3_bind_int64(entry, 3, given->number.integer);
        else if (given->kind == 2) sqlite3_bind_double(entry, 3, given->number.real);
        else sqlite3_bind_text64(entry, 3, (const char *)given->text, given->length, SQLITE_STATIC, SQLITE_UTF8);
        sqlite3_bind_int64(entry, 4, id);
        is_fine = step(entry);
    }
    if (is_fine && row->words) {
        sqlite3_bind_int64(statements[WORDS], 1, id);
        sqlite3_bind_text(statements[WORDS], 2, row->words, -1, SQLITE_STATIC);
        is_fine = step(statements[WORDS]);
    }
    sqlite3_bind_int64(outbox, 1, row->sequence);
    sqlite3_bind_int64(outbox, 2, row->destination);
    sqlite3_bind_blob64(outbox, 3, row->key, row->key_size, SQLITE_STATIC);
    sqlite3_bind_blob64(outbox, 4, row->value, row->value_size, SQLITE_STATIC);
    sqlite3_bind_int64(outbox, 5, row->time);
    return is_fine && step(outbox);
}

static void release(row_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(rows[i].name);
        free(rows[i].body);
        free(rows[i].indexed);
        free(rows[i].key);
        free(rows[i].value);
        free(rows[i].entries);
        free(rows[i].words);
    }
    free(rows);
}

double crecord_save(const char *source_path, const char *path, size_t group, int is_durable) {
    sqlite3 *source = NULL, *database = NULL;
    sqlite3_stmt *statements[STATEMENTS] = {0};
    size_t count = 0;
    row_t *rows = NULL;
    double took = -1;
    int is_fine = sqlite3_open_v2(source_path, &source, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
        && (rows = load(source, &count)) != NULL
        && sqlite3_open_v2(
               path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
        && make(database, source, source_path)
        && !sqlite3_exec(
            database, is_durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
    for (int i = 0; is_fine && i < STATEMENTS; i++)
        is_fine = sqlite3_prepare_v3(database, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &statements[i], NULL) == SQLITE_OK;
    double began = seconds();
    for (size_t done = 0; is_fine && done < count;) {
        is_fine = step(statements[BEGIN]);
        for (size_t i = 0; is_fine && i < group && done < count; i++, done++)
            is_fine = save(database, statements, &rows[done]);
        is_fine = is_fine && step(statements[COMMIT]);
    }
    if (is_fine && count > 0) took = seconds() - began;
    if (!is_fine && database) fprintf(stderr, "crecord_save: %s\n", sqlite3_errmsg(database));
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(statements[i]);
    sqlite3_close(database);
    sqlite3_close(source);
    if (rows) release(rows, count);
    return took;
}
