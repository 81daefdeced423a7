package import CloudModel
import EventLog

extension DeliveryEntry {
    /// The origin that names hits of the past of a database's changes. Their offsets are sequences of changes.
    package static func pastOrigin(_ database: DatabaseScope) -> String { "past.\(database)" }

    /// Returns true if it is part of a subscription's backfill: then the subscription's own state says whether it came
    /// before, not the seen positions of the partition.
    package var isOfPast: Bool { source?.origin.hasPrefix("past.") ?? false }
}
