import CloudModel
import JSON

/// An answer of APNs. Pure.
struct APNSAnswer {
    private let response: PushResponse
    private let reason: APNSReason?
    /// The time at which the token became invalid, by a 410.
    private let timestamp: Timestamp?

    init(_ response: PushResponse) {
        self.response = response
        let body = try? JSONValue(parsing: response.body)
        reason = body?["reason"]?.string.flatMap(APNSReason.init)
        timestamp = body?["timestamp"]?.number.flatMap { $0 > 0 ? Timestamp(cutting: $0) : nil }
    }

    /// True if the provider's token is too old: another one may be taken, once.
    var isExpired: Bool { response.status == 403 && reason == .expiredProviderToken }

    /// - Parameter hasOwnTopic: true if the topic is the device's, not the container's: then APNs' refusal of it says
    ///   nothing about the operator's settings, and no device may stop the others.
    func outcome(hasOwnTopic: Bool, now: Timestamp) -> PushOutcome {
        if response.status == 200 { return .accepted(status: 200) }
        let failure = PushFailure(
            status: response.status, reason: reason?.rawValue ?? PushFailure(status: response.status).reason)
        let retry = PushRetry.line(after: response.retryAfter(now: now))
        switch (response.status, reason) {
        case (500..., _), (_, .internalServerError), (_, .serviceUnavailable), (_, .shutdown), (_, .idleTimeout):
            return .failed(failure, retry)
        // Another token because of it would make it worse.
        case (_, .tooManyProviderTokenUpdates): return .failed(failure, retry)
        case (429, _): return .failed(failure, .address(after: response.retryAfter(now: now)))
        case (410, .unregistered), (410, .expiredToken): return .gone(failure, since: timestamp)
        // Without a reason it is not APNs' word: a proxy's, say.
        case (410, _), (_, .badDeviceToken), (_, .deviceTokenNotForTopic): return .doubtful(failure)
        case (400...403, .topicDisallowed) where hasOwnTopic: return .doubtful(failure)
        case (401, _), (403, _), (_, .missingTopic), (_, .topicDisallowed): return .misconfigured(failure)
        case (400..<500, _): return .dropped(failure)
        // A redirection, or a success of another kind: not APNs.
        default: return .failed(failure, retry)
        }
    }
}
