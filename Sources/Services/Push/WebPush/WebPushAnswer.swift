import CloudModel

/// An answer of a push service of RFC 8030. Pure.
struct WebPushAnswer {
    let response: PushResponse

    /// - Parameter contents: those of the push: one without any cannot be sent with less.
    func outcome(_ contents: PushContents, now: Timestamp) -> PushOutcome {
        let failure = PushFailure(status: response.status)
        switch response.status {
        case 200..<300: return .accepted(status: response.status)
        case 404, 410: return .gone(failure, since: nil)
        case 413: return contents == .full ? .tooLarge(failure) : .dropped(failure)
        case 429: return .failed(failure, .address(after: response.retryAfter(now: now)))
        case 500...: return .failed(failure, .line(after: response.retryAfter(now: now)))
        case 400, 401, 403: return .doubtful(failure)
        // A redirection among them: it is not followed.
        default: return .dropped(failure)
        }
    }
}
