import EventLog

extension LogError {
    /// Indicates whether the log does not hold what was to be read.
    var isOfPlace: Bool {
        switch self {
        case .offsetOutOfRange, .unknownTopic: true
        default: false
        }
    }
}
