/// Membership of a group. Partitions come and go; the owner is responsible for the work on them in between.
package protocol LogMembership: Sendable {
    /// The next change of ownership; waits for it.
    /// - Throws: `LogError.closed` after `leave()`, `CancellationError`.
    func next() async throws -> MembershipEvent

    /// The positions that the group committed for partitions that are being taken over.
    func committed(_ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition]

    /// Begins to read a partition that was assigned. The follower ends when the partition is released or lost.
    func start(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower

    /// Commits positions: the work before them is finished.
    func commit(_ positions: [TopicPartition: LogPosition]) async throws

    /// Gives revoked partitions back; only then do others get them. Commit before.
    func release(_ partitions: [TopicPartition]) async throws

    /// Leaves the group at once, so that others take over.
    func leave() async
}
