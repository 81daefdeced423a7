package import EventLog
import Synchronization

/// A view with the newest entries cached in memory: readers at the end, which are nearly all, read no file.
///
/// Memory has all entries of a partition from some offset on, its floor; reads from before it go to the view. The cache
/// has two generations: a full young one replaces the old one, whose entries remain in the view.
package final class CachedKeyedView: KeyedView {
    /// Bytes of cached entries of all partitions of the view together, with the overhead of keeping them.
    package static let bytesMax = 16 << 20
    /// Overhead in bytes of an entry that is the only one of its key: three arrays, their elements, and the rounding of
    /// malloc.
    private static let entryBytes = 240

    private typealias Journals = [[UInt8]: [LogEntry]]

    /// The latest of a partition, since its place was asked for.
    private struct Part {
        var incarnation: UInt64
        /// The next offset that the view takes.
        var next: Int64
        var old: Journals = [:]
        /// The offset from which the old half has everything.
        var floor: Int64
        var young: Journals = [:]
        /// The offset from which the young half has everything, and before which the old one ends.
        var youngFloor: Int64

        init(_ place: KeyedPlace, from offset: Int64) {
            incarnation = place.incarnation
            (next, floor, youngFloor) = (offset, offset, offset)
        }
    }

    private struct State {
        var parts: [TopicPartition: Part] = [:]
        var youngBytes = 0

        /// Makes the young halves the old ones; returns those, for who frees them without the lock.
        mutating func rotate() -> [Journals] {
            var left: [Journals] = []
            for partition in Array(parts.keys) {
                guard var part = parts.removeValue(forKey: partition) else { continue }
                left.append(part.old)
                (part.old, part.floor) = (part.young, part.youngFloor)
                (part.young, part.youngFloor) = ([:], part.next)
                parts[partition] = part
            }
            youngBytes = 0
            return left
        }

        /// Takes entries of a partition, up to an offset; returns the entries to free.
        mutating func take(
            _ entries: [LogEntry], of partition: TopicPartition, to next: Int64, halfBytesMax: Int
        ) -> [Journals] {
            guard var part = parts.removeValue(forKey: partition) else { return [] }
            var left: [Journals] = []
            for entry in entries where entry.offset >= part.next {
                if let key = entry.key, let value = entry.value {
                    let headers = entry.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
                    let bytes = key.count + value.count + headers + CachedKeyedView.entryBytes
                    if youngBytes > 0, youngBytes + bytes > halfBytesMax {
                        parts[partition] = part
                        left += rotate()
                        part = parts.removeValue(forKey: partition)!
                    }
                    part.young[key, default: []].append(
                        LogEntry(
                            offset: entry.offset, timestamp: entry.timestamp, appended: entry.appended, key: key,
                            value: value, headers: entry.headers))
                    youngBytes += bytes
                } else if let key = entry.key {
                    // The young half counts their bytes until it is the old one.
                    for entries in [part.old.removeValue(forKey: key), part.young.removeValue(forKey: key)] {
                        if let entries { left.append([key: entries]) }
                    }
                }
                part.next = entry.offset + 1
            }
            part.next = max(part.next, next)
            parts[partition] = part
            return left
        }
    }

    private let view: any KeyedView
    private let halfBytesMax: Int
    private let state = Mutex(State())

    /// - Parameter bytesMax: bytes in memory at most.
    package init(_ view: any KeyedView, bytesMax: Int = CachedKeyedView.bytesMax) {
        self.view = view
        halfBytesMax = bytesMax / 2
    }

    /// The view's position. The caller continues from there, and the cache drops its entries of the partition, which
    /// may not reach up to it.
    package func place(of partition: TopicPartition) async throws -> KeyedPlace? {
        drop(partition)
        let place = try await view.place(of: partition)
        if let place { state.withLock { $0.parts[partition] = Part(place, from: place.next) } }
        return place
    }

    package func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws {
        do {
            try await view.take(entries, of: partition, to: place)
        } catch {
            // The view may have them, or not.
            drop(partition)
            throw error
        }
        let left = state.withLock { state in
            var left: [Journals] = []
            if let part = state.parts[partition], part.incarnation != place.incarnation {
                left += [part.old, part.young]
                state.parts[partition] = nil
            }
            if state.parts[partition] == nil {
                state.parts[partition] = Part(place, from: entries.first?.offset ?? place.next)
            }
            return left + state.take(entries, of: partition, to: place.next, halfBytesMax: halfBytesMax)
        }
        withExtendedLifetime(left) {}
    }

    package func trim(_ partition: TopicPartition, before offset: Int64) async throws {
        state.withLock { state in
            guard var part = state.parts.removeValue(forKey: partition) else { return }
            part.floor = max(part.floor, offset)
            part.youngFloor = max(part.youngFloor, offset)
            state.parts[partition] = part
        }
        try await view.trim(partition, before: offset)
    }

    package func forget(_ partition: TopicPartition) async throws {
        drop(partition)
        try await view.forget(partition)
    }

    package func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
        if let batch = state.withLock({ state in
            state.parts[partition].flatMap { $0.floor <= offset ? Self.batch(of: key, in: $0, from: offset) : nil }
        }) {
            return batch
        }
        return try await view.entries(of: key, in: partition, from: offset)
    }

    package func keys(of partition: TopicPartition) async throws -> [[UInt8]] { try await view.keys(of: partition) }

    package func close() async { await view.close() }

    private func drop(_ partition: TopicPartition) {
        // What it holds is freed without the lock.
        let part = state.withLock { $0.parts.removeValue(forKey: partition) }
        withExtendedLifetime(part) {}
    }

    private static func batch(of key: [UInt8], in part: Part, from offset: Int64) -> LogBatch {
        var entries: [LogEntry] = []
        var bytes = 0
        for half in [part.old[key], part.young[key]] {
            guard let half else { continue }
            for entry in half[half.firstIndex(atOrAfter: offset)...] {
                entries.append(entry)
                bytes += entry.value?.count ?? 0
                if entries.count == KeyedBatch.entriesMax || bytes >= KeyedBatch.bytesMax {
                    return LogBatch(entries: entries, nextOffset: entry.offset + 1, isAtEnd: false)
                }
            }
        }
        return LogBatch(entries: entries, nextOffset: max(offset, part.next), isAtEnd: true)
    }
}

extension [LogEntry] {
    /// The place of the first entry from an offset on, of entries in the order of their offsets.
    fileprivate func firstIndex(atOrAfter offset: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
