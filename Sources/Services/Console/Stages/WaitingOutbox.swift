package import CloudModel
package import JSON
import RecordService
package import RecordStore

/// The rows of a store that wait to be published to the log.
package struct WaitingOutbox: Sendable {
    /// The number of rows.
    package var rows: Int
    /// Bytes of their values.
    package var bytes: Int
    /// The age of the oldest one in seconds; 0 where none waits.
    package var seconds: Double

    /// Reads the store. Counts the rows unless their totals are given, which takes as long as there are many.
    package init(
        of store: any RecordStore, totals: OutboxTotals? = nil, now: Timestamp
    ) async throws {
        let (found, oldest) = try await store.read { reader in
            let published = try PublishedRows.last(reader)
            return (
                try totals ?? reader.outboxTotals(after: published),
                try reader.outbox(after: published, limit: 1, bytesMax: 1).first?.time
            )
        }
        rows = found.rows
        bytes = found.bytes
        seconds = oldest.map { max(0, Double(now.milliseconds - $0.milliseconds) / 1000) } ?? 0
    }

    /// The outbox for programs.
    package var json: JSONValue {
        ["rows": .integer(Int64(rows)), "bytes": .integer(Int64(bytes)), "seconds": .double(seconds)]
    }
}
