extension EventLog {
    /// The incarnation of a topic that is a source, from no cache.
    /// - Throws: `LogError.unknownTopic` when there is no such topic, or nobody gave it a number.
    package func incarnation(of topic: TopicName) async throws -> UInt64 {
        guard let incarnation = try await describeTopics([topic])[topic]?.incarnation else {
            throw LogError.unknownTopic(topic.rawValue)
        }
        return incarnation
    }
}
