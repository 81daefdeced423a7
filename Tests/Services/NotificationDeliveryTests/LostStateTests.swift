import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// State and offset that were lost apart, and states that cannot be read: refused with the reason, or one user's
/// affair.
@Suite struct LostStateTests {
    private static func repair(_ bench: Bench) -> DeliveryRepair {
        DeliveryRepair(log: bench.memory, layout: bench.layout)
    }

    private func delivered() async throws -> Bench {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.hit(2, of: bench.alice)
        try await bench.untilCommitted(2)
        stage.cancel()
        await stage.value
        return bench
    }

    @Test("an offset whose state was lost is refused: no later offset is committed")
    func aLostStateIsRefused() async throws {
        let bench = try await delivered()
        _ = try await bench.memory.deleteTopics([bench.layout.deliveryState])
        _ = try await bench.memory.createTopics(bench.layout.fixedTopics)
        let stage = bench.start()
        try await bench.hit(3, of: bench.alice)
        let reason = try await bench.refusal()
        #expect(reason.contains("the state was lost") && reason.contains("fanfare repair"))
        #expect(try await bench.committed() == 2)
        #expect(try await bench.seen(by: "phone", 1, of: bench.alice) == ["registered", "2"])
        stage.cancel()
        await stage.value
    }

    @Test(
        "a state whose offset was forgotten is refused, also where entries were removed meanwhile",
        arguments: [false, true])
    func aLostOffsetIsRefused(isTrimmed: Bool) async throws {
        let bench = try await delivered()
        try await bench.hit(3, of: bench.alice)
        try await bench.hit(4, of: bench.alice)
        if isTrimmed { try await bench.memory.truncate([TopicPartition(bench.layout.deliveries): 3]) }
        let stage = bench.start(on: ForgetfulLog(bench.memory))
        let reason = try await bench.refusal()
        #expect(reason.contains("the offset was lost") && reason.contains("fanfare repair"))
        #expect(try await bench.seen(by: "phone", 1, of: bench.alice) == ["registered", "2"])
        stage.cancel()
        await stage.value
    }

    @Test("a first start behind entries that were removed unread is refused")
    func aLateFirstStartIsRefused() async throws {
        let bench = try await Bench()
        for change: Int64 in 1...3 { try await bench.hit(change, of: bench.alice) }
        try await bench.memory.truncate([TopicPartition(bench.layout.deliveries): 2])
        let stage = bench.start()
        #expect(try await bench.refusal().contains("begins at offset 2"))
        #expect(try await bench.contents(of: bench.alice).isEmpty)
        stage.cancel()
        await stage.value
    }

