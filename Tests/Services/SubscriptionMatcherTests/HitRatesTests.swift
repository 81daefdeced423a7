import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The rates of stage 1: bytes of hits of notified and of saving users, by windows of the log's time.
@Suite struct HitRatesTests {
    private static let source = SourceID(origin: "changes.public", incarnation: 3, partition: 2)
    private static let window = Int64(Limits.hitRateSeconds) * 1000

    /// A change in the log, with the users whose one subscription fires on it.
    private struct Met {
        var offset: Int64
        var time: Int64
        var bytes: Int
        var saver = 0
        var notified = [0]
    }

    private static func user(_ number: Int) -> UserRecordName { UserRecordName(trusted: "_user\(number)") }

    /// The bytes of the entries of a change, as stage 1 makes them.
    private static func bytes(_ met: Met, _ rates: inout HitRates) -> [[UInt8]] {
        var change = SubscriptionHistory.change(met.offset + 1, number: 5, after: 0)
        change.after!.fields[FieldName(trusted: "big")] = .string(String(repeating: "x", count: met.bytes))
        change.origin = Origin(user: user(1000 + met.saver), device: nil, epoch: nil)
        let hits = met.notified.map { number in
            FiredSubscription(
                key: SubscriptionKey(user: user(number), database: .public, id: SubscriptionID(trusted: "s")),
                kind: .query, firesOnce: false,
                notificationInfo: NotificationInfo(additionalFields: [FieldName(trusted: "big")]),
                created: CommitSequence(1), saved: CommitSequence(1))
        }
        var entries = HitEntries(hits, of: change, changeBytes: met.bytes, source: source, number: met.offset)
        rates.advance(to: LogTimestamp(milliseconds: met.time))
        var made: [[UInt8]] = []
        while let entry = entries.next(within: &rates) { made.append(entry.value) }
        return made
    }

    private static func entries(_ met: Met, _ rates: inout HitRates) throws -> [DeliveryEntry] {
        try bytes(met, &rates).map { try DeliveryEntry(reading: $0) }
    }

    /// The hits that entries carry and those that they count only.
    private static func counts(_ entries: [DeliveryEntry]) -> (carried: Int, omitted: Int) {
        entries.reduce(into: (0, 0)) { counts, entry in
            guard case .hits(let hits)? = entry.event else { return }
            counts.0 += hits.hits.count
            counts.1 += Int(hits.omitted)
        }
    }

