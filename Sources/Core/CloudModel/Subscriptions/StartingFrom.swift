/// The place in the past from which on a new subscription tells of changes.
package enum StartingFrom: Hashable, Sendable {
    /// Changes after its creation only.
    case now
    /// Also those that were committed at this time or later, as far as changes are kept.
    case time(Timestamp)
    /// Also those from the last change on that the user's device had been told of at this change token.
    case changeToken(String)
}
