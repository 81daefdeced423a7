package import CloudModel
package import Feeds
package import Identity
package import RecordService

/// What serves one container's environment.
package struct APIScope: Sendable {
    /// The use cases of records, subscriptions and devices.
    package let records: RecordService
    /// Sign-in, sessions, API tokens and server-to-server keys.
    package let identity: IdentityService
    /// The feeds of its devices.
    package let feeds: FeedService
    /// What tells who a request is from.
    package let webAuthTokens: WebAuthTokens
    /// Where clients find the service; nil for where each request came to.
    package let publicURL: String?
    /// Whether this process itself speaks TLS.
    package let isSecure: Bool

    /// How long a web courier holds its answer until something comes.
    package let courierWait: Duration

    /// What requests are admitted by before their body is read.
    package let credentials: CredentialTable

    /// What marks where a page of a query ended.
    package let queryMarkers: QueryMarkers

    package init(
        records: RecordService, identity: IdentityService, feeds: FeedService, webAuthTokens: WebAuthTokens,
        queryMarkers: QueryMarkers,
        publicURL: String? = nil, isSecure: Bool = false,
        courierWait: Duration = .seconds(Int64(Limits.courierWaitSeconds))
    ) {
        self.records = records
        self.identity = identity
        credentials = CredentialTable(records.store)
        self.feeds = feeds
        self.webAuthTokens = webAuthTokens
        self.queryMarkers = queryMarkers
        self.publicURL = publicURL
        self.isSecure = isSecure
        self.courierWait = courierWait
    }

    /// The container and environment.
    package var scope: ContainerEnvironment { records.scope }
}
