import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import NotificationDelivery

/// Journals and feeds that are gone, or that the log does not make or delete: one user's trouble is no other's.
@Suite struct LostTopicTests {
    @Test("a missing feed is recreated, and no other user waits or gets a notification twice")
    func aMissingFeedStopsNobody() async throws {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.register("tablet", 2, of: bench.bob)
        for change: Int64 in [3, 4] { try await bench.hit(change, of: change == 3 ? bench.alice : bench.bob) }
        try await bench.untilCommitted(4)
        let (phone, tablet) = (bench.topic("phone", 1), bench.topic("tablet", 2))
        _ = try await bench.memory.deleteTopics([phone])
        try await bench.hit(5, of: bench.alice)
        try await bench.hit(6, of: bench.bob)
        try await bench.hit(7, of: bench.alice)
        try await bench.untilCommitted(7)
        #expect(try await bench.contents(tablet) == ["registered", "4", "6"])
        // It begins with a registration that names the journal's last entry, and names go on in one chain.
        let entries = try #require(try await bench.entries(phone))
        #expect(try await bench.contents(phone) == ["registered", "5", "7"])
        guard case .registered(let mark)? = entries[0].entry else { return }
        let journal = try #require(try await bench.entries(bench.layout.journal(bench.alice)))
        let before = try #require(
            journal.last { if case .query(let query) = $0.entry { query.change == 3 } else { false } })
        #expect(mark.journal == before.source && mark.epoch == 1)
        #expect(entries[0].source!.position.isAbove(before.source!.position))
        for (entry, next) in zip(entries, entries.dropFirst()) { #expect(next.predecessor == entry.source) }
        stage.cancel()
        await stage.value
    }

    @Test("a journal that is gone is made again, and goes on from where it was")
    func aMissingJournalIsMadeAgain() async throws {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.hit(2, of: bench.alice)
        try await bench.untilCommitted(2)
        let last = try #require(try await bench.entries(bench.layout.journal(bench.alice))?.last?.source)
        _ = try await bench.memory.deleteTopics([bench.layout.journal(bench.alice)])
        try await bench.hit(3, of: bench.alice)
        try await bench.untilCommitted(3)
        let journal = try #require(try await bench.entries(bench.layout.journal(bench.alice)))
        #expect(journal.count == 1 && journal[0].predecessor == last)
        #expect(try await bench.contents(bench.topic("phone", 1)) == ["registered", "2", "3"])
        stage.cancel()
        await stage.value
    }

    /// As in Kafka: the write to a missing topic kills the writer, and the next try finds the missing topic.
    @Test("a writer that dies at a missing topic comes back and finds it")
    func aDeadWriterLooksForMissingTopics() async throws {
        let bench = try await Bench()
        var stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.untilCommitted(1)
        stage.cancel()
        await stage.value
        _ = try await bench.memory.deleteTopics([bench.topic("phone", 1)])
        // One that begins looks before it writes, so that its first write already finds the topic.
        let log = FailingLog(bench.memory) { $0 == 1 ? .before : nil }
        stage = bench.start(on: log)
        try await bench.hit(2, of: bench.alice)
        try await bench.untilCommitted(2)
        #expect(try await bench.contents(bench.topic("phone", 1)) == ["registered", "2"])
        stage.cancel()
        await stage.value
    }

    @Test(
        "an interruption between recreating a feed and its first entry leaves it to the next owner", arguments: 1...4
    )
    func aFeedThatWasHalfMadeAgainIsFinished(failing call: Int) async throws {
        let bench = try await Bench()
        var stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.hit(2, of: bench.alice)
        try await bench.untilCommitted(2)
        stage.cancel()
        await stage.value
        _ = try await bench.memory.deleteTopics([bench.topic("phone", 1)])
        // The commit of the state, the first entry, the step's outputs, the commit of the step.
        let log = FailingLog(bench.memory) { $0 == call ? .before : nil }
        stage = bench.start(on: log)
        try await bench.hit(3, of: bench.alice)
        try await bench.hit(4, of: bench.alice)
        try await bench.untilCommitted(4)
        #expect(log.failureCount == 1)
        let entries = try #require(try await bench.entries(bench.topic("phone", 1)))
        var chain = entries.prefix(1)
        for entry in entries.dropFirst() where entry.source!.position.isAbove(chain.last!.source!.position) {
            #expect(entry.predecessor == chain.last!.source)
            chain.append(entry)
        }
        if case .registered? = chain.first?.entry {
        } else {
            Issue.record("the feed does not begin with a registration")
        }
        #expect(chain.count == 3)
        stage.cancel()
        await stage.value
    }

    @Test("a device whose feed the log does not make is set aside, its user and all others are not")
    func aRefusedFeedSetsItsDeviceAside() async throws {
        let bench = try await Bench()
        let refused = bench.topic("phone", 1)
        let log = InterceptedLog(bench.memory, refuses: { $0 == refused ? .broken("the policy forbids it") : nil })
        let stage = bench.start(on: log)
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.register("laptop", 2, of: bench.alice)
        try await bench.register("tablet", 3, of: bench.bob)
        try await bench.hit(4, of: bench.alice)
        try await bench.hit(5, of: bench.bob)
        try await bench.untilCommitted(5)
        #expect(try await bench.contents(refused) == nil)
        #expect(try await bench.contents(bench.topic("laptop", 2)) == ["registered", "4"])
        #expect(try await bench.contents(bench.topic("tablet", 3)) == ["registered", "5"])
        #expect(try await bench.contents(bench.layout.journal(bench.alice)) == ["registered", "registered", "4"])
        stage.cancel()
        await stage.value
    }

    @Test("entries for a user whose journal the log does not create are set aside, others are not")
    func aRefusedJournalSetsItsEntriesAside() async throws {
        let bench = try await Bench()
        let refused = bench.layout.journal(bench.alice)
        let log = InterceptedLog(bench.memory, refuses: { $0 == refused ? .broken("the policy forbids it") : nil })
        let stage = bench.start(on: log)
        try await bench.hit(1, of: bench.alice)
        try await bench.hit(2, of: bench.bob)
        try await bench.untilCommitted(2)
        #expect(try await bench.contents(bench.layout.journal(bench.bob)) == ["2"])
        #expect(try await bench.contents(refused) == nil)
        stage.cancel()
        await stage.value
    }

    @Test("a feed that the log does not delete stops nothing, and stays to be deleted")
    func aRefusedDeletionStopsNothing() async throws {
        let bench = try await Bench()
        let refused = bench.topic("phone", 1)
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.unregister("phone", 1, of: bench.alice, at: 2)
        try await bench.hit(3, of: bench.bob)
        let log = InterceptedLog(bench.memory, keeps: { $0 == refused ? .broken("the policy forbids it") : nil })
        let stage = bench.start(on: log)
        try await bench.untilCommitted(3)
        try await bench.hit(4, of: bench.alice)
        try await bench.untilCommitted(4)
        #expect(try await bench.contents(refused) == ["registered"])
        stage.cancel()
        await stage.value
        // The next owner tries again.
        let next = bench.start()
        try await eventually("the deletion") { try await bench.contents(refused) == nil }
        next.cancel()
        await next.value
    }
}
