import CloudMessages
import CloudModel
import EventLog
import Foundation
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The table on the disk: a start from it finds what a start from the topic finds, and one that must not be trusted is
/// not.
@Suite struct TableSnapshotTests {
    private static let layout = SubscriptionHistory.layout

    /// A log with a history of subscriptions, a folder, and a clock that stands.
    private final class Rig: Sendable {
        let log = MemoryLog()
        let history: SubscriptionHistory
        let folder: TemporaryFolder
        let time = Mutex(Timestamp(milliseconds: 1_000_000))

        init(seed: UInt64, count: Int? = nil) async throws {
            history = SubscriptionHistory(random: SeededGenerator(seed: seed), steps: 200)
            folder = TemporaryFolder()
            try await log.requireTopics(layout.fixedTopics)
            try await publish(history.events.prefix(count ?? history.events.count))
        }

        func publish(_ events: some Sequence<SubscriptionHistory.Event>) async throws {
            let entries = events.map {
                OutgoingEntry(
                    TopicPartition(layout.subscriptions), key: $0.topicKey, value: $0.message.encoded(),
                    timestamp: LogTimestamp(milliseconds: $0.sequence))
            }
            try await log.withWriter { try await $0.append(entries) }
        }

        var snapshots: TableSnapshots { snapshots(of: [1, 2, 3]) }

        func snapshots(of program: [UInt8]) -> TableSnapshots {
            TableSnapshots(folder: folder.url.path, program: program) { self.time.withLock { $0 } }
        }

        var path: String { get async throws { snapshots.path(try await identity) } }

        var identity: TableIdentity {
            get async throws { try await TableIdentity.current(of: layout.subscriptions, on: log) }
        }

        func follower(of program: [UInt8] = [1, 2, 3]) -> SubscriptionFollower {
            SubscriptionFollower(log: log, layout: layout, snapshots: snapshots(of: program))
        }

        /// Reads everything there is and takes a snapshot.
        func takeSnapshot(of program: [UInt8] = [1, 2, 3]) async throws {
            let follower = follower(of: program)
            let running = Task { try await follower.run() }
            try await log.withWriter { try await follower.catchUp(with: $0) }
            try await follower.takeSnapshot(try await identity, into: snapshots(of: program))
            running.cancel()
            _ = await running.result
        }

        /// The hits of all changes by a table that was read again.
        func hits() async throws -> [Set<FiredSubscription>] {
            let follower = follower()
            let running = Task { try await follower.run() }
            try await log.withWriter { try await follower.catchUp(with: $0) }
            var hits: [Set<FiredSubscription>] = []
            for change in history.changes {
                let found = await follower.hits(of: [(change, 0)], nil)
                hits.append(Set(found[0]))
            }
            running.cancel()
            _ = await running.result
            return hits
        }

        var expected: [Set<FiredSubscription>] { history.changes.map { history.expected($0) } }
    }

    @Test("a start from a snapshot and later entries finds the same hits", arguments: 1...20)
    func sameHits(seed: UInt64) async throws {
        try await within {
            var random = SeededGenerator(seed: seed)
            let total = SubscriptionHistory(random: SeededGenerator(seed: seed), steps: 200).events.count
            let first = Int.random(in: 0...total, using: &random)
            let rig = try await Rig(seed: seed, count: first)
            try await rig.takeSnapshot()
            try await rig.publish(rig.history.events[first...])
            let identity = try await rig.identity
            let follower = rig.follower()
            #expect(try await follower.load(identity), "seed \(seed)")
            #expect(await follower.versionCount() == first, "seed \(seed)")
            #expect(try await rig.hits() == rig.expected, "seed \(seed)")
        }
    }

