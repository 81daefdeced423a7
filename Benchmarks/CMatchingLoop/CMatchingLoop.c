#define _GNU_SOURCE
#include "include/CMatchingLoop.h"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "ckgen.h"

static Rng subscriptions, events;

void ckwl_begin_subscriptions(void) {
    ck_init();
    subscriptions = ck_subs_rng();
}

void ckwl_begin_events(void) {
    ck_init();
    events = ck_events_rng();
}

int ckwl_next_subscription(struct ckwl_predicate *predicates, int *counts) {
    Sub sub = ck_sub(&subscriptions, 0);
    for (int d = 0; d < sub.nd; d++) {
        counts[d] = sub.d[d].n;
        for (int i = 0; i < sub.d[d].n; i++) {
            const Pred *p = &sub.d[d].p[i];
            struct ckwl_predicate *out = &predicates[d * 6 + i];
            *out = (struct ckwl_predicate){.field = p->f, .op = p->op, .length = p->slen, .a = p->a, .b = p->b};
            memcpy(out->text, p->s, sizeof out->text);
        }
    }
    return sub.nd;
}

void ckwl_next_event(uint64_t index, struct ckwl_event *event) {
    Event e = ck_event(&events, index);
    event->present = e.present;
    memcpy(event->values, e.v, sizeof event->values);
    event->tag_count = e.ntags;
    for (int i = 0; i < e.ntags; i++) event->tags[i] = e.tags[i];
    memcpy(event->title, e.title, sizeof event->title);
}

void ckwl_text(int field, int64_t value, char *text) { ck_sval(field, value, text); }

uint64_t ckwl_term(uint64_t event, uint64_t subscription) { return ck_mix(event, subscription); }
