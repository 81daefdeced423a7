// What a pipeline over Kafka cannot be faster than, by bare librdkafka loops on the broker at KAFKA_BOOTSTRAP_SERVERS.
//
//     hops hops COUNT RATE SECONDS   from the first produce() to the last consume over COUNT topics in a row: p50 and p99 in milliseconds
//     hops consume TOPIC             reads partition 0 from its beginning to its end: entries, bytes, seconds from the first entry, and in all
//     hops topics COUNT [OWN]        makes so many topics, 500 a request, and writes an entry to each: seconds of both; OWN gives each
//                                    topic a setting of its own
//
// Prints one line of JSON.
#define _GNU_SOURCE
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char error[512];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "hops: %s: %s\n", what, why);
  exit(1);
}

static void set(rd_kafka_conf_t *conf, const char *key, const char *value) {
  if (rd_kafka_conf_set(conf, key, value, error, sizeof error) != RD_KAFKA_CONF_OK) fail(key, error);
}

static rd_kafka_t *client(rd_kafka_type_t type) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", getenv("KAFKA_BOOTSTRAP_SERVERS"));
  set(conf, "socket.nagle.disable", "true");
  if (type == RD_KAFKA_PRODUCER) {
    set(conf, "acks", "all");
    set(conf, "enable.idempotence", "true");
    set(conf, "linger.ms", "0");
  } else {
    set(conf, "group.id", "bench-live-hops");
    set(conf, "enable.auto.commit", "false");
    set(conf, "enable.partition.eof", "true");
  }
  rd_kafka_t *made = rd_kafka_new(type, conf, error, sizeof error);
  if (!made) fail("client", error);
  if (type == RD_KAFKA_CONSUMER) rd_kafka_poll_set_consumer(made);
  return made;
}

static void assign(rd_kafka_t *consumer, const char *topic, int64_t offset) {
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, topic, 0)->offset = offset;
  if (rd_kafka_assign(consumer, list)) fail(topic, "assign");
  rd_kafka_topic_partition_list_destroy(list);
}

static char names[16][64];
static int hops;
static long total;
static double *latencies;
static volatile int ready;

static void create(rd_kafka_t *client, rd_kafka_NewTopic_t **topics, int count) {
  rd_kafka_queue_t *queue = rd_kafka_queue_new(client);
  rd_kafka_CreateTopics(client, topics, count, NULL, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll(queue, 30000);
  if (!event || rd_kafka_event_error(event)) fail("topics", event ? rd_kafka_event_error_string(event) : "no answer");
  size_t results;
  const rd_kafka_topic_result_t **result = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &results);
  for (size_t i = 0; i < results; i++)
    if (rd_kafka_topic_result_error(result[i])) fail(rd_kafka_topic_result_name(result[i]), rd_kafka_topic_result_error_string(result[i]));
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
}

static void make_topics(void) {
  rd_kafka_t *p = client(RD_KAFKA_PRODUCER);
  rd_kafka_NewTopic_t *topics[16];
  for (int i = 0; i < hops; i++) {
    snprintf(names[i], sizeof names[i], "bench-live-hop-%d-%d", (int)getpid(), i);
    topics[i] = rd_kafka_NewTopic_new(names[i], 1, 1, error, sizeof error);
  }
  create(p, topics, hops);
}

// An entry for each of the topics that run_topics makes.
static void write_to_each(rd_kafka_t *p, int count) {
  char payload[200] = {0}, name[64];
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "bench-live-topic-%d-%d", (int)getpid(), i);
    while (rd_kafka_producev(p, RD_KAFKA_V_TOPIC(name), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_VALUE(payload, sizeof payload), RD_KAFKA_V_END))
      rd_kafka_poll(p, 1);
    rd_kafka_poll(p, 0);
  }
  if (rd_kafka_flush(p, 300000)) fail("topics", "not all entries were written");
}

enum { MADE_AT_ONCE = 500 };

// Makes topics, and writes an entry to each, twice.
static int run_topics(int count, int own) {
  rd_kafka_t *p = client(RD_KAFKA_PRODUCER);
  rd_kafka_NewTopic_t *topics[MADE_AT_ONCE];
  char name[64];
  double began = now();
  for (int first = 0; first < count; first += MADE_AT_ONCE) {
    int part = count - first < MADE_AT_ONCE ? count - first : MADE_AT_ONCE;
    for (int i = 0; i < part; i++) {
      snprintf(name, sizeof name, "bench-live-topic-%d-%d", (int)getpid(), first + i);
      topics[i] = rd_kafka_NewTopic_new(name, 1, 1, error, sizeof error);
      if (own) rd_kafka_NewTopic_set_config(topics[i], "retention.ms", "86400000");
    }
    create(p, topics, part);
    for (int i = 0; i < part; i++) rd_kafka_NewTopic_destroy(topics[i]);
  }
  double made = now();
  write_to_each(p, count);
  double written = now();
  write_to_each(p, count);
  printf("{\"topics\": %d, \"making\": %.2f, \"writingFirst\": %.2f, \"writingAgain\": %.2f}\n", count, made - began,
         written - made, now() - written);
  return 0;
}

