package import EventLog

extension SourceID {
    /// A record store; its positions are sequences.
    package static func store(_ incarnation: UInt64) -> SourceID {
        SourceID(origin: "store", incarnation: incarnation, partition: 0)
    }

    /// The origin of entries that were set aside and are tried again.
    package static let retryOrigin = "retry"

    /// The origin of a source in stage 1's committed positions: its incarnation is a store's, and its position the
    /// creation of the last subscription whose backfill of the partition is delivered.
    package static let pastDoneOrigin = "past.done"
}
