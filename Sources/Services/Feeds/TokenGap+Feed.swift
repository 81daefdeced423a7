import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

extension TokenGap {
    /// Measures the range that retention removed between a position and the retained part of its feed. Of a position in
    /// another log, or ahead of this one, only its own time is known.
    static func measure(
        behind place: FeedPosition, of identity: FeedIdentity, _ sources: FeedSources
    ) async throws -> TokenGap {
        var gap = TokenGap(from: place.time, until: nil, entries: nil)
        let name = try await sources.log.identity()
        guard place.log.isEmpty || place.log == name else { return gap }
        guard let entries = try await sources.reader(of: identity, in: place.part),
            place.position.offset <= entries.bounds.end
        else { return gap }
        gap.until = try await entries.first(from: entries.bounds.start)?.value.map {
            Timestamp(milliseconds: try FeedEntry(decoding: $0).time)
        }
        // In a journal entries of other users lie between the user's: the number of removed ones is unknown.
        if place.part == .topic { gap.entries = max(0, entries.bounds.start - place.position.offset) }
        return gap
    }
}
