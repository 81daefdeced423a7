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
                // The record that came first holds.
                try await log.withWriter { try await $0.append([self.entry(other, at: time)]) }
                throw IdentityMismatch(layout.scope, [.otherOwner])
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
        let nonce = Array(String(UInt64.random(in: 1 ... .max), radix: 16).utf8)
        let bounds = try await bounds()
        var found = try await lastRecord(in: bounds)
        try await log.withWriter { writer in
            try await writer.append([OutgoingEntry(partition, key: Self.ownerKey, value: nonce, timestamp: time)])
        }
        let follower = try await log.follow(partition, from: bounds.end)
        defer { follower.close() }
        while true {
            for entry in try await follower.next().entries {
                if let record = try Self.record(entry) { found = record }
                if entry.key == Self.ownerKey, entry.value == nonce {
                    return Look(record: found, next: entry.offset + 1)
                }
            }
        }
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