    @Test("the image of the index is read by the program that wrote it alone; others make the index of the versions")
    func otherPrograms() async throws {
        try await within {
            let rig = try await Rig(seed: 9)
            try await rig.takeSnapshot()
            let path = try await rig.path
            let identity = try await rig.identity
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for program: [UInt8] in [[1, 2, 3], [1, 2, 4], []] {
                try whole.write(to: URL(fileURLWithPath: path))
                let follower = rig.follower(of: program)
                #expect(try await follower.load(identity))
                #expect(await follower.versionCount() == rig.history.events.count)
                for (change, expected) in zip(rig.history.changes, rig.expected) {
                    #expect(Set(await follower.hits(of: [(change, 0)], nil)[0]) == expected)
                }
            }
            // One that does not know itself writes none.
            #expect(TableSnapshots(folder: "/tmp") { Timestamp(milliseconds: 0) }.program.count == 32)
            try await rig.takeSnapshot(of: [])
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < whole.count)
            #expect(try await rig.hits() == rig.expected)
        }
    }

    @Test("a snapshot that is cut off or changed anywhere is not used, and the topic is")
    func damage() async throws {
        try await within {
            let rig = try await Rig(seed: 5)
            try await rig.takeSnapshot()
            let path = try await rig.path
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 23)) {
                var changed = whole
                changed[place] ^= 0x10
                for bytes in [changed, whole.prefix(place)] {
                    try bytes.write(to: URL(fileURLWithPath: path))
                    let follower = rig.follower()
                    #expect(try await !follower.load(try await rig.identity), "place \(place)")
                    #expect(await follower.versionCount() == 0)
                }
            }
            #expect(try await rig.hits() == rig.expected)
        }
    }

    @Test("an old snapshot, one of the future, or of a recreated topic is not used")
    func foreign() async throws {
        try await within {
            let rig = try await Rig(seed: 6)
            try await rig.takeSnapshot()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try await rig.path))
            func isUsed() async throws -> Bool {
                try bytes.write(to: URL(fileURLWithPath: try await rig.path))
                return try await rig.follower().load(try await rig.identity)
            }
            #expect(try await isUsed())
            rig.time.withLock { $0 = Timestamp(milliseconds: 1_000_000 + TableSnapshots.ageMax) }
            #expect(try await !isUsed())
            rig.time.withLock { $0 = Timestamp(milliseconds: 999_999) }
            #expect(try await !isUsed())
            rig.time.withLock { $0 = Timestamp(milliseconds: 1_000_001) }
            #expect(try await isUsed())
            var other = try await rig.identity
            other.log = "another"
            try bytes.write(to: URL(fileURLWithPath: rig.snapshots.path(other)))
            #expect(try await !rig.follower().load(other))
            other = try await rig.identity
            other.incarnation += 1
            try bytes.write(to: URL(fileURLWithPath: rig.snapshots.path(other)))
            #expect(try await !rig.follower().load(other))
        }
    }

    /// Hides what compaction has removed: the tombstones.
    private final class CompactedFollower: LogFollower {
        private let follower: any LogFollower

        init(_ follower: any LogFollower) { self.follower = follower }

        func next() async throws -> LogBatch {
            var batch = try await follower.next()
            batch.entries.removeAll { $0.value == nil }
            return batch
        }

        func close() { follower.close() }
    }

    @Test("a snapshot whose later tombstones may be compacted away is not used, however young the clock says it is")
    func compactedAway() async throws {
        try await within {
            let rig = try await Rig(seed: 6)
            try await rig.takeSnapshot()
            let identity = try await rig.identity
            let bytes = try Data(contentsOf: URL(fileURLWithPath: try await rig.path))
            #expect(try await rig.follower().load(identity))
            // A subscription is deleted, its versions get tombstones, and then the machine rests for a month: its clock,
            // without a battery, is where it was.
            let versions = rig.history.events.map {
                OutgoingEntry(
                    TopicPartition(Self.layout.subscriptions), key: $0.topicKey, value: nil,
                    timestamp: LogTimestamp(milliseconds: 1))
            }
            try await rig.log.withWriter { try await $0.append(versions) }
            let log = InterceptedLog(rig.log) { _, follower in CompactedFollower(follower) }
            try bytes.write(to: URL(fileURLWithPath: try await rig.path))
            let follower = SubscriptionFollower(log: log, layout: Self.layout, snapshots: rig.snapshots)
            #expect(try await !follower.load(identity))
        }
    }

    @Test("a snapshot whose tombstone goes while the topic is read is given up")
    func compactedMeanwhile() async throws {
        try await within {
            let rig = try await Rig(seed: 6)
            try await rig.takeSnapshot()
            let isCompacted = Mutex(false)
            let log = InterceptedLog(rig.log) { _, follower in
                isCompacted.withLock { $0 } ? CompactedFollower(follower) : follower
            }
            let follower = SubscriptionFollower(log: log, layout: Self.layout, snapshots: rig.snapshots)
            #expect(try await follower.load(try await rig.identity))
            isCompacted.withLock { $0 = true }
            await #expect(throws: SnapshotFailure.self) { try await follower.confirm() }
        }
    }

    @Test("a snapshot at which a process died is not read again")
    func death() async throws {
        try await within {
            let rig = try await Rig(seed: 7)
            try await rig.takeSnapshot()
            let identity = try await rig.identity
            // A process opens it and dies.
            let (file, _) = try #require(try rig.snapshots.claim(identity))
            file.close()
            #expect(try await !rig.follower().load(identity))
            #expect(try await rig.hits() == rig.expected)
        }
    }

    @Test("a failure that does not concern the table leaves it, and the topic is not read again")
    func survives() async throws {
        try await within {
            let rig = try await Rig(seed: 8)
            let follows = Mutex(0)
            let watched = InterceptedLog(rig.log) { partition, follower in
                if partition.topic == Self.layout.subscriptions { follows.withLock { $0 += 1 } }
                return follower
            }
            let log = FailingLog(watched, failing: { $0 <= 3 ? .before : nil })
            let stage = Task { await SubscriptionMatcher(log: log, layout: Self.layout).run() }
            for change in rig.history.changes {
                let key = Self.layout.changeKey(.public, change.matched!)
                let entry = OutgoingEntry(
                    TopicPartition(Self.layout.changes(.public), Self.layout.partition(of: key)), key: key,
                    value: ChangeEvent(change, store: SubscriptionHistory.store).encoded(),
                    timestamp: LogTimestamp(change.committed))
                try await rig.log.withWriter { try await $0.append([entry]) }
            }
            let partitions = (0..<Self.layout.partitions).map { TopicPartition(Self.layout.changes(.public), $0) }
            try await eventually("the end of the changes") {
                let bounds = try await rig.log.bounds(of: partitions)
                let group = SubscriptionMatcher.group(Self.layout)
                let done = try await rig.log.committedPositions(of: group, partitions)
                return partitions.allSatisfy { (done[$0]?.offset ?? 0) >= bounds[$0]!.end }
            }
            stage.cancel()
            await stage.value
            #expect(log.failureCount > 0)
            #expect(follows.withLock { $0 } == 1)
        }
    }
}
