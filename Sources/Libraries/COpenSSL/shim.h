#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <string.h>

/// A context that has taken in the key and waits for a message, or NULL; freed by EVP_MAC_CTX_free.
static inline EVP_MAC_CTX *COpenSSL_HMACSHA256(const unsigned char *key, size_t keyBytes) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    // The context keeps what it needs of it.
    EVP_MAC_free(mac);
    if (context != NULL && EVP_MAC_init(context, key, keyBytes, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

/// A new P-256 key, or NULL; freed by EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_makeP256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }

/// Whether a key is one of the curve P-256.
static inline int COpenSSL_isP256(const EVP_PKEY *key) {
    char name[32];
    size_t bytes = 0;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, name, sizeof name, &bytes) == 1 &&
           bytes == strlen("prime256v1") && memcmp(name, "prime256v1", bytes) == 0;
}

/// Refuses every password that a PEM asks for, instead of asking the terminal.
static inline int COpenSSL_noPassword(char *buffer, int bytes, int isWriting, void *context) { return -1; }

/// The key of a PEM text, or NULL; freed by EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_readKey(const void *pem, int bytes, int isPrivate) {
    BIO *input = BIO_new_mem_buf(pem, bytes);
    if (input == NULL) return NULL;
    EVP_PKEY *key = isPrivate ? PEM_read_bio_PrivateKey(input, NULL, COpenSSL_noPassword, NULL)
                              : PEM_read_bio_PUBKEY(input, NULL, COpenSSL_noPassword, NULL);
    BIO_free(input);
    return key;
}

/// Writes the key as PEM into the buffer; how many bytes, or -1.
static inline int COpenSSL_writeKey(EVP_PKEY *key, void *buffer, int capacity, int isPrivate) {
    BIO *output = BIO_new(BIO_s_mem());
    if (output == NULL) return -1;
    int written = isPrivate ? PEM_write_bio_PrivateKey(output, key, NULL, NULL, 0, NULL, NULL)
                            : PEM_write_bio_PUBKEY(output, key);
    int bytes = written == 1 && BIO_pending(output) <= capacity ? BIO_read(output, buffer, capacity) : -1;
    BIO_free(output);
    return bytes;
}
