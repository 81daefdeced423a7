import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The hit of a subscription on a change, as `deliveries` has it.
struct FoundHit {
    /// The offset of the entry; nil if it is not there.
    var offset: Int64?
    /// The time of its append.
    var time: Timestamp?
    /// True if the user's hits on the change are there, and this one is in the count of the others.
    var isCounted = false
    /// The time of the oldest change or event that is kept, as far as entries were read; only where there is no hit.
    var first = Timestamp(milliseconds: .max)

    /// Looks for the hit from the time of the change on; only if it is not there, before that, too: a clock may be wrong.
    /// - Parameter looksEverywhere: false looks from the time of the change on alone.
    static func find(
        _ key: SubscriptionKey, of found: FoundChange, isPast: Bool, in deliveries: any EntryReader,
        looksEverywhere: Bool, _ evidence: LogEvidence
    ) async throws -> FoundHit {
        var hit = FoundHit()
        let held = deliveries.bounds
        let place = try await evidence.firstNotBefore(deliveries) { evidence.isBefore($0, found.change.committed) }
        for range in [place..<held.end, held.start..<(looksEverywhere ? place : held.start)]
        where hit.offset == nil && !hit.isCounted {
            var next = hit
            try await evidence.scan(deliveries, from: range.lowerBound, to: range.upperBound) { entry in
                next.take(entry, key, found.change.sequence, isPast: isPast)
                return next.offset != nil || next.isCounted
            }
            hit = next
        }
        return hit
    }

    private mutating func take(
        _ entry: LogEntry, _ key: SubscriptionKey, _ change: CommitSequence, isPast: Bool
    ) {
        guard let message = try? entry.value.map({ try DeliveryEntry(reading: $0) }) else { return }
        first = min(first, Timestamp(milliseconds: message.time))
        guard message.user == key.user.rawValue, case .hits(let hits)? = message.event,
            hits.change == change.rawValue, (hits.backfill != 0) == isPast
        else { return }
        if hits.hits.contains(where: { $0.subscription == key.id.rawValue }) {
            offset = entry.offset
            time = Timestamp(milliseconds: entry.appended.milliseconds)
        } else if hits.omitted > 0 {
            isCounted = true
        }
    }
}
