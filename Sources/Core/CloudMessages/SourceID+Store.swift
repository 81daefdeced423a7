package import EventLog

extension SourceID {
    /// A record store; its positions are sequences.
    package static func store(_ incarnation: UInt64) -> SourceID {
        SourceID(origin: "store", incarnation: incarnation, partition: 0)
    }
}
