import CloudMessages
import CloudModel
import Continuity
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import RecordService

/// The topic of addresses after a repair.
extension PushAddressTests {
    @Test("a repair makes the topic agree with the store")
    func republishing() async throws {
        try await within {
            let rig = try await rig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            _ = try await set(rig, token(1), phone, rig.alice)
            try await publish(rig, to: log)
            let lost = layout.pushAddressKey(rig.alice.user!, laptop, .webhook)
            try await log.withWriter { writer in
                try await writer.append([
                    OutgoingEntry(
                        layout.pushAddressPartition(ofKey: lost), key: lost, value: [1],
                        timestamp: LogTimestamp(rig.now))
                ])
            }
            let counts = try await StoreRepair(rig.service, log: log).publishAddresses()
            #expect(counts == (1, 1))
            try await publish(rig, to: log)
            var table: [[UInt8]: [UInt8]] = [:]
            for entry in try await entries(of: rig.alice.user!, log, layout) where entry.key?.first != UInt8(ascii: "#")
            {
                table[entry.key!] = entry.value
            }
            #expect(Array(table.keys) == [layout.pushAddressKey(rig.alice.user!, phone, .apns)])
        }
    }

    @Test("addresses of a recreated topic are there before the relay says that they have come")
    func recreated() async throws {
        try await within {
            let rig = try await rig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            let repair = StoreRepair(rig.service, log: log)
            _ = try await set(rig, token(1), phone, rig.alice)
            try await publish(rig, to: log)
            let before = try await entries(of: rig.alice.user!, log, layout)
            let lost = try #require(before.first { $0.value != nil && $0.key?.first != UInt8(ascii: "#") })
            _ = try await log.deleteTopics([layout.pushAddresses])
            _ = try await log.createTopics(layout.fixedTopics)

            try await repair.begin(.repair)
            #expect(try await repair.publishAddresses() == (1, 0))
            // The service runs beside the repair: this row waits for its end.
            _ = try await set(rig, token(2), phone, rig.alice)
            try await repair.keepIdentity()
            try await publish(rig, to: log)
            let after = try await entries(of: rig.alice.user!, log, layout)
            let reached = try #require(after.firstIndex { $0.key == TopicLayout.reachedKey })
            let there = try #require(after.firstIndex { $0.key == lost.key && $0.value == lost.value })
            #expect(there < reached, "\(after.map { String(decoding: $0.key ?? [], as: UTF8.self) })")
            #expect(after.last?.key == lost.key && after.last?.value != lost.value)
        }
    }
}
