package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
import Waiting

/// Reads one device's feed from the log, in order, each notification once.
package actor FeedReader {
    private typealias Found = (notification: Notification, bytes: Int)

    /// The result of reading on. An object, as most readers have none and a notification is large.
    private final class Lookahead {
        let result: Result<Found, any Error>

        init(_ result: Result<Found, any Error>) { self.result = result }
    }

    let log: any EventLog
    let layout: TopicLayout
    /// The process's part in reading; nil for a reader that shares nothing, and looks at everything before it begins.
    let reading: FeedReading?
    private(set) var cursor: FeedCursor
    /// The bounds of a shared journal when the reader began, for its first look.
    private var held: OffsetBounds?
    /// The end of the journal, as asked for after the registration had been read.
    private var journalEnd: Int64
    private var follower: (any LogFollower)?
    /// Indicates whether the follower reads existing entries only, without waiting.
    private var isLook = false
    /// The head of the device's topic, which was read before the journal is.
    private var head: FeedOpening.Head?
    /// True until the entry before the token was compared: the bounds were not read, and they might contradict the
    /// token.
    private var isUnproven = false
    /// The watch that wakes the reader, from its first wait on.
    package internal(set) var watch: FeedWakeups.Watch?
    /// The name of the newest entry that a wakeup announced.
    var announced: SourcePosition?
    private var buffer: ArraySlice<LogEntry> = []
    private var isAtEnd = false
    /// The offset up to which a shared journal was looked through, once the buffer is taken.
    private var passedTo: Int64?
    /// Indicates whether the follower has returned a batch.
    private var hasRead = false
    /// The entry before the token, which is still to be compared with the token.
    private var unverified: (offset: Int64, fingerprint: UInt64)?
    /// The result of reading on to know whether there is more, kept for the next page.
    private var lookahead: Lookahead?

    /// Opens a feed at a position, or at its start.
    /// - Parameters:
    ///     - reading: the process's shared part of reading. With it, a position in the device's topic is resumed by the
    ///     entry before it alone.
    ///     - mayWait: true for a caller that waits when the feed has nothing new.
    ///     - readsTopic: true for a reader of the topic that stage 3 makes of the journal.
    /// - Throws: `BAD_REQUEST` for a token of the other reader; `CHANGE_TOKEN_EXPIRED`; `TRY_AGAIN_LATER` if the feed or its first entry is not visible.
    package init(
        log: any EventLog, layout: TopicLayout, identity: FeedIdentity, from token: FeedPosition?,
        reading: FeedReading? = nil, mayWait: Bool = false, readsTopic: Bool = false
    ) async throws {
        if let token { try FeedOpening.check(token, readsTopic: readsTopic) }
        self.log = log
        self.layout = layout
        self.reading = reading
        if let reading, let token, layout.feeds == .topicPerDevice, let entry = token.entryBefore,
            try await reading.logName() == token.log
        {
            cursor = FeedCursor(identity, resuming: token)
            unverified = entry
            journalEnd = 0
            isUnproven = true
            return
        }
        let beginning = try await Self.beginning(
            of: identity, from: token, layout, log, reading, mayWait: mayWait, readsTopic: readsTopic)
        cursor = beginning.cursor
        journalEnd = beginning.journalEnd
        held = beginning.held
        unverified = beginning.unverified
        head = beginning.head
        takeHead()
    }

    /// The facts that a reader begins with.
    private struct Beginning {
        var cursor: FeedCursor
        var journalEnd: Int64
        var unverified: (offset: Int64, fingerprint: UInt64)?
        var head: FeedOpening.Head?
        var held: OffsetBounds?
    }

    private static func beginning(
        of identity: FeedIdentity, from token: FeedPosition?, _ layout: TopicLayout, _ log: any EventLog,
        _ reading: FeedReading?, mayWait: Bool = false, readsTopic: Bool = false
    ) async throws -> Beginning {
        let opening = try await FeedOpening.look(
            at: identity, from: token, in: layout, on: log, reading, mayWait: mayWait, readsTopic: readsTopic)
        do {
            let cursor = try await begin(opening, identity, token, layout, log, readsTopic: readsTopic)
            if layout.feeds == .sharded {
                var beginning = Beginning(cursor: cursor, journalEnd: 0, head: nil, held: opening.feed)
                if let fingerprint = cursor.place.fingerprint, let looked = cursor.place.looked,
                    looked >= opening.feed.start
                {
                    beginning.unverified = (looked, fingerprint)
                }
                return beginning
            }
            let start = token?.part == .journal ? opening.journal?.start : opening.feed.start
            var beginning = Beginning(cursor: cursor, journalEnd: opening.journal?.end ?? 0, head: opening.head)
            if let token, let fingerprint = token.fingerprint, token.position.offset > start ?? 0 {
                beginning.unverified = (token.position.offset - 1, fingerprint)
            }
            return beginning
        } catch {
            opening.head?.follower.close()
            throw error
        }
    }

    /// Looks at everything after all, as the entry before the token was not what the token says, or not to be had.
    private func beginFully() async throws {
        isUnproven = false
        follower?.close()
        follower = nil
        let beginning = try await Self.beginning(of: cursor.identity, from: cursor.place, layout, log, reading)
        cursor = beginning.cursor
        journalEnd = beginning.journalEnd
        unverified = beginning.unverified
    }

    /// Continues with the kept head of the device's topic if it comes next.
    private func takeHead() {
        guard cursor.place.part == .feed, let head = head.take() else { return }
        guard cursor.place.position.offset == 0 else { return head.follower.close() }
        follower = head.follower
        isLook = true
        hasRead = true
        buffer = head.batch.entries[...]
        isAtEnd = head.batch.isAtEnd
    }

    /// The number of entries that were taken, in both parts.
    private(set) var taken: Int64 = 0

    /// The place from which reading goes on.
    package var place: FeedPosition { cursor.place }

    /// Reads up to `limit` notifications, until they have `bytesMax` bytes, without waiting for more.
    ///
    /// If the task is cancelled meanwhile, the page has the notifications read so far, and the reader's position is
    /// behind them. A failure after a full page is thrown by the next call.
    /// - Parameter isEager: true for a page that ends with the first batch; `moreComing` is unknown then.
    package func page(
        limit: Int, bytesMax: Int = Limits.notificationsPageBytesMax, isEager: Bool = false
    ) async throws -> FeedPage {
        var items: [FeedPage.Item] = []
        var bytes = 0
        do {
            while items.count < limit, bytes < bytesMax {
                if isEager, !items.isEmpty, buffer.isEmpty {
                    return FeedPage(items: items, place: cursor.place, moreComing: !isAtEnd)
                }
                guard let next = try await takeNext() else { break }
                items.append(FeedPage.Item(notification: next.notification, place: cursor.place))
                FeedTrace.record(next.notification)
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
            lookahead = try await takeNext().map { Lookahead(.success($0)) }
            if Mistake.lookaheadIsForgotten.isMade { lookahead = nil }
        } catch is CancellationError {
            return FeedPage(items: items, place: place, moreComing: true)
        } catch {
            lookahead = Lookahead(.failure(error))
        }
        return FeedPage(items: items, place: place, moreComing: lookahead != nil)
    }

    /// Returns the next notifications; waits until there is one.
    /// - Parameter isEager: true for a caller that reads on anyway, and takes the first batch.
    package func next(
        limit: Int, bytesMax: Int = Limits.notificationsPageBytesMax, isEager: Bool = false
    ) async throws -> FeedPage {
        guard let news = reading?.news else {
            while true {
                let page = try await page(limit: limit, bytesMax: bytesMax, isEager: isEager)
                if !page.items.isEmpty { return page }
                _ = try await refill(waiting: true)
            }
        }
        return try await next(by: news, limit, bytesMax, isEager)
    }

    /// Looks again, though the end was reached.
    func lookBehindEnd() { isAtEnd = false }

    /// Takes the end as reached, where nothing read is left.
    func restAtEnd() {
        if cursor.place.part == .feed, buffer.isEmpty { isAtEnd = true }
    }

    /// Closes the follower while the reader waits. A position in the process's view of shared journals costs nothing
    /// and is kept: the view has the entries that wakeups announce.
    func rest() {
        guard layout.feeds == .topicPerDevice else { return }
        follower?.close()
        follower = nil
    }

    /// Forgets the entries that were read ahead, while the client takes nothing: the next page reads them again.
    package func letGo() {
        follower?.close()
        follower = nil
        head.take()?.follower.close()
        buffer = []
        isAtEnd = false
        passedTo = nil
    }

    /// The number of entries that are held for the next pages.
    var aheadCount: Int { buffer.count }

    /// Ends the reading; a waiting `next` throws.
    package func close() {
        follower?.close()
        follower = nil
        head.take()?.follower.close()
        if let watch = watch.take() { reading?.news?.end(watch) }
    }

    /// The next notification that there is already; nil at the end.
    private func takeNext() async throws -> Found? {
        if let known = lookahead.take() { return try known.result.get() }
        while true {
            if let found = try takeFromBuffer() { return found }
            let isMore = try await refill(waiting: false)
            if buffer.isEmpty, let end = passedTo.take() { cursor.pass(to: end) }
            if !isMore { return nil }
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
            if case .deliver(var notification) = step {
                notification.traceparent = FeedTrace.place(of: entry)
                return (notification, value.count)
            }
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
        takeHead()
    }

    /// Gets more entries into the buffer. False when the end is reached and waiting is not wanted.
    private func refill(waiting: Bool) async throws -> Bool {
        guard buffer.isEmpty else { return true }
        if cursor.place.part == .journal, cursor.place.position.offset >= journalEnd, unverified == nil {
            try cursor.journalEnded()
            switchToFeed()
            if !buffer.isEmpty { return true }
        }
        if isAtEnd && !waiting { return false }
        let batch: LogBatch
        do {
            batch = try await openFollower(waiting: waiting).next()
            if isUnproven, !proves(batch) {
                try await beginFully()
                return try await refill(waiting: waiting)
            }
        } catch let error as LogError where isUnproven && error.isOfPlace {
            try await beginFully()
            return try await refill(waiting: waiting)
        } catch LogError.offsetOutOfRange {
            let error = CloudError(
                .changeTokenExpired,
                "the next notifications were removed by retention meanwhile; fetch again without a token")
            throw await Self.addingGap(error, cursor.identity, cursor.place, layout, log)
        } catch LogError.unknownTopic {
            // Where it was read a moment ago, it is gone, with the device.
            throw hasRead ? FeedOpening.gone(cursor.identity) : FeedOpening.unseen(cursor.identity)
        }
        hasRead = true
        buffer = try verified(batch.entries[...])
        // An end before the entry that the token's reader had got is an old one.
        if batch.isAtEnd, unverified != nil {
            // In a shared journal the entry itself is looked for, and is gone if the end stays what it is.
            guard layout.feeds == .sharded, let doubts = reading?.doubts else {
                throw FeedOpening.unseen(cursor.identity)
            }
            try doubts.hear(of: topic)
            throw FeedCursor.restored
        }
        isAtEnd = batch.isAtEnd
        if isAtEnd { passedTo = batch.nextOffset }
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

    /// Returns true if a batch shows, or does not contradict, that the entry before the token is the reader's own.
    private func proves(_ batch: LogBatch) -> Bool {
        guard let (offset, fingerprint) = unverified, let first = batch.entries.first else { return !batch.isAtEnd }
        guard first.offset == offset, FeedPosition.fingerprint(first.value ?? []) == fingerprint else { return false }
        isUnproven = false
        return true
    }

    /// The topic of the part that is read.
    private var topic: TopicName {
        switch cursor.place.part {
        case .feed, .topic: layout.feed(cursor.identity.device, cursor.identity.epoch)
        case .journal, .shared: layout.journal(cursor.identity.user)
        }
    }

    private func openFollower(waiting: Bool) async throws -> any LogFollower {
        let mayLook = reading != nil && !waiting
        if let follower, mayLook || !isLook { return follower }
        follower?.close()
        follower = nil
        let place = (TopicPartition(topic), unverified?.offset ?? cursor.place.position.offset)
        let opened =
            if !mayLook {
                try await log.follow(place.0, from: place.1)
            } else if let held = held.take() {
                try await log.look(place.0, from: place.1, holding: held)
            } else {
                try await log.look(place.0, from: place.1)
            }
        follower = opened
        isLook = mayLook
        return opened
    }

    private static func begin(
        _ opening: FeedOpening, _ identity: FeedIdentity, _ token: FeedPosition?, _ layout: TopicLayout,
        _ log: any EventLog, readsTopic: Bool
    ) async throws -> FeedCursor {
        let failure: CloudError
        do throws(CloudError) {
            if layout.feeds == .sharded {
                return try FeedCursor(
                    of: identity, in: readsTopic ? .topic : .shared, from: opening.begin ?? token,
                    journal: opening.feed, log: opening.log)
            }
            // A token of a layout that the container had for a while.
            if token?.part.isWhole == true { throw FeedCursor.expired }
            return try FeedCursor(
                identity, from: token, registration: opening.registration, feed: opening.feed,
                journal: opening.journal, log: opening.log)
        } catch {
            failure = error
        }
        guard failure.code == .changeTokenExpired else { throw failure }
        throw await addingGap(failure, identity, token, layout, log)
    }
}
