import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Saving a subscription again and again leaves little behind (finding 6), and what a change meets stays the same.
@Suite struct SubscriptionVersionTests {
    private static func draft(_ id: String, _ text: String) -> SubscriptionDraft {
        .draft(id, info: NotificationInfo(alertBody: text))
    }

    private static func kept(_ rig: RecordServiceRig) async throws -> SupersededTotals {
        try await rig.service.store.read { try $0.supersededTotals(of: rig.alice.user!) }
    }

    /// The keys in the topic `subscriptions` whose last entry is no tombstone, as compaction leaves them.
    private static func live(_ rig: RecordServiceRig) async throws -> Set<[UInt8]> {
        var live: Set<[UInt8]> = []
        for row in try await rig.outbox() where row.destination == .subscriptions {
            if row.value == nil { live.remove(row.key) } else { live.insert(row.key) }
        }
        return live
    }

    @Test func versionsThatNoChangeHasSeenAreOne() async throws {
        let rig = try await RecordServiceRig()
        for round in 0..<20 { _ = try await rig.apply(.create(Self.draft("s", "\(round)"))) }
        #expect(try await Self.kept(rig).count == 0)
        #expect(try await Self.live(rig).count == 1)
        // Deleting and creating in a loop, too; the last deletion stays.
        for round in 0..<20 {
            _ = try await rig.apply(.delete(SubscriptionID(trusted: "s")))
            _ = try await rig.apply(.create(Self.draft("s", "\(round)")))
        }
        _ = try await rig.apply(.delete(SubscriptionID(trusted: "s")))
        #expect(try await Self.kept(rig).count == 1)
        #expect(try await Self.live(rig).count == 1)
    }

    /// A change between two versions keeps the first; one of another database does not.
    @Test func aVersionThatAChangeMayHaveSeenStays() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.create(Self.draft("s", "1")))
        _ = try await rig.apply(.touch("r"), in: .private)
        _ = try await rig.apply(.create(Self.draft("s", "2")))
        #expect(try await Self.kept(rig).count == 0)
        _ = try await rig.apply(.touch("r"))
        _ = try await rig.apply(.create(Self.draft("s", "3")))
        let kept = try await Self.kept(rig)
        #expect(kept.count == 1 && kept.bytes > 10 && kept.oldest == rig.now)
        #expect(try await Self.live(rig).count == 2)
        // Deleted after a change, created again without one: the new one replaces the deletion, the version before
        // stays.
        _ = try await rig.apply(.touch("r"))
        _ = try await rig.apply(.delete(SubscriptionID(trusted: "s")))
        #expect(try await Self.kept(rig).count == 3)
        _ = try await rig.apply(.create(Self.draft("s", "4")))
        #expect(try await Self.kept(rig).count == 2)
        #expect(try await Self.live(rig).count == 3)
    }

    /// With any versions removed from the topic: every change has the version in effect that it would have with all of
    /// them.
    @Test(arguments: TestSeeds.several(20))
    func everyChangeMeetsTheSameVersion(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let rig = try await RecordServiceRig()
        for step in 0..<60 {
            let id = ["a", "b"].randomElement(using: &random)!
            switch Int.random(in: 0..<5, using: &random) {
            case 0: _ = try await rig.apply(.on("r", .forceUpdate, ["n": .int64(Int64(step))]))
            case 1: _ = try await rig.apply(.touch("r"), in: .private)
            case 2: _ = try await rig.apply(.delete(SubscriptionID(trusted: id)))
            default: _ = try await rig.apply(.create(Self.draft(id, "\(step)")))
            }
        }
        let events = try await rig.outbox().filter { $0.destination == .subscriptions && $0.value != nil }
        let live = try await Self.live(rig)
        /// The version in effect for a change: the last save before it, unless it was deleted by then.
        func effect(_ rows: [OutboxRow], _ change: CommitSequence) throws -> [String: Int64] {
            var effect: [String: Int64] = [:]
            for row in rows where row.sequence < change {
                let event = try SubscriptionEvent(decoding: row.value!)
                effect[try event.key().id.rawValue] = try event.saved() == nil ? nil : row.sequence.rawValue
            }
            return effect
        }
        for change in try await rig.changes() where change.database == .public {
            #expect(
                try effect(events, change.sequence) == effect(events.filter { live.contains($0.key) }, change.sequence))
        }
        #expect(live.count <= events.count)
        // And the last of all, for the changes to come.
        let next = CommitSequence(try await rig.lastSequence() + 1)
        #expect(try effect(events, next) == effect(events.filter { live.contains($0.key) }, next))
    }

    /// Superseded versions count in number and bytes until they are gone; others and deletions are not concerned.
    @Test func supersededVersionsHaveAQuota() async throws {
        let rig = try await RecordServiceRig()
        let text = { (n: Int) in String(repeating: "x", count: 4000) + "\(n)" }
        _ = try await rig.apply(.create(Self.draft("s", text(0))))
        _ = try await rig.apply(.touch("r"))
        let key = SubscriptionKey(user: rig.alice.user!, database: .public, id: SubscriptionID(trusted: "old"))
        try await rig.service.store.write { [rig] transaction in
            try transaction.addSuperseded(
                SupersededVersion(
                    sequence: CommitSequence(1_000_000), key: [1], time: rig.now, subscription: key,
                    bytes: Limits.supersededBytesMax - 1000))
        }
        let refused = try await rig.apply(.create(Self.draft("s", text(1))))
        #expect(refused.code == .throttled)
        let seconds = try #require(refused.error?.retryAfterSeconds)
        #expect(seconds > 0 && refused.error?.reason.contains("\(seconds)") == true)
        #expect(try await rig.apply(.create(Self.draft("s", text(1))), as: rig.bob).code == nil)
        #expect(try await rig.apply(.delete(SubscriptionID(trusted: "s"))).code == nil)
        rig.move(by: .seconds(Int64(seconds)))
        try await rig.service.removeSupersededSubscriptions()
        #expect(try await Self.kept(rig).count == 0)
        #expect(try await rig.apply(.create(Self.draft("s", text(1)))).code == nil)
    }
}
