import CloudMessages
package import CloudModel
import EventLog
import ProtocolBuffers

/// A change token as a place in the past that a subscription begins from.
extension FeedService {
    /// Returns the time of the last entry before a change token: the commit of a change, or the device's registration.
    /// At the start of the feed, the earliest time.
    /// - Throws: `BAD_REQUEST` for a token of another user; `CHANGE_TOKEN_EXPIRED` if the entry before it is gone.
    package func time(at token: String, of user: UserRecordName) async throws -> Timestamp {
        let (identity, place) = try tokens.place(of: token, of: user, in: layout.scope)
        let topic =
            switch place.part {
            case .journal, .shared: layout.journal(identity.user)
            case .feed, .topic: layout.feed(identity.device, identity.epoch)
            }
        // A shared journal has others' entries before the place.
        if place.part.isWhole { return place.time ?? Timestamp(milliseconds: 0) }
        if layout.feeds == .sharded, let time = place.time { return time }
        let offset = place.position.offset
        if offset == 0, place.part == .journal { return Timestamp(milliseconds: 0) }
        do {
            return try await time(before: offset, in: TopicPartition(topic))
        } catch LogError.unavailable {
            throw CloudError(
                .tryAgainLater, "the feeds cannot be read at present; send the same request again",
                retryAfterSeconds: 5)
        } catch LogError.offsetOutOfRange {
            throw CloudError(
                .changeTokenExpired, "what startingFrom stands behind is not kept any more; give a time instead")
        } catch LogError.unknownTopic {
            throw CloudError(.changeTokenExpired, "the feed that startingFrom is of is gone; give a time instead")
        }
    }

    /// The time of the entry before an offset; of a feed's first entry, the device's registration, at its start.
    private func time(before offset: Int64, in partition: TopicPartition) async throws -> Timestamp {
        let follower = try await log.look(partition, from: max(0, offset - 1))
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            if let value = batch.entries.first?.value {
                return Timestamp(milliseconds: try FeedEntry(decoding: value).time)
            }
            guard !batch.isAtEnd else {
                throw CloudError(
                    .changeTokenExpired, "what startingFrom stands behind is not kept any more; give a time instead")
            }
        }
    }
}
