import CloudMessages
import CloudModel
import EventLog
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

    let sources: FeedSources
    /// The process's part in reading; nil for a reader that shares nothing, and looks at everything before it begins.
    let reading: FeedReading?
    private(set) var cursor: FeedCursor
    private let entries: any EntryReader
    /// The offset of the next entry to read.
    private var next: Int64
    /// The watch that wakes the reader, from its first wait on.
    package internal(set) var watch: FeedWakeups.Watch?
    private var buffer: ArraySlice<LogEntry> = []
    private var isAtEnd = false
    /// The offset up to which the entries of others were passed, once the buffer is taken.
    private var passedTo: Int64?
    /// Indicates whether a batch was read.
    private var hasRead = false
    /// The entry before the token, which is still to be compared with the token.
    private var unverified: (offset: Int64, fingerprint: UInt64)?
    /// The result of reading on to know whether there is more, kept for the next page.
    private var lookahead: Lookahead?

    /// Opens a feed at a position, or at its start.
    /// - Parameters:
    ///     - reading: the process's shared part of reading.
    ///     - mayWait: true for a caller that waits when the feed has nothing new.
    ///     - readsTopic: true for a reader of the topic that stage 3 makes of the journal.
    /// - Throws: `BAD_REQUEST` for a token of the other reader; `CHANGE_TOKEN_EXPIRED`; `TRY_AGAIN_LATER` if the feed is
    ///   not visible.
    package init(
        _ sources: FeedSources, identity: FeedIdentity, from token: FeedPosition?, reading: FeedReading? = nil,
        mayWait: Bool = false, readsTopic: Bool = false
    ) async throws {
        if let token { try FeedOpening.check(token, readsTopic: readsTopic) }
        self.sources = sources
        self.reading = reading
        let part: FeedPosition.Part = readsTopic ? .topic : .shared
        let opening = try await FeedOpening.look(
            at: identity, in: part, from: token, sources, reading, mayWait: mayWait)
        entries = opening.entries
        cursor = try await Self.cursor(of: identity, in: part, from: token, opening, sources)
        next = cursor.place.position.offset
        if let fingerprint = cursor.place.fingerprint, let looked = cursor.place.looked, looked >= opening.bounds.start
        {
            unverified = (looked, fingerprint)
            next = looked
        }
    }

    private static func cursor(
        of identity: FeedIdentity, in part: FeedPosition.Part, from token: FeedPosition?, _ opening: FeedOpening,
        _ sources: FeedSources
    ) async throws -> FeedCursor {
        do {
            return try FeedCursor(
                of: identity, in: part, from: opening.begin ?? token, journal: opening.bounds, log: opening.log)
        } catch {
            guard error.code == .changeTokenExpired else { throw error }
            throw await addingGap(error, identity, token, sources)
        }
    }

    /// The number of entries that were taken.
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
                try await waitOnLog()
            }
        }
        return try await next(by: news, limit, bytesMax, isEager)
    }

    /// Looks again, though the end was reached.
    func lookBehindEnd() { isAtEnd = false }

    /// Forgets the entries that were read ahead, while the client takes nothing: the next page reads them again.
    package func letGo() {
        entries.close()
        buffer = []
        isAtEnd = false
        passedTo = nil
        next = unverified?.offset ?? cursor.place.position.offset
    }

    /// The number of entries that are held for the next pages.
    var aheadCount: Int { buffer.count }

    /// Ends the reading; a waiting `next` throws.
    package func close() {
        entries.close()
        if let watch = watch.take() { reading?.news?.end(watch) }
    }

    /// The next notification that there is already; nil at the end.
    private func takeNext() async throws -> Found? {
        if let known = lookahead.take() { return try known.result.get() }
        while true {
            if let found = try takeFromBuffer() { return found }
            let isMore = try await refill()
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
            buffer.removeFirst()
            taken += 1
            if case .deliver(var notification) = step {
                notification.traceparent = FeedTrace.place(of: entry)
                return (notification, value.count)
            }
        }
        return nil
    }

    /// Waits until the log has something at the next offset.
    private func waitOnLog() async throws {
        try await translating { [entries, next] in try await entries.wait(from: next) }
        lookBehindEnd()
    }

    /// Gets more entries into the buffer. False at the end.
    private func refill() async throws -> Bool {
        guard buffer.isEmpty else { return true }
        if isAtEnd { return false }
        let batch = try await translating { [entries, next] in try await entries.batch(from: next) }
        hasRead = true
        next = batch.nextOffset
        buffer = try verified(batch.entries[...])
        // An end before the entry that the token's reader had got is an old one, or the entry is gone.
        if batch.isAtEnd, unverified != nil {
            guard let doubts = reading?.doubts else { throw FeedOpening.unseen(cursor.identity) }
            try doubts.hear(of: cursor.identity)
            throw FeedCursor.restored
        }
        isAtEnd = batch.isAtEnd
        if isAtEnd { passedTo = batch.nextOffset }
        return !buffer.isEmpty || !isAtEnd
    }

    /// Reads, and reports failures as clients know them.
    private func translating<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch LogError.offsetOutOfRange {
            let error = CloudError(
                .changeTokenExpired,
                "the next notifications were removed by retention meanwhile; fetch again without a token")
            throw await Self.addingGap(error, cursor.identity, cursor.place, sources)
        } catch LogError.unknownTopic {
            // Where it was read a moment ago, it is gone, with the device.
            throw hasRead ? FeedOpening.gone(cursor.identity) : FeedOpening.unseen(cursor.identity)
        }
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
}
