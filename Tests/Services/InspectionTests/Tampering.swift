import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

@testable import Inspection

/// A fault that is put into a journal.
enum Tampering: String, CaseIterable, Sendable {
    case lost, doubled, swapped, exchanged, phantom, foreign
    /// A notification also stands for a change that has one of its own.
    case covered
    /// Only of notifications of the past.
    case unmarked

    /// The kind of difference that an audit has to find.
    var kind: AuditFinding.Kind {
        switch self {
        case .lost: .lost
        case .doubled, .covered: .doubled
        case .swapped, .exchanged: .outOfOrder
        case .phantom: .phantom
        case .foreign: .foreign
        case .unmarked: .unmarked
        }
    }

    /// The entries with the fault at a place: that of a notification which is neither the first entry nor the last.
    func apply(at place: Int, _ entries: [LogEntry]) throws -> [LogEntry] {
        var messages = try entries.map { try FeedEntry(decoding: $0.value!) }
        switch self {
        case .lost: messages.remove(at: place)
        case .doubled: messages.insert(after(messages[place]), at: place + 1)
        case .swapped: messages.swapAt(place, place + 1)
        case .exchanged:
            let content = messages[place].entry
            messages[place].entry = messages[place + 1].entry
            messages[place + 1].entry = content
        case .phantom:
            var made = after(messages[place])
            guard case .query(var query)? = made.entry else { return entries }
            query.subscription = "never-saved"
            made.entry = .query(query)
            messages.insert(made, at: place + 1)
        case .foreign:
            var made = after(messages[place])
            made.user = "_ffffffffffffffffffffffffffffffff"
            messages.insert(made, at: place + 1)
        case .covered:
            let order = Array(place..<messages.count) + Array(0..<place)
            let first = order.lazy.compactMap { other in
                (0..<other).first { Self.areOfOne(messages[$0], messages[other]) }.map { ($0, other) }
            }.first
            guard let (one, other) = first, case .query(let covered)? = messages[one].entry,
                case .query(var query)? = messages[other].entry
            else { return entries }
            (query.covered, query.changeCount) = ([covered.change], 2)
            messages[other].entry = .query(query)
        case .unmarked:
            guard case .query(var query)? = messages[place].entry else { return entries }
            query.isBackfilled = false
            query.backfill = 0
            messages[place].entry = .query(query)
        }
        return messages.enumerated().map { index, message in
            LogEntry(
                offset: entries[0].offset + Int64(index), timestamp: entries[0].timestamp, key: entries[0].key,
                value: message.encoded(), headers: [])
        }
    }

    /// Positions for the fault: two adjacent notifications of different inputs, so that there is room for a name
    /// between them.
    /// - Parameter arePast: true for two of a backfill, false for two of new changes.
    static func places(_ entries: [LogEntry], arePast: Bool = false) throws -> [Int] {
        let messages = try entries.map { try FeedEntry(decoding: $0.value!) }
        return messages.indices.dropFirst().dropLast().filter { index in
            guard case .query(let one)? = messages[index].entry, case .query(let other)? = messages[index + 1].entry
            else { return false }
            return messages[index].source!.offset < messages[index + 1].source!.offset && one.change != other.change
                && one.isBackfilled == arePast && other.isBackfilled == arePast
        }
    }

    /// The positions of two adjacent notifications that have an order: exchanging them is a fault. Those of new changes
    /// have it if their changes are in one partition, those of the past if they are also of one backfill.
    static func ordered(_ places: [Int], _ entries: [LogEntry], _ layout: TopicLayout) throws -> [Int] {
        struct Line: Equatable {
            var partition: TopicPartition
            var backfill: Int64
        }
        let lines = try entries.map { entry -> Line? in
            guard case .query(let query)? = try FeedEntry(decoding: entry.value!).entry, let zone = query.zone?.zoneID,
                let database = DatabaseScope(rawValue: query.database)
            else { return nil }
            let key = layout.changeKey(database, RecordName(trusted: query.recordName), in: zone)
            return Line(
                partition: TopicPartition(layout.changes(database), layout.partition(of: key)),
                backfill: query.backfill)
        }
        return places.filter { lines[$0] != nil && lines[$0] == lines[$0 + 1] }
    }

    /// Returns true for notifications of two new changes for one subscription.
    private static func areOfOne(_ one: FeedEntry, _ other: FeedEntry) -> Bool {
        guard case .query(let one)? = one.entry, case .query(let other)? = other.entry else { return false }
        return one.subscription == other.subscription && one.database == other.database && one.change != other.change
            && !one.isBackfilled && !other.isBackfilled
    }

    /// The same under the next name.
    private func after(_ entry: FeedEntry) -> FeedEntry {
        var entry = entry
        entry.predecessor = entry.source
        entry.source?.index += 100
        return entry
    }
}
