package import CloudModel
package import DeviceClient
package import RecordService

/// What serves one container's environment.
package struct APIScope: Sendable {
    package let records: RecordService
    package let feeds: FeedService
    package let webAuthTokens: WebAuthTokens

    package init(records: RecordService, feeds: FeedService, webAuthTokens: WebAuthTokens) {
        self.records = records
        self.feeds = feeds
        self.webAuthTokens = webAuthTokens
    }

    /// The container and environment.
    package var scope: ContainerEnvironment { records.scope }
}
