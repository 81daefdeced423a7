import CloudMessages
import CloudModel
import EventLog
import Matching
import ProtocolBuffers
import Stages

/// Finds the hits of one subscription among a few entries of its backfill. Pure but for the marks of the work.
struct PastSlice: Sendable {
    /// Entries that are looked at together: as many as of new changes, which wait for the thread.
    static let entriesMax = 64

    /// The result of looking at some entries.
    struct Found: Sendable {
        /// Entries for `deliveries`.
        var values: [[UInt8]] = []
        var examined = 0
        /// True if the last entry looked at was committed after the subscription.
        var isOver = false
    }

    let saved: SavedSubscription
    /// The store that numbered the subscription: sequences of another one cannot be compared.
    let store: UInt64
    let source: SourceID
    let watch: PoisonWatch?

    func hits(in entries: ArraySlice<LogEntry>) -> Found {
        var found = Found()
        for entry in entries {
            // Unreadable entries were reported to operators when they were new.
            guard let event = try? ChangeEvent(decoding: entry.value ?? []), let name = event.source?.position,
                name.source == .store(store)
            else { continue }
            if name.offset > saved.created.rawValue {
                found.isOver = true
                return found
            }
            guard !event.boundary, let change = try? event.change() else { continue }
            found.examined += 1
            let fires = watch.meet(entry.offset) { _ in saved.subscription.fires(onPast: change) }
            guard fires == true else { continue }
            found.values += HitEntries(
                [FiredSubscription(saved)], of: change, changeBytes: entry.value?.count ?? 0, source: source,
                offset: change.sequence.rawValue, past: saved.created
            ).map(\.value)
        }
        return found
    }
}
