import CloudMessages
import CloudModel
import Continuity
import Cryptography
import EventLog
import Feeds
import MemoryLog
import NotificationDelivery
import Poison
import RecordStore
import SubscriptionMatcher
import TestSupport
import Testing

@testable import RecordService

/// A device whose registration stage 2 has set aside is registered again, under another epoch.
@Suite struct LostDeviceTests {
    private static let draft = SubscriptionDraft(
        id: SubscriptionID(trusted: "all"), query: GivenQuery(recordType: RecordType(trusted: "T"), filters: []),
        zone: nil, firesOn: [.create], firesOnce: false, notificationInfo: NotificationInfo(alertBody: "new"))
    private static let creation = RecordOperation(
        kind: .create, recordName: RecordName(trusted: "r"), recordType: RecordType(trusted: "T"), fields: [:])

    /// What brings the device back.
    enum Cause: CaseIterable { case registration, reading, sweep }

    /// A ledger by which the first entry of `deliveries` is set aside.
    private func ledger(_ log: MemoryLog, _ layout: TopicLayout) async throws -> PoisonLedger {
        let ledger = PoisonLedger(log: log, layout: layout, marks: nil, now: { Timestamp(milliseconds: 1) })
        let incarnation = try #require(
            try await log.describeTopics([layout.deliveries])[layout.deliveries]?.incarnation)
        let place = PoisonPlace(
            stage: .deliver, topic: layout.shortName(layout.deliveries), incarnation: incarnation, partition: 0,
            offset: 0)
        try await ledger.noteUnreadable(place, "the test wants it so")
        return ledger
    }

    @Test("a device whose registration was set aside gets its notifications", arguments: Cause.allCases)
    func setAside(_ cause: Cause) async throws {
        try await within {
            let folder = TemporaryFolder()
            let layout = TopicLayout(
                ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
                partitions: 1)
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            let ledger = try await ledger(log, layout)
            let store = try TestStores.records(in: folder)
            let service = RecordService(layout: layout, store: store, log: log)
            let alice = Caller(user: UserRecordName.sample("a"))
            try await store.write { try $0.addUser(alice.user!, .development("alice"), at: Timestamp(milliseconds: 0)) }
            let check = IdentityCheck(log: log, layout: layout).start
            let delivery = NotificationDelivery(log: log, layout: layout, poison: ledger, check: check)
            let running = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await ledger.run() }
                    group.addTask { await service.run() }
                    group.addTask { await SubscriptionMatcher(log: log, layout: layout, check: check).run() }
                    group.addTask { await delivery.run() }
                }
            }
            let id = DeviceID(trusted: "phone")
            let first = try await service.registerDevice(id, name: "", platform: "", for: alice)
            try await eventually("delivery is past the registration") { service.deliveries.hasLost(first) }
            _ = try await service.modifySubscriptions([.create(Self.draft)], in: .public, for: alice)
            _ = try await service.modifyRecords([Self.creation], in: .public, for: alice)
            switch cause {
            case .registration: _ = try await service.registerDevice(id, name: "", platform: "", for: alice)
            case .reading: break
            case .sweep: try await service.renewLostDevices()
            }
            let reading = FeedService(FeedSources(log, layout: layout), keys: KeyRing.generate())
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
}
