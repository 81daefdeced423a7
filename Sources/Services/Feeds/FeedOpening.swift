import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Timing

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
    /// The place to begin at instead of the token's, which is of another layout.
    var begin: FeedPosition?
    /// A reader of the device's topic from offset 0 and the entries that it has read, to continue with; nil if none was
    /// kept.
    var head: Head?

    /// The device's topic from its start, as far as it has been read.
    struct Head {
        var follower: any LogFollower
        var batch: LogBatch
    }

    /// The pauses before bounds that a token is ahead of are read again: a broker that comes back reports stale bounds
    /// at first.
    private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(300), .milliseconds(600)]

    /// Reads the bounds and first entries of a feed.
    /// - Parameters:
    ///     - reading: the process's shared part of reading; with it, only the requests that the position needs are
    ///     made.
    ///     - mayWait: true for a caller that waits when the feed has nothing new.
    ///     - readsTopic: true for a reader of the topic that stage 3 makes.
    /// - Throws: `TRY_AGAIN_LATER` if the feed is not visible.
    static func look(
        at identity: FeedIdentity, from token: FeedPosition?, in layout: TopicLayout, on log: any EventLog,
        _ reading: FeedReading? = nil, mayWait: Bool = false, readsTopic: Bool = false
    ) async throws -> FeedOpening {
        if layout.feeds == .sharded {
            let topic = readsTopic ? layout.feed(identity.device, identity.epoch) : layout.journal(identity.user)
            return try await lookShared(
                at: identity, TopicPartition(topic), from: token, layout, log, reading, mayWait: mayWait)
        }
        if let reading, token?.part != .feed {
            return try await look(at: identity, from: token, layout, log, reading)
        }
        let name = try await log.identity()
        var opening = try await look(at: identity, name, layout, log)
        for pause in pauses {
            guard let token, isAhead(token, opening) else { break }
            try await Time.sleep(for: pause)
            opening = try await look(at: identity, name, layout, log)
        }
        try judge(token, opening, identity, layout, reading)
        return opening
    }

    /// Doubts ends that a token is ahead of.
    private static func judge(
        _ token: FeedPosition?, _ opening: FeedOpening, _ identity: FeedIdentity, _ layout: TopicLayout,
        _ reading: FeedReading?
    ) throws(CloudError) {
        guard let token, let doubts = reading?.doubts, token.log.isEmpty || token.log == opening.log else { return }
        let topic =
            switch token.part {
            case .feed, .topic: layout.feed(identity.device, identity.epoch)
            case .journal, .shared: layout.journal(identity.user)
            }
        if isAhead(token, opening) { try doubts.hear(of: topic) } else { doubts.clear(topic) }
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

    /// Looks at a feed whose end nobody asks for, and keeps the reader of its head.
    private static func look(
        at identity: FeedIdentity, from token: FeedPosition?, _ layout: TopicLayout, _ log: any EventLog,
        _ reading: FeedReading
    ) async throws -> FeedOpening {
        let name = try await reading.logName()
        guard let head = try await head(of: TopicPartition(layout.feed(identity.device, identity.epoch)), identity, log)
        else { return try await look(at: identity, name, layout, log) }
        do {
            let registration = try registration(head.batch.entries[0])
            var opening = FeedOpening(
                log: name, feed: OffsetBounds(start: 0, end: head.batch.nextOffset), registration: registration,
                journal: nil, head: head)
            guard token?.part == .journal || registration?.journal != nil else { return opening }
            let journal = TopicPartition(layout.journal(identity.user))
            opening.journal = try await bounds(of: journal, log)
            // A broker that comes back reports stale ends at first.
            for pause in pauses {
                guard let token, isAhead(token, opening) else { break }
                try await Time.sleep(for: pause)
                opening.journal = try await bounds(of: journal, log)
            }
            try judge(token, opening, identity, layout, reading)
            return opening
        } catch {
            head.follower.close()
            throw error
        }
    }

    /// Looks at the journal that the device reads, or its topic, and brings a token of the other layout to its place
    /// there.
    private static func lookShared(
        at identity: FeedIdentity, _ journal: TopicPartition, from token: FeedPosition?, _ layout: TopicLayout,
        _ log: any EventLog,
        _ reading: FeedReading?, mayWait: Bool
    ) async throws -> FeedOpening {
        let name = if let reading { try await reading.logName() } else { try await log.identity() }
        func ask(notOlderThan age: Duration = .zero) async throws -> FeedOpening {
            guard let bounds = try await bounds(of: journal, log, notOlderThan: age) else { throw unseen(identity) }
            return FeedOpening(log: name, feed: bounds, registration: nil, journal: bounds)
        }
        // A place of the other layout is looked for between the bounds.
        let age = mayWait && token?.part ?? .shared == .shared ? reading?.endAge ?? .zero : .zero
        var opening = try await ask(notOlderThan: age)
        guard let token else { return opening }
        // An end of a while ago says nothing of a token from behind it.
        if age > .zero, isAhead(token, opening) { opening = try await ask() }
        guard token.part.isWhole else {
            opening.begin = try await place(of: token, identity, journal, opening.feed, log, reading)
            return opening
        }
        for pause in pauses where isAhead(token, opening) {
            try await Time.sleep(for: pause)
            opening = try await ask()
        }
        try judge(token, opening, identity, layout, reading)
        return opening
    }

    /// Maps a token from before the move to shared journals, or one behind the device's registration, to a position in
    /// the shared journal. Entries keep their names, so entries that were seen stay seen.
    private static func place(
        of token: FeedPosition, _ identity: FeedIdentity, _ journal: TopicPartition, _ bounds: OffsetBounds,
        _ log: any EventLog, _ reading: FeedReading?
    ) async throws -> FeedPosition {
        var place = FeedPosition(
            part: .shared, position: LogPosition(offset: bounds.start, seen: token.position.seen), log: token.log,
            time: token.time)
        guard token.part == .feed else { return place }
        let follower = try await log.look(journal, from: bounds.start, holding: bounds)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            for entry in batch.entries {
                guard let value = entry.value, case .registered(let mark)? = try FeedEntry(decoding: value).entry,
                    mark.device == identity.device.rawValue, mark.epoch == identity.epoch.rawValue
                else { continue }
                place.position.offset = entry.offset + 1
                return place
            }
            guard batch.isAtEnd else { continue }
            // Either retention took the registration and all remaining entries are behind it, or the reported end is
            // stale.
            if bounds.start == 0, place.position.seen.isEmpty {
                guard let doubts = reading?.doubts else { throw unseen(identity) }
                try doubts.hear(of: journal.topic)
            }
            return place
        }
    }

    private static func isAhead(_ token: FeedPosition, _ opening: FeedOpening) -> Bool {
        FeedCursor.isAhead(token, feed: opening.feed, journal: opening.journal)
    }

    /// The head of a feed; nil when it was trimmed away.
    private static func head(
        of feed: TopicPartition, _ identity: FeedIdentity, _ log: any EventLog
    ) async throws -> Head? {
        do {
            let follower = try await log.look(feed, from: 0)
            do {
                while true {
                    let batch = try await follower.next()
                    if !batch.entries.isEmpty { return Head(follower: follower, batch: batch) }
                    if batch.isAtEnd { throw unseen(identity) }
                }
            } catch {
                follower.close()
                throw error
            }
        } catch LogError.offsetOutOfRange {
            return nil
        } catch LogError.unknownTopic {
            throw unseen(identity)
        }
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

    static func bounds(
        of partition: TopicPartition, _ log: any EventLog, notOlderThan age: Duration = .zero
    ) async throws -> OffsetBounds? {
        do {
            return try await log.bounds(of: [partition], notOlderThan: age)[partition]
        } catch LogError.unknownTopic {
            return nil
        }
    }

    /// The first entry that a partition still holds; nil where there is none.
    static func firstEntry(
        of partition: TopicPartition, from offset: Int64, _ log: any EventLog
    ) async throws -> LogEntry? {
        let follower = try await log.look(partition, from: offset)
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
        return try registration(first)
    }

    private static func registration(_ first: LogEntry) throws -> FeedCursor.Registration? {
        guard first.offset == 0, let value = first.value else { return nil }
        let entry = try FeedEntry(decoding: value)
        guard case .registered(let mark)? = entry.entry else { return nil }
        return FeedCursor.Registration(journal: mark.journal?.position, own: entry.source?.position)
    }

    /// Refuses a token of the other kind of reader: offsets of a topic mean nothing in the journal, nor the other way.
    static func check(_ token: FeedPosition, readsTopic: Bool) throws(CloudError) {
        guard (token.part == .topic) != readsTopic else { return }
        throw .badRequest(
            readsTopic
                ? "the change token is of the feed over HTTP, and this reads the device's topic: begin without a token"
                : "serverChangeToken is of the device's topic on Kafka, which 'device-client --bootstrap-servers' reads; fetch without a token"
        )
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
