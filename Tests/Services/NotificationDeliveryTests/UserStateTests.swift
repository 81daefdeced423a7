import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// What one user's state remembers, for how long, and what it withstands.
@Suite struct UserStateTests {
    static let user = History.users[0]
    static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
    static let epoch: Int64 = 1

    /// Feeds a machine entry by entry, each from a source position of its own.
    struct Feeder {
        var machine: PartitionDelivery
        var count: Int64 = 0

        init(_ state: UserState? = nil) throws {
            let stored = state.map { [Array(user.rawValue.utf8): $0.encoded()] }
            machine = try PartitionDelivery(layout: History.layout, source: source, state: stored ?? [:])
        }

        mutating func apply(_ events: [DeliveryEntry.Event], at time: Int64 = 0) -> PartitionDelivery.Step {
            let entries = events.map { event in
                count += 1
                let position = SourcePosition(source: .store(7), offset: count)
                return History.entry(
                    DeliveryEntry(
                        source: SourcePositionMessage(position), user: user.rawValue, time: time, event: event),
                    at: count)
            }
            let step = machine.apply(entries)
            #expect(step.count == entries.count, "more than a step takes: apply the events one by one")
            return step
        }

        mutating func journal(_ events: DeliveryEntry.Event..., at time: Int64 = 0) throws -> [String] {
            try apply(events, at: time).outputs.journals.map {
                Oracle.Item(try FeedEntry(decoding: $0.value!), isJournal: true).text
            }
        }
    }

