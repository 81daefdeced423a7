import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// All that the topics of a container's environment have of notifications, read entry by entry from their starts. It
/// shares nothing with the search for a way but the contract of messages.
struct WayOracle {
    /// A place in the log, and the time of the append.
    struct Place: Hashable {
        var topic: String
        var partition: Int32
        var offset: Int64
        var time: Int64
    }

    /// A notification in a journal.
    struct Notification {
        var user: String
        var change: Int64
        var subscription: String
        var name: SourcePosition
        var place: Place
        /// The device that made the change, and its epoch.
        var device: String?
        var epoch: Int64?
        var isBackfilled: Bool
    }

    /// The first entry of each change, by sequence; a later one of the same sequence is a repeat.
    private(set) var changes: [Int64: (place: Place, committed: Int64, user: String, device: String?)] = [:]
    /// Entries of `deliveries` with the numbers of the changes whose hits they have.
    private(set) var deliveries: [Int32: [Int64: (place: Place, change: Int64)]] = [:]
    private(set) var notifications: [Notification] = []
    /// The first mark of each user by which a change was read.
    private(set) var marks: [String: [Int64: Place]] = [:]

    init(_ log: any EventLog, _ layout: TopicLayout) async throws {
        for database in DatabaseScope.allCases {
            for entry in try await Self.entries(layout.changes(database), layout.partitions, log) {
                guard let event = try? ChangeEvent(decoding: entry.value), let source = event.source, !event.boundary,
                    changes[source.offset] == nil
                else { continue }
                changes[source.offset] = (
                    entry.place(layout), event.committed, event.origin?.user ?? "", event.origin?.device
                )
            }
        }
        for entry in try await Self.entries(layout.deliveries, layout.partitions, log) {
            guard let message = try? DeliveryEntry(decoding: entry.value) else { continue }
            let hits: HitsMessage? =
                switch message.event {
                case .hits(let hits)?, .sharedHits(let hits)?, .pastHits(let hits)?: hits
                default: nil
                }
            if let hits {
                deliveries[entry.partition, default: [:]][entry.offset] = (entry.place(layout), hits.change)
            }
        }
        for entry in try await Self.entries(layout.journals, layout.partitions, log) { takeJournal(entry, layout) }
    }

    private mutating func takeJournal(_ entry: Entry, _ layout: TopicLayout) {
        guard let message = try? FeedEntry(decoding: entry.value), let name = message.source?.position else { return }
        switch message.entry {
        case .query(let query)?:
            notifications.append(
                Notification(
                    user: message.user, change: query.change, subscription: query.subscription, name: name,
                    place: entry.place(layout), device: message.device, epoch: message.epoch,
                    isBackfilled: query.isBackfilled))
        case .read(let mark)?:
            if marks[message.user]?[mark.change] == nil {
                marks[message.user, default: [:]][mark.change] = entry.place(layout)
            }
        default: break
        }
    }

    /// An entry with its place.
    private struct Entry {
        var topic: TopicName
        var partition: Int32
        var offset: Int64
        var time: Int64
        var value: [UInt8]

        func place(_ layout: TopicLayout) -> Place {
            Place(
                topic: String(topic.rawValue.dropFirst(layout.prefix.count)), partition: partition, offset: offset,
                time: time)
        }
    }

    private static func entries(
        _ topic: TopicName, _ partitions: Int32, _ log: any EventLog
    ) async throws -> [Entry] {
        var found: [Entry] = []
        for number in 0..<partitions {
            try await log.readToEnd(of: TopicPartition(topic, number)) { entry in
                found.append(
                    Entry(
                        topic: topic, partition: number, offset: entry.offset, time: entry.appended.milliseconds,
                        value: entry.value ?? []))
            }
        }
        return found
    }
}
