import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// What a `test` of a subscription can be asked beside the changes that fire.
@Suite struct TrialTests {
    private func trial(_ set: (inout SubscriptionTrial) -> Void) -> SubscriptionTrial {
        var trial = SubscriptionTrial()
        set(&trial)
        return trial
    }

    private func filled() async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        for number in 0..<20 {
            _ = try await rig.apply(
                .on("r\(number)", .create, ["n": .int64(Int64(number)), "kind": .string(number < 10 ? "low" : "high")]))
        }
        return rig
    }

    private let filters = [
        GivenFilter.field("n", .greaterThan, .int64(15)), .field("kind", .equals, .string("high")),
    ]

    @Test("a test looks at no more than the latest changes that it asks for")
    func changesMax() async throws {
        let rig = try await filled()
        for (most, matched) in [(1, ["r19"]), (3, ["r17", "r18", "r19"]), (20, ["r16", "r17", "r18", "r19"])] {
            let trial = trial { $0.changesMax = most }
            let test = try #require(try await rig.apply(.test(.draft(nil, filters), trial)).test)
            #expect(test.examined == most && test.leftOut == 0)
            #expect(test.matched.compactMap(\.matched?.name.rawValue) == matched)
        }
        // Each test of a request has its own extent.
        let results = try await rig.service.modifySubscriptions(
            [
                .test(.draft(nil, filters), trial { $0.changesMax = 2 }), .test(.draft(nil, filters)),
                .test(.draft(nil, filters), trial { $0.isParseOnly = true }),
            ], in: .public, for: rig.alice)
        #expect(results.map { SubscriptionOutcome($0).test?.examined } == [2, 20, 0])
    }

    @Test("a test answers its cost, the indexes of its fields, and the column of an error")
    func parsing() async throws {
        let rig = try await filled()
        let trial = trial { $0.isParseOnly = true }
        let test = try #require(try await rig.apply(.test(.draft(nil, filters), trial)).test)
        #expect(test.predicateCost == 2 && test.examined == 0)
        #expect(Set(test.indexes.map { "\($0.field)" }) == ["n", "kind"])
        func written(_ text: String) async throws -> SubscriptionOutcome {
            var draft = SubscriptionDraft.draft(nil)
            draft.query?.predicate = GivenPredicate(text: text)
            return try await rig.apply(.test(draft, trial))
        }
        for (text, column) in [
            ("n > 3 AND", 10), ("n ?? 3", 3), ("n > 3 AND unknown = 1", 11), ("n = '𝄞' AND = 3", 13),
        ] {
            let error = try #require(try await written(text).error, "\(text)")
            #expect(error.code == .badRequest && error.column == column, "\(text): \(error) \(error.column ?? 0)")
        }
        #expect(try await written("kind LIKE '*x*'").test?.indexes == [])
        #expect(try await written("NOT n = 3").test?.indexes == [])
    }

    @Test("a test finds the changes on which one comparison was in the way, with that comparison")
    func near() async throws {
        let rig = try await filled()
        #expect(try await rig.apply(.test(.draft(nil, filters))).test?.near == [])
        let trial = trial { $0.findsNear = true }
        let test = try #require(try await rig.apply(.test(.draft(nil, filters), trial)).test)
        #expect(test.matched.count == 4)
        #expect(test.near.compactMap(\.change.matched?.name.rawValue) == (10...15).map { "r\($0)" })
        #expect(Set(test.near.map { "\($0.comparison.field)" }) == ["n"])
    }

    @Test("a test answers the outcome for a record as the caller may read it")
    func subject() async throws {
        let rig = try await filled()
        _ = try await rig.apply(.on("own", .create, ["n": .int64(17)]), in: .private)
        func outcome(
            _ name: String, in database: DatabaseScope = .public, as caller: Caller? = nil
        ) async throws -> SubscriptionTest.Subject? {
            let trial = trial {
                $0.isParseOnly = true
                $0.subject = .init(name: RecordName(trusted: name), zone: .default)
            }
            return try await rig.apply(.test(.draft(nil, filters), trial), in: database, as: caller).test?.subject
        }
        guard case .traced(let record, let node)? = try await outcome("r12") else {
            Issue.record("no outcome")
            return
        }
        #expect(record.name.rawValue == "r12" && node.kind == .all && !node.holds)
        #expect(node.parts.map(\.holds) == [false, true] && node.parts.map(\.decides) == [true, false])
        #expect(node.parts.map(\.value) == [.int64(12), .string("high")])
        // The record lacks the field.
        guard case .traced(_, let own)? = try await outcome("own", in: .private) else {
            Issue.record("no outcome")
            return
        }
        #expect(own.parts.map(\.value) == [.int64(17), nil])
        guard case .failed(_, let error)? = try await outcome("own", in: .private, as: rig.bob) else {
            Issue.record("another user's record is traced")
            return
        }
        #expect(error.code == .notFound)
    }
}

/// Reads of the latest changes.
@Suite struct ChangeHistoryTests {
    private static let topic = TopicName("changes")
    private static let partitions = 6

