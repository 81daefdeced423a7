import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// Stage 1 over a log: failures, restarts, repeats and waiting.
@Suite struct StageTests {
    private static let layout = SubscriptionHistory.layout

    /// A log with the fixed topics, and what writes changes and subscriptions to it.
    private struct StageRig {
        let log = MemoryLog()
        let writer: any LogWriter

        init() async throws {
            writer = try await log.makeWriter()
            _ = try await log.createTopics(layout.fixedTopics)
        }

        func publish(_ event: SubscriptionHistory.Event) async throws {
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(layout.subscriptions), key: event.topicKey, value: event.message.encoded(),
                    timestamp: LogTimestamp(milliseconds: event.sequence))
            ])
        }

        func publish(_ change: Change) async throws {
            let key = layout.changeKey(.public, change.matched!)
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(layout.changes(.public), layout.partition(of: key)), key: key,
                    value: ChangeEvent(change, store: SubscriptionHistory.store).encoded(),
                    timestamp: LogTimestamp(change.committed))
            ])
        }

        /// The entry that says how far the subscription events are.
        static func reached(_ sequence: Int64) -> OutgoingEntry {
            OutgoingEntry(
                TopicPartition(layout.subscriptions), key: TopicLayout.reachedKey,
                value: ReachedMessage(store: SubscriptionHistory.store, sequence: sequence).encoded(),
                timestamp: LogTimestamp(milliseconds: 0))
        }

        /// Everything in `deliveries`, as a reader sees it that drops what does not advance: for each partition and
        /// source a list.
        func deliveries() async throws -> [[DeliveryEntry]] {
            var result: [[DeliveryEntry]] = []
            for number in 0..<layout.partitions {
                let partition = TopicPartition(layout.deliveries, number)
                var last: [SourceID: (Int64, Int32)] = [:]
                var lists: [SourceID: [DeliveryEntry]] = [:]
                for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                    let message = try DeliveryEntry(decoding: entry.value!)
                    let name = message.source!.position
                    guard (name.offset, name.index) > last[name.source] ?? (-1, 0) else { continue }
                    last[name.source] = (name.offset, name.index)
                    lists[name.source, default: []].append(message)
                }
                result += lists.values
            }
            return result
        }

        /// Waits until the stage has committed all changes there are.
        func untilDone() async throws {
            let partitions = (0..<layout.partitions).map { TopicPartition(layout.changes(.public), $0) }
            try await eventually("the end of the changes") {
                let bounds = try await log.bounds(of: partitions)
                let done = try await log.committedPositions(of: SubscriptionMatcher.group(layout), partitions)
                return partitions.allSatisfy { (done[$0]?.offset ?? 0) >= bounds[$0]!.end }
            }
        }
    }

    private static func texts(_ deliveries: [[DeliveryEntry]]) -> [String] {
        deliveries.joined().flatMap { entry -> [String] in
            guard case .hits(let hits)? = entry.event else { return [] }
            return hits.hits.map { "\(hits.change) \(entry.user) \($0.subscription) \($0.alertBody ?? "")" }
        }.sorted()
    }

    /// Writers die part way, members come and go, the relay repeats: every hit is there once, in the order of its
    /// change.
    @Test(arguments: 1...4)
    func failuresAndRestartsLoseAndDoubleNothing(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 400)
        // The first append always: how many there are is up to the scheduler.
        var failures: [Int: FailingLog.Failure] = [1: .before]
        for _ in 0..<4 {
            let count = Int.random(in: 0...5, using: &random)
            failures[Int.random(in: 1...16, using: &random)] = [.before, .partWay(count), .after].randomElement(
                using: &random)!
        }
        let order = Self.relayOrder(history, &random)
        try await within { [failures] in
            let bench = try await StageRig()
            let log = FailingLog(bench.log) { failures[$0] }
            let first = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            let second = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            for (number, step) in order.enumerated() {
                switch step {
                case .event(let event): try await bench.publish(event)
                case .change(let change): try await bench.publish(change)
                }
                if number == order.count / 2 { first.cancel() }
                await Task.yield()
            }
            try await bench.untilDone()
            for task in [first, second] {
                task.cancel()
                await task.value
            }
            #expect(log.failureCount > 0)
            let deliveries = try await bench.deliveries()
            let expected = history.changes.flatMap { change in
                history.expected(change).map { saved in
                    "\(change.sequence) \(saved.key.user) \(saved.key.id) "
                        + (saved.notificationInfo.alertBody ?? "")
                }
            }.sorted()
            #expect(Self.texts(deliveries) == expected, "seed \(seed)")
            for entries in deliveries {
                let changes = entries.map { entry -> Int64 in
                    guard case .hits(let hits)? = entry.event else { return 0 }
                    return hits.change
                }
                #expect(changes == changes.sorted(), "seed \(seed): a partition's changes in their order")
            }
        }
    }

    @Test("an owner that takes over within a window of the rates counts on: it omits what the one before would have")
    func takingOverWithinAWindow() async throws {
        let key = SubscriptionKey(
            user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
        var subscription = SubscriptionHistory.subscription(key, above: 0)
        subscription.notificationInfo = NotificationInfo(additionalFields: [FieldName(trusted: "big")])
        let saved = SavedSubscription(subscription: subscription, created: CommitSequence(1), saved: CommitSequence(1))
        let event = SubscriptionHistory.Event(key: key, sequence: 1, saved: saved)
        let changes = (Int64(2)..<26).map { sequence in
            var change = SubscriptionHistory.change(sequence, number: 5, after: 1, name: "r")
            change.after!.fields[FieldName(trusted: "big")] = .string(String(repeating: "x", count: 400_000))
            return change
        }
        try await within {
            for isTakenOver in [false, true] {
                let bench = try await StageRig()
                try await bench.publish(event)
                var matcher = Task { await SubscriptionMatcher(log: bench.log, layout: Self.layout).run() }
                for half in [changes.prefix(8), changes.dropFirst(8)] {
                    for change in half { try await bench.publish(change) }
                    try await bench.untilDone()
                    guard isTakenOver, half.count == 8 else { continue }
                    matcher.cancel()
                    await matcher.value
                    matcher = Task { await SubscriptionMatcher(log: bench.log, layout: Self.layout).run() }
                }
                matcher.cancel()
                await matcher.value
                let carried = try await bench.deliveries().joined().map { entry -> Int in
                    guard case .hits(let hits)? = entry.event else { return -1 }
                    return hits.hits.count
                }
                let most = Limits.hitBytesOfUserMax / 400_000
                #expect(carried == Array(repeating: 1, count: most) + Array(repeating: 0, count: 24 - most))
            }
        }
    }

    private enum Step {
        case event(SubscriptionHistory.Event)
        case change(Change)
    }

    /// What a relay publishes that begins again some times: commit order, with repeats.
    private static func relayOrder(_ history: SubscriptionHistory, _ random: inout SeededGenerator) -> [Step] {
        let all: [(Int64, Step)] =
            history.events.map { ($0.sequence, .event($0)) }
            + history.changes.map { ($0.sequence.rawValue, .change($0)) }
        let sorted = all.sorted { $0.0 < $1.0 }.map(\.1)
        var steps: [Step] = []
        var next = 0
        while next < sorted.count {
            steps.append(sorted[next])
            next += 1
            if Int.random(in: 0..<40, using: &random) == 0 {
                next = max(0, next - Int.random(in: 1...30, using: &random))
            }
        }
        return steps
    }

    /// A change waits for the subscription event before it, however late that comes to the table.
    @Test func aChangeWaitsForTheSubscriptionsBeforeIt() async throws {
        try await within {
            let bench = try await StageRig()
            let gate = Gate()
            let log = InterceptedLog(bench.log) { partition, follower in
                guard partition.topic == Self.layout.subscriptions else { return follower }
                return GatedFollower(base: follower, gate: gate)
            }
            let key = SubscriptionKey(
                user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
            let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            // The stage has begun and found the topic empty.
            try await eventually("the first batch") { gate.batches >= 1 }
            gate.close()
            let saved = SavedSubscription(
                subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(1),
                saved: CommitSequence(1))
            try await bench.publish(SubscriptionHistory.Event(key: key, sequence: 1, saved: saved))
            try await bench.publish(SubscriptionHistory.change(2, number: 5, after: 1))
            // The event is held back; nothing may be committed meanwhile.
            try await eventually("the event to be held") { gate.held >= 1 }
            #expect(try await bench.deliveries().isEmpty)
            let partitions = (0..<Self.layout.partitions).map { TopicPartition(Self.layout.changes(.public), $0) }
            let positions = try await bench.log.committedPositions(
                of: SubscriptionMatcher.group(Self.layout), partitions)
            #expect(positions.values.allSatisfy { $0.offset == 0 })
            gate.open()
            try await bench.untilDone()
            #expect(Self.texts(try await bench.deliveries()) == ["2 \(key.user) s "])
            stage.cancel()
            await stage.value
        }
    }

    /// That very event may have been removed: what says that it had come is enough.
    @Test func aRemovedEventIsNotWaitedFor() async throws {
        try await within {
            let bench = try await StageRig()
            try await bench.writer.append([StageRig.reached(9)])
            try await bench.publish(SubscriptionHistory.change(10, number: 5, after: 9))
            let stage = Task { await SubscriptionMatcher(log: bench.log, layout: Self.layout).run() }
            try await bench.untilDone()
            #expect(try await bench.deliveries().isEmpty)
            stage.cancel()
            await stage.value
        }
    }

    /// A broker that comes back reports an end from before a subscription was saved: the change after it fires all the
    /// same, and no end is requested for each change.
    @Test func anOldEndHidesNoSubscription() async throws {
        try await within {
            let bench = try await StageRig()
            let asked = Mutex(0)
            let log = InterceptedLog(
                bench.log,
                follow: { partition, follower in
                    guard partition.topic == Self.layout.subscriptions else { return follower }
                    return ForgetfulEndFollower(base: follower)
                },
                boundsReported: { partitions in
                    if partitions.contains(TopicPartition(Self.layout.subscriptions)) { asked.withLock { $0 += 1 } }
                })
            let key = SubscriptionKey(
                user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
            let saved = SavedSubscription(
                subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(1),
                saved: CommitSequence(1))
            try await bench.publish(SubscriptionHistory.Event(key: key, sequence: 1, saved: saved))
            try await bench.writer.append([StageRig.reached(50)])
            for number in 0..<200 {
                try await bench.publish(SubscriptionHistory.change(100 + Int64(number), number: 5, after: 50))
            }
            let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            try await bench.untilDone()
            #expect(Self.texts(try await bench.deliveries()).count == 200)
            #expect(asked.withLock { $0 } < 5)
            stage.cancel()
            await stage.value
        }
    }

    /// G9: poison among changes and subscriptions is set aside.
    @Test func poisonStopsNobody() async throws {
        try await within {
            let bench = try await StageRig()
            let key = SubscriptionKey(
                user: SubscriptionHistory.users[1], database: .public, id: SubscriptionID(trusted: "s"))
            let saved = SavedSubscription(
                subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(1),
                saved: CommitSequence(1))
            let good = SubscriptionHistory.change(2, number: 5, after: 1)
            var headless = good
            headless.after = nil
            let poison: [[UInt8]?] = [
                nil, [], [0xff, 0xff], Array("{}".utf8),
                ChangeEvent(headless, store: SubscriptionHistory.store).encoded(),
                ChangeEvent(source: SourcePositionMessage(SourcePosition(source: .store(1), offset: 1))).encoded(),
            ]
            for value in poison {
                for topic in [Self.layout.changes(.public), Self.layout.subscriptions] {
                    try await bench.writer.append([
                        OutgoingEntry(
                            TopicPartition(topic), key: [1], value: value, timestamp: LogTimestamp(milliseconds: 0))
                    ])
                }
            }
            try await bench.publish(SubscriptionHistory.Event(key: key, sequence: 1, saved: saved))
            try await bench.publish(good)
            let stage = Task { await SubscriptionMatcher(log: bench.log, layout: Self.layout).run() }
            try await bench.untilDone()
            #expect(Self.texts(try await bench.deliveries()) == ["2 \(key.user) s "])
            stage.cancel()
            await stage.value
        }
    }
}

/// Holds back what followers of a topic are given while it is closed.
private final class Gate: Sendable {
    private struct State {
        var isClosed = false
        var batches = 0
        var held = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var batches: Int { state.withLock { $0.batches } }
    var held: Int { state.withLock { $0.held } }

    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        let waiting = state.withLock { state in
            state.isClosed = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let passes = state.withLock { state in
                state.batches += 1
                guard state.isClosed else { return true }
                state.held += 1
                state.waiting.append(continuation)
                return false
            }
            if passes { continuation.resume() }
        }
    }
}

/// A follower that says of each batch that it is the last.
private struct ForgetfulEndFollower: LogFollower {
    let base: any LogFollower

    func next() async throws -> LogBatch {
        var batch = try await base.next()
        batch.isAtEnd = true
        return batch
    }

    func close() { base.close() }
}

/// A follower whose batches go through a gate.
private struct GatedFollower: LogFollower {
    let base: any LogFollower
    let gate: Gate

    func next() async throws -> LogBatch {
        let batch = try await base.next()
        await gate.pass()
        return batch
    }

    func close() { base.close() }
}
