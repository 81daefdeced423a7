#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

/* The server's side of TLS, for servers of tests that speak HTTP/2. */

static inline int ctls_choose_h2(
    SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned int count, void *context) {
    static const unsigned char wanted[] = "\x02h2";
    return SSL_select_next_proto((unsigned char **)out, length, wanted, 3, in, count) == OPENSSL_NPN_NEGOTIATED
        ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* With `issuer` each client has to show a certificate that it signed. NULL if a file cannot be used. */
static inline SSL_CTX *ctls_server(const char *certificate, const char *key, const char *issuer) {
    SSL_CTX *server = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_mode(server, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(server, ctls_choose_h2, NULL);
    if (SSL_CTX_use_certificate_chain_file(server, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(server, key, SSL_FILETYPE_PEM) != 1 ||
        (issuer && SSL_CTX_load_verify_locations(server, issuer, NULL) != 1)) {
        SSL_CTX_free(server);
        return NULL;
    }
    if (issuer) SSL_CTX_set_verify(server, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return server;
}

static inline SSL *ctls_accept(SSL_CTX *server, int descriptor) {
    SSL *connection = SSL_new(server);
    SSL_set_fd(connection, descriptor);
    SSL_set_accept_state(connection);
    return connection;
}

/* The number of bytes, 0 at the end, -1 if the descriptor is to be read first, -2 if it is to be written. */
static inline int ctls_result(SSL *connection, int result) {
    if (result > 0) return result;
    int error = SSL_get_error(connection, result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ ? -1 : error == SSL_ERROR_WANT_WRITE ? -2 : 0;
}

static inline int ctls_read(SSL *connection, void *bytes, int count) {
    return ctls_result(connection, SSL_read(connection, bytes, count));
}

static inline int ctls_write(SSL *connection, const void *bytes, int count) {
    return ctls_result(connection, SSL_write(connection, bytes, count));
}
