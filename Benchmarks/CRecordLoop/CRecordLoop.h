#pragma once
#include <stddef.h>

// What a C program does with SQLite for the same rows as `RecordStoreBenchmark` writes through the record service.

// Reads all rows of records, indexes, words and outbox of the store `source` into memory, makes `path` with the same
// tables, and writes the rows in the same order, `group` records in a transaction, waiting for the disk at each commit
// if `is_durable`. Returns the seconds from the first row to the last commit, or a negative number.
double crecord_save(const char *source, const char *path, size_t group, int is_durable);
