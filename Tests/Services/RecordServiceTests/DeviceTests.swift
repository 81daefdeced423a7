import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// The registry of devices and their events (docs/choices.md, 6 and 9).
@Suite struct DeviceTests {
    private let phone = DeviceID(trusted: "phone")

    private func entries(_ rig: RecordServiceRig) async throws -> [DeliveryEntry] {
        try await rig.outbox().filter { $0.destination == .deliveries }.map { try DeliveryEntry(decoding: $0.value!) }
    }

    @discardableResult
    private func register(
        _ rig: RecordServiceRig, _ id: String? = "phone", _ caller: Caller? = nil, name: String = "n",
        platform: String = "p"
    ) async throws -> Device {
        try await rig.service.registerDevice(
            id.map { DeviceID(trusted: $0) }, name: name, platform: platform, for: caller ?? rig.alice)
    }

    /// Again with the same ID: the same answer, nothing changes.
    @Test func registeringAgainChangesNothing() async throws {
        let rig = try await RecordServiceRig()
        let first = try await register(rig)
        rig.move(by: .seconds(100))
        #expect(try await register(rig, name: "other", platform: "other") == first)
        #expect(try await entries(rig).count == 1)
        #expect(first.registered.milliseconds == rig.now.milliseconds - 100_000)
        #expect(try await register(rig, nil).id.rawValue.utf8.count == 36)
    }

    @Test func aDeviceIsItsUsersOnly() async throws {
        let rig = try await RecordServiceRig()
        try await register(rig)
        let service = rig.service
        await expect(code: .accessDenied) { try await register(rig, "phone", rig.bob) }
        await expect(code: .accessDenied) { try await service.unregisterDevice(phone, for: rig.bob) }
        await expect(code: .accessDenied) { try await service.markRead([CommitSequence(1)], on: phone, for: rig.bob) }
        await expect(code: .accessDenied) { try await service.setBadge(1, on: phone, for: rig.bob) }
        await expect(code: .accessDenied) { try await service.badge(of: phone, for: rig.bob) }
        await expect(code: .accessDenied) { try await service.deviceInStep(phone, for: rig.bob) }
        let absent = DeviceID(trusted: "absent")
        await expect(code: .notFound) { try await service.unregisterDevice(absent, for: rig.alice) }
        await expect(code: .notFound) { try await service.markRead([], on: absent, for: rig.alice) }
        await expect(code: .notFound) { try await service.setBadge(1, on: absent, for: rig.alice) }
        await expect(code: .notFound) { try await service.badge(of: absent, for: rig.alice) }
        let nobody = Caller(user: nil)
        await expect(code: .authenticationRequired) { try await register(rig, "x", nobody) }
        await expect(code: .authenticationRequired) { try await service.listDevices(for: nobody) }
        await expect(code: .authenticationRequired) { try await service.unregisterDevice(phone, for: nobody) }
        #expect(try await service.listDevices(for: rig.bob).isEmpty)
        #expect(try await service.listDevices(for: rig.alice).map(\.device.id) == [phone])
        #expect(try await entries(rig).count == 1)
    }

