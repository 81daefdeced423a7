import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// A subscription that begins in the past, as stage 2 meets it: shares of partitions of changes, hits after it, repeats
/// of all writers, restarts at any commit, between any two of them.
@Suite struct BackfillTests {
    private static let layout = History.layout
    private static let user = History.users[0]
    private static let created: Int64 = 1000

    /// A hit, by the partition of changes that it comes from and the change's sequence.
    private struct Delivered: Hashable {
        var partition: Int32
        var change: Int64
        var isPast: Bool
    }

    /// The entries of `deliveries` in a random order that the writers could have made, with repeats.
    private struct Schedule {
        var entries: [LogEntry] = []
        /// By partition: the backfill, and the later changes.
        var past: [[Int64]] = []
        var live: [[Int64]] = []

        private var random: SeededGenerator

        init(random: SeededGenerator, partitions: Int) {
            self.random = random
            append(
                entry(.store(77), 990, .backfillBegun(BackfillBegun(created: created, partitions: Int32(partitions)))))
            var shares: [[DeliveryEntry]] = []
            var news: [[DeliveryEntry]] = []
            for number in 0..<partitions {
                past.append(sequences(1..<created))
                live.append(sequences(created + 1..<2 * created))
                shares.append(
                    past[number].map { hits($0, number, isPast: true) } + [
                        entry(
                            Self.source("past.public", number), created,
                            .backfillShareDone(BackfillShareDone(created: created)))
                    ])
                news.append(live[number].map { hits($0, number, isPast: false) })
            }
            interleave(shares + news)
        }

        private static func source(_ origin: String, _ number: Int) -> SourceID {
            SourceID(origin: origin, incarnation: 5, partition: Int32(number))
        }

        private mutating func sequences(_ range: Range<Int64>) -> [Int64] {
            let count = Int.random(in: 0...8, using: &random)
            return Set((0..<count).map { _ in Int64.random(in: range, using: &random) }).sorted()
        }

        /// Each writer's entries in their order; now and then one begins again a few earlier.
        private mutating func interleave(_ writers: [[DeliveryEntry]]) {
            var next = writers.map { _ in 0 }
            while let place = writers.indices.filter({ next[$0] < writers[$0].count }).randomElement(using: &random) {
                append(writers[place][next[place]])
                next[place] += 1
                if Int.random(in: 0..<6, using: &random) == 0 {
                    next[place] -= Int.random(in: 0...next[place], using: &random)
                }
            }
            // A writer that was shut out and does not know it.
            if let late = entries.randomElement(using: &random) {
                entries.append(LogEntry(late, at: Int64(entries.count)))
            }
        }

        private mutating func append(_ message: DeliveryEntry) {
            entries.append(
                LogEntry(
                    offset: Int64(entries.count), timestamp: LogTimestamp(milliseconds: 1), key: nil,
                    value: message.encoded(), headers: []))
        }

        private func entry(_ source: SourceID, _ offset: Int64, _ event: DeliveryEntry.Event) -> DeliveryEntry {
            DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: source, offset: offset)), user: user.rawValue,
                time: offset, event: event)
        }

        private func hits(_ change: Int64, _ number: Int, isPast: Bool) -> DeliveryEntry {
            let message = HitsMessage(
                change: change, kind: 1, recordType: "T", recordName: "\(number)",
                zone: ZoneMessage(ZoneID.publicDefault), origin: OriginMessage(user: "other"),
                hits: [
                    Hit(
                        database: 1, subscription: "s", created: created, shouldBadge: true, kind: 0)
                ],
                backfill: isPast ? created : 0)
            return entry(Self.source(isPast ? "past.public" : "changes.public", number), change, .hits(message))
        }
    }

    private static func delivered(_ journal: [FeedEntry]) -> [Delivered] {
        journal.compactMap { entry in
            guard case .query(let notification)? = entry.entry else { return nil }
            #expect(entry.time == notification.change && notification.badge == nil)
            return Delivered(
                partition: Int32(notification.recordName)!, change: notification.change,
                isPast: notification.isBackfilled)
        }
    }

    @Test("of each partition the backfill comes first, then the held hits, each once and in order", arguments: 1...400)
    func order(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 1...3, using: &random)
        let schedule = Schedule(random: random, partitions: partitions)
        var machine = BackfillMachine(schedule.entries, random)
        try machine.run()
        let delivered = Self.delivered(machine.journal)
        for number in 0..<partitions {
            let own = delivered.filter { $0.partition == Int32(number) }
            let firstLive = own.firstIndex { !$0.isPast } ?? own.count
            #expect(own[firstLive...].allSatisfy { !$0.isPast }, "seed \(seed): nothing past after what is new")
            #expect(own.filter(\.isPast).map(\.change) == schedule.past[number], "seed \(seed)")
            #expect(own.filter { !$0.isPast }.map(\.change) == schedule.live[number], "seed \(seed)")
        }
        // Nothing of it stays in the state.
        let delivery = try UserDelivery(
            user: Self.user, layout: Self.layout, decoding: machine.state[Self.layout.userKey(Self.user)]!)
        #expect(delivery.backfills.isEmpty, "seed \(seed)")
    }

    @Test("a subscription that is deleted in between gets no more of its backfill, and all held hits")
    func cancelled() throws {
        for seed: UInt64 in 1...100 {
            let random = SeededGenerator(seed: seed)
            var schedule = Schedule(random: random, partitions: 2)
            // In place of the marks, the deletion at the end.
            schedule.entries.removeAll { entry in
                guard case .backfillShareDone? = try? DeliveryEntry(decoding: entry.value!).event else { return false }
                return true
            }
            let cancelled = DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: .store(77), offset: 3000)),
                user: Self.user.rawValue, time: 3000,
                event: .backfillCancelled(BackfillCancelled(created: Self.created)))
            schedule.entries.append(
                LogEntry(
                    offset: 0, timestamp: LogTimestamp(milliseconds: 1), key: nil, value: cancelled.encoded(),
                    headers: []))
            schedule.entries = schedule.entries.enumerated().map { LogEntry($1, at: Int64($0)) }
            var machine = BackfillMachine(schedule.entries, random)
            try machine.run()
            let delivered = Self.delivered(machine.journal)
            for number in 0..<2 {
                let own = delivered.filter { $0.partition == Int32(number) && !$0.isPast }
                #expect(own.map(\.change) == schedule.live[number], "seed \(seed)")
            }
        }
    }
}

extension LogEntry {
    fileprivate init(_ other: LogEntry, at offset: Int64) {
        self.init(
            offset: offset, timestamp: other.timestamp, key: other.key, value: other.value, headers: other.headers)
    }
}
