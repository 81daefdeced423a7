// Preloaded into a process, records in one order its operations on the files of a folder: writes, truncations, renames
// and removals, and the synchronised ranges. `power.py` makes the files that a power cut would have left from it.
//
// DISK_FOLDER  the folder;  DISK_TRACE  the file that is appended to
//
// Each entry: operation (1 byte), identity of the file (8), offset or size (8), length of the data (4), data. A path is
// data.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, RESIZE, SYNC, RENAME, UNLINK, MKDIR, SYNC_FOLDER };

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static char folder[4096];
static size_t folder_length;

// Resolved lazily: other libraries' constructors may come before this one's.
#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DISK_TRACE"), *root = getenv("DISK_FOLDER");
    if (!path || !root || !realpath(root, folder)) return;
    folder_length = strlen(folder);
    trace = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(uint8_t operation, uint64_t file, uint64_t offset, const void *data, uint32_t length) {
    uint8_t head[21];
    head[0] = operation;
    memcpy(head + 1, &file, 8);
    memcpy(head + 9, &offset, 8);
    memcpy(head + 17, &length, 4);
    struct iovec parts[2] = {{head, sizeof head}, {(void *)data, length}};
    if (REAL(writev)(trace, parts, 2) != (ssize_t)(sizeof head + length)) abort();
}

// The file's identity, 0 for files outside of the folder.
static uint64_t identity(int descriptor, int *is_folder) {
    char link[64], path[4096];
    struct stat status;
    if (trace < 0 || fstat(descriptor, &status) != 0) return 0;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < (ssize_t)folder_length || memcmp(path, folder, folder_length) != 0) return 0;
    if (is_folder) *is_folder = S_ISDIR(status.st_mode);
    return status.st_ino;
}

static int is_inside(const char *path, char *whole) {
    if (trace < 0) return 0;
    if (path[0] == '/') {
        snprintf(whole, 4096, "%s", path);
    } else {
        char here[2048];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(whole, 4096, "%s/%s", here, path);
    }
    return strncmp(whole, folder, folder_length) == 0;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    char whole[4096];
    if (!(flags & (O_CREAT | O_TRUNC)) || !is_inside(path, whole)) return real(path, flags, mode);
    pthread_mutex_lock(&order);
    int was_there = access(whole, F_OK) == 0;
    int descriptor = real(path, flags, mode), code = errno;
    if (descriptor >= 0) {
        uint64_t file = identity(descriptor, NULL);
        if (file && !was_there) note(CREATE, file, 0, whole + folder_length, strlen(whole) - folder_length);
        if (file && was_there && (flags & O_TRUNC)) note(RESIZE, file, 0, NULL, 0);
    }
    pthread_mutex_unlock(&order);
    errno = code;
    return descriptor;
}

#define OPEN(name)                                                  \
    int name(const char *path, int flags, ...) {                    \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;   \
        va_end(rest);                                               \
        return opened(REAL(name), path, flags, mode);               \
    }
OPEN(open)
OPEN(open64)

static int made(int descriptor, const char *path) {
    char whole[4096];
    uint64_t file = descriptor < 0 || !is_inside(path, whole) ? 0 : identity(descriptor, NULL);
    if (file) note(CREATE, file, 0, whole + folder_length, strlen(whole) - folder_length);
    return descriptor;
}

int mkostemp(char *path, int flags) {
    pthread_mutex_lock(&order);
    int descriptor = made(REAL(mkostemp)(path, flags), path);
    pthread_mutex_unlock(&order);
    return descriptor;
}

int mkostemp64(char *path, int flags) {
    pthread_mutex_lock(&order);
    int descriptor = made(REAL(mkostemp64)(path, flags), path);
    pthread_mutex_unlock(&order);
    return descriptor;
}

static ssize_t written(int descriptor, off64_t offset, const void *data, ssize_t count) {
    if (count > 0) {
        uint64_t file = identity(descriptor, NULL);
        if (file) note(WRITE, file, offset, data, count);
    }
    return count;
}

ssize_t write(int descriptor, const void *data, size_t count) {
    uint64_t file = trace >= 0 && descriptor > 2 ? identity(descriptor, NULL) : 0;
    if (!file) return REAL(write)(descriptor, data, count);
    pthread_mutex_lock(&order);
    int flags = fcntl(descriptor, F_GETFL);
    off64_t offset = lseek64(descriptor, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t done = written(descriptor, offset, data, REAL(write)(descriptor, data, count));
    pthread_mutex_unlock(&order);
    return done;
}

#define PWRITE(name, type)                                                                              \
    ssize_t name(int descriptor, const void *data, size_t count, type offset) {                         \
        if (trace < 0) return REAL(name)(descriptor, data, count, offset);                              \
        pthread_mutex_lock(&order);                                                                     \
        ssize_t done = written(descriptor, offset, data, REAL(name)(descriptor, data, count, offset));  \
        pthread_mutex_unlock(&order);                                                                   \
        return done;                                                                                    \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

// Other ways to write files of the folder would go unseen.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (identity(descriptor, NULL)) abort();
    return REAL(writev)(descriptor, parts, count);
}

#define TRUNCATE(name, type)                                                    \
    int name(int descriptor, type size) {                                       \
        if (trace < 0) return REAL(name)(descriptor, size);                     \
        pthread_mutex_lock(&order);                                             \
        int result = REAL(name)(descriptor, size);                              \
        uint64_t file = identity(descriptor, NULL);                             \
        if (result == 0 && file) note(RESIZE, file, size, NULL, 0);             \
        pthread_mutex_unlock(&order);                                           \
        return result;                                                          \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

// Writes from before its start are safe at its end.
static int synchronised(int (*real)(int), int descriptor) {
    if (trace < 0) return real(descriptor);
    pthread_mutex_lock(&order);
    int is_folder = 0;
    uint64_t file = identity(descriptor, &is_folder);
    // The disk itself is spared: nobody cuts its power.
    int result = file ? 0 : real(descriptor);
    if (file && !is_folder) note(SYNC, file, 0, NULL, 0);
    if (file && is_folder) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path);
        note(SYNC_FOLDER, file, 0, path + folder_length, length - folder_length);
    }
    pthread_mutex_unlock(&order);
    return result;
}
int fsync(int descriptor) { return synchronised(REAL(fsync), descriptor); }
int fdatasync(int descriptor) { return synchronised(REAL(fdatasync), descriptor); }

int rename(const char *from, const char *to) {
    char first[4096], second[4096], both[8200];
    if (!is_inside(from, first) || !is_inside(to, second)) return REAL(rename)(from, to);
    pthread_mutex_lock(&order);
    int result = REAL(rename)(from, to);
    if (result == 0) {
        int length = snprintf(both, sizeof both, "%s\n%s", first + folder_length, second + folder_length);
        note(RENAME, 0, 0, both, length);
    }
    pthread_mutex_unlock(&order);
    return result;
}

static int named(uint8_t operation, const char *path, int result) {
    char whole[4096];
    if (result == 0 && is_inside(path, whole)) note(operation, 0, 0, whole + folder_length, strlen(whole) - folder_length);
    return result;
}

int unlink(const char *path) {
    pthread_mutex_lock(&order);
    int result = named(UNLINK, path, REAL(unlink)(path));
    pthread_mutex_unlock(&order);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    pthread_mutex_lock(&order);
    int result = named(MKDIR, path, REAL(mkdir)(path, mode));
    pthread_mutex_unlock(&order);
    return result;
}