    @Test("whatever a repair lets begin again goes on behind entries that were removed", arguments: [false, true])
    func aRepairIsNotRefused(isRebuilt: Bool) async throws {
        let bench = try await Bench()
        for change: Int64 in 1...3 { try await bench.hit(change, of: bench.alice) }
        try await bench.memory.truncate([TopicPartition(bench.layout.deliveries): 2])
        let repair = Self.repair(bench)
        if isRebuilt { #expect(try await repair.rebuild() == 0) } else { try await repair.restart() }
        let stage = bench.start()
        try await bench.hit(4, of: bench.alice)
        try await bench.untilCommitted(4)
        #expect(try await bench.contents(of: bench.alice) == ["3", "4"])
        stage.cancel()
        await stage.value
    }

    @Test("a state whose offset was lost is rebuilt from the journals: repeats have the names that they had")
    func aLostOffsetIsMended() async throws {
        let bench = try await delivered()
        let stage = bench.start(on: ForgetfulLog(bench.memory))
        _ = try await bench.refusal()
        stage.cancel()
        await stage.value
        #expect(try await Self.repair(bench).rebuild() == 1)
        // As devices are registered again after that.
        try await bench.register("phone", 5, of: bench.alice)
        try await bench.hit(6, of: bench.alice)
        let mended = bench.start()
        try await bench.untilCommitted(4)
        let journal = try await bench.journal(of: bench.alice)
        var position = LogPosition(offset: 0)
        let advancing = journal.filter { position.advance(to: $0.source!.position) }
        #expect(advancing.map(\.predecessor) == [nil] + advancing.dropLast().map(\.source))
        let changes = advancing.compactMap { entry -> Int64? in
            if case .query(let query)? = entry.entry { query.change } else { nil }
        }
        #expect(changes == [2, 6])
        let seen = Life(user: bench.alice.rawValue, device: "phone", epoch: 5).seen(of: advancing)
        #expect(Bench.short(seen) == ["2", "registered", "6"])
        mended.cancel()
        await mended.value
    }

    @Test("a backfill that was open when deliveries were lost goes on, and new hits are not held forever")
    func aPastOutlivesDeliveries() async throws {
        let bench = try await Bench()
        var stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.beginPast(100, of: bench.alice)
        try await bench.hit(101, of: bench.alice, created: 100)
        try await bench.untilCommitted(3)
        stage.cancel()
        await stage.value
        _ = try await bench.memory.deleteTopics([bench.layout.deliveries])
        _ = try await bench.memory.createTopics(bench.layout.fixedTopics)
        try await Self.repair(bench).restart()
        stage = bench.start()
        // Stage 1 delivers all backfills again after that, with their marks.
        try await bench.hit(102, of: bench.alice, created: 100)
        try await bench.endPast(100, of: bench.alice)
        try await bench.hit(103, of: bench.alice, created: 100)
        try await bench.untilCommitted(3)
        #expect(try await bench.seen(by: "phone", 1, of: bench.alice) == ["registered", "102", "103"])
        stage.cancel()
        await stage.value
    }

    @Test("a partition that was added to deliveries alone is left alone, and the others go on")
    func anAddedPartitionIsLeftAlone() async throws {
        let bench = try await Bench()
        let narrow = bench.layout
        _ = try await bench.memory.deleteTopics([narrow.deliveries])
        let wide = try #require(
            TopicLayout(narrow.scope, partitions: 2).fixedTopics.first { $0.name == narrow.deliveries })
        _ = try await bench.memory.createTopics([wide])
        let stage = bench.start()
        try await bench.hit(1, of: bench.alice)
        try await bench.untilCommitted(1)
        #expect(try await bench.refusal().contains("was added"))
        #expect(try await bench.contents(of: bench.alice) == ["1"])
        stage.cancel()
        await stage.value
    }

    @Test("entries for a user whose state cannot be read are set aside, all others go on")
    func anUnreadableStateIsItsUsersAffair() throws {
        let layout = History.layout
        let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
        let (alice, bob) = (History.users[0], History.users[1])
        var machine = try PartitionDelivery(
            layout: layout, source: source, state: [layout.userKey(alice): [0xff, 0xff]])
        #expect(machine.unreadableUsers.keys.elementsEqual([alice]))
        let entries = [alice, bob, alice].enumerated().map { index, user in
            History.entry(
                DeliveryEntry(
                    source: SourcePositionMessage(SourcePosition(source: .store(7), offset: Int64(index + 1))),
                    user: user.rawValue, event: .badge(BadgeSet(device: "d", value: 1))), at: Int64(index))
        }
        let step = machine.apply(entries)
        #expect(step.malformed.map(\.entry.offset) == [0, 2])
        #expect(step.malformed.allSatisfy { $0.reason.contains(alice.rawValue) })
        // Its bytes stay as they are, for a version that can read them.
        #expect(Set(step.changes.keys) == [layout.userKey(bob), PartitionDelivery.positionsKey])
        #expect(step.outputs.journals.map(\.key) == [layout.userKey(bob)])
    }

    @Test("users to whom nothing happens are held encoded only, and nothing they have is forgotten")
    func idleUsersAreHeldEncoded() throws {
        let layout = History.layout
        var users = UserStates(layout: layout)
        let names = (0..<8000).map { UserRecordName(trusted: "_\($0)") }
        for (number, name) in names.enumerated() {
            var state = try users.state(of: name)
            state.applied = Int64(number)
            users.keep(state)
            if number % 100 == 99 { _ = users.store() }
        }
        #expect(users.decodedCount < 5000)
        for (number, name) in names.enumerated() {
            #expect(try users.state(of: name).applied == Int64(number))
            if number % 100 == 99 { _ = users.store() }
        }
        #expect(users.decodedCount < 5000)
    }
}

/// A log whose groups forget what they committed, as Kafka's do after a week without members.
private final class ForgetfulLog: ForwardingLog {
    let base: any EventLog
    init(_ base: any EventLog) { self.base = base }

    func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        ForgetfulSession(base: try await base.takeOver(claim))
    }
}

/// A session that knows of no offset.
private struct ForgetfulSession: ForwardingSession {
    let base: any LogStateSession
    var initialOffset: Int64? { nil }
}
