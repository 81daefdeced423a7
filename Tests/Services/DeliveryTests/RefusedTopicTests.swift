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

/// Topics that the log refuses to make for a while, in words that do not say that it passes: no device is lost for that.
@Suite struct RefusedTopicTests {
    enum Refused: CaseIterable { case feed, journal }

    private static let draft = SubscriptionDraft(
        id: SubscriptionID(trusted: "all"), query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []),
        zone: nil, firesOn: [.create], firesOnce: false, notificationInfo: NotificationInfo(alertBody: "new"))
    private static let creation = RecordOperation(
        kind: .create, recordName: RecordName(trusted: "r"), recordType: RecordType(trusted: "T"), fields: [:])

    /// What brings the device back.
    enum Cause: CaseIterable { case registration, reading, sweep }

    @Test(
        "a device whose feed or journal was refused for a while gets its notifications", arguments: Refused.allCases,
        Cause.allCases)
    func refused(_ what: Refused, _ cause: Cause) async throws {
        try await within {
            let folder = TemporaryFolder()
            let layout = TopicLayout(
                ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
                partitions: 1)
            let memory = MemoryLog()
            _ = try await memory.createTopics(layout.fixedTopics)
            let refuses = Atomic(true)
            let prefix = what == .feed ? layout.feedPrefix : layout.journalPrefix
            let log = InterceptedLog(
                memory,
                refuses: { name in
                    refuses.load(ordering: .relaxed) && name.rawValue.hasPrefix(prefix)
                        ? .broken("INVALID_REPLICATION_FACTOR: All brokers are currently fenced.") : nil
                })
            let store = try TestStores.records(in: folder)
            let service = RecordService(layout: layout, store: store, log: memory)
            let alice = Caller(user: UserRecordName.sample("a"))
            try await store.write { try $0.addUser(alice.user!, .development("alice"), at: Timestamp(milliseconds: 0)) }
            let check = IdentityCheck(log: memory, layout: layout).start
            let running = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await service.run() }
                    group.addTask { await SubscriptionMatcher(log: memory, layout: layout, check: check).run() }
                    group.addTask { await NotificationDelivery(log: log, layout: layout, check: check).run() }
                }
            }
            let id = DeviceID(trusted: "phone")
            let first = try await service.registerDevice(id, name: "", platform: "", for: alice)
            try await eventually("delivery is past the registration") { service.deliveries.hasLost(first) }
            refuses.store(false, ordering: .relaxed)
            _ = try await service.modifySubscriptions([.create(Self.draft)], in: .public, for: alice)
            _ = try await service.modifyRecords([Self.creation], in: .public, for: alice)
            switch cause {
            case .registration: _ = try await service.registerDevice(id, name: "", platform: "", for: alice)
            case .reading: break
            case .sweep: try await service.renewLostDevices()
            }
            let reading = FeedService(log: memory, layout: layout, keys: KeyRing.generate())
            try await eventually("the notification") {
                let device = try await service.deviceInStep(id, for: alice)
                #expect(device.epoch > first.epoch)
                let found = try await reading.changes(
                    in: reading.identity(of: device), after: nil, limit: 10, waiting: .zero)
                return found.notifications.count == 1
            }
            // It is not renewed again.
            let (last, again) = (
                try await service.deviceInStep(id, for: alice),
                try await service.registerDevice(id, name: "", platform: "", for: alice)
            )
            #expect(last.epoch == again.epoch)
            running.cancel()
            await running.value
            await store.close()
        }
    }

    @Test("a device whose feed is refused all the time is not registered again without end")
    func bounded() async throws {
        try await within {
            let folder = TemporaryFolder()
            let layout = TopicLayout(
                ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
                partitions: 1)
            let memory = MemoryLog()
            _ = try await memory.createTopics(layout.fixedTopics)
            let prefix = layout.feedPrefix
            let log = InterceptedLog(
                memory, refuses: { $0.rawValue.hasPrefix(prefix) ? .broken("the policy forbids it") : nil })
            let store = try TestStores.records(in: folder)
            let service = RecordService(layout: layout, store: store, log: memory)
            let alice = Caller(user: UserRecordName.sample("a"))
            try await store.write { try $0.addUser(alice.user!, .development("alice"), at: Timestamp(milliseconds: 0)) }
            let check = IdentityCheck(log: memory, layout: layout).start
            let running = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await service.run() }
                    group.addTask { await NotificationDelivery(log: log, layout: layout, check: check).run() }
                }
            }
            let id = DeviceID(trusted: "phone")
            var epochs: Set<DeviceEpoch> = []
            for _ in 0..<30 {
                let device = try await service.registerDevice(id, name: "", platform: "", for: alice)
                epochs.insert(device.epoch)
                try await eventually("delivery is past the registration") { service.deliveries.hasLost(device) }
            }
            #expect(epochs.count == 11)
            running.cancel()
            await running.value
            await store.close()
        }
    }
}
