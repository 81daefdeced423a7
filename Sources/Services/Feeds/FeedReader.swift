package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers

/// Reads one device's feed from the log, in order, each notification once.
package actor FeedReader {
    private typealias Found = (notification: Notification, bytes: Int)

    private let log: any EventLog
    private let layout: TopicLayout
    private var cursor: FeedCursor
    /// The end of the journal, as asked for after the registration had been read.
    private let journalEnd: Int64
    private var follower: (any LogFollower)?
    private var buffer: ArraySlice<LogEntry> = []
    private var isAtEnd = false
    /// Indicates whether the follower has told anything yet.
    private var hasRead = false
    /// The entry before the token, which is still to be compared with the token.
    private var unverified: (offset: Int64, fingerprint: UInt64)?
    /// The result of reading on to know whether there is more, kept for the next page.
    private var lookahead: Result<Found, any Error>?

    /// Opens a feed at a place, or at its start.
    /// - Throws: `CHANGE_TOKEN_EXPIRED`; `TRY_AGAIN_LATER` when the feed or what it begins with is not to be seen.
    package init(
        log: any EventLog, layout: TopicLayout, identity: FeedIdentity, from token: FeedPosition?
    ) async throws {
        let opening = try await FeedOpening.look(at: identity, from: token, in: layout, on: log)
        cursor = try await Self.begin(opening, identity, token, layout, log)
        self.log = log
        self.layout = layout
        journalEnd = opening.journal?.end ?? 0
        let start = token?.part == .journal ? opening.journal?.start : opening.feed.start
        if let token, let fingerprint = token.fingerprint, token.position.offset > start ?? 0 {
            unverified = (token.position.offset - 1, fingerprint)
        }
    }

    /// The number of entries that were taken, in both parts.
    private(set) var taken: Int64 = 0

    /// The place from which reading goes on.
    package var place: FeedPosition { cursor.place }

    /// Reads what there is, up to `limit` notifications and until they have `bytesMax` bytes, without waiting for more.
    ///
    /// When the task is cancelled on the way, what was read by then is the page: the reader stands behind it. A failure
    /// after a full page is the next page's.
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
        guard items.count == limit || bytes >= bytesMax else {
            return FeedPage(items: items, place: place, moreComing: false)
        }
        do {
            lookahead = try await takeNext().map { .success($0) }
            if Mistake.lookaheadIsForgotten.isMade { lookahead = nil }
        } catch is CancellationError {
            return FeedPage(items: items, place: place, moreComing: true)
        } catch {
            lookahead = .failure(error)
        }
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
    private func takeNext() async throws -> Found? {
        if let known = lookahead.take() { return try known.get() }
        while true {
            if let found = try takeFromBuffer() { return found }
            if try await !refill(waiting: false) { return nil }
        }
    }

    /// Takes entries from the buffer up to one that is delivered.
    private func takeFromBuffer() throws -> Found? {
        while let entry = buffer.first {
            let value = entry.value ?? []
            let step = try cursor.take(
                FeedEntry(decoding: value), at: entry.offset, fingerprint: FeedPosition.fingerprint(value))
            if step == .enterFeed {
                switchToFeed()
                return nil
            }
            buffer.removeFirst()
            taken += 1
            if case .deliver(let notification) = step { return (notification, value.count) }
        }
        return nil
    }

    private func switchToFeed() {
        follower?.close()
        follower = nil
        buffer = []
        isAtEnd = false
        hasRead = false
        unverified = nil
    }

    /// Gets more entries into the buffer. False when the end is reached and waiting is not wanted.
    private func refill(waiting: Bool) async throws -> Bool {
        guard buffer.isEmpty else { return true }
        if cursor.place.part == .journal, cursor.place.position.offset >= journalEnd, unverified == nil {
            try cursor.journalEnded()
            switchToFeed()
        }
        if isAtEnd && !waiting { return false }
        let batch: LogBatch
        do {
            batch = try await openFollower().next()
        } catch LogError.offsetOutOfRange {
            let error = CloudError(
                .changeTokenExpired, "what comes next was removed by retention meanwhile; fetch again without a token")
            throw await Self.tellingGap(error, cursor.identity, cursor.place, layout, log)
        } catch LogError.unknownTopic {
            // Where it was read a moment ago, it is gone, with the device.
            throw hasRead ? FeedOpening.gone(cursor.identity) : FeedOpening.unseen(cursor.identity)
        }
        hasRead = true
        buffer = try verified(batch.entries[...])
        // An end before the entry that the token's reader had got is an old one.
        if batch.isAtEnd, unverified != nil { throw FeedOpening.unseen(cursor.identity) }
        isAtEnd = batch.isAtEnd
        return !buffer.isEmpty || !isAtEnd || cursor.place.part == .journal
    }

    /// Takes away the entry before the token, once it has come and is the one that the token's reader had got.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` when it is another.
    private func verified(_ entries: ArraySlice<LogEntry>) throws -> ArraySlice<LogEntry> {
        guard let (offset, fingerprint) = unverified, let first = entries.first else { return entries }
        guard first.offset == offset, FeedPosition.fingerprint(first.value ?? []) == fingerprint else {
            throw FeedCursor.restored
        }
        unverified = nil
        return entries.dropFirst()
    }

    private func openFollower() async throws -> any LogFollower {
        if let follower { return follower }
        let identity = cursor.identity
        let topic =
            cursor.place.part == .journal
            ? layout.journal(identity.user) : layout.feed(identity.device, identity.epoch)
        let opened = try await log.follow(
            TopicPartition(topic), from: unverified?.offset ?? cursor.place.position.offset)
        follower = opened
        return opened
    }

    private static func begin(
        _ opening: FeedOpening, _ identity: FeedIdentity, _ token: FeedPosition?, _ layout: TopicLayout,
        _ log: any EventLog
    ) async throws -> FeedCursor {
        let failure: CloudError
        do throws(CloudError) {
            return try FeedCursor(
                identity, from: token, registration: opening.registration, feed: opening.feed,
                journal: opening.journal, log: opening.log)
        } catch {
            failure = error
        }
        guard failure.code == .changeTokenExpired else { throw failure }
        throw await tellingGap(failure, identity, token, layout, log)
    }

    /// Adds to an error, as far as the log can tell, from when to when and how many entries a reader cannot get any more.
    private static func tellingGap(
        _ error: CloudError, _ identity: FeedIdentity, _ place: FeedPosition?, _ layout: TopicLayout,
        _ log: any EventLog
    ) async -> CloudError {
        guard let place, let gap = try? await TokenGap.measure(behind: place, of: identity, in: layout, on: log) else {
            return error
        }
        var error = error
        error.gap = gap
        return error
    }
}