    /// A log with changes of one order over several partitions, some of them twice.
    private func filled(
        _ count: Int, _ generator: inout SeededGenerator, bytes: (inout SeededGenerator) -> Int
    ) async throws -> (log: MemoryLog, sequences: [TopicPartition: [Int64]], bytes: [Int64: Int]) {
        let log = MemoryLog()
        _ = try await log.createTopics([
            TopicSpecification(
                name: Self.topic, partitions: Int32(Self.partitions), cleanup: .compact, messageBytesMax: 2 << 20)
        ])
        let writer = try await log.makeWriter()
        var sequences: [TopicPartition: [Int64]] = [:]
        var sizes: [Int64: Int] = [:]
        // Some partitions get much more than others.
        let weights = (0..<Self.partitions).flatMap { Array(repeating: $0, count: $0 * $0 + 1) }
        for sequence in 1...Int64(count) {
            let partition = TopicPartition(Self.topic, Int32(weights.randomElement(using: &generator) ?? 0))
            let size = bytes(&generator)
            sizes[sequence] = size
            var batch = [sequence]
            // A writer that was interrupted repeats its last entries.
            if Int.random(in: 0..<20, using: &generator) == 0 { batch += (sequences[partition] ?? []).suffix(5) }
            batch.sort()
            for sequence in batch {
                var value = Array("\(sequence) ".utf8)
                value += Array(repeating: 0, count: max(0, (sizes[sequence] ?? 0) - value.count))
                try await writer.append([
                    OutgoingEntry(
                        partition, key: [UInt8(sequence % 3)], value: value,
                        headers: [LogHeader("fanfare-sequence", "\(sequence)")],
                        timestamp: LogTimestamp(milliseconds: sequence))
                ])
                sequences[partition, default: []].append(sequence)
            }
        }
        return (log, sequences, sizes)
    }

    private static func numbers(_ values: [[UInt8]]) -> [Int64] {
        Set(
            values.compactMap { value in
                value.firstIndex(of: UInt8(ascii: " ")).flatMap {
                    Int64(String(decoding: value[..<$0], as: UTF8.self))
                }
            }
        ).sorted()
    }

    private var all: [TopicPartition] { (0..<Self.partitions).map { TopicPartition(Self.topic, Int32($0)) } }

    @Test("the latest changes of all partitions together are found, however they are divided", arguments: 0..<6)
    func latest(round: Int) async throws {
        let seed = TestSeeds.first &+ UInt64(round)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let (log, sequences, _) = try await filled(Int.random(in: 1..<900, using: &generator), &generator) { _ in 20 }
        let known = Set(sequences.values.joined()).sorted()
        for count in [1, 7, 50, 300, 1000] {
            let found = Self.numbers(try await ChangeHistory(log: log).latest(all, count: count))
            #expect(found == known.suffix(count), "seed \(seed), \(count)")
            let third = Self.numbers(
                try await ChangeHistory(log: log).latest(all, count: count) { $0.key == [0] })
            #expect(third == known.filter { $0 % 3 == 0 }.suffix(count), "seed \(seed), \(count)")
        }
        #expect(Self.numbers(try await ChangeHistory(log: log).latest(all, count: nil)) == known)
    }

    @Test("the reading stops at its bytes, and keeps the latest changes")
    func bytes() async throws {
        var generator = SeededGenerator(seed: 7)
        let (log, sequences, sizes) = try await filled(120, &generator) {
            // Small ones say nothing of those before them.
            Int.random(in: 0..<3, using: &$0) == 0 ? 1 << 20 : 100
        }
        let values = try await ChangeHistory(log: log).latest(all, count: nil)
        for partition in all {
            let own = sequences[partition] ?? []
            let found = Self.numbers(values).filter { own.contains($0) }
            #expect(!found.isEmpty && found == Array(Set(own)).sorted().suffix(found.count))
            let bytes = found.reduce(0) { $0 + (sizes[$1] ?? 0) }
            #expect(bytes <= Limits.testBytesMax / Self.partitions + 5 << 20, "\(partition): \(bytes)")
        }
    }

    @Test("the reading takes little more from the log than it returns")
    func reads() async throws {
        var generator = SeededGenerator(seed: 11)
        let (log, _, _) = try await filled(6000, &generator) { _ in 20 }
        let entries = Mutex(0)
        let begun = Mutex(0)
        let watched = InterceptedLog(
            log,
            follow: { _, follower in
                begun.withLock { $0 += 1 }
                return CountingFollower(base: follower) { count in entries.withLock { $0 += count } }
            })
        let found = try await ChangeHistory(log: watched).latest(all, count: 200)
        #expect(Self.numbers(found).count == 200)
        // A reader of this log takes the rest of its partition with each step.
        #expect(begun.withLock { $0 } <= 6 * Self.partitions)
        #expect(entries.withLock { $0 } <= 2000, "\(entries.withLock { $0 })")
    }

    private struct CountingFollower: LogFollower {
        let base: any LogFollower
        let count: @Sendable (Int) -> Void

        func next() async throws -> LogBatch {
            let batch = try await base.next()
            count(batch.entries.count)
            return batch
        }

        func close() { base.close() }
    }
}
