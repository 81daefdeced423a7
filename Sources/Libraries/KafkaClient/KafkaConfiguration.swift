/// The addresses and credentials of a cluster, shared by every client of it.
package struct KafkaConfiguration: Sendable {
    /// The brokers to ask for the cluster first: `host:port`, several separated by commas.
    package var bootstrapServers: String
    /// The name that brokers see in their logs and quotas.
    package var clientID: String
    /// Any property of librdkafka, passed through; an unknown one, and one that the client sets itself, is an error
    /// that names it.
    package var properties: [String: String]
    /// Receives librdkafka's own log lines on librdkafka's threads, so it must be quick and must not call a client.
    /// Without it they are dropped: what matters arrives as errors.
    package var log: (@Sendable (KafkaLogLine) -> Void)?
    /// Receives librdkafka's statistics as it writes them, a JSON object, as often as the property
    /// `statistics.interval.ms` says, on a thread that a client polls on: it must be quick and must not call a client.
    package var statistics: (@Sendable (UnsafeRawBufferPointer) -> Void)?

    /// A configuration; nothing is checked before a client is made of it.
    package init(
        bootstrapServers: String, clientID: String = "fanfare", properties: [String: String] = [:],
        log: (@Sendable (KafkaLogLine) -> Void)? = nil
    ) {
        self.bootstrapServers = bootstrapServers
        self.clientID = clientID
        self.properties = properties
        self.log = log
    }

    /// The same configuration with more properties, which win over those it has.
    package func adding(_ more: [String: String]) -> KafkaConfiguration {
        var result = self
        result.properties.merge(more) { $1 }
        return result
    }
}

/// One line of librdkafka's log.
package struct KafkaLogLine: Sendable {
    /// The severity as syslog counts it: 3 an error, 4 a warning, 7 debugging.
    package let level: Int
    /// The part of librdkafka that speaks, such as `FAIL` or `REQTMOUT`.
    package let facility: String
    /// The text.
    package let message: String
}
