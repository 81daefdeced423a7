import EventLog

/// Counts the topics that a client of librdkafka has met, so that it is replaced in time: it keeps the metadata of each
/// until it ends.
struct TopicTally {
    private let topicsMax: Int
    private var topics: Set<TopicName> = []

    /// - Parameter topicsMax: the topics after which it is time.
    init(topicsMax: Int = 20_000) { self.topicsMax = topicsMax }

    /// Takes note of topics; returns true when it is time for another client.
    mutating func add(_ names: some Sequence<TopicName>) -> Bool {
        topics.formUnion(names)
        return topics.count > topicsMax
    }
}
