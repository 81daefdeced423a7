import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// A user who was removed for good leaves journal and state, and nothing comes for one any more.
@Suite struct RemovedUserTests {
    private static let user = History.users[0]
    private static let other = History.users[1]
    private static let day = Retention.days(1)
    private static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

    /// Feeds a machine with events of two users.
    private struct Feeder {
        let layout = History.layout
        var machine: PartitionDelivery
        var count: Int64 = 0
        /// The committed state.
        var state: [[UInt8]: [UInt8]] = [:]

        init(_ state: [[UInt8]: [UInt8]] = [:], count: Int64 = 0) throws {
            machine = try PartitionDelivery(layout: layout, source: source, state: state)
            self.state = state
            self.count = count
        }

        @discardableResult
        mutating func apply(
            _ event: DeliveryEntry.Event, of user: UserRecordName = user, on day: Int64 = 1
        ) -> PartitionDelivery.Step {
            count += 1
            let time = day * RemovedUserTests.day
            let entry = DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: .store(7), offset: count)), user: user.rawValue,
                time: time, event: event)
            let step = machine.apply([
                LogEntry(
                    offset: count, timestamp: LogTimestamp(milliseconds: time), key: layout.userKey(user),
                    value: entry.encoded(), headers: [])
            ])
            #expect(step.malformed.isEmpty)
            for (key, value) in step.changes { state[key] = value }
            return step
        }

        func stored(_ user: UserRecordName = user) throws -> UserState? {
            try state[layout.userKey(user)].map { try UserState(decoding: $0) }
        }

        /// One who takes the partition over.
        func successor() throws -> Feeder { try Feeder(state, count: count) }

        mutating func begin() {
            apply(.registered(DeviceRegistered(device: "phone", epoch: 1, name: "", platform: "")))
            apply(UserStateTests.hits(1, badge: true))
            apply(.backfillBegun(BackfillBegun(created: 2, partitions: 3)))
        }
    }

    private static let removed = DeliveryEntry.Event.userRemoved(UserRemoved())

    @Test("a journal is emptied of the user's entries")
    func journals() throws {
        var feeder = try Feeder()
        feeder.begin()
        let journals = feeder.apply(Self.removed).outputs.journals
        #expect(journals.count == 1 && journals[0].value == nil)
        #expect(journals[0].partition == feeder.layout.journals(of: Self.user))
        #expect(journals[0].key == feeder.layout.userKey(Self.user))
        // A user without a journal has nothing in it.
        #expect(feeder.apply(Self.removed, of: Self.other).outputs.journals.isEmpty)
    }

    @Test("nothing is written for late entries, also by the next owner")
    func lateEntries() throws {
        var feeder = try Feeder()
        feeder.begin()
        feeder.apply(Self.removed)
        for _ in 0..<2 {
            for event in [
                UserStateTests.hits(5), UserStateTests.hits(6, once: 3), Self.removed,
                .registered(DeviceRegistered(device: "late", epoch: 9, name: "", platform: "")),
                .badge(BadgeSet(device: "phone", value: 3)),
                .read(NotificationsRead(device: "phone", changes: [1])),
                .backfillBegun(BackfillBegun(created: 9, partitions: 1)),
            ] {
                #expect(feeder.apply(event).outputs.isEmpty)
            }
            let state = try #require(try feeder.stored())
            #expect(state.removed == 1 && state.devices.isEmpty && state.backfills.isEmpty && state.read.isEmpty)
            #expect(state.applied == feeder.count, "reads that wait for an event go on")
            feeder = try feeder.successor()
        }
    }

    @Test("the state goes after 91 later days with entries; a leap of the clock is one day")
    func theStateGoes() throws {
        var feeder = try Feeder()
        feeder.begin()
        feeder.apply(Self.removed)
        feeder.apply(UserStateTests.hits(7), of: Self.other, on: 4000)
        feeder.apply(UserStateTests.hits(8), of: Self.other, on: 4000)
        for day: Int64 in 1..<91 { feeder.apply(UserStateTests.hits(8 + day), of: Self.other, on: 4000 + day) }
        #expect(try feeder.stored() != nil)
        feeder = try feeder.successor()
        #expect(feeder.apply(UserStateTests.hits(200), of: Self.user, on: 4090).outputs.isEmpty)
        let last = feeder.apply(UserStateTests.hits(201), of: Self.other, on: 4091)
        #expect(last.changes[feeder.layout.userKey(Self.user)] == .some(nil))
        #expect(try feeder.stored() == nil)
        #expect(try feeder.stored(Self.other) != nil)
    }

    @Test("the stage empties the journal of a removed user, and no other")
    func theStage() async throws {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.register("tablet", 2, of: bench.bob)
        try await bench.hit(3, of: bench.alice)
        try await bench.untilCommitted(3)
        #expect(try await bench.contents(of: bench.alice) == ["registered", "3"])
        try await bench.remove(bench.alice, at: 4)
        try await bench.hit(5, of: bench.alice)
        try await bench.hit(6, of: bench.bob)
        try await bench.untilCommitted(6)
        #expect(try await bench.contents(of: bench.alice).isEmpty)
        #expect(try await bench.seen(by: "tablet", 2, of: bench.bob) == ["registered", "6"])
        stage.cancel()
        await stage.value
    }
}
