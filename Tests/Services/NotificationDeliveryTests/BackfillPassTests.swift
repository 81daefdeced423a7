import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Backfills of several subscriptions that stage 1 delivers together, as stage 2 meets them: in passes that begin again
/// with other subscriptions, with changes of several partitions, with hits that are only counted.
@Suite struct BackfillPassTests {
    private static let layout = History.layout
    private static let user = History.users[0]
    private static let from: Int64 = 1000

    /// A hit, by the subscription, the partition of changes, and the change's sequence.
    private struct Delivered: Hashable {
        var created: Int64
        var partition: Int32
        var change: Int64
    }

    private static func entry(
        _ origin: String, _ partition: Int, _ offset: Int64, _ index: Int32 = 0, _ event: DeliveryEntry.Event
    ) -> DeliveryEntry {
        let source = SourceID(origin: origin, incarnation: 5, partition: Int32(partition))
        return DeliveryEntry(
            source: SourcePositionMessage(SourcePosition(source: source, offset: offset, index: index)),
            user: user.rawValue, time: offset, event: event)
    }

    private static func hits(
        _ change: Int64, _ partition: Int, of created: [Int64], leftOut: [Int64] = [], isPast: Bool,
        isRest: Bool = false
    ) -> HitsMessage {
        HitsMessage(
            change: change, kind: 1, recordType: "T", recordName: "\(partition)",
            zone: ZoneMessage(ZoneID.publicDefault),
            origin: OriginMessage(user: "other"),
            hits: created.map { Hit(database: 1, subscription: "s\($0)", created: $0, shouldBadge: true, kind: 0) },
            omitted: Int32(leftOut.count), backfill: isPast ? created.first ?? leftOut[0] : 0, database: 1,
            leftOut: leftOut, isRest: isRest)
    }

    private static func logged(_ entries: [DeliveryEntry]) -> [LogEntry] {
        entries.enumerated().map { offset, entry in
            LogEntry(
                offset: Int64(offset), timestamp: LogTimestamp(milliseconds: 1), key: nil, value: entry.encoded(),
                headers: [])
        }
    }

    private static func begun(_ created: Int64, partitions: Int) -> DeliveryEntry {
        entry(
            "store", 0, created - 500, 0,
            .backfillBegun(BackfillBegun(created: created, partitions: Int32(partitions), database: 1)))
    }

    /// The passes over one partition: the first ones break off anywhere, each with some of the subscriptions, as after
    /// deaths of stage 1; the last ones are whole.
    private static func passes(
        _ partition: Int, _ subscriptions: [Int64], _ changes: [Int64], _ random: inout SeededGenerator
    ) -> [DeliveryEntry] {
        var entries: [DeliveryEntry] = []
        func pass(_ part: [Int64], _ changes: ArraySlice<Int64>) {
            for change in changes {
                let counted = change % 5 == 0 ? part.suffix(part.count / 2) : []
                entries.append(
                    entry(
                        "past.public", partition, change, 0,
                        .compact(
                            hits(
                                change, partition, of: part.dropLast(counted.count), leftOut: Array(counted),
                                isPast: true))))
            }
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let part = subscriptions.filter { _ in Bool.random(using: &random) }
            if !part.isEmpty { pass(part, changes.prefix(Int.random(in: 0...changes.count, using: &random))) }
        }
        let cut = Int.random(in: 0...subscriptions.count, using: &random)
        for part in [Array(subscriptions[..<cut]), Array(subscriptions[cut...])] where !part.isEmpty {
            pass(part, changes[...])
            entries.append(
                entry(
                    "past.public", partition, part.last!, 0,
                    part.count == 1
                        ? .backfillShareDone(BackfillShareDone(created: part[0]))
                        : .backfillSharesDone(BackfillSharesDone(created: part, partition: Int32(partition)))))
        }
        return entries
    }

