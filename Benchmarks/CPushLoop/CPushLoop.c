#include "CPushLoop.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    unsigned char body[4096];
};

struct bodies {
    cpush_make make;
    const void *context;
};

static size_t drop(char *bytes, size_t size, size_t count, void *context) { return size * count; }

static void begin(
    CURLM *multi, struct transfer *transfer, const char *url, const char *const *headers, int header_count, int number,
    struct bodies bodies) {
    char text[512];
    if (bodies.make != NULL) {
        int bytes = bodies.make(transfer->body, sizeof transfer->body, bodies.context);
        curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE, (long)bytes);
        curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, transfer->body);
    }
    snprintf(text, sizeof text, "%s%d", url, number);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, text);
    curl_slist_free_all(transfer->headers);
    transfer->headers = curl_slist_append(NULL, "Expect:");
    for (int index = 0; index < header_count; index++)
        transfer->headers = curl_slist_append(transfer->headers, headers[index]);
    snprintf(text, sizeof text, "apns-id: %d", number);
    transfer->headers = curl_slist_append(transfer->headers, text);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    curl_multi_add_handle(multi, transfer->easy);
}

int64_t cpush_send(
    const char *url, const char *ca_file, int count, int window, const char *const *headers, int header_count,
    const void *body, int body_bytes, cpush_make make, const void *context) {
    struct bodies bodies = {make, context};
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)window);
    struct transfer *transfers = calloc((size_t)window, sizeof *transfers);
    for (int index = 0; index < window; index++) {
        CURL *easy = transfers[index].easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
        curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)body_bytes);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[index]);
    }
    int64_t answered = 0;
    int sent = 0, done = 0, running = 0;
    begin(multi, &transfers[0], url, headers, header_count, sent++, bodies);
    while (done < count) {
        curl_multi_perform(multi, &running);
        int left;
        struct CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            struct transfer *transfer;
            long status = 0;
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_multi_remove_handle(multi, easy);
            if (code != CURLE_OK) {
                fprintf(stderr, "%s\n", curl_easy_strerror(code));
                return -1;
            }
            if (status == 200) answered++;
            done++;
            if (sent < count) begin(multi, transfer, url, headers, header_count, sent++, bodies);
            for (int index = 1; done == 1 && index < window && sent < count; index++)
                begin(multi, &transfers[index], url, headers, header_count, sent++, bodies);
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int index = 0; index < window; index++) {
        curl_easy_cleanup(transfers[index].easy);
        curl_slist_free_all(transfers[index].headers);
    }
    free(transfers);
    curl_multi_cleanup(multi);
    return answered;
}

int64_t cpush_processor_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int64_t cpush_now_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
