import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The pushes that devices missed, found in journals.
@Suite struct MissedInFeedsTests {
    private static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
    private static let epoch: Int64 = 3
    private static let user = Pushed.user
    /// A user with journals in the same partition.
    private static let other = ["b", "c", "d", "e", "f"].map { UserRecordName.sample($0) }.first {
        Pushed.layout.journals(of: $0) == Pushed.layout.journals(of: user)
    }!

    /// A log with journals as stage 2 writes them.
    private struct World {
        let log = MemoryLog()
        let layout = Pushed.layout
        var devices: [UserRecordName: [String]] = [:]
        var number: Int64 = 0

        init() async throws {
            _ = try await log.createTopics(layout.fixedTopics)
        }

        mutating func register(_ device: String, of user: UserRecordName = user, epoch: Int64 = epoch) async throws {
            devices[user, default: []].append(device)
            let mark = RegisteredMark(device: device, epoch: epoch)
            try await write(.registered(mark), of: user, by: device, epoch: epoch)
        }

        mutating func notify(
            _ change: Int64, of user: UserRecordName = user, by device: String? = nil, isVisible: Bool = true,
            badge: Int64? = nil, isBackfilled: Bool = false, standingFor count: Int64 = 0
        ) async throws {
            let notification = QueryNotification(
                database: 2, subscription: "s", change: change, reason: 1, recordType: "T", recordName: "r",
                zone: ZoneMessage(.publicDefault), alertBody: isVisible ? "text" : nil, isBackfilled: isBackfilled,
                changeCount: count)
            try await write(.query(notification), of: user, by: device, badge: badge)
        }

        mutating func write(
            _ entry: FeedEntry.Entry, of user: UserRecordName = user, by device: String? = nil,
            epoch: Int64 = epoch, badge: Int64? = nil
        ) async throws {
            number += 1
            var entry = entry
            if case .query(var query) = entry, let badge {
                query.badges = (devices[user] ?? []).map { DeviceBadge(device: $0, epoch: epoch, badge: badge) }
                entry = .query(query)
            }
            let name = SourcePosition(source: source, offset: number)
            let message = FeedEntry(
                source: SourcePositionMessage(name), user: user.rawValue, time: number, device: device,
                epoch: device.map { _ in epoch }, entry: entry)
            let outgoing = OutgoingEntry(
                layout.journals(of: user), key: layout.userKey(user), value: message.encoded(),
                timestamp: LogTimestamp(milliseconds: number))
            try await log.withWriter { try await $0.append([outgoing]) }
        }

        /// What devices missed: device, change, number, badge, and the number of changes where it is another one.
        func missed(
            _ devices: [(device: String, user: UserRecordName, settled: Int64?)], before next: Int64? = nil,
            on log: (any EventLog)? = nil
        ) async throws -> [String] {
            let result = Mutex<[String]>([])
            let lines = devices.map { device, user, settled in
                MissedLine(
                    user: user, device: DeviceID(trusted: device), epoch: DeviceEpoch(epoch), kind: .apns,
                    settled: settled.map { SourcePosition(source: source, offset: $0) }, sequence: CommitSequence(77))
            }
            let bound = next.map { SourcePosition(source: source, offset: $0) }
            let missed = MissedInFeeds(log: log ?? self.log, layout: layout)
            try await missed.missed(by: lines, before: bound) { line, bytes, count in
                let entry = try PushEntry(decoding: bytes)
                #expect(entry.targets.count == 1 && entry.targets[0].device == line.device.rawValue)
                #expect(entry.targets[0].since == 77 && entry.user == line.user.rawValue)
                #expect(entry.notification?.badge == nil && entry.notification?.badges.isEmpty != false)
                let what =
                    entry.notification.map { "\($0.change)" } ?? entry.omitted.map { "omitted \($0.count)" } ?? ""
                let badge = entry.targets[0].badge.map { " badge \($0)" } ?? ""
                let changes = entry.notification.map { max(1, $0.changeCount) } ?? Int64(count)
                let number = changes == count ? "" : " for \(changes)"
                result.withLock { $0.append("\(line.device) \(what) of \(count)\(badge)\(number)") }
            }
            return result.withLock { $0.sorted() }
        }
    }

    @Test("the newest visible notification is found with the number, between two names")
    func newest() async throws {
        var world = try await World()
        try await world.register("phone")
        for change in 1...5 { try await world.notify(Int64(change)) }
        try await world.notify(6, isVisible: false)
        for change in 7...9 { try await world.notify(Int64(change)) }
        // Names are one more than changes.
        #expect(try await world.missed([("phone", Self.user, 3)], before: 9) == ["phone 7 of 5"])
        #expect(try await world.missed([("phone", Self.user, 3)], before: 8) == ["phone 5 of 4"], "6 is silent")
        #expect(try await world.missed([("phone", Self.user, 6)], before: 8) == ["phone 6 of 1"], "and there alone")
        #expect(try await world.missed([("phone", Self.user, nil)]) == ["phone 9 of 9"])
        #expect(try await world.missed([("phone", Self.user, 10)]) == [])
        #expect(try await world.missed([("phone", Self.user, 9)], before: 10) == [])
    }

