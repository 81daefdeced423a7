import EventLog
import Synchronization

/// The largest entry of each topic, as far as it is known: asked for once, so that writing asks nobody.
final class TopicLimits: Sendable {
    private let limits = Mutex<[TopicName: Int]>([:])

    func note(_ topic: TopicName, _ bytes: Int) { limits.withLock { $0[topic] = bytes } }
    func forget(_ topics: [TopicName]) { limits.withLock { limits in for topic in topics { limits[topic] = nil } } }

    /// The topics of which nothing is known.
    func unknown(among topics: Set<TopicName>) -> [TopicName] {
        limits.withLock { limits in topics.filter { limits[$0] == nil } }
    }

    /// The first entry that is too large for its topic.
    func firstTooLarge(_ entries: [OutgoingEntry]) -> LogError? {
        limits.withLock { limits in
            for entry in entries {
                let maximum = limits[entry.partition.topic] ?? .max
                if entry.byteCount > maximum {
                    return .entryTooLarge(entry.partition, bytes: entry.byteCount, maximum: maximum)
                }
            }
            return nil
        }
    }
}
