import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry

/// Follows `delivery-state`, so that requests know what delivery has applied.
struct DeliveryFollower: Sendable {
    let progress: DeliveryProgress
    let layout: TopicLayout
    let log: any EventLog
    var check = StartCheck.none

    /// Follows all partitions until the task is cancelled.
    func run() async {
        let stage = StageProgress(.state, scope: "\(layout.scope)")
        let partitions = (0..<layout.partitions).map { TopicPartition(layout.deliveryState, $0) }
        let behind = Behind(partitions)
        stage.waits(for: Self.reading)
        await stage.watched(on: log) {
            await withTaskGroup(of: Void.self) { group in
                for partition in partitions {
                    group.addTask {
                        await follow(partition, stage) {
                            // Requests may come once all has been read that was there at the start.
                            if behind.remove(partition) { stage.waits(for: nil) }
                        }
                    }
                }
            }
        }
    }

    private static let reading = "delivery-state, whose entries from before the start are not read yet"

    /// - Parameter caughtUp: called whenever everything was read that was there when the following began.
    private func follow(
        _ partition: TopicPartition, _ stage: StageProgress, caughtUp: @escaping @Sendable () -> Void
    ) async {
        stage.started(partition)
        await persistently(failed: { error, pause in
            stage.failed(partition, error)
            Log.warning(
                "delivery-state.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await check.pass()
            let bounds = try await log.bounds(of: [partition])[partition] ?? OffsetBounds(start: 0, end: 0)
            let follower = try await log.follow(partition, from: bounds.start)
            defer { follower.close() }
            var position: Int64?
            while true {
                let batch = try await follower.next()
                for entry in batch.entries { apply(entry, of: partition, &position) }
                if batch.isAtEnd, let applied = position.take() {
                    progress.noteApplied(partition.partition, to: applied)
                }
                progress.noteRead(partition, to: batch.nextOffset)
                stage.advanced(partition, to: batch.nextOffset, time: batch.entries.last?.timestamp)
                if batch.nextOffset >= bounds.end { caughtUp() }
            }
        }
    }

    /// - Parameter position: the next offset of the last commit, noted once the whole commit was read: the entries of
    ///   one commit are in any order, and may be split between batches.
    private func apply(_ entry: LogEntry, of partition: TopicPartition, _ position: inout Int64?) {
        guard let key = entry.key else { return }
        guard let value = entry.value else {
            progress.forget(UserRecordName(key: key))
            return
        }
        if key == PartitionState.key {
            guard let state = try? PartitionState(decoding: value) else { return }
            if let before = position { progress.noteApplied(partition.partition, to: before) }
            position = state.next
            return
        }
        let name = String(decoding: key, as: UTF8.self)
        guard let user = try? UserRecordName(name), let state = try? UserState(decoding: value) else { return }
        progress.update(user, state)
    }
}

/// The partitions that were not read yet up to where they ended at the start.
private final class Behind: Sendable {
    private let partitions: Mutex<Set<TopicPartition>>

    init(_ partitions: [TopicPartition]) { self.partitions = Mutex(Set(partitions)) }

    /// Takes a partition out; returns true if it was the last.
    func remove(_ partition: TopicPartition) -> Bool {
        partitions.withLock { $0.remove(partition) != nil && $0.isEmpty }
    }
}
