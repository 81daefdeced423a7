/// A client for the URLs that users chose: it connects to addresses that its guard allows, and to no others. One
/// thread has one connection to each host, by HTTP/2 or HTTP/1.1. Closes when the last reference is released, or by
/// `close`.
package final class GuardedClient: Sendable {
    private let thread: ClientThread
    private let log = ConnectionLog()

    /// Starts the client's thread; connections are made as requests need them.
    package init(
        _ guarding: OutgoingGuard, _ configuration: MultiplexingConfiguration = MultiplexingConfiguration()
    ) {
        thread = ClientThread(named: "guarded http") { [log] inbox in
            MultiplexedLoop(configuration: configuration, guarding: guarding, inbox: inbox, log: log).run()
        }
    }

    /// Sends a request and collects its answer, as `MultiplexedConnection` does. Neither an answer nor an error nor
    /// their time is for users: all three say something about the network in which this program runs.
    package func send(
        _ method: String, to url: GuardedURL, headers: [(String, String)], body: [UInt8], timeout: Duration
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(method, url.text, headers: headers, body: .bytes(body))
        request.timeout = timeout
        return try await thread.send(request)
    }

    /// The number of connections that were opened, or tried, to all hosts in the last time; at most 64 are counted.
    package func connectionsOpened(within time: Duration) -> Int { log.count(within: time) }

    /// Aborts all requests, closes all connections and ends the thread. Later requests throw; closing again does
    /// nothing.
    package func close() async { await thread.close() }
}