    @Test("beyond the rate of the notified user hits are counted, in the entry's database, until the window is over")
    func notified() throws {
        var rates = HitRates()
        var carried: [Int] = []
        for number in 0..<60 {
            let met = Met(offset: Int64(number), time: number < 30 ? 5 : Self.window + 5, bytes: 300_000)
            let entries = try Self.entries(met, &rates)
            let counts = Self.counts(entries)
            #expect(counts.carried + counts.omitted == 1 && entries.count == 1)
            if counts.carried == 1 { carried.append(number) }
            if counts.omitted == 1, case .hits(let hits)? = entries[0].event { #expect(hits.database == 1) }
        }
        let most = Limits.hitBytesOfUserMax / 300_000
        #expect(carried == Array(0..<most) + Array(30..<30 + most))
        // Another user has a rate of its own.
        let other = Met(offset: 70, time: Self.window, bytes: 9000, notified: [1])
        #expect(try Self.counts(Self.entries(other, &rates)) == (1, 0))
    }

    @Test("a window ends when the log's clock comes back from a leap, and not when it goes back a little")
    func leaps() throws {
        let years = Int64(20 * 365) * 86_400_000
        var rates = HitRates()
        let start = years * 3
        func carried(at time: Int64) throws -> Int {
            try (0..<20).count { _ in
                try Self.counts(Self.entries(Met(offset: 1, time: time, bytes: 600_000), &rates)).carried == 1
            }
        }
        let most = Limits.hitBytesOfUserMax / 600_000
        #expect(try carried(at: start + years) == most)
        #expect(try carried(at: start + years - 3_600_000) == 0)
        #expect(try carried(at: start) == most)
        #expect(try carried(at: start) == 0)
        #expect(try carried(at: start + Self.window) == most)
    }

    @Test("beyond the rate of the saving user hits are counted for all notified users")
    func savers() throws {
        var rates = HitRates()
        let everybody = Array(0..<300)
        let counts = try Self.counts(Self.entries(Met(offset: 1, time: 1, bytes: 600_000, notified: everybody), &rates))
        #expect(counts.carried == Limits.hitBytesOfSaverMax / 600_000)
        #expect(counts.omitted == 300 - counts.carried)
        let next = Met(offset: 2, time: 1, bytes: 600_000, notified: [400])
        #expect(try Self.counts(Self.entries(next, &rates)) == (0, 1))
        var other = next
        other.saver = 1
        #expect(try Self.counts(Self.entries(other, &rates)) == (1, 0))
    }

    @Test("small hits are carried whatever else there is, and count nothing")
    func small() throws {
        var rates = HitRates()
        for number in 0..<40 { _ = try Self.entries(Met(offset: Int64(number), time: 1, bytes: 300_000), &rates) }
        #expect(try Self.counts(Self.entries(Met(offset: 50, time: 1, bytes: 300_000), &rates)) == (0, 1))
        for number in 0..<200 {
            let met = Met(offset: Int64(60 + number), time: 1, bytes: 100)
            #expect(try Self.counts(Self.entries(met, &rates)) == (1, 0))
        }
        var quiet = HitRates()
        for number in 0..<200 { _ = try Self.entries(Met(offset: Int64(number), time: 1, bytes: 100), &quiet) }
        #expect(quiet.start(at: 200).offset == 200)
    }

    @Test("an honest user's load is not touched: 500 notifications of a kilobyte a second, and a broadcast")
    func honest() throws {
        var rates = HitRates()
        for number in 0..<15_000 {
            let met = Met(offset: Int64(number), time: Int64(number * 2), bytes: 1024)
            #expect(try Self.counts(Self.entries(met, &rates)) == (1, 0))
        }
        let everybody = Array(0..<20_000)
        let met = Met(offset: 20_000, time: 100_000, bytes: 1024, notified: everybody)
        #expect(try Self.counts(Self.entries(met, &rates)) == (20_000, 0))
    }

    @Test("an owner that counts again carries what the one before would have", arguments: 1...3)
    func takeovers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var time: Int64 = 0
        let changes = (0..<70).map { number in
            time += Int64.random(in: 0...400, using: &random)
            // A broker that takes over may be behind.
            let late = Int.random(in: 0..<10, using: &random) == 0 ? Int64(3000) : 0
            return Met(
                offset: Int64(number), time: max(0, time - late), bytes: [100, 400_000].randomElement(using: &random)!,
                saver: Int.random(in: 0..<3, using: &random),
                notified: Array(0..<Int.random(in: 1...3, using: &random)))
        }
        var rates = HitRates()
        var expected: [[[UInt8]]] = []
        var starts: [HitRates.Start] = []
        for change in changes {
            starts.append(rates.start(at: change.offset))
            expected.append(Self.bytes(change, &rates))
        }
        let counts = try Self.counts(expected.joined().map { try DeliveryEntry(reading: $0) })
        try #require(counts.omitted > 0 && counts.carried > 0)
        for cut in stride(from: 0, to: changes.count, by: 9) {
            var again = HitRates(from: starts[cut])
            for change in changes[Int(starts[cut].offset)..<cut] { _ = Self.bytes(change, &again) }
            #expect(again.start(at: Int64(cut)) == starts[cut])
            for place in cut..<min(changes.count, cut + 20) {
                let isSame = Self.bytes(changes[place], &again) == expected[place]
                #expect(isSame, "seed \(seed): \(place) after \(cut)")
            }
        }
    }

    @Test("a position carries where counting begins, and says nothing once somebody else has gone on from it")
    func positions() throws {
        let partition = TopicPartition(SubscriptionHistory.layout.changes(.public), 2)
        let committer = PositionCommitter()
        let progress = PartitionPosition(LogPosition(offset: 3), of: partition, committer)
        progress.note(LogPosition(offset: 40), counted: HitRates.Start(offset: 31, window: 170_000_000))
        let committed = progress.position
        #expect(
            PartitionPosition(committed, of: partition, committer).counted
                == HitRates.Start(offset: 31, window: 170_000_000))
        #expect(PartitionPosition(committed, of: partition, committer).live == LogPosition(offset: 40))
        #expect(PartitionPosition(committed, of: partition, isElsewhere: true, committer).counted == nil)
        var moved = committed
        moved.offset = 50
        #expect(PartitionPosition(moved, of: partition, committer).counted == nil)
        #expect(PartitionPosition(moved, of: partition, committer).live == LogPosition(offset: 50))
        progress.note(LogPosition(offset: 60), counted: nil)
        #expect(PartitionPosition(progress.position, of: partition, committer).counted == nil)
    }
}
