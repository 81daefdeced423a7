import CloudMessages
import EventLog
import Stages
import Telemetry

extension StepWork {
    /// Delivers hits that were held for finished backfills: reads `deliveries` again from the first one up to the entry
    /// that released them, and notes the state after each batch at the stage's current offset.
    mutating func releaseHeld(at offset: Int64) async throws {
        while let due = machine.dueRelease {
            let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
            var isPartlyLost = start > due.next
            if isPartlyLost {
                // The past took longer than `deliveries` is kept.
                NotificationDelivery.lostHeld.increment()
                Log.error(
                    "delivery.held.lost", ["partition": "\(partition)", "from": due.next, "start": start])
            }
            let follower = try await log.follow(partition, from: max(start, due.next))
            defer { follower.close() }
            var batch = try await follower.next()
            while let now = machine.dueRelease, now.isSame(as: due) {
                if now.next >= batch.nextOffset { batch = try await follower.next() }
                try await release(now, batch, isPartlyLost: isPartlyLost, at: offset)
                isPartlyLost = false
            }
        }
    }

    /// Drops the positions of held hits in a topic that was deleted and recreated.
    mutating func forgetHeld(at offset: Int64) async throws {
        let (step, count) = machine.forgetHeld(committed: offset)
        committer.note(step.changes, offset: offset, at: step.time)
        try await committer.flush()
        guard count > 0 else { return }
        NotificationDelivery.lostHeld.increment(by: count)
        Log.error("delivery.held.forgotten", ["partition": "\(partition)", "count": count])
    }

    /// Begins to name outputs in a way of its own, as the topic has lost entries that were applied and others are, or
    /// will be, at their offsets.
    mutating func beginHistory(at offset: Int64) async throws {
        committer.note(machine.beginHistory(at: offset), offset: offset, at: LogTimestamp(milliseconds: 0))
        try await committer.flush()
    }

    private mutating func release(
        _ due: HeldRelease, _ batch: LogBatch, isPartlyLost: Bool, at offset: Int64
    ) async throws {
        try await committer.makeRoom()
        let step = try machine.release(
            due, in: batch.entries.drop { $0.offset < due.next }, next: batch.nextOffset, isPartlyLost: isPartlyLost,
            committed: offset, poison: watch)
        try await write(step.outputs)
        try await report(step)
        committer.note(step.changes, offset: offset, at: step.time)
        KillPoint.reach(.heldReleased)
    }
}
