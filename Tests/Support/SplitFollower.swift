package import EventLog
import Synchronization

/// A follower that returns the batches of another one in parts.
package final class SplitFollower: LogFollower {
    private let base: any LogFollower
    private let size: @Sendable () -> Int
    /// The part of the last batch that was not returned.
    private let rest = Mutex<LogBatch?>(nil)

    /// - Parameter size: the number of entries of the next part.
    package init(_ base: any LogFollower, size: @escaping @Sendable () -> Int = { 1 }) {
        self.base = base
        self.size = size
    }

    package func next() async throws -> LogBatch {
        if let batch = rest.withLock({ $0.take() }) { return part(of: batch) }
        return part(of: try await base.next())
    }

    private func part(of batch: LogBatch) -> LogBatch {
        let size = size()
        guard batch.entries.count > size else { return batch }
        var later = batch
        later.entries.removeFirst(size)
        rest.withLock { $0 = later }
        return LogBatch(
            entries: Array(batch.entries.prefix(size)), nextOffset: later.entries[0].offset, isAtEnd: false)
    }

    package func close() { base.close() }
}
