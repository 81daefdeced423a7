import CloudMessages
import CloudModel
import EventLog
import Matching
import Poison
import ProtocolBuffers

/// Finds the hits of a lane's backfills among a few entries: those of one change together, as of a new change. Pure but
/// for the marks of the work.
struct PastSlice: Sendable {
    /// Entries that are looked at together.
    static let entriesMax = 64
    /// Bytes of the budget after which they are fewer.
    private static let usedMax = 32 << 10

    /// The result of looking at some entries.
    struct Found: Sendable {
        /// Entries for `deliveries`.
        var entries: [HitEntries.Encoded] = []
        var examined = 0
        /// Bytes that the day's budget counts.
        var used = 0
        /// The number of entries that need not be looked at again: not the one that ends the pass, as another process
        /// may have to find it.
        var count = 0
        /// True if the last entry looked at was committed after the last subscription.
        var isOver = false
        /// The first change for which the budget has no room: it and all later ones are left out.
        var leftOut: Change?
    }

    let backfills: LaneBackfills
    let source: SourceID
    let watch: PoisonWatch?

    /// - Parameter room: the bytes that the budget has left.
    func hits(in entries: ArraySlice<LogEntry>, room: Int) -> Found {
        var found = Found()
        let from = backfills.from
        let last = backfills.alive.map(\.created).max() ?? .zero
        for entry in entries {
            if found.used >= Self.usedMax { break }
            // Unreadable entries were reported to operators when they were new.
            if let event = try? ChangeEvent(decoding: entry.value ?? []), let name = event.source?.position,
                name.source == .store(backfills.store)
            {
                found.isOver = name.offset > last.rawValue
                if found.isOver { break }
                if !event.boundary, let change = try? event.change(), let from, change.committed >= from {
                    if found.used >= room { found.leftOut = change }
                    if found.leftOut != nil { break }
                    let made = hits(of: change, entry)
                    found.entries += made.entries
                    found.used += made.used
                    found.examined += 1
                }
            }
            found.count += 1
            found.used += Limits.backfillEntryBytes
        }
        return found
    }

    private func hits(of change: Change, _ entry: LogEntry) -> (entries: [HitEntries.Encoded], used: Int) {
        let fired = watch.meet(entry.offset) { _ in
            backfills.alive.filter { $0.created > change.sequence && $0.subscription.fires(onPast: change) }
        }
        guard let fired, !fired.isEmpty else { return ([], 0) }
        let entries = Array(
            HitEntries(
                fired.map { FiredSubscription($0) }, of: change, changeBytes: entry.value?.count ?? 0, source: source,
                number: change.sequence.rawValue, isPast: true))
        let count = min(fired.count, Limits.hitsPerChangeMax)
        return (entries, max(count * Limits.backfillHitBytes, entries.reduce(0) { $0 + $1.value.count }))
    }

    /// The entries that say from which change on the rest of the backfills is left out: one for each user. They come
    /// behind all hits of the pass, so whatever part of it was written before, by this process or by another, they are
    /// news, and what they leave out includes all that was not delivered.
    func rest(from change: Change, end: CommitSequence) -> [HitEntries.Encoded] {
        let position = SourcePosition(source: source, offset: end.rawValue)
        let open = backfills.alive.filter { $0.created > change.sequence }
        return Dictionary(grouping: open, by: \.subscription.key.user).sorted { $0.key < $1.key }.compactMap {
            user, open in
            guard let zone = change.affectedZone else { return nil }
            let message = HitsMessage(
                change: change.sequence.rawValue, kind: change.kind.rawValue,
                recordType: change.matched?.type.rawValue ?? "", recordName: change.matched?.name.rawValue ?? "",
                zone: ZoneMessage(zone), origin: OriginMessage(user: change.origin.user.rawValue),
                omitted: Int32(clamping: open.count), backfill: open[0].created.rawValue,
                database: change.database.rawValue, leftOut: open.map(\.created.rawValue), isRest: true)
            let entry = DeliveryEntry(
                source: SourcePositionMessage(position), user: user.rawValue, time: change.committed.milliseconds,
                event: .compact(message))
            return HitEntries.Encoded(user: user, index: 0, value: entry.encoded())
        }
    }
}
