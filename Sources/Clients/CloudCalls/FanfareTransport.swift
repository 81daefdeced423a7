/// Sends requests to a service. The library has `URLSessionTransport`; a program with its own HTTP client implements
/// this protocol.
public protocol FanfareTransport: Sendable {
    /// Sends a request and returns its whole answer, for any status.
    /// - Throws: the transport's own error if there is no answer; `CancellationError` if the task was cancelled.
    func send(_ request: FanfareRequest) async throws -> FanfareResponse

    /// Sends a request and returns when the header of the answer has arrived; the body follows as a stream.
    func stream(_ request: FanfareRequest) async throws -> FanfareStream
}