    @Test("each subscription gets its backfill once, and of each partition before new hits", arguments: 1...300)
    func passes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let partitions = Int.random(in: 1...3, using: &random)
        let subscriptions = (0..<Int64.random(in: 1...4, using: &random)).map { Self.from + $0 }
        var entries = subscriptions.map { Self.begun($0, partitions: partitions) }
        var writers: [[DeliveryEntry]] = []
        var past: Set<Delivered> = []
        var live: Set<Delivered> = []
        for partition in 0..<partitions {
            let changes = Set((0..<8).map { _ in Int64.random(in: 1..<Self.from, using: &random) }).sorted()
            writers.append(Self.passes(partition, subscriptions, changes, &random))
            let news = Set((0..<6).map { _ in Int64.random(in: 2000..<3000, using: &random) }).sorted()
            writers.append(
                news.map {
                    Self.entry(
                        "changes.public", partition, $0, 0,
                        .hits(Self.hits($0, partition, of: subscriptions, isPast: false)))
                })
            for created in subscriptions {
                past.formUnion(changes.map { Delivered(created: created, partition: Int32(partition), change: $0) })
                live.formUnion(news.map { Delivered(created: created, partition: Int32(partition), change: $0) })
            }
        }
        var next = writers.map { _ in 0 }
        while let place = writers.indices.filter({ next[$0] < writers[$0].count }).randomElement(using: &random) {
            entries.append(writers[place][next[place]])
            next[place] += 1
            // New changes are repeated by their writer, passes begin again by themselves.
            if place % 2 == 1, Int.random(in: 0..<6, using: &random) == 0 {
                next[place] -= Int.random(in: 0...next[place], using: &random)
            }
        }
        var machine = BackfillMachine(Self.logged(entries), random)
        try machine.run()
        var begun: Set<Delivered> = []
        var counted = 0
        for feedEntry in machine.journal {
            switch feedEntry.entry {
            case .query(let query)?:
                let created = Int64(query.subscription.dropFirst())!
                let hit = Delivered(created: created, partition: Int32(query.recordName)!, change: query.change)
                let line = Delivered(created: created, partition: hit.partition, change: 0)
                if query.isBackfilled {
                    #expect(past.remove(hit) != nil && query.backfill == created, "seed \(seed): \(hit)")
                    #expect(!begun.contains(line), "seed \(seed): \(hit) came after what is new")
                } else {
                    begun.insert(line)
                    #expect(live.remove(hit) != nil, "seed \(seed): \(hit)")
                }
            case .omitted(let omitted)?:
                #expect(!omitted.isRest)
                counted += Int(omitted.count)
            default: Issue.record("seed \(seed): \(feedEntry)")
            }
        }
        #expect(live.isEmpty, "seed \(seed): \(live)")
        #expect(past.count == counted && past.allSatisfy { $0.change % 5 == 0 }, "seed \(seed)")
        #expect(machine.delivered == Set(subscriptions), "seed \(seed)")
        let state = try UserDelivery(
            user: Self.user, layout: Self.layout, decoding: machine.state[Self.layout.userKey(Self.user)]!)
        #expect(state.backfills.isEmpty && state.release == nil, "seed \(seed)")
    }

    @Test("new hits of a partition whose share is done do not wait for the others")
    func partitionsAlone() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.begun(Self.from, partitions: 2)])
        #expect(try feeder.changes([Self.live(2000, 0), Self.live(2001, 1)]).isEmpty)
        #expect(try feeder.changes([Self.mark(0)]) == [2000])
        #expect(try feeder.changes([Self.live(2002, 0), Self.live(2003, 1)]) == [2002])
        #expect(try feeder.changes([Self.mark(1)]) == [2001, 2003])
    }

    @Test("a rest is said once, whichever process says it, and ends the pass")
    func rest() throws {
        var feeder = try Feeder()
        let subscriptions = [Self.from, Self.from + 1]
        for created in subscriptions { _ = feeder.apply([Self.begun(created, partitions: 1)]) }
        func rest(from change: Int64, of created: [Int64]) -> DeliveryEntry {
            let hits = Self.hits(change, 0, of: [], leftOut: created, isPast: true, isRest: true)
            return Self.entry("past.public", 0, Self.from + 1, 0, .compact(hits))
        }
        func past(_ change: Int64) -> DeliveryEntry {
            Self.entry("past.public", 0, change, 0, .compact(Self.hits(change, 0, of: subscriptions, isPast: true)))
        }
        #expect(try feeder.changes([past(1), past(2), past(3)]) == [1, 1, 2, 2, 3, 3])
        // A process that goes on from an older position has less room: it is all left out from the second on.
        #expect(try feeder.omitted([past(1), rest(from: 2, of: subscriptions)]) == [2])
        // Another has more.
        #expect(try feeder.changes([past(1), past(2), past(3), past(4)]).isEmpty)
        #expect(try feeder.omitted([rest(from: 5, of: subscriptions)]).isEmpty)
        let marks = BackfillSharesDone(created: subscriptions, partition: 0)
        #expect(
            try feeder.changes([Self.entry("past.public", 0, Self.from + 1, 0, .backfillSharesDone(marks))]).isEmpty)
        #expect(try feeder.changes([Self.live(2000, 0)]) == [2000])
    }

    @Test("held hits that retention removed are counted in an entry, and the others come")
    func lostHits() throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.begun(Self.from, partitions: 1), Self.live(2000, 0), Self.live(2001, 0)])
        let step = feeder.apply([Self.mark(0)])
        #expect(step.outputs.journals.isEmpty)
        let released = try feeder.release(from: 2)
        #expect(try released.map { try FeedEntry(decoding: $0.value!) }.map(\.entry?.name) == ["rest of 1", "2001"])
    }

    @Test("hits that an older version held come once, in each state that it may have left", arguments: [true, false])
    func older(isDue: Bool) throws {
        var feeder = try Feeder()
        _ = feeder.apply([Self.begun(Self.from, partitions: 2)])
        _ = feeder.apply([Self.live(2000, 0), Self.live(2001, 1)])
        // The first share was done when the hits came, and they waited all the same.
        var backfill = BackfillState(created: Self.from, partitions: 2)
        backfill.shares = [BackfillShare(partition: 0, seen: 5, isDone: true)]
        if isDue {
            backfill.shares.append(BackfillShare(partition: 1, isDone: true))
            backfill.heldFrom = 1
            backfill.release = BackfillRelease(next: 1, end: 3)
        } else {
            backfill.heldFrom = 1
        }
        try feeder.restart(UserState(backfills: [backfill]))
        if !isDue { #expect(try feeder.changes([Self.live(2002, 0)]).isEmpty) }
        let due = isDue ? try feeder.released() : try feeder.changes([Self.mark(1)])
        #expect(due == (isDue ? [2000, 2001] : [2000, 2001, 2002]))
        #expect(try feeder.changes([Self.live(2003, 0), Self.live(2004, 1)]) == [2003, 2004])
    }

    private static func live(_ change: Int64, _ partition: Int) -> DeliveryEntry {
        entry("changes.public", partition, change, 0, .hits(hits(change, partition, of: [from], isPast: false)))
    }

    private static func mark(_ partition: Int) -> DeliveryEntry {
        entry("past.public", partition, from, 0, .backfillShareDone(BackfillShareDone(created: from)))
    }

    /// Feeds a machine, and has it deliver held hits that are due.
    private struct Feeder {
        private var machine: PartitionDelivery
        private var log: [LogEntry] = []
        private static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

        init() throws { machine = try PartitionDelivery(layout: layout, source: Self.source, state: [:]) }

        /// Goes on with another state.
        mutating func restart(_ state: UserState) throws {
            machine = try PartitionDelivery(
                layout: layout, source: Self.source, state: [layout.userKey(user): state.encoded()])
        }

        mutating func apply(_ entries: [DeliveryEntry]) -> PartitionDelivery.Step {
            let start = log.count
            for entry in entries {
                log.append(
                    LogEntry(
                        offset: Int64(log.count), timestamp: LogTimestamp(milliseconds: 1), key: nil,
                        value: entry.encoded(), headers: []))
            }
            let step = machine.apply(log[start...])
            #expect(step.malformed.isEmpty && step.count == entries.count)
            return step
        }

        /// Delivers held hits that are due, of which those before an offset are gone.
        mutating func release(from start: Int = 0) throws -> [OutgoingEntry] {
            guard let due = machine.dueRelease else { return [] }
            let first = max(start, Int(due.next))
            let step = try machine.release(
                due, in: Array(log[first...]), next: Int64(log.count), isPartlyLost: start > due.next,
                committed: Int64(log.count))
            #expect(machine.dueRelease == nil)
            return step.outputs.journals
        }

        mutating func released() throws -> [Int64] { try Self.changes(try release()) }

        private static func changes(_ entries: [OutgoingEntry]) throws -> [Int64] {
            try entries.compactMap { entry in
                guard case .query(let query)? = try FeedEntry(decoding: entry.value!).entry else { return nil }
                return query.change
            }
        }

        mutating func changes(_ entries: [DeliveryEntry]) throws -> [Int64] {
            let step = apply(entries)
            return try Self.changes(step.outputs.journals + release())
        }

        /// The counts of rests.
        mutating func omitted(_ entries: [DeliveryEntry]) throws -> [Int32] {
            let step = apply(entries)
            return try step.outputs.journals.compactMap { entry in
                guard case .omitted(let omitted)? = try FeedEntry(decoding: entry.value!).entry else { return nil }
                #expect(omitted.isRest)
                return omitted.count
            }
        }
    }
}

extension FeedEntry.Entry {
    /// A text for comparisons.
    fileprivate var name: String {
        switch self {
        case .query(let query): "\(query.change)"
        case .omitted(let omitted): (omitted.isRest ? "rest" : "omitted") + " of \(omitted.count)"
        default: "other"
        }
    }
}
