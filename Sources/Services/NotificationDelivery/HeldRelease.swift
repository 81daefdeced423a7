import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers

/// Held hits of a user that are due: their position in `deliveries`.
struct HeldRelease: Hashable {
    let user: UserRecordName
    /// The offsets to go on from, and of the entry that let them go.
    let next: Int64
    let end: Int64
    /// The index of the next output.
    let index: Int32

    /// Returns true if it is the same release, however far it is.
    func isSame(as other: HeldRelease) -> Bool { user == other.user && end == other.end }
}

extension UserDelivery {
    /// The held hits that are due before anything else; nil if there are none.
    var dueRelease: HeldRelease? {
        release.map { HeldRelease(user: user, next: $0.next, end: $0.end, index: $0.index) }
    }

    /// Drops the positions of held hits, as their topic is gone.
    /// - Returns: the number of subscriptions with such hits.
    mutating func forgetHeld() -> Int {
        let count = backfills.count { $0.shares.contains { $0.heldFrom != nil } }
        if release != nil { endRelease() }
        for index in backfills.indices {
            for share in backfills[index].shares.indices { backfills[index].shares[share].heldFrom = nil }
        }
        return count
    }

    /// Takes back the positions of held hits to an offset, as the entries behind it are at other offsets now. Hits that
    /// are due come before the outputs of the entry that will be at that offset.
    /// - Returns: false if there is no such position.
    mutating func lowerHeld(to offset: Int64) -> Bool {
        var isLowered = false
        for index in backfills.indices {
            for share in backfills[index].shares.indices {
                guard let first = backfills[index].shares[share].heldFrom, first > offset else { continue }
                backfills[index].shares[share].heldFrom = offset
                isLowered = true
            }
        }
        if var due = release, due.end >= offset {
            (due.end, due.next, due.index) = (offset, min(due.next, offset), .min)
            release = due
            isLowered = true
        }
        return isLowered
    }

    /// Delivers held hits from entries of `deliveries`, which are read again, once for all that are due; the entry that
    /// released them names the outputs.
    /// - Parameters:
    ///     - entries: those of this user are used, up to the one that released the hits.
    ///     - next: the offset to continue from, unless the outputs of the first entries have enough bytes.
    ///     - isPartlyLost: true if retention has removed entries that are due.
    ///     - poison: the entries that are set aside: they were skipped the first time, and come again if they are
    ///     retried.
    mutating func release(
        _ due: HeldRelease, in entries: [(offset: Int64, entry: DeliveryEntry)], next: Int64, isPartlyLost: Bool,
        by source: SourceID, _ poison: PoisonWatch?
    ) -> DeliveryOutputs {
        var outputs = DeliveryOutputs()
        guard var release else { return outputs }
        var seen = LogPosition(offset: 0)
        for position in release.seen { _ = seen.advance(to: position.position) }
        if isPartlyLost {
            var step = UserStep(
                self, time: Timestamp(milliseconds: entries.first?.entry.time ?? 0),
                source: SourcePosition(source: source, offset: due.end, index: release.index))
            step.omitLost()
            self = step.delivery
            release.index = step.name.index
            outputs.add(step.outputs)
        }
        var (bytes, next) = (0, next)
        for (offset, entry) in entries where offset < due.end && entry.user == user.rawValue && !entry.isOfPast {
            guard bytes < DeliveryPlan.outputBytesMax else {
                next = offset
                break
            }
            // Retried hits of a backfill were delivered when they came.
            guard case .hits(let hits)? = entry.event, hits.backfill == 0, let name = entry.source?.position,
                hits.hits.contains(where: { isDue($0, from: name.source.partition, at: offset) }),
                name.source.origin != SourceID.retryOrigin, seen.advance(to: name, of: entry, in: layout)
            else { continue }
            var step = UserStep(
                self, time: Timestamp(milliseconds: entry.time),
                source: SourcePosition(source: source, offset: due.end, index: release.index), of: entry)
            // One that could not be applied when it came was set aside as a whole.
            let met = poison.meet(offset) { _ in
                (try? step.release(hits, from: name.source.partition, at: offset)) != nil
            }
            guard met == true else { continue }
            self = step.delivery
            release.index = step.name.index
            outputs.add(step.outputs)
            bytes += step.outputs.heldBytes
        }
        if next >= due.end {
            endRelease()
        } else {
            release.next = next
            release.seen = PositionMessage(seen).seen
            self.release = release
        }
        return outputs
    }
}
