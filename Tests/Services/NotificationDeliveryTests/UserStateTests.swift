import CloudModel
import EventLog
import Messages
import TestSupport
import Testing

@testable import NotificationDelivery

/// What one user's state remembers, for how long, and what it withstands.
@Suite struct UserStateTests {
    private static let user = History.users[0]
    private static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
    private static let epoch: Int64 = 1

    /// Feeds a machine entry by entry, each from a source position of its own.
    private struct Feeder {
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
            return machine.apply(entries)
        }

        mutating func journal(_ events: DeliveryEntry.Event..., at time: Int64 = 0) throws -> [String] {
            try apply(events, at: time).outputs.journals.map {
                Oracle.Item(try FeedEntry(decoding: $0.value!), isJournal: true).text
            }
        }
    }

    private static func hits(_ change: Int64, once: Int64? = nil, badge: Bool = false) -> DeliveryEntry.Event {
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

    private func state(_ step: PartitionDelivery.Step) throws -> UserState {
        let bytes = try #require(step.changes[Array(Self.user.rawValue.utf8)] ?? nil)
        #expect(bytes.count <= Limits.userStateBytesMax)
        return try UserState(decoding: bytes)
    }

    /// Choice 8: marking read twice gives one `readNotification`.
    @Test func markingTwiceTellsOnce() throws {
        var feeder = try Feeder()
        #expect(try feeder.journal(Self.read(5, 6, 5)) == ["read 5", "read 6"])
        #expect(try feeder.journal(Self.read(6, 7)) == ["read 7"])
    }

    /// What a mark is about is kept for 90 days, so the mark is too: also when many things happened on that day.
    @Test(arguments: [(0, 1), (0, 86_399_999), (40_000_000, 80_000_000)] as [(Int64, Int64)])
    func aReadMarkIsRememberedForAsLongAsItsNotification(first: Int64, second: Int64) throws {
        var feeder = try Feeder()
        _ = try feeder.journal(Self.hits(1), at: first)
        _ = try feeder.journal(Self.hits(2), Self.read(2), at: second)
        _ = try feeder.journal(Self.hits(3), at: second + 90 * History.day - 1)
        #expect(try feeder.journal(Self.read(2)).isEmpty)
    }

    @Test func whatIsOlderThanTheMemoryIsForgotten() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.hits(1, once: 1), Self.hits(2), Self.read(1, 2)])
        let later = try state(feeder.apply([Self.hits(9)], at: 92 * History.day))
        #expect(later.read.isEmpty && later.spent.isEmpty)
        #expect(later.checkpoints.count == 1)
    }

    @Test func checkpointsAreAtMostOneADay() throws {
        var feeder = try Feeder()
        var last: UserState?
        for hour in 0..<Int64(24 * 100) where hour.isMultiple(of: 5) {
            last = try state(feeder.apply([Self.hits(hour + 1)], at: hour * 3_600_000))
        }
        #expect(try #require(last).checkpoints.count <= 92)
    }

    /// However many marks there are, far from each other: the state stays under its limit, and what is forgotten does not
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
        let entry = try FeedEntry(decoding: try #require(step.outputs.feeds.first?.value))
        guard case .query(let query)? = entry.entry else { throw MalformedMessage("no notification") }
        #expect(query.badge == .max)
    }

    /// Marks of changes that cannot be do nothing and end nothing.
    @Test func marksOfImpossibleChangesDoNothing() throws {
        var feeder = try Feeder()
        let step = feeder.apply([Self.read(.max, .min, -1, 0, 5)])
        #expect(try state(step).read == [5, 0])
        #expect(try feeder.journal(Self.read(.max, 6)) == ["read 6"])
    }

    /// G9: what cannot be read is set aside and counted; what is beside it goes on as if it had not been there.
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
                    offset: Int64(50 + index), timestamp: Timestamp(milliseconds: 0), key: nil, value: value,
                    headers: [])
            })
        #expect(step.malformed.map(\.offset) == poison.indices.map { Int64(50 + $0) })
        #expect(step.outputs.isEmpty && step.changes.isEmpty && step.repeats == 0)
        let last = dirty.apply([Self.hits(4), Self.read(4)])
        #expect(
            (first.outputs.journals + last.outputs.journals).map(\.value) == expected.outputs.journals.map(\.value))
        #expect((first.outputs.feeds + last.outputs.feeds).map(\.value) == expected.outputs.feeds.map(\.value))
    }

    /// Design section 5: `registered` is sent after the journal's entries are acknowledged, and a feed's topic is made first.
    @Test func aRegistrationMakesItsTopicAndAsksForOrder() throws {
        var feeder = try Feeder()
        let quiet = feeder.apply([Self.hits(1)])
        #expect(!quiet.outputs.hasRegistration)
        #expect(quiet.outputs.topics.map(\.name) == [History.layout.journal(Self.user)])
        let step = feeder.apply([Self.registered, Self.hits(2)])
        #expect(step.outputs.hasRegistration)
        #expect(
            step.outputs.topics.map(\.name)
                == [History.layout.feed(DeviceID(trusted: "phone"), DeviceEpoch(Self.epoch))])
        #expect(step.outputs.feeds.count == 2 && step.outputs.journals.count == 2)
    }

    /// The pending deletion is part of the state until it is done, and repeated by whoever takes over.
    @Test func aRemovedDeviceLeavesADeletionBehind() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.registered])
        let removed = DeviceUnregistered(device: "phone", epoch: Self.epoch)
        let stale = feeder.apply([.unregistered(DeviceUnregistered(device: "phone", epoch: Self.epoch + 1))])
        #expect(stale.outputs.isEmpty && feeder.machine.pending.isEmpty)
        let stored = try state(feeder.apply([.unregistered(removed)]))
        #expect(stored.pending == [PendingDeletion(device: "phone", epoch: Self.epoch)])
        #expect(stored.devices.isEmpty)
        var next = try Feeder(stored)
        #expect(next.machine.pending.map(\.pending.epoch.rawValue) == [Self.epoch])
        for (user, pending) in next.machine.pending { next.machine.deleted(user, pending) }
        next.count = 100
        #expect(next.machine.pending.isEmpty)
        #expect(try state(next.apply([Self.hits(3)])).pending.isEmpty)
    }
}
