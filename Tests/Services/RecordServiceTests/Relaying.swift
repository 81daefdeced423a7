import CloudMessages
import CloudModel
import Continuity
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Logs for relays, and what relays do with them.
enum Relaying {
    static func log(_ layout: TopicLayout) async throws -> MemoryLog {
        let log = MemoryLog()
        _ = try await log.createTopics(layout.fixedTopics)
        return log
    }

    static func confirm(_ rig: RecordServiceRig, on log: MemoryLog) async throws -> ScopeIdentity {
        try await RelayIdentity(
            store: rig.service.store, layout: rig.service.layout, log: log, now: rig.service.now
        ).confirm()
    }

    /// Publishes the waiting rows.
    static func publish(_ rig: RecordServiceRig, to log: any EventLog) async throws {
        let relay = Task {
            await OutboxRelay(store: rig.service.store, layout: rig.service.layout, log: log).run()
        }
        try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
        relay.cancel()
        await relay.value
    }

    /// The names of the records whose changes were published, sorted.
    static func changes(_ layout: TopicLayout, in log: MemoryLog) async throws -> [String] {
        var names: [String] = []
        for number in 0..<layout.partitions {
            let partition = TopicPartition(layout.changes(.public), number)
            for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                names.append(try ChangeEvent(decoding: entry.value!).change().matched!.name.rawValue)
            }
        }
        return names.sorted()
    }
}
