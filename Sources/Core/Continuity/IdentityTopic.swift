package import CloudMessages
package import EventLog

/// The identity record, in the log.
package struct IdentityTopic: Sendable {
    private static let recordKey = Array("identity".utf8)
    private static let ownerKey = Array("#owner".utf8)

    private let log: any EventLog
    private let layout: TopicLayout
    private var partition: TopicPartition { TopicPartition(layout.identity) }

    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    /// The log as it is now.
    package func half() async throws -> ScopeIdentity.LogHalf {
        let found = try await log.describeTopics(layout.fixedTopics.filter(\.isSource).map(\.name))
        return ScopeIdentity.LogHalf(
            cluster: try await log.identity(),
            topics: Dictionary(
                uniqueKeysWithValues: found.map { (layout.shortName($0.key), $0.value.incarnation ?? 0) }))
    }

    /// The entry of a record.
    package func entry(_ identity: ScopeIdentity, at time: LogTimestamp) -> OutgoingEntry {
        OutgoingEntry(partition, key: Self.recordKey, value: identity.encoded, timestamp: time)
    }

    /// Returns the record up to the end that the log reports, which may be stale; nil if there is none.
    package func record() async throws -> ScopeIdentity? { try await lastRecord(in: try await bounds()) }

    /// Returns the record as it surely is: up to an entry that is written now.
    package func recordAsOwner(at time: LogTimestamp) async throws -> ScopeIdentity? {
        try await look(at: time).record
    }

    /// Writes a record with a new claim, if no other relay has written one since the look.
    /// - Parameters:
    ///   - offset: records from there on are read.
    /// - Returns: the records before the look, and the offset after the new one.
    /// - Throws: `IdentityMismatch` if another relay has written one.
    package func claim(
        _ identity: ScopeIdentity, after look: Look, readingFrom offset: Int64, at time: LogTimestamp
    ) async throws -> (earlier: [ScopeIdentity], next: Int64) {
        try await log.withWriter { try await $0.append([entry(identity, at: time)]) }
        let follower = try await log.follow(partition, from: min(offset, look.next))
        defer { follower.close() }
        var earlier: [ScopeIdentity] = []
        var other: ScopeIdentity?
        while true {
            for entry in try await follower.next().entries {
                guard let record = try Self.record(entry) else { continue }
                guard record == identity else {
                    if entry.offset < look.next { earlier.append(record) } else { other = record }
                    continue
                }
                guard let other else { return (earlier, entry.offset + 1) }
                try await putBack(other, over: entry.offset, of: identity, at: time)
                throw IdentityMismatch(layout.scope, [.otherOwner])
            }
        }
    }

    /// Writes the record that came first again, as it holds. Its relay may have published meanwhile, or a repair have
    /// written a record of its own: the newest has to be the last one.
    /// - Parameter claim: the offset of the claim that came later, which was made with the record `own`.
    private func putBack(
        _ record: ScopeIdentity, over claim: Int64, of own: ScopeIdentity, at time: LogTimestamp
    ) async throws {
        var newest = record
        var next = claim + 1
        while true {
            let (written, end) = (newest, nonce(at: time))
            try await log.withWriter { try await $0.append([entry(written, at: time), end]) }
            var others: [ScopeIdentity] = []
            next = try await read(from: next, through: end) { others.append($0) }
            // The last one was written with the nonce.
            for other in others.dropLast() where other.owner != own.owner {
                if other.owner != newest.owner || other.published > newest.published { newest = other }
            }
            if newest == written { return }
        }
    }

    /// An entry by which a reader knows that it has read all that was there when it was written.
    private func nonce(at time: LogTimestamp) -> OutgoingEntry {
        let value = Array(String(UInt64.random(in: 1 ... .max), radix: 16).utf8)
        return OutgoingEntry(partition, key: Self.ownerKey, value: value, timestamp: time)
    }

    /// Reads records up to a nonce.
    /// - Returns: the offset after it.
    private func read(
        from offset: Int64, through nonce: OutgoingEntry, _ body: (ScopeIdentity) -> Void
    ) async throws -> Int64 {
        let follower = try await log.follow(partition, from: offset)
        defer { follower.close() }
        while true {
            for entry in try await follower.next().entries {
                if let record = try Self.record(entry) { body(record) }
                if entry.key == Self.ownerKey, entry.value == nonce.value { return entry.offset + 1 }
            }
        }
    }

    /// Waits for a record with another claim than one's own.
    /// - Returns: that record, and the offset after it.
    package func otherRecord(
        than claim: UInt64, from offset: Int64
    ) async throws -> (record: ScopeIdentity, next: Int64) {
        let follower = try await log.follow(partition, from: offset)
        defer { follower.close() }
        while true {
            for entry in try await follower.next().entries {
                if let record = try Self.record(entry), record.owner != claim { return (record, entry.offset + 1) }
            }
        }
    }

    /// The record at a time.
    package struct Look: Sendable {
        /// Nil if there was none.
        package var record: ScopeIdentity?
        /// The offset after the last entry that was read.
        package var next: Int64
    }

    /// Returns the record as it surely is: up to an entry that is written now.
    package func look(at time: LogTimestamp) async throws -> Look {
        let bounds = try await bounds()
        var found = try await lastRecord(in: bounds)
        let nonce = nonce(at: time)
        try await log.withWriter { try await $0.append([nonce]) }
        let next = try await read(from: bounds.end, through: nonce) { found = $0 }
        return Look(record: found, next: next)
    }

    /// Waits until there is a record: the relay makes it.
    package func waitForRecord() async throws {
        let follower = try await log.follow(partition, from: try await bounds().start)
        defer { follower.close() }
        while true {
            for entry in try await follower.next().entries where try Self.record(entry) != nil { return }
        }
    }

    private func bounds() async throws -> OffsetBounds {
        try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
    }

    /// The last record is at the end or, after refused starts, some entries before it.
    private func lastRecord(in bounds: OffsetBounds) async throws -> ScopeIdentity? {
        var width: Int64 = 1
        while bounds.start < bounds.end {
            let first = max(bounds.start, bounds.end - width)
            if let found = try await lastRecord(from: first, to: bounds.end) { return found }
            if first == bounds.start { break }
            width *= 16
        }
        return nil
    }

    private func lastRecord(from first: Int64, to end: Int64) async throws -> ScopeIdentity? {
        let follower = try await log.follow(partition, from: first)
        defer { follower.close() }
        var found: ScopeIdentity?
        var read = first
        while read < end {
            let batch = try await follower.next()
            for entry in batch.entries {
                if let record = try Self.record(entry) { found = record }
            }
            read = batch.nextOffset
        }
        return found
    }

    private static func record(_ entry: LogEntry) throws -> ScopeIdentity? {
        guard entry.key == recordKey, let value = entry.value else { return nil }
        return try ScopeIdentity(decoding: value)
    }
}
