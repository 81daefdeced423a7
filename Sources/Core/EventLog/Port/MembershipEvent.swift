/// A change of ownership.
package enum MembershipEvent: Hashable, Sendable {
    /// These partitions are the member's now; `start` them.
    case assigned([TopicPartition])
    /// These have to be given back: finish, commit, `release`.
    case revoked([TopicPartition])
    /// These are others' already: drop all work on them; commits would be refused.
    case lost([TopicPartition])
}
