import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The backfills of many subscriptions cost about one pass over the changes, whatever their number, and end at a
/// budget.
@Suite struct PastPassTests {
    private static let layout = PastRelay.layout
    private static let user = PastRelay.user
    private static let count = 1000

    private static func subscriptions(
        _ count: Int, from first: Int64, in database: DatabaseScope = .public, of user: UserRecordName = user,
        text: String? = nil
    ) -> [SubscriptionHistory.Event] {
        (0..<Int64(count)).map { number in
            PastRelay.saved(
                "s\(first + number)", at: first + number, from: 0, above: -number - 1, of: user, in: database,
                text: text.map { "\($0)\(number)" })
        }
    }

    /// Runs stage 1 during the body.
    private func matching(_ log: any EventLog, _ body: () async throws -> Void) async throws {
        let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
        try await body()
        stage.cancel()
        await stage.value
    }

    private struct Totals {
        var entries = 0
        var hits = 0
        var leftOut = 0
        var marks = 0
    }

    private func totals(_ relay: PastRelay, of user: UserRecordName = user) async throws -> Totals {
        var totals = Totals()
        for entry in try await relay.deliveries(of: user) where entry.isOfPast {
            totals.marks += PastRelay.marks(entry).isEmpty ? 0 : 1
            guard case .hits(let hits)? = entry.event else { continue }
            totals.entries += 1
            totals.hits += hits.hits.count
            totals.leftOut += hits.leftOut.count
            #expect(Int(hits.omitted) == hits.leftOut.count)
        }
        return totals
    }

    @Test(
        "a thousand backfills of a user are one pass, with the limits of a change",
        arguments: [DatabaseScope.public, .private])
    func onePass(database: DatabaseScope) async throws {
        try await within {
            var relay = try await PastRelay()
            let changes: Int64 = 10
            for sequence in 1...changes {
                if database == .public {
                    try await relay.change(sequence, number: 5)
                } else {
                    try await relay.privateChange(sequence, number: 5)
                }
            }
            let subscriptions = Self.subscriptions(Self.count, from: 1000, in: database)
            try await relay.publish(subscriptions)
            try await matching(relay.log) {
                try await relay.untilMarked(subscriptions.last!.sequence)
                let totals = try await totals(relay)
                #expect(totals.hits == Int(changes) * Limits.hitsPerChangeMax)
                #expect(totals.leftOut == Int(changes) * (Self.count - Limits.hitsPerChangeMax))
                #expect(totals.entries <= Int(changes) * (Limits.hitsPerChangeMax / Limits.hitsPerEntryMax + 1))
                #expect(totals.marks == Int(Self.layout.partitions))
            }
        }
    }

    @Test("backfills that come while others are under way wait for the next pass, which has all of them")
    func meanwhile() async throws {
        try await within {
            var relay = try await PastRelay()
            let changes: Int64 = 40
            for sequence in 1...changes { try await relay.change(sequence, number: 5) }
            try await relay.publish(Self.subscriptions(20, from: 1000))
            let first = relay
            var all = Self.subscriptions(20, from: 1000)
            try await matching(relay.log) {
                try await eventually("the first hits") { try await totals(first).hits > 0 }
                for start in stride(from: Int64(2000), to: 6000, by: 1000) {
                    let more = Self.subscriptions(20, from: start)
                    all += more
                    try await relay.publish(more)
                }
                let relay = relay
                for event in all { try await relay.untilMarked(event.sequence) }
                for event in all {
                    #expect(try await relay.past(of: event.sequence) == Array(1...changes), "\(event.sequence)")
                }
                // One for each commit at most.
                #expect(try await totals(relay).entries <= 5 * Int(changes))
            }
        }
    }

