#!/bin/bash
# Adds the rights that `fanfare topics acls` printed (deploy/secured.yml), through a broker's inner listener.
set -euo pipefail
cat >/tmp/admin.properties <<SETTINGS
security.protocol=SSL
ssl.keystore.type=PEM
ssl.keystore.location=/secrets/certificate.pem
ssl.truststore.type=PEM
ssl.truststore.location=/secrets/authority.pem
SETTINGS
export KAFKA_BOOTSTRAP_SERVERS=kafka-1:9092 KAFKA_COMMAND_CONFIG=/tmp/admin.properties KAFKA_ACLS=/opt/kafka/bin/kafka-acls.sh
# Adding a right again changes nothing, so all of it is tried until all of it is there.
for attempt in $(seq 60); do
    if bash /acls/script >/dev/null; then
        echo "rights added"
        exit 0
    fi
    echo "again ($attempt): a broker did not answer"
    sleep 2
done
exit 1
