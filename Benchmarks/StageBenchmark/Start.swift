import CloudMessages
import CloudModel
import EventLog
import Foundation
import MatchingWorkload
import ProtocolBuffers
import SubscriptionMatcher

/// How long stage 1 takes on Kafka from its start to its first hit, with a `subscriptions` topic that is full already.
/// Filled and measured in two processes, so that the memory is the stage's own.
struct Start {
    let subscriptions: Int

    private static let store: UInt64 = 7
    private static let marker = RecordType(trusted: "Marker")
    /// Now: entries older than the retention are removed.
    private static let time = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))

    private let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.bench"), environment: .development),
        partitions: 1)

    /// Writes the subscriptions, one of them for a type of its own, and a change that hits it.
    func fill(_ log: any EventLog) async throws {
        _ = try await log.createTopics(layout.fixedTopics)
        let writer = try await log.makeWriter()
        Workload.beginSubscriptions()
        let piece = 10_000
        for first in stride(from: 0, to: subscriptions, by: piece) {
            var made = Workload.subscriptions(
                min(piece, subscriptions - first), from: first, Workload.Spread(users: 100_000))
            if first == 0 {
                made[0].condition.query = Query(recordType: Self.marker, filters: [])
            }
            try await writer.append(
                made.enumerated().map { offset, subscription in
                    let sequence = CommitSequence(Int64(first + offset + 1))
                    let saved = SavedSubscription(subscription: subscription, created: sequence, saved: sequence)
                    return OutgoingEntry(
                        TopicPartition(layout.subscriptions), key: layout.subscriptionKey(subscription.key, sequence),
                        value: SubscriptionEvent(saved: saved, store: Self.store).encoded(),
                        timestamp: LogTimestamp(Self.time))
                })
        }
        await writer.close()
    }

    /// Writes a change that hits one subscription.
    private func change(_ log: any EventLog) async throws {
        var change = Workload.changes(1, after: subscriptions)[0]
        change.after?.type = Self.marker
        change.sequence = CommitSequence(Int64(Date().timeIntervalSince1970 * 1000))
        let entry = OutgoingEntry(
            TopicPartition(layout.changes(.public)), key: nil,
            value: ChangeEvent(change, store: Self.store).encoded(), timestamp: LogTimestamp(Self.time))
        try await log.withWriter { try await $0.append([entry]) }
    }

    /// Starts the stage and waits for a hit; then for its snapshot, if it was to take one.
    /// - Parameter folder: where the table is kept; nil keeps none.
    func measure(_ log: any EventLog, _ folder: String?) async throws {
        let snapshots = folder.map { TableSnapshots(folder: $0) { Self.time } }
        let output = TopicPartition(layout.deliveries)
        let end = try await log.bounds(of: [output])[output]!.end
        try await change(log)
        let before = try residentBytes()
        let begun = now()
        let stage = Task { await SubscriptionMatcher(log: log, layout: layout, snapshots: snapshots).run() }
        while try await log.bounds(of: [output])[output]!.end == end { try await Task.sleep(for: .milliseconds(50)) }
        let seconds = now() - begun
        let bytes = try residentBytes() - before
        print(
            """
            {"subscriptions":\(subscriptions),"secondsToFirstHit":\(String(format: "%.1f", seconds)),\
            "residentBytesPerSubscription":\(bytes / subscriptions)}
            """)
        if let folder {
            while try !hasSnapshot(folder) { try await Task.sleep(for: .milliseconds(100)) }
        }
        stage.cancel()
        await stage.value
    }

    private func hasSnapshot(_ folder: String) throws -> Bool {
        try FileManager.default.fileExists(atPath: folder)
            && FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasSuffix(".snapshot") }
    }

    private func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return (Int(pages) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
