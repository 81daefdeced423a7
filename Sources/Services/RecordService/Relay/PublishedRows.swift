package import CloudModel
package import RecordStore

/// The rows of the outbox that the log has acknowledged: those up to a sequence. They may be kept in the store for a
/// while, and wait for nothing.
package enum PublishedRows {
    /// The name under which the store keeps the sequence.
    private static let reader = "outbox.published"

    /// The last row that is published, as far as the store knows: one that was published a moment ago may be missing.
    package static func last(_ reader: any StoreReader) throws -> CommitSequence {
        let stored = try reader.position(Self.reader).map { String(decoding: $0, as: UTF8.self) }
        return CommitSequence(stored.flatMap { Int64($0) } ?? 0)
    }

    /// Notes that all rows up to one are published.
    static func note(_ last: CommitSequence, _ transaction: any StoreTransaction) throws {
        guard try Self.last(transaction) < last else { return }
        try transaction.setPosition(Array("\(last.rawValue)".utf8), of: reader)
    }
}
