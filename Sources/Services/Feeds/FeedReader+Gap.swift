import CloudMessages
import CloudModel
import EventLog

extension FeedReader {
    /// Adds to an error, as far as the log can tell, from when to when and how many entries a reader cannot get any more.
    static func tellingGap(
        _ error: CloudError, _ identity: FeedIdentity, _ place: FeedPosition?, _ layout: TopicLayout,
        _ log: any EventLog
    ) async -> CloudError {
        guard let place, let gap = try? await TokenGap.measure(behind: place, of: identity, in: layout, on: log) else {
            return error
        }
        var error = error
        error.gap = gap
        return error
    }
}
