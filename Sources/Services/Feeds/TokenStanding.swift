package import CloudModel

/// The place of a change token in its feed, for operators.
package struct TokenStanding: Sendable {
    /// The feed.
    package var identity: FeedIdentity
    /// The place.
    package var place: FeedPosition
    /// The entries of the feed after the token, also those that are no notifications; nil if the log was not asked, or
    /// refused.
    package var entriesBehind: Int64?
    /// The notifications among the entries after it; nil where the log was not asked, or refused.
    package var notificationsBehind: Int?
    /// The error that its holder would be answered.
    package var refusal: CloudError?

    init(identity: FeedIdentity, place: FeedPosition) {
        self.identity = identity
        self.place = place
    }
}

extension FeedReader {
    /// Counts the entries after the reader's position, page by page, and closes the reader.
    func count(from standing: TokenStanding) async throws -> TokenStanding {
        var standing = standing
        var notifications = 0
        var entries: Int64 = 0
        do {
            while true {
                let page = try await page(limit: Limits.notificationsPageMax)
                notifications += page.items.count
                entries = taken
                guard page.moreComing else { break }
            }
        } catch {
            close()
            throw error
        }
        close()
        standing.notificationsBehind = notifications
        standing.entriesBehind = entries
        return standing
    }
}
