package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers

/// Reads one device's feed from the log, in order, each notification once.
package actor FeedReader {
    private let log: any EventLog
    private let layout: TopicLayout
    private var cursor: FeedCursor
    /// The end of the journal, as asked for after the registration had been read.
    private let journalEnd: Int64
    private var follower: (any LogFollower)?
    private var buffer: ArraySlice<LogEntry> = []
    private var isAtEnd = false
    /// A notification that was read to know whether there is more, with the bytes of its entry.
    private var lookahead: (notification: Notification, bytes: Int)?

    /// Opens a feed at a place, or at its start.
    /// - Throws: `CHANGE_TOKEN_EXPIRED`, `NOT_FOUND` when the feed is gone.
    package init(
        log: any EventLog, layout: TopicLayout, identity: FeedIdentity, from token: FeedPosition?
    ) async throws {
        self.log = log
        self.layout = layout
        let feed = TopicPartition(layout.feed(identity.device, identity.epoch))
        let (feedBounds, registration) = try await Self.look(at: feed, identity, log)
        // Asked for after the registration was read: by then all earlier journal entries are there.
        let journal = try await Self.bounds(of: TopicPartition(layout.journal(identity.user)), log)
        cursor = try FeedCursor(
            identity, from: token, registration: registration, feed: feedBounds, journal: journal)
        journalEnd = journal?.end ?? 0
    }

    /// The place from which reading goes on.
    package var place: FeedPosition { cursor.place }

    /// Reads what there is, up to `limit` notifications and until they have `bytesMax` bytes, without waiting for more.
    ///
    /// When the task is cancelled on the way, what was read by then is the page: the reader stands behind it.
    package func page(limit: Int, bytesMax: Int = Limits.notificationsPageBytesMax) async throws -> FeedPage {
        var items: [FeedPage.Item] = []
        var bytes = 0
        do {
            while items.count < limit, bytes < bytesMax, let next = try await takeNext() {
                items.append(FeedPage.Item(notification: next.notification, place: cursor.place))
                bytes += next.bytes
            }
        } catch is CancellationError where !items.isEmpty {
            return FeedPage(items: items, place: cursor.place, moreComing: true)
        }
        let place = cursor.place
        if items.count == limit || bytes >= bytesMax { lookahead = try? await takeNext() }
        return FeedPage(items: items, place: place, moreComing: lookahead != nil)
    }

    /// The next notifications as soon as there are any; waits for them.
    package func next(limit: Int, bytesMax: Int = Limits.notificationsPageBytesMax) async throws -> FeedPage {
        while true {
            let page = try await page(limit: limit, bytesMax: bytesMax)
            if !page.items.isEmpty { return page }
            _ = try await refill(waiting: true)
        }
    }

    /// Ends the reading; a waiting `next` throws.
    package func close() {
        follower?.close()
        follower = nil
    }

    /// The next notification that there is already; nil at the end.
    private func takeNext() async throws -> (notification: Notification, bytes: Int)? {
        if let known = lookahead.take() { return known }
        while true {
            if let found = try takeFromBuffer() { return found }
            if try await !refill(waiting: false) { return nil }
        }
    }

    /// Takes entries from the buffer up to one that is delivered.
    private func takeFromBuffer() throws -> (notification: Notification, bytes: Int)? {
        while let entry = buffer.first {
            let message = try entry.value.map { try FeedEntry(decoding: $0) } ?? FeedEntry()
            let step = try cursor.take(message, at: entry.offset)
            if step == .enterFeed {
                switchToFeed()
                return nil
            }
            buffer.removeFirst()
            if case .deliver(let notification) = step { return (notification, entry.value?.count ?? 0) }
        }
        return nil
    }

    private func switchToFeed() {
        follower?.close()
        follower = nil
        buffer = []
        isAtEnd = false
    }

    /// Gets more entries into the buffer. False when the end is reached and waiting is not wanted.
    private func refill(waiting: Bool) async throws -> Bool {
        guard buffer.isEmpty else { return true }
        if cursor.place.part == .journal, cursor.place.position.offset >= journalEnd {
            cursor.journalEnded()
            switchToFeed()
        }
        if isAtEnd && !waiting { return false }
        let batch: LogBatch
        do {
            batch = try await openFollower().next()
        } catch LogError.offsetOutOfRange {
            throw CloudError(
                .changeTokenExpired, "what comes next was removed by retention meanwhile; fetch again without a token")
        } catch LogError.unknownTopic {
            throw Self.gone(cursor.identity)
        }
        buffer = batch.entries[...]
        isAtEnd = batch.isAtEnd
        return !buffer.isEmpty || !isAtEnd || cursor.place.part == .journal
    }

    private func openFollower() async throws -> any LogFollower {
        if let follower { return follower }
        let identity = cursor.identity
        let topic =
            cursor.place.part == .journal
            ? layout.journal(identity.user) : layout.feed(identity.device, identity.epoch)
        let opened = try await log.follow(TopicPartition(topic), from: cursor.place.position.offset)
        follower = opened
        return opened
    }

    private static func gone(_ identity: FeedIdentity) -> CloudError {
        CloudError(.notFound, "the device '\(identity.device)' has no feed; was it unregistered?")
    }

    /// The bounds of the feed, and its first entry; nil when that was trimmed away.
    private static func look(
        at feed: TopicPartition, _ identity: FeedIdentity, _ log: any EventLog
    ) async throws -> (OffsetBounds, FeedCursor.Registration?) {
        while true {
            guard let bounds = try await bounds(of: feed, log) else { throw gone(identity) }
            guard bounds.start == 0 else { return (bounds, nil) }
            do {
                return (bounds, try await registration(feed, log))
            } catch LogError.offsetOutOfRange {
                // It was trimmed since its bounds were asked for.
                continue
            } catch LogError.unknownTopic {
                throw gone(identity)
            }
        }
    }

    private static func bounds(of partition: TopicPartition, _ log: any EventLog) async throws -> OffsetBounds? {
        do {
            return try await log.bounds(of: [partition])[partition]
        } catch LogError.unknownTopic {
            return nil
        }
    }

    /// The feed's first entry, which says where its journal's part ends.
    private static func registration(
        _ feed: TopicPartition, _ log: any EventLog
    ) async throws -> FeedCursor.Registration? {
        let follower = try await log.follow(feed, from: 0)
        defer { follower.close() }
        while true {
            guard let first = try await follower.next().entries.first else { continue }
            guard first.offset == 0 else { return nil }
            guard let value = first.value, case .registered(let mark)? = try FeedEntry(decoding: value).entry else {
                throw CloudError(.internalError, "the feed \(feed) does not begin with a registration")
            }
            return FeedCursor.Registration(journal: mark.journal?.position)
        }
    }
}
