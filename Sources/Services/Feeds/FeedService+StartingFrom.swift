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
        let (identity, place) = try tokens.place(of: token, of: user, in: sources.layout.scope)
        if let time = place.time { return time }
        if place.part != .feed, place.position.seen.isEmpty { return Timestamp(milliseconds: 0) }
        do {
            // A token of a version that sealed no time has seen entries of which none says when it was.
            let opening =
                place.position.seen.isEmpty
                ? try await FeedOpening.look(at: identity, in: .shared, from: place, sources, reading) : nil
            guard let time = opening?.begin?.time else {
                throw CloudError(
                    .changeTokenExpired, "what startingFrom stands behind is not kept any more; give a time instead")
            }
            return time
        } catch LogError.unavailable {
            throw CloudError(
                .tryAgainLater, "the feeds cannot be read at present; send the same request again",
                retryAfterSeconds: 5)
        }
    }
}
