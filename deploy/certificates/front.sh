#!/bin/sh
# Makes a certificate for the front, once: for localhost, signed by itself, for ninety days. Yours takes its place.
set -eu
[ ! -s /front/certificate.pem ] || exit 0
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=localhost" \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -keyout /front/key.pem.new -out /front/certificate.pem.new
# The front's user, who alone may read the key.
chown 101:101 /front /front/key.pem.new /front/certificate.pem.new
mv /front/key.pem.new /front/key.pem
mv /front/certificate.pem.new /front/certificate.pem
