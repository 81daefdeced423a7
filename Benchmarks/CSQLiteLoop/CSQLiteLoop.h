#pragma once
#include <stddef.h>
#include <stdint.h>

// What a C program does with SQLite for the same work as `SQLiteLogBenchmark` does through `SQLiteLog`: the same
// tables, keys, values, transactions and pragmas.

// Makes `path` with one partition of each of `topics` topics, appends `count` entries to them in turns, `group` of them
// in a transaction, with keys of `key_size` bytes and values of `value_size`, and waits for the disk at each commit.
// Returns the seconds from the first entry to the last commit, or a negative number.
double csqlite_append(
    const char *path, size_t topics, size_t count, size_t group, size_t key_size, size_t value_size);
