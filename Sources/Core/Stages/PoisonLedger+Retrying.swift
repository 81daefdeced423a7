package import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers

extension PoisonLedger {
    /// The result of trying an entry again.
    package enum Retry: Equatable, Sendable {
        /// It stands at its topic's end once more.
        case appended
        /// It was tried again before; it is at the end already.
        case earlier
        /// The entry is unknown, or not set aside.
        case unknown
        /// Retention has removed it.
        case gone
        /// It cannot be read by this version either.
        case unreadable(String)
        /// Entries of its kind cannot be tried again.
        case impossible(String)
    }

    /// Appends an entry that was set aside to its topic once more, under a name of its own, so that it is met as news: late,
    /// but whole. It keeps the sequence of what it tells of, so that it is matched as it would have been then.
    /// - Throws: `LogError`.
    package static func retry(
        _ place: PoisonPlace, in table: PoisonTable, on log: any EventLog, _ layout: TopicLayout, at time: Timestamp
    ) async throws -> Retry {
        guard let item = table.items[place], item.isSetAside else { return .unknown }
        guard item.retried == nil else { return .earlier }
        switch place.stage {
        case .relay:
            return .impossible(
                "it is larger than any entry may be, and was never in the log: save what it tells of once more, smaller"
            )
        case .backfill:
            return .impossible(
                "it was passed by only where subscriptions tell of the past, and its topic would give it to all of them"
            )
        case .match, .table, .deliver: break
        }
        let partition = TopicPartition(TopicName(layout.prefix + place.topic), place.partition)
        guard let entry = try await entry(at: place.offset, of: partition, on: log) else { return .gone }
        let value: [UInt8]?
        do {
            value = try renamed(entry.value, place)
        } catch {
            return .unreadable("\(error)")
        }
        try await log.withWriter { writer in
            // The entry first: whoever is cut off in between tries again, and readers drop what comes twice.
            try await writer.append([
                OutgoingEntry(
                    partition, key: entry.key, value: value,
                    headers: entry.headers + [LogHeader("fanfare-retry", "\(place.offset)")],
                    timestamp: entry.timestamp)
            ])
            let event = PoisonEvent(place, .retried)
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(layout.poison), key: event.key(""), value: event.encoded(),
                    timestamp: LogTimestamp(time))
            ])
        }
        return .appended
    }

    /// Reads the topic `poison` up to its end.
    /// - Throws: `LogError.unknownTopic` where the log has none.
    package static func table(on log: any EventLog, _ layout: TopicLayout) async throws -> PoisonTable {
        let partition = TopicPartition(layout.poison)
        var table = PoisonTable()
        let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
        guard bounds.end > bounds.start else { return table }
        let follower = try await log.follow(partition, from: bounds.start)
        defer { follower.close() }
        var read = bounds.start
        while read < bounds.end {
            let batch = try await follower.next()
            for entry in batch.entries {
                guard let key = entry.key, let value = entry.value, let event = try? PoisonEvent(decoding: value) else {
                    continue
                }
                _ = table.apply(key: key, event, at: Timestamp(entry.timestamp))
            }
            read = batch.nextOffset
        }
        return table
    }

    private static func entry(
        at offset: Int64, of partition: TopicPartition, on log: any EventLog
    ) async throws -> LogEntry? {
        guard let bounds = try await log.bounds(of: [partition])[partition], bounds.start <= offset, offset < bounds.end
        else { return nil }
        let follower = try await log.follow(partition, from: offset)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            if let first = batch.entries.first { return first.offset == offset ? first : nil }
            if batch.nextOffset > offset { return nil }
        }
    }

    /// The entry under a source of its own, which its first place names: under its old name readers would drop it as a
    /// duplicate, and tried again twice they would not take it twice. The sequence of what it tells of stays. A subscription's
    /// name is its key.
    private static func renamed(_ value: [UInt8]?, _ place: PoisonPlace) throws -> [UInt8]? {
        guard let value else { return nil }
        func renamed(_ name: SourcePositionMessage?) throws -> SourcePositionMessage {
            guard let name = name?.position else { throw MalformedMessage("an entry without a source") }
            let source = SourceID(
                origin: "retry", incarnation: UInt64(bitPattern: place.offset), partition: place.partition)
            return SourcePositionMessage(SourcePosition(source: source, offset: name.offset, index: name.index))
        }
        switch place.stage {
        case .table, .relay, .backfill: return value
        case .match:
            var event = try ChangeEvent(decoding: value)
            event.source = try renamed(event.source)
            return event.encoded()
        case .deliver:
            var entry = try DeliveryEntry(decoding: value)
            entry.source = try renamed(entry.source)
            return entry.encoded()
        }
    }
}
