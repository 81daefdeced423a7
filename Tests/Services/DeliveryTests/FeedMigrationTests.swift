import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import MemoryLog
import NotificationDelivery
import RecordStore
import Stages
import SubscriptionMatcher
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// The feeds of a container are moved while a stage that nobody stopped is at work.
@Suite struct FeedMigrationTests {
    private static let draft = SubscriptionDraft(
        id: SubscriptionID(trusted: "all"), query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []),
        zone: nil, firesOn: [.create], firesOnce: false, notificationInfo: NotificationInfo(alertBody: "new"))
    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 2)
    private static let id = DeviceID(trusted: "phone")
    private static let alice = Caller(user: UserRecordName.sample("a"))

    /// A store and a log with three notifications for a device of one user.
    private final class Container: Sendable {
        let folder = TemporaryFolder()
        let log = MemoryLog()
        let store: any RecordStore
        let device: Device

        init() async throws {
            _ = try await log.createTopics(layout.fixedTopics)
            store = try TestStores.records(in: folder)
            try await store.write {
                try $0.addUser(alice.user!, .development("alice"), at: Timestamp(milliseconds: 0))
            }
            let service = RecordService(layout: layout, store: store, log: log)
            let check = IdentityCheck(log: log, layout: layout).start
            let running = [Self.run(service), Self.run(stages: layout, on: log, check)]
            let device = try await service.registerDevice(id, name: "", platform: "", for: alice)
            self.device = device
            _ = try await service.modifySubscriptions([.create(draft)], in: .public, for: alice)
            for name in ["r0", "r1", "r2"] { try await Self.save(name, service) }
            try await eventually("three notifications") { [log] in
                // Before the feed is there it cannot be seen.
                await (try? Self.notes(of: device, log, layout)) == 3
            }
            for task in running {
                task.cancel()
                await task.value
            }
        }

        func service(_ layout: TopicLayout) -> RecordService { RecordService(layout: layout, store: store, log: log) }

        static func run(_ service: RecordService) -> Task<Void, Never> { Task { await service.run() } }

        static func run(
            stages layout: TopicLayout, on log: any EventLog, _ check: StartCheck
        ) -> Task<Void, Never> {
            let log = SharedJournals.over(log, layout: layout)
            return Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await SubscriptionMatcher(log: log, layout: layout, check: check).run() }
                    group.addTask { await NotificationDelivery(log: log, layout: layout, check: check).run() }
                }
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

        func notes(_ layout: TopicLayout) async throws -> Int { try await Self.notes(of: device, log, layout) }

        private static func notes(
            of device: Device, _ log: any EventLog, _ layout: TopicLayout
        ) async throws -> Int {
            let reading = FeedService(
                log: SharedJournals.over(log, layout: layout), layout: layout, keys: KeyRing.generate())
            return try await reading.changes(
                in: reading.identity(of: device), after: nil, limit: 10, waiting: .zero
            ).notifications.count
        }

        /// The end of the user's own journal.
        func oldEnd() async throws -> Int64 {
            let journal = TopicPartition(layout.journal(alice.user!))
            return try await log.bounds(of: [journal])[journal]?.end ?? 0
        }

        func migrate(_ log: any EventLog) async throws -> FeedMigration.Moved {
            try await StoreRepair(service(layout), log: log).begin(.feedMigration)
            let after = StoreRepair(service(layout.with(.sharded)), log: log)
            return try await FeedMigration(log: log, layout: layout).move { try await after.keepIdentity() }
        }

        func differences(_ layout: TopicLayout) async throws -> [IdentityDifference] {
            try await StoreRepair(service(layout), log: log).differences().found
        }
    }

    @Test("a matcher that was not stopped is refused, and later changes are delivered in the new layout")
    func forgottenMatcher() async throws {
        try await within {
            let container = try await Container()
            let refusals = Atomic(0)
            let check = IdentityCheck(log: container.log, layout: Self.layout)
            let forgotten = Container.run(
                stages: Self.layout, on: container.log,
                StartCheck {
                    do { try await check.pass() } catch {
                        refusals.add(1, ordering: .relaxed)
                        throw error
                    }
                })
            // It is at work.
            let former = container.service(Self.layout)
            let relaying = Container.run(former)
            try await Container.save("r3", former)
            try await eventually("four notifications") { await (try? container.notes(Self.layout)) == 4 }
            relaying.cancel()
            await relaying.value
            #expect(refusals.load(ordering: .relaxed) == 0)
            // A try in which the matcher delivers ends, and the next one begins without it.
            var moved: FeedMigration.Moved?
            while moved == nil {
                do { moved = try await container.migrate(container.log) } catch LogError.fenced {}
            }
            let copied = try await Int(container.oldEnd())
            #expect(moved?.journals == 1 && moved?.entries == copied)
            let sharded = Self.layout.with(.sharded)
            let service = container.service(sharded)
            let current = IdentityCheck(log: container.log, layout: sharded).start
            let running = [Container.run(service), Container.run(stages: sharded, on: container.log, current)]
            // The forgotten stage can write this one, and cannot commit that it has; then it begins again.
            try await Container.save("r4", service)
            try await eventually("all five") { await (try? container.notes(sharded)) == 5 }
            try await eventually("the forgotten stage is refused") { refusals.load(ordering: .relaxed) > 0 }
            let end = try await container.oldEnd()
            try await Container.save("r5", service)
            try await eventually("all six") { await (try? container.notes(sharded)) == 6 }
            #expect(try await container.oldEnd() == end)
            for task in running + [forgotten] {
                task.cancel()
                await task.value
            }
            await container.store.close()
        }
    }

    /// A log on which a stage takes a partition over as soon as something is written.
    private struct BusyLog: ForwardingLog {
        let base: any EventLog

        func makeWriter() async throws -> any LogWriter {
            _ = try await base.takeOver(
                StateClaim(
                    input: TopicPartition(layout.deliveries, 1), group: NotificationDelivery.group(layout),
                    state: TopicPartition(layout.deliveryState, 1)))
            return try await base.makeWriter()
        }
    }

    @Test("a migration during which a stage took over is not noted, all stages stay refused, the next one is whole")
    func takenOver() async throws {
        try await within {
            let container = try await Container()
            let thrown = await #expect(throws: LogError.self) {
                try await StoreRepair(container.service(Self.layout), log: container.log).begin(.feedMigration)
                _ = try await FeedMigration(log: BusyLog(base: container.log), layout: Self.layout).move {
                    Issue.record("it was noted")
                }
            }
            let isFenced = thrown.map { if case .fenced = $0 { true } else { false } }
            #expect(isFenced == true, "\(String(describing: thrown))")
            #expect(try await container.differences(Self.layout) == [.migrationUnfinished])
            await #expect(throws: IdentityMismatch.self) {
                try await IdentityCheck(log: container.log, layout: Self.layout).pass()
            }
            let moved = try await container.migrate(container.log)
            let entries = try await container.oldEnd()
            #expect(moved.entries == Int(entries))
            let sharded = Self.layout.with(.sharded)
            #expect(try await container.differences(sharded).isEmpty)
            #expect(try await container.notes(sharded) == 3)
            // Nothing of the first one is there.
            let partitions = (0..<sharded.partitions).map { TopicPartition(sharded.journals, $0) }
            #expect(try await container.log.bounds(of: partitions).values.map(\.end).reduce(0, +) == entries)
            await container.store.close()
        }
    }

    @Test("a relay is refused during a migration, also if its last record took the place of the note")
    func relay() async throws {
        try await within {
            let container = try await Container()
            let layout = Self.layout
            let relay = RelayIdentity(
                store: container.store, layout: layout, log: container.log, now: { Timestamp(milliseconds: 1) })
            let record = try await relay.confirm()
            try await StoreRepair(container.service(layout), log: container.log).begin(.feedMigration)
            await #expect(throws: IdentityMismatch.self) { try await relay.confirm() }
            let entry = relay.entry(record, at: Timestamp(milliseconds: 1))
            try await container.log.withWriter { try await $0.append([entry]) }
            await #expect(throws: IdentityMismatch.self) { try await relay.confirm() }
            #expect(try await container.differences(layout) == [.repairUnfinished])
            await container.store.close()
        }
    }

    @Test("a repair that was begun refuses stages that have no store, too")
    func repairs() async throws {
        try await within {
            let container = try await Container()
            let repair = StoreRepair(container.service(Self.layout), log: container.log)
            try await repair.begin(.repair)
            await #expect(throws: IdentityMismatch.self) {
                try await IdentityCheck(log: container.log, layout: Self.layout).pass()
            }
            #expect(try await container.differences(Self.layout) == [.repairUnfinished])
            try await repair.keepIdentity()
            try await IdentityCheck(log: container.log, layout: Self.layout).pass()
            #expect(try await container.differences(Self.layout).isEmpty)
            await container.store.close()
        }
    }
}
