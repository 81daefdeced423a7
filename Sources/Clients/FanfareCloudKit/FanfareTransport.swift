/// Carries requests to a service. The library brings `URLSessionTransport`; a program with an HTTP client of its own puts
/// that behind this port.
public protocol FanfareTransport: Sendable {
    /// Sends a request and returns its whole answer, whatever its status.
    /// - Throws: the transport's own error when there is no answer; `CancellationError` when the task was cancelled.
    func send(_ request: FanfareRequest) async throws -> FanfareResponse

    /// Sends a request and returns as soon as the head of its answer is there; the body comes as a stream.
    func stream(_ request: FanfareRequest) async throws -> FanfareStream
}
