#!/bin/sh
# Makes what the wire to Kafka needs (deploy/secured.yml), once, each part into a volume of its own, so that a role has its own
# key and no other's: an authority, and a certificate for each broker and role. Certificates are good for a year:
# `docker compose … run --rm certificates renew` makes new ones of the same authority, and restarts take them up.
set -eu
umask 077
secrets=/secrets
days=365
renew=no
[ "${1:-}" != renew ] || renew=yes

if [ ! -s $secrets/authority/key.pem ]; then
    openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj "/CN=Fanfare Kafka authority" \
        -keyout $secrets/authority/key.pem -out $secrets/authority/certificate.pem
fi

# A key and a certificate in one file, as Kafka and librdkafka read them: certificate NAME OWNER
certificate() {
    folder=$secrets/$1
    # The authority's certificate is no secret, and everybody has it.
    cp $secrets/authority/certificate.pem "$folder/authority.pem"
    if [ "$renew" = yes ] || [ ! -s "$folder/certificate.pem" ]; then
        openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout /tmp/key.pem -out /tmp/request.pem
        printf 'subjectAltName=DNS:%s,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n' "$1" >/tmp/extensions
        openssl x509 -req -in /tmp/request.pem -CA $secrets/authority/certificate.pem -CAkey $secrets/authority/key.pem \
            -CAcreateserial -CAserial $secrets/authority/serial -days $days -extfile /tmp/extensions -out /tmp/certificate.pem
        cat /tmp/key.pem /tmp/certificate.pem >"$folder/certificate.pem.new"
        rm /tmp/key.pem
        mv "$folder/certificate.pem.new" "$folder/certificate.pem"
    fi
    chown -R "$2" "$folder"
}

# The users of the images.
for name in kafka-1 kafka-2 kafka-3 kafka-admin; do certificate $name 1000:1000; done
for name in fanfare-topics fanfare-record-service fanfare-subscription-matcher fanfare-push-sender; do
    certificate $name 10001:10001
    # Of each environment its own.
    certificate $name-production 10001:10001
done
