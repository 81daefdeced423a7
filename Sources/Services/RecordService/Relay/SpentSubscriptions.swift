import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The subscriptions that have fired once, as `delivery-state` lists them by user and creation: retention may have
/// removed the commands for their deletion unread.
struct SpentSubscriptions: Sendable {
    let layout: TopicLayout
    let log: any EventLog

    /// Reads the current content of the topic.
    func read() async throws -> [UserRecordName: Set<CommitSequence>] {
        var spent: [UserRecordName: Set<CommitSequence>] = [:]
        for number in 0..<layout.partitions {
            try await read(TopicPartition(layout.deliveryState, number), into: &spent)
        }
        return spent
    }

    private func read(
        _ partition: TopicPartition, into spent: inout [UserRecordName: Set<CommitSequence>]
    ) async throws {
        let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
        guard bounds.end > bounds.start else { return }
        let follower = try await log.follow(partition, from: bounds.start)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            for entry in batch.entries {
                guard let key = entry.key, let user = try? UserRecordName(String(decoding: key, as: UTF8.self)) else {
                    continue
                }
                let state = try entry.value.map { try UserState(decoding: $0) }
                let created = Set((state?.spent ?? []).map { CommitSequence($0.created) })
                spent[user] = created.isEmpty ? nil : created
            }
            if batch.nextOffset >= bounds.end { return }
        }
    }
}
