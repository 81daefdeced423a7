import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Delivery policies: held notifications, the times of their delivery, and the changes that they stand for.
@Suite struct PolicyTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let digest = DeliveryPolicy(.digest(windowSeconds: 600, count: nil))
    private static let shapedDigest = DeliveryPolicy(.digest(windowSeconds: 600, count: nil), shapesFeed: true)

    private static func feeder() throws -> PolicyFeeder {
        var feeder = try PolicyFeeder()
        try feeder.register("phone")
        return feeder
    }

    @Test("a digest is one push for all changes of its window; the feed has each change at once")
    func digest() throws {
        var feeder = try Self.feeder()
        let first = try feeder.change(1, Self.digest, badge: true, at: 1000)
        #expect(first.feed.map(\.change) == [1] && first.pushes.isEmpty)
        #expect(first.schedules.map(\.at) == [601_000] && first.schedules.map(\.delay) == [600_000])
        let second = try feeder.change(2, of: "q", Self.digest, badge: true, body: "last", at: 2000)
        #expect(second.feed.map(\.change) == [2] && second.pushes.isEmpty && second.schedules.isEmpty)
        try feeder.restart()
        let due = try feeder.due(601_000)
        let push = try #require(due.pushes.first)
        #expect(due.pushes.count == 1 && push.notification?.change == 2 && push.notification?.alertBody == "last")
        #expect(push.notification?.covered == [1] && push.notification?.changeCount == 2)
        #expect(push.targets.map(\.device) == ["phone"] && push.targets[0].badge == 2 && push.time == 2000)
        #expect(due.feed.isEmpty && due.schedules.isEmpty)
        #expect(feeder.stored?.holds.isEmpty == true && feeder.stored?.scheduled == nil)
        #expect(try feeder.due(601_000).pushes.isEmpty)
    }

    @Test("a digest with a count is pushed once it has so many changes")
    func count() throws {
        var feeder = try Self.feeder()
        let policy = DeliveryPolicy(.digest(windowSeconds: 600, count: 3))
        #expect(try feeder.change(1, policy, at: 1).pushes.isEmpty)
        #expect(try feeder.change(2, policy, at: 2).pushes.isEmpty)
        #expect(try feeder.change(3, policy, at: 3).pushes.map { $0.notification?.allChanges } == [[1, 2, 3]])
        // The next one begins a window of its own; the event that was scheduled for the first one delivers nothing.
        #expect(try feeder.change(4, policy, at: 300_000).pushes.isEmpty)
        let early = try feeder.due(600_001)
        #expect(early.pushes.isEmpty && early.schedules.map(\.at) == [900_000])
        #expect(try feeder.due(900_000).pushes.map { $0.notification?.allChanges } == [[4]])
    }

    @Test("the latest change of each record is pushed, with the number of those before it")
    func latest() throws {
        var feeder = try Self.feeder()
        let policy = DeliveryPolicy(.latestPerRecord(windowSeconds: 60))
        for (number, record) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] {
            #expect(try feeder.change(Int64(number), of: record, policy, at: Int64(number)).pushes.isEmpty)
        }
        let pushes = try feeder.due(60_001).pushes
        #expect(pushes.map { $0.notification?.recordName } == ["b", "a"])
        #expect(pushes.map { $0.notification?.allChanges } == [[2], [1, 3, 4]])
        #expect(Set(pushes.map { $0.source?.position.index }).count == 2, "each has a name of its own")
    }

    @Test("in quiet hours of the device's clock nothing is pushed; afterwards one push stands for all")
    func quietHours() throws {
        var feeder = try Self.feeder()
        try feeder.register("tablet")
        let quiet = DeliveryPolicy(quietHours: QuietHours(from: 22 * 60, to: 7 * 60))
        try feeder.choose(
            DevicePolicies(clock: DeviceClock(offsets: [.init(from: 0, minutes: 120)])), on: "phone", at: 0)
        // 21:30 UTC is 23:30 on the phone, and no quiet hour on the tablet.
        let evening = 21 * Self.hour + 30 * Self.minute
        let first = try feeder.change(1, quiet, at: evening)
        #expect(first.pushes.map { $0.targets.map(\.device) } == [["tablet"]])
        #expect(first.schedules.map(\.at) == [29 * Self.hour])
        #expect(try feeder.change(2, quiet, at: evening + Self.hour).pushes.isEmpty)
        let morning = try feeder.due(29 * Self.hour)
        #expect(morning.pushes.map { $0.targets.map(\.device) } == [["phone"]])
        #expect(morning.pushes.map { $0.notification?.allChanges } == [[1, 2]])
        #expect(try feeder.due(31 * Self.hour).pushes.map { $0.targets.map(\.device) } == [["tablet"]])
    }

    @Test("more changes than an hour has pushes are in the count of the next one")
    func hourly() throws {
        var feeder = try Self.feeder()
        let policy = DeliveryPolicy(hourlyMax: 2)
        #expect(try feeder.change(1, policy, at: 0).pushes.count == 1)
        #expect(try feeder.change(2, policy, at: Self.minute).pushes.count == 1)
        let third = try feeder.change(3, policy, at: 2 * Self.minute)
        #expect(third.pushes.isEmpty && third.schedules.map(\.at) == [Self.hour])
        #expect(try feeder.change(4, policy, at: 3 * Self.minute).pushes.isEmpty)
        let next = try feeder.due(Self.hour)
        #expect(next.pushes.map { $0.notification?.allChanges } == [[3, 4]])
        #expect(try feeder.change(5, policy, at: Self.hour).pushes.isEmpty, "one of 0:01 and one of 1:00 count")
        #expect(try feeder.due(Self.hour + Self.minute).pushes.map { $0.notification?.change } == [5])
    }

    @Test("a policy that shapes the feed makes one notification there, but for the device that made the changes")
    func shapedFeed() throws {
        var feeder = try Self.feeder()
        try feeder.register("tablet", epoch: 1)
        let policy = Self.shapedDigest
        let first = try feeder.change(1, policy, badge: true, at: 0)
        #expect(first.feed.isEmpty && first.pushes.isEmpty && first.schedules.map(\.at) == [600_000])
        try feeder.change(2, policy, by: "phone", at: 1)
        try feeder.change(3, policy, badge: true, at: 2)
        try feeder.restart()
        let due = try feeder.due(600_000)
        #expect(due.feed.map(\.allChanges) == [[1, 3]] && due.feed[0].changeCount == 2)
        #expect(due.feed[0].badges.map(\.badge) == [1, 1], "one notification, one on the badge")
        #expect(due.pushes.map { $0.targets.map(\.device) } == [["phone", "tablet"]])
        // What the phone did began later, and is not for the phone.
        let own = try feeder.due(600_001)
        #expect(own.feed.map(\.allChanges) == [[2]] && own.pushes.map { $0.targets.map(\.device) } == [["tablet"]])
    }

    @Test("a subscription that fires once, and changes before its creation, are in the feed at once")
    func exceptions() throws {
        var feeder = try Self.feeder()
        let policy = PolicyMessage(Self.shapedDigest)
        func hits(_ change: Int64, backfill: Int64 = 0, once: Bool = false) -> DeliveryEntry.Event {
            .hits(
                HitsMessage(
                    change: change, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                    origin: OriginMessage(user: History.users[1].rawValue),
                    hits: [Hit(database: 1, subscription: "s", created: 9, firesOnce: once, policy: policy)],
                    backfill: backfill))
        }
        #expect(try feeder.apply(hits(1, once: true), at: 0).feed.map(\.change) == [1])
        try feeder.apply(.backfillBegun(BackfillBegun(created: 9, partitions: 1, database: 1)), at: 1)
        let past = try feeder.apply(hits(2, backfill: 9), at: 2)
        #expect(past.feed.map(\.change) == [2] && past.pushes.isEmpty && past.schedules.isEmpty)
    }

    @Test("a notification that is read on any device is taken out of the held pushes")
    func read() throws {
        var feeder = try Self.feeder()
        try feeder.change(1, Self.digest, at: 0)
        try feeder.change(2, Self.digest, at: 1)
        try feeder.apply(.read(NotificationsRead(device: "tablet", changes: [2])), at: 2)
        let left = try feeder.due(600_000).pushes.compactMap(\.notification)
        #expect(left.map(\.change) == [1] && left.map(\.changeCount) == [0] && left.map(\.covered) == [[]])
        try feeder.change(3, Self.digest, at: 700_000)
        try feeder.apply(.read(NotificationsRead(device: "tablet", changes: [3])), at: 700_001)
        #expect(try feeder.due(1_300_000).pushes.isEmpty && feeder.stored?.holds.isEmpty == true)
        // Also by the device itself.
        try feeder.change(4, Self.digest, at: 1_400_000)
        try feeder.change(5, Self.digest, at: 1_400_001)
        try feeder.apply(.read(NotificationsRead(device: "phone", changes: [4])), at: 1_400_002)
        #expect(try feeder.due(2_000_000).pushes.map { $0.notification?.allChanges } == [[5]])
    }

    @Test("a device's choice wins over the subscription's, and one for a subscription over the general one")
    func choices() throws {
        var feeder = try Self.feeder()
        let none = DeliveryPolicy()
        try feeder.choose(
            DevicePolicies(
                general: Self.digest,
                chosen: [.init(database: .public, subscription: SubscriptionID(trusted: "t"), policy: none)]),
            on: "phone", at: 0)
        #expect(try feeder.change(1, nil, at: 1).pushes.isEmpty)
        #expect(try feeder.change(2, Self.digest, subscription: "t", at: 2).pushes.count == 1)
        // Choices for a life that is over change nothing; taken back, held pushes go at once.
        try feeder.choose(DevicePolicies(), on: "phone", epoch: 7, at: 3)
        #expect(feeder.stored?.devices.first?.policies != nil)
        let back = try feeder.apply(
            .policiesChanged(PoliciesChanged(device: "phone", epoch: 1, policies: DevicePoliciesMessage())), at: 4)
        #expect(back.pushes.map { $0.notification?.change } == [1] && feeder.stored?.devices.first?.policies == nil)
    }

    @Test("web couriers that clients poll read the feed: no policy holds anything for them, and nothing is pushed")
    func webCouriers() throws {
        var feeder = try PolicyFeeder()
        try feeder.apply(
            .registered(DeviceRegistered(device: "browser", epoch: 1, name: "", platform: "", courier: "web")), at: 0)
        let delivered = try feeder.change(1, Self.digest, at: 1)
        #expect(delivered.feed.map(\.change) == [1] && delivered.pushes.isEmpty)
        #expect(delivered.schedules.isEmpty && feeder.stored?.holds.isEmpty == true)
    }

    @Test("an event that never came is scheduled again with the user's next entry, and nothing waits for it meanwhile")
    func lostEvent() throws {
        var feeder = try Self.feeder()
        try feeder.change(1, Self.digest, at: 0)
        let later = try feeder.change(2, Self.digest, at: 3 * Self.hour)
        #expect(later.pushes.map { $0.notification?.allChanges } == [[1, 2]], "the window was over")
        let next = try feeder.change(3, Self.digest, at: 3 * Self.hour + 1)
        #expect(next.schedules.map(\.at) == [3 * Self.hour + 600_001])
    }

    @Test("a device that is removed takes its held pushes along, a user everything")
    func removals() throws {
        var feeder = try Self.feeder()
        try feeder.change(1, Self.digest, at: 0)
        try feeder.apply(.unregistered(DeviceUnregistered(device: "phone", epoch: 1)), at: 1)
        #expect(try feeder.due(600_000).pushes.isEmpty && feeder.stored?.holds.isEmpty == true)
        try feeder.register("phone", epoch: 2, at: 600_001)
        try feeder.change(2, Self.digest, at: 600_002)
        try feeder.apply(.userRemoved(UserRemoved()), at: 600_003)
        #expect(try feeder.due(1_200_002).pushes.isEmpty && feeder.stored?.holds.isEmpty == true)
    }

    @Test("large notifications are held without what a push would not carry, and all together are bounded")
    func bytes() throws {
        var feeder = try Self.feeder()
        let text = String(repeating: "x", count: 4000)
        let long = String(repeating: "y", count: 20_000)
        try feeder.change(1, Self.digest, subscription: "long", body: long, at: 0)
        let hold = try #require(feeder.stored?.holds.first)
        #expect(hold.encoded().count < Limits.heldNotificationBytesMax && hold.held[0].changes == [1])
        var pushed = 0
        for number: Int64 in 2..<60 {
            let delivered = try feeder.change(number, Self.digest, subscription: "s\(number)", body: text, at: number)
            pushed += delivered.pushes.count
            #expect((feeder.stored?.holds.reduce(0) { $0 + $1.encoded().count } ?? 0) <= Limits.heldBytesMax)
        }
        let rest = try feeder.due(700_000).pushes.count
        #expect(pushed > 0 && pushed + rest == 59, "each once, the first ones early")
    }

    @Test("a notification names a thousand changes, and counts further ones")
    func manyChanges() throws {
        var feeder = try Self.feeder()
        let count = Int64(Limits.heldChangesMax + 5)
        for number in 1...count { try feeder.change(number, Self.digest, at: number) }
        let push = try #require(try feeder.due(700_000).pushes.first?.notification)
        #expect(push.changeCount == count && push.covered.count == Limits.heldChangesMax && push.change == count)
    }

    @Test("a policy per record holds twenty of them; earlier ones count in those")
    func manyRecords() throws {
        var feeder = try Self.feeder()
        let policy = DeliveryPolicy(.latestPerRecord(windowSeconds: 60))
        for number: Int64 in 1...30 { try feeder.change(number, of: "r\(number)", policy, at: number) }
        let pushes = try feeder.due(60_001).pushes.compactMap(\.notification)
        #expect(pushes.count == Limits.heldRecordsMax && pushes.map { max(1, $0.changeCount) }.reduce(0, +) == 30)
        #expect(pushes[0].allChanges == Array(1...11) && pushes[0].change == 11)
    }

    /// Events that write an entry of their own.
    private static let events: [DeliveryEntry.Event] = [
        .registered(DeviceRegistered(device: "other", epoch: 9, name: "", platform: "")),
        .unregistered(DeviceUnregistered(device: "phone", epoch: 1)),
        .badge(BadgeSet(device: "phone", value: 3)), .read(NotificationsRead(device: "phone", changes: [7, 8])),
    ]

    @Test("notifications that come due with an event have names of their own", arguments: events.indices)
    func names(event: Int) throws {
        var feeder = try PolicyFeeder()
        try feeder.register("phone")
        try feeder.change(1, Self.shapedDigest, at: 0)
        try feeder.change(2, Self.digest, subscription: "p", at: 0)
        let delivered = try feeder.apply(Self.events[event], at: 700_000)
        #expect(delivered.feed.map(\.change) == [1])
        // Of a removed device nothing is pushed.
        let isRemoved = if case .unregistered = Self.events[event] { true } else { false }
        #expect(delivered.pushes.compactMap(\.notification?.change) == (isRemoved ? [] : [1, 2]))
    }

    @Test("debug builds end where two entries would have one name")
    func namesAreChecked() async {
        await #expect(processExitsWith: .failure) {
            var step = UserStep(
                UserDelivery(user: History.users[0], layout: History.layout), time: Timestamp(milliseconds: 0),
                source: SourcePosition(source: .store(7), offset: 1))
            step.appendToJournal(.query(QueryNotification()), by: UserStep.Cause())
            step.appendToJournal(.query(QueryNotification()), by: UserStep.Cause())
        }
    }

    @Test("a hold with the longest names and any times has no more bytes than it counts as")
    func bytesMost() {
        let name = String(repeating: "\u{10FFFF}", count: Limits.nameCharactersMax)
        let quiet = QuietHours(from: 1439, to: 1438)
        var policy = PolicyMessage(DeliveryPolicy(.digest(windowSeconds: 600, count: 2), quietHours: quiet))
        (policy.window, policy.count, policy.hourlyMax) = (.min, .min, .min)
        let hold = HoldMessage(
            device: name, epoch: .min, database: .min, subscription: name, cause: name, causeEpoch: .min,
            policy: policy, opened: .min, due: .min, held: [], pushed: [.min, .min], own: policy)
        #expect(hold.encoded().count <= hold.bytesMost)
        for held in Self.longest(name) {
            var full = hold
            full.held = Array(repeating: held, count: Limits.heldRecordsMax)
            #expect(full.encoded().count <= full.bytesMost)
        }
    }

    /// Notifications that are held with the longest names, any numbers and as many changes as are listed: one with a text
    /// that fills the rest of what a held one may have, and one whose texts had too much.
    private static func longest(_ name: String) -> [HeldNotification] {
        var notification = QueryNotification(
            database: .min, subscription: name, change: .min, reason: .min, recordType: name, recordName: name,
            zone: ZoneMessage(name: name, owner: name), kind: .min)
        let free = Limits.heldNotificationBytesMax - notification.encoded().count - 3
        return [free, 2 * Limits.heldNotificationBytesMax].map { bytes in
            notification.alertBody = String(repeating: "x", count: bytes)
            var held = HeldNotification(notification, at: .min, shouldBadge: true).trimmed()
            (held.changes, held.more) = (Array(repeating: .min, count: Limits.heldChangesMax), .min)
            #expect(held.isSmall)
            if bytes == free { #expect(held.notification?.encoded().count == Limits.heldNotificationBytesMax) }
            return held
        }
    }

    @Test("hits that waited for a backfill are named after the notifications that came due with its end")
    func namesAfterBackfills() throws {
        var feeder = try PolicyFeeder()
        try feeder.register("phone")
        try feeder.change(1, Self.shapedDigest, at: 0)
        try feeder.apply(.backfillBegun(BackfillBegun(created: 1, partitions: 1, database: 1)), at: 1)
        #expect(try feeder.change(2, nil, at: 2).feed.isEmpty)
        let ended = try feeder.apply(.backfillShareDone(BackfillShareDone(created: 1, partition: 0)), at: 700_000)
        // The command that notes the end, and the digest.
        #expect(ended.feed.map(\.change) == [1] && feeder.stored?.release?.index == 2)
    }

    @Test("times of any kind hold and deliver", arguments: [Int64.min, -1, 0, 1 << 60, .max])
    func anyTime(_ time: Int64) throws {
        var feeder = try Self.feeder()
        let policy = DeliveryPolicy(
            .digest(windowSeconds: 600, count: 2), quietHours: QuietHours(from: 60, to: 30), hourlyMax: 1)
        try feeder.change(1, policy, at: time)
        let scheduled = try #require(
            try feeder.change(2, policy, at: time).schedules.first?.at ?? feeder.stored?.scheduled)
        try feeder.due(scheduled, at: time)
        try feeder.due(.max, at: 5)
        #expect(feeder.stored?.holds.allSatisfy { $0.held.isEmpty } == true)
    }
}
