/// The port of the connections to a provider: the credentials of connections, time-outs, windows and the guard against
/// forged addresses are in it. Redirections are never followed.
package protocol PushTransport: Sendable {
    /// Sends a request once and waits for the answer.
    func send(_ request: PushRequest) async -> PushAnswer

    /// The connections to an origin that were opened within the last minute; 0 where they are not counted.
    func connectionsLately(to origin: String) -> Int
}

extension PushTransport {
    /// Not counted.
    package func connectionsLately(to origin: String) -> Int { 0 }
}

/// A request to a provider.
package struct PushRequest: Sendable {
    /// `POST` for all providers.
    package var method = "POST"
    /// An absolute URL, in ASCII.
    package var url: String
    /// Names are in lower case; values are printable ASCII, whatever a subscription or a client gave.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(url: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of a name in lower case.
    package subscript(header: String) -> String? { headers.first { $0.name == header }?.value }
}
