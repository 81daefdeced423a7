#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

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
