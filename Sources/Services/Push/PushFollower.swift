package import CloudMessages
package import EventLog
package import Stages
import Synchronization
import Telemetry

/// Follows `pushes` and hands each notification to the courier of its device: one reader a partition for all devices of
/// a container's environment. `DESIGN.md` says why nothing that has to be right rests on it.
package struct PushFollower: Sendable {
    static let pushes = Counter("fanfare_push_notifications_total", "Notifications that were handed to couriers.")
    static let malformed = Counter(
        "fanfare_push_malformed_entries_total", "Entries of pushes that could not be read and were passed by.")

    private let log: any EventLog
    private let layout: TopicLayout
    private let couriers: [any Courier]
    private let check: StartCheck

    /// Describes the follower of one container's environment.
    /// - Parameters:
    ///     - couriers: at most one of each kind. Notifications of other kinds are for other processes.
    ///     - check: made at each start of a partition's following.
    package init(
        log: any EventLog, layout: TopicLayout, couriers: [any Courier], check: StartCheck = .none
    ) {
        self.log = log
        self.layout = layout
        self.couriers = couriers
        self.check = check
    }

    /// Follows all partitions, from their ends on, until the task is cancelled.
    package func run() async {
        // There from the start, at 0, so that a first increase shows.
        _ = (Self.pushes, Self.malformed)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<layout.partitions {
                group.addTask { await follow(TopicPartition(layout.pushes, number)) }
            }
        }
    }

    private func follow(_ partition: TopicPartition) async {
        let place = Mutex<PushCursor?>(nil)
        await persistently(failed: { error, pause in
            Log.warning("push.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await check.pass()
            let bounds = try await log.bounds(of: [partition])[partition]
            // After a failure it goes on where it was, if that is kept still, and the topic is the one it was.
            var cursor = place.withLock { $0 } ?? PushCursor(offset: bounds?.end ?? 0)
            cursor.skip(to: bounds?.start ?? 0)
            for courier in couriers { await courier.passedBy() }
            let (position, follower, lost) = try await log.follow(partition, from: cursor.position) {
                try await log.follow(partition, from: $0)
            }
            defer { follower.close() }
            lost?.report(by: .push)
            cursor.position = position
            while true {
                let batch = try await follower.next()
                for entry in batch.entries { await hand(entry, &cursor, partition) }
                cursor.skip(to: batch.nextOffset)
                if let last = batch.entries.last { cursor.position.note(last) }
                place.withLock { [cursor] in $0 = cursor }
            }
        }
    }

    private func hand(_ entry: LogEntry, _ cursor: inout PushCursor, _ partition: TopicPartition) async {
        do {
            for push in try cursor.take(entry) {
                guard let courier = couriers.first(where: { $0.kind == push.courier }) else { continue }
                await courier.deliver(push)
                Self.pushes.increment()
            }
        } catch {
            Self.malformed.increment()
            Log.error("push.malformed", ["partition": "\(partition)", "offset": entry.offset, "error": "\(error)"])
        }
    }
}
