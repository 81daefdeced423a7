import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import NotificationDelivery

/// The entries of `pushes` that are no notifications: for devices with an address alone.
@Suite struct AddressedPushTests {
    private typealias Feeder = UserStateTests.Feeder

    private static func changed(_ device: String, _ courier: String, since: Int64) -> DeliveryEntry.Event {
        .courierChanged(CourierChanged(device: device, epoch: UserStateTests.epoch, courier: courier, since: since))
    }

    /// A phone with two addresses, a tablet with one, a browser with a web courier and a laptop without any.
    private static func feeder() throws -> Feeder {
        var feeder = try Feeder()
        _ = feeder.apply(
            ["phone", "tablet", "laptop"].map { UserStateTests.registered($0, courier: "") } + [
                UserStateTests.registered("browser", courier: "web"), changed("phone", "apns", since: 3),
                changed("phone", "webPush", since: 4), changed("tablet", "apns", since: 5),
            ])
        return feeder
    }

    private static func pushes(_ step: PartitionDelivery.Step) throws -> [PushEntry] {
        try step.outputs.pushes.map { try PushEntry(decoding: $0.value!) }
    }

    /// What older readers take for an entry of hints, which wakes nobody.
    private static func expectForSendersAlone(_ push: PushEntry) {
        #expect(push.notification == nil && push.hints.count == 1 && push.hints.allSatisfy(\.device.isEmpty))
    }

    @Test("a badge that is set is pushed to the other devices with an address, under the name of the journal's entry")
    func badges() throws {
        var feeder = try Self.feeder()
        let step = feeder.apply([.badge(BadgeSet(device: "tablet", value: 7))])
        let push = try #require(try Self.pushes(step).first)
        #expect(push.targets.map(\.courier) == ["apns", "webPush"] && push.targets.allSatisfy { $0.badge == 7 })
        #expect(push.targets.map(\.since) == [3, 4] && push.omitted == nil && push.read.isEmpty)
        let journal = try FeedEntry(decoding: step.outputs.journals[0].value!)
        #expect(push.source?.position == journal.source?.position && push.device == "tablet")
        Self.expectForSendersAlone(push)
    }

    @Test("a badge that a device has already is not pushed to it again")
    func sameBadge() throws {
        var feeder = try Self.feeder()
        let first = feeder.apply([.badge(BadgeSet(device: "laptop", value: 7))])
        #expect(try Self.pushes(first).map(\.targets.count) == [3])
        #expect(try Self.pushes(feeder.apply([.badge(BadgeSet(device: "laptop", value: 7))])).isEmpty)
        let last = feeder.apply([UserStateTests.hits(9, badge: true), .badge(BadgeSet(device: "laptop", value: 8))])
        #expect(try Self.pushes(last).map { $0.targets.map(\.badge) } == [[8, 8, 8]], "the counters are at 8")
    }

    @Test("notifications that are read make one push an event, with the newest changes that were not read before")
    func reads() throws {
        var feeder = try Self.feeder()
        _ = feeder.apply([.read(NotificationsRead(device: "laptop", changes: [5]))])
        let changes = [9, 5] + Array(10...Int64(9 + Limits.pushedReadMarksMax)).reversed()
        let step = feeder.apply([.read(NotificationsRead(device: "phone", changes: changes))])
        let push = try #require(try Self.pushes(step).first)
        #expect(step.outputs.pushes.count == 1 && push.targets.map(\.device) == ["tablet"])
        #expect(push.read == Array(10...Int64(9 + Limits.pushedReadMarksMax)))
        let last = try FeedEntry(decoding: step.outputs.journals.last!.value!)
        #expect(push.source?.position == last.source?.position)
        Self.expectForSendersAlone(push)
        let again = feeder.apply([.read(NotificationsRead(device: "tablet", changes: changes))])
        #expect(again.outputs.pushes.isEmpty)
    }

    @Test("left out notifications are pushed with their number, those of a backfill are not")
    func omitted() throws {
        var feeder = try Self.feeder()
        guard case .hits(var hits) = UserStateTests.hits(9) else { return }
        hits.omitted = 6
        let step = feeder.apply([.hits(hits)])
        let pushes = try Self.pushes(step)
        #expect(pushes.map { $0.notification == nil } == [false, true] && pushes.map(\.targets.count) == [3, 3])
        let last = try #require(pushes.last)
        #expect(last.omitted?.count == 6 && last.omitted?.change == 9)
        Self.expectForSendersAlone(last)
        let journal = try FeedEntry(decoding: step.outputs.journals.last!.value!)
        #expect(last.source?.position == journal.source?.position)
        _ = feeder.apply([.backfillBegun(BackfillBegun(created: 20, partitions: 1, database: 1))])
        hits.backfill = 20
        hits.omitted = 3
        hits.hits = []
        hits.leftOut = [20]
        let past = feeder.apply([.hits(hits)])
        #expect(past.outputs.journals.count == 1 && past.outputs.pushes.isEmpty)
    }

    @Test("a user without an address pays nothing, nor does a device whose address was removed")
    func none() throws {
        var feeder = try Self.feeder()
        _ = feeder.apply([
            Self.changed("phone", "apns", since: 0), Self.changed("phone", "webPush", since: 0),
            Self.changed("tablet", "apns", since: 0),
        ])
        let events: [DeliveryEntry.Event] = [
            .badge(BadgeSet(device: "laptop", value: 7)), .read(NotificationsRead(device: "laptop", changes: [5])),
        ]
        #expect(feeder.apply(events).outputs.pushes.isEmpty)
    }
}
