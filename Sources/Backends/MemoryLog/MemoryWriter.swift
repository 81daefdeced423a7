import EventLog
import Synchronization

/// Appends to a `MemoryLog`.
final class MemoryWriter: LogWriter {
    private let log: MemoryLog
    private let isClosed = Atomic(false)

    init(log: MemoryLog) { self.log = log }

    func append(_ entries: [OutgoingEntry]) async throws {
        guard !isClosed.load(ordering: .relaxed) else { throw LogError.closed }
        try log.append(entries)
    }

    func close() async { isClosed.store(true, ordering: .relaxed) }
}
