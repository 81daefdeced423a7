import CloudModel
import EventLog
import Messages
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The registry of devices and their events (design sections 5, 9 and 12, choices 6 to 9).
@Suite struct DeviceTests {
    private let phone = DeviceID(trusted: "phone")

    private func entries(_ bench: Bench) async throws -> [DeliveryEntry] {
        try await bench.outbox().filter { $0.destination == .deliveries }.map { try DeliveryEntry(decoding: $0.value!) }
    }

    @discardableResult
    private func register(
        _ bench: Bench, _ id: String? = "phone", _ caller: Caller? = nil, name: String = "n", platform: String = "p"
    ) async throws -> Device {
        try await bench.service.registerDevice(
            id.map { DeviceID(trusted: $0) }, name: name, platform: platform, for: caller ?? bench.alice)
    }

    /// Again with the same ID: the same answer, nothing changes.
    @Test func registeringAgainChangesNothing() async throws {
        let bench = try await Bench()
        let first = try await register(bench)
        bench.move(by: .seconds(100))
        #expect(try await register(bench, name: "other", platform: "other") == first)
        #expect(try await entries(bench).count == 1)
        #expect(first.registered.milliseconds == bench.now.milliseconds - 100_000)
        #expect(try await register(bench, nil).id.rawValue.utf8.count == 36)
    }

    @Test func aDeviceIsItsUsersOnly() async throws {
        let bench = try await Bench()
        try await register(bench)
        let service = bench.service
        await expect(code: .accessDenied) { try await register(bench, "phone", bench.bob) }
        await expect(code: .accessDenied) { try await service.unregisterDevice(phone, for: bench.bob) }
        await expect(code: .accessDenied) { try await service.markRead([Sequence(1)], on: phone, for: bench.bob) }
        await expect(code: .accessDenied) { try await service.setBadge(1, on: phone, for: bench.bob) }
        await expect(code: .accessDenied) { try await service.badge(of: phone, for: bench.bob) }
        await expect(code: .accessDenied) { try await service.deviceInStep(phone, for: bench.bob) }
        let absent = DeviceID(trusted: "absent")
        await expect(code: .notFound) { try await service.unregisterDevice(absent, for: bench.alice) }
        await expect(code: .notFound) { try await service.markRead([], on: absent, for: bench.alice) }
        await expect(code: .notFound) { try await service.setBadge(1, on: absent, for: bench.alice) }
        await expect(code: .notFound) { try await service.badge(of: absent, for: bench.alice) }
        let nobody = Caller(user: nil)
        await expect(code: .authenticationRequired) { try await register(bench, "x", nobody) }
        await expect(code: .authenticationRequired) { try await service.listDevices(for: nobody) }
        await expect(code: .authenticationRequired) { try await service.unregisterDevice(phone, for: nobody) }
        #expect(try await service.listDevices(for: bench.bob).isEmpty)
        #expect(try await service.listDevices(for: bench.alice).map(\.device.id) == [phone])
        #expect(try await entries(bench).count == 1)
    }

