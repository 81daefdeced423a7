package import CloudModel
package import EventLog

extension DeliveryEntry {
    /// The origin that names hits of a database's changes. Their offsets are sequences of the store that committed the
    /// changes: a change that is published again, at another offset, gives hits with the same names.
    package static func hitsOrigin(_ database: DatabaseScope) -> String { "hits.\(database)" }

    /// The origin that names hits of the past of a database's changes. Their offsets are sequences of changes.
    package static func pastOrigin(_ database: DatabaseScope) -> String { "past.\(database)" }

    /// Returns true if it is part of a subscription's backfill: then the subscription's own state says whether it came
    /// before, not the seen positions of the partition.
    package var isOfPast: Bool { source?.origin.hasPrefix("past.") ?? false }

    /// The database whose changes named hits were made from; nil for hits of backfills, for hits that earlier builds or
    /// a retry named by the offset of the change, and for other entries.
    package var hitsDatabase: DatabaseScope? {
        guard let origin = source?.origin else { return nil }
        return DatabaseScope.allCases.first { origin == Self.hitsOrigin($0) }
    }

    /// The name that a build which named hits by the offset of the change would have given the entry; nil where such a
    /// build cannot have written it.
    package func formerName(_ layout: TopicLayout) -> SourcePosition? {
        guard formerly != 0, let database = hitsDatabase, let source else { return nil }
        return SourcePosition(
            source: SourceID(
                origin: layout.shortName(layout.changes(database)), incarnation: formerly, partition: source.partition),
            offset: place, index: source.index)
    }
}

extension LogPosition {
    /// Takes note of an entry of `deliveries`, by its name and by the one that an earlier build would have given it.
    /// - Returns: false for a duplicate.
    package mutating func advance(to name: SourcePosition, of entry: DeliveryEntry, in layout: TopicLayout) -> Bool {
        guard advance(to: name) else { return false }
        guard let former = entry.formerName(layout), let last = seen[former.source] else { return true }
        return former.isAbove(last)
    }
}
