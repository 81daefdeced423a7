#pragma once
#include <stddef.h>
#include <stdint.h>

// What a C program does with librdkafka for the same work as `KafkaClientBenchmark` does through `KafkaClient`: the
// same properties, the same batches, the same messages.

// Writes `count` messages of `size` bytes, in batches of `batch` that go to the `topic_count` topics in runs of `run`,
// and waits until all are acknowledged. Returns the seconds from the first message, or a negative number.
double ckafka_produce(
    const char *bootstrap, const char *const *topics, size_t topic_count, size_t count, size_t size, size_t batch,
    size_t run);

// Reads partition 0 of the topics from the start until `count` messages have come, and adds up the bytes of their
// values, touching each value's first byte. Returns the seconds from the first message, or a negative number.
double ckafka_consume(
    const char *bootstrap, const char *const *topics, size_t topic_count, size_t count, uint64_t *bytes);
