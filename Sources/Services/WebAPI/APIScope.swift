import CloudJSON
package import CloudModel
package import Feeds
import HTTPServer
package import Identity
package import Push
package import RecordService
package import RecordStore

/// The services behind one environment of a container. Each request on its way holds it more than once.
package final class APIScope: Sendable {
    /// The use cases of records, subscriptions and devices.
    package let records: RecordService
    /// Sign-in, sessions, API tokens and server-to-server keys.
    package let identity: IdentityService
    /// The feeds of its devices.
    package let feeds: FeedService
    /// The tokens that users sign in by.
    package let webAuthTokens: WebAuthTokens
    /// The address at which clients find the service; nil for the one that each request came to.
    package let publicURL: String?
    /// True if this process itself serves TLS.
    package let isSecure: Bool

    /// The tokens of web couriers.
    package let courierTokens: WebCourierTokens
    /// The public key that browsers' subscriptions are made with, a point of 65 bytes; nil for a service that sends no
    /// Web Push.
    package let webPushKey: @Sendable () -> [UInt8]?
    /// The time for which a web courier holds its answer until something comes.
    package let courierWait: Duration

    /// The credentials by which requests are admitted before their body is read.
    package let credentials: CredentialTable

    /// The markers of where a page of a query ended.
    package let queryMarkers: QueryMarkers
    /// Lets operators in; nil where no operator signs in on a page of this listener.
    package let operatorCodes: OperatorCodes?
    /// Sign-ins that were begun on a page; nil for a service without such pages.
    package let signIns: SignInAttempts?

    package init(
        records: RecordService, identity: IdentityService, feeds: FeedService, courierTokens: WebCourierTokens,
        webAuthTokens: WebAuthTokens, queryMarkers: QueryMarkers, signIns: SignInAttempts? = nil,
        publicURL: String? = nil, isSecure: Bool = false, webPushKey: @escaping @Sendable () -> [UInt8]? = { nil },
        courierWait: Duration = .seconds(Int64(Limits.courierWaitSeconds)), credentials: CredentialTable? = nil,
        operatorCodes: OperatorCodes? = nil
    ) {
        self.records = records
        self.identity = identity
        self.credentials = credentials ?? CredentialTable(records.store)
        self.feeds = feeds
        self.courierTokens = courierTokens
        self.webAuthTokens = webAuthTokens
        self.queryMarkers = queryMarkers
        self.signIns = signIns
        self.publicURL = publicURL
        self.isSecure = isSecure
        self.webPushKey = webPushKey
        self.courierWait = courierWait
        self.operatorCodes = operatorCodes
    }

    /// The same services as clients of another listener reach them.
    /// - Parameters:
    ///   - url: the address of the listener; nil for the one that each request came to.
    ///   - operatorCodes: lets operators in; nil where no operator signs in there.
    package func reached(at url: String?, operatorCodes: OperatorCodes?) -> APIScope {
        APIScope(
            records: records, identity: identity, feeds: feeds, courierTokens: courierTokens,
            webAuthTokens: webAuthTokens, queryMarkers: queryMarkers, signIns: signIns, publicURL: url,
            isSecure: isSecure, webPushKey: webPushKey, courierWait: courierWait, credentials: credentials,
            operatorCodes: operatorCodes)
    }

    /// Makes a code that begins an operator's session, of an identity that the provider proved; nil where no operator
    /// signs in.
    package typealias OperatorCodes =
        @Sendable (_ identity: UserIdentity, _ claims: IdentityClaims) throws -> String

    /// The container and environment.
    package var scope: ContainerEnvironment { records.scope }

    /// The ways in which users sign in on a page; nil where there are none.
    var pageSignIn: IdentityService.PageSignIn? { signIns == nil ? nil : identity.pageSignIn }

    /// The address at which the client of a request reaches the service.
    func url(asSeenBy head: HTTPRequestHead) -> String {
        publicURL ?? "\(isSecure ? "https" : "http")://\(head.headers["Host"] ?? "localhost")"
    }

    /// Makes the push payloads of notifications.
    var payloads: PushPayloads {
        PushPayloads(container: scope.container, identifier: feeds.identifiers.encode)
    }

    /// Writes notifications as they are answered, with the payloads of their pushes or without.
    func encoder(withPayloads: Bool) -> NotificationJSON {
        NotificationJSON(identifier: feeds.identifiers.encode, payload: withPayloads ? payloads.write : nil)
    }
}
