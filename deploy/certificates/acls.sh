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
until /opt/kafka/bin/kafka-acls.sh --bootstrap-server $KAFKA_BOOTSTRAP_SERVERS --command-config $KAFKA_COMMAND_CONFIG --list >/dev/null; do
    echo "waiting for Kafka"
    sleep 2
done
bash /acls/script >/dev/null
echo "rights added"