    @Test("a small backfill does not wait for a large one of another user that was there before")
    func turns() async throws {
        try await within {
            // A user whose entries are in the same partition of deliveries, so that they have an order.
            let victim = (0..<20).map { UserRecordName.sample(Character(UnicodeScalar(UInt8(ascii: "c") + UInt8($0)))) }
                .first {
                    Self.layout.deliveries(of: $0) == Self.layout.deliveries(of: Self.user)
                }!
            var relay = try await PastRelay()
            // More than a turn of the large one in each partition, and less than the bytes that are written without a
            // pause.
            for sequence: Int64 in 1...160 { try await relay.change(sequence, number: 5) }
            let text = String(repeating: "x", count: 300)
            try await relay.publish(Self.subscriptions(15, from: 1000, text: text))
            try await relay.publish(PastRelay.saved("v", at: 2000, from: 0, of: victim))
            try await matching(relay.log) {
                try await relay.untilMarked(1014)
                try await relay.untilMarked(2000, of: victim)
                #expect(try await relay.past(of: 2000, for: victim) == Array(1...160))
            }
            let entries = try await relay.log.follow(Self.layout.deliveries(of: victim), from: 0).entriesToEnd()
            var done: Set<Int32> = []
            for entry in entries {
                let entry = try DeliveryEntry(reading: entry.value!)
                guard let mark = PastRelay.marks(entry).first, let partition = entry.source?.partition else { continue }
                if mark == 2000 { done.insert(partition) }
                if entry.user == Self.user.rawValue { #expect(done.contains(partition), "\(partition)") }
            }
        }
    }

    @Test(
        "a lane of a former owner waits until the table has its subscriptions",
        arguments: [nil, PastLane.Pass(end: CommitSequence(1001), next: 0)])
    func tableBehind(pass: PastLane.Pass?) async throws {
        try await within {
            var relay = try await PastRelay()
            for sequence: Int64 in 1...40 { try await relay.change(sequence, number: 5) }
            let lane = PastLane.id(of: Self.user, store: SubscriptionHistory.store)
            try await relay.commit { past in
                for created: Int64 in 1000...1001 {
                    _ = past.begin(CommitSequence(created), in: lane, store: SubscriptionHistory.store)
                }
                if let pass { past.note(pass.next, in: lane, end: pass.end) }
            }
            let published = relay
            try await matching(relay.log) {
                // The stage is at work.
                try await eventually("a commit") {
                    let partition = TopicPartition(Self.layout.changes(.public), 0)
                    let group = SubscriptionMatcher.group(Self.layout)
                    return try await published.log.positions(of: group, [partition])[partition]?.offset ?? 0 > 0
                }
                for event in Self.subscriptions(2, from: 1000) { try await relay.publish([event]) }
                let relay = relay
                for created: Int64 in 1000...1001 {
                    try await relay.untilMarked(created)
                    #expect(try await relay.past(of: created) == Array(1...40))
                }
            }
        }
    }

    @Test("a lane has a turn again, also if the table went on before the wait for it began")
    func tableWentOn() {
        var behind = LanesBehind()
        behind.advance(to: CommitSequence(1000))
        behind.insert(1)
        behind.advance(to: CommitSequence(1000))
        #expect(behind.lanes == [1])
        #expect(behind.reached == CommitSequence(1000))
        behind.advance(to: CommitSequence(1001))
        #expect(behind.lanes.isEmpty)
    }

    @Test("beyond a day's budget the rest is one entry, others have theirs, and the next day has another")
    func budget() async throws {
        try await within {
            let other = SubscriptionHistory.users[1]
            var relay = try await PastRelay()
            for sequence: Int64 in 1...400 { try await relay.change(sequence, number: 5) }
            // Room for some changes.
            try await relay.use(Limits.backfillBytesPerDayMax - 2000)
            try await relay.publish(Self.subscriptions(3, from: 1000))
            try await relay.publish(PastRelay.saved("o", at: 2000, from: 0, of: other))
            try await matching(relay.log) {
                try await relay.untilMarked(1002)
                try await relay.untilMarked(2000, of: other)
                #expect(try await relay.past(of: 2000, for: other) == Array(1...400))
                try await checkRests(relay, [1000, 1001, 1002])
                // Another one today has nothing; one of tomorrow has all.
                try await relay.publish(PastRelay.saved("late", at: 3000, from: 0))
                let today = relay
                try await today.untilMarked(3000)
                #expect(try await today.past(of: 3000).isEmpty)
                try await checkRests(today, [3000])
                try await relay.publish(PastRelay.saved("next", at: 4000, from: 0), at: 86_400_000)
                let tomorrow = relay
                try await tomorrow.untilMarked(4000)
                // The new day begins when the partition's new changes have come to it.
                try await relay.publish(PastRelay.saved("all", at: 5000, from: 0), at: 86_400_001)
                let after = relay
                try await after.untilMarked(5000)
                #expect(try await after.past(of: 5000) == Array(1...400))
            }
        }
    }

    /// Each partition's rest begins behind the last delivered change, and names the subscriptions.
    private func checkRests(_ relay: PastRelay, _ created: [Int64]) async throws {
        var delivered: [Int32: Int64] = [:]
        var rests: [Int32: Int64] = [:]
        for entry in try await relay.deliveries() where entry.isOfPast {
            guard case .hits(let hits)? = entry.event, let partition = entry.source?.partition else { continue }
            if hits.isRest {
                guard hits.leftOut == created else { continue }
                #expect(entry.source?.offset == created.last && hits.hits.isEmpty && hits.omitted == created.count)
                #expect(rests.updateValue(hits.change, forKey: partition) == nil)
            } else if hits.hits.contains(where: { $0.created == created[0] }) {
                delivered[partition] = hits.change
            }
        }
        #expect(rests.count == Int(Self.layout.partitions))
        for change in relay.changes {
            let key = Self.layout.changeKey(.public, change.matched!)
            let partition = Self.layout.partition(of: key)
            let isDelivered = change.sequence.rawValue <= delivered[partition] ?? 0
            #expect(isDelivered == (change.sequence.rawValue < rests[partition] ?? 0))
        }
    }

    @Test(
        "nothing is lost by a budget: a rest comes before each change that is not delivered, through failures",
        arguments: 1...8)
    func budgetThroughFailures(seed: UInt64) async throws {
        try await within {
            var random = SeededGenerator(seed: seed)
            var relay = try await PastRelay()
            for sequence: Int64 in 1...200 { try await relay.change(sequence, number: 5) }
            try await relay.use(Limits.backfillBytesPerDayMax - Int.random(in: 0...6000, using: &random))
            let failing = Set((0..<6).map { _ in Int.random(in: 1...25, using: &random) })
            let log = FailingLog(relay.log, failing: { failing.contains($0) ? .partWay(1) : nil })
            try await relay.publish(Self.subscriptions(3, from: 1000))
            let first = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await relay.publish(Self.subscriptions(2, from: 2000))
            first.cancel()
            let published = relay
            try await matching(log) { try await published.untilMarked(2001) }
            await first.value
            for created: Int64 in [1000, 1001, 1002, 2000, 2001] {
                let delivered = Set(try await relay.past(of: created))
                var rests: [Int32: Int64] = [:]
                for entry in try await relay.deliveries() {
                    guard case .hits(let hits)? = entry.event, hits.isRest, hits.leftOut.contains(created) else {
                        continue
                    }
                    let partition = entry.source!.partition
                    rests[partition] = min(rests[partition] ?? .max, hits.change)
                }
                for change in relay.changes where !delivered.contains(change.sequence.rawValue) {
                    let partition = Self.layout.partition(of: Self.layout.changeKey(.public, change.matched!))
                    #expect(
                        rests[partition] ?? .max <= change.sequence.rawValue,
                        "seed \(seed): \(change.sequence) of \(created)")
                }
            }
        }
    }
}