static void *stage(void *argument) {
  int n = (int)(intptr_t)argument;
  rd_kafka_t *consumer = client(RD_KAFKA_CONSUMER), *out = NULL;
  rd_kafka_topic_t *topic = NULL;
  assign(consumer, names[n], 0);
  if (n + 1 < hops) {
    out = client(RD_KAFKA_PRODUCER);
    topic = rd_kafka_topic_new(out, names[n + 1], NULL);
  }
  for (long seen = 0, is_ready = 0; seen < total;) {
    rd_kafka_message_t *m = rd_kafka_consumer_poll(consumer, 100);
    if (out) rd_kafka_poll(out, 0);
    if (!m) continue;
    if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF && !is_ready) {
      is_ready = 1;
      __sync_fetch_and_add(&ready, 1);
    } else if (!m->err) {
      if (out) {
        while (rd_kafka_produce(topic, 0, RD_KAFKA_MSG_F_COPY, m->payload, m->len, NULL, 0, NULL)) rd_kafka_poll(out, 1);
      } else {
        double sent;
        memcpy(&sent, m->payload, 8);
        latencies[seen] = now() - sent;
      }
      seen++;
    }
    rd_kafka_message_destroy(m);
  }
  if (out) rd_kafka_flush(out, 5000);
  return NULL;
}

static int order(const void *a, const void *b) {
  double x = *(double *)a, y = *(double *)b;
  return (x > y) - (x < y);
}

static int run_hops(int count, double rate, double seconds) {
  hops = count;
  total = (long)(rate * seconds);
  latencies = malloc(sizeof(double) * total);
  make_topics();
  pthread_t threads[16];
  for (int i = 0; i < hops; i++) pthread_create(&threads[i], NULL, stage, (void *)(intptr_t)i);
  while (ready < hops) usleep(1000);
  rd_kafka_t *p = client(RD_KAFKA_PRODUCER);
  rd_kafka_topic_t *topic = rd_kafka_topic_new(p, names[0], NULL);
  char payload[200] = {0};
  double start = now() + 0.5;
  for (long i = 0; i < total; i++) {
    double due = start + i / rate, wait = due - now();
    if (wait > 0) nanosleep(&(struct timespec){(time_t)wait, (long)((wait - (long)wait) * 1e9)}, NULL);
    memcpy(payload, &due, 8);
    rd_kafka_produce(topic, 0, RD_KAFKA_MSG_F_COPY, payload, sizeof payload, NULL, 0, NULL);
    rd_kafka_poll(p, 0);
  }
  rd_kafka_flush(p, 10000);
  for (int i = 0; i < hops; i++) pthread_join(threads[i], NULL);
  qsort(latencies, total, sizeof(double), order);
  printf("{\"hops\": %d, \"rate\": %.0f, \"p50\": %.2f, \"p99\": %.2f}\n", hops, rate, latencies[total / 2] * 1e3,
         latencies[(long)(total * 0.99)] * 1e3);
  return 0;
}

static int consume(const char *topic) {
  double began = now(), first = 0;
  rd_kafka_t *consumer = client(RD_KAFKA_CONSUMER);
  assign(consumer, topic, 0);
  long entries = 0, bytes = 0;
  for (int ended = 0; !ended;) {
    rd_kafka_message_t *m = rd_kafka_consumer_poll(consumer, 1000);
    if (!m) continue;
    if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) ended = 1;
    else if (m->err) fail(topic, rd_kafka_message_errstr(m));
    else {
      if (!entries++) first = now();
      bytes += m->len;
    }
    rd_kafka_message_destroy(m);
  }
  double end = now();
  printf("{\"entries\": %ld, \"bytes\": %ld, \"fetching\": %.4f, \"seconds\": %.4f}\n", entries, bytes, end - first, end - began);
  return 0;
}

int main(int count, char **words) {
  if (count == 5 && !strcmp(words[1], "hops")) return run_hops(atoi(words[2]), atof(words[3]), atof(words[4]));
  if (count == 3 && !strcmp(words[1], "consume")) return consume(words[2]);
  if ((count == 3 || count == 4) && !strcmp(words[1], "topics")) return run_topics(atoi(words[2]), count == 4);
  fprintf(stderr, "usage: hops hops COUNT RATE SECONDS | hops consume TOPIC | hops topics COUNT [OWN]\n");
  return 64;
}
