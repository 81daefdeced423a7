#pragma once
#include <curl/curl.h>

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Linux's POLLRDHUP, which <poll.h> has for GNU's C only.
#define CURL_POLLRDHUP 0x2000

// Setting an option and asking for information are variadic, which Swift cannot call.

static inline CURLcode curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

/// Appends the field `name: value`, or `name;` without a value, to the list that ends with `last`; null begins a list.
/// Returns the new end, null without memory. `curl_slist_append` would walk the list and copy a text that is made for it.
/// `curl_slist_free_all` frees both parts, as libcurl uses malloc.
static inline struct curl_slist *curl_append_field(
    struct curl_slist *last, const void *name, size_t name_bytes, const void *value, size_t value_bytes) {
    struct curl_slist *field = (struct curl_slist *)malloc(sizeof *field);
    char *text = (char *)malloc(name_bytes + value_bytes + 3);
    if (field == NULL || text == NULL) {
        free(field);
        free(text);
        return NULL;
    }
    memcpy(text, name, name_bytes);
    size_t end = name_bytes;
    text[end++] = value_bytes > 0 ? ':' : ';';
    if (value_bytes > 0) {
        text[end++] = ' ';
        memcpy(text + end, value, value_bytes);
        end += value_bytes;
    }
    text[end] = 0;
    field->data = text;
    field->next = NULL;
    if (last != NULL) last->next = field;
    return field;
}

/// `body` and `header` receive, `read` and `seek` send; each gets `context`.
static inline void curl_set_callbacks(
    CURL *easy, void *context, curl_write_callback body, curl_write_callback header, curl_read_callback read,
    curl_seek_callback seek) {
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
}

static inline void *curl_get_private(CURL *easy) {
    char *context = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
    return context;
}

static inline long curl_get_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

/// Whether a connection was made, so that the request may have reached the server.
static inline int curl_get_was_connected(CURL *easy) {
    curl_off_t microseconds = 0;
    curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
    return microseconds > 0;
}

static inline CURLMcode curl_set_multi(
    CURLM *multi, void *context, curl_socket_callback socket, curl_multi_timer_callback timer, long connections_kept) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections_kept);
}

/// The body of a request, which libcurl copies; its size is set before.
static inline CURLcode curl_set_copied_body(CURL *easy, const void *bytes) {
    return curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// `open` makes the socket of a connection and `request` is called before each request; each gets `context`.
static inline void curl_set_connection_callbacks(
    CURL *easy, void *context, curl_opensocket_callback open, curl_prereq_callback request) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

/// Whether each request on a connection that ended gets an error's text, and a refused one none. Some of 8.5 get none on a
/// connection that ended. The library that is loaded decides.
static inline int curl_reports_refusals(void) { return curl_version_info(CURLVERSION_NOW)->version_num < 0x080000; }

/// Each host gets one connection; without `streams` libcurl has a limit of 100.
static inline CURLMcode curl_set_multiplexing(CURLM *multi, long connections, long streams) {
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
    return curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
}

/// The socket for an address, closed when the program runs another; -1 without one.
static inline curl_socket_t curl_open_socket(struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Whether the other end has closed the connection of a socket.
static inline int curl_is_hung_up(int socket) {
    struct pollfd state = {.fd = socket, .events = CURL_POLLRDHUP};
    return poll(&state, 1, 0) > 0 && (state.revents & (CURL_POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/// The next transfer that is done, null when there is none; `code` says how it went.
static inline CURL *curl_next_done(CURLM *multi, CURLcode *code) {
    int left;
    struct CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// <sys/epoll.h> is not reachable from Swift, and its event structure is packed.

static inline int curl_poll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int curl_wake_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Watches a socket for what libcurl awaits (`CURL_POLL_…`), or no longer; `isKnown` when it is watched already.
static inline int curl_poll_set(int poll, int socket, int what, int isKnown) {
    struct epoll_event event = {.events = 0, .data = {.fd = socket}};
    if (what == CURL_POLL_REMOVE) return epoll_ctl(poll, EPOLL_CTL_DEL, socket, &event);
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    return epoll_ctl(poll, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
}

/// Writes the sockets that are ready and what they are ready for (`CURL_CSELECT_…`); returns their number or -1.
static inline int curl_poll_wait(int poll, int *sockets, int *readiness, int capacity, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(poll, events, capacity < 256 ? capacity : 256, milliseconds);
    for (int index = 0; index < count; index++) {
        sockets[index] = events[index].data.fd;
        readiness[index] = 0;
        if (events[index].events & EPOLLIN) readiness[index] |= CURL_CSELECT_IN;
        if (events[index].events & EPOLLOUT) readiness[index] |= CURL_CSELECT_OUT;
        if (events[index].events & (EPOLLERR | EPOLLHUP)) readiness[index] |= CURL_CSELECT_ERR;
    }
    return count;
}
