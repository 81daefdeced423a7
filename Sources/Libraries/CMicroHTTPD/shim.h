#pragma once
#include <microhttpd.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// Starting a daemon and asking a connection for what it knows are variadic, which Swift cannot call.

struct microhttpd_callbacks {
    void *context;
    MHD_AccessHandlerCallback answer;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_LogCallback log;
};

struct microhttpd_limits {
    unsigned int connections;
    unsigned int idle_seconds;
    size_t connection_memory_bytes;
};

/// Leaves targets as they came: the library's own decoding turns %2f into a slash and cuts at %00.
static size_t microhttpd_unescape_nothing(void *context, struct MHD_Connection *connection, char *target) {
    (void)context;
    (void)connection;
    return strlen(target);
}

/// A daemon of one thread that is handed its connections. `certificate` and `key` are PEM text, both null without TLS;
/// they must live as long as the daemon.
static inline struct MHD_Daemon *microhttpd_start(
    const struct microhttpd_callbacks *callbacks, const struct microhttpd_limits *limits, const char *certificate,
    const char *key) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG |
                         MHD_USE_NO_LISTEN_SOCKET;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t) "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem *tls_options = tls;
    if (certificate == NULL) {
        tls_options = &tls[3];
    } else {
        flags |= MHD_USE_TLS;
    }
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks->answer, callbacks->context,
        MHD_OPTION_EXTERNAL_LOGGER, callbacks->log, callbacks->context,
        MHD_OPTION_CONNECTION_LIMIT, limits->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits->connection_memory_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, (int)1,
        MHD_OPTION_UNESCAPE_CALLBACK, &microhttpd_unescape_nothing, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->request_line, callbacks->context,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
        MHD_OPTION_ARRAY, tls_options,
        MHD_OPTION_END);
}

/// What `NOTIFY_CONNECTION` stored for the connection.
static inline void *microhttpd_socket_context(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static inline int microhttpd_descriptor(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/// Bytes from the method to the end of the empty line, once all headers are there; 0 before.
static inline size_t microhttpd_head_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// Whether the library refuses lines of a head that can be read in two ways, which it does from 1.0 on for strict clients
/// (`get_req_header` in its connection.c). The library that is loaded decides, not the header of the build.
static inline int microhttpd_refuses_ambiguous_lines(void) { return atoi(MHD_get_version()) >= 1; }

static inline const struct sockaddr *microhttpd_client_address(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

static inline uint64_t microhttpd_size_unknown(void) { return MHD_SIZE_UNKNOWN; }
static inline ssize_t microhttpd_stream_end(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t microhttpd_stream_failure(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }

// <sys/epoll.h> is not reachable from Swift, and its event structure is packed.

static inline int microhttpd_poll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int microhttpd_wake_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Watches `descriptor` for bytes or connections to read until it is removed.
static inline int microhttpd_poll_readable(int poll, int descriptor, uint64_t identity) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = identity}};
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

/// Reports once that the other end of `descriptor` is gone; calling it again arms it again.
static inline int microhttpd_poll_hang_up(int poll, int descriptor, uint64_t identity) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data = {.u64 = identity}};
    if (epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int microhttpd_poll_remove(int poll, int descriptor) {
    return epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, NULL);
}

/// Writes the identities of ready descriptors to `identities` and returns their number, or -1 with `errno`.
static inline int microhttpd_poll_wait(int poll, uint64_t *identities, int capacity, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(poll, events, capacity < 256 ? capacity : 256, milliseconds);
    for (int index = 0; index < count; index++) identities[index] = events[index].data.u64;
    return count;
}

// Sockets. The constants of <sys/socket.h> are enumerations that some builds see in the module of Glibc and others in
// this one, so they stay in C.

/// Asks for the addresses of a host to listen on; the result as `getaddrinfo` has it.
static inline int microhttpd_resolve(const char *host, const char *port, struct addrinfo **addresses) {
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    return getaddrinfo(host, port, &hints, addresses);
}

/// A listening socket, or -1 with `errno`.
static inline int microhttpd_listen(const struct addrinfo *address) {
    int on = 1, code;
    int listener = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, address->ai_addr, address->ai_addrlen) == 0 && listen(listener, SOMAXCONN) == 0) return listener;
    code = errno;
    close(listener);
    errno = code;
    return -1;
}

static inline int microhttpd_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Ends a connection both ways.
static inline void microhttpd_shut_down(int connection) { shutdown(connection, SHUT_RDWR); }

/// Sends what the kernel takes at once.
static inline void microhttpd_send_now(int connection, const void *bytes, size_t count) {
    (void)!send(connection, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Receives and drops available bytes: returns their number, 0 at the end, -1 with `errno`.
static inline ssize_t microhttpd_receive_nothing(int connection) {
    char waste[16384];
    return recv(connection, waste, sizeof waste, MSG_DONTWAIT);
}

/// Whether the client has ended its side and nothing of it is left to receive.
static inline int microhttpd_has_ended(int connection) {
    char byte;
    return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static inline void microhttpd_limit_send_buffer(int connection, int bytes) {
    setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

/// Makes closing drop unsent bytes, with a reset for the other end.
static inline void microhttpd_reset_on_close(int connection) {
    struct linger option = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, sizeof option);
}

/// Fills the six X at the end of `path` so that no file of that name was there, and creates it.
static inline int microhttpd_create_temporary(char *path) { return mkostemp(path, O_CLOEXEC); }

static inline int microhttpd_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }
