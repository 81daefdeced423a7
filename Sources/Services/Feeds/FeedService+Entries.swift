import CloudMessages
import CloudModel
package import EventLog
import ProtocolBuffers

/// Access by offset, for operators.
extension FeedService {
    /// The token that a device would send that has just read an entry: the notifications behind it are those that it
    /// would get. Nil for an entry that cannot be read.
    /// - Parameters:
    ///   - part: the part of the feed that the entry is in; `shared` where users share partitions.
    ///   - name: the identity of the log.
    package func token(
        after entry: LogEntry, in part: FeedPosition.Part, of identity: FeedIdentity, on name: String
    ) -> String? {
        guard let value = entry.value, let message = try? FeedEntry(decoding: value),
            let source = message.source?.position
        else { return nil }
        let place = FeedPosition(
            part: part, position: LogPosition(offset: entry.offset + 1, seen: [source.source: source]), log: name,
            fingerprint: FeedPosition.fingerprint(value), looked: part == .shared ? entry.offset : nil,
            time: Timestamp(milliseconds: message.time))
        return token(place, of: identity)
    }
}
