import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing
import Timing

@testable import RecordService

/// No deletion and no refusal by the calendar: a clock that leaps by years, a machine that rests, a copy of the store.
@Suite("The service clock") struct ServiceClockTests {
    private static let day = Duration.seconds(86_400)
    private static let years = day * (20 * 365)
    private static let phone = DeviceID(trusted: "phone")

    // MARK: The clock itself

    /// - Parameters:
    ///   - wall: what the wall clock did between two looks, in milliseconds.
    ///   - steady: what the steady clock did.
    ///   - passed: what the service clock does.
    @Test(
        "it goes by the steady clock, and the wall clock can only hold it back",
        arguments: [
            (1000, 1000, 1000), (Int64(20) * 365 * 86_400_000, 1000, 1000), (400, 1000, 400), (0, 1000, 0),
            (-1, 1000, 0), (-20 * 365 * 86_400_000, 1000, 0), (.max - 1_000_000, 1000, 1000), (.min, 1000, 0),
            (1000, -5, 0),
            (86_400_000, 86_400_000, ServiceClock.lookMax),
        ] as [(Int64, Int64, Int64)])
    func looks(wall: Int64, steady: Int64, passed: Int64) {
        let start = StoredClock(time: Timestamp(milliseconds: 5_000), wall: Timestamp(milliseconds: 9_000))
        var reading = ServiceClock.Reading(after: start, wall: 9_000, steady: 100)
        reading.advance(wall: 9_000 &+ wall, steady: 100 + steady, lookMax: ServiceClock.lookMax)
        #expect(reading.time == 5_000 + passed)
        // A clock that went back and stays there holds it for this one look.
        reading.advance(wall: 9_000 &+ wall &+ 1000, steady: 1_100 + steady, lookMax: ServiceClock.lookMax)
        #expect(reading.time == 5_000 + passed + 1000)
    }

    @Test(
        "the time that no process ran counts up to an hour, and none if the wall clock went back",
        arguments: [
            (0, 0), (60_000, 60_000), (3_600_001, 3_600_000), (20 * 365 * 86_400_000, 3_600_000), (-1, 0),
            (-20 * 365 * 86_400_000, 0), (.max, 3_600_000), (.min, 0),
        ] as [(Int64, Int64)])
    func starts(wall: Int64, passed: Int64) {
        let noted = StoredClock(time: Timestamp(milliseconds: 5_000), wall: Timestamp(milliseconds: 0))
        #expect(ServiceClock.Reading(after: noted, wall: wall, steady: 7).time == 5_000 + passed)
    }

    @Test("a process goes on where the one before it was, whatever the calendar says then")
    func goesOn() async throws {
        let log = MemoryLog()
        let rig = try await RecordServiceRig(log: log)
        let first = try await rig.service.serviceTime()
        rig.move(by: Self.day)
        _ = try await rig.apply(.on("r", .create))
        #expect(try await rig.service.serviceTime() == first.advanced(by: Self.day))
        for away in [Self.years, .zero - Self.years, .zero - Self.years, .zero] {
            let later = try await rig.restarted(after: away).serviceTime()
            #expect(later >= first.advanced(by: Self.day))
            #expect(later <= first.advanced(by: Self.day + .milliseconds(ServiceClock.awayMax)))
        }
    }

    // MARK: Removals

