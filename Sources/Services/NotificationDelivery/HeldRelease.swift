import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Stages

/// Hits of one subscription that were held and are due: their position in `deliveries`.
struct HeldRelease: Hashable {
    let user: UserRecordName
    /// The sequence of the subscription's creation.
    let created: Int64
    /// The offsets to go on from, and of the entry that let them go.
    let next: Int64
    let end: Int64
    /// The index of the next output.
    let index: Int32

    /// Returns true if it is the same release, however far it is.
    func isSame(as other: HeldRelease) -> Bool { user == other.user && created == other.created }
}

extension UserDelivery {
    /// The held hits that are due before anything else; nil if there are none.
    var dueRelease: HeldRelease? {
        for backfill in backfills {
            guard let release = backfill.release else { continue }
            return HeldRelease(
                user: user, created: backfill.created, next: release.next, end: release.end,
                index: release.index)
        }
        return nil
    }

    /// Drops the positions of held hits, as their topic is gone.
    /// - Returns: the number of subscriptions with such hits.
    mutating func forgetHeld() -> Int {
        let before = backfills
        backfills.removeAll { $0.release != nil }
        for index in backfills.indices { backfills[index].heldFrom = nil }
        return before.count { $0.release != nil || $0.heldFrom != nil }
    }

    /// Delivers held hits from entries of `deliveries`, which are read again; the entry that released them names the
    /// outputs.
    /// - Parameters:
    ///     - entries: those of this user are used, up to the one that released the hits.
    ///     - next: the offset to continue from.
    ///     - poison: the entries that are set aside: they were skipped the first time, and come again if they are
    ///     retried.
    mutating func release(
        _ due: HeldRelease, in entries: [(offset: Int64, entry: DeliveryEntry)], next: Int64, by source: SourceID,
        _ poison: PoisonWatch?
    ) -> DeliveryOutputs {
        var outputs = DeliveryOutputs()
        guard let place = backfills.firstIndex(where: { $0.created == due.created }),
            var release = backfills[place].release
        else { return outputs }
        var seen = LogPosition(offset: 0)
        for position in release.seen { _ = seen.advance(to: position.position) }
        for (offset, entry) in entries where offset < due.end && entry.user == user.rawValue && !entry.isOfPast {
            // Retried hits of a backfill were delivered when they came.
            guard case .hits(let hits)? = entry.event, hits.backfill == 0, let name = entry.source?.position,
                hits.hits.contains(where: { $0.created == due.created }), seen.advance(to: name)
            else { continue }
            var step = UserStep(
                self, time: Timestamp(milliseconds: entry.time),
                source: SourcePosition(source: source, offset: due.end, index: release.index), of: entry)
            // One that could not be applied when it came was set aside as a whole.
            let met = poison.meet(offset) { _ in (try? step.release(hits, of: due.created)) != nil }
            guard met == true else { continue }
            self = step.delivery
            release.index = step.name.index
            outputs.add(step.outputs)
        }
        if next >= due.end {
            backfills.removeAll { $0.created == due.created }
        } else {
            release.next = next
            release.seen = PositionMessage(seen).seen
            backfills[place].release = release
        }
        return outputs
    }
}
