/// The parts of a stage's state: an input partition, its group, and the compacted partition beside it.
package struct StateClaim: Hashable, Sendable {
    /// The partition whose entries change the state.
    package var input: TopicPartition
    /// The group whose position in the input is committed with the state.
    package var group: GroupName
    /// The partition of a compacted topic that holds the state.
    package var state: TopicPartition

    package init(input: TopicPartition, group: GroupName, state: TopicPartition) {
        self.input = input
        self.group = group
        self.state = state
    }
}

/// The exclusive hold on a partition's state. A later takeover fences this one.
package protocol LogStateSession: Sendable {
    /// The state as it was when it was taken over, by key.
    var initialState: [[UInt8]: [UInt8]] { get }
    /// The input offset that the state belongs to; nil when nothing was committed yet.
    var initialOffset: Int64? { get }

    /// Commits changed state and the input's next offset in one step: both or neither.
    /// - Parameter changes: keys with their new values; nil removes a key.
    /// - Throws: `LogError.fenced` when another session has taken over; after any failure take over anew.
    func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws

    /// Ends the session.
    func close() async
}
