package import EventLog
import Synchronization

/// A writer that counts the entries which the log has acknowledged since a look at its ends (`TailWatch`).
package final class CountingWriter: LogWriter {
    private struct State {
        var looks = 0
        var counts: [TopicPartition: Int64] = [:]
    }

    private let writer: any LogWriter
    private let state = Mutex(State())

    package init(_ writer: any LogWriter) { self.writer = writer }

    package func append(_ entries: [OutgoingEntry]) async throws {
        let look = state.withLock { $0.looks }
        try await writer.append(entries)
        state.withLock { state in
            // Entries under way during a look may be below the ends that it has found.
            guard state.looks == look else { return }
            for entry in entries { state.counts[entry.partition, default: 0] += 1 }
        }
    }

    package func close() async { await writer.close() }

    /// The entries that were appended and acknowledged since the last look, at the least.
    var counts: [TopicPartition: Int64] { state.withLock { $0.counts } }

    /// Takes note that the ends were looked at.
    func looked() { state.withLock { $0 = State(looks: $0.looks + 1) } }
}