    static func hits(_ change: Int64, once: Int64? = nil, badge: Bool = false) -> DeliveryEntry.Event {
        .hits(
            HitsMessage(
                change: change, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: History.users[1].rawValue),
                hits: [
                    Hit(
                        database: 1, subscription: "s", created: once ?? 1, firesOnce: once != nil, shouldBadge: badge)
                ]))
    }

    private static func read(_ changes: Int64...) -> DeliveryEntry.Event {
        .read(NotificationsRead(device: "phone", changes: changes))
    }

    private static let registered = DeliveryEntry.Event.registered(
        DeviceRegistered(device: "phone", epoch: epoch, name: "", platform: ""))

    func state(_ step: PartitionDelivery.Step) throws -> UserState {
        let bytes = try #require(step.changes[Array(Self.user.rawValue.utf8)] ?? nil)
        #expect(bytes.count <= Limits.userStateBytesMax)
        return try UserState(decoding: bytes)
    }

    /// docs/choices.md, 8: marking read twice gives one `readNotification`.
    @Test func markingTwiceWritesOnce() throws {
        var feeder = try Feeder()
        #expect(try feeder.journal(Self.read(5, 6, 5)) == ["read 5", "read 6"])
        #expect(try feeder.journal(Self.read(6, 7)) == ["read 7"])
    }

    /// What a mark is about is kept for 90 days, so the mark is too: also when many things happened on every day.
    @Test(arguments: [(0, 1), (0, 86_399_999), (40_000_000, 80_000_000)] as [(Int64, Int64)])
    func aReadMarkLivesAsLongAsItsNotification(first: Int64, second: Int64) throws {
        var feeder = try Feeder()
        _ = try feeder.journal(Self.hits(1), at: first)
        _ = try feeder.journal(Self.hits(2), Self.read(2), at: second)
        for day in 1..<Int64(90) {
            _ = feeder.apply([Self.hits(2 * day + 1), Self.hits(2 * day + 2)], at: second + day * History.day)
        }
        _ = try feeder.journal(Self.hits(1000), at: second + 90 * History.day - 1)
        #expect(try feeder.journal(Self.read(2)).isEmpty)
    }

    @Test func oldReadMarksExpire() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.hits(1, once: 1), Self.hits(2), Self.read(1, 2)])
        for day in 1..<Int64(91) { _ = feeder.apply([Self.hits(day + 2)], at: day * History.day) }
        let before = try state(feeder.apply([Self.hits(98)], at: 90 * History.day))
        #expect(before.read == [1, 1] && before.spent.count == 1)
        let later = try state(feeder.apply([Self.hits(99)], at: 91 * History.day))
        #expect(later.read.isEmpty && later.spent.isEmpty)
        #expect(later.checkpoints.count == UserDelivery.memoryDays)
    }

    /// A machine's clock that is 20 years ahead for an hour makes no mark old, and no spent subscription.
    @Test(
        "a clock that leaps by years and back forgets nothing",
        arguments: [[20 * 365], [20 * 365, 0], [0, 20 * 365, 0, 40 * 365, 1], [-20 * 365, 20 * 365]] as [[Int64]])
    func leapingClocksForgetNothing(days: [Int64]) throws {
        let start = 20_000 * History.day
        var feeder = try Feeder()
        _ = feeder.apply([Self.hits(1, once: 1), Self.hits(2), Self.read(2)], at: start)
        for (number, day) in days.enumerated() {
            _ = feeder.apply([Self.hits(Int64(10 + number))], at: start + day * History.day)
        }
        #expect(try feeder.journal(Self.read(2), at: start).isEmpty)
        #expect(try feeder.journal(Self.hits(100, once: 1), at: start).isEmpty, "it fires a second time")
    }

    /// Numbers that no version of ours writes end no process (found by the fuzzer).
    @Test(arguments: [Int64.min, .min + 1, -1, .max]) func numbersOfAnEntryMayBeAny(number: Int64) throws {
        var state = UserState()
        state.checkpoints = [Checkpoint(time: number, sequence: number)]
        state.devices = (0..<200).map { DeviceState(device: "d\($0)", epoch: number, badge: number) }
        var feeder = try Feeder(state)
        guard case .hits(var hits) = Self.hits(number, once: number, badge: true) else { return }
        hits.bytesBefore = number
        hits.first = Int32(clamping: number)
        hits.omitted = Int32(clamping: number)
        let events: [DeliveryEntry.Event] = [
            .hits(hits), Self.read(number), .badge(BadgeSet(value: number)), .hits(hits),
        ]
        for time in [number, 0, .max, .min] {
            let step = feeder.apply(events, at: time)
            #expect(step.malformed.isEmpty && step.duplicates == 0)
        }
    }

    @Test func checkpointsAreAtMostOneADay() throws {
        var feeder = try Feeder()
        var last: UserState?
        for hour in 0..<Int64(24 * 100) where hour.isMultiple(of: 5) {
            last = try state(feeder.apply([Self.hits(hour + 1)], at: hour * 3_600_000))
        }
        #expect(try #require(last).checkpoints.count == UserDelivery.memoryDays)
    }

    /// With any number of marks, far from each other, the state stays under its limit, and the forgotten ones do not
    /// depend on how the input was cut into batches.
    @Test func manyReadMarksStayUnderTheLimitWhateverTheBatches() throws {
        let ranges = 131_062
        var state = UserState()
        state.read = (0..<ranges).flatMap { _ in [UInt64(1) << 44, 0] }
        let base = Int64(ranges) << 44
        let events = (1...12).map { Self.read(base + $0 * 1_000_000_000, 1 << 44, 2 << 44) }
        var single = try Feeder(state)
        var written: [[UInt8]] = []
        for event in events {
            let step = single.apply([event])
            _ = try self.state(step)
            written += step.outputs.journals.map { $0.value! }
        }
        var whole = try Feeder(state)
        let step = whole.apply(events)
        _ = try self.state(step)
        let isSame = step.outputs.journals.map { $0.value! } == written
        #expect(isSame)
        // The newest are the ones that are kept.
        #expect(try single.journal(Self.read(base + 12_000_000_000)).isEmpty)
    }

    @Test func manySpentSubscriptionsStayUnderTheLimitToo() throws {
        var state = UserState()
        state.spent = (1...80_000).map {
            SpentSubscription(created: (1 << 50) + $0 * 2, fired: (1 << 50) + $0 * 2 + 1)
        }
        var feeder = try Feeder(state)
        let newest = Int64(1 << 51)
        let after = try self.state(feeder.apply([Self.hits(newest + 1, once: newest)]))
        #expect(after.spent.last?.created == newest)
        #expect(try feeder.journal(Self.hits(newest + 2, once: newest)).isEmpty)
    }

    /// A badge can be set as high as the wire allows; the next notification must not end the process.
    @Test func theHighestBadgeStaysWhereItIs() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.registered, .badge(BadgeSet(device: "phone", value: .max))])
        let step = feeder.apply([Self.hits(5, badge: true)])
        #expect(try state(step).devices.first?.badge == .max)
        let entry = try FeedEntry(decoding: try #require(step.outputs.journals.first?.value))
        guard case .query(let query)? = entry.entry else { throw MalformedMessage("no notification") }
        #expect(query.badges.map(\.badge) == [.max])
    }

    /// Marks of changes that cannot be do nothing and end nothing.
    @Test func marksOfImpossibleChangesDoNothing() throws {
        var feeder = try Feeder()
        let step = feeder.apply([Self.read(.max, .min, -1, 0, 5)])
        #expect(try state(step).read == [5, 0])
        #expect(try feeder.journal(Self.read(.max, 6)) == ["read 6"])
    }

    /// G9: an unreadable entry is set aside and counted; the others go on as if it did not exist.
    @Test func poisonIsSetAside() throws {
        func entry(_ message: DeliveryEntry) -> [UInt8] { message.encoded() }
        let name = SourcePositionMessage(SourcePosition(source: .store(8), offset: 1))
        let user = Self.user.rawValue
        let poison: [[UInt8]?] = [
            nil, [], [0xff], Array("hello".utf8), entry(DeliveryEntry(user: user, event: Self.read(1))),
            entry(DeliveryEntry(source: name, user: user)),
            entry(DeliveryEntry(source: name, user: "bob", event: Self.read(1))),
            entry(DeliveryEntry(source: name, user: "", event: Self.read(1))),
            entry(
                DeliveryEntry(
                    source: SourcePositionMessage(SourcePosition(source: .store(8), offset: 2)), user: user,
                    event: .hits(HitsMessage(change: 5, hits: [Hit(subscription: "s")])))),
        ]
        var clean = try Feeder()
        var dirty = try Feeder()
        let expected = clean.apply([Self.registered, Self.hits(4), Self.read(4)])
        let first = dirty.apply([Self.registered])
        let step = dirty.machine.apply(
            poison.enumerated().map { index, value in
                LogEntry(
                    offset: Int64(50 + index), timestamp: LogTimestamp(milliseconds: 0), key: nil, value: value,
                    headers: [])
            })
        #expect(step.malformed.map(\.entry.offset) == poison.indices.map { Int64(50 + $0) })
        #expect(step.outputs.isEmpty && step.duplicates == 0)
        // No user's state: only how far the partition is.
        #expect(Array(step.changes.keys) == [PartitionDelivery.positionsKey])
        let last = dirty.apply([Self.hits(4), Self.read(4)])
        #expect(
            (first.outputs.journals + last.outputs.journals).map(\.value) == expected.outputs.journals.map(\.value))
    }

    /// The request that registers a device waits for the commit.
    @Test func aRegistrationIsUrgent() throws {
        var feeder = try Feeder()
        #expect(!feeder.apply([Self.hits(1)]).outputs.hasRegistration)
        let step = feeder.apply([Self.registered, Self.hits(2)])
        #expect(step.outputs.hasRegistration && step.outputs.journals.count == 2)
    }

    @Test func aRemovedDeviceIsForgotten() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.registered])
        let removed = DeviceUnregistered(device: "phone", epoch: Self.epoch)
        let stale = feeder.apply([.unregistered(DeviceUnregistered(device: "phone", epoch: Self.epoch + 1))])
        #expect(stale.outputs.isEmpty)
        let step = feeder.apply([.unregistered(removed)])
        #expect(try state(step).devices.isEmpty && step.outputs.journals.count == 1)
        #expect(feeder.apply([.unregistered(removed)]).outputs.isEmpty)
    }

    // MARK: Many hits of one change

    private static func manyHits(
        _ count: Int, first: Int = 0, bytesBefore: Int = 0, omitted: Int = 0, text: Int = 0, once: Bool = false
    ) -> DeliveryEntry.Event {
        let body = String(repeating: "x", count: text)
        return .hits(
            HitsMessage(
                change: 7, kind: 2, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: user.rawValue, device: "phone0", epoch: epoch),
                hits: (0..<count).map {
                    Hit(
                        database: 1, subscription: "s\(first + $0)", created: Int64(first + $0 + 1), firesOnce: once,
                        shouldBadge: true, alertBody: body)
                },
                first: Int32(first), bytesBefore: Int64(bytesBefore), omitted: Int32(omitted)))
    }

    func registered(_ devices: Int) throws -> Feeder {
        var feeder = try Feeder()
        _ = feeder.apply(
            (0..<devices).map {
                .registered(DeviceRegistered(device: "phone\($0)", epoch: Self.epoch, name: "", platform: ""))
            })
        return feeder
    }

    func texts(_ entries: [OutgoingEntry]) throws -> [String] {
        try entries.map { Oracle.Item(try FeedEntry(decoding: $0.value!), isJournal: true).text }
    }

    /// What each of the devices sees of entries of the journal.
    private func feeds(_ devices: Int, _ entries: [OutgoingEntry]) throws -> [[FeedEntry]] {
        let journal = try entries.map { try FeedEntry(decoding: $0.value!) }
        return (0..<devices).map {
            Life(user: Self.user.rawValue, device: "phone\($0)", epoch: Self.epoch).seen(of: journal)
        }
    }

    private static func shown(_ feed: [FeedEntry]) -> [String] {
        feed.map { Oracle.Item($0, isJournal: false).text }
    }

    /// One save makes a bounded number of entries in all feeds together; each device gets at least one notification and
    /// the number of the others, and the device that made the change gets neither.
    @Test(arguments: [(1, 200), (2, 150), (3, 100), (10, 30), (98, 3), (100, 3)])
    func aChangeMakesABoundedNumberOfEntries(devices: Int, delivered: Int) throws {
        var feeder = try registered(devices)
        let step = feeder.apply([Self.manyHits(100, omitted: 0), Self.manyHits(100, first: 100, omitted: 800)])
        let feeds = try feeds(devices, step.outputs.journals).map(Self.shown)
        #expect(feeds[0].isEmpty)
        #expect(feeds.joined().count <= Limits.feedEntriesPerChangeMax + 2 * devices)
        let journal = try texts(step.outputs.journals)
        // Each entry of deliveries has the number of its own hits without a notification, the last one also the number
        // that it does not carry.
        let omitted = [max(0, 100 - delivered), 100 - max(0, delivered - 100) + 800].filter { $0 > 0 }
        for feed in feeds.dropFirst() + [journal] {
            #expect(feed.count { $0.hasPrefix("s") } == delivered)
            #expect(feed.filter { $0.hasPrefix("omitted") } == omitted.map { "omitted \($0) of 7" })
        }
        #expect(step.outputs.notificationCount == delivered)
    }

    @Test func aChangeMakesABoundedNumberOfBytes() throws {
        for (text, told) in [
            (50_000, ["s0", "omitted 4 of 7"]), (900_000, ["omitted 1 of 7", "omitted 4 of 7"]),
        ] {
            var feeder = try registered(90)
            // In two steps, as the first may be full by itself.
            let entries = [
                Self.manyHits(1, text: text),
                Self.manyHits(1, first: 1, bytesBefore: text, omitted: 3, text: text),
            ].flatMap { feeder.apply([$0]).outputs.journals }
            let feeds = try feeds(90, entries)
            for feed in feeds.dropFirst() {
                #expect(Self.shown(feed).map { $0.hasPrefix("s0 ") ? "s0" : $0 } == told)
            }
            #expect(feeds.joined().reduce(0) { $0 + $1.encoded().count } < Limits.feedBytesPerChangeMax)
        }
    }

    /// A hit without a notification has not fired: it stays, and no badge counts it.
    @Test func omittedSubscriptionsHaveNotFired() throws {
        var feeder = try registered(100)
        let step = feeder.apply([Self.manyHits(30, once: true)])
        #expect(step.outputs.commands.count == 3)
        let state = try state(step)
        #expect(state.spent.map(\.created) == Array(1...3))
        #expect(state.devices.map(\.badge) == [0] + Array(repeating: 3, count: 99))
    }

    /// Entries of an older version have no predecessor and no count of missing ones.
    @Test func everyHitIsDeliveredOrCounted() throws {
        for devices in [1, 3, 20, 100] {
            for count in [1, 9, 10, 11, 50, 51, 100] {
                for first in [0, 5, 10, 60, 100, 199] {
                    var feeder = try registered(devices)
                    let entries = try texts(
                        feeder.apply([Self.manyHits(count, first: first, omitted: 2)]).outputs.journals)
                    let delivered = entries.count { $0.hasPrefix("s") }
                    #expect(entries.last == "omitted \(count - delivered + 2) of 7", "\(devices) \(count) \(first)")
                }
            }
        }
    }

    static func registered(_ device: String, courier: String) -> DeliveryEntry.Event {
        .registered(DeviceRegistered(device: device, epoch: epoch, name: "", platform: "", courier: courier))
    }

    private static func addressed(_ device: String) -> [DeliveryEntry.Event] {
        let changed = CourierChanged(device: device, epoch: epoch, courier: "apns", since: 3)
        return [registered(device, courier: ""), .courierChanged(changed)]
    }

    @Test("a notification is pushed to the devices that have an address, also after a take-over")
    func pushes() throws {
        var feeder = try Feeder()
        let events = [Self.registered("phone", courier: ""), Self.registered("browser", courier: "web")]
        let badge = DeliveryEntry.Event.badge(BadgeSet(device: "phone", value: 4))
        let state = try state(feeder.apply(events + Self.addressed("tablet") + [badge]))
        #expect(state.devices.map(\.courier) == ["", "web", ""])
        var taken = try Feeder(state)
        let outputs = taken.apply([Self.hits(9, badge: true), Self.hits(10), Self.read(9)]).outputs
        let pushes = try outputs.pushes.map { try PushEntry(decoding: $0.value!) }
        #expect(pushes.map(\.notification?.change) == [9, 10, nil] && pushes[2].read == [9])
        let target = PushTarget(device: "tablet", epoch: Self.epoch, courier: "apns", badge: 5, since: 3)
        #expect(pushes[0].targets.map { $0.encoded() } == [target.encoded()])
        #expect(pushes[0].notification?.badge == nil && pushes[1].targets.map(\.badge) == [nil])
        let names = try outputs.journals.map { try FeedEntry(decoding: $0.value!).source?.position }
        #expect(pushes.map(\.source?.position) == names)
        #expect(outputs.pushes.allSatisfy { $0.partition == History.layout.pushes(of: Self.user) })
    }

    @Test("a user without an address pays nothing for pushes, nor does the origin of a change get one")
    func noPushes() throws {
        var feeder = try Feeder()
        let events = [Self.registered("phone", courier: ""), Self.registered("browser", courier: "web")]
        let outputs = feeder.apply(events + [Self.hits(9, badge: true), Self.hits(10), Self.read(9)]).outputs
        #expect(outputs.pushes.isEmpty && outputs.journals.count == 5, "web couriers read the journal")
        guard case .hits(var hits) = Self.hits(11) else { return }
        hits.origin = OriginMessage(user: Self.user.rawValue, device: "tablet", epoch: Self.epoch)
        #expect(feeder.apply(Self.addressed("tablet") + [.hits(hits)]).outputs.pushes.isEmpty)
    }
}
