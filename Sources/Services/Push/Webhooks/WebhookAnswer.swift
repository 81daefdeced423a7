import CloudModel

/// An answer of a server to a webhook. Pure.
struct WebhookAnswer {
    let response: PushResponse

    /// - Parameter contents: those of the push: one without any cannot be sent with less.
    func outcome(_ contents: PushContents, now: Timestamp) -> PushOutcome {
        let failure = PushFailure(status: response.status)
        switch response.status {
        case 200..<300: return .accepted(status: response.status)
        case 410: return .gone(failure, since: nil)
        case 413 where contents == .full: return .tooLarge(failure)
        case 500...: return .failed(failure, .line(after: response.retryAfter(now: now)))
        // A redirection among them: it is not followed.
        default: return .failed(failure, .address(after: response.retryAfter(now: now)))
        }
    }
}
