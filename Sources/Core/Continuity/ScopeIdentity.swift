import CloudMessages
import ProtocolBuffers

/// The halves of a container's environment that belong together: the store that publishes, the log, and the log's fixed
/// topics. The relay keeps it in the topic `identity`, and a copy in the store.
package struct ScopeIdentity: Hashable, Sendable {
    /// The log's half: what it is now, or was when the record was made.
    package struct LogHalf: Hashable, Sendable {
        /// The identity of the log: a cluster's ID.
        package var cluster: String
        /// The incarnations of the fixed topics, by their names without the container's prefix.
        package var topics: [String: UInt64]

        package init(cluster: String, topics: [String: UInt64]) {
            self.cluster = cluster
            self.topics = topics
        }
    }

    /// An operator's work on store and log, with which no stage may interfere.
    package enum Work: Int32, Hashable, Sendable {
        case repair = 1
        case feedMigration = 2
    }

    /// The incarnation of the store.
    package var store: UInt64
    /// The log and its topics.
    package var log: LogHalf
    /// The highest sequence of the store that may be in the log.
    package var published: Int64
    /// The claim of the relay that publishes; 0 from before there were claims.
    package var owner: UInt64

    /// The work that was begun and is not finished; nil for none.
    package var work: Work?

    package init(store: UInt64, log: LogHalf, published: Int64, owner: UInt64 = 0) {
        self.store = store
        self.log = log
        self.published = published
        self.owner = owner
    }

    /// Reads a record back.
    package init(decoding bytes: [UInt8]) throws {
        let message = try ScopeIdentityMessage(decoding: bytes)
        let topics = Dictionary(message.topics.map { ($0.topic, $0.incarnation) }) { $1 }
        self.init(
            store: message.store, log: LogHalf(cluster: message.cluster, topics: topics), published: message.published,
            owner: message.owner)
        // No stage may interfere with a later version's work either.
        work = message.work == 0 ? nil : Work(rawValue: message.work) ?? .repair
    }

    /// The record; equal identities give equal bytes.
    package var encoded: [UInt8] {
        let topics = log.topics.sorted { $0.key < $1.key }.map { TopicIdentity(topic: $0.key, incarnation: $0.value) }
        return ScopeIdentityMessage(
            store: store, cluster: log.cluster, topics: topics, published: published, owner: owner,
            work: work?.rawValue ?? 0
        ).encoded()
    }
}
