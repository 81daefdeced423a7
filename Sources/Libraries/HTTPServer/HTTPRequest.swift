/// A request with its whole body.
package struct HTTPRequest: Sendable {
    /// Everything but the body.
    package var head: HTTPRequestHead
    /// The body, where the admission wanted it.
    package var body: HTTPRequestBody
    /// The value that the handler attached to its admission.
    package var admitted: (any Sendable)?

    /// A request from its parts, for tests of handlers.
    package init(head: HTTPRequestHead, body: HTTPRequestBody = .bytes([]), admitted: (any Sendable)? = nil) {
        self.head = head
        self.body = body
        self.admitted = admitted
    }

    /// The method; `GET` also where the client asked for the head only.
    package var method: String { head.method }
    /// The target of the request line as it was sent.
    package var target: String { head.target }
    /// The decoded path; route by `pathSegments`.
    package var path: String { head.path }
    /// The segments of the path, each decoded by itself.
    package var pathSegments: [String] { head.pathSegments }
    /// The query taken apart and decoded.
    package var query: [HTTPQueryItem] { head.query }
    /// The header fields.
    package var headers: HTTPHeaders { head.headers }
    /// The address of the client without its port.
    package var remoteAddress: String { head.remoteAddress }

    /// The first value of a name in the query, nil when the name is not there.
    package func queryValue(_ name: String) -> String? { head.queryValue(name) }
}
