import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing
import TextForms

@testable import RecordService

/// The commands of push senders.
extension PushAddressTests {
    @Test("senders have dead addresses removed and note results, by the registration that they know")
    func commands() async throws {
        try await within {
            let rig = try await rig()
            let log = MemoryLog()
            _ = try await log.createTopics(rig.service.layout.fixedTopics)
            let topic = TopicPartition(rig.service.layout.commands, 0)
            @Sendable func consume(_ commands: [Command.Command], _ offset: Int64) async throws {
                let entries = commands.map {
                    OutgoingEntry(
                        topic, key: [1], value: Command(command: $0).encoded(), timestamp: LogTimestamp(rig.now))
                }
                try await log.withWriter { try await $0.append(entries) }
                let running = Task { await rig.service.applyCommands(of: log) }
                try await eventually("the last command") {
                    let stored = try await rig.service.store.read { try $0.position("commands/0") }
                    return try stored.map { try PositionMessage(decoding: $0).position.offset } == offset
                }
                running.cancel()
                await running.value
            }
            @Sendable func stored() async throws -> [StoredPushAddress] {
                try await rig.service.store.read { try $0.pushAddresses(of: phone) }
            }
            @Sendable func result(_ sequence: Int64, _ succeeded: Int64?, _ failed: Int64?) -> Command.Command {
                let result = PushResult(
                    device: "phone", kind: "apns", sequence: sequence, succeeded: succeeded, failed: failed,
                    reason: failed == nil ? "" : "Shutdown", succeededStatus: succeeded.map { _ in 200 },
                    failedStatus: failed.map { _ in 503 })
                return .pushResults(PushResults(results: [result]))
            }
            @Sendable func removal(_ sequence: Int64, _ kind: String = "apns") -> Command.Command {
                .removePushAddress(
                    RemovePushAddress(device: "phone", kind: kind, sequence: sequence, reason: "Unregistered"))
            }
            _ = try await set(rig, token(1), phone, rig.alice)
            _ = try await set(rig, browser("x"), phone, rig.alice)
            let first = try await stored()[0].sequence.rawValue
            let last = try await rig.service.store.read { try $0.settledSequence() }
            try await consume([result(first, 70, nil), result(first, nil, 80), result(first - 1, 90, 90)], 3)
            #expect(try await stored()[0].lastSuccess == Timestamp(milliseconds: 70))
            #expect(try await stored()[0].lastSuccessStatus == 200)
            #expect(
                try await stored()[0].lastFailure
                    == StoredPushAddress.Failure(time: Timestamp(milliseconds: 80), status: 503, reason: "Shutdown"))
            #expect(try await rig.service.store.read { try $0.settledSequence() } == last, "nothing is published")
            // Registered again meanwhile, with another topic.
            _ = try await set(rig, token(1, topic: "com.example"), phone, rig.alice)
            try await consume([removal(first), removal(first, "webPush"), removal(99)], 6)
            #expect(try await stored().map(\.kind) == [.apns, .webPush])
            let second = try await stored()[0].sequence.rawValue
            let before = try await rig.service.store.read { try $0.settledSequence() }
            try await consume([removal(second), removal(second), result(second, 70, nil)], 9)
            #expect(try await stored().map(\.kind) == [.webPush])
            #expect(try await published(rig, after: before.rawValue) == ["gone phone apns", "lost phone apns"])
        }
    }

    @Test("a server that takes pushes is not silent; a phone that takes them and never asks is")
    func silence() async throws {
        try await within {
            let rig = try await rig()
            _ = try await set(rig, webhook("hook"), phone, rig.alice)
            let tablet = DeviceID(trusted: "tablet")
            _ = try await rig.service.registerDevice(tablet, name: "", platform: "", for: rig.alice)
            _ = try await set(rig, token(1), tablet, rig.alice)
            let log = MemoryLog()
            _ = try await log.createTopics(rig.service.layout.fixedTopics)
            let alice = try rig.alice.signedIn(to: "a test")
            let stored = try await rig.service.store.read { try $0.pushAddresses(of: alice) }
            let time = rig.now.milliseconds + 86_400_000
            let results = stored.map {
                PushResult(
                    device: $0.device.rawValue, kind: $0.kind.rawValue, sequence: $0.sequence.rawValue, succeeded: time)
            }
            try await log.withWriter { writer in
                try await writer.append([
                    OutgoingEntry(
                        TopicPartition(rig.service.layout.commands, 0), key: [1],
                        value: Command(command: .pushResults(PushResults(results: results))).encoded(),
                        timestamp: LogTimestamp(rig.now))
                ])
            }
            let running = Task { await rig.service.applyCommands(of: log) }
            try await eventually("the results") {
                try await rig.service.store.read { try $0.pushAddresses(of: alice) }.allSatisfy {
                    $0.lastSuccess?.milliseconds == time
                }
            }
            running.cancel()
            await running.value
            let seen = try await rig.service.store.read { reader in
                try [phone, tablet].map { try reader.device($0)?.lastSeen.milliseconds }
            }
            #expect(seen[0] == time && seen[1] ?? 0 < time)
        }
    }
}