    /// The epoch is the sequence of the registration, so one never used before; whoever registers a free ID gets it.
    @Test func registeringAfterRemovalIsAnotherLife() async throws {
        let bench = try await Bench()
        let first = try await register(bench)
        try await bench.service.unregisterDevice(phone, for: bench.alice)
        let second = try await register(bench)
        try await bench.service.unregisterDevice(phone, for: bench.alice)
        let third = try await register(bench, "phone", bench.bob)
        #expect(first.epoch < second.epoch && second.epoch < third.epoch)
        #expect(third.user == bench.bob.user)
        let events = try await entries(bench)
        #expect(
            events.map(\.user)
                == [bench.alice, bench.alice, bench.alice, bench.alice, bench.bob].map { $0.user!.rawValue })
        #expect(events.map { $0.source!.position.offset } == [1, 2, 3, 4, 5])
        guard case .unregistered(let removal)? = events[1].event else {
            Issue.record("\(events[1])")
            return
        }
        #expect(removal.epoch == first.epoch.rawValue && removal.device == "phone")
    }

    @Test func aUserHasAtMostAHundredDevices() async throws {
        let bench = try await Bench()
        for number in 0..<100 { try await register(bench, "d\(number)") }
        await expect(code: .quotaExceeded) { try await register(bench, "one-more") }
        try await register(bench, "d5")
        try await register(bench, "bobs", bench.bob)
        try await bench.service.unregisterDevice(DeviceID(trusted: "d5"), for: bench.alice)
        try await register(bench, "one-more")
    }

    /// Names are for people, and yet bounded in bytes: one character may have a million accents, and such an event would
    /// fit into no message.
    @Test func namesAreBounded() async throws {
        let bench = try await Bench()
        let long = String(repeating: "ü", count: 255)
        try await register(bench, "ok", name: long, platform: "a\u{0}b")
        let stacked = "a" + String(repeating: "\u{301}", count: 1000)
        for text in [long + "x", stacked] {
            await expect(code: .badRequest) { try await register(bench, "x", name: text) }
            await expect(code: .badRequest) { try await register(bench, "x", platform: text) }
        }
        #expect(try await bench.service.listDevices(for: bench.alice).map(\.device.platform) == ["a\u{0}b"])
    }

    @Test func eventsAreCommittedInOrderForTheirUser() async throws {
        let bench = try await Bench()
        try await register(bench)
        try await bench.service.markRead([Sequence(5), Sequence(3)], on: phone, for: bench.alice)
        try await bench.service.markRead([], on: phone, for: bench.alice)
        try await bench.service.setBadge(0, on: phone, for: bench.alice)
        await expect(code: .badRequest) { try await bench.service.setBadge(-1, on: phone, for: bench.alice) }
        let rows = try await bench.outbox()
        #expect(rows.map(\.sequence.rawValue) == [1, 2, 3])
        #expect(rows.allSatisfy { $0.key == Array(bench.alice.user!.rawValue.utf8) })
        let events = try await entries(bench)
        guard case .registered(let registration)? = events[0].event, case .read(let read)? = events[1].event,
            case .badge(let badge)? = events[2].event
        else {
            Issue.record("\(events)")
            return
        }
        #expect(registration.epoch == 1 && registration.name == "n" && registration.platform == "p")
        #expect(read.changes == [5, 3] && read.device == "phone")
        #expect(badge.value == 0 && badge.device == "phone")
        #expect(try await bench.service.store.read { try $0.lastDeviceEvent(of: bench.alice.user!) } == Sequence(3))
        #expect(try await bench.service.store.read { try $0.lastDeviceEvent(of: bench.bob.user!) } == .zero)
    }

    @Test func aDeviceIsSeenAtMostOnceAMinute() async throws {
        let bench = try await Bench()
        let device = try await register(bench)
        let registered = bench.now
        func lastSeen() async throws -> Timestamp { try await bench.service.listDevices(for: bench.alice)[0].lastSeen }
        bench.move(by: .seconds(59))
        try await bench.service.noteSeen(device)
        #expect(try await lastSeen() == registered)
        bench.move(by: .seconds(1))
        try await bench.service.noteSeen(device)
        #expect(try await lastSeen() == bench.now)
        // A former life is not seen.
        let seen = bench.now
        bench.move(by: .seconds(600))
        var former = device
        former.epoch = DeviceEpoch(0)
        try await bench.service.noteSeen(former)
        #expect(try await lastSeen() == seen)
        #expect(try await bench.outbox().count == 1)
    }

    // MARK: What delivery has applied

    private func state(applied: Int64, badges: [Int64: Int64] = [:], pending: [Int64] = []) -> UserState {
        UserState(
            devices: badges.map { DeviceState(device: "phone", epoch: $0.key, badge: $0.value) }, applied: applied,
            pending: pending.map { PendingDeletion(device: "phone", epoch: $0) })
    }

    /// Everyone reads their own writes: a read waits until delivery has come to the user's last event.
    @Test func aReadWaitsForItsUsersLastEvent() async throws {
        let bench = try await Bench()
        let user = bench.alice.user!
        let progress = bench.service.deliveries
        let device = try await register(bench)
        let waiting = Task { try await bench.service.badge(of: phone, for: bench.alice) }
        progress.update(bench.bob.user!, state(applied: 99))
        progress.update(user, state(applied: 0))
        progress.update(user, state(applied: device.epoch.rawValue, badges: [device.epoch.rawValue: 7]))
        #expect(try await waiting.value == 7)
        await expect(code: .tryAgainLater) {
            try await progress.waitUntilApplied(Sequence(100), of: user, atMost: .milliseconds(20))
        }
        try await progress.waitUntilApplied(Sequence(1), of: user, atMost: .milliseconds(20))
    }

    @Test func livesAreKnownWhileDeliveryStillHasToDoWithThem() {
        let progress = DeliveryProgress()
        let user = UserRecordName(trusted: "_a")
        func knows(_ epoch: Int64) -> Bool {
            progress.knows(DeliveryProgress.DeviceLife(device: phone, epoch: DeviceEpoch(epoch)))
        }
        progress.update(user, state(applied: 1, badges: [1: 0], pending: [9]))
        progress.update(UserRecordName(trusted: "_b"), state(applied: 1, badges: [5: 0]))
        #expect([1, 5, 9, 2].map(knows) == [true, true, true, false])
        progress.update(user, state(applied: 2, badges: [2: 0], pending: [1]))
        #expect([1, 5, 9, 2].map(knows) == [true, true, false, true])
        progress.update(user, state(applied: 3))
        #expect([1, 5, 9, 2].map(knows) == [false, true, false, false])
    }
}
