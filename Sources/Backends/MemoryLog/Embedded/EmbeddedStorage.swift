package import EventLog
package import Waiting

/// The parts of an embedded log that `EmbeddedFollower` and `EmbeddedMembership` need.
package protocol EmbeddedStorage: Sendable {
    /// Rung for a partition after something was appended to it, removed from it, or its topic was deleted.
    var bell: Bell<TopicPartition> { get }

    /// Reads what there is from an offset on, up to a batch's size, without waiting.
    /// - Parameter isLook: true for a look, whose batches are small, as very many may be held at once.
    func read(_ partition: TopicPartition, from offset: Int64, isLook: Bool) async throws -> LogBatch

    /// The positions that a group has committed.
    func positions(of group: GroupName, _ partitions: [TopicPartition]) async throws -> [TopicPartition: LogPosition]

    /// Stores positions of a group.
    func store(_ positions: [TopicPartition: LogPosition], of group: GroupName) async throws
}
