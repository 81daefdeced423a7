import EventLog

/// The log and the topic that a table of subscriptions was read from: another log, or a recreated topic, has other
/// entries at its offsets.
struct TableIdentity: Hashable, Sendable {
    /// The identity of the log.
    var log: String
    /// The topic.
    var topic: TopicName
    /// The topic's incarnation; 0 where it has none.
    var incarnation: UInt64

    /// Asks a log.
    static func current(of topic: TopicName, on log: any EventLog) async throws -> TableIdentity {
        guard let description = try await log.describeTopics([topic])[topic] else {
            throw LogError.unknownTopic(topic.rawValue)
        }
        return TableIdentity(
            log: try await log.identity(), topic: topic, incarnation: description.incarnation ?? 0)
    }
}
