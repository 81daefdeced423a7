import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Finds entries of long partitions by halves, so that an answer costs some pages and not a user's history.
extension LogEvidence {
    /// Entries that are read one after the other, when a search has come so near.
    private static let nearEntries: Int64 = 500
    /// Clocks of processes that write differ by no more than this, nearly always; a search that they misled is followed by
    /// a reading of everything before anything is called lost.
    static let clockMillisecondsMax: Int64 = 60_000

    /// The offset of the first entry that does not come before the sought one; the end where all do. An earlier one, where
    /// the order says nothing of some entries.
    /// - Parameters:
    ///   - held: the offsets among which it is looked for; nil for all of the reader's.
    ///   - isBefore: nil for an entry of which the order says nothing.
    func firstNotBefore(
        _ entries: any EntryReader, in held: OffsetBounds? = nil, _ isBefore: (LogEntry) -> Bool?
    ) async throws -> Int64 {
        defer { entries.close() }
        let held = held ?? entries.bounds
        var (low, high) = (held.start, held.end)
        while high - low > Self.nearEntries {
            let middle = low + (high - low) / 2
            var found: (first: Bool, lastBefore: Int64, isWhole: Bool)?
            var next = middle
            while found == nil, next < high {
                let page = try await page(of: entries, from: next, to: high)
                found = Self.ordered(page.entries, isBefore)
                next = page.next
            }
            guard let found, found.first else {
                high = middle
                continue
            }
            guard found.isWhole else { return found.lastBefore + 1 }
            low = found.lastBefore + 1
        }
        var found: Int64?
        try await scan(entries, from: low, to: high) { entry in
            if isBefore(entry) == false { found = entry.offset }
            return found != nil
        }
        return found ?? high
    }

    /// Looks at the ends of a page first, as most pages lie on one side of the sought entry.
    /// - Returns: whether its first ordered entry is before, the last one of those before, and whether all are; nil where
    ///   the order says nothing of any entry.
    private static func ordered(
        _ entries: [LogEntry], _ isBefore: (LogEntry) -> Bool?
    ) -> (first: Bool, lastBefore: Int64, isWhole: Bool)? {
        guard let first = entries.first(where: { isBefore($0) != nil }) else { return nil }
        guard isBefore(first) == true else { return (false, -1, false) }
        if let last = entries.last(where: { isBefore($0) != nil }), isBefore(last) == true {
            return (true, last.offset, true)
        }
        var lastBefore = first.offset
        for entry in entries where entry.offset > first.offset {
            guard let isBefore = isBefore(entry) else { continue }
            if !isBefore { break }
            lastBefore = entry.offset
        }
        return (true, lastBefore, false)
    }

    /// The entries that come at once from an offset on, below `end`, and the next offset.
    private func page(
        of entries: any EntryReader, from offset: Int64, to end: Int64
    ) async throws -> (entries: [LogEntry], next: Int64) {
        var next = offset
        while next < end {
            try budget?.check()
            let batch = try await entries.batch(from: next)
            budget?.take(batch)
            next = batch.nextOffset
            let found = batch.entries.filter { $0.offset < end }
            if !found.isEmpty { return (found, next) }
        }
        return ([], end)
    }

    /// The first entry at or behind an offset below `end`; nil where there is none.
    func entry(from offset: Int64, to end: Int64, of entries: any EntryReader) async throws -> LogEntry? {
        defer { entries.close() }
        return try await page(of: entries, from: offset, to: end).entries.first
    }

    /// Hands over the entries of a range, page by page, until `take` returns true.
    func scan(
        _ entries: any EntryReader, from start: Int64, to end: Int64, _ take: (LogEntry) throws -> Bool
    ) async throws {
        defer { entries.close() }
        var next = start
        while next < end {
            let page = try await page(of: entries, from: next, to: end)
            for entry in page.entries where try take(entry) { return }
            next = page.next
        }
    }

    /// The first entry of a journal that matches among those that were made from the same entry of `deliveries`; nil if
    /// it is not there.
    /// - Parameter incarnation: that of `deliveries`; nil where it is unknown.
    func delivered(
        of user: UserRecordName, madeFrom offset: Int64, in incarnation: UInt64?, _ matches: (DeliveredEntry) -> Bool
    ) async throws -> DeliveredEntry? {
        guard let journal = try await journal(of: user) else { return nil }
        func order(_ entry: LogEntry) -> (isOrdered: Bool, offset: Int64) {
            let name = DeliveredEntry(entry, layout).name
            return (name.offset >= 0 && (incarnation == nil || name.source.incarnation == incarnation), name.offset)
        }
        let place = try await firstNotBefore(journal) { entry in
            let (isOrdered, made) = order(entry)
            return isOrdered ? made < offset : nil
        }
        var found: DeliveredEntry?
        try await scan(journal, from: place, to: journal.bounds.end) { entry in
            let delivered = DeliveredEntry(entry, layout)
            if matches(delivered) { found = delivered }
            let (isOrdered, made) = order(entry)
            return found != nil || (isOrdered && made > offset)
        }
        return found
    }

    /// The entry of a journal about a change that was committed at a time, where the name is not known any more; nil if
    /// it is not there.
    func delivered(
        of user: UserRecordName, since time: Timestamp, _ matches: (DeliveredEntry) -> Bool
    ) async throws -> DeliveredEntry? {
        guard let journal = try await journal(of: user) else { return nil }
        let place = try await firstNotBefore(journal) { isBefore($0, time) }
        var found: DeliveredEntry?
        try await scan(journal, from: place, to: journal.bounds.end) { entry in
            let delivered = DeliveredEntry(entry, layout)
            if matches(delivered) { found = delivered }
            return found != nil
        }
        return found
    }

    /// Returns true if an entry was appended before anything could be made of a change of that time.
    func isBefore(_ entry: LogEntry, _ time: Timestamp) -> Bool {
        entry.timestamp.milliseconds < time.milliseconds - Self.clockMillisecondsMax
    }
}

extension OffsetBounds {
    /// Returns true if an offset is within the bounds.
    func contains(_ offset: Int64) -> Bool { start <= offset && offset < end }
}
