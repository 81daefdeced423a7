import EventLog
import Synchronization

/// The part of the log that one search may read.
final class ReadingBudget: Sendable {
    /// Thrown when a search would read more.
    struct Spent: Error {}

    /// The least that a page costs: small ones are as many requests to the log.
    static let pageBytesMin = 16 << 10
    private let bytes: Mutex<Int>

    init(bytes: Int) { self.bytes = Mutex(bytes) }

    /// Checks before a page is read that there is something left.
    /// - Throws: `Spent`.
    func check() throws { if bytes.withLock({ $0 <= 0 }) { throw Spent() } }

    /// Takes the bytes of a page that was read.
    func take(_ batch: LogBatch) {
        let read = batch.entries.reduce(0) { $0 + ($1.value?.count ?? 0) }
        bytes.withLock { $0 -= max(Self.pageBytesMin, read) }
    }
}
