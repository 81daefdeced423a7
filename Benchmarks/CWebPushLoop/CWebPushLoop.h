#pragma once
#include <stddef.h>

// The work of `WebPushEncryption` as a C program does it with OpenSSL: the same algorithms, fetched once, and the same
// message.

// Encrypts `content` `count` times for a subscription, each time with a new key and a new salt, and reads the
// subscription's key each time. Returns the seconds of the thread's processor time, or a negative number.
double cwebpush_encrypt(
    const unsigned char point[65], const unsigned char secret[16], const unsigned char *content, size_t bytes,
    size_t count);
