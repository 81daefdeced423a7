import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// Reads the changes of zones since their tokens; a zone fails by itself. All pages together have at most
    /// `Limits.feedPageMax` records, and `Limits.feedPageBytesMax` bytes or one record; zones without room answer
    /// `moreComing`.
    package func zoneChanges(
        _ requests: [ZoneFeedRequest], in database: DatabaseScope, for caller: Caller
    ) async throws -> [ZoneFeedResult] {
        let user = try caller.signedIn(to: "changes of a zone")
        try Self.checkHasFeed(database)
        try checkCount(requests.count)
        for request in requests { try Self.checkLimit(request.limit) }
        var seen: Set<GivenZone> = []
        for request in requests where !seen.insert(request.zone).inserted {
            throw CloudError.badRequest("the zone \(request.zone) stands twice in the request")
        }
        let read: @Sendable (any StoreReader) throws -> [ZoneFeedResult] = { [self] reader in
            var room = FeedRoom()
            return try requests.map { request in
                do {
                    return .page(try self.page(request, &room, in: database, for: user, reader))
                } catch let error as CloudError {
                    return .failed(request.zone, error)
                }
            }
        }
        // Records may have much more bytes in the store than in the answer.
        guard requests.contains(where: { $0.valueBytesMax != nil }) else {
            return try await store.read { try read($0) }
        }
        return try await store.readAtLength(for: user.rawValue) { reader, _ in try read(reader) }
    }

    private func page(
        _ request: ZoneFeedRequest, _ room: inout FeedRoom, in database: DatabaseScope, for user: UserRecordName,
        _ reader: any StoreReader
    ) throws -> ZoneFeedPage {
        let reached = try Self.reach(request.zone, in: database, for: Caller(user: user), reader)
        guard let stored = reached.stored else {
            throw CloudError.badRequest("\(reached.id.name) has no change feed; only custom zones have one")
        }
        let subject = SyncTokens.Subject.zone(stored.id, created: stored.created)
        let given = try request.syncToken.map { token throws(CloudError) in
            try syncTokens.open(token, of: subject, in: database, for: user)
        }
        if let given { try LostFutures.check(given, reader) }
        var position = given ?? .start(stored.changed)
        guard position.covered >= stored.horizon else {
            throw SyncTokens.expired("deletions in the zone '\(stored.id.name)' since this token are no longer known")
        }
        // A walk from the newest change keeps its direction, whatever the request says.
        if request.isReverse, position.below == nil {
            position.below = CommitSequence(stored.changed.rawValue + 1)
            position.top = stored.changed
        }
        let limit = min(request.limit, room.records)
        let range = FeedRange(
            after: position.sequence, before: position.below, deletionsAfter: position.began,
            types: request.recordTypes, isReverse: position.below != nil,
            bytesMax: room.bytes)
        let read = try ReadFeed(
            of: stored.id, in: reached.database, range, limit: limit + 1,
            cutter: try ValueCutter(request.valueBytesMax, seals), readMax: room.readBytes, reader)
        let entries = read.entries
        // Without the one that is there to say that more is coming; that one may be as large as it likes.
        let isAlone = entries.count == 1 && room.isUntouched
        let page = read.isLong && !isAlone ? entries.dropLast().prefix(limit) : entries.prefix(limit)
        room.take(page)
        let next = Self.next(position, after: page.last?.entry.sequence, isLast: page.count == entries.count, stored)
        return ZoneFeedPage(
            zone: stored.id, changes: try page.compactMap { try Self.change($0, in: reached, reader) },
            syncToken: syncTokens.seal(next, of: subject, in: database, for: user),
            moreComing: page.count < entries.count)
    }

    /// The position where a reading goes on after a page.
    private static func next(
        _ position: SyncPosition, after sequence: CommitSequence?, isLast: Bool, _ zone: StoredZone
    ) -> SyncPosition {
        var next = position
        switch (position.below, isLast) {
        case (nil, true): return SyncPosition(sequence: max(zone.changed, position.sequence))
        case (nil, false): next.sequence = sequence ?? position.sequence
        case (_?, true): return SyncPosition(sequence: max(position.top, position.sequence))
        case (let below?, false): next.below = sequence ?? below
        }
        return next
    }

    /// An entry as the caller may see it; nil when it is none of the caller's concern.
    private static func change(
        _ read: ReadFeed.Entry, in zone: ReachedZone, _ reader: any StoreReader
    ) throws -> RecordChange? {
        guard let record = read.record else {
            guard zone.access?.concerns(read.entry) ?? true else { return nil }
            return .deleted(read.entry.name, read.entry.type)
        }
        return try zone.permission(for: record) == .none ? nil : .saved(record)
    }

    /// Removes tombstones that are older than the setting `tombstone-retention-days`: tokens from before them expire.
    package func removeOldTombstones() async throws {
        let limit = Timestamp(
            milliseconds: try await serviceTime().milliseconds - options.tombstoneRetention.components.seconds * 1000)
        while try await store.write(in: .whole, { try $0.removeTombstones(before: limit, limit: 1000) }) == 1000 {}
    }
}

/// The room that is left for the pages of one answer.
private struct FeedRoom {
    var records = Limits.feedPageMax
    var bytes = Limits.feedPageBytesMax
    /// Bytes that records may have in the store, of zones whose values are cut.
    var readBytes = Limits.queryBytesScannedMax
    var isUntouched: Bool { records == Limits.feedPageMax }

    mutating func take(_ page: ArraySlice<ReadFeed.Entry>) {
        records -= page.count
        bytes -= page.reduce(0) { $0 + $1.bytes }
        readBytes -= page.reduce(0) { $0 + $1.readBytes }
    }
}
