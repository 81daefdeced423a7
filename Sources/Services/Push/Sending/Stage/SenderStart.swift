import CloudMessages
import Continuity
import EventLog
import Stages

/// The place at which a sender begins to read its partition.
struct SenderStart {
    /// The offset, in the topic that there is.
    let position: LogPosition
    let follower: any LogFollower
    /// True if entries behind the committed offset are gone.
    let isLost: Bool
    /// The end of the partition after the takeover: a former owner has read nothing beyond it.
    let end: Int64

    /// - Parameters:
    ///   - committed: the offset of the state; nil at the first start, which begins with the first entry that is kept.
    ///   - state: what the state says of the topic that the offset counts in; nil without a state.
    init(
        _ log: any EventLog, _ partition: TopicPartition, committed: Int64?, _ state: PartitionState?,
        _ membership: any LogMembership
    ) async throws {
        let incarnation = state?.incarnation ?? 0
        let marks = state?.marks.map(\.mark) ?? []
        let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
        var from = committed.map { LogPosition(offset: $0, incarnation: incarnation, marks: marks) }
        let isTrimmed = committed.map { $0 < bounds.start } ?? false
        if isTrimmed { from!.offset = bounds.start }
        let (position, follower, lost) = try await log.follow(partition, from: from) {
            try await membership.start(partition, from: $0)
        }
        lost?.report(by: .push)
        (self.position, self.follower) = (position, follower)
        end = bounds.end
        isLost = isTrimmed || committed != nil && incarnation != 0 && incarnation != position.incarnation
    }
}
