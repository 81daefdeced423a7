package import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers
import Timing

/// Finds the pushes that devices missed where their notifications are: in one pass over the journals of a partition. A
/// second pass reads the entries that were found, so that memory has counts and offsets alone.
package struct MissedInFeeds: MissedPushes {
    private let log: any EventLog
    private let layout: TopicLayout

    /// - Parameter log: with or without the view of users' journals as topics.
    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
    }

    package func missed(
        by lines: [MissedLine], before next: SourcePosition?,
        found: @escaping @Sendable (_ line: MissedLine, _ entry: [UInt8], _ count: Int) throws -> Void
    ) async throws {
        for (partition, own) in Dictionary(grouping: lines, by: { layout.journals(of: $0.user) }) {
            try await missed(by: own, in: partition, before: next, found)
        }
    }

    private func missed(
        by lines: [MissedLine], in partition: TopicPartition, before next: SourcePosition?,
        _ found: @Sendable (_ line: MissedLine, _ entry: [UInt8], _ count: Int) throws -> Void
    ) async throws {
        guard let bounds = try await log.bounds(of: [partition])[partition] else { return }
        var tallies: [String: [MissedTally]] = [:]
        for line in lines { tallies[line.user.rawValue, default: []].append(MissedTally(line)) }
        let names = lines.map(\.settled)
        let first = names.contains(nil) ? nil : names.compactMap { $0 }.min { $1.isAbove($0) }
        let start = try await offset(after: first, in: partition, bounds)
        try await read(partition, from: start, before: next) { entry, name, offset in
            guard var own = tallies.removeValue(forKey: entry.user) else { return true }
            for index in own.indices { own[index].take(entry, named: name, at: offset) }
            tallies[entry.user] = own
            return true
        }
        var wanted: [Int64: [MissedTally]] = [:]
        for tally in tallies.values.joined() {
            guard let newest = tally.newest else { continue }
            wanted[newest, default: []].append(tally)
        }
        guard let lowest = wanted.keys.min(), let highest = wanted.keys.max() else { return }
        try await read(partition, from: lowest, before: nil) { entry, _, offset in
            for tally in wanted[offset] ?? [] {
                guard let pushed = Self.entry(entry, for: tally) else { continue }
                try found(tally.line, pushed, tally.count)
            }
            return offset < highest
        }
    }

    private static func entry(_ entry: FeedEntry, for tally: MissedTally) -> [UInt8]? {
        let line = tally.line
        let target = PushTarget(
            device: line.device.rawValue, epoch: line.epoch.rawValue, courier: line.kind.rawValue, badge: tally.badge,
            since: line.sequence.rawValue)
        var pushed = PushEntry(
            source: entry.source, user: entry.user, time: entry.time, device: entry.device, epoch: entry.epoch,
            targets: [target])
        switch entry.entry {
        case .query(var query)?:
            (query.badges, query.changeCount) = ([], tally.changes > 1 ? tally.changes : 0)
            pushed.notification = query
        case .omitted(let omitted)?: pushed.omitted = omitted
        default: return nil
        }
        return pushed.encoded()
    }

    // MARK: Reading

    /// Partitions of this size are searched, others are read from their start.
    private static let searchedMin: Int64 = 4096

    /// The offset from which on a partition has all entries above a name. Names ascend, but for repeats of a writer that
    /// began again: it repeats all that follows, so that any place at which names pass the one that is searched will do.
    private func offset(
        after name: SourcePosition?, in partition: TopicPartition, _ bounds: OffsetBounds
    ) async throws -> Int64 {
        guard let name else { return bounds.start }
        var (low, high) = (bounds.start, bounds.end)
        while high - low > Self.searchedMin {
            let middle = low + (high - low) / 2
            var isBefore = false
            try await read(partition, from: middle, before: nil) { _, found, offset in
                // Names of another source cannot be compared: then all is read.
                isBefore = found.source == name.source && !found.isAbove(name)
                return false
            }
            if isBefore { low = middle } else { high = middle }
        }
        return low
    }

    /// Calls back for the entries of a partition up to its end, or to a name, or until a call returns false. Entries that
    /// cannot be read are passed by. A broker that was paused may report an old end: the entries behind it are read a
    /// while later, as nothing asks for them again.
    private func read(
        _ partition: TopicPartition, from offset: Int64, before next: SourcePosition?,
        _ body: (_ entry: FeedEntry, _ name: SourcePosition, _ offset: Int64) throws -> Bool
    ) async throws {
        guard let end = try await readOnce(partition, from: offset, before: next, body), log.staleBoundsMax > .zero
        else { return }
        try await Time.sleep(for: log.staleBoundsMax)
        _ = try await readOnce(partition, from: end, before: next, body)
    }

    /// - Returns: the reported end; nil where the name was met or a call returned false.
    private func readOnce(
        _ partition: TopicPartition, from offset: Int64, before next: SourcePosition?,
        _ body: (_ entry: FeedEntry, _ name: SourcePosition, _ offset: Int64) throws -> Bool
    ) async throws -> Int64? {
        let follower = try await log.look(partition, from: offset)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            for found in batch.entries {
                guard let value = found.value, let entry = try? FeedEntry(decoding: value),
                    let name = entry.source?.position
                else { continue }
                if let next, next.source == name.source, !next.isAbove(name) { return nil }
                guard try body(entry, name, found.offset) else { return nil }
            }
            if batch.isAtEnd { return batch.nextOffset }
        }
    }
}
