#define _GNU_SOURCE
#include "CHTTPLoop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// ---- Measuring

int64_t chttp_now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t chttp_processor_nanoseconds(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t chttp_resident_bytes(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    if (file != NULL) fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

int64_t chttp_raise_descriptors(int64_t wanted) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if ((int64_t)limit.rlim_cur < wanted) {
        limit.rlim_cur = (rlim_t)wanted < limit.rlim_max ? (rlim_t)wanted : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return (int64_t)limit.rlim_cur;
}

// ---- The server

struct chttp_server {
    struct MHD_Daemon *daemon;
};

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **request) {
    static int seen;
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload;
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(5, "hello", MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "text/plain");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

struct chttp_server *chttp_server_start(unsigned int workers, unsigned int memory_per_connection, int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct chttp_server *server = calloc(1, sizeof *server);
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        &answer, NULL, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_THREAD_POOL_SIZE, workers,
        MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)memory_per_connection, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (server->daemon == NULL) {
        free(server);
        return NULL;
    }
    *port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return server;
}

void chttp_server_stop(struct chttp_server *server) {
    MHD_stop_daemon(server->daemon);
    free(server);
}

// ---- The clients

struct client {
    int socket;
    /// Bytes of the answer that are still to come; -1 before its head is complete.
    long left;
    size_t filled;
    char head[1024];
};

static int open_client(struct client *client, int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->socket < 0 || connect(client->socket, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "could not connect to port %d: %s\n", port, strerror(errno));
        return -1;
    }
    setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(client->socket, F_SETFL, O_NONBLOCK);
    return 0;
}

static int ask(struct client *client, const char *request, size_t size) {
    client->left = -1;
    client->filled = 0;
    if (send(client->socket, request, size, MSG_NOSIGNAL) == (ssize_t)size) return 0;
    fprintf(stderr, "could not send: %s\n", strerror(errno));
    return -1;
}

/// 1 when the answer is complete, 0 when more is to come, -1 when it is wrong.
static int take(struct client *client) {
    ssize_t count = recv(
        client->socket, client->head + client->filled, sizeof client->head - 1 - client->filled, 0);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) {
        fprintf(stderr, "the connection ended: %s\n", count < 0 ? strerror(errno) : "closed");
        return -1;
    }
    client->filled += (size_t)count;
    client->head[client->filled] = 0;
    if (client->left < 0) {
        char *end = strstr(client->head, "\r\n\r\n");
        char *length = strcasestr(client->head, "content-length:");
        if (end == NULL) return 0;
        if (length == NULL || strncmp(client->head, "HTTP/1.1 200", 12) != 0) {
            fprintf(stderr, "not the answer: %.60s\n", client->head);
            return -1;
        }
        client->left = strtol(length + 15, NULL, 10) + (end + 4 - client->head);
    }
    return client->filled >= (size_t)client->left;
}

static size_t write_request(char *request, size_t capacity, const char *path) {
    return (size_t)snprintf(
        request, capacity, "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: loop\r\nAccept: */*\r\n\r\n", path);
}

static void watch(int poll, struct client *client) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    epoll_ctl(poll, EPOLL_CTL_ADD, client->socket, &event);
}

int64_t chttp_load(int port, const char *path, int connections, double seconds) {
    char request[256];
    size_t size = write_request(request, sizeof request, path);
    struct client *clients = calloc((size_t)connections, sizeof *clients);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    int64_t answers = 0;
    for (int index = 0; index < connections; index++) {
        if (open_client(&clients[index], port) != 0) return -1;
        watch(poll, &clients[index]);
        if (ask(&clients[index], request, size) != 0) return -1;
    }
    int64_t end = chttp_now_nanoseconds() + (int64_t)(seconds * 1e9);
    while (chttp_now_nanoseconds() < end) {
        struct epoll_event events[64];
        int count = epoll_wait(poll, events, 64, 100);
        for (int index = 0; index < count; index++) {
            struct client *client = events[index].data.ptr;
            int taken = take(client);
            if (taken < 0) return -1;
            if (taken == 0) continue;
            answers += 1;
            if (ask(client, request, size) != 0) return -1;
        }
    }
    for (int index = 0; index < connections; index++) close(clients[index].socket);
    close(poll);
    free(clients);
    return answers;
}

static void report(const char *step, int64_t first, int64_t last) {
    printf("%s %lld %lld\n", step, (long long)first, (long long)last);
    fflush(stdout);
}

static int take_all(int poll, int count) {
    int64_t first = 0;
    int done = 0;
    while (done < count) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 30000);
        if (ready <= 0) {
            fprintf(stderr, "%d of %d answers did not come\n", count - done, count);
            return -1;
        }
        if (first == 0) first = chttp_now_nanoseconds();
        for (int index = 0; index < ready; index++) {
            int taken = take(events[index].data.ptr);
            if (taken < 0) return -1;
            done += taken;
        }
    }
    report("wait", first, chttp_now_nanoseconds());
    return 0;
}

int chttp_hold(int port, const char *path, int count) {
    char request[256], line[64];
    size_t size = write_request(request, sizeof request, path);
    struct client *clients = calloc((size_t)count, sizeof *clients);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    int open = 0;
    int64_t first = chttp_now_nanoseconds();
    for (; open < count; open++) {
        if (open_client(&clients[open], port) != 0) return 1;
        watch(poll, &clients[open]);
        if (ask(&clients[open], request, size) != 0) return 1;
    }
    report("open", first, chttp_now_nanoseconds());
    while (fgets(line, sizeof line, stdin) != NULL) {
        first = chttp_now_nanoseconds();
        if (strncmp(line, "wait", 4) == 0) {
            if (take_all(poll, open) != 0) return 1;
        } else if (strncmp(line, "ask", 3) == 0) {
            for (int index = 0; index < open; index++)
                if (ask(&clients[index], request, size) != 0) return 1;
            report("ask", first, chttp_now_nanoseconds());
        } else if (strncmp(line, "leave", 5) == 0) {
            for (int left = atoi(line + 5); left > 0 && open > 0; left--) close(clients[--open].socket);
            report("leave", first, chttp_now_nanoseconds());
        } else {
            break;
        }
    }
    return 0;
}
