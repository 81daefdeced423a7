import CloudModel

extension FeedReader {
    /// Adds to an error the time range and the number of the entries that the reader lost, as far as the log knows.
    static func addingGap(
        _ error: CloudError, _ identity: FeedIdentity, _ place: FeedPosition?, _ sources: FeedSources
    ) async -> CloudError {
        guard let place, let gap = try? await TokenGap.measure(behind: place, of: identity, sources) else {
            return error
        }
        var error = error
        error.gap = gap
        return error
    }
}
