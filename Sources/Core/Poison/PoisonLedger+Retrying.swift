package import CloudMessages
package import CloudModel
package import EventLog
import ProtocolBuffers

extension PoisonLedger {
    /// The result of trying an entry again.
    package enum Retry: Equatable, Sendable {
        /// It is at its topic's end again.
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

    /// Appends an entry that was set aside to its topic again, under a name of its own, so that it is new: late, but
    /// whole. It keeps the sequence of its event, so that it is matched as before.
    /// - Throws: `LogError`.
    package static func retry(
        _ place: PoisonPlace, in table: PoisonTable, on log: any EventLog, _ layout: TopicLayout, at time: Timestamp
    ) async throws -> Retry {
        guard let item = table.items[place], item.isSetAside else { return .unknown }
        guard item.retried == nil else { return .earlier }
        switch place.stage {
        case .relay:
            return .impossible(
                "it is larger than any entry may be, and was never in the log: save its record again, smaller"
            )
        case .backfill:
            return .impossible(
                "it was skipped only by backfills, and its topic would give it to all subscriptions"
            )
        case .push: return .impossible("its devices have the notification in their feeds")
        case .feeds: return .impossible("its journal has it, and is what devices read over HTTP")
        case .match, .table, .deliver: break
        }
        let partition = TopicPartition(TopicName(layout.prefix + place.topic), place.partition)
        guard let entry = try await log.entry(at: place.offset, of: partition) else { return .gone }
        let value: [UInt8]?
        do {
            value = try renamed(entry.value, place)
        } catch {
            return .unreadable("\(error)")
        }
        try await log.withWriter { writer in
            // The entry first: after an interruption it is retried, and readers drop the duplicate.
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

    /// The entry under a source of its own, made from its first place: under its old name readers would drop it as a
    /// duplicate, and retried twice it is taken once. The sequence of its event stays. A subscription's name is its
    /// key.
    private static func renamed(_ value: [UInt8]?, _ place: PoisonPlace) throws -> [UInt8]? {
        guard let value else { return nil }
        func renamed(_ name: SourcePositionMessage?) throws -> SourcePositionMessage {
            guard let name = name?.position else { throw MalformedMessage("an entry without a source") }
            let source = SourceID(
                origin: SourceID.retryOrigin, incarnation: UInt64(bitPattern: place.offset), partition: place.partition)
            return SourcePositionMessage(SourcePosition(source: source, offset: name.offset, index: name.index))
        }
        switch place.stage {
        case .table, .relay, .backfill, .push, .feeds: return value
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
