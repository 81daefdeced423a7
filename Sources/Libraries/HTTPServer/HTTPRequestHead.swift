/// A request without its body: what `HTTPHandler.admit` decides by.
package struct HTTPRequestHead: Sendable {
    /// The method as sent, except that `HEAD` arrives as `GET` with `isHead` set: the server leaves out the body.
    package var method: String
    /// Indicates whether the client asked for the head of the answer only.
    package var isHead: Bool
    /// The target of the request line as it was sent, with its query and all its escapes.
    package var target: String
    /// The decoded path. An escaped slash looks like any other here: route by `pathSegments`.
    package var path: String
    /// The segments of the path, each decoded by itself; `/a/` has two, of which the last is empty, `/` has none.
    /// Segments `.` and `..` are not resolved.
    package var pathSegments: [String]
    /// The query taken apart and decoded, `+` as space, in the order it was sent.
    package var query: [HTTPQueryItem]
    /// The header fields.
    package var headers: HTTPHeaders
    /// The address of the client without its port, as numbers (`127.0.0.1`, `::1`).
    package var remoteAddress: String
    /// The address by which the client's share is counted: the connection's, or the one that a trusted proxy gives. Nil
    /// for other families than IP.
    package var client: ClientAddress?
    /// The size of the body in bytes that the client announced; nil when it is sent in chunks. 0 means no body.
    package var bodyBytesAnnounced: Int?

    /// A head for tests of handlers; nil when the target cannot be decoded.
    package init?(
        method: String, target: String, headers: [(String, String)] = [], remoteAddress: String = "127.0.0.1",
        bodyBytesAnnounced: Int? = 0
    ) {
        guard let parsed = RequestTarget(target) else { return nil }
        self.init(
            method: method, rawTarget: target, target: parsed, headers: HTTPHeaders(headers),
            remoteAddress: remoteAddress, client: ClientAddress(remoteAddress), bodyBytesAnnounced: bodyBytesAnnounced)
    }

    init(
        method: String, rawTarget: String, target: RequestTarget, headers: HTTPHeaders, remoteAddress: String,
        client: ClientAddress?, bodyBytesAnnounced: Int?
    ) {
        isHead = method == "HEAD"
        self.method = isHead ? "GET" : method
        self.target = rawTarget
        path = target.path
        pathSegments = target.pathSegments
        query = target.query
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.client = client
        self.bodyBytesAnnounced = bodyBytesAnnounced
    }

    /// The first value of a name in the query, nil when the name is not there.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
