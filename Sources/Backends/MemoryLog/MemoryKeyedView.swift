package import EventLog
import Synchronization

/// The port of keyed views in memory: for tests and for what an operator looks at once.
package final class MemoryKeyedView: KeyedView {
    private struct Copy {
        var place: KeyedPlace
        var entries: [[UInt8]: [LogEntry]] = [:]
    }

    private static let batchEntriesMax = 1000
    private let only: [UInt8]?
    private let copies = Mutex<[TopicPartition: Copy]>([:])

    /// - Parameter key: the key whose entries alone are kept; nil keeps all.
    package init(only key: [UInt8]? = nil) { only = key }

    package func place(of partition: TopicPartition) async throws -> KeyedPlace? {
        copies.withLock { $0[partition]?.place }
    }

    package func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws {
        copies.withLock { copies in
            var copy = copies[partition] ?? Copy(place: place)
            if copy.place.incarnation != place.incarnation { copy = Copy(place: place) }
            copy.place = KeyedPlace(
                incarnation: place.incarnation, next: place.next, last: place.last ?? copy.place.last)
            for entry in entries {
                guard let key = entry.key, only == nil || key == only else { continue }
                if entry.value == nil {
                    copy.entries[key] = nil
                } else {
                    copy.entries[key, default: []].append(entry)
                }
            }
            copies[partition] = copy
        }
    }

    package func trim(_ partition: TopicPartition, before offset: Int64) async throws {
        copies.withLock { copies in
            for key in copies[partition]?.entries.keys.map(\.self) ?? [] {
                copies[partition]?.entries[key]?.removeAll { $0.offset < offset }
            }
        }
    }

    package func forget(_ partition: TopicPartition) async throws { copies.withLock { $0[partition] = nil } }

    package func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
        copies.withLock { copies in
            guard let copy = copies[partition] else { return LogBatch(entries: [], nextOffset: offset, isAtEnd: true) }
            let found = (copy.entries[key] ?? []).lazy.filter { $0.offset >= offset }.prefix(Self.batchEntriesMax)
            let entries = Array(found)
            let isAtEnd = entries.count < Self.batchEntriesMax
            let next = isAtEnd ? max(offset, copy.place.next) : entries[entries.count - 1].offset + 1
            return LogBatch(entries: entries, nextOffset: next, isAtEnd: isAtEnd)
        }
    }

    package func keys(of partition: TopicPartition) async throws -> [[UInt8]] {
        copies.withLock { copies in
            (copies[partition]?.entries ?? [:]).filter { !$0.value.isEmpty }.map(\.key)
        }
    }

    package func close() async {}
}
