import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

extension TokenGap {
    /// Measures the range that retention removed between a position and the retained part of its feed. Of a position in
    /// another log, or ahead of this one, only its own time is known.
    static func measure(
        behind place: FeedPosition, of identity: FeedIdentity, in layout: TopicLayout, on log: any EventLog
    ) async throws -> TokenGap {
        var gap = TokenGap(from: place.time, until: nil, entries: nil)
        let name = try await log.identity()
        guard place.log.isEmpty || place.log == name else { return gap }
        let partition = TopicPartition(FeedOpening.topic(of: identity, place.part, layout))
        guard let bounds = try await FeedOpening.bounds(of: partition, log), place.position.offset <= bounds.end else {
            return gap
        }
        gap.until = try await Self.first(of: partition, from: bounds.start, log).map {
            Timestamp(milliseconds: $0.time)
        }
        // In a journal entries of other users lie between the user's: the number of removed ones is unknown.
        if place.part == .topic { gap.entries = max(0, bounds.start - place.position.offset) }
        return gap
    }

    private static func first(
        of partition: TopicPartition, from offset: Int64, _ log: any EventLog
    ) async throws -> FeedEntry? {
        try await FeedOpening.firstEntry(of: partition, from: offset, log)?.value.map { try FeedEntry(decoding: $0) }
    }
}
