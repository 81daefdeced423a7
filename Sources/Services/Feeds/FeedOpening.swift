import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The facts that a reader of a feed begins with, in the order in which they have to be asked for.
struct FeedOpening {
    /// The log that is read.
    var log: String
    /// The offsets that the device's topic holds.
    var feed: OffsetBounds
    /// The feed's first entry; nil when it was trimmed away.
    var registration: FeedCursor.Registration?
    /// The offsets that the journal holds, asked for after the registration was read: by then all earlier entries are
    /// there. Nil when no journal is to be seen.
    var journal: OffsetBounds?

    /// Pauses before bounds that a token is ahead of are asked for again: a broker that was away tells old ones at first.
    private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(300), .milliseconds(600)]

    /// Looks at a feed.
    /// - Throws: `TRY_AGAIN_LATER` when the feed is not to be seen.
    static func look(
        at identity: FeedIdentity, from token: FeedPosition?, in layout: TopicLayout, on log: any EventLog
    ) async throws -> FeedOpening {
        let name = try await log.identity()
        for pause in pauses {
            let opening = try await look(at: identity, name, layout, log)
            guard let token, FeedCursor.isAhead(token, feed: opening.feed, journal: opening.journal) else {
                return opening
            }
            try await Task.sleep(for: pause)
        }
        return try await look(at: identity, name, layout, log)
    }

    private static func look(
        at identity: FeedIdentity, _ name: String, _ layout: TopicLayout, _ log: any EventLog
    ) async throws -> FeedOpening {
        let topic = TopicPartition(layout.feed(identity.device, identity.epoch))
        let (feed, registration) = try await look(at: topic, identity, log)
        return FeedOpening(
            log: name, feed: feed, registration: registration,
            journal: try await bounds(of: TopicPartition(layout.journal(identity.user)), log))
    }

    /// The bounds of the feed, and its first entry; nil when that was trimmed away.
    private static func look(
        at feed: TopicPartition, _ identity: FeedIdentity, _ log: any EventLog
    ) async throws -> (OffsetBounds, FeedCursor.Registration?) {
        while true {
            guard let bounds = try await bounds(of: feed, log) else { throw unseen(identity) }
            guard bounds.start == 0 else { return (bounds, nil) }
            do {
                return (bounds, try await registration(feed, identity, log))
            } catch LogError.offsetOutOfRange {
                // It was trimmed since its bounds were asked for.
                continue
            } catch LogError.unknownTopic {
                throw unseen(identity)
            }
        }
    }

    static func bounds(of partition: TopicPartition, _ log: any EventLog) async throws -> OffsetBounds? {
        do {
            return try await log.bounds(of: [partition])[partition]
        } catch LogError.unknownTopic {
            return nil
        }
    }

    /// The first entry that a partition still holds; nil where there is none.
    static func firstEntry(
        of partition: TopicPartition, from offset: Int64, _ log: any EventLog
    ) async throws -> LogEntry? {
        let follower = try await log.follow(partition, from: offset)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            if let first = batch.entries.first { return first }
            if batch.isAtEnd { return nil }
        }
    }

    /// The feed's first entry, which says where its journal's part ends; nil where it is no registration: the topic was
    /// lost and made again, and goes on as one whose beginning was trimmed.
    private static func registration(
        _ feed: TopicPartition, _ identity: FeedIdentity, _ log: any EventLog
    ) async throws -> FeedCursor.Registration? {
        guard let first = try await firstEntry(of: feed, from: 0, log) else { throw unseen(identity) }
        guard first.offset == 0, let value = first.value else { return nil }
        let entry = try FeedEntry(decoding: value)
        guard case .registered(let mark)? = entry.entry else { return nil }
        return FeedCursor.Registration(journal: mark.journal?.position, own: entry.source?.position)
    }

    /// The error for a feed that is not to be seen. Whether the device is registered, the store knows, which is asked
    /// before each request.
    static func unseen(_ identity: FeedIdentity) -> CloudError {
        CloudError(
            .tryAgainLater, "the feed of '\(identity.device)' cannot be seen at present; send the same request again",
            retryAfterSeconds: 1)
    }

    /// The error for a feed that was deleted while it was read.
    static func gone(_ identity: FeedIdentity) -> CloudError {
        CloudError(.notFound, "the device '\(identity.device)' has no feed any more; was it unregistered?")
    }
}
