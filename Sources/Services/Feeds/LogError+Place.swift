import EventLog

extension LogError {
    /// Indicates whether the log lacks the requested entries.
    var isOfPlace: Bool {
        switch self {
        case .offsetOutOfRange, .unknownTopic: true
        default: false
        }
    }
}
