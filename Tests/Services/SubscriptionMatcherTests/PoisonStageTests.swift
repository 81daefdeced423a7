import CloudMessages
import CloudModel
import CrashMarks
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A change, and a subscription, at which the process dies: stage 1 passes them by after three deaths and goes on.
@Suite struct PoisonStageTests {
    private static let layout = SubscriptionHistory.layout
    private static let time = Timestamp(milliseconds: 1)

    /// A process that is killed while it works on an entry.
    private func die(in folder: String, at place: String, _ offset: Int64) async {
        await #expect(processExitsWith: .failure) { [folder, place, offset] in
            let marks = try CrashMarks(folder: folder)
            marks.slot(for: place)!.begin(offset)
            raise(SIGKILL)
        }
    }

    /// Publishes two subscriptions that fire on everything and changes of one partition, kills three processes at one
    /// entry, and runs the stage: the subscriptions that fired, by change.
    private func hits(
        of sequences: [Int64] = [3, 4, 5], afterDeathsAt place: (String, UInt64) -> (String, Int64)
    ) async throws -> [Int64: [String]] {
        let log = MemoryLog()
        let writer = try await log.makeWriter()
        _ = try await log.createTopics(Self.layout.fixedTopics)
        for (number, id) in ["a", "b"].enumerated() {
            let key = SubscriptionKey(
                user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: id))
            let sequence = CommitSequence(Int64(number + 1))
            let saved = SavedSubscription(
                subscription: SubscriptionHistory.subscription(key, above: 0), created: sequence, saved: sequence)
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(Self.layout.subscriptions), key: Self.layout.subscriptionKey(key, sequence),
                    value: SubscriptionEvent(saved: saved, store: SubscriptionHistory.store).encoded(),
                    timestamp: LogTimestamp(Self.time))
            ])
        }
        let partition = TopicPartition(Self.layout.changes(.public), 0)
        let headers = OperatorHeaders(type: "change", source: "\(SourceID.store(SubscriptionHistory.store))")
        for sequence in sequences {
            let change = SubscriptionHistory.change(sequence, number: 5, after: 2)
            try await writer.append([
                OutgoingEntry(
                    partition, key: [1], value: ChangeEvent(change, store: SubscriptionHistory.store).encoded(),
                    headers: headers.headers(id: "\(sequence)"), timestamp: LogTimestamp(change.committed))
            ])
        }
        let incarnation = try #require(try await log.describeTopics([partition.topic])[partition.topic]?.incarnation)
        let folder = TemporaryFolder()
        let (name, offset) = place("\(Self.layout.scope)", incarnation)
        for _ in 0..<3 { await die(in: folder.path("marks"), at: name, offset) }
        let ledger = PoisonLedger(
            log: log, layout: Self.layout, marks: try CrashMarks(folder: folder.path("marks")), now: { Self.time })
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await ledger.run() }
                group.addTask { await SubscriptionMatcher(log: log, layout: Self.layout, poison: ledger).run() }
            }
        }
        try await eventually("the end of the changes") {
            let done = try await log.committedPositions(of: SubscriptionMatcher.group(Self.layout), [partition])
            return done[partition]?.offset == Int64(sequences.count)
        }
        running.cancel()
        await running.value
        var found: [Int64: [String]] = [:]
        for number in 0..<Self.layout.partitions {
            for entry in try await log.follow(TopicPartition(Self.layout.deliveries, number), from: 0).entriesToEnd() {
                guard case .hits(let hits)? = try DeliveryEntry(decoding: entry.value!).event else { continue }
                found[hits.change, default: []] += hits.hits.map(\.subscription)
            }
        }
        return found
    }

    @Test func aChangeThatKillsIsPassedByAndTheOthersAreMatched() async throws {
        try await within {
            let found = try await hits { scope, incarnation in
                ("\(scope)|match/changes.public/\(String(incarnation, radix: 16))/0", 1)
            }
            #expect(found == [3: ["a", "b"], 5: ["a", "b"]])
        }
    }

    @Test func aChangeThatWasPassedByAndIsPublishedAgainIsNotMatched() async throws {
        try await within {
            let found = try await hits(of: [3, 4, 5, 5]) { scope, incarnation in
                ("\(scope)|match/changes.public/\(String(incarnation, radix: 16))/0", 2)
            }
            #expect(found == [3: ["a", "b"], 4: ["a", "b"]])
        }
    }

    @Test func aSubscriptionThatKillsIsPassedByAndTheOthersFire() async throws {
        try await within {
            let found = try await hits { scope, _ in ("\(scope)|table/subscriptions/0/0", 0) }
            #expect(found == [3: ["b"], 4: ["b"], 5: ["b"]])
        }
    }
}
