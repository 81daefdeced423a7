import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Finds the position in a partition of changes at which backfills start. Commit times never go back,
/// so that a few reads do for any number of changes.
struct PastSearch {
    /// Entries among which it is not worth searching on.
    private static let entriesMax: Int64 = 4096

    let log: any EventLog
    let partition: TopicPartition

    /// An offset at or before the first change that was committed at the time or later; the start of the retained ones,
    /// if the time is before.
    func offset(of from: Timestamp?) async throws -> Int64 {
        guard let bounds = try await log.bounds(of: [partition])[partition] else { return 0 }
        guard let from else { return bounds.start }
        var (low, high) = (bounds.start, bounds.end)
        while high - low > Self.entriesMax {
            let middle = low + (high - low) / 2
            if let time = try await time(at: middle, before: high), time < from { low = middle } else { high = middle }
        }
        return low
    }

    /// The commit time of the first readable change at an offset or behind it; nil when there is none before another
    /// offset.
    private func time(at offset: Int64, before end: Int64) async throws -> Timestamp? {
        let follower = try await log.follow(partition, from: offset)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < end {
                // A retried change comes after later ones.
                guard let event = try? ChangeEvent(decoding: entry.value ?? []),
                    let source = event.source?.position.source,
                    source == .store(source.incarnation)
                else { continue }
                return Timestamp(milliseconds: event.committed)
            }
            if batch.nextOffset >= end || batch.isAtEnd { return nil }
        }
    }
}
