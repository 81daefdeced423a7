/// The parts of a stage's state: an input partition, its group, and the compacted partition beside it.
package struct StateClaim: Hashable, Sendable {
    /// The partition whose entries change the state.
    package var input: TopicPartition
    /// The group whose members read the input. The authoritative position is committed with the state; the group gets a
    /// copy for tools.
    package var group: GroupName
    /// The partition of a compacted topic that holds the state.
    package var state: TopicPartition

    package init(input: TopicPartition, group: GroupName, state: TopicPartition) {
        self.input = input
        self.group = group
        self.state = state
    }
}

/// Keys that a log may use in topics of state: followers of such a topic skip them.
package enum ReservedKey {
    /// The last owner of the partition: a number that was never used before.
    package static let owner = Array("#owner".utf8)
    /// Holds the input's next offset.
    package static let offset = Array("#offset".utf8)

    /// Returns true for a key of the log's own.
    package static func contains(_ key: [UInt8]) -> Bool { key == owner || key == offset }
}

/// The exclusive hold on a partition's state. A later takeover fences this one.
package protocol LogStateSession: Sendable {
    /// The state at the takeover, by key, without the log's own keys. As it may be large, it is released with the first
    /// commit, and is empty from then on.
    var initialState: [[UInt8]: [UInt8]] { get }
    /// The input offset that the state belongs to; nil when nothing was committed yet.
    var initialOffset: Int64? { get }

    /// Commits changed state and the input's next offset in one step: both or neither.
    /// - Parameter changes: keys with their new values; nil removes a key.
    /// - Throws: `LogError.fenced` if another session has taken over; `CancellationError` promptly, when it may or may
    ///   not be committed. After any failure take over again.
    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws

    /// Ends the session.
    func close() async
}
