#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
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

/// Writes the public point of a P-256 key, uncompressed, 65 bytes, whatever form the key was read in; 1, or 0.
static inline int COpenSSL_writePoint(const EVP_PKEY *key, unsigned char *point) {
    size_t bytes = 0;
    // A quarter of the cost of the coordinates, but the point may have the form that a file had.
    if (EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, 65, &bytes) == 1 && bytes == 65 &&
        point[0] == POINT_CONVERSION_UNCOMPRESSED)
        return 1;
    BIGNUM *x = NULL, *y = NULL;
    point[0] = POINT_CONVERSION_UNCOMPRESSED;
    int done = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1 &&
               EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1 &&
               BN_bn2binpad(x, point + 1, 32) == 32 && BN_bn2binpad(y, point + 33, 32) == 32;
    BN_free(x);
    BN_free(y);
    return done;
}

/// The public key of an uncompressed point, 65 bytes, or NULL if it is not on P-256; freed by EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_readPoint(const unsigned char *point) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/// Writes the secret of 32 bytes that two P-256 keys share (ECDH); 1, or 0. The other key is of COpenSSL_readPoint,
/// which has checked that its point is on the curve: P-256 has no smaller group that a second check would find.
static inline int COpenSSL_agree(EVP_PKEY *own, EVP_PKEY *other, unsigned char *secret) {
    size_t bytes = 32;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
    int done = context != NULL && EVP_PKEY_derive_init(context) == 1 &&
               EVP_PKEY_derive_set_peer_ex(context, other, 0) == 1 &&
               EVP_PKEY_derive(context, secret, &bytes) == 1 && bytes == 32;
    EVP_PKEY_CTX_free(context);
    return done;
}

/// Derives key material by HKDF with SHA-256; 1, or 0.
static inline int COpenSSL_deriveHKDF(EVP_KDF *kdf, const unsigned char *key, size_t keyBytes,
                                      const unsigned char *salt, size_t saltBytes, const unsigned char *info,
                                      size_t infoBytes, unsigned char *derived, size_t derivedBytes) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, keyBytes),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, saltBytes),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, infoBytes),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    int done = context != NULL && EVP_KDF_derive(context, derived, derivedBytes, parameters) == 1;
    EVP_KDF_CTX_free(context);
    return done;
}

/// Writes the ciphertext of AES-128-GCM and its tag of 16 bytes behind it; 1, or 0. The nonce has 12 bytes.
static inline int COpenSSL_sealGCM(const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *nonce,
                                   const unsigned char *content, int bytes, unsigned char *sealed) {
    int written = 0, rest = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = context != NULL && EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) == 1 &&
               EVP_EncryptUpdate(context, sealed, &written, content, bytes) == 1 &&
               EVP_EncryptFinal_ex(context, sealed + written, &rest) == 1 && written + rest == bytes &&
               EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, sealed + bytes) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

/// Writes r and s of a P-256 signature in DER, 32 bytes each; 1, or 0.
static inline int COpenSSL_writeRawSignature(const unsigned char *der, long bytes, unsigned char *raw) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, bytes);
    int done = signature != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, 32) == 32 &&
               BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + 32, 32) == 32;
    ECDSA_SIG_free(signature);
    return done;
}
