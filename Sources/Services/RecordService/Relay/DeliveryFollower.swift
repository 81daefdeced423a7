import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages
import Telemetry

/// Follows `delivery-state`, so that requests know what delivery has applied.
struct DeliveryFollower: Sendable {
    let progress: DeliveryProgress
    let layout: TopicLayout
    let log: any EventLog
    var check = StartCheck.none

    /// Follows all partitions for ever.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<layout.partitions {
                group.addTask { await follow(TopicPartition(layout.deliveryState, number)) }
            }
        }
    }

    private func follow(_ partition: TopicPartition) async {
        await persistently(failed: { error, pause in
            Log.warning(
                "delivery-state.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await check.pass()
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            let follower = try await log.follow(partition, from: start)
            defer { follower.close() }
            while true {
                let batch = try await follower.next()
                for entry in batch.entries { apply(entry) }
                progress.noteRead(partition, to: batch.nextOffset)
            }
        }
    }

    private func apply(_ entry: LogEntry) {
        guard let key = entry.key, let value = entry.value else { return }
        let name = String(decoding: key, as: UTF8.self)
        guard let user = try? UserRecordName(name), let state = try? UserState(decoding: value) else { return }
        progress.update(user, state)
    }
}
