import EventLog

/// Counts the topics that a client of librdkafka has met, so that it is made anew in time: it keeps what it knows of each
/// until it ends.
struct TopicTally {
    private static let topicsMax = 20_000

    private var topics: Set<TopicName> = []

    /// Takes note of topics; returns true when it is time for another client.
    mutating func add(_ names: some Sequence<TopicName>) -> Bool {
        topics.formUnion(names)
        return topics.count > Self.topicsMax
    }
}
