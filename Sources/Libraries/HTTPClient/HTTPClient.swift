/// An HTTP/1.1 client over libcurl. One thread carries all requests and streams; connections are kept and reused.
/// Closes when the last reference is released, or by `close`.
package final class HTTPClient: Sendable {
    private let thread: ClientThread

    /// Starts the client's thread; connections are made as requests need them.
    package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        thread = ClientThread { inbox in ClientLoop(configuration: configuration, inbox: inbox).run() }
    }

    /// Sends a request and collects its answer. Cancelling the task aborts the transfer.
    ///
    /// Throws `HTTPClientError` when there is no answer, `CancellationError` when the task was cancelled.
    package func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        try await thread.send(request)
    }

    /// Sends a request and returns as soon as the head of its answer is there; the body is consumed from the stream.
    ///
    /// Throws like `send`.
    package func stream(_ request: HTTPClientRequest) async throws -> HTTPClientStream {
        guard case .stream(let stream) = try await thread.perform(request, isStream: true) else {
            throw HTTPClientError(closed: request)
        }
        return stream
    }

    /// Aborts all transfers, closes all connections and ends the thread. Later requests throw; closing again does
    /// nothing.
    package func close() async { await thread.close() }
}
