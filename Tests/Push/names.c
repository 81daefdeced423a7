// Preloaded into a program: resolves the names of a test, and leads connections to public addresses of 11.0.0.0/8 to a
// twin. PUSH_CHECK_NAMES is a file of lines:
//
//     name NAME ADDRESS[+ADDRESS…][,…]  the first look-up gives the addresses before the comma, and so on; the last ones are
//                                       repeated
//     hang NAME SECONDS                 each look-up takes that long and finds nothing
//     lead ADDRESS:PORT LOCALPORT       a connection to it goes to 127.0.0.1:LOCALPORT
//
// PUSH_CHECK_LOG gets a line `look-up NAME` or `connect ADDRESS PORT` for each call. No other address is changed; one of
// 11.0.0.0/8 that is led nowhere is refused, so that nothing leaves the machine.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { char name[256]; int count; } seen[4096];

static void note(const char *what, const char *where, int port) {
    const char *path = getenv("PUSH_CHECK_LOG");
    char line[512];
    if (!path) return;
    int length = snprintf(line, sizeof line, port < 0 ? "%s %s\n" : "%s %s %d\n", what, where, port);
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, line, length) < 0) abort();
    close(file);
}

// The number of earlier look-ups of a name.
static int earlier(const char *name) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4096; i++) {
        if (seen[i].name[0] && strcmp(seen[i].name, name)) continue;
        snprintf(seen[i].name, sizeof seen[i].name, "%s", name);
        found = seen[i].count++;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

// Copies the line's rest whose first two words are these; returns 0 without one.
static int rest_of(const char *kind, const char *key, char *rest, size_t size) {
    const char *path = getenv("PUSH_CHECK_NAMES");
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[4096], first[64], second[256], others[3072];
    int found = 0;
    if (!file) return 0;
    while (!found && fgets(line, sizeof line, file))
        if (sscanf(line, "%63s %255s %3071[^\n]", first, second, others) == 3 && !strcmp(first, kind) && !strcasecmp(second, key)) {
            snprintf(rest, size, "%s", others);
            found = 1;
        }
    fclose(file);
    return found;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    char addresses[3072];
    if (node && rest_of("hang", node, addresses, sizeof addresses)) {
        note("hang", node, -1);
        sleep((unsigned)atoi(addresses));
        return EAI_AGAIN;
    }
    if (!node || !rest_of("name", node, addresses, sizeof addresses)) return real(node, service, hints, result);
    note("look-up", node, -1);
    char *state = NULL, *address = strtok_r(addresses, ",", &state);
    for (int number = earlier(node); number > 0; number--) {
        char *next = strtok_r(NULL, ",", &state);
        if (!next) break;
        address = next;
    }
    struct addrinfo own = hints ? *hints : (struct addrinfo){0};
    own.ai_family = AF_UNSPEC;
    own.ai_flags |= AI_NUMERICHOST;
    struct addrinfo **end = result;
    char *others = NULL;
    int status = EAI_NONAME;
    for (char *one = strtok_r(address, "+", &others); one; one = strtok_r(NULL, "+", &others)) {
        // Each node is freed by itself.
        if ((status = real(one, service, &own, end))) return status;
        while (*end) end = &(*end)->ai_next;
    }
    return status;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
    int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
    char text[INET6_ADDRSTRLEN] = "", key[80], rest[64];
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)address;
        inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
        note("connect", text, ntohs(six->sin6_port));
    }
    if (address->sa_family != AF_INET) return real(socket, address, length);
    struct sockaddr_in four = *(const struct sockaddr_in *)address;
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    note("connect", text, ntohs(four.sin_port));
    if (ntohl(four.sin_addr.s_addr) >> 24 != 11) return real(socket, address, length);
    snprintf(key, sizeof key, "%s:%d", text, ntohs(four.sin_port));
    if (!rest_of("lead", key, rest, sizeof rest)) { errno = ECONNREFUSED; return -1; }
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    four.sin_port = htons((unsigned short)atoi(rest));
    return real(socket, (const struct sockaddr *)&four, sizeof four);
}
