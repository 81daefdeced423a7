import CloudMessages
import CloudModel
import EventLog

/// The names of the hits of a partition's changes: the sequences of the changes in their store. A change that a log has
/// lost and that is published again, at another offset, gives hits with the same names.
struct HitNames {
    /// The partition as a source: earlier builds named hits by it.
    private let partition: SourceID
    private let origin: String
    private let formerEnd: Int64

    /// - Parameter formerEnd: the offset below which an earlier build may have written hits.
    init(_ partition: SourceID, _ layout: TopicLayout, formerEnd: Int64) {
        self.partition = partition
        self.formerEnd = formerEnd
        let database = DatabaseScope.allCases.first { layout.shortName(layout.changes($0)) == partition.origin }
        origin = DeliveryEntry.hitsOrigin(database ?? .public)
    }

    /// The name of the first entry of a change's hits.
    ///
    /// A change that was set aside and is tried again comes behind later ones: it is named by its place.
    /// - Parameter name: that of the change.
    func name(of name: SourcePosition, at offset: Int64) -> SourcePosition {
        guard name.source == .store(name.source.incarnation) else {
            return SourcePosition(source: partition, offset: offset)
        }
        return SourcePosition(
            source: SourceID(
                origin: origin, incarnation: name.source.incarnation, partition: partition.partition),
            offset: name.offset)
    }

    /// The incarnation of the topic that an earlier build would have named an entry by, if it may have written it;
    /// otherwise 0.
    func formerly(of name: SourcePosition, at offset: Int64) -> UInt64 {
        offset < formerEnd && name.source != partition ? partition.incarnation : 0
    }
}
