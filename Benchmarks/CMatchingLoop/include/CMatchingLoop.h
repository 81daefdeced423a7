#pragma once
#include <stdint.h>

// The workload ckwl as `ckgen.h` draws it, handed out piece by piece.

// One comparison: field and operator by the numbers of `ckgen.h`, whose text is in `text`.
struct ckwl_predicate {
    int field, op, length;
    int64_t a, b;
    char text[16];
};

// A record's values, by field; those whose bit in `present` is not set do not count.
struct ckwl_event {
    int present;
    int64_t values[10];
    int tag_count;
    int64_t tags[5];
    char title[16];
};

// Begins again with the first subscription or the first event.
void ckwl_begin_subscriptions(void);
void ckwl_begin_events(void);

// The next subscription: two conjunctions of up to 6 predicates, of so many each; answers how many conjunctions there
// are.
int ckwl_next_subscription(struct ckwl_predicate *predicates, int *counts);
void ckwl_next_event(uint64_t index, struct ckwl_event *event);

// The text of a value of the fields that have texts, into 64 bytes.
void ckwl_text(int field, int64_t value, char *text);

// What a match adds to the checksum.
uint64_t ckwl_term(uint64_t event, uint64_t subscription);
