import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Reads the latest entries of partitions of `changes.*`.
///
/// Partitions are read backwards, all of them at once, each in few steps: a reader of a log takes a whole batch from the
/// place where it begins, so that many small steps would read the end of a partition again with each of them. The first
/// step is small, and says how large entries are.
struct ChangeHistory {
    /// Entries that are read first, when nothing is known of how large they are.
    static let firstStep: Int64 = 4
    /// Entries that are read more than the other partitions let expect, so that one step is mostly enough.
    static let spareEntries = 8

    let log: any EventLog

    /// A change in its stored form.
    private struct Found {
        var sequence: CommitSequence
        var value: [UInt8]
    }

    /// A partition that is read backwards.
    private struct Reading {
        var partition: TopicPartition
        /// The first offset that the partition has.
        var start: Int64
        /// The first offset that was read.
        var next: Int64
        /// Bytes that may still be read.
        var bytesLeft: Int
        /// Entries that were read.
        var entries = 0
        /// Bytes that were read.
        var bytes = 0
        /// All entries before the first one that was read have lower sequences; nil until a change was read.
        var oldest: CommitSequence?
        var found: [Found] = []

        var isExhausted: Bool { next <= start || bytesLeft <= 0 || entries >= Limits.testChangesMax }

        /// Entries to read in a step, as far as there is room for their bytes.
        func step(_ wanted: Int) -> Int64 {
            guard entries > 0 else { return ChangeHistory.firstStep }
            let room = bytes > 0 ? max(1, bytesLeft / max(1, bytes / entries)) : wanted
            return Int64(min(wanted, room, Limits.testChangesMax - entries))
        }

        mutating func take(_ read: [LogEntry], from offset: Int64, _ concerns: (LogEntry) -> Bool) {
            var newest: CommitSequence?
            for entry in read {
                entries += 1
                guard let value = entry.value else { continue }
                bytes += value.count
                bytesLeft -= value.count
                guard let sequence = ChangeHistory.sequence(of: entry, value) else { continue }
                newest = max(newest ?? sequence, sequence)
                if concerns(entry) { found.append(Found(sequence: sequence, value: value)) }
            }
            next = offset
            // Not the least one: entries that a writer repeated have lower ones than those before them.
            oldest = newest ?? oldest
        }
    }

    /// The latest changes of partitions in their stored form: at most `count` of all of them together, of each no more
    /// than are among its last `Limits.testChangesMax` entries, and no more after its part of `Limits.testBytesMax`.
    /// - Parameters:
    ///   - count: nil for all that are within the other bounds.
    ///   - concerns: returns false for entries that do not count.
    func latest(
        _ partitions: [TopicPartition], count: Int?, _ concerns: @escaping @Sendable (LogEntry) -> Bool = { _ in true }
    ) async throws -> [[UInt8]] {
        var readings = try await log.bounds(of: partitions).map { partition, bounds in
            Reading(
                partition: partition, start: bounds.start, next: bounds.end,
                bytesLeft: Limits.testBytesMax / partitions.count)
        }
        while !Task.isCancelled {
            let least = Self.least(of: readings, count)
            let open = readings.indices.filter { place in
                let reading = readings[place]
                guard !reading.isExhausted else { return false }
                guard let least, let oldest = reading.oldest else { return true }
                return oldest > least
            }
            guard !open.isEmpty else { break }
            let have = readings.reduce(0) { $0 + $1.found.count }
            let wanted = count.map { max(0, $0 - have) / open.count * 5 / 4 + Self.spareEntries }
            let steps = open.map {
                ($0, readings[$0].partition, readings[$0].next, readings[$0].start, readings[$0].bytesLeft)
            }
            let wants = open.map { readings[$0].step(max(wanted ?? Limits.testChangesMax, readings[$0].entries)) }
            let read = try await withThrowingTaskGroup(of: (Int, Int64, [LogEntry]).self) { group in
                for ((place, partition, end, start, bytesMax), step) in zip(steps, wants) {
                    group.addTask {
                        let offset = max(start, end - step)
                        let found = try await entries(of: partition, offset, before: end, bytesMax: bytesMax)
                        return (place, found.first.map { max(offset, $0) } ?? offset, found.entries)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (place, offset, entries) in read { readings[place].take(entries, from: offset, concerns) }
        }
        let least = Self.least(of: readings, count)
        return readings.flatMap { $0.found.filter { $0.sequence >= least ?? .zero }.map(\.value) }
    }

    /// The sequence of the last one of the latest changes; nil while fewer are found.
    private static func least(of readings: [Reading], _ count: Int?) -> CommitSequence? {
        guard let count else { return nil }
        // A writer that was interrupted repeats entries.
        let sequences = Set(readings.flatMap { $0.found.map(\.sequence) })
        guard sequences.count >= count, count > 0 else { return nil }
        return sequences.sorted(by: >)[count - 1]
    }

    /// The sequence of a change, from the header, or from the change itself where it has none.
    private static func sequence(of entry: LogEntry, _ value: [UInt8]) -> CommitSequence? {
        if let header = entry.headers.first(where: { $0.name == "fanfare-sequence" }),
            let sequence = Int64(String(decoding: header.value, as: UTF8.self))
        {
            return CommitSequence(sequence)
        }
        return (try? ChangeEvent(decoding: value).change())?.sequence
    }

    /// The entries of a range; the last ones of it, where they have more bytes than there is room for: `first` is then the
    /// offset of the first one. There is always one.
    private func entries(
        of partition: TopicPartition, _ start: Int64, before end: Int64, bytesMax: Int
    ) async throws -> (first: Int64?, entries: [LogEntry]) {
        let follower = try await log.look(partition, from: start)
        defer { follower.close() }
        var entries: [LogEntry] = []
        var bytes = 0
        var first: Int64?
        while true {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < end {
                entries.append(entry)
                bytes += entry.value?.count ?? 0
            }
            var dropped = 0
            while bytes > bytesMax, dropped < entries.count - 1 {
                bytes -= entries[dropped].value?.count ?? 0
                dropped += 1
            }
            if dropped > 0 {
                entries.removeFirst(dropped)
                first = entries[0].offset
            }
            if batch.nextOffset >= end { return (first, entries) }
        }
    }
}
