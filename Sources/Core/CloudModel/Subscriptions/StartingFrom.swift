/// The start of a new subscription's backfill.
package enum StartingFrom: Hashable, Sendable {
    /// Changes after its creation only.
    case now
    /// Also those that were committed at this time or later, as far as changes are kept.
    case time(Timestamp)
    /// Changes after the last one that the user's device had received at this change token.
    case changeToken(String)
    /// Changes after the last one that a query had seen, and the time of that one.
    case query(after: CommitSequence, at: Timestamp)
}
