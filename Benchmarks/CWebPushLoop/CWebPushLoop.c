#include "CWebPushLoop.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <string.h>
#include <time.h>

static EVP_KDF *hkdf;
static EVP_CIPHER *gcm;

static EVP_PKEY *read_point(const unsigned char *point) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

static int derive(
    const unsigned char *key, size_t key_bytes, const unsigned char *salt, const void *info, size_t info_bytes,
    unsigned char *derived, size_t bytes) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_bytes),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, 16),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_bytes),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(hkdf);
    int done = EVP_KDF_derive(context, derived, bytes, parameters);
    EVP_KDF_CTX_free(context);
    return done == 1;
}

// Writes a message of 103 bytes more than the content; 1, or 0.
static int encrypt(
    const unsigned char *point, const unsigned char *secret, const unsigned char *content, size_t bytes,
    unsigned char *message) {
    unsigned char shared[32], material[32], key[16], nonce[12], info[14 + 65 + 65];
    size_t count = sizeof shared;
    int written = 0, more = 0, rest = 0;
    EVP_PKEY *receiver = read_point(point), *sender = EVP_EC_gen("P-256");
    if (receiver == NULL || sender == NULL || RAND_bytes(message, 16) != 1) return 0;
    memcpy(message + 16, "\0\0\20\0\101", 5);
    EVP_PKEY_CTX *agreement = EVP_PKEY_CTX_new(sender, NULL);
    int done = EVP_PKEY_get_octet_string_param(sender, OSSL_PKEY_PARAM_PUB_KEY, message + 21, 65, NULL) == 1 &&
               EVP_PKEY_derive_init(agreement) == 1 && EVP_PKEY_derive_set_peer_ex(agreement, receiver, 0) == 1 &&
               EVP_PKEY_derive(agreement, shared, &count) == 1;
    EVP_PKEY_CTX_free(agreement);
    EVP_PKEY_free(receiver);
    EVP_PKEY_free(sender);
    memcpy(info, "WebPush: info", 14);
    memcpy(info + 14, point, 65);
    memcpy(info + 79, message + 21, 65);
    done = done && derive(shared, 32, secret, info, sizeof info, material, 32) &&
           derive(material, 32, message, "Content-Encoding: aes128gcm", 28, key, 16) &&
           derive(material, 32, message, "Content-Encoding: nonce", 24, nonce, 12);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const unsigned char end = 2;
    done = done && EVP_EncryptInit_ex2(context, gcm, key, nonce, NULL) == 1 &&
           EVP_EncryptUpdate(context, message + 86, &written, content, (int)bytes) == 1 &&
           EVP_EncryptUpdate(context, message + 86 + written, &more, &end, 1) == 1 &&
           EVP_EncryptFinal_ex(context, message + 86 + written + more, &rest) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, message + 87 + bytes) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

static void fetch(void) {
    if (hkdf == NULL) hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    if (gcm == NULL) gcm = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
}

int cwebpush_make(unsigned char *message, int capacity, const void *context) {
    const struct cwebpush_message *made = context;
    fetch();
    if (made->bytes + 103 > (size_t)capacity) return 0;
    if (!encrypt(made->point, made->secret, made->content, made->bytes, message)) return 0;
    return (int)made->bytes + 103;
}

double cwebpush_encrypt(
    const unsigned char point[65], const unsigned char secret[16], const unsigned char *content, size_t bytes,
    size_t count) {
    unsigned char message[4096];
    if (bytes + 103 > sizeof message) return -1;
    fetch();
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (size_t number = 0; number < count; number++)
        if (!encrypt(point, secret, content, bytes, message)) return -1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}
