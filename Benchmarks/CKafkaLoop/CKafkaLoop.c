#include "CKafkaLoop.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static rd_kafka_t *client(rd_kafka_type_t kind, const char *const *properties, int events) {
    char reason[512];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    for (size_t i = 0; properties[i] != NULL; i += 2) {
        if (rd_kafka_conf_set(conf, properties[i], properties[i + 1], reason, sizeof reason) != RD_KAFKA_CONF_OK) {
            fprintf(stderr, "%s\n", reason);
            return NULL;
        }
    }
    if (events != 0) rd_kafka_conf_set_events(conf, events);
    rd_kafka_t *made = rd_kafka_new(kind, conf, reason, sizeof reason);
    if (made == NULL) fprintf(stderr, "%s\n", reason);
    return made;
}

// Takes the delivery reports that have come; returns how many, or -1 when one is a failure.
static long reports(rd_kafka_queue_t *queue, int milliseconds) {
    const rd_kafka_message_t *part[1024];
    long taken = 0;
    rd_kafka_event_t *event;
    while ((event = rd_kafka_queue_poll(queue, taken == 0 ? milliseconds : 0)) != NULL) {
        size_t count;
        while ((count = rd_kafka_event_message_array(event, part, 1024)) > 0) {
            for (size_t i = 0; i < count; i++) {
                if (part[i]->err) {
                    fprintf(stderr, "%s\n", rd_kafka_err2str(part[i]->err));
                    return -1;
                }
            }
            taken += (long)count;
        }
        rd_kafka_event_destroy(event);
    }
    return taken;
}

double ckafka_produce(
    const char *bootstrap, const char *const *topics, size_t topic_count, size_t count, size_t size, size_t batch,
    size_t run) {
    const char *properties[] = {
        "bootstrap.servers", bootstrap, "enable.idempotence", "true", "acks", "all",
        "enable.gapless.guarantee", "true", "message.timeout.ms", "0",
        "max.in.flight.requests.per.connection", "5", "linger.ms", "1", "socket.nagle.disable", "true",
        "allow.auto.create.topics", "false", "log_level", "2", NULL};
    rd_kafka_t *producer = client(RD_KAFKA_PRODUCER, properties, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    if (producer == NULL) return -1;
    rd_kafka_queue_t *queue = rd_kafka_queue_get_main(producer);
    rd_kafka_topic_partition_list_t *known = rd_kafka_topic_partition_list_new((int)topic_count);
    for (size_t i = 0; i < topic_count; i++) rd_kafka_topic_partition_list_add(known, topics[i], 0)->offset = -2;
    rd_kafka_offsets_for_times(producer, known, 30000);
    rd_kafka_topic_partition_list_destroy(known);
    rd_kafka_topic_t **handles = calloc(topic_count, sizeof *handles);
    for (size_t i = 0; i < topic_count; i++) handles[i] = rd_kafka_topic_new(producer, topics[i], NULL);

    char *value = malloc(size);
    memset(value, 'x', size);
    rd_kafka_message_t *messages = calloc(run, sizeof *messages);
    size_t sent = 0, acknowledged = 0, topic = 0;
    const size_t under_way_max = 8 * batch;
    double began = seconds();
    while (acknowledged < count) {
        for (size_t of_batch = 0; of_batch < batch && sent < count && sent - acknowledged < under_way_max;) {
            size_t want = run < count - sent ? run : count - sent;
            for (size_t i = 0; i < want; i++) {
                messages[i].payload = value;
                messages[i].len = size;
                messages[i].partition = 0;
                messages[i].err = RD_KAFKA_RESP_ERR_NO_ERROR;
            }
            int taken = rd_kafka_produce_batch(
                handles[topic], 0, RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_PARTITION, messages, (int)want);
            sent += (size_t)taken;
            of_batch += (size_t)taken;
            if ((size_t)taken < want) break;
            topic = (topic + 1) % topic_count;
        }
        long taken = reports(queue, sent == count || sent - acknowledged >= under_way_max ? 100 : 0);
        if (taken < 0) return -1;
        acknowledged += (size_t)taken;
    }
    double took = seconds() - began;
    for (size_t i = 0; i < topic_count; i++) rd_kafka_topic_destroy(handles[i]);
    free(handles);
    free(messages);
    free(value);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(producer);
    return took;
}

double ckafka_consume(
    const char *bootstrap, const char *const *topics, size_t topic_count, size_t count, uint64_t *bytes) {
    const char *properties[] = {
        "bootstrap.servers", bootstrap, "auto.offset.reset", "error", "fetch.wait.max.ms", "5",
        "enable.auto.commit", "false", "enable.auto.offset.store", "false", "socket.nagle.disable", "true",
        "allow.auto.create.topics", "false", "log_level", "2", NULL};
    rd_kafka_t *consumer = client(RD_KAFKA_CONSUMER, properties, 0);
    if (consumer == NULL) return -1;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(consumer);
    rd_kafka_topic_partition_list_t *known = rd_kafka_topic_partition_list_new((int)topic_count);
    for (size_t i = 0; i < topic_count; i++) rd_kafka_topic_partition_list_add(known, topics[i], 0)->offset = -2;
    rd_kafka_offsets_for_times(consumer, known, 30000);
    rd_kafka_topic_partition_list_destroy(known);
    rd_kafka_topic_t **handles = calloc(topic_count, sizeof *handles);
    for (size_t i = 0; i < topic_count; i++) {
        handles[i] = rd_kafka_topic_new(consumer, topics[i], NULL);
        rd_kafka_consume_start_queue(handles[i], 0, 0, queue);
    }
    static rd_kafka_message_t *messages[4096];
    size_t read = 0;
    uint64_t total = 0;
    double began = 0;
    while (read < count) {
        ssize_t taken = rd_kafka_consume_batch_queue(queue, 10, messages, 4096);
        if (taken > 0 && began == 0) began = seconds();
        for (ssize_t i = 0; i < taken; i++) {
            if (!messages[i]->err) {
                total += messages[i]->len + (((const unsigned char *)messages[i]->payload)[0] != 'x');
                read++;
            }
            rd_kafka_message_destroy(messages[i]);
        }
    }
    double took = seconds() - began;
    *bytes = total;
    for (size_t i = 0; i < topic_count; i++) {
        rd_kafka_consume_stop(handles[i], 0);
        rd_kafka_topic_destroy(handles[i]);
    }
    free(handles);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(consumer);
    return took;
}
