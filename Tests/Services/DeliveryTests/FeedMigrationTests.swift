import CloudMessages
import CloudModel
import Continuity
import Cryptography
import EventLog
import Feeds
import MemoryLog
import NotificationDelivery
import RecordStore
import SubscriptionMatcher
import TestSupport
import Testing

@testable import RecordService

/// The feeds of a container that an earlier version made are moved to the topics of this one.
@Suite struct FeedMigrationTests {
    private static let draft = SubscriptionDraft(
        id: SubscriptionID(trusted: "all"), query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []),
        zone: nil, firesOn: [.create], firesOnce: false,
        notificationInfo: NotificationInfo(alertBody: "new", shouldBadge: true))
    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 2)
    private static let id = DeviceID(trusted: "phone")
    private static let user = UserRecordName.sample("a")
    private static let alice = Caller(user: user)
    private static let time = LogTimestamp(milliseconds: 1)

    /// A stopped store and log with three notifications for a device of one user, the first from before its
    /// registration.
    private final class Container: Sendable {
        let folder = TemporaryFolder()
        let log = MemoryLog()
        let store: any RecordStore
        let device: Device
        private let keys = KeyRing.generate()

        /// - Parameter isFormer: true for a container that an earlier version made.
        init(isFormer: Bool = true) async throws {
            _ = try await log.createTopics(layout.fixedTopics)
            store = try TestStores.records(in: folder)
            try await store.write {
                try $0.addUser(user, .development("alice"), at: Timestamp(milliseconds: 0))
            }
            let service = RecordService(layout: layout, store: store, log: log)
            let running = [Self.run(service), Self.run(stagesOn: log)]
            _ = try await service.modifySubscriptions([.create(draft)], in: .public, for: alice)
            try await Self.save("r0", service)
            let journal = layout.journals(of: user)
            try await eventually("the first notification") { [log] in
                try await log.bounds(of: [journal])[journal]?.end == 1
            }
            device = try await service.registerDevice(id, name: "", platform: "", for: alice)
            for name in ["r1", "r2"] { try await Self.save(name, service) }
            try await eventually("three notifications") { try await self.records().count == 3 }
            // Delivery has committed the device.
            try await eventually("the device") { (try? await service.deviceInStep(id, for: alice)) != nil }
            await Self.stop(running)
            if isFormer { try await former.write(in: store) }
        }

        var service: RecordService { RecordService(layout: layout, store: store, log: log) }
        var repair: StoreRepair { StoreRepair(service, log: log) }
        var relay: RelayIdentity {
            RelayIdentity(store: store, layout: layout, log: log, now: { Timestamp(milliseconds: 1) })
        }
        var check: IdentityCheck { IdentityCheck(log: log, layout: layout) }
        var former: FormerTopics { FormerTopics(log: log, layout: layout) }
        var migration: FeedMigration { FeedMigration(log: log, layout: layout) }

        static func run(_ service: RecordService) -> Task<Void, Never> { Task { await service.run() } }

        static func run(stagesOn log: any EventLog) -> Task<Void, Never> {
            let check = IdentityCheck(log: log, layout: layout).start
            return Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await SubscriptionMatcher(log: log, layout: layout, check: check).run() }
                    group.addTask { await NotificationDelivery(log: log, layout: layout, check: check).run() }
                }
            }
        }

        static func stop(_ running: [Task<Void, Never>]) async {
            for task in running {
                task.cancel()
                await task.value
            }
        }

        static func save(_ name: String, _ service: RecordService) async throws {
            _ = try await service.modifyRecords(
                [
                    RecordOperation(
                        kind: .create, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "T"),
                        fields: [:])
                ], in: .public, for: alice)
        }

        private var feeds: FeedService { FeedService(FeedSources(log, layout: layout), keys: keys) }

        /// The records of the device's notifications after a token.
        func records(after token: String? = nil) async throws -> [String] {
            let answer = try await feeds.changes(
                in: feeds.identity(of: device), after: token, limit: 10, waiting: .zero)
            return answer.notifications.compactMap { notification -> String? in
                guard case .query(let content) = notification.content else { return nil }
                return content.recordName.rawValue
            }
        }

        func token(_ place: FeedPosition) -> String { feeds.token(place, of: feeds.identity(of: device)) }

        /// The entries of the partition of `journals` that holds the user's.
        func journal() async throws -> [LogEntry] {
            var entries: [LogEntry] = []
            try await log.readToEnd(of: layout.journals(of: user)) { entries.append($0) }
            return entries
        }

        /// The end of the user's own topic.
        func formerEnd() async throws -> Int64 {
            let journal = TopicPartition(layout.journal(user))
            return try await log.bounds(of: [journal])[journal]?.end ?? 0
        }

        func migrate() async throws -> FeedMigration.Moved {
            let repair = self.repair
            try await repair.begin(.feedMigration)
            return try await migration.move { try await repair.keepIdentity() }
        }

        func differences() async throws -> [IdentityDifference] { try await repair.differences().found }

        /// Works with the present stages: a new record is notified of, after all others.
        func deliver(_ name: String, after token: String? = nil, expecting count: Int) async throws {
            let service = self.service
            let running = [Self.run(service), Self.run(stagesOn: log)]
            try await Self.save(name, service)
            try await eventually("\(count) notifications") { try await self.records(after: token).count == count }
            let last = try await records(after: token).last
            #expect(last == name)
            await Self.stop(running)
        }
    }

    /// The state of one partition of `deliveries`.
    private static func claim(_ number: Int32) -> StateClaim {
        StateClaim(
            input: TopicPartition(layout.deliveries, number), group: NotificationDelivery.group(layout),
            state: TopicPartition(layout.deliveryState, number))
    }

    @Test("journals and badges are in the shared topic as present stages write them, and the former topics go")
    func moved() async throws {
        try await within {
            let container = try await Container(isFormer: false)
            let written = try await container.journal()
            try await container.former.write(in: container.store)
            #expect(try await container.differences() == [.formerLayout])
            #expect(try await container.log.describeTopics([Self.layout.journals]).isEmpty)
            let moved = try await container.migrate()
            #expect(moved.journals == 1 && moved.entries == written.count)
            #expect(try await container.journal() == written)
            let (count, failures) = try await container.migration.deleteOld()
            #expect(count == 2 && failures.isEmpty)
            try await container.deliver("r3", expecting: 4)
            await container.store.close()
        }
    }

    @Test("a matcher that was not stopped is fenced, all stages are refused until the end, and then they deliver")
    func forgottenMatcher() async throws {
        try await within {
            let container = try await Container()
            let check = container.check
            var forgotten: [any LogStateSession] = []
            for number in 0..<Self.layout.partitions {
                forgotten.append(try await container.log.takeOver(Self.claim(number)))
            }
            let before = await #expect(throws: IdentityMismatch.self) { try await check.pass() }
            #expect(before?.differences == [.formerLayout])
            let repair = container.repair
            try await repair.begin(.feedMigration)
            let moved = try await container.migration.move {
                let during = await #expect(throws: IdentityMismatch.self) { try await check.pass() }
                #expect(during?.differences == [.migrationUnfinished, .formerLayout])
                try await repair.keepIdentity()
            }
            let entries = try await container.formerEnd()
            #expect(moved.journals == 1 && moved.entries == Int(entries))
            for session in forgotten {
                await #expect {
                    try await session.commit([:], offset: 0, at: Self.time)
                } throws: { error in
                    if case .fenced? = error as? LogError { true } else { false }
                }
            }
            try await check.pass()
            try await container.deliver("r3", expecting: 4)
            // The former topic stays as it was.
            #expect(try await container.formerEnd() == entries)
            await container.store.close()
        }
    }

    @Test(
        "a token of an earlier version gives all that it has not seen, once",
        arguments: [FeedPosition.Part.journal, .feed])
    func oldTokens(part: FeedPosition.Part) async throws {
        try await within {
            let container = try await Container()
            let device = container.device
            let topic =
                part == .journal ? Self.layout.journal(Self.user) : Self.layout.feed(device.id, device.epoch)
            let places = try await container.former.places(part, in: topic)
            // A device's topic began with its registration.
            #expect(places.count == (part == .journal ? 4 : 3))
            _ = try await container.migrate()
            let records = places.map { place -> String? in
                guard case .query(let notification)? = place.entry.entry else { return nil }
                return notification.recordName
            }
            for (index, place) in places.enumerated() {
                let rest = records[(index + 1)...].compactMap { $0 }
                #expect(try await container.records(after: container.token(place.behind)) == rest, "\(index)")
            }
            let last = try #require(places.last)
            try await container.deliver("r3", after: container.token(last.behind), expecting: 1)
            await container.store.close()
        }
    }

    /// A log on which a stage takes a partition over as soon as something is written.
    private struct BusyLog: ForwardingLog {
        let base: any EventLog

        func makeWriter() async throws -> any LogWriter {
            _ = try await base.takeOver(claim(1))
            return try await base.makeWriter()
        }
    }

    @Test("a migration during which a stage took over is not noted, all stages stay refused, the next one is whole")
    func takenOver() async throws {
        try await within {
            let container = try await Container()
            let thrown = await #expect(throws: LogError.self) {
                try await container.repair.begin(.feedMigration)
                _ = try await FeedMigration(log: BusyLog(base: container.log), layout: Self.layout).move {
                    Issue.record("it was noted")
                }
            }
            let isFenced = thrown.map { if case .fenced = $0 { true } else { false } }
            #expect(isFenced == true, "\(String(describing: thrown))")
            #expect(try await container.differences() == [.migrationUnfinished, .formerLayout])
            await #expect(throws: IdentityMismatch.self) { try await container.check.pass() }
            let moved = try await container.migrate()
            let entries = try await container.formerEnd()
            #expect(moved.entries == Int(entries))
            #expect(try await container.differences().isEmpty)
            #expect(try await container.records().count == 3)
            // Nothing of the first one is there.
            let partitions = (0..<Self.layout.partitions).map { TopicPartition(Self.layout.journals, $0) }
            #expect(try await container.log.bounds(of: partitions).values.map(\.end).reduce(0, +) == entries)
            await container.store.close()
        }
    }

    @Test("a migration whose end only the log has is not complete; noting it in the store completes it")
    func cutOffAtItsEnd() async throws {
        try await within {
            let container = try await Container()
            let topic = IdentityTopic(log: container.log, layout: Self.layout)
            try await container.repair.begin(.feedMigration)
            _ = try await container.migration.move {
                // The first of the two writes of `StoreRepair.keepIdentity`.
                let begun = try await topic.recordAsOwner(at: Self.time)
                var record = try #require(begun)
                record.log = try await topic.half()
                record.work = nil
                let entry = topic.entry(record, at: Self.time)
                try await container.log.withWriter { try await $0.append([entry]) }
            }
            #expect(try await container.differences() == [.migrationUnfinished])
            let refused = await #expect(throws: IdentityMismatch.self) { try await container.relay.confirm() }
            #expect(refused?.differences == [.migrationUnfinished])
            try await container.repair.keepIdentity()
            #expect(try await container.differences().isEmpty)
            try await container.deliver("r3", expecting: 4)
            await container.store.close()
        }
    }

    @Test("a relay is refused before and during a migration, also if its last record took the place of the note")
    func relay() async throws {
        try await within {
            let container = try await Container()
            let relay = container.relay
            let before = await #expect(throws: IdentityMismatch.self) { try await relay.confirm() }
            #expect(before?.differences == [.formerLayout])
            let topic = IdentityTopic(log: container.log, layout: Self.layout)
            let found = try await topic.recordAsOwner(at: Self.time)
            let record = try #require(found)
            try await container.repair.begin(.feedMigration)
            await #expect(throws: IdentityMismatch.self) { try await relay.confirm() }
            let entry = relay.entry(record, at: Timestamp(milliseconds: 1))
            try await container.log.withWriter { try await $0.append([entry]) }
            let during = await #expect(throws: IdentityMismatch.self) { try await relay.confirm() }
            #expect(during?.differences == [.migrationUnfinished])
            #expect(try await container.differences() == [.migrationUnfinished, .formerLayout])
            await container.store.close()
        }
    }

    @Test("a repair that was begun refuses stages that have no store, too")
    func repairs() async throws {
        try await within {
            let container = try await Container(isFormer: false)
            let repair = container.repair
            try await repair.begin(.repair)
            await #expect(throws: IdentityMismatch.self) { try await container.check.pass() }
            #expect(try await container.differences() == [.repairUnfinished])
            try await repair.keepIdentity()
            try await container.check.pass()
            #expect(try await container.differences().isEmpty)
            await container.store.close()
        }
    }
}