    @Test("own changes, backfills, entries before the registration, and other users are left out")
    func others() async throws {
        var world = try await World()
        try await world.register("laptop")
        try await world.notify(1)
        try await world.notify(2)
        try await world.register("phone")
        try await world.register("theirs", of: Self.other)
        try await world.notify(3, by: "phone")
        try await world.notify(4)
        try await world.notify(5, isBackfilled: true)
        try await world.notify(6, of: Self.other)
        try await world.write(.read(ReadMark(change: 4)), by: "laptop")
        try await world.notify(7, by: "phone")
        let lines =
            [("laptop", Self.user, nil), ("phone", Self.user, nil), ("theirs", Self.other, nil)]
            as [(device: String, user: UserRecordName, settled: Int64?)]
        #expect(try await world.missed(lines) == ["laptop 7 of 5", "phone 4 of 1", "theirs 6 of 1"])
        #expect(try await world.missed([("unknown", UserRecordName.sample("z"), nil)]) == [])
    }

    @Test("the newest badge goes with it, also one that was set")
    func badges() async throws {
        var world = try await World()
        try await world.register("phone")
        try await world.notify(1, isVisible: false, badge: 4)
        try await world.notify(2)
        #expect(try await world.missed([("phone", Self.user, 1)]) == ["phone 2 of 2 badge 4"])
        try await world.write(.badge(BadgeMark(value: 0)), by: "laptop")
        #expect(try await world.missed([("phone", Self.user, 1)]) == ["phone 2 of 2 badge 0"])
        try await world.notify(3, isVisible: false, badge: 1)
        #expect(try await world.missed([("phone", Self.user, 1)]) == ["phone 3 of 3 badge 1"], "a badge is visible")
        #expect(try await world.missed([("phone", Self.user, 1)], before: 4) == ["phone 2 of 2 badge 4"])
    }

    @Test("the number of the changes of all goes with it")
    func changes() async throws {
        var world = try await World()
        try await world.register("phone")
        try await world.notify(1, standingFor: 3)
        try await world.notify(2, isVisible: false, standingFor: 2)
        try await world.notify(3)
        #expect(try await world.missed([("phone", Self.user, nil)]) == ["phone 3 of 3 for 6"])
        #expect(try await world.missed([("phone", Self.user, 3)]) == ["phone 3 of 1"])
    }

    @Test("left out notifications are found where there are no others")
    func omitted() async throws {
        var world = try await World()
        try await world.register("phone")
        let omitted = OmittedNotifications(
            database: 2, change: 8, reason: 1, zone: ZoneMessage(.publicDefault), count: 5)
        try await world.write(.omitted(omitted))
        #expect(try await world.missed([("phone", Self.user, 1)]) == ["phone omitted 5 of 1"])
        try await world.notify(9)
        try await world.write(.omitted(omitted))
        #expect(try await world.missed([("phone", Self.user, 1)]) == ["phone 9 of 3"])
    }

    @Test("notifications behind the old end of a broker that was paused are found", arguments: [0, 2])
    func oldEnd(known: Int64) async throws {
        let time = ManualTime()
        var (old, world) = (try await World(), try await World())
        if known > 0 { try await old.register("phone") }
        try await world.register("phone")
        for change in 1...3 as ClosedRange<Int64> {
            if change <= known { try await old.notify(change) }
            try await world.notify(change)
        }
        let (log, whole) = (PausedBrokerLog(world.log, old: old.log), world)
        try await within {
            try await time.bound {
                let finding = Task { try await whole.missed([("phone", Self.user, 1)], on: log) }
                try await eventually("a pause") { time.pauses.contains(log.staleBoundsMax) }
                time.advance(by: log.staleBoundsMax)
                #expect(try await finding.value == ["phone 3 of 3"])
            }
        }
    }

    @Test("what retention has left is found, and a removed device has nothing")
    func trimmed() async throws {
        var world = try await World()
        try await world.register("phone")
        for change in 1...9 { try await world.notify(Int64(change)) }
        let partition = world.layout.journals(of: Self.user)
        try await world.log.truncate([partition: 7])
        #expect(try await world.missed([("phone", Self.user, 2)]) == ["phone 9 of 3"])
        try await world.log.truncate([partition: 10])
        #expect(try await world.missed([("phone", Self.user, 2)]) == [])
        try await world.notify(10)
        try await world.write(.unregistered(UnregisteredMark(device: "phone", epoch: Self.epoch)))
        #expect(try await world.missed([("phone", Self.user, 2)]) == [])
    }

    @Test("a large partition is searched, also where a writer began again", arguments: [0, 1, 5000, 9999])
    func search(settled: Int64) async throws {
        let layout = Pushed.layout
        let log = MemoryLog()
        _ = try await log.createTopics(layout.fixedTopics)
        let names = Array(1...6000) + Array(4000...8000) + Array(7990...10_000)
        let entries = names.map { number in
            let message = FeedEntry(
                source: SourcePositionMessage(SourcePosition(source: Self.source, offset: Int64(number))),
                user: Self.user.rawValue, time: 1,
                entry: .query(
                    QueryNotification(
                        database: 2, subscription: "s", change: Int64(number), reason: 1, recordType: "T",
                        recordName: "r", zone: ZoneMessage(.publicDefault), alertBody: "text")))
            return OutgoingEntry(
                layout.journals(of: Self.user), key: layout.userKey(Self.user), value: message.encoded(),
                timestamp: LogTimestamp(milliseconds: 1))
        }
        try await log.withWriter { try await $0.append(entries) }
        let line = MissedLine(
            user: Self.user, device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(Self.epoch), kind: .apns,
            settled: SourcePosition(source: Self.source, offset: settled))
        let found = Mutex<[Int]>([])
        try await MissedInFeeds(log: log, layout: layout).missed(by: [line], before: nil) { _, _, count in
            found.withLock { $0.append(count) }
        }
        #expect(found.withLock { $0 } == [10_000 - Int(settled)])
    }
}
