import CloudMessages
import CloudModel
import EventLog
import Feeds
import Foundation
import KafkaClient
import KafkaLog
import RecordService
import Synchronization
import TestSupport
import Testing

/// Kafka refuses one message among others in flight: its topic was given a smaller limit. With any writer, later
/// entries wait, and come once the cause is gone.
@Suite(.enabled(if: RealKafka.isAvailable), .serialized) struct RefusedWriteTests {
    /// The topics of the path, and the writer of each.
    enum Step: String, CaseIterable {
        /// Written by the record service's relay.
        case changes
        /// Written by stage 1.
        case deliveries
        /// Written by stage 2.
        case journals
    }

    private static let text = FieldName(trusted: "text")

    private func save(_ name: String, bytes: Int) -> RecordOperation {
        RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "Artwork"),
            fields: [Self.text: GivenValue(.string(String(repeating: "x", count: bytes)), isTypeExplicit: false)])
    }

    private func names(_ notifications: [CloudModel.Notification]) -> [String] {
        notifications.compactMap { if case .query(let content) = $0.content { "\(content.recordName)" } else { nil } }
    }

    @Test(arguments: Step.allCases) func refusedWritesKeepTheirOrder(_ step: Step) async throws {
        try await within {
            let servers = try RealKafka.bootstrapServers()
            // One message a request, so that those behind the refused one are under way when it is refused.
            let kafka = try KafkaLog(
                KafkaLogConfiguration(bootstrapServers: servers, properties: ["batch.num.messages": "1"]))
            let refusals = Mutex(0)
            let log = InterceptedLog(kafka, writeFailed: { _ in refusals.withLock { $0 += 1 } })
            let system = try await TestSystem(log: log, partitions: 1)
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            let draft = SubscriptionDraft(
                id: SubscriptionID(trusted: "all"),
                query: GivenQuery(recordType: RecordType(trusted: "Artwork"), filters: []),
                zone: nil,
                firesOn: [.create], firesOnce: false,
                notificationInfo: NotificationInfo(alertBody: "new", additionalFields: [Self.text]))
            _ = try await system.service.modifySubscriptions([.create(draft)], in: .public, for: alice)
            _ = try await system.service.modifyRecords([save("first", bytes: 1)], in: .public, for: alice)
            try await eventually("the first notification") {
                try await system.feed(phone.id, of: alice).count == 1
            }

            let topic = topic(step, system.layout)
            let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: servers))
            try await limit(topic, to: "1800", admin)
            // A broker acts on a setting a moment after it has taken it: it has had a whole way to do so.
            try await eventually("the limit") {
                try await admin.describeTopics([topic.rawValue], configuration: true)[topic.rawValue]?.get()
                    .configuration["max.message.bytes"] == "1800"
            }
            _ = try await system.service.modifyRecords([save("second", bytes: 1)], in: .public, for: alice)
            try await eventually("the second notification") {
                try await system.feed(phone.id, of: alice).count == 2
            }
            let before = ["first", "second"]
            let after = (0..<20).map { String(format: "after-%02d", $0) }
            _ = try await system.service.modifyRecords(
                after.enumerated().map { save($1, bytes: $0 == 7 ? 4_000 : 10) }, in: .public, for: alice)
            try await eventually("two refusals") { refusals.withLock { $0 } >= 2 }
            let held = try await bytes(of: topic, kafka)
            #expect(held.range(of: Data("after-06".utf8)) != nil, "what comes before it is written")
            for name in after[7...] {
                #expect(held.range(of: Data(name.utf8)) == nil, "\(name) overtook what was refused")
            }
            // The relay is refused before stages have processed its entries.
            try await eventually("what came before the refusal") {
                try await system.feed(phone.id, of: alice).count >= before.count + 7
            }
            #expect(names(try await system.feed(phone.id, of: alice)) == before + after[..<7])

            try await limit(topic, to: nil, admin)
            await admin.close()
            try await eventually("all notifications") {
                try await system.feed(phone.id, of: alice).count == before.count + after.count
            }
            #expect(names(try await system.feed(phone.id, of: alice)) == before + after)
            await system.stop()
        }
    }

    private func topic(_ step: Step, _ layout: TopicLayout) -> TopicName {
        switch step {
        case .changes: layout.changes(.public)
        case .deliveries: layout.deliveries
        case .journals: layout.journals
        }
    }

    /// Sets the size of what Kafka accepts; nil takes it back to what it was by default.
    private func limit(_ topic: TopicName, to bytes: String?, _ admin: KafkaAdmin) async throws {
        let results = try await admin.alterConfigurations([
            topic.rawValue: ["max.message.bytes": bytes, "compression.type": nil]
        ])
        try results[topic.rawValue]?.get()
    }

    /// All that a topic holds.
    private func bytes(of topic: TopicName, _ log: any EventLog) async throws -> Data {
        let partition = TopicPartition(topic)
        let bounds = try #require(try await log.bounds(of: [partition])[partition])
        let follower = try await log.follow(partition, from: bounds.start)
        defer { follower.close() }
        var all = Data()
        var next = bounds.start
        while next < bounds.end {
            let batch = try await follower.next()
            for entry in batch.entries { all.append(contentsOf: entry.value ?? []) }
            next = batch.nextOffset
        }
        return all
    }
}