    /// The epoch is the sequence of the registration, so one never used before; any user may register a free ID.
    @Test func registeringAfterRemovalIsAnotherLife() async throws {
        let rig = try await RecordServiceRig()
        let first = try await register(rig)
        try await rig.service.unregisterDevice(phone, for: rig.alice)
        let second = try await register(rig)
        try await rig.service.unregisterDevice(phone, for: rig.alice)
        let third = try await register(rig, "phone", rig.bob)
        #expect(first.epoch < second.epoch && second.epoch < third.epoch)
        #expect(third.user == rig.bob.user)
        let events = try await entries(rig)
        #expect(
            events.map(\.user)
                == [rig.alice, rig.alice, rig.alice, rig.alice, rig.bob].map { $0.user!.rawValue })
        #expect(events.map { $0.source!.position.offset } == [1, 2, 3, 4, 5])
        guard case .unregistered(let removal)? = events[1].event else {
            Issue.record("\(events[1])")
            return
        }
        #expect(removal.epoch == first.epoch.rawValue && removal.device == "phone")
    }

    @Test func aUserHasAtMostAHundredDevices() async throws {
        let rig = try await RecordServiceRig()
        for number in 0..<100 { try await register(rig, "d\(number)") }
        await expect(code: .quotaExceeded) { try await register(rig, "one-more") }
        try await register(rig, "d5")
        try await register(rig, "bobs", rig.bob)
        try await rig.service.unregisterDevice(DeviceID(trusted: "d5"), for: rig.alice)
        try await register(rig, "one-more")
    }

    /// Names are for people, and yet bounded in bytes: one character may have a million accents, and such an event
    /// would fit into no message.
    @Test func namesAreBounded() async throws {
        let rig = try await RecordServiceRig()
        let long = String(repeating: "ü", count: 255)
        try await register(rig, "ok", name: long, platform: "a\u{0}b")
        let stacked = "a" + String(repeating: "\u{301}", count: 1000)
        for text in [long + "x", stacked] {
            await expect(code: .badRequest) { try await register(rig, "x", name: text) }
            await expect(code: .badRequest) { try await register(rig, "x", platform: text) }
        }
        #expect(try await rig.service.listDevices(for: rig.alice).map(\.device.platform) == ["a\u{0}b"])
    }

    @Test func eventsAreCommittedInOrderForTheirUser() async throws {
        let rig = try await RecordServiceRig()
        try await register(rig)
        try await rig.service.markRead([CommitSequence(5), CommitSequence(3)], on: phone, for: rig.alice)
        try await rig.service.markRead([], on: phone, for: rig.alice)
        try await rig.service.setBadge(0, on: phone, for: rig.alice)
        await expect(code: .badRequest) { try await rig.service.setBadge(-1, on: phone, for: rig.alice) }
        let rows = try await rig.outbox()
        #expect(rows.map(\.sequence.rawValue) == [1, 2, 3])
        #expect(rows.allSatisfy { $0.key == Array(rig.alice.user!.rawValue.utf8) })
        let events = try await entries(rig)
        guard case .registered(let registration)? = events[0].event, case .read(let read)? = events[1].event,
            case .badge(let badge)? = events[2].event
        else {
            Issue.record("\(events)")
            return
        }
        #expect(registration.epoch == 1 && registration.name == "n" && registration.platform == "p")
        #expect(read.changes == [5, 3] && read.device == "phone")
        #expect(badge.value == 0 && badge.device == "phone")
        #expect(try await rig.service.store.read { try $0.lastDeviceEvent(of: rig.alice.user!) } == CommitSequence(3))
        #expect(try await rig.service.store.read { try $0.lastDeviceEvent(of: rig.bob.user!) } == .zero)
    }

    @Test func aDeviceIsSeenAtMostOnceAMinute() async throws {
        let rig = try await RecordServiceRig()
        let device = try await register(rig)
        let registered = rig.now
        func lastSeen() async throws -> Timestamp { try await rig.service.listDevices(for: rig.alice)[0].lastSeen }
        rig.move(by: .seconds(59))
        try await rig.service.noteSeen(device)
        #expect(try await lastSeen() == registered)
        rig.move(by: .seconds(1))
        try await rig.service.noteSeen(device)
        #expect(try await lastSeen() == rig.now)
        // A former life is not seen.
        let seen = rig.now
        rig.move(by: .seconds(600))
        var former = device
        former.epoch = DeviceEpoch(0)
        try await rig.service.noteSeen(former)
        #expect(try await lastSeen() == seen)
        #expect(try await rig.outbox().count == 1)
    }

    // MARK: Silence

    @Test func aDeviceThatIsSilentForTooLongIsAnnouncedAndRemoved() async throws {
        let day = Duration.seconds(86_400)
        let rig = try await RecordServiceRig(deviceSilenceMax: day * 10)
        let phone = try await register(rig)
        let laptop = try await rig.service.registerDevice(
            DeviceID(trusted: "laptop"), name: "", platform: "", for: rig.alice)
        func listed() async throws -> [String: Timestamp?] {
            Dictionary(
                uniqueKeysWithValues: try await rig.service.listDevices(for: rig.alice).map {
                    ($0.device.id.rawValue, $0.expires)
                })
        }
        let expiry = rig.now.advanced(by: day * 10)
        #expect(try await listed() == ["phone": expiry, "laptop": expiry])
        rig.move(by: day * 9)
        // Reading, registering again, marking as read and setting the badge are words of the device.
        try await rig.service.setBadge(3, on: laptop.id, for: rig.alice)
        #expect(try await listed() == ["phone": expiry, "laptop": expiry.advanced(by: day * 9)])
        rig.move(by: day)
        try await rig.service.removeSilentDevices()
        #expect(try await listed().count == 2)
        rig.move(by: .seconds(1))
        try await rig.service.removeSilentDevices()
        #expect(try await listed() == ["laptop": expiry.advanced(by: day * 9)])
        // Delivery learns it as any removal.
        guard let row = try await rig.outbox().last, let value = row.value,
            case .unregistered(let event)? = try DeliveryEntry(decoding: value).event
        else {
            Issue.record("no removal is published")
            return
        }
        #expect(event.device == "phone" && event.epoch == phone.epoch.rawValue)
        // The same device comes back as another one.
        #expect(try await register(rig).epoch > phone.epoch)
    }

    @Test func silenceIsNoMatterWithoutTheSetting() async throws {
        let rig = try await RecordServiceRig()
        _ = try await register(rig)
        rig.move(by: .seconds(86_400 * 3650))
        try await rig.service.removeSilentDevices()
        let devices = try await rig.service.listDevices(for: rig.alice)
        #expect(devices.count == 1 && devices[0].expires == nil)
    }

    // MARK: What delivery has applied

    private func state(applied: Int64, badges: [Int64: Int64] = [:]) -> UserState {
        UserState(
            devices: badges.map { DeviceState(device: "phone", epoch: $0.key, badge: $0.value) }, applied: applied)
    }

    /// Everyone reads their own writes: a read waits until delivery has come to the user's last event.
    @Test func aReadWaitsForItsUsersLastEvent() async throws {
        let rig = try await RecordServiceRig()
        let user = rig.alice.user!
        let progress = rig.service.deliveries
        let device = try await register(rig)
        let waiting = Task { try await rig.service.badge(of: phone, for: rig.alice) }
        progress.update(rig.bob.user!, state(applied: 99))
        progress.update(user, state(applied: 0))
        progress.update(user, state(applied: device.epoch.rawValue, badges: [device.epoch.rawValue: 7]))
        #expect(try await waiting.value == 7)
        await expect(code: .tryAgainLater) {
            try await progress.waitUntilApplied(CommitSequence(100), of: user, atMost: .milliseconds(20))
        }
        try await progress.waitUntilApplied(CommitSequence(1), of: user, atMost: .milliseconds(20))
    }

    @Test("a badge is not older than a notification that the device has read")
    func aBadgeIsNotOlderThanTheFeed() async throws {
        let log = CommittingLog()
        let rig = try await RecordServiceRig(log: log)
        let progress = rig.service.deliveries
        let (user, device) = (rig.alice.user!, try await register(rig))
        let partition = rig.service.layout.deliveries(of: user)
        let badged = { @Sendable (badge: Int64) in self.state(applied: 99, badges: [device.epoch.rawValue: badge]) }
        // Stage 2 wrote a notification with badge 1 to the journal, and commits its state later.
        progress.update(user, badged(0))
        progress.noteApplied(partition.partition, to: 0)
        log.asked.withLock {
            $0 = {
                progress.update(user, badged(1))
                progress.noteApplied(partition.partition, to: 1)
            }
        }
        #expect(try await rig.service.badge(of: phone, for: rig.alice) == 1)
        await expect(code: .tryAgainLater) {
            try await progress.waitUntilApplied(partition, to: 2, atMost: .milliseconds(20))
        }
    }

    @Test("a badge counts notifications that were held for a backfill and are being delivered")
    func aBadgeCountsWhatIsReleased() async throws {
        let log = CommittingLog()
        let rig = try await RecordServiceRig(log: log)
        let progress = rig.service.deliveries
        let (user, device) = (rig.alice.user!, try await register(rig))
        let partition = rig.service.layout.deliveries(of: user)
        // The entry that released them is applied, and the journal has them; the state with their badges comes later.
        var releasing = state(applied: 99, badges: [device.epoch.rawValue: 0])
        releasing.release = BackfillRelease(next: 0, end: 1)
        progress.update(user, releasing)
        progress.noteApplied(partition.partition, to: 1)
        let waiting = Task { try await rig.service.badge(of: phone, for: rig.alice) }
        await expect(code: .tryAgainLater) { try await progress.waitUntilReleased(user, atMost: .milliseconds(20)) }
        progress.update(user, state(applied: 99, badges: [device.epoch.rawValue: 1]))
        #expect(try await waiting.value == 1)
    }

    @Test func livesAreKnownWhileDeliveryHasThem() {
        let progress = DeliveryProgress()
        let user = UserRecordName(trusted: "_a")
        func knows(_ epoch: Int64) -> Bool {
            progress.knows(DeliveryProgress.DeviceLife(device: phone, epoch: DeviceEpoch(epoch)))
        }
        progress.update(user, state(applied: 1, badges: [1: 0, 9: 0]))
        progress.update(UserRecordName(trusted: "_b"), state(applied: 1, badges: [5: 0]))
        #expect([1, 5, 9, 2].map(knows) == [true, true, true, false])
        progress.update(user, state(applied: 2, badges: [1: 0, 2: 0]))
        #expect([1, 5, 9, 2].map(knows) == [true, true, false, true])
        progress.update(user, state(applied: 3))
        #expect([1, 5, 9, 2].map(knows) == [false, true, false, false])
    }

    @Test("a device whose registrations are all set aside is not registered again without end")
    func renewalsAreBounded() async throws {
        let rig = try await RecordServiceRig()
        var epochs: Set<DeviceEpoch> = []
        for _ in 0..<30 {
            let device = try await register(rig)
            epochs.insert(device.epoch)
            // Delivery is past the registration, and does not know the device.
            rig.service.deliveries.update(rig.alice.user!, state(applied: device.epoch.rawValue))
        }
        #expect(epochs.count == 11)
        // Each sweep tries again.
        try await rig.service.renewLostDevices()
        #expect(try await !epochs.contains(register(rig).epoch))
    }
}

/// A log whose partitions have one entry each. Stage 2 commits after its ends were read.
private final class CommittingLog: ForwardingLog {
    let base: any EventLog = MemoryLog()
    let asked = Mutex<(@Sendable () -> Void)?>(nil)

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        asked.withLock { $0?() }
        return Dictionary(uniqueKeysWithValues: partitions.map { ($0, OffsetBounds(start: 0, end: 1)) })
    }
}
