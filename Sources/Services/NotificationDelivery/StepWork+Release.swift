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
        var refused: [TopicName: String] = [:]
        try await committer.makeRoom()
        let place = (offset: due.end, index: due.index)
        var step = try released(due, batch, isPartlyLost, at: offset, refused)
        // The work may have failed before at a feed that is gone, and have made it and not written to it.
        let looks = isUnsure && !step.before.isEmpty
        if looks {
            try await makeAgain(for: step, before: place, committed: offset, &refused)
            step = try released(due, batch, isPartlyLost, at: offset, refused)
        }
        // A user's first notification may be one that waited: then there is no journal yet.
        let failed = try await make(step.outputs.topics)
        if !failed.isEmpty {
            machine.undo(step)
            refused.merge(failed) { $1 }
            step = try released(due, batch, isPartlyLost, at: offset, refused)
            step.outputs.drop(Set(failed.keys))
            for (topic, error) in failed {
                Log.error(
                    "delivery.feed.refused", ["partition": "\(partition)", "topic": "\(topic)", "error": error])
            }
        }
        do {
            try await write(step.outputs, at: step.time)
        } catch LogError.unknownTopic(let name) {
            // Made again for the next try, which begins at the committed state.
            try await makeAgain(for: step, before: place, committed: offset, &refused)
            throw LogError.unknownTopic(name)
        }
        try await report(step, refused)
        committer.note(step.changes, offset: offset, at: step.time)
        KillPoint.reach(.heldReleased)
        if !refused.isEmpty { try await committer.flush() }
        if looks { noteSure() }
    }

    private mutating func released(
        _ due: HeldRelease, _ batch: LogBatch, _ isPartlyLost: Bool, at offset: Int64, _ refused: [TopicName: String]
    ) throws -> PartitionDelivery.Step {
        try machine.release(
            due, in: batch.entries.drop { $0.offset < due.next }, next: batch.nextOffset, isPartlyLost: isPartlyLost,
            committed: offset, poison: watch, refused: refused)
    }
}
