import Testing

/// Everything that runs on a real Kafka, one test after the other: they share a broker, and some keep it busy.
@Suite(
    "On a real Kafka", .serialized,
    .enabled(if: RealKafka.isAvailable, "KAFKA_HOME or KAFKA_BOOTSTRAP_SERVERS is not set"))
enum OnRealKafka {}
