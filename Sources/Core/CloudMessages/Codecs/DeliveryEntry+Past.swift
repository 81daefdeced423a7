package import CloudModel
import EventLog

extension DeliveryEntry {
    /// The origin that names hits of the past of a database's changes. Their offsets are sequences of changes.
    package static func pastOrigin(_ database: DatabaseScope) -> String { "past.\(database)" }

    /// Returns true if it is of the share of a partition in the past of a subscription: the subscription's own state says whether it
    /// came before, not what the partition has seen.
    package var isOfPast: Bool { source?.origin.hasPrefix("past.") ?? false }
}