    /// A service with one of everything that is removed after a while.
    private func furnished() async throws -> (rig: RecordServiceRig, assets: MemoryAssets, file: String) {
        let assets = MemoryAssets()
        let rig = try await RecordServiceRig(assets: assets, deviceSilenceMax: Self.day * 180)
        _ = try await rig.service.registerDevice(Self.phone, name: "", platform: "", for: rig.alice)
        _ = try await rig.service.makeCourier(
            CourierKind("web"), platform: "", .development, client: nil, for: rig.alice)
        _ = try await rig.zone(.create, "a")
        _ = try await rig.zone(.create, "b")
        _ = try await rig.zone(.delete, "b")
        _ = try await rig.apply(.create(.draft("s")))
        _ = try await rig.apply(.touch("r"))
        _ = try await rig.apply(SubscriptionOperation.delete(SubscriptionID(trusted: "s")))
        let upload = AssetUpload(
            user: rig.alice.user!, database: .public,
            field: AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f")))
        let file = try await rig.service.keepAsset(.bytes([1, 2, 3]), for: upload)
        return (rig, assets, file.fileChecksum)
    }

    private func sweep(_ rig: RecordServiceRig, _ service: RecordService? = nil) async throws {
        let service = service ?? rig.service
        try await service.removeSupersededSubscriptions()
        try await service.sweepAssets()
        try await service.removeOldTombstones()
        try await service.removeEndedCouriers()
        try await service.removeSilentDevices()
    }

    /// The rest of it: devices and couriers, tombstones of zones, superseded versions, the file.
    private func left(_ rig: RecordServiceRig, _ assets: MemoryAssets, _ file: String) async throws -> [Int] {
        let far = Timestamp(milliseconds: .max)
        let (devices, versions) = try await rig.service.store.read { reader in
            (
                try reader.devices(of: rig.alice.user!).count,
                try reader.supersededVersions(before: far, limit: 100).count
            )
        }
        let zones = try await rig.service.databaseChanges(since: nil, in: .private, for: rig.alice).zones.count
        return [devices, zones > 0 ? 1 : 0, versions > 0 ? 1 : 0, try await assets.size(of: file) == nil ? 0 : 1]
    }

    @Test(
        "nothing is removed while the calendar leaps by years, ahead and back, with sweeps in between",
        arguments: [[1], [1, -1], [-1, 1], [1, 1, -2], [-1, -1, 2, 1]])
    func leapsRemoveNothing(leaps: [Int]) async throws {
        let (rig, assets, file) = try await furnished()
        let token = try await rig.service.databaseChanges(since: nil, in: .private, for: rig.alice).syncToken
        _ = try await rig.zone(.create, "c")
        _ = try await rig.zone(.delete, "c")
        let before = try await left(rig, assets, file)
        #expect(before == [2, 1, 1, 1])
        for leap in leaps {
            rig.leap(by: Self.years * leap)
            for _ in 0..<3 {
                try await sweep(rig)
                // Commits in the leap bear its time.
                _ = try await rig.apply(.on("r\(leap)", .forceUpdate))
                rig.move(by: .seconds(600))
            }
        }
        #expect(try await left(rig, assets, file) == before)
        // A deletion is still known to the holder of the token.
        _ = try await rig.service.databaseChanges(since: token, in: .private, for: rig.alice)
    }

    @Test(
        "everything is removed when the service has run for so long, wherever the calendar stands",
        arguments: [1, -1, 0])
    func removalsComeAllTheSame(leap: Int) async throws {
        let (rig, assets, file) = try await furnished()
        rig.leap(by: Self.years * leap)
        // The first look after a leap back does not count.
        for _ in 0..<20 {
            rig.move(by: Self.day * 10)
            try await sweep(rig)
        }
        #expect(try await rig.service.store.read { try $0.devices(of: rig.alice.user!) }.isEmpty)
        #expect(try await assets.size(of: file) == nil)
        let versions = try await rig.service.store.read {
            try $0.supersededVersions(before: Timestamp(milliseconds: .max), limit: 9)
        }
        #expect(versions.isEmpty)
    }

    @Test(
        "a service that rested for half a year, or came back from a copy, removes no device",
        arguments: [180, 20 * 365])
    func restsRemoveNothing(days: Int) async throws {
        let (rig, _, _) = try await furnished()
        let later = rig.restarted(after: Self.day * days)
        try await sweep(rig, later)
        #expect(try await later.listDevices(for: rig.alice).map(\.device.id).contains(Self.phone))
        // It was there to hear it from now on.
        rig.move(by: Self.day * 181)
        try await later.removeSilentDevices()
        #expect(try await !later.listDevices(for: rig.alice).map(\.device.id).contains(Self.phone))
    }

    // MARK: Refusals

    @Test("a save in the leap stops no bucket: registrations come back by the time that has passed")
    func bucketsGoOn() async throws {
        let rig = try await RecordServiceRig()
        func register(_ number: Int) async throws {
            let id = DeviceID(trusted: "d\(number)")
            _ = try await rig.service.registerDevice(id, name: "", platform: "", for: rig.alice)
            try await rig.service.unregisterDevice(id, for: rig.alice)
        }
        try await register(0)
        rig.leap(by: Self.years)
        _ = try await rig.apply(.on("r", .create))
        rig.leap(by: .zero - Self.years)
        for number in 1..<Limits.registrationsBurst { try await register(number) }
        await expect(code: .throttled) { try await register(1000) }
        rig.move(by: .seconds(Int64(Limits.registrationSecondsEach) * 2))
        try await register(1001)
        // Nor does a leap refill it.
        rig.leap(by: Self.years)
        try await register(1002)
        await expect(code: .throttled) { try await register(1003) }
    }

    @Test("a web courier lives for its time of service, and its user's leaping clock does not end it")
    func couriers() async throws {
        let rig = try await RecordServiceRig()
        let address = try await rig.service.makeCourier(
            CourierKind("web"), platform: "", .development, client: nil, for: rig.alice)
        rig.service.deliveries.update(rig.alice.user!, UserState(applied: .max))
        for leap in [Self.years, .zero - Self.years] {
            rig.leap(by: leap)
            _ = try await rig.service.courier(address)
            try await rig.service.removeEndedCouriers()
        }
        rig.move(by: .seconds(Int64(Limits.courierSeconds)))
        await expect(code: .badRequest) { try await rig.service.courier(address) }
    }

    // MARK: Silence

    @Test("a device that asked while delivery stood still, or in the leap, was heard of")
    func heard() async throws {
        let rig = try await RecordServiceRig(deviceSilenceMax: Self.day * 10)
        _ = try await rig.service.registerDevice(Self.phone, name: "", platform: "", for: rig.alice)
        rig.service.deliveries.update(rig.alice.user!, UserState(applied: .max))
        rig.leap(by: Self.years)
        _ = try await rig.service.deviceThatReads(Self.phone, for: rig.alice) { _ in nil }
        rig.leap(by: .zero - Self.years)
        for _ in 0..<3 {
            // Its last word bears a time that is to come; it is noted all the same.
            rig.move(by: Self.day * 6)
            _ = try await rig.service.deviceThatReads(Self.phone, for: rig.alice) { _ in nil }
            try await rig.service.removeSilentDevices()
        }
        #expect(try await rig.service.listDevices(for: rig.alice)[0].lastSeen == rig.now)
        rig.service.deliveries.update(rig.alice.user!, UserState(applied: 0))
        rig.move(by: Self.day * 6)
        await Time.$source.withValue(ManualTime(skipsPauses: true)) {
            _ = await expect(code: .tryAgainLater) {
                try await rig.service.deviceThatReads(Self.phone, for: rig.alice) { _ in nil }
            }
        }
        rig.move(by: Self.day * 6)
        try await rig.service.removeSilentDevices()
        #expect(try await rig.service.listDevices(for: rig.alice).count == 1)
    }

    /// A log in which groups have committed offsets.
    private final class ReadLog: ForwardingLog {
        let base: any EventLog = MemoryLog()
        let groups = Mutex<Set<String>>([])

        func committedOffsets(
            of group: GroupName, _ partitions: [TopicPartition]
        ) async throws -> [TopicPartition: Int64]? {
            let isThere = groups.withLock { $0.contains(group.rawValue) }
            return isThere ? Dictionary(uniqueKeysWithValues: partitions.map { ($0, 0) }) : [:]
        }
    }

    @Test("a device whose feed is read from Kafka is not silent, until its reader has left")
    func readers() async throws {
        let log = ReadLog()
        let rig = try await RecordServiceRig(deviceSilenceMax: Self.day * 10, log: log)
        let device = try await rig.service.registerDevice(Self.phone, name: "", platform: "", for: rig.alice)
        let laptop = DeviceID(trusted: "laptop")
        _ = try await rig.service.registerDevice(laptop, name: "", platform: "", for: rig.alice)
        let group = rig.service.layout.readers(of: device.id, device.epoch, device.user).group.rawValue
        log.groups.withLock { _ = $0.insert(group) }
        rig.move(by: Self.day * 11)
        try await rig.service.removeSilentDevices()
        #expect(try await rig.service.listDevices(for: rig.alice).map(\.device.id) == [Self.phone])
        log.groups.withLock { $0 = [] }
        rig.move(by: Self.day * 9)
        try await rig.service.removeSilentDevices()
        #expect(try await rig.service.listDevices(for: rig.alice).count == 1)
        rig.move(by: Self.day * 2)
        try await rig.service.removeSilentDevices()
        #expect(try await rig.service.listDevices(for: rig.alice).isEmpty)
    }
}
