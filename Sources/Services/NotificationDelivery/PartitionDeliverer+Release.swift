import CloudMessages
import EventLog
import Telemetry

extension PartitionDeliverer {
    /// Tells hits that were held back for subscriptions whose past has been told meanwhile: reads `deliveries` again from the first
    /// one up to the entry that let them go, and commits the state after each batch at the offset where the stage stands.
    func releaseHeld(_ machine: inout PartitionDelivery, _ session: any LogStateSession, at offset: Int64) async throws
    {
        while let due = machine.dueRelease {
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            if start > due.next {
                // The past took longer than `deliveries` is kept.
                NotificationDelivery.lostHeld.increment()
                Log.error(
                    "delivery.held.lost", ["partition": "\(partition)", "from": due.next, "start": start])
            }
            let follower = try await log.follow(partition, from: max(start, due.next))
            defer { follower.close() }
            var left: HeldRelease? = due
            while let now = left {
                let batch = try await follower.next()
                let step = try machine.release(now, in: batch.entries, next: batch.nextOffset)
                try await write(step.outputs)
                try await session.commit(step.changes, offset: offset, at: step.time)
                // Another subscription's may be next: its place is another one.
                left = machine.dueRelease.flatMap { $0.created == due.created && $0.user == due.user ? $0 : nil }
            }
        }
    }
}
