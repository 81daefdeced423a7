/// One connection to one server with many requests on it at once, by HTTP/2; a server that speaks HTTP/1.1 only gets
/// one after another. Each connection has a thread. Closes when the last reference is released, or by `close`.
package final class MultiplexedConnection: Sendable {
    /// Scheme, host and port, such as `https://api.push.apple.com`.
    package let origin: String

    private let thread: ClientThread
    private let log = ConnectionLog()

    /// Starts the thread; the connection is made when a request needs it, and again after it was lost.
    package init(to origin: String, _ configuration: MultiplexingConfiguration = MultiplexingConfiguration()) {
        self.origin = origin
        thread = ClientThread(named: "http2") { [log] inbox in
            MultiplexedLoop(configuration: configuration, guarding: nil, inbox: inbox, log: log).run()
        }
    }

    /// Sends a request and collects its answer, whose body ends at `responseBytesMaximum`. Cancelling the task aborts
    /// the request alone. It never follows a redirection and never sends anything twice.
    ///
    /// Throws `HTTPClientError`: with `retry` `always` the server certainly did not process it, with `ifIdempotent`
    /// nobody knows. Throws `CancellationError` when the task was cancelled.
    package func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        guard request.origin == origin, request.url.utf8.count > origin.utf8.count,
            request.url.utf8[request.origin.endIndex] == UInt8(ascii: "/")
        else {
            throw HTTPClientError(.invalidRequest, .never, request, "the URL does not begin with \(origin)/.")
        }
        if case .file = request.body {
            throw HTTPClientError(.invalidRequest, .never, request, "the body is a file. Send its bytes.")
        }
        return try await thread.send(request)
    }

    /// The number of connections that were opened, or tried, in the last time; at most 64 are counted.
    package func connectionsOpened(within time: Duration) -> Int { log.count(within: time) }

    /// Aborts all requests, closes the connection and ends the thread. Later requests throw; closing again does
    /// nothing.
    package func close() async { await thread.close() }
}
