import CloudModel
import RecordStore

extension CloudError {
    /// The answer to a failure of the store whose case says what a client does; nil for faults of the service's own.
    /// The failure's text is for the log alone.
    init?(_ error: StoreError) {
        switch error {
        case .unavailable:
            self.init(
                .tryAgainLater, "the store is busy, or cannot be reached; nothing was changed, try again",
                retryAfterSeconds: 2)
        case .full:
            self = .exceeded(
                ExceededLimit("diskSpace", 0, of: .storage),
                "the service has no space left to store anything; its operator has to make room")
        case .owned, .refused, .unreadable, .failed: return nil
        }
    }
}
