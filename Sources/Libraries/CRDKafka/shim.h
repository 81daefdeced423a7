#pragma once
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

// Enqueues one message by its topic handle, copying key and value. `rd_kafka_produceva` wants an array of tagged
// unions, which Swift cannot fill. `timestamp` 0 is the time of the call; `headers` may be NULL and is the library's
// only when NULL is returned.
static inline rd_kafka_error_t *crdkafka_produce(
    rd_kafka_t *client, rd_kafka_topic_t *topic, int32_t partition, const void *key, size_t key_count,
    const void *value, size_t value_count, int64_t timestamp, rd_kafka_headers_t *headers, void *opaque) {
    rd_kafka_vu_t items[8];
    size_t count = 0;
    items[count].vtype = RD_KAFKA_VTYPE_RKT;
    items[count++].u.rkt = topic;
    items[count].vtype = RD_KAFKA_VTYPE_PARTITION;
    items[count++].u.i32 = partition;
    items[count].vtype = RD_KAFKA_VTYPE_VALUE;
    items[count].u.mem.ptr = (void *)value;
    items[count++].u.mem.size = value_count;
    items[count].vtype = RD_KAFKA_VTYPE_KEY;
    items[count].u.mem.ptr = (void *)key;
    items[count++].u.mem.size = key_count;
    items[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
    items[count++].u.i = RD_KAFKA_MSG_F_COPY;
    items[count].vtype = RD_KAFKA_VTYPE_OPAQUE;
    items[count++].u.ptr = opaque;
    if (timestamp != 0) {
        items[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
        items[count++].u.i64 = timestamp;
    }
    if (headers != NULL) {
        items[count].vtype = RD_KAFKA_VTYPE_HEADERS;
        items[count++].u.headers = headers;
    }
    return rd_kafka_produceva(client, items, count);
}
