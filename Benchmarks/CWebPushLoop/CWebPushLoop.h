#pragma once
#include <stddef.h>

// The work of `WebPushEncryption` as a C program does it with OpenSSL: the same algorithms, fetched once, and the same
// message.

// Encrypts `content` `count` times for a subscription, each time with a new key and a new salt, and reads the
// subscription's key each time. Returns the seconds of the thread's processor time, or a negative number.
double cwebpush_encrypt(
    const unsigned char point[65], const unsigned char secret[16], const unsigned char *content, size_t bytes,
    size_t count);

// A subscription, and the content of its messages.
struct cwebpush_message {
    const unsigned char *point;
    const unsigned char *secret;
    const unsigned char *content;
    size_t bytes;
};

// Writes the message of a `cwebpush_message`, as `cpush_make` of CPushLoop: returns its bytes, or 0.
int cwebpush_make(unsigned char *message, int capacity, const void *context);
