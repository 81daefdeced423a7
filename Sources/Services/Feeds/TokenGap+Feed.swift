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
        if layout.feeds == .sharded {
            let isTopic = place.part == .topic
            let journal = TopicPartition(
                isTopic ? layout.feed(identity.device, identity.epoch) : layout.journal(identity.user))
            guard let bounds = try await FeedOpening.bounds(of: journal, log), place.position.offset <= bounds.end
            else {
                return gap
            }
            gap.until = try await Self.first(of: journal, from: bounds.start, log).map {
                Timestamp(milliseconds: $0.time)
            }
            // In a journal entries of other users lie between the user's: the number of removed ones is unknown.
            if isTopic { gap.entries = max(0, bounds.start - place.position.offset) }
            return gap
        }
        let feed = TopicPartition(layout.feed(identity.device, identity.epoch))
        let journal = TopicPartition(layout.journal(identity.user))
        let part = place.part == .feed ? feed : journal
        guard let bounds = try await FeedOpening.bounds(of: part, log), place.position.offset <= bounds.end else {
            return gap
        }
        let first = try await Self.first(of: part, from: bounds.start, log)
        guard place.part == .journal else {
            gap.until = first.map { Timestamp(milliseconds: $0.time) }
            gap.entries = max(0, bounds.start - place.position.offset)
            return gap
        }
        // In the journal the device has the entries from before its registration; once the feed's head is gone, their
        // number is unknown.
        guard let head = try await FeedOpening.bounds(of: feed, log)?.start,
            let next = try await Self.first(of: feed, from: head, log)
        else { return gap }
        if case .registered(let mark)? = next.entry, let first, let name = first.source?.position,
            let named = mark.journal?.position, name.source == named.source, !name.isAbove(named)
        {
            gap.until = Timestamp(milliseconds: first.time)
            gap.entries = max(0, bounds.start - place.position.offset)
        } else {
            gap.until = Timestamp(milliseconds: next.time)
        }
        return gap
    }

    private static func first(
        of partition: TopicPartition, from offset: Int64, _ log: any EventLog
    ) async throws -> FeedEntry? {
        try await FeedOpening.firstEntry(of: partition, from: offset, log)?.value.map { try FeedEntry(decoding: $0) }
    }
}
